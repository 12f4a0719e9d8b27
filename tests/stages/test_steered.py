"""A schedule that was tried in one way alone."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.within import Steered
from debugger.stages.judging import View
from debugger.stages.plan import UNKNOWN
from debugger.stages.steered import rate_driven_down
from tests.stages.cases.seen import PLAN, STEPPED
from tests.stages.test_step import FACTS


def test_rates_that_could_not_be_had_afresh_tell_nothing() -> None:
    alone = Steered("Scheduler", 1e-3, 1e-3, 1.0, (1e-3, 1e-4, 1e-5, 1e-6))
    assert (
        rate_driven_down(replace(STEPPED, plan=replace(PLAN, steered=alone)), View(FACTS))
        is UNKNOWN
    )
