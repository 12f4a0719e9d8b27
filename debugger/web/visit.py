"""What one tab shows and what its browser keeps: plain data, and how each press changes it."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from hashlib import sha256
from typing import Annotated, Any, Literal, get_args
from urllib.parse import parse_qs, urlencode

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from debugger.catalogue import Scenario, ScenarioError
from debugger.catalogue.scenario import number_of
from debugger.homework.receipt import MOST_LENGTH, MOST_RECEIPTS
from debugger.outcome import STAGES, StageName, Stop
from debugger.web.languages import language_of
from debugger.web.times import When
from debugger.words import languages

CLOSED = ConfigDict(extra="forbid")
LOOKED = -1
NOTHING_WRONG = "nothing_wrong"
MOST_CAUSES = 5
ALIKE = (
    {"nan_at_labels", "label_outside_head"},
    {"default_behind_a_string", "learning_rate_too_high"},
    {"labels_in_the_inputs", "loss_expects_probabilities"},
    {"ragged_rows", "ragged_batch", "pads_from_map"},
)
"""Causes that are true of one script together: no choice between them would be fair."""
MOST_CASES = 500
KEPT = "() => [window.clinic.kept()]"
"""How a page asks its browser for what it keeps, as a listener's `js`."""
SYMPTOM = "symptom"
"""What a learner asks for who wants the whole script run as its author ran it."""
BESIDE = "twin"
"""What a learner asks for who wants to see the healthy twin beside a stage."""
MARKED = "marked"
"""What a learner asks for who has marked rows: the twin's, to compare them with."""
ISSUE = "issue"
"""What one asks for who wants a draft of an issue."""
TYPED = "typed"
"""What an address carries, and the names of changes begin with, where the learner has typed."""
MOST_TYPED = 20_000
EDIT = "edit"
CHECK = "check"
"""What one asks for who has typed a check."""
MOST_CHECK, MOST_CHECKS = 2_000, 10
MOST_ANSWER, MOST_SAID = 8_000, 500
EXPERIMENTS = "experiments"
"""What one asks for who wants a training that is in doubt tried with one thing changed."""
Panel = Literal["symptom", "evidence", "fix", "console", "issue"]
Side = Literal["script", "edit", "diff", "journey", "diagnosis", "notes"]
Sureness = Literal["guess", "fairly", "certain"]
SURENESS: tuple[Sureness, ...] = get_args(Sureness)
Small = Annotated[str, Field(max_length=80)]


@dataclass(frozen=True, config=CLOSED)
class Asked:
    """A check, with the `changes` that stood in the script, and its answer (see `Answer`).

    `said` is the sentence about what ended it from outside.
    """

    check: Annotated[str, Field(max_length=MOST_CHECK)]
    changes: Annotated[tuple[Small, ...], Field(max_length=200)] = ()
    text: Annotated[str, Field(max_length=MOST_ANSWER)] = ""
    left_out: Annotated[int, Field(ge=0)] = 0
    end: Annotated[str, Field(max_length=MOST_ANSWER)] = ""
    at: Stop | None = None
    line: int | None = None
    said: Annotated[str, Field(max_length=MOST_SAID)] = ""


@dataclass(frozen=True, config=CLOSED)
class Case:
    """What a browser remembers of one scenario. `ran` holds the stages run, by applied changes.

    `answers` holds the number of a choice, or that of LOOKED: the learner looked without choosing.
    A diagnosis is a `cause`, final once it has its `sure`; `missed` is a first one that was wrong.
    `at` is when it was last worked on, with the `stage` and the `changes` where it stood. `typed`
    is the script as it was last typed, kept while listed changes are tried. `checks` are the last
    ones that were answered, the newest first.
    What is solved and started over is `afresh` until it is solved again; that it was solved stays,
    `unaided` without a hint, and so does what the very `first` diagnosis had been, and that the
    finding or the solution was `shown_before`. `receipts` are what the clinic signed when it had
    proved a cure.
    """

    answers: dict[StageName, int] = field(default_factory=dict)
    seen: bool = False
    hints: Annotated[int, Field(ge=0, le=4)] = 0
    cause: Small | None = None
    sure: Sureness | None = None
    missed: Small | None = None
    missed_sure: Sureness | None = None
    opened: bool = False
    marks: Annotated[tuple[Annotated[int, Field(ge=0, le=9)], ...], Field(max_length=9)] = ()
    marked: bool = False
    tried: Annotated[tuple[Small, ...], Field(max_length=200)] = ()
    ran: dict[str, tuple[StageName, ...]] = field(default_factory=dict)
    running: Small | None = None
    solved: bool = False
    peeked: bool = False
    at: When | None = None
    stage: StageName | None = None
    changes: Annotated[tuple[Small, ...], Field(max_length=200)] = ()
    solved_at: When | None = None
    again_at: When | None = None
    typed: Annotated[str, Field(max_length=MOST_TYPED)] | None = None
    checks: Annotated[tuple[Asked, ...], Field(max_length=MOST_CHECKS)] = ()
    afresh: bool = False
    unaided: bool = False
    first: Small | None = None
    first_sure: Sureness | None = None
    shown_before: bool = False
    receipts: Annotated[
        tuple[Annotated[str, Field(max_length=MOST_LENGTH)], ...], Field(max_length=MOST_RECEIPTS)
    ] = ()

    @property
    def done(self) -> bool:
        """Solved, and not started over since."""
        return self.solved and not self.afresh

    @property
    def alone(self) -> bool:
        """Solved without a hint, now or before it was started over."""
        return self.unaided or (self.done and self.hints == 0)

    @property
    def shown(self) -> bool:
        """The finding or the solution was on the screen, now or before it was started over."""
        return self.opened or self.peeked or self.shown_before

    @property
    def diagnosis(self) -> tuple[str, Sureness] | None:
        """The first one that was ever made, and how sure the learner was of it."""
        made: tuple[tuple[str | None, Sureness | None], ...] = (
            (self.first, self.first_sure),
            (self.missed, self.missed_sure),
            (self.cause, self.sure),
        )
        return next(((cause, sure) for cause, sure in made if cause and sure), None)

    def started_over(self) -> Case:
        """All forgotten but that it was solved, how, and what the first diagnosis had been."""
        cause, sure = self.diagnosis or (None, None)
        return Case(
            solved=self.solved,
            solved_at=self.solved_at,
            again_at=self.again_at,
            afresh=self.solved,
            unaided=self.alone,
            first=cause,
            first_sure=sure,
            shown_before=self.shown,
            receipts=self.receipts,
        )


@dataclass(frozen=True, config=CLOSED)
class Record:
    """Everything that a browser keeps; the server keeps nothing. `learner` shuffles the lists."""

    version: Literal[1] = 1
    learner: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")] = "00000000"
    cases: Annotated[dict[Small, Case], Field(max_length=MOST_CASES)] = field(default_factory=dict)

    def case(self, scenario_id: str) -> Case:
        return self.cases.get(scenario_id, Case())

    def changed(self, scenario_id: str, **fields: Any) -> Record:
        case = replace(self.case(scenario_id), **fields)
        return replace(self, cases={**self.cases, scenario_id: case})

    def restarted(self, scenario_id: str, at: When) -> Record:
        """That scenario started over; nothing is kept of one that left nothing to keep."""
        left = self.case(scenario_id).started_over()
        cases = {**self.cases, scenario_id: replace(left, at=at)}
        if left == Case():
            del cases[scenario_id]
        return replace(self, cases=cases)

    @property
    def solved(self) -> frozenset[str]:
        return frozenset(name for name, case in self.cases.items() if case.solved)


_CASE: TypeAdapter[Case] = TypeAdapter(Case)
_NAME: TypeAdapter[str] = TypeAdapter(Small)
_TOLD: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def read_record(kept: str) -> Record:
    """The record of a browser. What cannot be read in it was changed by hand, and is left out."""
    raw = as_object(kept) or {}
    cases, _ = readable(raw.get("cases"))
    with suppress(ValidationError):
        return Record(learner=raw.get("learner", ""), cases=cases)
    return Record(learner=secrets.token_hex(4), cases=cases)


def as_object(text: str) -> dict[str, Any] | None:
    """What a JSON text holds; None where that is not an object."""
    with suppress(ValidationError):
        return _TOLD.validate_json(text)
    return None


def readable(found: object) -> tuple[dict[str, Case], list[str]]:
    """Every case that is as the clinic writes one, and the names of those that are not."""
    cases: dict[str, Case] = {}
    wrong: list[str] = []
    for name, case in found.items() if isinstance(found, dict) else ():
        try:
            if len(cases) == MOST_CASES:
                raise ValueError
            cases[_NAME.validate_python(name)] = _CASE.validate_python(case)
        except ValueError:
            wrong.append(name)
    return cases, wrong


def kept_case(record: Record, scenario_id: str) -> str:
    """What the browser is to keep of one scenario: other tabs look after the others."""
    case = record.cases.get(scenario_id)
    told = {"learner": record.learner, "scenario": scenario_id, "case": case}
    return _TOLD.dump_json(told).decode()


@dataclass(frozen=True)
class Visit:
    """What the address bar holds, and which tabs stand open. `chosen` is a change being read.

    `lost` says that the link asked for a stage or for changes that this scenario does not have.
    """

    scenario: str = ""
    stage: StageName = "setup"
    changes: tuple[str, ...] = ()
    language: str = "en"
    present: bool = False
    demo: bool = False
    lost: bool = False
    panel: Panel = "symptom"
    side: Side = "script"
    chosen: str | None = None

    @property
    def address(self) -> str:
        asked = {"case": str(number_of(self.scenario))}
        if self.panel != SYMPTOM:
            asked["stage"] = self.stage
        if self.changes:
            asked["changes"] = numbered(self.changes)
        if len(languages()) > 1:
            asked["lang"] = self.language
        if self.present:
            asked["present"] = "1"
        return f"?{urlencode(asked, safe=',')}"

    @property
    def variant(self) -> str:
        """Names the script as it is changed now, for the browser's memory."""
        return "+".join(self.changes)


class LinkError(ValueError):
    """A link that leads nowhere: the code of the sentence that says why."""

    def __init__(self, code: str, value: str) -> None:
        super().__init__(code)
        self.code, self.value = code, value


def scenario_named(name: str, known: Mapping[str, Scenario]) -> Scenario | None:
    """By its number, or by its id, which older links carry."""
    numbered = (scenario for scenario in known.values() if str(scenario.number) == name)
    return known.get(name) or next(numbered, None)


def name_of(text: str) -> str:
    """How a typed text stands among the changes of a visit: another text is another change."""
    return f"{TYPED}-{sha256(text.encode()).hexdigest()[:12]}"


def is_typed(changes: Sequence[str]) -> bool:
    return bool(changes) and changes[0].startswith(f"{TYPED}-")


def script_of(scenario: Scenario, changes: Sequence[str], case: Case) -> str:
    """The script as it was typed, or with its listed changes."""
    if not is_typed(changes):
        return scenario.changed(changes)
    return case.typed or scenario.script


def numbered(changes: Sequence[str]) -> str:
    """Changes as an address carries them: their names would tell what to do."""
    if is_typed(changes):
        return TYPED
    return ",".join(str(number_of(change)) for change in changes)


def changes_in(asked: Mapping[str, str], scenario: Scenario) -> tuple[str, ...] | None:
    """What an address wants changed, by number or as older links name it; None if it cannot be."""
    names = {str(number_of(patch.id)): patch.id for patch in scenario.patches}
    wanted = (asked.get("changes") or asked.get("fixes", "")).split(",")
    changes = tuple(names.get(one, one) for one in wanted if one)
    try:
        scenario.changed(changes)
    except ScenarioError:
        return None
    return changes


def read_address(query: str, known: Mapping[str, Scenario], accepted: str | None = None) -> Visit:
    """The visit that a link asks for, or a LinkError. It is `lost` where some of it is not there.

    That a text was typed is all that a link knows of it: see `at_home`.
    Where the link names no language, it is one that the browser has `accepted`.
    """
    asked = {name: values[-1] for name, values in parse_qs(query.lstrip("?")).items()}
    name = asked.get("case") or asked.get("scenario", "")
    scenario = scenario_named(name, known)
    if scenario is None:
        raise LinkError("no_scenario" if name else "no_name", name)
    changes = (TYPED,) if asked.get("changes") == TYPED else changes_in(asked, scenario)
    lost = changes is None
    named = asked.get("stage", "")
    demo = asked.get("demo", "") not in ("", "0")
    stage = STAGES[STAGES.index(named)] if named in STAGES else "setup"  # type: ignore[arg-type]
    return Visit(
        scenario=scenario.id,
        stage=stage,
        changes=changes or (),
        lost=lost or named not in ("", *STAGES),
        language=language_of(query, accepted),
        present=asked.get("present", "") not in ("", "0"),
        demo=demo,
        panel="evidence" if demo or named in STAGES else SYMPTOM,
    )


def at_home(visit: Visit, record: Record) -> Visit:
    """With the text that this browser keeps, where the link says that one was typed."""
    if visit.changes != (TYPED,):
        return visit
    text = record.case(visit.scenario).typed
    changes = () if text is None else (name_of(text),)
    return replace(visit, changes=changes, lost=visit.lost or text is None)


def shuffled(items: Iterable[Any], *seeds: str) -> list[Any]:
    """The same order for the same learner, another for the next one."""
    order = list(items)
    random.Random("/".join(seeds)).shuffle(order)
    return order


def causes(scenario: Scenario, all_scenarios: Iterable[Scenario], learner: str) -> list[str]:
    """The causes to choose from: the real one, others of its framework and symptom, and nothing."""
    true = {scenario.code}.union(*(alike for alike in ALIKE if scenario.code in alike))
    others = [s for s in all_scenarios if s.code and s.code not in true]
    others.sort(
        key=lambda s: (s.framework != scenario.framework, s.symptom != scenario.symptom, s.order)
    )
    codes = list(dict.fromkeys(s.code for s in others if s.code))
    wanted = MOST_CAUSES - (scenario.code is not None)
    listed = [*codes[:wanted], *([scenario.code] if scenario.code else [])]
    return [*shuffled(listed, learner, scenario.id, "causes"), NOTHING_WRONG]


def right_cause(scenario: Scenario) -> str:
    return scenario.code or NOTHING_WRONG


def stacked(scenario: Scenario, changes: tuple[str, ...], patch_id: str) -> tuple[str, ...]:
    """The changes with one more; those give way that it stands for or does not fit on top of.

    A typed text gives way whole.
    """
    changes = () if is_typed(changes) else changes
    places = {patch.id: patch.instead_of or patch.id for patch in scenario.patches}
    others = tuple(c for c in changes if places[c] != places.get(patch_id))
    for kept in range(len(others), -1, -1):
        tried = (*others[:kept], patch_id)
        try:
            scenario.changed(tried)
        except ScenarioError:
            continue
        return tried
    return changes
