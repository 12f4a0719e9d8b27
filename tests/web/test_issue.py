"""The issue panel: a search beside the walk, and a draft that tells what the author sees."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from debugger import catalogue, settings
from debugger.outcome import (
    Accepted,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Point,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.run import WALK, Run
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.issue import issue, written
from debugger.web.regions import foot, rail
from debugger.web.visit import ISSUE
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared
from tests.web.test_desk import desk_at, finish

WORDS = Words()


class Dying:
    """A training dies of a label where the script maps; without that it fails in its setup."""

    def __init__(self, crashes: bool = True) -> None:
        self.crashes, self.asked, self.cancelled = crashes, [], []
        self.hang = threading.Event()

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked.append(run)
        yield Accepted(f"t{len(self.asked)}")
        whole = "raw_datasets.map(" in run.script and "trainer.train()" in run.script
        if not whole:
            yield StageEnded("setup", "fail", 0.1)
            yield Outcome("fail", "cpu", 0.1)
            return
        yield StageEnded("setup", "pass", 0.1)
        if self.crashes:
            data = {"exception": "IndexError", "message": "Target 2 is out of bounds."}
            yield Shown(Evidence("traceback", "traceback", "train", {**data, "frames": []}))
        elif run.stage == WALK:
            numbers = {"low": 1, "high": 3}
            yield Found(Finding("labels_shifted", "fault", "data", 3, numbers))
            yield StageEnded("data", "fail", 0.1)
        else:
            yield StageStarted("train")
            yield Point("train", "loss", 1, 1.1)
            yield Point("train", "accuracy", 1, 0.33)
            yield StageEnded("train", "look", 0.1)
        if self.crashes:
            yield StageEnded("train", "fail", 0.1)
        yield Outcome("fail", "cpu", 0.1, {"torch": "2.13.0"}, framework="pytorch")

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)


def clinic_with(engine: Dying) -> Clinic:
    return Clinic(catalogue.every(), Shared(engine, grace=0.1), settings.read({}))


def asked(clinic: Clinic, desk: Desk, stop_after: int | None = None) -> list[str]:
    """What the foot says meanwhile."""
    said: list[str] = []

    async def follow() -> None:
        async for _ in clinic.follow(desk, ISSUE):
            scene = clinic.scene(desk)
            said.append(foot(scene, WORDS))
            if stop_after is not None and scene.search and scene.search[0] >= stop_after:
                clinic.press(desk, "stop", "")

    finish(follow())
    return said


def test_the_button_starts_the_search_and_the_draft_holds_what_was_found() -> None:
    engine = Dying()
    clinic, desk = clinic_with(engine), desk_at("two_labels")
    assert clinic.plan(desk, "run", ISSUE) == ISSUE
    said = asked(clinic, desk)
    scene = clinic.scene(desk)
    text = written(scene, WORDS)
    assert desk.visit.panel == "issue"
    assert scene.shorter is not None
    assert f"```python\n{scene.shorter.script}```" in text
    assert len(scene.shorter.script) < len(scene.scenario.script) / 2
    assert scene.shorter.script in {run.script for run in engine.asked}
    assert "IndexError: Target 2 is out of bounds." in text
    assert "- torch: 2.13.0" in text
    assert f"> {scene.scenario.words.complaint}" in text
    assert any("of at most 40" in one for one in said)
    assert 'data-of="draft"' in issue(scene, WORDS)


def test_no_stage_is_marked_and_no_answer_given() -> None:
    clinic, desk = clinic_with(Dying()), desk_at("two_labels")
    before = rail(clinic.scene(desk), WORDS)
    asked(clinic, desk)
    scene = clinic.scene(desk)
    assert rail(scene, WORDS) == before
    assert (scene.reports, scene.case.ran, scene.case.answers) == ({}, {}, {})
    assert scene.case.running is None
    assert not desk.busy


def test_of_a_script_that_runs_wrong_the_draft_tells_numbers_and_nothing_looked_up() -> None:
    clinic, desk = clinic_with(Dying(crashes=False)), desk_at("two_labels")
    asked(clinic, desk)
    text = written(clinic.scene(desk), WORDS)
    assert WORDS.say("issue", "accuracy", value="0.33", steps=1) in text
    assert WORDS.say("finding", "labels_shifted", low=1, high=3) not in text
    assert "labels_shifted" not in text


def test_a_stopped_search_keeps_the_shortest_so_far() -> None:
    clinic, desk = clinic_with(Dying()), desk_at("two_labels")
    asked(clinic, desk, stop_after=4)
    shorter = clinic.scene(desk).shorter
    assert shorter is not None
    assert shorter.early
    assert shorter.tries == 4
    assert WORDS.say("issue", "early") in written(clinic.scene(desk), WORDS)


def test_what_was_tried_stands_in_the_draft_with_how_it_ended() -> None:
    clinic, desk = clinic_with(Dying()), desk_at("two_labels")
    clinic.apply(desk, "launch_blocking")
    clinic.press(desk, "back", "launch_blocking")
    assert clinic.plan(desk, "apply", "one_label") == WALK

    async def run() -> None:
        async for _ in clinic.follow(desk, WALK):
            pass

    finish(run())
    asked(clinic, desk)
    text, said = written(clinic.scene(desk), WORDS), clinic.known["two_labels"].words
    ended = WORDS.say("issue", "ended_crash", said="IndexError: Target 2 is out of bounds.")
    assert f"- {said.fixes['one_label'].label}: {ended}" in text
    unknown = WORDS.say("issue", "ended_unknown")
    assert f"- {said.fixes['launch_blocking'].label}: {unknown}" in text


def test_starting_over_throws_the_draft_away() -> None:
    clinic, desk = clinic_with(Dying()), desk_at("two_labels")
    asked(clinic, desk)
    clinic.press(desk, "reset", "")
    assert clinic.scene(desk).shorter is None
