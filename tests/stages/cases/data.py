"""Cases of the rules in stages/data.py."""

from __future__ import annotations

from debugger.pipelines.data import Data
from debugger.pipelines.sounds import Sounds
from debugger.stages import data
from tests.stages.cases.seen import SPLIT, Case, failed, of_rows

CASES = [
    Case(data.dataset_dict, Data(None, None, is_dataset_dict=True), {"is_dataset_dict": False}),
    Case(
        data.place_noted_too_early,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="right = options.index(word)\nrng.shuffle(options)\nrows.append((options, right))",
        says={"name": "options", "place": "right"},
    ),
    of_rows(
        data.rates_differ,
        {"sounds": Sounds((4000, 8000), raw=0.1)},
        {"low": 4000, "high": 8000},
        sounds=Sounds((4000, 8000), raw=1.0),
    ),
]
