"""What a loop leaves to be done behind it."""

from __future__ import annotations

import ast
from textwrap import indent

import pytest

from debugger.script.repeated import stepped_behind

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
