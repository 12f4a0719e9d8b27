"""Cases of the rules in stages/cutting.py."""

from __future__ import annotations

from debugger.pipelines.data import Data
from debugger.stages import cutting
from tests.stages.cases.seen import SPLIT, Case, failed, of_script

CASES = [
    Case(
        cutting.held_out_of_one_kind,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="train, test = rows[:40], rows[40:]",
        says={"one": "train", "other": "test", "field": "of", "kind": "cat", "rows": 20},
        names={"train": [{"of": "dog"}] * 40, "test": [{"of": "cat"}] * 20},
    ),
    of_script(
        cutting.sorted_then_cut,
        "rows.sort(key=len)\ntrain, test = rows[:40], rows[40:]",
        name="rows",
        at=2,
        other="test",
    ),
]
