"""A loop that trains by hand with a GradientTape, looked at as if `fit` had been given the same."""

from __future__ import annotations

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, StageName
from debugger.report import Report, gather
from debugger.run import WALK, Run, Way

HEAD = """
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=(480, 8)).astype("float32")
y = (x[:, 0] + x[:, 1] > 0).astype("int32") + (x[:, 2] > 1).astype("int32")
train_dataset = tf.data.Dataset.from_tensor_slices((x[:400], y[:400])).shuffle(400).batch(25)
val_dataset = tf.data.Dataset.from_tensor_slices((x[400:], y[400:])).batch(25)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(24, activation="relu"),
    tf.keras.layers.Dropout(0.1),
    tf.keras.layers.Dense(3),
])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(1e-2)
val_acc = tf.keras.metrics.SparseCategoricalAccuracy()
"""
STEP = """
@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = loss_fn(y, logits)
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
    return loss
"""
LOOP = """
for epoch in range(6):
    for step, (xb, yb) in enumerate(train_dataset):
        loss = train_step(xb, yb)
    for xb, yb in val_dataset:
        val_acc.update_state(yb, model(xb, training=False))
    print(epoch, float(loss), float(val_acc.result()))
    val_acc.reset_states()
"""
WHOLE = HEAD + STEP + LOOP
OBJECT = "loss = loss_fn(y, logits)"
OF_A_CLASS = """
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.head = tf.keras.layers.Dense(3)
    def call(self, x):
        return self.head(x)
"""
AMOUNTS = """
import numpy as np
import tensorflow as tf
rng = np.random.default_rng(0)
x = rng.normal(size=(200, 5)).astype("float32")
y = x @ np.array([1.0, -2.0, 0.5, 0.0, 3.0], dtype="float32")
layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
for epoch in range(20):
    for i in range(0, len(x), 20):
        xb, yb = x[i : i + 20], y[i : i + 20]
        with tf.GradientTape() as tape:
            pred = tf.squeeze(model(xb, training=True))
            loss = tf.reduce_mean(tf.square(yb - pred))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""
IN_A_CLASS = """
import numpy as np
import tensorflow as tf
x = tf.constant(np.random.default_rng(0).normal(size=(400, 5)).astype("float32"))
y = tf.reduce_sum(x, axis=1, keepdims=True)
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.one = tf.keras.layers.Dense(16, activation="relu")
        self.two = tf.keras.layers.Dense(1)
    def call(self, x):
        return self.two(self.one(x))
class Learner:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(0.01)
        self.loss = tf.keras.losses.MeanSquaredError()
    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x))
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss
    def learn(self, epochs):
        for epoch in range(epochs):
            self.step(x, y)
def main():
    Learner(Net()).learn(100)
main()
"""


def report_of(script: str, stage: StageName | Way = WALK, steps: int = 120) -> Report:
    events: list[Event] = []
    perform(Run(script, stage=stage, steps=steps), events.append)
    return gather(events)


def told(script: str, stage: StageName) -> dict[str, int | None]:
    found = report_of(script, stage).findings
    return {one.code: one.line for one in found if one.severity != "note"}


def line_of(script: str, text: str) -> int:
    return next(n for n, line in enumerate(script.splitlines(), 1) if text in line)


LOSSES = {
    "an object": OBJECT,
    "a function": "loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy("
    "y, logits, from_logits=True))",
    "of tf.nn": "loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits("
    "labels=y, logits=logits))",
    "row by row": "loss = loss_fn(y, logits, sample_weight=tf.where(y == 2, 2.0, 1.0))",
    "times": "loss = 2 * loss_fn(y, logits)",
    "with penalties": "loss = loss_fn(y, logits) + sum(model.losses)",
    "with a penalty by hand": "loss = loss_fn(y, logits) + 1e-3 * tf.add_n("
    "[tf.nn.l2_loss(one) for one in model.trainable_weights])",
}


@pytest.mark.parametrize("how", LOSSES)
def test_a_healthy_loop_is_walked_through_all_stages(how: str) -> None:
    script = WHOLE.replace(OBJECT, LOSSES[how])
    if how == "with penalties":
        script = script.replace('activation="relu"', 'activation="relu", kernel_regularizer="l2"')
    report = report_of(script)

    assert {one.outcome for one in report.stages} == {"pass"}
    assert [one.code for one in report.findings] == []
    assert report.stage("evaluate").measured["eval_rows"] == 80
    assert report.stage("train").measured["steps"] == 96


GIVES = """
def batches(x, y):
    order = rng.permutation(len(x))
    for begin in range(0, len(x), 25):
        rows = order[begin : begin + 25]
        yield x[rows], y[rows]
whole = [(x[n : n + 25], y[n : n + 25]) for n in range(0, 400, 25)]
"""
GIVEN = {
    "a function": ("in train_dataset", "in batches(x[:400], y[:400])"),
    "a function, counted": (
        "in enumerate(train_dataset)",
        "in enumerate(batches(x[:400], y[:400]))",
    ),
    "a list": ("in train_dataset", "in whole"),
    "in one line": (
        "    for xb, yb in train_dataset:\n        loss = train_step(xb, yb)",
        "    loss = np.mean([train_step(xb, yb) for xb, yb in train_dataset])",
    ),
    "a while": ("for epoch in range(6):", "epoch = 0\nwhile epoch < 6:\n    epoch += 1"),
    "a while that counts batches": (
        "for epoch in range(6):",
        "turn, epoch = 0, 0\nwhile turn < 96:",
    ),
}


@pytest.mark.parametrize("how", GIVEN)
def test_batches_may_come_from_anywhere(how: str) -> None:
    was, now = GIVEN[how]
    loop = (
        LOOP if "enumerate" in was else LOOP.replace("step, (xb, yb) in enumerate(", "xb, yb in (")
    )
    if "enumerate" not in was:
        loop = loop.replace("(train_dataset)", "train_dataset")
    loop = loop.replace(was, now)
    if "turn" in now:
        loop = loop.replace("(xb, yb)\n", "(xb, yb)\n        turn += 1\n", 1)
    report = report_of(HEAD + STEP + GIVES + loop)

    assert {one.outcome for one in report.stages} == {"pass"}
    assert [one.code for one in report.findings] == []
    assert report.stage("train").measured["steps"] == 96


def test_a_while_draws_by_what_it_counts() -> None:
    """And what it does now and then is not done in each turn that is heard."""
    loop = """
def judge():
    for xb, yb in val_dataset:
        val_acc.update_state(yb, model(xb, training=False))
    print(float(val_acc.result()))
    val_acc.reset_states()
step = 0
while step < 96:
    if step % 32 == 0:
        judge()
    n = step % 16
    loss = train_step(x[n * 25 : n * 25 + 25], y[n * 25 : n * 25 + 25])
    step += 1
judge()
"""
    report = report_of(HEAD + STEP + loop)

    assert {one.outcome for one in report.stages} == {"pass"}
    assert report.stage("train").measured["steps"] == 96


def test_a_first_loss_of_rows_that_weigh_more_than_one_is_not_far_off() -> None:
    heavy = LOSSES["row by row"].replace("2.0, 1.0", "4.0, 2.0")

    assert told(WHOLE.replace(OBJECT, heavy), "forward") == {}


TOKENS = """
import numpy as np
import tensorflow as tf
rng = np.random.default_rng(0)
length = rng.integers(3, 13, size=(320, 1))
x = np.where(np.arange(12) < length, rng.integers(1, 20, size=(320, 12)), 0)
y = np.where(x > 0, 1 + x % 3, 0)
rows = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(320).batch(32)
layers = tf.keras.layers
model = tf.keras.Sequential([layers.Embedding(20, 16), layers.Dense(4)])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
optimizer = tf.keras.optimizers.Adam(0.05)
for epoch in range(10):
    for xb, yb in rows:
        with tf.GradientTape() as tape:
            each = loss_fn(yb, model(xb, training=True))
            kept = tf.cast(yb != 0, each.dtype)
            loss = tf.reduce_sum(each * kept) / tf.reduce_sum(kept)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""
DRAWN = AMOUNTS.replace("for i in range(0, len(x), 20):", "for i in range(10):").replace(
    "xb, yb = x[i : i + 20], y[i : i + 20]",
    "drawn = rng.integers(0, len(x), 20)\n        xb, yb = x[drawn], y[drawn]",
)
HELD = AMOUNTS.replace(
    "- pred))\n", "- pred)) + 1e-3 * tf.reduce_sum(model.trainable_variables[0] ** 2)\n"
)
SUMMED = AMOUNTS.replace("tf.reduce_mean(tf.square", "5 * tf.reduce_mean(tf.square")
ARRAYS = {
    "slices": AMOUNTS,
    "a class": IN_A_CLASS,
    "by lot": DRAWN,
    "times": SUMMED,
    "a penalty": HELD,
    "a mask": TOKENS,
}


@pytest.mark.parametrize("how", ARRAYS)
def test_arrays_and_formulas_are_followed_as_well(how: str) -> None:
    report = report_of(ARRAYS[how])
    rows = report.stage("data").measured["train"]["rows"]

    assert {one.outcome for one in report.stages} == {"pass"}
    assert report.findings == ()
    assert 100 < rows < 200 if how == "by lot" else rows in (200, 320, 400)


BODY_AND_HEAD = WHOLE.replace(
    "logits = model(x, training=True)", "logits = head(model(x, training=True), training=True)"
).replace("loss_fn = ", "head = tf.keras.layers.Dense(3)\nloss_fn = ")
IN_TWO = BODY_AND_HEAD.replace("model(xb, training=False)", "head(model(xb, training=False))")
CHAINED = IN_TWO.replace(
    "model.trainable_weights", "model.trainable_weights + head.trainable_weights"
)
CODED = AMOUNTS.replace("pred = tf.squeeze(model(xb, training=True))", "pred = back(model(xb))")
CODED = (
    CODED.replace("yb - pred", "xb - pred")
    .replace("SGD(", "Adam(")
    .replace("optimizer = ", "back = tf.keras.Sequential([layers.Dense(5)])\noptimizer = ")
)
CODED = CODED.replace(
    "model.trainable_variables", "[*model.trainable_variables, *back.trainable_variables]"
)


def test_models_that_are_asked_one_about_the_others_answer_are_one() -> None:
    for script in (CHAINED, CODED):
        report = report_of(script)
        assert {one.outcome for one in report.stages} == {"pass"}
        assert report.findings == ()

    assert "frozen_before_training" in told(IN_TWO, "step")


def test_a_loss_of_tensorflow_finds_no_logits_behind_a_softmax() -> None:
    """One of Keras does."""
    of_shares = WHOLE.replace("layers.Dense(3)", 'layers.Dense(3, activation="softmax")')
    twice = of_shares.replace(OBJECT, LOSSES["of tf.nn"])

    assert "squashed_before_loss" not in told(of_shares, "forward")
    assert "squashed_before_loss" in told(twice, "forward")


def test_what_a_loop_measures_by_hand_is_not_held_to_be_nothing() -> None:
    script = WHOLE.replace("val_acc.update_state(yb, ", "print(tf.argmax(").replace(
        "training=False))", "training=False), 1) == tf.cast(yb, tf.int64))"
    )
    script = script.replace("val_dataset", "others").replace("float(val_acc.result())", "0")

    assert told(script.replace("    val_acc.reset_states()\n", ""), "evaluate") == {}


def test_a_tape_among_the_rows_is_left_to_its_own_graph() -> None:
    """What `map` is given is always made a graph of."""
    slope = (
        "def slope(one, label):\n    with tf.GradientTape() as tape:\n        tape.watch(one)\n"
        "        made = one * one\n    return tape.gradient(made, one) / 2, label\n"
        "train_dataset = train_dataset.map(slope)\n"
    )

    assert report_of(HEAD + slope + STEP + LOOP, "step").stage("step").outcome == "pass"


def test_metrics_that_are_reset_one_after_the_other() -> None:
    script = WHOLE.replace(
        "    val_acc.reset_states()\n", "    for one in [val_acc]:\n        one.reset_states()\n"
    )

    assert told(script, "step") == {}


NORMED = WHOLE.replace(
    "    tf.keras.layers.Dropout(0.1),", "    tf.keras.layers.BatchNormalization(momentum=0.995),"
).replace("rng.normal(size=(480, 8))", "1e-3 * rng.normal(size=(480, 8))")
"""Its averages begin at a spread a thousand times that of the rows."""
FITTED = NORMED.split("@tf.function")[0].replace("> 1)", "> 1e-3)") + (
    'model.compile(optimizer, loss_fn, metrics=["accuracy"])\n'
    "model.fit(train_dataset, validation_data=val_dataset, epochs=60)\n"
)


def test_unseen_rows_are_not_judged_by_averages_that_are_still_on_their_way() -> None:
    long = NORMED.replace("> 1)", "> 1e-3)").replace("range(6)", "range(60)")

    for script in (long, FITTED):
        assert not told(script, "train").keys() & {
            *("learns_train_only", "worse_than_chance", "constant_predictions")
        }


def test_optimizers_minimize_and_loops_of_keras_3_are_followed() -> None:
    by_minimize = STEP.split("    with")[0].replace("@tf.function\n", "") + (
        "    def loss():\n        return loss_fn(y, model(x, training=True))\n"
        "    optimizer.minimize(loss, lambda: model.trainable_weights)\n    return loss()\n"
    )
    foreign = WHOLE.replace("import tensorflow as tf", "import keras\nimport tensorflow as tf")

    for script in (HEAD + by_minimize + LOOP, foreign.replace("tf.keras.", "keras.")):
        report = report_of(script, "step")
        assert report.stage("step").outcome == "pass"


FAULTS: dict[str, tuple[str, StageName, str, str]] = {
    "logits as shares": (
        WHOLE.replace("(from_logits=True)", "()"),
        *("forward", "loss_expects_probabilities", "loss_fn = "),
    ),
    "each against each": (
        AMOUNTS.replace("tf.squeeze(model(xb, training=True))", "model(xb, training=True)"),
        *("forward", "rows_pulled_alike", "loss = "),
    ),
    "no training": (
        WHOLE.replace("model(x, training=True)", "model(x)"),
        *("step", "learns_in_eval_mode", "logits = model(x)"),
    ),
    "no penalty": (
        WHOLE.replace('activation="relu"', 'activation="relu", kernel_regularizer="l2"'),
        *("step", "penalty_left_out", OBJECT),
    ),
    "read once": (
        (HEAD + "warm = 0.0\n" + STEP + LOOP)
        .replace(OBJECT, "loss = warm * loss_fn(y, logits)")
        .replace("range(6):\n", "range(6):\n    warm = min(1.0, epoch / 2)\n"),
        *("step", "number_read_once", "warm * loss_fn"),
    ),
    "frozen": (
        WHOLE.replace("model.trainable_weights", "model.layers[-1].trainable_weights"),
        *("step", "frozen_before_training", ""),
    ),
    "a break": (
        WHOLE.replace("train_step(xb, yb)\n", "train_step(xb, yb)\n        break\n"),
        *("step", "loop_broken_off", "        break"),
    ),
    "an optimizer a step": (
        WHOLE.replace("    grads = ", "    optimizer = tf.keras.optimizers.Adam()\n    grads = "),
        *("step", "optimizer_made_anew", "    optimizer = tf.keras.optimizers.Adam()"),
    ),
    "a mean of all epochs": (
        WHOLE.replace("    val_acc.reset_states()\n", ""),
        *("step", "metric_never_reset", "val_acc.result()"),
    ),
    "no weights yet": (
        (HEAD + "weights = model.trainable_weights\n" + STEP + LOOP)
        .replace("(loss, model.trainable_weights)", "(loss, weights)")
        .replace("(grads, model.trainable_weights)", "(grads, weights)")
        .replace("weights = ", OF_A_CLASS + "model = Net()\nweights = ", 1),
        *("setup", "no_weights_given", "optimizer.apply_gradients"),
    ),
    "no step": (
        WHOLE.replace("    optimizer.apply_gradients(zip(grads, model.trainable_weights))\n", ""),
        *("setup", "no_optimizer_steps", "with tf.GradientTape"),
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_what_is_wrong_in_a_loop_is_told_at_its_line(what: str) -> None:
    script, stage, code, text = FAULTS[what]
    found = told(script, stage)

    assert code in found
    assert found[code] == (line_of(script, text) if text else None)


ADDED_UP = (
    HEAD
    + "model.build((None, 8))\nheld = [tf.Variable(tf.zeros_like(one)) for one in model.weights]\n"
    + STEP.split("    optimizer.apply")[0]
    + """
    for one, grad in zip(held, grads):
        one.assign_add(grad)
    return loss
def update():
    optimizer.apply_gradients(zip(held, model.trainable_weights))
"""
    + LOOP.replace("yb)\n", "yb)\n        if step % 2:\n            update()\n", 1)
)
UNFOLLOWED = {
    "two models": (
        WHOLE.replace(
            "logits = model(x, training=True)",
            "logits = other(x) + model(x, training=True)",
        ).replace("loss_fn = ", "other = tf.keras.layers.Dense(3)\nloss_fn = "),
        "loop_of_models",
    ),
    "steps now and then": (
        WHOLE.replace(
            "    optimizer.apply_gradients",
            "    if tf.reduce_sum(loss) > -1:\n        optimizer.apply_gradients",
        ),
        "loop_of_other_steps",
    ),
    "gradients that add up": (ADDED_UP, "loop_of_other_steps"),
    "two optimizers": (
        HEAD + "second = tf.keras.optimizers.SGD(0.1)\n" + STEP + LOOP,
        "loop_of_optimizers",
    ),
    "a loss that is not to be told": (
        WHOLE.replace(
            OBJECT, "loss = tf.reduce_mean(tf.square(tf.nn.softmax(logits) - tf.one_hot(y, 3)))"
        ),
        "loop_of_another_loss",
    ),
    "a while": (
        WHOLE.replace("for epoch in range(6):", "epoch, loss = 0, 9\nwhile loss > 0.1:"),
        "loop_that_waits",
    ),
    "a comprehension": (
        HEAD
        + STEP
        + "for epoch in range(6):\n"
        + "    print([train_step(a, b) for a, b in train_dataset if len(a)])\n",
        "loop_in_one_line",
    ),
    "no model": (
        WHOLE.replace(OBJECT, "loss = tf.reduce_mean(held)")
        .replace("logits = model(x, training=True)", "held = tf.square(model.trainable_weights[0])")
        .replace("@tf.function", "model.build((None, 8))"),
        "hand_written_loop",
    ),
    "a few by hand": (
        HEAD + STEP + "for part in (x[:25], x[25:50]):\n    train_step(part, y[:25])\n",
        "loop_over_nothing",
    ),
    "one number a row": (
        WHOLE.replace(OBJECT, "loss = tf.keras.losses.sparse_categorical_crossentropy(y, logits)"),
        "loop_of_many_numbers",
    ),
    "asked for more": (
        (HEAD + STEP + LOOP).replace(
            "model(x, training=True)", "model(x, training=True, mask=None)"
        ),
        "loop_asks_otherwise",
    ),
}


@pytest.mark.parametrize("what", UNFOLLOWED)
def test_of_what_is_not_followed_it_is_said_why(what: str) -> None:
    script, code = UNFOLLOWED[what]
    report = report_of(script, "step")

    assert [one.code for one in report.findings] == [code]
    assert report.stage("setup").outcome == "unknown"


def test_a_training_is_still_as_long_as_the_script_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an item is made anew in each turn, what the model gets is kept: not all of it."""
    from debugger.frameworks.keras import loop_rows

    monkeypatch.setattr(loop_rows, "MOST_ROWS", 50)
    script = AMOUNTS.replace("xb, yb = x[i", "xb, yb = 1.0 * x[i")

    assert report_of(script, "train", 2).stage("train").measured["planned"] == 200
