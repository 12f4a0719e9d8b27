"""What callbacks say before the first step: those of the library of the arguments, and those of the
script of numbers that are bad, or as good as can be."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import math
from typing import Any

from transformers import EarlyStoppingCallback, Trainer, TrainerControl

from debugger.pipelines.called import Given, Uncallable, uncallable
from debugger.pipelines.within import Thawed

EVENTS = ("on_evaluate", "on_log")
MOST_CALLS = 2000
_THAWING = {"requires_grad", "requires_grad_"}
_HELPED = {"add_param_group", "create_optimizer", "create_optimizer_and_scheduler"}
_TRAINING = ("train_begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "train_end")


def refused_by(trainer: Trainer) -> tuple[str, str] | None:
    """The class of the first that refuses to begin, and what it says.

    Only those are asked that look and do nothing else: others open files, or bars.
    """
    log = logging.getLogger("transformers.trainer_callback")
    was_disabled, log.disabled = log.disabled, True
    try:
        for one in trainer.callback_handler.callbacks:
            if not isinstance(one, EarlyStoppingCallback):
                continue
            if type(one).on_train_begin is not EarlyStoppingCallback.on_train_begin:
                continue
            try:
                state, control = copy.copy(trainer.state), copy.copy(trainer.control)
                copy.copy(one).on_train_begin(trainer.args, state, control)
            except (AssertionError, ValueError) as error:
                return type(one).__name__, str(error)
    finally:
        log.disabled = was_disabled
    return None


def uncallable_of(trainer: Trainer) -> Uncallable | None:
    """Held against what the library calls in this training, and with what: it is asked itself."""
    heard, library = _Heard(), copy.copy(trainer.callback_handler)
    library.callbacks = [heard]
    given = trainer.args, copy.copy(trainer.state), copy.copy(trainer.control)
    for event in _TRAINING:
        getattr(library, f"on_{event}")(*given)
    library.on_log(*given, logs={})
    if trainer.args.eval_strategy != "no":
        library.on_evaluate(*given, metrics={})
    if trainer.args.save_strategy != "no":
        library.on_save(*given)
    return uncallable(trainer.callback_handler.callbacks, heard.events)


def thawed_in_vain(trainer: Trainer, callbacks: list[Any], optimizer: Any) -> Thawed | None:
    """The Trainer makes its optimizer of what trains by then. A callback of the script is asked at
    its events, in their order, until one lets a weight train that was frozen."""
    model: Any = trainer.model
    held = {id(w) for group in getattr(optimizer, "param_groups", ()) for w in group["params"]}
    learns = {name: w.requires_grad for name, w in model.named_parameters()}
    frozen = {n: w for n, w in model.named_parameters() if not learns[n] and id(w) not in held}
    kept: dict[int, Any] = {id(one): one for one in (trainer, *model.modules(), *frozen.values())}
    for one in callbacks:
        codes = [code.co_names for code in _codes(type(one))]
        asks = {name for names in codes for name in names}
        if not frozen or not asks & _THAWING or asks & _HELPED:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                epoch = _thaws(trainer, copy.deepcopy(one, dict(kept)), list(frozen.values()))
        except Exception:  # one that cannot be asked by itself
            epoch = None
        thawed = {name: weight for name, weight in frozen.items() if weight.requires_grad}
        for name, weight in model.named_parameters():
            weight.requires_grad_(learns[name])
        if epoch is not None:
            count = sum(weight.numel() for weight in thawed.values())
            return Thawed(type(one).__name__, epoch, count, next(iter(thawed)))
    return None


def _codes(kind: type) -> list[Any]:
    own = [
        one for one in kind.__mro__ if not one.__module__.startswith(("transformers", "builtin"))
    ]
    return [v.__code__ for one in own for v in vars(one).values() if hasattr(v, "__code__")]


def _thaws(trainer: Trainer, one: Any, frozen: list[Any]) -> int | None:
    """The epoch, counted from 1, from which on one of these learns."""
    args, state = trainer.args, copy.deepcopy(trainer.state)
    epochs, updates = max(1, math.ceil(args.num_train_epochs)), max(1, state.max_steps)
    each = updates / epochs
    events: list[tuple[str, float]] = [("train_begin", 0)]
    for epoch in range(epochs):
        events.append(("epoch_begin", epoch))
        for step in range(min(updates, MOST_CALLS) // epochs):
            at = (epoch + step / each, epoch + (step + 1) / each)
            events += zip(("step_begin", "step_end"), at, strict=True)
        events.append(("epoch_end", epoch + 1))
    for event, at in events:
        state.global_step, state.epoch = round(at * each), at
        getattr(one, f"on_{event}")(args, state, TrainerControl(), model=trainer.model)
        if any(weight.requires_grad for weight in frozen):
            return int(at) + 1
    return None


class _Heard:
    """Takes down what it is called with."""

    def __init__(self) -> None:
        self.events: dict[str, Given] = {}

    def __getattr__(self, event: str) -> Any:
        def called(*placed: Any, **named: Any) -> None:
            self.events[event] = len(placed), tuple(named)

        return called


def stopping_on_bad(
    trainer: Trainer, callbacks: list[Any], answer: dict[str, float]
) -> tuple[str, str] | None:
    """The first of the script's own that ends the training at the numbers of the model as it is
    now, and would go on at perfect ones: its class, and its event.

    Only those are asked whose code has nothing to do but to decide.
    """
    loss = answer.get("eval_loss")
    if loss is None:
        return None
    for one in callbacks:
        for event in EVENTS:
            method = getattr(type(one), event, None)
            code = getattr(method, "__code__", None)
            if type(one).__module__.startswith("transformers") or code is None:
                continue
            if "should_training_stop" not in code.co_names:
                continue
            now = answer if event == "on_evaluate" else {"loss": loss, **answer}
            best = {name: 0.0 if "loss" in name else _best(value) for name, value in now.items()}
            answers = [_stops(trainer, one, event, numbers) for numbers in (now, best)]
            if answers == [True, False]:
                return type(one).__name__, event
    return None


def _best(value: float) -> float:
    """A share is best at 1; of any other number nobody knows which way is up."""
    return 1.0 if 0 <= value <= 1 else value


def _stops(trainer: Trainer, one: Any, event: str, numbers: dict[str, float]) -> bool | None:
    """None of one that cannot be asked by itself."""
    given = {"metrics": dict(numbers)} if event == "on_evaluate" else {"logs": dict(numbers)}
    control, state = TrainerControl(), copy.deepcopy(trainer.state)
    state.epoch, state.global_step = 1.0, 1
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            asked = copy.deepcopy(one)
            getattr(asked, event)(trainer.args, state, control, model=trainer.model, **given)
    except Exception:
        return None
    return control.should_training_stop
