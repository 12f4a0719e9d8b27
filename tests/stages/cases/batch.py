"""Cases of the rules in stages/batch.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.stages import batch
from tests.stages.cases.seen import Case, failed
from tests.stages.test_step import FACTS

CASES = [
    Case(
        batch.no_batches,
        Batch({}, failure=failed("StopIteration", "")),
        {"failure": failed("IndexError", "")},
    ),
    Case(
        batch.no_pad_token,
        Batch({}, failure=failed("ValueError", "The tokenizer does not have a padding token.")),
        {"failure": failed("ValueError", "The tokenizer has no vocabulary.")},
    ),
    Case(
        batch.padding_not_ignored,
        Batch({}, counted_padding=3, padded_positions=9),
        {"counted_padding": 0},
        replace(FACTS, task="tokens"),
        says={"counted": 3, "padded": 9},
    ),
    Case(batch.batch_loses_rows, Batch({}, lost=7), {"lost": 0}, says={"lost": 7}),
    Case(
        batch.labels_left_ragged,
        Batch({}, handed={"labels": (7, 13)}, failure=failed("ValueError", "Unable to create")),
        {"handed": {"labels": (7, 7)}},
        replace(FACTS, pads=True, collator="DataCollatorWithPadding"),
        says={"shortest": 7, "longest": 13},
    ),
]
