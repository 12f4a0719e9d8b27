"""What luck alone could show, on plain numbers."""

from __future__ import annotations

import math

import pytest

from debugger.stages.chance import agreement, guessing_costs, interval, mean_within, shares_of


@pytest.mark.parametrize(
    ("share", "rows", "low", "high"),
    [
        (0.5, 100, 0.404, 0.596),
        (1.0, 8, 0.676, 1.0),
        (0.0, 20, 0.0, 0.161),
        (0.7, 0, 0.0, 1.0),
    ],
)
def test_few_rows_leave_a_wide_interval(share: float, rows: int, low: float, high: float) -> None:
    assert interval(share, rows) == pytest.approx((low, high), abs=1e-3)


def test_guessing_rare_classes_costs_less_than_their_number_says() -> None:
    rare = shares_of([0] * 94 + [1] * 6)

    assert rare == (0.94, 0.06)
    assert guessing_costs(rare) == pytest.approx(0.227, abs=1e-3)
    assert guessing_costs(shares_of([0, 1, 2])) == pytest.approx(math.log(3))
    assert guessing_costs([]) == 0


def test_noisy_values_leave_their_mean_in_doubt() -> None:
    calm, shaken = mean_within([1.0, 1.01, 0.99, 1.0]), mean_within([0.2, 1.8, 0.4, 1.6])

    assert calm[0] == shaken[0] == pytest.approx(1.0)
    assert calm[1] < 0.01 < 0.5 < shaken[1]
    assert mean_within([1.0]) == (1.0, math.inf)


def test_one_answer_to_all_agrees_as_often_as_luck() -> None:
    right, by_luck, _ = agreement({(0, 2): 49, (1, 2): 49, (2, 2): 2})
    assert right == by_luck == pytest.approx(0.02)

    right, by_luck, spread = agreement({(0, 1): 30, (1, 2): 30, (2, 0): 30})
    assert right == 0
    assert by_luck - 4 * spread > right
