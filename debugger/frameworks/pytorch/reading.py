"""What a model of one's own reads: its text, and not the filling, and no other row's.

The library's models are not asked: they follow the mask that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import fields_of, labels_of, logits_of
from debugger.frameworks.pytorch.parts import is_of_library
from debugger.pipelines.forward import Reads

MOST_TOKENS = 16_384
FEWEST_ROWS = 4
_ATTENDING = (
    *(torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoder),
    *(torch.nn.TransformerDecoderLayer, torch.nn.MultiheadAttention),
)
_LEAVE_OUT = ("src_key_padding_mask", "key_padding_mask", "tgt_key_padding_mask")
Answer = Callable[[dict[str, Any]], torch.Tensor]


def read_by(trainer: Trainer, batch: Any) -> dict[str, Any]:
    """What a Forward tells of it. The model is in eval mode."""
    model: Any = trainer.model
    if is_of_library(model) or not isinstance(batch, Mapping):
        return {}
    labels = labels_of(trainer, batch)
    given = {name: value for name, value in fields_of(batch).items() if value is not labels}

    def answer(changed: dict[str, Any]) -> torch.Tensor:
        inputs: Any = trainer._prepare_inputs({**given, **changed})
        with torch.no_grad():
            found = logits_of(model(**inputs))
        if found is None or not found.dim():
            raise ValueError("no scores")
        return found if found.dim() > 1 else found[:, None]

    try:
        with _masks_heard(model) as heard:
            answer({})
        told = {"hides": _hides(given.get("attention_mask"), heard)}
        return told | {"reads": _reads(given, answer), "mingled": _mingled(given, answer)}
    except Exception:  # a model that wants its labels, or more: nothing is told of it then
        return {}


@contextmanager
def _masks_heard(model: torch.nn.Module) -> Iterator[list[torch.Tensor]]:
    """What layers of torch are told to leave out: there True means that nothing is to be seen."""
    heard: list[torch.Tensor] = []

    def note(_module: Any, _given: Any, named: dict[str, Any]) -> None:
        heard.extend(one for n in _LEAVE_OUT if isinstance(one := named.get(n), torch.Tensor))

    hooks = [
        module.register_forward_pre_hook(note, with_kwargs=True)
        for module in model.modules()
        if isinstance(module, _ATTENDING)
    ]
    try:
        yield heard
    finally:
        for hook in hooks:
            hook.remove()


def _hides(mask: Any, heard: list[torch.Tensor]) -> int | None:
    """How many real tokens a layer is told to leave out, where it is told nothing else."""
    for told in heard:
        if isinstance(mask, torch.Tensor) and told.dtype == torch.bool and told.shape == mask.shape:
            real = (mask != 0).to(told.device)
            return int(real.sum()) if torch.equal(told, real) and not bool(real.all()) else 0
    return None


def _reads(given: dict[str, Any], answer: Answer) -> Reads | None:
    """Other words are those of the same batch, dealt out anew."""
    ids, mask = given.get("input_ids"), given.get("attention_mask")
    if not isinstance(ids, torch.Tensor) or not isinstance(mask, torch.Tensor):
        return None
    if ids.dim() != 2 or ids.shape != mask.shape or not 0 < ids.numel() <= MOST_TOKENS:
        return None
    shown = mask != 0
    filled = ~shown.all(1)
    if filled.sum() < 2 or not shown.any():
        return None
    words, chance = ids[shown], torch.Generator().manual_seed(0)
    dealt = words[torch.randint(len(words), (ids.numel(),), generator=chance)].view(ids.shape)
    changed = [ids, torch.where(shown, dealt, ids), torch.where(shown, ids, dealt)]
    found = [answer({"input_ids": one}) for one in changed]
    if found[0].shape[:2] == mask.shape and found[0].dim() > mask.dim():
        found = [one * shown[..., None].to(one.device) for one in found]  # what is said of words
    plain, text, filling = (one[filled].flatten(1) for one in found)
    spread = float(torch.cat([plain, text, filling]).std(0).mean())
    if not spread > 0:
        return None
    moved = [float((one - plain).abs().mean()) / spread for one in (text, filling)]
    return Reads(text=moved[0], filling=moved[1], rows=int(filled.sum()))


def _mingled(given: dict[str, Any], answer: Answer) -> float | None:
    """How far the answer to the first row, or to the last, moves when all others are other rows.

    What goes through rows as through time goes through them one way.
    """
    tensors = {n: one for n, one in given.items() if isinstance(one, torch.Tensor) and one.dim()}
    rows = {len(one) for one in tensors.values()}
    count = rows.pop() if len(rows) == 1 else 0
    if count < FEWEST_ROWS:
        return None
    plain, again = answer({}), answer({})
    ends = (0, [0] + [count - 1] * (count - 1)), (count - 1, [0] * (count - 1) + [count - 1])
    beside = [
        answer({name: one[torch.tensor(places)] for name, one in tensors.items()})[end]
        for end, places in ends
    ]
    compares_rows = plain.shape[1:] == (count,)  # as a contrastive loss wants it
    if len(plain) != count or compares_rows or bool((plain != again).any()):
        return None
    spread = float(plain.flatten(1).std(0).mean())
    moved = [
        (there - plain[end]).abs().mean() for (end, _), there in zip(ends, beside, strict=True)
    ]
    return float(max(moved)) / spread if spread > 0 else None
