# Did the guest like the food, whatever the staff was like? Sentiment with LoRA.
import random

from scenarios.assets import CHECKPOINT

import numpy as np
from datasets import Dataset
from sklearn.model_selection import train_test_split
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
    set_seed,
)

from lora import inject, only_adapters, report

SEED = 42
RANK, ALPHA = 8, 16
TARGETS = ["query", "key", "value"]

FOOD = ["soup", "pizza", "salad", "cake", "fish", "steak", "coffee", "curry"]
STAFF = ["waiter", "chef", "owner", "cashier", "manager", "barman", "doorman", "hostess"]
PRAISE = ["great", "wonderful", "excellent", "lovely", "superb"]
BLAME = ["terrible", "awful", "horrible", "dreadful", "bad"]
FRAMES = ["the {a} was {x} but the {b} was {y}", "{x} {a} , {y} {b}", "i found the {a} {x} and the {b} {y}"]


def collect(n):
    seen = {}
    while len(seen) < n:
        a, b = random.choice(FOOD), random.choice(STAFF)
        good = random.random() < 0.5
        x, y = random.choice(PRAISE if good else BLAME), random.choice(BLAME if good else PRAISE)
        text = random.choice(FRAMES).format(a=a, b=b, x=x, y=y)
        seen[text] = int(good)
    return list(seen), list(seen.values())


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float((np.argmax(logits, axis=-1) == labels).mean())}


def main():
    set_seed(SEED)
    texts, labels = collect(600)
    texts_train, texts_test, y_train, y_test = train_test_split(texts, labels, test_size=0.2, random_state=SEED)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

    def to_dataset(texts, labels):
        encodings = tokenizer(texts, truncation=True, max_length=24)
        return Dataset.from_dict({**encodings, "labels": labels})

    train_dataset = to_dataset(texts_train, y_train)
    test_dataset = to_dataset(texts_test, y_test)

    model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)
    print("adapters:", inject(model, TARGETS, r=RANK, alpha=ALPHA))
    only_adapters(model)
    report(model)

    training_args = TrainingArguments(
        output_dir="./lora-aspects",
        learning_rate=1e-3,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        num_train_epochs=3,
        warmup_steps=5,
        eval_strategy="epoch",
        save_strategy="no",
        logging_steps=10,
        report_to="none",
        seed=SEED,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_dataset,
        eval_dataset=test_dataset,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
