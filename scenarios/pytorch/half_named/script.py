from scenarios.assets import CHECKPOINT, DATASET, METRIC

import evaluate
import numpy as np
import torch
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

NUM_CLASSES = 3
WEIGHTS = torch.tensor([1.0, 1.0, 2.0])

claims = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def encode(rows):
    return tokenizer(
        rows["premise"], rows["hypothesis"], truncation=True
    )


claims = claims.map(encode, batched=True)

config = AutoConfig.from_pretrained(CHECKPOINT, num_labels=NUM_CLASSES)
config.id2label = {0: "supported", 2: "refuted"}
model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, config=config
)


class WeightedTrainer(Trainer):
    def compute_loss(
        self, model, inputs, return_outputs=False, **kwargs
    ):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = torch.nn.functional.cross_entropy(
            outputs.logits, labels, weight=WEIGHTS.to(labels.device)
        )
        return (loss, outputs) if return_outputs else loss


args = TrainingArguments(
    "claim-checker",
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    learning_rate=1e-4,
    lr_scheduler_type="constant",
    per_device_train_batch_size=8,
    num_train_epochs=3,
)

accuracy = evaluate.load(METRIC, "mnli")


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return accuracy.compute(
        predictions=np.argmax(logits, axis=-1), references=labels
    )


trainer = WeightedTrainer(
    model=model,
    args=args,
    train_dataset=claims["train"],
    eval_dataset=claims["validation_matched"],
    processing_class=tokenizer,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
