"""What a script asks of tf.data, call after call: to shuffle, to split, to map, to batch."""

from __future__ import annotations

import ast
import re

from debugger.script.later import root_of
from debugger.script.tracing import assigned, is_true, name_of

_FREEZES = ("cache", "save", "snapshot")
_STREAMS = re.compile(
    r"\btf\.data\b|\btfds\b|from_tensor_slices|_dataset_from_|TextLineDataset|TFRecordDataset"
)
"""What makes a stream of TensorFlow's: others that are shuffled keep the order that they got."""


def split_behind_shuffle(tree: ast.Module) -> tuple[int, str, int] | None:
    """A stream that is shuffled anew whenever it is gone through, of which one part is taken and
    another skipped: the line that shuffles, the stream's name, and the line that splits it."""
    streams, shuffled = set[str](), dict[str, int]()
    for node in _in_order(tree):
        for target, value in assigned(node):
            calls = _chain(value)
            is_stream = root_of(value) in streams or bool(_STREAMS.search(ast.unparse(value)))
            if isinstance(target, ast.Name):
                (streams.add if is_stream else streams.discard)(target.id)
            splits = next((one for one in calls if name_of(one.func) in ("take", "skip")), None)
            of = "" if splits is None else root_of(value)
            if splits is not None and of in shuffled and _skips(tree, of):
                return shuffled[of], of, splits.lineno
            if not isinstance(target, ast.Name):
                continue
            shuffles = [one for one in calls if name_of(one.func) == "shuffle"]
            kept = any(name_of(one.func) in _FREEZES for one in calls)
            anew = is_stream and bool(shuffles) and not kept and splits is None
            if anew and _each_time(shuffles[-1]):
                shuffled[target.id] = shuffles[-1].lineno
            elif root_of(value) != target.id or kept or splits is not None:
                shuffled.pop(target.id, None)
    return None


def batched_behind_map(tree: ast.Module) -> int | None:
    """Where rows are put together that a `map` has made one by one; else the first such line."""
    mapped, first = set[str](), None
    for node in _in_order(tree):
        for target, value in assigned(node):
            names = [name_of(call.func) for call in reversed(_chain(value))]
            if "batch" in names:
                at = next(c.lineno for c in _chain(value) if name_of(c.func) == "batch")
                first = first or at
                if "map" in names[: names.index("batch")] or root_of(value) in mapped:
                    return at
            if isinstance(target, ast.Name) and "map" in names:
                mapped.add(target.id)
    return first


def _in_order(tree: ast.Module) -> list[ast.stmt]:
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign))
    return sorted(found, key=lambda one: one.lineno)


def _chain(value: ast.expr) -> list[ast.Call]:
    """The calls of `ds.map(f).batch(8)`, the last one first."""
    calls: list[ast.Call] = []
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        calls.append(value)
        value = value.func.value
    return calls


def _each_time(shuffle: ast.Call) -> bool:
    told = [k.value for k in shuffle.keywords if k.arg == "reshuffle_each_iteration"]
    over_rows = any(isinstance(one, ast.Constant | ast.Name | ast.Call) for one in shuffle.args)
    sized = any(k.arg == "buffer_size" for k in shuffle.keywords)
    return (over_rows or sized) and len(shuffle.args) < 3 and all(map(is_true, told))


def _skips(tree: ast.Module, name: str) -> bool:
    """Whether one part of it is taken somewhere, and another skipped."""
    asked = {
        name_of(one.func)
        for node in _in_order(tree)
        for _, value in assigned(node)
        for one in _chain(value)
        if root_of(value) == name
    }
    return {"take", "skip"} <= asked
