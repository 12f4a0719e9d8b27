"""What a loop that trains by hand learns by: the call, or the formula, that makes of the model's
answer what its gradients are asked of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.frameworks.keras.answering import scores_of
from debugger.frameworks.keras.by_hand import Handed, Heard

SAME = 1e-4
TINY = 1e-7


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


def _asked_about(one: Heard) -> Any:
    return one.asked[0][1][0]


def loss_of_loop(model: Any, some: list[Heard]) -> Handed | Literal["inside"] | None:
    """What makes of the answer what is learned: a call, or a formula; "inside" where the model does
    so by itself, as one of transformers that is asked with its labels."""
    if all(_is(one, getattr(one.answers[0], "loss", None)) for one in some):
        return "inside"
    penalty = float(tf.add_n(model.losses)) if model.losses else 0.0
    calls = min(len(one.handed) for one in some)
    for kind in ("made", "function", "own"):
        for place in range(calls):
            found = [replace(one.handed[place], place=place) for one in some]
            if found[0].kind != kind:
                continue
            fitting = _fitting(some, found, penalty)
            if fitting is not None:
                return fitting if _is_same(fitting, some) else replace(fitting, kind="own")
    return _written_out(some)


def _fitting(some: list[Heard], found: list[Handed], penalty: float) -> Handed | None:
    """Whether its results are what is learned, with penalties on weights or without, so many times,
    or with other weights for each row."""
    pairs = list(zip(some, found, strict=True))
    for added in dict.fromkeys((penalty, 0.0)):
        if all(_is(one, handed.result, added) for one, handed in pairs):
            return replace(found[0], unpenalised=penalty > added)
    first = replace(found[0], unpenalised=penalty > 0)
    for name in some[0].beside:
        for even in (False, True):
            if all(_is(one, _weighed(one, handed, name, even)) for one, handed in pairs):
                return replace(first, weighed_by=name, evenly=even)
    results = [handed.result for handed in found]
    if _is_beside(some, results):
        return found[0]
    times = _times(some, results)
    return None if times is None else replace(first, times=times)


def _weighed(one: Heard, handed: Handed, name: str, even: bool) -> Any:
    """The mean of its results, each times what is known by that name; or by the sum of that."""
    weights, result = one.beside.get(name), handed.result
    if not isinstance(result, tf.Tensor) or not np.ndim(result) or weights is None:
        return None
    if np.shape(weights) != tuple(result.shape) or np.asarray(weights).dtype.kind not in "fiu":
        return None
    return tf.reduce_mean(result * _weights_of(one, name, even))


def _weights_of(one: Heard, name: str, even: bool) -> Any:
    weights = tf.cast(one.beside[name], tf.float32)
    return weights / tf.maximum(tf.reduce_mean(weights), TINY) if even else weights


def _is_same(handed: Handed, some: list[Heard]) -> bool:
    """Whether the loss of Keras says the same of the answers: some find the logits behind them."""
    if handed.kind == "own":
        return True
    loss = as_compiled(handed)
    for one in some:
        here = one.handed[handed.place]
        known = loss(here.y, scores_of(one.answers[0]), here.weights)
        if not _near(_number(here.result), float(tf.reduce_mean(known))):
            return False
    return True


def _is(one: Heard, result: Any, added: float = 0.0) -> bool:
    if not isinstance(result, tf.Tensor):
        return False
    return _near(_number(one.target), _number(result) + added)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(1.0, abs(one))


def _number(value: Any) -> float:
    return float(tf.reduce_mean(value))


def _values(some: list[Heard], results: list[Any]) -> list[float]:
    """Of turns about different rows; else none, as they show nothing."""
    known = [_number(one) for one in results if isinstance(one, tf.Tensor)]
    told = len(known) == len(some) > 1 and not alike(some[0], some[-1])
    return known if told else []


def _is_beside(some: list[Heard], results: list[Any]) -> bool:
    """Whether each turn adds the same to it, whatever its rows: no weight has moved in between, so
    that is a penalty on weights, written by hand."""
    known = _values(some, results)
    rests = [_number(one.target) - value for one, value in zip(some, known, strict=False)]
    spread = max(known, default=0.0) - min(known, default=0.0)
    return spread > 10 * SAME and all(rests[0] > SAME and _near(one, rests[0]) for one in rests)


def _times(some: list[Heard], results: list[Any]) -> float | None:
    """By how much the same loss is multiplied in each of several turns."""
    known = _values(some, results)
    if not known or min(known) <= 0:
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
                known = [formula(*pair) for pair in given]
                same = all(_is(one, value) for one, value in zip(some, known, strict=True))
                times = 1.0 if same or _is_beside(some, known) else _times(some, known)
                if times is not None:
                    return Handed(does, way, named, "answer", "labels", name=name, times=times)
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
    return handed.known


def _y(one: Heard, handed: Handed) -> Any:
    return one.beside[handed.name] if handed.name else one.handed[handed.place].y


def pair(one: Heard, handed: Handed | None) -> Any:
    """What `fit` would be given in its place, without lists, which a data set has none of."""
    x = _of_tuples(_asked_about(one))
    if handed is None:
        return (x,)
    weights = None if handed.name else one.handed[handed.place].weights
    if handed.weighed_by:
        weights = _weights_of(one, handed.weighed_by, handed.evenly)
    both = x, _y(one, handed)
    return both if weights is None else (*both, weights)


def _of_tuples(x: Any) -> Any:
    return tuple(_of_tuples(one) for one in x) if isinstance(x, list | tuple) else x


def alike(one: Heard, other: Heard) -> bool:
    leaves = zip(*(tf.nest.flatten(_asked_about(each)) for each in (one, other)), strict=True)
    return one is other or all(np.array_equal(a, b) for a, b in leaves)
