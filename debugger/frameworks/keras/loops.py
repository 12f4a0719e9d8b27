"""Understands a loop that trains by hand, where its optimizer is about to take the first step: the
rows as its model and its loss get them, as if `fit` had been given those."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras

from debugger.failure import line_in
from debugger.frameworks.keras.bench import Rng, named_weights, values_of
from debugger.frameworks.keras.by_hand import Heard, answering_as
from debugger.frameworks.keras.chained import as_one
from debugger.frameworks.keras.loop_loss import as_compiled, loss_of_loop
from debugger.frameworks.keras.loop_rows import (
    JUDGES,
    Data,
    Epochs,
    Turns,
    batches_of,
    data_of,
    some_turns,
)
from debugger.pipelines.by_hand import ByHand, ReadOnce
from debugger.pipelines.turns import (
    all_names,
    comprehended,
    epochs_loop,
    epochs_of,
    function_at,
    line_of,
    loops_at,
    names_in,
    running_frames,
    trees_of,
)
from debugger.pipelines.unfollowed import NotFollowed
from debugger.script import loops
from debugger.script.tracing import Function, name_of

_MADE_OF_IT = ("take", "skip", "batch", "shuffle", "prefetch", "repeat", "cache")
_RESET = ("reset_state", "reset_states")
_OF_METRICS = (*_RESET, "result")
_CLIPS = {
    "clip_by_global_norm": "global_clipnorm",
    "clip_by_norm": "clipnorm",
    "clip_by_value": "clipvalue",
}


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


def fit_by_loop(optimizer: Any, before: Before) -> ByLoop:
    """Raises NotFollowed for a loop that is not understood."""
    frames, drawn = running_frames(), Rng()
    tf.config.run_functions_eagerly(False)
    try:
        return _understood(frames, optimizer, before)
    except NotFollowed:
        raise
    except Exception:  # of what was never met before: the loop is not judged then
        raise NotFollowed("hand_written_loop") from None
    finally:
        drawn.restore()


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

    def epochs(self, batches: int) -> Epochs:
        around = self.frames[self.within :]
        times = epochs_of(around, self.outer, batches)
        if times is None:
            raise NotFollowed("loop_that_waits")
        return Epochs(math.ceil(times), epochs_loop(around, self.outer) is not None)

    @cached_property
    def loop_names(self) -> set[str]:
        """What any loop calls what it goes over."""
        parts = (part for tree in trees_of(self.frames) for part in ast.walk(tree))
        targets = (one.target for one in parts if isinstance(one, ast.For | ast.comprehension))
        return {n.id for one in targets for n in ast.walk(one) if isinstance(n, ast.Name)}

    def calls(self, *names: str) -> list[ast.Call]:
        return list(dict.fromkeys(loops.calls_in(self.doing, *names)))

    def learns_once_a_turn(self) -> bool:
        """Whether it asks for gradients, and steps, once, and does so in each turn."""
        steps = ("apply_gradients", "minimize")
        if len(self.calls("gradient")) > 1 or len(self.calls(*steps)) != 1:
            return False
        parts = [part for one in self.doing for part in ast.walk(one)]
        stepping = [one.name for one in self.doing if isinstance(one, Function)]
        forks = [part for part in parts if isinstance(part, ast.If)]
        inner = [p for p in parts if isinstance(p, ast.For | ast.While) and p is not self.loop.node]
        return not (loops.calls_in(forks, *steps, *stepping) or loops.calls_in(inner, "gradient"))


def _understood(frames: list[FrameType], optimizer: Any, before: Before) -> ByLoop:
    known = (optimizer, *(one for one in all_names(frames).values() if _is_optimizer(one)))
    if (count := len(set(map(id, known)))) > 1:
        raise NotFollowed("loop_of_optimizers", count=count)
    if comprehended(frames):
        raise NotFollowed("loop_in_one_line")
    for within, frame in enumerate(frames):
        around = loops_at(frame)
        for inner, loop in enumerate(around):
            items = _goes_over(loop, names_in(frame))
            if items is None:
                continue
            place = _Place(loop, around[inner + 1 :], frames, within)
            code = loop.turn
            if code is None:
                raise NotFollowed("loop_that_returns")
            if not place.learns_once_a_turn():
                raise NotFollowed("loop_of_other_steps")
            count = len(items) if isinstance(items, range | list) else int(items.cardinality())
            names = names_in(frame)
            for outer in around[inner:]:
                names = outer.later(names)
            turns = Turns(code, names, items, count if count > 0 else None, loop.counter)
            return _made(turns, place, optimizer, before)
    raise NotFollowed("loop_over_nothing")


def _is_optimizer(value: Any) -> bool:
    kinds = (tf_keras.optimizers.Optimizer, tf_keras.optimizers.legacy.Optimizer)
    return isinstance(value, kinds)


def _goes_over(loop: loops.Loop, names: dict[str, Any]) -> Any:
    """A data set, batches that a list or a function of the script's gives, or the numbers that are
    counted through."""
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
    if isinstance(held, tf.data.Dataset):
        return held
    numbers = loop.numbers(names)
    return batches_of(loop, names) if numbers is None else numbers


def _made(turns: Turns, place: _Place, optimizer: Any, before: Before) -> ByLoop:
    epochs, some = place.epochs(turns.count or 1), as_one(_heard(turns))
    model = _the_model(some)
    found = loss_of_loop(model, some)
    if found is None:
        raise NotFollowed("loop_of_another_loss")
    handed, one = None if found == "inside" else found, some[0]
    with answering_as(one):
        data = data_of(turns, epochs, place.names, some, handed)
    before.restore(model)
    _clip(optimizer, place)
    alone = len(trees_of(place.frames)) == 1  # lines of a file beside have other numbers
    return ByLoop(
        model=model,
        optimizer=optimizer,
        loss=None if handed is None else as_compiled(handed),
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
            broken_off=place.loop.breaks_at if alone else None,
            batches=turns.count or 0,
            made_anew=_made_anew(optimizer, place) if alone else None,
            optimizer=type(optimizer).__name__,
            unreset=_unreset(place) if alone and data.epochs > 1 else None,
        ),
    )


class Before:
    """The weights of the models that a script's functions know, as they are when it opens its first
    tape: all that a turn moves, such as averages, comes after."""

    def __init__(self) -> None:
        names = all_names(running_frames())
        models = [one for one in names.values() if isinstance(one, tf_keras.Model)]
        held = {id(w): w for model in models for w in named_weights(model).values()}
        self._kept = {key: (weight, values_of(weight).copy()) for key, weight in held.items()}

    def restore(self, model: Any) -> None:
        for weight, value in self._kept.values():
            weight.assign(value)
        for layer in model._flatten_layers():  # of one that had no weights yet
            kind = tf_keras.layers.BatchNormalization
            if isinstance(layer, kind) and layer.built and id(layer.moving_mean) not in self._kept:
                layer.moving_mean.assign(tf.zeros_like(layer.moving_mean))
                layer.moving_variance.assign(tf.ones_like(layer.moving_variance))


def _heard(turns: Turns) -> list[Heard]:
    try:
        some = some_turns(turns)
    except Exception as error:  # of the script's: its turn cannot be taken by itself
        raise NotFollowed.of_a_turn(error) from None
    if not some:
        raise NotFollowed("hand_written_loop")
    return some


def _the_model(some: list[Heard]) -> Any:
    """The one model that is asked, once a turn, about one thing, and learns all that it can."""
    times = max(len(one.asked) for one in some)
    models = {id(asked[0]): asked[0] for one in some for asked in one.asked}
    if not models:
        raise NotFollowed("hand_written_loop")
    if times > 1 or len(models) > 1:
        called = ", ".join(one.name for one in models.values())
        raise NotFollowed("loop_of_models", count=times, names=called)
    (model,) = models.values()
    for one in some:
        _, args, kwargs = one.asked[0]
        further = args[1:] if len(args) > 1 else ()
        plain = args and all(isinstance(value, bool) for value in further)
        if not plain or set(kwargs) - {"training"}:
            raise NotFollowed("loop_asks_otherwise")
        if one.target is not None and (count := int(np.size(one.target))) != 1:
            raise NotFollowed("loop_of_many_numbers", count=count)
    nothing = any(one.target is None for one in some)
    if nothing or not isinstance(model, tf_keras.Model) or not _held_back(model, some[0].sources):
        raise NotFollowed("hand_written_loop")
    return model


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
    for name in sorted(found, key=lambda one: not JUDGES.search(one)):
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
    around = (loop for frame in place.frames for loop in loops_at(frame))
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


def _made_anew(optimizer: Any, place: _Place) -> int | None:
    gathers = not hasattr(optimizer, "momentum") or optimizer.momentum
    lines = (call.lineno for call in place.calls(type(optimizer).__name__))
    return min(lines, default=None) if gathers else None


def _unreset(place: _Place) -> tuple[str, int] | None:
    """A metric that is asked for what it has counted in each epoch, and that nothing sets back."""
    epochs = epochs_loop(place.frames[place.within :], place.outer)
    if epochs is None:
        return None
    calls = loops.calls_in(trees_of(place.frames), *_OF_METRICS)
    owned = [
        (call, name_of(call.func.value)) for call in calls if isinstance(call.func, ast.Attribute)
    ]
    reset = {name for call, name in owned if name_of(call.func) in _RESET}
    if reset & place.loop_names:
        return None  # of one metric after the other
    made = {
        part.id
        for part in ast.walk(epochs)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    for call, name in owned:
        held = place.names.get(name)
        asked = name_of(call.func) == "result" and call in ast.walk(epochs)
        if asked and isinstance(held, tf_keras.metrics.Metric) and name not in reset | made:
            return name, call.lineno
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
