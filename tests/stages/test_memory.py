"""Memory that ran out: how much was asked for, by a batch of which size, within which limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from debugger.failure import Failure
from debugger.outcome import Finding
from debugger.pipelines.forward import Forward
from debugger.script.places import Places
from debugger.stages.forward import RULES
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests.stages.test_step import FACTS

ON_A_CPU = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1610612736 bytes."
ON_A_GPU = "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 14.5 GiB."


def found(message: str, **seen: Any) -> dict[str, Finding]:
    failure = Failure("RuntimeError", message, (), 9)
    view = View(
        replace(FACTS, batch_size=2048), Places("A(\n per_device_train_batch_size=2048)"), True
    )
    findings, _ = judged("forward", RULES, Forward((), "", failure=failure, **seen), view)
    return {finding.code: finding for finding in findings}


@pytest.mark.parametrize(("message", "megabytes"), [(ON_A_CPU, 1536), (ON_A_GPU, 2560)])
def test_the_size_of_the_batch_and_what_it_asked_for_are_told(
    message: str, megabytes: float
) -> None:
    findings = found(message, length=512)

    assert findings["out_of_memory"].line == 2
    numbers = {"rows": 2048, "tokens": 512, "megabytes": megabytes}
    assert findings["batch_too_large"].numbers == numbers
    assert "2,048 rows of 512 tokens" in Words().finding(findings["batch_too_large"])


def test_what_is_not_known_is_not_told() -> None:
    assert list(found(ON_A_CPU)) == ["out_of_memory"]
    assert list(found("MemoryError: out of memory", length=512)) == ["out_of_memory"]


def test_the_limit_is_told_where_there_is_one() -> None:
    finding = found(ON_A_CPU)["out_of_memory"]
    limited = replace(finding, numbers={**finding.numbers, "memory_mb": 3000})

    assert Words().finding(finding).startswith("The memory is full.")
    assert Words().finding(limited).startswith("The 3,000 MB that a run may use here are full.")
