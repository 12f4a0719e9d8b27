"""Pictures that are turned in every way that leaves their shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from debugger.frameworks.keras.reading import read
from debugger.frameworks.keras.turning import turned


def ways(shape: tuple[int, ...]) -> dict[str, Any]:
    rows = np.random.default_rng(0).random((8, *shape), dtype=np.float32)
    given = read(tf.data.Dataset.from_tensor_slices((rows, np.arange(8) % 2)).batch(4))
    return {how: (rows[3], made.leaves[0][3]) for how, made in turned(given, [3])}


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((8, 8, 3), {"axes", "upside down", "colours"}),
        ((8, 10, 1), {"upside down"}),
        ((8, 8, 16), set()),
        ((24, 3), set()),
    ],
)
def test_only_pictures_are_turned(shape: tuple[int, ...], names: set[str]) -> None:
    assert set(ways(shape)) == names


def test_each_way_to_turn_them() -> None:
    found = ways((8, 8, 3))
    here, there = found["axes"]
    assert np.array_equal(there, here.transpose(1, 0, 2))
    here, there = found["colours"]
    assert np.array_equal(there, here[..., [2, 1, 0]])
