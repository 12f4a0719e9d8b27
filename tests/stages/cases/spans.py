"""Cases of the rules in stages/spans.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.answers import Answers
from debugger.pipelines.data import Data
from debugger.pipelines.targets import Aims, Spans
from debugger.stages import spans
from tests.stages.cases.seen import SPLIT, Case
from tests.stages.cases.targets import of_labels
from tests.stages.test_step import FACTS

SPANS = replace(FACTS, task="spans")

MARKED = Answers(40, 38, "came on", "rome", counted_at=9)

CASES = [
    of_labels(
        spans.spans_all_absent,
        "unknown",
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        Aims(spans=Spans(40, absent=39, outside=0, reversed=0)),
        rows=40,
    ),
    of_labels(
        spans.spans_outside,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=8, reversed=0)),
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        share=0.2,
    ),
    of_labels(
        spans.spans_reversed,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=4)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0)),
        rows=4,
    ),
    of_labels(
        spans.spans_of_one_token,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=40)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=30)),
        rows=40,
    ),
    of_labels(
        spans.spans_in_the_question,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=30)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=1)),
        rows=30,
        share=0.75,
    ),
    Case(
        spans.spans_of_other_text,
        Data(replace(SPLIT, answers=MARKED), None),
        {"train": replace(SPLIT, answers=replace(MARKED, other=3))},
        facts=SPANS,
        says={"read": "came on", "wanted": "rome", "rows": 38},
    ),
    Case(
        spans.spans_at_other_tokens,
        Data(replace(SPLIT, answers=replace(MARKED, counted_at=None)), None),
        {"train": replace(SPLIT, answers=MARKED)},
        facts=SPANS,
        says={"of": 40},
    ),
    Case(
        spans.answers_in_first_text,
        Data(replace(SPLIT, answers=replace(MARKED, in_first=39)), None),
        {"train": replace(SPLIT, answers=replace(MARKED, in_first=20))},
        facts=SPANS,
        says={"of": 40, "wanted": "rome"},
    ),
]
