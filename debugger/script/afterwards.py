"""What a script does with a model once it is trained: whom it asks, and what it compares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from debugger.script.tracing import ASKS, Function, Tracing, assigned, name_of, owner_of

_USES = (*ASKS, "evaluate", "save", "save_weights", "save_pretrained", "push_to_hub")
_FILLED = ("set_weights", "load_weights", "fit", "train_on_batch", "assign")
_ANEW = ("clone_model", "from_config", "model_from_json", "model_from_config")
_FORMS = (
    *("squeeze", "ravel", "reshape", "flatten", "numpy", "astype", "array", "asarray", "tolist"),
    *("concatenate", "hstack", "vstack", "float"),
)
"""Calls that hold the same numbers in another form."""
_GROWS = ("append", "extend")
_MEASURES = (
    *("score", "report", "matrix", "accuracy", "error", "precision", "recall", "auc", "kappa"),
    *("mae", "mse", "mape", "r2", "corr", "pearson", "spearman", "update_state", "compute"),
    *("allclose", "array_equal"),
)
"""What calls are named that hold answers against something."""


_TRUTH_FIRST = (
    *("roc_auc_score", "average_precision_score", "precision_score", "recall_score", "log_loss"),
    *("r2_score", "roc_curve", "precision_recall_curve", "brier_score_loss", "d2_absolute_error"),
    *("mean_absolute_percentage_error", "explained_variance_score", "top_k_accuracy_score"),
    *("mean_poisson_deviance", "mean_pinball_loss", "balanced_accuracy_score"),
    *("precision_recall_fscore_support", "det_curve", "dcg_score", "ndcg_score"),
)
_TURNED_ROUND = ("confusion_matrix", "classification_report")
"""Functions of scikit-learn that answer otherwise where truth and answers change places."""
_TRUTH, _TOLD = ("y_true",), ("y_pred", "y_score", "y_prob", "y_proba")
_SHOWS = ("print", "log", "info", "debug", "tqdm", "trange", "update", "set_description")


Scope = ast.Module | Function


@dataclass(frozen=True)
class Compared:
    """Answers and what they are held against, by name. `line` is where they were asked for.

    `rows` is what the model was asked about. `plain`: nothing was reckoned on the way. `labels` is
    empty where they are read from the very `rows` again. `part` is what they are taken from, where
    that is only done behind the training, as in `prices[64:]`.
    """

    rows: str
    labels: str
    line: int
    plain: bool
    part: str = ""


@dataclass(frozen=True)
class Backwards:
    """A call that is given answers for the truth; `table`: it only prints them the other way."""

    name: str
    line: int
    table: bool


@dataclass(frozen=True)
class Cut:
    """Answers as they came, held against a number at a line."""

    at: float
    line: int


@dataclass(frozen=True)
class Rebuilt:
    """A loop whose every round makes a model at a line and trains that. `measured`: each of them
    is asked before the next one is made; `epochs`: each is trained for more than one."""

    line: int
    measured: bool
    epochs: bool


@dataclass(frozen=True)
class _Answers:
    rows: str
    line: int
    plain: bool


def compared(tree: ast.Module, function: str = "") -> list[Compared]:
    """All answers that a function, or the script in the open, holds against something."""
    named = [one for one in scopes(tree) if getattr(one, "name", "") == function]
    return list(dict.fromkeys(found for one in named for found in _in_scope(one)))


def made_anew(tree: ast.Module) -> tuple[int, bool] | None:
    """Where a model that has learned nothing is made behind the training and then used; and
    whether the one that was trained is used at all."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    own = {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
    for scope in scopes(tree):
        calls = [n for n in own_nodes(scope) if isinstance(n, ast.Call)]
        fits = [
            n for n in calls if name_of(n.func) == "fit" and owner_of(n) and _by_keras(n, calls)
        ]
        for fit in fits[-1:]:
            for line, name in _remade(scope, fit, own):
                behind = [n for n in calls if n.lineno > line]
                if any(owner_of(n) == name and name_of(n.func) in _FILLED for n in behind):
                    continue
                if any(owner_of(n) == name and name_of(n.func) in _USES for n in behind):
                    return line, _is_used(owner_of(fit), name, line, fit, calls)
    return None


def measured_backwards(tree: ast.Module) -> Backwards | None:
    """The first call of scikit-learn that is handed answers where it wants the truth."""
    known = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn")
        for alias in node.names
    }
    for scope in scopes(tree):
        for node, answers in _with_answers(scope):
            if not isinstance(node, ast.Call):
                continue
            of_module = isinstance(node.func, ast.Attribute) and "metrics" in owner_of(node)
            name = known.get(name_of(node.func), name_of(node.func) if of_module else "")
            if name not in (*_TRUTH_FIRST, *_TURNED_ROUND):
                continue
            truth, told = (_handed(node, *one) for one in ((0, _TRUTH), (1, _TOLD)))
            if truth is None or told is None or _answers(truth, answers) is None:
                continue
            if _answers(told, answers) is None and _base(told) is not None:
                return Backwards(name, node.lineno, name in _TURNED_ROUND)
    return None


def cuts(tree: ast.Module) -> list[Cut]:
    """Each number that answers are held against, just as they came from the model."""
    return [
        Cut(at[1], node.lineno)
        for scope in scopes(tree)
        for node, answers in _with_answers(scope)
        if isinstance(node, ast.Compare) and len(node.ops) == 1
        for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left))
        if isinstance(node.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE)
        and (made := _answers(one, answers)) is not None
        and made.plain
        and (at := Tracing(tree).valued(other)) is not None
    ]


def rebuilt(tree: ast.Module) -> Rebuilt | None:
    """A loop that makes the same model in every round, trains it, and keeps the last alone.

    What depends on the round (its rows, its settings, its seed) is another experiment each time.
    """
    for scope in scopes(tree):
        nodes = own_nodes(scope)
        for loop in (n for n in nodes if isinstance(n, ast.For)):
            inside = sorted(_within(loop.body), key=lambda one: getattr(one, "lineno", 0))
            calls = [n for n in inside if isinstance(n, ast.Call)]
            for fit in (c for c in calls if name_of(c.func) in ("fit", "train")):
                if (found := _rebuilt(loop, fit, inside, nodes)) is not None:
                    return found
    return None


def _rebuilt(
    loop: ast.For, fit: ast.Call, inside: list[ast.AST], nodes: list[ast.AST]
) -> Rebuilt | None:
    made = {
        target.id: value
        for node in inside
        for target, value in assigned(node)
        if isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and value.lineno < fit.lineno
    }
    name = owner_of(fit)
    model = name
    if (trainer := made.get(name)) is not None and name_of(trainer.func).endswith("Trainer"):
        given = next((k.value for k in trainer.keywords if k.arg == "model"), None)
        model = name_of(given) if given is not None else ""
    built = made.get(model)
    if name_of(fit.func) == "train" and (trainer is None or model == name):
        return None  # of a model itself, it only switches dropout on
    if built is None or name_of(built.func) in _ANEW or _counts(loop, inside):
        return None
    behind = [n for n in nodes if getattr(n, "lineno", 0) > (loop.end_lineno or 0)]
    if not _reads(behind, name, model):
        return None
    own = _of_owner(inside, (name, model))
    ours = {id(part) for call in own for part in ast.walk(call)}
    if _reads([n for n in inside if id(n) not in ours], model) > int(model != name):
        return None  # somebody keeps each of them
    epochs = next((k.value for k in fit.keywords if k.arg == "epochs"), None)
    once = epochs is None or (isinstance(epochs, ast.Constant) and epochs.value == 1)
    measured = any(name_of(one.func) in _USES for one in own)
    return Rebuilt(built.lineno, measured, not once or name_of(fit.func) == "train")


def _of_owner(inside: list[ast.AST], names: tuple[str, ...]) -> list[ast.Call]:
    calls = [one for one in inside if isinstance(one, ast.Call)]
    return [one for one in calls if owner_of(one) in names]


def _counts(loop: ast.For, inside: list[ast.AST]) -> bool:
    """Whether anything but a print goes by the number of the round."""
    rounds = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    shown = {
        id(part)
        for node in inside
        if isinstance(node, ast.Call) and name_of(node.func) in _SHOWS
        for part in ast.walk(node)
    }
    names = (n for n in inside if isinstance(n, ast.Name) and id(n) not in shown)
    return any(isinstance(n.ctx, ast.Load) and n.id in rounds for n in names)


def _reads(nodes: list[ast.AST], *names: str) -> int:
    named = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return sum(n.id in names for n in named)


def _within(body: list[ast.stmt]) -> list[ast.AST]:
    return own_nodes(ast.Module(body, []))


def _handed(call: ast.Call, place: int, names: tuple[str, ...]) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg in names), None)
    return named or (call.args[place] if place < len(call.args) else None)


def _handed_answers(scope: Scope) -> dict[str, _Answers]:
    """What a function that measures takes apart into answers and labels, as it is handed them."""
    if not isinstance(scope, Function) or not scope.args.args:
        return {}
    handed = scope.args.args[0].arg
    if "metric" not in scope.name and "pred" not in handed:
        return {}
    return {
        target.elts[0].id: _Answers("", node.lineno, True)
        for node in own_nodes(scope)
        if isinstance(node, ast.Assign) and name_of(node.value) == handed
        for target in node.targets
        if isinstance(target, ast.Tuple) and len(target.elts) == 2
        if isinstance(target.elts[0], ast.Name)
    }


def _with_answers(scope: Scope) -> Iterator[tuple[ast.AST, dict[str, _Answers]]]:
    """Each part of a scope, from the top down, with the names that hold answers there."""
    answers = _handed_answers(scope)
    for node in sorted(own_nodes(scope), key=lambda one: getattr(one, "lineno", 0)):
        yield node, answers
        for target, value in assigned(node):
            if isinstance(target, ast.Name):
                made = _answers(value, answers)
                answers.pop(target.id, None)
                if made is not None:
                    answers[target.id] = made


def _remade(scope: Scope, fit: ast.Call, own: set[str]) -> Iterator[tuple[int, str]]:
    """Names that are given a model made anew behind `fit`: a copy, or just as the first was made.

    What is made of the trained model, or of parts of it, has its weights.
    """
    made = [
        (target, value)
        for node in own_nodes(scope)
        for target, value in assigned(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call)
    ]
    first = {
        ast.unparse(value)
        for target, value in made
        if target.id == owner_of(fit) and target.lineno < fit.lineno and name_of(value.func) in own
    }
    for target, value in made:
        again = name_of(value.func) in _ANEW or ast.unparse(value) in first
        if target.lineno > fit.lineno and again:
            yield target.lineno, target.id


def _is_used(trained: str, other: str, line: int, fit: ast.Call, calls: list[ast.Call]) -> bool:
    return any(
        owner_of(call) == trained
        and name_of(call.func) in _USES
        and call.lineno > fit.lineno
        and (trained != other or call.lineno < line)
        for call in calls
    )


def _by_keras(fit: ast.Call, calls: list[ast.Call]) -> bool:
    return any(
        name_of(one.func) == "compile" and owner_of(one) == owner_of(fit) for one in calls
    ) or (bool({"epochs", "validation_data", "steps_per_epoch"} & {k.arg for k in fit.keywords}))


def _in_scope(scope: Scope) -> Iterator[Compared]:
    answers: dict[str, _Answers] = {}
    reread: dict[str, str] = {}
    parts: dict[str, str] = {}
    for node in sorted(own_nodes(scope), key=lambda one: getattr(one, "lineno", 0)):
        for target, value in assigned(node):
            made = _answers(value, answers)
            if isinstance(target, ast.Name):
                answers.pop(target.id, None)
                parts.pop(target.id, None)
                if made is not None:
                    answers[target.id] = made
                elif (rows := _gone_through(value)) is not None:
                    reread[target.id] = rows
                elif isinstance(value, ast.Attribute | ast.Subscript):
                    parts[target.id] = ast.unparse(value)
        if isinstance(node, ast.For):
            reread.update(_grown(node))
        for one in _held(node, answers, reread):
            yield replace(one, part=parts.get(one.labels, ""))


def _held(
    node: ast.AST, answers: dict[str, _Answers], reread: dict[str, str]
) -> Iterator[Compared]:
    """Of two things that a call, a difference or a comparison is given, one is answers."""
    if isinstance(node, ast.Call) and any(w in name_of(node.func).lower() for w in _MEASURES):
        sides = [*node.args, *(k.value for k in node.keywords)]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        sides = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
    else:
        return
    found = [made for one in sides if (made := _answers(one, answers)) is not None]
    for one in (side for side in sides if _answers(side, answers) is None):
        base = _base(one)
        if base is None or not found:
            continue
        name = ast.unparse(base)
        if name in reread:
            if reread[name] == found[0].rows:
                yield Compared(found[0].rows, "", found[0].line, found[0].plain)
        elif name != found[0].rows:
            yield Compared(found[0].rows, name, found[0].line, found[0].plain)


def _answers(node: ast.expr, known: dict[str, _Answers]) -> _Answers | None:
    """The answers in an expression, `plain` where it only takes them apart."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Call) and name_of(node.func) in ASKS and node.args:
        rows = node.args[0]
        return _Answers(ast.unparse(rows), node.lineno, True)
    if isinstance(node, ast.Attribute) and node.attr == "predictions":
        return _Answers("", node.lineno, True)  # of what a Trainer hands to its metric
    if isinstance(node, ast.Attribute | ast.Subscript):
        return _answers(node.value, known)
    inside = [
        made
        for part in ast.iter_child_nodes(node)
        if isinstance(part, ast.expr) and (made := _answers(part, known)) is not None
    ]
    if not inside:
        return None
    form = isinstance(node, ast.Call) and name_of(node.func) in _FORMS
    return inside[0] if form else replace(inside[0], plain=False)


def _base(node: ast.expr) -> ast.expr | None:
    """`y` of `y`, of `y.astype(int)` and of `np.array(y)`; `rows.labels` as it stands."""
    while isinstance(node, ast.Call) and name_of(node.func) in _FORMS:
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        of_module = owner is not None and ast.unparse(owner) in ("np", "numpy", "tf")
        if owner is None or of_module:
            if not node.args:
                return None
            node = node.args[0]
        else:
            node = owner
    return node if isinstance(node, ast.Name | ast.Attribute) else None


def _gone_through(value: ast.expr) -> str | None:
    """The data set that a list is made from in one go, as `[y for x, y in rows]`."""
    for part in ast.walk(value):
        if isinstance(part, ast.ListComp | ast.GeneratorExp):
            return _root(part.generators[0].iter)
    return None


def _root(node: ast.expr) -> str:
    """`rows` of `rows`, and of `rows.unbatch()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    return ast.unparse(node)


def _grown(loop: ast.For) -> dict[str, str]:
    """The lists that a loop over a data set fills."""
    calls = [part for part in ast.walk(loop) if isinstance(part, ast.Call)]
    return {
        owner_of(call): _root(loop.iter)
        for call in calls
        if name_of(call.func) in _GROWS and owner_of(call)
    }


def scopes(tree: ast.Module) -> list[Scope]:
    return [tree, *(node for node in ast.walk(tree) if isinstance(node, Function))]


def own_nodes(scope: Scope) -> list[ast.AST]:
    """What stands in a scope, and in no function inside it."""
    found: list[ast.AST] = []
    left: list[ast.AST] = [*scope.body]
    while left:
        node = left.pop()
        if isinstance(node, Function | ast.ClassDef):
            continue
        found.append(node)
        left += ast.iter_child_nodes(node)
    return found
