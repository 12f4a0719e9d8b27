# Sentiment of product reviews with a small pretrained encoder
from scenarios.assets import CHECKPOINT

import random

import numpy as np
from datasets import ClassLabel, Dataset
from sklearn.metrics import accuracy_score, f1_score
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

random.seed(13)
things = ["phone", "blender", "lamp", "chair", "kettle", "backpack", "camera", "jacket", "printer", "mattress"]
good = ["works wonderfully", "feels solid", "was a joy to unpack", "is worth every cent", "beats my old one", "arrived early and clean"]
bad = ["broke after two days", "smells like burnt plastic", "was a waste of money", "arrived with a crack", "never turned on", "is going back to the shop"]
openers = ["Honestly,", "After a week", "So far", "For the price", "Bought it for my sister and", "As my neighbour said,"]

rows = []
for thing in things:
    for opener in openers:
        for phrase in good:
            rows.append({"review": f"{opener} the {thing} {phrase}.", "stars": 1})
        for phrase in bad:
            rows.append({"review": f"{opener} the {thing} {phrase}.", "stars": 0})
random.shuffle(rows)
rows = rows[:240]

dataset = Dataset.from_list(rows).rename_column("stars", "label")
dataset = dataset.cast_column("label", ClassLabel(names=["negative", "positive"]))
dataset = dataset.train_test_split(test_size=0.2, seed=13)

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def tokenize(batch):
    return tokenizer(batch["review"], truncation=True, max_length=32)


tokenized = dataset.map(tokenize, batched=True)
collator = DataCollatorWithPadding(tokenizer=tokenizer)

model = AutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT,
    num_labels=2,
    id2label={0: "negative", 1: "positive"},
    label2id={"negative": 0, "positive": 1},
)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, predictions),
        "f1": f1_score(labels, predictions, average="macro"),
    }


training_args = TrainingArguments(
    output_dir="reviews",
    learning_rate=1e-4,
    per_device_train_batch_size=16,
    per_device_eval_batch_size=32,
    num_train_epochs=2,
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=5,
    report_to="none",
    seed=13,
)

trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=tokenized["train"],
    eval_dataset=tokenized["test"],
    processing_class=tokenizer,
    data_collator=collator,
    compute_metrics=compute_metrics,
)
trainer.train()
print(trainer.evaluate())
