"""What a loss is found to ask for, by its own number: which token, and how far from the output."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from transformers import Trainer

from debugger.frameworks.pytorch.batches import logits_of, with_loss
from debugger.frameworks.pytorch.parts import is_of_library
from debugger.pipelines.targets import IGNORED

CLOSE = 1e-3
SAME = 2e-5
FAR = 5.0
DEAD = 0.2
NEXT, FEWEST_READ = 0.95, 2
_ENDINGS = {
    "SigmoidBackward0": ("sigmoid", 0.0, 1.0),
    "TanhBackward0": ("tanh", -1.0, 1.0),
    "SoftmaxBackward0": ("softmax", 0.0, 1.0),
    "ReluBackward0": ("relu", 0.0, math.inf),
}
_SHAPING = ("Squeeze", "Unsqueeze", "View", "Reshape", "Select", "Slice", "ToCopy", "Alias")


def asked(
    trainer: Trainer, batch: dict[str, Any], labels: Any, logits: Any, loss: Any
) -> dict[str, Any]:
    """Of a batch that went through: what its loss compares with what."""
    config = getattr(trainer.model, "config", None)
    if loss is None or logits is None or labels is None:
        return {}
    if getattr(config, "is_encoder_decoder", False):
        return {}
    whole = batch
    batch = {name: value for name, value in batch.items() if value is not labels}
    labels = labels.to(logits.device)
    if labels.dim() == 2 and logits.dim() == 3 and not labels.is_floating_point():
        ids = _read_tokens(batch, labels)
        asks = _asks(logits, labels, batch.get("input_ids"), float(loss))
        return {"asks": asks, "sees_ahead": _sees_ahead(trainer, whole, labels, ids, asks)}
    if labels.is_floating_point() and logits.numel() == labels.numel():
        return _amounts(trainer, batch, logits, labels, float(loss))
    model: Any = trainer.model
    if not is_of_library(model) and bool((logits == logits.min()).float().mean() > DEAD):
        return {"flattened": _flattened(trainer, batch, logits)}
    return {}


def _read_tokens(batch: dict[str, Any], labels: torch.Tensor) -> tuple[str, torch.Tensor] | None:
    """What the model reads, by its name, of what has a label for each token."""
    whole = {
        name: one
        for name, one in batch.items()
        if isinstance(one, torch.Tensor) and one.shape == labels.shape
        if not one.is_floating_point() and "mask" not in name and "type" not in name
    }
    name = "input_ids" if "input_ids" in whole else next(iter(whole), None)
    return None if name is None else (name, whole[name])


def _sees_ahead(
    trainer: Any, batch: dict[str, Any], labels: torch.Tensor, read: Any, asks: int | None
) -> float | None:
    """The same up to the middle of each row, and behind it what stands in the next row there."""
    if read is None:
        return None
    name, ids = read
    rows, length = labels.shape
    middle, here = length // 2, (labels != IGNORED)[:, :-1]
    given = ids.to(labels.device)
    moved = bool(here.any()) and _share(given[:, 1:] == labels[:, :-1], here) >= NEXT
    if not (moved or asks == 1) or rows < FEWEST_READ or middle < 1:
        return None
    other = given.clone()
    other[:, middle + 1 :] = given.roll(1, 0)[:, middle + 1 :]
    answers = []
    for tokens in (given, given, other):
        try:
            made = logits_of(with_loss(trainer, {**batch, name: tokens})[1])
        except Exception:  # a model that wants more of its rows: nothing is told of it then
            return None
        if made is None or made.dim() != 3 or made.shape[:2] != labels.shape:
            return None
        answers.append(made[:, : middle + 1])
    plain, again, ahead = answers
    spread = float(plain.flatten(0, 1).std(0).mean())
    if not spread > 0 or not torch.equal(plain, again):
        return None
    return float((ahead - plain).abs().mean()) / spread


def _flattened(trainer: Trainer, batch: dict[str, Any], logits: torch.Tensor) -> float | None:
    """The share of outputs that a ReLU at the very end makes 0."""
    model: Any = trainer.model
    inputs: Any = trainer._prepare_inputs(dict(batch))
    try:
        with torch.enable_grad():
            ending = _ending(model(**inputs)["logits"].grad_fn)
    except Exception:  # see _slopes
        return None
    is_relu = ending is not None and ending[0] == "relu"
    return float((logits <= 0).float().mean()) if is_relu else None


def _asks(logits: torch.Tensor, labels: torch.Tensor, ids: Any, loss: float) -> int | None:
    """0 is the token itself, 1 the next one. Both the labels and the loss can move it by one."""
    if ids is None or ids.shape != labels.shape or logits.shape[:2] != labels.shape:
        return None
    ids = ids.to(labels.device)
    if labels.max() >= logits.shape[-1]:
        return None
    here = labels != IGNORED
    in_loss = [moved for moved in (0, 1) if _is_cost(loss, logits, labels, here, moved)]
    after = here[:, :-1]
    if len(in_loss) != 1 or not after.any():
        return None
    if _share(ids == labels, here) >= 0.95:
        return in_loss[0]
    if _share(ids[:, 1:] == labels[:, :-1], after) >= 0.95:
        return in_loss[0] + 1
    return None


def _is_cost(
    loss: float, logits: torch.Tensor, labels: torch.Tensor, here: torch.Tensor, moved: int
) -> bool:
    """The library divides by all labels of a batch, the first ones too that it has moved away."""
    mean = _entropy(logits[:, : logits.shape[1] - moved], labels[:, moved:])
    asked = float(here[:, moved:].sum()) / max(1.0, float(here.sum()))
    return _near(loss, mean, SAME) or _near(loss, mean * asked, SAME)


def _amounts(
    trainer: Trainer, batch: dict[str, Any], logits: torch.Tensor, labels: torch.Tensor, loss: float
) -> dict[str, Any]:
    """Only a loss that is known to compare the two as they stand says anything of their scale."""
    given, wanted = logits.flatten(), labels.flatten().float()
    compared: tuple[Callable[..., torch.Tensor], ...] = (
        functional.mse_loss,
        functional.l1_loss,
        functional.smooth_l1_loss,
    )
    if not bool(torch.isfinite(wanted).all()):
        return {}
    if not any(_near(loss, float(compare(given, wanted)), CLOSE) for compare in compared):
        return {}
    distance = float((wanted.mean() - given.mean()).abs())
    if distance < FAR and float(wanted.min()) >= 0 and float(wanted.max()) <= 1:
        return {"distance": distance}
    return {"distance": distance, **_slopes(trainer, batch)}


def _slopes(trainer: Trainer, batch: dict[str, Any]) -> dict[str, Any]:
    """What the output ends in, and how far all weights together move it at this learning rate.

    Adam and its kin move a weight by about the learning rate a step. Where that is far, weights of
    one layer and the next take the output further than each by itself.
    """
    if not batch:
        return {}  # what a model answers is also all that it is asked about
    model: Any = trainer.model
    inputs: Any = trainer._prepare_inputs(dict(batch))
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    try:
        with torch.enable_grad():
            outputs = model(**inputs)
            raw = outputs["logits"]
            ending = _ending(raw.grad_fn)
            slopes = torch.autograd.grad(
                raw.float().mean(), list(weights.values()), allow_unused=True
            )
    except Exception:  # a model that wants its labels, or freezes all: nothing is told of it then
        return {}
    told: dict[str, Any] = {} if ending is None else {"bounds": ending}
    steps = _planned(trainer)
    open_ended = ending is None or math.isinf(ending[2])
    if open_ended and steps is not None and "adam" in str(trainer.args.optim).lower():
        way = trainer.args.learning_rate * steps
        alone = way * sum(float(one.abs().sum()) for one in slopes if one is not None)
        uphill = {
            name: way * slope.sign()
            for name, slope in zip(weights, slopes, strict=True)
            if slope is not None
        }
        told["reach"] = max(alone, _together(model, inputs, uphill, raw))
    return told


@torch.no_grad()
def _together(model: Any, inputs: Any, uphill: dict[str, torch.Tensor], raw: torch.Tensor) -> float:
    """How far the output goes where every weight goes its whole way; 0 where nobody can tell."""
    there = {name: model.get_parameter(name) + by for name, by in uphill.items()}
    try:
        moved = torch.func.functional_call(model, there, kwargs=inputs)["logits"]
    except Exception:  # what stands in for its weights is none to it
        return 0.0
    far = float((moved.float().mean() - raw.float().mean()).abs())
    return far if math.isfinite(far) else math.inf


def _ending(made_by: Any) -> tuple[str, float, float] | None:
    """The function that an output comes out of, behind what only shapes it."""
    while made_by is not None:
        name = made_by.name()
        if name in _ENDINGS:
            return _ENDINGS[name]
        if not name.startswith(_SHAPING) or not made_by.next_functions:
            return None
        made_by = made_by.next_functions[0][0]
    return None


def _planned(trainer: Trainer) -> int | None:
    args, rows = trainer.args, trainer.train_dataset
    if args.max_steps > 0:
        return args.max_steps
    if not hasattr(rows, "__len__"):
        return None
    at_once = args.per_device_train_batch_size * args.gradient_accumulation_steps
    return math.ceil(len(rows) / at_once * args.num_train_epochs)  # type: ignore[arg-type]


def _entropy(logits: torch.Tensor, labels: torch.Tensor) -> float:
    flat = logits.reshape(-1, logits.shape[-1])
    return float(functional.cross_entropy(flat, labels.reshape(-1), ignore_index=IGNORED))


def _near(loss: float, other: float, within: float) -> bool:
    return abs(loss - other) <= within * max(abs(loss), 1e-6)


def _share(equal: torch.Tensor, counted: torch.Tensor) -> float:
    return float(equal[counted].float().mean()) if counted.any() else 0.0
