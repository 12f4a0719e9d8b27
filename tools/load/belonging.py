"""Whether what stands on a page belongs to whoever asked for it. Pure functions."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from debugger.catalogue import Scenario
from debugger.catalogue.scenario import number_of
from debugger.outcome import STAGES, StageName
from debugger.web.visit import Panel, numbered, shuffled
from debugger.words import Words
from tools.load.visitors import Drawn

Key = tuple[str, tuple[str, ...], StageName, str]
"""What decides the evidence: scenario, changes, stage, language."""
_SAID_IN = re.compile(r'data-said-in="([^"]*)"')
_ADDRESS = re.compile(r'data-address="\?([^"]*)"')
_HEARD = re.compile(r'data-heard="(\d+)"')
_KEEP = re.compile(r'data-keep="([^"]*)"')
_TITLE = re.compile(r"<h1>(.*?) <small>")
_CURRENT = re.compile(r'data-with="(\w+)"[^>]* aria-current="step"')
_LINE = re.compile(r'<span class="no" aria-hidden="true">\d+</span><code>(.*?)</code></div>')
_TAG = re.compile(r"<[^>]*>")
_OPTION = re.compile(r'data-act="choose" data-with="(\w+)"')
_RUN = re.compile(r'data-act="run" data-with="(\w+)"')
_QUESTION = re.compile(r'<div class="question done">.*?</div>')
_MARK = re.compile(r"mark-[0-9a-f]{8}")


@dataclass
class Mine:
    """What one session has asked for so far. `marks` are words that it alone has ever typed, the
    last of them on this page where it has `asked`."""

    learner: str
    language: str
    scenario: Scenario
    stage: StageName = "setup"
    changes: tuple[str, ...] = ()
    panel: Panel = "symptom"
    marks: list[str] = field(default_factory=list)
    heard: int = 0
    asked: bool = False

    @property
    def key(self) -> Key:
        return self.scenario.id, self.changes, self.stage, self.language


def foreign(mine: Mine, drawn: Drawn, known: Mapping[Key, str]) -> list[str]:
    """All that does not belong to this session. `known` is the evidence that each key has."""
    return [*_in_the_bar(mine, drawn), *_in_the_rest(mine, drawn), *_evidence(mine, drawn, known)]


def has_evidence(drawn: Drawn) -> bool:
    return 'class="verdict ' in drawn["right"]


def evidence_of(drawn: Drawn) -> str:
    """All of the panel but the question, which is not asked over a changed script."""
    return _QUESTION.sub("", drawn["right"])


def _in_the_bar(mine: Mine, drawn: Drawn) -> Iterator[str]:
    bar = drawn["bar"]
    kept = json.loads(html.unescape(_one(_KEEP, bar)) or "{}")
    address = parse_qs(html.unescape(_one(_ADDRESS, bar)))
    asked = {
        "language": (_one(_SAID_IN, bar), mine.language),
        "press": (_one(_HEARD, bar), str(mine.heard)),
        "title": (html.unescape(_one(_TITLE, bar)), mine.scenario.words.title),
        "learner": (kept.get("learner"), mine.learner),
        "kept scenario": (kept.get("scenario"), mine.scenario.id),
        "case": (address.get("case"), [str(number_of(mine.scenario.id))]),
        "changes": (address.get("changes", [""]), [numbered(mine.changes)]),
    }
    if mine.panel != "symptom":
        asked["stage"] = (address.get("stage"), [mine.stage])
    yield from _differing(asked)


def _in_the_rest(mine: Mine, drawn: Drawn) -> Iterator[str]:
    script = mine.scenario.changed(mine.changes).rstrip("\n").split("\n")
    shown = [html.unescape(_TAG.sub("", line)) for line in _LINE.findall(drawn["left"])]
    ran = [one for one in _RUN.findall(drawn["foot"]) if one in STAGES]
    said = {*_MARK.findall("".join(drawn.values()))}
    asked: dict[str, tuple[object, object]] = {
        "script": (shown, [line or " " for line in script]),
        "rail": (_CURRENT.findall(drawn["rail"]), [mine.stage]),
        "foot": (ran, [mine.stage]),
        "marks of others": (said - {*mine.marks}, set()),
    }
    if mine.panel == "fix":
        order = shuffled(mine.scenario.patches, mine.learner, mine.scenario.id, "changes")
        wanted = [patch.id for patch in order if patch.id not in mine.changes]
        asked["order of changes"] = (_OPTION.findall(drawn["right"]), wanted)
    if mine.panel == "console" and mine.asked:
        asked["own mark"] = (mine.marks[-1] in drawn["right"], True)
    yield from _differing(asked)


def _evidence(mine: Mine, drawn: Drawn, known: Mapping[Key, str]) -> Iterator[str]:
    if mine.panel != "evidence":
        return
    name = Words(mine.language).of(mine.scenario.framework).say("stage", mine.stage)
    heading = f"<h2>{STAGES.index(mine.stage) + 1}. {html.escape(name)}</h2>"
    yield from _differing(
        {"heading": (html.unescape(heading) in html.unescape(drawn["right"]), True)}
    )
    if has_evidence(drawn) and mine.key in known:
        yield from _differing({"evidence": (evidence_of(drawn), known[mine.key])})


def _differing(asked: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    for what, (shown, wanted) in asked.items():
        if shown != wanted:
            one, other = str(shown), str(wanted)
            pairs = enumerate(zip(one, other, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
            near = slice(max(0, at - 20), at + 80)
            yield f"{what}: {one[near]!r} instead of {other[near]!r}"


def _one(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""
