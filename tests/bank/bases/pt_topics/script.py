"""Train a small BERT from scratch to sort headlines by topic."""

import argparse
import logging

import numpy as np
import torch
from datasets import Dataset, DatasetDict
from scenarios.assets import CHECKPOINT
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

logger = logging.getLogger(__name__)

WORDS = {
    "sport": ["goal", "coach", "league", "match", "striker", "stadium"],
    "money": ["bank", "shares", "profit", "market", "loan", "budget"],
    "science": ["planet", "cell", "theory", "lab", "telescope", "fossil"],
    "food": ["recipe", "oven", "soup", "chef", "spice", "bakery"],
}
FILLERS = ["today", "again", "report", "big", "new", "says", "after", "city", "year", "people", "first", "small"]
TOPICS = list(WORDS)


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--max-length", type=int, default=24)
    parser.add_argument("--output-dir", default="topics")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def make_split(rng, size):
    texts, labels = [], []
    for _ in range(size):
        label = int(rng.integers(len(TOPICS)))
        words = list(rng.choice(FILLERS, size=int(rng.integers(3, 9))))
        for _ in range(2):
            words.insert(int(rng.integers(len(words))), str(rng.choice(WORDS[TOPICS[label]])))
        texts.append(" ".join(words))
        labels.append(label)
    return Dataset.from_dict({"text": texts, "label": labels})


def load_data(seed):
    rng = np.random.default_rng(seed)
    return DatasetDict({"train": make_split(rng, 480), "validation": make_split(rng, 160)})


def build_model(tokenizer):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        num_labels=len(TOPICS),
        pad_token_id=tokenizer.pad_token_id,
    )
    return BertForSequenceClassification(config)


def main():
    args = parse_args()
    set_seed(args.seed)
    raw = load_data(args.seed)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

    def preprocess(examples):
        return tokenizer(examples["text"], padding="max_length", truncation=True, max_length=args.max_length)

    data = raw.map(preprocess, batched=True, remove_columns=["text"])
    data = data.rename_column("label", "labels")
    data.set_format("torch")
    model = build_model(tokenizer)
    logger.info("%d parameters", sum(p.numel() for p in model.parameters()))

    def compute_metrics(pred):
        labels = pred.label_ids
        preds = pred.predictions.argmax(-1)
        return {"accuracy": float((preds == labels).mean())}

    training_args = TrainingArguments(
        output_dir=args.output_dir,
        learning_rate=args.learning_rate,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=64,
        num_train_epochs=args.epochs,
        lr_scheduler_type="linear",
        warmup_ratio=0.1,
        eval_strategy="epoch",
        save_strategy="no",
        logging_strategy="epoch",
        report_to=[],
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        compute_metrics=compute_metrics,
    )
    trainer.train()
    result = trainer.evaluate()
    print({"torch": torch.__version__, **result})


if __name__ == "__main__":
    main()
