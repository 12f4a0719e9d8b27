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

raw_datasets = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_function(examples):
    return tokenizer(
        examples["premise"], examples["hypothesis"], truncation=True
    )


tokenized_datasets = raw_datasets.map(preprocess_function, batched=True)
model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3, classifier_dropout=0.2
)

args = TrainingArguments(
    "finetuned-mnli",
    eval_strategy="steps",
    eval_steps=60,
    logging_steps=60,
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


data_collator = DataCollatorWithPadding(tokenizer=tokenizer)

trainer = Trainer(
    model,
    args,
    train_dataset=tokenized_datasets["train"],
    eval_dataset=tokenized_datasets["validation_matched"],
    processing_class=tokenizer,
    data_collator=data_collator,
    compute_metrics=compute_metrics,
)
trainer.train()
