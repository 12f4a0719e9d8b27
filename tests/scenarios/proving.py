"""Runs of the catalogue's tests: each distinct one once, as many at once as there are cores."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.workers.local import LocalEngine
from scenarios import Scenario

CPU = "cpu"


class Answers:
    """Ask early, take the answer late. Runs start in the order in which they were asked."""

    def __init__(self, engine: LocalEngine, threads: ThreadPoolExecutor) -> None:
        self._engine, self._threads = engine, threads
        self._asked: dict[Run, Future[Report]] = {}
        self._proved: dict[tuple[Run, Run], Future[Report]] = {}

    def walk(self, script: str, steps: int = 1) -> Future[Report]:
        """Up to the first stage that fails, with `steps` of training if it gets that far."""
        return self._ask(Run(script, WALK, device=CPU, steps=steps))

    def whole(self, script: str, steps: int) -> Future[Report]:
        """Every stage, whatever fails before it."""
        return self._ask(Run(script, ALL, device=CPU, steps=steps))

    def twin(self, scenario: Scenario) -> Future[Report]:
        return self.whole(scenario.twin, scenario.checks.steps)

    def repaired(self, scenario: Scenario, script: str) -> Future[Report]:
        """Every stage of a repair that stands beside the twin.

        Where its first two steps move every weight bit for bit as the twin's do, and nothing else
        was wrong so far, the rest of its training is the twin's: it is not run a second time.
        """
        run = Run(script, ALL, device=CPU, steps=scenario.checks.steps)
        twin = replace(run, script=scenario.twin)
        if (run, twin) not in self._proved:
            self.twin(scenario)
            self._proved[run, twin] = self._threads.submit(self._prove, run, twin)
        return self._proved[run, twin]

    def _ask(self, run: Run) -> Future[Report]:
        if run not in self._asked:
            self._asked[run] = self._threads.submit(self._answer, run)
        return self._asked[run]

    def _answer(self, run: Run) -> Report:
        return gather(self._engine.events(run))

    def _prove(self, run: Run, twin_run: Run) -> Report:
        twin = self._asked[twin_run].result()
        if run == twin_run:
            return twin
        start = self._answer(replace(run, steps=0))
        moved, theirs = (one.stage("step").measured.get("moved") for one in (start, twin))
        if start.outcome == "pass" and moved is not None and moved == theirs:
            borrowed = {name: twin.stage(name) for name in ("overfit", "train")}
            stages = tuple(borrowed.get(stage.stage, stage) for stage in start.stages)
            return replace(start, stages=stages)
        return self._answer(run)
