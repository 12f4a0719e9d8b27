"""The rest of a script that fits a model, run with answers that are made up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel
from transformers.modeling_tf_outputs import TFSequenceClassifierOutput

from debugger.frameworks.keras.answering import Loss, are_shares, loss_of
from debugger.frameworks.keras.beside import Beside, amounts_beside, classes_beside
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.reading import batches_of, dense, parts_of, size_of
from debugger.frameworks.keras.reopened import is_opened_again
from debugger.pipelines.columns import MOST_MEASURED
from debugger.pipelines.drawing import Drawn, Way, ends_and_middle
from debugger.pipelines.rest import LOSS, OutOfTime, Rest, Tried, Went, told, tried
from debugger.script.remainder import KEPT, reads

if TYPE_CHECKING:
    from debugger.frameworks.keras.building import Fit

MOST_ROWS = 20_000
_CALLS = ("predict", "predict_on_batch", "__call__")
_ASKED_PLAINLY = {"training", "mask"}
_ASKS = (*_CALLS, "evaluate", "model")


def printed(fit: Fit, scores: Any, learned: Sequence[Any], amounts_learned: bool) -> Tried:
    """`scores` is what the model answers to a batch, `learned` are the labels that it learns."""
    rests = fit.after.rests
    if fit.after.cut_off is None or not any(one.left.statements for one in rests):
        return Tried()
    fit.after.cut_off()
    if is_opened_again(fit):
        rests = tuple(replace(one, names={**one.names, KEPT: fit.model}) for one in rests)
    known_arrays = tuple(_arrays(rests))
    beside = (amounts_beside if amounts_learned else classes_beside)(known_arrays, learned)
    amounts = ends_and_middle(learned) if amounts_learned else ()
    return tried(rests, _Asked(fit, beside), _drawn(scores, loss_of(fit.model)), amounts)


class _Asked:
    """See `rest.Trained`. `beside` are what the rest holds that looks like labels."""

    def __init__(self, fit: Fit, beside: Sequence[Beside]) -> None:
        self.asks: tuple[str, ...] = _ASKS
        self.rows: list[Any] = []
        self.made_by = ""
        self.metrics = metric_names(fit.model)
        self.result = _history(fit)
        self._model = fit.model
        self._pairs = fit.pairs
        self._beside = beside
        self._counts: dict[int, int] = {}
        self._labels: dict[int, Any] = {}

    def note(self, rows: Any) -> None:
        if rows is not None and not any(one is rows for one in self.rows):
            self.rows.append(rows)  # which keeps its id its own

    def count(self, rows: Any) -> int:
        self.note(rows)
        if id(rows) not in self._counts:
            self._counts[id(rows)] = count_rows(rows)
        return self._counts[id(rows)]

    def labels(self, rows: Any) -> Any:
        """What belongs to them as far as `fit` was told, or the only labels of so many rows."""
        if id(rows) not in self._labels:
            paired = next((y for x, y in self._pairs if _are_same(x, rows)), None)
            found = labels_in(rows) if paired is None else dense(paired)
            found = self._of_as_many(rows) if found is None else found
            # Who learns to give its rows back may be asked about how badly it does.
            self._labels[id(rows)] = None if _gives_back(rows, found) else found
        return self._labels[id(rows)]

    def array(self, value: Any) -> Any:
        return dense(value)

    def _of_as_many(self, rows: Any) -> Any:
        found = [one for one in self._beside if len(one.labels) == self.count(rows)]
        self.made_by = found[0].made_by if len(found) == 1 else ""
        return found[0].labels if len(found) == 1 else None

    @contextmanager
    def answering(self, way: Way, went: Went) -> Iterator[None]:
        kind: Any = tf_keras.Model
        model, names = self._model, self.metrics
        of_library = isinstance(model, TFPreTrainedModel)
        real = {name: getattr(kind, name) for name in (*_CALLS, "evaluate", "fit", "save")}

        def predict(own: Any, x: Any = None, *args: Any, **kwargs: Any) -> Any:
            if own is not model:
                return real["predict"](own, x, *args, **kwargs)
            went.asked[-1] = True
            made = way(x, self.count(x))
            went.shape = made.shape
            return TFSequenceClassifierOutput(logits=made) if of_library else made

        def call(own: Any, *args: Any, **kwargs: Any) -> Any:
            more = not of_library and (len(args) > 1 or kwargs.keys() - _ASKED_PLAINLY)
            if own is not model or not args or more:  # what it answers then, only it can say
                return real["__call__"](own, *args, **kwargs)
            made = predict(own, args[0])
            return tf.constant(made) if isinstance(made, np.ndarray) else made

        def evaluate(own: Any, *args: Any, **kwargs: Any) -> Any:
            if own is not model:
                return real["evaluate"](own, *args, **kwargs)
            self.note(args[0] if args else kwargs.get("x"))
            went.measured[-1] = True
            said = told(names)
            return said if kwargs.get("return_dict") else [*said.values()] if names else LOSS

        def refused(own: Any, *args: Any, **kwargs: Any) -> Any:
            raise RuntimeError("nothing is trained or kept here")

        with ExitStack() as undo:
            made = {"predict": predict, "predict_on_batch": predict, "__call__": call}
            made |= {"evaluate": evaluate, "fit": refused, "save": refused}
            for name, one in made.items():
                setattr(kind, name, one)
                undo.callback(setattr, kind, name, real[name])
            called = kind.metrics_names
            kind.metrics_names = property(
                lambda own: ["loss", *names] if own is model else called.fget(own)
            )
            undo.callback(setattr, kind, "metrics_names", called)
            yield


def _gives_back(rows: Any, labels: Any) -> bool:
    asked = dense(rows) if isinstance(rows, tf.Tensor) else rows
    return labels is not None and _are_same(asked, labels)


def _are_same(given: Any, rows: Any) -> bool:
    """A part of an array is cut out anew each time that it is named."""
    if given is rows:
        return True
    arrays = isinstance(given, np.ndarray) and isinstance(rows, np.ndarray)
    return arrays and given.dtype.kind in "iufb" and np.array_equal(given, rows)


def _arrays(rests: Sequence[Rest]) -> Iterator[Any]:
    """All different ones of numbers that the rest reads by name."""
    found: list[Any] = []
    for rest in rests:
        for name in sorted(set().union(*map(reads, rest.left.statements))):
            value: Any = rest.names.get(name)
            if not isinstance(value, np.ndarray) or value.dtype.kind not in "iufb":
                continue
            if value.ndim and not any(np.array_equal(value, one) for one in found):
                found.append(value)
                yield value


def _drawn(scores: Any, loss: Loss) -> Drawn:
    numbers = None if scores is None else dense(scores).astype(float)
    if numbers is None or not np.isfinite(numbers).all():
        return Drawn(None, yes_or_no=loss.counts == "each")
    shares = are_shares(numbers)
    inside = bool(((numbers >= 0) & (numbers <= 1)).all())
    inside = inside and loss.counts not in ("amounts", "own") and not loss.logits and not shares
    return Drawn(numbers.shape[1:], shares, inside, loss.counts == "each")


def metric_names(model: Any) -> list[str]:
    given = getattr(model.compiled_metrics, "_user_metrics", None)
    flat = tf.nest.flatten(given) if isinstance(given, list | tuple) else [given] if given else []
    return [
        one if isinstance(one, str) else getattr(one, "name", getattr(one, "__name__", "metric"))
        for one in flat
    ]


def _history(fit: Fit) -> Any:
    said = told(metric_names(fit.model))
    if fit.validation is not None:
        said |= {f"val_{name}": value for name, value in said.items()}
    epochs = max(1, fit.epochs)
    history = {name: [value] * epochs for name, value in said.items()}
    return SimpleNamespace(history=history, epoch=list(range(epochs)), model=fit.model)


def count_rows(rows: Any) -> int:
    """How many rows somebody asks about."""
    if isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
        count = 0
        for batch in batches_of(as_batches(rows)):
            count += size_of(parts_of(batch))
            if count > MOST_ROWS:
                raise OutOfTime
        return count
    first = tf.nest.flatten(rows)[0]
    return len(rows) if np.ndim(first) == 0 else int(np.shape(first)[0])


def left_out(tried: Tried) -> str:
    """What gave fewer rows than there are, where the rest fails for want of them."""
    counts = set(re.findall(r"\d+", tried.fails[0])) if tried.fails is not None else set[str]()
    for rows in tried.rows if counts else ():
        if isinstance(rows, tf_keras.utils.Sequence):
            held = max((len(one) for one in vars(rows).values() if _is_column(one)), default=0)
            if str(held) in counts and count_rows(rows) < held:
                return type(rows).__name__
        elif isinstance(rows, tf.data.Dataset) and _drops_remainder(rows):
            return "drop_remainder"
    return ""


def _is_column(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _drops_remainder(dataset: Any) -> bool:
    while dataset is not None:
        if hasattr(dataset, "_drop_remainder"):
            return bool(dataset._drop_remainder)
        dataset = getattr(dataset, "_input_dataset", None)
    return False


def first_rows(rows: Any) -> Any:
    """The first of what a model was asked about, as one array; None where it is none."""
    try:
        if isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
            found: list[Any] = []
            for batch in batches_of(as_batches(rows)):
                found.append(dense(tf.nest.flatten(parts_of(batch).x)[0]))
                if sum(map(len, found)) >= MOST_MEASURED:
                    break
            return np.concatenate(found)
        return None if isinstance(rows, dict | list | tuple) else dense(rows)[:MOST_MEASURED]
    except Exception:  # what cannot be read proves nothing
        return None


def labels_in(rows: Any) -> Any:
    """In the order that `predict` goes through them; None of what holds no labels."""
    if not isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
        return None
    found: list[Any] = []
    try:
        for batch in batches_of(as_batches(rows)):
            labels = parts_of(batch).labels
            if labels is None:
                return None
            found.append(dense(labels))
            if sum(map(len, found)) > MOST_ROWS:
                return None
        return np.concatenate(found) if found else None
    except Exception:  # what cannot be read proves nothing
        return None
