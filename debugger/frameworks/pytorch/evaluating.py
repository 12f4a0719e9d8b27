"""A few rows through `trainer.evaluate()`, with an eye on everything that reaches the metric."""

from __future__ import annotations

import math
from collections.abc import Sized
from copy import copy
from typing import Any

import numpy as np
import torch
from transformers import EvalPrediction, Trainer, TrainerControl, TrainerState
from transformers.trainer_callback import DefaultFlowCallback

from debugger.failure import failure_of
from debugger.frameworks.pytorch.rows import subset
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.face import Evaluate, Facts, Guesses
from debugger.pipelines.metrics import Spy, guessed, metric_watched, numbers, tried
from debugger.pipelines.models import names_in
from debugger.pipelines.rows import class_names_of, spread

ROWS = 32
_LOOPS = ("train", "_inner_training_loop", "_maybe_log_save_evaluate")


def evaluate(trainer: Trainer, facts: Facts, shared_rows: int, looked_at: int) -> Evaluate:
    """`shared_rows` of the first `looked_at` evaluation rows also stand in the training rows."""
    dataset: Any = trainer.eval_dataset
    if isinstance(dataset, dict):
        dataset = next(iter(dataset.values()), None)
    best = trainer.args.metric_for_best_model if trainer.args.load_best_model_at_end else None
    steps = _planned_steps(trainer)
    known: dict[str, Any] = {
        "strategy": str(getattr(trainer.args.eval_strategy, "value", trainer.args.eval_strategy)),
        "steps": steps,
        "evaluations": _planned_evaluations(trainer, steps),
        "has_metric": trainer.compute_metrics is not None,
        "best_metric": best,
        "shared_rows": shared_rows,
        "looked_at": looked_at,
        "num_labels": facts.num_labels,
        "train_names": class_names_of(trainer.train_dataset),
        "eval_names": class_names_of(dataset),
        "model_names": names_in(getattr(trainer.model, "config", None)),
    }
    if dataset is None:
        return Evaluate(**known)
    rows = subset(dataset, spread(len(dataset), ROWS))
    spy = Spy(trainer.compute_metrics)
    failure, answer = None, {}
    with borrowed(trainer), metric_watched(spy):
        trainer.compute_metrics = spy if trainer.compute_metrics is not None else None
        try:
            answer = trainer.evaluate(rows)
        except Exception as error:
            failure = failure_of(error)
        constant, perfect = _tried(trainer, spy, facts, failure is None)
    return Evaluate(
        **known,
        rows=min(ROWS, len(dataset)),
        eval_rows=len(dataset),
        called=spy.given is not None,
        given=_shapes(spy.given),
        into_metric=tuple(spy.into_metric),
        guesses=_guessed(spy.given, facts),
        real=numbers(answer, "eval_"),
        constant=constant,
        perfect=perfect,
        known_metrics=tuple(answer),
        failure=failure,
    )


def _planned_steps(trainer: Trainer) -> int | None:
    if trainer.args.max_steps > 0:
        return trainer.args.max_steps
    in_epoch = _steps_in_epoch(trainer)
    return None if in_epoch is None else math.ceil(trainer.args.num_train_epochs * in_epoch)


def _steps_in_epoch(trainer: Trainer) -> int | None:
    args, rows = trainer.args, trainer.train_dataset
    if not isinstance(rows, Sized):
        return None
    batches = math.ceil(len(rows) / args.train_batch_size)
    return math.ceil(batches / args.gradient_accumulation_steps)


def _planned_evaluations(trainer: Trainer, steps: int | None) -> int | None:
    """What the Trainer's own callback will do. Somebody's own loop or callback may do more."""
    args: Any = trainer.args
    kind = type(trainer)
    callbacks: Any = trainer.callback_handler.callbacks
    if any(getattr(kind, name, None) is not getattr(Trainer, name, None) for name in _LOOPS):
        return None
    if any(not type(one).__module__.startswith("transformers.") for one in callbacks):
        return None
    strategy = getattr(args.eval_strategy, "value", args.eval_strategy)
    if strategy == "no":
        return 0
    if steps is None:
        return None
    delay = args.eval_delay or 0  # set_evaluate leaves None there
    if strategy != "epoch":
        return _evaluations_by_steps(args, steps, delay)
    in_epoch = _steps_in_epoch(trainer)
    if not in_epoch:
        return None
    ends = [*range(in_epoch, steps, in_epoch), steps]  # the last epoch may be cut short
    return sum(end / in_epoch >= delay for end in ends)


def _evaluations_by_steps(args: Any, steps: int, delay: float) -> int:
    """Asked of the library: transformers 5 evaluates after the last step too, 4 does not."""
    flow, control = DefaultFlowCallback(), TrainerControl()
    asked: Any = copy(args)
    asked.eval_delay = delay
    state = TrainerState(max_steps=steps)
    state.compute_steps(asked, steps)
    count = 0
    for step in {*range(state.eval_steps, steps + 1, state.eval_steps), steps}:
        state.global_step, control.should_evaluate = step, False
        flow.on_step_end(asked, state, control)
        count += control.should_evaluate
    return count


def metric_names(trainer: Trainer, labels: Any, facts: Facts) -> tuple[str, ...] | None:
    """What compute_metrics answers when every guess is right. None: it could not be asked."""
    if trainer.compute_metrics is None:
        return ()
    classes, rows = facts.num_labels or 0, np.asarray([y for y in labels if isinstance(y, int)])
    if (
        facts.task != "classification"
        or not rows.size
        or not 0 <= rows.min() <= rows.max() < classes
    ):
        return None
    rows = rows[:ROWS]
    scores = np.eye(classes, dtype=np.float32)[rows]
    with metric_watched(Spy(trainer.compute_metrics)):
        try:
            answer = trainer.compute_metrics(EvalPrediction(predictions=scores, label_ids=rows))
        except Exception:  # the evaluate stage is where this is reported
            return None
    return tuple(numbers(answer, ""))


def _tried(trainer: Trainer, spy: Spy, facts: Facts, works: bool) -> tuple[Any, Any]:
    """The metric's answer when one class is always guessed, and when every guess is right."""
    if not works or spy.given is None or facts.task != "classification":
        return None, None  # labels of other tasks may be no single array
    spy.watching = False
    as_scores = np.ndim(_first(spy.given.predictions)) > 1
    labels = _on_the_cpu(spy.given.label_ids)
    return tried(
        labels,
        facts,
        lambda guesses, sure: _asked(trainer, sure if as_scores else guesses, labels),
    )


def _asked(trainer: Trainer, predictions: Any, labels: Any) -> Any:
    """One call of compute_metrics, as the Trainer would make it."""
    metric: Any = trainer.compute_metrics
    if not trainer.args.batch_eval_metrics:
        return metric(EvalPrediction(predictions=predictions, label_ids=labels))
    tensors: Any = torch.from_numpy(predictions), torch.from_numpy(labels)
    return metric(EvalPrediction(*tensors), compute_result=True)


def _guessed(given: Any, facts: Facts) -> Guesses:
    if given is None or isinstance(given.label_ids, tuple):
        return {}
    return guessed(_on_the_cpu(_first(given.predictions)), _on_the_cpu(given.label_ids), facts)


def _shapes(given: Any) -> dict[str, tuple[int, ...]]:
    if given is None:
        return {}
    return {
        "predictions": np.shape(_first(given.predictions)),
        "label_ids": np.shape(given.label_ids),
    }


def _on_the_cpu(labels: Any) -> Any:
    return labels.cpu().numpy() if isinstance(labels, torch.Tensor) else np.asarray(labels)


def _first(predictions: Any) -> Any:
    """The logits, where the model returns more than those."""
    return predictions[0] if isinstance(predictions, tuple) else predictions
