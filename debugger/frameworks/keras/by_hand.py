"""Hears one turn of a loop that trains by hand, up to where it asks its tape for gradients: which
model is asked what, and what its answer is handed to."""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import CodeType, FrameType
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from tensorflow.python.autograph.core import ag_ctx
from tensorflow.python.eager.polymorphic_function import polymorphic_function

from debugger.failure import is_own, own_line
from debugger.frameworks.keras.answering import scores_of
from debugger.pipelines.rest import own_frames
from debugger.pipelines.turns import names_in
from debugger.script import loops


class _Asked(BaseException):
    """Ends a turn where gradients are asked for. No `except Exception` catches it."""


class _InGraph(BaseException):
    """A tape is opened while a graph is traced: nobody hears a single turn of it."""


@dataclass
class Handed:
    """A function, or a loss of Keras, that was given the answer of the model and labels beside it.

    `named` are all that it was given by their names, with those two under `answer` and `labels`,
    and `known` is the loss of Keras that says the same of them, of a function that is none itself;
    what is written out without any function has names of ours, and `name` is that of its labels in
    the script. It is the call at that `place` of a turn. `times`: what is learned is so many times
    its result. `unpenalised`: without the penalties that the layers put on their weights. `weights`
    are those of the rows, where it was told some; its results are `weighed_by` what is known by
    that name, `evenly` where those add up to as many as there are rows.
    """

    does: Any
    kind: str
    named: dict[str, Any]
    answer: str
    labels: str
    known: Any = None
    line: int | None = None
    result: Any = None
    times: float = 1.0
    place: int = 0
    name: str = ""
    unpenalised: bool = False
    weights: Any = None
    weighed_by: str = ""
    evenly: bool = False

    @property
    def y(self) -> Any:
        return self.named[self.labels]


@dataclass
class Heard:
    """`asked` are the models with weights that were asked, and how, the last at a line. `target` is
    what the gradients by `sources` were asked of, and `beside` what was known by name there.
    `still` is the first layer that did not do what it does while it learns, `differs` the first
    that would do otherwise. `item` is what the loop went over in that turn."""

    asked: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    target: Any = None
    sources: Any = None
    still: str = ""
    differs: str = ""
    beside: dict[str, Any] = field(default_factory=dict)
    asked_at: int | None = None
    item: Any = None


def heard(turn: CodeType, put: Mapping[str, Any], names: Mapping[str, Any]) -> Heard | None:
    """None of a turn that does not come to its gradients."""
    hearing = _Hearing()
    before = sys.getprofile()
    tf.config.run_functions_eagerly(True)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            sys.setprofile(hearing.hear)
            loops.take(turn, put, names)
    except _Asked:
        return hearing.heard
    finally:
        sys.setprofile(before)
        tf.config.run_functions_eagerly(False)
    return None


@contextlib.contextmanager
def answering_as(one: Heard) -> Iterator[None]:
    """While open, the model answers what it has answered in a turn to whatever has the form of what
    it was asked there: only what it is asked is to be heard."""
    model, (known, *_), _ = one.asked[0]
    own, forms = model.call, _forms(known)

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return one.answers[0] if _forms(x) == forms else own(x, *args, **kwargs)

    model.call = call
    try:
        yield
    finally:
        del model.call


def _forms(x: Any) -> list[tuple[int, ...]]:
    return [tuple(np.shape(leaf)) for leaf in tf.nest.flatten(x)]


class _Hearing:
    def __init__(self) -> None:
        self.heard = Heard()
        self._inside: list[FrameType] = []
        self._given: tuple[tuple[Any, ...], dict[str, Any]] = (), {}
        self._waiting: dict[FrameType, Handed] = {}
        self._scores: Any = None
        self._tapes = 0

    def hear(self, frame: FrameType, event: str, result: Any) -> None:
        if event == "call":
            self._called(frame)
        elif event == "return":
            self._returned(frame, result)

    def _called(self, frame: FrameType) -> None:
        code = frame.f_code
        if code is _LAYER:
            if not self._inside:  # its names hold something else in the end
                given = frame.f_locals
                self._given = given["args"], dict(given["kwargs"])
                self.heard.asked_at = own_line()
            self._inside.append(frame)
        elif code is _ENTER:
            if not self._tapes:  # what came before is no part of it, such as a look at unseen rows
                self.heard, self._scores = Heard(), None
            self._tapes += 1
        elif code is _EXIT:
            self._tapes -= 1
        elif code is _GRADIENT:
            given = frame.f_locals
            self.heard.target, self.heard.sources = given["target"], given["sources"]
            self.heard.beside = _rows_beside()
            raise _Asked
        elif code in _DIFFERING:
            self._differing(frame.f_locals["self"], frame.f_locals.get("training"))
        elif self._scores is not None and not self._inside:
            handed = _handed(frame, self._scores)
            if handed is not None:
                handed.line = own_line()
                self.heard.handed.append(handed)
                self._waiting[frame] = handed

    def _returned(self, frame: FrameType, result: Any) -> None:
        if frame.f_code is _LAYER and self._inside and self._inside[-1] is frame:
            self._inside.pop()
            layer = frame.f_locals["self"]
            if not self._inside and layer.trainable_weights:
                self.heard.asked.append((layer, *self._given))
                self.heard.answers.append(result)
                self._scores = scores_of(result)
        elif frame in self._waiting:
            self._waiting.pop(frame).result = result

    def _differing(self, layer: Any, training: Any) -> None:
        if not layer.trainable or not getattr(layer, "rate", 1):
            return
        name = str(layer.name)
        self.heard.differs = self.heard.differs or name
        if training is None or (isinstance(training, bool | int) and not training):
            self.heard.still = self.heard.still or name


def _rows_beside() -> dict[str, Any]:
    """What the script's own functions that are running know, the innermost first."""
    found: dict[str, Any] = {}
    for frame in own_frames():
        known = {name: value for name, value in names_in(frame).items() if _holds_rows(value)}
        found = {**known, **found}
    return found


def _code(function: Any) -> CodeType:
    return inspect.unwrap(function).__code__


_LAYER, _GRADIENT = _code(tf_keras.layers.Layer.__call__), _code(tf.GradientTape.gradient)
_ENTER, _EXIT = _code(tf.GradientTape.__enter__), _code(tf.GradientTape.__exit__)
_LOSS = _code(tf_keras.losses.Loss.__call__)
_DIFFERING = {
    _code(kind.call) for kind in (tf_keras.layers.Dropout, tf_keras.layers.BatchNormalization)
}
_OF_NN: dict[CodeType, tuple[Any, Any]] = {
    _code(function): (function, kind)
    for function, kind in (
        (
            tf.nn.sparse_softmax_cross_entropy_with_logits,
            tf_keras.losses.SparseCategoricalCrossentropy,
        ),
        (tf.nn.softmax_cross_entropy_with_logits, tf_keras.losses.CategoricalCrossentropy),
        (tf.nn.sigmoid_cross_entropy_with_logits, tf_keras.losses.BinaryCrossentropy),
    )
}


def _functions() -> dict[CodeType, tuple[Any, Any]]:
    """The losses of Keras that are functions, each with the class that calls it."""
    found: dict[CodeType, tuple[Any, Any]] = {}
    for kind in vars(tf_keras.losses).values():
        if inspect.isclass(kind) and issubclass(kind, tf_keras.losses.Loss):
            with contextlib.suppress(TypeError):
                function = getattr(kind(), "fn", None)
                if function is not None:
                    found[_code(function)] = function, kind
    return found


_OF_KERAS = _functions()


def _handed(frame: FrameType, scores: Any) -> Handed | None:
    code = frame.f_code
    if not (code is _LOSS or code in _OF_NN or code in _OF_KERAS or is_own(code.co_filename)):
        return None  # which most calls are
    given = dict(frame.f_locals)
    if code is _LOSS:
        known = {name: given[name] for name in ("y_true", "y_pred")}
        handed = _of(given["self"], "made", known, scores)
        weights = given["sample_weight"]
        if handed is None or weights is None:
            return handed
        return replace(handed, weights=weights) if _holds_rows(weights) else None
    if code in _OF_NN:
        function, kind = _OF_NN[code]
        known = {name: given.get(name) for name in ("labels", "logits")}
        return _of(function, "function", known, scores, kind(from_logits=True))
    if code in _OF_KERAS:
        function, kind = _OF_KERAS[code]
        taken = inspect.signature(kind).parameters
        told = {name: value for name, value in given.items() if name in taken}
        return _of(function, "function", given, scores, kind(**told))
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = {name: given[name] for name in names if name in given}
    owner = known.pop("self", None)
    outside = frame.f_back
    does = getattr(owner, code.co_name, None) if owner is not None else None
    if does is None and outside is not None:
        does = names_in(outside).get(code.co_name)
    return _of(does, "own", known, scores) if callable(does) else None


def _of(
    does: Any, kind: str, named: dict[str, Any], scores: Any, known: Any = None
) -> Handed | None:
    answer = next((name for name, value in named.items() if _is_answer(value, scores)), None)
    others = [name for name, value in named.items() if name != answer and _holds_rows(value)]
    if answer is None or len(others) != 1:
        return None
    return Handed(does, kind, named, answer, others[0], known)


def _is_answer(value: Any, scores: Any) -> bool:
    """The answer itself, or that in another shape, as `squeeze` gives it."""
    if value is scores:
        return True
    if not isinstance(value, tf.Tensor) or value.dtype != scores.dtype:
        return False
    if value.shape.num_elements() != scores.shape.num_elements():
        return False
    return bool(np.array_equal(np.ravel(value), np.ravel(scores)))


def _holds_rows(value: Any) -> bool:
    return isinstance(value, tf.Tensor | tf.Variable | np.ndarray) and bool(np.ndim(value))


@contextlib.contextmanager
def eager_where_taped(rehearsing: Callable[[], bool], opened: Callable[[], None]) -> Iterator[None]:
    """While open, a function with a tape in it is not made a graph of: nobody could hear it.
    `rehearsing` says whether Keras trains itself, whose own steps are left as they are. `opened` is
    told of every other tape."""
    kind: Any = polymorphic_function.Function
    enter, call = tf.GradientTape.__enter__, kind.__call__
    before, inside = tf.config.functions_run_eagerly(), 0

    def entered(tape: Any) -> Any:
        if not rehearsing():
            if inside and not tf.executing_eagerly():
                raise _InGraph
            opened()
        return enter(tape)

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal inside
        inside += 1
        try:
            if not tf.config.functions_run_eagerly():
                return call(self, *args, **kwargs)
        except _InGraph:
            if not tf.executing_eagerly():  # another one's graph: that is left as well
                raise
            tf.config.run_functions_eagerly(True)
        finally:
            inside -= 1
        with ag_ctx.ControlStatusCtx(ag_ctx.Status.DISABLED):  # or another text is run than theirs
            return call(self, *args, **kwargs)

    tf.GradientTape.__enter__, kind.__call__ = entered, called  # type: ignore[method-assign]
    try:
        yield
    finally:
        tf.GradientTape.__enter__, kind.__call__ = enter, call  # type: ignore[method-assign]
        tf.config.run_functions_eagerly(before)
