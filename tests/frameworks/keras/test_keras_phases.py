"""Phases, several outputs, and what comes behind the training, seen in scripts that really run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.outcome import Finding
from debugger.script.building import build
from debugger.script.enclosure import Enclosure
from debugger.script.places import Places
from debugger.stages import BATCH, EVALUATE, FORWARD, STEP, setup
from debugger.stages.judging import View, judged

DATA = """\
import numpy as np, tensorflow as tf
drawn = np.random.default_rng(0)
x = drawn.normal(size=(48, 4)).astype("float32")
y = (x[:, 0] > 0).astype("float32")
kind = (x[:, 0] > 0).astype(int) + (x[:, 1] > 0).astype(int)
layers, Adam = tf.keras.layers, tf.keras.optimizers.Adam
"""
PHASES = (
    DATA
    + """\
body = tf.keras.Sequential([layers.Input((4,)), layers.Dense(6)])
model = tf.keras.Sequential([body, layers.Dense(1, activation="sigmoid")])
body.trainable = False
optimizer = Adam(0.01)
model.compile(optimizer, loss="binary_crossentropy")
model.fit(x, y, epochs=2, verbose=0)
body.trainable = True
"""
)
LAST = "model.fit(x, y, epochs=2, verbose=0)\n"
TWO = (
    DATA
    + """\
given = tf.keras.Input((4,))
outputs = {
    "kind": layers.Dense(3, activation="softmax", name="kind")(given),
    "sure": layers.Dense(1, activation="sigmoid", name="sure")(given),
}
model = tf.keras.Model(given, outputs)
"""
)
BOTH = '{"kind": "sparse_categorical_crossentropy", "sure": "binary_crossentropy"}'
OWN = (
    DATA
    + """\
class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.end = layers.Dense(4, activation="sigmoid")
        self.mean = tf.keras.metrics.Mean(name="loss")
    @property
    def metrics(self):
        return [self.mean]
    def call(self, given):
        return self.end(given)
    def both(self, data):
        self.mean.update_state(loss := tf.reduce_mean(tf.square(data[1] - self(data[0]))))
        return loss
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self.both(data)
        weights = self.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"loss": self.mean.result()}
"""
)
TESTED = """\
    def test_step(self, data):
        self.both(data)
        return {"loss": self.mean.result()}
"""
RUN = """\
model = Own()
model.compile(Adam(0.01))
stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss")
model.fit(x, SCALE * tf.sigmoid(x).numpy(), batch_size=8, validation_split=0.25, callbacks=[stop])
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(script: str, stage: Any, *wanted: str) -> list[tuple[str, int | None]]:
    """The findings of one stage that are among the wanted ones, with their lines."""
    return [(one.code, one.line) for one in findings(script, stage, *wanted)]


def findings(script: str, stage: Any, *wanted: str) -> list[Finding]:
    building = build(script, "script.py", (), Enclosure(walled=True))
    assert building.failure is None
    pipeline = KerasPipeline(building.trained, building.earlier)
    pipeline.forward()  # which comes before the others
    seen = stage.observe(pipeline, lambda *_: None, 2, None)
    view = View(pipeline.facts, Places(script, building.training_line), has_script=True)
    found, _ = judged(stage.name, stage.rules, seen, view)
    return [one for one in found if one.code in wanted]


def test_a_model_that_is_thawed_and_not_compiled_again_stays_frozen() -> None:
    asked = STEP, "not_compiled_again"
    again = 'model.compile(Adam(0.01), loss="binary_crossentropy")\n'

    assert told(PHASES + LAST, *asked) == [("not_compiled_again", 13)]
    assert told(PHASES + again + LAST, *asked) == []
    assert told(PHASES + LAST.replace("x, y", "x[:, :], y[:, None]"), *asked) == []


def test_an_optimizer_of_the_phase_before_does_not_know_what_was_thawed() -> None:
    again = "model.compile(optimizer, loss='binary_crossentropy')\n"

    found = told(PHASES + again + LAST, STEP, "optimizer_knows_others")
    assert found == [("optimizer_knows_others", 14)]


def test_a_rate_under_its_old_name_is_ignored_unless_it_is_set_later() -> None:
    head = PHASES.partition("body.trainable = False")[0]
    compiled = head + 'model.compile(\n    Adam(\n        lr=0.5,\n    ), loss="mse")\n'

    assert told(compiled + LAST, STEP, "rate_ignored") == [("rate_ignored", 11)]
    later = compiled + "model.optimizer.learning_rate = 0.1\n"
    assert told(later + LAST, STEP, "rate_ignored") == []


@pytest.mark.parametrize(
    ("losses", "labels", "wanted"),
    [
        (BOTH, '{"kind": kind, "sure": y}', []),
        (BOTH, '{"kind": y, "sure": kind}', [("labels_of_other_output", 14)]),
        (BOTH, '{"kind": kind}', [("output_without_labels", 14)]),
        (BOTH, '{"kind": kind, "certain": y}', [("no_such_output", 14)]),
        (BOTH.partition(",")[0] + "}", '{"kind": kind, "sure": y}', [("output_without_loss", 13)]),
        (
            BOTH + ', loss_weights={"sure": 0.0}',
            '{"kind": kind, "sure": y}',
            [("output_weighs_nothing", 13)],
        ),
    ],
)
def test_outputs_losses_and_labels_are_held_against_each_other(
    losses: str, labels: str, wanted: list[tuple[str, int]]
) -> None:
    script = TWO + f"model.compile(Adam(0.01), loss={losses})\nmodel.fit(x, {labels}, epochs=2)\n"

    assert (
        told(
            script,
            FORWARD,
            *("labels_of_other_output", "output_without_labels", "output_without_loss"),
            *("no_such_output", "output_weighs_nothing"),
        )
        == wanted
    )


def test_a_model_of_its_own_training_that_knows_no_way_to_be_tested_says_0() -> None:
    script = RUN.replace("SCALE", "1")

    assert told(OWN + script, EVALUATE, "no_test_step") == [("no_test_step", 20)]
    assert told(OWN + TESTED + script, EVALUATE, "no_test_step") == []


def test_rows_to_be_judged_by_may_have_parts_that_those_to_learn_from_have_not() -> None:
    tested = TESTED.replace("self.both(data)", "x, y, seen = data\n        self.both((x, y))")
    apart = "validation_data=(0.9 * x[:8], x[:8], np.ones(8))"
    script = RUN.replace("SCALE", "1").replace("validation_split=0.25", apart)

    assert told(OWN + tested + script, FORWARD, "forward_failed") == []
    assert told(OWN + tested + script, EVALUATE, "evaluate_failed") == []
    unfit = script.replace(", np.ones(8))", ")")
    assert [code for code, _ in told(OWN + tested + unfit, EVALUATE, "evaluate_failed")]


def test_a_step_of_ones_own_gives_a_model_its_weights_where_call_wants_something_else() -> None:
    pair = OWN.replace("return self.end(given)", "one, other = given\n        return self.end(one)")
    script = (pair + RUN).replace("SCALE", "1").replace("self(data[0])", "self.end(data[0])")

    assert "one, other" in script
    assert "self.end(data[0])" in script
    assert told(script, FORWARD, "forward_failed") == []
    assert told(script, STEP, "step_failed", "no_gradient", "frozen_layers") == []


def test_labels_beyond_the_last_activation_are_seen_where_the_loss_is_the_models_own() -> None:
    asked = FORWARD, "output_cannot_reach"
    script = OWN + TESTED + RUN

    assert [code for code, _ in told(script.replace("SCALE", "9"), *asked)] == [asked[1]]
    assert told(script.replace("SCALE", "1"), *asked) == []


def test_shapes_that_keras_refuses_are_blamed_on_where_they_were_written() -> None:
    head = DATA + "model = tf.keras.Sequential([\n    layers.Input((5,)),\n    layers.Dense(4)])\n"
    asked = FORWARD, "rows_of_another_shape", "vectors_of_another_width"
    fit = "model.compile('sgd', loss='categorical_crossentropy')\nmodel.fit(x, y, epochs=2)\n"

    assert told(head + fit, *asked) == [("rows_of_another_shape", 8)]
    wide = head.replace("(5,)", "(4,)") + "y = np.eye(3)[kind]\n"
    assert told(wide + fit, *asked) == [("vectors_of_another_width", 9)]
    short = DATA + "model = tf.keras.Sequential([layers.Dense(1)])\nrows = x[:40]\n"
    script = short + fit.replace("x, y", "rows, y")
    building = build(script, "script.py", (), Enclosure(walled=True))
    found = [(one.code, one.line) for one in setup.findings(building, script)]
    assert found == [("rows_and_labels_unequal", 8)]


def test_an_inner_module_of_tensorflow_is_told_with_the_public_one() -> None:
    script = "from tensorflow.python.keras.never import LSTM\n"
    building = build(script, "script.py", (), Enclosure(walled=True))

    (found,) = setup.findings(building, script)
    assert (found.code, found.line) == ("inner_keras", 1)


def test_what_fails_behind_the_training_is_told_before_it() -> None:
    head = PHASES.partition("body.trainable = False")[0]
    head += 'model.compile(Adam(0.01), loss="mse", metrics=["acc"])\n'
    fit = "history = model.fit(x, y, validation_split=0.25)\n"
    asked = EVALUATE, "fails_afterwards", "history_without_key"

    sound = 'print(history.history["val_acc"], model.history, model.predict(x, verbose=0))\n'
    assert told(head + fit + sound, *asked) == []
    assert told(head + fit + "model.predict_classes(x)\n", *asked) == [("fails_afterwards", 11)]
    assert told(head + fit + "model.predict(x, size=3)\n", *asked) == [("fails_afterwards", 11)]
    lost = 'print(history.history["val_accuracy"])\n'
    assert told(head + fit + lost, *asked) == [("history_without_key", 11)]


GIVES_MORE = """\
class Gives(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.last = layers.Dense(1)
    def call(self, inputs, more=False, training=False):
        made = self.last(inputs)
        return (made, inputs) if more else made
model = Gives()
model.compile("adam", loss="mse")
model.fit(x, y, verbose=0)
"""


def test_what_a_model_gives_when_asked_for_more_only_the_model_can_say() -> None:
    script, asked = DATA + GIVES_MORE, (EVALUATE, "fails_afterwards")

    assert told(script + "made, given = model(x, more=True)\n", *asked) == []
    line = len(script.splitlines()) + 1
    assert told(script + "made, given = model(x)\n", *asked) == [("fails_afterwards", line)]


FINDS_ODD_ROWS = """\
from sklearn.metrics import accuracy_score
rows = tf.cast(np.random.RandomState(0).rand(64, 4), tf.float32)
odd = np.arange(64) % 3 == 0
model = tf.keras.Sequential([layers.Dense(2, activation="relu"), layers.Dense(4)])
model.compile("adam", loss="mae")
model.fit(rows, rows, verbose=0)
again = model(rows)
far = tf.keras.losses.mae(again, rows)
print(accuracy_score(~odd, tf.math.less(far, np.mean(far))))
"""


def test_how_badly_rows_are_given_back_may_be_what_is_asked_for() -> None:
    assert (
        told(DATA + FINDS_ODD_ROWS, EVALUATE, "printed_off_its_labels", "printed_of_others") == []
    )


READS_AND_WRITES = """\
texts = np.random.RandomState(0).randint(1, 6, (32, 5))
answers = np.eye(6)[np.concatenate([np.zeros((32, 1), int), texts[:, ::-1]], axis=1)]
given = answers[:, :-1] if {moved} else answers[:, 1:]
first, second = tf.keras.Input((5,)), tf.keras.Input((5, 6))
table = layers.Embedding(6, 8)(first)
both = layers.LSTM(8, return_sequences=True)(layers.Concatenate()([table, second]))
model = tf.keras.Model([first, second], layers.Dense(6, activation="softmax")(both))
model.compile("adam", loss="categorical_crossentropy")
model.fit([texts, given], answers[:, 1:], verbose=0)
"""


@pytest.mark.parametrize("moved", [False, True])
def test_a_decoder_that_is_given_its_very_answer(moved: bool) -> None:
    script = DATA + READS_AND_WRITES.format(moved=moved)
    found = [code for code, _ in told(script, BATCH, "input_is_the_answer")]

    assert found == ([] if moved else ["input_is_the_answer"])


OWN_LAYER = """\
class Scaled(layers.Layer):
    def __init__(self, by=2.0{more}):
        super().__init__({given})
        self.by = by
    def call(self, inputs):
        return inputs * self.by
    def get_config(self):
        return {{**super().get_config(), "by": self.by}}
given = tf.keras.Input((4,))
model = tf.keras.Model(given, layers.Dense(1)(Scaled()(given)))
model.compile(Adam(0.01), loss="mse")
"""


@pytest.mark.parametrize(
    ("kept", "opened", "named", "wanted"),
    [
        ("", '"best.h5"', True, "Unknown layer: 'Scaled'"),
        ("", '"best.h5", custom_objects={"Scaled": Scaled}', True, ""),
        ("", '"best.h5", custom_objects={"Scaled": Scaled}', False, "argument 'name'"),
        ('model.save("it.keras")\n', '"it.keras"', True, "Scaled"),
        ("", '"another.h5"', True, ""),
    ],
)
def test_a_model_that_cannot_be_opened_again_is_told_before_it_is_trained(
    kept: str, opened: str, named: bool, wanted: str
) -> None:
    more, given = (", **more", "**more") if named else ("", "")
    head = DATA + OWN_LAYER.format(more=more, given=given)
    head += 'keep = tf.keras.callbacks.ModelCheckpoint("best.h5", monitor="loss")\n'
    head += "model.fit(x, y, callbacks=[keep], verbose=0)\n" + kept
    last = f"best = tf.keras.models.load_model({opened})\n"

    found = findings(head + last, EVALUATE, "fails_afterwards")

    line = len((head + last).splitlines())
    assert [one.line for one in found] == ([line] if wanted else [])
    assert all(wanted in str(one.numbers["said"]) for one in found)


def test_answers_of_a_model_that_is_opened_again_are_held_against_labels() -> None:
    head = PHASES.partition("body.trainable = False")[0]
    head += 'model.compile(Adam(0.01), loss="binary_crossentropy")\n'
    head += "from sklearn.metrics import accuracy_score\n"
    head += 'model.fit(x, y)\nmodel.save("it.h5")\n'
    last = 'best = tf.keras.models.load_model("it.h5")\nsaid = best.predict(x)\n'
    sound = "print(accuracy_score(y, said > 0.5))\n"
    asked = EVALUATE, "fails_afterwards"

    assert told(head + last + sound, *asked) == []
    fails = sound.replace("y,", "y[:40],")
    assert told(head + last + fails, *asked) == [("fails_afterwards", 15)]


@pytest.mark.parametrize(
    ("kept", "only", "known"),
    [
        ('model.save_weights("it.h5")', "", True),
        ('model.save_weights("it.h5")', ", by_name=True", False),
        ("", "", False),
    ],
)
def test_answers_of_a_fresh_model_with_the_trained_weights_are_held_against_labels(
    kept: str, only: str, known: bool
) -> None:
    """Whoever fills it from a file that nobody writes gets answers that nobody can make up, and by
    name it may get none of the weights."""
    made = PHASES.partition("body.trainable = False")[0]
    head = made + 'model.compile(Adam(0.01), loss="binary_crossentropy")\n'
    head += "from sklearn.metrics import accuracy_score\n"
    head += f"model.fit(x, y)\n{kept}\n"
    filled = f'best = tf.keras.models.clone_model(model)\nbest.load_weights("it.h5"{only})\n'
    sound = "print(accuracy_score(y, best.predict(x) > 0.5))\n"
    asked = EVALUATE, "fails_afterwards"

    assert told(head + filled + sound, *asked) == []
    fails = told(head + filled + sound.replace("y,", "y[:40],"), *asked)
    assert fails == ([("fails_afterwards", 15)] if known else [])
