"""What groupby makes is held against the rows that it is laid beside."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from debugger.pipelines.data import Data
from debugger.script.places import Places
from debugger.stages.frames import groups_out_of_order
from debugger.stages.judging import Verdict, View
from tests.stages.cases.seen import SPLIT
from tests.stages.test_step import FACTS

ROWS = pd.DataFrame({"who": list("abcabc"), "y": [1.0, 2.0, 3.0] * 2})
MEANS = "t['mean'] = rows.groupby('who')['y'].mean().to_numpy()"
DAYS = "by = t.groupby('who')['y']\nt['before'] = by.apply(lambda y: y.shift(1)).to_numpy()"
BY_DAY, BY_WHO = "t = t.sort_values(['day', 'who'])\n", "t = t.sort_values(['who', 'day'])\n"


def told(script: str, **names: Any) -> str | None:
    said = groups_out_of_order(Data(SPLIT, None), View(FACTS, Places(script), True, names))
    return said.severity if isinstance(said, Verdict) else None


def test_values_of_groups_beside_rows_in_another_order_are_found() -> None:
    torn = pd.DataFrame({"who": list("cab"), "mean": [1.0, 2.0, 3.0]})
    assert told(MEANS, t=torn, rows=ROWS) == "fault"
    assert told(MEANS, t=torn.assign(mean=[3.0, 1.0, 2.0]), rows=ROWS) is None


def test_what_was_changed_since_is_only_doubted() -> None:
    changed = pd.DataFrame({"who": list("abc"), "mean": [0.1, 0.2, 0.3]})
    assert told(MEANS, t=changed, rows=ROWS) == "look"
    assert told(MEANS) == "look"


@pytest.mark.parametrize(
    "script",
    [
        "t = t.sort_values('who')\n" + MEANS,
        "t = rows.groupby('who').size().reset_index()\n" + MEANS,
        "t = rows.drop_duplicates('who')\n" + MEANS,
        MEANS.replace("mean()", "transform('mean')"),
        MEANS.replace(".to_numpy()", ""),
        BY_WHO + DAYS,
        BY_DAY + DAYS.replace("'who')", "'who', group_keys=False)"),
    ],
)
def test_values_that_stand_beside_their_own_rows_are_let_be(script: str) -> None:
    assert told(script) is None


def test_rows_sorted_by_another_column_are_no_groups_one_after_the_other() -> None:
    assert told(BY_DAY + DAYS) == "fault"
    assert told("t.sort_values('day', inplace=True)\n" + DAYS) == "fault"


def test_a_table_that_is_made_of_its_own_groups_is_gone_through_once() -> None:
    assert told("rows = rows.groupby('who').head(3)\n" + MEANS) == "look"
