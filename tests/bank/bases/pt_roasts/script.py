# How long until first crack?
# The logger of my coffee roaster writes bean temperature, drum temperature and fan every 5 seconds.
# From the last four minutes the network guesses how many seconds remain until the beans crack.
import math

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

SEED = 3
STEP = 5  # seconds between two rows of the log
WINDOW = 48  # rows
CRACK = 196.0  # degrees
N_ROASTS = 420
PER_ROAST = 5
BATCH = 32
EPOCHS = 14

set_seed(SEED)
rng = np.random.default_rng(SEED)


# ----- data ---------------------------------------------------------------------------------
def roast():
    """One roast, row by row, until the crack: bean temperature, drum temperature, fan."""
    weight = rng.uniform(0.7, 1.3)  # of the batch; heavy ones heat slowly
    gas = rng.uniform(255, 290)
    fan = rng.uniform(30, 60)
    bean, drum = rng.uniform(85, 100), rng.uniform(190, 215)
    rows = []
    while bean < CRACK and len(rows) < 400:
        if rng.random() < 0.01:
            fan = np.clip(fan + rng.normal(0, 8), 20, 80)
        drum += (gas - 0.35 * (fan - 45) - drum) * 0.02
        bean += (drum - bean) * 0.0125 / weight
        rows.append(
            (bean + rng.normal(0, 0.3), drum + rng.normal(0, 1.0), fan + rng.normal(0, 0.5))
        )
    return np.array(rows)


def cut(roasts):
    windows, seconds = [], []
    for rows in roasts:
        for end in rng.integers(WINDOW, len(rows), size=PER_ROAST):
            windows.append(rows[end - WINDOW : end])
            seconds.append((len(rows) - end) * STEP)
    return np.stack(windows), np.array(seconds, dtype=np.float32)


roasts = [roast() for _ in range(N_ROASTS)]
roasts = [rows for rows in roasts if len(rows) > WINDOW + 10]
n_test = len(roasts) // 6
x_train, y_train = cut(roasts[n_test:])
x_test, y_test = cut(roasts[:n_test])

order = rng.permutation(len(x_train))
x_train = x_train[order]
y_train = y_train[order]

# scale with what the training roasts look like
mean, std = x_train.mean(axis=(0, 1)), x_train.std(axis=(0, 1))
x_train = (x_train - mean) / std
x_test = (x_test - mean) / std
y_mean, y_std = y_train.mean(), y_train.std()
print(f"{len(x_train)} windows to train on, {len(x_test)} to test; {y_mean:.0f} +- {y_std:.0f} s")


class Windows(Dataset):
    def __init__(self, x, y):
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = torch.tensor((y - y_mean) / y_std, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"curves": self.x[i], "seconds": self.y[i]}


# ----- model --------------------------------------------------------------------------------
class CrackNet(nn.Module):
    def __init__(self, channels=3, width=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(channels, width, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(width, width, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(width, width, kernel_size=3, padding=1),
            nn.ReLU(),
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(width * WINDOW // 4, 64), nn.ReLU(), nn.Linear(64, 1)
        )

    def forward(self, curves, **kwargs):
        x = curves.permute(0, 2, 1)  # (batch, channels, time)
        return self.head(self.body(x))


class CrackTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        guess = model(inputs["curves"])
        loss = nn.functional.mse_loss(guess.squeeze(-1), inputs["seconds"])
        return (loss, {"guess": guess}) if return_outputs else loss


def in_seconds(p):
    guess = p.predictions.squeeze(-1) * y_std + y_mean
    real = p.label_ids * y_std + y_mean
    return {
        "mae": float(np.abs(guess - real).mean()),
        "within_15": float((np.abs(guess - real) < 15).mean()),
    }


# ----- training -----------------------------------------------------------------------------
model = CrackNet()
steps_per_epoch = math.ceil(len(x_train) / BATCH)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5 * steps_per_epoch, gamma=0.4)

args = TrainingArguments(
    output_dir="crack",
    num_train_epochs=EPOCHS,
    per_device_train_batch_size=BATCH,
    per_device_eval_batch_size=128,
    label_names=["seconds"],
    remove_unused_columns=False,
    eval_strategy="epoch",
    save_strategy="no",
    logging_steps=50,
    report_to=[],
    seed=SEED,
)
trainer = CrackTrainer(
    model=model,
    args=args,
    train_dataset=Windows(x_train, y_train),
    eval_dataset=Windows(x_test, y_test),
    compute_metrics=in_seconds,
    optimizers=(optimizer, scheduler),
)
trainer.train()
print(trainer.evaluate())
