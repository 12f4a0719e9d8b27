"""What a warm process does while nobody asks for a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_endings import said

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
LOOK = "import later_toy; say(done=list(later_toy.DONE), threads=threading.active_count())"
TOY = """
import time

DONE = []

def later():
    for piece in range({pieces}):
        time.sleep({seconds})
        DONE.append(piece)
        {then}
        yield

LATER = later
"""


@pytest.fixture
def with_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def written(pieces: int = 3, seconds: float = 0.0, then: str = "pass") -> None:
        toy = TOY.format(pieces=pieces, seconds=seconds, then=then)
        (tmp_path / "later_toy.py").write_text(toy)
        monkeypatch.syspath_prepend(str(tmp_path))

    return written


def done(engine, ask) -> list[int]:
    return said(ask(engine, "import threading\n" + LOOK))["done"]


def test_it_is_done_piece_by_piece_and_every_later_run_finds_it(make_engine, ask, with_toy):
    with_toy()
    engine = make_engine(preload={"pytorch": ("later_toy", "toys")})
    until = time.monotonic() + 10
    while done(engine, ask) != [0, 1, 2] and time.monotonic() < until:
        time.sleep(0.05)
    assert done(engine, ask) == [0, 1, 2]


def test_a_run_does_not_wait_for_all_of_it(make_engine, ask, with_toy):
    with_toy(pieces=1000, seconds=0.1)
    engine = make_engine(preload={"pytorch": ("later_toy", "toys")})
    first, second = done(engine, ask), done(engine, ask)
    assert len(first) <= len(second) < 1000


def test_where_it_fails_runs_go_on_without_it(make_engine, ask, with_toy):
    with_toy(then="raise ValueError('cannot be done')")
    engine = make_engine(preload={"pytorch": ("later_toy", "toys")})
    parents = {said(ask(engine, "say(parent=os.getppid())"))["parent"] for _ in range(5)}
    assert parents == {engine.status()["pids"]["pytorch"]}
