"""Sorting belt, line 2: camera crop + near-infrared spectrum -> the bin an item is blown into.

Trains from nothing on one (simulated) week of hand-checked items; the last 700 items are the test.
"""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.metrics import f1_score
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

SEED = 31
SIDE = 18  # pixels
BANDS = 48  # 950 nm .. 1700 nm

# number painted on the bin, resin, colours seen on the belt (RGB), share of the belt
BINS = [
    (1, "pet", [(205, 215, 215)], 0.24),
    (2, "pet", [(110, 160, 215)], 0.16),
    (3, "pet", [(70, 150, 90)], 0.10),
    (4, "hdpe", [(230, 230, 225)], 0.18),
    (5, "hdpe", [(200, 60, 50), (220, 180, 50)], 0.12),
    (6, "hdpe", [(50, 60, 200), (60, 150, 170)], 0.12),
    (7, "carton", [(190, 150, 110), (225, 225, 230)], 0.08),
]
# absorption dips of each resin: (band, width, depth)
DIPS = {
    "pet": [(12, 2.5, 0.30), (33, 3.0, 0.45)],
    "hdpe": [(16, 2.5, 0.35), (36, 3.0, 0.40)],
    "carton": [(25, 6.0, 0.35), (40, 5.0, 0.25)],
}


@dataclass
class Week:
    """Everything that the line wrote down, one row per item, in the order it went by."""

    crops: np.ndarray  # (items, SIDE, SIDE, 3) uint8
    spectra: np.ndarray  # (items, BANDS) counts of the detector
    bins: np.ndarray  # (items,) number painted on the bin

    def rows(self, start, stop):
        return Week(self.crops[start:stop], self.spectra[start:stop], self.bins[start:stop])


def draw_crop(rng, colour):
    """A bottle or box at any place and angle on the dark, dirty belt."""
    ys, xs = np.mgrid[0:SIDE, 0:SIDE] - (SIDE - 1) / 2
    angle = rng.uniform(0, np.pi)
    dx, dy = rng.uniform(-2, 2, 2)
    along = (xs - dx) * np.cos(angle) + (ys - dy) * np.sin(angle)
    across = -(xs - dx) * np.sin(angle) + (ys - dy) * np.cos(angle)
    item = (np.abs(along) < rng.uniform(4, 8)) & (np.abs(across) < rng.uniform(2.5, 4.5))
    crop = np.full((SIDE, SIDE, 3), 45.0) + rng.normal(0, 8, (SIDE, SIDE, 3))
    light = rng.uniform(0.75, 1.15)
    crop[item] = np.array(colour) * light + rng.normal(0, 25, (item.sum(), 3))
    if rng.random() < 0.6:  # the label of a brand
        label = item & (np.abs(along) < 1.5)
        crop[label] = rng.uniform(0, 255, 3)
    return crop.clip(0, 255).astype(np.uint8)


def measure_spectrum(rng, resin):
    band = np.arange(BANDS)
    reflected = 0.7 + 0.1 * np.sin(band / 15)
    wet = rng.uniform(0, 0.25)
    for centre, width, depth in [*DIPS[resin], (44, 5.0, wet)]:
        depth = depth * rng.uniform(0.5, 1.2)
        reflected = reflected - depth * np.exp(-(((band - centre) / width) ** 2))
    reflected = reflected * rng.uniform(0.6, 1.1) + rng.normal(0, 0.05, BANDS)
    return 400 + 3200 * reflected


def one_week(rng, items):
    shares = np.array([share for *_, share in BINS])
    chosen = rng.choice(len(BINS), items, p=shares / shares.sum())
    crops, spectra, bins = [], [], []
    for k in chosen:
        number, resin, colours, _ = BINS[k]
        crops.append(draw_crop(rng, colours[rng.integers(len(colours))]))
        spectra.append(measure_spectrum(rng, resin))
        bins.append(number)
    return Week(np.stack(crops), np.stack(spectra), np.array(bins))


class BeltItems(Dataset):
    def __init__(self, week, scaler, training=False):
        spectra = scaler.fit_transform(week.spectra) if training else scaler.transform(week.spectra)
        self.crops = torch.from_numpy(week.crops).permute(0, 3, 1, 2).float() / 255
        self.spectra = torch.from_numpy(spectra).float()
        self.labels = torch.from_numpy(week.bins - 1).long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"crop": self.crops[i], "spectrum": self.spectra[i], "labels": self.labels[i]}


class BeltNet(nn.Module):
    def __init__(self, n_bins):
        super().__init__()
        self.eye = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.nose = nn.Sequential(
            nn.Conv1d(1, 16, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv1d(16, 16, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(16 * BANDS // 4, 32),
            nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, n_bins))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, crop, spectrum, labels=None):
        # both sensors side by side; the drift monitor wants to see that vector, too
        fused = torch.cat([self.eye(crop), self.nose(spectrum.unsqueeze(1))], dim=1)
        logits = self.head(fused)
        out = {"logits": logits, "fused": fused}
        if labels is not None:
            out = {"loss": self.loss(logits, labels), **out}
        return out


def compute_metrics(p):
    logits = p.predictions[0] if isinstance(p.predictions, tuple) else p.predictions
    return {"macro_f1": f1_score(p.label_ids, np.argmax(logits, axis=-1), average="macro")}


def main():
    set_seed(SEED)
    week = one_week(np.random.default_rng(SEED), items=3900)
    scaler = StandardScaler()
    train_set = BeltItems(week.rows(0, 2700), scaler, training=True)
    valid_set = BeltItems(week.rows(2700, 3200), scaler)
    test_set = BeltItems(week.rows(3200, 3900), scaler)

    args = TrainingArguments(
        output_dir="belt-line-2",
        num_train_epochs=10,
        learning_rate=2e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=128,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="macro_f1",
        greater_is_better=True,
        logging_steps=50,
        report_to="none",
        seed=SEED,
    )
    trainer = Trainer(
        model=BeltNet(len(BINS)),
        args=args,
        train_dataset=train_set,
        eval_dataset=valid_set,
        compute_metrics=compute_metrics,
    )
    trainer.train()

    tested = trainer.evaluate(test_set)
    print({"macro_f1": round(tested["eval_macro_f1"], 4)})


if __name__ == "__main__":
    main()
