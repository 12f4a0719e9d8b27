# Reads the hour off small pictures of wall clocks, for a talking clock.
import math

import numpy as np
import torch
import torch.nn as nn
from PIL import Image, ImageDraw
from sklearn.model_selection import train_test_split
from torch.utils.data import Dataset
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

SEED = 8
SIZE = 32
N_CLOCKS = 2200
HOURS = 12

set_seed(SEED)
rng = np.random.default_rng(SEED)


def tip(centre, length, turn):
    """Where a hand ends that has gone `turn` of the way round."""
    angle = 2 * math.pi * turn
    return centre[0] + length * math.sin(angle), centre[1] - length * math.cos(angle)


def photograph(hour, minute):
    """A face in some colour on some wall, a bit off the middle and not hung quite straight."""
    wall, face = rng.integers(60, 160, 3), rng.integers(190, 256, 3)
    hands = rng.integers(0, 70, 3)
    big = 2 * SIZE
    picture = Image.new("RGB", (big, big), tuple(wall.tolist()))
    draw = ImageDraw.Draw(picture)
    centre = big / 2 + rng.uniform(-3, 3, 2)
    radius = rng.uniform(24, 28)
    tilt = rng.normal(0, 0.006)
    box = [*(centre - radius), *(centre + radius)]
    draw.ellipse(box, fill=tuple(face.tolist()), outline=tuple(hands.tolist()), width=2)
    colour = tuple(hands.tolist())
    for turn, length, width in [
        ((hour + minute / 60) / 12, 0.5 * radius, 6),
        (minute / 60, 0.85 * radius, 2),
    ]:
        draw.line([*centre, *tip(centre, length, turn + tilt)], fill=colour, width=width)
    pixels = np.asarray(picture.resize((SIZE, SIZE), Image.Resampling.BILINEAR), dtype=float)
    return (pixels + rng.normal(0, 8, pixels.shape)).clip(0, 255).astype(np.uint8)


hours = rng.integers(0, HOURS, N_CLOCKS)
minutes = rng.integers(0, 60, N_CLOCKS)
images = np.stack([photograph(h, m) for h, m in zip(hours, minutes, strict=True)])
print("pictures", images.shape, "hours", np.bincount(hours))

train_images, test_images, train_hours, test_hours = train_test_split(
    images, hours, test_size=0.2, stratify=hours, random_state=SEED
)
MEAN = train_images.mean(axis=(0, 1, 2)) / 255
STD = train_images.std(axis=(0, 1, 2)) / 255


def shifted(image, most=2):
    """Move the picture a little, as the camera does."""
    down, right = np.random.randint(-most, most + 1, 2)
    padded = np.pad(image, ((most, most), (most, most), (0, 0)), mode="edge")
    return padded[most + down :, most + right :][:SIZE, :SIZE]


class Clocks(Dataset):
    def __init__(self, images, hours, augment=False):
        self.images, self.hours, self.augment = images, hours, augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        if self.augment:
            image = shifted(image)
        image = (image / 255 - MEAN) / STD
        pixels = torch.tensor(image, dtype=torch.float32).permute(2, 0, 1)
        return {"pixel_values": pixels, "labels": int(self.hours[index])}


train_set = Clocks(train_images, train_hours, augment=True)
test_set = Clocks(test_images, test_hours)


def block(n_in, n_out):
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, padding=1), nn.BatchNorm2d(n_out), nn.ReLU(), nn.MaxPool2d(2)
    )


class ClockNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(block(3, 12), block(12, 24), block(24, 32))
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, 96),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(96, HOURS),
        )
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, pixel_values, labels=None):
        logits = self.head(self.features(pixel_values))
        loss = self.criterion(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.argmax(logits, axis=1)
    off = np.abs(preds - labels)
    off = np.minimum(off, HOURS - off)
    return {"accuracy": float((off == 0).mean()), "within_one": float((off <= 1).mean())}


args = TrainingArguments(
    output_dir="clocks",
    num_train_epochs=8,
    per_device_train_batch_size=32,
    per_device_eval_batch_size=200,
    learning_rate=3e-3,
    lr_scheduler_type="cosine",
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="epoch",
    save_total_limit=2,
    logging_strategy="epoch",
    load_best_model_at_end=True,
    metric_for_best_model="accuracy",
    greater_is_better=True,
    report_to="none",
    seed=SEED,
)
trainer = Trainer(
    model=ClockNet(),
    args=args,
    train_dataset=train_set,
    eval_dataset=test_set,
    compute_metrics=compute_metrics,
    callbacks=[EarlyStoppingCallback(early_stopping_patience=3)],
)
trainer.train()

final = trainer.evaluate()
print({name: round(final[f"eval_{name}"], 4) for name in ("accuracy", "within_one")})
