# How much will a hive gain tomorrow (grams)? Last three days from the scale under the hive and the
# weather station, plus tomorrow's forecast -> GRU -> one number.
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.preprocessing import StandardScaler
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import Dataset
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

set_seed(7)
rng = np.random.default_rng(7)

N_SITES, HIVES_PER_SITE, N_DAYS = 6, 3, 150
PER_DAY = 12  # one reading every two hours
LOOK_BACK = 3  # days
CHANNELS = ["weight", "temp", "rain", "brood"]
BATCH_SIZE = 32
EPOCHS = 12

# ---------------------------------------------------------------- the season


def ar(n, rho, sd):
    x = np.zeros(n)
    x[0] = rng.normal(0, sd / np.sqrt(1 - rho**2))
    for t in range(1, n):
        x[t] = rho * x[t - 1] + rng.normal(0, sd)
    return x


hours = np.arange(PER_DAY) * 24 / PER_DAY
brought_in = 1 / (1 + np.exp(-(hours - 14) / 1.8))
out_flying = np.exp(-(((hours - 13) / 3.5) ** 2))
dates = pd.date_range("2024-04-15", periods=N_DAYS, freq="D")

rows, forecasts = [], []
for site in range(N_SITES):
    tmax = 20 + ar(N_DAYS, 0.6, 3.5)
    rain = np.where(ar(N_DAYS, 0.4, 1.0) > 0.6, rng.exponential(5, N_DAYS), 0.0)
    flow = np.exp(ar(N_DAYS, 0.9, 0.18))
    flying = np.exp(-rain / 3) / (1 + np.exp(-(tmax - 17) / 2))
    forecasts.append(
        pd.DataFrame(
            {
                "site": site,
                "date": dates,
                "fc_temp": tmax + rng.normal(0, 0.8, N_DAYS),
                "fc_rain": rain * rng.lognormal(0, 0.2, N_DAYS),
            }
        )
    )
    for k in range(HIVES_PER_SITE):
        strength = rng.uniform(0.35, 1.8) * np.exp(ar(N_DAYS, 0.97, 0.04))
        kg = rng.uniform(32, 55)
        for d in range(N_DAYS):
            gain = 1.5 * strength[d] * flow[d] * flying[d] - 0.45 * strength[d] + rng.normal(0, 0.05)
            weight = kg + gain * brought_in - 0.4 * strength[d] * flying[d] * out_flying
            kg += gain
            rows.append(
                pd.DataFrame(
                    {
                        "site": site,
                        "hive": f"S{site}-{k + 1}",
                        "date": dates[d],
                        "hour": hours,
                        "weight": weight + rng.normal(0, 0.02, PER_DAY),
                        "temp": tmax[d] - 5 + 5 * np.sin((hours - 8) / 24 * 2 * np.pi),
                        "rain": rain[d] / PER_DAY,
                        "brood": 34.6 + 0.3 * np.tanh(strength[d]) + rng.normal(0, 0.15, PER_DAY),
                    }
                )
            )

log = pd.concat(rows, ignore_index=True)
log.loc[rng.random(len(log)) < 0.03, "weight"] = np.nan  # the radio link drops out now and then
log = log.sort_values(["hive", "date", "hour"]).reset_index(drop=True)
log["weight"] = log.groupby("hive")["weight"].transform(lambda s: s.ffill().bfill())

# ---------------------------------------------------------------- one row per hive and day

days = log.groupby(["date", "hive"], as_index=False).agg(
    site=("site", "first"), start=("weight", "first"), end=("weight", "last")
)
days["gain"] = 1000 * (days["end"] - days["start"])
days["target"] = days.groupby("hive")["gain"].shift(-1)

fc = pd.concat(forecasts)
fc["date"] = fc["date"] - pd.Timedelta(days=1)  # what is known the evening before
days = days.merge(fc, on=["site", "date"], how="left")

# ---------------------------------------------------------------- windows

readings = {
    hive: g[CHANNELS].to_numpy(dtype=np.float32).reshape(N_DAYS, PER_DAY, len(CHANNELS))
    for hive, g in log.groupby("hive")
}


def window(hive, day):
    block = readings[hive][day - LOOK_BACK + 1 : day + 1]
    block = block.reshape(-1, len(CHANNELS)).copy()
    block[:, 0] -= block[0, 0]  # only how the weight moves, not how heavy the hive is
    return block


days["day"] = (days["date"] - dates[0]).dt.days
usable = days[(days["day"] >= LOOK_BACK - 1) & (days["day"] < N_DAYS - 1)].reset_index(drop=True)

X = np.stack([window(h, d) for h, d in zip(usable["hive"], usable["day"])])
F = usable[["fc_temp", "fc_rain"]].to_numpy(dtype=np.float32)
y = usable["target"].to_numpy(dtype=np.float32)

# by date, with a few days between the parts so that no window reaches over
is_train = (usable["day"] < 95).to_numpy()
is_val = ((usable["day"] >= 98) & (usable["day"] < 118)).to_numpy()
is_test = (usable["day"] >= 121).to_numpy()

x_scaler = StandardScaler().fit(X[is_train].reshape(-1, len(CHANNELS)))
f_scaler = StandardScaler().fit(F[is_train])
y_scaler = StandardScaler().fit(y[is_train].reshape(-1, 1))

X = x_scaler.transform(X.reshape(-1, len(CHANNELS))).reshape(X.shape)
F = f_scaler.transform(F)
y = y_scaler.transform(y.reshape(-1, 1)).ravel()


class HiveDays(Dataset):
    def __init__(self, part):
        self.x = torch.tensor(X[part], dtype=torch.float32)
        self.f = torch.tensor(F[part], dtype=torch.float32)
        self.y = torch.tensor(y[part], dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"readings": self.x[i], "forecast": self.f[i], "labels": self.y[i]}


train_ds, val_ds, test_ds = HiveDays(is_train), HiveDays(is_val), HiveDays(is_test)
print(len(train_ds), "train,", len(val_ds), "validation,", len(test_ds), "test")

# ---------------------------------------------------------------- model


class GainNet(nn.Module):
    def __init__(self, n_channels=len(CHANNELS), n_forecast=2, hidden=40):
        super().__init__()
        self.gru = nn.GRU(n_channels, hidden, batch_first=True)
        self.head = nn.Sequential(
            nn.Linear(hidden + n_forecast, 48),
            nn.ReLU(),
            nn.Linear(48, 48),
            nn.ReLU(),
            nn.Linear(48, 1),
        )
        self.loss_fn = nn.MSELoss()

    def forward(self, readings, forecast, labels=None):
        _, last = self.gru(readings)
        pred = self.head(torch.cat([last[-1], forecast], dim=1)).squeeze(-1)
        if labels is None:
            return {"pred": pred}
        return {"loss": self.loss_fn(pred, labels), "pred": pred}


def compute_metrics(eval_pred):
    preds, labels = eval_pred
    preds = y_scaler.inverse_transform(preds.reshape(-1, 1))
    labels = y_scaler.inverse_transform(labels.reshape(-1, 1))
    return {"mae": mean_absolute_error(labels, preds), "r2": r2_score(labels, preds)}


net = GainNet()
steps_per_epoch = -(-len(train_ds) // BATCH_SIZE)
optimizer = torch.optim.AdamW(net.parameters(), lr=1.5e-3, weight_decay=1e-2)
scheduler = StepLR(optimizer, step_size=3 * steps_per_epoch, gamma=0.5)

args = TrainingArguments(
    output_dir="hives_out",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=256,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=1,
    logging_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    report_to="none",
    seed=7,
)
trainer = Trainer(
    model=net,
    args=args,
    train_dataset=train_ds,
    eval_dataset=val_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
    callbacks=[EarlyStoppingCallback(early_stopping_patience=5)],
)
trainer.train()

# what goes to the raspberry in the apiary, and whether it still works from the file
torch.save(
    {"net": net.state_dict(), "y_mean": y_scaler.mean_.tolist(), "y_scale": y_scaler.scale_.tolist()},
    "gain_net.pt",
)
saved = torch.load("gain_net.pt", map_location="cpu")
field_net = GainNet()
field_net.load_state_dict(saved["net"])

tester = Trainer(model=field_net, args=args, eval_dataset=test_ds, compute_metrics=compute_metrics)
scores = tester.evaluate()
print({"mae": round(scores["eval_mae"], 2)})
