"""Sorts grey pictures of rolled steel by the kind of surface defect, with a small conv net."""

import numpy as np
import torch
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

SEED = 31
SIDE = 24
PER_KIND = 260
KINDS = ["D1 clean", "D2 scratch", "D3 pits", "D4 patch", "D5 rolled-in scale"]


def draw(kind, rng):
    pic = rng.normal(rng.uniform(105, 145), 14, size=(SIDE, SIDE))
    depth = rng.uniform(38, 60)
    if kind.endswith("scratch"):
        x, slope = rng.uniform(5, SIDE - 5), rng.uniform(-0.5, 0.5)
        for y in range(SIDE):
            pic[y, int(np.clip(x + slope * (y - SIDE / 2), 0, SIDE - 1))] += depth
    elif kind.endswith("pits"):
        for _ in range(rng.integers(4, 8)):
            y, x = rng.integers(0, SIDE - 2, size=2)
            pic[y : y + 2, x : x + 2] -= depth
    elif kind.endswith("patch"):
        y, x = rng.integers(1, SIDE - 8, size=2)
        pic[y : y + 7, x : x + 7] += 0.7 * depth
    elif kind.endswith("scale"):
        pic[rng.integers(0, 3) :: 4] -= 0.6 * depth
    return np.clip(pic, 0, 255).astype(np.uint8)


def load_plates():
    rng = np.random.default_rng(SEED)
    pictures, codes = [], []
    for kind in KINDS:
        for _ in range(PER_KIND):
            pictures.append(draw(kind, rng))
            codes.append(kind.split()[0])
    labels = np.array([int(code[1:]) - 1 for code in codes])
    return np.stack(pictures), labels


class Plates(Dataset):
    def __init__(self, pictures, labels, transform):
        self.pictures, self.labels, self.transform = pictures, labels, transform

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, i):
        return {"picture": self.transform(self.pictures[i]), "label": self.labels[i]}


def to_tensor(picture):
    x = torch.from_numpy(picture.copy()).float().unsqueeze(0) / 255
    return (x - 0.47) / 0.12


def augment(picture):
    if np.random.rand() < 0.5:
        picture = picture[:, ::-1]
    if np.random.rand() < 0.5:
        picture = picture[::-1]
    return to_tensor(picture)


def collate(rows):
    return {
        "pixels": torch.stack([row["picture"] for row in rows]),
        "labels": torch.tensor([row["label"] for row in rows]),
    }


class PlateNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(32 * (SIDE // 4) ** 2, classes)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, pixels, labels=None):
        x = self.body(pixels)
        x = self.drop(torch.flatten(x, 1))
        logits = self.head(x)
        out = {"logits": logits}
        if labels is not None:
            out["loss"] = self.criterion(logits, labels)
        return {k: out[k] for k in ("loss", "logits") if k in out}


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    preds = np.argmax(logits, axis=-1)
    return {"f1": f1_score(labels, preds, average="macro")}


if __name__ == "__main__":
    set_seed(SEED)
    pictures, labels = load_plates()
    train_x, test_x, train_y, test_y = train_test_split(
        pictures, labels, test_size=0.25, shuffle=True, random_state=SEED
    )
    train_set = Plates(train_x, train_y, transform=augment)
    test_set = Plates(test_x, test_y, transform=to_tensor)

    model = PlateNet(classes=len(KINDS))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

    args = TrainingArguments(
        output_dir="plates",
        num_train_epochs=8,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=128,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        greater_is_better=True,
        logging_steps=20,
        remove_unused_columns=False,
        report_to="none",
        seed=SEED,
    )
    trainer = Trainer(
        model=model,
        args=args,
        data_collator=collate,
        train_dataset=train_set,
        eval_dataset=test_set,
        compute_metrics=compute_metrics,
        optimizers=(optimizer, None),
    )
    trainer.train()
    scores = trainer.evaluate()
    print({"f1": round(scores["eval_f1"], 4), "loss": round(scores["eval_loss"], 4)})
