"""Cases of the rules in stages/numbering.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.data import Data
from debugger.pipelines.inputs import Read
from debugger.pipelines.trying import Worded
from debugger.stages import numbering
from tests.stages.cases.seen import SPLIT, Case

IN_TURNS = tuple((10 * (n % 2), 10 * (n % 2) + 1, 5 + n % 3) for n in range(80))

TOLD = Worded(IN_TURNS, (0, 1) * 40)

TURNED = Worded(IN_TURNS, (1, 0) * 40)

CASES = [
    Case(
        numbering.same_word_other_number,
        Data(
            replace(SPLIT, read=Read(spelled={"0": "no", "1": "yes"}, spelled_in="said")),
            replace(SPLIT, read=Read(spelled={"0": "yes", "1": "no"}, spelled_in="said")),
        ),
        {"eval": replace(SPLIT, read=Read(spelled={"1": "yes", "2": "un"}, spelled_in="said"))},
        says={"word": "no", "train": "0", "other": "1", "moved": 2},
    ),
    Case(
        numbering.eval_numbered_otherwise,
        Data(SPLIT, SPLIT, both=(TOLD, TURNED)),
        {"both": (TOLD, TOLD)},
        says={"label": 0, "other": 1, "moved": 2, "anew": 1.0, "as_it_is": 0.0},
    ),
]
