"""What was typed may start no process; the one that counts its trainings was started before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_endings import ended_as, said

from debugger.workers.local import LocalEngine

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
TWICE = """
def never_called():
    trainer = Trainer()
    trainer.train()
    trainer.train()
"""
COUNTED = "say(found=[enclosure.apart(work), enclosure.apart(work)], here=here)\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data, toys = tmp_path_factory.mktemp("ahead"), {"pytorch": ("toys", "attacks_need")}
    with LocalEngine(1, 20, 600, data, "toys:perform", preload=toys) as engine:
        yield engine


def test_it_does_one_thing_once_and_is_not_heard(engine, ask):
    script = "here = []\ndef work():\n    here.append(1); print('apart'); return len(here)\n"
    events = ask(engine, TWICE + script + COUNTED, typed=True)
    assert said(events) == {"found": [1, 1], "here": []}
    assert [event.text for event in events if hasattr(event, "text")] == []


@pytest.mark.parametrize(
    "does",
    [
        "raise ValueError",
        "os.abort()",
        "os.close(max(map(int, os.listdir('/proc/self/fd'))) - 1)",
        "return 'x' * 100_000",
    ],
)
def test_where_it_gives_no_answer_the_run_goes_on(engine, ask, does):
    script = f"import os\nhere = []\ndef work():\n    {does}\n"
    assert said(ask(engine, TWICE + script + COUNTED, typed=True))["found"] == [None, None]


def test_it_is_held_as_the_run_is(engine, ask, tmp_path: Path):
    (tmp_path / "secret").write_text("told to nobody")
    script = f"""
import os, signal, socket
here = []
def tried(what):
    try:
        what()
    except OSError as error:
        return error.errno
def work():
    return [
        tried(os.fork),
        tried(lambda: os.kill(os.getppid(), signal.SIGKILL)),
        tried(lambda: open({str(tmp_path / "secret")!r})),
        tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
    ]
"""
    assert said(ask(engine, TWICE + script + COUNTED, typed=True))["found"][0] == [1, 1, 13, 1]


@pytest.mark.proof
def test_it_may_write_no_more_than_the_run(engine, ask):
    does = "while True: open('it', 'wb').write(bytes(1 << 20))"
    script = f"here = []\ndef work():\n    {does}\n"
    outcome, finding = ended_as(ask(engine, TWICE + script + COUNTED, typed=True))
    assert (outcome, finding.code) == ("stopped", "too_much_on_disk")
    assert said(ask(engine, "say(healthy=True)", typed=True)) == {"healthy": True}


@pytest.mark.parametrize(("preload", "told"), [((), None), (("with_a_gpu",), "named")])
def test_on_a_gpu_it_may_name_its_threads_behind_the_wall_as_cuda_does(
    make_engine, ask, preload, told
):
    engine = make_engine(preload={"pytorch": ("toys", "attacks_need", *preload)})
    script = """
import os
here = []
def name():
    with open(f"/proc/self/task/{os.getpid()}/comm", "w") as file:
        return file.write("named") and "named"
name()
def work():
    return name()
"""
    found = said(ask(engine, TWICE + script + COUNTED, device="auto"))["found"]
    assert found == [told, told]
