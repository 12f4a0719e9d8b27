"""What a visitor of a ZeroGPU Space sees: a symptom on a lent GPU, or what stands there instead."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from debugger import catalogue, frameworks, settings
from debugger.catalogue.recordings import Recording
from debugger.evidence.markup import escape
from debugger.outcome import (
    Accepted,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.run import WALK, Run
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk
from debugger.web.host import why_closed
from debugger.web.panel import evidence
from debugger.web.symptom import symptom
from debugger.web.visit import LOOKED, SYMPTOM, Visit
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

WORDS = Words()
ZERO = settings.read({"SPACES_ZERO_GPU": "true"})
GPU = catalogue.find("gpu_assert")
NUMBERS = {"asked": 60, "left": 12, "wait": "3:20:11"}
REFUSED = Finding("gpu_quota_until", "note", "setup", None, NUMBERS)


def crash(said: str, device: str) -> tuple[Event, ...]:
    frames = {"exception": "RuntimeError", "message": said, "frames": []}
    return (
        StageStarted("forward"),
        Shown(Evidence("traceback", "traceback", "forward", frames)),
        Found(Finding("device_side_assert", "fault", "forward", None, {"said": said})),
        StageEnded("forward", "fail", 0.5),
        Outcome("fail", device, 1.0),
    )


RECORDED = Recording("2030-01-02", "a toy GPU", GPU.script, crash("on the recorded GPU", "cuda:0"))


class Lending:
    """An engine behind which a GPU is lent, or not."""

    def __init__(self, lends: bool) -> None:
        self.lends, self.runs = lends, list[Run]()

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.runs.append(run)
        yield Accepted("t")
        if run.device != "cuda":
            yield from crash("on the CPU", "cpu")
        elif self.lends:
            yield from crash("on the lent GPU", "cuda:0")
        else:
            yield Outcome("unknown", "cuda", 0.0, finding=REFUSED, framework="pytorch")

    def cancel(self, ticket: str) -> None: ...


def clinic_with(engine: Lending, *recorded: Recording) -> Clinic:
    pairs = [(GPU, recording) for recording in recorded]
    return Clinic(catalogue.every(), Shared(engine, grace=0.1), ZERO, pairs)


def pressed(clinic: Clinic, what: str, language: str = "en") -> Desk:
    desk = Desk(visit=Visit(scenario=GPU.id, language=language))
    desk.remember(answers={"forward": LOOKED})

    async def follow() -> None:
        async for _ in clinic.follow(desk, what):
            clinic.scene(desk)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, follow()).result()
    return desk


@pytest.mark.parametrize("what", [WALK, SYMPTOM, "forward"])
def test_the_symptom_is_shown_on_a_lent_gpu_and_shared_with_the_next(what: str) -> None:
    engine = Lending(lends=True)
    clinic = clinic_with(engine, RECORDED)
    for _ in range(2):
        scene = clinic.scene(pressed(clinic, what))
        shown = symptom(scene, WORDS) if what == SYMPTOM else evidence(scene, WORDS)
        assert "on the lent GPU" in shown
        assert "recording" not in shown
    if what != "forward":  # a stage that is pressed again is run again
        assert len(engine.runs) == 1
    assert {(run.device, run.script) for run in engine.runs} == {("cuda", GPU.script)}


@pytest.mark.parametrize("what", [WALK, SYMPTOM])
@pytest.mark.parametrize("recorded", [(RECORDED,), ()])
def test_who_is_lent_none_sees_why_and_what_stands_in_its_place(
    what: str, recorded: tuple[Recording, ...]
) -> None:
    engine = Lending(lends=False)
    clinic = clinic_with(engine, *recorded)
    desk = pressed(clinic, what)
    scene = clinic.scene(desk)
    shown = symptom(scene, WORDS) if what == SYMPTOM else evidence(scene, WORDS)
    assert escape(WORDS.finding(REFUSED)) in shown
    assert "3:20:11" in shown
    if recorded:
        about = {"date": "2030-01-02", "device": "a toy GPU"}
        assert escape(WORDS.say("clinic", "recorded_instead", **about)) in shown
        assert "on the recorded GPU" in shown
        assert [run.device for run in engine.runs] == ["cuda"]
    else:
        assert escape(WORDS.say("clinic", "cpu_instead")) in shown
        assert "on the CPU" in shown
        assert [run.device for run in engine.runs] == ["cuda", "cpu"]
    if what == WALK:
        assert desk.visit.stage == "forward"
        assert scene.first_failing == "forward"

    engine.lends = True  # tomorrow: the same browser is lent one, and sees nothing of the past
    again = clinic.scene(pressed(clinic, what))
    shown = symptom(again, WORDS) if what == SYMPTOM else evidence(again, WORDS)
    assert "on the lent GPU" in shown
    assert escape(WORDS.finding(REFUSED)) not in shown


def test_a_repair_and_its_twin_run_on_the_cpu_and_cost_nothing() -> None:
    engine = Lending(lends=True)
    clinic = clinic_with(engine)
    desk = Desk(visit=Visit(scenario=GPU.id))
    assert clinic.apply(desk, GPU.twin_fixes[0])

    async def follow() -> None:
        async for _ in clinic.follow(desk, WALK):
            pass

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, follow()).result()
    assert {run.device for run in engine.runs} == {"cpu"}


def test_nobody_is_lent_a_gpu_before_a_press() -> None:
    engine = Lending(lends=True)
    clinic = clinic_with(engine)
    clinic.prepare(str(GPU.number))
    clinic.prepare("one_label")
    until = time.monotonic() + 5
    while not engine.runs and time.monotonic() < until:
        time.sleep(0.01)
    assert {run.script for run in engine.runs} == {catalogue.find("one_label").script}


def test_the_page_says_beforehand_what_it_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: True)
    assert why_closed(GPU, ZERO) is None
    assert why_closed(GPU, settings.read({"CLINIC_DEVICE": "cpu"})) == "needs_cuda"
    clinic = clinic_with(Lending(lends=True))
    desk = Desk(visit=Visit(scenario=GPU.id))
    assert escape(WORDS.say("clinic", "lends_cuda")) in symptom(clinic.scene(desk), WORDS)
    desk = Desk(visit=Visit(scenario="one_label"))
    assert escape(WORDS.say("clinic", "lends_cuda")) not in symptom(clinic.scene(desk), WORDS)
