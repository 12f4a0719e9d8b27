"""What a loop that trains by hand learns by: the call, or the formula, that makes of the model's
answer what its gradients are asked of."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import scores_of
from debugger.frameworks.keras.by_hand import Handed, Heard

SAME = 1e-4


class LossByHand(tf_keras.losses.Loss):
    """A function of the script's own, called as its loop calls it."""

    def __init__(self, handed: Handed) -> None:
        super().__init__(name=getattr(handed.does, "__name__", "loss"))
        self.__name__ = self.name
        self._handed, self._rank = handed, np.ndim(handed.y)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        if y_true.shape.rank == self._rank + 1:  # `fit` has put an axis there
            y_true = tf.squeeze(y_true, -1)
        put = {self._handed.labels: y_true, self._handed.answer: y_pred}
        return self._handed.does(**{**self._handed.named, **put})


def asked_about(one: Heard) -> Any:
    return one.asked[0][1][0]


def loss_of_loop(model: Any, some: list[Heard]) -> Handed | Literal["inside"] | None:
    """What makes of the answer what is learned: a call, or a formula; "inside" where the model does
    so by itself, as one of transformers that is asked with its labels."""
    if all(_is(one, getattr(one.answers[0], "loss", None)) for one in some):
        return "inside"
    penalty = float(tf.add_n(model.losses)) if model.losses else 0.0
    calls = min(len(one.handed) for one in some)
    several = len(some) > 1 and not alike(some[0], some[-1])
    for kind in ("made", "function", "own"):
        for place in range(calls):
            found = [one.handed[place] for one in some]
            if found[0].kind != kind:
                continue
            for added in dict.fromkeys((penalty, 0.0)):
                if all(_is(o, h.result, added) for o, h in zip(some, found, strict=True)):
                    return replace(found[0], place=place, unpenalised=penalty > added)
            times = _times(some, found) if several else None
            if times is not None:
                return replace(found[0], place=place, times=times, unpenalised=penalty > 0)
    return _written_out(some)


def _is(one: Heard, result: Any, added: float = 0.0) -> bool:
    if not isinstance(result, tf.Tensor):
        return False
    return _near(_number(one.target), _number(result) + added)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(1.0, abs(one))


def _number(value: Any) -> float:
    return float(tf.reduce_mean(value))


def _times(some: list[Heard], found: list[Handed]) -> float | None:
    """By how much the same loss is multiplied in each turn."""
    known = [_number(one.result) for one in found if isinstance(one.result, tf.Tensor)]
    if len(known) < len(some) or min(known) <= 0:
        return None
    by = [_number(one.target) / value for one, value in zip(some, known, strict=True)]
    same = all(abs(one - by[0]) <= SAME * max(abs(by[0]), SAME) for one in by)
    return by[0] if same and by[0] >= 0 else None


def _squares(labels: Any, answer: Any) -> Any:
    return tf.reduce_mean(tf.square(tf.cast(labels, answer.dtype) - answer))


def _distances(labels: Any, answer: Any) -> Any:
    return tf.reduce_mean(tf.abs(tf.cast(labels, answer.dtype) - answer))


def _written_out(some: list[Heard]) -> Handed | None:
    """Squares or distances, made of the answer and of labels that are known by name."""
    kinds = tf_keras.losses.MeanSquaredError, tf_keras.losses.MeanAbsoluteError
    scores = [scores_of(one.answers[0]) for one in some]
    if any(one is None for one in scores):
        return None
    for name in some[0].beside:
        rows = [one.beside.get(name) for one in some]
        pairs: list[tuple[Any, Any]] = list(zip(rows, scores, strict=True))
        if not all(row is not None and _beside(row, answer) for row, answer in pairs):
            continue
        for formula, kind in zip((_squares, _distances), kinds, strict=True):
            named = {"labels": rows[0], "answer": scores[0]}
            flat = [(tf.reshape(row, [-1]), tf.reshape(answer, [-1])) for row, answer in pairs]
            for does, way, given in ((kind(), "made", flat), (formula, "own", pairs)):
                if all(_is(o, formula(*pair)) for o, pair in zip(some, given, strict=True)):
                    return Handed(does, way, named, "answer", "labels", name=name)
    return None


def _beside(rows: Any, answer: Any) -> bool:
    return rows is not answer and np.size(rows) == np.size(answer) and len(rows) == len(answer)


def as_compiled(handed: Handed) -> Any:
    """What `compile` takes."""
    if handed.kind == "own":
        return LossByHand(handed)
    if handed.kind == "made":
        told = handed.does.get_config()
        if told.get("reduction") != tf_keras.losses.Reduction.NONE:
            return handed.does
        return type(handed.does).from_config({**told, "reduction": "auto"})
    taken = signature(handed.does).parameters
    return handed.does(**{name: value for name, value in handed.named.items() if name in taken})


def _y(one: Heard, handed: Handed) -> Any:
    return one.beside[handed.name] if handed.name else one.handed[handed.place].y


def pair(one: Heard, handed: Handed | None) -> Any:
    """What `fit` would be given in its place."""
    if handed is None:
        return (asked_about(one),)
    weights = None if handed.name else one.handed[handed.place].weights
    both = asked_about(one), _y(one, handed)
    return both if weights is None else (*both, weights)


def alike(one: Heard, other: Heard) -> bool:
    leaves = zip(*(tf.nest.flatten(asked_about(each)) for each in (one, other)), strict=True)
    return one is other or all(np.array_equal(a, b) for a, b in leaves)
