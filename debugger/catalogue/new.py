"""A new scenario to fill in: `python -m debugger new ID`."""

import re
from pathlib import Path

from debugger.catalogue.loading import ROOT, find, folders, order_in
from debugger.catalogue.scenario import FACTS, REPAIRS, SCRIPT, WORDS, ScenarioError
from debugger.frameworks import NAMES, called

TEMPLATE = ROOT / "template"
ID = re.compile(r"[a-z][a-z0-9_]*")
BETWEEN = 5


def make(scenario_id: str, framework: str = NAMES[0], root: Path = ROOT) -> Path:
    """The folder, with a healthy script and every key to fill in. OSError where it cannot be."""
    if not ID.fullmatch(scenario_id):
        raise ScenarioError(
            f"{scenario_id!r} cannot be an id: it should be lower-case letters, digits and "
            "underscores, a letter first, such as wrong_split."
        )
    others = folders(root)
    if scenario_id in [folder.name for folder in others]:
        raise ScenarioError(f"There is a scenario {scenario_id!r} already. Take another id.")
    folder = root / framework / scenario_id
    filled = {"{id}": scenario_id, "{framework}": framework}
    filled |= {"{order}": str(max(map(order_in, others), default=0) + BETWEEN)}
    texts = {SCRIPT: find(called(framework).healthy).twin}
    for name in (FACTS, WORDS, REPAIRS):
        text = (TEMPLATE / name).read_text(encoding="utf-8")
        for mark, value in filled.items():
            text = text.replace(mark, value)
        texts[name] = text
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
