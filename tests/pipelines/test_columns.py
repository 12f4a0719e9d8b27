"""Rows and labels for each of their places, filled up alike or not; numbers that stand for none."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from debugger.pipelines.columns import filled_elsewhere, measured
from debugger.pipelines.rows import short


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


RANDOM = np.random.default_rng(1)
MEASURED = RANDOM.normal(20, 5, (200, 4))
OFTEN = np.arange(200) % 20 == 0
AGES = RANDOM.integers(18, 80, (200, 1)).astype(float)


def with_none(rows: Any, value: float, where: Any = OFTEN) -> Any:
    """The last column says that now and then for a value that is missing."""
    made = rows.copy()
    made[where, ..., -1] = value
    return made


@pytest.mark.parametrize(
    ("rows", "place", "value", "times"),
    [
        (with_none(MEASURED, 9999), 3, 9999, 10),
        (with_none(MEASURED, -999), 3, -999, 10),
        (with_none(AGES, 999), 0, 999, 10),
        (with_none(AGES.astype(int), 999), 0, 999, 10),
        (with_none(RANDOM.normal(size=(200, 6, 2)), -99), 1, -99, 60),
        (with_none(MEASURED[:, :1], 9999).ravel(), 0, 9999, 10),
    ],
)
def test_a_number_far_from_all_others_that_comes_again_and_again_may_stand_for_none(
    rows: Any, place: int, value: float, times: int
) -> None:
    found = measured({"x": list(rows)}, ()).filled

    assert found is not None
    assert (found.name, found.place, found.value, found.times) == ("x", place, value, times)
    assert found.low < found.high < 100


@pytest.mark.parametrize(
    "rows",
    [
        MEASURED,
        with_none(MEASURED, 9999, np.arange(200) < 4),
        MEASURED.clip(10, 25),
        with_none(MEASURED, 0),
        RANDOM.poisson(2, (300, 3)).astype(float),
        RANDOM.geometric(0.02, (300, 3)).astype(float),
        np.eye(30)[RANDOM.integers(0, 30, 300)],
        np.exp(3 * RANDOM.normal(size=(300, 3))),
        1 / RANDOM.normal(size=(300, 3)),
        np.where(RANDOM.random((300, 2)) < 0.6, 0, np.exp(RANDOM.normal(5, 1, (300, 2)))),
        RANDOM.integers(0, 50, (300, 2)),
        np.pad(RANDOM.integers(5, 60, (300, 6)), ((0, 0), (0, 4))),
        with_none(MEASURED, np.nan),
    ],
)
def test_what_is_capped_counted_or_far_spread_stands_for_something(rows: Any) -> None:
    assert measured({"x": list(rows)}, ()).filled is None


STEPS_BEHIND = RANDOM.normal(20, 5, (200, 3, 24))


@pytest.mark.parametrize("place", [0, 2])
def test_the_columns_of_windows_may_stand_before_their_steps(place: int) -> None:
    rows = STEPS_BEHIND.copy()
    rows[::20, place, ::3] = -999

    for laid in (rows, np.moveaxis(rows, 1, 2)):
        found = measured({"x": list(laid)}, ()).filled
        assert found is not None
        assert (found.place, found.value, found.times) == (place, -999, 80)


@pytest.mark.parametrize("place", [0, 2])
def test_a_column_of_windows_that_lies_elsewhere_stands_for_something(place: int) -> None:
    far, switched = STEPS_BEHIND.copy(), STEPS_BEHIND.copy()
    far[:, place] += 4000
    switched[:, place] = 500 * RANDOM.integers(0, 2, (200, 24))

    for rows in (STEPS_BEHIND, far, switched):
        assert measured({"x": list(rows)}, ()).filled is None


DRAWN = np.random.default_rng(3).normal(4, [1, 9, 0.2], (120, 3))
OWN = (DRAWN - DRAWN.mean(axis=0)) / DRAWN.std(axis=0)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (OWN, 3),
        (OWN.astype(np.float32), 3),
        ((DRAWN - DRAWN.mean(axis=0)) / DRAWN.std(axis=0, ddof=1), 3),
        (np.column_stack([OWN, np.ones(120)]), 3),
        (np.column_stack([OWN, DRAWN[:, 0]]), 3),
        (OWN[:, :1], 1),
        (OWN.reshape(40, 3, 3), 3),
    ],
)
def test_rows_that_were_scaled_by_their_own_numbers_show_it(rows: Any, columns: int) -> None:
    found = measured({"x": list(rows)}, []).standard

    assert found is not None
    assert (found.columns, found.rows) == (columns, len(rows))


@pytest.mark.parametrize(
    "rows",
    [
        DRAWN,
        OWN[:80],
        (DRAWN - DRAWN[:80].mean(axis=0)) / DRAWN[:80].std(axis=0),
        np.random.default_rng(4).normal(size=(120, 3)),
        (DRAWN - DRAWN.mean(axis=1, keepdims=True)) / DRAWN.std(axis=1, keepdims=True),
        np.column_stack([OWN[:, 0], DRAWN]),
        OWN[:20],
        np.zeros((40, 3)),
        np.array([["red"], ["blue"]] * 20),
        np.where(OWN > 2, np.nan, OWN),
        [(one - one.mean()) / one.std() for one in DRAWN[:, :, None]],
    ],
)
def test_rows_that_were_scaled_by_those_of_others_are_let_be(rows: Any) -> None:
    assert measured({"x": list(rows)}, []).standard is None


def test_of_a_picture_in_lists_a_few_numbers_are_shown() -> None:
    shown = short([[[0.5] * 224] * 224] * 3)

    assert [len(shown), len(shown[0]), len(shown[0][0])] == [3, 48, 4]
    assert short(["a" * 999, 1, None]) == ["a" * 300, 1, None]


@pytest.mark.parametrize(
    ("shape", "place", "step"), [((1, 12), (0, 11), 11), ((12, 2), (11, 0), 11), ((3,), (2,), 2)]
)
@pytest.mark.parametrize("alone", [True, False])
def test_an_answer_among_the_inputs_may_be_a_column_of_one(
    shape: tuple[int, ...], place: tuple[int, ...], step: int, alone: bool
) -> None:
    rows = list(np.random.default_rng(0).normal(size=(80, *shape)).astype("float32"))
    labels = [2 * float(row[place]) + 1 for row in rows]

    echo = measured({"x": rows}, [[one] for one in labels] if alone else labels).echo

    assert echo is not None
    assert (echo.place, echo.step, echo.in_time) == (place, step, len(shape) == 2)
