"""Two trainings in one Keras script: a few steps of the first are run, the second is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from frameworks.keras.forms import START
from frameworks.keras.walled import WALLED, findings

from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.script.building import EARLIER_STEPS, Building, Unseen, build
from debugger.script.enclosure import OPEN, Enclosure
from debugger.script.places import Places
from debugger.stages import setup
from debugger.words import Words

HEAD = """\
import tensorflow as tf
from tests import tiny_keras as tiny
rows, held_out = tiny.batches(), tiny.batches(12, seed=1)
model = tiny.compiled()
"""
FIRST = "history = model.fit(rows, validation_data=held_out, epochs=3)\n"
LAST = "print(history.history['val_accuracy'][-1])\n"
AGAIN = "tiny.compiled(model)\n"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def built(text: str, enclosure: Enclosure = WALLED) -> Building:
    return build(text, "script.py", (), enclosure)


def test_the_last_fit_is_looked_at_and_the_one_before_it_was_really_run() -> None:
    building = built(HEAD + FIRST + LAST + AGAIN + FIRST)

    assert building.training_line == 8
    assert building.rehearsed == ((5, EARLIER_STEPS, 18),)
    assert int(building.trained.model.optimizer.iterations) == 0
    codes = [(f.code, f.line, f.severity) for f in setup.findings(building, "")]
    assert codes == [("trains_before", 5, "note")]


def test_a_schedule_over_one_fit_after_the_other_is_not_held_against_one_of_them() -> None:
    schedule = "tf.keras.optimizers.schedules.PolynomialDecay(1e-3, 18)"
    optimizer = f"model.optimizer = tf.keras.optimizers.Adam({schedule})\n"
    each = "for epoch in range(3):\n    model.fit(rows, initial_epoch=epoch, epochs=epoch + 1)\n"
    alone = "model.fit(rows, epochs=1)\n"

    assert "schedule_too_long" not in findings(HEAD + optimizer + each, "step")
    assert "schedule_too_long" in findings(HEAD + optimizer + alone, "step")


COUNTED_ON = "model.fit(rows,\n    epochs=3,\n    initial_epoch=history.epoch[-1] + 1)\n"


def test_a_fit_that_counts_on_from_one_before_it_and_has_no_epoch_left() -> None:
    found = findings(HEAD + FIRST + COUNTED_ON, "step")["no_epoch_left"]

    assert (found.severity, found.numbers["first"]) == ("fault", 3)
    assert found.line == (START + HEAD + FIRST).count("\n") + 2
    longer = COUNTED_ON.replace("epochs=3", "epochs=6")
    assert "no_epoch_left" not in findings(HEAD + FIRST + longer, "step")


def test_nobody_knows_how_long_a_fit_takes_that_may_stop_early() -> None:
    stops = FIRST.replace("epochs=3", "epochs=3, callbacks=[tf.keras.callbacks.EarlyStopping()]")
    building = built(HEAD + stops + COUNTED_ON)

    assert (building.trained.begins_at, building.trained.epochs) == (1, 2)


def test_a_training_that_follows_one_that_was_cut_short_is_known_for_it() -> None:
    def cut_short(text: str) -> bool:
        return KerasPipeline(built(text).trained).facts.cut_short

    assert cut_short(HEAD + FIRST + AGAIN + FIRST)
    assert not cut_short(HEAD + FIRST + "model = tiny.compiled()\n" + FIRST)
    assert not cut_short(HEAD + FIRST)


def test_the_rates_that_a_callback_writes_down_stand_in_a_history_that_was_cut_short() -> None:
    steers = "tf.keras.callbacks.ReduceLROnPlateau()"
    plateau = FIRST.replace("epochs=3", f"epochs=3, callbacks=[{steers}]")
    read = "print(history.history['lr'][-1])\n"

    assert built(HEAD + plateau + read + FIRST).unseen is None
    assert built(HEAD + FIRST + read + FIRST).unseen == Unseen(
        "trains_again_fails", {"at": 6, "said": "'lr'"}
    )


def test_one_model_compiled_twice_for_the_same_rows_is_worth_a_look() -> None:
    building = built(HEAD + FIRST + AGAIN + FIRST)
    seen = KerasPipeline(building.trained, building.earlier).forward().earlier

    assert seen is not None
    assert (seen.line, seen.built_line, seen.same_task) == (5, 7, False)
    assert seen.moved > seen.tensors / 2


@pytest.mark.parametrize(
    "between",
    [
        "",
        "rows = tiny.batches(24, seed=2)\n" + AGAIN,
        "model = tiny.compiled()\n",
        "model.bert.trainable = False\n" + AGAIN,
    ],
    ids=["it goes on", "other rows", "a new model", "other weights"],
)
def test_stages_of_a_recipe_and_a_model_that_starts_anew_are_none(between: str) -> None:
    building = built(HEAD + FIRST + between + FIRST)

    assert len(building.rehearsed) == 1
    assert building.earlier is None


def test_a_later_fit_that_is_not_reached_is_told() -> None:
    fails = HEAD + FIRST + "print(history.history['f1'])\n" + FIRST
    assert built(fails).unseen == Unseen("trains_again_fails", {"at": 6, "said": "'f1'"})
    assert built(fails, OPEN).unseen == Unseen("trains_again_open")


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("model.compile('adam')\nmodel.fit(rows)\n", False),
        ("model.compile('adam')\nmodel.fit(rows)\nmodel.fit(rows)\n", True),
        ("model.fit(rows, epochs=1)\nbuild(2).fit(rows, epochs=1)\n", True),
        ("for rate in rates:\n    build(rate).fit(rows, epochs=1)\n", True),
        ("scaler.fit(x)\nmodel.compile('adam')\nmodel.fit(x)\n", False),
        ("model.compile('adam')\nif a:\n    model.fit(x)\nelse:\n    model.fit(y)\n", False),
    ],
)
def test_a_script_that_fits_again_is_known_by_its_text(text: str, again: bool) -> None:
    assert Places(text).trains_again() == again


def test_what_is_said_of_it_speaks_of_fit() -> None:
    building = built(HEAD + FIRST + AGAIN + FIRST)
    (note,) = setup.findings(building, "")

    assert "looks at the fit at line 7" in Words().of("keras").finding(note)
