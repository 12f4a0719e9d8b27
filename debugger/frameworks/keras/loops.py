"""Understands a loop that trains by hand, where its optimizer is about to take the first step: the
rows as its model and its loss get them, as if `fit` had been given those."""

from __future__ import annotations

import ast
import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from types import CodeType, FrameType
from typing import Any, Literal

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import line_in
from debugger.frameworks.keras.answering import scores_of
from debugger.frameworks.keras.bench import Rng, named_weights, values_of
from debugger.frameworks.keras.by_hand import Handed, Heard, answering_as, heard
from debugger.frameworks.keras.reading import MOST_BYTES, MOST_ROWS
from debugger.pipelines.by_hand import ByHand, ReadOnce
from debugger.pipelines.turns import (
    all_names,
    epochs_loop,
    epochs_of,
    function_at,
    line_of,
    loops_at,
    names_in,
    running_frames,
    trees_of,
)
from debugger.script import loops
from debugger.script.tracing import name_of

TURNS_HEARD = 3
SECONDS = 5.0
SAME = 1e-4
_MADE_OF_IT = ("take", "skip", "batch", "shuffle", "prefetch", "repeat", "cache")
_TRAINS, _JUDGES = re.compile(r"train", re.I), re.compile(r"val|test|dev|eval|held", re.I)
_CLIPS = {
    "clip_by_global_norm": "global_clipnorm",
    "clip_by_norm": "clipnorm",
    "clip_by_value": "clipvalue",
}


@dataclass(frozen=True)
class Data:
    """What `fit` would be given. `steps` are those of an epoch, where not all of its batches were
    kept."""

    train: Any
    validation: Any
    epochs: int
    steps: int | None


@dataclass(frozen=True)
class ByLoop:
    """What `compile` and `fit` would be given for the same training. Its loss counts so many
    `times`."""

    model: Any
    optimizer: Any
    loss: Any
    times: float
    metrics: list[Any]
    data: Data
    by_hand: ByHand


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


def fit_by_loop(optimizer: Any) -> ByLoop | None:
    """None of a loop that is not understood."""
    frames, drawn = running_frames(), Rng()
    tf.config.run_functions_eagerly(False)
    try:
        return _understood(frames, optimizer)
    except Exception:  # of what was never met before: the loop is not judged then
        return None
    finally:
        drawn.restore()


@dataclass(frozen=True)
class _Turns:
    """The items that a loop goes over, and what is done with one of them."""

    code: CodeType
    names: dict[str, Any]
    items: Any
    count: int | None

    @property
    def counted(self) -> bool:
        return isinstance(self.items, range)

    def hear(self, item: Any) -> Heard | None:
        return heard(self.code, {loops.PUT: item}, self.names)


@dataclass(frozen=True)
class _Place:
    """The loop of the batches, and what runs around it and within."""

    loop: loops.Loop
    outer: list[loops.Loop]
    frames: list[FrameType]
    within: int

    @cached_property
    def doing(self) -> list[ast.AST]:
        """What the text of a turn is made of: the loop, and functions that it is in."""
        functions = [one for f in self.frames[: self.within] if (one := function_at(f)) is not None]
        return [self.loop.node, *functions]

    @cached_property
    def names(self) -> dict[str, Any]:
        return all_names(self.frames)

    def calls(self, *names: str) -> list[ast.Call]:
        return _calls(self.doing, *names)

    def learns_once_a_turn(self) -> bool:
        """Whether it asks for gradients, and steps, once, and does so in each turn."""
        steps = ("apply_gradients", "minimize")
        if len(self.calls("gradient")) > 1 or len(self.calls(*steps)) != 1:
            return False
        forks = (part for one in self.doing for part in ast.walk(one) if isinstance(part, ast.If))
        return not any(_calls([fork], *steps) for fork in forks)


def _understood(frames: list[FrameType], optimizer: Any) -> ByLoop | None:
    if any(one is not optimizer for one in all_names(frames).values() if _is_optimizer(one)):
        return None
    for within, frame in enumerate(frames):
        around = loops_at(frame)
        for inner, loop in enumerate(around):
            items = _goes_over(loop, names_in(frame))
            if items is None:
                continue
            place = _Place(loop, around[inner + 1 :], frames, within)
            code = loop.turn
            if code is None or not place.learns_once_a_turn():
                return None
            count = len(items) if isinstance(items, range) else int(items.cardinality())
            turns = _Turns(code, names_in(frame), items, count if count > 0 else None)
            return _made(turns, place, optimizer)
    return None


def _is_optimizer(value: Any) -> bool:
    kinds = (tf_keras.optimizers.Optimizer, tf_keras.optimizers.legacy.Optimizer)
    return isinstance(value, kinds)


def _goes_over(loop: loops.Loop, names: dict[str, Any]) -> Any:
    """A data set, or the numbers that are counted through."""
    given = loop.node.iter
    while isinstance(given, ast.Call) and name_of(given.func) in ("enumerate", "tqdm"):
        given = given.args[0]
    base = given
    while isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute):
        if base.func.attr not in _MADE_OF_IT:
            return None
        base = base.func.value
    if isinstance(loops.value_of(base, names), tf.data.Dataset):
        return eval(compile(ast.Expression(given), loop.file, "eval"), dict(names))
    held = loop.goes_over(names)
    return held if isinstance(held, tf.data.Dataset) else loop.numbers(names)


def _calls(doing: Sequence[ast.AST], *names: str) -> list[ast.Call]:
    calls = (part for one in doing for part in ast.walk(one) if isinstance(part, ast.Call))
    return list({id(c): c for c in calls if name_of(c.func) in names}.values())


def _made(turns: _Turns, place: _Place, optimizer: Any) -> ByLoop | None:
    with _weights_kept(place.names):
        some = _some(turns)
        model = _the_model(some)
        found = None if model is None else _loss_of(model, some)
        if found is None:
            return None
        handed, one = None if found == "inside" else found, some[0]
        with answering_as(one):
            data = _data(turns, place, some, handed)
    if data is None:
        return None
    _clip(optimizer, place)
    return ByLoop(
        model=model,
        optimizer=optimizer,
        loss=None if handed is None else _given(handed),
        times=1.0 if handed is None else handed.times,
        metrics=_metrics(place),
        data=data,
        by_hand=ByHand(
            line=line_in(place.loop.file, place.loop.node.lineno),
            steps_at=next((at for f in place.frames if (at := line_of(f)) is not None), None),
            training=not one.still,
            differs=one.still or one.differs,
            backwards=1,
            zeroed=0,
            asked_at=one.asked_at,
            lost_at=None if handed is None else handed.line,
            unpenalised=_let_go(model) if handed is not None and handed.unpenalised else "",
            read_once=_read_once(place),
        ),
    )


@contextlib.contextmanager
def _weights_kept(names: dict[str, Any]) -> Iterator[None]:
    """A turn that is only tried leaves averages as they were."""
    models = [one for one in names.values() if isinstance(one, tf_keras.Model)]
    kept = [(w, values_of(w).copy()) for model in models for w in named_weights(model).values()]
    try:
        yield
    finally:
        for weight, value in kept:
            weight.assign(value)


def _data(turns: _Turns, place: _Place, some: list[Heard], handed: Handed | None) -> Data | None:
    around = place.frames[place.within :]
    epochs = epochs_of(around, place.outer)
    if epochs is None:
        return None
    counted = turns.counted
    if counted and _alike(some[0], some[-1]):
        return Data(_stored([_pair(some[0], handed)]), None, epochs * len(turns.items), None)
    if counted and epochs_loop(around, place.outer) is None:
        return None  # each turn draws the same rows in another order, as far as anybody knows
    chosen = _chosen(turns, handed)
    train, steps = _kept(turns, handed) if chosen is None else (turns.items.map(chosen), None)
    return Data(train, _held(turns, place.names, chosen, handed), epochs, steps)


def _some(turns: _Turns) -> list[Heard]:
    """The first turns, and the last of those that are counted."""
    items = (
        list(turns.items.take(TURNS_HEARD))
        if not isinstance(turns.items, range)
        else [
            *turns.items[:TURNS_HEARD],
            turns.items[-1],
        ]
    )
    found = [turns.hear(item) for item in items]
    return [one for one in found if one is not None] if all(found) else []


def _the_model(some: list[Heard]) -> Any:
    """The one model that is asked, once a turn, about one thing, and learns all that it can."""
    if not some or any(len(one.asked) != 1 for one in some):
        return None
    model = some[0].asked[0][0]
    if not isinstance(model, tf_keras.Model) or any(one.asked[0][0] is not model for one in some):
        return None
    for one in some:
        _, args, kwargs = one.asked[0]
        further = args[1:] if len(args) > 1 else ()
        if not args or any(not isinstance(value, bool) for value in further):
            return None
        if set(kwargs) - {"training"} or one.target is None or np.size(one.target) != 1:
            return None
    return model if _held_back(model, some[0].sources) else None


def _held_back(model: Any, sources: Any) -> bool:
    """Leaves untrained what no gradients are asked for. False where that are parts of layers."""
    learned = {id(weight) for weight in tf.nest.flatten(sources)}
    known = {id(weight) for weight in model.trainable_weights}
    if not learned or not learned <= known:
        return False
    for layer in model._flatten_layers(recursive=True, include_self=False):
        own = {id(weight) for weight in layer._trainable_weights}
        if own - learned and own & learned:
            return False
        if own and not own & learned:
            layer._trainable = False
    return {id(weight) for weight in model.trainable_weights} == learned


def _x(one: Heard) -> Any:
    return one.asked[0][1][0]


def _loss_of(model: Any, some: list[Heard]) -> Handed | Literal["inside"] | None:
    """What makes of the answer what is learned: a call, or a formula; "inside" where the model does
    so by itself, as one of transformers that is asked with its labels."""
    if all(_is(one, getattr(one.answers[0], "loss", None)) for one in some):
        return "inside"
    penalty = float(tf.add_n(model.losses)) if model.losses else 0.0
    calls = min(len(one.handed) for one in some)
    several = len(some) > 1 and not _alike(some[0], some[-1])
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


def _given(handed: Handed) -> Any:
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


def _pair(one: Heard, handed: Handed | None) -> Any:
    return (_x(one),) if handed is None else (_x(one), _y(one, handed))


def _alike(one: Heard, other: Heard) -> bool:
    leaves = zip(*(tf.nest.flatten(_x(each)) for each in (one, other)), strict=True)
    return one is other or all(np.array_equal(a, b) for a, b in leaves)


def _chosen(turns: _Turns, handed: Handed | None) -> Callable[..., Any] | None:
    """Where the model and the loss get parts of an item as they are: which."""
    if turns.counted:
        return None
    item = next(iter(turns.items))
    one = turns.hear(item)
    if one is None:
        return None
    parts = [id(part) for part in tf.nest.flatten(item)]
    pair = _pair(one, handed)
    leaves = [id(part) for part in tf.nest.flatten(pair)]
    if any(leaf not in parts for leaf in leaves):
        return None
    places = [parts.index(leaf) for leaf in leaves]

    def choose(*given: Any) -> Any:
        flat = tf.nest.flatten(given)
        made = tf.nest.pack_sequence_as(pair, [flat[place] for place in places])
        return made if handed is not None else made[0]

    return choose


def _kept(turns: _Turns, handed: Handed | None) -> tuple[Any, int | None]:
    """What the model and the loss get in one turn after the other, as a data set; and how many
    turns there are, where that are more."""
    pairs: list[Any] = []
    rows, size, began = 0, 0, time.monotonic()
    for item in turns.items:
        one = turns.hear(item)
        if one is None:
            break
        pair = _pair(one, handed)
        pairs.append(pair)
        leaves = [np.asarray(leaf) for leaf in tf.nest.flatten(pair)]
        rows += len(leaves[0])
        size += sum(leaf.nbytes for leaf in leaves)
        if rows >= MOST_ROWS or size >= MOST_BYTES or time.monotonic() - began > SECONDS:
            break
    whole = turns.count is None or len(pairs) == turns.count
    made = _stored(pairs)
    return (made, None) if whole else (made.repeat(), turns.count)


def _stored(pairs: list[Any]) -> Any:
    """Sizes that are always the same are known of the data set too."""
    flat = [tf.nest.flatten(pair) for pair in pairs]
    specs = []
    for leaves in zip(*flat, strict=True):
        shapes = [tuple(leaf.shape) for leaf in leaves]
        sizes = [s[0] if len(set(s)) == 1 else None for s in zip(*shapes, strict=True)]
        kind = tf.as_dtype(leaves[0].dtype)
        specs.append(tf.TensorSpec([None, *sizes[1:]] if sizes else [], kind))
    alone = len(pairs[0]) == 1
    signature = tf.nest.pack_sequence_as(pairs[0], specs)

    def again() -> Iterator[Any]:
        return (pair[0] if alone else pair for pair in pairs)

    made = tf.data.Dataset.from_generator(
        again, output_signature=signature[0] if alone else signature
    )
    return made.apply(tf.data.experimental.assert_cardinality(len(pairs)))


def _held(
    turns: _Turns, names: dict[str, Any], chosen: Callable[..., Any] | None, handed: Handed | None
) -> Any:
    """The rows that are to be judged by: another data set of the same form, by its name."""
    own = turns.items
    if turns.counted:
        return None
    beside = {
        name: value
        for name, value in names.items()
        if isinstance(value, tf.data.Dataset) and not _TRAINS.search(name) and _JUDGES.search(name)
    }
    for value in beside.values():
        if value is own or not _same_form(value.element_spec, own.element_spec):
            continue
        if chosen is not None:
            return value.map(chosen)
        count = int(value.cardinality())
        other = _Turns(turns.code, turns.names, value, count if count > 0 else None)
        return _kept(other, handed)[0]
    return None


def _same_form(one: Any, other: Any) -> bool:
    try:
        tf.nest.assert_same_structure(one, other)
    except (ValueError, TypeError):
        return False
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True)
    return all(
        a.dtype == b.dtype and a.shape.rank == b.shape.rank
        for a, b in pairs
        if isinstance(a, tf.TensorSpec) and isinstance(b, tf.TensorSpec)
    )


def _metrics(place: _Place) -> list[Any]:
    """One of each kind that is told labels and answers, rather that of the judging."""
    told = {
        name_of(call.func.value if call.func.attr == "update_state" else call.func)
        if isinstance(call.func, ast.Attribute)
        else name_of(call.func)
        for tree in trees_of(place.frames)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and len(call.args) > 1
    }
    found = {
        name: value
        for name, value in place.names.items()
        if name in told and isinstance(value, tf_keras.metrics.Metric)
    }
    kinds: dict[type, Any] = {}
    for name in sorted(found, key=lambda one: not _JUDGES.search(one)):
        kinds.setdefault(type(found[name]), found[name])
    return [type(one).from_config(one.get_config()) for one in kinds.values()]


def _clip(optimizer: Any, place: _Place) -> None:
    """What the loop does to gradients is left to its optimizer, which can do the same."""
    for name, what in _CLIPS.items():
        for call in place.calls(name):
            told = [*call.args[1:], *(one.value for one in call.keywords)]
            value = loops.value_of(told[-1], place.names) if told else None
            if isinstance(value, (int, float)) and getattr(optimizer, what, 0) is None:
                setattr(optimizer, what, abs(float(value)))


def _read_once(place: _Place) -> ReadOnce | None:
    """A number of the script's that a function made a graph of reads, and a loop changes."""
    around = [*place.outer, *(loop for frame in place.frames for loop in loops_at(frame))]
    changed = {name for loop in around for name in loop.makes()}
    for function in place.doing:
        if not isinstance(function, ast.FunctionDef) or not _makes_graph(function):
            continue
        parts = [part for part in ast.walk(function) if isinstance(part, ast.Name)]
        taken = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
        taken |= {part.id for part in parts if isinstance(part.ctx, ast.Store)}
        for part in parts:
            value = place.names.get(part.id)
            if part.id in changed - taken and isinstance(value, int | float):
                file = place.frames[0].f_code.co_filename
                return ReadOnce(part.id, float(value), line_in(file, part.lineno))
    return None


def _makes_graph(function: ast.FunctionDef) -> bool:
    marks = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return any(name_of(mark) == "function" for mark in marks)


def _let_go(model: Any) -> str:
    """Takes the penalties on its weights out of a model, whose loop does not add them; the name of
    the first layer that had one."""
    penal = [one for one in model._flatten_layers() if one._callable_losses]
    for layer in penal:
        layer._callable_losses.clear()
    return str(penal[0].name) if penal else ""
