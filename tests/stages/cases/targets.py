"""Cases of the rules in stages/targets.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.answers import Answers
from debugger.pipelines.face import Batch, Data, Task
from debugger.pipelines.inputs import Read
from debugger.pipelines.targets import Aims, Aligned, Spans, Targets
from debugger.pipelines.trying import Worded
from debugger.stages import targets
from tests.stages.cases.seen import (
    AMOUNTS,
    FINE,
    NO_PADDING,
    OF_WORDS,
    PAIRED,
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

IN_TURNS = tuple((10 * (n % 2), 10 * (n % 2) + 1, 5 + n % 3) for n in range(80))

TOLD = Worded(IN_TURNS, (0, 1) * 40)

TURNED = Worded(IN_TURNS, (1, 0) * 40)

SPANS = replace(FACTS, task="spans")

MARKED = Answers(40, 38, "came on", "rome", counted_at=9)

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
    Case(
        targets.masked_too_much,
        Batch({}, targets=Targets(90, 10, masked=90), padding=NO_PADDING),
        {"targets": Targets(15, 85, masked=15)},
        facts=replace(FACTS, task="masked_lm"),
        says={"share": 0.9},
    ),
    of_rows(
        targets.labels_tiled,
        {"labels": tuple((*range(n, n + 8), *range(8)) for n in range(40))},
        {"rows": 40, "of": 40, "times": 2},
        labels=tuple((*range(n, n + 8), *range(n, n + 8)) for n in range(40)),
    ),
    Case(
        targets.sees_what_is_asked,
        replace(FINE, sees_ahead=0.4),
        {"sees_ahead": 0.0},
        says={"moved": 0.4},
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
        targets.spans_all_absent,
        "unknown",
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        Aims(spans=Spans(40, absent=39, outside=0, reversed=0)),
        rows=40,
    ),
    of_labels(
        targets.spans_outside,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=8, reversed=0)),
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        share=0.2,
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
    Case(
        targets.targets_without_end,
        Batch({}, targets=Targets(40, 0, texts=8, ended=0, generates=True)),
        {"targets": Targets(40, 0, texts=8, ended=1, generates=True)},
        says={"rows": 8},
    ),
    of_labels(
        targets.spans_reversed,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=4)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0)),
        rows=4,
    ),
    of_labels(
        targets.spans_of_one_token,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=40)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=30)),
        rows=40,
    ),
    of_labels(
        targets.spans_in_the_question,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=30)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=1)),
        rows=30,
        share=0.75,
    ),
    Case(
        targets.same_word_other_number,
        Data(
            replace(SPLIT, read=Read(spelled={"0": "no", "1": "yes"}, spelled_in="said")),
            replace(SPLIT, read=Read(spelled={"0": "yes", "1": "no"}, spelled_in="said")),
        ),
        {"eval": replace(SPLIT, read=Read(spelled={"1": "yes", "2": "un"}, spelled_in="said"))},
        says={"word": "no", "train": "0", "other": "1", "moved": 2},
    ),
    of_batch(targets.nothing_to_learn, {"counted": 1}, OF_WORDS, targets=Targets(0, 40)),
    of_batch(
        targets.nothing_masked,
        {"masked": 3},
        replace(FACTS, task="masked_lm"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(
        targets.visible_tokens_asked,
        {"same": 0.1},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.89),
    ),
    of_batch(
        targets.visible_labelled_alike,
        {"alike": (3, 40)},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.0, alike=(1, 330)),
    ),
    of_batch(targets.masked_for_causal, {"masked": 0}, OF_WORDS, targets=Targets(6, 34, masked=5)),
    of_batch(
        targets.labels_of_one_token,
        {"only": None},
        OF_WORDS,
        targets=Targets(40, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        targets.labels_all_alike,
        {"only": None},
        replace(FACTS, task="unknown"),
        targets=Targets(640, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        targets.labels_of_other_text,
        {"beside": 0.98},
        OF_WORDS,
        targets=Targets(20, 4, same=0.2, beside=0.1),
    ),
    of_batch(
        targets.decoder_sees_answer,
        {"decoder_same": 0.3},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, decoder_same=1.0),
    ),
    Case(targets.input_is_the_answer, Batch({}, answer="decoder"), {"answer": ""}),
    of_batch(
        targets.labels_copy_inputs,
        {"same": 0.98},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(
        targets.ends_never_learned, {"ends_counted": 1}, OF_WORDS, targets=Targets(40, 4, ends=4)
    ),
    Case(targets.looks_too_far_ahead, replace(FINE, asks=2), {"asks": 1}, OF_WORDS),
    Case(targets.asks_for_its_input, replace(FINE, asks=0), {"asks": 1}, OF_WORDS),
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
        targets.ends_never_learned,
        Batch({}, targets=Targets(9, 9, texts=4, ends_ignored=True, generates=True)),
        {"targets": Targets(9, 9, texts=4, generates=True)},
        facts=PAIRED,
        says={"ends": 4},
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
    Case(
        targets.spans_of_other_text,
        Data(replace(SPLIT, answers=MARKED), None),
        {"train": replace(SPLIT, answers=replace(MARKED, other=3))},
        facts=SPANS,
        says={"read": "came on", "wanted": "rome", "rows": 38},
    ),
    Case(
        targets.spans_at_other_tokens,
        Data(replace(SPLIT, answers=replace(MARKED, counted_at=None)), None),
        {"train": replace(SPLIT, answers=MARKED)},
        facts=SPANS,
        says={"of": 40},
    ),
    Case(
        targets.answers_in_first_text,
        Data(replace(SPLIT, answers=replace(MARKED, in_first=39)), None),
        {"train": replace(SPLIT, answers=replace(MARKED, in_first=20))},
        facts=SPANS,
        says={"of": 40, "wanted": "rome"},
    ),
    Case(
        targets.eval_numbered_otherwise,
        Data(SPLIT, SPLIT, both=(TOLD, TURNED)),
        {"both": (TOLD, TOLD)},
        says={"label": 0, "other": 1, "moved": 2, "anew": 1.0, "as_it_is": 0.0},
    ),
]
