"""Pictures that were reshaped where their channels were to move."""

from __future__ import annotations

import numpy as np

from debugger.pipelines.jumbled import jumbled

DRAWN = np.random.default_rng(0)
SMOOTH = DRAWN.normal(size=(8, 24, 32, 3)).cumsum(axis=1).cumsum(axis=2)


def test_channels_that_were_only_counted_to_the_front_are_told() -> None:
    found = jumbled(SMOOTH.reshape(8, 3, 24, 32))

    assert found is not None
    assert (found.shape, found.other) == ((3, 24, 32), (24, 32, 3))
    assert found.as_it_is > 3 * found.anew


def test_pictures_as_they_should_be_are_not() -> None:
    grey = np.repeat(DRAWN.normal(size=(8, 1, 24, 32)), 3, axis=1)
    for sound in (
        SMOOTH,
        SMOOTH.transpose(0, 3, 1, 2),
        DRAWN.normal(size=(8, 3, 24, 32)),
        grey,
        np.zeros((8, 3, 24, 32)),
        SMOOTH[:1].reshape(1, 3, 24, 32),
        SMOOTH.reshape(8, -1),
    ):
        assert jumbled(sound) is None
