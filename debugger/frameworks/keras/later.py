"""What will fail once the training is over, told from the things that are there before it."""

from __future__ import annotations

import ast
import inspect
from difflib import get_close_matches
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import tf_keras

_GONE = (
    *("predict_classes", "predict_proba", "fit_generator", "evaluate_generator"),
    "predict_generator",
)
SLIP = 0.85


def fails(node: ast.Attribute | ast.Call, known: dict[str, Any]) -> str:
    """What Python would say; "" where nothing is wrong, or nobody can tell. Nothing is called."""
    held = node if isinstance(node, ast.Attribute) else node.func
    try:
        found, missing = _looked_up(held, known)
    except Exception:  # it names what is not there yet
        return ""
    if missing is not None:
        return missing
    if isinstance(node, ast.Call) and callable(found):
        return _refuses(found, node)
    return ""


def _looked_up(node: ast.expr, known: dict[str, Any]) -> tuple[Any, str | None]:
    """Only in modules and in models: to look into others might run what is theirs."""
    if isinstance(node, ast.Name):
        return known[node.id], None
    if not isinstance(node, ast.Attribute):
        raise ValueError
    owner, missing = _looked_up(node.value, known)
    if missing is not None or not isinstance(owner, ModuleType | tf_keras.Model):
        raise ValueError
    try:
        return getattr(owner, node.attr), None
    except AttributeError as error:
        of_module = isinstance(owner, ModuleType)
        if not _is_part(owner, node.attr) if of_module else _is_wrong(owner, node.attr):
            return None, str(error)
        raise


def _is_part(owner: ModuleType, name: str) -> bool:
    """A module inside that nobody has imported so far."""
    return hasattr(owner, "__path__") and find_spec(f"{owner.__name__}.{name}") is not None


def _is_wrong(model: Any, name: str) -> bool:
    """Gone from Keras, or a slip of the pen: a training may give a model other names."""
    return name in _GONE or bool(get_close_matches(name, dir(model), 1, SLIP))


def _refuses(function: Any, call: ast.Call) -> str:
    """An argument by a name that the function does not take."""
    if inspect.isclass(function):
        return ""
    try:
        takes = inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C
        return ""
    if any(one.kind is one.VAR_KEYWORD for one in takes.values()):
        return ""
    name = next((k.arg for k in call.keywords if k.arg and k.arg not in takes), None)
    called = getattr(function, "__name__", "")
    return f"{called}() got an unexpected keyword argument '{name}'" if name else ""
