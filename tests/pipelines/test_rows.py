"""What makes a row itself."""

from __future__ import annotations

from debugger.pipelines.rows import row_keys

IDS, LENGTHS = [[1, 5, 2], [1, 5, 2]], (3, 3)


def test_the_same_words_beside_other_amounts_are_other_rows() -> None:
    columns = {"input_ids": IDS, "amounts": [[0.5, 1.0], [0.5, 2.0]], "labels": [0.0, 1.0]}

    alike = row_keys(columns, IDS, LENGTHS, "labels", kept=("input_ids", "labels"))
    apart = row_keys(columns, IDS, LENGTHS, "labels", kept=("input_ids", "amounts", "labels"))

    assert len(set(alike)) == 1
    assert len(set(apart)) == 2
