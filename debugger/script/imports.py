"""What a script imports, told from its text alone."""

import ast
import re
from collections.abc import Iterator

_LINE = re.compile(r"^\s*(?:from\s+([\w.]+)\s+)?import\s+(.+)$", re.MULTILINE)


def imported(script: str) -> frozenset[str]:
    """Dotted names of all that is imported, or looked up in a module that is.

    Where Python cannot read the script, its lines are read.
    """
    try:
        return frozenset(_in_tree(ast.parse(script)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(_in_lines(script))


def line_of(tree: ast.AST, module: str) -> int | None:
    """Where a module, or something out of it, is imported first."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{one.name}" for one in node.names)]
        if any(f"{name}.".startswith(f"{module}.") for name in names):
            return getattr(node, "lineno", None)
    return None


def _in_tree(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names |= {alias.name for alias in aliases}
                modules |= {alias.asname or alias.name: alias.name for alias in aliases}
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                names |= {f"{module}.{alias.name}" for alias in aliases}
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                names.add(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{modules.get(node.value.id, '')}.{node.attr}")
    return names


def _in_lines(script: str) -> Iterator[str]:
    for module, listed in _LINE.findall(script):
        for name in listed.split(","):
            first = name.split()[0].strip("()\0") if name.split() else ""
            yield f"{module}.{first}" if module else first
