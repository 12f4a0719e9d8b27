from scenarios.assets import CHECKPOINT, DATASET

from datasets import load_dataset
from sklearn.metrics import accuracy_score, f1_score
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)


class LeanTrainer(Trainer):
    def preprocess_logits_for_metrics(self, logits, labels):
        return logits.argmax(dim=-1)


def compute_metrics(eval_pred):
    predicted, labels = eval_pred
    return {
        "accuracy": accuracy_score(labels, predicted),
        "f1": f1_score(labels, predicted, average="macro"),
    }


pairs = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
pairs = pairs.map(
    lambda batch: tokenizer(
        batch["premise"], batch["hypothesis"], truncation=True
    ),
    batched=True,
)

model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)

args = TrainingArguments(
    output_dir="pairs-lean",
    eval_strategy="steps",
    eval_steps=100,
    save_strategy="no",
    report_to="none",
    learning_rate=1e-4,
    lr_scheduler_type="constant",
    per_device_train_batch_size=8,
    per_device_eval_batch_size=16,
    eval_accumulation_steps=4,
    num_train_epochs=3,
)

trainer = LeanTrainer(
    model=model,
    args=args,
    train_dataset=pairs["train"],
    eval_dataset=pairs["validation_matched"],
    processing_class=tokenizer,
    data_collator=DataCollatorWithPadding(tokenizer),
    compute_metrics=compute_metrics,
)
trainer.train()
