"""How fast will the skiff be in twenty seconds? A GRU over the last forty of instruments."""

import math

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import mean_absolute_error
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import Dataset
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

SEED = 8
OUTINGS, SECONDS = 44, 600
WINDOW, STRIDE, AHEAD = 40, 6, 20
BATCH = 128
NO_SIGNAL = -99.0
SENSORS = ["tws", "twa", "speed"]
FEATURES = ["tws", "twa_sin", "twa_cos", "heel", "rudder", "speed"]


def sail(outing, rng):
    """One outing, second by second, as the instruments write it down."""
    wind, hull = rng.uniform(5, 19), rng.uniform(0.93, 1.07)
    gust, course, speed, turn, lost = 0.0, rng.uniform(40, 150), 3.0, rng.integers(40, 90), 0
    rows = []
    for second in range(SECONDS):
        gust += -gust / 40 + rng.normal(0, 0.22)
        tws = max(wind + gust, 2.0)
        rudder = rng.normal(0, 1.5)
        if second == turn:
            course = -np.sign(course) * rng.uniform(38, 155)
            speed *= 0.7
            rudder += rng.choice([-1, 1]) * 20
            turn += rng.integers(100, 200)
        side = np.sin(np.radians(abs(course)))
        polar = hull * 14.0 * (1 - np.exp(-tws / 9)) * (0.35 + 0.65 * side)
        speed += (polar - speed) / 12
        if lost == 0 and rng.random() < 0.012:
            lost = rng.integers(2, 9)
        seen = lost == 0
        lost = max(lost - 1, 0)
        rows.append(
            {
                "outing": outing,
                "second": second,
                "tws": tws + rng.normal(0, 0.4) if seen else NO_SIGNAL,
                "twa": course + rng.normal(0, 3) if seen else NO_SIGNAL,
                "heel": 1.5 * tws * side + rng.normal(0, 1.2),
                "rudder": rudder,
                "speed": speed + rng.normal(0, 0.08) if seen else NO_SIGNAL,
            }
        )
    return rows


def read_logs():
    rng = np.random.default_rng(SEED)
    return pd.DataFrame([row for outing in range(OUTINGS) for row in sail(outing, rng)])


class Windows(Dataset):
    def __init__(self, log, scaler, mean, std):
        xs, ys = [], []
        for _, part in log.groupby("outing"):
            x = scaler.transform(part[FEATURES].to_numpy())
            y = (part["target"].to_numpy() - mean) / std
            for end in range(WINDOW, len(part) + 1, STRIDE):
                xs.append(x[end - WINDOW : end])
                ys.append(y[end - 1])
        self.x = torch.tensor(np.stack(xs), dtype=torch.float32)
        self.y = torch.tensor(np.array(ys), dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"window": self.x[i], "labels": self.y[i]}


class SpeedAhead(nn.Module):
    def __init__(self, features, hidden=48):
        super().__init__()
        self.gru = nn.GRU(features, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.loss_fn = nn.MSELoss()

    def forward(self, window, labels=None):
        _, last = self.gru(window)
        pred = self.head(last[-1]).squeeze(-1)
        if labels is None:
            return {"pred": pred}
        return {"loss": self.loss_fn(pred, labels), "pred": pred}


set_seed(SEED)

log = read_logs()
log[SENSORS] = log[SENSORS].replace(NO_SIGNAL, np.nan)
log[SENSORS] = log.groupby("outing")[SENSORS].ffill()
log["twa_sin"] = np.sin(np.radians(log["twa"]))
log["twa_cos"] = np.cos(np.radians(log["twa"]))
log["target"] = log.groupby("outing")["speed"].shift(-AHEAD)
log = log.dropna()

outings = np.random.default_rng(SEED).permutation(OUTINGS)
test_ids, valid_ids, train_ids = outings[:10], outings[10:16], outings[16:]
train_log = log[log["outing"].isin(train_ids)]
valid_log = log[log["outing"].isin(valid_ids)]
test_log = log[log["outing"].isin(test_ids)]

scaler = StandardScaler().fit(train_log[FEATURES].to_numpy())
mean, std = train_log["target"].mean(), train_log["target"].std()
train_ds = Windows(train_log, scaler, mean, std)
valid_ds = Windows(valid_log, scaler, mean, std)
test_ds = Windows(test_log, scaler, mean, std)


def compute_metrics(eval_pred):
    preds, labels = eval_pred
    preds, labels = preds * std + mean, labels * std + mean
    return {"mae": mean_absolute_error(labels, preds)}


training_args = TrainingArguments(
    output_dir="regatta",
    num_train_epochs=20,
    per_device_train_batch_size=BATCH,
    per_device_eval_batch_size=256,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    logging_steps=25,
    report_to="none",
    seed=SEED,
)

model = SpeedAhead(len(FEATURES))
steps_per_epoch = math.ceil(len(train_ds) / BATCH)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8 * steps_per_epoch, gamma=0.5)

trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_ds,
    eval_dataset=valid_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=4)],
)
trainer.train()

result = trainer.evaluate(test_ds)
print({"mae": round(result["eval_mae"], 4)})
