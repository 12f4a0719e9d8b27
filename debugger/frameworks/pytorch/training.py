"""The Trainer's own training, rehearsed: two steps watched closely, one batch, the first 120."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.data import DataLoader
from transformers import Trainer
from transformers.trainer_callback import TrainerCallback

from debugger.failure import failure_of_script, on_behalf
from debugger.frameworks.pytorch.batches import (
    first_batch,
    labels_of,
    logits_of,
    rows_in,
    with_loss,
)
from debugger.frameworks.pytorch.callbacks import refused_by, uncallable_of
from debugger.frameworks.pytorch.evaluating import planned_steps
from debugger.frameworks.pytorch.facts import broken_weights
from debugger.frameworks.pytorch.following import Followed, followed
from debugger.frameworks.pytorch.outputs import outputs_apart, pair_of
from debugger.frameworks.pytorch.parts import (
    blocks_of,
    head_is_left_new,
    head_of,
    is_adapter,
    short_names,
)
from debugger.frameworks.pytorch.plan import full_rate, plan, schedule_before, steady
from debugger.frameworks.pytorch.reaching import reaching
from debugger.frameworks.pytorch.rows import count_of, first_set, is_stream, own_sampler, subset
from debugger.frameworks.pytorch.switched import gradients_off, no_checkpoint_in
from debugger.frameworks.pytorch.untouched import borrowed
from debugger.pipelines.curve import EVAL_ROWS, UNKNOWN, Curve, Fared
from debugger.pipelines.face import Emit
from debugger.pipelines.facts import Facts
from debugger.pipelines.step import Block, Step
from debugger.pipelines.training import Memory, Training

WATCHED_STEPS = 2
SOME = 0.05
"""Of the weights that are asked about."""


def step(trainer: Trainer) -> Step:
    """Two real steps: what reached each block, what moved it, and what the optimizer holds."""
    model: Any = trainer.model
    watch = _Watch(model)
    failure, refused, cannot = None, refused_by(trainer), uncallable_of(trainer)
    callbacks = trainer.callback_handler.callbacks
    with (
        borrowed(trainer, watch, weights=True),
        _before_each_step(watch.note_gradients),
        followed(model) as follow,
        reaching(model) as reach,
    ):
        before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
        try:
            with torch.set_grad_enabled(not gradients_off(trainer)):
                on_behalf(trainer.train)
        except Exception as error:
            failure = failure_of_script(error)
        if failure is not None and failure.device_lost:
            return Step(failure=failure)
        optimizer = _inner(watch.optimizer or trainer.optimizer)
        blocks = tuple(
            _block(name, weights, model, before, watch)
            for name, weights in blocks_of(model).items()
        )
        weights = dict(model.named_parameters())
        held = _held(optimizer)
        head = head_of(model)
        leftovers = [norm for norm in (watch.leftover, follow.carried) if norm is not None]
        cut = _cut(trainer, follow)
        peak = partial(_peak, optimizer, trainer.lr_scheduler)
        return Step(
            blocks=blocks,
            steps=watch.steps,
            optimizer="" if optimizer is None else type(optimizer).__name__,
            learning_rates=tuple(watch.learning_rates),
            peak_learning_rate=peak([w for n, w in weights.items() if n not in head]),
            head_learning_rate=peak([weights[name] for name in head]),
            trainable=sum(w.numel() for w in weights.values() if w.requires_grad),
            total=sum(w.numel() for w in weights.values()),
            head=tuple(short_names(model)[name] for name in head),
            head_frozen=head_is_left_new(model, head),
            adapter=any(is_adapter(n) and w.requires_grad for n, w in weights.items()),
            body_trainable=sum(
                w.numel()
                for name, w in weights.items()
                if w.requires_grad and name not in head and not is_adapter(name)
            ),
            missing=tuple(
                name
                for name, w in weights.items()
                if held and w.requires_grad and id(w) not in held
            ),
            leftover_gradient=max(leftovers, default=None),
            nan_after=broken_weights(model),
            refused=refused,
            uncallable=cannot,
            switched_off=gradients_off(trainer),
            resumes_from=no_checkpoint_in(trainer),
            idle=watch.began and not watch.steps and failure is None,
            plan=plan(
                trainer,
                optimizer,
                watch.schedule,
                watch.steps,
                watch.gradient() | cut,
                callbacks,
            )
            if watch.steps
            else None,
            reached=reach.reached(watch.gradients),
            by_hand=getattr(trainer, "by_hand", None),
            failure=failure,
        )


def overfit(
    trainer: Trainer,
    facts: Facts,
    rows: list[int],
    steps: int,
    emit: Emit,
    seconds: float | None = None,
) -> Memory:
    """The course's test: the same few rows again and again, at the script's own learning rate."""
    curve, planned = _Curve(steps, emit, seconds=seconds), planned_steps(trainer)
    failure, before, after, batches = None, UNKNOWN, UNKNOWN, []
    apart: list[float | None] = []
    with borrowed(trainer, curve, weights=True):
        for name, value in {
            "max_steps": steps,
            "lr_scheduler_type": type(trainer.args.lr_scheduler_type)("constant"),
            "warmup_steps": 0,
            "warmup_ratio": 0.0,
            "gradient_accumulation_steps": 1,
        }.items():
            if hasattr(trainer.args, name):
                object.__setattr__(trainer.args, name, value)
        if trainer.lr_scheduler is not None:
            # Twenty steps of somebody's own long warm-up would prove nothing.
            whole = partial(full_rate, schedule=trainer.lr_scheduler)
            trainer.lr_scheduler = steady(trainer.optimizer, whole)
        try:
            batches = on_behalf(_one_batch, trainer, rows)
            before = accuracy(trainer, batches, facts)
            apart.append(outputs_apart(trainer, batches))
            on_behalf(trainer.train)
            after = accuracy(trainer, batches, facts)
            apart.append(outputs_apart(trainer, batches))
        except Exception as error:
            failure = failure_of_script(error)
    count = sum(map(rows_in, batches)) or len(rows)
    wanted = [y for batch in batches if (y := labels_of(trainer, batch)) is not None]
    classes = [y for batch in batches for y in _flat_labels(trainer, batch)]
    known = classes if facts.task == "classification" else []
    memory = curve.memory(before, after, known, count, _weights(trainer), failure)
    held = any(y.is_floating_point() or y.dim() > 1 for y in wanted)
    return replace(memory, apart=pair_of(apart), planned=planned, held_to_labels=held)


def _one_batch(trainer: Any, rows: list[int]) -> list[Any]:
    """From now on the Trainer trains on these rows; where somebody else picks, on one of theirs."""
    if not own_sampler(trainer) and not is_stream(trainer.train_dataset):
        trainer.train_dataset = subset(trainer.train_dataset, rows)
        return batches_of(trainer, trainer.train_dataset)
    same: Any = [first_batch(trainer)]
    trainer.get_train_dataloader = lambda: DataLoader(same, batch_size=None, collate_fn=_as_it_is)
    return same


def _as_it_is(batch: Any) -> Any:
    return batch


def train(
    trainer: Trainer,
    facts: Facts,
    labelled: Sequence[Any],
    steps: int,
    emit: Emit,
    seconds: float | None = None,
    leave: Callable[[], None] = lambda: None,
) -> Training:
    """The script's own training up to `steps`, its schedule as if it went on to the end.

    `labelled` are the labels of the rows that it trains on. After the last step it is called to
    `leave` what was learned.
    """
    dataset = first_set(trainer.eval_dataset)
    failure, rate = None, None
    with borrowed(trainer, weights=True):
        try:
            some = None if dataset is None else subset(dataset, EVAL_ROWS)
            batches = [] if some is None else on_behalf(batches_of, trainer, some)
        except Exception as error:  # the evaluate stage is where this is reported
            failure_of_script(error)
            batches = []
        curve = _Curve(steps, emit, lambda: accuracy(trainer, batches, facts), seconds)
        trainer.add_callback(curve)
        try:
            on_behalf(trainer.train)
            rate = _peak(_inner(trainer.optimizer), trainer.lr_scheduler, [])
            leave()
        except Exception as error:
            failure = failure_of_script(error)
        planned, epochs = trainer.state.max_steps, trainer.state.epoch
    labels = Counter(label for batch in batches for label in _flat_labels(trainer, batch))
    rows = 0 if dataset is None else min(EVAL_ROWS, count_of(dataset) or labels.total())
    known = {"trained_on": labelled, "epochs": epochs, "weights": _weights(trainer)}
    return curve.training(facts, labels, rows, planned, rate, failure, **known)


def _weights(trainer: Any) -> int:
    return sum(weight.numel() for weight in trainer.model.parameters())


class _Watch(TrainerCallback):
    """Stops after two steps and notes gradients, what is left of them, and the learning rate."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        self.steps = 0
        self.optimizer: Any = None
        self.gradients: dict[str, float] = {}
        self.leftover: float | None = None
        self.learning_rates: list[float] = []
        self.schedule: Any = None
        self.began = False
        self.squares, self.counted = 0.0, 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self.began = True
        self.schedule = schedule_before(given.get("lr_scheduler"))

    def gradient(self) -> dict[str, float]:
        """Of the first step, as the optimizer gets it: its norm, and a typical number in it."""
        if not self.counted or not math.isfinite(self.squares):
            return {}
        return {
            "norm": math.sqrt(self.squares),
            "typical": math.sqrt(self.squares / self.counted),
        }

    def note_gradients(self, optimizer: Any, *_: Any) -> None:
        self.optimizer = optimizer
        self.learning_rates.append(max(float(group["lr"]) for group in optimizer.param_groups))
        first = not self.counted
        for name, weight in self.model.named_parameters():
            if weight.grad is not None:
                sparse = weight.grad.is_sparse
                grad = weight.grad.coalesce().values() if sparse else weight.grad
                norm = float(grad.norm())
                if first:
                    self.squares += norm**2
                    self.counted += int(grad.count_nonzero())
                self.gradients[name] = max(norm, self.gradients.get(name, 0.0))

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step > 0:
            grads = [w.grad for w in self.model.parameters() if w.grad is not None]
            self.leftover = math.sqrt(sum(float(g.norm()) ** 2 for g in grads))

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        self.steps = state.global_step
        control.should_training_stop = state.global_step >= WATCHED_STEPS
        return control


class _Curve(Curve, TrainerCallback):
    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and "loss" in logs:
            rate = float(logs.get("learning_rate", 0.0))
            self.note(state.global_step, float(logs["loss"]), rate)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        done = self.is_over(state.global_step, min(self.limit, state.max_steps))
        self.look(state.global_step, done)
        control.should_training_stop = control.should_training_stop or done
        return control


def _cut(trainer: Trainer, follow: Followed) -> dict[str, float]:
    """What clipping did to the first gradient. In mixed precision it is scaled on the way, too."""
    if follow.arrived is None or follow.left is None or trainer.accelerator.scaler is not None:
        return {}
    return {"arrived": follow.arrived, "left": follow.left}


@contextmanager
def _before_each_step(note: Any) -> Any:
    hook = register_optimizer_step_pre_hook(note)
    try:
        yield
    finally:
        hook.remove()


def batches_of(trainer: Trainer, rows: Any) -> list[Any]:
    return list(trainer.get_eval_dataloader(rows))


def accuracy(trainer: Trainer, batches: list[Any], facts: Facts) -> Fared:
    """In eval mode. Where a batch does not go through so, the evaluate stage reports it."""
    model: Any = trainer.model
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    right, seen, losses = 0, 0, []
    paired: Counter[tuple[int, int]] = Counter()
    for batch in batches:
        labels = labels_of(trainer, batch)
        try:
            loss, outputs = on_behalf(with_loss, trainer, batch)
        except Exception as error:
            failure_of_script(error)
            break
        losses.append(float(loss.mean()))
        logits = logits_of(outputs)
        if facts.task == "classification" and labels is not None and labels.dim() == 1:
            if logits is None or logits.shape[:-1] != labels.shape or logits.shape[-1] < 2:
                continue  # of one output alone, the highest is always the first
            guesses = logits.argmax(dim=-1).to(labels.device)
            right += int((guesses == labels).sum())
            seen += len(labels)
            paired.update(zip(labels.tolist(), guesses.tolist(), strict=True))
    for module, training in modes:
        module.training = training
    mean = sum(losses) / len(losses) if losses else None
    return (right / seen if seen else None), mean, dict(paired)


def _flat_labels(trainer: Trainer, batch: Any) -> list[Any]:
    labels = labels_of(trainer, batch)
    return labels.tolist() if labels is not None and labels.dim() == 1 else []


def _inner(optimizer: Any) -> Any:
    """The optimizer inside the wrapper that accelerate puts around it."""
    return getattr(optimizer, "optimizer", optimizer)


def _held(optimizer: Any) -> set[int]:
    groups = [] if optimizer is None else optimizer.param_groups
    return {id(weight) for group in groups for weight in group["params"]}


def _peak(optimizer: Any, schedule: Any, weights: list[Any]) -> float | None:
    """The highest rate the schedule will reach for these weights, but for a few of them, such as a
    pooler that goes with the head: a warm-up starts from nothing.

    For weights that the optimizer does not hold, the highest of all.
    """
    wanted = {id(weight): weight.numel() for weight in weights}
    groups = [] if optimizer is None else optimizer.param_groups
    held = [sum(wanted.get(id(weight), 0) for weight in group["params"]) for group in groups]
    fewest = SOME * sum(held)
    theirs = [group for group, count in zip(groups, held, strict=True) if count and count >= fewest]
    return max((full_rate(group, schedule) for group in theirs or groups), default=None)


def _block(
    name: str, weights: list[str], model: Any, before: dict[str, torch.Tensor], watch: _Watch
) -> Block:
    now = {name: weight.detach() for name, weight in model.named_parameters()}
    gradients = [watch.gradients[w] for w in weights if w in watch.gradients]
    moved = math.sqrt(sum(float((now[w] - before[w]).norm()) ** 2 for w in weights))
    size = math.sqrt(sum(float(before[w].norm()) ** 2 for w in weights))
    return Block(
        name=name,
        weights=sum(now[w].numel() for w in weights),
        trainable=sum(
            w.numel() for n, w in model.named_parameters() if n in weights and w.requires_grad
        ),
        gradient=math.sqrt(sum(g**2 for g in gradients)) if gradients else None,
        update=moved / size if size else moved,
    )
