"""Cases of the rules in stages/unkept.py."""

from __future__ import annotations

from debugger.pipelines.columns import Columns, Gap
from debugger.pipelines.data import Data
from debugger.script.heard import Heard
from debugger.stages import unkept
from tests.stages.cases.seen import SPLIT, Case, of_script

CASES = [
    Case(
        unkept.result_thrown_away,
        Data(SPLIT, None, thrown_away=("train", "map", 7, True)),
        {"thrown_away": None},
        says={"call": "map"},
    ),
    Case(
        unkept.result_thrown_away,
        Data(SPLIT, None),
        {"train": None},
        script='rows.rename_column("stars", "label")',
        says={"name": "rows", "call": "rename_column"},
    ),
    Case(
        unkept.filled_a_copy,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("inputs", 100, 569, felt=True),))),
        {"columns": Columns()},
        script='table["age"].fillna(0, inplace=True)',
        says={"name": "inputs", "rows": 100, "of": 569},
        heard=Heard(set_on_copies=[1]),
    ),
    Case(
        unkept.set_on_a_copy,
        Data(SPLIT, None, columns=Columns()),
        {"columns": Columns(gaps=(Gap("inputs", 100, 569, felt=True),))},
        script='table["age"].replace(0, 1, inplace=True)',
        heard=Heard(set_on_copies=[1]),
    ),
    of_script(
        unkept.result_thrown_away,
        "def clean(night):\n    night.interpolate()\n    return night",
        name="night",
        call="interpolate",
    ),
    Case(
        unkept.map_returns_nothing,
        Data(SPLIT, None),
        {"train": None},
        script="def cut(row):\n    tokenizer(row)\nrows = rows.map(cut)",
        says={"name": "cut"},
    ),
]
