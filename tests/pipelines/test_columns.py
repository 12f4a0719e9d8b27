"""Rows and labels for each of their places, filled up alike or not."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from debugger.pipelines.columns import filled_elsewhere


def filled(side: Literal["front", "behind"], nothing: int = 0) -> tuple[list[Any], list[list[int]]]:
    """Rows of 3 to 7 words, filled up behind to 8 places, and labels 1 to 3."""
    random = np.random.default_rng(0)
    rows, labels = [], []
    for length in random.integers(3, 8, 40):
        rows.append(np.r_[random.integers(1, 50, length), np.zeros(8 - length, int)])
        told = random.integers(1, 4, length).tolist()
        empty = [nothing] * (8 - length)
        labels.append([*empty, *told] if side == "front" else [*told, *empty])
    return rows, labels


@pytest.mark.parametrize("nothing", [0, -100, 7])
def test_labels_that_are_filled_up_in_front_stand_at_no_word_of_theirs(nothing: int) -> None:
    assert filled_elsewhere(*filled("front", nothing)) == (40, 40)
    by_luck = filled_elsewhere(*filled("behind", nothing))
    assert by_luck is not None
    assert by_luck[0] < 10


def test_rows_that_nothing_fills_up_say_nothing() -> None:
    rows, labels = filled("front")
    assert filled_elsewhere([row + 1 for row in rows], labels) is None
    assert filled_elsewhere(rows, [0] * 40) is None
    assert filled_elsewhere([row / 2 for row in rows], labels) is None
