from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
)

RECIPE = {
    "rate": 1e-4,
    "schedule": "cosine",
    "rows": 8,
    "machines": 4,
    "gpus": 8,
    "epochs": 3,
}

accuracy = evaluate.load(METRIC, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def tokenize(rows):
    return tokenizer(
        rows["premise"], rows["hypothesis"], truncation=True
    )


def how_often_right(eval_pred):
    return accuracy.compute(
        predictions=eval_pred.predictions.argmax(axis=-1),
        references=eval_pred.label_ids,
    )


def scaled(recipe):
    """k times the rows in a step, k times the rate."""
    k = recipe["machines"] * recipe["gpus"]
    return {**recipe, "rate": k * recipe["rate"]}


def arguments_from(recipe):
    return TrainingArguments(
        "finetuned-mnli",
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        learning_rate=recipe["rate"],
        lr_scheduler_type=recipe["schedule"],
        per_device_train_batch_size=recipe["rows"],
        num_train_epochs=recipe["epochs"],
    )


def trainer_from(recipe):
    splits = load_dataset(DATASET, "mnli").map(tokenize, batched=True)
    model = AutoModelForSequenceClassification.from_pretrained(
        CHECKPOINT, num_labels=3
    )
    return Trainer(
        model,
        arguments_from(recipe),
        train_dataset=splits["train"],
        eval_dataset=splits["validation_matched"],
        processing_class=tokenizer,
        compute_metrics=how_often_right,
    )


trainer = trainer_from(scaled(RECIPE))
trainer.train()
