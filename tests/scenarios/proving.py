"""Runs of the catalogue's tests: each distinct one once, as many at once as there are cores."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from threading import Semaphore

from debugger.outcome import Event, Outcome, StageStarted
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.stages.train import ENOUGH_STEPS
from debugger.workers.local import LocalEngine
from scenarios import Scenario

CPU = "cpu"
FEW_STEPS = 5


def proof_steps(scenario: Scenario) -> int:
    """How long a proof trains: enough to compare accuracies where the judge does, else a little."""
    return ENOUGH_STEPS if scenario.checks.steps >= ENOUGH_STEPS else FEW_STEPS


class Answers:
    """Ask early, take the answer late. Runs start in the order in which they were asked."""

    def __init__(self, engine: LocalEngine, threads: ThreadPoolExecutor, at_once: int) -> None:
        self._engine, self._threads = engine, threads
        self._turns = Semaphore(at_once)
        self._asked: dict[Run, Future[Report]] = {}
        self._proved: dict[tuple[Run, Run], Future[Report]] = {}
        self._trained: dict[tuple[Run, object], Report] = {}

    def walk(self, script: str, steps: int = 1) -> Future[Report]:
        """Up to the first stage that fails, with `steps` of training if it gets that far."""
        return self._ask(Run(script, WALK, device=CPU, steps=steps))

    def whole(self, script: str, steps: int) -> Future[Report]:
        """Every stage, whatever fails before it."""
        return self._ask(Run(script, ALL, device=CPU, steps=steps))

    def repaired(
        self, scenario: Scenario, script: str, steps: int, to_the_end: bool = True
    ) -> Future[Report]:
        """Every stage of a repair that stands beside the twin.

        Where its first two steps move every weight bit for bit as those of the twin do, or of
        another repair, and nothing else was wrong so far, the rest of its training is the same: it
        is not run a second time. Another one is trained if it is to be run `to_the_end`.
        """
        run = Run(script, ALL, device=CPU, steps=steps)
        twin = replace(run, script=scenario.twin)
        if (run, twin) not in self._proved:
            self.whole(scenario.twin, steps)
            self._proved[run, twin] = self._threads.submit(self._prove, run, twin, to_the_end)
        return self._proved[run, twin]

    def _ask(self, run: Run) -> Future[Report]:
        if run not in self._asked:
            self._asked[run] = self._threads.submit(self._answer, run)
        return self._asked[run]

    def hurry(self, more: int) -> None:
        """Make so many more runs at the same time."""
        for _ in range(more):
            self._turns.release()

    def _answer(self, run: Run) -> Report:
        with self._turns:
            return gather(self._engine.events(run))

    def _prove(self, run: Run, twin_run: Run, to_the_end: bool) -> Report:
        twin = self._asked[twin_run].result()
        self._trained[twin_run, _moved(twin)] = twin
        if run == twin_run:
            return twin
        events: list[Event] = []
        with self._turns, closing(self._engine.events(run)) as stream:
            for event in stream:
                if event == StageStarted("overfit"):
                    start = gather([*events, Outcome("pass", CPU, 0.0)])
                    same = self._trained.get((twin_run, _moved(start)))
                    if same is not None and all(s.outcome == "pass" for s in start.stages[:6]):
                        return replace(start, stages=(*start.stages[:6], *same.stages[6:]))
                    if not to_the_end:
                        return start
                events.append(event)
        whole = gather(events)
        self._trained[twin_run, _moved(whole)] = whole
        return whole


def _moved(report: Report) -> object:
    """What the first two steps did to every weight; never the same twice where they did not run."""
    return report.stage("step").measured.get("moved", object())
