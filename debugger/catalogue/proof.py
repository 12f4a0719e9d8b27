"""What a scenario promises, and whether it holds: `check ID` and the tests both ask here.

Every script is run. What is said of a promise that does not hold names the file, the key, what was
expected and what really happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal

from debugger.catalogue.questions import about_numbers, about_what_happens
from debugger.catalogue.runs import Runs, proof_steps
from debugger.catalogue.scenario import FACTS, REPAIRS, Cheat, Fix, Repair, Scenario
from debugger.judge import Judgement, judge
from debugger.outcome import StageName
from debugger.report import Report

Kind = Literal[
    "broken",
    "twin",
    "quotes",
    "cure",
    "uncovers",
    "alone",
    "wrong",
    "harmless",
    "cheat",
    "repair",
    "trained",
]
Judged = Callable[[], Iterator[str]]
"""Waits for what was asked, and says what is wrong with it."""


@dataclass(frozen=True, eq=False)
class Promise:
    """One sentence about a scenario that running it can disprove."""

    scenario: Scenario
    kind: Kind
    patch: Fix | Cheat | Repair | None = None

    def __str__(self) -> str:
        named = f"-{self.patch.id}" if self.patch else ""
        return f"{self.scenario.id}-{self.kind}{named}"


def promises(scenario: Scenario) -> list[Promise]:
    """The first ones are those that all others build on."""
    found = [Promise(scenario, "twin")]
    if not scenario.decoy:
        found.append(Promise(scenario, "broken"))
    found.append(Promise(scenario, "quotes"))
    for fix in scenario.fixes:
        if fix.right:
            found.append(Promise(scenario, "cure", fix))
            found += [Promise(scenario, "alone", fix)] if scenario.stacked else []
            found += [Promise(scenario, "uncovers", fix)] if fix.ends_at else []
        else:
            found.append(Promise(scenario, "wrong" if fix.ends_at else "harmless", fix))
    found += [Promise(scenario, "cheat", cheat) for cheat in scenario.cheats]
    found += [Promise(scenario, "repair", repair) for repair in scenario.repairs]
    found += [Promise(scenario, "trained")] if scenario.repairs else []
    return found


def ask(promise: Promise, runs: Runs) -> Judged:
    """Ask for all runs that the promise needs. Nobody waits before the answer is called."""
    scenario, patch = promise.scenario, promise.patch
    match promise.kind, patch:
        case "broken", _:
            return _broken(scenario, runs)
        case "twin", _:
            return _twin(scenario, runs)
        case "quotes", _:
            return _quotes(scenario, runs)
        case "cure", Fix():
            return _cure(scenario, patch, runs)
        case "alone", Fix():
            return _alone(scenario, patch, runs)
        case "uncovers" | "wrong", Fix():
            return _ends(scenario, patch, runs)
        case "harmless", Fix():
            return _harmless(scenario, patch, runs)
        case "cheat", Cheat():
            return _cheat(scenario, patch, runs)
        case "repair", Repair():
            return _repair(scenario, patch, runs)
    return _trained(scenario, runs)


def seconds_of(promise: Promise) -> float:
    """About how long its runs take on one core, for an estimate."""
    trains = promise.kind in ("twin", "trained")
    ends_at = getattr(promise.patch, "ends_at", promise.scenario.first_stage)
    if promise.kind in ("broken", "wrong") and ends_at == "train":
        trains = True
    steps = proof_steps(promise.scenario) if trains else 0
    return (4 + trains * 8 + 0.4 * steps) * (2 if promise.scenario.framework == "keras" else 1)


def steps_to(stage: StageName | None, scenario: Scenario) -> int:
    """One step is enough to train at all; what only training shows needs as many as the judge."""
    return scenario.checks.steps if stage == "train" else 1


def _broken(scenario: Scenario, runs: Runs) -> Judged:
    asked = runs.walk(scenario.script, steps_to(scenario.first_stage, scenario))

    def judged() -> Iterator[str]:
        report, about = asked.result(), f"{_file(scenario, FACTS)}: "
        if report.outcome not in ("fail", "stopped"):
            yield f"{about}the script as it is should fail; it {_ending(report)}."
        elif report.first_failing_stage != scenario.first_stage:
            yield f'{about}first_stage is "{scenario.first_stage}"; the script {_ending(report)}.'
        found = [finding for finding in report.findings if finding.code == scenario.code]
        if not found:
            yield f'{about}code is "{scenario.code}"; the script {_ending(report)}.'
        elif found[0].line is None:
            yield f'{about}code is "{scenario.code}"; that finding names no line of the script.'

    return judged


def _twin(scenario: Scenario, runs: Runs) -> Judged:
    asked = runs.twin(scenario)
    return lambda: _about_twin(scenario, asked.result())


def _about_twin(scenario: Scenario, twin: Report) -> Iterator[str]:
    key = "script.py" if scenario.decoy else "twin_fixes"
    about = f"{_file(scenario, FACTS)}: {key} should make a script that passes every stage; it"
    looks = [stage.stage for stage in twin.stages if stage.outcome != "pass"]
    if looks:
        yield f"{about} {_ending(twin)}."
    elif missing := judge(twin, twin, scenario).missing:
        yield f"{about} does, and the judge still says {', '.join(missing)}."


def _quotes(scenario: Scenario, runs: Runs) -> Judged:
    asked = [runs.twin(scenario)]
    if not scenario.decoy:
        asked.append(runs.walk(scenario.script, steps_to(scenario.first_stage, scenario)))
    return lambda: about_numbers(scenario, [one.result() for one in asked])


def _cure(scenario: Scenario, fix: Fix, runs: Runs) -> Judged:
    """Alone, or in its place among the twin's where several faults are stacked."""
    asked = runs.repaired(scenario, scenario.mended(fix.id))
    says = _says(scenario, fix, scenario.mended(fix.id), asked, runs)

    def judged(twin: Report) -> Iterator[str]:
        yield from _about_cure(scenario, fix, asked.result(), twin, ())
        yield from says()

    return _compared(scenario, runs, judged)


def _says(
    scenario: Scenario, patch: Fix | Cheat, script: str, asked: Future[Report], runs: Runs
) -> Judged:
    """What a change is said to do, held against its own run and that of the script as it is."""
    both = [asked]
    if not scenario.decoy:
        both.append(runs.walk(scenario.script, steps_to(scenario.first_stage, scenario)))
    return lambda: about_what_happens(scenario, patch, script, [one.result() for one in both])


def _about_cure(
    scenario: Scenario, patch: Fix | Repair, report: Report, twin: Report, left: tuple[str, ...]
) -> Iterator[str]:
    verdict = judge(report, twin, scenario)
    if verdict.missing != left:
        said = _verdict(verdict)
        yield f"{_place(scenario, patch)} should cure; it {_ending(report)}, and {said}."


def _alone(scenario: Scenario, fix: Fix, runs: Runs) -> Judged:
    asked = runs.walk(scenario.patched([fix.id]))

    def judged(twin: Report) -> Iterator[str]:
        verdict = judge(asked.result(), twin, scenario)
        if "stage_fails" not in verdict.missing:
            about = f"{_place(scenario, fix)} alone should leave a stage that fails"
            yield f"{about}; it {_ending(asked.result())}, and {_verdict(verdict)}."

    return _compared(scenario, runs, judged)


def _ends(scenario: Scenario, fix: Fix, runs: Runs) -> Judged:
    asked = runs.walk(scenario.tried(fix.id), steps_to(fix.ends_at, scenario))
    says = _says(scenario, fix, scenario.tried(fix.id), asked, runs)

    def judged() -> Iterator[str]:
        yield from says()
        report = asked.result()
        codes = [finding.code for finding in report.findings]
        if report.first_failing_stage != fix.ends_at or fix.code not in codes:
            about = f'{_place(scenario, fix)} ends_at "{fix.ends_at}" with the code "{fix.code}"'
            yield f"{about}; it {_ending(report)}."

    return judged


def _harmless(scenario: Scenario, fix: Fix, runs: Runs) -> Judged:
    asked = runs.repaired(scenario, scenario.patched([fix.id]))
    says = _says(scenario, fix, scenario.patched([fix.id]), asked, runs)

    def judged() -> Iterator[str]:
        yield from says()
        report = asked.result()
        ends = {stage.outcome for stage in report.stages}
        looks = {one.code for one in report.findings if one.severity != "note"}
        if not ends <= {"pass", "look"} or looks != ({fix.code} - {None}):
            wanted = "no harm" if fix.code is None else f"no harm, with a closer look: {fix.code}"
            yield f"{_place(scenario, fix)} should do {wanted}; it {_ending(report)}."

    return judged


def _cheat(scenario: Scenario, cheat: Cheat, runs: Runs) -> Judged:
    """Most are seen before anything is trained. What is not trained is, as far as can be."""
    script = scenario.cheated(cheat.id)
    of_training = cheat.refused_by in ("not_trained", "below_twin")
    first, *more = (proof_steps(scenario),) if of_training else (0, 0, 1)
    asked = runs.walk(script, steps=first)
    says = _says(scenario, cheat, script, asked, runs)

    def judged(twin: Report) -> Iterator[str]:
        yield from says()
        verdict = judge(asked.result(), twin, scenario)
        for steps in more:
            if cheat.refused_by not in verdict.missing:
                verdict = judge(runs.whole(script, steps).result(), twin, scenario)
        if cheat.refused_by not in verdict.missing:
            about = f'{_place(scenario, cheat)} is refused_by "{cheat.refused_by}"'
            yield f"{about}; {_verdict(verdict)}."

    return _compared(scenario, runs, judged)


def _repair(scenario: Scenario, repair: Repair, runs: Runs) -> Judged:
    """Nothing but the training may be missing, and not that where it was trained."""
    asked = _repairs(scenario, runs)[repair.id]

    def judged(twin: Report) -> Iterator[str]:
        left = () if _was_trained(asked.result()) else ("not_trained",)
        return _about_cure(scenario, repair, asked.result(), twin, left)

    return _compared(scenario, runs, judged)


def _trained(scenario: Scenario, runs: Runs) -> Judged:
    asked = _repairs(scenario, runs)

    def judged(_: Report) -> Iterator[str]:
        if not any(_was_trained(one.result()) for one in asked.values()):
            yield f"{_file(scenario, REPAIRS)}: no repair could be trained to its end."

    return _compared(scenario, runs, judged)


def _repairs(scenario: Scenario, runs: Runs) -> dict[str, Future[Report]]:
    """Each is run up to its training; where that goes bit for bit as one that was run, it counts.

    Where that is so for none, the first is trained to its end, so it comes last.
    """
    first, *rest = scenario.repairs
    others = {one.id: runs.repaired(scenario, scenario.repaired(one), _never) for one in rest}

    def no_other_was_trained() -> bool:
        return not any(_was_trained(other.result()) for other in others.values())

    after = list(others.values())
    asked = runs.repaired(scenario, scenario.repaired(first), no_other_was_trained, after)
    return {first.id: asked, **others}


def _never() -> bool:
    return False


def _was_trained(report: Report) -> bool:
    return report.stage("train").outcome != "not run"


def _compared(scenario: Scenario, runs: Runs, judged: Callable[[Report], Iterator[str]]) -> Judged:
    """With a twin that fails nothing can be compared; the same sentence says so for all of them."""
    asked = runs.twin(scenario)

    def told() -> Iterator[str]:
        if any(_about_twin(scenario, asked.result())):
            yield (
                f"{_file(scenario, FACTS)}: the twin should pass every stage; until it does, "
                "right fixes, cheats and repairs cannot be held against it."
            )
        else:
            yield from judged(asked.result())

    return told


def _ending(report: Report) -> str:
    """What really happened, after "it"."""
    failing = [one for one in report.stages if one.stage == report.first_failing_stage]
    other = [one for one in report.stages if one.outcome in ("unknown", "look")]
    at = next(iter(failing or other), None)
    if at is None:
        return "passes every stage" if _was_trained(report) else "passes, up to its training"
    codes = [finding.code for finding in at.findings if finding.severity != "note"]
    found = ", ".join(codes or [finding.code for finding in at.findings])
    how = {"unknown": "cannot be judged at", "look": "wants a closer look at"}
    return f"{how.get(at.outcome, 'ends at')} {at.stage}{found and ' with '}{found}"


def _verdict(verdict: Judgement) -> str:
    if verdict.cured:
        return "the judge calls it cured"
    accuracies = [metric.get("accuracy") for metric in (verdict.metric, verdict.twin_metric)]
    compared = ""
    if "below_twin" in verdict.missing:
        compared = " (accuracy {:.2f}, the twin {:.2f})".format(*accuracies)
    return f"the judge says {', '.join(verdict.missing)}{compared}"


def _file(scenario: Scenario, file: str) -> str:
    return "/".join((scenario.folder / file).parts[-3:])


def _place(scenario: Scenario, patch: Fix | Cheat | Repair) -> str:
    """The file and the key, with the name for people."""
    file, key, all_of = {
        Fix: (FACTS, "fixes", scenario.fixes),
        Cheat: (FACTS, "cheats", scenario.cheats),
        Repair: (REPAIRS, "repairs", scenario.repairs),
    }[type(patch)]
    return f"{_file(scenario, file)}: {key}[{list(all_of).index(patch) + 1}] ({patch.id})"
