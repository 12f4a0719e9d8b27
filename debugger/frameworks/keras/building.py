"""Stops a script where `model.fit` would start, and notes what it compiled on the way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import keras
import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras.src.engine import data_adapter
from transformers import PushToHubCallback, TFPreTrainedModel

from debugger.failure import own_line
from debugger.frameworks.keras.afterwards import After, seen_after
from debugger.frameworks.keras.by_hand import eager_where_taped
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.loading import drawn_late
from debugger.frameworks.keras.loops import Before, ByLoop, fit_by_loop
from debugger.frameworks.keras.placing import Noted, noting
from debugger.frameworks.keras.rates import at_default
from debugger.frameworks.keras.rehearsing import Rehearsed, rehearse
from debugger.pipelines.by_hand import ByHand
from debugger.pipelines.forward import Earlier
from debugger.pipelines.phases import Phases
from debugger.pipelines.starting import Patience, TrainingStarts
from debugger.pipelines.turns import never_asks
from debugger.pipelines.unfollowed import NotFollowed, Refused

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class Source:
    """The Dataset that a tf.data.Dataset was made from, what makes its batches, and the columns
    that it was asked for by name."""

    made: Any
    dataset: Dataset
    collate: Any
    asked: frozenset[str] = frozenset()


_LEARNS = r"trainable_(variables|weights)"
_STEPS = r"apply_gradients|minimize|\.apply\b|assign"
DEFAULT_SIZE = 32
"""Rows of a batch, where nobody says how many."""


@dataclass(frozen=True)
class Fit:
    """A compiled model and what `fit` was called with.

    `strings` is what `compile` was given as a string: all else about it is then a default.
    `whole`: this is how long it trains; data alone tell nothing of that, and neither does one of
    several calls in a loop. `begins_at` is the epoch
    that it counts on from, `sequence` the Sequence that its batches come from, if they come from
    one, `batches` how many arrays make of an epoch, `held` how many there are for all epochs, where
    they are known to end, `pairs` the inputs and labels that were handed over, and `after` what the
    script does with the answers.
    `phases` is what it takes over from compiling, and from trainings before it; `cut_short`:
    fewer steps of those were run here than the script makes. `noted` are all
    layers that were made on the way, with their lines. `by_hand`: a loop of the script's own trains
    it, and this is what it would be as a call of `fit`.
    """

    model: Any
    train: Any
    validation: Any = None
    epochs: int = 1
    steps_per_epoch: int | None = None
    validation_steps: int | None = None
    class_weight: Any = None
    callbacks: tuple[Any, ...] = ()
    strings: dict[str, str] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    whole: bool = True
    begins_at: int = 0
    sequence: Any = None
    batches: int | None = None
    held: int | None = None
    pairs: tuple[tuple[Any, Any], ...] = ()
    after: After = field(default_factory=After)
    phases: Phases | None = None
    cut_short: bool = False
    noted: Noted = field(default_factory=list, repr=False)
    by_hand: ByHand | None = None

    def source(self, dataset: Any) -> Source | None:
        """What a tf.data.Dataset was made from, also behind `take`, `prefetch` and their like."""
        while dataset is not None:
            for source in self.sources:
                if source.made is dataset:
                    return source
            dataset = getattr(dataset, "_input_dataset", None)
        return None


@dataclass
class Built:
    """What a script compiled and where it would have been trained."""

    trained: Fit | None = None
    training_line: int | None = None
    trainer_lines: tuple[int | None, ...] = ()
    refused: Refused | None = None
    strings: dict[int, dict[str, str]] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    given: Any = None
    rehearsed: list[Rehearsed] = field(default_factory=list)
    rehearsing: bool = False
    compiled: list[tuple[Any, int | None]] = field(default_factory=list)
    ignored: list[tuple[Any, float, int | None]] = field(default_factory=list)
    noted: Noted = field(default_factory=list)
    before: Before | None = None

    def compiles_of(self, model: Any) -> list[int | None]:
        """The lines that have compiled a model so far."""
        return [line for one, line in self.compiled if one is model]

    def phases_of(self, fit: Fit) -> Phases:
        lines = self.compiles_of(fit.model)
        optimizer = getattr(fit.model.optimizer, "inner_optimizer", fit.model.optimizer)
        told = [(rate, line) for one, rate, line in self.ignored if one is optimizer]
        if told and not at_default(optimizer):
            told = []
        found = (one.unseen_by(fit, len(lines)) for one in reversed(self.rehearsed))
        return Phases(
            compiled_at=lines[-1] if lines else None,
            unseen=next(filter(None, found), None),
            ignored=told[-1] if told else None,
        )

    @property
    def earlier(self) -> Earlier | None:
        """The first training that this one may not be meant to go on from."""
        model = None if self.trained is None else self.trained.model
        known = model, self.given, self.training_line
        seen = (one.seen_from(*known) for one in self.rehearsed)
        return next(filter(None, seen), None)


@contextmanager
def stopped_at_training(
    rehearsed: int = 0,
    steps: int = 0,
    cut_off: Callable[[], None] | None = None,
    by_hand: Callable[[], float] = lambda: 0.0,
) -> Iterator[Built]:
    """While open, `Model.fit` raises TrainingStarts. One script may be built at a time.

    The first `rehearsed` trainings are run instead, for so many steps each, once `cut_off` has seen
    to it that nobody hears of them. A loop of the script's own, before all of them, may train for
    `by_hand()` seconds: it makes what they need. Nothing is run past a training where there
    is no `cut_off`.
    """
    built, patience = Built(), Patience(by_hand)
    undo: list[Callable[[], None]] = []

    def patch(owner: Any, name: str, made: Callable[[Any], Any]) -> None:
        own = name in vars(owner)
        before = getattr(owner, name)
        setattr(owner, name, made(before))
        undo.append(lambda: setattr(owner, name, before) if own else delattr(owner, name))

    patch(PushToHubCallback, "__init__", _pushes_nothing)
    patch(
        tf_keras.Model,
        "fit",
        lambda fit: _stopped_fit(built, fit, rehearsed, steps, cut_off),
    )
    for model in (tf_keras.Model, TFPreTrainedModel):
        patch(model, "compile", lambda compile_: _noted_compile(built, compile_))
    for optimizer in (tf_keras.optimizers.Optimizer, tf_keras.optimizers.legacy.Optimizer):
        patch(optimizer, "apply_gradients", lambda step: _watched_step(built, step, patience))

    def taped() -> None:
        if built.before is not None or patience.granted:
            return
        line = own_line()
        if line is None or never_asks(_LEARNS):
            return
        built.before = Before()
        if never_asks(_STEPS):
            built.refused = Refused("no_optimizer_steps", line)
            raise TrainingStarts

    begins = "_instrument_layer_creation"
    patch(tf_keras.layers.Layer, begins, lambda begin: noting(built.noted, begin))
    kind = tf_keras.optimizers.Optimizer
    patch(kind, "_process_kwargs", lambda process: _noted_rate(built, process))
    if find_spec("datasets"):
        from datasets import Dataset

        patch(Dataset, "to_tf_dataset", lambda make: _noted_source(built, make))
    patch(keras.Model, "fit", lambda _: _foreign_fit(built))  # of Keras 3, which trains as well
    foreign: Any = keras.optimizers.Optimizer
    patch(foreign, "apply_gradients", lambda _: _foreign_fit(built))
    try:
        with drawn_late(), eager_where_taped(lambda: built.rehearsing, taped):
            yield built
    finally:
        for one in undo:
            one()


def _pushes_nothing(made: Any) -> Any:
    """It would clone a repository of the hub as soon as it is made, and never runs here."""
    signature = inspect.signature(made)

    @wraps(made)
    def idle(self: Any, *args: Any, **kwargs: Any) -> None:
        signature.bind(self, *args, **kwargs)
        tf_keras.callbacks.Callback.__init__(self)

    return idle


def _watched_step(built: Built, step: Any, patience: Patience) -> Any:
    """In a graph it is asked once, while that is traced: from then on nobody hears of steps."""

    @wraps(step)
    def watched(self: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        if built.rehearsing or not patience.ended():
            return step(self, grads_and_vars, *args, **kwargs)
        line = own_line()
        if not list(grads_and_vars):
            built.refused = Refused("no_weights_given", line)
            raise TrainingStarts
        before = built.before
        try:
            made = _followed(self, before, patience)
        except NotFollowed as why:
            built.refused = why.at(line)
        else:
            built.training_line, built.trainer_lines = line, (line,)
            built.trained = _fit_of_loop(made, built)
        raise TrainingStarts

    return watched


def _followed(optimizer: Any, before: Before | None, patience: Patience) -> ByLoop:
    if patience.granted or before is None:  # it has taken too long to make what `fit` needs
        raise NotFollowed("hand_written_loop")
    return fit_by_loop(optimizer, before)


def _fit_of_loop(made: ByLoop, built: Built) -> Fit:
    compile_: Any = tf_keras.Model.compile
    given: dict[str, Any] = {"metrics": made.metrics} if made.metrics else {}
    if made.loss is not None:
        given |= {"loss": made.loss, "loss_weights": None if made.times == 1 else [made.times]}
    inspect.unwrap(compile_)(made.model, optimizer=made.optimizer, **given)
    return Fit(
        model=made.model,
        train=made.data.train,
        validation=made.data.validation,
        epochs=made.data.epochs,
        steps_per_epoch=made.data.steps,
        sources=tuple(built.sources),
        phases=Phases(),
        noted=built.noted,
        by_hand=made.by_hand,
    )


def _stopped_fit(
    built: Built,
    fit: Any,
    rehearsed: int,
    steps: int,
    cut_off: Callable[[], None] | None,
) -> Any:
    signature = inspect.signature(fit)

    def stopped(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        line, made = own_line(), fit_of(self, given.arguments, built)
        if cut_off is not None and len(built.rehearsed) < rehearsed:
            cut_off()
            built.rehearsing = True
            try:
                compiled = len(built.compiles_of(self))
                history, earlier = rehearse(fit, made, given.arguments["x"], line, steps, compiled)
            except Exception:  # then this is the training to look at
                history, earlier = None, None
            built.rehearsing = False
            if earlier is not None:
                built.rehearsed.append(earlier)
                return history
        built.training_line, built.given = line, given.arguments["x"]
        again = [one for one in built.rehearsed if one.model is self and one.line == line]
        built.trained = replace(
            made,
            whole=not any(one.optimizer is self.optimizer for one in again),
            after=seen_after(cut_off),
            phases=built.phases_of(made),
            cut_short=any(one.model is self and one.steps < one.planned for one in built.rehearsed),
        )
        built.trainer_lines = (built.training_line,)
        raise TrainingStarts

    return stopped


def fit_of(model: Any, given: dict[str, Any], built: Built) -> Fit:
    """As `fit` begins: what it refuses is refused here, in its own words."""
    model._assert_compile_was_called()
    x, y, weights = given["x"], given["y"], given["sample_weight"]
    validation = given["validation_data"]
    if given["validation_split"] and validation is None:
        (x, y, weights), validation = data_adapter.train_validation_split(
            (x, y, weights), validation_split=given["validation_split"]
        )
    steps = given["steps_per_epoch"]
    train = as_batches(x, y, weights, given["batch_size"], steps, given["shuffle"])
    _handled(model, train, given)
    if validation is not None:
        size = given["validation_batch_size"] or given["batch_size"]
        validation = as_batches(
            *data_adapter.unpack_x_y_sample_weight(validation), size, given["validation_steps"]
        )
    return Fit(
        model=model,
        train=train,
        validation=validation,
        epochs=max(0, given["epochs"] - given["initial_epoch"]),
        steps_per_epoch=steps,
        validation_steps=given["validation_steps"],
        class_weight=given["class_weight"],
        callbacks=tuple(tf.nest.flatten(given["callbacks"] or ())),
        strings=built.strings.get(id(model), {}),
        sources=tuple(built.sources),
        begins_at=given["initial_epoch"],
        sequence=x if isinstance(x, tf_keras.utils.Sequence) else None,
        batches=_batches(x, given["batch_size"] or DEFAULT_SIZE),
        held=_held(given, train) if steps else None,
        pairs=tuple(_pairs(given)),
        noted=built.noted,
    )


def _pairs(given: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    held = given["validation_data"]
    if given["y"] is not None:
        yield given["x"], given["y"]
    if isinstance(held, tuple | list) and len(held) > 1:
        yield held[0], held[1]


def _held(given: dict[str, Any], train: Any) -> int | None:
    """A data set goes on where it was left, unless an epoch is just as long; arrays are gone
    through anew for each epoch."""
    x, steps, size = given["x"], given["steps_per_epoch"], given["batch_size"]
    if isinstance(x, tf.data.Dataset):
        found = int(train.cardinality())
        return None if found < 0 or found == steps else found
    batches = _batches(x, size) if size else None
    return None if batches is None else batches * given["epochs"]


def _batches(x: Any, size: int) -> int | None:
    leaves = tf.nest.flatten(x)
    if not leaves or not all(isinstance(one, np.ndarray | tf.Tensor) for one in leaves):
        return None
    return -(-len(leaves[0]) // size)


def _handled(model: Any, train: Any, given: dict[str, Any]) -> None:
    """A stream without an end or steps, weights for no class: Keras says so before a step."""
    data_adapter.DataHandler(
        train,
        steps_per_epoch=given["steps_per_epoch"],
        initial_epoch=given["initial_epoch"],
        epochs=given["epochs"],
        class_weight=given["class_weight"],
        model=model,
    )


def _noted_compile(built: Built, compile_: Any) -> Any:
    signature = inspect.signature(compile_)

    @wraps(compile_)  # whose signature transformers reads
    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(self, *args, **kwargs).arguments
        # A class that wraps `compile` calls its parent's with what it made of the strings.
        fresh = "compiling" not in vars(self)
        if fresh:
            vars(self)["compiling"] = True
            built.compiled.append((self, own_line()))
            built.strings[id(self)] = {n: v for n, v in given.items() if isinstance(v, str)}
        try:
            return compile_(self, *args, **kwargs)
        finally:
            if fresh:
                del vars(self)["compiling"]

    return noted


def _noted_rate(built: Built, process: Any) -> Any:
    @wraps(process)
    def noted(self: Any, given: dict[str, Any]) -> Any:
        if isinstance(rate := given.get("lr"), (int, float)):
            built.ignored.append((self, float(rate), own_line()))
        return process(self, given)

    return noted


def _noted_source(built: Built, make: Any) -> Any:
    signature = inspect.signature(make)

    @wraps(make)
    def noted(self: Dataset, *args: Any, **kwargs: Any) -> Any:
        made = make(self, *args, **kwargs)
        given = signature.bind(self, *args, **kwargs).arguments
        named = (given.get(name) or () for name in ("columns", "label_cols"))
        asked = frozenset(n for one in named for n in ((one,) if isinstance(one, str) else one))
        built.sources.append(Source(made, self, given.get("collate_fn"), asked))
        return made

    return noted


def _foreign_fit(built: Built) -> Any:
    def stopped(self: Any, *_: Any, **__: Any) -> Any:
        built.refused = Refused("keras3_model", own_line())
        raise TrainingStarts

    return stopped
