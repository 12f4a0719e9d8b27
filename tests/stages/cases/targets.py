"""Cases of the rules in stages/targets.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.facts import Task
from debugger.pipelines.targets import Aims, Aligned, Targets
from debugger.stages import targets
from tests.stages.cases.seen import (
    AMOUNTS,
    FINE,
    OF_WORDS,
    SCALES,
    SPLIT,
    STEPS,
    Case,
    of_batch,
    of_loss,
    of_rows,
)
from tests.stages.test_step import FACTS

TENFOLD = tuple(10 * step for step in STEPS)


def of_labels(rule: Callable[..., Any], task: Task, seen: Aims, silent: Aims, **says: Any) -> Case:
    """A case about the labels of the training rows."""
    case = of_rows(rule, {"aims": silent}, says, aims=seen)
    return replace(case, facts=replace(FACTS, task=task))


QUANTILES = (0.0,) * 10 + (1.0,)

CASES = [
    Case(
        targets.labels_stand_for_none,
        Data(replace(SPLIT, labels=(0.0,) * 6 + tuple(200.0 + n for n in range(90))), None),
        {"train": replace(SPLIT, labels=tuple(200.0 + n for n in range(90)))},
        facts=replace(FACTS, task="regression"),
        says={"value": 0.0, "rows": 6, "of": 96, "apart": 200.0},
    ),
    Case(
        targets.targets_begin_late,
        Data(SPLIT, None, late=("4", 8)),
        {"late": None},
        facts=replace(FACTS, task="seq2seq"),
        says={"first": "4"},
    ),
    Case(
        targets.labels_lose_fractions,
        Batch({}, cut=(-0.7, -1.0)),
        {"cut": None},
        facts=replace(FACTS, task="unknown"),
        says={"was": -0.7, "now": -1.0},
    ),
    of_rows(
        targets.labels_tiled,
        {"labels": tuple((*range(n, n + 8), *range(8)) for n in range(40))},
        {"rows": 40, "of": 40, "times": 2},
        labels=tuple((*range(n, n + 8), *range(n, n + 8)) for n in range(40)),
    ),
    of_loss(
        targets.output_cannot_reach,
        {"wanted": (0.0, 1.04)},
        replace(AMOUNTS, wanted=(0.0, 1.06)),
        high=1.0,
        most=1.06,
    ),
    of_labels(targets.labels_not_finite, "regression", Aims(40, not_finite=2), Aims(40), labels=2),
    of_labels(
        targets.labels_beyond_yes_or_no, "multilabel", Aims(beyond=2.0), Aims(beyond=0.9), value=2.0
    ),
    Case(
        targets.one_label_of_several,
        Data(replace(SPLIT, labels=([0.0, 1.0, 0.0], [0.0, 0.0, 0.0]) * 20), None),
        {"train": replace(SPLIT, labels=([0.0, 1.0, 0.0], [1.0, 0.0, 1.0]) * 20)},
        facts=replace(FACTS, task="multilabel"),
        says={"rows": 40, "labels": 3},
    ),
    of_labels(
        targets.labels_not_aligned,
        "tokens",
        Aims(aligned=Aligned(40, unequal=9)),
        Aims(aligned=Aligned(40, unequal=2)),
        rows=9,
        of=40,
    ),
    of_labels(
        targets.labels_off_by_one,
        "tokens",
        Aims(aligned=Aligned(40, framed=40, first=40, first_word=40)),
        Aims(aligned=Aligned(40, framed=40, first=40, first_word=40, last_word=40, last=40)),
        moved=-1,
    ),
    of_labels(
        targets.labels_all_the_same,
        "regression",
        Aims(amounts=40, quantiles=(0.5,) * 11),
        Aims(amounts=40, quantiles=(*(0.5,) * 10, 0.6)),
        value=0.5,
    ),
    Case(
        targets.labels_of_another_scale,
        replace(SCALES, eval=replace(SPLIT, aims=Aims(amounts=40, quantiles=TENFOLD))),
        {"eval": replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS))},
        says={"other_high": 10.0},
    ),
    of_batch(targets.nothing_to_learn, {"counted": 1}, OF_WORDS, targets=Targets(0, 40)),
    Case(
        targets.output_cannot_reach,
        replace(FINE, bounds=("sigmoid", 0.0, 1.0), label_range=(0.0, 100.0)),
        {"label_range": (0.0, 1.0)},
        says={"low": 0.0, "high": 1.0, "least": 0.0, "most": 100.0},
    ),
    Case(
        targets.labels_far_off,
        replace(FINE, distance=50.0, reach=2.0),
        {"reach": 51.0},
        says={"distance": 50.0, "reach": 2.0},
    ),
    Case(
        targets.labels_hardly_differ,
        Data(replace(SPLIT, aims=Aims(amounts=40, quantiles=QUANTILES)), None),
        {"train": replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS))},
        facts=replace(FACTS, task="regression"),
        says={"value": 0.0, "rows": 40},
    ),
    of_rows(
        targets.labels_left_by_format,
        {"hidden": ("text",)},
        {"name": "label", "columns": "input_ids"},
        hidden=("text", "label"),
    ),
]
