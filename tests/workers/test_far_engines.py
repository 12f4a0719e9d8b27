"""Engines that stand elsewhere, with the way to them taken away at will. The way itself is Ray's.

tests/workers/test_cluster.py has that one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from debugger.outcome import Accepted, Event, Outcome, Restarted, Shown, StageEnded, StageStarted
from debugger.report import gather
from debugger.run import Run
from debugger.web.flights import busy_with
from debugger.web.watch.nodes import nodes as shown
from debugger.words import Words
from debugger.workers import cluster
from debugger.workers.cluster import ClusterEngine
from debugger.workers.node import Node, Orders
from debugger.workers.rays import ClosedError, GoneError, Member, Rays, Spot
from debugger.workers.sharing import Flight

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
ORDERS = Orders(
    seconds=20.0,
    look_seconds=20.0,
    memory_mb=600,
    online=False,
    typed=True,
    residents=0,
    gpu_share=1.0,
    files_bytes=2**20,
    environment={},
    perform="toys:perform",
    preload={"pytorch": ("toys",)},
)
LASTS = "say(began=1)\ntime.sleep(1)\nsay(told='all')"


class Here(Member):
    """A node in this very process, until its line is cut."""

    def __init__(self, node: Node) -> None:
        self.node, self.cut = node, False

    def ask(self, method: str, *given: Any, seconds: float) -> Any:
        if self.cut:
            raise GoneError("the line is cut")
        answer = getattr(self.node, method)(*given)
        if self.cut:
            raise GoneError("the line is cut")
        return answer

    def tell(self, method: str, *given: Any) -> None:
        if not self.cut:
            getattr(self.node, method)(*given)

    def end(self) -> None:
        self.cut = True
        self.node.close()


class Lines(Rays):
    """A cluster of nodes by their names, in this process."""

    def __init__(self) -> None:
        super().__init__("ray://nowhere:1")
        self.there = {"one": 1, "two": 1}
        self.members: dict[str, Here] = {}
        self.reached = True

    def connect(self) -> None:
        if not self.reached:
            raise ClosedError("unreachable", "nobody there")

    def spots(self) -> list[Spot]:
        if not self.reached:
            raise GoneError("nobody there")
        return [Spot(name, name, cpus, 0) for name, cpus in self.there.items()]

    def stand(self, spot: Spot, orders: Mapping[str, Any]) -> Member:
        self.members[spot.name] = Here(Node(spot.cpus, orders))
        return self.members[spot.name]

    def leave(self) -> None:
        for member in self.members.values():
            member.cut = True

    def lose(self, name: str) -> None:
        del self.there[name]
        self.members[name].end()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lines:
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr("debugger.workers.node.BEAT_SECONDS", 0.1)
    monkeypatch.setenv("CLINIC_DATA_DIR", str(tmp_path / "node"))
    return Lines()


@pytest.fixture
def engine(lines: Lines, tmp_path: Path) -> Iterator[ClusterEngine]:
    with ClusterEngine(lines, ORDERS, tmp_path) as engine:
        until(lambda: engine.status()["workers"] == 2)
        yield engine


def until(true: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def asked(
    engine: ClusterEngine, script: str, **fields: Any
) -> tuple[list[Event], threading.Thread]:
    """What it tells, as it comes, and when that has ended."""
    told: list[Event] = []
    events = engine.events(Run(script, device="cpu", **fields))
    thread = threading.Thread(target=_listen, args=(events, told), daemon=True)
    thread.start()
    return told, thread


def _listen(events: Iterator[Event], told: list[Event]) -> None:
    for event in events:
        told.append(event)


def ended(events: list[Event]) -> tuple[str, str]:
    outcome = events[-1]
    assert isinstance(outcome, Outcome)
    return outcome.outcome, outcome.finding.code if outcome.finding else ""


def has(engine: ClusterEngine) -> str:
    """The node that something runs on."""
    return next((one["name"] for one in engine.status()["nodes"] if one["running"]), "")


@pytest.mark.proof
def test_a_run_whose_node_goes_begins_again_once(engine: ClusterEngine, lines: Lines) -> None:
    told, thread = asked(engine, LASTS, stage="train")
    until(lambda: any(isinstance(event, Shown) for event in told))
    lines.lose(has(engine))
    thread.join(60)
    assert ended(told) == ("pass", "")
    assert sum(isinstance(event, Restarted) for event in told) == 1
    evidence = gather(told).stage("data").evidence
    assert [one.data for one in evidence] == [{"began": 1}, {"told": "all"}]
    (trouble,) = engine.status()["troubles"]
    assert trouble.code == "node_lost"


@pytest.mark.proof
def test_a_run_that_loses_two_nodes_is_ended_with_a_sentence(
    engine: ClusterEngine, lines: Lines
) -> None:
    lines.there["three"] = 1
    until(lambda: engine.status()["workers"] == 3)
    told, thread = asked(engine, "say(began=1)\ntime.sleep(30)", stage="train")
    for times in (1, 2):
        until(lambda n=times: sum(isinstance(event, Shown) for event in told) == n)
        lines.lose(has(engine))
    thread.join(60)
    assert ended(told) == ("unknown", "node_died")
    assert engine.status()["running"] == 0


def test_who_waits_for_a_cluster_that_is_away_is_told_and_it_is_found_again(
    engine: ClusterEngine, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "AWAY_SECONDS", 0.5)
    monkeypatch.setattr(cluster, "AFTER_A_FAULT_SECONDS", 0.1)
    lines.reached = False
    for member in lines.members.values():
        member.cut = True
    told, thread = asked(engine, "say(one=1)")
    thread.join(60)
    assert ended(told) == ("unknown", "cluster_gone")
    assert engine.status()["workers"] == 0
    until(lambda: "cluster_lost" in [one.code for one in engine.status()["troubles"]])
    lines.reached = True
    until(lambda: engine.status()["workers"] == 2)
    told, thread = asked(engine, "say(one=1)")
    thread.join(60)
    assert ended(told) == ("pass", "")
    assert not engine.status()["troubles"]


def test_who_comes_while_there_is_no_machine_yet_waits_for_one(
    lines: Lines, tmp_path: Path
) -> None:
    there, lines.there = lines.there, {}
    with ClusterEngine(lines, ORDERS, tmp_path) as engine:
        told, thread = asked(engine, "say(one=1)")
        until(lambda: told)
        assert told == [Accepted(told[0].ticket, 1)]  # pyright: ignore
        lines.there = there
        thread.join(60)
        assert ended(told) == ("pass", "")


def test_a_node_with_another_clinic_is_not_used(
    lines: Lines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Node, "about", lambda self: "another")
    with ClusterEngine(lines, ORDERS, tmp_path) as engine:
        until(lambda: len(engine.status()["troubles"]) == 2)
        status = engine.status()
        assert {one.code for one in status["troubles"]} == {"node_differs"}
        assert status["nodes"] == []
        assert "one is not used" in shown(status, Words())


def test_typed_code_runs_where_every_node_keeps_its_promises(
    engine: ClusterEngine, lines: Lines
) -> None:
    engine.warm(["pytorch"])
    until(lambda: engine.status()["typed"].get("pytorch", {}).get("why", "") is None)
    told, thread = asked(engine, "say(one=1)", typed=True)
    thread.join(60)
    assert ended(told) == ("pass", "")
    local = lines.members["two"].node._engine
    broken = type(local.typed("pytorch"))("promise_broken", ("forks",))
    local._typed["pytorch"] = broken
    until(lambda: engine.status()["typed"]["pytorch"]["why"])
    for _ in range(2):
        told, thread = asked(engine, "say(one=1)", typed=True)
        thread.join(60)
        assert ended(told) == ("unknown", "typing_promise_broken")


def test_a_server_that_stops_ends_what_trains_far_away(engine: ClusterEngine) -> None:
    told, thread = asked(engine, "say(one=1)\ntime.sleep(60)", stage="train")
    until(lambda: any(isinstance(event, Shown) for event in told))
    engine.drain(3.0)
    thread.join(60)
    assert ended(told) == ("unknown", "server_stops")


def test_the_page_says_that_it_begins_again_and_from_where() -> None:
    flight = Flight(Run("", device="cpu"))
    flight.events += [Accepted("t"), StageStarted("data"), StageEnded("data", "pass", 0.1)]
    busy = busy_with([flight])
    assert busy is not None
    assert (busy.stage, busy.again) == ("data", False)
    flight.events += [Restarted(), StageStarted("setup")]
    busy = busy_with([flight])
    assert busy is not None
    assert (busy.stage, busy.ended, busy.again) == ("setup", False, True)


def test_a_run_cannot_say_that_it_was_begun_again(make_engine, ask) -> None:
    script = "from debugger.outcome import Restarted\nemit(Restarted())"
    assert ended(ask(make_engine(), script)) == ("unknown", "forged_events")


def test_the_hosts_page_lists_the_machines(engine: ClusterEngine) -> None:
    until(lambda: all(one["of_mb"] for one in engine.status()["nodes"]))
    page = shown(engine.status(), Words())
    assert page.count('<th scope="row">') == 2
    assert "not told yet" not in page
