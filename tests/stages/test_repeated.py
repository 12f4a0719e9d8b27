"""What a loop leaves to be done behind it."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from debugger.script.repeated import copied_before_split, stepped_behind

LOOP = """\
for epoch in range(3):
    for batch in loader:
{within}
{behind}
"""
BACK = "optimizer.zero_grad()\nmodel(batch).backward()"


@pytest.mark.parametrize(
    ("within", "behind", "line"),
    [
        (BACK, "optimizer.step()", 5),
        (BACK + "\noptimizer.step()", "", None),
        (BACK + "\noptimizer.step()", "schedule.step()", None),
        (BACK + "\nfor one in all: one.step()", "optimizer.step()", None),
        ("model(batch).backward()", "optimizer.step()\noptimizer.zero_grad()", None),
        (BACK, "schedule.step()", None),
    ],
)
def test_one_step_for_batches_that_take_each_others_gradients_away(
    within: str, behind: str, line: int | None
) -> None:
    script = LOOP.format(within=indent(within, " " * 8), behind=indent(behind, " " * 4))
    assert stepped_behind(ast.parse(script)) == line


OVERSAMPLE = "def more(df):\n    return df.sample(900, replace=len(df) < 900)\n"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("train, test = train_test_split(oversample(df))", 1),
        ("df = augment(df)\ntrain, test = train_test_split(df)", 1),
        ("x, y = SMOTE().fit_resample(x, y)\na, b, c, d = train_test_split(x, y)", 1),
        (OVERSAMPLE + "train, test = split(more(df))", 3),
        (OVERSAMPLE + "train, test = split(df)\ntrain = more(train)", None),
        ("train, test = train_test_split(df)\ntrain = oversample(train)", None),
        ("words = text.split(' ')", None),
        ("rows = rng.choice(texts, 900, replace=True)\na, b = train_test_split(rows)", None),
    ],
)
def test_rows_that_are_copied_before_they_are_split(script: str, line: int | None) -> None:
    assert copied_before_split(ast.parse(script)) == line
