"""Train on the corpus over many seeds; MEASURED.md holds the last table and how it was made.

python -m tools.measure pytorch RESULTS.jsonl   one training run per setting and seed
python -m tools.measure keras RESULTS.jsonl     the same, where TensorFlow is installed
python -m tools.measured RESULTS.jsonl          the table, in Markdown

Runs that RESULTS.jsonl already holds are not made again, so an interrupted measurement goes on.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from tools.corpus import Row, splits
from tools.measured import EVERY, STEPS, VALIDATION_ROWS, Result, read

BATCH = {"pytorch": 8, "keras": 16}
KERAS_LENGTH = 32


@dataclass(frozen=True)
class Setting:
    name: str
    learning_rate: float
    seeds: int = 10
    blanked: bool = False


SETTINGS = (
    Setting("healthy, 1e-4", 1e-4),
    Setting("too high, 1e-3", 1e-3),
    Setting("no hypothesis, 1e-4", 1e-4, seeds=3, blanked=True),
)


class Curve:
    """Accuracy after every thirty steps, and the processor time that finding it took."""

    def __init__(self, labels: list[int], predict: Callable[[], list[int]]) -> None:
        self.labels, self.predict = labels, predict
        self.accuracy: list[float] = []
        self.largest_class = 0.0
        self.seconds = 0.0

    def after_step(self, step: int) -> None:
        if step % EVERY:
            return
        started = time.process_time()
        predicted = self.predict()
        right = sum(p == label for p, label in zip(predicted, self.labels, strict=True))
        self.accuracy.append(round(right / len(self.labels), 3))
        self.largest_class = round(max(map(predicted.count, range(3))) / len(self.labels), 3)
        self.seconds += time.process_time() - started


def rows_for(setting: Setting) -> tuple[list[Row], list[Row]]:
    made = splits()
    train, validation = made["train"], made["validation_matched"][:VALIDATION_ROWS]
    if not setting.blanked:
        return train, validation
    return [(p, "", label) for p, _, label in train], [(p, "", label) for p, _, label in validation]


def train_pytorch(setting: Setting, seed: int) -> Result:
    """The Trainer with its defaults, but for the setting, a constant schedule and one thread."""
    from scenarios.assets import CHECKPOINT  # isort: skip  (goes offline before the libraries)

    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainerCallback,
        TrainingArguments,
        set_seed,
    )

    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    train, validation = (
        [{**tokenizer(p, h), "label": label} for p, h, label in rows] for rows in rows_for(setting)
    )
    set_seed(seed)
    model = AutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=3)
    collator = DataCollatorWithPadding(tokenizer)

    def predict() -> list[int]:
        model.eval()
        batches = [validation[at : at + 50] for at in range(0, len(validation), 50)]
        with torch.no_grad():
            logits = torch.cat([model(**collator(batch)).logits for batch in batches])
        model.train()
        return logits.argmax(-1).tolist()

    curve = Curve([row["label"] for row in validation], predict)

    class Watch(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            curve.after_step(state.global_step)

    arguments = TrainingArguments(
        output_dir="/tmp/training-clinic-measure",
        per_device_train_batch_size=BATCH["pytorch"],
        learning_rate=setting.learning_rate,
        lr_scheduler_type="constant",
        max_steps=STEPS,
        seed=seed,
        use_cpu=True,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = Trainer(
        model,
        arguments,
        train_dataset=cast(Any, train),
        data_collator=collator,
        callbacks=[Watch()],
    )
    started = time.process_time()
    trainer.train()
    seconds = time.process_time() - started - curve.seconds
    return _result("pytorch", setting, seed, curve, seconds, ("torch", "transformers"))


def train_keras(setting: Setting, seed: int) -> Result:
    """`compile` and `fit` with the model's own loss, in a graph with one fixed shape."""
    from scenarios.assets import CHECKPOINT  # isort: skip  (goes offline before the libraries)

    import numpy as np
    import tensorflow as tf
    from transformers import (
        AutoTokenizer,
        TFAutoModelForSequenceClassification,
        set_seed,
    )

    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)

    def encode(rows: list[Row]) -> tuple[dict[str, Any], Any]:
        encoded = tokenizer(
            [p for p, _, _ in rows],
            [h for _, h, _ in rows],
            padding="max_length",
            max_length=KERAS_LENGTH,
            truncation=True,
            return_tensors="np",
        )
        return dict(encoded), np.array([label for _, _, label in rows])

    (train, train_labels), (validation, labels) = map(encode, rows_for(setting))
    set_seed(seed)
    model = TFAutoModelForSequenceClassification.from_pretrained(
        CHECKPOINT, num_labels=3, from_pt=True
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(setting.learning_rate))
    curve = Curve(
        labels.tolist(),
        lambda: model.predict(validation, batch_size=50, verbose=0).logits.argmax(-1).tolist(),
    )

    class Watch(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            curve.after_step(batch + 1)

    data: Any = tf.data.Dataset.from_tensor_slices(cast(Any, (train, train_labels)))
    data = data.shuffle(len(train_labels), seed=seed).batch(BATCH["keras"], drop_remainder=True)
    started = time.process_time()
    model.fit(data.take(STEPS), epochs=1, verbose=0, callbacks=[Watch()])
    seconds = time.process_time() - started - curve.seconds
    return _result("keras", setting, seed, curve, seconds, ("tensorflow", "transformers"))


def _result(
    framework: str, setting: Setting, seed: int, curve: Curve, seconds: float, used: tuple[str, ...]
) -> Result:
    return Result(
        framework,
        setting.name,
        seed,
        curve.accuracy,
        curve.largest_class,
        round(seconds, 1),
        {name: version(name) for name in used},
    )


def measure(train: Callable[[Setting, int], Result], framework: str, results: Path) -> None:
    known = {(r.framework, r.setting, r.seed) for r in read(results)}
    for seed in range(max(setting.seeds for setting in SETTINGS)):
        for setting in SETTINGS:
            if seed < setting.seeds and (framework, setting.name, seed) not in known:
                with results.open("a") as file:
                    file.write(json.dumps(asdict(train(setting, seed))) + "\n")


def main(framework: str, results: Path) -> None:
    if framework == "keras":
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
        measure(train_keras, framework, results)
    else:
        os.environ["USE_TF"] = "0"
        measure(train_pytorch, framework, results)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
