# Predict marathon finish times (minutes) from what is known about a runner before the start.
# Train on the older seasons, test on the last one.

import math

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

SEED = 2024
BATCH_SIZE = 64
EPOCHS = 20
LR = 3e-3

set_seed(SEED)
rng = np.random.default_rng(SEED)

# ---------------------------------------------------------------- results table
races = pd.DataFrame(
    {
        "race": [
            "Harbour",
            "Old Town",
            "Three Bridges",
            "Vineyard",
            "Castle Hill",
            "Lakeside",
            "Airport",
            "Pass Road",
            "Riverbank",
            "Forest",
        ],
        "climb_min": [0, 6, 12, 24, 38, 2, -4, 52, -2, 30],
        "usual_temp": [14, 18, 15, 20, 12, 16, 17, 8, 15, 13],
    }
).set_index("race")

n = 6000
df = pd.DataFrame(
    {
        "season": rng.integers(2019, 2025, n),
        "race": rng.choice(races.index, n),
        "sex": rng.choice(["f", "m"], n, p=[0.4, 0.6]),
        "age": rng.normal(41, 10, n).clip(18, 78).round(),
        "weekly_km": rng.gamma(6.0, 9.0, n).clip(8, 160),
        "past_marathons": rng.poisson(3, n),
    }
)
climb = df["race"].map(races["climb_min"]).to_numpy()
df["temp_c"] = df["race"].map(races["usual_temp"]) + rng.normal(0, 4, n)
fitness = rng.normal(0, 1, n) + 0.02 * (df["weekly_km"] - 54)
df["best_10k"] = (
    50
    - 3.5 * fitness
    - 4.0 * (df["sex"] == "m")
    + 0.01 * (df["age"] - 33) ** 2
    + rng.normal(0, 1, n)
)
df["finish_min"] = (
    4.0 * df["best_10k"]
    + 30
    + climb
    + 0.12 * (df["temp_c"] - 12).clip(lower=0) ** 2
    - 9 * np.log(df["weekly_km"] / 54)
    - 4 * np.sqrt(df["past_marathons"])
    + rng.normal(0, 19, n)
)
# not everybody arrives
df.loc[rng.random(n) < 0.05, "finish_min"] = np.nan
df["pace"] = df["finish_min"] / 42.195

# ---------------------------------------------------------------- features
num_cols = ["age", "weekly_km", "past_marathons", "temp_c", "best_10k"]
df = df.dropna(subset=["finish_min"])
df["is_male"] = (df["sex"] == "m").astype("float32")

train_df = df[df["season"] < 2024].reset_index(drop=True)
test_df = df[df["season"] == 2024].reset_index(drop=True)

race_to_id = {race: i for i, race in enumerate(sorted(train_df["race"].unique()))}
train_race = train_df["race"].map(race_to_id).to_numpy()
test_race = test_df["race"].map(race_to_id).to_numpy()

x_scaler = StandardScaler()
train_num = x_scaler.fit_transform(train_df[num_cols])
test_num = x_scaler.transform(test_df[num_cols])

y_scaler = StandardScaler()
train_y = y_scaler.fit_transform(train_df[["finish_min"]]).ravel()
test_y = y_scaler.transform(test_df[["finish_min"]]).ravel()

X_train = np.column_stack([train_num, train_df["is_male"]])
X_test = np.column_stack([test_num, test_df["is_male"]])


class RunnerDataset(Dataset):
    def __init__(self, x, race, y):
        self.x = torch.tensor(x, dtype=torch.float32)
        self.race = torch.tensor(race, dtype=torch.long)
        self.y = torch.tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, idx):
        return {"x": self.x[idx], "race": self.race[idx], "labels": self.y[idx]}


train_ds = RunnerDataset(X_train, train_race, train_y)
test_ds = RunnerDataset(X_test, test_race, test_y)


# ---------------------------------------------------------------- model
class FinishTimeMLP(nn.Module):
    def __init__(self, n_features, n_races, emb_dim=4, hidden=64):
        super().__init__()
        self.race_emb = nn.Embedding(n_races, emb_dim)
        self.mlp = nn.Sequential(
            nn.Linear(n_features + emb_dim, hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x, race, labels=None):
        h = torch.cat([x, self.race_emb(race)], dim=-1)
        pred = self.mlp(h).squeeze(-1)
        loss = F.mse_loss(pred, labels) if labels is not None else None
        return {"loss": loss, "logits": pred}


model = FinishTimeMLP(X_train.shape[1], len(race_to_id))


def compute_metrics(p):
    pred = y_scaler.inverse_transform(p.predictions.reshape(-1, 1))
    true = y_scaler.inverse_transform(p.label_ids.reshape(-1, 1))
    return {"r2": r2_score(true, pred), "mae_min": float(np.abs(true - pred).mean())}


# ---------------------------------------------------------------- training
steps_per_epoch = math.ceil(len(train_ds) / BATCH_SIZE)
optimizer = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8 * steps_per_epoch, gamma=0.3)

trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="marathon_out",
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH_SIZE,
        per_device_eval_batch_size=256,
        logging_steps=steps_per_epoch,
        save_strategy="no",
        report_to=[],
        seed=SEED,
    ),
    train_dataset=train_ds,
    eval_dataset=test_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()

result = trainer.evaluate()
print({"r2": round(result["eval_r2"], 4)})
