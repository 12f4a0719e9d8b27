"""What a learner takes home: a notebook that runs on its own, and the fixed script."""

import ast
import json
import textwrap
from importlib import metadata
from pathlib import Path
from typing import Any

from debugger.catalogue import Scenario
from debugger.frameworks import called
from debugger.outcome import STAGES, StageName
from debugger.words import Words

MAY_RAISE = "raises-exception"
Cell = dict[str, Any]
ASSETS = "scenarios.assets."

PACKAGE = "training-clinic"
REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
"""Of a checkout that nobody installed as a package, such as a Space."""

PROOF_STEPS = 120


def notebook(scenario: Scenario, language: str = "en") -> dict[str, Any]:
    """The scenario as an nbformat 4 notebook. A cell that may fail carries `raises-exception`."""
    words = Words(language)
    cells = [
        _markdown(_opening(scenario, words)),
        _code(_assets(scenario.framework, words)),
        _markdown(f"## {words.say('notebook', 'script')}"),
        *(_code(cell, may_raise=True) for cell in script_cells(scenario.script)),
        _markdown(_hints(scenario, words)),
    ]
    for number, stage in enumerate(STAGES, 1):
        cells.append(_markdown(_question(scenario, words, number, stage)))
        cells.append(_code(_look(scenario, stage), may_raise=True))
    cells += [
        _markdown(_repairs(scenario, words)),
        _markdown(f"## {words.say('notebook', 'repaired')}\n\n{scenario.words.lesson}"),
        _code("\n\n".join(script_cells(scenario.twin))),
        _markdown(words.say("notebook", "proof", steps=PROOF_STEPS)),
        _code(called(scenario.framework).cells.train.format(steps=PROOF_STEPS)),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"{scenario.id.replace('_', '-')}-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_notebook(scenario: Scenario, path: Path, language: str = "en") -> None:
    """The notebook as a file that Jupyter and Colab open."""
    text = json.dumps(notebook(scenario, language), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def pinned(framework: str) -> list[str]:
    """What a notebook needs where the clinic is not installed, as the clinic itself pins it."""
    try:
        lines = [line.partition(";")[0].strip() for line in metadata.requires(PACKAGE) or ()]
    except metadata.PackageNotFoundError:
        lines = REQUIREMENTS.read_text(encoding="utf-8").split()
    return [line for line in lines if line.partition("==")[0] in called(framework).cells.packages]


def script_cells(script: str) -> list[str]:
    """The script up to its last training, cut where a blank line stands between statements.

    An earlier training stays in: what comes after it is made of what it leaves.
    The line that imports the assets is left out: the notebook's first cell has chosen them.
    """
    lines = script.splitlines()
    cells: list[str] = []
    end = 0
    body = ast.parse(script).body
    trainings = [place for place, node in enumerate(body) if _trains(node)]
    for statement in body[: max(trainings, default=len(body))]:
        if isinstance(statement, ast.ImportFrom) and f"{statement.module}.".startswith(ASSETS):
            end = statement.end_lineno or end
            continue
        piece = lines[end : statement.end_lineno]
        text = "\n".join(piece).strip("\n")
        if cells and piece[0].strip():
            cells[-1] += f"\n{text}"
        else:
            cells.append(text)
        end = statement.end_lineno or end
    return cells


def _trains(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return ast.unparse(node.value.func) in ("trainer.train", "model.fit")


def _markdown(source: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str, may_raise: bool = False) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": [MAY_RAISE]} if may_raise else {},
        "outputs": [],
        "source": source,
    }


def _assets(framework: str, words: Words) -> str:
    said = {key: json.dumps(words.say("notebook", key)) for key in ("bundled", "hub")}
    packages = " ".join(pinned(framework))
    first = called(framework).cells.assets
    return first.format(cpu=words.say("notebook", "cpu"), packages=packages, **said)


def _look(scenario: Scenario, stage: StageName) -> str:
    cells = called(scenario.framework).cells
    return cells.looks.get(stage) or cells.train.format(steps=scenario.checks.steps)


def _opening(scenario: Scenario, words: Words) -> str:
    said, course, origin = scenario.words, scenario.course, scenario.origin
    parts = [
        f"# {said.title}",
        textwrap.indent(said.complaint, "> "),
        words.say("notebook", "intro"),
        words.say(
            "notebook",
            "course",
            title=course.title,
            url=course.url,
            origin=origin.title,
            origin_url=origin.url,
        ),
        words.say("notebook", "assets", packages=", ".join(pinned(scenario.framework))),
    ]
    return "\n\n".join(parts)


def _hints(scenario: Scenario, words: Words) -> str:
    hints = scenario.words.hints
    folded = [
        _folded(words.say("notebook", "hint", number=number, of=len(hints)), hint)
        for number, hint in enumerate(hints, 1)
    ]
    return "\n\n".join([f"## {words.say('notebook', 'hints')}", *folded])


def _question(scenario: Scenario, words: Words, number: int, stage: StageName) -> str:
    """Choices in the order of the alphabet, so that their place does not tell the right one."""
    question = scenario.words.questions[stage]
    title = words.say(
        "notebook", "stage", number=number, stage=stage, question=words.say("stage", stage)
    )
    told = list(zip(question.choices, question.because, strict=True))
    choices = "\n".join(f"- {choice}" for choice in sorted(question.choices))
    right = words.say("notebook", "right", choice=told[0][0])
    why = [f"{right} {told[0][1]}", *(f"**{choice}**: {because}" for choice, because in told[1:])]
    answer = _folded(words.say("notebook", "answer"), "\n\n".join(why))
    return f"## {title}\n\n{question.ask}\n\n{choices}\n\n{answer}"


def _repairs(scenario: Scenario, words: Words) -> str:
    said = [scenario.words.fixes[fix.id] for fix in sorted(scenario.fixes, key=scenario.place)]
    nothing = words.say("notebook", "change_nothing")
    happens = words.say("notebook", "stays_healthy" if scenario.decoy else "stays_broken")
    offered = {fix.label: fix.says for fix in said} | {nothing: happens}
    labels = sorted(f"- {label}" for label in offered)
    answers = "\n\n".join(f"**{label}**: {says}" for label, says in offered.items())
    stacked = words.say("notebook", "stacked", count=len(scenario.twin_fixes))
    parts = [
        f"## {words.say('notebook', 'repairs')}",
        *([stacked] if scenario.stacked else []),
        "\n".join(labels),
        _folded(words.say("notebook", "repairs_says"), answers),
    ]
    if scenario.course_message:
        parts += [
            words.say("notebook", "course_message", year=scenario.course_message.year),
            f"```\n{scenario.course_message.text}\n```",
            scenario.words.since_then or "",
        ]
    return "\n\n".join(parts)


def _folded(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"
