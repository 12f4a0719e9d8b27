"""The same script written differently: what a script does stays, and so must the answer."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator

from tools.bank.cases import BETWEEN, Case, Files

ELSEWHERE = "its_pipeline.py"
GUARD = re.compile(r"""^if __name__ == ["']__main__["']:""", re.MULTILINE)
DRAWS = ("rng", "random")


def as_written(case: Case) -> Case:
    return case


def other_names(case: Case) -> Case:
    """Every variable is called something else."""
    shared = {name for text in case.files.values() for name in _known_outside(text)}
    return _changed(case, {name: _renamed(text, shared) for name, text in case.files.items()})


def other_order(case: Case) -> Case:
    """Arguments given by name stand in the opposite order."""
    return _changed(case, {name: _reordered(text) for name, text in case.files.items()})


def in_a_function(case: Case) -> Case:
    """All but the imports stands in a function, which the last line calls."""
    return _changed(case, {**case.files, case.main: _wrapped(case.files[case.main], call=True)})


def elsewhere(case: Case) -> Case:
    """All stands in another file, in a function that the script imports and calls."""
    text = case.files[case.main]
    lines = text.splitlines()
    kept = "\n".join(lines[: _after_imports(text)])
    caller = f"{kept}\n\nfrom {ELSEWHERE.removesuffix('.py')} import run_everything\n"
    between = BETWEEN if case.main.endswith(".ipynb") else "\n"
    caller += f"{between}run_everything()\n"
    files = {case.main: caller, ELSEWHERE: _wrapped(text, call=False)}
    return _changed(case, {**case.files, **files})


REWRITINGS: dict[str, Callable[[Case], Case]] = {
    "as written": as_written,
    "names": other_names,
    "order": other_order,
    "function": in_a_function,
    "file": elsewhere,
}


def rewritten(case: Case, how: str) -> Case:
    changed = REWRITINGS[how](case)
    return Case(case.base, changed.files, case.main, case.fault, how, _follow(case, changed, how))


def _follow(case: Case, changed: Case, how: str) -> tuple[str, int] | None:
    """Where the line to blame has gone."""
    if case.to_blame is None or how in ("as written", "names"):
        return case.to_blame
    name, line = case.to_blame
    if how == "order":
        said = case.files[name].splitlines()[line - 1].strip()
        there = [n for n, text in enumerate(changed.files[name].splitlines(), 1) if said in text]
        return (name, there[0]) if len(there) == 1 else (name, line)
    if name == case.main:
        line += line > _after_imports(case.files[name])
        name = ELSEWHERE if how == "file" else name
    return name, line


def _changed(case: Case, files: Files) -> Case:
    return Case(case.base, files, case.main, case.fault)


def _known_outside(text: str) -> Iterator[str]:
    """Names that a reader outside this text may use, or that stand where they cannot be changed."""
    tree = ast.parse(text)
    yield from dir(builtins)
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom() | ast.Import():
                for alias in node.names:
                    yield alias.name.split(".")[0]
                    yield alias.asname or ""
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg() | ast.keyword():
                yield node.arg or ""
            case ast.Attribute():
                yield node.attr
            case ast.ExceptHandler():
                yield node.name or ""
            case ast.Constant(value=str() as word):
                yield word
        if isinstance(node, ast.ClassDef | ast.JoinedStr):
            inside = node.body if isinstance(node, ast.ClassDef) else [node]
            for part in inside:
                if not isinstance(part, ast.FunctionDef):
                    yield from (n.id for n in ast.walk(part) if isinstance(n, ast.Name))


def _renamed(text: str, shared: set[str]) -> str:
    tree = ast.parse(text)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} - shared
    lines = text.splitlines(keepends=True)
    for node in sorted(names, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if node.id in bound and not node.id.startswith("__"):
            line = lines[node.lineno - 1].encode()
            start, end = line[: node.col_offset], line[node.col_offset + len(node.id.encode()) :]
            lines[node.lineno - 1] = (start + f"my_{node.id}".encode() + end).decode()
    return "".join(lines)


def _reordered(text: str) -> str:
    for number in range(len(list(_calls(ast.parse(text))))):
        call = list(_calls(ast.parse(text)))[number]
        spans = [_span(text, keyword) for keyword in call.keywords]
        said = [text[start:end] for start, end in spans]
        if len(spans) < 2 or any(word in one for one in said for word in DRAWS):
            continue
        if any(keyword.arg is None for keyword in call.keywords):
            continue
        for (start, end), other in zip(reversed(spans), said, strict=True):
            text = text[:start] + other + text[end:]
    return text


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Inner ones first, always in the same order; those in f-strings have no place in the text."""
    if isinstance(node, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(node):
        yield from _calls(child)
    if isinstance(node, ast.Call):
        yield node


def _span(text: str, node: ast.keyword) -> tuple[int, int]:
    lines = text.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        before = lines[line - 1].encode()[:column].decode()
        return sum(map(len, lines[: line - 1])) + len(before)

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)


def _after_imports(text: str) -> int:
    """The number of the last line of the imports that the text begins with."""
    last = 0
    for number, node in enumerate(ast.parse(text).body):
        docstring = number == 0 and isinstance(node, ast.Expr)
        if not (docstring or isinstance(node, ast.Import | ast.ImportFrom)):
            break
        last = node.end_lineno or last
    return last


def _wrapped(text: str, call: bool) -> str:
    text = GUARD.sub("if True:", text)
    lines, after = text.splitlines(), _after_imports(text)
    inside = [f"    {line}" if line.strip() else "" for line in lines[after:]]
    ending = ["", "", "run_everything()"] if call else []
    return "\n".join([*lines[:after], "def run_everything():", *inside, *ending]) + "\n"
