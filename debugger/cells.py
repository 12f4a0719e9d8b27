"""The cells of a notebook that look at what a script built, in either framework."""

from dataclasses import dataclass

from debugger.outcome import StageName
from debugger.run import Framework


@dataclass(frozen=True)
class Cells:
    """`assets` comes first, `train` last, with the number of its steps; `looks` in between."""

    assets: str
    looks: dict[StageName, str]
    train: str
    packages: tuple[str, ...]


_FIRST = """\
import copy
import os
import sys
from collections import Counter
from pathlib import Path

{settings}
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # {cpu}
HUB = "distilbert-base-uncased", "glue", "glue"
for folder in [Path.cwd(), *Path.cwd().parents]:
    if (folder / "scenarios" / "assets").is_dir():
        sys.path.insert(0, str(folder))
        break
try:
    from {module} import CHECKPOINT, DATASET, METRIC
except ImportError:
    CHECKPOINT, DATASET, METRIC = HUB
    %pip install -q {packages}{more}
if DATASET == HUB[1]:
    print({hub})
else:
    print({bundled})

import {library}
"""
_LATER = {name: f"{{{name}}}" for name in ("cpu", "packages", "hub", "bundled")}
_DOWNLOAD = """
    # Only the weights for TensorFlow: transformers 4.57 cannot read the newer file beside them.
    from huggingface_hub import snapshot_download
    CHECKPOINT = snapshot_download(CHECKPOINT, allow_patterns=["*.json", "*.txt", "tf_model.h5"])"""
_COMMON = ("transformers", "datasets", "evaluate", "scikit-learn")

# The course's own lines for each stage. Copies leave what the script built as it was.
_TRAINER: dict[StageName, str] = {
    "setup": "type(trainer.model), trainer.args.device",
    "data": """\
example = trainer.train_dataset[0]
print(example)
print(Counter(trainer.train_dataset["label"]))
print(tokenizer.decode(example["input_ids"]))
print(len(example["input_ids"]), example["attention_mask"])
print(trainer.train_dataset.features["label"].names[example["label"]])""",
    "batch": """\
print([len(ids) for ids in trainer.train_dataset[:8]["input_ids"]])
collate = trainer.get_train_dataloader().collate_fn
print(getattr(collate, "__name__", type(collate).__name__))
batch = next(iter(trainer.get_train_dataloader()))
{name: tensor.shape for name, tensor in batch.items()}""",
    "forward": """\
print(trainer.model.config.num_labels)
print(trainer.train_dataset.features["label"].names)
batch = {name: tensor.cpu() for name, tensor in batch.items()}
outputs = copy.deepcopy(trainer.model).cpu()(**batch)
outputs.loss, outputs.logits.shape""",
    "step": """\
model = copy.deepcopy(trainer.model).cpu()
weights = list(model.parameters())
print(sum(p.requires_grad for p in weights), "of", len(weights), "may change")
model(**batch).loss.backward()
print(sum(p.grad is not None for p in weights), "have a gradient")
trainer.create_optimizer()
groups = trainer.optimizer.param_groups
held = {id(weight) for group in groups for weight in group["params"]}
names = [n for n, p in trainer.model.named_parameters() if id(p) not in held]
print("not in the optimizer:", names)
[group["lr"] for group in groups]""",
    "evaluate": """\
eval_batch = next(iter(trainer.get_eval_dataloader()))
with torch.no_grad():
    outputs = trainer.model(**eval_batch)
predictions = outputs.logits.cpu().numpy()
labels = eval_batch["labels"].cpu().numpy()
print(predictions.shape, labels.shape)
trainer.compute_metrics((predictions, labels))""",
    "overfit": """\
model = copy.deepcopy(trainer.model).cpu().train()
optimizer = torch.optim.AdamW(
    model.parameters(), lr=trainer.args.learning_rate
)
for _ in range(20):
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
right = outputs.logits.argmax(dim=-1) == batch["labels"]
outputs.loss.item(), right.float().mean().item()""",
}
_KERAS: dict[StageName, str] = {
    "setup": "type(model), type(model.optimizer), model.loss",
    "data": """\
batch = next(iter(train_dataset))
x, y, _ = tf.keras.utils.unpack_x_y_sample_weight(batch)
print("in x:", list(x), "y:", None if y is None else y.shape)
print(Counter(tokenized_datasets["train"]["label"]))
print(tokenizer.decode(x["input_ids"][0]))
print(tokenized_datasets["train"].features["label"].names)""",
    "batch": """\
print([len(ids) for ids in tokenized_datasets["train"][:8]["input_ids"]])
{name: (tensor.shape, tensor.dtype.name) for name, tensor in x.items()}""",
    "forward": """\
print(model.config.num_labels, model.loss)
inputs = {name: tensor for name, tensor in x.items() if name != "labels"}
labels = x["labels"] if y is None else y
logits = model(inputs).logits
print(logits.shape, float(tf.reduce_min(logits)), float(tf.reduce_max(logits)))
model({**inputs, "labels": labels}).loss, model.test_step(batch)""",
    "step": """\
weights = model.trainable_variables
print(len(weights), "of", len(model.weights), "may change")
with tf.GradientTape() as tape:
    loss = model({**inputs, "labels": labels}, training=True).loss
gradients = tape.gradient(loss, weights)
print(sum(gradient is not None for gradient in gradients), "have a gradient")
model.optimizer.get_config()""",
    "evaluate": """\
predictions = model.predict(validation_dataset.take(2), verbose=0).logits
print(predictions.shape)
model.evaluate(validation_dataset.take(2), verbose=0, return_dict=True)""",
    "overfit": """\
kept, optimizer = model.get_weights(), model.optimizer
model.optimizer = type(optimizer).from_config(optimizer.get_config())
repeated = tf.data.Dataset.from_tensors(batch).repeat(20)
model.fit(repeated, verbose=0)
print(model.evaluate(repeated.take(1), verbose=0, return_dict=True))
model.optimizer, model.train_function = optimizer, None
model.set_weights(kept)""",
}
_TRAIN = """\
trainer.args.max_steps = {steps}
trainer.args.logging_steps = 10
trainer.eval_dataset = trainer.eval_dataset.select(range(256))
trainer.train()
predictions = trainer.predict(trainer.eval_dataset).predictions
Counter(predictions.argmax(axis=1).tolist())"""
_FIT = """\
model.fit(train_dataset.take({steps}), validation_data=validation_dataset.take(16))
predictions = model.predict(validation_dataset.take(16), verbose=0).logits
Counter(predictions.argmax(axis=1).tolist())"""

CELLS: dict[Framework, Cells] = {
    "pytorch": Cells(
        _FIRST.format(
            **_LATER,
            settings='os.environ.setdefault("USE_TF", "0")',
            module="scenarios.assets",
            library="torch",
            more="",
        ),
        _TRAINER,
        _TRAIN,
        (*_COMMON, "accelerate"),
    ),
    "keras": Cells(
        _FIRST.format(
            **_LATER,
            settings='os.environ["TF_USE_LEGACY_KERAS"] = "1"  # before TensorFlow is imported',
            module="scenarios.assets.keras",
            library="tensorflow as tf",
            more=_DOWNLOAD,
        ),
        _KERAS,
        _FIT,
        (*_COMMON, "tensorflow", "tf-keras"),
    ),
}
