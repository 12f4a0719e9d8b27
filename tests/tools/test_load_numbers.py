"""What the measurements under load make of their samples."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tools.load.drawn import Line, chart
from tools.load.page import Found, Made, write
from tools.load.sampled import sample, trend

MINUTES = [60.0 * n for n in range(60)]
MADE = Made("python -m tools.load.soak --minutes 60", "2026-11-23", "2 cores", "Python 3.11", 0.1)


def test_a_slope_is_found_in_noise_and_none_where_there_is_none() -> None:
    chance = random.Random(1)
    noise = [chance.gauss(0, 5) for _ in MINUTES]
    grown = trend(
        MINUTES, [1000 + at / 3600 * 60 + n for at, n in zip(MINUTES, noise, strict=True)]
    )
    assert grown.grows
    assert abs(grown.slope - 60) < grown.give < 30
    assert not trend(MINUTES, [1000 + one for one in noise]).grows


def test_samples_that_hang_together_count_for_fewer() -> None:
    chance = random.Random(2)
    stairs = [level for level in (chance.gauss(0, 1) for _ in range(10)) for _ in range(6)]
    shuffled = chance.sample(stairs, len(stairs))
    assert trend(MINUTES, stairs).give > 1.5 * trend(MINUTES, shuffled).give


def test_what_a_process_and_its_child_hold_is_counted(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(bytes(2 << 20))
    # A process of its own: what the tests themselves hold moves by more than this while they run.
    holds = "held = bytearray(b'x' * (50 << 20)); print(1, flush=True); input()"
    asks = (
        "import subprocess, sys; print(1, flush=True); input();"
        f'subprocess.run([sys.executable, "-c", {holds!r}])'
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", asks], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdout.readline()
        before = sample(parent.pid, tmp_path, 0)
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        parent.stdout.readline()
        now = sample(parent.pid, tmp_path, 0)
    assert (before.processes, now.processes) == (1, 2)
    assert 50 < now.memory - before.memory < 100
    assert (now.files, now.file_mb) == (1, 2.0)


def test_the_page_is_made_of_all_that_was_measured(tmp_path: Path) -> None:
    svg = chart([Line("held", [(0, 1.0), (1, 3.0)])], "minutes", "MB")
    for name in ("soak", "class"):
        found = Found(name.title(), "It says.", ("what", "mean"), [("memory", "7")], {"held": svg})
        write(tmp_path, name, MADE, found)
    page = (tmp_path / "LOAD.md").read_text()
    assert page.index("## Class") < page.index("## Soak")
    assert "| memory | 7 |" in page
    assert "(load/soak.held.svg)" in page
    assert MADE.command in page


@pytest.mark.parametrize("most", [0.004, 1.0, 37.0, 1599.0])
def test_no_point_of_a_chart_lies_outside_of_it(most: float) -> None:
    svg = chart([Line("one", [(0, most), (10, 0)])], "x", "y")
    path = svg[svg.index('d="M56.0 ') :].split('"')[1]
    heights = [float(point.split()[1]) for point in path[1:].split("L")]
    assert min(heights) >= 34
    assert max(heights) <= 260
