"""A model that goes from one fold to the next, with all that it has learned in those before."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from debugger.script.remainder import gives
from debugger.script.tracing import ASKS_OR_MEASURES, keyword_of, name_of, owner_of, stands_at

_DEALER = re.compile(r"fold|cv|split|kf", re.IGNORECASE)
_ONWARD = ("TimeSeriesSplit",)
"""Whose later folds are asked about what nobody has met: to go on learning is the point of them."""
_RESET = ("set_weights", "load_weights", "load_state_dict", "apply")
_HELD_OUT = ("validation_data", "eval_dataset")


@dataclass(frozen=True)
class KeptThrough:
    """`model` is trained at a line, in each of the folds that are dealt out `at` another. `asked`:
    in each it is asked about the rows that were left out there, and not in those before."""

    model: str
    line: int
    at: int
    asked: bool


def kept_through_folds(tree: ast.Module, line: int | None) -> KeptThrough | None:
    """`line` is that of the training, where it is known: what prepares rows is fitted, too."""
    nodes = list(ast.walk(tree))
    named = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    if any(name_of(node) in _ONWARD for node in named):
        return None
    for loop in nodes:
        if not isinstance(loop, ast.For) or not _deals_folds(loop):
            continue
        inside = [node for one in loop.body for node in ast.walk(one)]
        calls = [node for node in inside if isinstance(node, ast.Call)]
        trains = (call for call in calls if _trains(call))
        training = next((c for c in trains if line is None or stands_at(c, line)), None)
        if training is None or any(isinstance(node, ast.Break | ast.Return) for node in inside):
            continue
        model, trainer = _model_of(training, inside)
        begins_anew = model in gives(ast.Module(loop.body, [])) or any(
            _resets(c, model, trainer) for c in calls
        )
        if model and not begins_anew:
            asked = any(name_of(c.func) in ASKS_OR_MEASURES or _names_held_out(c) for c in calls)
            return KeptThrough(model, training.lineno, loop.lineno, asked)
    return None


def _deals_folds(loop: ast.For) -> bool:
    dealt, target = loop.iter, loop.target
    if isinstance(dealt, ast.Call) and name_of(dealt.func) in ("enumerate", "tqdm", "list"):
        dealt = dealt.args[0] if dealt.args else dealt
        if isinstance(target, ast.Tuple) and isinstance(target.elts[-1], ast.Tuple):
            target = target.elts[-1]
    if not isinstance(dealt, ast.Call) or name_of(dealt.func) != "split" or not dealt.args:
        return False
    pairs = isinstance(target, ast.Tuple) and len(target.elts) == len(("train", "test"))
    return pairs and bool(_DEALER.search(owner_of(dealt)))


def _trains(call: ast.Call) -> bool:
    return name_of(call.func) in ("fit", "train")


def _model_of(training: ast.Call, inside: list[ast.AST]) -> tuple[str, ast.Call | None]:
    """What is trained, and the Trainer that is made for it in the fold, if one is."""
    owner = owner_of(training)
    for node in inside:
        if not isinstance(node, ast.Assign) or not isinstance(made := node.value, ast.Call):
            continue
        if name_of(node.targets[0]) == owner:
            given = keyword_of(made, "model") or (made.args[0] if made.args else None)
            is_trainer = "Trainer" in name_of(made.func)
            return (given.id, made) if is_trainer and isinstance(given, ast.Name) else ("", None)
    return (owner if owner.isidentifier() else ""), None


def _resets(call: ast.Call, model: str, trainer: ast.Call | None) -> bool:
    """Whoever is handed the model may begin anew with it."""
    if owner_of(call) == model:
        return name_of(call.func) in _RESET
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    handed = (one.id for one in given if isinstance(one, ast.Name))
    return call is not trainer and model in handed


def _names_held_out(call: ast.Call) -> bool:
    return any(keyword_of(call, name) is not None for name in _HELD_OUT)
