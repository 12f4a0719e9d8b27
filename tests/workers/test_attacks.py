"""Hostile code, typed and run as a learner's would be: nothing that it tries succeeds."""

import json
import os
import site
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from attacks import GROUPS, HARMLESS_EVEN_SO, HEAD
from test_endings import console, ended_as, said
from test_wall import contents

import debugger
import scenarios
from debugger.workers.local import LocalEngine

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
TOLD = "told_to_nobody"
SECONDS, LATE = 4.0, 5.0


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data, toys = tmp_path_factory.mktemp("attacked"), {"pytorch": ("toys", "attacks_need")}
    with LocalEngine(2, SECONDS, 600, data, "toys:perform", preload=toys) as engine:
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
    tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    unix.bind(str(tmp_path / "u"))
    datagrams.bind(str(tmp_path / "d"))
    abstract.bind(f"\0{tmp_path.name}-{os.getpid()}")
    unix.listen()
    abstract.listen()
    before = contents(folder), folder.stat().st_mtime
    yield SimpleNamespace(
        server=os.getpid(),
        secret=str(folder / "secret"),
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
        scenarios=str(Path(str(scenarios.__file__ or scenarios.__path__[0])).parent),
        tcp=tcp.getsockname()[1],
        udp=udp.getsockname()[1],
        unix=str(tmp_path / "u"),
        datagrams=str(tmp_path / "d"),
        abstract=f"{tmp_path.name}-{os.getpid()}",
    )
    for listener in (tcp, udp, unix, abstract, datagrams):
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.recv(1) if listener in (udp, datagrams) else listener.accept()
        listener.close()
    assert (contents(folder), folder.stat().st_mtime) == before
    assert not list(home.iterdir())


def healthy(engine: LocalEngine, ask) -> bool:
    return said(ask(engine, "say(x=sum(range(9)))", typed=True)) == {"x": 36}


def test_typed_code_may_run_here(attacked):
    assert attacked.typed("pytorch").why is None
    assert attacked.status()["typed"]["pytorch"].broken == ()


@pytest.mark.parametrize("group", GROUPS)
def test_no_attack_succeeds(attacked, ask, victims, group):
    attacks = {**GROUPS[group], **HARMLESS_EVEN_SO}
    script = HEAD.format(victims=json.dumps(vars(victims)), attacks=attacks)
    events = ask(attacked, script, typed=True)
    assert said(events)["done"] == list(HARMLESS_EVEN_SO)
    assert TOLD not in repr(events).replace(repr(script), "")
    assert healthy(attacked, ask)
