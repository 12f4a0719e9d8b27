"""Figures and evidence: hostile text stays text, and every number is there for those who listen."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from debugger.evidence import figures
from debugger.evidence.html import shown
from debugger.evidence.markup import escape
from debugger.evidence.tables import matrix
from debugger.outcome import Evidence
from debugger.web import listing
from debugger.words import Words

WORDS = Words()
WIDEST = figures.WIDE - 270
"""Between the names and the numbers."""
HOSTILE = "<img src=x onerror=alert(1)>{{1+1}}${2+2}"


def harmless(html: str) -> bool:
    return "<img" not in html and "{{" not in html and "${" not in html


def test_hostile_text_stays_text_wherever_it_stands() -> None:
    trace = {
        "exception": HOSTILE,
        "message": HOSTILE,
        "frames": [{"file": HOSTILE, "line": 3, "name": HOSTILE, "code": HOSTILE, "own": True}],
    }
    tokens = {"rows": [{"tokens": [HOSTILE], "mask": [1], "label": HOSTILE}]}
    table = {"columns": [HOSTILE], "rows": [[HOSTILE]]}
    series = {"series": {HOSTILE: [[1, 0.5], [2, 0.4]]}, "marks": {HOSTILE: 0.3}}
    row = [[HOSTILE, HOSTILE]]
    updates = {"series": {"update": [[0, 0.5]]}, "labels": [HOSTILE], "range": []}
    all_kinds = [
        Evidence("traceback", "traceback", "batch", trace, HOSTILE),
        Evidence("tokens", "decoded", "data", tokens),
        Evidence("table", "fields", "batch", table),
        Evidence("chart", "learning", "train", series),
        Evidence("text", "console", "setup", {"text": HOSTILE}),
        Evidence("matrix", "predicted", "train", {"classes": [HOSTILE], "counts": [[1]]}),
        Evidence("ragged", "collision", "batch", {"field": HOSTILE, "lengths": [3, 2]}),
        Evidence("example", "example", "batch", {"tokens": [HOSTILE], "mask": [1], "rows": row}),
        Evidence("chart", "updates", "step", updates),
    ]
    for evidence in all_kinds:
        assert harmless(shown(evidence, WORDS)), evidence.kind
    assert harmless(listing.script(HOSTILE, HOSTILE, {1: [("fault", escape(HOSTILE))]}))
    assert harmless(listing.diff("x = 1", HOSTILE, HOSTILE, {"gone": "-", "new": "+"}))


def test_a_chart_says_its_numbers_and_keeps_losses_and_shares_apart() -> None:
    data = {
        "series": {
            "loss": [[1, 1.1], [2, 0.5]],
            "twin_loss": [[1, 1.1], [2, 0.25]],
            "accuracy": [[2, 0.75]],
        },
        "marks": {"chance": 1.0986},
        "parted_at": 2,
    }
    drawn = figures.chart(data, WORDS)
    assert drawn.count("<svg") == 2
    assert "loss of the twin: 1.1 → 0.25" in drawn
    assert 'class="parted"' in drawn
    assert 'class="line twin"' in drawn
    assert "ln(classes) 1.099" in drawn


def test_a_chart_of_nothing_but_nan_is_no_chart() -> None:
    assert figures.chart({"series": {"loss": [[1, None]]}}, WORDS) == ""


def test_names_beside_a_chart_never_overlap() -> None:
    series = {f"eval {n}": [[1, 0.5], [2, 0.5]] for n in range(5)}
    drawn = figures.chart({"series": series}, WORDS)
    places = sorted(
        float(y) for y in re.findall(r'class="name \w+" x="[\d.]+" y="([\d.]+)"', drawn)
    )
    assert len(places) == 5
    assert all(low - high >= 14 for high, low in pairwise(places))


def test_an_example_with_no_finite_loss_says_nan() -> None:
    series = {"loss": [[0, 1.1], [1, None]]}
    data = {"series": series, "labels": ["0", "2"], "marks": {"chance": 0.69}}
    drawn = figures.bars(data, WORDS)
    assert ">nan<" in drawn
    assert drawn.count('class="bar"') == 1


def test_every_figure_has_its_numbers_as_a_table() -> None:
    data = {"series": {"loss": [[1, 1.5], [2, 0.25]]}, "marks": {}}
    html = shown(Evidence("chart", "memory", "overfit", data), WORDS)
    assert "<td" in html
    assert ">1.5<" in html
    assert ">0.25<" in html


def test_a_padding_map_says_how_much_is_padding() -> None:
    mask = {"shape": [2, 4], "dtype": "int64", "low": 0, "high": 1}
    mask["values"] = [[1, 1, 1, 1], [1, 1, 0, 0]]
    html = shown(Evidence("tensor", "padding", "batch", mask), WORDS)
    assert html.count('class="token"') == 6
    assert "25%" in html


def test_a_finding_stands_under_its_line_and_marks_it() -> None:
    html = listing.script("a = 1\nb = 2\n", "script", {2: [("fault", "two is wrong")]})
    assert 'class="row fault" id="line-2"' in html
    assert html.index('id="line-2"') < html.index("two is wrong")


def test_a_diff_numbers_both_sides() -> None:
    html = listing.diff("a\nb\nc", "a\nB\nc", "changes", {"gone": "removed", "new": "added"})
    assert 'class="del"><td class="no">2</td><td class="no"></td>' in html
    assert 'class="add"><td class="no"></td><td class="no">2</td>' in html
    assert "removed" in html


def test_rows_that_do_not_fit_are_drawn_against_the_first_one() -> None:
    data = {"field": "input_ids", "lengths": [3, 4, 2]}
    html = shown(Evidence("ragged", "collision", "batch", data), WORDS)
    assert html.count('class="token"') == 3 + 3 + 2
    assert html.count('class="over"') == 1
    assert html.count('class="gap"') == 1
    assert "Row 1 has 3 input_ids and sets the width. Row 2 has 4" in html
    assert html.count("✗") == 1


def test_how_far_blocks_moved_is_drawn_on_a_logarithmic_scale() -> None:
    data = {
        "series": {"update": [[0, 1e-3], [1, 1e-1], [2, 0.0], [3, 1e-1], [4, 0.0]]},
        "labels": ["body", "too.far", "still", "head", "kept"],
        "new": ["head"],
        "frozen": ["kept"],
        "range": [1e-6, 2e-2],
    }
    drawn = figures.updates(data, WORDS)
    wide = [float(width) for width in re.findall(r'class="bar[^>]*width="([\d.]+)"', drawn)]
    ticks = re.findall(r'<text class="tick mid"[^>]*>([^<]*)', drawn)
    assert wide[1] - wide[0] == pytest.approx(2 * (WIDEST / (len(ticks) - 1)), abs=0.2)
    assert wide[2] == 0
    assert wide[3] == wide[1]
    assert drawn.count('class="bar odd"') == 2
    assert "too.far: 0.1" in drawn
    assert "kept: 0, frozen" in drawn


def test_labels_and_answers_stand_in_a_table_with_what_is_right_on_its_diagonal() -> None:
    evidence = matrix("predicted", "train", {(0, 0): 5, (0, 1): 2, (2, 1): 4}, ("yes", "no"))
    html = shown(evidence, WORDS)
    assert evidence.data == {
        "classes": ["yes", "no", "2"],
        "counts": [[5, 2, 0], [0, 0, 0], [0, 4, 0]],
    }
    assert re.findall(r'class="num right"[^>]*>(\d+)', html) == ["5", "0", "0"]
    assert re.findall(r'class="num miss"[^>]*>(\d+)', html) == ["2", "0", "0", "0", "0", "4"]


def test_curves_of_repairs_that_were_tried_have_their_number() -> None:
    series = {"loss": [[1, 1.1], [2, 0.5]], "tried1:loss": [[1, 1.1], [2, 1.0]]}
    drawn = figures.chart({"series": {**series, "tried1:accuracy": [[2, 0.3]]}}, WORDS)
    assert "loss, try 1: 1.1 → 1" in drawn
    assert drawn.count("<svg") == 2
    assert 'class="line tried"' in drawn
