"""The rest of a script that has a Trainer train, run with answers that are made up."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from transformers import Trainer
from transformers.trainer_utils import PredictionOutput, TrainOutput

from debugger.frameworks.pytorch.batches import labels_of, logits_of
from debugger.frameworks.pytorch.rows import count_of, first_set, subset
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.drawing import Drawn, Way, ends_and_middle
from debugger.pipelines.facts import Facts
from debugger.pipelines.rest import (
    LOSS,
    OutOfTime,
    Rest,
    Tried,
    Went,
    own_frames,
    rest_of,
    running,
    told,
    tried,
)

MOST_ROWS = 4000
MOST_WEIGHTS = 100_000_000
"""Of a model that is put back as it was."""
FEW = 4
_TASKS = ("classification", "regression", "multilabel")
"""Whose answers are so many numbers a row, however long the row is."""
_ASKS = ("predict", "evaluate", "model", "__call__")
_LEAVE = ("save_model", "save_state", "save_metrics", "log_metrics", "log", "push_to_hub")
"""What a Trainer writes or says by itself."""
_LABELS = re.compile(r"(\w+_)?(ys?|yb|gold|truth|labels?|targets?)(_\w+)?$", re.IGNORECASE)
"""Names of what a loop by hand takes out of a batch and keeps from the model."""


@dataclass(frozen=True)
class _Left:
    """What stands behind a training, to be run once all is `cut_off`, and never without."""

    rests: tuple[Rest, ...]
    cut_off: Callable[[], None]


_left: WeakKeyDictionary[Any, _Left] = WeakKeyDictionary()


def note(trainer: Any, cut_off: Callable[[], None] | None) -> None:
    """To be called where the training would start."""
    if cut_off is not None:
        _left[trainer] = _Left(tuple(one for here in running() for one in rest_of(*here)), cut_off)


def printed(
    trainer: Trainer, facts: Facts, learned: Sequence[Any], metrics: Sequence[str]
) -> Tried:
    """`learned` are the labels that it learns, `metrics` the names of what it is evaluated by."""
    left = _left.get(trainer)
    if left is None or facts.task not in _TASKS or _number_of_weights(trainer) > MOST_WEIGHTS:
        return Tried()
    flat = [y for row in learned for y in (row if isinstance(row, list | tuple) else (row,))]
    yes_or_no = bool(flat) and all(y in (0, 1) for y in flat)
    if facts.task == "multilabel" and not yes_or_no:
        return Tried()  # several amounts a row
    amounts_learned = facts.task == "regression" and not yes_or_no
    if not any(one.left.statements for one in left.rests):
        return Tried()
    left.cut_off()
    with borrowed(trainer):
        answers = _few_answers(trainer)
    if answers is None:
        return Tried()
    scores, beside = answers
    amounts = ends_and_middle(learned) if amounts_learned else ()
    with borrowed(trainer, weights=True):  # which a script may well write into
        asked = _Asked(trainer, metrics, beside)
        return tried(left.rests, asked, _drawn(scores, facts, amounts_learned), amounts)


def _few_answers(trainer: Trainer) -> tuple[Any, tuple[Any, ...]] | None:
    """The scores of a few rows, and what else it answers beside those."""
    rows = first_set(trainer.eval_dataset) or trainer.train_dataset
    trainer.compute_metrics = None
    try:
        made = trainer.predict(subset(rows, FEW)).predictions
    except Exception:  # the stage tells of it where the script would evaluate
        return None
    first, *beside = made if isinstance(made, tuple) else (made,)
    known = isinstance(first, np.ndarray) and first.dtype.kind == "f" and first.ndim in (1, 2)
    return (first, tuple(beside)) if known else None


def _number_of_weights(trainer: Trainer) -> int:
    model: Any = trainer.model
    return sum(one.numel() for one in model.parameters())


def _drawn(scores: Any, facts: Facts, amounts: bool) -> Drawn:
    numbers = scores.astype(float)
    of_one = scores.ndim == 1 or scores.shape[1] == 1
    each = facts.task == "multilabel" or (of_one and not amounts)
    if not np.isfinite(numbers).all():
        return Drawn(None, yes_or_no=each)
    within = bool(((numbers >= 0) & (numbers <= 1)).all()) and not amounts
    wide = numbers.ndim == 2 and numbers.shape[1] > 1
    shares = within and wide and bool(np.allclose(numbers.sum(-1), 1, atol=1e-3))
    return Drawn(scores.shape[1:], shares, within and not shares, each)


class _Asked:
    """See `rest.Trained`. `beside` is what the model answers beside its scores."""

    made_by = ""

    def __init__(self, trainer: Trainer, metrics: Sequence[str], beside: tuple[Any, ...]) -> None:
        self.asks: tuple[str, ...] = _ASKS
        self.rows: list[Any] = []
        self.metrics = [*metrics]
        self.result = TrainOutput(trainer.state.max_steps, LOSS, {"train_loss": LOSS})
        self._trainer = trainer
        self._beside = beside
        self._labels: dict[int, Any] = {}

    def labels(self, rows: Any) -> Any:
        if id(rows) not in self._labels:
            self._labels[id(rows)] = self._of_batch(rows) if _is_batch(rows) else self._of_set(rows)
        return self._labels[id(rows)]

    def array(self, value: Any) -> Any:
        return (
            value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
        )

    @contextmanager
    def answering(self, way: Way, went: Went) -> Iterator[None]:
        model: Any = self._trainer.model
        forward = torch.nn.Module.__call__

        def predict(
            own: Any, rows: Any, *_: Any, metric_key_prefix: str = "test", **__: Any
        ) -> Any:
            self._note(rows)
            count = _count(rows)
            went.asked[-1] = True
            scores = way(rows, count)
            went.shape = scores.shape
            beside = tuple(np.resize(one, (count, *one.shape[1:])) for one in self._beside)
            made: Any = (scores, *beside) if beside else scores
            return PredictionOutput(made, self.labels(rows), self._said(metric_key_prefix))

        def evaluate(own: Any, rows: Any = None, *_: Any, **named: Any) -> Any:
            self._note(rows if rows is not None else named.get("eval_dataset"))
            went.measured[-1] = True
            return self._said(named.get("metric_key_prefix", "eval"))

        def call(own: Any, *given: Any, **named: Any) -> Any:
            outputs = forward(own, *given, **named)
            scores = logits_of(outputs) if own is model else None
            if scores is None:
                return outputs
            rows = self._with_labels(named or given[0], len(scores))
            self._note(rows)
            went.asked[-1] = True
            made = torch.from_numpy(np.ascontiguousarray(way(rows, len(scores))))
            went.shape = tuple(made.shape)
            fits = made.shape == scores.shape
            return _instead(outputs, made.to(scores.device)) if fits else outputs

        def refused(own: Any, *_: Any, **__: Any) -> Any:
            raise RuntimeError("nothing is trained here")

        modules = {id(one) for one in model.modules()}
        moved: Any = torch.nn.Module._apply

        def stays(own: Any, *given: Any, **named: Any) -> Any:
            """What gives weights another kind, or another place."""
            return own if id(own) in modules else moved(own, *given, **named)

        trainers: dict[str, Any] = {"predict": predict, "evaluate": evaluate, "train": refused}
        trainers |= dict.fromkeys(_LEAVE, lambda own, *_, **__: None)
        with ExitStack() as undo, torch.no_grad():
            for kind, name, one in (
                *((Trainer, name, one) for name, one in trainers.items()),
                (torch.nn.Module, "__call__", call),
                (torch.nn.Module, "_apply", stays),
            ):
                undo.callback(setattr, kind, name, getattr(kind, name))
                setattr(kind, name, one)
            yield

    def _note(self, rows: Any) -> None:
        if rows is not None and not any(one is rows for one in self.rows):
            self.rows.append(rows)  # which keeps its id its own

    def _with_labels(self, rows: Any, count: int) -> Any:
        """What a loop by hand shows the model, with labels that it does not show it."""
        if labels_of(self._trainer, rows) is not None:
            return rows
        here = next((frame.f_locals for frame in own_frames()), {})
        for one in here.values():
            if isinstance(one, Mapping):
                labels = labels_of(self._trainer, one)
                if labels is not None and len(labels) == count:
                    return one
        found = [y for name, y in here.items() if _LABELS.match(name) and _is_column(y, count)]
        return {"labels": found[0]} if len(found) == 1 else rows

    def _said(self, prefix: str) -> dict[str, float]:
        return {f"{prefix}_{name}": value for name, value in told(self.metrics).items()}

    def _of_batch(self, batch: Any) -> Any:
        labels = labels_of(self._trainer, batch)
        return None if labels is None else self.array(labels)

    def _of_set(self, rows: Any) -> Any:
        """In the order in which a Trainer predicts."""
        if _count(rows) > MOST_ROWS:
            raise OutOfTime
        found: list[Any] = []
        for batch in self._trainer.get_test_dataloader(rows):
            labels = labels_of(self._trainer, batch)
            if labels is None:
                return None
            found.append(self.array(labels))
        return np.concatenate(found)


def _is_batch(rows: Any) -> bool:
    return isinstance(rows, Mapping | torch.Tensor)


def _count(rows: Any) -> int:
    count = count_of(rows)
    if count is None:
        raise OutOfTime
    return count


def _instead(outputs: Any, scores: torch.Tensor) -> Any:
    """The same outputs with other scores."""
    if isinstance(outputs, torch.Tensor):
        return scores
    if not isinstance(outputs, Mapping):
        place = next(n for n, one in enumerate(outputs) if _is_like(one, scores))
        return (*outputs[:place], scores, *outputs[place + 1 :])
    alike = [name for name, one in outputs.items() if name != "loss" and _is_like(one, scores)]
    name = "logits" if "logits" in alike else alike[0]
    made: Any = type(outputs)
    return made(**{**outputs, name: scores})


def _is_column(value: Any, count: int) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 0 and len(value) == count


def _is_like(value: Any, scores: torch.Tensor) -> bool:
    return isinstance(value, torch.Tensor) and value.shape == scores.shape
