"""Stops a script where its training would start, and notes what it built on the way."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from transformers import Trainer, TrainingArguments
from transformers.trainer_callback import CallbackHandler, DefaultFlowCallback, TrainerCallback

from debugger.failure import on_behalf, own_line, script_line
from debugger.frameworks.pytorch import rest, switched
from debugger.frameworks.pytorch.by_hand import Heard, LoopTrainer, Rehearsing
from debugger.frameworks.pytorch.company import note_cut_short
from debugger.frameworks.pytorch.loading import loading_watched, tokenizing_watched
from debugger.frameworks.pytorch.loops import trainer_of
from debugger.frameworks.pytorch.untouched import quiet, writing_into
from debugger.pipelines.forward import Earlier
from debugger.pipelines.lineage import rows_followed
from debugger.pipelines.starting import Patience, TrainingStarts
from debugger.pipelines.turns import looks_for_rate, never_asks, running_frames
from debugger.pipelines.unfollowed import NotFollowed, Refused
from debugger.script.enclosure import may_be_made

MOST_MOVED = 200_000
"""Steps of a schedule, each a few sums."""


@dataclass
class Built:
    """The Trainers of a script in the order they were built, with the lines that built them."""

    trainers: list[tuple[Any, int | None]] = field(default_factory=list)
    training: Any = None
    training_line: int | None = None
    refused: Refused | None = None
    rehearsed: list[Rehearsed] = field(default_factory=list)

    @property
    def trainer_lines(self) -> tuple[int | None, ...]:
        return tuple(line for _, line in self.trainers)

    @property
    def trained(self) -> Any:
        """The one to diagnose: where the script was stopped, else the last that was built."""
        if self.training is not None:
            return self.training
        return self.trainers[-1][0] if self.trainers else None

    @property
    def earlier(self) -> Earlier | None:
        """The first training of the very model that is to be diagnosed."""
        trainer = self.trained
        for rehearsed in self.rehearsed:
            if trainer is not None and rehearsed.trainer.model is trainer.model:
                line = next((line for one, line in self.trainers if one is trainer), None)
                return rehearsed.seen_from(trainer, line)
        return None


@dataclass(frozen=True)
class Rehearsed:
    """An earlier training, cut short. The sums are the weights' own before its first step; the
    weights are kept, so that no other ever has the same id."""

    trainer: Any
    line: int | None
    steps: int
    planned: int
    sums: dict[str, float]
    trained: frozenset[str]
    weights: tuple[Any, ...]

    def seen_from(self, later: Any, built_line: int | None) -> Earlier | None:
        """None where the model has got new parts for other rows: what it learned is taken along."""
        known = {id(weight) for weight in self.weights}
        kept = {name for name, weight in later.model.named_parameters() if id(weight) in known}
        same_rows = self.trainer.train_dataset is later.train_dataset
        now = _sums(later.model)
        if len(kept) < len(now) and not same_rows:
            return None
        return Earlier(
            line=self.line,
            built_line=built_line,
            steps=self.steps,
            planned=self.planned,
            moved=sum(name in kept and self.sums.get(name) != now[name] for name in now),
            tensors=len(now),
            same_task=same_rows and self.trained == _trained(later.model),
        )


@contextmanager
def stopped_at_training(
    rehearsed: int = 0,
    steps: int = 0,
    cut_off: Callable[[], None] | None = None,
    by_hand: Callable[[], float] = lambda: 0.0,
) -> Iterator[Built]:
    """While open, `Trainer.train` raises TrainingStarts. One script may be built at a time.

    The first `rehearsed` trainings are run instead, for so many steps each, once `cut_off` has seen
    to it that nobody hears of them. A loop of the script's own, before all of them, may train for
    `by_hand()` seconds: it makes what they need, such as a teacher.
    """
    built = Built()
    init, train, init_repo = Trainer.__init__, Trainer.train, Trainer.init_hf_repo

    def noted_init(self: Trainer, *args: Any, **kwargs: Any) -> None:
        line = script_line()
        with _lent_folder(*args, *kwargs.values()):
            on_behalf(init, self, *args, **kwargs)
        note(self)
        built.refused = None
        built.trainers.append((self, line))

    def stopped_train(
        self: Trainer, resume_from_checkpoint: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        line = own_line()
        if cut_off is not None and len(built.rehearsed) < rehearsed:
            cut_off()
            sums, trained = _sums(self.model), _trained(self.model)
            model: Any = self.model
            weights = tuple(model.parameters())
            handed = None if self._created_lr_scheduler else self.lr_scheduler
            try:
                answer = _rehearse(self, train, steps)
            except Exception:  # then this is the Trainer to look at
                answer = None
            if answer is not None:
                done, planned = self.state.global_step, self.state.max_steps
                _move_on(handed, planned - done)
                built.rehearsed.append(Rehearsed(self, line, done, planned, sums, trained, weights))
                if done < planned:
                    note_cut_short(self.model)
                return answer
        switched.note(self, resume_from_checkpoint)
        rest.note(self, cut_off)
        built.training, built.training_line = self, line
        raise TrainingStarts

    loops = _Loops(built, Patience(by_hand), cut_off)
    Trainer.__init__, Trainer.train = noted_init, stopped_train
    Trainer.init_hf_repo = _makes_no_repository
    hook = register_optimizer_step_pre_hook(loops.before_step)
    try:
        with (
            loops.heard.listening(),
            loading_watched(),
            rows_followed(),
            tokenizing_watched() as note,
        ):
            yield built
    finally:
        loops.take_back()
        Trainer.__init__, Trainer.train, Trainer.init_hf_repo = init, train, init_repo
        hook.remove()


class _Loops:
    """Stops the script where a loop of its own steps an optimizer for the first time, or, where it
    can be `cut_off`, once enough of its turns are heard."""

    def __init__(
        self, built: Built, patience: Patience, cut_off: Callable[[], None] | None
    ) -> None:
        self._built, self._patience, self._cut_off = built, patience, cut_off
        self._trying = False
        self.heard = Heard(self._backward)

    def before_step(self, optimizer: Any, *_: Any) -> None:
        built, heard = self._built, self.heard
        if self._trying:  # a turn whose loss is asked for by the optimizer itself
            return
        if built.trainers or heard.rehearsing is not None or not self._patience.ended():
            return
        if looks_for_rate(running_frames()):
            heard.events.clear()
            return
        line = own_line()
        if "b" not in heard.events and never_asks(r"backward|\bgrad\b|autograd"):
            built.refused = Refused("never_goes_backward", line)
            raise TrainingStarts
        try:
            made = self._followed(optimizer)
        except NotFollowed as why:
            built.refused = why.at(line)
            raise TrainingStarts from None
        built.trainers.clear()
        built.refused = None
        built.training, built.training_line = made, line
        if self._cut_off is None:
            raise TrainingStarts
        self._cut_off()
        heard.rehearsing = Rehearsing(made, self._started)

    def _followed(self, optimizer: Any) -> LoopTrainer:
        # It has taken too long to make what a Trainer needs, or a step is made of many losses.
        if self._patience.granted or _asks_again(optimizer):
            raise NotFollowed("hand_written_loop")
        self._trying = True
        try:
            return trainer_of(optimizer, tuple(self.heard.events), self.heard.loader)
        finally:
            self._trying = False

    def take_back(self) -> None:
        if self.heard.rehearsing is not None:
            self.heard.rehearsing.take_back()

    def _backward(self) -> None:
        if self._built.trainers or self._patience.granted:
            return
        line = own_line()
        steps = "weights_moved_by_hand" if never_asks(r"\.step\b") else "hand_written_loop"
        self._built.refused = Refused(steps, line)  # until an optimizer steps
        if never_asks(r"\.step\b|\.grad\b|add_|sub_"):
            self._built.refused = Refused("no_optimizer_steps", line)
            raise TrainingStarts

    def _started(self) -> None:
        self.heard.rehearsing = None
        raise TrainingStarts


def _asks_again(optimizer: Any) -> bool:
    """Whether it cannot take a step without what gives it the loss, as LBFGS cannot."""
    closure = signature(optimizer.step).parameters.get("closure")
    return closure is not None and closure.default is closure.empty


def _makes_no_repository(self: Trainer, *_args: Any, **_kwargs: Any) -> None:
    """With push_to_hub a Trainer makes one on the hub as soon as it is built."""
    self.hub_model_id = self.args.hub_model_id or Path(self.args.output_dir or "").absolute().name
    self.push_in_progress = None


@contextmanager
def _lent_folder(*given: Any) -> Iterator[None]:
    """A Trainer makes its output folder when it is built: where it may not, it is lent another."""
    args = next((one for one in given if isinstance(one, TrainingArguments)), None)
    if args is None or _is_made(args.output_dir):
        yield
        return
    with tempfile.TemporaryDirectory() as folder, writing_into(args, folder):
        yield


def _is_made(folder: str | None) -> bool:
    """Also when it cannot be made for a reason that the script would meet by itself."""
    if folder is None:
        return True
    try:
        os.makedirs(folder, exist_ok=True)
    except PermissionError:
        return not may_be_made(folder)
    except OSError:
        pass
    return True


class _Stop(TrainerCallback):
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
        control.should_training_stop |= state.global_step >= self.steps
        return control


def _rehearse(trainer: Trainer, train: Any, steps: int) -> Any:
    """A few real steps that leave nothing but their weights. The Trainer stays quiet after it."""
    with tempfile.TemporaryDirectory() as folder:
        trainer.args = quiet(trainer.args, folder)
        trainer.callback_handler = CallbackHandler(
            [DefaultFlowCallback(), _Stop(steps)],
            trainer.model,
            trainer.processing_class,
            trainer.optimizer,
            trainer.lr_scheduler,
        )
        return train(trainer)


def _move_on(schedule: Any, steps: int) -> None:
    """A schedule that the script has handed in goes on in the next training where this would have
    left it. One that the Trainer makes is made anew."""
    if schedule is None:
        return
    try:
        for _ in range(min(steps, MOST_MOVED)):
            schedule.step()
    except Exception:  # one that waits for a number, or that is over
        return


@torch.no_grad()
def _sums(model: Any) -> dict[str, float]:
    return {name: float(w.double().abs().sum()) for name, w in model.named_parameters()}


def _trained(model: Any) -> frozenset[str]:
    return frozenset(name for name, w in model.named_parameters() if w.requires_grad)
