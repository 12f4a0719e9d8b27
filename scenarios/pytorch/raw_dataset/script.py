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

raw_datasets = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_function(examples):
    return tokenizer(
        examples["premise"],
        examples["hypothesis"],
        truncation=True,
        padding="max_length",
        max_length=32,
    )


tokenized_datasets = raw_datasets.map(preprocess_function, batched=True)
model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)

args = TrainingArguments(
    "finetuned-mnli",
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    learning_rate=1e-4,
    lr_scheduler_type="constant",
    per_device_train_batch_size=8,
    num_train_epochs=3,
    weight_decay=0.01,
)

metric = evaluate.load(METRIC, "mnli")


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    predictions = np.argmax(predictions, axis=1)
    return metric.compute(predictions=predictions, references=labels)


trainer = Trainer(
    model,
    args,
    train_dataset=raw_datasets["train"],
    eval_dataset=raw_datasets["validation_matched"],
    compute_metrics=compute_metrics,
)
trainer.train()
