"""A class as a text to read afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from string import ascii_uppercase
from typing import Any

from debugger.evidence.plain import clean
from debugger.words import Words

SETS = ("before", "after")


def readable(told: Mapping[str, Any], words: Words) -> str:
    """`told` is what `summary` makes."""

    def say(code: str, **numbers: object) -> str:
        return words.say("class", code, **numbers)

    made = f"{datetime.fromtimestamp(told['made'], UTC):%Y-%m-%d %H:%M} UTC"
    lines = [say("report", made=made), say("students", count=told["students"]), ""]
    for one in told["questions"]:
        stage = words.say("short", one["stage"]) if one["stage"] else words.say("clinic", "symptom")
        minutes = f"{one['seconds'] / 60:.1f}"
        lines.append(say("report_place", title=one["title"], stage=stage, minutes=minutes))
        if "question" in one:
            lines += [f"  {one['question']}", *_choices(one, words)]
        lines.append("")
    if told["tempting"]:
        lines.append(say("tempting"))
        lines += [
            f"  {one['repair']}: {say('students', count=one['students'])}"
            for one in told["tempting"]
        ]
        lines.append("")
    if "before" in (measured := told.get("measured", {})):
        lines += [
            say("measured"),
            *(f"  {say_share(part, measured[part], words)}" for part in SETS),
        ]
        lines.append("")
    for one in told.get("names", ()):
        name = clean(one["name"]) or say("without_name")
        lines.append(say("report_name", name=name, right=one["right"], count=one["answered"]))
    return "\n".join(lines).rstrip() + "\n"


def say_share(part: str, share: Mapping[str, int], words: Words) -> str:
    """Right answers of a set of questions, and how many there were."""
    right, of = share["right"], share["of"]
    percent = round(100 * right / of) if of else 0
    return words.say("class", f"share_{part}", share=percent, right=right, count=of)


def _choices(one: Mapping[str, Any], words: Words) -> list[str]:
    lines = []
    for shown, choice in enumerate(one["choices"]):
        first = one["first_votes"][shown] if one["first_votes"] else None
        code = "report_votes" if first is None else "report_changed"
        votes = words.say("class", code, count=one["votes"][shown], first=first)
        mark = f" {words.say('class', 'report_right')}" if shown == one["right"] else ""
        lines.append(f"  {ascii_uppercase[shown]} {choice}: {votes}{mark}")
    return lines
