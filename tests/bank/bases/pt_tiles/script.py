"""Land cover from the air: a small U-Net tells fields, water, wood and roads apart, pixel by pixel."""
import random
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

from unet import UNet

CLASSES = ["field", "water", "wood", "road"]
COLOURS = [(150, 160, 80), (60, 90, 160), (40, 100, 60), (140, 140, 140)]
CLOUD = 255  # nobody knows what is under it
SIZE = 32
FLIGHT = 48
MEAN = np.array([0.45, 0.45, 0.40], dtype=np.float32)
STD = np.array([0.20, 0.15, 0.15], dtype=np.float32)


def fly_over(rng):
    picture = Image.new("RGB", (FLIGHT, FLIGHT), COLOURS[0])
    mask = Image.new("L", (FLIGHT, FLIGHT), 0)
    pens = ImageDraw.Draw(picture), ImageDraw.Draw(mask)

    def paint(kind, shape, corners, **how):
        colour = tuple(int(c) for c in np.array(COLOURS[kind]) + rng.integers(-25, 25, 3))
        getattr(pens[0], shape)(corners, fill=colour, **how)
        getattr(pens[1], shape)(corners, fill=kind, **how)

    for _ in range(int(rng.integers(0, 3))):
        x, y, w, h = (int(v) for v in rng.integers([0, 0, 12, 12], [32, 32, 24, 24]))
        paint(2, "rectangle", (x, y, x + w, y + h))
    if rng.random() < 0.6:
        x, y, w, h = (int(v) for v in rng.integers([0, 0, 14, 14], [30, 30, 26, 26]))
        paint(1, "ellipse", (x, y, x + w, y + h))
    if rng.random() < 0.7:
        left, right = (int(v) for v in rng.integers(0, FLIGHT, 2))
        paint(3, "line", (0, left, FLIGHT, right), width=5)
    if rng.random() < 0.4:
        x, y = (int(v) for v in rng.integers(0, 40, 2))
        pens[0].ellipse((x, y, x + 10, y + 8), fill=(245, 245, 245))
        pens[1].ellipse((x, y, x + 10, y + 8), fill=CLOUD)
    noisy = np.asarray(picture, dtype=np.float32) + rng.normal(0, 12, (FLIGHT, FLIGHT, 3))
    return np.clip(noisy, 0, 255).astype(np.uint8), np.asarray(mask)


def tiles(name, count, seed):
    """Drawn once, and then read from disk."""
    path = Path(f"{name}.pt")
    if not path.exists():
        rng = np.random.default_rng(seed)
        torch.save([fly_over(rng) for _ in range(count)], path)
    return torch.load(path, weights_only=False)


class LandCover(Dataset):
    def __init__(self, flights, augment=False):
        self.flights = flights
        self.augment = augment

    def __len__(self):
        return len(self.flights)

    def __getitem__(self, index):
        picture, mask = (Image.fromarray(part) for part in self.flights[index])
        picture = picture.resize((SIZE, SIZE), Image.BILINEAR)
        mask = mask.resize((SIZE, SIZE), Image.NEAREST)
        picture = (np.asarray(picture, dtype=np.float32) / 255.0 - MEAN) / STD
        mask = np.asarray(mask)
        if self.augment and random.random() < 0.5:
            picture, mask = picture[:, ::-1].copy(), mask[:, ::-1].copy()
        return {
            "pixel_values": torch.from_numpy(picture).permute(2, 0, 1),
            "labels": torch.tensor(mask, dtype=torch.long),
        }


def mean_iou(evaluated):
    guessed = evaluated.predictions.argmax(axis=1)
    truth = evaluated.label_ids
    seen = truth != CLOUD
    rows = []
    for kind in range(len(CLASSES)):
        here, there = (guessed == kind) & seen, (truth == kind) & seen
        shared = (here & there).sum(axis=(1, 2))
        either = (here | there).sum(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            rows.append(shared / either)
    iou = np.stack(rows, axis=1)  # a tile without water has no IoU of water
    scores = {f"iou_{name}": float(np.nanmean(iou[:, kind])) for kind, name in enumerate(CLASSES)}
    return {**scores, "mean_iou": float(np.nanmean(iou))}


def main():
    set_seed(64)
    train_set = LandCover(tiles("train", 240, 64), augment=True)
    valid_set = LandCover(tiles("valid", 60, 65))
    trainer = Trainer(
        model=UNet(len(CLASSES), ignore_index=CLOUD),
        args=TrainingArguments(
            output_dir="land-cover",
            learning_rate=4e-3,
            num_train_epochs=16,
            per_device_train_batch_size=10,
            per_device_eval_batch_size=20,
            eval_strategy="epoch",
            save_strategy="no",
            logging_steps=20,
            report_to="none",
            seed=64,
        ),
        train_dataset=train_set,
        eval_dataset=valid_set,
        compute_metrics=mean_iou,
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
