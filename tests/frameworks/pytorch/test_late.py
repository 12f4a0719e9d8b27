"""What a GPU tells late: not where it goes wrong, but where somebody first reads a number."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import Trainer

from debugger import diagnose
from debugger.frameworks.pytorch import forwarding, looking, pipeline
from tests import tiny

SAID = "CUDA error: device-side assert triggered"
READS = (torch.Tensor.cpu, torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.__bool__)


class Late(torch.Tensor):
    """As on a GPU after an assert: every operation is taken, and reading the result fails."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in (*READS, torch.Tensor.__float__):
            raise RuntimeError(SAID)
        return super().__torch_function__(func, types, args, kwargs or {})


class OnALostDevice(Trainer):
    def compute_loss(
        self,
        model: Any,
        inputs: Any,
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        outputs = model(**inputs)
        loss = outputs.loss.as_subclass(Late)
        outputs["logits"] = outputs.logits.as_subclass(Late)
        return (loss, outputs) if return_outputs else loss


def test_an_assert_that_comes_late_is_an_assert_of_the_forward_pass() -> None:
    report = diagnose(tiny.classifier(trainer_class=OnALostDevice))

    assert report.first_failing_stage == "forward"
    found = {finding.code: finding for finding in report.findings}
    assert found["device_side_assert"].numbers["said"] == SAID
    assert "stage_unreadable" not in found


def lost(*_: Any, **__: Any) -> Any:
    raise RuntimeError(SAID)


def test_nobody_asks_a_lost_device_anything_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "drawn", lost)
    report = diagnose(tiny.classifier(trainer_class=OnALostDevice))

    shown = {evidence.code for evidence in report.stage("forward").evidence}
    assert "traceback" in shown
    assert "stage_unreadable" not in {finding.code for finding in report.findings}


def test_whoever_reads_first_hears_of_the_loss_and_is_not_to_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forwarding, "_first_row", lost)
    report = diagnose(tiny.classifier(), stage="all")

    found = [finding for finding in report.findings if finding.severity == "fault"]
    assert [(finding.code, finding.stage) for finding in found] == [
        ("device_side_assert", "forward")
    ]
    for later in ("step", "evaluate", "overfit", "train"):
        assert {rule.reason for rule in report.stage(later).not_run} == {"device_is_lost"}


def test_a_reading_of_ours_that_hears_of_it_is_the_failure_of_the_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(looking, "on_behalf", lost)
    report = diagnose(tiny.classifier())

    assert "stage_unreadable" not in {finding.code for finding in report.findings}
    assert "device_side_assert" in {finding.code for finding in report.findings}
