"""Hostile code, typed and run as a learner's would be: nothing that it tries succeeds."""

import json
import os
import site
import socket
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from attacks import (
    AT_ONCE,
    GROUPS,
    HARMLESS_EVEN_SO,
    HEAD,
    HELD_OTHERWISE,
    NO_RUN_CAN,
    TO_THE_LIMIT,
)
from test_endings import ended_as, said
from test_wall import contents

import debugger
import scenarios
from debugger.workers.local import LocalEngine

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
TOLD = "told_to_nobody"
SECONDS, LATE = 8.0, 5.0


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data, toys = tmp_path_factory.mktemp("attacked"), {"pytorch": ("toys", "attacks_need")}
    with LocalEngine(2, SECONDS, 600, data, "toys:perform", preload=toys) as engine:
        yield engine


@pytest.fixture(scope="module")
def open_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """One whose runs nothing holds back."""
    data, toys = tmp_path_factory.mktemp("open"), ("no_landlock", "toys", "attacks_need")
    with LocalEngine(1, 20, 600, data, "toys:perform", preload={"pytorch": toys}) as engine:
        yield engine


@pytest.fixture
def victims(tmp_path: Path, attacked: LocalEngine) -> Iterator[SimpleNamespace]:
    """What others have on this machine."""
    engine = attacked._folder.path
    data, folder, home = engine.parents[1], tmp_path / "folder", tmp_path / "home"
    scratch, hub = engine / "another" / "tmp" / "notes", data / "huggingface"
    for place in (folder, home, scratch.parent, hub / "hub"):
        place.mkdir(parents=True, exist_ok=True)
    for file in (folder / "secret", hub / "token", scratch, scratch.parents[1] / "request.json"):
        file.write_text(f"x = '{TOLD}'")
    with zipfile.ZipFile(folder / "archive", "w") as archive:
        archive.writestr("x", TOLD)
    with sqlite3.connect(folder / "base") as base:
        base.execute("create table a (b)")
    base.close()
    tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    unix.bind(str(tmp_path / "u"))
    datagrams.bind(str(tmp_path / "d"))
    abstract.bind(f"\0{tmp_path.name}-{os.getpid()}")
    unix.listen()
    abstract.listen()
    listeners = tcp, udp, unix, abstract, datagrams
    yield SimpleNamespace(
        listeners=listeners,
        server=os.getpid(),
        secret=str(folder / "secret"),
        base=str(folder / "base"),
        archive=str(folder / "archive"),
        folder=str(folder),
        home=str(home),
        token=str(hub / "token"),
        hub=str(hub / "hub"),
        scratch=str(scratch),
        data=str(data),
        lock=str(engine.parent / "lock"),
        site=site.getsitepackages()[0],
        clinic=str(Path(str(debugger.__file__)).parent),
        scenarios=scenarios.__path__[0],
        tcp=tcp.getsockname()[1],
        udp=udp.getsockname()[1],
        unix=str(tmp_path / "u"),
        datagrams=str(tmp_path / "d"),
        abstract=f"{tmp_path.name}-{os.getpid()}",
    )
    for listener in listeners:
        listener.close()


def reached(victims: SimpleNamespace) -> list[socket.socket]:
    """Those of the host that somebody came to."""
    for listener in victims.listeners:
        listener.setblocking(False)
    return [one for one in victims.listeners if _has_news(one)]


def _has_news(listener: socket.socket) -> bool:
    try:
        listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()
    except BlockingIOError:
        return False
    return True


def hostile(victims: SimpleNamespace, attacks: dict[str, str]) -> str:
    known = {name: value for name, value in vars(victims).items() if name != "listeners"}
    return HEAD.format(victims=json.dumps(known), attacks=attacks)


def healthy(engine: LocalEngine, ask) -> bool:
    return said(ask(engine, "say(x=sum(range(9)))", typed=True)) == {"x": 36}


def test_typed_code_may_run_here(attacked):
    assert attacked.typed("pytorch").why is None
    assert attacked.status()["typed"] == {"pytorch": {"why": None, "broken": ()}}


@pytest.mark.parametrize("group", GROUPS)
def test_no_attack_succeeds(attacked, ask, victims, group):
    folder = Path(victims.folder)
    before = contents(folder), folder.stat().st_mtime, os.stat(victims.secret)
    script = hostile(victims, {**GROUPS[group], **HARMLESS_EVEN_SO})
    events = ask(attacked, script, typed=True)
    told = said(events)
    assert told["done"] == list(HARMLESS_EVEN_SO)
    assert [one.partition(":")[0] for one in told["otherwise"]] == HELD_OTHERWISE.get(group, [])
    assert TOLD not in repr(events)
    assert reached(victims) == []
    assert (contents(folder), folder.stat().st_mtime, os.stat(victims.secret)) == before
    assert not list(Path(victims.home).iterdir())
    assert healthy(attacked, ask)


@pytest.mark.parametrize("group", ["read", "reach"])
def test_without_the_sandbox_they_would(open_engine, ask, victims, group):
    attacks = GROUPS[group]
    done = set(said(ask(open_engine, hostile(victims, attacks)))["done"])
    assert attacks.keys() - done - NO_RUN_CAN == set()


@pytest.mark.some(4)
@pytest.mark.parametrize("name", AT_ONCE)
def test_what_fills_a_machine_is_ended(attacked, ask, name):
    ends_in_time(attacked, ask, *AT_ONCE[name])


@pytest.mark.proof
@pytest.mark.parametrize("name", TO_THE_LIMIT)
def test_what_goes_on_is_ended(attacked, ask, name):
    ends_in_time(attacked, ask, *TO_THE_LIMIT[name])


def ends_in_time(engine: LocalEngine, ask, script: str, codes: set[str]) -> None:
    began = time.monotonic()
    events = ask(engine, script, typed=True)
    assert time.monotonic() - began < SECONDS + LATE
    if codes:
        assert ended_as(events)[1].code in codes
    assert healthy(engine, ask)
    assert gone(engine._folder.path)


def gone(folder: Path) -> bool:
    """Whether all that runs left is removed, once the engine had the time for it."""
    for _ in range(600):
        if not list(folder.glob("[0-9]*")):
            return True
        time.sleep(0.1)
    return False


def test_nobody_puts_words_into_the_hosts_log(attacked, ask, caplog):
    forged = "import logging\nlogging.getLogger('debugger').warning('x\\nERROR forged')\n"
    ask(attacked, forged, typed=True)
    assert "| ERROR forged" in caplog.text
    assert "\nERROR forged" not in caplog.text


@pytest.fixture(scope="module")
def untried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """One whose sandbox lets every call through."""
    data, toys = tmp_path_factory.mktemp("untried"), {"pytorch": ("toys", "no_seccomp")}
    with LocalEngine(1, SECONDS, 600, data, "toys:perform", preload=toys) as engine:
        yield engine


def test_where_a_promise_does_not_hold_nothing_typed_runs(untried, ask):
    found = untried.typed("pytorch")
    assert found.why == "promise_broken"
    assert {"forks", "opens a socket AF_INET SOCK_STREAM", "outlives the engine"} <= set(
        found.broken
    )
    ending, finding = ended_as(ask(untried, "open('/tmp/typed', 'x')", typed=True))
    assert (ending, finding.code) == ("unknown", "typing_promise_broken")
    assert "forks" in finding.numbers["broken"]
    assert said(ask(untried, "say(x=1)")) == {"x": 1}


def test_typing_can_be_switched_off(make_engine, ask):
    engine = make_engine(typed=False)
    assert ended_as(ask(engine, "", typed=True))[1].code == "typing_switched_off"
    assert engine.status()["typed"]["pytorch"]["why"] == "switched_off"


@pytest.mark.proof
def test_where_the_sandbox_cannot_stand_nothing_typed_runs(make_engine, ask):
    engine = make_engine(preload={"pytorch": ("no_landlock", "toys")})
    assert ended_as(ask(engine, "", typed=True))[1].code == "typing_not_tried"
