"""A way through the catalogue: what a learner can do, and where to go on. Pure functions.

What is not solved, diagnosed or given up counts for nothing here: it would tell its cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from debugger.catalogue import Fix, Scenario
from debugger.catalogue.skills import PATH, Skill, disguises, on_what, skill_of
from debugger.web.times import When, days_since
from debugger.web.visit import SURENESS, Case, Record, Sureness, right_cause

A_WEEK = 7
COMPARABLE = 1
"""How many levels another case may lie above or below the one that went wrong."""
ENOUGH, MANY = 3, 2
"""So many diagnoses tell how well somebody judges; so many of one sureness tell about that one."""
TRUSTY = 0.9


@dataclass(frozen=True)
class Mastery:
    """How many scenarios of a skill are solved, and how many of them without a hint."""

    skill: Skill
    solved: int
    alone: int
    of: int


@dataclass(frozen=True)
class Judged:
    """How often a learner was right who was that sure."""

    sure: Sureness
    right: int
    of: int

    @property
    def wrong(self) -> int:
        return self.of - self.right


@dataclass(frozen=True)
class GoOn:
    """Where to go on: no two of these are the same. `again` was solved so many `days` ago."""

    resume: Scenario | None = None
    again: Scenario | None = None
    days: int = 0
    familiar: Scenario | None = None
    suggested: Scenario | None = None


def mastery(record: Record, scenarios: Iterable[Scenario]) -> list[Mastery]:
    """Skill by skill, in the course's order, those that the catalogue trains."""
    by_skill: dict[Skill, list[Scenario]] = {skill: [] for skill in (*PATH, "leave_alone")}
    for scenario in scenarios:
        by_skill[skill_of(scenario)].append(scenario)
    return [
        Mastery(
            skill,
            sum(record.case(one.id).solved for one in group),
            sum(record.case(one.id).alone for one in group),
            len(group),
        )
        for skill, group in by_skill.items()
        if group
    ]


def calibration(record: Record, scenarios: Iterable[Scenario]) -> list[Judged]:
    """From the first diagnosis of each case; the surest first, and only what was ever said."""
    made = [
        (sure, cause == right_cause(scenario))
        for scenario in scenarios
        for cause, sure in filter(None, [record.case(scenario.id).diagnosis])
    ]
    return [
        Judged(level, sum(right for sure, right in made if sure == level), len(said))
        for level in reversed(SURENESS)
        if (said := [right for sure, right in made if sure == level])
    ]


def advice(judged: Iterable[Judged]) -> tuple[str, int]:
    """The code of the sentence that says what these mean, and its number."""
    by_level = {one.sure: one for one in judged}
    certain, guess = by_level.get("certain"), by_level.get("guess")
    made = sum(one.of for one in by_level.values())
    if certain is not None and certain.right < TRUSTY * certain.of:
        return "look_once_more", certain.wrong
    if made < ENOUGH:
        return "too_early", made
    if guess is not None and guess.of >= MANY and 2 * guess.right > guess.of:
        return "better_than_guessed", guess.right
    return ("never_certain", made) if certain is None else ("well_judged", certain.right)


def go_on(record: Record, scenarios: Sequence[Scenario], now: datetime) -> GoOn:
    """Everything that the first page offers to who has been here before."""
    resume = resumable(record, scenarios)
    again, days = due(record, scenarios, now)
    familiar = _familiar(record, scenarios)
    taken = {one.id for one in (resume, familiar) if one is not None}
    return GoOn(resume, again, days, familiar, suggested(record, scenarios, taken))


def after(scenario: Scenario, record: Record, scenarios: Sequence[Scenario]) -> GoOn:
    """What the end of a cure offers: the same cause again, and the next one."""
    done = record.case(scenario.id).done
    familiar = disguise(scenario, record, scenarios) if done else None
    taken = {scenario.id} | ({familiar.id} if familiar else set())
    return GoOn(familiar=familiar, suggested=suggested(record, scenarios, taken))


def resumable(record: Record, scenarios: Iterable[Scenario]) -> Scenario | None:
    """What was last worked on, if that can still be solved without starting it over."""
    begun = [s for s in scenarios if s.id in record.cases and _open(s, record.case(s.id))]
    return max(begun, key=lambda s: record.case(s.id).at or "", default=None)


def _open(scenario: Scenario, case: Case) -> bool:
    given_up = case.peeked or (scenario.decoy and case.sure is not None)
    return not case.done and not given_up


def suggested(
    record: Record, scenarios: Iterable[Scenario], taken: Iterable[str] = ()
) -> Scenario | None:
    """The next one: of the skill that went wrong last, else the next in the course's order.

    What a skill stands on comes before it. `taken` are those that are offered already.
    """
    known = sorted(scenarios, key=lambda scenario: scenario.order)
    told = [s for s in known if _told(record.case(s.id))]
    told.sort(key=lambda s: record.case(s.id).at or "")
    left = [s for s in known if s not in told and s.id not in record.solved and s.id not in taken]
    lasts: dict[Skill, Scenario] = {skill_of(scenario): scenario for scenario in told}
    shaky: dict[Skill, Scenario] = {
        skill: s for skill, s in lasts.items() if went_wrong(s, record.case(s.id))
    }
    roots = [s for skill, s in shaky.items() if not on_what(skill) & shaky.keys()]
    for missed in sorted(roots, key=told.index, reverse=True):
        alike = [s for s in left if skill_of(s) == skill_of(missed)]
        near = [s for s in alike if abs(s.difficulty - missed.difficulty) <= COMPARABLE]
        near.sort(key=lambda s: (s.framework != missed.framework, s.stacked))
        if near:
            return near[0]
    after = [s for s in left if told and s.order > told[-1].order]
    return next(iter(after or left), None)


def _told(case: Case) -> bool:
    """The learner knows its cause."""
    return case.done or case.sure is not None or case.opened or case.peeked


def went_wrong(scenario: Scenario, case: Case) -> bool:
    """A wrong diagnosis, a hint, a wrong repair, the answer asked for: any of them is a miss."""
    cause, _ = case.diagnosis or (None, None)
    tried = (patch for patch in scenario.patches if patch.id in case.tried)
    needless = any(not (isinstance(patch, Fix) and patch.right) for patch in tried)
    asked = case.peeked or case.opened
    return cause not in (None, right_cause(scenario)) or case.hints > 0 or needless or asked


def disguise(scenario: Scenario, record: Record, scenarios: Iterable[Scenario]) -> Scenario | None:
    """The same cause in a script that this learner has not begun."""
    fresh = (s for s in disguises(scenario, scenarios) if s.id not in record.cases)
    return next(fresh, None)


def _familiar(record: Record, scenarios: Sequence[Scenario]) -> Scenario | None:
    """One with the cause of what was solved last; which that was, the page does not say."""
    solved = [s for s in scenarios if record.case(s.id).done]
    solved.sort(key=lambda s: _solved_at(record.case(s.id)) or "", reverse=True)
    return next(filter(None, (disguise(s, record, scenarios) for s in solved)), None)


def due(
    record: Record, scenarios: Iterable[Scenario], now: datetime
) -> tuple[Scenario | None, int]:
    """What was solved longest ago, a week at least, and how many days that is.

    Who has solved a disguise of it since has shown already that it is still known.
    """
    last: dict[str, tuple[When, Scenario]] = {}
    for scenario in scenarios:
        case = record.case(scenario.id)
        at = _solved_at(case)
        if at is None or not case.done:
            continue
        known = last.get(scenario.code or scenario.id)
        if known is None or known[0] < at:
            last[scenario.code or scenario.id] = at, scenario
    if not last:
        return None, 0
    at, scenario = min(last.values(), key=lambda one: (one[0], one[1].order))
    days = days_since(at, now)
    return (scenario, days) if days >= A_WEEK else (None, 0)


def _solved_at(case: Case) -> When | None:
    return case.again_at or case.solved_at
