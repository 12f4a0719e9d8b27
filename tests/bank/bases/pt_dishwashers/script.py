# What is wrong with a dishwasher? A logger clipped onto the machine takes 96 readings of current,
# water temperature and vibration (two axes) of one rinse -> a small 1D CNN -> one of five states.
import math

import numpy as np
import pandas as pd
import torch
from datasets import Dataset
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupShuffleSplit
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR
from transformers import Trainer, TrainingArguments, set_seed

SEED = 31
STATES = ["fine", "pump blocked", "arm stuck", "heater weak", "door leaks"]
CHANNELS = ["current", "temp", "vib_x", "vib_y"]
STEPS = 96
EPOCHS = 10
BATCH_SIZE = 32

set_seed(SEED)
rng = np.random.default_rng(SEED)


# ---------------------------------------------------------------- readings of one rinse


def rinse(state, machine):
    t = np.arange(STEPS)
    turn = 2 * np.pi * t / machine["period"] + rng.uniform(0, 2 * np.pi)
    start = rng.integers(8, 24)
    on = 1 / (1 + np.exp(-(t - start) / 1.5))
    current = machine["draw"] * on + rng.normal(0, 120, STEPS)  # milliampere
    temp = machine["inlet"] + 26 * (1 - np.exp(-np.clip(t - start, 0, None) / 30))
    swing_x, swing_y = 0.35, 0.35  # both axes while the spray arm turns
    if state == "pump blocked":
        current += 700 * on * (np.sin(turn) > 0.5)
    elif state == "arm stuck":
        swing_y = 0.05
    elif state == "heater weak":
        temp = machine["inlet"] + 15 * (1 - np.exp(-np.clip(t - start, 0, None) / 42))
    elif state == "door leaks":
        drop = rng.integers(start + 20, 72)
        temp -= 7 * (1 / (1 + np.exp(-(t - drop) / 2)))
    vib_x = on * swing_x * np.sin(turn) + rng.normal(0, 0.2, STEPS)
    vib_y = on * swing_y * np.cos(turn) + rng.normal(0, 0.2, STEPS)
    temp = temp + rng.normal(0, 1.0, STEPS)
    return np.stack([current, temp, vib_x, vib_y], axis=1)


rows = []
for number in range(40):
    machine = {
        "period": rng.uniform(9, 14),
        "draw": rng.uniform(1700, 2300),
        "inlet": rng.uniform(14, 20),
    }
    for _ in range(45):
        state = rng.choice(STATES, p=[0.4, 0.15, 0.15, 0.15, 0.15])
        rows.append({"machine": number, "state": state, "readings": rinse(state, machine)})
log = pd.DataFrame(rows)

# ---------------------------------------------------------------- split by machine, scale, encode

splitter = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=SEED)
train_rows, test_rows = next(splitter.split(log, groups=log["machine"]))
train_log, test_log = log.iloc[train_rows], log.iloc[test_rows]

train_x = np.stack(train_log["readings"].to_list())
test_x = np.stack(test_log["readings"].to_list())
mean, std = train_x.mean(axis=(0, 1)), train_x.std(axis=(0, 1))


def to_dataset(x, states):
    signal = x.transpose(0, 2, 1).astype(np.float32)  # Conv1d wants the channels first
    labels = states.map(STATES.index).to_numpy()
    return Dataset.from_dict({"signal": signal, "labels": labels}).with_format("torch")


train_data = to_dataset((train_x - mean) / std, train_log["state"])
test_data = to_dataset((test_x - mean) / std, test_log["state"])
print(len(train_data), "rinses to learn from,", len(test_data), "of machines never seen")

# ---------------------------------------------------------------- model


class RinseNet(nn.Module):
    def __init__(self, n_channels, n_classes, width=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(n_channels, width, kernel_size=7, padding=3),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(width, width, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(width, width, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(4),
            nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(width * (STEPS // 16), 64),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(64, n_classes),
        )
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, signal, labels=None):
        logits = self.head(self.body(signal))
        if labels is None:
            return {"logits": logits}
        return {"loss": self.loss_fn(logits, labels), "logits": logits}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predictions = logits.argmax(axis=-1)
    return {
        "accuracy": accuracy_score(labels, predictions),
        "f1": f1_score(labels, predictions, average="macro"),
    }


# ---------------------------------------------------------------- training

model = RinseNet(len(CHANNELS), len(STATES))
steps_per_epoch = math.ceil(len(train_data) / BATCH_SIZE)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
scheduler = ExponentialLR(optimizer, gamma=0.85 ** (1 / steps_per_epoch))  # 0.85 an epoch

args = TrainingArguments(
    output_dir="dishwashers_out",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH_SIZE,
    per_device_eval_batch_size=128,
    eval_strategy="epoch",
    logging_strategy="epoch",
    save_strategy="no",
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=model,
    args=args,
    train_dataset=train_data,
    eval_dataset=test_data,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()
scores = trainer.evaluate()
print({"f1": round(scores["eval_f1"], 4)})
