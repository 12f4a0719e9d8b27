# Written-out amounts of cheques -> digits, with a little BART trained from nothing.
#   "three thousand forty two"  ->  "3042"
import random

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

set_seed(5)

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
ONES += "sixteen seventeen eighteen nineteen".split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


def spell(n):
    words = []
    if n >= 1000:
        words += [ONES[n // 1000], "thousand"]
        n %= 1000
    if n >= 100:
        words += [ONES[n // 100], "hundred"]
        n %= 100
    if n >= 20:
        words.append(TENS[n // 10])
        n %= 10
    if n:
        words.append(ONES[n])
    return " ".join(words)


def make_tokenizer():
    words = sorted(set(ONES + TENS + ["hundred", "thousand", "dollars", "pay", "sum", "of"]))
    vocab = {w: i for i, w in enumerate(SPECIAL + words)}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", vocab["</s>"])])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tok, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    fast.add_tokens(list("0123456789"))
    return fast


def make_rows():
    numbers = random.sample(range(100, 10000), 1700)
    rows = []
    for n in numbers:
        before = random.choice(["", "pay ", "sum of ", "pay sum of "])
        after = random.choice(["", " dollars"])
        rows.append((before + spell(n) + after, str(n)))
    return rows[:1500], rows[1500:]


tokenizer = make_tokenizer()


def encode(rows):
    features = []
    for text, digits in rows:
        source = tokenizer(text, max_length=16, truncation=True)
        target = tokenizer(digits, max_length=8, truncation=True)
        features.append(
            {
                "input_ids": source["input_ids"],
                "attention_mask": source["attention_mask"],
                "labels": target["input_ids"],
            }
        )
    return features


train_rows, test_rows = make_rows()
train_data = encode(train_rows)
test_data = encode(test_rows)

config = BartConfig(
    vocab_size=len(tokenizer),
    d_model=64,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=128,
    decoder_ffn_dim=128,
    max_position_embeddings=32,
    dropout=0.0,
    attention_dropout=0.0,
    pad_token_id=tokenizer.pad_token_id,
    bos_token_id=tokenizer.bos_token_id,
    eos_token_id=tokenizer.eos_token_id,
    decoder_start_token_id=tokenizer.bos_token_id,
    forced_eos_token_id=None,
)
model = BartForConditionalGeneration(config)


def exact_match(pred):
    ids = np.where(pred.predictions < 0, tokenizer.pad_token_id, pred.predictions)
    gold = np.where(pred.label_ids == -100, tokenizer.pad_token_id, pred.label_ids)
    said = tokenizer.batch_decode(ids, skip_special_tokens=True)
    meant = tokenizer.batch_decode(gold, skip_special_tokens=True)
    return {"exact": float(np.mean([a.split() == b.split() for a, b in zip(said, meant)]))}


training_args = Seq2SeqTrainingArguments(
    output_dir="amounts-bart",
    learning_rate=2e-3,
    warmup_steps=50,
    num_train_epochs=10,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=100,
    predict_with_generate=True,
    generation_max_length=10,
    generation_num_beams=1,
    eval_strategy="no",
    save_strategy="no",
    logging_steps=25,
    report_to=[],
    seed=5,
)

trainer = Seq2SeqTrainer(
    model=model,
    args=training_args,
    train_dataset=train_data,
    eval_dataset=test_data,
    data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
    processing_class=tokenizer,
    compute_metrics=exact_match,
)
trainer.train()
scores = trainer.evaluate()
print({"exact": round(scores["eval_exact"], 4)})
