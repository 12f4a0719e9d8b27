"""A few rows through `trainer.evaluate()`, with an eye on everything that reaches the metric."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sized
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import torch
from transformers import (
    EarlyStoppingCallback,
    EvalPrediction,
    Seq2SeqTrainer,
    Trainer,
    TrainerControl,
    TrainerState,
)
from transformers.trainer_callback import DefaultFlowCallback

from debugger.failure import Failure, failure_of_script, on_behalf
from debugger.frameworks.pytorch.batches import rows_in, with_loss
from debugger.frameworks.pytorch.by_hand import LoopTrainer, unsteady
from debugger.frameworks.pytorch.callbacks import stopping_on_bad
from debugger.frameworks.pytorch.rest import printed
from debugger.frameworks.pytorch.rows import count_of, first_set, is_stream, lacking, subset
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate, Guesses
from debugger.pipelines.facts import Facts
from debugger.pipelines.metrics import (
    Spy,
    count_classes,
    decoding_watched,
    guessed,
    metric_watched,
    numbers,
    shape_of,
    tried,
)
from debugger.pipelines.models import names_in
from debugger.pipelines.rows import class_names_of, overlap
from debugger.pipelines.straying import strays_at
from debugger.pipelines.trials import Form, Trials, all_right, halves, nearest, same, trials

ROWS = 32
MOST_LABELS = 4
MOST = 2048
"""Rows of an evaluation set that is evaluated as a whole, where a part of it fails."""
LONG = 0.5
"""Seconds that one call of compute_metrics may take to be tried on made-up answers."""
_NO_LABELS = ("mask", "ids", "embeds", "embeddings", "weight", "weights", "length", "lengths")
_LOOPS = ("train", "_inner_training_loop", "_maybe_log_save_evaluate")


def evaluate(trainer: Trainer, facts: Facts, data: Data) -> Evaluate:
    dataset = first_set(trainer.eval_dataset)
    best = trainer.args.metric_for_best_model if trainer.args.load_best_model_at_end else None
    steps = planned_steps(trainer)
    known: dict[str, Any] = {
        "strategy": str(getattr(trainer.args.eval_strategy, "value", trainer.args.eval_strategy)),
        "steps": steps,
        "evaluations": _planned_evaluations(trainer, steps),
        "has_metric": trainer.compute_metrics is not None,
        "best_metric": best,
        **overlap(data),
        "num_labels": facts.num_labels,
        "train_names": class_names_of(trainer.train_dataset),
        "eval_names": class_names_of(dataset),
        "model_names": names_in(getattr(trainer.model, "config", None)),
        "written": _written(trainer),
        "least": _least(trainer),
        "smoothing": float(trainer.args.label_smoothing_factor),
        "least_gain": _least_gain(trainer),
        "waits": _waits(trainer, steps),
        "dropout": _dropout(trainer.model),
        "unsteady": unsteady(trainer) if isinstance(trainer, LoopTrainer) else None,
        "asks_in_vain": bool(getattr(trainer.args, "predict_with_generate", False))
        and type(trainer).prediction_step is Trainer.prediction_step,
        "wanted": () if data.eval is None else data.eval.target_lengths,
    }
    if dataset is None:
        return Evaluate(**known, **_behind(trainer, facts, data, {}))
    with borrowed(trainer):
        known["lacks"] = lacking(trainer.train_dataset, dataset)
    with borrowed(trainer):
        known["loses"] = _loses(trainer)
    spy, callbacks = Spy(trainer.compute_metrics), trainer.callback_handler.callbacks
    with borrowed(trainer), metric_watched(spy), decoding_watched(spy):
        trainer.compute_metrics = spy if trainer.compute_metrics is not None else None
        answer, failure = _asked_for_all(trainer, dataset, spy)
        constant, perfect = _tried(trainer, spy, facts, failure is None)
        made_up = _made_up(trainer, spy, facts) if failure is None else None
        other_order = _other_order(trainer, spy) if failure is not None else ()
        strays = _strays_at(trainer, spy) if made_up is not None else None
        stops = stopping_on_bad(trainer, callbacks, answer) if failure is None else None
    count, most = count_of(dataset), _rows(trainer)
    return Evaluate(
        **known,
        rows=most if count is None else min(most, count),
        eval_rows=most if count is None else count,
        unfilled=_unfilled(trainer, count),
        called=spy.given is not None,
        untold="" if spy.given is not None else _untold(trainer, dataset),
        given=_shapes(spy.given),
        into_metric=tuple(spy.into_metric),
        decoded=tuple(dict.fromkeys(spy.decoded)),
        guesses=_guessed(spy.given, facts),
        real=numbers(answer, "eval_"),
        loss=answer.get("eval_loss"),
        label_names=tuple(trainer.label_names),
        other_order=other_order,
        constant=constant,
        perfect=perfect,
        tried_classes=_classes_in(spy.given, facts),
        known_metrics=_known(trainer.eval_dataset, answer),
        greater_is_better=trainer.args.greater_is_better,
        trials=made_up,
        parts=_parts(spy.given),
        strays_at=strays,
        stops_on_bad=stops,
        failure=failure,
        **_behind(trainer, facts, data, answer),
    )


def _behind(trainer: Trainer, facts: Facts, data: Data, answer: dict[str, float]) -> dict[str, Any]:
    """What the rest of the script prints, and what it ends in."""
    learned = () if data.train is None else data.train.labels
    found = printed(trainer, facts, learned, tuple(numbers(answer, "eval_")))
    return {"printed": found.printed, "fails_later": found.fails}


def _asked_for_all(
    trainer: Trainer, dataset: Any, spy: Spy
) -> tuple[dict[str, float], Failure | None]:
    """A few rows first. A metric of one's own may count on all of them, and fail on a part."""
    few, count = _rows(trainer), count_of(dataset)
    try:
        return on_behalf(trainer.evaluate, subset(dataset, few)), None
    except Exception as error:
        failure = failure_of_script(error)
    if count is None or not few < count <= MOST or not _misses_rows(trainer, failure, count):
        return {}, failure
    first, spy.given, spy.into_metric = (spy.given, spy.into_metric), None, []
    try:
        if isinstance(trainer.eval_dataset, dict):
            return on_behalf(trainer.evaluate, dataset), None
        return on_behalf(trainer.evaluate), None
    except Exception as error:
        failure_of_script(error)
    spy.given, spy.into_metric = first
    return {}, failure


def _rows(trainer: Trainer) -> int:
    """A whole batch at least, where any that is not full is dropped."""
    return max(ROWS, trainer.args.eval_batch_size if trainer.args.dataloader_drop_last else 0)


def _unfilled(trainer: Trainer, count: int | None) -> int:
    """Rows of the last batch, which no evaluation sees."""
    if count is None or not trainer.args.dataloader_drop_last:
        return 0
    if type(trainer).get_eval_dataloader is not Trainer.get_eval_dataloader:
        return 0
    return count % trainer.args.eval_batch_size


def _other_order(trainer: Trainer, spy: Spy) -> tuple[str, ...]:
    """The names of the labels in an order in which the metric does not fail."""
    labels = spy.given.label_ids if isinstance(spy.given, EvalPrediction) else None
    names = tuple(trainer.label_names)
    if not isinstance(labels, tuple) or not len(names) == len(labels) <= MOST_LABELS:
        return ()
    spy.watching = False
    for order in permutations(range(len(labels))):
        try:
            _asked(trainer, spy.given.predictions, tuple(labels[place] for place in order))
        except Exception as error:
            failure_of_script(error)
            continue
        return tuple(names[place] for place in order)
    return ()


def _misses_rows(trainer: Trainer, failure: Failure, count: int) -> bool:
    """Whether the script's own code may have failed because it was shown a part of the rows."""
    if type(trainer).evaluate not in (Trainer.evaluate, Seq2SeqTrainer.evaluate):
        return failure.line is not None
    about_rows = failure.exception in ("AssertionError", "KeyError", "IndexError")
    return failure.line is not None and (about_rows or failure.says(str(count)))


def _written(trainer: Trainer) -> int | None:
    """As Seq2SeqTrainer tells it to `generate`; of the library's own default, 20."""
    args: Any = trainer.args
    own = getattr(trainer.model, "generation_config", None)
    if not getattr(args, "predict_with_generate", False) or own is None:
        return None
    if not getattr(getattr(trainer.model, "config", None), "is_encoder_decoder", False):
        return None
    gen_kwargs = getattr(trainer, "_gen_kwargs", None) or {}
    more = gen_kwargs.get("max_new_tokens") or getattr(own, "max_new_tokens", None)
    if more is not None:
        return int(more)
    most = gen_kwargs.get("max_length") or args.generation_max_length or own.max_length
    return None if most is None else int(most) - 1  # the first is where the decoder starts


def _least(trainer: Trainer) -> int | None:
    """Before so many tokens the end may not be written; the decoder's start is counted in one."""
    own = getattr(trainer.model, "generation_config", None)
    if _written(trainer) is None or own is None:
        return None
    gen_kwargs = getattr(trainer, "_gen_kwargs", None) or {}
    new = gen_kwargs.get("min_new_tokens") or getattr(own, "min_new_tokens", None)
    if new:
        return int(new) + 1
    return int(gen_kwargs.get("min_length") or own.min_length or 0) or None


def _least_gain(trainer: Trainer) -> float:
    """What an early stopping takes for no gain at all."""
    kept = (c for c in trainer.callback_handler.callbacks if isinstance(c, EarlyStoppingCallback))
    return max((float(one.early_stopping_threshold or 0.0) for one in kept), default=0.0)


def _waits(trainer: Trainer, steps: int | None) -> tuple[int, int, int] | None:
    """Where evaluations are counted in steps; a fraction is one of the whole training."""
    args: Any = trainer.args
    kept = (c for c in trainer.callback_handler.callbacks if isinstance(c, EarlyStoppingCallback))
    patience = min((int(one.early_stopping_patience) for one in kept), default=None)
    every, epoch = float(args.eval_steps or args.logging_steps or 0), _steps_in_epoch(trainer)
    counted = getattr(args.eval_strategy, "value", args.eval_strategy) == "steps"
    if patience is None or not counted or not every or not epoch or not steps:
        return None
    return patience, math.ceil(every * steps) if every < 1 else int(every), epoch


def _dropout(model: Any) -> float:
    layers = (one for one in model.modules() if isinstance(one, torch.nn.Dropout))
    return max((float(one.p) for one in layers), default=0.0)


def _known(sets: Any, answer: dict[str, float]) -> tuple[str, ...]:
    """What an evaluation prints: of several sets each name once more, with the set's before it."""
    several = list(sets) if isinstance(sets, Mapping) else []
    of_sets = (f"eval_{one}_{n.removeprefix('eval_')}" for one in several for n in answer)
    return (*answer, *of_sets)


def planned_steps(trainer: Trainer) -> int | None:
    if trainer.args.max_steps > 0:
        return trainer.args.max_steps
    in_epoch = _steps_in_epoch(trainer)
    return None if in_epoch is None else math.ceil(trainer.args.num_train_epochs * in_epoch)


def _steps_in_epoch(trainer: Trainer) -> int | None:
    args, rows = trainer.args, trainer.train_dataset
    if not isinstance(rows, Sized) or is_stream(rows):
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
    classes, whole = facts.num_labels or 0, [y for y in labels if isinstance(y, int)]
    rows = np.asarray(whole, dtype=np.int64)  # True and False are whole numbers, too
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
            given = EvalPrediction(predictions=scores, label_ids=rows)
            answer = on_behalf(trainer.compute_metrics, given)
        except Exception as error:  # the evaluate stage is where this is reported
            failure_of_script(error)
            return None
    return tuple(numbers(answer, ""))


def _tried(trainer: Trainer, spy: Spy, facts: Facts, works: bool) -> tuple[Any, Any]:
    """The metric's answer when one class is always guessed, and when every guess is right."""
    if not works or not isinstance(spy.given, EvalPrediction) or facts.task != "classification":
        return None, None  # labels of other tasks may be no single array
    spy.watching = False
    as_scores = len(shape_of(_first(spy.given.predictions))) > 1
    labels, handed = _on_the_cpu(spy.given.label_ids), spy.given.predictions
    beside = handed[1:] if isinstance(handed, tuple) else None

    def ask(guesses: Any, sure: Any) -> Any:
        made = sure if as_scores else guesses
        return _asked(trainer, made if beside is None else (made, *beside), labels)

    return tried(labels, facts, ask)


def _made_up(trainer: Trainer, spy: Spy, facts: Facts) -> Trials | None:
    """The metric tried on made-up answers, where one call of it does not take long."""
    if not isinstance(spy.given, EvalPrediction) or spy.seconds > LONG:
        return None
    if isinstance(spy.given.label_ids, tuple):
        return None
    spy.watching = False
    given = spy.given.predictions
    if isinstance(given, tuple) and _are_halves(given):
        return _of_halves(trainer, given, _on_the_cpu(spy.given.label_ids))
    asked: list[tuple[Any, dict[str, float]]] = []
    pad = getattr(trainer.processing_class, "pad_token_id", None)

    def ask(made: Any, labels: Any = None) -> dict[str, float]:
        predictions = (made, *given[1:]) if isinstance(given, tuple) else made
        kept = made.copy()
        beside = _on_the_cpu(spy.given.label_ids if labels is None else labels).copy()
        answer = numbers(_asked(trainer, predictions, beside), "")
        asked.append((kept, answer))
        return answer

    try:
        predictions, labels = (_on_the_cpu(one) for one in (_first(given), spy.given.label_ids))
    except (ValueError, TypeError):  # rows of other lengths, or of other things
        return None
    generated = bool(getattr(trainer.args, "predict_with_generate", False))
    form = Form(facts.task == "causal_lm", generated, 0 if pad is None else pad)
    found = trials(predictions, labels, form, ask)
    if found is None or (same(found.perfect, found.drawn) and _decides_beside(given, labels)):
        return None
    made, first = asked[0]
    again = ask(made)
    return found if same(first, again) else replace(found, again=again)


def _of_halves(trainer: Trainer, given: tuple[Any, ...], labels: Any) -> Trials | None:
    one, other = (_on_the_cpu(half) for half in given[:2])
    rows = one.shape[:1]
    if one.ndim != 2 or one.dtype.kind != "f" or labels.dtype.kind not in "iu":
        return None
    if labels.shape != rows or one.shape != other.shape or len(given) > 2:
        return None

    def ask(first: Any, second: Any) -> dict[str, float]:
        made = tuple(half.astype(one.dtype) for half in (first, second))
        return numbers(_asked(trainer, made, labels.copy()), "")

    return halves(one.shape, labels, ask)


def _untold(trainer: Trainer, dataset: Any) -> str:
    """What the model can do without and finds in a row, and the Trainer takes for no label."""
    with suppress(Exception):  # rows that cannot be read are told of where they are
        taken = inspect.signature(trainer.model.forward).parameters  # type: ignore[union-attr]
        row = dataset[0]
        if any(name in taken for name in trainer.label_names):
            return ""
        found = [
            name
            for name, one in taken.items()
            if one.default is None and name in row and name not in trainer.label_names
            if not name.endswith(_NO_LABELS)
        ]
        return found[0] if len(found) == 1 else ""
    return ""


def _loses(trainer: Trainer) -> str:
    """What is returned for outputs, where the first of it is rows and taken for the loss."""
    kind: Any = type(trainer)
    own = kind.compute_loss is not Trainer.compute_loss
    if not own or kind.prediction_step is not Trainer.prediction_step:
        return ""
    model: Any = trainer.model
    model.eval()
    try:
        batch = next(iter(trainer.get_eval_dataloader()))
        outputs = with_loss(trainer, batch)[1]
    except Exception:  # what it runs into is told by the evaluation itself
        return ""
    if isinstance(outputs, torch.Tensor):
        return "one tensor" if outputs.dim() else ""
    if isinstance(outputs, tuple | list) and outputs and isinstance(outputs[0], torch.Tensor):
        scores = outputs[0].dim() > 1 and len(outputs[0]) == rows_in(batch)
        return "a tuple that begins with scores" if scores else ""
    return ""


def _are_halves(given: Any) -> bool:
    """Two arrays of one shape, as vectors of questions and of answers: none is the scores."""
    shapes = [shape_of(one) for one in given] if isinstance(given, tuple) else []
    return len(shapes) > 1 and shapes[0] in shapes[1:]


def _decides_beside(given: Any, labels: Any) -> bool:
    """Whether the model gives, behind its scores, what it decides for each label by itself, as a
    tagger does that looks for the best path: then a metric may go by that alone."""
    others = given[1:] if isinstance(given, tuple) else ()
    return any(shape_of(one) == shape_of(labels) for one in others)


def _strays_at(trainer: Trainer, spy: Spy) -> int | None:
    """Where the metric makes something else of scores that are right for every row."""
    given = spy.given.predictions
    predictions, labels = (_on_the_cpu(one) for one in (_first(given), spy.given.label_ids))
    if _are_halves(given):
        made = nearest(predictions.shape, labels).astype(predictions.dtype)
        return strays_at(lambda: _asked(trainer, (made, made), labels.copy()), labels, ranked=True)
    right = all_right(predictions, labels)
    if right is None:
        return None
    made = (right, *given[1:]) if isinstance(given, tuple) else right
    return strays_at(lambda: _asked(trainer, made, labels.copy()), labels)


def _parts(given: Any) -> int:
    answers = given.predictions if isinstance(given, EvalPrediction) else None
    return len(answers) if isinstance(answers, tuple) else 1


def _asked(trainer: Trainer, predictions: Any, labels: Any) -> Any:
    """One call of compute_metrics, as the Trainer would make it."""
    metric: Any = trainer.compute_metrics
    if not trainer.args.batch_eval_metrics:
        return metric(EvalPrediction(predictions=predictions, label_ids=labels))
    tensors: Any = _tensors(predictions), _tensors(labels)
    return metric(EvalPrediction(*tensors), compute_result=True)


def _tensors(arrays: Any) -> Any:
    if isinstance(arrays, tuple):
        return tuple(map(_tensors, arrays))
    return arrays if isinstance(arrays, torch.Tensor) else torch.from_numpy(arrays)


def _guessed(given: Any, facts: Facts) -> Guesses:
    if not isinstance(given, EvalPrediction) or isinstance(given.label_ids, tuple):
        return {}
    return guessed(_on_the_cpu(_first(given.predictions)), _on_the_cpu(given.label_ids), facts)


def _classes_in(given: Any, facts: Facts) -> int | None:
    if not isinstance(given, EvalPrediction) or facts.task != "classification":
        return None
    if isinstance(given.label_ids, tuple):
        return None
    return count_classes(_on_the_cpu(given.label_ids))


def _shapes(given: Any) -> dict[str, tuple[int, ...]]:
    if not isinstance(given, EvalPrediction):  # an evaluation of one's own may hand on anything
        return {}
    return {
        "predictions": shape_of(_first(given.predictions)),
        "label_ids": shape_of(_first(given.label_ids)),
    }


def _on_the_cpu(labels: Any) -> Any:
    return labels.cpu().numpy() if isinstance(labels, torch.Tensor) else np.asarray(labels)


def _first(predictions: Any) -> Any:
    """The logits, where the model returns more than those."""
    return predictions[0] if isinstance(predictions, tuple) and predictions else predictions
