"""The judge on hand-made reports: how each change of the task is named; any cure is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from debugger import catalogue
from debugger.diagnosis import compare
from debugger.judge import Judgement, judge, proven
from debugger.outcome import STAGES, Ending, Finding, StageName, Weighed
from debugger.report import Report, StageReport
from debugger.stages.train import parted_at

SCENARIO = catalogue.find("two_labels")
ROWS = {"rows": 90, "labels": {"0": 30, "1": 30, "2": 30}, "digest": "abc"}
MEASURED: dict[str, dict[str, Any]] = {
    "data": {"train": ROWS, "eval": {**ROWS, "digest": "def"}},
    "evaluate": {
        "has_metric": True,
        "eval_rows": 90,
        "answers": ["accuracy"],
        "perfect": {"accuracy": 1.0},
    },
    "train": {"accuracy": 0.8, "majority": 0.33, "steps": 60, "losses": [1.1, 0.6]},
}
HEALTHY = Report(
    "pass",
    tuple(StageReport(name, "pass", measured=MEASURED.get(name, {})) for name in STAGES),
)


def with_stage(name: StageName, **changes: Any) -> Report:
    stages = tuple(replace(s, **changes) if s.stage == name else s for s in HEALTHY.stages)
    return replace(HEALTHY, stages=stages)


def measuring(name: StageName, **changes: Any) -> Report:
    return with_stage(name, measured={**MEASURED[name], **changes})


def verdict(report: Report, twin: Report = HEALTHY) -> Judgement:
    return judge(report, twin, SCENARIO)


def test_a_script_that_does_all_that_its_twin_does_is_cured() -> None:
    assert verdict(HEALTHY) == Judgement(
        True, (), None, {"accuracy": 0.8, "majority": 0.33, "steps": 60},
        {"accuracy": 0.8, "majority": 0.33, "steps": 60},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("report", "missing"),
    [
        (measuring("data", train={**ROWS, "rows": 60}), "rows_changed"),
        (measuring("data", train={**ROWS, "digest": "xyz"}), "rows_changed"),
        (measuring("data", train={**ROWS, "labels": {"0": 30, "1": 60}}), "labels_changed"),
        (measuring("data", eval={**ROWS, "rows": 8}), "eval_rows_changed"),
        (with_stage("data", measured={"train": ROWS}), "eval_rows_changed"),
        (measuring("evaluate", has_metric=False), "metric_missing"),
        (measuring("evaluate", eval_rows=None), "metric_missing"),
        (measuring("evaluate", answers=["loss"]), "metric_missing"),
        (measuring("evaluate", perfect=None), "metric_untried"),
        (measuring("train", accuracy=0.5), "below_twin"),
        (measuring("train", accuracy=None), "not_trained"),
        (measuring("train", steps=10), "not_trained"),
        (with_stage("train", measured={}), "not_trained"),
        (with_stage("step", outcome="fail"), "stage_fails"),
        (with_stage("overfit", outcome="stopped"), "stage_fails"),
        (
            with_stage("forward", findings=(Finding("label_outside_head", "look", "forward"),)),
            "fault_still_there",
        ),
        (
            with_stage(
                "evaluate", findings=(Finding("metric_flatters_constant", "fault", "evaluate"),)
            ),
            "metric_flatters_constant",
        ),
    ],
)
def test_what_is_missing_is_named(report: Report, missing: str) -> None:
    found = verdict(report)

    assert not found.cured
    assert missing in found.missing


def test_of_stacked_faults_none_may_stay_behind() -> None:
    quieter = with_stage("batch", findings=(Finding("ragged_batch", "look", "batch"),))
    stacked = catalogue.find("course_script")

    assert judge(quieter, HEALTHY, SCENARIO).cured
    assert judge(quieter, HEALTHY, stacked).missing == ("fault_still_there",)

    ragged = (Finding("ragged_batch", "fault", "batch"),)
    loud = with_stage("batch", outcome="fail", findings=ragged)

    assert judge(loud, HEALTHY, stacked).missing == ("stage_fails",)


BALANCED = replace(SCENARIO, checks=replace(SCENARIO.checks, rows="balanced"))
PART = {"rows": 31, "labels": {"0": 10, "1": 11, "2": 10}, "digest": "xyz", "sample": ["a", "c"]}
WHOLE = measuring("data", train={**ROWS, "sample": ["a", "b", "c"]}, eval=ROWS | {"sample": ["d"]})


def choosing(train: dict[str, Any], evaluation: dict[str, Any] | None = None) -> Judgement:
    measured = {"train": PART | train, "eval": PART | {"sample": ["d"]} | (evaluation or {})}
    return judge(with_stage("data", measured=measured), WHOLE, BALANCED)


def test_where_the_choice_of_rows_is_the_fault_any_balanced_part_of_them_is_a_cure() -> None:
    assert choosing({}).cured
    assert choosing({"rows": 180, "labels": {"0": 60, "1": 60, "2": 60}}).cured
    assert judge(WHOLE, WHOLE, BALANCED).cured
    assert "rows_changed" in judge(measuring("data", train=PART), WHOLE, SCENARIO).missing


@pytest.mark.parametrize(
    ("verdict", "missing"),
    [
        (choosing({"rows": 9, "labels": {"0": 3, "1": 3, "2": 3}}), "too_few_rows"),
        (choosing({"labels": {"0": 15, "1": 15}}), "labels_unbalanced"),
        (choosing({"labels": {"0": 20, "1": 6, "2": 5}}), "labels_unbalanced"),
        (choosing({"sample": ["a", "z"]}), "rows_changed"),
        (choosing({}, {"labels": {"0": 28, "1": 2, "2": 1}}), "labels_unbalanced"),
        (choosing({}, {"sample": ["a"]}), "eval_rows_changed"),
        (
            judge(with_stage("data", measured={"train": PART}), WHOLE, BALANCED),
            "eval_rows_changed",
        ),
    ],
)
def test_a_choice_of_rows_that_is_no_cure_says_why(verdict: Judgement, missing: str) -> None:
    assert verdict.missing == (missing,)


def test_a_later_training_must_be_seen_where_the_twins_was() -> None:
    unseen = with_stage("setup", findings=(Finding("trains_again_fails", "look", "setup"),))
    seen = with_stage("setup", findings=(Finding("trains_before", "note", "setup"),))

    assert verdict(unseen, seen).missing == ("later_training_unseen",)
    assert verdict(seen, seen).cured
    assert verdict(unseen).cured


def test_a_little_below_the_twin_and_one_more_metric_are_still_a_cure() -> None:
    close = 0.8 - SCENARIO.checks.tolerance / 2

    assert verdict(measuring("train", accuracy=close)).cured
    assert verdict(measuring("evaluate", answers=["accuracy", "f1"])).cured


def test_rows_are_the_same_by_their_first_tokens_or_by_their_words() -> None:
    twin = measuring("data", train={**ROWS, "words": "w"})
    other_order = measuring("data", train={**ROWS, "digest": "xyz", "words": "w"})
    cut = measuring("data", train={**ROWS, "words": "fewer"})
    other_rows = measuring("data", train={**ROWS, "digest": "xyz", "words": "fewer"})

    assert verdict(other_order, twin).cured
    assert verdict(cut, twin).cured
    assert verdict(other_rows, twin).missing == ("rows_changed",)


def test_a_slow_seed_is_a_cure_when_it_reaches_what_slow_healthy_seeds_reach() -> None:
    slow, lucky_twin = measuring("train", accuracy=0.62), measuring("train", accuracy=0.83)
    floor = replace(SCENARIO, checks=replace(SCENARIO.checks, floor=0.6))

    assert judge(slow, lucky_twin, SCENARIO).missing == ("below_twin",)
    assert judge(slow, lucky_twin, floor).cured
    at_chance = measuring("train", accuracy=0.45)
    assert judge(at_chance, lucky_twin, floor).missing == ("below_twin",)


def test_after_a_few_steps_the_accuracy_is_not_compared() -> None:
    early, twin = (measuring("train", accuracy=y, steps=20) for y in (0.34, 0.71))

    assert verdict(early, twin).cured


def labelled(train: str, evaluation: str) -> Report:
    """Each data set with its labels "as before", "renumbered" with their names, or "moved"."""
    digests = {
        "as before": {"numbered_digest": "number", "named_digest": "name"},
        "renumbered": {"numbered_digest": "other", "named_digest": "name"},
        "unnamed": {"numbered_digest": "number", "named_digest": ""},
        "moved": {"numbered_digest": "other", "named_digest": "other"},
    }
    splits = {"train": train, "eval": evaluation}
    return measuring(
        "data",
        **{name: {**ROWS, "bare_digest": "rows", **digests[how]} for name, how in splits.items()},
    )


def test_labels_may_be_numbered_anew_with_their_names_and_in_both_sets() -> None:
    twin = labelled("as before", "as before")

    assert verdict(labelled("renumbered", "renumbered"), twin).cured
    assert verdict(labelled("unnamed", "unnamed"), twin).cured
    assert verdict(labelled("renumbered", "unnamed"), twin).missing == ("labels_changed",)
    assert verdict(labelled("moved", "as before"), twin).missing == ("labels_changed",)
    assert verdict(labelled("as before", "moved"), twin).missing == ("labels_changed",)


def test_rows_that_are_cut_are_known_by_their_beginning() -> None:
    twin = labelled("as before", "as before")
    cut = {**ROWS, "numbered_digest": "cut", "named_digest": "cut", "bare_digest": "cut"}

    assert verdict(measuring("data", train=cut, eval=cut), twin).cured


def test_a_metric_of_another_name_is_as_good_when_it_counts_right_answers() -> None:
    def named(perfect: float, constant: float) -> Report:
        both = {"perfect": {"share": perfect}, "constant": {"share": constant}}
        return measuring("evaluate", answers=["share"], **both)

    assert verdict(named(1.0, 0.36)).cured
    assert verdict(named(0.4, 0.36)).missing == ("metric_missing",)
    assert verdict(named(1.0, 1.0)).missing == ("metric_missing",)


@pytest.mark.parametrize("ending", ["fail", "stopped", "unknown", "not run"])
def test_beside_a_twin_that_failed_nothing_is_cured(ending: Ending) -> None:
    assert verdict(HEALTHY, with_stage("train", outcome=ending)).missing == ("twin_failed",)


def test_two_trainings_part_where_their_losses_stay_apart() -> None:
    together: list[float | None] = [1.1] * 30
    falling: list[float | None] = [*[1.1] * 15, *[0.3] * 15]

    assert parted_at(together, together) is None
    step = parted_at(together, falling)
    assert step is not None
    assert 16 <= step <= 20
    assert parted_at([1.1, None, None], [1.1, 1.0, 0.9]) == 2


def test_the_comparison_says_where_the_twin_went_another_way() -> None:
    stuck = measuring("train", accuracy=0.33, losses=[1.1] * 30, accuracies=[[30, 0.33]])
    twin = measuring("train", losses=[1.1] * 15 + [0.3] * 15, accuracies=[[30, 0.8]])

    train = compare(stuck, twin).stage("train")

    assert [f.code for f in train.findings] == ["parts_from_twin"]
    assert train.findings[0].numbers["twin"] == 0.8
    assert "twin_loss" in train.evidence[-1].data["series"]


KNOWS = Weighed(80, 100, 0.35, moved=0.02)


@pytest.mark.parametrize(
    ("left", "by_twin", "missing"),
    [
        (KNOWS, KNOWS, ()),
        (Weighed(66, 100, 0.35, moved=0.02), KNOWS, ()),
        (Weighed(64, 100, 0.35, moved=0.02), KNOWS, ("weights_know_less",)),
        (Weighed(40, 100, 0.35, moved=0.02), Weighed(50, 100, 0.35), ("weights_know_less",)),
        (None, KNOWS, ("weights_pending",)),
        (Weighed(reason="weights_missing"), KNOWS, ("weights_missing",)),
        (KNOWS, None, ("twin_unweighed",)),
        (KNOWS, Weighed(reason="weights_missing"), ("twin_unweighed",)),
    ],
)
def test_a_typed_cure_stands_when_its_weights_do(
    left: Weighed | None, by_twin: Weighed | None, missing: tuple[str, ...]
) -> None:
    found = proven(verdict(HEALTHY), left, by_twin, SCENARIO)
    assert (found.cured, found.missing) == (not missing, missing)
    assert found.untold == (bool(missing) and missing != ("weights_know_less",))


@pytest.mark.parametrize(("far", "cured"), [(0.02, True), (0.05, True), (0.0, False), (0.1, False)])
def test_where_the_twin_had_no_time_to_learn_its_weights_must_have_moved_as_far(
    far: float, cured: bool
) -> None:
    guessing = Weighed(35, 100, 0.35, moved=0.02)
    found = proven(verdict(HEALTHY), replace(guessing, moved=far), guessing, SCENARIO)
    assert found.cured == cured
    assert found.proof["twin_moved"] == 0.02


def test_weights_cure_nothing_that_the_judge_refuses() -> None:
    refused = verdict(with_stage("step", outcome="fail"))
    assert proven(refused, KNOWS, KNOWS, SCENARIO) == refused
