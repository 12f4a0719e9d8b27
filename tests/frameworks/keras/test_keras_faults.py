"""Each fault of a Keras pipeline, as small as can be, is found at its stage under its name."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from transformers.keras_callbacks import KerasMetricCallback

from debugger import diagnose
from debugger.diagnosis import diagnose_built, perform
from debugger.frameworks.keras.building import Fit
from debugger.outcome import Event, StageName
from debugger.report import Report, gather
from debugger.run import Run
from debugger.script.building import Building
from debugger.stages import gone
from tests import tiny_keras as tiny


@dataclass(frozen=True)
class Case:
    stage: StageName
    code: str
    make: Callable[[], Fit]


@cache
def healthy() -> Any:
    return tiny.compiled()


def unseen() -> Any:
    return tiny.batches(12, seed=1)


def fitted(model: Any, inside: bool = False, **more: Any) -> Fit:
    given = {"train": tiny.batches(inside=inside), "validation": unseen(), **more}
    return Fit(model, **given)


def uneven() -> Any:
    def rows() -> Any:
        yield tuple(np.stack([np.ones(length) for length in (3, 4)]))

    return tf.data.Dataset.from_generator(rows, output_signature=(tf.TensorSpec((None,)),) * 2)


def nan_under_xla() -> Any:
    model = tiny.bert(num_labels=2)
    model.hf_compute_loss = tf.function(model.hf_compute_loss, jit_compile=True)
    return fitted(tiny.compiled(model, loss=None, metrics=None), inside=True, validation=None)


def probabilities(activation: Any) -> Any:
    """Their sum is 1, and the loss is told to expect logits."""
    layers = [
        tf.keras.layers.Embedding(tiny.WORDS, 4),
        tf.keras.layers.GlobalAveragePooling1D(),
        tf.keras.layers.Dense(3, activation=activation),
    ]
    return tiny.compiled(tf.keras.Sequential([tf.keras.Input((tiny.LENGTH,)), *layers]))


def only_ids(inputs: Any, labels: Any) -> Any:
    return inputs["input_ids"], labels


def decaying(steps: int) -> Any:
    rates = tf.keras.optimizers.schedules.PolynomialDecay(1e-3, decay_steps=steps)
    return tiny.compiled(optimizer=tf.keras.optimizers.Adam(rates))


def frozen(part: str) -> Any:
    model = tiny.bert()
    (model if part == "all" else getattr(model, part)).trainable = False
    return tiny.compiled(model)


def scored_by_logits() -> Fit:
    metrics = pytest.importorskip("sklearn.metrics")

    def metric(given: Any) -> dict[str, float]:
        predictions, labels = given
        return {"accuracy": float(metrics.accuracy_score(labels, predictions))}

    callback = KerasMetricCallback(metric, eval_dataset=unseen())
    return fitted(healthy(), callbacks=(callback,))


CASES = [
    Case("data", "labels_in_the_inputs", lambda: fitted(healthy(), inside=True)),
    Case("data", "ragged_rows", lambda: fitted(healthy(), train=uneven())),
    Case("forward", "label_outside_head", lambda: fitted(tiny.compiled(tiny.bert(num_labels=2)))),
    Case("forward", "nan_at_labels", nan_under_xla),
    Case("forward", "loss_expects_probabilities", lambda: fitted(
        tiny.compiled(loss="sparse_categorical_crossentropy"))),
    Case("forward", "softmax_twice", lambda: fitted(
        probabilities(tf.nn.softmax), train=tiny.batches().map(only_ids))),
    Case("forward", "logits_behind_probabilities", lambda: fitted(
        probabilities("softmax"), train=tiny.batches().map(only_ids))),
    Case("step", "schedule_too_long", lambda: fitted(decaying(24))),
    Case("step", "schedule_too_short", lambda: fitted(decaying(1), epochs=20)),
    Case("step", "everything_frozen", lambda: fitted(frozen("all"))),
    Case("step", "head_frozen", lambda: fitted(frozen("classifier"))),
    Case("evaluate", "blind_training", lambda: fitted(
        tiny.compiled(metrics=None), validation=None)),
    Case("evaluate", "no_metric", lambda: fitted(tiny.compiled(metrics=None))),
    Case("evaluate", "no_eval_set", lambda: fitted(healthy(), validation=None)),
    Case("evaluate", "logits_into_metric", scored_by_logits),
    Case("evaluate", "eval_set_is_train_set", lambda: fitted(
        healthy(), validation=tiny.batches())),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_fault_is_found_under_its_name(case: Case) -> None:
    report = diagnose_built(Building(case.make(), framework="keras"), case.stage)

    assert case.code in [finding.code for finding in report.stage(case.stage).findings]


def test_a_healthy_model_has_no_findings() -> None:
    tf.keras.utils.set_random_seed(0)
    model = tiny.compiled(optimizer=tf.keras.optimizers.Adam(1e-2))
    report = diagnose(model, tiny.batches(), unseen(), stage="all", steps=2)

    assert {stage.stage: stage.outcome for stage in report.stages} == {
        stage.stage: "pass" for stage in report.stages
    }
    assert not report.findings


START = """\
import numpy as np
import tensorflow as tf
from datasets import Dataset
from tests import tiny_keras as tiny
rows = {"input_ids": [[5] * (3 + n % 4) for n in range(12)], "label": [n % 3 for n in range(12)]}
dataset = Dataset.from_dict(rows)
"""
FIT = "model.fit(tiny.batches(), validation_data=tiny.batches(12, seed=1))\n"
SCRIPTS: dict[str, tuple[StageName, int | None, str]] = {
    "default_behind_a_string": (
        "step",
        10,
        "model = tiny.bert(name_or_path='some/checkpoint')\n"
        "model.compile(\n    loss=tf.keras.losses.SparseCategoricalCrossentropy(True),\n"
        "    optimizer='adam',\n)\n" + FIT,
    ),
    "ragged_rows": (
        "data",
        7,
        "data = dataset.to_tf_dataset(columns='input_ids', label_cols='label', batch_size=4)\n"
        "tiny.compiled().fit(data)\n",
    ),
    "column_not_there": (
        "setup",
        7,
        "data = dataset.to_tf_dataset(columns='input_ids', label_cols='labels', batch_size=4)\n"
        "tiny.compiled().fit(data)\n",
    ),
    "keras3_optimizer": (
        "setup",
        7,
        "from keras.optimizers import Adam\n"
        "model = tiny.bert()\nmodel.compile(optimizer=Adam(1e-4))\n" + FIT,
    ),
    "looked_at_in_tf_keras": (
        "setup",
        10,
        "import keras\nmodel = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\nmodel.fit(np.ones((4, 2)), np.ones((4, 1)))\n",
    ),
    "keras3_model": (
        "setup",
        10,
        "import keras\nmodel = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\nmodel.fit(keras.ops.ones((4, 2)), np.ones((4, 1)))\n",
    ),
    "loop_over_nothing": (
        "setup",
        15,
        """
model = tiny.bert()
sgd = tf.keras.optimizers.SGD(1e-3)
@tf.function(autograph=False)
def step(ids):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(ids).logits)
    weights = model.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, weights), weights))
step(tf.ones((2, 4), tf.int32))
""",
    ),
    "no_fit": ("setup", None, "model = tiny.compiled()\n"),
}


def performed(text: str, stage: StageName) -> Report:
    events: list[Event] = []
    perform(Run(text, stage=stage, device="cpu"), events.append)
    return gather(events)


def test_a_rate_that_is_set_behind_a_string_is_no_default() -> None:
    _, _, text = SCRIPTS["default_behind_a_string"]
    after = text.replace(FIT, "model.optimizer.learning_rate = 2e-3\n" + FIT)

    codes = [one.code for one in performed(START + after, "step").findings]
    assert "default_behind_a_string" not in codes


@pytest.mark.parametrize("code", SCRIPTS)
def test_a_fault_in_a_script_is_found_at_its_line(code: str) -> None:
    stage, line, text = SCRIPTS[code]
    report = performed(START + text, stage)

    found = {finding.code: finding for finding in report.stage(stage).findings}
    assert code in found
    assert found[code].line == line


@pytest.mark.parametrize(
    "place",
    [
        place
        for place in sorted({*gone.NAMES.values(), *gone.MODULES.values()})
        if place.partition(".")[0] in ("keras", "tensorflow")
    ],
)
def test_what_is_named_in_place_of_what_is_gone_is_there(place: str) -> None:
    assert pkgutil.resolve_name(place) is not None


@pytest.mark.parametrize(
    ("script", "today"),
    [
        ("from transformers import TFTrainer", "model.fit"),
        ("from keras.utils import np_utils", "keras.utils.to_categorical"),
        ("from keras.layers.normalization import BatchNormalization", "keras.layers"),
        ("import tensorflow as tf\ntf.placeholder(tf.float32)", "tensorflow.compat.v1.placeholder"),
        ("import tensorflow as tf\ntf.keras.layers.Conv2D(8, 3, border_mode='valid')", "padding"),
        ("import tensorflow as tf\ntf.keras.Sequential().predict_classes([1])", "argmax"),
    ],
)
def test_what_keras_has_no_more_is_told_with_what_it_is_called_now(script: str, today: str) -> None:
    (found,) = performed(script, "setup").stage("setup").findings

    assert found.code in ("renamed_name", "renamed_argument")
    assert today in found.numbers["today"]


def test_what_stands_in_for_keras_3_is_gone_afterwards() -> None:
    text = "from keras.layers import Dense\nfrom keras.models import Sequential\n"
    text += "model = Sequential([Dense(1)])\nmodel.compile('sgd', 'mse', metrics=['mae'])\n"
    report = performed(text + "model.fit([[1.0], [2.0]], [[1.0], [2.0]])\n", "step")

    assert report.stage("step").outcome in ("pass", "look")
    assert sys.modules["keras"] is keras
    assert sys.modules["keras.layers"] is keras.layers


@pytest.mark.parametrize(
    ("layers", "given"),
    [
        ("tf.keras.Sequential([keras.layers.Dense(1)])", "'adam', 'mse'"),
        ("keras.Sequential([tf.keras.layers.Dense(1)])", "'adam', 'mse'"),
        ("tf.keras.Sequential([tf.keras.layers.Dense(1)])", "keras.optimizers.Adam(), 'mse'"),
        (
            "tf.keras.Sequential([tf.keras.layers.Dense(1)])",
            "'adam', 'mse', [keras.metrics.MeanAbsoluteError()]",
        ),
    ],
)
def test_two_kerases_are_one_where_nobody_asks_for_the_old_one(layers: str, given: str) -> None:
    text = f"import keras\nimport tensorflow as tf\nmodel = {layers}\nmodel.compile({given})\n"
    report = performed(text + "model.fit([[1.0], [2.0]], [[1.0], [2.0]])\n", "step")

    assert [one.code for one in report.stage("setup").findings] == ["two_kerases"]
    assert report.stage("step").outcome in ("pass", "look")
    refused = performed(f"import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n{text}", "setup")
    assert "two_kerases" not in {one.code for one in refused.stage("setup").findings}


OF_KERAS_3 = """
import numpy as np
import tensorflow as tf
class Rows(tf.keras.utils.PyDataset):
    def __len__(self):
        return 4
    def __getitem__(self, place):
        drawn = np.random.default_rng(place).normal(size=(8, 3)).astype("float32")
        return drawn, drawn.sum(1, keepdims=True)
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)
        self.mean = tf.keras.metrics.Mean(name="loss")
    def call(self, x):
        return self.dense(x)
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(data[0]) - data[1]) ** 2)
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        self.mean.update_state(loss)
        return {"loss": self.mean.result()}
model = Net()
model.compile(tf.keras.optimizers.Adam(0.05))
model.fit(Rows(workers=2), epochs=5)
"""


def test_names_of_keras_3_are_lent_to_who_does_not_ask_for_the_old_one() -> None:
    legacy = performed(f"import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n{OF_KERAS_3}", "setup")
    lent = performed(OF_KERAS_3, "step")
    other = performed("import tensorflow as tf\ntf.keras.ops.ones((2, 2))\n", "setup")

    assert [one.code for one in legacy.stage("setup").findings] == ["unexpected_name"]
    assert [one.code for one in lent.stage("setup").findings] == ["lent_keras3_names"]
    assert lent.stage("step").outcome == "pass"
    assert [one.code for one in other.stage("setup").findings] == ["keras3_name"]
    assert other.outcome == "unknown"


def test_a_loop_by_hand_before_a_fit_is_let_run() -> None:
    text = """
model, sgd = tiny.compiled(), tf.keras.optimizers.SGD(1e-3)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(tf.ones((2, 4), tf.int32)).logits)
weights = model.trainable_variables
sgd.apply_gradients(zip(tape.gradient(loss, weights), weights))
"""
    assert performed(START + text + FIT, "setup").stage("setup").outcome == "pass"


def test_rows_of_unequal_length_are_told_with_their_lengths() -> None:
    report = performed(START + SCRIPTS["ragged_rows"][2], "data")

    numbers = report.stage("data").findings[0].numbers
    assert (numbers["shortest"], numbers["longest"]) == (3, 6)


def test_a_collate_function_of_ones_own_that_pads_is_no_fault() -> None:
    text = """
def collate(rows):
    ids = tf.ragged.constant([list(row["input_ids"]) for row in rows]).to_tensor().numpy()
    return {"input_ids": ids, "labels": np.array([row["label"] for row in rows])}
data = dataset.to_tf_dataset(
    columns="input_ids", label_cols="labels", batch_size=4, collate_fn=collate
)
tiny.compiled().fit(data)
"""
    report = performed(START + text, "batch")

    assert report.stage("batch").outcome == "look"  # for want of a mask over what it pads
    assert [one.code for one in report.stage("batch").findings] == ["mask_missing"]


def test_a_column_of_labels_is_kept_whatever_it_is_called() -> None:
    text = """
rows = {"input_ids": [[5, 6]] * 12, "topic": [n % 3 for n in range(12)], "page": [0] * 12}
data = Dataset.from_dict(rows).to_tf_dataset(
    columns=["input_ids"], label_cols="topic", batch_size=4
)
tiny.compiled().fit(data)
"""
    shown = performed(START + text, "data").stage("data").evidence

    (columns,) = (one.data["rows"] for one in shown if one.code == "columns")
    assert {name: fate["say"] for name, _, fate in columns} == {
        "input_ids": "kept",
        "topic": "kept",
        "page": "dropped",
    }


def test_evaluation_rows_that_cannot_be_read_are_not_called_missing() -> None:
    fit = fitted(healthy(), validation=uneven())
    report = diagnose_built(Building(fit, framework="keras"), "evaluate")

    codes = [finding.code for finding in report.stage("evaluate").findings]
    assert codes == ["evaluate_failed"]


def test_a_keras_model_comes_with_its_data() -> None:
    with pytest.raises(TypeError, match="pass the data set that fit would be given"):
        diagnose(healthy())


def test_a_model_of_keras_3_is_refused_with_a_sentence() -> None:
    with pytest.raises(TypeError, match="This is a model of Keras 3"):
        diagnose(keras.Sequential([keras.layers.Dense(1)]), tiny.batches())


def test_the_batch_and_the_model_see_the_same_example() -> None:
    shuffled = tiny.batches().unbatch().shuffle(24, seed=7).batch(4)
    report = diagnose_built(Building(fitted(healthy(), train=shuffled), framework="keras"))
    pieces = {one.code: one.data for stage in report.stages for one in stage.evidence}
    facts, answer = (
        {name["say"]: value for name, value in pieces[code]["rows"]}
        for code in ("example", "example_forward")
    )
    assert len(pieces["example"]["tokens"]) == tiny.LENGTH
    assert answer["label"] == int(str(facts["label"])[0])
    assert len(answer["logits"]) == 3
