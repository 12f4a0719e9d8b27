# How many minutes late will a train reach its terminus?
# One row per run of a train; everything in a row but the arrival is known when it leaves.
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.preprocessing import StandardScaler
from torch.optim.lr_scheduler import StepLR
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

SEED = 2024
N_RUNS = 8000
BATCH_SIZE = 64
EPOCHS = 14
CATEGORICAL = ["origin", "operator", "weekday"]

set_seed(SEED)
rng = np.random.default_rng(SEED)

# ---------------------------------------------------------------- runs
stations = [f"ST{i:02d}" for i in range(14)]
operators = ["express", "regio", "night", "private"]
station_lag = pd.Series(rng.normal(0, 0.5, len(stations)), index=stations)
operator_lag = pd.Series([-0.4, 0.3, 0.0, 0.5], index=operators)
rain_trouble = pd.Series([0.2, 1.0, 0.4, 1.6], index=operators)

trains = pd.DataFrame(
    {
        "day": np.sort(rng.integers(0, 180, N_RUNS)),
        "origin": rng.choice(stations, N_RUNS),
        "operator": rng.choice(operators, N_RUNS, p=[0.3, 0.4, 0.1, 0.2]),
        "hour": rng.integers(5, 24, N_RUNS),
        "distance_km": rng.gamma(4.0, 40.0, N_RUNS).round(1),
        "stops": rng.integers(2, 20, N_RUNS),
        "rain_mm": rng.exponential(1.5, N_RUNS).round(1),
        "load_pct": rng.normal(60, 20, N_RUNS).clip(5, 130).round(),
        "late_at_origin": rng.exponential(3.0, N_RUNS).round(1),
    }
)
trains["weekday"] = trains["day"] % 7
rush = np.exp(-(((trains["hour"] - 8) / 1.5) ** 2)) + np.exp(-(((trains["hour"] - 17.5) / 2) ** 2))
log_delay = (
    0.8
    + trains["origin"].map(station_lag)
    + trains["operator"].map(operator_lag)
    + rush * (trains["weekday"] < 5) * trains["load_pct"] / 60
    + 0.35 * np.log1p(trains["rain_mm"]) * trains["operator"].map(rain_trouble)
    + 0.4 * np.log1p(trains["late_at_origin"])
    + rng.normal(0, 0.15, N_RUNS)
)
trains["scheduled_min"] = (8 + trains["distance_km"] / 1.5 + 2 * trains["stops"]).round()
trains["actual_min"] = trains["scheduled_min"] + np.expm1(log_delay.clip(lower=0)).round(1)
trains.loc[rng.random(N_RUNS) < 0.05, "load_pct"] = np.nan  # the counter at the doors is broken

# ---------------------------------------------------------------- features and target
trains["delay_min"] = trains["actual_min"] - trains["scheduled_min"]
for col in CATEGORICAL:
    trains[col] = trains[col].astype("category")
numeric = (
    trains.drop(columns=["day", "delay_min", "actual_min"]).select_dtypes("number").columns.tolist()
)

# the past for training, then a month to choose the epoch, then a month to report
train_df = trains[trains["day"] < 125].sample(frac=1.0, random_state=SEED).reset_index(drop=True)
valid_df = trains[trains["day"].between(125, 151)].reset_index(drop=True)
test_df = trains[trains["day"] > 151].reset_index(drop=True)

usual_load = train_df["load_pct"].median()
for part in (train_df, valid_df, test_df):
    part["load_pct"] = part["load_pct"].fillna(usual_load)
    part["log_delay"] = np.log1p(part["delay_min"])

scaler = StandardScaler().fit(train_df[numeric])
y_mean, y_std = train_df["log_delay"].mean(), train_df["log_delay"].std()


class Runs(torch.utils.data.Dataset):
    def __init__(self, frame):
        codes = np.stack([frame[col].cat.codes.to_numpy() for col in CATEGORICAL], axis=1)
        target = (frame["log_delay"] - y_mean) / y_std
        self.cats = torch.tensor(codes, dtype=torch.long)
        self.nums = torch.tensor(scaler.transform(frame[numeric]), dtype=torch.float32)
        self.y = torch.tensor(target.to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"cats": self.cats[i], "nums": self.nums[i], "labels": self.y[i]}


train_ds, valid_ds, test_ds = Runs(train_df), Runs(valid_df), Runs(test_df)


# ---------------------------------------------------------------- model
class DelayNet(nn.Module):
    def __init__(self, cardinalities, n_numeric, emb=6, hidden=64):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, emb) for n in cardinalities)
        self.body = nn.Sequential(
            nn.Linear(emb * len(cardinalities) + n_numeric, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.out = nn.Linear(hidden, 1)

    def forward(self, cats, nums, labels=None):
        embedded = [emb(cats[:, i]) for i, emb in enumerate(self.embeddings)]
        x = torch.cat([*embedded, nums], dim=1)
        pred = self.out(self.body(x))
        if labels is None:
            return {"pred": pred}
        return {"loss": F.smooth_l1_loss(pred.squeeze(-1), labels), "pred": pred}


model = DelayNet([len(trains[col].cat.categories) for col in CATEGORICAL], len(numeric))


# ---------------------------------------------------------------- training
def to_minutes(z):
    return np.expm1(z * y_std + y_mean)


def compute_metrics(p):
    predicted = to_minutes(p.predictions.squeeze(-1))
    measured = to_minutes(p.label_ids)
    return {"mae": float(np.abs(predicted - measured).mean())}


steps_per_epoch = int(np.ceil(len(train_ds) / BATCH_SIZE))
optimizer = torch.optim.AdamW(model.parameters(), lr=7e-4, weight_decay=1e-4)
scheduler = StepLR(optimizer, step_size=4 * steps_per_epoch, gamma=0.3)

args = TrainingArguments(
    output_dir="delay_checkpoints",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=512,
    eval_strategy="epoch",
    save_strategy="epoch",
    logging_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=valid_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()

result = trainer.evaluate(test_ds)
print({"mae_minutes": round(result["eval_mae"], 3)})
