"""What is under the wheels of a rented scooter?

Every scooter of the fleet has an accelerometer and a speed sensor, 100 readings a second. The city
wants a map of its surfaces. In 40 rides somebody wrote down what he rode on; from a window of
1.28 s the network tells the surface.
"""

import numpy as np
import pandas as pd
import torch
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupShuffleSplit
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed

SEED = 5
RATE = 100
WINDOW = 128
CHANNELS = ["forward", "sideways", "vertical", "speed"]
BATCH_SIZE = 32
EPOCHS = 12

# gap between the bumps in m, their height, roughness, how often the surface is met
SURFACES = {
    "asphalt": (2.50, 0.3, 0.5, 0.35),
    "paving": (0.45, 1.0, 0.6, 0.25),
    "cobbles": (0.14, 1.6, 1.0, 0.15),
    "gravel": (0.90, 0.2, 1.6, 0.15),
    "boards": (0.22, 1.1, 0.7, 0.10),
}

set_seed(SEED)
rng = np.random.default_rng(SEED)


# ----------------------------------------------------------------------------- the recordings


def ride(ride_id):
    """Stretches of different surfaces, by one rider on one scooter."""
    gain = rng.uniform(0.6, 1.5)  # soft and hard tyres, light and heavy riders
    tilt = np.array([0, 0, 9.81]) + rng.normal(0, 0.6, size=3)
    stretches = []
    for number in range(rng.integers(5, 9)):
        surface = rng.choice(list(SURFACES), p=[how_often for *_, how_often in SURFACES.values()])
        gap, height, rough, _ = SURFACES[surface]
        n = int(rng.integers(4, 9)) * WINDOW
        drift = np.cumsum(rng.normal(0, 0.02, n))
        speed = np.clip(rng.uniform(2.0, 5.5) + drift, 1.0, 6.5)
        phase = 2 * np.pi * np.cumsum(speed / RATE / (gap * rng.uniform(0.9, 1.1)))
        bumps = height * np.maximum(np.sin(phase), 0) ** 4
        shake = rough * rng.normal(0, 1, size=(n, 3)) * np.sqrt(speed / 4)[:, None]
        felt = np.outer(bumps * speed / 2, [0.5, 0.1, 1.0]) + shake * [0.6, 0.4, 1.0]
        table = pd.DataFrame(tilt + gain * felt, columns=CHANNELS[:3])
        table["speed"] = speed * 3.6
        table["speed"] = table["speed"].mask(rng.random(n) < 0.02)  # its radio drops some readings
        table["surface"], table["ride"], table["stretch"] = surface, ride_id, number
        stretches.append(table)
    return pd.concat(stretches, ignore_index=True)


log = pd.concat([ride(i) for i in range(40)], ignore_index=True)


def cut(log):
    """Windows that do not reach over the end of a stretch."""
    windows, surfaces, rides = [], [], []
    for (ride_id, _), stretch in log.groupby(["ride", "stretch"]):
        values = stretch[CHANNELS].ffill().bfill().to_numpy(dtype=np.float32)
        for start in range(0, len(values) - WINDOW + 1, WINDOW):
            windows.append(values[start : start + WINDOW])
            surfaces.append(stretch["surface"].iloc[0])
            rides.append(ride_id)
    return np.stack(windows), np.array(surfaces), np.array(rides)


X, surfaces, rides = cut(log)

# whole rides into the test, the windows of one ride are too much alike
split = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=SEED)
train_index, test_index = next(split.split(X, groups=rides))
X_train, X_test = X[train_index], X[test_index]

y_train, names = pd.factorize(surfaces[train_index])
y_test = pd.Index(names).get_indexer(surfaces[test_index])
print(len(X_train), "windows to train,", len(X_test), "to test,", list(names))

mean = X_train.mean(axis=(0, 1))
std = X_train.std(axis=(0, 1))


class WindowDataset(torch.utils.data.Dataset):
    def __init__(self, X, y):
        self.X = torch.as_tensor(X, dtype=torch.float32)
        self.y = torch.as_tensor(y, dtype=torch.long)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"window": self.X[i], "labels": self.y[i]}


train_ds = WindowDataset((X_train - mean) / std, y_train)
test_ds = WindowDataset((X_test - mean) / std, y_test)


# --------------------------------------------------------------------------------- the network


class SurfaceNet(nn.Module):
    def __init__(self, n_channels, n_surfaces, width=32):
        super().__init__()
        self.conv1 = nn.Conv1d(n_channels, width, kernel_size=7, padding=3)
        self.conv2 = nn.Conv1d(width, width, kernel_size=5, padding=2)
        self.conv3 = nn.Conv1d(width, width, kernel_size=5, padding=2)
        self.norm1 = nn.BatchNorm1d(width)
        self.norm2 = nn.BatchNorm1d(width)
        self.norm3 = nn.BatchNorm1d(width)
        self.pool = nn.MaxPool1d(4)
        self.dropout = nn.Dropout(0.3)
        self.fc1 = nn.Linear(width * (WINDOW // 64), 64)
        self.fc2 = nn.Linear(64, n_surfaces)
        self.loss_fn = nn.CrossEntropyLoss()

    def forward(self, window, labels=None):
        x = window.permute(0, 2, 1)  # time last, for the convolutions
        x = self.pool(torch.relu(self.norm1(self.conv1(x))))
        x = self.pool(torch.relu(self.norm2(self.conv2(x))))
        x = self.pool(torch.relu(self.norm3(self.conv3(x))))
        x = self.dropout(torch.relu(self.fc1(x.flatten(1))))
        logits = self.fc2(x)
        if labels is None:
            return {"logits": logits}
        return {"loss": self.loss_fn(logits, labels), "logits": logits}


model = SurfaceNet(len(CHANNELS), len(names))


# -------------------------------------------------------------------------------- the training

optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
steps_per_epoch = -(-len(train_ds) // BATCH_SIZE)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4 * steps_per_epoch, gamma=0.3)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    guessed = np.argmax(logits, axis=-1)
    return {
        "accuracy": accuracy_score(labels, guessed),
        "f1": f1_score(labels, guessed, average="macro"),
    }


training_args = TrainingArguments(
    output_dir="scooters",
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
    args=training_args,
    train_dataset=train_ds,
    eval_dataset=test_ds,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()

final = trainer.evaluate()
print({name: round(final[f"eval_{name}"], 4) for name in ("accuracy", "f1")})
