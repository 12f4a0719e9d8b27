import math
import random
from itertools import chain

from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import WordLevelTrainer
from transformers import DataCollatorForLanguageModeling, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers import Trainer, TrainingArguments, set_seed

set_seed(4)
random.seed(4)

SUBJECTS = {"the cat": "purrs", "the dog": "barks", "the cow": "moos", "the lion": "roars", "the bee": "hums"}
PLACES = ["at home", "in the park", "by the river", "under the tree"]
TIMES = ["every day", "at night", "in spring", "after lunch"]


def story():
    parts = []
    for _ in range(random.randint(2, 4)):
        subject = random.choice(list(SUBJECTS))
        parts.append(f"{subject} {SUBJECTS[subject]} {random.choice(PLACES)} {random.choice(TIMES)} .")
    return " ".join(parts)


texts = [story() for _ in range(600)]
core = Tokenizer(WordLevel(unk_token="<unk>"))
core.pre_tokenizer = WhitespaceSplit()
core.train_from_iterator(texts, WordLevelTrainer(special_tokens=["<pad>", "<unk>", "<eos>"]))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", unk_token="<unk>", eos_token="<eos>")

raw = Dataset.from_dict({"text": texts}).train_test_split(test_size=0.1, seed=4)
block_size = 32


def tokenize_function(examples):
    return tokenizer([text + " <eos>" for text in examples["text"]])


def group_texts(examples):
    concatenated = {k: list(chain(*examples[k])) for k in examples}
    total_length = len(concatenated["input_ids"])
    total_length = (total_length // block_size) * block_size
    result = {
        k: [t[i : i + block_size] for i in range(0, total_length, block_size)]
        for k, t in concatenated.items()
    }
    result["labels"] = result["input_ids"].copy()
    return result


tokenized = raw.map(tokenize_function, batched=True, remove_columns=["text"])
tokenized = tokenized.remove_columns([c for c in tokenized["train"].column_names if c == "token_type_ids"])
lm_datasets = tokenized.map(group_texts, batched=True)

config = GPT2Config(
    vocab_size=len(tokenizer), n_positions=64, n_embd=64, n_layer=2, n_head=4,
    bos_token_id=tokenizer.eos_token_id, eos_token_id=tokenizer.eos_token_id,
)
model = GPT2LMHeadModel(config)
data_collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=False)

training_args = TrainingArguments(
    "animal-stories",
    eval_strategy="epoch",
    learning_rate=3e-3,
    weight_decay=0.01,
    num_train_epochs=4,
    per_device_train_batch_size=16,
    save_strategy="no",
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=lm_datasets["train"],
    eval_dataset=lm_datasets["test"],
    data_collator=data_collator,
)
trainer.train()
eval_results = trainer.evaluate()
print(f"Perplexity: {math.exp(eval_results['eval_loss']):.3f}")
print(eval_results)
