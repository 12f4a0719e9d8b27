"""One batch through the model: what comes out, what each example costs, where nan begins."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import torch
from transformers import Trainer

from debugger.failure import Failure, failure_of_script, on_behalf
from debugger.frameworks.pytorch import targets
from debugger.frameworks.pytorch.batches import (
    fields_of,
    first_batch,
    items_in,
    labels_of,
    logits_of,
    refuses_items,
    with_loss,
)
from debugger.frameworks.pytorch.facts import broken_weights
from debugger.frameworks.pytorch.heard import heard_within
from debugger.frameworks.pytorch.listed import listed
from debugger.frameworks.pytorch.losses import asked, is_own
from debugger.frameworks.pytorch.reading import read_by
from debugger.frameworks.pytorch.tables import outside
from debugger.pipelines.columns import first_gap
from debugger.pipelines.facts import Facts
from debugger.pipelines.forward import Forward
from debugger.pipelines.losses import Asked
from debugger.pipelines.rows import label_range


def forward(trainer: Trainer, facts: Facts, all_labels: tuple[Any, ...]) -> Forward:
    """In eval mode, as a fresh model from `from_pretrained` is, and without gradients."""
    try:
        batch = on_behalf(first_batch, trainer)
    except Exception as error:
        return Forward((), "", failure=failure_of_script(error))
    model: Any = trainer.model
    model.eval()
    labels = labels_of(trainer, batch)
    known: dict[str, Any] = {
        "labels": tuple(labels.tolist()) if labels is not None and labels.dim() == 1 else (),
        "label_type": "" if labels is None else str(labels.dtype).removeprefix("torch."),
        "problem_type": getattr(getattr(model, "config", None), "problem_type", None),
        "label_smoothing": trainer.args.label_smoothing_factor,
        "own_loss": own_loss(trainer),
        "refuses_items": _refuses_items(trainer),
        "label_range": label_range(all_labels, _in_batch(labels)),
        "labels_shape": () if labels is None else tuple(labels.shape),
        "channels": getattr(getattr(model, "config", None), "num_channels", None),
        "listed": listed(model),
        "decoder_lacks": _decoder_lacks(getattr(model, "config", None)),
        "batch_device": "" if labels is None else str(labels.device),
        "fields": tuple(fields_of(batch)),
        **_sizes(model, fields_of(batch).get(facts.main_input)),
    }
    known["returns_nothing"] = _returns_nothing(trainer, batch)
    with heard_within() as heard:
        loss, outputs, failure = _with_loss(trainer, batch)
    known["squashed"] = heard.squashed[0] if heard.squashed else None
    known["shared"] = heard.shared[0] if heard.shared else None
    known["swapped"] = next((one for one in heard.swapped if one.line is not None), None)
    known["thinned"] = next(iter(heard.thinned), None)
    known["turned_round"] = (heard.turned[0],) if heard.turned else None
    if failure is not None and (failure.device_lost or failure.out_of_memory):
        return Forward(**known, failure=failure)
    if isinstance(outputs, torch.Tensor) and not known["own_loss"]:
        return Forward(**known, logits_shape=tuple(outputs.shape), bare=True, failure=failure)
    if outputs is None:
        outputs = _without_labels(trainer, batch)
    logits = logits_of(outputs)
    finite = logits is not None and bool(torch.isfinite(logits).all())
    bad_loss = loss is not None and not bool(torch.isfinite(loss).all())
    return Forward(
        **known,
        loss=None if loss is None else float(loss.mean()),
        loss_shape=() if loss is None else tuple(loss.shape),
        asked=None if loss is None or bad_loss else _asked(trainer, model, batch, all_labels),
        losses=_loss_of_each(logits, labels, facts),
        first_logits=_first_row(logits),
        logits_shape=() if logits is None else tuple(logits.shape),
        logits_low=None if logits is None or not finite else float(logits.min()),
        logits_high=None if logits is None or not finite else float(logits.max()),
        output_keys=tuple(outputs) if isinstance(outputs, Mapping) else (),
        nan_starts_at=_nan_source(trainer, batch)
        if bad_loss or (logits is not None and not finite)
        else None,
        nan_inputs=first_gap(
            {
                name: values.detach().float().cpu().numpy()
                for name, values in fields_of(batch).items()
                if torch.is_tensor(values) and values.is_floating_point() and "label" not in name
            }
        ),
        nan_weights=broken_weights(model),
        broken_in="" if failure is None else _broken_in(trainer, batch),
        failure=failure,
        outside=outside(trainer, batch) if failure is not None else None,
        **read_by(trainer, batch),
        **targets.asked(trainer, fields_of(batch), labels, logits, loss),
    )


def _decoder_lacks(config: Any) -> tuple[str, ...]:
    """Of two models that were put together as a reader and a writer."""
    decoder = getattr(config, "decoder", None)
    if not getattr(config, "is_encoder_decoder", False) or not hasattr(decoder, "is_decoder"):
        return ()
    wanted = ("is_decoder", "add_cross_attention")
    return tuple(name for name in wanted if not getattr(decoder, name, True))


def _with_loss(trainer: Trainer, batch: Any) -> tuple[Any, Any, Failure | None]:
    """It is waited for here: what goes wrong on a GPU is told to whoever first reads a number."""
    try:
        loss, outputs = on_behalf(with_loss, trainer, batch)
        return on_behalf(_read, loss), outputs, None
    except Exception as error:
        return None, None, failure_of_script(error)


def _returns_nothing(trainer: Trainer, batch: Any) -> bool:
    """A compute_loss of one's own, asked as a training step asks: for the loss alone."""
    if type(trainer).compute_loss is Trainer.compute_loss:
        return False
    inputs: Any = trainer._prepare_inputs(dict(batch) if isinstance(batch, Mapping) else batch)
    ask: Any = trainer.compute_loss
    try:
        with torch.no_grad():
            return on_behalf(ask, trainer.model, inputs, **items_in(trainer, batch)) is None
    except Exception as error:  # told of the loss with its outputs, or of the step
        failure_of_script(error)
        return False


def _read(loss: Any) -> Any:
    return torch.as_tensor(loss).detach().float().cpu()


def _asked(trainer: Trainer, model: Any, batch: Any, all_labels: tuple[Any, ...]) -> Asked | None:
    if not is_own(trainer) or not isinstance(batch, Mapping):
        return None
    try:
        return asked(trainer, model, dict(batch), all_labels)
    except Exception:  # a loss that takes no made-up outputs is not judged by them
        return None


def _refuses_items(trainer: Trainer) -> bool:
    return type(trainer).training_step is Trainer.training_step and refuses_items(trainer)


def _without_labels(trainer: Trainer, batch: Any) -> Any:
    """When the loss fails the logits may still be fine, and they are worth seeing."""
    labels = labels_of(trainer, batch)
    inputs = {name: value for name, value in fields_of(batch).items() if value is not labels}
    model: Any = trainer.model
    try:
        with torch.no_grad():
            return model(**trainer._prepare_inputs(inputs))
    except Exception:  # the first failure is the one that is reported
        return None


def _first_row(logits: torch.Tensor | None) -> tuple[float, ...]:
    if logits is None or logits.dim() != 2 or not len(logits):
        return ()
    return tuple(logits[0].tolist())


def _loss_of_each(logits: Any, labels: Any, facts: Facts) -> tuple[float | None, ...]:
    """Cross-entropy of each example, None where its label is outside the head."""
    if facts.task != "classification" or logits is None or not _is_flat(labels):
        return ()
    if logits.dim() != 2 or logits.shape[1] < 2 or labels.is_floating_point():
        return ()
    probabilities = torch.log_softmax(logits, dim=1)
    inside = range(logits.shape[1])
    return tuple(
        -float(probabilities[row, label]) if label in inside else None
        for row, label in enumerate(labels.long().tolist())
    )


def _nan_source(trainer: Trainer, batch: Any) -> str | None:
    """The first module, in the order they run, that makes nan or infinity out of finite input."""
    found: list[str] = []

    def look(name: str) -> Any:
        def hook(_module: Any, inputs: Any, output: Any) -> None:
            tensors = [t for t in _tensors(output) if t.is_floating_point()]
            clean = all(torch.isfinite(t).all() for t in _tensors(inputs) if t.is_floating_point())
            if not found and clean and any(not torch.isfinite(t).all() for t in tensors):
                found.append(name)

        return hook

    model: Any = trainer.model
    hooks = [m.register_forward_hook(look(n)) for n, m in model.named_modules() if _is_leaf(m)]
    try:
        _with_loss(trainer, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return found[0] if found else None


def _broken_in(trainer: Trainer, batch: Any) -> str:
    """The innermost module that the batch went into, and never came out of."""
    inside: list[str] = []

    def enter(name: str) -> Any:
        return lambda *_: inside.append(name)

    def leave(*_: Any) -> None:
        inside.pop()

    model: Any = trainer.model
    hooks = [m.register_forward_pre_hook(enter(n)) for n, m in model.named_modules()]
    hooks += [m.register_forward_hook(leave) for m in model.modules()]
    try:
        _with_loss(trainer, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return inside[-1] if inside else ""


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    return [t for item in value for t in _tensors(item)] if isinstance(value, (tuple, list)) else []


def _is_leaf(module: torch.nn.Module) -> bool:
    return next(module.children(), None) is None


def _is_flat(labels: Any) -> bool:
    return isinstance(labels, torch.Tensor) and labels.dim() == 1


def own_loss(trainer: Trainer) -> bool:
    """Whether the loss is somebody's own: a subclass, or a function given as compute_loss_func."""
    own_method = type(trainer).compute_loss is not Trainer.compute_loss
    return own_method or getattr(trainer, "compute_loss_func", None) is not None


def _in_batch(labels: Any) -> list[Any]:
    return labels.flatten().tolist() if isinstance(labels, torch.Tensor) else []


def _sizes(model: Any, inputs: Any) -> dict[str, Any]:
    if not isinstance(inputs, torch.Tensor) or not inputs.numel():
        return {}
    if inputs.is_floating_point():
        return {"inputs_shape": tuple(inputs.shape)}
    embedding = None
    with suppress(AttributeError, NotImplementedError):  # a model of one's own may have none
        embedding = model.get_input_embeddings()
    return {
        "highest_id": int(inputs.max()),
        "vocabulary": getattr(embedding, "num_embeddings", None),
        "inputs_shape": tuple(inputs.shape),
        "length": inputs.shape[-1],
    }
