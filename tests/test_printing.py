"""A report as text and as HTML, through the two functions that print it."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from debugger.evidence.text import cells, cut, sparkline
from debugger.outcome import (
    STAGES,
    Accepted,
    Ending,
    Event,
    Evidence,
    EvidenceKind,
    Finding,
    Found,
    NotRun,
    Outcome,
    Point,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.printing import ReadableReport, to_html, to_text
from debugger.report import Report, gather

HOSTILE = "<script>alert(1)</script>\x1b]0;owned\x07\u202e{{1+1}}"
DATA: dict[EvidenceKind, dict[str, Any]] = {
    "text": {"text": f"first {HOSTILE}\n" + "more\n" * 20},
    "table": {"columns": ["name", HOSTILE], "rows": [[n, HOSTILE] for n in range(9)]},
    "tokens": {"rows": [{"tokens": ["[CLS]", HOSTILE, "[PAD]"], "mask": [1, 1, 0], "label": 2}]},
    "tensor": {"dtype": "int64", "shape": [8, 20], "low": 0, "high": 30521, "values": [[1, 2]]},
    "chart": {
        "series": {HOSTILE: [[1, 1.5], [2, None], [3, float("nan")], [4, 0.5]], "empty": []},
        "marks": {"chance": 1.0986},
    },
    "traceback": {
        "exception": "ValueError",
        "message": f"expected sequence {HOSTILE}",
        "frames": [
            {"file": "script.py", "line": 38, "name": "<module>", "code": "train()", "own": True},
            {"file": "lib.py", "line": 9, "name": "_inner", "code": "raise", "own": False},
        ],
    },
}


def finding(**changes: Any) -> Finding:
    numbers = {"shortest": 16, "longest": 21, "collator": "default_data_collator", "batch_size": 8}
    return replace(Finding("ragged_batch", "fault", "batch", 49, numbers), **changes)


def report(outcome: Ending = "fail", evidence: tuple[Evidence, ...] = (), *more: Event) -> Report:
    return gather(
        [
            Accepted("t"),
            StageStarted("setup"),
            StageEnded("setup", "pass", 1.25),
            StageStarted("batch"),
            *(Shown(shown) for shown in evidence),
            *more,
            StageEnded("batch", outcome, 0.5, (NotRun("no_pad_token", "not_for_this_task"),)),
            Outcome(outcome, "cpu", 1.8, {"torch": "2.13.0"}),
        ]
    )


def of_every_kind() -> tuple[Evidence, ...]:
    return tuple(Evidence(kind, "fields", "batch", data, "batch") for kind, data in DATA.items())


def test_a_stage_is_a_line_with_its_state_and_its_seconds() -> None:
    lines = to_text(report("pass")).splitlines()
    assert re.fullmatch(r"✓ passed +setup +1\.25 s", lines[0])
    assert re.fullmatch(r"✓ passed +batch +0\.50 s", lines[1])
    assert lines[2].startswith("· not run")
    assert "train" in lines[2]
    assert "Nothing wrong was found in 2 stages." in lines


def test_a_finding_stands_under_its_stage_with_line_and_sentence() -> None:
    text = to_text(report("fail", (), Found(finding())), 100)
    assert re.search(r"✗ failed +batch .*\n    fault at line 49: .*16.*21", text)
    assert "A fault was found in the stage batch, at line 49." in text


def test_a_fault_without_a_line_says_so_and_not_line_none() -> None:
    text = to_text(report("fail", (), Found(finding(line=None))))
    assert "    fault: " in text
    assert "A fault was found in the stage batch." in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        ("look", "No fault was found in 2 stages, but something deserves a closer look."),
        ("unknown", "No fault was found in 1 stage. Could not be judged: batch."),
        ("stopped", "The run was stopped in the stage batch, before the rest could be judged."),
    ],
)
def test_the_last_sentence_says_how_it_ended(outcome: Ending, sentence: str) -> None:
    assert sentence in to_text(report(outcome))
    assert sentence in to_html(report(outcome))


def test_where_nothing_was_judged_the_last_sentence_says_so() -> None:
    ended = StageEnded("setup", "unknown", 1.25)
    nothing = gather([StageStarted("setup"), ended, Outcome("unknown", "cpu", 1.8, {})])
    assert "This could not be judged." in to_text(nothing)


def test_rules_that_could_not_judge_stand_under_the_stage_that_failed() -> None:
    assert "Not judged (no_pad_token): it has no meaning for this task" in to_text(report())
    assert "no_pad_token" not in to_text(report("pass"))


def test_many_rules_that_could_not_judge_are_counted_and_stand_folded() -> None:
    rules = [f"rule_{number}" for number in range(4)]
    ended = StageEnded("batch", "fail", 0.1, tuple(NotRun(rule, "no_labels") for rule in rules))
    many = gather([StageStarted("batch"), ended, Outcome("fail", "cpu", 0.1, {})])
    assert "Not judged (4 rules): no class labels reach the model" in to_text(many)
    assert "rule_3" in to_html(many).partition("Rules that could not judge</summary>")[2]


@pytest.mark.parametrize("width", [48, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    wide = Evidence("table", "fields", "batch", {"columns": ["a", "b"], "rows": [["字" * 90] * 2]})
    text = to_text(report("fail", (*of_every_kind(), wide), Found(finding())), width)
    assert max(cells(line) for line in text.splitlines()) <= width


def test_what_a_script_wrote_cannot_drive_the_terminal() -> None:
    text = to_text(report("fail", of_every_kind()), 120)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "\\x1b" in text


def test_colour_comes_only_when_asked_for_and_changes_no_word() -> None:
    plain, coloured = to_text(report(), 80), to_text(report(), 80, colour=True)
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def test_long_evidence_is_folded_with_a_count() -> None:
    text = to_text(report("fail", of_every_kind()), 200)
    assert "13 more lines" in text
    assert "3 more rows" in text
    assert "1 library frame folded" in text
    assert "script.py:38" in text
    assert "lib.py" not in text


def test_the_one_stage_that_was_asked_for_shows_its_evidence_and_its_snippet() -> None:
    events = [
        StageStarted("data"),
        Shown(Evidence("text", "decoded", "data", {"text": "[CLS] hi"}, "tokenizer.decode(ids)")),
        StageEnded("data", "pass", 0.1),
        Outcome("pass", "cpu", 0.1),
    ]
    text = to_text(gather(events))
    assert "[CLS] hi" in text
    assert ">>> tokenizer.decode(ids)" in text


def test_live_points_are_drawn_when_a_run_ended_before_its_chart() -> None:
    points = [Point("batch", "loss", n, y) for n, y in enumerate([2.0, 1.0, None, 0.5])]
    stopped = report("stopped", (), *points)
    assert "loss  █▃ ▁  2 → 0.5" in to_text(stopped)
    assert "<polyline" in to_html(stopped)


def test_a_sparkline_of_nothing_and_of_one_height_is_no_error() -> None:
    assert sparkline([]) == ""
    assert sparkline([1.0, 1.0]) == "▁▁"
    assert sparkline([None]) == " "


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("line", "circle", "polyline"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_html_is_well_formed_and_asks_nobody_for_anything() -> None:
    html = to_html(report("fail", of_every_kind(), Found(finding())))
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.links == []
    assert "url(" not in html
    assert {"details", "svg", "table", "pre"} <= tags.seen
    assert "script" not in tags.seen
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html


def test_the_html_opens_what_failed_and_folds_what_passed() -> None:
    html = to_html(report())
    assert re.search(r"<details open><summary>.{0,120}<b>batch</b>", html)
    assert re.search(r"<details><summary>.{0,120}<b>setup</b>", html)


def test_a_report_shows_itself_in_a_notebook() -> None:
    shown = ReadableReport(**vars(report()))
    assert shown._repr_html_() == to_html(report())
    assert str(shown) == to_text(report())


def test_every_stage_and_every_ending_has_its_words() -> None:
    for ending in ("pass", "look", "fail", "unknown", "stopped"):
        for stage in STAGES:
            events = [StageStarted(stage), StageEnded(stage, ending, 0.0), Outcome(ending, "", 0)]
            assert stage in to_text(gather(events))
            assert stage in to_html(gather(events))


def test_a_cell_of_millions_of_letters_is_cut_at_once() -> None:
    assert cut("[0.1, 0.2], " * 10**6, 8) == "[0.1, 0…"
