"""What a script does with a model once it is trained, read from its text."""

from __future__ import annotations

import ast

import pytest

from debugger.script.afterwards import Compared, compared, made_anew

ASKED = "made = model.predict(rows)\n"


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (ASKED + "print(f1_score(y, made.argmax(-1)))", [("y", False)]),
        (ASKED + "print(np.abs(made.squeeze() - y).mean())", [("y", True)]),
        (ASKED + "print(np.abs(scaler.inverse_transform(made) - y).mean())", [("y", False)]),
        (ASKED + "made = made * 2 + 1\nprint(mean_absolute_error(y, made))", [("y", False)]),
        (ASKED + "print((made > 0.5) == np.array(y).astype(int))", [("y", False)]),
        (ASKED + "y = [b for a, b in rows]\nprint(made == y)", [("", True)]),
        (ASKED + "y = []\nfor a, b in rows:\n  y.extend(b)\nprint(made == y)", [("", True)]),
        (ASKED + "y = [b for a, b in others]\nprint(made == y)", []),
        (ASKED + "plot(y, made)\nprint(rows - made)\nprint(len(y))", []),
    ],
)
def test_answers_are_seen_beside_what_they_are_compared_with(
    script: str, wanted: list[tuple[str, bool]]
) -> None:
    found = compared(ast.parse(script))

    assert [(one.labels, one.plain) for one in found] == wanted
    assert {one.rows for one in found} <= {"rows"}


def test_a_part_that_is_taken_later_and_the_function_around_it_are_known() -> None:
    script = f"def test():\n  {ASKED}  wanted = prices[64:]\n  print(made - wanted)\n"

    assert compared(ast.parse(script)) == []
    assert compared(ast.parse(script), "test") == [
        Compared("rows", "wanted", 2, True, "prices[64:]")
    ]


OWN = "def made(): ...\n"
FIT = "model.fit(x, epochs=2)\n"


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (FIT + "model = clone_model(model)\nmodel.evaluate(x)", (2, False)),
        (FIT + "other = clone_model(model)\nother.predict(x)", (2, False)),
        (FIT + "model.evaluate(x)\nother = clone_model(model)\nother.predict(x)", (3, True)),
        (OWN + "model = made()\n" + FIT + "model = made()\nmodel.save('it')", (4, False)),
        (
            OWN + "model = made()\n" + FIT + "model = made()\n"
            "model.load_weights('it')\nmodel.save('it')",
            None,
        ),
        ("model = Model(a, b)\n" + FIT + "inner = Model(a, c)\ninner.predict(x)", None),
        ("m = Sequential([d])\nm.fit(x, epochs=2)\np = Sequential([m, s])\np.predict(x)", None),
        (FIT + "model = load_model('it')\nmodel.evaluate(x)", None),
        (OWN + "model = made()\n" + FIT + "model = made()\nmodel.fit(x, epochs=9)", None),
        (OWN + "model = made()\n" + FIT + "model.evaluate(x)", None),
    ],
)
def test_a_model_made_anew_and_asked_is_seen(script: str, wanted: tuple[int, bool] | None) -> None:
    assert made_anew(ast.parse(script)) == wanted
