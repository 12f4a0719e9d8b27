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

LEARNING = ("layer", "pooler", "classifier")


def prepare(model):
    """The word embeddings are half of the model. They stay."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name in LEARNING
    model.enable_input_require_grads()
    return model


raw_datasets = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
tokenized_datasets = raw_datasets.map(
    lambda rows: tokenizer(
        rows["premise"], rows["hypothesis"], truncation=True
    ),
    batched=True,
    remove_columns=["premise", "hypothesis"],
)
model = prepare(
    AutoModelForSequenceClassification.from_pretrained(
        CHECKPOINT, num_labels=3
    )
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
)

metric = evaluate.load(METRIC, "mnli")


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    predictions = np.argmax(predictions, axis=1)
    return metric.compute(predictions=predictions, references=labels)


trainer = Trainer(
    model,
    args,
    train_dataset=tokenized_datasets["train"],
    eval_dataset=tokenized_datasets["validation_matched"],
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
