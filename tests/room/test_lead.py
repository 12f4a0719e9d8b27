"""The four states of a question, walked at random: what must hold, holds after each step."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from debugger.room.lead import (
    AFTER,
    PHASES,
    Lead,
    Place,
    Refused,
    called,
    handed,
    timed,
    to_phase,
    to_place,
)

HERE = Place("two_labels", "data")
PLACES = [HERE, Place("two_labels", "batch"), Place("one_label", "data"), Place("two_labels")]


def at(place: Place = HERE) -> Lead:
    return to_place(Lead(), place, 1.0)


def walked(seed: int, steps: int = 60) -> list[Lead]:
    chance, leads = random.Random(seed), [Lead()]
    for _ in range(steps):
        lead = leads[-1]
        try:
            if chance.random() < 0.3:
                lead = to_place(lead, chance.choice(PLACES), len(leads))
            else:
                lead = to_phase(lead, chance.choice(PHASES))
        except Refused:
            pass
        leads.append(lead)
    return leads


def test_whatever_is_pressed_an_answer_is_out_exactly_from_its_reveal_on() -> None:
    for before, after in (pair for seed in range(200) for pair in pairwise(walked(seed))):
        assert before.revealed <= after.revealed
        assert after.told == (after.phase in ("reveal", "discuss"))
        assert not (after.told and after.asks)
        if after.place.stage is None:
            assert after.phase == "predict"
            assert not after.asks
        new = after.revealed - before.revealed
        assert new <= {after.place}
        assert not new or after.phase == "reveal"


def test_the_walks_above_come_everywhere() -> None:
    been = {(lead.place, lead.phase) for seed in range(200) for lead in walked(seed)}
    assert been - {(Place(), "predict")} == {
        (p, f) for p in PLACES for f in PHASES if p.stage or f == "predict"
    }


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("start", PHASES)
def test_a_state_is_left_for_those_that_may_come_after_it(start: str, phase: str) -> None:
    lead = at()
    for step in {"votes": ["votes"], "reveal": ["reveal"], "discuss": ["reveal", "discuss"]}.get(
        start, []
    ):
        lead = to_phase(lead, step)  # type: ignore[arg-type]
    if phase == start or phase in AFTER[start]:  # type: ignore[index]
        assert to_phase(lead, phase).phase == phase  # type: ignore[arg-type]
    else:
        with pytest.raises(Refused):
            to_phase(lead, phase)  # type: ignore[arg-type]


def test_a_symptom_has_no_question_to_show() -> None:
    with pytest.raises(Refused, match="no_question"):
        to_phase(at(Place("two_labels")), "votes")


def test_who_comes_back_to_a_question_finds_it_as_far_as_it_was() -> None:
    revealed = to_phase(at(), "reveal")
    away = to_place(revealed, PLACES[1], 2.0)
    assert away.phase == "predict"
    assert to_place(away, HERE, 3.0).phase == "reveal"


def test_a_timer_has_its_bounds_and_goes_with_the_reveal_and_with_the_place() -> None:
    lead = timed(at(), 60, now=100.0)
    assert lead.until == 160.0
    assert to_phase(lead, "votes").until == 160.0
    assert to_phase(lead, "reveal").until is to_place(lead, PLACES[1], 2.0).until is None
    assert timed(lead, 0, now=1.0).until is None
    for seconds in (-1, 9, 3601):
        with pytest.raises(Refused, match="no_such_time"):
            timed(lead, seconds, now=1.0)


def test_changes_that_were_handed_go_with_the_scenario_and_calls_are_counted() -> None:
    lead = handed(called(called(at())), "1234")
    assert (lead.called, lead.handed, lead.changes) == (2, 1, "1234")
    assert to_place(lead, PLACES[1], 2.0).changes == "1234"
    assert to_place(lead, PLACES[2], 2.0).changes == ""
