"""A minute of everything that can go wrong: ten of them by `python -m tools.load.chaos`."""

from __future__ import annotations

import pytest

from tools.load.chaos import chaos

pytestmark = [pytest.mark.slow, pytest.mark.proof]


def test_whatever_breaks_visitors_are_answered_and_nothing_is_left() -> None:
    told = chaos(seconds=60, visitors=4, seed=14)
    # How many presses met silence the command tells: on a busy machine a minute proves none.
    assert told.late == []
    assert told.orphans == []
    assert told.answers
    assert told.presses["answered"] > 0
    assert len(told.faults) >= 5
