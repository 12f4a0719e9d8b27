"""Questions before and after a lesson: what counts, what is closed, what a restart keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.catalogue.skills import PATH, pairs, skill_of
from debugger.room.lead import PARTS, Lead, Place, Refused, measured_on, measuring
from debugger.room.room import Room
from debugger.room.rooms import Rooms
from debugger.room.summary import shares, summary

PAIRS = [("two_labels", "half_named"), ("one_label", "columns_counted")]


class Lesson:
    def __init__(self, folder: Path) -> None:
        self.file = folder / "rooms.sqlite"
        self.rooms = Rooms(self.file, lambda _: 3)
        self.room, _ = self.rooms.make()

    def restarted(self) -> Room:
        self.rooms.close()
        self.rooms = Rooms(self.file, lambda _: 3)
        found = self.rooms.find(self.room.code)
        assert found is not None
        self.room = found
        return found


@pytest.fixture
def lesson(tmp_path: Path) -> Iterator[Lesson]:
    lesson = Lesson(tmp_path)
    lesson.room.act(lambda lead: measuring(lead, "head", PAIRS))
    yield lesson
    lesson.rooms.close()


def right(room: Room, case: str) -> int:
    return room.order(Place(case)).index(0)


def test_a_measurement_goes_through_its_parts_once() -> None:
    lead = measuring(Lead(), "head", PAIRS)
    seen = [lead]
    for _ in PARTS[2:]:
        seen.append(measured_on(seen[-1]))
    assert [one.part for one in seen] == list(PARTS[1:])
    assert [one.questions for one in seen] == [
        ("two_labels", "one_label"),
        (),
        ("half_named", "columns_counted"),
        (),
    ]
    for refused in (
        lambda: measured_on(seen[-1]),
        lambda: measured_on(Lead()),
        lambda: measuring(seen[-1], "batch", PAIRS),
        lambda: measuring(Lead(), "training", []),
    ):
        with pytest.raises(Refused):
            refused()


def test_an_answer_counts_once_in_its_own_set_and_outlives_a_restart(lesson: Lesson) -> None:
    room = lesson.room
    number, _ = room.join("")
    for shown in (0, 1, right(room, "two_labels")):
        room.answer(number, "two_labels", shown)
    room.answer(number, "one_label", (right(room, "one_label") + 1) % 3)
    room.act(measured_on)
    room = lesson.restarted()
    room.act(measured_on)
    room.answer(number, "half_named", right(room, "half_named"))
    assert shares(room.seen()) == {"before": (1, 2), "after": (1, 1)}


def test_what_is_closed_takes_no_answer(lesson: Lesson) -> None:
    room = lesson.room
    number, _ = room.join("")
    for case in ("half_named", "wrong_collator", ""):
        with pytest.raises(Refused, match="vote_closed"):
            room.answer(number, case, 0)
    with pytest.raises(Refused, match="no_such_choice"):
        room.answer(number, "two_labels", 3)
    room.act(measured_on)
    with pytest.raises(Refused, match="vote_closed"):
        room.answer(number, "two_labels", 0)


def test_it_is_no_vote_on_the_question_of_a_stage(lesson: Lesson) -> None:
    room = lesson.room
    number, _ = room.join("")
    room.answer(number, "two_labels", 0)
    room.go(Place("two_labels"))
    assert (room.seen().answered, room.seen().voted) == (0, frozenset())
    told = summary(room, lambda _: {"case": 1, "title": "x", "stage": None}, lambda *_: None)
    assert "votes" not in told["questions"][0]


def test_who_leaves_takes_her_answers_along_and_a_closed_set_of_a_pair_stays(
    lesson: Lesson,
) -> None:
    room = lesson.room
    (ada, _), (bob, token) = room.join(""), room.join("")
    for number in (ada, bob):
        room.answer(number, "two_labels", 0)
    room.act(measured_on)
    room.pair(token, room.offer(ada))
    assert sum(room.counted(Place("two_labels"))) == 2
    eve, _ = room.join("")
    room.act(measured_on)
    room.answer(eve, "half_named", 0)
    room.leave(eve)
    assert shares(room.seen())["after"] == (0, 0)


@pytest.mark.proof
def test_pairs_have_one_cause_in_two_scripts_and_skills_without_any_are_left_out() -> None:
    found = {skill: pairs(skill, catalogue.every()) for skill in PATH}
    assert [skill for skill in PATH if not found[skill]] == ["training"]
    for skill, listed in found.items():
        for one, other in listed:
            assert one.code == other.code
            assert one.id != other.id
            assert skill_of(one) == skill_of(other) == skill
        assert len({one.code for one, _ in listed}) == len(listed)
