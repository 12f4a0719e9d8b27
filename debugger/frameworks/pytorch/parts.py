"""The parts of a model: its blocks, its body, its head, and an adapter put around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import torch
from transformers import PreTrainedModel

from debugger.frameworks.pytorch.loading import is_new
from debugger.pipelines.models import is_task_model

_ADAPTER = re.compile(r"lora|adapter|(^|\.)(ia3|hada|lokr|boft|oft|vera|prompt_encoder)", re.I)


def blocks_of(model: torch.nn.Module) -> dict[str, list[str]]:
    """Weights by the part of the model they belong to: embeddings, layer 0 ..., head."""
    blocks: dict[str, list[str]] = {}
    for name, short in short_names(model).items():
        blocks.setdefault(_block(short), []).append(name)
    return blocks


def short_names(model: torch.nn.Module) -> dict[str, str]:
    """The name of each weight without what stands around the model, and without its body's name."""
    around = [f"{path}." for path, _ in _library_models(model) if path]
    prefixes = [*bodies_of(model), *around]
    names = [name for name, _ in model.named_parameters()]
    return {
        name: name.removeprefix(next((p for p in prefixes if name.startswith(p)), ""))
        for name in names
    }


def bodies_of(model: torch.nn.Module) -> tuple[str, ...]:
    """How the names of the weights begin that are no head; empty where body and head are one.

    A model of transformers may stand inside somebody else's: an adapter, or a module of one's own.
    """
    path, core = next(_library_models(model), ("", None))
    if core is None:
        return ()
    if core.base_model_prefix and core.base_model_prefix in core._modules:
        return (f"{path}.{core.base_model_prefix}.".lstrip("."),)
    if path and not is_task_model(core):
        return (f"{path}.",)
    if is_of_library(model):
        return ()
    return tuple(f"{path}." for path, _ in _library_models(model) if path)


def head_of(model: torch.nn.Module) -> tuple[str, ...]:
    """The weights outside the pretrained body; none when the model has no such body."""
    bodies = bodies_of(model)
    return tuple(
        name
        for name, _ in model.named_parameters()
        if bodies and not name.startswith(bodies) and not is_adapter(name)
        if ".original_module." not in name  # what an adapter keeps of a head that it replaced
    )


def head_is_left_new(model: torch.nn.Module, head: tuple[str, ...]) -> bool:
    """Whether nothing of the head may change, and its weights are those that chance gave it.

    Where nobody saw the model being loaded, a bias that is 0 throughout tells a fresh one.
    """
    weights = dict(model.named_parameters())
    if not head or any(weights[name].requires_grad for name in head):
        return False
    new = is_new(model, head)
    if new is not None:
        return new
    biases = [weights[name] for name in head if name.endswith("bias")]
    return bool(biases) and not any(bool(bias.detach().any()) for bias in biases)


def is_adapter(name: str) -> bool:
    """Whether a weight is one that an adapter put beside those of the model."""
    return _ADAPTER.search(name) is not None


def is_of_library(model: torch.nn.Module) -> bool:
    """Whether transformers wrote the model itself, inside whatever adapter stands around it."""
    core: torch.nn.Module = next((m for _, m in _library_models(model)), model)
    around = core is model or hasattr(model, "peft_config")
    return around and type(core).__module__.startswith("transformers.")


def _library_models(model: torch.nn.Module) -> Iterator[tuple[str, PreTrainedModel]]:
    """The outermost first, and none that stands in another that stands in this one."""
    inside: tuple[str, ...] = ()
    for path, module in model.named_modules():
        if isinstance(module, PreTrainedModel) and not path.startswith(inside):
            inside += (f"{path}.",) if path else ()
            yield path, module


def _block(name: str) -> str:
    parts = name.split(".")
    for number, part in enumerate(parts[:-1]):
        if part.isdigit():
            return ".".join(parts[: number + 1])
    return parts[0]
