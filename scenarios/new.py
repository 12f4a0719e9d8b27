"""A new scenario to fill in: `python -m debugger new ID`."""

import re
from pathlib import Path

import scenarios
from debugger.run import Framework
from scenarios import FACTS, HERE, SCRIPT, WORDS, ScenarioError

TEMPLATE = HERE / "template"
HEALTHY: dict[Framework, str] = {"pytorch": "two_labels", "keras": "adam_by_name"}
"""Any scenario whose twin is the plain healthy script."""
ID = re.compile(r"[a-z][a-z0-9_]*")
BETWEEN = 5


def make(scenario_id: str, framework: Framework = "pytorch", root: Path = HERE) -> Path:
    """The folder, with a healthy script and every key to fill in. OSError where it cannot be."""
    if not ID.fullmatch(scenario_id):
        raise ScenarioError(
            f"{scenario_id!r} cannot be an id: it should be lower-case letters, digits and "
            "underscores, a letter first, such as wrong_split."
        )
    folders = [folder for name in scenarios.FRAMEWORKS for folder in (root / name).glob("[!_.]*")]
    if scenario_id in [folder.name for folder in folders]:
        raise ScenarioError(f"There is a scenario {scenario_id!r} already. Take another id.")
    folder = root / framework / scenario_id
    filled = {"{id}": scenario_id, "{framework}": framework}
    filled |= {"{order}": str(_last_order(folders) + BETWEEN)}
    texts = {SCRIPT: scenarios.find(HEALTHY[framework]).twin}
    for name in (FACTS, WORDS):
        text = (TEMPLATE / name).read_text(encoding="utf-8")
        for mark, value in filled.items():
            text = text.replace(mark, value)
        texts[name] = text
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _last_order(folders: list[Path]) -> int:
    """Read from the text: a neighbour may still wait to be filled in."""
    found = [
        re.search(r"^order = (\d+)", _text(folder / FACTS), re.MULTILINE) for folder in folders
    ]
    return max((int(order[1]) for order in found if order), default=0)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
