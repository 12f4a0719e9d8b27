"""Which patients come back within 30 days of their discharge? A small network on hospital stays."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import GroupShuffleSplit
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import Dataset
from transformers import (
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    get_linear_schedule_with_warmup,
    set_seed,
)


@dataclass
class Config:
    patients: int = 3000
    hidden: int = 64
    embedding_dim: int = 6
    dropout: float = 0.1
    lr: float = 1e-3
    weight_decay: float = 1e-3
    epochs: int = 15
    batch_size: int = 64
    warmup_steps: int = 40
    patience: int = 4
    seed: int = 30


WARDS = ["cardiology", "surgery", "geriatrics", "oncology", "orthopaedics", "pulmonology"]
DESTINATIONS = ["home", "home_with_care", "nursing_home", "rehab"]
CATEGORICAL = ["ward", "destination"]


def simulate_stays(n_patients, rng):
    patient_id = np.repeat(np.arange(n_patients), rng.integers(1, 4, n_patients))
    n = len(patient_id)
    frailty = rng.normal(size=n_patients)[patient_id]
    ward = rng.integers(0, len(WARDS), n)
    destination = rng.integers(0, len(DESTINATIONS), n)
    age = np.clip(64 + 9 * frailty + rng.normal(0, 10, n), 18, 99).round()
    previous = rng.poisson(np.exp(0.5 * frailty))
    length_of_stay = 1 + rng.gamma(2.0, 2.5, n).round()
    haemoglobin = 13.2 - 0.7 * frailty + rng.normal(0, 1.4, n)
    creatinine = 85 * np.exp(0.15 * frailty + 0.35 * rng.normal(size=n))
    sodium = rng.normal(139, 3.5, n)

    score = (
        0.05 * (age - 64)
        + 0.8 * np.minimum(previous, 4)
        - 0.5 * (haemoglobin - 13)
        + 0.022 * (creatinine - 90)
        + np.array([0.6, -0.5, 0.9, 0.3, -1.2, 0.5])[ward]
        + np.array([0.4, -0.9, 0.3, -0.4])[destination]
        + 1.3 * ((length_of_stay < 4) & np.isin(ward, [0, 2, 5]))
        + 0.9 * (np.abs(sodium - 139) > 5)
    )
    returns = rng.random(n) < 1 / (1 + np.exp(-3.5 * (score - 3.2)))
    later = rng.random(n) < 0.45
    days_to_next = np.where(
        returns, rng.integers(1, 31, n), np.where(later, rng.integers(31, 700, n), np.nan)
    )
    creatinine[rng.random(n) < 0.08] = np.nan  # not measured
    return pd.DataFrame(
        {
            "patient_id": patient_id,
            "ward": np.array(WARDS)[ward],
            "destination": np.array(DESTINATIONS)[destination],
            "age": age,
            "previous_stays": previous,
            "length_of_stay": length_of_stay,
            "haemoglobin": haemoglobin,
            "creatinine": creatinine,
            "sodium": sodium,
            "days_to_next": days_to_next,
        }
    )


def split_by_patient(stays, share, seed):
    splitter = GroupShuffleSplit(n_splits=1, test_size=share, random_state=seed)
    rest, held_out = next(splitter.split(stays, groups=stays["patient_id"]))
    return stays.iloc[rest], stays.iloc[held_out]


class Preprocessor:
    """Learns medians, scales and category codes from the training stays."""

    def fit(self, stays):
        features = stays.drop(columns=["patient_id", "days_to_next", "readmitted"])
        self.numeric = features.select_dtypes("number").columns.tolist()
        self.medians = stays[self.numeric].median()
        self.scaler = StandardScaler().fit(stays[self.numeric].fillna(self.medians))
        # 0 is for categories that the training stays lack
        self.codes = {
            column: {value: i for i, value in enumerate(sorted(stays[column].unique()), start=1)}
            for column in CATEGORICAL
        }
        return self

    def transform(self, stays):
        numeric = self.scaler.transform(stays[self.numeric].fillna(self.medians))
        categorical = [stays[c].map(self.codes[c]).fillna(0).to_numpy() for c in CATEGORICAL]
        return numeric, np.stack(categorical, axis=1)

    @property
    def cardinalities(self):
        return [len(self.codes[column]) + 1 for column in CATEGORICAL]


class StayDataset(Dataset):
    def __init__(self, stays, preprocessor):
        numeric, categorical = preprocessor.transform(stays)
        self.numeric = torch.tensor(numeric, dtype=torch.float32)
        self.categorical = torch.tensor(categorical, dtype=torch.long)
        self.labels = torch.tensor(stays["readmitted"].to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return {
            "numeric": self.numeric[idx],
            "categorical": self.categorical[idx],
            "labels": self.labels[idx],
        }


class ReadmissionNet(nn.Module):
    def __init__(self, n_numeric, cardinalities, pos_weight, cfg):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(c, cfg.embedding_dim) for c in cardinalities)
        width = n_numeric + cfg.embedding_dim * len(cardinalities)
        self.body = nn.Sequential(
            nn.Linear(width, cfg.hidden),
            nn.ReLU(),
            nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden, cfg.hidden),
            nn.ReLU(),
        )
        self.head = nn.Linear(cfg.hidden, 1)
        self.register_buffer("pos_weight", torch.tensor([pos_weight], dtype=torch.float32))

    def forward(self, numeric, categorical, labels=None):
        embedded = [emb(categorical[:, i]) for i, emb in enumerate(self.embeddings)]
        hidden = self.body(torch.cat([numeric, *embedded], dim=-1))
        logits = self.head(hidden)
        if labels is None:
            return {"logits": logits}
        loss = F.binary_cross_entropy_with_logits(
            logits, labels.unsqueeze(-1), pos_weight=self.pos_weight
        )
        return {"loss": loss, "logits": logits}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = (logits[:, 0] > 0).astype(int)  # a probability above one half
    return {
        "precision": precision_score(labels, preds, zero_division=0),
        "recall": recall_score(labels, preds, zero_division=0),
        "f1": f1_score(labels, preds, zero_division=0),
    }


def main(cfg):
    set_seed(cfg.seed)
    stays = simulate_stays(cfg.patients, np.random.default_rng(cfg.seed))
    stays["readmitted"] = (stays["days_to_next"] <= 30).astype(int)

    train_stays, test_stays = split_by_patient(stays, 0.25, cfg.seed)
    train_stays, val_stays = split_by_patient(train_stays, 0.2, cfg.seed + 1)
    preprocessor = Preprocessor().fit(train_stays)
    train_set, val_set, test_set = (
        StayDataset(part, preprocessor) for part in (train_stays, val_stays, test_stays)
    )

    rate = train_stays["readmitted"].mean()
    model = ReadmissionNet(
        len(preprocessor.numeric), preprocessor.cardinalities, (1 - rate) / rate, cfg
    )

    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    steps_per_epoch = -(-len(train_set) // cfg.batch_size)
    scheduler = get_linear_schedule_with_warmup(
        optimizer,
        num_warmup_steps=cfg.warmup_steps,
        num_training_steps=cfg.epochs * steps_per_epoch,
    )

    training_args = TrainingArguments(
        output_dir="readmission_checkpoints",
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=256,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        logging_strategy="epoch",
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
        optimizers=(optimizer, scheduler),
        callbacks=[EarlyStoppingCallback(early_stopping_patience=cfg.patience)],
    )
    trainer.train()

    scores = trainer.evaluate(test_set)
    print({"f1": round(scores["eval_f1"], 4)})


if __name__ == "__main__":
    main(Config())
