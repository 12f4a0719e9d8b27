"""Where a script makes its model, a layer of it, its loss, and the order of its rows."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from debugger.script.loops import calls_in
from debugger.script.tracing import (
    OF_JUDGING,
    TRAINING_STEPS,
    Function,
    Tracing,
    assigned,
    is_false,
    is_true,
    name_of,
)

_FUNCTIONAL = (
    "cross_entropy",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
)
_TURNS = (
    *("view", "reshape", "transpose", "permute", "swapaxes", "movedim", "unflatten", "t"),
    *("unsqueeze", "expand", "repeat", "roll", "flip"),
)
_TURNED = ("T", "mT")
DEEPEST = 3
_AUTO = r"(?:^|\.)(?:TF)?Auto\w*Model\w*\.from_(?:pretrained|config)$"
_SORTS = ("sorted", "sort", "sort_values", "argsort", "lexsort")
_LABELS = ("label", "class", "target", "categor")


class Making:
    """Looks for what was made, by what it is and not by what it is called."""

    def __init__(self, tree: ast.AST, tracing: Tracing) -> None:
        self._tracing = tracing
        self._nodes = list(ast.walk(tree))
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        self._functions = [node for node in self._nodes if isinstance(node, Function)]
        self._losses = {
            name_of(target): value.lineno
            for node in self._nodes
            for target, value in assigned(node)
            if isinstance(value, ast.Call) and name_of(value.func).endswith("Loss")
        }

    def says_at(self, word: str, line: int) -> bool:
        """Whether just this word stands in quotes at a line."""
        texts = (node for node in self._nodes if isinstance(node, ast.Constant))
        return any(node.value == word and node.lineno == line for node in texts)

    def popped(self, word: str, line: int) -> int | None:
        """Where, at a line, what stands under that word is taken out of each of several rows."""
        rounds = (ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.For)
        around = [node for node in self._nodes if isinstance(node, rounds)]
        inside = {id(part) for node in around for part in ast.walk(node)}
        for call in self._calls:
            taken = name_of(call.func) == "pop" and len(call.args) == 1 and id(call) in inside
            said = call.args[0] if taken else None
            if isinstance(said, ast.Constant) and said.value == word and call.lineno == line:
                return call.lineno
        return None

    def grouped_twice(self) -> int | None:
        """Of groups of weights: the first of two that take the same ones, else the one that takes
        all there are."""
        groups = [
            value
            for node in self._nodes
            if isinstance(node, ast.Dict)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and key.value == "params"
        ]
        said = [ast.unparse(one) for one in groups]
        twice = (one.lineno for one, text in zip(groups, said, strict=True) if said.count(text) > 1)
        whole = (
            one.lineno
            for one in groups
            if isinstance(one, ast.Call)
            and name_of(one.func) == "parameters"
            and ast.unparse(one.func).count(".") == 1
        )
        return next(twice, None) or next(whole, None)

    def switched_on(self, *names: str) -> int | None:
        """Where one of these settings is said to be True: as an argument, or of an object."""
        given = [(k.arg, k.value) for call in self._calls for k in call.keywords]
        given += [(name_of(one), value) for node in self._nodes for one, value in assigned(node)]
        found = [value.lineno for name, value in given if name in names and is_true(value)]
        return min(found, default=None)

    def model(self, name: str) -> int | None:
        """The line that makes a model of that class, by its own name or by an Auto class."""
        made = [(call.lineno, ast.unparse(call.func)) for call in self._calls]
        own = [
            line
            for line, said in made
            if f".{said}".endswith((f".{name}", f".{name}.from_pretrained"))
        ]
        return next(iter(own or [line for line, said in made if re.search(_AUTO, said)]), None)

    def config(self, name: str) -> int | None:
        """Where the config is made that a model of that class is made of, if it has a name."""
        for call in (one for one in self._calls if name_of(one.func) == name):
            given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "config")]
            for one in (one for one in given if isinstance(one, ast.Name)):
                made = [(line, ast.unparse(value)) for line, value in self._tracing.local(one)]
                return next((line for line, said in made if "Config" in said), None)
        return None

    def layer(self, where: str, width: int) -> int | None:
        """Where the width of the layer at that place of a model, as `head.0`, is written down."""
        names = [part for part in where.split(".") if not part.isdigit()]
        held = [
            value
            for node in self._nodes
            for target, value in assigned(node)
            if names and name_of(target) == names[-1] and isinstance(target, ast.Attribute)
        ]
        held += [
            value
            for node in self._nodes
            if isinstance(node, ast.Dict) and len(names) > 1
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant) and key.value == names[-1]
        ]
        inside = [part for value in held for part in ast.walk(value) if isinstance(part, ast.Call)]
        for calls in (inside, self._calls):
            for call in calls:
                given = [*call.args, *(keyword.value for keyword in call.keywords)]
                found = filter(None, map(self._tracing.valued, given))
                if (
                    line := next((at for at, number in found if number == width), None)
                ) is not None:
                    return line
            reckoned = (c for c in calls if any(isinstance(a, ast.BinOp) for a in c.args[:1]))
            if calls is inside and (found_so := next(reckoned, None)) is not None:
                return found_so.lineno
        return held[0].lineno if held else None

    def loss(self) -> int | None:
        """Where the loss of a training step is made; where it is asked, if that is all there is."""
        asking = self._asking()
        if asking is None:
            return None
        near = self._tracing.local(asking.func) if isinstance(asking.func, ast.Name) else []
        made = self._losses.get(name_of(asking.func))
        return near[-1][0] if near else made or asking.lineno

    def unlogged(self) -> int | None:
        """Where a training step makes probabilities for a loss that wants their logarithms."""
        wants = ("kl_div", "nll_loss")
        for function in self._stepping:
            for node in ast.walk(function):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                if name_of(node.func) not in (*wants, *self._losses):
                    continue
                given = node.args[0]
                made = self._tracing.local(given) if isinstance(given, ast.Name) else []
                core = made[-1][1] if made else given
                if isinstance(core, ast.Call) and name_of(core.func) in ("softmax", "sigmoid"):
                    return core.lineno
        return None

    def turned(self, or_asked: bool = True, at_the_end: bool = False) -> int | None:
        """Where a training step brings what it asks its loss about into another shape, of its last
        steps if that is asked for; else where it asks."""
        asking = self._asking()
        if asking is None:
            return None
        found = (self._turned(given, 0 if at_the_end else DEEPEST) for given in asking.args)
        return next(filter(None, found), None) or (asking.lineno if or_asked else None)

    def answered(self) -> int | None:
        """Where a training step makes what it asks its loss about, if that has a name."""
        asking = self._asking()
        given = asking.args[0] if asking is not None and asking.args else None
        made = self._tracing.local(given) if isinstance(given, ast.Name) else []
        return made[-1][0] if made else None

    def tokenizer_again(self) -> int | None:
        """Where a second tokenizer is made: that of the rows to be judged by, as its name, or what
        it is made of, tells; else the last."""
        calls = [one for one in self._calls if "tokenizer" in name_of(one.func).lower()]
        given = (" ".join(map(ast.unparse, one.args)) for one in calls)
        told = [c.lineno for c, said in zip(calls, given, strict=True) if OF_JUDGING.search(said)]
        if told:
            return told[-1]
        made = [
            node
            for node in self._nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            if "tokenizer" in name_of(node.targets[0])
        ]
        if len({name_of(node.targets[0]) for node in made}) < len(("one", "another")):
            return None
        judged = [node.lineno for node in made if OF_JUDGING.search(ast.unparse(node))]
        return max(judged or [node.lineno for node in made])

    def one_score(self) -> int | None:
        """Where a training step asks its loss about one score of several, by its number."""
        asking = self._asking()
        parts = [part for given in asking.args for part in ast.walk(given)] if asking else []
        for part in (one for one in parts if isinstance(one, ast.Subscript)):
            places = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
            number = places[-1].value if places and isinstance(places[-1], ast.Constant) else None
            if type(number) is int and ast.unparse(places[0]) in (":", "..."):
                return part.lineno
        return None

    def subtracted(self) -> int | None:
        """Where a training step that asks no loss takes labels from outputs, or the other way."""
        for function in self._stepping if self._asking() is None else ():
            for node in ast.walk(function):
                if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                    continue
                if not any(isinstance(one, ast.Constant) for one in (node.left, node.right)):
                    return node.lineno
        return None

    def negated(self) -> int | None:
        """Where a training step turns the sign of its loss."""
        for function in self._stepping:
            for node in ast.walk(function):
                if not isinstance(node, ast.UnaryOp) or isinstance(node.operand, ast.Constant):
                    continue
                if isinstance(node.op, ast.USub):
                    return node.lineno
        return None

    def prepared_less(self) -> int | None:
        """Where the rows to be judged by are made by the same calls as those to learn from, but for
        one that is left out."""
        made = [
            (name_of(target), value.lineno, _called_in(value))
            for node in self._nodes
            for target, value in assigned(node)
        ]
        learned = [calls for name, _, calls in made if "train" in name.lower() and calls]
        for name, line, calls in made:
            if OF_JUDGING.search(name) and calls and any(calls < whole for whole in learned):
                return line
        return None

    def evaluated(self) -> int | None:
        """Where the rows to evaluate on are made, as `data["test"]` is under that name."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg == "eval_dataset"]
        key = given[0].slice if given and isinstance(given[0], ast.Subscript) else None
        if isinstance(key, ast.Constant):
            dicts = (node for node in self._nodes if isinstance(node, ast.Dict))
            pairs = (pair for one in dicts for pair in zip(one.keys, one.values, strict=True))
            named = (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key.value)
            return next((value.lineno for value in named), None)
        made = self._tracing.local(given[0]) if given and isinstance(given[0], ast.Name) else []
        return made[0][0] if made else None

    def numbering(self) -> int | None:
        """Where classes are numbered by what happens to stand in these rows."""
        made = [call.lineno for call in self._calls if _numbers_anew(call)]
        codes = [n for n in self._nodes if isinstance(n, ast.Attribute) and n.attr == "codes"]
        made += [one.lineno for one in codes if ast.unparse(one).endswith(".cat.codes")]
        return min(made, default=None)

    def ordered(self) -> int | None:
        """The line that puts rows into the order of their labels, as far as a line shows it."""
        found = [(_orders(call), -call.lineno) for call in self._calls]
        best = max(found, default=(0, 0))
        return -best[1] if best[0] else None

    def dealt_out(self) -> int | None:
        """The first line that gives the rows of a table another order by lot."""
        return min((call.lineno for call in self._calls if _deals(call)), default=None)

    def _turned(self, given: ast.expr, deepest: int) -> int | None:
        parts = list(ast.walk(given))
        turns = [part for part in parts if _turns(part)]
        if turns or deepest < 0:
            return given.lineno if turns else None
        for name in (part for part in parts if isinstance(part, ast.Name)):
            for line, value in reversed(self._tracing.local(name)):
                earlier = value is not given and line <= given.lineno
                if earlier and (found := self._turned(value, deepest - 1)) is not None:
                    return found
        return None

    def _asking(self) -> ast.Call | None:
        for function in self._stepping:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and node.args and self._is_loss(node.func):
                    return node
        return None

    def _is_loss(self, asked: ast.expr) -> bool:
        if isinstance(asked, ast.Call):
            return name_of(asked.func).endswith("Loss")
        name = name_of(asked)
        own = name in self._losses or name in _FUNCTIONAL
        return own or (name.endswith("_loss") and name != "compute_loss")

    @cached_property
    def _stepping(self) -> list[Function | ast.For]:
        """What a training step is made of: the innermost loop or function that goes backward by
        itself, and functions by their names."""
        given = {
            name_of(keyword.value)
            for call in self._calls
            for keyword in call.keywords
            if keyword.arg == "compute_loss_func"
        }
        names = [*given, *TRAINING_STEPS]
        known = [one for one in self._functions if one.name in names]
        known = sorted(known, key=lambda one: names.index(one.name))
        blocks = [one for one in self._nodes if isinstance(one, Function | ast.For)]
        goes = [one for one in blocks if calls_in([one], "backward")]
        inner = [one for one in goes if not any(o is not one and o in ast.walk(one) for o in goes)]
        return [*inner[:1], *known]


def _numbers_anew(call: ast.Call) -> bool:
    name = name_of(call.func)
    if name == "enumerate" and call.args:
        of = call.args[0]
        return isinstance(of, ast.Call) and name_of(of.func) in ("set", "unique")
    inverse = any(k.arg == "return_inverse" and is_true(k.value) for k in call.keywords)
    return name in ("factorize", "class_encode_column") or (name == "unique" and inverse)


def _turns(part: ast.AST) -> bool:
    """A call that gives a tensor another shape. To lay all rows end to end moves none of them."""
    if not isinstance(part, ast.Call) or name_of(part.func) not in _TURNS:
        return isinstance(part, ast.Attribute) and part.attr in _TURNED
    first = part.args[0] if part.args else None
    return first is None or ast.unparse(first) != "-1"


def _orders(call: ast.Call) -> int:
    """How surely a call sorts by labels: 0 where nothing shows by what."""
    if name_of(call.func) not in _SORTS:
        return 0
    by = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg in ("key", "by"))]
    keyed = any(keyword.arg in ("key", "by") for keyword in call.keywords)
    said = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in by)
    told = ast.unparse(call).lower()
    return 2 * any(word in told for word in _LABELS) + (keyed or said)


def _deals(call: ast.Call) -> bool:
    """All rows, by lot; the `shuffle` of a data set takes the size of a buffer instead of rows."""
    name, given = name_of(call.func), {k.arg: k.value for k in call.keywords}
    if name == "sample":
        return "frac" in given
    if name == "train_test_split":
        return not is_false(given.get("shuffle"))
    if name not in ("shuffle", "permutation", "permuted"):
        return False
    first = call.args[0] if call.args else None
    return first is not None and (name != "shuffle" or not isinstance(first, ast.Constant))


def _called_in(value: ast.expr) -> set[str]:
    calls = (name_of(part.func) for part in ast.walk(value) if isinstance(part, ast.Call))
    return {one for one in calls if one not in ("shuffle", "repeat")}
