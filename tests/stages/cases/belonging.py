"""Cases of the rules in stages/belonging.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from debugger.pipelines.batch import Batch, Mixed
from debugger.pipelines.belonging import Belonging
from debugger.pipelines.data import Data
from debugger.pipelines.inputs import Read
from debugger.pipelines.lineage import Disorder
from debugger.pipelines.trying import Worded
from debugger.stages import belonging
from tests.stages.cases.seen import PAIRED, SPLIT, WORDY, Case, of_rows, of_script
from tests.stages.test_step import FACTS

_CLASSES = np.random.default_rng(0).integers(0, 3, 120).tolist()

ASIDE = Worded(tuple((1, 10 + one) for one in _CLASSES), (*_CLASSES[1:], _CLASSES[0]))

BARE = {"the": 0.4, "a": 0.3}

PREFIXED = Read(rows=40, firsts={"translate": 1.0})

CUT_AT_5 = replace(SPLIT, lengths=(3, 4, 5, 5) * 10, target_lengths=(2, 3, 3, 3) * 10)

UNCUT = replace(SPLIT, lengths=(3, 7, 8, 8) * 10, target_lengths=(2, 5, 6, 6) * 10)

CASES = [
    of_rows(
        belonging.text_given_twice,
        {"parts": Belonging(rows=40, twice=30)},
        {"rows": 40},
        parts=Belonging(rows=40, twice=40),
    ),
    Case(
        belonging.labels_by_words,
        Data(replace(SPLIT, parts=Belonging(rows=40, split=30, by_words=30)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, split=30, by_words=3))},
        facts=WORDY,
        says={"rows": 30, "of": 40},
    ),
    Case(
        belonging.pairs_unrelated,
        Data(replace(SPLIT, parts=Belonging(rows=40, related=0.4)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, related=9.0))},
        facts=PAIRED,
        says={"rows": 40},
    ),
    Case(
        belonging.labels_on_other_words,
        Data(replace(SPLIT, parts=Belonging(rows=40, words=90, own=0.4)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, words=90, own=1.0))},
        facts=WORDY,
        says={"words": 90, "share": 0.4},
    ),
    Case(
        belonging.pieces_of_next_word,
        Data(replace(SPLIT, parts=Belonging(rows=40, pieces=90, of_next=88)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, pieces=90))},
        facts=WORDY,
        says={"pieces": 90, "of_next": 88},
    ),
    of_rows(
        belonging.words_out_of_order,
        {"disorder": Disorder(20, 1)},
        {"rows": 19, "of": 20},
        disorder=Disorder(20, 19),
    ),
    Case(
        belonging.inputs_cut_shorter,
        Data(CUT_AT_5, UNCUT),
        {"eval": CUT_AT_5},
        says={"length": 5, "heaped": 0.5, "share": 0.75, "longest": 8},
    ),
    Case(
        belonging.targets_cut_shorter,
        Data(CUT_AT_5, UNCUT),
        {"eval": CUT_AT_5},
        facts=PAIRED,
        says={"length": 3, "heaped": 0.75, "share": 0.75, "longest": 6},
    ),
    Case(
        belonging.rows_mixed,
        Batch({}, mixed=Mixed(8, parts=7)),
        {"mixed": Mixed(8, parts=1)},
        says={"rows": 7, "of": 8},
    ),
    Case(
        belonging.labels_of_other_rows,
        Batch({}, mixed=Mixed(8, labels=5)),
        {"mixed": Mixed(8, labels=1)},
        says={"rows": 5, "of": 8},
    ),
    Case(
        belonging.labels_made_equal,
        Batch({}, mixed=Mixed(8, levelled=0)),
        {"mixed": Mixed(8)},
        says={"rows": 8, "value": 0},
    ),
    Case(
        belonging.labels_of_next_rows,
        Data(None, None, worded=ASIDE),
        {"worded": replace(ASIDE, labels=ASIDE.labels[-1:] + ASIDE.labels[:-1])},
        script="class Rows:\n    def __getitem__(self, n):\n        return self.labels[n + 1]",
        says={"by": -1, "anew": 1.0},
    ),
    of_rows(
        belonging.rows_never_reached,
        {"uncounted": None},
        {"name": "texts", "held": 96},
        count=3,
        uncounted=("texts", 96),
    ),
    of_rows(
        belonging.texts_of_other_rows,
        {"read": Read(strange={"ending": 0.1})},
        {"name": "ending", "share": 0.95},
        read=Read(strange={"start": 0.0, "ending": 0.95}),
    ),
    Case(
        belonging.texts_begin_otherwise,
        Data(replace(SPLIT, read=PREFIXED), replace(SPLIT, read=replace(PREFIXED, firsts=BARE))),
        {"eval": replace(SPLIT, read=PREFIXED)},
        says={"token": "translate", "train": 1.0, "share": 0.0},
    ),
    Case(
        belonging.labels_cut_to_fit,
        Data(SPLIT, None),
        {"train": None},
        script="x = x[x.max(axis=1) > 0.7]\ny = y[: len(x)]",
        says={"rows": "x", "at": 1},
    ),
    Case(
        belonging.labels_never_there,
        Data(replace(SPLIT, labels=([1.0, 0.0], [0.0, 0.0])), None),
        {"train": replace(SPLIT, labels=([1.0, 0.0], [0.0, 1.0]))},
        facts=replace(FACTS, task="multilabel"),
        says={"count": 1, "of": 2},
    ),
    Case(
        belonging.learns_evaluation_rows,
        Batch({}, mixed=Mixed(8, foreign=8)),
        {"mixed": Mixed(8, foreign=1)},
        script="class Mine(Trainer):\n    def get_train_dataloader(self): ...",
        says={"rows": 8, "of": 8},
    ),
    Case(
        belonging.evaluation_cut_shorter,
        Data(replace(SPLIT, lengths=tuple(range(9, 49))), replace(SPLIT, lengths=(8,) * 40)),
        {"eval": replace(SPLIT, lengths=tuple(range(9, 49)))},
        says={"length": 8, "share": 1.0, "longest": 48},
    ),
    Case(
        belonging.sets_change_places,
        Data(replace(SPLIT, count=20), replace(SPLIT, count=80)),
        {"eval": replace(SPLIT, count=10)},
        script="Trainer(train_dataset=test_rows, eval_dataset=train_rows)",
        says={"rows": 20, "eval_rows": 80},
    ),
    of_script(
        belonging.zip_stops_short,
        "texts = [r['text'] for r in rows if r['text']]\nlabels = [r['label'] for r in rows]\n"
        "pairs = list(zip(texts, labels))",
        rows="texts",
        at=1,
        whole="labels",
    ),
]
