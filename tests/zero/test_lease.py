"""A GPU that is lent for a moment: who gets it, on whose quota, and what if nobody does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio
import pytest
from gradio.context import LocalContext

from debugger import settings
from debugger.outcome import Accepted, Event, Outcome, Shown
from debugger.run import WALK, Run
from debugger.settings import Settings
from debugger.web.zero import REFUSALS, lender, refusal
from debugger.workers import lease
from debugger.workers.engine import Asker
from debugger.workers.lease import LEASE_SECONDS, Leased
from debugger.workers.sharing import Shared

WHERE = """
from pathlib import Path
stat = Path("/proc/self/stat").read_text()
say(gpu=os.environ["CUDA_VISIBLE_DEVICES"], pid=os.getpid(), preloaded=preloaded_in)
"""
LASTS = "say(pid=os.getpid())\ntime.sleep(60)"
ON_GPU = Run(WHERE, WALK, device="cuda")


class OnCpu:
    """The engine that is there anyway."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.cancelled: list[str] = []

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.runs.append(run)
        yield Accepted("cpu")
        yield Outcome("pass", run.device, 0.1)

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)


Make = Callable[..., Leased]


@pytest.fixture
def cpu() -> OnCpu:
    return OnCpu()


@pytest.fixture
def leased(spaces: Any, zero: Settings, light: None, cpu: OnCpu) -> Make:
    def make(*scripts: str) -> Leased:
        return Leased(cpu, lender(zero, "toys:perform"), scripts or (WHERE, LASTS))

    return make


def said(events: list[Event]) -> dict[str, Any]:
    return next(event.evidence.data for event in events if isinstance(event, Shown))


def is_gone(pid: int) -> bool:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def visitor(token: str) -> None:
    LocalContext.request.set(SimpleNamespace(headers={"x-ip-token": token}))  # type: ignore[arg-type]


def test_a_run_on_a_lent_gpu_streams_from_a_fresh_process_and_leaves_nothing(
    leased: Make, spaces: Any, cpu: OnCpu
) -> None:
    events = list(leased().events(ON_GPU))
    assert [event.place for event in events if isinstance(event, Accepted)] == [1, 0]
    assert isinstance(events[-1], Outcome)
    assert (events[-1].outcome, events[-1].device) == ("pass", "cuda")
    told, (worker,) = said(events), spaces.workers
    assert told["gpu"] == spaces.UUID
    assert len({told["pid"], told["preloaded"], worker, os.getpid()}) == 4
    assert is_gone(worker)
    assert is_gone(told["preloaded"])
    assert cpu.runs == []


@pytest.mark.parametrize(
    "fields",
    [
        {"device": "cpu"},
        {"device": "auto"},
        {"script": "another"},
        {"typed": True},
        {"check": "1 + 1"},
        {"experiments": True},
        {"files": (("a", "0" * 64),)},
        {"folder": "/"},
        *({"stage": stage} for stage in lease.ON_THE_CPU),
    ],
)
def test_whatever_else_is_asked_costs_nobody_a_second_of_a_gpu(
    leased: Make, spaces: Any, cpu: OnCpu, fields: dict[str, Any]
) -> None:
    list(leased().events(replace(ON_GPU, **fields)))
    assert spaces.asked == []
    assert [run.device for run in cpu.runs] == [fields.get("device", "cpu")]


def test_it_is_on_the_quota_of_whoever_pressed_though_another_thread_asks(
    leased: Make, spaces: Any
) -> None:
    visitor("anna")
    try:
        events = list(Shared(leased()).events(ON_GPU))
    finally:
        LocalContext.request.set(None)
    assert isinstance(events[-1], Outcome)
    assert spaces.asked == [("anna", LEASE_SECONDS * spaces.FACTOR)]


@pytest.mark.parametrize(("token", "code"), [("anna", "gpu_quota_until"), (None, "gpu_quota")])
def test_who_has_too_little_left_is_told_so_and_it_is_nobody_elses_answer(
    leased: Make,
    spaces: Any,
    monkeypatch: pytest.MonkeyPatch,
    token: str | None,
    code: str,
) -> None:
    monkeypatch.setenv("FAKE_ZERO_LEFT", "59")
    shared = Shared(leased())
    if token:
        visitor(token)
    try:
        end = list(shared.events(ON_GPU))[-1]
    finally:
        LocalContext.request.set(None)
    assert isinstance(end, Outcome)
    assert end.finding is not None
    assert (end.outcome, end.finding.code) == ("unknown", code)
    assert code != "gpu_quota_until" or end.finding.numbers == {
        "asked": 60,
        "left": 59,
        "wait": "3:20:11",
    }
    assert spaces.workers == []
    assert shared.known(ON_GPU) is None

    visitor("berta")
    spaces.left["berta"] = 300.0
    try:
        assert list(shared.events(ON_GPU))[-1] != end
    finally:
        LocalContext.request.set(None)
    assert shared.known(ON_GPU) is not None


@pytest.mark.proof
def test_a_run_that_nobody_waits_for_gives_the_gpu_back(leased: Make, spaces: Any) -> None:
    engine, events = leased(), []
    for event in engine.events(Run(LASTS, device="cuda")):
        events.append(event)
        if isinstance(event, Shown):
            threading.Timer(0.1, engine.cancel, (events[0].ticket,)).start()
    assert events[-1].finding.code == "cancelled"
    assert events[-1].outcome == "stopped"
    assert is_gone(said(events)["pid"])
    assert is_gone(spaces.workers[0])


def test_other_tickets_are_cancelled_where_they_run(leased: Make, cpu: OnCpu) -> None:
    leased().cancel("t")
    assert cpu.cancelled == ["t"]


@pytest.mark.proof
def test_a_gpu_that_is_taken_back_ends_the_run_and_nothing_lives_on(
    leased: Make, spaces: Any
) -> None:
    events = []
    for event in leased().events(Run(LASTS, device="cuda")):
        events.append(event)
        if isinstance(event, Shown):
            os.kill(spaces.workers[0], signal.SIGKILL)
    assert events[-1].finding.code == "gpu_taken"
    assert is_gone(said(events)["pid"])


ALONE = """
import os, signal, sys
from contextlib import contextmanager
sys.path[:0] = sys.argv[1:4]
from debugger import frameworks, settings
from debugger.outcome import Shown
from debugger.run import Run
from debugger.workers import lease
from debugger.workers.local import LocalEngine
from debugger.web.zero import lender
import spaces

@contextmanager
def started(given, perform):
    preload = {"pytorch": ("toys",)}
    about = given.workers, 60, 600, given.data_dir, perform
    with LocalEngine(*about, preload=preload) as engine:
        yield engine

lease.started, frameworks.installed = started, lambda name: True
zero = settings.read({"SPACES_ZERO_GPU": "true", "CLINIC_DATA_DIR": sys.argv[4]})
lasts = "say(pid=os.getpid(), preloaded=preloaded_in)\\ntime.sleep(60)"
engine = lease.Leased(None, lender(zero, "toys:perform"), (lasts,))
for event in engine.events(Run(lasts, device="cuda")):
    if isinstance(event, Shown):
        told = event.evidence.data
        print(spaces.workers[0], told["preloaded"], told["pid"], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.proof
def test_nothing_that_was_lent_a_gpu_outlives_the_pages(tmp_path: Path) -> None:
    here = Path(__file__).parent
    folders = [str(here / "lending"), str(here.parent / "workers"), str(here.parent.parent)]
    with subprocess.Popen(
        [sys.executable, "-c", ALONE, *folders, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as pages:
        assert pages.stdout is not None
        pids = [int(pid) for pid in pages.stdout.readline().split()]
        assert len(pids) == 3
        assert pages.wait(30) == -signal.SIGKILL
        assert all(is_gone(pid) for pid in pids)


@pytest.mark.proof
def test_a_run_may_take_less_than_what_is_asked_for(
    leased: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lease.RUN_SECONDS < LEASE_SECONDS
    monkeypatch.setattr(lease, "RUN_SECONDS", 1.0)
    end = list(leased().events(Run(LASTS, device="cuda")))[-1]
    assert isinstance(end, Outcome)
    assert end.finding is not None
    assert (end.outcome, end.finding.code) == ("stopped", "out_of_time")


def test_a_platform_that_fails_is_a_sentence_and_no_trace(
    leased: Make, spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(duration: float) -> None:
        raise RuntimeError("ZeroGPU API /schedule error: 500 (Internal Server Error)")

    monkeypatch.setattr(spaces, "_schedule", fails)
    end = list(leased().events(ON_GPU))[-1]
    assert isinstance(end, Outcome)
    assert end.finding is not None
    assert end.finding.code == "gpu_failed"


LEFT = "({}s requested vs. {}s left). Try again in {}. "


@pytest.mark.parametrize(
    ("title", "message", "code", "numbers"),
    [  # as spaces 0.51.3 words them
        (
            "ZeroGPU quota exceeded",
            "You have exceeded your free ZeroGPU quota " + LEFT.format(60, 12, "1 day, 3:20:11"),
            "gpu_quota_until",
            {"asked": 60, "left": 12, "wait": "1 day, 3:20:11"},
        ),
        (
            "ZeroGPU quota exceeded",
            "Space app has reached its GPU limit. Try re-running outside of examples if it"
            " happened after clicking one",
            "gpu_quota",
            {},
        ),
        ("ZeroGPU quota exceeded", "You have exceeded your ZeroGPU runs limit. ", "gpu_quota", {}),
        ("ZeroGPU quota exceeded", "No GPU was available after 60s. Try", "gpu_busy", {}),
        ("ZeroGPU pending credits exceeded", "You have too many", "gpu_quota", {}),
        ("ZeroGPU illegal duration", "The requested GPU duration", "gpu_quota", {}),
        ("ZeroGPU queue timeout", "<a>Subscribe</a>", "gpu_busy", {}),
        ("ZeroGPU client error", "No GPU was available", "gpu_busy", {}),
        ("ZeroGPU client error", "Expired ZeroGPU proxy token", "gpu_failed", {}),
        ("ZeroGPU worker error", "GPU task aborted", "gpu_taken", {}),
        ("ZeroGPU worker error", "RuntimeError", "gpu_failed", {}),
        ("", "", "gpu_failed", {}),
    ],
)
def test_each_refusal_has_its_own_sentence(
    title: str, message: str, code: str, numbers: dict[str, Any]
) -> None:
    found = refusal(title, message)
    assert (found.code, found.numbers) == (code, numbers)
    assert code in REFUSALS


def test_outside_of_a_lease_nothing_asks_for_cuda(tmp_path: Path) -> None:
    assert settings.read({"SPACES_ZERO_GPU": "true"}).device == "cpu"
    assert settings.read({"SPACES_ZERO_GPU": "false"}).device == "auto"
    with pytest.raises(settings.SettingError, match="CLINIC_DEVICE"):
        settings.read({"SPACES_ZERO_GPU": "true", "CLINIC_DEVICE": "cuda"})


def test_the_imitation_refuses_what_the_platform_refuses(spaces: Any) -> None:
    assert gradio.Blocks.launch is spaces._launched
    with pytest.raises(gradio.Error) as refused:
        list(spaces.GPU(duration=100)(lambda: iter(()))())
    assert refused.value.title == "ZeroGPU quota exceeded"
