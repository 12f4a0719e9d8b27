"""Small scenarios, a Trainer and a Keras model, whose whole judgement takes seconds."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from debugger import catalogue, settings
from debugger.catalogue import Scenario
from debugger.catalogue.scenario import Checks, Fix, Replacement
from debugger.judge import Judgement
from debugger.run import WALK
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.visit import EDIT, Visit, is_typed
from debugger.workers.sharing import Shared

TORCH = """\
import evaluate
import numpy as np
from datasets import ClassLabel, Dataset, Features, Sequence, Value
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

set_seed(0)
NAMES = ["left", "middle", "right"]
WORDS = Features(
    {"input_ids": Sequence(Value("int64")), "label": ClassLabel(names=NAMES)}
)


def rows(count, seed):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 3, count)
    words = draw.integers(8, 40, (count, 6))
    words[np.arange(count), draw.integers(0, 6, count)] = labels + 3
    made = {"input_ids": words.tolist(), "label": labels.tolist()}
    return Dataset.from_dict(made, features=WORDS)


config = BertConfig(
    vocab_size=40, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=8, num_labels=2,
)
model = BertForSequenceClassification(config)
args = TrainingArguments(
    "out",
    eval_strategy="epoch",
    save_strategy="no",
    report_to="none",
    learning_rate=3e-3,
    lr_scheduler_type="constant",
    per_device_train_batch_size=16,
    num_train_epochs=8,
)


def compute_metrics(given):
    predictions, labels = given
    right = np.argmax(predictions, axis=1) == labels
    return {"accuracy": float(np.mean(right))}


train, held_out = rows(600, 1), rows(200, 2)
trainer = Trainer(
    model,
    args,
    train_dataset=train,
    eval_dataset=held_out,
    compute_metrics=compute_metrics,
)
trainer.train()
""".replace("import evaluate\n", "")
TORCH_FIX = "num_labels=2", "num_labels=3"
KERAS = """\
import numpy as np
import tensorflow as tf
import tf_keras

tf.random.set_seed(0)


def rows(count, seed):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 3, count)
    points = draw.normal(size=(count, 6)).astype("float32")
    points[np.arange(count), labels] += 3
    return points, labels


model = tf_keras.Sequential([
    tf_keras.layers.Input((6,)),
    tf_keras.layers.Dense(16, activation="relu"),
    tf_keras.layers.Dense(2),
])
model.compile(
    optimizer=tf_keras.optimizers.Adam(learning_rate=1e-2),
    loss=tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
points, labels = rows(600, 1)
model.fit(
    points, labels, batch_size=16, epochs=8, validation_data=rows(200, 2)
)
"""
KERAS_FIX = "Dense(2)", "Dense(3)"


def small(like: str, script: str, fix: tuple[str, str]) -> Scenario:
    known = catalogue.find(like)
    mended = Fix(known.twin_fixes[0], True, (Replacement(*fix),))
    return replace(
        known,
        script=script,
        twin_fixes=(mended.id,),
        fixes=(mended,),
        cheats=(),
        repairs=(),
        checks=Checks(tolerance=0.2, steps=5),
    )


SMALL = {
    "pytorch": small("two_labels", TORCH, TORCH_FIX),
    "keras": small("two_labels_again", KERAS, KERAS_FIX),
}


def page(engine: Shared, *scenarios: Scenario) -> Clinic:
    return Clinic(scenarios, engine, settings.read({}))


def typed(clinic: Clinic, scenario: Scenario, text: str) -> Judgement | None:
    """What the page says of a script that somebody typed and ran; None where it got not so far."""
    desk = Desk(visit=Visit(scenario.id, stage="batch", panel="evidence", side=EDIT))
    clinic.type(desk, text)
    assert is_typed(desk.visit.changes)

    async def through() -> None:
        async for _ in clinic.follow(desk, WALK):
            pass

    with ThreadPoolExecutor(1) as aside:  # in this thread a browser's loop may be running
        aside.submit(lambda: asyncio.run(through())).result()
    scene = clinic.scene(desk)
    assert scene.cured == desk.record.case(scenario.id).solved
    return scene.verdict
