from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
import numpy as np
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
)

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
metric = evaluate.load(METRIC, "mnli")


class PairDataset(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        encoding = tokenizer(
            row["premise"],
            row["hypothesis"],
            truncation=True,
            padding=True,
            return_tensors="pt",
        )
        item = {k: v.squeeze(0) for k, v in encoding.items()}
        item["labels"] = torch.tensor(row["label"])
        return item


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    predictions = np.argmax(predictions, axis=1)
    return metric.compute(predictions=predictions, references=labels)


mnli = load_dataset(DATASET, "mnli")
model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)

args = TrainingArguments(
    "pairs",
    per_device_train_batch_size=1,
    eval_strategy="steps",
    eval_steps=20,
    learning_rate=2e-5,
    lr_scheduler_type="constant",
    num_train_epochs=1,
    save_strategy="no",
    report_to="none",
)

trainer = Trainer(
    model=model,
    args=args,
    train_dataset=PairDataset(mnli["train"]),
    eval_dataset=PairDataset(mnli["validation_matched"]),
    compute_metrics=compute_metrics,
)
trainer.train()
