"""The weights that a training leaves: written beside a run, read where its script never runs."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from debugger.outcome import Weighed
from debugger.pipelines.curve import rows_of_each
from debugger.pipelines.evaluate import Guesses

MOST_BYTES = 512 << 20
MOST_CLASSES = 6
"""Of more classes than these nobody tries in which other order they may stand."""
GUESSED = 0.12
"""How far above one class for all an accuracy must lie to be called knowledge of labels."""
NAMES = "labels"


class Unusable(Exception):
    """What was left cannot be tried: the code of a sentence in `missing`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def leave(file: Path, arrays: Mapping[str, Any], labels: Sequence[str] | None) -> None:
    """Numbers alone, with their names, and what the labels are called."""
    plain = {
        f"{n:05}/{name}": np.ascontiguousarray(a) for n, (name, a) in enumerate(arrays.items())
    }
    save_file(plain, file, {NAMES: json.dumps(labels)})


def found(file: Path, wanted: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...] | None]:
    """For each of the `wanted` arrays the one that was left for it, and the names of the labels.

    Told by name or, where a model is put together in other words, by place; the shapes and types of
    all must be the same. Nothing that the file says is believed, or executed.
    """
    if not file.exists():
        raise Unusable("weights_missing")
    told = file.lstat()
    if not stat.S_ISREG(told.st_mode) or told.st_size > MOST_BYTES:
        raise Unusable("weights_unreadable")
    try:
        with safe_open(file, framework="numpy") as held:
            places = {name.partition("/")[2]: name for name in sorted(held.keys())}
            if len(places) != len(held.keys()):
                raise Unusable("weights_unreadable")
            if set(places) != set(wanted):
                places = dict(zip(wanted, places.values(), strict=False))
            shapes = {name: held.get_slice(place).get_shape() for name, place in places.items()}
            if len(held.keys()) != len(wanted) or any(
                tuple(shapes[name]) != tuple(one.shape) for name, one in wanted.items()
            ):
                raise Unusable("weights_do_not_fit")
            arrays = {name: held.get_tensor(place) for name, place in places.items()}
            labels = (held.metadata() or {}).get(NAMES, "null")
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise Unusable("weights_unreadable") from error
    if any(arrays[name].dtype != one.dtype for name, one in wanted.items()):
        raise Unusable("weights_do_not_fit")
    return arrays, _names(labels)


def _names(said: str) -> tuple[str, ...] | None:
    try:
        names = json.loads(said)
    except (ValueError, RecursionError):
        return None
    plain = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return tuple(names) if plain and len(set(names)) == len(names) else None


def moved(arrays: Mapping[str, Any], before: Mapping[str, Any]) -> float:
    """How far all of them lie from where they were, as a share of their size then."""
    plain = [name for name, one in before.items() if np.issubdtype(one.dtype, np.floating)]
    far = sum(float(np.square(arrays[name] - before[name]).sum()) for name in plain)
    return (far / sum(float(np.square(before[name]).sum()) for name in plain)) ** 0.5


def weighed(
    guesses: Guesses,
    theirs: tuple[str, ...] | None,
    mine: tuple[str, ...] | None,
    far: float,
) -> Weighed:
    """How many of the rows were got right, their labels told by name where both sides name them."""
    rows = sum(guesses.values())
    if not rows:
        return Weighed(reason="weights_untried")
    counts = rows_of_each(guesses)
    share = max(counts.values()) / rows
    order = _order(theirs, mine)
    right = _right(guesses, order)
    classes = sorted({*counts, *(guess for _, guess in guesses)})
    if order is None and right < (share + GUESSED) * rows and len(classes) <= MOST_CLASSES:
        turned = (dict(zip(classes, one, strict=True)) for one in permutations(classes))
        if max(_right(guesses, one) for one in turned) >= (share + 2 * GUESSED) * rows:
            return Weighed(right, rows, share, "weights_labels_unnamed", far)
    return Weighed(right, rows, share, moved=far)


def _right(guesses: Guesses, order: Mapping[int, int] | None) -> int:
    said = order or {}
    return sum(
        times for (label, guess), times in guesses.items() if said.get(guess, guess) == label
    )


def _order(theirs: tuple[str, ...] | None, mine: tuple[str, ...] | None) -> dict[int, int] | None:
    """Which label of mine each of theirs is; None where one of the two does not name them."""
    if theirs is None or mine is None or set(theirs) != set(mine):
        return None
    return {number: mine.index(name) for number, name in enumerate(theirs)}
