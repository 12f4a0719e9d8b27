"""The draft of an issue or a forum post, as Markdown to copy."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any

from debugger.asking.paths import names_a_place, near, without_paths, without_us
from debugger.asking.symptom import crash_of
from debugger.evidence.plain import plain
from debugger.failure import first_line
from debugger.report import Report
from debugger.words import Words


@dataclass(frozen=True)
class Shorter:
    """The shortest script that was found to show the symptom, and the report of its run.

    `lines` had the script that it was made of, in so many `tries`; `early`: more was left to try.
    """

    script: str
    report: Report
    lines: int
    tries: int
    early: bool

    @property
    def left(self) -> int:
        return len(self.script.splitlines())


@dataclass(frozen=True)
class About:
    """What else a draft tells. What is empty is left to whoever posts it.

    `seen` is what goes wrong where nothing crashes, `tried` what was tried, each with its end.
    `lacks` are the modules that a stranger does not have.
    """

    name: str
    platform: str
    arguments: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    complaint: str = ""
    tried: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


def draft(shorter: Shorter, about: About, words: Words) -> str:
    """Everything that a maintainer asks for; what only a person can write is asked for in it."""

    def say(code: str, **numbers: Any) -> str:
        return words.say("issue", code, **numbers)

    def section(code: str, *inside: str) -> str:
        return "\n\n".join((f"### {say(code)}", *filter(None, inside)))

    crash = crash_of(shorter.report)
    data = {} if crash is None else crash[1]
    title = _last_words(data).splitlines()[0] if data else say("ask_title")
    happens = say("crashes") if data else _listed(about.seen) or say("ask_seen")
    count = {"lines": shorter.lines, "left": shorter.left, "tries": shorter.tries}
    short = say("shortened" if shorter.left < shorter.lines else "as_it_is", **count)
    traceback = [section("traceback", _fenced(traceback_of(data), ""))] if data else []
    return "\n\n".join(
        (
            f"**{say('title')}** {title}",
            section("happens", _quoted(about.complaint), happens),
            section(
                "script",
                f"{short} {say('early') if shorter.early else ''}".strip(),
                _fenced(shorter.script, "python"),
                *_to_run_it(shorter.script, about, words),
            ),
            *traceback,
            section("expected", say("ask_expected")),
            section("tried", _listed(about.tried), say("ask_more" if about.tried else "ask_tried")),
            section("environment", _environment(shorter.report, about, words)),
            "",
        )
    )


def traceback_of(data: dict[str, Any]) -> str:
    """As Python prints it, without the places of one machine."""
    lines = ["Traceback (most recent call last):"] if data["frames"] else []
    for frame in data["frames"]:
        where = f", in {frame['name']}" if frame["name"] else ""
        lines.append(f'  File "{near(frame["file"])}", line {frame["line"]}{where}')
        lines += [f"    {line.strip()}" for line in frame["code"].splitlines() if line.strip()]
    return "\n".join([*lines, _last_words(data)])


def numbers(report: Report, words: Words) -> tuple[str, ...]:
    """What anybody sees who runs a script that does not crash: how its training went."""
    curves = report.stage("train").curves
    losses = [y for _, y in curves.get("loss", ())]
    told = []
    if losses:
        count = {"first": plain(losses[0]), "last": plain(losses[-1]), "steps": len(losses)}
        told.append(words.say("issue", "loss", **count))
    for _, accuracy in curves.get("accuracy", ())[-1:]:
        told.append(words.say("issue", "accuracy", value=plain(accuracy), steps=len(losses)))
    return tuple(told)


def ending(report: Report, words: Words) -> str:
    """How a run ended, in one sentence that says nothing of what the clinic looked up."""
    crash = crash_of(report)
    if crash is not None:
        said = first_line(_last_words(crash[1]))
        return words.say("issue", "ended_crash", said=said)
    went = " ".join(numbers(report, words))
    return words.say("issue", "ended_runs", how=went).rstrip()


def _last_words(data: dict[str, Any]) -> str:
    message = without_paths(without_us(data["message"]))
    return f"{data['exception']}: {message}" if message else data["exception"]


def _listed(sentences: tuple[str, ...]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _quoted(text: str) -> str:
    return f"> {text}" if text else ""


def _fenced(text: str, language: str) -> str:
    """Between more backticks than stand anywhere in it."""
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text)), 0)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _to_run_it(script: str, about: About, words: Words) -> list[str]:
    told = []
    if about.arguments:
        command = shlex.join(["python", about.name, *map(without_paths, about.arguments)])
        told.append(words.say("issue", "command", command=command))
    for module in about.lacks:
        told.append(words.say("issue", "lacks", module=module))
    line = names_a_place(script)
    return told if line is None else [*told, words.say("issue", "place", line=line)]


def _environment(report: Report, about: About, words: Words) -> str:
    named = [(name, version) for name, version in report.versions.items()]
    named.append((words.say("issue", "platform"), about.platform))
    named.append((words.say("issue", "device"), report.device))
    return "\n".join(f"- {name}: {value}" for name, value in named)
