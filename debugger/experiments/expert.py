"""When an expert is asked: where a training is in doubt, and nothing before it says why."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from debugger.experiments.doubts import UNRELATED, hardly_fell, in_doubt, odd_plan
from debugger.experiments.one_thing import hardly_any_rate, wild_rate
from debugger.experiments.trying import Explained, Tell, explained
from debugger.outcome import Finding, NotRun, StageName
from debugger.pipelines.face import Pipeline
from debugger.script.places import Places
from debugger.stages.judging import Stage

LOG = logging.getLogger(__name__)

STILL = "still_warming_up"


class Expert:
    """Goes along with a walk, and makes experiments once, where he is `called` at all."""

    def __init__(self, called: bool, last: StageName | None) -> None:
        self._called, self._last = called, last
        self._slow = self._odd = False

    def asked(
        self,
        pipeline: Pipeline,
        look: Stage[Any],
        findings: list[Finding],
        not_run: list[NotRun],
        places: Places,
        tell: Tell,
        losses: Sequence[float | None] = (),
        learns: bool = False,
    ) -> Explained:
        """What a stage's findings leave in doubt. A mere look waits for what the last stage says:
        there it counts how far the `losses` of the training fell, and whether the plan is odd. What
        `learns` as it stands has no fault that keeps it from learning.

        What goes wrong in an experiment is no failing of the script.
        """
        faults = any(finding.severity == "fault" for finding in findings)
        telling = {one.code for one in findings if one.severity == "fault"} - UNRELATED
        if not look.trains and telling and look.name != "evaluate":
            self._called = False  # that is the cause
        last = look.name == self._last
        climbing = last and any(rule.reason == STILL for rule in not_run)
        slow = last and self._slow and hardly_fell(losses)
        doubted = slow or ((faults or last) and in_doubt(findings))
        self._slow |= in_doubt(findings)
        self._odd |= odd_plan(findings)
        doubted |= last and self._odd
        asked = doubted or climbing or (last and self._slow)
        if not self._called or not look.trains or not asked:
            return Explained()
        self._called = False
        try:
            lab = pipeline.lab()
            if lab is None:
                return Explained()
            here = lab.conditions
            if not (doubted or (climbing and hardly_any_rate(here)) or wild_rate(here)):
                return Explained()
            return explained(lab, look.name, places, tell, learns=learns)
        except Exception:
            LOG.exception("the experiments of stage %s failed", look.name)
            return Explained(not_run=[NotRun("experiments", "no_experiment")])
