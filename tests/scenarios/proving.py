"""Runs of the catalogue's tests: each distinct one once, as many at once as there are cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
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
    compared = scenario.checks.steps >= ENOUGH_STEPS and not scenario.decoy
    return ENOUGH_STEPS if compared else FEW_STEPS


def always() -> bool:
    return True


class Answers:
    """Ask early, take the answer late. Runs start in the order in which they were asked."""

    def __init__(self, engine: LocalEngine, threads: ThreadPoolExecutor, at_once: int) -> None:
        self._engine, self._threads = engine, threads
        self._turns = Semaphore(at_once)
        self._asked: dict[Run, Future[Report]] = {}
        self._proved: dict[Run, Future[Report]] = {}
        self._trained: dict[object, Report] = {}

    def walk(self, script: str, steps: int = 1) -> Future[Report]:
        """Up to the first stage that fails, with `steps` of training if it gets that far."""
        return self._ask(Run(script, WALK, device=CPU, steps=steps))

    def whole(self, script: str, steps: int) -> Future[Report]:
        """Every stage, whatever fails before it."""
        return self._ask(Run(script, ALL, device=CPU, steps=steps))

    def twin(self, scenario: Scenario) -> Future[Report]:
        return self._proof(scenario, scenario.twin, (), always)

    def repaired(
        self,
        scenario: Scenario,
        script: str,
        to_the_end: Callable[[], bool] = always,
        after: Sequence[Future[Report]] = (),
    ) -> Future[Report]:
        """Every stage of a repair that stands beside the twin.

        Where its data, its evaluation and every weight after two steps are bit for bit those of
        another proof, and nothing was wrong so far, the rest of its training is the same: it is not
        run a second time. Another one is trained if it is to be run `to_the_end`, which is asked
        when those that it comes `after` have their answers.
        """
        return self._proof(scenario, script, (self.twin(scenario), *after), to_the_end)

    def _proof(
        self,
        scenario: Scenario,
        script: str,
        after: Sequence[Future[Report]],
        to_the_end: Callable[[], bool],
    ) -> Future[Report]:
        run = Run(script, ALL, device=CPU, steps=proof_steps(scenario))
        if run not in self._proved:
            self._proved[run] = self._threads.submit(self._prove, run, after, to_the_end)
        return self._proved[run]

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

    def _prove(
        self, run: Run, after: Sequence[Future[Report]], to_the_end: Callable[[], bool]
    ) -> Report:
        wait(after)  # without a turn of its own, which one of them may need
        events: list[Event] = []
        with self._turns, closing(self._engine.events(run)) as stream:
            for event in stream:
                if event == StageStarted("overfit"):
                    start = gather([*events, Outcome("pass", CPU, 0.0)])
                    same = self._trained.get((run.steps, *_begun(start)))
                    if same is not None and all(s.outcome == "pass" for s in start.stages[:6]):
                        return replace(start, stages=(*start.stages[:6], *same.stages[6:]))
                    if not to_the_end():
                        return start
                events.append(event)
        whole = gather(events)
        self._trained[run.steps, *_begun(whole)] = whole
        return whole


def _begun(report: Report) -> tuple[object, ...]:
    """What tells one training from another before it goes on; never the same where it cannot."""
    moved = report.stage("step").measured.get("moved", object())
    return (str(moved), *(str(report.stage(name).measured) for name in ("data", "evaluate")))
