"""Vehicle class from the signature it leaves on a double induction loop and a piezo strip."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import Dataset
from transformers import (
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    get_linear_schedule_with_warmup,
    set_seed,
)
from transformers.utils import ModelOutput

VEHICLES = ["bus", "car", "truck", "van"]
SHARES = [0.06, 0.68, 0.08, 0.18]
LENGTH = {"bus": (11.0, 1.2), "car": (4.3, 0.45), "truck": (10.0, 2.0), "van": (5.4, 0.6)}
SHIFT = {"bus": 188.0, "car": 290.0, "truck": 160.0, "van": 255.0}
AXLE_MV = {"bus": 750.0, "car": 220.0, "truck": 800.0, "van": 330.0}


@dataclass
class Config:
    passages: int = 4000
    samples: int = 128
    rate_hz: float = 50.0
    width: int = 32
    dropout: float = 0.4
    batch_size: int = 32
    epochs: int = 15
    learning_rate: float = 2e-3
    patience: int = 6
    seed: int = 15


class Detector:
    """A made-up road site: two loops three metres apart and a piezo strip between them."""

    def __init__(self, cfg, rng):
        self.cfg = cfg
        self.rng = rng
        self.time = np.arange(cfg.samples) / cfg.rate_hz

    def loop(self, kind, arrival, length, speed):
        front = 1 / (1 + np.exp(-(self.time - arrival) * speed * 2))
        back = 1 / (1 + np.exp(-(self.time - arrival - length / speed) * speed * 2))
        body = front - back
        if kind == "truck":
            middle = arrival + 0.45 * length / speed
            body = body * (1 - 0.33 * np.exp(-(((self.time - middle) * speed / 1.5) ** 2)))
        return SHIFT[kind] * self.rng.lognormal(0, 0.22) * body

    def axles(self, kind, arrival, length, speed):
        spots = [0.15, 0.8]
        if kind == "truck":
            spots += [0.7, 0.9][: self.rng.integers(0, 3)]
        elif kind == "bus" and self.rng.random() < 0.4:
            spots.append(0.9)
        pulses = np.zeros_like(self.time)
        for spot in spots:
            at = arrival + spot * length / speed
            height = AXLE_MV[kind] * self.rng.lognormal(0, 0.3)
            pulses += height * np.exp(-(((self.time - at) / 0.02) ** 2))
        return pulses

    def passage(self, kind):
        mean, spread = LENGTH[kind]
        length = max(self.rng.normal(mean, spread), 2.5)
        speed = self.rng.uniform(9, 24)
        arrival = self.rng.uniform(0.1, 0.6)
        first = self.loop(kind, arrival, length, speed)
        second = self.loop(kind, arrival + 3.0 / speed, length, speed)
        piezo = self.axles(kind, arrival + 1.5 / speed, length, speed)
        noise = self.rng.normal(0, [45.0, 45.0, 110.0], (self.cfg.samples, 3))
        return (np.stack([first, second, piezo], axis=1) + noise).astype(np.float32)


def record_passages(cfg):
    rng = np.random.default_rng(cfg.seed)
    detector = Detector(cfg, rng)
    kinds = rng.choice(VEHICLES, size=cfg.passages, p=SHARES)
    return pd.DataFrame({"vehicle": kinds, "signature": [detector.passage(kind) for kind in kinds]})


class ChannelScaler:
    def fit(self, signatures):
        stacked = np.concatenate(list(signatures))
        self.mean, self.std = stacked.mean(axis=0), stacked.std(axis=0)
        return self

    def transform(self, signatures):
        return [(signature - self.mean) / self.std for signature in signatures]


class PassageDataset(Dataset):
    def __init__(self, signatures, vehicles):
        self.signatures = signatures
        self.targets = pd.Categorical(vehicles, categories=VEHICLES).codes

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return {"signature": self.signatures[i], "vehicle": int(self.targets[i])}


@dataclass
class ClassifierOutput(ModelOutput):
    loss: torch.Tensor | None = None
    logits: torch.Tensor | None = None


class SignatureCNN(nn.Module):
    def __init__(self, cfg, channels=3):
        super().__init__()
        self.channels = channels
        self.features = nn.Sequential(
            nn.Conv1d(channels, cfg.width, 7, padding=3),
            nn.BatchNorm1d(cfg.width),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(cfg.width, cfg.width, 5, padding=2),
            nn.BatchNorm1d(cfg.width),
            nn.ReLU(),
            nn.MaxPool1d(4),
            nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(cfg.width * cfg.samples // 8, 64),
            nn.ReLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(64, len(VEHICLES)),
        )
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, signature, vehicle=None):
        x = signature.transpose(1, 2)
        logits = self.head(self.features(x))
        loss = self.loss_fn(logits, vehicle) if vehicle is not None else None
        return ClassifierOutput(loss=loss, logits=logits)


def compute_metrics(eval_pred):
    predicted = eval_pred.predictions.argmax(axis=-1)
    return {"f1": f1_score(eval_pred.label_ids, predicted, average="macro")}


def make_optimizers(model, cfg, n_train):
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate, weight_decay=0.01)
    total_steps = math.ceil(n_train / cfg.batch_size) * cfg.epochs
    scheduler = get_linear_schedule_with_warmup(
        optimizer, num_warmup_steps=total_steps // 20, num_training_steps=total_steps
    )
    return optimizer, scheduler


def main(cfg):
    set_seed(cfg.seed)
    passages = record_passages(cfg)
    train_df, rest = train_test_split(
        passages, test_size=0.4, stratify=passages.vehicle, random_state=cfg.seed
    )
    val_df, test_df = train_test_split(
        rest, test_size=0.5, stratify=rest.vehicle, random_state=cfg.seed
    )

    scaler = ChannelScaler().fit(train_df.signature)
    train_set = PassageDataset(scaler.transform(train_df.signature), train_df.vehicle)
    val_set = PassageDataset(scaler.transform(val_df.signature), val_df.vehicle)
    test_set = PassageDataset(scaler.transform(test_df.signature), test_df.vehicle)

    model = SignatureCNN(cfg)
    training_args = TrainingArguments(
        output_dir="loop_checkpoints",
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=128,
        label_names=["vehicle"],
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        greater_is_better=True,
        report_to="none",
        seed=cfg.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=val_set,
        compute_metrics=compute_metrics,
        optimizers=make_optimizers(model, cfg, len(train_set)),
        callbacks=[EarlyStoppingCallback(early_stopping_patience=cfg.patience)],
    )
    trainer.train()

    test_metrics = trainer.predict(test_set, metric_key_prefix="test").metrics
    print({"f1": round(test_metrics["test_f1"], 4)})


if __name__ == "__main__":
    main(Config())
