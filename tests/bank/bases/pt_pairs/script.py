# Do these two sentences say the same? Trained on pairs of short descriptions.
import random

import numpy as np
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
)

SEED = 3
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

colours = ["red", "green", "blue", "black"]
ends = ["", "today", "again", "they said", "in the rain", "as promised"]
seen = set()
first = ["the car is {}", "she bought a {} car", "a {} car stands outside", "we saw the {} one"]
second = ["its colour is {}", "people call it {}", "it was painted {} last year", "everything on it is {}"]


def sample(n):
    data = {"sentence1": [], "sentence2": [], "same": []}
    while len(data["same"]) < n:
        a = random.choice(colours)
        b = a if random.random() < 0.5 else random.choice([c for c in colours if c != a])
        one = f"{random.choice(first).format(a)} {random.choice(ends)}"
        two = f"{random.choice(second).format(b)} {random.choice(ends)}"
        if (one, two) in seen:
            continue
        seen.add((one, two))
        data["sentence1"].append(one)
        data["sentence2"].append(two)
        data["same"].append(int(a == b))
    return Dataset.from_dict(data)


train_ds, valid_ds = sample(640), sample(160)

backend = Tokenizer(models.WordLevel(unk_token="[UNK]"))
backend.pre_tokenizer = pre_tokenizers.Whitespace()
backend.train_from_iterator(
    train_ds["sentence1"][:] + train_ds["sentence2"][:],
    trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]),
)
backend.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]",
    pair="[CLS] $A [SEP] $B:1 [SEP]:1",
    special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
)
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=backend,
    pad_token="[PAD]",
    unk_token="[UNK]",
    cls_token="[CLS]",
    sep_token="[SEP]",
    model_max_length=32,
)


def encode(batch):
    out = tokenizer(batch["sentence1"], batch["sentence2"], truncation=True)
    out["labels"] = batch["same"]
    return out


train_ds = train_ds.map(encode, batched=True, remove_columns=train_ds.column_names)
valid_ds = valid_ds.map(encode, batched=True, remove_columns=valid_ds.column_names)

config = BertConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    num_labels=2,
)
model = BertForSequenceClassification(config)


def metrics(p):
    return {"accuracy": float(np.mean(np.argmax(p.predictions, axis=1) == p.label_ids))}


args = TrainingArguments(
    "pairs",
    learning_rate=2e-3,
    warmup_steps=40,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=32,
    num_train_epochs=14,
    eval_strategy="steps",
    eval_steps=100,
    logging_steps=50,
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model,
    args,
    train_dataset=train_ds,
    eval_dataset=valid_ds,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=metrics,
)
trainer.train()
print("final", trainer.evaluate())
