"""The labels of all rows, which `forward` counts: from batches, or from the rows behind them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import datasets
import pytest
from transformers import BertTokenizerFast, DataCollatorWithPadding

from debugger.frameworks.keras.building import stopped_at_training
from debugger.frameworks.keras.pipeline import KerasPipeline
from debugger.pipelines.starting import TrainingStarts
from tests.tiny_keras import WORDS, bert

ROWS = 24


class TurnsThem(DataCollatorWithPadding):
    def __call__(self, features: list[dict[str, Any]]) -> dict[str, Any]:
        batch = super().__call__(features)
        batch["labels"] = 2 - batch["labels"]
        return batch


@pytest.fixture
def tokenizer(tmp_path: Any) -> BertTokenizerFast:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*special, *map(str, range(WORDS - len(special)))]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    return BertTokenizerFast(str(tmp_path / "vocab.txt"))


def built(collate: Any, taken: int | None = None) -> KerasPipeline:
    ids = [[2, 5 + row % 9, 3] for row in range(ROWS)]
    labels = [0] * (ROWS - 2) + [1, 2]
    rows = datasets.Dataset.from_dict({"input_ids": ids, "labels": labels})
    with stopped_at_training(0, 1, None, lambda: 0.0) as found:
        train = rows.to_tf_dataset(
            columns=["input_ids", "labels"], batch_size=4, collate_fn=collate, shuffle=False
        )
        model = bert()
        model.compile("adam")
        with pytest.raises(TrainingStarts):
            model.fit(train if taken is None else train.take(taken), verbose=0)
    assert found.trained is not None
    return KerasPipeline(found.trained)


def test_a_collator_of_the_library_leaves_them_to_be_read_from_the_rows(tokenizer: Any) -> None:
    pipeline = built(DataCollatorWithPadding(tokenizer, return_tensors="np"))
    assert pipeline.forward().label_range == (0, 2)
    assert "_train" not in vars(pipeline)
    labels, count = pipeline._labels()
    assert (Counter(labels), count) == (Counter(pipeline._train.labels), pipeline._train.count)


def test_what_a_collator_of_ones_own_makes_of_them_counts(tokenizer: Any) -> None:
    pipeline = built(TurnsThem(tokenizer, return_tensors="np"))
    assert Counter(pipeline._labels()[0]) == {2: ROWS - 2, 1: 1, 0: 1}


def test_rows_that_are_left_out_do_not_count(tokenizer: Any) -> None:
    pipeline = built(DataCollatorWithPadding(tokenizer, return_tensors="np"), taken=2)
    assert pipeline._labels() == ((0,) * 8, 8)
