"""Rows whose axes were counted off anew by `reshape`, and rows as they should be: plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from debugger.pipelines.layout import counted_off, is_swap

ROWS, STEPS, SIDE = 40, 64, 12
RANDOM = np.random.default_rng(0)
ORDER = np.arange(STEPS)[None, :, None]
WAVES = np.sin(ORDER / 8 + RANDOM.uniform(0, 6, (ROWS, 1, 3)))
NOISE = RANDOM.normal(size=(ROWS, STEPS, 3))
SERIES = WAVES + NOISE / 20
WALKS = np.cumsum(RANDOM.normal(size=(ROWS, STEPS, 4)), axis=1)
SOUND = np.sin(ORDER * RANDOM.uniform(0.3, 1.5, (ROWS, 1, 1)))
STEREO = SOUND + RANDOM.normal(size=(ROWS, STEPS, 2)) / 50
DOWN, ALONG = np.mgrid[:SIDE, :SIDE][:, None]
MIDDLE = RANDOM.uniform(0, SIDE, (2, ROWS, 1, 1))
BLOB = np.exp(-((DOWN - MIDDLE[0]) ** 2 + (ALONG - MIDDLE[1]) ** 2) / 9)
PICTURES = BLOB[..., None] * RANDOM.uniform(0.3, 1, (ROWS, 1, 1, 3)) + RANDOM.normal(
    0, 0.02, (ROWS, SIDE, SIDE, 3)
)
ROUGH = NOISE.copy()
for at in range(1, STEPS):
    ROUGH[:, at] += 0.6 * ROUGH[:, at - 1]
FOLDED = np.cumsum(RANDOM.normal(size=(ROWS, STEPS * 2)), axis=1).reshape(ROWS, STEPS // 2, 4)
BEFORE = np.stack([WALKS[:, 2:, 0], WALKS[:, 1:-1, 0], WALKS[:, :-2, 0]], axis=2)
TRAINS = np.repeat(RANDOM.uniform(0, 1000, 18), 3) + RANDOM.normal(0, 20, (ROWS, 3, 1))
TRAINS = TRAINS + RANDOM.normal(size=(ROWS, 3, 54))
"""What is known of three trains, one behind the other: 18 things at three stations each."""
LETTERS = np.eye(4)[RANDOM.integers(0, 4, (ROWS, STEPS))]


def first(rows: Any) -> Any:
    """With the last axis before the others."""
    return np.moveaxis(rows, -1, 1)


def counted(rows: Any, *axes: int) -> Any:
    return rows.reshape(ROWS, *axes)


@pytest.mark.parametrize(
    ("rows", "fitting"),
    [
        (counted(SERIES, 3, STEPS), (STEPS, 3)),
        (counted(SERIES * [1, 5, 20], 3, STEPS), (STEPS, 3)),
        (counted(WAVES + 0.7 * NOISE, 3, STEPS), (STEPS, 3)),
        (counted(WALKS, 4, STEPS), (STEPS, 4)),
        (counted(STEREO, 2, STEPS), (STEPS, 2)),
        (counted(first(STEREO), STEPS, 2), (2, STEPS)),
        (counted(first(ROUGH), STEPS, 3), (3, STEPS)),
        (counted(first(ROUGH * [1, 1.5, 0.8]), STEPS, 3), (3, STEPS)),
        (counted(PICTURES, 3, SIDE, SIDE), (SIDE, SIDE, 3)),
        (counted(first(PICTURES), SIDE, SIDE, 3), (3, SIDE, SIDE)),
        (counted((255 * BLOB).astype("uint8")[..., None].repeat(3, 3), 3, SIDE, SIDE), None),
    ],
)
def test_rows_that_were_counted_off_anew_fit_in_another_order_of_their_axes(
    rows: Any, fitting: tuple[int, ...] | None
) -> None:
    found = counted_off(list(rows))

    assert found == (rows.shape[1:], fitting or (SIDE, SIDE, 3))


@pytest.mark.parametrize(
    "rows",
    [
        *(one for made in (SERIES, STEREO, WALKS, PICTURES) for one in (made, first(made))),
        *(one for made in (NOISE, ROUGH, LETTERS) for one in (made, first(made))),
        SERIES * [1, 5, 20],
        ROUGH + ROUGH.mean(axis=2, keepdims=True),
        FOLDED,
        BEFORE,
        BEFORE[:, :, ::-1],
        WAVES + 0.7 * NOISE,
        BLOB,
        PICTURES[..., :1],
        RANDOM.normal(size=(ROWS, SIDE, SIDE, 3)),
        NOISE * [1, 10, 100],
        TRAINS,
        (255 * PICTURES.clip(0, 1)).astype("uint8"),
    ],
)
def test_rows_as_they_were_measured_fit_best_as_they_are(rows: Any) -> None:
    assert counted_off(list(rows)) is None


@pytest.mark.parametrize(
    "rows",
    [
        list(counted(SERIES, 3, STEPS)[:20]),
        [*counted(SERIES, 3, STEPS), *SERIES],
        list(counted(SERIES, 3 * STEPS)),
        list(counted(np.where(SERIES > 0.9, np.nan, SERIES), 3, STEPS)),
        list(counted(NOISE, 3, STEPS)),
        list(counted(LETTERS, 4, STEPS)),
    ],
)
def test_rows_that_are_few_or_tell_nothing_of_their_order_are_not_judged(rows: list[Any]) -> None:
    assert counted_off(rows) is None


@pytest.mark.parametrize(
    ("before", "after", "swap"),
    [
        ((8, 128, 3), (8, 3, 128), True),
        ((8, 1, 28, 20), (8, 20, 28), True),
        ((8, 28, 28), (8, 28, 28), False),
        ((8, 128, 3), (8, 128, 1, 3), False),
        ((8, 128, 3), (8, 384), False),
        ((8, 384), (8, 128, 3), False),
        ((8, 128, 6), (8, 128, 2, 3), False),
        ((8, 1, 3), (8, 3, 1), False),
    ],
)
def test_a_shape_is_another_with_its_axes_in_another_order(
    before: tuple[int, ...], after: tuple[int, ...], swap: bool
) -> None:
    assert is_swap(before, after) == swap
