"""The runs that a proof needs: each distinct one once, in the order in which they were asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Lock, Thread

from debugger.catalogue.scenario import Scenario
from debugger.outcome import STAGES, Accepted, Event, Outcome, StageStarted
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.stages.train import ENOUGH_STEPS
from debugger.workers.engine import Answering

CPU = "cpu"
FEW_STEPS = 5
BEFORE_TRAINING = STAGES.index("overfit")


def proof_steps(scenario: Scenario) -> int:
    """How long a proof trains: enough to compare accuracies where the judge does, else a little."""
    compared = scenario.checks.steps >= ENOUGH_STEPS and not scenario.decoy
    return ENOUGH_STEPS if compared else FEW_STEPS


@dataclass(frozen=True, eq=False)
class _Like:
    """A proof that began as another one did, whose training is its own."""

    start: Report
    other: Future[Report]

    def report(self) -> Report:
        rest = self.other.result().stages[BEFORE_TRAINING:]
        return replace(self.start, stages=(*self.start.stages[:BEFORE_TRAINING], *rest))


@dataclass(eq=False)
class _Job:
    work: Callable[[_Job], Report | _Like]
    after: Sequence[Future[Report]]
    answer: Future[Report] = field(default_factory=Future)


class Runs:
    """Ask early, take the answer late. What waits for another run keeps no place from others."""

    def __init__(self, engine: Answering, at_once: int) -> None:
        self._engine, self._at_once, self._running = engine, at_once, 0
        self._waiting: list[_Job] = []
        self._lock = Lock()
        self._asked: dict[tuple[Run, bool], Future[Report]] = {}
        self._trained: dict[object, Future[Report]] = {}

    def walk(self, script: str, steps: int = 1) -> Future[Report]:
        """Up to the first stage that fails, with `steps` of training if it gets that far."""
        return self._plain(Run(script, WALK, device=CPU, steps=steps))

    def whole(self, script: str, steps: int) -> Future[Report]:
        """Every stage, whatever fails before it. Asked for late, so it comes before the others."""
        return self._plain(Run(script, ALL, device=CPU, steps=steps), first=True)

    def twin(self, scenario: Scenario) -> Future[Report]:
        return self._proof(scenario, scenario.twin, ())

    def repaired(
        self,
        scenario: Scenario,
        script: str,
        to_the_end: Callable[[], bool] = lambda: True,
        after: Sequence[Future[Report]] = (),
    ) -> Future[Report]:
        """Every stage of a repair that stands beside the twin.

        Where its data, its evaluation and every weight after two steps are bit for bit those of
        another proof, and nothing was wrong so far, the rest of its training is the same: it is not
        run a second time. Another one is trained if it is to be run `to_the_end`, which is asked
        when those that it comes `after` have their answers.
        """
        return self._proof(scenario, script, (self.twin(scenario), *after), to_the_end)

    def hurry(self, more: int) -> None:
        """Make so many more runs at the same time."""
        self._at_once += more
        self._move_up()

    def close(self) -> None:
        """Start nothing any more."""
        with self._lock:
            self._waiting.clear()

    def _plain(self, run: Run, first: bool = False) -> Future[Report]:
        return self._ask((run, False), (), lambda _: gather(self._engine.events(run)), first)

    def _proof(
        self,
        scenario: Scenario,
        script: str,
        after: Sequence[Future[Report]],
        to_the_end: Callable[[], bool] = lambda: True,
    ) -> Future[Report]:
        run = Run(script, ALL, device=CPU, steps=proof_steps(scenario))
        return self._ask((run, True), after, lambda job: self._prove(run, job, to_the_end))

    def _prove(self, run: Run, job: _Job, to_the_end: Callable[[], bool]) -> Report | _Like:
        events: list[Event] = []
        ticket = ""
        for event in self._engine.events(run):
            if isinstance(event, Accepted):
                ticket = event.ticket
            if event == StageStarted("overfit"):
                start = gather([*events, Outcome("pass", CPU, 0.0)])
                known = self._known_training(start, run, job, to_the_end)
                if known is not None:
                    self._engine.cancel(ticket)
                    return known
            events.append(event)
        return gather(events)

    def _known_training(
        self, start: Report, run: Run, job: _Job, to_the_end: Callable[[], bool]
    ) -> Report | _Like | None:
        """What answers a proof that was run up to its training; None where that has to be run."""
        began = (run.steps, *_begun(start))
        well = all(stage.outcome == "pass" for stage in start.stages[:BEFORE_TRAINING])
        if not (well and began in self._trained) and not to_the_end():
            return start
        other = self._trained.setdefault(began, job.answer) if well else job.answer
        return None if other is job.answer else _Like(start, other)

    def _ask(
        self,
        key: tuple[Run, bool],
        after: Sequence[Future[Report]],
        work: Callable[[_Job], Report | _Like],
        first: bool = False,
    ) -> Future[Report]:
        if key not in self._asked:
            job = _Job(work, after)
            self._asked[key] = job.answer
            with self._lock:
                self._waiting.insert(0 if first else len(self._waiting), job)
            self._move_up()
        return self._asked[key]

    def _move_up(self) -> None:
        with self._lock:
            ready = [job for job in self._waiting if all(one.done() for one in job.after)]
            for job in ready[: max(0, self._at_once - self._running)]:
                self._waiting.remove(job)
                self._running += 1
                Thread(target=self._do, args=(job,), daemon=True).start()

    def _do(self, job: _Job) -> None:
        try:
            found = job.work(job)
        except Exception as error:  # noqa: BLE001 - raised again where the answer is taken
            job.answer.set_exception(error)
        else:
            if isinstance(found, _Like):
                found.other.add_done_callback(lambda _: self._settle(job.answer, found))
            else:
                job.answer.set_result(found)
        with self._lock:
            self._running -= 1
        self._move_up()

    def _settle(self, answer: Future[Report], found: _Like) -> None:
        try:
            answer.set_result(found.report())
        except Exception as error:  # noqa: BLE001
            answer.set_exception(error)
        self._move_up()


def _begun(report: Report) -> tuple[object, ...]:
    """What tells one training from another before it goes on; never the same where it cannot."""
    moved = report.stage("step").measured.get("moved", object())
    return (str(moved), *(str(report.stage(name).measured) for name in ("data", "evaluate")))
