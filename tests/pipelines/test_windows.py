"""Windows over a course of time, over steps that were dealt out, and rows that are no windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from debugger.pipelines.spelled import short_of
from debugger.pipelines.windows import windows

DRAWN = np.random.default_rng(0)
COURSE = np.sin(np.arange(300) / 5)[:, None] + DRAWN.normal(0, 0.1, (300, 2))


def cut(course: Any) -> dict[str, list[Any]]:
    return {"inputs": [course[at : at + 24] for at in range(0, 200)]}


def test_a_step_goes_with_the_one_before_it() -> None:
    found = windows(cut(COURSE))
    assert found is not None
    assert (found.steps, found.columns) == (24, 2)
    assert found.follows > 0.8


def test_steps_that_were_dealt_out_before_windows_were_cut() -> None:
    found = windows(cut(DRAWN.permutation(COURSE)))
    assert found is not None
    assert found.follows < 0.1


def test_whole_windows_may_be_shuffled() -> None:
    rows = cut(COURSE)["inputs"]
    found = windows({"inputs": [rows[at] for at in DRAWN.permutation(len(rows))]})
    assert found is not None
    assert found.follows > 0.8


def test_rows_that_share_no_step_are_no_windows() -> None:
    assert windows({"inputs": list(DRAWN.normal(size=(40, 24, 2)))}) is None


def test_letters_come_again_without_any_course() -> None:
    letters = DRAWN.integers(0, 4, (60, 24))
    assert windows({"inputs": list(np.eye(4, dtype="float32")[letters])}) is None


WORDS = [f"{first} b c d e f" for first in "mnopqrstuvmnopqrstuv"]


@pytest.mark.parametrize(("read", "width"), [(3, 3), (6, None)])
def test_words_that_are_cut_in_rows_that_are_filled_up(read: int, width: int | None) -> None:
    rows = [[ord(one[0]), 2, 3, 4, 5, 6][:read] + [0] * (10 - read) for one in WORDS]
    found = short_of(WORDS, rows)
    assert (None if found is None else found.width) == width
