"""Where the class is, and the four states of a question. Pure: each act makes a new lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from debugger.outcome import StageName

Phase = Literal["predict", "votes", "reveal", "discuss"]
PHASES: tuple[Phase, ...] = get_args(Phase)
AFTER: dict[Phase, tuple[Phase, ...]] = {
    "predict": ("votes", "reveal"),
    "votes": ("predict", "reveal"),
    "reveal": ("discuss",),
    "discuss": ("reveal",),
}
"""What is revealed stays so: nobody votes on an answer that was on the wall."""
Part = Literal["", "before", "taught", "after", "told"]
PARTS: tuple[Part, ...] = get_args(Part)
"""How far a measurement is: a set of questions, the lesson, another set, and what it came to."""
LEAST_SECONDS, MOST_SECONDS = 10, 3600


class Refused(Exception):
    """The code of the sentence that tells why something cannot be done now."""

    def __init__(self, code: str, **numbers: object) -> None:
        super().__init__(code)
        self.code, self.numbers = code, numbers


@dataclass(frozen=True)
class Place:
    """A scenario, by its id, and a stage of it; None while its symptom is looked at."""

    case: str = ""
    stage: StageName | None = None


@dataclass(frozen=True)
class Lead:
    """`since` is when the class came to its place. `together`: screens follow the instructor.

    `locked`: nobody goes on to later stages. `until` is when the timer ends. `called` counts how
    often everyone was called to her stage, `handed` how often `changes`, as an address carries
    them, were handed to all. `before` and `after` are scenarios in pairs of one cause: what is
    wrong with them is asked before and after the lesson.
    """

    place: Place = Place()
    since: float | None = None
    phase: Phase = "predict"
    revealed: frozenset[Place] = frozenset()
    together: bool = True
    locked: bool = False
    until: float | None = None
    called: int = 0
    handed: int = 0
    changes: str = ""
    skill: str = ""
    part: Part = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """The scenarios of the set that is open now."""
        return {"before": self.before, "after": self.after}.get(self.part, ())

    @property
    def asks(self) -> bool:
        """Whether there is a question here that still takes votes."""
        return self.place.stage is not None and self.place not in self.revealed

    @property
    def told(self) -> bool:
        """Whether the answer may be on a screen."""
        return self.place in self.revealed


def to_place(lead: Lead, place: Place, now: float) -> Lead:
    """A question begins with the guess; where its answer is out already, with that."""
    if place == lead.place:
        return lead
    phase: Phase = "reveal" if place in lead.revealed else "predict"
    same = place.case == lead.place.case
    changes = lead.changes if same else ""
    return replace(lead, place=place, since=now, phase=phase, until=None, changes=changes)


def to_phase(lead: Lead, phase: Phase) -> Lead:
    if lead.place.stage is None:
        raise Refused("no_question")
    if phase == lead.phase:
        return lead
    if phase not in AFTER[lead.phase]:
        raise Refused("revealed_already" if lead.told else "reveal_first")
    revealed = lead.revealed | {lead.place} if phase == "reveal" else lead.revealed
    until = None if phase == "reveal" else lead.until
    return replace(lead, phase=phase, revealed=revealed, until=until)


def timed(lead: Lead, seconds: int, now: float) -> Lead:
    """With a timer; 0 takes it away."""
    if seconds and not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise Refused("no_such_time", least=LEAST_SECONDS, most=MOST_SECONDS)
    return replace(lead, until=now + seconds if seconds else None)


def measuring(lead: Lead, skill: str, pairs: Sequence[tuple[str, str]]) -> Lead:
    """With the first set open: a class measures one skill, once."""
    if lead.part:
        raise Refused("measured_already")
    if not pairs:
        raise Refused("nothing_to_measure")
    before, after = (tuple(one[n] for one in pairs) for n in (0, 1))
    return replace(lead, skill=skill, part="before", before=before, after=after)


def measured_on(lead: Lead) -> Lead:
    """One part further; what was closed stays so."""
    if lead.part in ("", "told"):
        raise Refused("nothing_to_measure")
    return replace(lead, part=PARTS[PARTS.index(lead.part) + 1])


def called(lead: Lead) -> Lead:
    return replace(lead, called=lead.called + 1)


def handed(lead: Lead, changes: str) -> Lead:
    return replace(lead, changes=changes, handed=lead.handed + 1)
