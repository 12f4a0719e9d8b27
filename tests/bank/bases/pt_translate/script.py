# A toy translator: English words to an invented language, word by word
from pathlib import Path

import numpy as np
from datasets import Dataset, DatasetDict
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

set_seed(8)
LEXICON = {"sun": "sol", "moon": "lun", "tree": "arbo", "water": "akvo", "bread": "pano",
           "house": "domo", "fire": "fajro", "stone": "ston", "bird": "birdo", "road": "vojo", "hand": "mano", "night": "nokto"}
rng = np.random.default_rng(8)


def pairs(n):
    rows = {}
    while len(rows) < n:
        words = rng.choice(list(LEXICON), size=int(rng.integers(2, 4)))
        rows[" ".join(words)] = " ".join(LEXICON[w] for w in words)
    return Dataset.from_dict({"en": list(rows), "xx": list(rows.values())})


sentences = pairs(900).train_test_split(test_size=100, seed=8)
raw = DatasetDict({"train": sentences["train"], "validation": sentences["test"]})

core = Tokenizer(models.WordLevel(unk_token="<unk>"))
core.pre_tokenizer = pre_tokenizers.Whitespace()
core.train_from_iterator(
    raw["train"]["en"][:] + raw["train"]["xx"][:],
    trainers.WordLevelTrainer(special_tokens=["<pad>", "</s>", "<unk>"]),
)
core.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=16
)

max_length = 12


def preprocess_function(examples):
    model_inputs = tokenizer(examples["en"], max_length=max_length, truncation=True)
    labels = tokenizer(text_target=examples["xx"], max_length=max_length, truncation=True)
    model_inputs["labels"] = labels["input_ids"]
    return model_inputs


tokenized_datasets = raw.map(preprocess_function, batched=True, remove_columns=["en", "xx"])
tokenized_datasets = tokenized_datasets.select_columns(["input_ids", "attention_mask", "labels"])

config = T5Config(
    vocab_size=len(tokenizer), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0.0,
    pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
    decoder_start_token_id=tokenizer.pad_token_id,
)
model = T5ForConditionalGeneration(config)
data_collator = DataCollatorForSeq2Seq(tokenizer, model=model)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    if isinstance(preds, tuple):
        preds = preds[0]
    preds = np.where(preds != -100, preds, tokenizer.pad_token_id)
    decoded_preds = tokenizer.batch_decode(preds, skip_special_tokens=True)
    labels = np.where(labels != -100, labels, tokenizer.pad_token_id)
    decoded_labels = tokenizer.batch_decode(labels, skip_special_tokens=True)
    same = [p.strip() == l.strip() for p, l in zip(decoded_preds, decoded_labels)]
    return {"exact": sum(same) / len(same)}


args = Seq2SeqTrainingArguments(
    str(Path("toy-translator")),
    eval_strategy="no",
    save_strategy="no",
    learning_rate=2e-3,
    per_device_train_batch_size=20,
    per_device_eval_batch_size=50,
    num_train_epochs=14,
    predict_with_generate=True,
    generation_max_length=max_length,
    logging_steps=50,
    report_to="none",
)
trainer = Seq2SeqTrainer(
    model,
    args,
    train_dataset=tokenized_datasets["train"],
    eval_dataset=tokenized_datasets["validation"],
    data_collator=data_collator,
    processing_class=tokenizer,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
