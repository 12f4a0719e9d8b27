"""What a script reads that is not here, told from its text, and what can stand in its place."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from typing import Literal

from debugger.frameworks import called
from debugger.frameworks import of as framework_of
from debugger.web.mine.given import DATA

Kind = Literal["checkpoint", "corpus", "metric", "moved", "reporter", "file", "package", "training"]
MOST = 12
MNLI = '"mnli"'
"""The one configuration of the bundled corpus and metric."""
_OWN_BUILDERS = {"csv", "json", "text", "parquet", "arrow", "pandas", "imagefolder", "audiofolder"}
_REPORTERS = {"wandb", "mlflow", "comet_ml", "neptune", "clearml", "tensorboard", "codecarbon"}
_READS = """
    open load read_csv read_table read_json read_parquet read_feather load_dataset loadtxt
    genfromtxt from_csv from_json from_parquet from_text read_text from_file from_json_file
    parse_json_file parse_yaml_file
"""
_NAMES = {"checkpoint": "CHECKPOINT", "corpus": "DATASET", "metric": "METRIC"}


@dataclass(frozen=True)
class Elsewhere:
    """`name` as the script has it, at a line. `edits` replace text: (line, from, to, with)."""

    kind: Kind
    line: int
    name: str
    edits: tuple[tuple[int, int, int, str], ...] = ()


def elsewhere(text: str, files: Collection[str]) -> list[Elsewhere]:
    """In the order of the lines. What Python cannot read has none: that is said elsewhere."""
    try:
        tree = ast.parse(text)
        found = list(islice(_all(tree, _Text(text, tree), files), 200))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    once = {(one.kind, one.line, one.name): one for one in found}
    return sorted(once.values(), key=lambda one: one.line)[:MOST]


def swapped(text: str, chosen: Collection[Elsewhere]) -> str:
    """The script with what is bundled, or beside it, in the place of these."""
    edits = {edit for one in chosen for edit in one.edits}
    lines = text.split("\n")
    for line, start, end, new in sorted(edits, reverse=True):
        raw = lines[line - 1].encode()
        lines[line - 1] = (raw[:start] + new.encode() + raw[end:]).decode()
    names = {_NAMES[one.kind] for one in chosen if one.kind in _NAMES}
    return _importing(names, "\n".join(lines)) if names else "\n".join(lines)


class _Text:
    """The constants that a script gives a name, once, at its top level."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        self.lines = text.split("\n")
        stored = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n)]
        self._named = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and stored.count(node.targets[0].id) == 1
        }

    def constant(self, node: ast.expr | None) -> ast.Constant | None:
        """A string, written there or under the name that stands there."""
        if isinstance(node, ast.Name):
            node = self._named.get(node.id)
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return None
        return node if node.end_lineno == node.lineno else None


def _all(tree: ast.Module, text: _Text, files: Collection[str]) -> Iterator[Elsewhere]:
    yield from _packages(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = _made_here(calls)
    for call in calls:
        last = _last(call.func)
        first = text.constant(_argument(call, 0, _FIRST))
        if last == "from_pretrained" and first is not None and first.value not in made:
            yield _swap("checkpoint", first, "CHECKPOINT")
        elif last == "load_dataset" and first is not None and first.value not in _OWN_BUILDERS:
            yield _swap("corpus", first, "DATASET", _configuration(call, text))
        elif (last == "load" and _is_evaluate(call.func)) or last == "load_metric":
            if first is not None:
                yield _swap("metric", first, "METRIC", _configuration(call, text))
        elif last in _READS.split() and not _writes(call):
            yield from _files(call, text, files, made)
        yield from _reports(call, text)
    trains = any(_last(call.func) in _TRAINS for call in calls)
    if tree.body and not trains:
        yield Elsewhere("training", len(text.lines), "")


_TRAINS = ("train", "fit", "fit_generator", "backward", "step", "apply_gradients", "minimize")
_FIRST = "pretrained_model_name_or_path path"


def _swap(
    kind: Kind, given: ast.Constant, name: str, more: tuple[int, int, int, str] | None = None
) -> Elsewhere:
    edits = (_edit(given, name), *([more] if more else []))
    return Elsewhere(kind, given.lineno, str(given.value), edits)


def _edit(given: ast.Constant, new: str) -> tuple[int, int, int, str]:
    return given.lineno, given.col_offset, given.end_col_offset or 0, new


def _configuration(call: ast.Call, text: _Text) -> tuple[int, int, int, str] | None:
    """That of another data set has no meaning for the bundled one."""
    given = _argument(call, 1, "name config_name")
    if given is None:
        return None
    held = text.constant(given)
    if held is None or held.value == "mnli":
        return None
    return given.lineno, given.col_offset, given.end_col_offset or 0, MNLI


def _files(
    call: ast.Call, text: _Text, files: Collection[str], made: Collection[str]
) -> Iterator[Elsewhere]:
    inside = [*call.args, *(keyword.value for keyword in call.keywords)]
    inside += [value for node in inside if isinstance(node, ast.Dict) for value in node.values]
    inside += [one for node in inside if isinstance(node, ast.List) for one in node.elts]
    for given in filter(None, map(text.constant, inside)):
        name = str(given.value)
        last = name.replace("\\", "/").rpartition("/")[2]
        if not name.lower().endswith(DATA) or name in files or name in made:
            continue
        if "://" not in name and last in files:
            yield Elsewhere("moved", given.lineno, name, (_edit(given, f'"{last}"'),))
        else:
            yield Elsewhere("file", given.lineno, name)


def _reports(call: ast.Call, text: _Text) -> Iterator[Elsewhere]:
    for keyword in call.keywords:
        if keyword.arg != "report_to":
            continue
        several = keyword.value.elts if isinstance(keyword.value, ast.List) else []
        given = several[0] if len(several) == 1 else keyword.value
        named = text.constant(given)
        if named is None:
            continue
        missing = named.value in _REPORTERS and not _is_here(str(named.value))
        if missing or named.value == "all":
            yield Elsewhere("reporter", named.lineno, str(named.value), (_edit(named, '"none"'),))


def _packages(tree: ast.Module) -> Iterator[Elsewhere]:
    tried = {id(n) for node in ast.walk(tree) if isinstance(node, ast.Try) for n in node.body}
    for node in ast.walk(tree):
        if id(node) in tried or not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module] if node.module and not node.level else []
        for name in names:
            top = name.partition(".")[0]
            if not _is_here(top):
                yield Elsewhere("package", node.lineno, top)


def _is_here(package: str) -> bool:
    """Nothing is imported to tell: a name without a dot is looked for, no more."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return True


def _made_here(calls: list[ast.Call]) -> set[str]:
    """What the script itself writes, to read it later."""
    made = set()
    for call in calls:
        writes = _last(call.func).startswith(("save", "to_")) or _writes(call)
        given = list(call.args) if writes else []
        given += [k.value for k in call.keywords if k.arg in ("output_dir", "path_or_buf")]
        made |= {node.value for node in given if isinstance(node, ast.Constant)}
    return {name for name in made if isinstance(name, str)}


def _writes(call: ast.Call) -> bool:
    mode = _argument(call, 1, "mode")
    held = mode.value if isinstance(mode, ast.Constant) else None
    return _last(call.func) == "open" and isinstance(held, str) and held[:1] in ("w", "a", "x")


def _argument(call: ast.Call, place: int, names: str) -> ast.expr | None:
    if len(call.args) > place:
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg in names.split()), None)


def _importing(names: set[str], text: str) -> str:
    """With the import in front of all others: transformers may load TensorFlow."""
    tree = ast.parse(text)
    module = called(framework_of(text).name).assets
    lines = text.split("\n")
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == module:
            held = {alias.name for alias in node.names}
            if not names <= held:
                line = f"from {module} import {', '.join(sorted(held | names))}"
                lines[node.lineno - 1 : node.end_lineno] = [line]
            return "\n".join(lines)
    later = (node for node in tree.body if not _comes_first(node))
    at = min((_first_line(node) for node in islice(later, 1)), default=1) - 1
    lines.insert(at, f"from {module} import {', '.join(sorted(names))}")
    return "\n".join(lines)


def _comes_first(node: ast.stmt) -> bool:
    """A docstring, or what has to stand above every other import."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _first_line(node: ast.stmt) -> int:
    above = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in above)])


def _is_evaluate(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "evaluate"


def _last(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)
