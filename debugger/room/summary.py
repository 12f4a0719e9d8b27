"""What is left of a class as a file: votes, time, tempting repairs. Names only where asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from debugger.room.lead import Place
from debugger.room.room import Room, Seen, Student

MOST_TEMPTING = 10
Asked = Callable[[Place], Mapping[str, Any]]
"""What a place is called: its `title`, `question` and `choices`; the first is the right one."""
Wrong = Callable[[str, str], str | None]
"""The label of a change of a scenario that does not mend it; None of any other."""


def summary(room: Room, asked: Asked, wrong: Wrong, names: bool = False) -> dict[str, Any]:
    """Plain data, for JSON. The answer of a question that was not revealed is not in it."""
    seen = room.seen()
    places = [place for place in room.history() if place.case]
    told: dict[str, Any] = {
        "made": room.made,
        "students": seen.people,
        "questions": [_question(room, place, asked) for place in places],
        "tempting": tempting(seen.students, wrong),
    }
    if room.lead.part:
        told["measured"] = measured(seen, asked)
    if names:
        told["names"] = [_named(room, n, student) for n, student in sorted(seen.students.items())]
    return told


def tempting(students: Mapping[int, Student], wrong: Wrong) -> list[dict[str, Any]]:
    """Wrong repairs by how many tried them, the most tempting first."""
    tried = Counter(
        (student.at.case, repair) for student in students.values() for repair in student.tried
    )
    named = (
        {"repair": label, "students": count}
        for (case, repair), count in tried.most_common()
        if (label := wrong(case, repair))
    )
    return list(named)[:MOST_TEMPTING]


def shares(seen: Seen) -> dict[str, tuple[int, int]]:
    """Right answers, and all, of the set before the lesson and of the one after it."""
    sets = {"before": seen.lead.before, "after": seen.lead.after}
    return {
        part: (sum(seen.measured[c][0] for c in cases), sum(sum(seen.measured[c]) for c in cases))
        for part, cases in sets.items()
    }


def measured(seen: Seen, asked: Asked) -> dict[str, Any]:
    """Both sets with their answers. Which were right, and the skill, once that was told to all."""
    lead, told = seen.lead, seen.lead.part == "told"
    questions: list[dict[str, Any]] = []
    for part, cases in (("before", lead.before), ("after", lead.after)):
        for case in cases:
            order, about = seen.orders[case], asked(Place(case))
            questions.append(
                {
                    "part": part,
                    "case": about["case"],
                    "title": about["title"],
                    "answers": [seen.measured[case][n] for n in order],
                    "right": order.index(0) if told else None,
                }
            )
    found: dict[str, Any] = {"part": lead.part, "questions": questions}
    if told:
        found["skill"] = lead.skill
        for part, (right, of) in shares(seen).items():
            found[part] = {"right": right, "of": of}
    return found


def _question(room: Room, place: Place, asked: Asked) -> dict[str, Any]:
    visited, revealed = room.history()[place], place in room.seen().lead.revealed
    told: dict[str, Any] = {**asked(place), "seconds": round(visited.seconds)}
    order = room.order(place)
    if order and place.stage is not None:
        told["choices"] = [told["choices"][n] for n in order]
        told["first_votes"] = [visited.first[n] for n in order] if visited.first else None
        told["votes"] = [room.counted(place)[n] for n in order]
        told["right"] = order.index(0) if revealed else None
    return told


def _named(room: Room, number: int, student: Student) -> dict[str, Any]:
    given = {
        place: shown
        for place in room.history()
        if place in room.seen().lead.revealed and (shown := room.voted(number, place)) is not None
    }
    right = sum(room.order(place)[shown] == 0 for place, shown in given.items())
    return {"name": student.called, "answered": len(given), "right": right}
