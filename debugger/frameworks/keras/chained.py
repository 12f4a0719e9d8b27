"""Models that a turn of a loop asks one after the other, each about what the one before has
answered: an encoder and its decoder, or a body and its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tf_keras

from debugger.frameworks.keras.by_hand import Heard


class Chained(tf_keras.Model):
    def __init__(self, parts: Sequence[Any]) -> None:
        super().__init__(name="_".join(part.name for part in parts))
        self.parts = list(parts)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        answer = inputs
        for part in self.parts:
            answer = part(answer, training=training)
        return answer


def as_one(some: Sequence[Heard]) -> list[Heard]:
    """As if one model had been asked in each of the turns, where each chains the same ones."""
    first = some[0].asked
    parts = [model for model, _, _ in first]
    if len({id(part) for part in parts}) < max(2, len(parts)):
        return list(some)
    if not all(_chains(one, parts) for one in some):
        return list(some)
    whole = Chained(parts)
    whole(first[0][1][0], training=False)
    return [
        replace(one, asked=[(whole, *one.asked[0][1:])], answers=one.answers[-1:]) for one in some
    ]


def _chains(one: Heard, parts: Sequence[Any]) -> bool:
    """Whether it asks these, in one mode, each about one thing: what came before."""
    if [id(model) for model, _, _ in one.asked] != [id(part) for part in parts]:
        return False
    if any(len(args) != 1 or set(kwargs) - {"training"} for _, args, kwargs in one.asked):
        return False
    modes = {str(kwargs.get("training")) for _, _, kwargs in one.asked}
    given = [args[0] for _, args, _ in one.asked[1:]]
    return len(modes) == 1 and all(
        now is before for now, before in zip(given, one.answers, strict=False)
    )
