from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
import numpy as np
from datasets import ClassLabel, load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
)

ANSWERS = ClassLabel(names=["supported", "not supported"])
TEXTS = ("hypothesis", "premise")

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
metric = evaluate.load(METRIC, "mnli")


def yes_or_no(row):
    """Neutral and contradiction are both "not supported"."""
    return {"label": min(row["label"], 1)}


def tokenize(rows, text):
    return tokenizer(rows[text], truncation=True)


def score(answers):
    chosen = np.argmax(answers.predictions, axis=1)
    return metric.compute(
        predictions=chosen, references=answers.label_ids
    )


data = load_dataset(DATASET, "mnli").map(yes_or_no)
data = data.cast_column("label", ANSWERS)
for text in TEXTS:
    data = data.map(tokenize, batched=True, fn_kwargs={"text": text})

model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=ANSWERS.num_classes
)
trainer = Trainer(
    model,
    TrainingArguments(
        "support-checker",
        eval_strategy="steps",
        eval_steps=20,
        logging_steps=20,
        save_strategy="no",
        report_to="none",
        learning_rate=1e-4,
        lr_scheduler_type="constant",
        per_device_train_batch_size=8,
        num_train_epochs=3,
        weight_decay=0.01,
    ),
    train_dataset=data["train"],
    eval_dataset=data["validation_matched"],
    processing_class=tokenizer,
    compute_metrics=score,
)
trainer.train()
