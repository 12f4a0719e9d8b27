"""Answers outlive the app, its copies share them, and no accident costs more than a run."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from debugger.outcome import Accepted, Event, Outcome, Point, StageEnded, StageStarted
from debugger.run import WALK, Run
from debugger.workers import store as storing
from debugger.workers.engine import Asker
from debugger.workers.sharing import Flight, Shared
from debugger.workers.store import Store

NOW = datetime(2026, 11, 23, 4, tzinfo=UTC)
WRITER = """\
import sys
from datetime import UTC, datetime
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.workers.test_store import answer
from debugger.run import Run
from debugger.workers.store import Store
store, name, count = Store(Path(sys.argv[2]), 100), sys.argv[3], int(sys.argv[4])
print("ready", flush=True)
for number in range(count):
    store.put([(Run(f"{name} {number}"), answer(number))], datetime.now(UTC))
"""


def answer(seed: int, points: int = 50) -> list[Event]:
    drawn = random.Random(seed)
    curve = [Point("train", "loss", x, drawn.random()) for x in range(points)]
    return [Accepted("t"), *curve, Outcome("pass", "cpu", float(seed))]


class Walker:
    def __init__(self) -> None:
        self.asked = 0

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked += 1
        yield Accepted("t")
        for stage in ("setup", "data"):
            yield StageStarted(stage)
            yield StageEnded(stage, "pass", 0.1)
        yield Outcome("pass", "cpu", 0.2)

    def cancel(self, ticket: str) -> None:
        raise NotImplementedError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def landed(flight: Flight, store: Store) -> None:
    deadline = time.monotonic() + 20
    while not (flight.ended and store.get(flight.run)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_after_a_restart_an_answer_is_known_with_its_time_and_place(path: Path) -> None:
    engine, before, run = Walker(), Store(path, 10), Run("x", WALK, steps=20)
    flight = Shared(engine, store=before).board(run)
    landed(flight, before)
    before.close()
    shared = Shared(engine, store=Store(path, 10))
    again = shared.board(run)
    assert again.shared
    assert again.events == flight.events
    assert (again.started, again.place) == (flight.started, storing.place())
    assert again.place
    stage = shared.known(Run("x", "data"))
    assert stage is not None
    assert [e.stage for e in stage.events if isinstance(e, StageEnded)] == ["setup", "data"]
    assert engine.asked == 1


def test_asked_for_again_it_is_run_again(path: Path) -> None:
    engine, store = Walker(), Store(path, 10)
    landed(Shared(engine, store=store).board(Run("x")), store)
    assert not Shared(engine, store=store).board(Run("x"), again=True).shared


@pytest.mark.parametrize("run", [Run("x", typed=True), Run("x", folder="/home/ada")])
def test_what_is_somebodys_own_is_not_kept(run: Run, path: Path) -> None:
    store = Store(path, 10)
    store.put([(run, answer(1))], NOW)
    assert store.get(run) is None


def test_another_version_knows_nothing_of_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(path, 10).put([(Run("x"), answer(1))], NOW)
    monkeypatch.setattr(storing, "identity", lambda: "a later one")
    assert Store(path, 10).get(Run("x")) is None


def test_it_stays_within_its_bound_and_keeps_what_was_wanted_last(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10_000_000, 100_000_000, 10_000))
    monkeypatch.setattr(storing.time, "time", lambda: float(next(clock)))
    store = Store(path, 0.2)
    for number in range(200):
        store.put([(Run(f"{number}"), answer(number, 200))], NOW)
        assert store.get(Run("0")) is not None
    assert store.get(Run("199")) is not None
    assert store.get(Run("1")) is None
    store.close()
    assert path.stat().st_size < 0.4 * 2**20


@pytest.mark.proof
def test_copies_write_at_the_same_time(path: Path) -> None:
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", WRITER, root, str(path)]
    writers = [subprocess.Popen([*command, name, "40"], stdout=subprocess.PIPE) for name in "abc"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    store = Store(path, 100)
    for name in "abc":
        for number in range(40):
            found = store.get(Run(f"{name} {number}"))
            assert found is not None
            assert found.events == answer(number)


@pytest.mark.proof
def test_a_kill_in_mid_write_leaves_whole_answers(path: Path) -> None:
    root = str(Path(__file__).parents[2])
    for name in "abcd":
        command = [sys.executable, "-c", WRITER, root, str(path), name, "100000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(0.3)
            writer.send_signal(signal.SIGKILL)
    store = Store(path, 100)
    for name in "abcd":
        found = store.get(Run(f"{name} 0"))
        assert found is not None
        assert found.events == answer(0)
    with sqlite3.connect(path) as opened:
        assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_damaged_answer_costs_one_run(path: Path) -> None:
    store = Store(path, 10)
    store.put([(Run("x"), answer(1)), (Run("y"), answer(2))], NOW)
    with sqlite3.connect(path) as opened:
        (packed,) = opened.execute("SELECT events FROM answers LIMIT 1").fetchone()
        spoiled = packed[:-9] + bytes(byte ^ 1 for byte in packed[-9:])
        opened.execute("UPDATE answers SET events = ? WHERE events = ?", (spoiled, packed))
    known = [run for run in (Run("x"), Run("y")) if store.get(run)]
    assert len(known) == 1
    store.put([(Run("x"), answer(1)), (Run("y"), answer(2))], NOW)
    assert all(store.get(run) for run in (Run("x"), Run("y")))


@pytest.mark.parametrize(
    "damage", [b"no database at all" * 500, b"", b"SQLite format 3\0" + b"\xff" * 8000]
)
def test_a_damaged_file_is_put_aside(damage: bytes, path: Path) -> None:
    path.write_bytes(damage)
    store = Store(path, 10)
    assert store.get(Run("x")) is None
    store.put([(Run("x"), answer(1))], NOW)
    assert store.get(Run("x")) is not None


def test_where_nothing_can_be_written_nothing_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    store = Store(tmp_path / "file" / "answers.sqlite", 10)
    for _ in range(3):
        store.put([(Run("x"), answer(1))], NOW)
        assert store.get(Run("x")) is None
    assert len(caplog.messages) == 1


def test_a_full_disk_costs_the_new_answers_and_not_the_old(path: Path) -> None:
    store = Store(path, 100)
    store.put([(Run("x"), answer(1))], NOW)
    store._connection.execute("PRAGMA max_page_count = 10")  # what SQLite says of a full disk
    store.put([(Run("y"), answer(2, 5000))], NOW)
    assert store.get(Run("y")) is None
    assert store.get(Run("x")) is not None


def test_a_clock_that_jumps_hides_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, later = Store(path, 10), NOW + timedelta(days=4000)
    store.put([(Run("x"), answer(1))], later)
    monkeypatch.setattr(storing.time, "time", lambda: 0.0)
    found = store.get(Run("x"))
    assert found is not None
    assert found.made == later
