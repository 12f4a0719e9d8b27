"""The second lot of attacks: none succeeds, each ends, and the next run is healthy."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from attacks import HARMLESS_EVEN_SO
from attacks_second import ENDED, INSIDE, OTHERWISE
from test_attacks import LATE, SECONDS, TOLD, healthy, hostile
from test_endings import ended_as, said

from debugger.workers.leavings import WHEREABOUTS_BYTES, line_in
from debugger.workers.local import LocalEngine

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    data, toys = tmp_path_factory.mktemp("second"), {"pytorch": ("toys", "attacks_need")}
    with LocalEngine(2, SECONDS, 600, data, "toys:perform", preload=toys) as engine:
        yield engine


@pytest.fixture
def victims(engine: LocalEngine, tmp_path: Path) -> SimpleNamespace:
    data = engine._folder.path.parents[1]
    (data / "files").mkdir(exist_ok=True)
    for file in (data / "answers.sqlite", data / "answers.sqlite-wal", data / "files" / ("a" * 64)):
        file.write_text(TOLD)
    (tmp_path / "secret").write_text(TOLD)
    return SimpleNamespace(data=str(data), folder=str(tmp_path), secret=str(tmp_path / "secret"))


def test_nothing_of_it_succeeds(engine, ask, victims) -> None:
    events = ask(engine, hostile(victims, {**INSIDE, **HARMLESS_EVEN_SO}), typed=True)
    told = said(events)
    assert told["done"] == list(HARMLESS_EVEN_SO)
    assert {one.partition(":")[0] for one in told["otherwise"]} <= OTHERWISE, told["otherwise"]
    assert TOLD not in repr(events)
    assert [file.name for file in Path(victims.folder).iterdir()] == ["secret"]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.proof if "out_of_time" in ends else [])
        for name, (_, ends) in ENDED.items()
    ],
)
def test_it_ends_in_time_and_the_next_run_is_healthy(engine, ask, caplog, name) -> None:
    script, ends = ENDED[name]
    began = time.monotonic()
    with caplog.at_level(logging.WARNING):
        _, finding = ended_as(ask(engine, script, typed=True))
    assert time.monotonic() - began < SECONDS + LATE
    assert finding.code in ends
    assert healthy(engine, ask)
    assert "\x1b" not in caplog.text
    assert not any(line.startswith("2026-01-01") for line in caplog.text.splitlines())
    assert "the driver failed" not in caplog.text


@pytest.mark.parametrize("note", [b'File "', b'File "a', b'File "script.py", line '])
def test_no_note_of_where_a_run_stood_takes_long_to_read(note: bytes, tmp_path: Path) -> None:
    (tmp_path / "note").write_bytes(note * (WHEREABOUTS_BYTES // len(note)))
    began = time.process_time()
    assert line_in(tmp_path / "note", "script.py") is None
    assert time.process_time() - began < 1
