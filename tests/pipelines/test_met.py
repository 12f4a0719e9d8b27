"""Windows of a course of time that stand in both sets, and courses that only look alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from debugger.pipelines.windows import met_in

LOT = np.random.default_rng(0)
COURSE = np.cumsum(LOT.normal(size=(1500, 2)), axis=0).astype("float32")


def windows(course: Any, step: int = 1, width: int = 24) -> Any:
    return np.stack([course[at : at + width] for at in range(0, len(course) - width, step)])


def met(rows: Any, train: Any, other: Any) -> float | None:
    found = met_in({"x": rows[train]}, {"x": rows[other]})
    return None if found is None else found.met / found.rows


PICTURES = np.stack([LOT.normal(size=(40, 6, 6)) for _ in range(20)]).astype("float32")
TURNED = np.moveaxis(windows(COURSE), 1, 2)
"""Columns before steps, as PyTorch's convolutions have it."""
SAME_TIMES = np.stack(
    [LOT.normal(size=(200, 64)), np.tile(np.linspace(0, 1, 64), (200, 1))], 1
).astype("float32")
OF_SOME = [LOT.normal(size=(800, 4)), LOT.normal(size=(120, 9))[LOT.integers(0, 120, 800)]]
OF_SOME = np.hstack([*OF_SOME, LOT.normal(size=(800, 1))]).astype("float32")
OF_SOME[LOT.random(800) < 0.5, :4] = 0.5
"""A table: most columns say of whom a row is, as there are several of each."""
FRAMES = np.concatenate([windows(one, width=4) for one in PICTURES])


@pytest.mark.parametrize(
    "rows",
    [
        *(windows(COURSE), windows(COURSE)[:, :, 0], FRAMES, np.moveaxis(FRAMES, 1, -1)),
        *(TURNED, TURNED[:, :1]),
    ],
)
def test_windows_that_were_dealt_out_are_met_again(rows: Any) -> None:
    order = np.random.default_rng(1).permutation(len(rows))
    dealt = met(rows, order[:500], order[500:])
    assert dealt is not None
    assert dealt > 0.4


@pytest.mark.parametrize("rows", [windows(COURSE), windows(COURSE)[:, :, 0], FRAMES, TURNED])
def test_windows_that_are_split_by_time_are_not(rows: Any) -> None:
    whole = np.arange(len(rows))
    apart = met(rows, whole[:500], whole[550:])
    assert apart is not None
    assert apart < 0.05


@pytest.mark.parametrize(
    "rows",
    [
        windows(COURSE, step=24),
        LOT.normal(size=(400, 12)).astype("float32"),
        windows(LOT.integers(0, 3, (900, 2)).astype("float32")),
        np.moveaxis(windows(COURSE, step=24), 1, 2),
        LOT.random((80, 3, 32, 32)).astype("float32"),
        LOT.normal(size=(80, 1, 64)).astype("float32"),
        LOT.normal(size=(80, 40, 30)).astype("float32"),
        LOT.normal(size=(50, 60)).astype("float32")[LOT.integers(0, 50, (200, 12))],
        np.hstack([LOT.normal(size=(800, 3)), np.eye(20)[LOT.integers(0, 20, 800)]]),
        np.hstack(
            [LOT.normal(size=(800, 1)), np.eye(9)[LOT.integers(0, 9, (800, 2))].reshape(800, -1)]
        ),
        SAME_TIMES,
        np.moveaxis(SAME_TIMES, 1, 2),
        OF_SOME,
    ],
)
def test_rows_that_share_nothing_are_no_such_windows(rows: Any) -> None:
    half = len(rows) // 2
    assert met(rows, np.arange(half), np.arange(half, len(rows))) is None
