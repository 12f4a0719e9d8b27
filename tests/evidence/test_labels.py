"""What people read in evidence travels as codes; what is the learner's own stands as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import debugger
from debugger import diagnose
from debugger.evidence import html, text
from debugger.evidence.tables import own_table, pairs, say, table
from debugger.outcome import Evidence
from debugger.words import HERE, Words, tables
from tests import tiny

SOURCES = "".join(
    path.read_text(encoding="utf-8") for path in Path(debugger.__file__).parent.rglob("*.py")
)


class Coded(Words):
    """Says everything as <table.code>, so that nothing in English can hide."""

    def say(self, table: str, code: str, **numbers: Any) -> str:
        return f"<{table}.{code}>"


def as_text(evidence: Evidence) -> str:
    return "\n".join(line.text for line in text.shown(evidence, Coded(), 200))


def labels(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """All codes that evidence holds, each with the table of words that it is said by."""
    yield from (("series", code) for code in data.get("series", ()))
    yield from (("mark", code) for code in data.get("marks", ()))
    named = [("column", column) for column in data.get("columns", ())]
    named += [
        ("cell", cell) for row in data.get("rows", ()) if isinstance(row, list) for cell in row
    ]
    yield from ((table, label["say"]) for table, label in named if isinstance(label, dict))


def test_every_label_of_a_whole_run_has_its_word() -> None:
    report = diagnose(tiny.classifier(), stage="all", steps=4)
    said = {label for s in report.stages for e in s.evidence for label in labels(e.data)}

    assert len(said) > 40
    assert [label for label in said if not Words().has(*label)] == []


@pytest.mark.parametrize("name", ["column", "cell", "series", "mark"])
def test_no_label_is_idle(name: str) -> None:
    codes = [re.sub("^(twin|broken)_", "", code) for code in tables(HERE, "en")[name]]

    idle = [one for one in codes if f'"{one}"' not in SOURCES and f"def {one}(" not in SOURCES]
    assert idle == []


def test_columns_of_ours_are_said_and_columns_of_the_learner_stand_as_they_are() -> None:
    ours = table("fields", "batch", ["rows"], [[3]])
    own = own_table("first_rows", "data", ["rows"], [["label"]])

    assert "column.rows" in html.shown(ours, Coded())
    assert "<column.rows>" in as_text(ours)
    assert "column.rows" not in html.shown(own, Coded()) + as_text(own)
    assert re.search(r"<th scope=.col.>rows</th>", html.shown(own, Coded()))


def test_a_cell_that_is_said_and_one_that_is_verbatim_are_told_apart() -> None:
    shown = pairs("head", "forward", [("model", "loss"), ("loss", say("models_own"))])

    assert as_text(shown).splitlines()[1:] == [
        "<cell.model>   loss",
        "<cell.loss>    <cell.models_own>",
    ]
    assert "&lt;cell.models_own&gt;" in html.shown(shown, Coded())


def test_numbers_stand_where_the_words_want_them() -> None:
    shown = pairs("optimizer", "step", [("loss", say("part_of", part=1200, whole=5000))])

    assert "1,200 of 5,000" in html.shown(shown, Words())


def test_a_code_that_nobody_knows_is_shown_as_it_is() -> None:
    odd = Evidence("chart", "learning", "train", {"series": {"<b>odd": [[1, 2.0], [2, 1.0]]}})

    assert "&lt;b&gt;odd 1" in html.shown(odd, Words())
    assert "<b>odd" in as_text(odd)


def test_panels_and_twins_are_told_by_their_codes_in_any_language() -> None:
    series = {code: [[1, 0.5], [2, 0.4]] for code in ("loss", "twin_loss", "twin_accuracy")}
    data = {"series": series, "marks": {"majority": 0.3}}
    drawn = html.chart(data, Coded())

    assert drawn.count("<svg") == 2
    assert drawn.count('class="line twin"') == 2
    shares = drawn.split("</svg>")[1]
    assert "series.twin_accuracy" in shares
    assert "mark.majority" in shares
