"""Tokens that end a text, where the same token fills the rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from debugger.pipelines.targets import IGNORED, targets_of

END = 9
ENDED = [5, 6, END, 7, 8, END]


@pytest.mark.parametrize(
    ("row", "ends"),
    [
        (ENDED, 2),
        ([5, 6, 7, END, END, END], 0),
        ([END, END, 5, 6, 7, 8], 0),
        ([END, END, 5, 6, 7, END], 1),
    ],
)
def test_padding_that_the_mask_lets_through_ends_no_text(row: list[int], ends: int) -> None:
    ids = np.array([row, ENDED])
    labels = np.where(ids == END, IGNORED, ids)
    tokenizer = SimpleNamespace(eos_token_id=END, pad_token_id=END)

    seen = targets_of(ids, labels, np.ones_like(ids, bool), None, tokenizer)
    assert (seen.ends, seen.ends_counted) == (ends + 2, 0)
    tokenizer.pad_token_id = 0
    other = targets_of(ids, labels, np.ones_like(ids, bool), None, tokenizer)
    assert other.ends == int((ids == END).sum())
