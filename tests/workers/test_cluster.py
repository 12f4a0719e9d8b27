"""Runs on the nodes of a real Ray cluster on this machine: as on one machine, and when one goes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from rays import ROOT, TOKEN, LocalRay, local_ray
from test_far_engines import ORDERS

from debugger.outcome import Accepted, Event, Outcome, Restarted, Shown
from debugger.report import gather
from debugger.run import Run
from debugger.workers.cluster import ClusterEngine
from debugger.workers.local import LocalEngine
from debugger.workers.rays import Rays
from debugger.workers.sharing import Shared
from tests.browser.app import free_port

pytestmark = [
    pytest.mark.skipif(
        not find_spec("ray"), reason="Ray is not installed: make test-cluster has it"
    ),
    pytest.mark.slow,
]
SAYS_WHERE = "say(pid=os.getppid(), data=os.environ['CLINIC_DATA_DIR'])"
LASTS = f"{SAYS_WHERE}\ntime.sleep(4)\nsay(told='all')"


@pytest.fixture(scope="module")
def ray() -> Iterator[LocalRay]:
    with pytest.MonkeyPatch.context() as patch, local_ray() as ray:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", TOKEN)
        ray.start_nodes("one", "two")
        yield ray


@pytest.fixture(scope="module")
def cluster(ray: LocalRay, toys_need_no_framework: None) -> Iterator[ClusterEngine]:
    with ClusterEngine(Rays(ray.address), ORDERS, ray.folder) as engine:
        until(lambda: engine.status()["workers"] == 2)
        yield engine


def until(true: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def said(events: list[Event]) -> list[dict[str, Any]]:
    return [event.evidence.data for event in events if isinstance(event, Shown)]


class Asked:
    """A run that is listened to beside the test."""

    def __init__(self, engine: Any, script: str, **fields: Any) -> None:
        self.events: list[Event] = []
        self._told = engine.events(Run(script, device="cpu", **fields))
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        for event in self._told:
            self.events.append(event)

    def end(self) -> Outcome:
        self._thread.join(90)
        outcome = self.events[-1]
        assert isinstance(outcome, Outcome)
        return outcome


def test_a_run_tells_the_same_as_on_one_machine(
    cluster: ClusterEngine, make_engine: Callable[..., LocalEngine]
) -> None:
    script = (
        "say(one=1)\nprint('two')\nemit(StageStarted('data'))\nsay(of=run.stage, nan=float('nan'))"
    )
    run = Run(script, stage="data", device="cpu")
    there, here = list(cluster.events(run)), list(make_engine().events(run))
    assert [type(event) for event in there] == [type(event) for event in here]
    assert gather(there) == gather(here)
    assert len(said(there)) == 3


def test_two_nodes_train_at_once_and_the_third_waits(cluster: ClusterEngine) -> None:
    asked = [Asked(cluster, f"{LASTS}\n# {number}", stage="train") for number in range(3)]
    outcomes = [one.end().outcome for one in asked]
    assert outcomes == ["pass"] * 3
    where = [said(one.events)[0]["data"] for one in asked]
    assert {path.rpartition("/")[2] for path in where[:2]} == {"one", "two"}
    places = [event.place for event in asked[2].events if isinstance(event, Accepted)]
    assert places[0] == 1
    assert places[-1] == 0


def test_who_cancels_is_heard_on_the_node(cluster: ClusterEngine) -> None:
    asked = Asked(cluster, "say(pid=os.getpid())\ntime.sleep(60)", stage="train")
    until(lambda: bool(said(asked.events)))
    pid = said(asked.events)[0]["pid"]
    accepted = next(event for event in asked.events if isinstance(event, Accepted))
    cluster.cancel(accepted.ticket)
    outcome = asked.end()
    assert (outcome.outcome, outcome.finding and outcome.finding.code) == ("stopped", "cancelled")
    until(lambda: not os.path.exists(f"/proc/{pid}"))


def test_the_limits_are_those_of_one_machine(cluster: ClusterEngine) -> None:
    fat = Asked(cluster, "held = bytearray(900 * 2**20)\ntime.sleep(20)").end()
    assert fat.finding is not None
    assert (fat.finding.code, fat.finding.numbers) == ("out_of_memory", {"memory_mb": 600})
    dead = Asked(cluster, "os.abort()").end()
    assert (dead.outcome, dead.finding and dead.finding.code) == ("fail", "process_died")


HOSTILE = f"""
import glob, socket
tried = {{}}
def attempt(name, what):
    try:
        tried[name] = str(what())[:80]
    except OSError as error:
        tried[name] = "refused"
for pid in (os.getppid(), 1, {os.getpid()}):
    attempt(f"environ {{pid}}", lambda: open(f"/proc/{{pid}}/environ").read())
attempt("processes", lambda: os.listdir("/proc"))
attempt("token", lambda: open("FOLDER/.ray/auth_token").read())
attempt("ray's folder", lambda: os.listdir("FOLDER"))
attempt("ray's port", lambda: socket.create_connection(("127.0.0.1", PORT), 2))
attempt("ray's socket", lambda: socket.socket(socket.AF_UNIX))
attempt("kill", lambda: os.kill(os.getppid(), 9))
token = [name for name, value in os.environ.items() if value == "{TOKEN}"]
say(tried=tried, environ=sorted(os.environ), token=token)
"""


def test_what_is_typed_stays_behind_its_wall_inside_of_a_node(
    cluster: ClusterEngine, ray: LocalRay
) -> None:
    assert (ray.folder / ".ray" / "auth_token").read_text() == TOKEN
    script = HOSTILE.replace("FOLDER", str(ray.folder)).replace("PORT", str(ray.client_port))
    events = Asked(cluster, script, typed=True)
    assert events.end().outcome == "pass"
    (told,) = said(events.events)
    assert set(told["tried"].values()) == {"refused"}
    assert len(told["tried"]) == 9
    assert not told["token"]
    assert not [name for name in told["environ"] if name.startswith("RAY_")]
    typed = cluster.status()["typed"]["pytorch"]
    assert typed == {"why": None, "broken": ()}


def test_a_file_beside_a_script_goes_with_it_to_the_node(
    cluster: ClusterEngine, ray: LocalRay
) -> None:
    from debugger.workers.beside import Kept

    digest = Kept(ray.folder, 2**20).keep(b"a,b\n1,2\n")
    asked = Asked(cluster, "say(held=open('rows.csv').read())", files=(("rows.csv", digest),))
    assert asked.end().outcome == "pass"
    assert said(asked.events) == [{"held": "a,b\n1,2\n"}]


def test_of_a_node_that_dies_in_the_middle_a_run_begins_again_on_another(
    cluster: ClusterEngine, ray: LocalRay
) -> None:
    shared = Shared(cluster)
    run = Run(LASTS, stage="train", device="cpu")
    flight = shared.board(run)
    until(lambda: bool(said(flight.events)))
    died = said(flight.events)[0]["data"].rpartition("/")[2]
    orphans = ray.under(died)
    ray.kill(died)
    until(lambda: flight.ended)
    assert sum(isinstance(event, Restarted) for event in flight.events) == 1
    report = gather(flight.events)
    assert report.outcome == "pass"
    shown = [evidence.data for evidence in report.stage("data").evidence]
    assert [died in str(one) for one in shown] == [False, False]
    assert shown[1] == {"told": "all"}
    known = shared.known(run)
    assert known is not None
    assert not any(isinstance(event, Restarted) for event in known.events)
    assert gather(known.events) == report
    until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in orphans))
    status = cluster.status()
    assert status["workers"] == 1
    assert [trouble.name for trouble in status["troubles"]] == [died]
    ray.start_nodes(died)
    until(lambda: cluster.status()["workers"] == 2)
    assert not cluster.status()["troubles"]


def test_nothing_is_left_on_a_node_by_an_app_that_is_gone(
    cluster: ClusterEngine, ray: LocalRay
) -> None:
    """Two apps of their own, one after the other, which find the nodes free at once."""
    cluster.close()
    for way, signal in (("closes", None), ("is killed", 9)):
        app = subprocess.Popen(
            [sys.executable, "-c", APP, ray.address, str(ray.folder)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'workers'}"},
        )
        assert app.stdout
        assert app.stdin
        told = app.stdout.readline().split()
        assert told[0] == "pids", way
        pids = [int(one) for one in told[1:]]
        assert all(os.path.exists(f"/proc/{pid}") for pid in pids), way
        if signal is None:
            app.stdin.write("\n")
            app.stdin.flush()
        else:
            app.send_signal(signal)
        app.wait(60)
        until(lambda gone=pids: not any(os.path.exists(f"/proc/{pid}") for pid in gone), 120)


def test_a_cluster_that_is_not_there_or_lets_nobody_in_is_one_sentence(ray: LocalRay) -> None:
    wrong = {**os.environ, "RAY_AUTH_TOKEN": TOKEN[::-1], "PYTHONPATH": str(ROOT)}
    free = f"ray://127.0.0.1:{free_port()}"
    for address, word in ((free, "nothing answers"), (ray.address, "does not let the clinic in")):
        app = subprocess.run(
            [sys.executable, "app.py"],
            env={**wrong, "CLINIC_CLUSTER": address, "CLINIC_PORT": str(free_port())},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert app.returncode == 64
        (sentence,) = app.stderr.splitlines()
        assert sentence.startswith("The clinic did not start. CLINIC_CLUSTER: ")
        assert word in sentence
        assert TOKEN[::-1] not in app.stdout + app.stderr


def test_a_cluster_that_is_lost_is_found_again_and_who_waits_is_told(
    cluster: ClusterEngine, ray: LocalRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.close()
    monkeypatch.setattr("debugger.workers.cluster.AWAY_SECONDS", 3.0)
    with ClusterEngine(Rays(ray.address), ORDERS, ray.folder) as engine:
        until(lambda: engine.status()["workers"] == 2)
        asked = Asked(engine, "time.sleep(60)")
        until(lambda: engine.status()["running"] == 1)
        for name in ("head", "one", "two"):
            ray.kill(name)
        outcome = asked.end()
        assert (outcome.outcome, outcome.finding and outcome.finding.code) == (
            "unknown",
            "cluster_gone",
        )
        assert engine.status()["troubles"]
        late = Asked(engine, "say(one=1)").end()
        assert late.finding is not None
        assert late.finding.code == "cluster_gone"
        ray.start_head()
        ray.start_nodes("one")
        until(lambda: engine.status()["workers"] == 1, 120)
        assert Asked(engine, "say(one=1)").end().outcome == "pass"
        assert "" not in [trouble.name for trouble in engine.status()["troubles"]]


APP = """
import sys
from pathlib import Path
from debugger.run import Run
from debugger.workers.cluster import ClusterEngine
from debugger.workers.rays import Rays
from test_cluster import until, Asked, said
from test_far_engines import ORDERS
with ClusterEngine(Rays(sys.argv[1]), ORDERS, Path(sys.argv[2])) as engine:
    asked = Asked(engine, "say(pid=os.getpid(), warm=os.getppid())\\ntime.sleep(60)", stage="train")
    until(lambda: bool(said(asked.events)))
    told = said(asked.events)[0]
    print("pids", told["pid"], told["warm"], flush=True)
    sys.stdin.readline()
"""
