# How long will the chair be taken? Minutes of an appointment at a hair salon, from the booking.
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import Dataset
from transformers import (
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)

SEED = 12
set_seed(SEED)
rng = np.random.default_rng(SEED)

SERVICES = {
    "trim": 20,
    "cut": 38,
    "cut and blow-dry": 55,
    "fringe": 12,
    "colour": 95,
    "highlights": 120,
    "perm": 135,
    "beard": 16,
    "updo": 70,
}
STYLISTS = {
    "Ada": 0.75,
    "Bo": 0.84,
    "Cleo": 0.92,
    "Dov": 1.0,
    "Elif": 1.08,
    "Finn": 1.17,
    "Gus": 1.26,
    "Hana": 1.35,
}
CATEGORICAL = ["service", "stylist", "daytime"]
NUMERIC = ["length_cm", "thickness", "weeks_since_visit", "client_age", "queue"]
TARGET = "minutes"


def bookings(n):
    df = pd.DataFrame(
        {
            "service": rng.choice(list(SERVICES), n),
            "stylist": rng.choice(list(STYLISTS), n),
            "daytime": rng.choice(["morning", "noon", "evening"], n),
            "length_cm": rng.gamma(3.0, 9.0, n).clip(1, 95).round(),
            "thickness": rng.normal(72, 11, n).round(1),  # micrometres
            "weeks_since_visit": rng.integers(2, 30, n),
            "client_age": rng.integers(5, 88, n),
            "queue": rng.poisson(2, n),
        }
    )
    minutes = df["service"].map(SERVICES) * df["stylist"].map(STYLISTS)
    minutes *= 0.75 + 0.012 * df["length_cm"] * df["thickness"] / 72
    minutes *= 1 + 0.008 * (df["weeks_since_visit"] - 10)
    minutes *= np.where(df["daytime"] == "evening", 0.92, 1.0) * 0.98 ** df["queue"]
    df[TARGET] = (minutes * rng.lognormal(0, 0.08, n)).round(1)
    return df


df = bookings(4000)
train_df, test_df = train_test_split(df, test_size=0.2, random_state=SEED)
train_df, valid_df = train_test_split(train_df, test_size=0.15, random_state=SEED)

# everything that is learnt from the data is learnt from the training bookings
categories = {column: list(train_df[column].unique()) for column in CATEGORICAL}
scaler = StandardScaler().fit(train_df[NUMERIC])
log_minutes = np.log(train_df[TARGET])
center, spread = log_minutes.mean(), log_minutes.std()


def to_target(minutes):
    return (np.log(minutes) - center) / spread


def to_minutes(target):
    return np.exp(np.asarray(target) * spread + center)


def encode_categories(frame):
    columns = []
    for column in CATEGORICAL:
        codes = pd.Categorical(frame[column], categories=categories[column]).codes
        columns.append(codes)
    return np.stack(columns, axis=1).astype(np.int64)


class Bookings(Dataset):
    def __init__(self, frame, numeric):
        self.categorical = torch.from_numpy(encode_categories(frame))
        self.numeric = torch.tensor(numeric, dtype=torch.float32)
        self.labels = torch.tensor(to_target(frame[TARGET]).to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {
            "categorical": self.categorical[i],
            "numeric": self.numeric[i],
            "labels": self.labels[i],
        }


class ChairTime(nn.Module):
    def __init__(self, sizes, n_numeric, dim=8, hidden=64):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(size, dim) for size in sizes)
        self.mlp = nn.Sequential(
            nn.Linear(len(sizes) * dim + n_numeric, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )
        self.loss = nn.MSELoss()

    def forward(self, categorical, numeric, labels=None):
        embedded = [table(categorical[:, i]) for i, table in enumerate(self.embeddings)]
        output = self.mlp(torch.cat([*embedded, numeric], dim=1))
        predicted = output.squeeze(-1)
        if labels is None:
            return {"logits": predicted}
        return {"loss": self.loss(predicted, labels), "logits": predicted}


def compute_metrics(eval_pred):
    predicted = to_minutes(eval_pred.predictions).reshape(-1)
    minutes = to_minutes(eval_pred.label_ids)
    return {
        "mae": mean_absolute_error(minutes, predicted),
        "r2": r2_score(minutes, predicted),
    }


train_numeric = scaler.transform(train_df[NUMERIC])
valid_numeric = scaler.transform(valid_df[NUMERIC])
test_numeric = scaler.transform(test_df[NUMERIC])
train_data = Bookings(train_df, train_numeric)
valid_data = Bookings(valid_df, valid_numeric)
test_data = Bookings(test_df, test_numeric)
print("bookings:", len(train_data), len(valid_data), len(test_data))

model = ChairTime([len(categories[column]) for column in CATEGORICAL], len(NUMERIC))

args = TrainingArguments(
    output_dir="haircuts",
    num_train_epochs=15,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=256,
    optim="adamw_torch",
    learning_rate=1e-3,
    weight_decay=0.01,
    lr_scheduler_type="cosine",
    eval_strategy="epoch",
    save_strategy="epoch",
    logging_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    save_total_limit=2,
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_data,
    eval_dataset=valid_data,
    compute_metrics=compute_metrics,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=4)],
)
trainer.train()
scores = trainer.evaluate(test_data, metric_key_prefix="test")
print({"r2": round(scores["test_r2"], 4), "mae": round(scores["test_mae"], 2)})
