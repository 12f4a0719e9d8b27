"""Nothing a stage does may change the learner's pipeline, down to the last bit."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from tests import tiny

STAGES: dict[str, Callable[[TrainerPipeline], Any]] = {
    "data": lambda pipeline: pipeline.data(),
    "batch": lambda pipeline: pipeline.batch(),
    "forward": lambda pipeline: pipeline.forward(),
    "step": lambda pipeline: pipeline.step(),
    "evaluate": lambda pipeline: pipeline.evaluate(),
    "overfit": lambda pipeline: pipeline.overfit(5, lambda *_: None),
    "train": lambda pipeline: pipeline.train(6, lambda *_: None),
}
TRAINERS = {
    "classifier": tiny.classifier,
    "tokens": tiny.token_classifier,
    "language model": tiny.language_model,
    "seq2seq": tiny.translator,
    "pictures": tiny.picture_classifier,
    "regression": tiny.regressor,
}


def everything(trainer: Any) -> dict[str, Any]:
    """All that a stage could disturb, as values that can be compared."""
    model = trainer.model
    optimizer = trainer.optimizer
    return {
        "weights": {n: _bytes(t) for n, t in model.state_dict().items()},
        "gradients": {n: None if p.grad is None else _bytes(p.grad) for n, p in _named(model)},
        "trainable": {n: p.requires_grad for n, p in _named(model)},
        "modes": [module.training for module in model.modules()],
        "python": hash(random.getstate()),
        "numpy": str(np.random.get_state()),
        "torch": _bytes(torch.get_rng_state()),
        "optimizer": None if optimizer is None else _optimizer(optimizer),
        "attributes": {n: id(v) for n, v in vars(trainer).items()},
        "args": str(trainer.args.to_dict()),
        "state": str(vars(trainer.state)),
        "control": str(vars(trainer.control)),
        "model attributes": sorted(vars(model)),
        "config": _config(getattr(model, "config", None)),
        "callbacks": [type(c).__name__ for c in trainer.callback_handler.callbacks],
    }


def _bytes(tensor: torch.Tensor) -> str:
    readable = tensor.float() if tensor.dtype is torch.bfloat16 else tensor
    return hashlib.sha256(readable.detach().numpy().tobytes()).hexdigest()


def _config(config: Any) -> str:
    written = getattr(config, "to_json_string", None)
    return str(config) if written is None else written(use_diff=False)


def _named(model: Any) -> Any:
    return model.named_parameters()


def _optimizer(optimizer: Any) -> Any:
    state = optimizer.state_dict()
    tensors = [
        (key, name, _bytes(v) if isinstance(v, torch.Tensor) else v)
        for key, values in state["state"].items()
        for name, v in values.items()
    ]
    return tensors, str(state["param_groups"]), sorted(vars(optimizer))


@pytest.mark.some(8)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", TRAINERS)
def test_a_stage_leaves_the_trainer_bit_identical(kind: str, stage: str) -> None:
    trainer = TRAINERS[kind]()
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)

    STAGES[stage](pipeline)

    assert everything(trainer) == before


@pytest.mark.some(2)
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_leaves_a_trainer_that_was_already_trained_bit_identical(stage: str) -> None:
    """Optimizer and schedule exist then, with moments and counters that must not move."""
    trainer = tiny.classifier(args=tiny.arguments(max_steps=3))
    trainer.train()
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)

    STAGES[stage](pipeline)

    assert everything(trainer) == before


@pytest.mark.some(1)
@pytest.mark.parametrize("stage", STAGES)
def test_training_after_a_stage_is_the_training_without_it(stage: str) -> None:
    def losses(disturb: bool) -> list[float]:
        torch.manual_seed(0)
        trainer = tiny.classifier(args=tiny.arguments(max_steps=5, logging_steps=1))
        if disturb:
            STAGES[stage](TrainerPipeline(trainer))
        trainer.train()
        return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]

    assert losses(disturb=True) == losses(disturb=False)


def test_a_stage_that_fails_leaves_the_trainer_bit_identical() -> None:
    trainer = tiny.classifier(model=tiny.bert(num_labels=2))
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)

    seen = pipeline.step()

    assert seen.failure is not None
    assert seen.failure.says("out of bounds")
    assert everything(trainer) == before
