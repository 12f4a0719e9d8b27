"""What is heard of a script's lines while they run, and that they run as they did before."""

from __future__ import annotations

import textwrap

import pytest

from debugger.script.building import build
from debugger.script.heard import Heard

SERIES = """
import numpy as np
waves = np.random.default_rng(0).normal(size=(20, 3, 50))
"""


def heard_of(script: str) -> Heard:
    return build(SERIES + textwrap.dedent(script), "script.py").heard


@pytest.mark.parametrize(
    ("script", "shapes"),
    [
        ("x = waves.reshape(-1, 50, 3)", ((20, 3, 50), (20, 50, 3))),
        ("x = np.reshape(waves, (20, 50, 3))", ((20, 3, 50), (20, 50, 3))),
        ("x = waves.reshape(-1, 50, 3, 1).astype('float32')", ((20, 3, 50), (20, 50, 3, 1))),
        ("x = [one.reshape(50, -1) for one in waves]", ((3, 50), (50, 3))),
        (
            "import torch\ndef of(one):\n    return torch.tensor(one).view(50, 3)\nof(waves[0])",
            ((3, 50), (50, 3)),
        ),
    ],
)
def test_axes_that_are_only_counted_off_are_heard_once_with_their_line(
    script: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    (found,) = heard_of(script).counted_off
    assert (found.before, found.after) == shapes
    assert found.line is not None
    assert "reshape" in (said := script.splitlines()[found.line - 4]) or "view" in said


@pytest.mark.parametrize(
    "script",
    [
        "x = waves.transpose(0, 2, 1)",
        "x = waves.reshape(20, -1)",
        "x = waves.reshape(-1, 3, 50, 1)",
        "x = waves.reshape(2, 10, 3, 50)",
        "x = waves[:, :1].reshape(20, 50, 1)",
        "x = np.zeros((20, 3, 50)).reshape(20, 50, 3)",
        "x = 'reshape'.upper()",
        "import torch\nx = torch.zeros(20, 3, 50, requires_grad=True).cumsum(2).view(20, 50, 3)",
    ],
)
def test_what_moves_no_axis_or_rightly_is_not_heard(script: str) -> None:
    assert heard_of(script).counted_off == []


def test_a_line_that_takes_the_logarithm_of_nothing_is_heard() -> None:
    assert heard_of("y = np.log(np.zeros(3))\nz = np.log(np.ones(3))").logs_of_zero == [4]


def test_a_line_that_fills_what_pandas_throws_away_is_heard() -> None:
    table = "import pandas\ntable = pandas.DataFrame({'age': [1.0, None]})\n"
    line = len((SERIES + table).splitlines()) + 1
    assert heard_of(table + "table['age'].fillna(3, inplace=True)").set_on_copies == [line]
    kept = "table['age'] = table['age'].fillna(3)\ntable.loc[:, 'age'] = 1"
    assert heard_of(table + kept).set_on_copies == []


def test_two_scripts_that_stand_at_once_are_each_heard_for_themselves() -> None:
    one = build(SERIES + "def of(x):\n    return x.reshape(-1, 50, 3)", "script.py")
    other = build(SERIES, "script.py")
    assert one.stands is not None
    one.stands.names["of"](one.stands.names["waves"])
    assert (len(one.heard.counted_off), other.heard.counted_off) == (1, [])


def test_a_line_that_fails_fails_in_the_scripts_own_words() -> None:
    built = build(SERIES + "x = (waves\n     .reshape(7, 7))", "script.py")
    assert built.failure is not None
    assert built.failure.message == "cannot reshape array of size 3000 into shape (7,7)"
    assert [frame.name for frame in built.failure.frames] == ["<module>"]
    assert built.failure.line == 5
