# # How much water is in the kettle?
# A smart plug, a temperature strip on the outside and a cheap microphone. From the first two
# minutes after switching on I want the filling in ml.

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import OneCycleLR
from transformers import Trainer, TrainingArguments, set_seed

SEED = 31
EPOCHS = 15
BATCH = 32
STEPS = 60  # one reading every two seconds
CHANNELS = ["power", "surface", "noise"]

set_seed(SEED)
rng = np.random.default_rng(SEED)


# ## Recordings
# Three kettles one after another, that is how the notebook of my measurements is sorted.


def boil(watts, heat_loss, ml):
    """One recording with the gaps that the radio link leaves."""
    water = strip = rng.uniform(8, 24)
    watts = watts * rng.normal(1, 0.03)
    rows = []
    for _ in range(STEPS):
        water += 2 * (watts * 0.9 - heat_loss * (water - 20)) / (4.186 * ml)
        water = min(water, 100.0)
        strip += 0.25 * (water - strip)
        hum = 38 + 22 * np.exp(-(((water - 82) / 18) ** 2))
        rows.append(
            [
                watts + rng.normal(0, 15),
                0.8 * strip + 4 + rng.normal(0, 0.4),
                hum + rng.normal(0, 1.5),
            ]
        )
    session = pd.DataFrame(rows, columns=CHANNELS)
    return session.mask(rng.random(session.shape) < 0.02)


sessions, filling = [], []
for watts, heat_loss in [(1800, 3.0), (2200, 2.0), (2600, 4.0)]:
    for _ in range(480):
        ml = rng.uniform(300, 1700)
        sessions.append(boil(watts, heat_loss, ml))
        filling.append(ml)

X = np.stack([session.ffill().bfill().to_numpy() for session in sessions]).astype("float32")
y = np.array(filling, dtype="float32")
print(X.shape, y.shape, y.min(), y.max())


# ## Shuffle, split and scale

order = rng.permutation(len(X))
X, y = X[order], y[order]

n_test = 300
X_test, y_test = X[:n_test], y[:n_test]
X_train, y_train = X[n_test:], y[n_test:]

channel_mean = X_train.mean(axis=(0, 1))
channel_std = X_train.std(axis=(0, 1))


def scale(X):
    return (X - channel_mean) / channel_std


ml_mean, ml_std = y_train.mean(), y_train.std()
y_train = (y_train - ml_mean) / ml_std
y_test = (y_test - ml_mean) / ml_std


class KettleDataset(torch.utils.data.Dataset):
    def __init__(self, X, y):
        self.X = torch.tensor(X, dtype=torch.float32)
        self.y = torch.tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        return {"readings": self.X[i], "labels": self.y[i]}


train_ds = KettleDataset(scale(X_train), y_train)
test_ds = KettleDataset(scale(X_test), y_test)


# ## Model


class KettleNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(len(CHANNELS), 24, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(24, 32, 5, padding=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(6),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 6, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, readings, labels=None):
        x = readings.transpose(1, 2)  # batch, time, channel -> batch, channel, time
        ml = self.head(self.conv(x)).squeeze(-1)
        loss = None
        if labels is not None:
            loss = nn.functional.mse_loss(ml, labels)
        return {"loss": loss, "logits": ml}


model = KettleNet()
print(sum(p.numel() for p in model.parameters()), "parameters")


# ## Training


def compute_metrics(p):
    guessed = p.predictions.reshape(-1) * ml_std + ml_mean
    measured = p.label_ids * ml_std + ml_mean
    error = np.abs(guessed - measured)
    return {"mae": float(error.mean()), "worst": float(error.max())}


steps_per_epoch = int(np.ceil(len(train_ds) / BATCH))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
scheduler = OneCycleLR(optimizer, max_lr=4e-3, total_steps=EPOCHS * steps_per_epoch)

args = TrainingArguments(
    output_dir="kettles",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH,
    per_device_eval_batch_size=100,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=2,
    load_best_model_at_end=True,
    metric_for_best_model="mae",
    greater_is_better=False,
    logging_strategy="epoch",
    report_to="none",
    seed=SEED,
)

trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_ds,
    eval_dataset=test_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()

result = trainer.evaluate()
print({"mae": round(result["eval_mae"], 2), "worst": round(result["eval_worst"], 2)})
