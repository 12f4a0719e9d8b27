"""Oversights that the text shows together with what was seen when it ran, or by itself."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from debugger.script.tracing import (
    Function,
    assigned,
    keyword_of,
    name_of,
    names_in,
    owner_of,
)

_LAYERS = (
    *("LSTM", "GRU", "RNN", "MultiheadAttention"),
    *("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"),
)
_TO_NUMBERS = ("int", "long", "short", "astype", "to", "type")
_NUMBERS = re.compile(r"\b(?:int|long|short|byte|uint)\d*\b|^['\"]i\d['\"]$")
_MEANS = ("mean", "average", "nanmean")
_RECIPROCAL = re.compile(r"mrr|reciprocal")
_LOWEST = -1e3
_LOW = re.compile(r"inf\b|finfo|\.min$")
_PADS = re.compile(r"\bpad(?:ding)?(?:_|\b)|pad_token_id|pad_id", re.IGNORECASE)
_LOTS = re.compile(r"\b(?:rng|random|randn?|randint|rand_like|randn_like|normal|uniform|noise)\b")
_SOFTMAXES = ("softmax", "log_softmax", "Softmax", "LogSoftmax")
_ACROSS = ("1", "-1", "'columns'")
_ALIKE = 0.8
_WEIGHTS = re.compile(r"(?:class|cls|sample|pos|label)_?weights?(?:_\w+)?", re.IGNORECASE)


class Oversights:
    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        self._functions = [node for node in self._nodes if isinstance(node, Function)]
        self._classes = [node for node in self._nodes if isinstance(node, ast.ClassDef)]

    def weights_unread(self) -> tuple[int, str] | None:
        """Where weights of classes or rows are made that nothing in the script ever reads."""
        names = [node for node in self._nodes if isinstance(node, ast.Name)]
        read = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
        made = (n for n in names if isinstance(n.ctx, ast.Store) and _WEIGHTS.fullmatch(n.id))
        return next(((one.lineno, one.id) for one in made if one.id not in read), None)

    def time_first(self) -> tuple[int, str] | None:
        """A layer that goes along the first axis, as nobody tells it otherwise, and its kind."""
        made = (call for call in self._calls if name_of(call.func) in _LAYERS)
        for call in made:
            given = keyword_of(call, "batch_first")
            spread = any(one.arg is None for one in call.keywords)
            if not spread and (given is None or ast.unparse(given) == "False"):
                return call.lineno, name_of(call.func)
        return None

    def filled_time_first(self) -> tuple[int, str] | None:
        """Where pad_sequence puts the places first, and what it fills up. Who turns the axes
        afterwards knows of it."""
        turned = [c for c in self._calls if name_of(c.func) in ("transpose", "permute", "t")]
        around = {id(part) for one in turned for part in ast.walk(one)}
        for call in self._calls:
            given = keyword_of(call, "batch_first") or (call.args[1] if call.args[1:] else None)
            if name_of(call.func) != "pad_sequence" or id(call) in around or not call.args:
                continue
            if given is None or ast.unparse(given) == "False":
                return call.lineno, ast.unparse(call.args[0])
        return None

    def one_list(self) -> tuple[int, str] | None:
        """A list that is made before a loop, grows in it, and is put into another each time."""
        for loop in (one for one in self._nodes if isinstance(one, ast.For)):
            made = {t.id for one in ast.walk(loop) for t in _names_bound(one)}
            calls = [one for one in ast.walk(loop) if isinstance(one, ast.Call)]
            grown = {owner_of(c) for c in calls if name_of(c.func) in ("append", "extend")}
            cleared = {owner_of(c) for c in calls if name_of(c.func) in ("clear", "pop", "popleft")}
            for statement in (one for one in loop.body if isinstance(one, ast.Expr)):
                put = statement.value
                if not isinstance(put, ast.Call) or name_of(put.func) != "append" or not put.args:
                    continue
                name = put.args[0].id if isinstance(put.args[0], ast.Name) else ""
                if name in grown - made - cleared and name != owner_of(put):
                    line = self._emptied_before(name, loop.lineno)
                    if line is not None:
                        return line, name
        return None

    def inverted_numbers(self) -> tuple[int, str] | None:
        """`~` of what was made a whole number before: it turns bits, and 0 becomes -1."""
        made = {
            target.id: value
            for node in self._nodes
            for target, value in assigned(node)
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign)
        }
        for node in self._nodes:
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
                given = node.operand
                named = isinstance(given, ast.Name) and self._bound(given.id) == 1
                value = (
                    made.get(given.id, given) if isinstance(given, ast.Name) and named else given
                )
                if _makes_numbers(value):
                    return node.lineno, ast.unparse(node)
        return None

    def reciprocal_of_mean(self) -> tuple[int, str] | None:
        """A mean reciprocal rank that is the reciprocal of the mean rank, and its name."""
        for name, value in self._named_values():
            if _RECIPROCAL.search(name.lower()) is None:
                continue
            line = next(
                (getattr(p, "lineno", None) for p in ast.walk(value) if _turns_a_mean(p)), None
            )
            if line is not None:
                return line, name
        return None

    def stored_anew(self) -> tuple[int, str, bool] | None:
        """Where a row that is read is changed and put back, what holds it, and whether by lot."""
        for function in (one for one in self._functions if one.name == "__getitem__"):
            given = [one.arg for one in function.args.args]
            if len(given) < 2:
                continue
            stored = {
                ast.unparse(node)
                for node in ast.walk(function)
                if isinstance(node, ast.Subscript) and _is_own(node, given[0], given[1])
            }
            held = {one: {one} for one in stored}
            for statement in _in_order(function):
                for target, value in assigned(statement):
                    said, of = ast.unparse(target), ast.unparse(value)
                    if isinstance(statement, ast.AugAssign):
                        reached = next((h for h, names in held.items() if said in names), None)
                    else:
                        whole = _targets(statement)
                        reached = next(
                            (h for h, n in held.items() if h in whole and _reads(value, n)), None
                        )
                    if reached is not None and of not in held[reached]:
                        return statement.lineno, reached, self._by_lot(value)
                    for names in held.values():
                        if isinstance(target, ast.Name) and not isinstance(
                            statement, ast.AugAssign
                        ):
                            (names.add if of in names else names.discard)(said)
        return None

    def text_for_list(self, argument: str) -> tuple[int, str] | None:
        """Where an argument that is a list of names is given as one text."""
        for call in self._calls:
            given = keyword_of(call, argument)
            text = given.value if isinstance(given, ast.Constant) else None
            if given is not None and isinstance(text, str) and len(text) > 1:
                return given.lineno, text
        return None

    def fills_what_is_real(self) -> tuple[int, str] | None:
        """masked_fill fills where its mask is true, here with a number that leaves out."""
        for call in self._calls:
            if name_of(call.func) not in ("masked_fill", "masked_fill_") or len(call.args) < 2:
                continue
            mask, fill = call.args[-2:]
            if _leaves_out(fill) and _is_real(mask):
                return call.lineno, ast.unparse(mask)
        return None

    def softmax_over_rows(self) -> tuple[int, str] | None:
        """Where a softmax goes along the first axis, and what it is called."""
        for call in self._calls:
            name = name_of(call.func)
            own = isinstance(call.func, ast.Attribute) and name in ("softmax", "log_softmax")
            module = own and ast.unparse(call.func.value) in _MODULES  # type: ignore[union-attr]
            place = 0 if name[:1].isupper() or (own and not module) else 1
            axis = keyword_of(call, "dim") or keyword_of(call, "axis")
            axis = axis or (call.args[place] if len(call.args) > place else None)
            if name in _SOFTMAXES and axis is not None and ast.unparse(axis) == "0":
                return call.lineno, name
        return None

    def power_of_sureness(self) -> int | None:
        """Where a loss is multiplied by a power of something, as a focal loss is."""
        for node in self._nodes:
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
                continue
            for part in (*ast.walk(node.left), *ast.walk(node.right)):
                power = isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow)
                called = isinstance(part, ast.Call) and name_of(part.func) in ("pow", "square")
                if power or called:
                    return node.lineno
        return None

    def misspelt(self, method: str) -> tuple[int, str] | None:
        """A method of a class without that one whose name is nearly so, or one that stands inside
        of another method, a step too far to the right."""
        for owner in self._classes:
            own = [one for one in owner.body if isinstance(one, Function)]
            if any(one.name == method for one in own):
                continue
            within = (
                part
                for one in own
                for part in ast.walk(one)
                if isinstance(part, Function) and part.name == method
            )
            inner = next(within, None)
            if inner is not None:
                return inner.lineno, method
            for one in own:
                likeness = difflib.SequenceMatcher(None, one.name.lower(), method).ratio()
                if likeness >= _ALIKE or one.name in ("call", "__forward__"):
                    return one.lineno, one.name
        return None

    def scaled_across(self) -> int | None:
        """Where something is brought to its mean, or its deviation, along the columns of a row."""
        for call in self._calls:
            if name_of(call.func) not in ("mean", "std"):
                continue
            axis = keyword_of(call, "axis") or keyword_of(call, "dim")
            plain = isinstance(call.func, ast.Attribute) and call.args
            axis = axis or (call.args[-1] if plain else None)
            if axis is not None and ast.unparse(axis) in _ACROSS:
                return call.lineno
        return None

    def looked_up_or(self) -> Iterator[tuple[int, float, str]]:
        """Where values are looked up in a table, and what is not found becomes a number."""
        for call in self._calls:
            held = call.func.value if isinstance(call.func, ast.Attribute) else None
            if name_of(call.func) != "fillna" or not isinstance(held, ast.Call) or not call.args:
                continue
            value = getattr(call.args[0], "value", None)
            if name_of(held.func) == "map" and held.args and isinstance(value, int | float):
                yield held.lineno, float(value), ast.unparse(held.args[0])

    def counts_the_other(self) -> tuple[int, str] | None:
        """Where a score is told that class 0 is the one to find, and the score's name."""
        for call in self._calls:
            given = keyword_of(call, "pos_label")
            if isinstance(given, ast.Constant) and given.value == 0 and given.value is not False:
                return given.lineno, name_of(call.func)
        return None

    def _emptied_before(self, name: str, line: int) -> int | None:
        lines = [
            target.lineno
            for node in self._nodes
            for target, value in assigned(node)
            if isinstance(target, ast.Name) and target.id == name and target.lineno < line
            if ast.unparse(value) in ("[]", "list()")
        ]
        return max(lines, default=None)

    def _bound(self, name: str) -> int:
        return sum(one.id == name for node in self._nodes for one in _names_bound(node))

    def _named_values(self) -> Iterator[tuple[str, ast.expr]]:
        for node in self._nodes:
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield key.value, value
            for target, value in assigned(node):
                key = target.slice if isinstance(target, ast.Subscript) else None
                if isinstance(target, ast.Name):
                    yield target.id, value
                elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
            if isinstance(node, Function):
                returns = [part for part in ast.walk(node) if isinstance(part, ast.Return)]
                for value in (one.value for one in returns):
                    if value is not None and not isinstance(value, ast.Dict):
                        yield node.name, value

    def _by_lot(self, value: ast.expr) -> bool:
        if _LOTS.search(ast.unparse(value)):
            return True
        called = {name_of(c.func) for c in ast.walk(value) if isinstance(c, ast.Call)}
        made = (one for one in self._functions if one.name in called)
        return any(_LOTS.search(ast.unparse(one)) for one in made)


_MODULES = ("F", "torch", "nn.functional", "torch.nn.functional", "functional", "torch.special")


def _names_bound(node: ast.AST) -> Iterator[ast.Name]:
    targets: list[ast.expr] = [target for target, _ in assigned(node)]
    if isinstance(node, ast.For):
        targets.append(node.target)
    for target in targets:
        yield from (
            part
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )


def _makes_numbers(value: ast.expr) -> bool:
    """Truth values that become whole numbers: of a comparison, or of what `|` and `&` join."""
    if not isinstance(value, ast.Call) or name_of(value.func) not in _TO_NUMBERS:
        return False
    given = [ast.unparse(one) for one in (*value.args, *(k.value for k in value.keywords))]
    if not isinstance(value.func, ast.Attribute):
        held = value.args[0] if name_of(value.func) == "int" and value.args else None
        return held is not None and _is_truth(held)
    kinds = name_of(value.func) in ("astype", "to", "type")
    numbers = any(map(_NUMBERS.search, given)) if kinds else not given
    return numbers and _is_truth(value.func.value)


def _is_truth(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr | ast.BitAnd):
        return True
    asks = ("isna", "isnull", "notna", "isin", "isnan", "contains", "eq", "lt", "gt", "ge", "le")
    called = isinstance(value, ast.Call) and name_of(value.func) in asks
    return called or isinstance(value, ast.Compare)


def _turns_a_mean(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _is_one(node.left) and _is_mean(node.right)
    called = isinstance(node, ast.Call) and name_of(node.func) == "reciprocal"
    return called and any(map(_is_mean, getattr(node, "args", ())))


def _is_one(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value in (1, 1.0)


def _is_mean(value: ast.expr) -> bool:
    while isinstance(value, ast.Call) and name_of(value.func) in ("float", "item"):
        inner = value.func.value if isinstance(value.func, ast.Attribute) else None
        value = inner if inner is not None else value.args[0] if value.args else value.func
    return isinstance(value, ast.Call) and name_of(value.func) in _MEANS


def _is_own(node: ast.Subscript, owner: str, index: str) -> bool:
    """`self.rows[i]`, and `self.rows[i]["x"]`."""
    said = ast.unparse(node)
    return said.startswith(f"{owner}.") and index in names_in(node)


def _in_order(function: Function) -> list[ast.stmt]:
    found = [one for one in ast.walk(function) if isinstance(one, ast.stmt)]
    return sorted(found, key=lambda one: one.lineno)


def _targets(statement: ast.AST) -> set[str]:
    return {ast.unparse(target) for target, _ in assigned(statement)}


def _reads(value: ast.expr, names: set[str]) -> bool:
    return any(ast.unparse(part) in names for part in ast.walk(value) if isinstance(part, ast.expr))


def _leaves_out(fill: ast.expr) -> bool:
    said = ast.unparse(fill)
    if _LOW.search(said):
        return said.startswith("-") or "'-inf'" in said or "min" in said
    try:
        return float(said) <= _LOWEST
    except ValueError:
        return False


def _is_real(mask: ast.expr) -> bool:
    """What is not padding, or where an attention mask is 1."""
    said = ast.unparse(mask)
    if isinstance(mask, ast.Compare) and len(mask.ops) == 1:
        other = ast.unparse(mask.comparators[0])
        if isinstance(mask.ops[0], ast.NotEq):
            return _PADS.search(other) is not None
        one = isinstance(mask.ops[0], ast.Eq) and other in ("1", "True")
        return one and "attention_mask" in said
    return (
        re.fullmatch(r"(?:\w+\.)?attention_mask\.(?:bool\(\)|to\(torch\.bool\))", said) is not None
    )
