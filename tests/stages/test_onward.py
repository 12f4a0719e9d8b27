"""One finding hides no other: a walk goes on past a judgement, and ends at an exception."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import Trainer

from debugger import diagnose
from debugger.report import Report
from tests import tiny


def faults(report: Report) -> list[tuple[str, str]]:
    return [(f.stage, f.code) for f in report.findings if f.severity == "fault"]


def leaking(**more: Any) -> Trainer:
    torch.manual_seed(0)
    args = tiny.arguments(**{"learning_rate": 5e-3, **more.pop("arguments", {})})
    rows = tiny.pairs(60).select(range(40, 60))
    return tiny.classifier(eval_dataset=rows, args=args, **more)


def of_all_wrong(given: Any) -> dict[str, float]:
    return {"accuracy": float(np.mean(given.predictions.argmin(-1) == given.label_ids))}


@pytest.mark.proof
def test_a_leak_hides_neither_the_metric_nor_the_training() -> None:
    report = diagnose(leaking(compute_metrics=of_all_wrong), steps=20)

    assert faults(report)[:2] == [("data", "leak"), ("evaluate", "metric_wrong_on_perfect")]
    assert report.first_failing_stage == "data"
    assert report.stage("train").outcome != "not run"


def test_what_explains_a_training_leaves_it_out() -> None:
    model = tiny.bert()
    for name, weight in model.named_parameters():
        weight.requires_grad_(not name.startswith("classifier"))
    report = diagnose(leaking(model=model, compute_metrics=of_all_wrong))

    assert faults(report)[:3] == [
        ("data", "leak"),
        ("step", "head_frozen"),
        ("evaluate", "metric_wrong_on_perfect"),
    ]
    for stage in ("overfit", "train"):
        assert [rule.reason for rule in report.stage(stage).not_run] == ["explained_already"]


@pytest.mark.proof
def test_an_exception_ends_it_but_not_one_while_evaluating() -> None:
    def refuses(given: Any) -> dict[str, float]:
        raise KeyError("logits")

    report = diagnose(leaking(compute_metrics=refuses), steps=20)
    assert faults(report) == [("data", "leak"), ("evaluate", "evaluate_failed")]
    assert report.stage("train").outcome != "not run"

    report = diagnose(leaking(model=tiny.bert(num_labels=2)))
    assert faults(report) == [("data", "leak"), ("forward", "label_outside_head")]
    assert [s.outcome for s in report.stages[4:]] == ["not run"] * 4


def test_learners_still_stop_at_the_first_stage_that_fails() -> None:
    report = diagnose(leaking(), stage="walk")

    assert faults(report) == [("data", "leak")]
    assert [s.outcome for s in report.stages[2:]] == ["not run"] * 6
