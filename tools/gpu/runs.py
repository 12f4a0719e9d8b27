"""Runs for the parts: asked of an engine, and stopped when the time is over."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

from debugger import catalogue
from debugger.outcome import Accepted, Event, StageName, to_json
from debugger.pipelines.cards import cards
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.settings import read
from debugger.workers import Engine, started
from tools.gpu.kept import Clock, Item, Kept, Work

SIGNS = {
    "gpu_assert": "device_side_assert",
    "out_of_memory": "out_of_memory",
    "hungry_tensorflow": "takes_all_memory",
}
"""What a recording on a GPU must show, or nothing is gained by it."""
RUN_SECONDS, MEMORY_MB, DEFAULT_MB = 400, 16_000, 3000
SMALL_MB, LARGE_MB = 15_000, 24_000
"""What free notebooks have; of a card with more than the second a recording takes the first."""
PAIRS, AT_ONCE = 200, max(2, (os.cpu_count() or 2) // 3)
CLICKED: tuple[StageName, ...] = ("data", "batch", "forward", "step")
ABORTS = """
import os
print("CUDA error: device-side assert triggered", flush=True)
os.abort()
"""
"""What stands for an assert in a rehearsal: the process is lost, as with a real one."""
WEIGHED = ("VmData", "RssAnon", "RssFile", "RssShmem")
WEIGHS = f"""
import torch

def weigh(when):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
    print("weighed", when, *(int(lines[name].split()[0]) >> 10 for name in {WEIGHED}))

weigh("imported")
layer = torch.nn.Linear(256, 256).to(DEVICE)
layer(torch.ones(8, 256, device=DEVICE)).sum().backward()
layer.weight.grad.cpu()
weigh("worked")
"""


def device_of(kept: Kept) -> Any:
    return "cpu" if kept.machine.imitation else "cuda"


def _most_mb(kept: Kept) -> int:
    """Of the computer's own memory: a GPU wants room beside it, a rehearsal must not fill this."""
    return DEFAULT_MB if kept.machine.imitation else MEMORY_MB


@contextmanager
def an_engine(workers: int, memory_mb: int, gpu_share: float = 1.0) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        settings = replace(
            read({}),
            workers=workers,
            time_limit=RUN_SECONDS,
            memory_mb=memory_mb,
            gpu_share=gpu_share,
            data_dir=Path(folder),
        )
        with started(settings) as engine:
            yield engine


def answered(engine: Engine, run: Run, clock: Clock) -> list[Event] | None:
    """None: it was stopped because the time was over."""
    events: list[Event] = []
    timer, late = None, []

    def stop(ticket: str) -> None:
        late.append(ticket)
        engine.cancel(ticket)

    for event in engine.events(run):
        events.append(event)
        if isinstance(event, Accepted) and timer is None:
            timer = Timer(max(0.0, clock.left), stop, (event.ticket,))
            timer.start()
    if timer is not None:
        timer.cancel()
    cancelled = "cancelled" in [finding.code for finding in gather(events).findings]
    return None if late and cancelled else events


def table(kept: Kept, clock: Clock) -> int:
    """Every PyTorch scenario through all stages, the CPU beside the GPU. How many are left."""
    found = [one for one in catalogue.every() if one.framework == "pytorch"]
    cpus = os.cpu_count() or 2
    on_gpu = max(1, cpus // 5)
    beside = max(1, cpus - on_gpu - 1)
    with an_engine(beside, DEFAULT_MB) as usual, an_engine(on_gpu, _most_mb(kept)) as gpu:
        sides = {"cpu": (usual, beside, "cpu"), "gpu": (gpu, on_gpu, device_of(kept))}
        works = []
        for side, (engine, at_once, device) in sides.items():
            works.append(Work(kept, clock, at_once))
            for one in found:
                run = Run(one.script, ALL, device=device, steps=one.checks.steps)
                works[-1].ask(f"{one.id} {side}", lambda e=engine, r=run: _row(e, r, clock))
        for work in works:
            work.finish()
    return sum(f"{one.id} {side}" not in kept.items for one in found for side in sides)


def _row(engine: Engine, run: Run, clock: Clock) -> Item | None:
    events = answered(engine, run, clock)
    return None if events is None else row_of(gather(events))


def row_of(report: Report) -> Item:
    """How each stage ended and how long it took, with the codes of all that it found wrong."""
    stages = {
        stage.stage: {
            "outcome": stage.outcome,
            "seconds": round(stage.seconds, 3),
            "codes": [found.code for found in stage.findings if found.severity != "note"],
        }
        for stage in report.stages
    }
    return {
        "device": report.device,
        "seconds": round(report.seconds, 2),
        "first_failing_stage": report.first_failing_stage,
        "stages": stages,
    }


def clicks(kept: Kept, clock: Clock) -> int:
    """A first stage of every PyTorch scenario, and others of it after that. How many are left."""
    found = [one for one in catalogue.every() if one.framework == "pytorch"]
    with an_engine(1, _most_mb(kept)) as engine:
        work = Work(kept, clock)
        answered(engine, Run(found[0].twin, CLICKED[0], device=device_of(kept)), clock)
        for one in found:
            work.ask(one.id, lambda s=one.script: _clicks(engine, s, device_of(kept), clock))
        work.finish()
    return sum(one.id not in kept.items for one in found)


def _clicks(engine: Engine, script: str, device: Any, clock: Clock) -> Item | None:
    """Seconds from asking to the last word, until a stage ends in a fault."""
    stages: Item = {}
    for stage in CLICKED:
        began = time.monotonic()
        events = answered(engine, Run(script, stage, device=device), clock)
        if events is None:
            return None
        stages[stage] = round(time.monotonic() - began, 3)
        if gather(events).first_failing_stage is not None:
            break
    return {"stages": stages, "residents": engine.status()["residents"]}


def record(kept: Kept, clock: Clock) -> int:
    """The scenarios that look different on a GPU, walked to their fault. How many are left."""
    work, memory_mb = Work(kept, clock, least=5), _most_mb(kept)
    held = f"{kept.machine.device}, held to {SMALL_MB:,} MB"
    large = kept.machine.memory_mb > LARGE_MB
    share = SMALL_MB / kept.machine.memory_mb if large else 1.0
    with an_engine(1, memory_mb, share) as small, an_engine(1, memory_mb) as whole:
        for name in SIGNS:
            if name == "out_of_memory" and large:
                work.ask(name, lambda n=name: _film(kept, clock, n, small, held))
            else:
                work.ask(name, lambda n=name: _film(kept, clock, n, whole, kept.machine.device))
        work.finish()
    return sum(name not in kept.items for name in SIGNS)


def _film(kept: Kept, clock: Clock, name: str, engine: Engine, label: str) -> Item | None:
    scenario = catalogue.find(name)
    run = Run(scenario.script, WALK, device=device_of(kept), steps=scenario.checks.steps)
    events = answered(engine, run, clock)
    if events is None:
        return None
    report = gather(events)
    codes = [finding.code for finding in report.findings]
    raw = [to_json(event).decode() for event in events]
    return {
        "device": label,
        "ran_on": report.device,
        "script": run.script,
        "codes": codes,
        "shows": SIGNS[name] in codes,
        "events": raw,
    }


def asserts(kept: Kept, clock: Clock, pairs: int = PAIRS) -> int:
    """Healthy runs beside runs that lose their process. How many are left."""
    scenario, device = catalogue.find("gpu_assert"), device_of(kept)
    broken = ABORTS if kept.machine.imitation else scenario.script
    names = [f"{kind} {n:03}" for n in range(1, pairs + 1) for kind in ("assert", "healthy")]
    done = sum(name in kept.items for name in names)
    if done < len(names):
        kept.keep(f"memory before {done} runs", _memory())
    with an_engine(AT_ONCE, DEFAULT_MB) as engine:
        work = Work(kept, clock, AT_ONCE)
        weighs = Run(WEIGHS.replace("DEVICE", repr(device)), "setup", device=device)
        work.ask("one process", lambda: _weights(engine, weighs, clock))
        for name in names:
            # Each in a process of its own, though one that has built the same script may wait.
            script = broken if name.startswith("assert") else f"{scenario.twin}# {name}\n"
            run = Run(script, "forward", device=device)
            work.ask(name, lambda r=run: _fate(engine, r, clock))
        work.finish()
    left = [name for name in names if name not in kept.items]
    kept.keep(f"memory after {len(names) - len(left)} runs", _memory())
    return len(left)


def _fate(engine: Engine, run: Run, clock: Clock) -> Item | None:
    events = answered(engine, run, clock)
    if events is None:
        return None
    report = gather(events)
    return {
        "outcome": report.outcome,
        "ran_on": report.device,
        "seconds": round(report.seconds, 2),
        "codes": [found.code for found in report.findings if found.severity == "fault"],
        "first_loss": report.stage("forward").measured.get("first_loss"),
    }


def _memory() -> Item:
    return {"cards": [[card.name, card.used, card.total] for card in cards()]}


def _weights(engine: Engine, run: Run, clock: Clock) -> Item | None:
    """What one process holds in MB once it has used the device, within the clinic's own limits."""
    events = answered(engine, run, clock)
    if events is None:
        return None
    report = gather(events)
    shown = (e.data["text"] for e in report.stage("setup").evidence if e.code == "console")
    found = re.findall(r"^weighed (\w+) ([\d ]+)$", "".join(shown), re.MULTILINE)
    weights = {when: dict(zip(WEIGHED, map(int, mb.split()), strict=True)) for when, mb in found}
    codes = [finding.code for finding in report.findings]
    return {"megabytes": weights, "codes": codes, "limit_mb": DEFAULT_MB}
