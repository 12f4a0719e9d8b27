"""What a script asks of the model that a Trainer has trained, and on which of its rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from debugger.script.afterwards import Scope, own_nodes, scopes
from debugger.script.tracing import Tracing, assigned, is_true, name_of, names_in, owner_of

_MEASURES = ("evaluate", "predict")
_WAKES = ("load_state_dict", "load_adapter", "load_weights", "from_pretrained")
_SETTLES = ("eval", *_MEASURES, "from_pretrained", "pipeline", "train")
"""Calls after which a model no longer trains, or is another one."""
_KEEPS = ("save", "save_model", "save_pretrained", "save_file", "push_to_hub", "copytree", "move")
"""Calls by which a folder may come to hold a model."""
_AGAIN = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
_HELD = ("test", "val", "eval", "dev", "holdout", "heldout")
_TRAINED = ("train", "trn")


class Judged:
    """`trainer` of `trainer.train()`, and what stands behind that call in its own scope."""

    def __init__(self, tree: ast.Module, tracing: Tracing) -> None:
        self._tracing = tracing
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self._calls = calls
        self._built = [c for c in calls if _given(c, "train_dataset") is not None]
        self._scopes = scopes(tree)
        self._found = [(one, self._training(one)) for one in scopes(tree)]

    def on_training_rows(self) -> tuple[int, bool] | None:
        """Where the trained model is measured on the rows that it learned from; and whether it is
        on no others."""
        rows = self._rows("train_dataset")
        asked = [
            (call, next(iter(call.args), None) or _of(call, "eval_dataset", "test_dataset"))
            for call in self._calls_behind()
            if name_of(call.func) in _MEASURES
        ]
        own = [call for call, given in asked if rows and given and ast.unparse(given) == rows]
        return (own[0].lineno, len(own) == len(asked)) if own else None

    def crossed(self) -> int | None:
        """Where the sets are handed over, each by the name of the other one."""
        train, held = self._rows("train_dataset"), self._rows("eval_dataset")
        if _part(train) != "held" or _part(held) != "trained":
            return None
        given = _given(self._built[-1], "train_dataset")
        return None if given is None else given.lineno

    def fresh(self) -> tuple[int, bool] | None:
        """Where a model is loaded behind the training from where the trained one once came; and
        whether the trained one is asked, too."""
        for scope, training in self._found:
            made = self._loaded(scope, training) if training is not None else None
            if training is None or made is None:
                continue
            name, source = made
            nodes = [n for n in own_nodes(scope) if getattr(n, "lineno", 0) > _end(training)]
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            for line, other in _again(nodes, source):
                if other and any(_wakes(call, other) for call in calls):
                    continue
                trainer = owner_of(training)
                into = other == f"{trainer}.model"
                if not other or _reads(nodes, trainer if into else other, line):
                    before = line if into or other == name else 0
                    trained = _reads(nodes, name, 0, before)
                    return line, trained or _reads(nodes, trainer, 0, line if into else 0)
        return None

    def opened_unsaved(self) -> tuple[int, str] | None:
        """Where a model is loaded behind the training from the folder of a Trainer that is told to
        save none, in a script that saves none either; and how the folder is named."""
        if any(name_of(call.func) in _KEEPS for call in self._calls):
            return None
        for made in self._calls:
            given = _given(made, "output_dir") or next(iter(made.args), None)
            strategy = _given(made, "save_strategy")
            if not name_of(made.func).endswith("TrainingArguments") or given is None:
                continue
            if not isinstance(strategy, ast.Constant) or strategy.value != "no":
                continue
            folder = ast.unparse(given)
            loaded = [c for c in self._calls if _source(c) == folder]
            behind = [c for c in self._calls_behind() if c in loaded]
            if behind and len(behind) == len(loaded):
                return behind[0].lineno, folder
        return None

    def on_fitted_rows(self) -> tuple[int, bool] | None:
        """The same of `fit`: where the model is evaluated behind it on the rows that it was
        given, and whether on no others."""
        for scope in self._scopes:
            calls = [n for n in own_nodes(scope) if isinstance(n, ast.Call) and n.args]
            for fit in (c for c in calls if name_of(c.func) == "fit" and len(c.args) > 1):
                asked = [
                    call
                    for call in calls
                    if name_of(call.func) in _MEASURES and owner_of(call) == owner_of(fit)
                    if call.lineno > _end(fit)
                ]
                rows = ast.unparse(fit.args[0])
                own = [one for one in asked if ast.unparse(one.args[0]) == rows]
                if own and name_of(own[0].func) == "evaluate":
                    return own[0].lineno, len(own) == len(asked)
        return None

    def told_to_train(self) -> int | None:
        """Where a model is called once behind its `fit`, and told to train."""
        for scope in self._scopes:
            nodes = own_nodes(scope)
            calls = [n for n in nodes if isinstance(n, ast.Call)]
            again = [n for n in nodes if isinstance(n, _AGAIN)]
            inside = {id(part) for one in again for part in ast.walk(one)}
            for fit in (c for c in calls if name_of(c.func) == "fit"):
                for call in calls:
                    told = _given(call, "training")
                    itself = ast.unparse(call.func) == owner_of(fit)
                    if itself and told is not None and is_true(told) and id(call) not in inside:
                        return call.lineno if call.lineno > _end(fit) else None
        return None

    def while_training(self) -> int | None:
        """Where the model is called by hand behind the training, and nobody has said eval()."""
        name = self._model()
        for call in self._calls_behind():
            function = self._tracing.function(call)
            inside = [n for n in ast.walk(function or call) if isinstance(n, ast.Call)]
            if any(name_of(one.func) in _SETTLES for one in inside):
                return None
            if name and ast.unparse(call.func) == name:
                return call.lineno
            given = [place for place, one in enumerate(call.args) if ast.unparse(one) == name]
            if function is None or not given or given[0] >= len(function.args.args):
                continue
            own = function.args.args[given[0]].arg
            asked = [one.lineno for one in inside if ast.unparse(one.func) == own]
            if asked:
                return min(asked)
        return None

    def other_rows(self) -> tuple[int, str, str] | None:
        """Where answers about one set are held against labels of another, as their names say."""
        asked: dict[str, tuple[str, int]] = {}
        labels: dict[str, str] = {}
        for node in sorted(self._nodes_behind(), key=lambda one: getattr(one, "lineno", 0)):
            for target, value in assigned(node):
                rows = self._predicted(value)
                name = name_of(target)
                if rows is not None:
                    asked[name] = rows
                elif held := names_in(value) & set(asked):
                    asked[name] = asked[min(held)]
                elif "label" in ast.unparse(value) or "target" in ast.unparse(value):
                    labels[name] = ast.unparse(value)
            if not isinstance(node, ast.Call | ast.Compare):
                continue
            names = names_in(node)
            for one in sorted(names & set(asked)):
                for other in sorted(names & set(labels)):
                    rows, line = asked[one]
                    if {_part(rows), _part(labels[other])} == {"held", "trained"}:
                        return line, rows, labels[other]
        return None

    def _predicted(self, value: ast.expr) -> tuple[str, int] | None:
        for part in ast.walk(value):
            if isinstance(part, ast.Call) and name_of(part.func) == "predict" and part.args:
                return ast.unparse(part.args[0]), part.lineno
        return None

    def _rows(self, name: str) -> str:
        given = _given(self._built[-1], name) if self._built else None
        return "" if given is None else ast.unparse(given)

    def _model(self) -> str:
        if not self._built:
            return ""
        given = _given(self._built[-1], "model") or next(iter(self._built[-1].args), None)
        return "" if given is None else ast.unparse(given)

    def _training(self, scope: Scope) -> ast.Call | None:
        calls = [node for node in own_nodes(scope) if isinstance(node, ast.Call)]
        trained = [c for c in calls if name_of(c.func) == "train" and "train" in owner_of(c)]
        return max(trained, key=lambda one: one.lineno, default=None)

    def _nodes_behind(self) -> Iterator[ast.AST]:
        for scope, training in self._found:
            if training is not None:
                end = _end(training)
                yield from (n for n in own_nodes(scope) if getattr(n, "lineno", 0) > end)

    def _calls_behind(self) -> list[ast.Call]:
        found = [node for node in self._nodes_behind() if isinstance(node, ast.Call)]
        return sorted(found, key=lambda one: one.lineno)

    def _loaded(self, scope: Scope, training: ast.Call) -> tuple[str, str] | None:
        """The name of the model, and where its weights were loaded from."""
        name = self._model()
        for node in own_nodes(scope):
            for target, value in assigned(node):
                before = ast.unparse(target) == name and value.lineno < training.lineno
                if before and (source := _source(value)):
                    return name, source
        return None


def _again(nodes: list[ast.AST], source: str) -> Iterator[tuple[int, str]]:
    """Each model that is loaded from there once more: its line, and its name if it has one."""
    for node in nodes:
        for target, value in assigned(node):
            if _source(value) == source:
                yield value.lineno, ast.unparse(target)
        if isinstance(node, ast.Call) and name_of(node.func) == "pipeline":
            given = _given(node, "model")
            if given is not None and ast.unparse(given) == source:
                yield node.lineno, ""


def _source(value: ast.expr) -> str:
    """`name` of `AutoModel.from_pretrained(name)`; nothing of a tokenizer or a config."""
    if not isinstance(value, ast.Call) or name_of(value.func) != "from_pretrained":
        return ""
    if "Model" not in owner_of(value) and "For" not in owner_of(value):
        return ""
    return ast.unparse(value.args[0]) if value.args else ""


def _wakes(call: ast.Call, name: str) -> bool:
    """Whether it gives a model what was learned."""
    if name_of(call.func) not in _WAKES:
        return False
    return owner_of(call) == name or name in map(ast.unparse, call.args)


def _reads(nodes: list[ast.AST], name: str, line: int, before: int = 0) -> bool:
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.lineno > line
        and (not before or node.lineno < before)
        and ast.unparse(node) == name
        for node in nodes
    )


def _part(text: str) -> str:
    words = re.findall(r"[a-z]+", text.lower())
    if any(word.startswith(_TRAINED) for word in words):
        return "trained"
    return "held" if any(word.startswith(_HELD) for word in words) else ""


def _given(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _of(call: ast.Call, *names: str) -> ast.expr | None:
    return next(filter(None, (_given(call, name) for name in names)), None)


def _end(call: ast.Call) -> int:
    return call.end_lineno or call.lineno
