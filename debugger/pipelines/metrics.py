"""An eye on everything that reaches a metric, and the numbers it answers."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from debugger.failure import on_behalf, own_line
from debugger.pipelines.evaluate import Guesses
from debugger.pipelines.facts import Facts
from debugger.pipelines.trials import SURE, uneven

MOST_DECODED = 1000


class Spy:
    """Stands in for compute_metrics and remembers what the first call was handed.

    `decoded`: whether it made words of tokens without the special ones, and where.
    `seconds`: of its quickest call. The first one may import a library.
    """

    def __init__(self, metric: Any) -> None:
        self.metric = metric
        self.given: Any = None
        self.into_metric: list[dict[str, Any]] = []
        self.watching = True
        self.seconds = math.inf
        self.decoded: list[tuple[bool, int | None]] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.given is None:
            self.given = args[0]
        started = time.monotonic()
        try:
            return on_behalf(self.metric, *args, **kwargs)
        finally:
            self.seconds = min(self.seconds, time.monotonic() - started)


@contextmanager
def metric_watched(spy: Spy) -> Iterator[None]:
    """Note the shape and type of what reaches a metric of the evaluate library.

    A metric that refuses its input keeps a half-written file open, so it is put back afterwards.
    """
    library = sys.modules.get("evaluate")
    if library is None:
        yield
        return
    # Every metric carries its own copy of `compute` and `add_batch`; this they all share.
    infer = library.EvaluationModule._infer_feature_from_batch
    before: dict[int, tuple[Any, dict[str, Any]]] = {}

    def watched(self: Any, batch: dict[str, Any]) -> Any:
        before.setdefault(id(self), (self, dict(vars(self))))
        if spy.watching:
            spy.into_metric.append(
                {
                    name: {"shape": list(shape_of(values)), "dtype": _dtype(values)}
                    for name, values in batch.items()
                    if name in ("predictions", "references") and values is not None
                }
            )
        return on_behalf(infer, self, batch)

    library.EvaluationModule._infer_feature_from_batch = watched
    try:
        yield
    finally:
        library.EvaluationModule._infer_feature_from_batch = infer
        for metric, attributes in before.values():
            vars(metric).clear()
            vars(metric).update(attributes)


@contextmanager
def decoding_watched(spy: Spy) -> Iterator[None]:
    """Note how a metric makes words of tokens, and at which line."""
    library = sys.modules.get("transformers")
    kind: Any = getattr(library, "PreTrainedTokenizerBase", None)
    if kind is None:
        yield
        return
    before = {name: getattr(kind, name) for name in ("batch_decode", "decode")}
    busy: list[str] = []
    for name, method in before.items():
        setattr(kind, name, _noted(name, method, spy, busy))
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(kind, name, method)


def _noted(name: str, method: Any, spy: Spy, busy: list[str]) -> Any:
    @wraps(method)
    def noted(self: Any, *given: Any, **named: Any) -> Any:
        if spy.watching and not busy and len(spy.decoded) < MOST_DECODED:
            skips = named.get("skip_special_tokens", given[1] if len(given) > 1 else False)
            spy.decoded.append((bool(skips), own_line()))
        busy.append(name)
        try:
            return on_behalf(method, self, *given, **named)
        finally:
            busy.pop()

    return noted


def numbers(answer: Any, prefix: str) -> dict[str, float]:
    """The metric's own numbers, without the loss and the timings that the Trainer adds."""
    if not isinstance(answer, Mapping):
        return {}
    own = (
        (name.removeprefix(prefix), value)
        for name, value in answer.items()
        if not name.endswith(("runtime", "per_second", "epoch", "memory_delta", "preparation_time"))
    )
    return {
        name: float(v)
        for name, v in own
        if name != "loss" and isinstance(v, (int, float, np.number))
    }


def tried(labels: Any, facts: Facts, ask: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The metric's answer when one class is always guessed, and when every guess is right.

    `ask` is handed the guesses, and a score for each class that says the same.
    """
    classes = facts.num_labels or 0
    if facts.task != "classification" or classes < 2 or labels.ndim != 1:
        return None, None
    if labels.min() < 0 or labels.max() >= classes or labels.min() == labels.max():
        return None, None
    sure = ((np.eye(classes) + uneven((classes, classes))) * SURE).astype(np.float32)
    most_common = np.full_like(labels, np.bincount(labels.astype(int)).argmax())
    answers = []
    for guesses in (most_common, labels):
        try:
            answers.append(numbers(ask(guesses, sure[guesses]), ""))
        except Exception:  # a metric that needs more than this is not judged here
            return None, None
    return answers[0], answers[1]


def count_classes(labels: Any) -> int | None:
    """How many classes these labels hold, where they are classes."""
    found = np.asarray(labels)
    return len(np.unique(found)) if found.ndim == 1 and found.dtype.kind in "iu" else None


def guessed(predictions: Any, labels: Any, facts: Facts) -> Guesses:
    """What was answered for which label, where both are what a classifier's are."""
    if facts.task != "classification":
        return {}
    scores, wanted = np.asarray(predictions), np.asarray(labels)
    if scores.ndim != 2 or wanted.shape != scores.shape[:1]:
        return {}
    if wanted.dtype.kind not in "iu" or not np.isfinite(scores).all():
        return {}
    return dict(Counter(zip(wanted.tolist(), scores.argmax(axis=1).tolist(), strict=True)))


def shape_of(values: Any) -> tuple[int, ...]:
    """How far rows are of one length: lists of words of every sentence have one number only."""
    if hasattr(values, "shape"):
        return tuple(values.shape)
    if not isinstance(values, (list, tuple)):
        return ()
    inner = {shape_of(value) for value in values}
    return (len(values), *(inner.pop() if len(inner) == 1 else ()))


def _dtype(values: Any) -> str:
    """That of the first single value, however deep it lies."""
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return str(np.asarray(values).dtype)
