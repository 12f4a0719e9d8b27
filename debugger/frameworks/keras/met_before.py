"""Whether a trained model is only asked about rows that it learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from debugger.frameworks.keras.reading import Rows
from debugger.frameworks.keras.rest import first_rows

ALL_BUT_FEW = 0.95
FEWEST, FEW_OF = 20, 4


def met_before(
    train: Rows, validation: Any, asked: Sequence[Any], names: Mapping[str, Any]
) -> tuple[int, str] | None:
    """How many rows that are, and under which name others stand that nobody asks about."""
    if not asked or train.batch is None or len(tf.nest.flatten(train.batch.x)) != 1:
        return None
    learned = {_mark(row) for row in train.leaves[0]}
    read = [first_rows(rows) for rows in asked]
    if any(rows is None or len(rows) < FEWEST or not _all_in(rows, learned) for rows in read):
        return None
    judged = None if validation is None else first_rows(validation)
    known = learned | {_mark(row) for row in (() if judged is None else judged)}
    kind = (read[0].ndim, read[0].shape[1:])
    others = (
        name
        for name, value in names.items()
        if isinstance(value, np.ndarray) and (value.ndim, value.shape[1:]) == kind
        if len(value) >= FEWEST > FEW_OF * sum(_mark(row) in known for row in value[:FEWEST])
    )
    name = next(others, None)
    return None if name is None else (sum(map(len, read)), name)


def _all_in(rows: Any, learned: set[bytes]) -> bool:
    known = sum(_mark(row) in learned for row in rows)
    return rows.ndim > 1 and known >= ALL_BUT_FEW * len(rows)


def _mark(row: Any) -> bytes:
    array = np.asarray(row)
    texts = [one for one in array.ravel() if isinstance(one, str | bytes)]
    if len(texts) == array.size:
        return b"\n".join(map(tf.compat.as_bytes, texts))
    return array.astype(np.float32).tobytes()
