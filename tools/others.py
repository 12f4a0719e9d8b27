"""What checkers that people can install say of the same scripts: docs/SCORE.others.md.

    python -m tools.others FOLDER

FOLDER is a virtual environment with pyflakes, pylint and torchfix; ruff is ours. They read a script
and do not run it. A checker says something of a fault when it says a thing that it
does not say of the healthy script, wherever it stands.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tools.bank.cases import Case
from tools.score import OTHERS, cases

SAID = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<said>.+)$", re.MULTILINE)
CHECKERS = {
    "ruff, its default rules": ["ruff", "check", "--isolated", "--output-format=concise", "-q"],
    "ruff, all rules about errors, NumPy, pandas": [
        *("ruff", "check", "--isolated", "--output-format=concise", "-q"),
        "--select=F,E9,B,PLE,PLW,NPY,PD,RUF,SIM,TRY",
    ],
    "pyflakes": ["pyflakes"],
    "pylint, errors and warnings": ["pylint", "--disable=C,R,import-error", "--score=n"],
    "TorchFix": ["torchfix", "--select=ALL"],
}
NOT_RUN = (
    "Not run. *They read a script*: NeuraLint (neuralint 0.0.5: its TensorFlow cannot be installed "
    "any more), pylint-ml 0.0.1 (gives one number to two rules and pylint refuses it), dslinter "
    "2.0.9 (for pylint 2). *They watch a training*, and have to be written into the script first: "
    "TheDeepChecker (tests before, in and after the fitting; wants TensorFlow 1.15), DeepLocalize "
    "(follows the numbers of every layer of a Keras model; Keras 2.2, TensorFlow 1.14), "
    "AUTOTRAINER (gradients and losses that go wrong, with repairs to try; Keras 2.3, TensorFlow "
    "2.1), UMLAUT (rules of thumb in a Keras callback, shown by a server of its own; on PyPI that "
    "name is another package). For Python 3.11 there is no TensorFlow before 2.12. On PyPI are "
    "TrainCheck 0.2.0, which needs a healthy reference run of each script first, and trainproof "
    "0.22.0, which reads the logs that a training has left. *They look at data* that one hands "
    "them, not at a script: cleanlab 2.9.0 (labels that a trained model doubts), deepchecks 0.19.1 "
    "(tables, pictures, texts)."
)
Said = list[tuple[str, int, str]]
"""File, line and words of each thing that a checker says."""


def main(environment: Path) -> None:
    every = list(cases())
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for case in every:
            lay(case, root / case.id)
        lines = list(rows(every, root, environment))
    OTHERS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def lay(case: Case, folder: Path) -> None:
    """As Python, which is what all of them read."""
    folder.mkdir()
    for name, text in case.files.items():
        (folder / name.replace(".ipynb", ".py")).write_text(text, encoding="utf-8")


def rows(every: list[Case], root: Path, environment: Path) -> Iterator[str]:
    faults = [case for case in every if case.fault]
    yield f"\n### What other checkers say of the same scripts ({datetime.now(UTC).date()})\n"
    yield (
        "*Something new*: they say of the faulty script what they do not say of the healthy one; "
        "*at the line*: and they say it at the line to blame. They read scripts, ours runs them."
    )
    yield "\n| checker | healthy scripts with a word | something new | at the line | what |"
    yield "|---|---|---|---|---|"
    for name, command in CHECKERS.items():
        program = Path(sys.executable).parent if command[0] == "ruff" else environment / "bin"
        said = run([str(program / command[0]), *command[1:]], root)
        healthy = [case for case in every if case.fault is None and said.get(case.id)]
        found = {case.id: new(case, said) for case in faults}
        there = [case for case in faults if any(at(case, *one[:2]) for one in found[case.id])]
        codes = Counter(one[2].split()[0].rstrip(":") for some in found.values() for one in some)
        yield (
            f"| {name} | {len(healthy)} of {len(every) - len(faults)} "
            f"| {sum(map(bool, found.values()))} of {len(faults)} | {len(there)} "
            f"| {', '.join(f'{code} {count}' for code, count in codes.most_common(6))} |"
        )
    yield f"\n{NOT_RUN}"


def run(command: list[str], root: Path) -> dict[str, Said]:
    """By the name of the case. A checker's exit status says only whether it found something."""
    answer = subprocess.run([*command, "."], cwd=root, capture_output=True, text=True, check=False)
    if not SAID.search(answer.stdout):
        files = [str(path.relative_to(root)) for path in sorted(root.glob("*/*.py"))]
        answer = subprocess.run(
            [*command, *files], cwd=root, capture_output=True, text=True, check=False
        )
    if "Traceback" in answer.stderr:
        raise RuntimeError(answer.stderr[-500:])
    said: dict[str, Said] = {}
    for match in SAID.finditer(answer.stdout):
        case, _, name = match["path"].removeprefix("./").partition("/")
        said.setdefault(case, []).append((name, int(match["line"]), match["said"]))
    return said


def new(case: Case, said: dict[str, Said]) -> Said:
    before = Counter(words for _, _, words in said.get(case.base.id, []))
    more: Said = []
    for one in said.get(case.id, []):
        before[one[2]] -= 1
        if before[one[2]] < 0:
            more.append(one)
    return more


def at(case: Case, name: str, line: int) -> bool:
    blamed = case.to_blame
    return blamed is not None and (blamed[0].replace(".ipynb", ".py"), blamed[1]) == (name, line)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
