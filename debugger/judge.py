"""Is this script cured? A pure function of what trusted processes saw, never of its text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from debugger.catalogue.scenario import Scenario
from debugger.outcome import STAGES, StageName, Weighed
from debugger.report import Report
from debugger.stages.train import ENOUGH_STEPS

ROWS_ENOUGH = 1 / 8
"""Of the twin's rows, where a repair may choose its own."""
EVEN = 1.25
"""How much more frequent than an even share the most frequent label may be."""


BEYOND_CHANCE = 0.12
"""How far above one class for all the weights of a training must lie, to have learned anything."""
AS_FAR = 3.0
"""How many times as far as the twin's weights, or less far, those of a like training may move."""
UNTOLD = frozenset(
    (
        *("weights_pending", "weights_cut_off", "weights_missing", "weights_unreadable"),
        *(
            "report_unreadable",
            "weights_do_not_fit",
            "weights_untried",
            "weights_labels_unnamed",
            "twin_not_built",
        ),
        "twin_unweighed",
    )
)
"""Why nobody can tell whether a typed script is cured."""


@dataclass(frozen=True)
class Judgement:
    """`proof` holds the numbers of what the weights were worth, where the script never ran."""

    cured: bool
    missing: tuple[str, ...]
    first_failing_stage: StageName | None
    metric: dict[str, Any] = field(default_factory=dict)
    twin_metric: dict[str, Any] = field(default_factory=dict)
    proof: dict[str, float] = field(default_factory=dict)

    @property
    def untold(self) -> bool:
        """Nothing speaks against a cure, and nobody can vouch for it."""
        return bool(self.missing) and UNTOLD.issuperset(self.missing)


def judge(report: Report, twin: Report, scenario: Scenario) -> Judgement:
    """What is missing, in the order in which a person would mend it."""
    if any(twin.stage(name).outcome not in ("pass", "look") for name in STAGES):
        return Judgement(False, ("twin_failed",), report.first_failing_stage, _metric(report))
    missing = [
        *_task_changed(report, twin, scenario),
        *_metric_changed(report, twin),
        *_still_broken(report, twin, scenario),
        *_learns_less(report, twin, scenario),
    ]
    return Judgement(
        cured=not missing,
        missing=tuple(dict.fromkeys(missing)),
        first_failing_stage=report.first_failing_stage,
        metric=_metric(report),
        twin_metric=_metric(twin),
    )


def proven(
    found: Judgement, left: Weighed | None, by_twin: Weighed | None, scenario: Scenario
) -> Judgement:
    """The judgement on a typed script: its own report could be forged, so its weights must do.

    `left` and `by_twin` are what the two trainings were worth. Whoever found that out never ran the
    typed script; before that nothing is proven.
    """
    if not found.cured:
        return found
    if left is None or left.reason:
        return replace(found, cured=False, missing=(left.reason if left else "weights_pending",))
    if by_twin is None or by_twin.reason or not by_twin.rows:
        return replace(found, cured=False, missing=("twin_unweighed",))
    share, twin = left.right / left.rows, by_twin.right / by_twin.rows
    proof = {"share": share, "rows": left.rows, "twin": twin}
    chance = by_twin.majority + BEYOND_CHANCE
    if twin < chance:
        moved, by = left.moved or 0.0, by_twin.moved or 0.0
        proof |= {"moved": moved, "twin_moved": by}
        missing = () if by / AS_FAR <= moved <= by * AS_FAR else ("weights_moved_otherwise",)
    else:
        enough = max(chance, _enough(twin, scenario))
        missing = () if share >= enough else ("weights_know_less",)
    return replace(found, cured=not missing, missing=missing, proof=proof)


def _still_broken(report: Report, twin: Report, scenario: Scenario) -> list[str]:
    missing = []
    # A stacked fault that still fails its stage is not quieter: it is the next one to mend.
    behind = {fix.code for fix in scenario.fixes if fix.right}
    if any(
        (f.code == scenario.code and f.severity != "note")
        or (f.code in behind and f.severity == "look")
        for f in report.findings
    ):
        missing.append("fault_still_there")
    unseen = any(finding.code.startswith("trains_again_") for finding in report.findings)
    if unseen and _found(twin, "trains_before"):
        missing.append("later_training_unseen")
    if any(report.stage(name).outcome in ("fail", "stopped", "unknown") for name in STAGES):
        missing.append("stage_fails")
    return missing


def _found(report: Report, code: str) -> bool:
    return any(finding.code == code for finding in report.findings)


def _task_changed(report: Report, twin: Report, scenario: Scenario) -> list[str]:
    """The same rows with the same labels, in training and in evaluation.

    Labels may be numbered anew, if their names go with them and in both sets alike.
    """
    here, there = report.stage("data").measured, twin.stage("data").measured
    if not here:
        return []
    splits = [(name, here.get(name), there[name]) for name in ("train", "eval") if name in there]
    if all(_same("named_digest", mine, wanted) for _, mine, wanted in splits):
        return []
    codes = {"train": "rows_changed", "eval": "eval_rows_changed"}
    missing = []
    for name, mine, wanted in splits:
        if mine is not None and scenario.checks.rows == "balanced":
            missing += _unlike(mine, wanted, codes[name])
        elif mine is None or mine["rows"] != wanted["rows"]:
            missing.append(codes[name])
        elif _same("numbered_digest", mine, wanted):
            continue
        elif _same("bare_digest", mine, wanted) or mine["labels"] != wanted["labels"]:
            missing.append("labels_changed")
        elif not _same_rows(mine, wanted):
            missing.append(codes[name])
    return missing


def _same(digest: str, mine: dict[str, Any] | None, wanted: dict[str, Any]) -> bool:
    if not mine or not mine.get(digest) or mine["rows"] != wanted["rows"]:
        return False
    return mine[digest] == wanted.get(digest)


def _same_rows(mine: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Either sign will do: the first tokens survive a cut, the words another order of sentences."""
    signs = [name for name in ("digest", "words") if mine.get(name) and wanted.get(name)]
    return not signs or any(mine[name] == wanted[name] for name in signs)


def _unlike(mine: dict[str, Any], wanted: dict[str, Any], code: str) -> list[str]:
    """Where the fault is the choice of rows: enough of the twin's, its labels, evenly."""
    counts = mine["labels"].values()
    missing = []
    if mine["rows"] < ROWS_ENOUGH * wanted["rows"]:
        missing.append("too_few_rows")
    if mine["labels"].keys() != wanted["labels"].keys() or (
        max(counts, default=0) * len(counts) > EVEN * sum(counts)
    ):
        missing.append("labels_unbalanced")
    if not set(mine["sample"]) <= set(wanted["sample"]):
        missing.append(code)
    return missing


def _metric_changed(report: Report, twin: Report) -> list[str]:
    here, there = report.stage("evaluate").measured, twin.stage("evaluate").measured
    if not here or not there.get("has_metric"):
        return []
    if not here["has_metric"] or here["eval_rows"] is None:
        return ["metric_missing"]
    known = ("metric_flatters_constant", "metric_wrong_on_perfect")
    missing = [f.code for f in report.stage("evaluate").findings if f.code in known]
    same_names = set(there["answers"]) <= set(here["answers"])
    if report.stage("evaluate").outcome != "fail" and not same_names and not _counts(here):
        missing.append("metric_missing")
    if there["perfect"] is not None and here["perfect"] is None and not missing:
        missing.append("metric_untried")
    return missing


def _counts(measured: dict[str, Any]) -> bool:
    """Is there a number, whatever its name, that is 1 for all right and less for one class?"""
    perfect, constant = measured.get("perfect") or {}, measured.get("constant") or {}
    return any(abs(perfect[name] - 1) < 1e-6 and constant.get(name, 1) < 1 for name in perfect)


def _learns_less(report: Report, twin: Report, scenario: Scenario) -> list[str]:
    """Too little training tells nothing: after 30 steps healthy seeds lie anywhere from chance up.

    Such a run is held to be learning by what it does with one batch, at the stage before.
    """
    here, there = report.stage("train").measured, twin.stage("train").measured
    if not here or not here.get("losses"):
        return ["not_trained"]
    accuracy, wanted = here.get("accuracy"), there.get("accuracy")
    if accuracy is None and wanted is not None:
        return ["not_trained"]
    if here["steps"] < there["steps"]:
        return ["not_trained"]
    if accuracy is None or wanted is None or here["steps"] < ENOUGH_STEPS:
        return []
    return ["below_twin"] if accuracy < _enough(wanted, scenario) else []


def _enough(twin: float, scenario: Scenario) -> float:
    """Within the scenario's tolerance of the twin's accuracy; reaching its floor is as good."""
    enough = twin - scenario.checks.tolerance
    return enough if scenario.checks.floor is None else min(enough, scenario.checks.floor)


def _metric(report: Report) -> dict[str, Any]:
    train = report.stage("train").measured
    return {name: train[name] for name in ("accuracy", "majority", "steps") if name in train}
