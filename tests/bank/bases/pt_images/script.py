"""Which shape is on the picture? A tiny vision transformer."""
import numpy as np
import torch
from datasets import ClassLabel, Dataset, Features, Image
from PIL import Image as PILImage, ImageDraw
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification, set_seed

SHAPES = ["circle", "cross", "stripes"]
SIZE = 24
MEAN, STD = 0.5, 0.25


def draw(shape, rng):
    picture = PILImage.new("RGB", (SIZE, SIZE), tuple(int(v) for v in rng.integers(0, 90, 3)))
    pen = ImageDraw.Draw(picture)
    ink = tuple(int(v) for v in rng.integers(150, 255, 3))
    x, y = (int(v) for v in rng.integers(0, 8, 2))
    if shape == "circle":
        pen.ellipse((x + 2, y + 2, x + 14, y + 14), fill=ink)
    elif shape == "cross":
        pen.line((x, y, x + 15, y + 15), fill=ink, width=3)
        pen.line((x, y + 15, x + 15, y), fill=ink, width=3)
    else:
        for row in range(y % 4, SIZE, 6):
            pen.line((0, row, SIZE, row), fill=ink, width=2)
    return picture


def build(count, seed):
    rng = np.random.default_rng(seed)
    labels = [int(v) for v in rng.integers(0, 3, count)]
    features = Features({"image": Image(), "label": ClassLabel(names=SHAPES)})
    return Dataset.from_dict({"image": [draw(SHAPES[v], rng) for v in labels], "label": labels}, features=features)


def to_pixels(picture):
    pixels = np.asarray(picture.convert("RGB"), dtype=np.float32) / 255.0
    return torch.tensor((pixels - MEAN) / STD).permute(2, 0, 1)


def transform(batch):
    batch["pixel_values"] = [to_pixels(picture) for picture in batch["image"]]
    return batch


def collate_fn(examples):
    return {
        "pixel_values": torch.stack([example["pixel_values"] for example in examples]),
        "labels": torch.tensor([example["label"] for example in examples]),
    }


def compute_metrics(p):
    return {"accuracy": float((np.argmax(p.predictions, axis=1) == p.label_ids).mean())}


set_seed(31)
train_ds = build(360, 0).with_transform(transform)
val_ds = build(120, 1).with_transform(transform)

model = ViTForImageClassification(
    ViTConfig(
        image_size=SIZE,
        patch_size=4,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        num_labels=len(SHAPES),
        id2label=dict(enumerate(SHAPES)),
        label2id={name: i for i, name in enumerate(SHAPES)},
    )
)

args = TrainingArguments(
    output_dir="shapes",
    per_device_train_batch_size=24,
    per_device_eval_batch_size=60,
    learning_rate=2e-3,
    num_train_epochs=8,
    eval_strategy="epoch",
    save_strategy="no",
    remove_unused_columns=False,
    report_to="none",
    logging_steps=10,
)

trainer = Trainer(
    model=model,
    args=args,
    data_collator=collate_fn,
    compute_metrics=compute_metrics,
    train_dataset=train_ds,
    eval_dataset=val_ds,
)
trainer.train()
metrics = trainer.evaluate(val_ds)
trainer.log_metrics("eval", metrics)
print(metrics)
