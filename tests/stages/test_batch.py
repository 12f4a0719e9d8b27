"""The rules of the batch on plain values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debugger.failure import Failure
from debugger.pipelines.batch import Batch
from debugger.script.places import Places
from debugger.stages.batch import pads_from_map, ragged_batch
from debugger.stages.judging import CannotJudge, Verdict, View, fault
from tests.stages.test_step import FACTS

IN_MAP = "rows = raw.map(\n    lambda row: tokenizer(row, padding=True){batched}\n)"
PADS_IN_MAP = Places(IN_MAP.format(batched=", batched=True"))
PADS_ALONE = (
    Places(IN_MAP.format(batched="")),
    Places(IN_MAP.format(batched=", batched=False")),
    Places("def __getitem__(self, n):\n    return tokenizer(self.texts[n], padding=True)"),
)
TWO_LENGTHS = (24, 24, 22)


@pytest.mark.parametrize(
    ("known_collator", "failed", "expected"),
    [
        (True, False, fault(2, lengths="22, 24")),
        (True, True, fault(2, lengths="22, 24")),
        (False, False, None),
        (False, True, CannotJudge("own_collator")),
    ],
)
def test_a_collate_function_that_pads_again_makes_padding_in_map_harmless(
    known_collator: bool, failed: bool, expected: object
) -> None:
    failure = Failure("ValueError", "expected sequence of length 24", (), None) if failed else None
    facts = replace(FACTS, pads=False, known_collator=known_collator)

    seen = Batch({}, widths=TWO_LENGTHS, failure=failure)

    assert pads_from_map(seen, View(facts, PADS_IN_MAP, True)) == expected


@pytest.mark.parametrize("script", PADS_ALONE)
def test_a_row_that_is_padded_alone_is_not_padded_at_all(script: Places) -> None:
    facts = replace(FACTS, pads=False, known_collator=True)
    seen, view = Batch({}, widths=TWO_LENGTHS), View(facts, script, True)

    assert pads_from_map(seen, view) is None
    assert isinstance(ragged_batch(seen, view), Verdict)
