"""Where a metric leaves what is right: its own lines are followed while all answers are right."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np

from debugger.failure import is_own, line_in

MOST_EVENTS = 20_000
IGNORED = -100
MOSTLY = 0.5


def strays_at(call: Callable[[], Any], labels: Any, ranked: bool = False) -> int | None:
    """The line that first makes an answer for each label which is not that label.

    `call` asks the metric about answers that are all right. Only the lines of the script and of
    what stands beside it are followed, and what they put under a name. `ranked`: each row is held
    against all rows, and the highest number is the answer.
    """
    follower = _Follower(np.asarray(labels), ranked)
    before = sys.gettrace()
    sys.settrace(follower.enter)
    try:
        call()
    except Exception:  # what it answers was asked before
        pass
    finally:
        sys.settrace(before)
    return follower.found or (follower.named[0] if len(follower.named) == 1 else None)


class _Follower:
    """`named` are lines that make a word for each label, which only one side of a comparison may
    be: then no word is ever equal to a number."""

    def __init__(self, labels: Any, ranked: bool) -> None:
        self._labels, self._ranked = labels, ranked
        self.named: list[int | None] = []
        self._yes_or_no = labels.ndim == 2 and bool(np.isin(labels, (0, 1)).all())
        self._counted = labels != IGNORED if labels.dtype.kind in "iu" else np.isfinite(labels)
        self._events = 0
        self.found: int | None = None

    def enter(self, frame: FrameType, _event: str, _given: Any) -> Any:
        if self.found is not None or not is_own(frame.f_code.co_filename):
            return None
        known, at = dict(frame.f_locals), frame.f_lineno

        def follow(frame: FrameType, event: str, _given: Any) -> Any:
            nonlocal known, at
            self._events += 1
            if self.found is not None or self._events > MOST_EVENTS:
                return None
            if event in ("line", "return"):
                now = frame.f_locals
                new = [value for name, value in now.items() if known.get(name, self) is not value]
                if any(map(self._is_wrong, new)):
                    self.found = line_in(frame.f_code.co_filename, at)
                elif any(map(self._is_named, new)):
                    self.named.append(line_in(frame.f_code.co_filename, at))
                known, at = dict(now), frame.f_lineno
            return follow

        return follow

    def _is_wrong(self, value: Any) -> bool:
        """One answer for each label, and some that counts is another."""
        array = _as_array(value)
        if self._ranked:
            return array is not None and self._ranks_others_first(array)
        if array is None or array.shape != self._labels.shape or array.dtype.kind == "U":
            return False
        if array.dtype.kind == "b" and (not self._yes_or_no or array.min() == array.max()):
            return False  # no class, or which of them are right: all
        if array.dtype.kind == "f" and self._yes_or_no:
            array = array > (0.5 if 0 <= array.min() <= array.max() <= 1 else 0)
        return bool((array != self._labels)[self._counted].any())

    def _is_named(self, value: Any) -> bool:
        array = _as_array(value)
        if array is None or array.dtype.kind != "U" or self._labels.dtype.kind not in "iu":
            return False
        return array.shape == self._labels.shape

    def _ranks_others_first(self, array: Any) -> bool:
        rows = len(self._labels)
        if array.shape == (rows,) and array.dtype.kind in "iu":
            picks = 0 <= array.min() <= array.max() < rows and (array != self._labels).any()
            return bool(picks and (self._labels[array] != self._labels).mean() > MOSTLY)
        if array.shape != (rows, rows) or array.dtype.kind != "f":
            return False
        return bool((self._labels[array.argmax(axis=1)] != self._labels).mean() > MOSTLY)


def _as_array(value: Any) -> Any:
    """None of what is no plain array of numbers or words. Nothing may be raised meanwhile."""
    with suppress(Exception):
        if hasattr(value, "detach"):
            value = value.detach().cpu().numpy()
        if isinstance(value, list) and value and isinstance(value[0], (int, float, list, str)):
            value = np.asarray(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iufbU" and value.size:
            return value
    return None
