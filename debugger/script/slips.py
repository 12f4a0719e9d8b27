"""Slips of the pen that the text shows by itself, whatever it holds when it runs."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeGuard

from debugger.script.labelling import CALLED
from debugger.script.pairing import is_column, shortened
from debugger.script.torn import IN_ORDER, lot_of
from debugger.script.tracing import OF_JUDGING, OF_TRAINING, assigned, name_of, names_in

_MAKE_TEXTS = ("strip", "lstrip", "rstrip", "lower", "upper", "replace", "join", "decode", "format")
_MAKE_NUMBERS = ("item", "argmax", "sum", "mean", "round", "tolist")
_PREPARE = (
    *("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler", "QuantileTransformer"),
    *("LabelEncoder", "OrdinalEncoder", "OneHotEncoder", "LabelBinarizer", "MultiLabelBinarizer"),
    *("CountVectorizer", "TfidfVectorizer", "PCA", "Normalization", "TextVectorization"),
    *("StringLookup", "Tokenizer"),
)
_LEARN = ("fit", "fit_transform", "adapt", "fit_on_texts")
_MEAN_LOSSES = re.compile(r"(?:eval_|test_|val_|train_)?loss|training_loss")
_HALVES = 2
_ASKED_ABOUT = 2
_GIVE_ONCE = ("filter", "map", "zip", "parameters", "named_parameters")
_SEEDS = (
    *("default_rng", "RandomState", "Random", "manual_seed", "set_seed", "set_random_seed"),
    "seed",
)


@dataclass(frozen=True)
class Crossed:
    """Two parts of one split that stand beside each other, and are of different rows."""

    line: int
    inputs: str
    labels: str


class Slips:
    def __init__(self, tree: ast.AST) -> None:
        self._nodes = list(ast.walk(tree))

    def identical(self) -> tuple[int, str] | None:
        """Where `is` holds two values against each other that were only just made."""
        for node in self._nodes:
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Is | ast.IsNot):
                continue
            one, other = node.left, node.comparators[0]
            if any(map(_is_written, (one, other))) or all(map(_is_made, (one, other))):
                return node.lineno, ast.unparse(node)
        return None

    def crossed(self) -> Crossed | None:
        """The inputs of one half beside the labels of the other."""
        for names, split in self._splits():
            for node in self._nodes:
                found = [one.id for one in _beside(node) if one.id in names]
                if node is split or len(found) != _HALVES:
                    continue
                (part, half), (other, its_half) = (names[name] for name in found)
                if part != other and half != its_half:
                    return Crossed(getattr(node, "lineno", split.lineno), found[0], found[1])
        return None

    def _splits(self) -> Iterator[tuple[dict[str, tuple[int, int]], ast.Assign]]:
        """By name, the how-manyth of what was split it is a part of, and which half."""
        for node in self._nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            target = node.targets[0]
            if name_of(node.value.func) != "train_test_split" or not isinstance(target, ast.Tuple):
                continue
            parts = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
            if len(parts) > _HALVES and all(parts) and len(set(parts)) == len(parts):
                yield {n: divmod(place, _HALVES) for place, n in enumerate(parts)}, node

    def split_apart(self) -> tuple[int, str, str] | None:
        """Rows and their labels, each split by a lot of its own: the line, and both by name."""
        splits = [
            node
            for node in self._nodes
            if isinstance(node, ast.Call)
            and name_of(node.func) == "train_test_split"
            and len(node.args) == 1
        ]
        for one, other in pairwise(splits):
            lots = [lot_of(call) for call in (one, other)]
            drawn_alike = lots[0] is not None and lots[0] == lots[1]
            held = [_held_in(call.args[0]) for call in (one, other)]
            labels = [bool(CALLED.fullmatch(name)) for name in held]
            if not any(labels) and self._beside_each_other(one, other):
                labels = [False, True]
            if all(held) and sum(labels) == 1 and IN_ORDER not in lots and not drawn_alike:
                told = other if labels[1] else one
                return told.lineno, held[labels.index(False)], held[labels.index(True)]
        return None

    def _beside_each_other(self, one: ast.Call, other: ast.Call) -> bool:
        """Whether what two calls make first is handed to one and the same call, in that order."""
        made = [
            name_of(target.elts[0])
            for call in (one, other)
            for node in self._nodes
            for target, value in assigned(node)
            if value is call and isinstance(target, ast.Tuple) and target.elts
        ]
        calls = (node for node in self._nodes if isinstance(node, ast.Call))
        handed = ([name_of(arg) for arg in call.args] for call in calls)
        return len(made) == len((one, other)) and any(
            [name for name in names if name in made] == made for names in handed
        )

    def labels_before_dropping(self) -> tuple[int, int, str] | None:
        """Where rows of a table are left out by what they hold, though labels were made of it
        before that are used behind it: the line, that of the labels, and the table."""
        blocks = (getattr(node, "body", None) for node in self._nodes)
        for block in (one for one in blocks if isinstance(one, list)):
            for place, node in enumerate(block):
                table = _shortens(node)
                before = {name_of(n.targets[0]): n for n in block[:place] if _names_one(n)}
                behind = ast.Module(block[place + 1 :], [])
                if not table or _by_index(behind, table):
                    continue
                for name, made in before.items():
                    of_rows = is_column(made.value) and table in names_in(made.value)
                    used = _is_read(behind, name) and _is_read(behind, table)
                    used = used and not _laid_by_index(behind, table, name)
                    if CALLED.fullmatch(name) and of_rows and used:
                        return node.lineno, made.lineno, table
        return None

    def numbered_apart(self) -> int | None:
        """Where the words of a column are numbered as they come, of one set and of another."""
        as_they_come = [n for n in self._nodes if isinstance(n, ast.DictComp) and _as_they_come(n)]
        for made in (*self._numberings, *as_they_come, *self._lists_as_they_come()):
            around = self._around(made)
            handed = 0 if around is None else self._sets_handed_to(around, made)
            if handed > 1 or self._of_each_set(made):
                return made.lineno
        places = Counter(self._column(call) for call in self._numberings)
        again = [c for c in self._numberings if self._column(c) and places[self._column(c)] > 1]
        of_later = [call for call in again if OF_JUDGING.search(ast.unparse(call))]
        return max((call.lineno for call in of_later or again), default=None)

    def _of_each_set(self, made: ast.AST) -> bool:
        """Whether it is made in a loop over the training rows and others, of those in hand."""
        loops = (node for node in self._nodes if isinstance(node, ast.For))
        for loop in (one for one in loops if any(part is made for part in ast.walk(one))):
            over = ast.unparse(loop.iter)
            both = OF_TRAINING.search(over) and OF_JUDGING.search(over)
            if both and names_in(made) & names_in(loop.target):
                return True
        return False

    @cached_property
    def _numberings(self) -> list[ast.Call]:
        """Calls of `factorize` of which nobody keeps what stands for which number."""
        taken = [
            node.value
            for node in self._nodes
            if isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Constant)
            and node.slice.value == 0
        ]
        for target, value in (pair for node in self._nodes for pair in assigned(node)):
            unpacked = target.elts if isinstance(target, ast.Tuple) else []
            names = [one.id for one in unpacked[1:] if isinstance(one, ast.Name)]
            if len(names) == 1 and (names == ["_"] or self._is_only_counted(names[0])):
                taken.append(value)
        return [c for c in taken if isinstance(c, ast.Call) and name_of(c.func) == "factorize"]

    def _lists_as_they_come(self) -> Iterator[ast.expr]:
        """`list(dict.fromkeys(kinds))`, where a name's place in it becomes its number."""
        for target, value in (pair for node in self._nodes for pair in assigned(node)):
            made = value.args[0] if isinstance(value, ast.Call) and value.args else value
            called = {name_of(one.func) for one in (value, made) if isinstance(one, ast.Call)}
            if isinstance(target, ast.Name) and called & {"fromkeys", "unique"}:
                placed = f"{target.id}.index"
                calls = (n for n in self._nodes if isinstance(n, ast.Call))
                if any(ast.unparse(one.func) == placed for one in calls):
                    yield value

    def _is_only_counted(self, name: str) -> bool:
        read = [n for n in self._nodes if isinstance(n, ast.Name) and n.id == name]
        counted = [
            n for n in self._nodes if isinstance(n, ast.Call) and ast.unparse(n) == f"len({name})"
        ]
        return sum(isinstance(one.ctx, ast.Load) for one in read) == len(counted)

    def _around(self, part: ast.expr) -> ast.FunctionDef | None:
        """The function that does it each time: not where it may be handed what was made before."""
        functions = [node for node in self._nodes if isinstance(node, ast.FunctionDef)]
        found = next((one for one in functions if part in ast.walk(one)), None)
        return None if found is None or found.args.defaults else found

    def _sets_handed_to(self, function: ast.FunctionDef, made: ast.expr) -> int:
        """How many different ones it is called with: for what is numbered, or as the first."""
        owners = (n for n in self._nodes if isinstance(n, ast.ClassDef) and function in n.body)
        owner = next(owners, None)
        taken = [one.arg for one in function.args.args[owner is not None :]]
        read = [taken.index(name) for name in names_in(made) if name in taken]
        place = min(read, default=0)
        makes = owner is not None and function.name == "__init__"
        called = owner.name if owner is not None and makes else function.name
        calls = [n for n in self._nodes if isinstance(n, ast.Call) and name_of(n.func) == called]
        given = [one for call in calls if (one := _given_at(call, place, taken)) is not None]
        inside = [(self._around(one), one) for one in given[:1] if len(given) == 1]
        for around, one in inside:  # it is called in a function that is called itself
            if around is not None and around is not function:
                return self._sets_handed_to(around, one)
        return len({rows for one in given if (rows := _rows_of(one))})

    def _column(self, call: ast.Call) -> str:
        """What is numbered, but for the set that it is a column of."""
        made = call.args[0] if call.args else getattr(call.func, "value", None)
        if not isinstance(made, ast.Subscript | ast.Attribute) or not _root(made):
            return ""
        return ast.unparse(made).removeprefix(_root(made))

    def learned_from_judged(self) -> tuple[int, str] | None:
        """Where a scaler, an encoder or the like learns from the rows to be judged by, though one
        of its kind learns from those to learn from: the line, and its class."""
        kinds = {
            name_of(target): kind
            for node in self._nodes
            for target, value in assigned(node)
            if (kind := _kind_of(value)) in _PREPARE
        }
        goes_through = {
            name_of(one.target): ast.unparse(one.iter)
            for node in self._nodes
            if isinstance(node, ast.ListComp | ast.For)
            for one in (node.generators if isinstance(node, ast.ListComp) else [node])
        }
        learning: list[tuple[int, str, str]] = []
        for call in (node for node in self._nodes if isinstance(node, ast.Call)):
            owner = getattr(call.func, "value", None)
            if name_of(call.func) not in _LEARN or not call.args or owner is None:
                continue
            made_here = name_of(owner.func) if isinstance(owner, ast.Call) else ""
            kind = made_here if made_here in _PREPARE else kinds.get(name_of(owner), "")
            given = ast.unparse(call.args[0])
            given = goes_through.get(given, given)
            learning += [(call.lineno, kind, given)] if kind else []
        for line, kind, given in learning:
            before = any(k == kind and OF_TRAINING.search(of) for _, k, of in learning)
            if before and OF_JUDGING.search(given) and not OF_TRAINING.search(given):
                return line, kind
        return None

    def seeded_again(self) -> int | None:
        """Where one row after the other is drawn from a generator that begins anew for each."""
        for loop in self._nodes:
            if isinstance(loop, ast.For):
                inside: list[ast.AST] = list(loop.body)
            elif isinstance(loop, ast.ListComp | ast.GeneratorExp):
                inside = [loop.elt]
            else:
                continue
            calls = [c for one in inside for c in ast.walk(one) if isinstance(c, ast.Call)]
            for call in calls:
                seeds = name_of(call.func) in _SEEDS and call.args
                if seeds and not names_in(call) & _counted_by(loop):
                    return call.lineno
        return None

    def loss_made_of(self, line: int | None) -> str | None:
        """A loss, by its name, that is made of what it should be asked about."""
        for node in self._nodes:
            if not isinstance(node, ast.Call) or len(node.args) < _ASKED_ABOUT:
                continue
            here = node.lineno <= (line or 0) <= (node.end_lineno or node.lineno)
            if here and name_of(node.func).endswith("Loss"):
                return name_of(node.func)
        return None

    def gone_through(self) -> tuple[int, str] | None:
        """Weights that can be gone through once, under a name that is used twice."""
        read = Counter(
            node.id
            for node in self._nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        )
        for target, value in (pair for node in self._nodes for pair in assigned(node)):
            name = target.id if isinstance(target, ast.Name) else ""
            if read[name] > 1 and _is_used_up(value) and "parameters" in ast.unparse(value):
                return target.lineno, name
        return None

    def loss_divided(self) -> tuple[int, str] | None:
        """Where what is a mean already is divided before it becomes a perplexity."""
        for node in self._nodes:
            if not isinstance(node, ast.Call) or name_of(node.func) != "exp" or not node.args:
                continue
            given = node.args[0]
            if not isinstance(given, ast.BinOp) or not isinstance(given.op, ast.Div | ast.Mult):
                continue
            if _is_mean_loss(given.left) and "log" not in ast.unparse(given.right):
                return node.lineno, ast.unparse(given)
        return None


def _shortens(node: ast.stmt) -> str:
    """`df` of `df = df.dropna().reset_index(drop=True)`, and of `df = df[df["n"] > 3]`."""
    if not _names_one(node):
        return ""
    table = shortened(node.value, asks=_asks_rows)
    return table if table == name_of(node.targets[0]) else ""


def _asks_rows(part: ast.expr) -> bool:
    """`df[df["n"] > 3]`, of several conditions, and of what pandas asks each row."""
    if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitAnd | ast.BitOr):
        return _asks_rows(part.left) or _asks_rows(part.right)
    asks = isinstance(part, ast.Call) and name_of(part.func) in ("notna", "notnull", "isin")
    return isinstance(part, ast.Compare) or asks


def _names_one(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)


def _laid_by_index(behind: ast.Module, table: str, name: str) -> bool:
    """Whether labels become a column of the table again: pandas goes by the numbers of rows."""
    for node in ast.walk(behind):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        column = isinstance(target, ast.Subscript) and name_of(target.value) == table
        laid = node.value if isinstance(node, ast.Assign) and column else None
        if isinstance(node, ast.Call) and name_of(node.func) in ("assign", "join", "merge"):
            laid = node
        if laid is not None and name in names_in(laid):
            return True
    return False


def _by_index(behind: ast.Module, table: str) -> bool:
    """Whether rows are picked by those that a table has left."""
    held = (n for n in ast.walk(behind) if isinstance(n, ast.Attribute) and n.attr == "index")
    return any(name_of(one.value) == table for one in held)


def _is_read(behind: ast.Module, name: str) -> bool:
    """Whether it is read before it is given anew."""
    for statement in behind.body:
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if any(isinstance(one.ctx, ast.Load) for one in names):
            return True
        if names:
            return False
    return False


def _kind_of(value: ast.expr) -> str:
    """`StandardScaler` of `StandardScaler()`, and of `StandardScaler().fit(rows)`."""
    if not isinstance(value, ast.Call):
        return ""
    owner = value.func.value if isinstance(value.func, ast.Attribute) else None
    if name_of(value.func) in _LEARN and isinstance(owner, ast.Call):
        return name_of(owner.func)
    return name_of(value.func)


def _given_at(call: ast.Call, place: int, taken: list[str]) -> ast.expr | None:
    if place < len(call.args):
        return call.args[place]
    named = (k.value for k in call.keywords if taken[place:] and k.arg == taken[place])
    return next(named, None)


def _held_in(given: ast.expr) -> str:
    """The name of what is split, or of the column of a table."""
    while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
        given = given.func.value
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant):
        return str(given.slice.value)
    return name_of(given)


def _as_they_come(made: ast.DictComp) -> bool:
    """`{name: n for n, name in enumerate(kinds.unique())}`."""
    over = made.generators[0].iter
    if not isinstance(over, ast.Call) or name_of(over.func) != "enumerate" or not over.args:
        return False
    given = over.args[0]
    return isinstance(given, ast.Call) and name_of(given.func) in ("unique", "fromkeys", "set")


def _is_written(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bytes)


def _is_made(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in (*_MAKE_TEXTS, *_MAKE_NUMBERS)
    return isinstance(node, ast.BinOp | ast.JoinedStr)


def _is_used_up(node: ast.expr) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    return isinstance(node, ast.Call) and name_of(node.func) in _GIVE_ONCE


def _beside(node: ast.AST) -> Iterator[ast.Name]:
    """The names that stand beside each other as arguments, in a tuple, or as a dictionary's."""
    if isinstance(node, ast.Call):
        if name_of(node.func) in ("print", "display", "len"):
            return
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        given = node.elts
    elif isinstance(node, ast.Dict):
        given = node.values
    else:
        return
    yield from (one for one in given if isinstance(one, ast.Name))


def _counted_by(loop: ast.For | ast.ListComp | ast.GeneratorExp) -> set[str]:
    """The names that are others at each turn: who seeds by them begins otherwise each time."""
    if isinstance(loop, ast.For):
        return names_in(loop.target)
    return {name for one in loop.generators for name in names_in(one.target)}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _rows_of(node: ast.expr) -> str:
    """What a value is of: a table by its name, with that of the rows which are picked from it."""
    picked = [
        one.slice.id
        for one in ast.walk(node)
        if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Name)
    ]
    root = _root(node)
    return " ".join([root, *picked]) if root else ""


def _is_mean_loss(node: ast.expr) -> bool:
    while isinstance(node, ast.Subscript) and not (
        isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    ):
        node = node.value
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return bool(_MEAN_LOSSES.fullmatch(str(node.slice.value)))
    return isinstance(node, ast.Attribute) and node.attr == "training_loss"
