"""Words that are numbered twice, each time by another vocabulary, as a script's text tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from debugger.script.afterwards import own_nodes, scopes
from debugger.script.tracing import (
    OF_JUDGING,
    OF_TRAINING,
    Function,
    Tracing,
    assigned,
    name_of,
    names_in,
    owner_of,
)

_LEARNS = ("adapt", "fit_on_texts", "fit", "fit_transform", "build_vocab")
NUMBERS_WORDS = (
    "Tokenizer",
    "TextVectorization",
    "StringLookup",
    "CountVectorizer",
    "TfidfVectorizer",
)
"""What learns words and gives each of them a number, or a place."""
_BY_NAME = ("LabelEncoder", "OrdinalEncoder", "LabelBinarizer", "MultiLabelBinarizer")
"""What numbers its names in their order: alike for two sets in which all of them come."""
_KINDS = (*NUMBERS_WORDS, *_BY_NAME)
_APPLIES = ("texts_to_sequences", "texts_to_matrix", "transform", "fit_transform")
_OF_WORDS = re.compile(r"vocab|word|token|char|stoi", re.IGNORECASE)
_READS = ("get", "transform", "fit_transform", "texts_to_sequences", "encode", "lookup")


@dataclass
class _Story:
    """Of one name, by line: where it is given other numbers, and where those are used."""

    made: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)

    def remade(self, before: int) -> int | None:
        """Where it is made again between two uses."""
        used = [line for line in self.used if line < before]
        for line in sorted(self.made)[1:]:
            first = min(self.made)
            if any(first <= one < line for one in used) and any(one >= line for one in used):
                return line
        return None


@dataclass(frozen=True)
class Apart:
    """Numbers that a function gives to rows to be judged by at `line`, and gave to those to learn
    from at `at`. `surely`: they are of words, or the model was made for so many."""

    line: int
    at: int
    made: str
    surely: bool


def made_apart(tree: ast.Module, tracing: Tracing) -> Apart | None:
    """A function that numbers what it is given makes one mapping for the training rows and another
    for the rest, and both are handed to what goes by them."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    for one in (node for node in nodes if isinstance(node, Function) and _numbers(node, tracing)):
        mine = [call for call in calls if tracing.function(call) is one and call.args]
        judged = [c for c in mine if OF_JUDGING.search(_given(c)) and not _learns(c)]
        learned = [call for call in mine if _learns(call)]
        for other in judged if learned else ():
            here, there = (_takers(call, nodes, calls) for call in (other, learned[0]))
            if here & there:
                names = _names(learned[0], nodes)
                counted = any(_given(c) in names for c in calls if name_of(c.func) == "len")
                surely = not _in_order(one) and (counted or bool(_OF_WORDS.search(one.name)))
                return Apart(other.lineno, learned[0].lineno, ast.unparse(other), surely)
    return None


@dataclass(frozen=True)
class Inside:
    """A function that makes its numbers of the rows that it is handed, and numbers these by them:
    where it learns, what it is called, and the lines that hand it one set and the other."""

    line: int
    made: str
    function: str
    at: int
    again: int
    surely: bool


def made_inside(tree: ast.Module, tracing: Tracing) -> Inside | None:
    """A function that is called for several sets, and learns words or names anew each time."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    kinds = {
        name_of(target): name_of(value.func)
        for node in nodes
        for target, value in assigned(node)
        if isinstance(value, ast.Call) and name_of(value.func) in _KINDS and not _is_told(value)
    }
    functions = [node for node in nodes if isinstance(node, Function)]
    makers = {one.name for one in functions if _makes_of_rows(one, kinds)}
    for function in functions:
        mine = [call for call in calls if tracing.function(call) is function]
        first = next((call for call in mine if _learns(call)), None)
        again = next((c for c in mine if not _learns(c) and OF_JUDGING.search(_given(c))), None)
        if first is None or again is None:
            continue
        for learns, numbers in _own_numbers(function, kinds, makers):
            told = (learns.lineno, ast.unparse(learns), function.name)
            surely = _kind(numbers, kinds) not in _BY_NAME
            return Inside(*told, first.lineno, again.lineno, surely)
    return None


def _own_numbers(
    function: Function, kinds: Mapping[str, str], makers: Container[str]
) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What learns of the rows that a function is handed, whatever it is told besides, and what
    numbers them by that."""
    handed = {arg.arg for arg in function.args.args} - {"self"}
    named = {name for part in ast.walk(function) for name in _from_rows(part, handed)}
    body = [part for one in function.body if not isinstance(one, ast.If) for part in ast.walk(one)]
    calls = [part for part in body if isinstance(part, ast.Call)]
    for call in (one for one in calls if name_of(one.func) in _LEARNS and one.args):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        whose = ast.unparse(owner)
        given = names_in(call.args[0]) & (handed | named)
        if not _kind(owner, kinds) or not given or whose in handed:
            continue
        applied = (c for c in calls if owner_of(c) == whose and name_of(c.func) in _APPLIES)
        by_itself = (c for c in calls if name_of(c.func) == whose and c.args)
        if any(names_in(c) & (handed | named) for c in (*applied, *by_itself)):
            yield call, owner
    called = {name_of(call.func) for call in calls}
    for target, value in (pair for part in body for pair in assigned(part)):
        made = isinstance(value, ast.Call) and name_of(value.func) in makers
        if made and names_in(value) & handed and name_of(target) in called:
            yield value, value
    read = {name_of(part.value) for part in body if isinstance(part, ast.Subscript)}
    read |= {owner_of(call) for call in calls if name_of(call.func) == "get"}
    for target, value in (pair for part in body for pair in assigned(part)):
        over = names_in(value) & (handed | named)
        if _counts_off(value) and over and name_of(target) in read and not _in_order(function):
            yield value, value


def _makes_of_rows(function: Function, kinds: Mapping[str, str]) -> bool:
    """Whether it gives back what has learned the words of the rows that it is handed."""
    handed = {arg.arg for arg in function.args.args}
    parts = list(ast.walk(function))
    given = {name_of(one.value) for one in parts if isinstance(one, ast.Return) and one.value}
    learns = (one for one in parts if isinstance(one, ast.Call) and name_of(one.func) in _LEARNS)
    return any(
        owner_of(one) in given and kinds.get(owner_of(one)) and one.args and names_in(one) & handed
        for one in learns
    )


def _from_rows(part: ast.AST, handed: Container[str]) -> Iterator[str]:
    for target, value in assigned(part):
        if isinstance(target, ast.Name) and any(name in handed for name in names_in(value)):
            yield target.id


def _kind(owner: ast.expr, kinds: Mapping[str, str]) -> str:
    """The class of what numbers things, made in that place or under a name."""
    made = isinstance(owner, ast.Call) and not _is_told(owner)
    called = name_of(owner.func) if isinstance(owner, ast.Call) and made else ""
    return called if called in _KINDS else kinds.get(name_of(owner), "")


def _is_told(making: ast.Call) -> bool:
    """Whether what numbers things is told all of them, so that it has nothing to learn."""
    return any(k.arg in ("classes", "categories", "vocabulary") for k in making.keywords)


def _given(call: ast.Call) -> str:
    return ", ".join(ast.unparse(one) for one in (*call.args, *(k.value for k in call.keywords)))


def _learns(call: ast.Call) -> bool:
    return bool(OF_TRAINING.search(_given(call)))


def _numbers(function: Function, tracing: Tracing) -> bool:
    """Whether what it returns gives each thing a number, by the things that it was handed alone."""
    returned = tracing.returned(function)
    if returned is None or function.args.defaults or not function.args.args:
        return False
    if _counts_off(returned):
        return True
    names = names_in(returned) if isinstance(returned, ast.Name | ast.Tuple) else set[str]()
    for target, value in (pair for part in ast.walk(function) for pair in assigned(part)):
        if name_of(target) in names and _counts_off(value):
            return True
        held = name_of(target.value) if isinstance(target, ast.Subscript) else ""
        if held in names and f"len({held})" in ast.unparse(value):
            return True
    return False


def _counts_off(made: ast.expr) -> bool:
    """`{word: n for n, word in enumerate(words)}`, and `dict(zip(words, range(9)))`."""
    if isinstance(made, ast.DictComp):
        over = made.generators[0].iter
        return isinstance(over, ast.Call) and name_of(over.func) == "enumerate"
    inner = made.args[0] if isinstance(made, ast.Call) and len(made.args) == 1 else None
    if not isinstance(made, ast.Call) or name_of(made.func) != "dict":
        return False
    zips = isinstance(inner, ast.Call) and name_of(inner.func) == "zip"
    return zips and any(name in ast.unparse(made) for name in ("range(", "count("))


def _in_order(function: Function) -> bool:
    """Things that are sorted by name have the same numbers where all of them come in both."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call))
    by_name = any(name_of(c.func) == "sorted" and not c.keywords for c in calls)
    return by_name and not _OF_WORDS.search(function.name)


def _names(made: ast.Call, nodes: list[ast.AST]) -> set[str]:
    """The names that are given what a call answers."""
    pairs = (pair for node in nodes for pair in assigned(node))
    return set[str]().union(*(names_in(target) for target, value in pairs if value is made))


def _takers(made: ast.Call, nodes: list[ast.AST], calls: list[ast.Call]) -> set[tuple[str, int]]:
    """What is handed the answer of a call, or a name for it, and at which place."""
    names = _names(made, nodes)
    return {
        (name_of(call.func), place)
        for call in calls
        for place, given in enumerate(call.args)
        if given is made or (isinstance(given, ast.Name) and given.id in names)
        if name_of(call.func) not in ("len", "print", "sorted", "list")
    }


def numbered_twice(
    tree: ast.Module, before: int, numbers: Callable[[str], bool]
) -> tuple[str, int] | None:
    """A vocabulary (`numbers` tells by its name) that is made anew between two uses, and the line;
    or a second one, made for the other set. All of it `before` a line."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    for scope in scopes(tree):
        nodes = [n for n in own_nodes(scope) if getattr(n, "lineno", before) < before]
        stories: dict[str, _Story] = {}
        for node in nodes:
            for target, value in assigned(node):
                anew = not isinstance(node, ast.AugAssign)
                if anew and isinstance(target, ast.Name) and not _mentions(value, target.id):
                    stories.setdefault(target.id, _Story()).made.append(target.lineno)
        for learns in (n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) in _LEARNS):
            stories.setdefault(owner_of(learns), _Story())
        for name, story in stories.items():
            _follow(name, story, nodes, functions)
            again = story.remade(before)
            if again is not None and numbers(name):
                return name, again
        if (second := _second(nodes, functions, stories, numbers)) is not None:
            return second
    return None


def _follow(name: str, story: _Story, nodes: list[ast.AST], functions: Sequence[Function]) -> None:
    readers = {one.name for one in functions if _reads_outside(one, name)}
    own = {one.name for one in functions}
    for node in nodes:
        if isinstance(node, ast.Subscript):
            read = isinstance(node.ctx, ast.Load) and name_of(node.value) == name
            story.used += [node.lineno] if read else []
        if not isinstance(node, ast.Call):
            continue
        called, of_it = name_of(node.func), owner_of(node) == name
        handed = called in own and any(name_of(one) == name for one in node.args)
        if of_it and called in _LEARNS and node.args:
            story.made.append(node.lineno)
        if called in readers or handed or called == name or (of_it and called in _READS):
            story.used.append(node.lineno)


def _second(
    nodes: list[ast.AST],
    functions: Sequence[Function],
    stories: dict[str, _Story],
    numbers: Callable[[str], bool],
) -> tuple[str, int] | None:
    """One function is handed two of them, that were both made by the same call of other texts."""
    made = {
        target.id: value
        for node in nodes
        for target, value in assigned(node)
        if isinstance(target, ast.Name) and isinstance(value, ast.Call)
    }
    for one in functions:
        calls = [n for n in nodes if isinstance(n, ast.Call) and name_of(n.func) == one.name]
        handed = {
            (place, name_of(given))
            for call in calls
            for place, given in enumerate(call.args)
            if name_of(given) in made and numbers(name_of(given))
        }
        for place, name in sorted(handed):
            for other in (n for at, n in handed if at == place and n != name):
                same = ast.unparse(made[name].func) == ast.unparse(made[other].func)
                later = max(stories[name].made[0], stories[other].made[0])
                if same:
                    return (name if stories[name].made[0] == later else other), later
    return None


def _reads_outside(function: Function, name: str) -> bool:
    """Whether it reads the name of somebody else, and gives it no value of its own."""
    own = {one.arg for one in function.args.args}
    inside = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name]
    return name not in own and bool(inside) and all(isinstance(n.ctx, ast.Load) for n in inside)


def _mentions(value: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value))
