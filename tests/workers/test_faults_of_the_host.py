"""What breaks around the engine: a full disk, a folder that is cleared away, a clock that jumps."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from test_endings import ended_as, said

from debugger.outcome import Accepted, Event, Outcome
from debugger.run import Run
from debugger.workers import store as storing
from debugger.workers.limits import LEAST_FREE_MB, disk_is_full
from debugger.workers.sharing import Shared
from debugger.workers.store import Store

MEGABYTE = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for little more than one run."""
    place, size = tmp_path / "disk", LEAST_FREE_MB + 20
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can make a small disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """To the last byte."""
    ballast = disk / "ballast"
    with suppress(OSError), open(ballast, "wb") as file:
        while True:
            file.write(bytes(MEGABYTE))
            file.flush()
    return ballast


def test_a_full_disk_is_said_and_no_script_is_blamed(make_engine, ask, small_disk) -> None:
    engine = make_engine(data_dir=small_disk / "data")
    assert said(ask(engine, "say(x=1)")) == {"x": 1}
    ballast = fill(small_disk)
    assert disk_is_full(small_disk)
    ending, finding = ended_as(ask(engine, "say(x=2)"))
    assert (ending, finding.code, finding.severity) == ("unknown", "disk_full", "note")
    ballast.unlink()
    assert said(ask(engine, "say(x=3)")) == {"x": 3}


def test_a_disk_that_fills_while_a_run_goes_on_is_not_the_scripts_fault(
    make_engine, ask, small_disk
) -> None:
    engine = make_engine(data_dir=small_disk / "data")
    shared = Shared(engine)
    script = "emit(StageStarted('data'))\nwhile True:\n    open('x', 'ab').write(bytes(1 << 20))"
    ending, finding = ended_as(list(shared.events(Run(script, device="cpu"))))
    assert (ending, finding.code) == ("unknown", "disk_full")
    assert shared.known(Run(script, device="cpu")) is None
    assert said(ask(engine, "say(x=1)")) == {"x": 1}


def test_on_a_full_disk_the_store_keeps_what_it_has(small_disk: Path) -> None:
    store = Store(small_disk / "answers.sqlite", 100)
    made = datetime(2026, 11, 1, tzinfo=UTC)
    told: list[Event] = [Accepted("t"), Outcome("pass", "cpu", 1.0)]
    store.put([(Run("before"), told)], made)
    ballast = fill(small_disk)
    long = Outcome("pass", "cpu", 1.0, {str(n): os.urandom(40).hex() for n in range(20_000)})
    store.put([(Run("while"), [Accepted("t"), long])], made)
    assert store.get(Run("before")) is not None
    assert store.get(Run("while")) is None
    ballast.unlink()
    store.put([(Run("after"), told)], made)
    assert store.get(Run("after")) is not None
    store.close()


def test_a_folder_that_is_cleared_away_is_made_again(make_engine, ask, tmp_path) -> None:
    engine = make_engine()
    ask(engine, "say(x=1)")
    shutil.rmtree(tmp_path / "data" / "runs")
    assert said(ask(engine, "say(x=2)")) == {"x": 2}
    (own,) = (one for one in (tmp_path / "data" / "runs").iterdir() if one.is_dir())
    make_engine()  # sweeps what dead engines left: this one lives
    assert own.exists()
    assert said(ask(engine, "say(x=3)")) == {"x": 3}


@pytest.mark.some(1)
@pytest.mark.parametrize("jump", [-4000 * 86_400, 4000 * 86_400])
def test_a_clock_that_jumps_ends_no_run_and_reorders_nobody(
    make_engine, ask, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    engine = make_engine(workers=1, seconds=20)
    running = engine.events(Run("say(x=1); time.sleep(0.5); say(y=2)", device="cpu"))
    waits = engine.events(Run("say(z=3)", device="cpu"))
    while isinstance(next(running), Accepted):
        pass
    ahead = time.time() + jump
    monkeypatch.setattr(storing.time, "time", lambda: max(0.0, ahead))
    last = engine.events(Run("say(z=4)", device="cpu"))
    assert said(list(running)) == {"y": 2}
    assert [said(list(one)) for one in (waits, last)] == [{"z": 3}, {"z": 4}]
    assert engine.status()["queued"] == 0
