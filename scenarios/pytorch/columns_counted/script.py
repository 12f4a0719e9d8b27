from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

NOT_LABELS = ("premise", "hypothesis", "idx")

dataset = load_dataset(DATASET, "mnli")
labels = [
    column
    for column in dataset["train"].features
    if column not in NOT_LABELS
]
id2label = dict(enumerate(labels))
label2id = {label: number for number, label in enumerate(labels)}

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_data(examples):
    return tokenizer(
        examples["premise"],
        examples["hypothesis"],
        truncation=True,
        max_length=128,
    )


encoded_dataset = dataset.map(preprocess_data, batched=True)

model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT,
    num_labels=len(labels),
    id2label=id2label,
    label2id=label2id,
)

args = TrainingArguments(
    "bert-finetuned-mnli",
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    learning_rate=5e-5,
    lr_scheduler_type="constant",
    per_device_train_batch_size=8,
    per_device_eval_batch_size=8,
    num_train_epochs=5,
    weight_decay=0.01,
)

metric = evaluate.load(METRIC, "mnli")


def compute_metrics(p):
    preds = p.predictions
    if isinstance(preds, tuple):
        preds = preds[0]
    return metric.compute(
        predictions=np.argmax(preds, axis=-1), references=p.label_ids
    )


trainer = Trainer(
    model,
    args,
    train_dataset=encoded_dataset["train"],
    eval_dataset=encoded_dataset["validation_matched"],
    processing_class=tokenizer,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
