"""A script as its author's own lines, with parts of them left out. Nothing is written anew."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_REST = re.compile(r"[ \t]*(#[^\n]*)?(\n|\Z)")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Part:
    """Something that a script may be able to do without, from `start` to `end` in its text.

    Either whole `lines` of a statement, or one of several things between commas. `binds` are the
    names that nobody else may know without it, `nodes` the ids of all that is in it. Parts with one
    `owner` stand side by side.
    """

    node: ast.AST
    owner: ast.AST
    start: int
    end: int
    lines: bool
    binds: frozenset[str]
    nodes: frozenset[int]
    inner: tuple[Part, ...]


class Text:
    """A script in parts. One that Python cannot read has none."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = text.split("\n")
        self._lines = lines
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        try:
            self._tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._tree = ast.Module([], [])
        self.parts = tuple(self._inside(self._tree))

    def without(self, left_out: Iterable[Part]) -> str | None:
        """What is left, without lines that are comments only; None if that is no Python."""
        text = self.text
        for part in sorted(self._outermost(left_out), key=lambda part: -part.start):
            text = (
                text[: part.start] + text[part.end :]
                if part.lines
                else _cut(text, part.start, part.end)
            )
        try:
            text = _tidied(text)
            ast.parse(text)
        except (SyntaxError, tokenize.TokenError):
            return None
        return text

    def _outermost(self, left_out: Iterable[Part]) -> Iterator[Part]:
        gone = set(left_out)
        waiting = list(self.parts)
        while waiting:
            part = waiting.pop()
            if part in gone:
                yield part
            else:
                waiting += part.inner

    def loose(self, left_out: set[Part], needed: set[Part]) -> list[Part]:
        """The outermost parts that nothing else needs by name, the last one first.

        Inside a part that is `needed`, or that is needed by name, smaller ones may be.
        """
        used, bound = self._names(left_out)
        found: list[Part] = []
        waiting = list(self.parts)
        while waiting:
            part = waiting.pop(0)
            if part in left_out:
                continue
            if part in needed or not _is_loose(part, used, bound):
                waiting += part.inner
            else:
                found.append(part)
        return sorted(found, key=lambda part: -part.start)

    def dead(self, left_out: set[Part], needed: set[Part]) -> set[Part]:
        """What makes names that nothing uses any more, once `left_out` is gone."""
        gone = set(left_out)
        while True:
            used, _ = self._names(gone)
            more = {
                part
                for part in self._all()
                if part.binds and part not in gone and part not in needed
                if not any(_uses(part, name, used) for name in part.binds)
            }
            if not more:
                return gone - left_out
            gone |= more

    def _all(self) -> Iterator[Part]:
        waiting = list(self.parts)
        while waiting:
            part = waiting.pop()
            yield part
            waiting += part.inner

    def _names(self, gone: set[Part]) -> tuple[dict[str, list[ast.AST]], dict[str, int]]:
        """Where each name is used outside of what is gone, and how often it is bound there."""
        hidden = {id(part.node) for part in gone}
        used: dict[str, list[ast.AST]] = {}
        bound: dict[str, int] = {}
        waiting: list[ast.AST] = [self._tree]
        while waiting:
            node = waiting.pop()
            if id(node) in hidden:
                continue
            waiting += ast.iter_child_nodes(node)
            match node:
                case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                    used.setdefault(name, []).append(node)
                case ast.Global(names=names) | ast.Nonlocal(names=names):
                    for name in names:
                        used.setdefault(name, []).append(node)
                case _:
                    for name in _bound_by(node):
                        bound[name] = bound.get(name, 0) + 1
        return used, bound

    def _inside(self, node: ast.AST) -> Iterator[Part]:
        """The parts in a node: its own statements, and what stands between commas in it."""
        for child in _between_commas(node):
            place = self._offset(child, ""), self._offset(child, "end_")
            yield self._part(child, node, place, lines=False)
        taken = {id(child) for child in _between_commas(node)}
        for child in ast.iter_child_nodes(node):
            if id(child) in taken or isinstance(child, ast.JoinedStr):
                continue  # Python 3.11 does not tell where in its text a part of an f-string stands
            place = self._whole_lines(child) if isinstance(child, ast.stmt) else None
            if place is None:
                yield from self._inside(child)
            else:
                yield self._part(child, node, place, lines=True)

    def _part(self, node: ast.AST, owner: ast.AST, place: tuple[int, int], lines: bool) -> Part:
        """What a class binds is found through its objects, not by name."""
        named = isinstance(node, ast.stmt | ast.alias) and not isinstance(owner, ast.ClassDef)
        binds = frozenset(_all_bound(node)) if named else frozenset()
        nodes = frozenset(map(id, ast.walk(node)))
        return Part(node, owner, *place, lines, binds, nodes, tuple(self._inside(node)))

    def _offset(self, node: ast.AST, end: str) -> int:
        """Python counts columns in bytes."""
        line, column = getattr(node, f"{end}lineno"), getattr(node, f"{end}col_offset")
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def _whole_lines(self, node: ast.stmt) -> tuple[int, int] | None:
        """Where a statement shares its lines with no other."""
        first = min([node, *getattr(node, "decorator_list", ())], key=lambda one: one.lineno)
        start = self._starts[first.lineno - 1]
        rest = _REST.match(self.text, self._offset(node, "end_"))
        before = self.text[start : self._offset(first, "")].strip()
        if rest is None or before not in ("", "@"):
            return None
        return start, rest.end()


def _between_commas(node: ast.AST) -> list[ast.AST]:
    match node:
        case ast.Call(keywords=keywords):
            return list(keywords)
        case ast.List(elts=elements, ctx=ast.Load()) | ast.Set(elts=elements):
            return list(elements)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases) if len(aliases) > 1:
            return list(aliases)
    return []


def _bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.alias(name=name, asname=None):
            yield name.partition(".")[0]
        case ast.alias(asname=str(name)):
            yield name


def _all_bound(node: ast.AST) -> Iterator[str]:
    """Every name that a statement gives to what stands around it."""
    yield from _bound_by(node)
    if not isinstance(node, _SCOPES):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.Lambda | ast.comprehension):
                yield from _all_bound(child)


def _uses(part: Part, name: str, used: dict[str, list[ast.AST]]) -> bool:
    """Whether anything outside of the part uses the name."""
    return any(id(place) not in part.nodes for place in used.get(name, ()))


def _is_loose(part: Part, used: dict[str, list[ast.AST]], bound: dict[str, int]) -> bool:
    if not part.binds:
        return True
    own = [name for node in ast.walk(part.node) for name in _bound_by(node)]
    return all(
        bound.get(name, 0) > own.count(name) or not _uses(part, name, used) for name in part.binds
    )


def _cut(text: str, start: int, end: int) -> str:
    """Without one of several things between commas, and without the comma that it needs no more."""
    comma = re.compile(r"\s*,").match(text, end)
    end = comma.end() if comma else end
    before = text[:start].rstrip()
    line = text.rfind("\n", 0, start) + 1
    rest = _REST.match(text, end)
    if not comma and before.endswith(","):
        start = len(before) - 1
    elif rest and not text[line:start].strip():
        start, end = line, rest.end()
    elif rest:
        start = len(before)
    elif comma:
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    head, tail = text[:start].rstrip(), text[end:].lstrip()
    if head.endswith(_OPENING) and tail.startswith(_CLOSING):
        return head + tail
    return text[:start] + text[end:]


def _tidied(text: str) -> str:
    """Without comments that have a line to themselves, and without gaps where something was."""
    lines = text.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    idle = {
        token.start[0] - 1
        for token in tokens
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()
    }
    blank = {
        token.start[0] - 1
        for token in tokens
        if token.type == tokenize.NL and not token.line.strip()
    }
    kept: list[str] = []
    gap = 0
    for number, line in enumerate(lines):
        if number in idle:
            continue
        if number in blank:
            gap += 1
            continue
        kept += [""] * (_gap(line, kept, gap) if kept else 0)
        kept.append(line)
        gap = 0
    while kept and not kept[-1].strip():
        kept.pop()
    return "\n".join(kept) + "\n"


def _gap(line: str, kept: list[str], gap: int) -> int:
    """Two lines around what is defined at the margin, one elsewhere, if there was any before."""
    if kept[-1].endswith(":"):
        return 0
    defined = re.match(r"(def|class|async def|@)\b|@", line)
    after = line[:1].strip() and kept[-1][:1] in (" ", "\t")
    return min(gap, 2 if defined or after else 1)
