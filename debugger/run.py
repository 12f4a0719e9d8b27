"""What is asked for: one script, one stage, and everything that decides the answer."""

import ast
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

from debugger.outcome import StageName

WALK = "walk"
ALL = "all"
Framework = Literal["pytorch", "keras"]
FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)

_KERAS = ("tensorflow", "tf_keras", "keras")
_TRAINER = re.compile(r"transformers\.(\w+\.)*(?!TF)\w*Trainer")
_OF_TRANSFORMERS = re.compile("TF[A-Z].*|keras_callbacks")
_KERAS_LINE = re.compile(
    rf"^\s*(?:import|from)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*(?:{'|'.join(_KERAS)})\b"
    r"|^\s*(?:import|from)\s+transformers\b.*\b(?:TF[A-Z]\w*|keras_callbacks)\b",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Run:
    """The same run always gives the same answer.

    `stage` is a stage's name, "walk" (every stage up to the first that fails) or "all".
    `filename` is where the script stands on disk, when it does: imports beside it and the lines in
    tracebacks come from there. `folder` is the working folder; None means one of the run's own.
    `steps` bounds the `train` stage; with 0 nothing is trained, and `overfit` is left out too.
    """

    script: str
    stage: StageName | Literal["walk", "all"] = WALK
    seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    assets: Literal["bundled", "hub"] = "bundled"
    trusted: bool = True
    filename: str = "script.py"
    folder: str | None = None
    arguments: tuple[str, ...] = field(default=())
    steps: int = 120

    @property
    def framework(self) -> Framework:
        """Which libraries the script wants around it."""
        return framework_of(self.script)


@lru_cache(maxsize=256)
def framework_of(script: str) -> Framework:
    """ "keras" when a script imports TensorFlow or Keras, or what transformers has for them.

    One that imports a Trainer trains with PyTorch, whatever else it imports. Nothing is imported to
    tell. Where Python cannot read the script, its lines are read.
    """
    try:
        tree = ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "keras" if _KERAS_LINE.search(script) else "pytorch"
    names = _imported(tree)
    if any(_TRAINER.fullmatch(name) for name in names):
        return "pytorch"
    return "keras" if any(map(_wants_keras, names)) else "pytorch"


def _imported(tree: ast.Module) -> set[str]:
    """Dotted names of all that is imported, or looked up in a module that is."""
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


def _wants_keras(name: str) -> bool:
    top, *rest = name.split(".")
    if top == "transformers":
        return any(_OF_TRANSFORMERS.fullmatch(part) for part in rest)
    return top in _KERAS
