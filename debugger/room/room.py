"""One room: who is in it, what they voted, where they are. Every change is on disk first."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from debugger.outcome import STAGES
from debugger.room.lead import Lead, Phase, Place, Refused, to_phase, to_place
from debugger.room.naming import (
    PAIR_LENGTH,
    cleaned,
    code_in,
    hashed,
    new_code,
    new_token,
)
from debugger.room.store import Line, Store

DAY = 86_400.0
CARRY_SECONDS = 600.0
PAIR_SECONDS = 600.0
MOST_STUDENTS = 500
MOST_TRIED = 50
Flag = Literal["", "ready", "stuck"]
FLAGS: tuple[Flag, ...] = get_args(Flag)
Choices = Callable[[Place], int]
"""How many choices the question of a place has; 0 where there is no such place."""


@dataclass(frozen=True)
class Student:
    """`at` is where her own page is, `tried` the repairs and `hints` how many she had there.

    Two who answer as one are one student: `partner` is the name of the other, None where she is
    alone.
    """

    name: str = ""
    partner: str | None = None
    flag: Flag = ""
    at: Place = field(default_factory=Place)
    tried: tuple[str, ...] = ()
    hints: int = 0

    @property
    def called(self) -> str:
        return " & ".join(filter(None, (self.name, self.partner)))


@dataclass(frozen=True)
class Visited:
    """How long the class was at a place; the counts when they were first on the wall."""

    seconds: float = 0.0
    first: tuple[int, ...] = ()


@dataclass(frozen=True)
class Seen:
    """All of a room at one moment. `counts` and `order` are as the choices stand on screens.

    `measured` holds, for each scenario of the two sets, the answers by the number of the choice.
    """

    code: str
    now: float
    lead: Lead
    order: tuple[int, ...]
    counts: tuple[int, ...]
    students: Mapping[int, Student]
    voted: frozenset[int]
    orders: Mapping[str, tuple[int, ...]]
    measured: Mapping[str, tuple[int, ...]]

    @property
    def answered(self) -> int:
        return sum(self.counts)

    @property
    def people(self) -> int:
        return sum(1 + (one.partner is not None) for one in self.students.values())


@dataclass(eq=False)
class Room:
    """Any thread may ask. `listeners` are told afterwards whether all screens are to be drawn.

    `partners` holds the token of the second of two who answer as one, `offered` who waits for one
    and until when; that is the only thing which a restart forgets.
    """

    code: str
    made: float
    seed: str
    store: Store
    choices: Choices
    now: Callable[[], float]
    lead: Lead = field(default_factory=Lead)
    keys: dict[str, float | None] = field(default_factory=dict)
    students: dict[int, Student] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    partners: dict[int, str] = field(default_factory=dict)
    offered: dict[str, tuple[int, float]] = field(default_factory=dict)
    votes: dict[Place, dict[int, int]] = field(default_factory=dict)
    visited: dict[Place, Visited] = field(default_factory=dict)
    over: bool = False
    listeners: set[Callable[[bool], None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()

    @property
    def ends(self) -> float:
        return self.made + DAY

    def seen(self) -> Seen:
        with self._lock:
            place = self.lead.place
            order = self.order(place)
            given = self.votes.get(place, {}) if place.stage is not None else {}
            counted = Counter(given.values())
            return Seen(
                self.code,
                self.now(),
                self.lead,
                order,
                tuple(counted[choice] for choice in order),
                dict(self.students),
                frozenset(given),
                {case: self.order(Place(case)) for case in self.lead.before + self.lead.after},
                {case: self.counted(Place(case)) for case in self.lead.before + self.lead.after},
            )

    def order(self, place: Place) -> tuple[int, ...]:
        """The choices as they stand on every screen of this room: only it knows the right one."""
        order = list(range(self.choices(place)))
        random.Random(f"{self.seed}/{place.case}/{place.stage}").shuffle(order)
        return tuple(order)

    # -- the instructor --

    def leads(self, token: str) -> bool:
        return hashed(token) in self.keys and self.keys[hashed(token)] is None

    def act(self, change: Callable[[Lead], Lead]) -> None:
        """Whatever moves the lead but its place and its phase."""
        with self._alive():
            self._led(change(self.lead))
        self._tell(True)

    def go(self, place: Place) -> None:
        with self._alive():
            if place.stage is not None and not self.choices(place):
                raise Refused("no_such_place")
            if place == self.lead.place:
                return
            self._led(to_place(self.lead, place, self.now()), self.history())
        self._tell(True)

    def show(self, phase: Phase) -> None:
        with self._alive():
            lead = to_phase(self.lead, phase)
            visited = self.visited.get(lead.place, Visited())
            if phase == "votes" and not visited.first:
                visited = replace(visited, first=self.counted(lead.place))
            self._led(lead, self.visited | {lead.place: visited})
        self._tell(True)

    def carry(self) -> str:
        """A key that opens the instructor's side on one other device, once and soon."""
        token = new_token()
        with self._alive():
            until = self.now() + CARRY_SECONDS
            self.store.write((_KEY, (self.code, hashed(token), until)))
            self.keys[hashed(token)] = until
        return token

    def carried(self, token: str) -> str:
        """The instructor's token of the other device, for that key."""
        with self._alive():
            until = self.keys.get(hashed(token))
            if until is None or until < self.now():
                raise Refused("carried_already")
            fresh = new_token()
            drop = "DELETE FROM keys WHERE code = ? AND hashed = ?"
            self.store.write(
                (drop, (self.code, hashed(token))), (_KEY, (self.code, hashed(fresh), None))
            )
            del self.keys[hashed(token)]
            self.keys[hashed(fresh)] = None
        return fresh

    # -- a student --

    def join(self, name: str) -> tuple[int, str]:
        """Her number, and the token that says later that it is her."""
        token = new_token()
        with self._alive():
            if len(self.students) >= MOST_STUDENTS:
                raise Refused("room_full", most=MOST_STUDENTS)
            voted = (number for given in self.votes.values() for number in given)
            number = max((*self.students, *voted), default=0) + 1
            student = Student(cleaned(name))
            self.store.write((_STUDENT, (self.code, number, hashed(token), _text(student))))
            self.students[number], self.tokens[hashed(token)] = student, number
        self._tell(False)
        return number, token

    def who(self, token: str) -> int | None:
        return self.tokens.get(hashed(token))

    def vote(self, number: int, place: Place, shown: int) -> None:
        """`shown` is the choice's place on the screen. The last vote before the reveal counts."""
        with self._alive():
            if place != self.lead.place or not self.lead.asks:
                raise Refused("vote_closed")
            self._keep(number, place, shown)
        self._tell(False)

    def answer(self, number: int, case: str, shown: int) -> None:
        """What a student takes to be wrong with a scenario of the set that is open."""
        with self._alive():
            if case not in self.lead.questions:
                raise Refused("vote_closed")
            self._keep(number, Place(case), shown)
        self._tell(False)

    def _keep(self, number: int, place: Place, shown: int) -> None:
        order = self.order(place)
        if number not in self.students or not 0 <= shown < len(order):
            raise Refused("no_such_choice")
        self.store.write(
            ("REPLACE INTO votes VALUES (?, ?, ?, ?)",
             (self.code, _text(place), number, order[shown]))
        )  # fmt: skip
        self.votes.setdefault(place, {})[number] = order[shown]

    def voted(self, number: int, place: Place) -> int | None:
        """Where on the screen the choice of this student stands, if she made one."""
        with self._lock:
            choice = self.votes.get(place, {}).get(number)
            return None if choice is None else self.order(place).index(choice)

    def flag(self, number: int, flag: Flag) -> None:
        self._student(number, flag=flag)

    def stands(self, number: int, at: Place, tried: Iterable[str], hints: int = 0) -> None:
        """Where her own page is now, and what was tried there."""
        before = self.students.get(number, Student())
        both = before.partner is not None and before.at.case == at.case
        known = tuple(dict.fromkeys([*(before.tried if both else ()), *tried]))[:MOST_TRIED]
        self._student(number, at=at, tried=known, hints=hints)

    def leave(self, number: int, token: str = "") -> None:
        """Nothing of her stays. Of two who answer as one, the one with that token goes."""
        with self._alive():
            if number in self.partners:
                self._part(number, hashed(token))
                return
            mine = (self.code, number)
            self.store.write(
                ("DELETE FROM votes WHERE code = ? AND student = ?", mine),
                ("DELETE FROM students WHERE code = ? AND id = ?", mine),
            )
            self.students.pop(number, None)
            self.tokens = {key: n for key, n in self.tokens.items() if n != number}
            for given in self.votes.values():
                given.pop(number, None)
        self._tell(False)

    # -- two who answer as one --

    def offer(self, number: int) -> str:
        """What a neighbour types, to answer with this student from then on."""
        with self._alive():
            self._alone(number)
            code = new_code(PAIR_LENGTH)
            others = {one: told for one, told in self.offered.items() if told[0] != number}
            self.offered = {**others, code: (number, self.now() + PAIR_SECONDS)}
        return code

    def pair(self, token: str, typed: str) -> None:
        """Whoever holds this token is one with the student who was given that code.

        What she answered before the reveal goes; what was revealed stays counted as it was.
        """
        with self._alive():
            number, code = self.tokens.get(hashed(token)), code_in(typed, PAIR_LENGTH)
            other, until = self.offered.get(code or "", (None, 0.0))
            if number is None:
                raise Refused("not_in_room")
            if other is None or until < self.now() or other not in self.students:
                raise Refused("no_such_pair")
            if other == number:
                raise Refused("own_pair")
            mine, hers = self._alone(number), self._alone(other)
            both = replace(hers, partner=mine.name)
            closed = self.lead.revealed | self._closed_sets()
            open_ = [place for place in self.votes if place not in closed]
            self.store.write(
                *((_UNVOTE, (self.code, _text(place), number)) for place in open_),
                ("DELETE FROM students WHERE code = ? AND id = ?", (self.code, number)),
                ("INSERT INTO partners VALUES (?, ?, ?)", (self.code, hashed(token), other)),
                (_TOLD, (_text(both), self.code, other)),
            )
            for place in open_:
                self.votes[place].pop(number, None)
            del self.students[number]
            self.students[other], self.partners[other] = both, hashed(token)
            self.tokens[hashed(token)] = other
            self.offered = {c: told for c, told in self.offered.items() if told[0] != number}
            del self.offered[code or ""]
        self._tell(False)

    def _closed_sets(self) -> set[Place]:
        asked = () if self.lead.part == "before" else self.lead.before
        asked += self.lead.after if self.lead.part == "told" else ()
        return {Place(case) for case in asked}

    def _alone(self, number: int) -> Student:
        student = self.students.get(number)
        if student is None:
            raise Refused("not_in_room")
        if student.partner is not None:
            raise Refused("paired_already")
        return student

    def _part(self, number: int, leaving: str) -> None:
        """The other one goes on alone, with their answers, under her own name."""
        pair, second = self.students[number], self.partners[number]
        first = next(key for key, n in self.tokens.items() if n == number and key != second)
        stays = first if leaving == second else second
        left = replace(pair, name=pair.name if stays == first else pair.partner, partner=None)
        self.store.write(
            ("DELETE FROM partners WHERE code = ? AND student = ?", (self.code, number)),
            (
                "UPDATE students SET hashed = ? WHERE code = ? AND id = ?",
                (stays, self.code, number),
            ),
            (_TOLD, (_text(left), self.code, number)),
        )
        self.students[number] = left
        del self.partners[number], self.tokens[second if stays == first else first]
        self._tell(False)

    def _student(self, number: int, **fields: Any) -> None:
        with self._alive():
            now = self.students.get(number)
            if now is None:
                raise Refused("not_in_room")
            student = replace(now, **fields)
            if student == now:
                return
            self.store.write((_TOLD, (_text(student), self.code, number)))
            self.students[number] = student
        self._tell(False)

    # -- its end, and what all share --

    def end(self) -> None:
        with self._lock:
            if self.over:
                return
            self.store.forget(self.code)
            self.over = True
            self.students, self.tokens, self.votes, self.keys = {}, {}, {}, {}
            self.partners, self.offered = {}, {}
        self._tell(True)

    def history(self) -> dict[Place, Visited]:
        """Each place where the class was, up to this moment."""
        with self._lock:
            now = dict(self.visited)
            here = now.get(self.lead.place, Visited())
            seconds = here.seconds + self.now() - (self.lead.since or self.made)
            return now | {self.lead.place: replace(here, seconds=seconds)}

    def counted(self, place: Place) -> tuple[int, ...]:
        """The votes by the number of the choice: not for a screen before the reveal."""
        with self._lock:
            counted = Counter(self.votes.get(place, {}).values())
            return tuple(counted[n] for n in range(self.choices(place)))

    def _led(self, lead: Lead, visited: Mapping[Place, Visited] | None = None) -> None:
        """The lead from now on, with what is known from now on of the place it was at."""
        lines: list[Line] = [
            ("UPDATE rooms SET lead = ? WHERE code = ?", (lead_as_text(lead), self.code))
        ]
        here = self.lead.place
        if visited and here in visited:
            told = visited[here].seconds, json.dumps(visited[here].first)
            lines.append(
                ("REPLACE INTO visits VALUES (?, ?, ?, ?)", (self.code, _text(here), *told))
            )
        self.store.write(*lines)
        if visited and here in visited:
            self.visited[here] = visited[here]
        self.lead = lead

    @contextmanager
    def _alive(self) -> Iterator[None]:
        with self._lock:
            if self.over or self.now() > self.ends:
                raise Refused("room_over")
            yield

    def _tell(self, everyone: bool) -> None:
        for listener in tuple(self.listeners):
            listener(everyone)


_KEY = "INSERT INTO keys VALUES (?, ?, ?)"
_STUDENT = "INSERT INTO students VALUES (?, ?, ?, ?)"
_TOLD = "UPDATE students SET told = ? WHERE code = ? AND id = ?"
_UNVOTE = "DELETE FROM votes WHERE code = ? AND place = ? AND student = ?"


def _text(told: Place | Student) -> str:
    return json.dumps(asdict(told))


def lead_as_text(lead: Lead) -> str:
    told = asdict(lead) | {"revealed": [asdict(place) for place in sorted(lead.revealed, key=str)]}
    return json.dumps(told)


def place_in(told: Mapping[str, Any]) -> Place:
    stage = told["stage"]
    return Place(told["case"], stage if stage in STAGES else None)


def lead_in(text: str) -> Lead:
    told = json.loads(text)
    revealed = frozenset(map(place_in, told["revealed"]))
    sets = {name: tuple(told.get(name, ())) for name in ("before", "after")}
    return Lead(**told | sets | {"place": place_in(told["place"]), "revealed": revealed})


def student_in(text: str) -> Student:
    told = json.loads(text)
    return Student(**told | {"at": place_in(told["at"]), "tried": tuple(told["tried"])})
