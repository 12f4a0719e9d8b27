"""Name the rock along a borehole from its wireline logs.

A small 1-D CNN reads a window of the logs and says which facies lies at the window's centre. What
counts is how well it does on wells that it has never seen.
"""

import argparse
import math

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupShuffleSplit
from torch import nn
from transformers import EarlyStoppingCallback, Trainer, TrainingArguments, set_seed

CURVES = ["GR", "RHOB", "NPHI", "RT"]
NULL = -999.25  # what LAS files hold where a tool gave no reading
FACIES = ["shale", "siltstone", "sandstone", "limestone", "dolomite", "coal"]
SHARES = [0.38, 0.22, 0.22, 0.10, 0.05, 0.03]
#                     GR    RHOB  NPHI  log10(RT)
TYPICAL = np.array(
    [
        [110.0, 2.50, 0.32, 0.6],
        [85.0, 2.48, 0.25, 0.9],
        [55.0, 2.36, 0.19, 1.2],
        [35.0, 2.60, 0.10, 1.7],
        [38.0, 2.66, 0.12, 1.8],
        [60.0, 1.70, 0.45, 2.2],
    ]
)
SPREAD = np.array([18.0, 0.10, 0.05, 0.32])


def log_well(name, rng, samples=240):
    """One synthetic well: layered rock, seen through tools that smear and drift."""
    facies, truth = [], []
    while len(facies) < samples:
        rock = rng.choice(len(FACIES), p=SHARES)
        thickness = int(rng.integers(5, 15))
        layer = TYPICAL[rock] + SPREAD * rng.standard_normal(4)
        facies += [rock] * thickness
        truth += [layer] * thickness
    readings = np.array(truth[:samples]) + 0.3 * SPREAD * rng.standard_normal((samples, 4))
    readings += 0.6 * SPREAD * rng.standard_normal(4)
    kernel = np.array([0.2, 0.6, 0.2])
    readings = np.stack([np.convolve(curve, kernel, mode="same") for curve in readings.T], axis=1)
    readings[:, 3] = 10 ** readings[:, 3]
    for curve in range(4):
        for start in rng.integers(0, samples - 8, size=2):
            readings[start : start + int(rng.integers(2, 8)), curve] = NULL
    well = pd.DataFrame(readings, columns=CURVES)
    well.insert(0, "DEPTH", 1500.0 + 0.1524 * np.arange(samples))
    well.insert(0, "WELL", name)
    well["FACIES"] = np.array(facies[:samples]) + 1  # coded from 1 on, as the core lab does
    return well


def clean(well):
    curves = well[CURVES].replace(NULL, np.nan)
    curves["RT"] = np.log10(curves["RT"])
    return curves.interpolate(limit_direction="both").to_numpy(dtype=np.float32)


def cut_windows(wells, width):
    half = width // 2
    windows, labels, groups = [], [], []
    for name, well in wells.groupby("WELL"):
        curves = clean(well)
        codes = well["FACIES"].to_numpy() - 1
        for centre in range(half, len(well) - half):
            windows.append(curves[centre - half : centre + half + 1].T)
            labels.append(codes[centre])
            groups.append(name)
    return np.stack(windows), np.array(labels), np.array(groups)


def hold_out(rows, wells, share, seed):
    splitter = GroupShuffleSplit(n_splits=1, test_size=share, random_state=seed)
    kept, held = next(splitter.split(rows, groups=wells[rows]))
    return rows[kept], rows[held]


class LogWindows(torch.utils.data.Dataset):
    def __init__(self, windows, labels):
        self.windows = torch.tensor(windows, dtype=torch.float32)
        self.labels = torch.tensor(labels, dtype=torch.long)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"logs": self.windows[index], "labels": self.labels[index]}


class FaciesNet(nn.Module):
    def __init__(self, n_curves, n_facies, class_weights, channels=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(n_curves, channels, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.Conv1d(channels, 2 * channels, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Dropout(0.1),
        )
        self.head = nn.Sequential(
            nn.Linear(4 * channels, 64),
            nn.ReLU(),
            nn.Linear(64, n_facies),
        )
        self.register_buffer("class_weights", class_weights)

    def forward(self, logs, labels=None):
        hidden = self.features(logs)
        centre = hidden[:, :, hidden.shape[-1] // 2]
        logits = self.head(torch.cat([centre, hidden.mean(dim=-1)], dim=1))
        if labels is None:
            return {"logits": logits}
        loss = F.cross_entropy(logits, labels, weight=self.class_weights)
        return {"loss": loss, "logits": logits}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    predicted = np.argmax(logits, axis=1)
    return {
        "f1": f1_score(labels, predicted, average="macro"),
        "accuracy": accuracy_score(labels, predicted),
    }


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wells", type=int, default=40)
    parser.add_argument("--width", type=int, default=21)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--output-dir", default="borehole_runs")
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def main():
    args = parse_args()
    set_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    wells = pd.concat([log_well(f"W-{i:02d}", rng) for i in range(args.wells)], ignore_index=True)

    x, y, well_of = cut_windows(wells, args.width)
    rest, test = hold_out(np.arange(len(y)), well_of, 0.25, args.seed)
    train, val = hold_out(rest, well_of, 0.2, args.seed)

    mean = x[train].mean(axis=(0, 2), keepdims=True)
    std = x[train].std(axis=(0, 2), keepdims=True)
    x = (x - mean) / std

    train_set = LogWindows(x[train], y[train])
    val_set = LogWindows(x[val], y[val])
    test_set = LogWindows(x[test], y[test])

    counts = np.bincount(y[train], minlength=len(FACIES))
    weights = torch.tensor(np.sqrt(counts.max() / counts), dtype=torch.float32)
    model = FaciesNet(len(CURVES), len(FACIES), weights)

    steps_per_epoch = math.ceil(len(train_set) / args.batch_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=6 * steps_per_epoch, gamma=0.3)

    training_args = TrainingArguments(
        output_dir=args.output_dir,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        per_device_eval_batch_size=256,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        logging_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        greater_is_better=True,
        report_to=[],
        seed=args.seed,
    )
    trainer = Trainer(
        model=model,
        args=training_args,
        train_dataset=train_set,
        eval_dataset=val_set,
        compute_metrics=compute_metrics,
        optimizers=(optimizer, scheduler),
        callbacks=[EarlyStoppingCallback(early_stopping_patience=4)],
    )
    trainer.train()
    result = trainer.evaluate(test_set)
    print({"f1": round(result["eval_f1"], 4)})


if __name__ == "__main__":
    main()
