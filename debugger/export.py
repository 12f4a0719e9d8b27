"""What a learner takes home: a notebook that runs on its own, and the fixed script."""

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

from debugger.outcome import STAGES, StageName
from debugger.words import Words
from scenarios import Scenario

MAY_RAISE = "raises-exception"
Cell = dict[str, Any]

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"
INSTALLED = ("transformers", "datasets", "evaluate", "accelerate", "scikit-learn")
ASSETS = """\
import copy
import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("USE_TF", "0")
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # {cpu}
HUB = "distilbert-base-uncased", "glue", "glue"
for folder in [Path.cwd(), *Path.cwd().parents]:
    if (folder / "scenarios" / "assets").is_dir():
        sys.path.insert(0, str(folder))
        break
try:
    from scenarios.assets import CHECKPOINT, DATASET, METRIC
except ImportError:
    CHECKPOINT, DATASET, METRIC = HUB
    %pip install -q {packages}
if CHECKPOINT == HUB[0]:
    print({hub})
else:
    print({bundled})

import torch
"""

# The course's own lines for each stage. Copies of the model leave the Trainer's as it was built.
LOOKS: dict[StageName, str] = {
    "setup": "type(trainer.model), trainer.args.device",
    "data": """\
example = trainer.train_dataset[0]
print(example)
print(Counter(trainer.train_dataset["label"]))
print(tokenizer.decode(example["input_ids"]))
print(len(example["input_ids"]), example["attention_mask"])
print(trainer.train_dataset.features["label"].names[example["label"]])""",
    "batch": """\
print([len(ids) for ids in trainer.train_dataset[:8]["input_ids"]])
collate = trainer.get_train_dataloader().collate_fn
print(getattr(collate, "__name__", type(collate).__name__))
batch = next(iter(trainer.get_train_dataloader()))
{name: tensor.shape for name, tensor in batch.items()}""",
    "forward": """\
print(trainer.model.config.num_labels)
print(trainer.train_dataset.features["label"].names)
batch = {name: tensor.cpu() for name, tensor in batch.items()}
outputs = copy.deepcopy(trainer.model).cpu()(**batch)
outputs.loss, outputs.logits.shape""",
    "step": """\
model = copy.deepcopy(trainer.model).cpu()
weights = list(model.parameters())
print(sum(p.requires_grad for p in weights), "of", len(weights), "may change")
model(**batch).loss.backward()
print(sum(p.grad is not None for p in weights), "have a gradient")
trainer.create_optimizer()
groups = trainer.optimizer.param_groups
held = {id(weight) for group in groups for weight in group["params"]}
names = [n for n, p in trainer.model.named_parameters() if id(p) not in held]
print("not in the optimizer:", names)
[group["lr"] for group in groups]""",
    "evaluate": """\
eval_batch = next(iter(trainer.get_eval_dataloader()))
with torch.no_grad():
    outputs = trainer.model(**eval_batch)
predictions = outputs.logits.cpu().numpy()
labels = eval_batch["labels"].cpu().numpy()
print(predictions.shape, labels.shape)
trainer.compute_metrics((predictions, labels))""",
    "overfit": """\
model = copy.deepcopy(trainer.model).cpu().train()
optimizer = torch.optim.AdamW(
    model.parameters(), lr=trainer.args.learning_rate
)
for _ in range(20):
    outputs = model(**batch)
    outputs.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
right = outputs.logits.argmax(dim=-1) == batch["labels"]
outputs.loss.item(), right.float().mean().item()""",
}
PROOF_STEPS = 120
TRAIN = """\
trainer.args.max_steps = {steps}
trainer.args.logging_steps = 10
trainer.eval_dataset = trainer.eval_dataset.select(range(256))
trainer.train()
predictions = trainer.predict(trainer.eval_dataset).predictions
Counter(predictions.argmax(axis=1).tolist())"""


def fixed_script(scenario: Scenario) -> str:
    """The healthy script, as one file that runs by itself beside the clinic."""
    return scenario.twin


def notebook(scenario: Scenario, language: str = "en") -> dict[str, Any]:
    """The scenario as an nbformat 4 notebook. A cell that may fail carries `raises-exception`."""
    words = Words(language)
    cells = [
        _markdown(_opening(scenario, words)),
        _code(_assets(words)),
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
        _code(TRAIN.format(steps=PROOF_STEPS)),
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


def pinned() -> list[str]:
    """What a notebook needs where the clinic is not installed, as the clinic itself pins it."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").split()
    return [line for line in lines if line.partition("==")[0] in INSTALLED]


def script_cells(script: str) -> list[str]:
    """The script up to its last training, cut where a blank line stands between statements.

    An earlier training stays in: what comes after it is made of what it leaves.
    The line that imports the assets is left out: the notebook's first cell has chosen them.
    """
    lines = script.splitlines()
    cells: list[str] = []
    end = 0
    body = ast.parse(script).body
    trainings = [place for place, node in enumerate(body) if ast.unparse(node) == "trainer.train()"]
    for statement in body[: max(trainings, default=len(body))]:
        if isinstance(statement, ast.ImportFrom) and statement.module == "scenarios.assets":
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


def _assets(words: Words) -> str:
    said = {key: json.dumps(words.say("notebook", key)) for key in ("bundled", "hub")}
    packages = " ".join(pinned())
    return ASSETS.format(cpu=words.say("notebook", "cpu"), packages=packages, **said)


def _look(scenario: Scenario, stage: StageName) -> str:
    return LOOKS.get(stage) or TRAIN.format(steps=scenario.checks.steps)


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
        words.say("notebook", "assets", packages=", ".join(pinned())),
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
    choices = "\n".join(f"- {choice}" for choice in sorted(question.choices))
    return f"## {title}\n\n{question.ask}\n\n{choices}"


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
