"""A script as the statements that it is made of, those of its helpers behind it."""

from __future__ import annotations

import ast

from debugger.script.focus import apart
from debugger.script.handed import Handed
from debugger.script.putting import values_put
from debugger.script.sources import Sources
from debugger.script.tracing import Tracing
from debugger.script.trainings import Trainings

NO_SOURCES = Sources()
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Statements:
    """All calls, assignments and the like, what the training looked at is handed before others."""

    def __init__(
        self, text: str, training_line: int | None = None, sources: Sources = NO_SOURCES
    ) -> None:
        self.training_line = training_line
        self._text = text
        files = [_parsed(text, 0), *(_parsed(one.text, one.before) for one in sources.helpers)]
        tree = ast.Module([node for file in files for node in file.body], [])
        self._tree, self._tracing = tree, Tracing(tree)
        self.handed = Handed(tree, self._tracing)
        walked = [node for file in files for node in ast.walk(file)]
        self._calls = [node for node in walked if isinstance(node, ast.Call)]
        self._classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        self._functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        self._assignments = [n for n in ast.walk(tree) if isinstance(n, ast.Assign)]
        self._texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        self._loops = [n for n in ast.walk(tree) if isinstance(n, ast.For | ast.While)]
        self._forks = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
        self._attributes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
        names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        self._reads = [node.id for node in names if isinstance(node.ctx, ast.Load)]
        self._dicts = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
        trainings = Trainings(tree, self._calls)
        self._mine, theirs = apart(trainings.calls(), self._calls, self._tracing, training_line)
        known = theirs | set(self._mine)
        self._calls = [*self._mine, *(call for call in self._calls if call not in known)]
        self._trainings = trainings.among(self._calls)
        changes = [node for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
        self._put = values_put(self._calls, [*self._assignments, *changes], self._dicts)
        late = {part for file in files for part in _later(file, training_line)}
        self._early = [call for call in self._calls if call not in late]


def _parsed(text: str, before: int) -> ast.Module:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])
    return ast.increment_lineno(tree, before) if before else tree


def _later(tree: ast.Module, training_line: int | None) -> set[ast.AST]:
    """What stands behind the statement that trains, in the open or in the function that it stands
    in, and so has no part in it."""
    if training_line is None:
        return set()
    body, around = tree.body, _around(tree.body, training_line)
    while isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
        body, around = around.body, _around(around.body, training_line)
    if around is None or isinstance(around, ast.ClassDef):
        return set()
    end = around.end_lineno or around.lineno
    behind = [n for n in body if n.lineno > end and not isinstance(n, _DEFINES)]
    return {part for node in behind for part in ast.walk(node)}


def _around(body: list[ast.stmt], line: int) -> ast.stmt | None:
    return next((n for n in body if n.lineno <= line <= (n.end_lineno or n.lineno)), None)
