"""Rooms as an instructor, many students and strangers use them, and what a kill leaves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.room import rooms as rooms_module
from debugger.room.lead import Place, Refused, called
from debugger.room.naming import LENGTH, LETTERS, as_shown, cleaned, code_in, new_code
from debugger.room.room import CARRY_SECONDS, DAY, MOST_STUDENTS, Room
from debugger.room.rooms import Rooms
from debugger.room.summary import summary

ROOT = Path(__file__).parents[2]
HERE, NEXT = Place("two_labels", "data"), Place("two_labels", "batch")


def three(place: Place) -> int:
    return 3 if place.stage else 0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Iterator[Callable[[], Rooms]]:
    """Opens the rooms of one file, as a restarted server does: the ones before are closed."""
    left: list[Rooms] = []

    def again() -> Rooms:
        for one in left:
            one.close()
        left.append(Rooms(tmp_path / "rooms.sqlite", three, clock))
        return left[-1]

    yield again
    left[-1].close()


@pytest.fixture
def rooms(opened: Callable[[], Rooms]) -> Rooms:
    return opened()


@pytest.fixture
def room(rooms: Rooms) -> Room:
    made, _ = rooms.make()
    made.go(HERE)
    return made


def test_a_code_is_read_off_a_wall_and_typed_as_people_type() -> None:
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert not set("".join(codes)) & set("01258BDEILOSUVZ".replace("D", ""))
    code = codes.pop()
    assert len(code) == LENGTH
    for typed in (code, as_shown(code).lower(), f" {code[:4]}-{code[4:]}\n"):
        assert code_in(typed) == code
    for typed in ("", "x", code + "7", "1" * LENGTH, "\0" * 10_000, "../../etc"):
        assert code_in(typed) is None
    assert len(LETTERS) ** LENGTH > 3e10


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Anna \n Maria ", "Anna Maria"),
        ("a\0b\x1b[31mc", "ab[31mc"),
        ("\u202egnirts\u2066", "gnirts"),
        ("x" * 5000, "x" * 24),
        ("<script>alert(1)</script>", "<script>alert(1)</script"),
        ("Z" + "\u0335" * 300 + "algo", "Z\u0335\u0335algo"),
        ("\u200b\u200d\ufeff", ""),
        ("Ａｎｎａ", "Anna"),
        ("名前", "名前"),
        ("\ud800", ""),
    ],
)
def test_a_name_is_one_short_line_whatever_was_typed(typed: str, kept: str) -> None:
    assert cleaned(typed) == kept


def test_a_vote_is_changed_until_the_reveal_and_counts_once(room: Room) -> None:
    number, token = room.join("Anna")
    assert room.who(token) == number
    for shown in [0, 1, 2, *[1] * 97]:
        room.vote(number, HERE, shown)
    assert room.seen().counts == (0, 1, 0)
    assert room.voted(number, HERE) == 1
    room.show("votes")
    room.vote(number, HERE, 2)
    assert room.seen().counts == (0, 0, 1)
    room.show("reveal")
    with pytest.raises(Refused, match="vote_closed"):
        room.vote(number, HERE, 0)
    room.show("discuss")
    with pytest.raises(Refused, match="vote_closed"):
        room.vote(number, HERE, 0)
    assert room.seen().counts == (0, 0, 1)


def test_a_vote_for_what_is_not_asked_changes_nothing(room: Room) -> None:
    number, _ = room.join("")
    for place, shown in ((NEXT, 0), (Place("two_labels"), 0), (HERE, 3), (HERE, -1)):
        with pytest.raises(Refused):
            room.vote(number, place, shown)
    with pytest.raises(Refused):
        room.vote(number + 1, HERE, 0)
    assert room.seen().answered == 0


def test_choices_stand_in_an_order_that_only_the_room_knows(rooms: Rooms) -> None:
    orders = []
    for _ in range(40):
        room, _ = rooms.make()
        orders.append(room.order(HERE))
        assert room.order(HERE) == orders[-1]
    assert {order.index(0) for order in orders} == {0, 1, 2}


@pytest.fixture
def in_a_hurry() -> Iterator[None]:
    """Threads take turns in the middle of everything."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("in_a_hurry")
def test_many_threads_vote_at_once_and_each_student_counts_once(room: Room) -> None:
    told: list[bool] = []
    room.listeners.add(told.append)
    with ThreadPoolExecutor(32) as pool:
        numbers = [n for n, _ in pool.map(lambda n: room.join(f"n{n}"), range(240))]
        assert sorted(numbers) == list(range(1, 241))
        votes = [(n, (n + k) % 3) for k in range(4) for n in numbers]
        list(pool.map(lambda vote: room.vote(vote[0], HERE, vote[1]), votes))
        list(pool.map(lambda n: room.vote(n, HERE, n % 3), numbers))
    assert room.seen().counts == (80, 80, 80)
    assert len(told) == 240 * 6


@pytest.mark.usefixtures("in_a_hurry")
def test_a_reveal_in_the_middle_of_votes_parts_them_cleanly(room: Room) -> None:
    numbers = [room.join("")[0] for _ in range(50)]
    taken, start = [], threading.Barrier(9)

    def votes(own: list[int]) -> None:
        start.wait()
        for number in own:
            try:
                room.vote(number, HERE, 0)
                taken.append(number)
            except Refused:
                pass

    with ThreadPoolExecutor(9) as pool:
        for n in range(8):
            pool.submit(votes, numbers[n::8])
        start.wait()
        room.show("reveal")
    assert room.seen().answered == len(taken)


def test_two_rooms_never_see_each_other(rooms: Rooms) -> None:
    (one, key), (other, other_key) = rooms.make(), rooms.make()
    for room in (one, other):
        room.go(HERE)
    number, token = one.join("Anna")
    mine, _ = other.join("Berta")
    one.vote(number, HERE, 0)
    other.show("votes")
    assert number == mine
    assert other.who(token) is None
    assert (other.seen().answered, one.seen().lead.phase) == (0, "predict")
    assert not other.leads(key)
    assert not one.leads(other_key)
    one.end()
    assert rooms.find(one.code) is None
    assert rooms.find(other.code) is other
    assert [student.name for student in other.seen().students.values()] == ["Berta"]


def test_a_restart_brings_everything_back(opened: Callable[[], Rooms], clock: Clock) -> None:
    room, key = opened().make()
    room.go(HERE)
    number, token = room.join("Anna")
    room.flag(number, "stuck")
    room.stands(number, NEXT, ["freeze"])
    room.vote(number, HERE, 2)
    room.show("votes")
    room.act(lambda lead: replace(called(lead), together=False, locked=True))
    clock.now += 60
    room.show("reveal")
    before, order = room.seen(), room.order(HERE)
    again = opened().find(room.code)
    assert again is not None
    assert again is not room
    assert again.seen() == before
    assert again.order(HERE) == order
    assert again.leads(key)
    assert again.who(token) == number
    assert again.voted(number, HERE) == 2
    assert again.history()[HERE].seconds == 60
    assert sum(again.history()[HERE].first) == 1


KILLED = """
import sys
from pathlib import Path
from debugger.room.lead import Place
from debugger.room.rooms import Rooms
room, key = Rooms(Path(sys.argv[1]), lambda place: 3 if place.stage else 0).make()
room.go(Place("two_labels", "data"))
numbers = [room.join(str(n))[0] for n in range(20)]
print(room.code, key, flush=True)
for vote in range(10**9):
    room.vote(numbers[vote % 20], Place("two_labels", "data"), vote // 20 % 3)
    print(vote, flush=True)
"""


def test_a_kill_loses_no_vote_that_was_taken(tmp_path: Path) -> None:
    file = tmp_path / "rooms.sqlite"
    command = [sys.executable, "-c", KILLED, str(file)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        code, key = process.stdout.readline().split()
        for _ in range(307):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        last = 306 + len(process.stdout.read().splitlines())
    rooms = Rooms(file, three)
    room = rooms.find(code)
    assert room is not None
    assert room.leads(key)
    shown = {n: room.voted(n, HERE) for n in range(1, 21)}
    taken = {vote % 20 + 1: vote // 20 % 3 for vote in range(last + 1)}
    torn = (last + 1) % 20 + 1  # written, and killed before it was said
    assert {n: vote for n, vote in shown.items() if n != torn} == {
        n: vote for n, vote in taken.items() if n != torn
    }
    rooms.close()


def test_a_room_ends_after_a_day_and_nothing_personal_is_left_on_disk(
    rooms: Rooms, room: Room, clock: Clock, tmp_path: Path
) -> None:
    number, _ = room.join("Wilhelmine")
    room.vote(number, HERE, 0)
    clock.now += DAY + 1
    assert rooms.find(room.code) is None
    with pytest.raises(Refused, match="room_over"):
        room.join("late")
    rooms.sweep()
    assert room.seen().students == {}
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Wilhelmine" not in left
    assert room.code.encode() not in left


def test_who_leaves_takes_everything_along(room: Room) -> None:
    number, token = room.join("Anna")
    room.vote(number, HERE, 0)
    room.leave(number)
    assert room.who(token) is None
    assert (room.seen().answered, room.seen().students) == (0, {})
    with pytest.raises(Refused, match="not_in_room"):
        room.flag(number, "ready")


def test_the_instructors_side_is_carried_once_and_soon(rooms: Rooms, clock: Clock) -> None:
    room, key = rooms.make()
    carry = room.carry()
    assert not room.leads(carry)
    fresh = room.carried(carry)
    assert room.leads(fresh)
    assert room.leads(key)
    late = room.carry()
    clock.now += CARRY_SECONDS + 1
    for used in (carry, late, fresh, key, "", "nonsense"):
        with pytest.raises(Refused, match="carried_already"):
            room.carried(used)


def test_no_token_stands_in_the_file(rooms: Rooms, tmp_path: Path) -> None:
    room, key = rooms.make()
    _, token = room.join("Anna")
    carry = room.carry()
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Anna" in left
    assert not any(secret.encode() in left for secret in (key, token, carry))


def test_a_room_and_a_clinic_have_their_limits(
    rooms: Rooms, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(MOST_STUDENTS):
        room.join("")
    with pytest.raises(Refused, match="room_full"):
        room.join("")
    monkeypatch.setattr(rooms_module, "MOST_ROOMS", 2)
    empty, _ = rooms.make()
    other, _ = rooms.make()  # nobody ever came into the one before
    assert rooms.find(empty.code) is None
    other.join("")
    with pytest.raises(Refused, match="too_many_rooms"):
        rooms.make()
    assert rooms.find(room.code) is room


def test_a_second_process_on_the_same_file_has_no_rooms_and_says_so(
    rooms: Rooms, tmp_path: Path
) -> None:
    rooms.make()
    second = Rooms(tmp_path / "rooms.sqlite", three)
    with pytest.raises(Refused, match="no_rooms_here"):
        second.make()
    assert Rooms(Path("/proc/nowhere/rooms.sqlite"), three).find("x") is None


def test_what_cannot_be_written_is_not_taken(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    number, _ = room.join("Anna")
    room.vote(number, HERE, 0)
    before = room.seen(), room.history()[HERE].first

    def full(*_: object) -> None:
        raise rooms_module.Held("disk is full")

    monkeypatch.setattr(room.store, "write", full)
    for act in (
        lambda: room.vote(number, HERE, 1),
        lambda: room.join("late"),
        lambda: room.show("votes"),
        lambda: room.go(NEXT),
        lambda: room.flag(number, "stuck"),
        lambda: room.leave(number),
    ):
        with pytest.raises(rooms_module.Held):
            act()
    assert (room.seen(), room.history()[HERE].first) == before


def test_a_class_that_another_version_wrote_is_forgotten_and_the_others_go_on(
    opened: Callable[[], Rooms], tmp_path: Path
) -> None:
    first = opened()
    rooms = [first.make()[0] for _ in range(3)]
    for room in rooms:
        room.join("Wilhelmine")
    first.close()
    with sqlite3.connect(tmp_path / "rooms.sqlite") as file:
        file.execute("UPDATE rooms SET lead = '{\"x\": 1}' WHERE code = ?", (rooms[0].code,))
        file.execute("UPDATE students SET told = 'null' WHERE code = ?", (rooms[1].code,))
    file.close()
    again = opened()
    assert [again.find(room.code) is not None for room in rooms] == [False, False, True]
    again.close()
    with sqlite3.connect(tmp_path / "rooms.sqlite") as file:
        assert file.execute("SELECT COUNT(*) FROM students").fetchone() == (1,)
    file.close()


def test_a_file_that_is_torn_in_the_middle_stops_no_start(tmp_path: Path) -> None:
    path = tmp_path / "rooms.sqlite"
    rooms = Rooms(path, three)
    for _ in range(30):
        rooms.make()[0].join("Anna" * 6)
    rooms.close()
    torn = bytearray(path.read_bytes())
    for page in range(4096, len(torn), 4096):
        torn[page : page + 64] = b"\xff" * 64
    path.write_bytes(torn)
    with pytest.raises(Refused, match="no_rooms_here"):
        Rooms(path, three).make()


def test_a_damaged_file_is_said_and_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "rooms.sqlite"
    file.write_bytes(b"no database at all " * 100)
    with pytest.raises(Refused, match="no_rooms_here"):
        Rooms(file, three).make()
    assert file.read_bytes().startswith(b"no database")
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(file).execute("SELECT * FROM rooms")


def test_a_summary_counts_before_and_after_and_names_nobody_unasked(
    room: Room, clock: Clock
) -> None:
    def asked(place: Place) -> dict[str, object]:
        choices = ["right", "wrong", "other"] if place.stage else []
        return {"title": place.case, "stage": place.stage, "question": "?", "choices": choices}

    def wrong(case: str, repair: str) -> str | None:
        return f"{case}: {repair}" if repair != "mends" else None

    order = room.order(HERE)
    numbers = [room.join(name)[0] for name in ("Anna", "Berta", "")]
    for number in numbers:
        room.vote(number, HERE, order.index(1))
        room.stands(number, HERE, ["tempts", "mends"])
    room.show("votes")
    room.vote(numbers[0], HERE, order.index(0))
    clock.now += 90
    told = summary(room, asked, wrong)["questions"][0]
    assert told["right"] is None
    room.show("reveal")
    room.go(NEXT)
    whole = summary(room, asked, wrong)
    told = whole["questions"][0]
    assert told["choices"][told["right"]] == "right"
    assert told["first_votes"][order.index(1)] == 3
    assert (told["votes"][order.index(0)], told["votes"][order.index(1)]) == (1, 2)
    assert told["seconds"] == 90
    assert whole["tempting"] == [{"repair": "two_labels: tempts", "students": 3}]
    assert "Anna" not in str(whole)
    named = summary(room, asked, wrong, names=True)["names"]
    assert named[0] == {"name": "Anna", "answered": 1, "right": 1}
    assert named[1] == {"name": "Berta", "answered": 1, "right": 0}
