# How many days will a patient stay? Estimated at admission, from what the ward knows by then.
# (The two tables are simulated; the real ones may not leave the hospital.)
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import Dataset
from transformers import (
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)


@dataclass
class Config:
    seed: int = 4
    n_admissions: int = 3200
    batch_size: int = 32
    epochs: int = 20
    lr: float = 3e-3
    hidden: int = 48
    out: str = "stays"


cfg = Config()

WARDS = ["cardiology", "geriatrics", "orthopaedics", "surgery", "neurology", "paediatrics"]
DIAGNOSES = ["fracture", "infection", "infarct", "stroke", "hernia", "pneumonia", "fall", "other"]


def simulate_admissions(n, seed):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame(
        {
            "admission_id": 70000 + np.arange(n),
            "ward": rng.choice(WARDS, n),
            "diagnosis": rng.choice(DIAGNOSES, n),
            "age": rng.integers(1, 97, n),
            "emergency": rng.integers(0, 2, n),
            "n_drugs": rng.poisson(4, n),
            "albumin": rng.normal(38, 6, n).round(1),
            "crp": rng.gamma(1.2, 40, n).round(0),
            "lives_alone": rng.integers(0, 2, n),
        }
    )
    ward_effect = dict(zip(WARDS, rng.normal(0, 0.45, len(WARDS)), strict=True))
    diagnosis_effect = dict(zip(DIAGNOSES, rng.normal(0, 0.45, len(DIAGNOSES)), strict=True))
    log_days = (
        1.0
        + df["ward"].map(ward_effect)
        + df["diagnosis"].map(diagnosis_effect)
        + 0.012 * df["age"]
        + 0.5 * df["emergency"] * (df["crp"] > 50)
        + 0.06 * df["n_drugs"]
        - 0.045 * (df["albumin"] - 38)
        + 0.4 * df["lives_alone"] * (df["age"] > 65)
        + rng.normal(0, 0.22, n)
    )
    days = np.exp(log_days).clip(1, 90).round(0)
    df["bill_total"] = (420 * days + rng.normal(0, 250, n) + 900).round(2)
    outcomes = pd.DataFrame({"admission_id": df["admission_id"], "days": days})
    outcomes = outcomes.sample(frac=1, random_state=seed).reset_index(drop=True)
    return df, outcomes


class LogTarget:
    """Days are skewed: the net sees their standardised logarithm."""

    def fit(self, days):
        logs = np.log1p(days)
        self.mean, self.std = logs.mean(), logs.std()
        return self

    def transform(self, days):
        return (np.log1p(days) - self.mean) / self.std

    def inverse(self, z):
        return np.expm1(z * self.std + self.mean)


class Admissions(Dataset):
    def __init__(self, df, numeric, target):
        self.numeric = torch.tensor(numeric, dtype=torch.float32)
        self.ward = torch.tensor([WARDS.index(w) for w in df["ward"]])
        self.diagnosis = torch.tensor([DIAGNOSES.index(d) for d in df["diagnosis"]])
        self.target = torch.tensor(target, dtype=torch.float32)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, idx):
        return {
            "numeric": self.numeric[idx],
            "ward": self.ward[idx],
            "diagnosis": self.diagnosis[idx],
            "target": self.target[idx],
        }


class StayNet(nn.Module):
    def __init__(self, n_numeric, hidden):
        super().__init__()
        self.ward_emb = nn.Embedding(len(WARDS), 6)
        self.diag_emb = nn.Embedding(len(DIAGNOSES), 6)
        self.mlp = nn.Sequential(
            nn.Linear(n_numeric + 12, hidden),
            nn.ReLU(),
            nn.Dropout(0.05),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, numeric, ward, diagnosis, target=None):
        x = torch.cat([numeric, self.ward_emb(ward), self.diag_emb(diagnosis)], dim=1)
        pred = self.mlp(x)
        if target is None:
            return {"pred": pred}
        loss = nn.functional.smooth_l1_loss(pred.squeeze(-1), target)
        return {"loss": loss, "pred": pred}


class ShowProgress(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"epoch {state.epoch:.0f}  days off on average {metrics['eval_mae']:.3f}")


class StayMetrics:
    def __init__(self, scaling):
        self.scaling = scaling

    def __call__(self, eval_pred):
        pred, target = eval_pred
        days_pred = self.scaling.inverse(pred.squeeze(-1))
        days_true = self.scaling.inverse(target)
        return {"mae": np.abs(days_pred - days_true).mean()}


set_seed(cfg.seed)
admissions, outcomes = simulate_admissions(cfg.n_admissions, cfg.seed)
data = admissions.merge(outcomes, on="admission_id", validate="one_to_one")

train_df, rest = train_test_split(data, test_size=0.3, random_state=cfg.seed)
val_df, test_df = train_test_split(rest, test_size=0.5, random_state=cfg.seed)

not_known_yet = ["admission_id", "days", "bill_total"]
numeric_cols = data.drop(columns=not_known_yet).select_dtypes("number").columns.tolist()

x_scaler = StandardScaler().fit(train_df[numeric_cols])
y_scaler = LogTarget().fit(train_df["days"].to_numpy())


def make_dataset(df):
    return Admissions(
        df, x_scaler.transform(df[numeric_cols]), y_scaler.transform(df["days"].to_numpy())
    )


train_ds, val_ds, test_ds = make_dataset(train_df), make_dataset(val_df), make_dataset(test_df)

model = StayNet(n_numeric=len(numeric_cols), hidden=cfg.hidden)
steps_per_epoch = -(-len(train_ds) // cfg.batch_size)
optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5 * steps_per_epoch, gamma=0.4)

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir=cfg.out,
        num_train_epochs=cfg.epochs,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=256,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="mae",
        greater_is_better=False,
        label_names=["target"],
        remove_unused_columns=False,
        logging_steps=50,
        report_to="none",
        seed=cfg.seed,
    ),
    train_dataset=train_ds,
    eval_dataset=val_ds,
    compute_metrics=StayMetrics(y_scaler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=5), ShowProgress()],
    optimizers=(optimizer, scheduler),
)
trainer.train()

result = trainer.evaluate(test_ds)
print({"mae": round(result["eval_mae"], 4)})
