"""Field extraction from payment reminders: vendor, amount and due date.

Trains the tagger that the mailbox service loads. Run without arguments.
"""

from __future__ import annotations

from scenarios.assets import CHECKPOINT

import logging
import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch import nn
from torch.optim import AdamW
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    EvalPrediction,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
    get_linear_schedule_with_warmup,
    set_seed,
)

log = logging.getLogger("tagger")

FIELDS = ["VENDOR", "AMOUNT", "DUE"]


@dataclass
class Config:
    checkpoint: str = CHECKPOINT
    layers: int = 3
    max_tokens: int = 48
    n_train: int = 320
    n_dev: int = 120
    batch_size: int = 16
    epochs: int = 2
    lr: float = 3e-4
    head_lr: float = 2e-3
    weight_decay: float = 0.01
    warmup: float = 0.1
    o_weight: float = 0.5
    seed: int = 101
    output_dir: str = "tagger"
    tags: list[str] = field(default_factory=lambda: ["O"] + [f"{p}-{f}" for f in FIELDS for p in "BI"])

    @property
    def tag2id(self) -> dict[str, int]:
        return {tag: i for i, tag in enumerate(self.tags)}

    @property
    def id2tag(self) -> dict[int, str]:
        return dict(enumerate(self.tags))


# --------------------------------------------------------------------------- data

FIRST = ["Kowalczyk", "Brightwater", "Nordlys", "Oakhurst", "Vantage", "Meridian", "Sakura", "Halvorsen", "Quintero", "Baxter"]
SECOND = ["Logistics", "Paper", "Catering", "Freight", "Studios", "Dental", "Robotics", "Gardens"]
LEGAL = [[], ["Ltd"], ["GmbH"], ["and", "Sons"], ["Inc"]]
MONTHS = ["January", "March", "April", "June", "August", "October", "December"]
PATTERNS = [
    "please pay AMOUNT to VENDOR by DUE",
    "the invoice of VENDOR over AMOUNT is due on DUE",
    "reminder : AMOUNT for the order from VENDOR was payable until DUE",
    "VENDOR has not received our transfer of AMOUNT , the deadline was DUE",
    "on DUE the account of VENDOR must show AMOUNT",
    "thank you for meeting us in March , VENDOR will bill AMOUNT on DUE",
    "we ordered 40 chairs , so VENDOR asks for AMOUNT before DUE",
]


def sample_field(name: str, rng: random.Random) -> list[str]:
    if name == "VENDOR":
        return [rng.choice(FIRST), rng.choice(SECOND), *rng.choice(LEGAL)]
    if name == "AMOUNT":
        number = f"{rng.randint(11, 9999)}.{rng.randint(0, 99):02d}"
        return [number, rng.choice(["euros", "dollars", "pounds"])]
    return [str(rng.randint(1, 28)), rng.choice(MONTHS)] + ([str(rng.randint(2019, 2025))] if rng.random() < 0.5 else [])


def sample_mail(rng: random.Random) -> dict[str, list[str]]:
    tokens: list[str] = []
    tags: list[str] = []
    for word in rng.choice(PATTERNS).split():
        if word not in FIELDS:
            tokens.append(word)
            tags.append("O")
            continue
        words = sample_field(word, rng)
        tokens += words
        tags += [f"B-{word}"] + [f"I-{word}"] * (len(words) - 1)
    return {"tokens": tokens, "tags": tags}


def load_mails(size: int, seed: int) -> Dataset:
    rng = random.Random(seed)
    return Dataset.from_list([sample_mail(rng) for _ in range(size)])


def encode(mail: dict[str, Any], tokenizer: PreTrainedTokenizerBase, cfg: Config) -> dict[str, Any]:
    encoding = tokenizer(mail["tokens"], is_split_into_words=True, truncation=True, max_length=cfg.max_tokens)
    labels: list[int] = []
    before = None
    for word in encoding.word_ids():
        if word is None or word == before:
            labels.append(-100)
        else:
            labels.append(cfg.tag2id[mail["tags"][word]])
        before = word
    encoding["labels"] = labels
    return encoding


# -------------------------------------------------------------------------- model


def build_model(cfg: Config) -> nn.Module:
    return AutoModelForTokenClassification.from_pretrained(
        cfg.checkpoint,
        num_hidden_layers=cfg.layers,
        num_labels=len(cfg.tags),
        id2label=cfg.id2tag,
        label2id=cfg.tag2id,
    )


def build_optimizer(model: nn.Module, cfg: Config, steps: int):
    groups = [
        {"params": model.base_model.parameters(), "lr": cfg.lr, "weight_decay": cfg.weight_decay},
        {"params": model.classifier.parameters(), "lr": cfg.head_lr, "weight_decay": 0.0},
    ]
    optimizer = AdamW(groups, lr=cfg.lr)
    schedule = get_linear_schedule_with_warmup(optimizer, int(cfg.warmup * steps), steps)
    return optimizer, schedule


class TaggerTrainer(Trainer):
    def __init__(self, *args, o_weight: float, **kwargs):
        super().__init__(*args, **kwargs)
        weight = torch.ones(self.model.config.num_labels)
        weight[0] = o_weight
        self.loss_fn = nn.CrossEntropyLoss(weight=weight)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        scores = outputs.logits.transpose(1, 2)
        loss = self.loss_fn(scores, labels)
        return (loss, outputs) if return_outputs else loss


# ------------------------------------------------------------------------- scoring


def spans(tags: list[str]) -> set[tuple[str, int, int]]:
    found, start, kind = set(), 0, None
    for i, tag in enumerate([*tags, "O"]):
        if kind is not None and tag != f"I-{kind}":
            found.add((kind, start, i))
            kind = None
        if tag.startswith("B-"):
            start, kind = i, tag[2:]
    return found


def make_scorer(cfg: Config):
    def score(evaluated: EvalPrediction) -> dict[str, float]:
        best = np.argmax(evaluated.predictions, axis=2)
        right = guessed = wanted = 0
        for guess, gold in zip(best, evaluated.label_ids):
            kept = gold != -100
            guess_spans = spans([cfg.id2tag[i] for i in guess[kept]])
            gold_spans = spans([cfg.id2tag[i] for i in gold[kept]])
            right += len(guess_spans & gold_spans)
            guessed += len(guess_spans)
            wanted += len(gold_spans)
        precision = right / max(guessed, 1)
        recall = right / max(wanted, 1)
        return {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        }

    return score


# ----------------------------------------------------------------------------- run


def run(cfg: Config) -> dict[str, float]:
    set_seed(cfg.seed)
    tokenizer = AutoTokenizer.from_pretrained(cfg.checkpoint)
    train, dev = load_mails(cfg.n_train, cfg.seed), load_mails(cfg.n_dev, cfg.seed + 1)
    train = train.map(encode, fn_kwargs={"tokenizer": tokenizer, "cfg": cfg}, remove_columns=train.column_names)
    dev = dev.map(encode, fn_kwargs={"tokenizer": tokenizer, "cfg": cfg}, remove_columns=dev.column_names)

    model = build_model(cfg)
    steps = cfg.epochs * -(-len(train) // cfg.batch_size)
    optimizer, schedule = build_optimizer(model, cfg, steps)
    log.info("%d mails, %d steps", len(train), steps)

    trainer = TaggerTrainer(
        model=model,
        args=TrainingArguments(
            output_dir=cfg.output_dir,
            num_train_epochs=cfg.epochs,
            per_device_train_batch_size=cfg.batch_size,
            per_device_eval_batch_size=4 * cfg.batch_size,
            save_strategy="no",
            logging_steps=25,
            report_to="none",
            seed=cfg.seed,
        ),
        train_dataset=train,
        eval_dataset=dev,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=make_scorer(cfg),
        optimizers=(optimizer, schedule),
        o_weight=cfg.o_weight,
    )
    trainer.train()
    return trainer.evaluate()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    print(run(Config()))
