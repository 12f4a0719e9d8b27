# Wave height at one buoy, six hours ahead, from the last day of its hourly records.

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import Dataset
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed


@dataclass
class Config:
    hours: int = 9000
    lookback: int = 24
    horizon: int = 6
    hidden: int = 32
    lr: float = 1e-3
    batch_size: int = 64
    epochs: int = 8
    seed: int = 8


cfg = Config()
FEATURES = ["WVHT", "DPD", "WSPD", "PRES"]
# the station writes nines where an instrument gave nothing
NO_VALUE = {"WVHT": 99.0, "DPD": 99.0, "WSPD": 99.0, "PRES": 9999.0}


def read_station(hours, seed):
    """Lows pass by, the wind follows the pressure and the sea follows the wind."""
    rng = np.random.default_rng(seed)
    depth = np.zeros(hours)
    for start in np.cumsum(rng.integers(35, 110, size=hours // 40)):
        if start + 60 < hours:
            length = int(rng.integers(30, 60))
            low = np.sin(np.linspace(0, np.pi, length)) ** 2
            depth[start : start + length] += rng.uniform(8, 32) * low
    pres = 1016 - depth + rng.normal(0, 0.4, hours)
    wind, sea = np.zeros(hours), np.zeros(hours)
    wind[0], sea[0] = 6.0, 1.0
    for t in range(1, hours):
        blow = 4.5 + 0.55 * depth[max(t - 5, 0)]
        wind[t] = wind[t - 1] + 0.35 * (blow - wind[t - 1]) + rng.normal(0, 0.5)
        sea[t] = sea[t - 1] + 0.15 * (0.021 * wind[t] ** 2 + 0.4 - sea[t - 1])
    df = pd.DataFrame(
        {
            "WVHT": np.maximum(sea + rng.normal(0, 0.06, hours), 0.1),
            "DPD": 4.5 + 2.2 * np.sqrt(np.maximum(sea, 0)) + rng.normal(0, 0.4, hours),
            "WSPD": np.maximum(wind, 0),
            "PRES": pres,
        }
    ).round(2)
    for name, nines in NO_VALUE.items():
        df.loc[rng.random(hours) < 0.015, name] = nines
    return df


class WaveWindows(Dataset):
    def __init__(self, inputs, heights, lookback, horizon):
        self.inputs = torch.tensor(inputs, dtype=torch.float32)
        self.heights = torch.tensor(heights, dtype=torch.float32)
        self.lookback, self.horizon = lookback, horizon
        last = np.arange(lookback - 1, len(inputs) - horizon)
        self.last = last[~np.isnan(heights[last + horizon])]

    def __len__(self):
        return len(self.last)

    def __getitem__(self, idx):
        t = int(self.last[idx])
        return {
            "window": self.inputs[t - self.lookback + 1 : t + 1],
            "target": self.heights[t + self.horizon],
        }


class WaveGRU(nn.Module):
    def __init__(self, n_features, hidden):
        super().__init__()
        self.gru = nn.GRU(n_features, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.loss_fn = nn.MSELoss()

    def forward(self, window, target=None):
        _, state = self.gru(window)
        pred = self.out(state[-1]).squeeze(-1)
        if target is None:
            return {"pred": pred}
        return {"loss": self.loss_fn(pred, target), "pred": pred}


set_seed(cfg.seed)
df = read_station(cfg.hours, cfg.seed)
for col, nines in NO_VALUE.items():
    df[col] = df[col].replace(nines, np.nan)

n_train, n_val = int(0.7 * len(df)), int(0.15 * len(df))
mean, std = df[:n_train].mean(), df[:n_train].std()
scaled = (df - mean) / std
filled = scaled.ffill().fillna(0.0)


def make_part(start, stop):
    x = filled[FEATURES].to_numpy()[start:stop]
    y = scaled["WVHT"].to_numpy()[start:stop]
    return WaveWindows(x, y, cfg.lookback, cfg.horizon)


train_ds = make_part(0, n_train)
val_ds = make_part(n_train, n_train + n_val)
test_ds = make_part(n_train + n_val, len(df))


def compute_metrics(eval_pred):
    preds, targets = eval_pred
    preds_m = preds * std["WVHT"] + mean["WVHT"]
    targets_m = targets * std["WVHT"] + mean["WVHT"]
    return {"mae": float(np.abs(preds_m - targets_m).mean())}


model = WaveGRU(len(FEATURES), cfg.hidden)
steps_per_epoch = int(np.ceil(len(train_ds) / cfg.batch_size))
optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3 * steps_per_epoch, gamma=0.5)

training_args = TrainingArguments(
    output_dir="buoy",
    num_train_epochs=cfg.epochs,
    per_device_train_batch_size=cfg.batch_size,
    per_device_eval_batch_size=256,
    max_grad_norm=1.0,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    label_names=["target"],
    logging_steps=50,
    report_to="none",
    seed=cfg.seed,
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=train_ds,
    eval_dataset=val_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()
test_scores = trainer.evaluate(test_ds)
print({"mae": round(test_scores["eval_mae"], 4)})
