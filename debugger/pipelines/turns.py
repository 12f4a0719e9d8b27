"""The loops of a script's own that are running now: where, how often, and what they know."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator, Mapping
from types import FrameType, ModuleType
from typing import Any

from debugger.failure import line_in
from debugger.pipelines.rest import own_frames, parsed
from debugger.script import loops, rounds
from debugger.script.tracing import name_of
from debugger.script.tracing import names_in as names_of


def running_frames() -> list[FrameType]:
    """Of the script's own functions, the innermost first."""
    return [frame for frame in own_frames() if line_of(frame) is not None]


def never_asks(names: str) -> bool:
    """Whether nothing in the text of the script that is run, nor in the files beside it, is called
    so."""
    files = {frame.f_code.co_filename for frame in running_frames()}
    texts = ["".join(linecache.getlines(file)) for file in files]
    return bool(texts) and not any(re.search(names, text) for text in texts)


def line_of(frame: FrameType) -> int | None:
    return line_in(frame.f_code.co_filename, frame.f_lineno)


def tree_of(frame: FrameType) -> ast.Module | None:
    return parsed(frame.f_code.co_filename)


def trees_of(frames: list[FrameType]) -> list[ast.Module]:
    """Of all files that they run in."""
    trees = {frame.f_code.co_filename: tree_of(frame) for frame in frames}.values()
    return [tree for tree in trees if tree is not None]


def function_at(frame: FrameType) -> ast.FunctionDef | None:
    """The one that the frame is in, with all that stands in it."""
    tree, line = tree_of(frame), frame.f_lineno
    for part in [] if tree is None else ast.walk(tree):
        if not isinstance(part, ast.FunctionDef) or part.name != frame.f_code.co_name:
            continue
        if part.lineno <= line <= (part.end_lineno or 0):
            return part
    return None


def loops_at(frame: FrameType) -> list[loops.Loop]:
    tree, code = tree_of(frame), frame.f_code
    if tree is None:
        return []
    running = {one.f_code.co_name for one in running_frames()}
    around = rounds.around(tree, frame.f_lineno, code.co_name, code.co_filename, running)
    return [_as_called(loop, frame) for loop in around]


def _as_called(loop: loops.Loop, frame: FrameType) -> loops.Loop:
    """With what its function was handed to go over once as the caller has written it, which can be
    had once more: `draw(10)` of `train(draw(10))`."""
    known, caller = frame.f_locals, frame.f_back
    once = [name for name in names_of(loop.node.iter) if isinstance(known.get(name), Iterator)]
    function = function_at(frame) if once else None
    calls = [] if function is None or caller is None else _calls_at(caller, function.name)
    if function is None or caller is None or len(calls) != 1:
        return loop
    said = {name: loops.given_as(name, function, calls[0]) for name in once}
    here, there = names_in(caller), names_in(frame)
    return loop.with_names(
        {
            name: one
            for name, one in said.items()
            if isinstance(one, ast.Call) and not _differs(one, here, there)
        }
    )


def _calls_at(frame: FrameType, name: str) -> list[ast.Call]:
    """Those of that function in the line that is running."""
    tree, line = tree_of(frame), frame.f_lineno
    calls = [] if tree is None else loops.calls_in([tree], name)
    return [one for one in calls if one.lineno <= line <= (one.end_lineno or 0)]


def _differs(said: ast.expr, here: dict[str, Any], there: dict[str, Any]) -> bool:
    """Whether one of its names is something else there."""
    return any(name in there and there[name] is not here.get(name) for name in names_of(said))


def names_in(frame: FrameType) -> dict[str, Any]:
    return {**frame.f_globals, **frame.f_locals}


def all_names(frames: list[FrameType]) -> dict[str, Any]:
    """Those of the innermost frame last; with what an object holds whose method is run."""
    names: dict[str, Any] = {}
    for frame in reversed(frames):
        names |= frame.f_globals
        for name, value in frame.f_locals.items():
            names[name] = value
            if name == "self":
                names |= getattr(value, "__dict__", {})
    return names


def fields_of(names: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Those of all that has a name, but of classes and modules."""
    return [pair for fields in objects_of(names) for pair in fields.items()]


def objects_of(names: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What holds the fields of each, to be read and written."""
    objects = (one for one in names.values() if not isinstance(one, type | ModuleType))
    return [getattr(one, "__dict__", {}) for one in objects]


def comprehended(frames: list[FrameType]) -> bool:
    """Whether a comprehension that goes over several things, or leaves some out, runs a function of
    the script's for each item, and no loop within that function comes before it."""
    names = {frame.f_code.co_name for frame in frames}
    for frame in frames:
        if any(name_of(call.func) in names for call in _calls_of_items(frame)):
            return True
        if loops_at(frame):
            return False
    return False


def _calls_of_items(frame: FrameType) -> list[ast.Call]:
    tree, line = tree_of(frame), frame.f_lineno
    found: list[ast.Call] = []
    for part in [] if tree is None else ast.walk(tree):
        if not isinstance(part, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            continue
        if rounds.is_plain_comprehension(part):
            continue
        if part.lineno <= line <= (part.end_lineno or 0):
            found += [one for one in ast.walk(part.elt) if isinstance(one, ast.Call)]
    return found


def looks_for_rate(frames: list[FrameType]) -> bool:
    """Whether a function tries out learning rates, by its name, or a loop, which raises the rate by
    a factor from turn to turn: what it moves is not kept."""
    words = [set(frame.f_code.co_name.lower().split("_")) for frame in frames]
    if any(one & _RATES and one & _SEARCHES for one in words):
        return True
    return any(_climbs(loop.node, names_in(frame)) for frame in frames for loop in loops_at(frame))


def _climbs(loop: ast.AST, names: dict[str, Any]) -> bool:
    parts = list(ast.walk(loop))
    sets = (part for part in parts if isinstance(part, ast.Assign))
    put = {one.value.id for one in sets if isinstance(one.value, ast.Name) and _holds_rate(one)}
    now_and_then = {p for fork in parts if isinstance(fork, ast.If) for p in ast.walk(fork)}
    for part in (one for one in parts if one not in now_and_then):  # a warm-up comes to an end
        if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Mult):
            factor = loops.value_of(part.value, names)
            named = isinstance(part.target, ast.Name) and part.target.id in put
            if (named or is_rate(part.target)) and isinstance(factor, int | float) and factor > 1:
                return True
    return False


def _holds_rate(one: ast.Assign) -> bool:
    return any(map(is_rate, one.targets))


def is_rate(target: ast.expr) -> bool:
    """That of a group of weights: `group["lr"]`."""
    held = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(held, ast.Constant) and held.value == "lr"


_RATES = {"lr", "lrs", "rate", "rates"}
_SEARCHES = {"find", "finder", "search", "range", "sweep", "test", "probe"}


def epochs_of(frames: list[FrameType], outer: list[loops.Loop], batches: int) -> float | None:
    """How often the rows are gone through, in so many batches, by the loops around theirs; None
    where nobody knows."""
    times: float = 1
    for place, frame in enumerate(frames):
        tree = tree_of(frame)
        if tree is not None and rounds.waits(tree, frame.f_lineno, frame.f_code.co_name):
            return None
        names = names_in(frame)
        for loop in loops_at(frame) if place else outer:
            count = loop.times(names) or 1
            times *= count / max(1, batches) if loop.by_inner else count
    return times


def epochs_loop(frames: list[FrameType], outer: list[loops.Loop]) -> ast.For | None:
    """The loop of the epochs: the last around the batches that counts to a number."""
    around = [*outer, *(loop for frame in frames[1:] for loop in loops_at(frame))]
    counting = [loop.node for loop in around if loop.counts]
    return counting[-1] if counting else None
