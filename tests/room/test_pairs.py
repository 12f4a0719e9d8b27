"""Two students who answer as one: one vote, two screens, and either may go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debugger.room.lead import Place, Refused
from debugger.room.naming import PAIR_LENGTH
from debugger.room.room import PAIR_SECONDS, Room
from debugger.room.rooms import Rooms
from debugger.room.summary import summary

HERE, NEXT = Place("two_labels", "data"), Place("two_labels", "batch")


class Class:
    """One room with a clock, and what its file brings back."""

    def __init__(self, folder: Path) -> None:
        self.now, self.file = 1_000_000.0, folder / "rooms.sqlite"
        self.rooms = self._opened()
        self.room, _ = self.rooms.make()
        self.room.go(HERE)

    def _opened(self) -> Rooms:
        return Rooms(self.file, lambda place: 3 if place.stage else 0, lambda: self.now)

    def restarted(self) -> Room:
        self.rooms.close()
        self.rooms = self._opened()
        found = self.rooms.find(self.room.code)
        assert found is not None
        self.room = found
        return found


@pytest.fixture
def lesson(tmp_path: Path) -> Iterator[Class]:
    lesson = Class(tmp_path)
    yield lesson
    lesson.rooms.close()


def paired(room: Room, first: str = "Ada", second: str = "Bob") -> tuple[int, str, str]:
    """The number of two who answer as one, and the token of each."""
    (number, ada), (_, bob) = room.join(first), room.join(second)
    room.pair(bob, room.offer(number))
    return number, ada, bob


def test_two_answer_as_one_and_both_may_change_it(lesson: Class) -> None:
    room = lesson.room
    number, ada, bob = paired(room)
    assert room.who(ada) == room.who(bob) == number
    room.vote(number, HERE, 0)
    room.vote(number, HERE, 2)
    seen = room.seen()
    assert (seen.counts, seen.answered, seen.people, len(seen.students)) == ((0, 0, 1), 1, 2, 1)
    assert seen.students[number].called == "Ada & Bob"


def test_a_pair_outlives_a_restart(lesson: Class) -> None:
    number, ada, bob = paired(lesson.room)
    lesson.room.vote(number, HERE, 1)
    room = lesson.restarted()
    assert (room.who(ada), room.who(bob)) == (number, number)
    assert room.seen().students[number].called == "Ada & Bob"
    room.leave(number, ada)
    assert (room.who(ada), room.who(bob)) == (None, number)


def test_what_was_revealed_stays_counted_and_an_open_answer_goes(lesson: Class) -> None:
    room = lesson.room
    (ada, _), (bob, token) = room.join("Ada"), room.join("Bob")
    room.vote(ada, HERE, 0)
    room.vote(bob, HERE, 1)
    room.show("reveal")
    room.go(NEXT)
    room.vote(ada, NEXT, 0)
    room.vote(bob, NEXT, 1)
    room.pair(token, room.offer(ada))
    for now in (room, lesson.restarted()):
        assert (sum(now.counted(HERE)), sum(now.counted(NEXT))) == (2, 1)
    late, _ = lesson.room.join("late")
    assert lesson.room.voted(late, HERE) is None


@pytest.mark.parametrize("first_leaves", [True, False])
def test_who_stays_keeps_their_answer_and_her_own_name(lesson: Class, first_leaves: bool) -> None:
    room = lesson.room
    number, ada, bob = paired(room)
    room.vote(number, HERE, 1)
    gone, stays, name = (ada, bob, "Bob") if first_leaves else (bob, ada, "Ada")
    room.leave(number, gone)
    for now in (room, lesson.restarted()):
        assert (now.who(gone), now.who(stays)) == (None, number)
        assert now.seen().students[number].called == name
        assert now.seen().answered == 1
    lesson.room.leave(number, stays)
    assert lesson.room.seen().students == {}


def test_who_is_alone_again_may_find_somebody_else(lesson: Class) -> None:
    room = lesson.room
    number, ada, _ = paired(room, second="")
    room.leave(number, ada)
    _, eve = room.join("Eve")
    room.pair(eve, room.offer(number))
    assert room.seen().students[number].called == "Eve"


def test_a_code_is_for_one_neighbour_of_this_class_and_soon(lesson: Class) -> None:
    room, (other, _) = lesson.room, lesson.rooms.make()
    (ada, own), (_, bob), (_, eve) = room.join("Ada"), room.join("Bob"), room.join("Eve")
    _, stranger = other.join("Mallory")
    old, code = room.offer(ada), room.offer(ada)
    assert len(code) == PAIR_LENGTH
    for who, token, typed, why in (
        (room, own, code, "own_pair"),
        (room, bob, old, "no_such_pair"),
        (room, bob, "", "no_such_pair"),
        (room, bob, "<b>" * 99, "no_such_pair"),
        (room, "nobody", code, "not_in_room"),
        (other, stranger, code, "no_such_pair"),
    ):
        assert refused(who, token, typed) == why
    lesson.now += PAIR_SECONDS + 1
    assert refused(room, bob, code) == "no_such_pair"
    code = room.offer(ada)
    room.pair(bob, f" {code[:3].lower()} {code[3:]} ")
    assert refused(room, eve, code) == "no_such_pair"
    with pytest.raises(Refused, match="paired_already"):
        room.offer(ada)
    number, _ = room.join("Zoe")
    assert refused(room, bob, room.offer(number)) == "paired_already"


def refused(room: Room, token: str, typed: str) -> str | None:
    try:
        room.pair(token, typed)
    except Refused as why:
        return why.code
    return None


def test_a_code_whose_owner_has_left_leads_nowhere(lesson: Class) -> None:
    room = lesson.room
    (ada, _), (_, bob) = room.join("Ada"), room.join("Bob")
    code = room.offer(ada)
    room.leave(ada)
    assert refused(room, bob, code) == "no_such_pair"


def test_what_two_tried_in_one_scenario_is_kept_together(lesson: Class) -> None:
    room = lesson.room
    number, _, _ = paired(room)
    room.stands(number, HERE, ["a"])
    room.stands(number, NEXT, ["b"])
    assert room.seen().students[number].tried == ("a", "b")
    room.stands(number, Place("one_label", "data"), [])
    assert room.seen().students[number].tried == ()


def test_a_summary_counts_people_and_names_a_pair_once(lesson: Class) -> None:
    paired(lesson.room)
    told = summary(lesson.room, lambda _: {"choices": ["a", "b", "c"]}, lambda *_: None, names=True)
    assert told["students"] == 2
    assert [one["name"] for one in told["names"]] == ["Ada & Bob"]
