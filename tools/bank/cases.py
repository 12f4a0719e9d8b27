"""The bank as checked data: base scripts, and faults as exact replacements on them.

`tests/bank/bases/<base>/` holds the files of a healthy script, `tests/bank/faults/<base>.toml` its
facts and its faults. A notebook's text, here, is the text of its code cells one after another.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from debugger.outcome import STAGES
from debugger.words import ENGLISH, tables
from debugger.words import HERE as WORDS

HOME = Path(__file__).parents[2] / "tests" / "bank"
Family = Literal[
    "setup", "input", "targets", "loss and head", "optimisation", "metric", "training loop"
]
FAMILIES: tuple[Family, ...] = get_args(Family)
Written = Literal["before the rules", "after", "fresh"]
SEEN, LATER_SEEN, FRESH = get_args(Written)
Files = Mapping[str, str]
"""The texts of a script and of what stands beside it, by file name."""


class BankError(ValueError):
    """What is wrong in one of the bank's files."""


@dataclass(frozen=True)
class Fault:
    """One documented fault.

    `codes` are the findings that name the cause: whoever reads that one sentence, with its numbers
    and nothing else of the report, knows what to repair. What only says that something is wrong
    (`SYMPTOMS`), or sends its reader to repair another thing, names no cause; `..._failed` names
    one only where the library's own message does. The sentences decide and not what the diagnosis
    says today, and for all parts of the bank alike; with no such sentence there is no code.
    `stages` is where one of them may come. `line` is text that stands once in the faulty files, on
    the line that is to blame; "" where the fault is that a line is missing and no one line is to
    blame. `source` is where people met it. `written` says whether those who write rules may look at
    it: "fresh" is held out and never tuned to, written last by somebody who had neither read the
    rules nor run them on it. "after" was once held out, in one of several rounds, until its answers
    were read; docs/SCORE.md says what each round showed then. `changes` are triples of a file's
    name, what stands there once, and what stands there instead.
    """

    id: str
    base: str
    family: Family
    cause: str
    codes: tuple[str, ...]
    stages: tuple[str, ...]
    line: str
    source: str
    written: Written
    changes: tuple[tuple[str, str, str], ...]


SYMPTOMS = frozenset(
    (
        *("cannot_memorise", "memorises_slowly", "memorises_in_time", "diverged"),
        *("does_not_fall", "stuck_at_chance"),
        *("learns_train_only", "constant_predictions", "nothing_moves", "nan_update"),
        *("nan_forward", "first_loss_off", "helped_once", "none_cures", "learns_as_it_is"),
    )
)
"""Findings that name no cause, whatever the fault."""


@dataclass(frozen=True)
class Base:
    """A healthy script. `number` is the name under which it prints how well it does, in the end,
    and `healthy` what it must at least (`better = "high"`) or at most reach to be called so."""

    id: str
    framework: Literal["pytorch", "keras"]
    task: str
    form: str
    number: str
    better: Literal["high", "low"]
    healthy: float
    faults: tuple[Fault, ...] = field(default=(), repr=False)

    @property
    def folder(self) -> Path:
        return HOME / "bases" / self.id

    @cached_property
    def main(self) -> str:
        """The file that is run."""
        return next(path.name for path in self.folder.iterdir() if path.stem in MAIN)

    @cached_property
    def files(self) -> Files:
        kept = sorted(p for p in self.folder.iterdir() if p.suffix in (".py", ".ipynb"))
        return {path.name: _read(path) for path in kept}


MAIN = ("script", "notebook")


@dataclass(frozen=True)
class Case:
    """A script to be looked at: a base, or a fault on it, maybe rewritten."""

    base: Base
    files: Files
    main: str
    fault: Fault | None = None
    rewriting: str = "as written"
    moved_to: tuple[str, int] | None = None

    @property
    def id(self) -> str:
        return self.fault.id if self.fault else self.base.id

    @property
    def to_blame(self) -> tuple[str, int] | None:
        """The file and the line (from 1 on) where the fault stands."""
        if self.moved_to is not None:
            return self.moved_to
        if self.fault is None or not self.fault.line:
            return None
        return place_of(self.files, self.fault.line)

    def lay(self, folder: Path) -> Path:
        """Write it down as its author would have it, and give the path of what is run."""
        for name, text in self.files.items():
            notebook = name.endswith(".ipynb")
            (folder / name).write_text(as_notebook(text) if notebook else text, encoding="utf-8")
        return folder / self.main


def bases() -> list[Base]:
    return [base_of(path) for path in sorted((HOME / "faults").glob("*.toml"))]


def healthy(base: Base) -> Case:
    return Case(base, base.files, base.main)


def broken(base: Base, fault: Fault) -> Case:
    files = dict(base.files)
    for name, old, new in fault.changes:
        if files[name].count(old) != 1:
            raise BankError(f"{fault.id}: {files[name].count(old)} times in {name}: {old!r}")
        files[name] = files[name].replace(old, new)
    return Case(base, files, base.main, fault)


def place_of(files: Files, marker: str) -> tuple[str, int]:
    found = [(name, text) for name, text in files.items() if marker in text]
    if len(found) != 1 or found[0][1].count(marker) != 1:
        times = sum(text.count(marker) for text in files.values())
        raise BankError(f"{times} times in {', '.join(files)}: {marker!r}")
    name, text = found[0]
    return name, text[: text.index(marker)].count("\n") + 1


def base_of(path: Path) -> Base:
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        base = Base(id=path.stem, **told["base"])
        faults = tuple(_fault(base, told) for told in told.get("fault", []))
    except (KeyError, TypeError) as error:
        raise BankError(f"{path.name}: {error}") from error
    return Base(**{**_fields(base), "faults": faults})


def _fields(base: Base) -> dict[str, Any]:
    return {name: getattr(base, name) for name in Base.__dataclass_fields__}


def _fault(base: Base, told: dict[str, Any]) -> Fault:
    told = dict(told)
    changes = tuple(
        (named[0] if named else base.main, old, new) for *named, old, new in told.pop("changes")
    )
    codes, stages = tuple(told.pop("codes")), tuple(told.pop("stages"))
    fault = Fault(base=base.id, changes=changes, codes=codes, stages=stages, **told)
    if fault.family not in FAMILIES or fault.written not in get_args(Written):
        raise BankError(f"{fault.id}: {fault.family!r}, {fault.written!r}")
    if not set(stages) <= set(STAGES):
        raise BankError(f"{fault.id}: {stages}")
    if wrong := [code for code in codes if code in SYMPTOMS or code not in _sentences()]:
        raise BankError(f"{fault.id}: {', '.join(wrong)}: no sentence that names a cause")
    return fault


def _sentences() -> Mapping[str, str]:
    return tables(WORDS, ENGLISH)["finding"]


def _read(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = ("".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code")
    return BETWEEN.join(cells)


BETWEEN = "\n\n\n"
"""What stands between the cells of a notebook, in its text and nowhere else."""


def as_notebook(text: str) -> str:
    cells = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for number, cell in enumerate(text.split(BETWEEN))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    )
