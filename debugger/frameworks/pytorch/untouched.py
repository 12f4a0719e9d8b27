"""Borrow a Trainer and give it back bit-identical: weights, optimizer, RNG states, modes."""

from __future__ import annotations

import copy
import random
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from transformers import Trainer
from transformers.trainer_callback import CallbackHandler, DefaultFlowCallback, TrainerCallback

from debugger.failure import failure_of
from debugger.pipelines.kept import Attributes


@contextmanager
def untouched(trainer: Trainer, weights: bool) -> Iterator[None]:
    """Afterwards the Trainer is as before. `weights` says that a step may be taken inside."""
    model = trainer.model
    assert model is not None
    keepers = [Attributes(trainer), Attributes(model), Attributes(trainer.accelerator), Rng()]
    keepers += [Attributes(trainer.accelerator.gradient_state), _Modes(model)]
    if hasattr(getattr(model, "config", None), "__dict__"):
        keepers.append(Attributes(model.config))  # a first forward pass writes problem_type there
    if trainer.lr_scheduler is not None:
        keepers.append(Attributes(trainer.lr_scheduler))
    if weights:
        keepers.append(Weights(model))
        if trainer.optimizer is not None:
            keepers.append(OptimizerState(trainer.optimizer))
    try:
        yield
    finally:
        try:
            for keeper in keepers:
                keeper.restore()
        except RuntimeError as error:
            # After a device-side assert nothing on the GPU can be read or written any more.
            if not failure_of(error).device_lost:
                raise


@contextmanager
def borrowed(
    trainer: Trainer, *callbacks: TrainerCallback, weights: bool = False
) -> Iterator[Trainer]:
    """The same Trainer, untouched afterwards, that meanwhile writes, reports and prints nothing."""
    with (
        untouched(trainer, weights),
        tempfile.TemporaryDirectory() as folder,
        _has_folder(trainer.args, folder),
    ):
        trainer.args = quiet(trainer.args, folder)
        trainer.model_init = None  # it would put another model in the place of the watched one
        trainer.control = copy.copy(trainer.control)
        trainer.state = copy.deepcopy(trainer.state)
        trainer.callback_handler = CallbackHandler(
            [DefaultFlowCallback(), *callbacks],
            trainer.model,
            trainer.processing_class,
            trainer.optimizer,
            trainer.lr_scheduler,
        )
        yield trainer


@contextmanager
def writing_into(args: Any, folder: str) -> Iterator[None]:
    """While open, the output folder is another one."""
    own = args.output_dir
    object.__setattr__(args, "output_dir", folder)
    try:
        yield
    finally:
        object.__setattr__(args, "output_dir", own)


def _has_folder(args: Any, lent: str) -> AbstractContextManager[None]:
    """A metric may write into the output folder: a training has made it long before, and what looks
    at one behind a wall may not make it, or not write there."""
    own = args.output_dir
    return nullcontext() if own is None or _may_write(own) else writing_into(args, lent)


def _may_write(folder: str) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def quiet(args: Any, folder: str) -> Any:
    """The same arguments, for a training that writes, reports and prints nothing."""
    changes: dict[str, Any] = {
        "output_dir": folder,
        "eval_strategy": "no",
        "save_strategy": "no",
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_first_step": False,
        "logging_nan_inf_filter": False,
        "report_to": [],
        "disable_tqdm": True,
        "load_best_model_at_end": False,
        "push_to_hub": False,
        "dataloader_num_workers": 0,
        "dataloader_persistent_workers": False,
        "dataloader_prefetch_factor": None,
        "resume_from_checkpoint": None,
        "auto_find_batch_size": False,
        "eval_on_start": False,
    }
    changed = copy.copy(args)
    for name, value in changes.items():
        if hasattr(changed, name):
            # TrainingArguments refuse changes through their own setter once they are in use.
            object.__setattr__(changed, name, _like(getattr(changed, name), value))
    return changed


def _like(old: Any, new: Any) -> Any:
    """Strategies are enumerations: "no" becomes the member of the old value's type."""
    return type(old)(new) if isinstance(new, str) and hasattr(type(old), "__members__") else new


class Rng:
    def __init__(self) -> None:
        self.python = random.getstate()
        self.numpy = np.random.get_state()
        self.torch = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def restore(self) -> None:
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        torch.set_rng_state(self.torch)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)


class _Modes:
    """Train or eval mode of every module, and which weights are trainable."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.modes = [(module, module.training) for module in model.modules()]
        self.trainable = [(weight, weight.requires_grad) for weight in model.parameters()]

    def restore(self) -> None:
        for module, training in self.modes:
            module.training = training
        for weight, trainable in self.trainable:
            weight.requires_grad_(trainable)


class Weights:
    """Copies wait in the memory of the CPU, where there is room for them."""

    def __init__(self, model: torch.nn.Module) -> None:
        tensors = [*model.parameters(), *model.buffers()]
        self.tensors = [(tensor, _copied(tensor)) for tensor in tensors]
        self.gradients = [
            (weight, weight.grad, None if weight.grad is None else _copied(weight.grad))
            for weight in model.parameters()
        ]

    @torch.no_grad()
    def restore(self) -> None:
        for tensor, saved in self.tensors:
            tensor.copy_(saved)
        for weight, gradient, saved in self.gradients:
            weight.grad = gradient
            if gradient is not None and saved is not None:
                gradient.copy_(saved)


class OptimizerState:
    def __init__(self, optimizer: Any) -> None:
        self.attributes = Attributes(optimizer)
        self.optimizer = optimizer
        self.groups = [(group, dict(group)) for group in optimizer.param_groups]
        self.states = [
            (weight, state, dict(state), {k: _copied(v) for k, v in state.items() if _tensor(v)})
            for weight, state in optimizer.state.items()
        ]

    @torch.no_grad()
    def restore(self) -> None:
        self.attributes.restore()
        for group, saved in self.groups:
            group.clear()
            group.update(saved)
        self.optimizer.state.clear()
        for weight, state, saved, tensors in self.states:
            state.clear()
            state.update(saved)
            for name, tensor in tensors.items():
                state[name].copy_(tensor)
            self.optimizer.state[weight] = state


def _tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().to("cpu", copy=True)
