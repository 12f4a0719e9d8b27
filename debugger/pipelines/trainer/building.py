"""Stops a script where its training would start, and notes what it built on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch.optim.optimizer import register_optimizer_step_pre_hook
from transformers import Trainer

from debugger.failure import own_line


class TrainingStarts(BaseException):
    """Raised instead of training. No `except Exception` of the learner's catches it."""


class HandWrittenLoop(BaseException):
    """An optimizer stepped before any Trainer was built."""


@dataclass
class Built:
    """The Trainers of a script in the order they were built, with the lines that built them."""

    trainers: list[tuple[Any, int | None]] = field(default_factory=list)
    training: Any = None
    training_line: int | None = None
    hand_written_line: int | None = None

    @property
    def trainer(self) -> Any:
        """The one to diagnose: the first that trains, else the last that was built."""
        if self.training is not None:
            return self.training
        return self.trainers[-1][0] if self.trainers else None


@contextmanager
def stopped_at_training() -> Iterator[Built]:
    """While open, `Trainer.train` raises TrainingStarts. One script may be built at a time."""
    built = Built()
    init, train = Trainer.__init__, Trainer.train

    def noted_init(self: Trainer, *args: Any, **kwargs: Any) -> None:
        line = own_line()
        init(self, *args, **kwargs)
        built.trainers.append((self, line))

    def stopped_train(self: Trainer, *_args: Any, **_kwargs: Any) -> None:
        built.training, built.training_line = self, own_line()
        raise TrainingStarts

    def stopped_step(*_: Any) -> None:
        if not built.trainers:
            built.hand_written_line = own_line()
            raise HandWrittenLoop

    Trainer.__init__, Trainer.train = noted_init, stopped_train
    hook = register_optimizer_step_pre_hook(stopped_step)
    try:
        yield built
    finally:
        Trainer.__init__, Trainer.train = init, train
        hook.remove()
