"""Weights that a script keeps inside of something, and takes back as if they were all of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from debugger.script.tracing import assigned, name_of


@dataclass(frozen=True)
class Inside:
    """The weights were kept under `key` by the line `at`, and `line` loads all that was kept."""

    line: int
    at: int
    key: str


def loaded_whole(tree: ast.Module) -> Inside | None:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    kept = [one for call in calls if name_of(call.func) == "save" and (one := _kept(tree, call))]
    keys = {key for key, _ in kept}
    opened = {
        name_of(target)
        for node in ast.walk(tree)
        for target, value in assigned(node)
        if isinstance(value, ast.Call) and name_of(value.func) == "load"
    }
    for call in calls:
        given = call.args[0] if call.args else None
        if name_of(call.func) != "load_state_dict" or given is None or len(keys) != 1:
            continue
        whole = isinstance(given, ast.Name) and given.id in opened
        whole |= isinstance(given, ast.Call) and name_of(given.func) == "load"
        if whole:
            return Inside(call.lineno, kept[0][1], kept[0][0])
    return None


def _kept(tree: ast.Module, call: ast.Call) -> tuple[str, int] | None:
    """The key of a model's weights in the dictionary that is saved, and the line."""
    given = call.args[0] if call.args else None
    if isinstance(given, ast.Name):
        made = [v for node in ast.walk(tree) for t, v in assigned(node) if name_of(t) == given.id]
        given = made[-1] if made else None
    if not isinstance(given, ast.Dict):
        return None
    for key, value in zip(given.keys, given.values, strict=True):
        weights = isinstance(value, ast.Call) and name_of(value.func) == "state_dict"
        if weights and isinstance(key, ast.Constant) and isinstance(key.value, str):
            return key.value, call.lineno
    return None
