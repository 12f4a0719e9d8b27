"""The rows that a script asks its trained model about, where its training is shown others."""

from __future__ import annotations

from typing import Any

import pytest

from debugger.script.asked import asked_last
from tests.frameworks.pytorch.test_numbers import SCRIPT, found

BUILT = "trainer = Trainer(model, args, train_dataset=rows{})\ntrainer.train()\n"
FITTED = "model.fit(x, y{})\n"
OWNER, HELD, TOLD = object(), object(), object()
NAMES: dict[str, Any] = {"trainer": OWNER, "model": OWNER, "test": HELD, "wanted": TOLD}


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        (
            BUILT.format("") + "print(trainer.evaluate(test))",
            2,
            "train_dataset=rows, eval_dataset=test)",
        ),
        (
            BUILT.format(", eval_dataset=held") + "trainer.predict(test_dataset=test)",
            2,
            "train_dataset=rows, eval_dataset=test)",
        ),
        (FITTED.format("") + "model.predict(test)", 1, "fit(x, y, validation_data=test)"),
        (
            FITTED.format(", validation_data=(v, w)") + "model.evaluate(test, wanted)",
            1,
            "fit(x, y, validation_data=(test, wanted))",
        ),
        (
            FITTED.format(", epochs=3") + "model.evaluate(x=test, y=wanted)",
            1,
            "fit(x, y, epochs=3, validation_data=(test, wanted))",
        ),
    ],
)
def test_what_is_asked_about_is_read_as_if_the_training_were_shown_it(
    text: str, line: int, shown: str
) -> None:
    (one,) = asked_last(text, line, NAMES)

    assert (one.owner, one.rows) == (OWNER, HELD)
    assert one.labels is (TOLD if "wanted" in text else None)
    assert shown in one.text
    assert len(one.text.splitlines()) == len(text.splitlines())


def test_the_last_that_is_asked_about_comes_first() -> None:
    text = FITTED.format("") + "model.evaluate(other)\nmodel.evaluate(test)"

    told = [one.rows for one in asked_last(text, 1, {**NAMES, "other": TOLD})]

    assert told == [HELD, TOLD]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (BUILT.format("") + "trainer.evaluate()", 2),
        (BUILT.format("") + "trainer.evaluate(make(test))", 2),
        (BUILT.format("") + "trainer.evaluate(made_later)", 2),
        ("trainer.evaluate(test)\n" + BUILT.format(""), 3),
        ("trainer.evaluate(test)", None),
        ("model.fit(**given)\nmodel.evaluate(test)", 1),
        ("not python(", None),
    ],
)
def test_nothing_is_read_of_what_is_not_there_when_the_training_begins(
    text: str, line: int | None
) -> None:
    assert list(asked_last(text, line, NAMES)) == []


def test_a_part_by_name_and_a_field_are_such_rows_too() -> None:
    class Held:
        def __init__(self) -> None:
            self.test = HELD

    for said in ("data['test']", "module.test"):
        text = BUILT.format("") + f"trainer.evaluate({said})"
        (one,) = asked_last(text, 2, {**NAMES, "data": {"test": HELD}, "module": Held()})
        assert one.rows is HELD


def later(test: str) -> str:
    """A script that asks about another set once it is trained."""
    made = SCRIPT.replace("trainer = Trainer(", f"test = {test}\ntrainer = Trainer(")
    return made + "said = trainer.predict(test)\n"


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("Rows(table[150:], amounts[150:])", True),
        ("Rows(scaler.transform(table[150:]), amounts[150:])", False),
        ("valid", False),
        ("Rows(table[150:], np.full(50, -1.0))", False),
    ],
)
def test_a_test_set_that_alone_is_left_unscaled_is_told_of_where_it_is_made(
    test: str, told: bool
) -> None:
    text = later(test)

    said = found(text, "data").get("splits_on_other_scales")

    assert (said is not None) == told
    assert said is None or text.splitlines()[(said.line or 0) - 1].startswith("test = Rows(table")


@pytest.mark.parametrize("chosen_by", ["valid", "test"])
def test_a_set_that_is_only_asked_about_has_chosen_no_epoch(chosen_by: str) -> None:
    kept = 'save_strategy="epoch", load_best_model_at_end=True'
    text = later("Rows(scaler.transform(table[150:]), amounts[150:])")
    text = text.replace('save_strategy="no"', kept)
    text = text.replace("eval_dataset=valid", f"eval_dataset={chosen_by}")

    assert ("epoch_chosen_by_test" in found(text, "evaluate")) == (chosen_by == "test")
