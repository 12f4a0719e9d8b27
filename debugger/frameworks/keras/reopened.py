"""A model that is kept and opened again behind the training: whether Keras can, tried before."""

from __future__ import annotations

import ast
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tf_keras

from debugger.script.later import root_of
from debugger.script.tracing import name_of

if TYPE_CHECKING:
    from debugger.frameworks.keras.building import Fit

_ENDINGS = (".h5", ".hdf5", ".keras")
"""Of files that hold a model by the names of its classes. A folder holds what they do as well."""
MOST_WEIGHTS = 5_000_000
MOST_SAID = 300


@dataclass(frozen=True)
class Opened:
    """`arguments` are those of load_model beside its `file`. `kept_by_hand`: the models that are
    saved there on the way. `weights`: a model made anew is filled from there."""

    file: str
    line: int
    arguments: dict[str, Any]
    kept_by_hand: tuple[Any, ...]
    weights: bool = False


def opened(
    behind: Sequence[ast.Attribute | ast.Call],
    filled: Sequence[ast.Attribute | ast.Call],
    known: dict[str, Any],
) -> Iterator[Opened]:
    """What is opened by a name and with arguments that are known already; `filled` are the calls
    that fill a model made anew. With more than the file, only some weights may go in."""
    saved: dict[str, list[Any]] = {}
    for node in (*behind, *filled):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        try:
            file = os.fspath(_value(node.args[0], known))
            if name_of(node.func) in ("save", "save_weights"):
                saved.setdefault(file, []).append(known.get(root_of(node)))
            elif name_of(node.func) == "load_model" and len(node.args) == 1:
                arguments = {one.arg: _value(one.value, known) for one in node.keywords if one.arg}
                if len(arguments) == len(node.keywords):
                    kept = tuple(saved.get(file, ()))
                    yield Opened(file, node.lineno, arguments, kept)
            elif node in filled and len(node.args) == 1 and not node.keywords:
                yield Opened(file, node.lineno, {}, tuple(saved.get(file, ())), weights=True)
        except (LookupError, TypeError, ValueError):  # it is made of what is not there yet
            continue


def refused(fit: Fit) -> tuple[str, int] | None:
    """What Keras says where the model that is trained is kept, and opened as it will be."""
    if fit.after.cut_off is None or not fit.model.built:
        return None
    for one in (one for one in fit.after.opened if not one.weights):
        if Path(one.file).suffix in _ENDINGS and _is_kept(fit, one) and _is_small(fit.model):
            fit.after.cut_off()
            if said := _refused(fit.model, one):
                return said, one.line
    return None


def is_opened_again(fit: Fit) -> bool:
    """Whether all that is opened behind the training is the model that is trained."""
    found = fit.after.opened
    return bool(found) and all(_is_kept(fit, one) for one in found)


def _refused(model: Any, one: Opened) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"kept{Path(one.file).suffix}")
        try:
            model.save(file)
        except Exception:  # which is another thing than this, and may be done otherwise
            return ""
        try:
            tf_keras.models.load_model(file, **one.arguments)
        except Exception as error:
            return " ".join(str(error).split())[:MOST_SAID].rstrip(".")
    return ""


def _is_kept(fit: Fit, one: Opened) -> bool:
    """By hand, or by a callback that keeps more than the weights."""
    if any(kept is fit.model for kept in one.kept_by_hand):
        return True
    checkpoints = (c for c in fit.callbacks if isinstance(c, tf_keras.callbacks.ModelCheckpoint))
    return any(
        str(c.filepath) == one.file and (one.weights or not c.save_weights_only)
        for c in checkpoints
    )


def _is_small(model: Any) -> bool:
    return model.count_params() <= MOST_WEIGHTS


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    """Nothing is called, and nothing looked into."""
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Dict):
        keys = [None if key is None else _value(key, known) for key in node.keys]
        return dict(zip(keys, (_value(one, known) for one in node.values), strict=True))
    return ast.literal_eval(node)
