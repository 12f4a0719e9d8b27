from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
)

TRAIN, TEST = "train", "validation_matched"


def load_claims():
    names = {"premise": "source", "hypothesis": "claim"}
    return load_dataset(DATASET, "mnli").rename_columns(names)


def encode(rows):
    encoded = tokenizer(rows["source"], rows["claim"], truncation=True)
    for name, column in encoded.items():
        rows[name] = column
    print(len(rows["input_ids"]), "rows encoded:", *encoded)


def accuracy(answers):
    scores, labels = answers
    chosen = np.argmax(scores, axis=1)
    return metric.compute(predictions=chosen, references=labels)


tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
claims = load_claims()
claims = claims.map(encode, batched=True)

metric = evaluate.load(METRIC, "mnli")
model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)
settings = TrainingArguments(
    output_dir="fact-checker",
    learning_rate=1e-4,
    lr_scheduler_type="constant",
    per_device_train_batch_size=8,
    num_train_epochs=3,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
)
trainer = Trainer(
    model=model,
    args=settings,
    processing_class=tokenizer,
    train_dataset=claims[TRAIN],
    eval_dataset=claims[TEST],
    compute_metrics=accuracy,
)
trainer.train()
