"""Data files beside a script: they lie in the run's own folder, and no name of one is a path."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from debugger.outcome import Event, Outcome, Shown
from debugger.run import Run
from debugger.workers.beside import FOLDER, KEPT_SECONDS, Kept, lay, may_be_named
from debugger.workers.local import LocalEngine

PATHS = [
    *("../x.csv", "/etc/passwd", "a/b.csv", "a\\b.csv", "..", ".", "", ".hidden", " x", "x ", "x."),
    *("x\0.csv", "x\n.csv", "\u202ecsv.x", "a" * 81, "é" * 90, "~/x", "x\ud800.csv", "C:x.csv"),
]


def _used(file: Path, seconds_ago: float) -> None:
    then = time.time() - seconds_ago
    os.utime(file, (then, then))


@pytest.mark.parametrize(
    "name", ["data.csv", "my data (1).csv", "données.csv", "資料.json", "a-b+c.txt"]
)
def test_an_ordinary_name_is_one(name: str) -> None:
    assert may_be_named(name)


@pytest.mark.parametrize("name", PATHS)
def test_what_could_lead_elsewhere_is_no_name_and_is_never_laid(name: str, tmp_path: Path) -> None:
    digest = Kept(tmp_path, 100).keep(b"x")
    (tmp_path / "home").mkdir()
    assert not may_be_named(name)
    with pytest.raises(ValueError, match="no name"):
        lay([(name, digest)], tmp_path / FOLDER, tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("digest", ["../../etc/passwd", "", "a" * 63, "A" * 64, "g" * 64])
def test_what_is_no_digest_opens_nothing(digest: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no name"):
        lay([("x.csv", digest)], tmp_path, tmp_path)
    assert not Kept(tmp_path, 100).has(digest)


def test_a_link_in_the_place_of_a_file_is_not_written_through(tmp_path: Path) -> None:
    digest = Kept(tmp_path, 100).keep(b"new")
    (tmp_path / "other").write_text("old")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "x.csv").symlink_to(tmp_path / "other")
    with pytest.raises(FileExistsError):
        lay([("x.csv", digest)], tmp_path / FOLDER, tmp_path / "home")
    assert (tmp_path / "other").read_text() == "old"


def test_what_was_not_used_for_longest_makes_room_and_what_is_old_goes(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 30)
    first, second = kept.keep(b"1" * 10), kept.keep(b"2" * 10)
    _used(tmp_path / FOLDER / second, 60)
    _used(tmp_path / FOLDER / first, 90)
    assert kept.has(first)  # so it is the younger one from here on
    third = kept.keep(b"3" * 15)
    assert (kept.has(first), kept.has(second), kept.has(third)) == (True, False, True)
    _used(tmp_path / FOLDER / third, KEPT_SECONDS + 1)
    kept.keep(b"4")
    assert not kept.has(third)
    assert sorted(len(file.name) for file in (tmp_path / FOLDER).iterdir()) == [64, 64]


@pytest.mark.proof
def test_what_is_packed_is_unpacked_in_the_run_alone_and_ends_that_at_most(
    make_engine: Callable[..., LocalEngine], toys_need_no_framework: None, tmp_path: Path
) -> None:
    bomb = gzip.compress(bytes(1 << 30), 6)
    assert len(bomb) < 2 << 20
    digest = Kept(tmp_path / "data", 4 << 20).keep(bomb)
    engine = make_engine()
    script = "import gzip\nall = gzip.open('bomb.gz').read()\nall = all + all\n"
    asked = Run(script, device="cpu", typed=True, files=(("bomb.gz", digest),))
    outcome = list(engine.events(asked))[-1]
    assert isinstance(outcome, Outcome)
    assert outcome.outcome == "stopped"
    after = list(engine.events(Run("say(text='well')", device="cpu", typed=True)))[-1]
    assert isinstance(after, Outcome)
    assert after.outcome == "pass"


def test_a_typed_run_reads_its_own_copies_and_nobody_elses(
    make_engine: Callable[..., LocalEngine], toys_need_no_framework: None, tmp_path: Path
) -> None:
    script = (
        "print(open('data.csv').read())\n"
        "open('data.csv', 'w').write('changed')\n"
        "import os\n"
        "for place in ({kept!r}, '../../../../files', os.path.dirname({kept!r})):\n"
        "    try:\n        print(os.listdir(place))\n"
        "    except OSError as error:\n        print(type(error).__name__)\n"
    )
    data = tmp_path / "data"
    kept = Kept(data, 1000)
    mine, other = kept.keep(b"mine"), kept.keep(b"of somebody else")
    asked = Run(
        script.format(kept=str(data / FOLDER / other)),
        device="cpu",
        typed=True,
        files=(("data.csv", mine),),
    )
    told: list[Event] = list(make_engine(perform="toys:perform").events(asked))
    assert isinstance(told[-1], Outcome)
    printed = "".join(str(event.evidence.data) for event in told if isinstance(event, Shown))
    assert "mine" in printed, told
    assert printed.count("PermissionError") >= 2
    assert "somebody" not in printed
    assert (data / FOLDER / mine).read_bytes() == b"mine"
