# Candling: on day seven every egg in the incubator is held in front of a lamp. What do we see?
#   clear    - nothing inside, was never fertile
#   alive    - a dark spot and a spider of veins
#   quitter  - a blood ring, the embryo died early
#   cracked  - a bright crack in the shell
# I have far too few photos of my own yet, so for now the "photos" are painted with numpy.

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler
from transformers import Trainer, TrainingArguments, set_seed

SEED = 7
SIZE = 40
N_TRAIN = 2017
N_TEST = 700
BATCH = 32
EPOCHS = 7
LR = 5e-3
SHARES = {"clear": 0.22, "alive": 0.60, "quitter": 0.08, "cracked": 0.10}

set_seed(SEED)
rng = np.random.default_rng(SEED)

# ---------------------------------------------------------------- painting eggs

yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)


def line(x0, y0, x1, y1, width):
    """1 on a line from one point to the other, falling to 0 beside it."""
    dx, dy = x1 - x0, y1 - y0
    t = (((xx - x0) * dx + (yy - y0) * dy) / (dx * dx + dy * dy + 1e-6)).clip(0, 1)
    dist2 = (xx - x0 - t * dx) ** 2 + (yy - y0 - t * dy) ** 2
    return np.exp(-dist2 / (2 * width**2))


def walk(x, y, angle, steps, length, wobble, width):
    """A crooked line: veins and cracks."""
    drawn = np.zeros_like(xx)
    for _ in range(steps):
        angle += rng.normal(0, wobble)
        nx, ny = x + length * np.cos(angle), y + length * np.sin(angle)
        drawn = np.maximum(drawn, line(x, y, nx, ny, width))
        x, y = nx, ny
    return drawn


def paint(kind):
    cx, cy = SIZE / 2 + rng.normal(0, 2, 2)
    a, b = rng.uniform(10, 13), rng.uniform(13, 17)
    tilt = rng.uniform(0, np.pi)
    u = (xx - cx) * np.cos(tilt) + (yy - cy) * np.sin(tilt)
    v = -(xx - cx) * np.sin(tilt) + (yy - cy) * np.cos(tilt)
    r = np.sqrt((u / a) ** 2 + (v / b) ** 2)
    glow = (1 / (1 + np.exp((r - 1) * 12))) * (1 - 0.25 * r.clip(0, 1))
    blood = np.zeros_like(xx)
    light = np.zeros_like(xx)

    px, py = cx + rng.normal(0, 3), cy + rng.normal(0, 3)
    if kind == "alive":
        blood = np.exp(-((xx - px) ** 2 + (yy - py) ** 2) / (2 * rng.uniform(1.3, 2.2) ** 2))
        for angle in rng.uniform(0, 2 * np.pi) + np.arange(5) * 2 * np.pi / 5:
            vein = walk(px, py, angle + rng.normal(0, 0.2), 3, 2.8, 0.35, 0.6)
            blood = np.maximum(blood, 0.7 * vein)
    elif kind == "quitter":
        d = np.sqrt((xx - px) ** 2 + (yy - py) ** 2)
        blood = 0.8 * np.exp(-((d - rng.uniform(5, 7.5)) ** 2) / 1.6)
        blood = np.maximum(blood, 0.6 * np.exp(-(d**2) / 4))
    elif kind == "cracked":
        light = walk(px, py, rng.uniform(0, 2 * np.pi), 5, 3.0, 0.8, 0.55)
    elif rng.random() < 0.5:  # the yolk throws a soft shadow, which is not blood
        blood = 0.35 * np.exp(-((xx - px) ** 2 + (yy - py) ** 2) / (2 * 4.0**2))

    lamp = rng.uniform(0.75, 1.0)
    red = lamp * glow * (1 - 0.25 * blood)
    green = lamp * glow * (0.62 - 0.45 * blood + 0.3 * light)
    blue = lamp * glow * (0.25 - 0.15 * blood + 0.5 * light)
    photo = np.stack([red, green, blue], axis=-1) + rng.normal(0, 0.06, (SIZE, SIZE, 3))
    return (photo.clip(0, 1) * 255).astype(np.uint8)


def take_photos(n):
    kinds = rng.choice(list(SHARES), size=n, p=list(SHARES.values()))
    return pd.DataFrame({"verdict": kinds, "photo": [paint(kind) for kind in kinds]})


train_df = take_photos(N_TRAIN)
test_df = take_photos(N_TEST)

codes, names = pd.factorize(train_df["verdict"])
train_df["label"] = codes
test_df["label"] = names.get_indexer(test_df["verdict"])
print(train_df["verdict"].value_counts())

pixels = np.stack(train_df["photo"].to_list()).reshape(-1, 3) / 255
MEAN, STD = pixels.mean(axis=0), pixels.std(axis=0)

# ---------------------------------------------------------------- data set


def brighter_or_darker(photo):
    photo = photo.astype(np.float32) + rng.integers(-30, 31)
    return photo.clip(0, 255)


class Eggs(Dataset):
    def __init__(self, df, augment):
        self.photos = df["photo"].to_list()
        self.labels = df["label"].to_list()
        self.augment = augment

    def __len__(self):
        return len(self.photos)

    def __getitem__(self, idx):
        photo = self.photos[idx]
        if self.augment:
            photo = brighter_or_darker(photo)
            if rng.random() < 0.5:
                photo = photo[:, ::-1]
        photo = (photo / 255 - MEAN) / STD
        x = torch.tensor(photo, dtype=torch.float32).permute(2, 0, 1)
        return {"x": x, "labels": self.labels[idx]}


train_set = Eggs(train_df, augment=True)
test_set = Eggs(test_df, augment=False)

# ---------------------------------------------------------------- network


def block(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


class EggNet(nn.Module):
    def __init__(self, n_classes, widths=(8, 24, 48)):
        super().__init__()
        self.blocks = nn.ModuleList()
        c_in = 3
        for c_out in widths:
            self.blocks.append(block(c_in, c_out))
            c_in = c_out
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(widths[-1], n_classes)

    def forward(self, x, labels=None):
        for b in self.blocks:
            x = b(x)
        x = self.pool(x).flatten(1)
        logits = self.fc(x)
        out = {"logits": logits}
        if labels is not None:
            out = {"loss": nn.functional.cross_entropy(logits, labels), **out}
        return out


# ---------------------------------------------------------------- training


class EggTrainer(Trainer):
    """Quitters and cracks are rare, so they are drawn more often."""

    def get_train_dataloader(self):
        labels = torch.tensor(self.train_dataset.labels)
        class_weights = 1.0 / torch.bincount(labels).float()
        sampler = WeightedRandomSampler(class_weights[labels], num_samples=len(labels))
        return DataLoader(
            self.train_dataset, batch_size=self.args.train_batch_size, sampler=sampler
        )


def compute_metrics(p):
    pred = p.predictions.argmax(axis=1)
    print(confusion_matrix(p.label_ids, pred))
    return {"balanced_accuracy": balanced_accuracy_score(p.label_ids, pred)}


model = EggNet(len(names))
optimizer = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.1)
steps = (N_TRAIN + BATCH - 1) // BATCH * EPOCHS
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=LR, total_steps=steps)

trainer = EggTrainer(
    model=model,
    args=TrainingArguments(
        output_dir="eggs",
        num_train_epochs=EPOCHS,
        per_device_train_batch_size=BATCH,
        per_device_eval_batch_size=100,
        eval_strategy="epoch",
        logging_strategy="epoch",
        save_strategy="no",
        report_to=[],
        seed=SEED,
    ),
    train_dataset=train_set,
    eval_dataset=test_set,
    compute_metrics=compute_metrics,
    optimizers=(optimizer, scheduler),
)
trainer.train()

final = trainer.evaluate()
print({"balanced_accuracy": round(final["eval_balanced_accuracy"], 4)})
