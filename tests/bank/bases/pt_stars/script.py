"""How good is the meal? Predict a score from 0 to 10 from the words of a review."""
import argparse
import math

import numpy as np
import pandas as pd
from datasets import Dataset
from scenarios.assets import CHECKPOINT
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

POINTS = {
    "delicious": 3.0, "fresh": 2.0, "friendly": 1.5, "cosy": 1.0,
    "cold": -2.0, "salty": -1.5, "slow": -1.0, "dirty": -3.0,
}
DISHES = ["pasta", "curry", "salad", "burger", "soup", "fish"]


def build_frame(n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        words = rng.choice(list(POINTS), size=3, replace=False)
        text = f"the {rng.choice(DISHES)} was {words[0]} and the place {words[1]} and {words[2]}"
        score = 5 + sum(POINTS[w] for w in words) * 0.8
        rows.append((text, float(np.clip(score, 0, 10))))
    return pd.DataFrame(rows, columns=["text", "score"]).drop_duplicates("text")


def compute_metrics(eval_pred):
    predictions, labels = eval_pred
    predictions = predictions.squeeze() * 10
    labels = labels * 10
    return {
        "rmse": math.sqrt(mean_squared_error(labels, predictions)),
        "mae": mean_absolute_error(labels, predictions),
        "r2": r2_score(labels, predictions),
    }


def run(lr, epochs):
    set_seed(11)
    reviews = build_frame(700, 0)
    train, test = reviews.iloc[:460], reviews.iloc[460:580]
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

    def prepare(batch):
        enc = tokenizer(batch["text"], truncation=True, padding="max_length", max_length=20)
        enc["labels"] = [score / 10 for score in batch["score"]]
        return enc

    train_set = Dataset.from_pandas(train).map(prepare, batched=True)
    test_set = Dataset.from_pandas(test).map(prepare, batched=True)
    config = BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=40,
        num_labels=1,
        problem_type="regression",
    )
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="stars",
        learning_rate=lr,
        num_train_epochs=epochs,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=60,
        eval_strategy="epoch",
        save_strategy="no",
        report_to="none",
        logging_steps=10,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=train_set,
        eval_dataset=test_set,
        compute_metrics=compute_metrics,
    )
    trainer.train()
    return trainer.evaluate()


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--lr", type=float, default=1e-3)
    cli.add_argument("--epochs", type=int, default=8)
    options = cli.parse_args()
    print(run(options.lr, options.epochs))
