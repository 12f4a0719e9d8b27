"""Which weights came out of a checkpoint. A config that names one has loaded nothing yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer

from debugger.failure import on_behalf, own_line
from debugger.pipelines.drawn import Unfitting
from debugger.pipelines.spelled import MOST_TEXTS

SAMPLED = 64
"""Numbers of a weight that are remembered to know it by."""
BEGINNING, TELLING, ROWS_NOTED, MOST_NOTED = 12, 3, 8, 64
"""Tokens of a row, the fewest that tell it, rows of a line, and lines that are remembered."""


@dataclass(frozen=True)
class Imprint:
    """What a weight was when it came out of a file. `scale`: it is that of a norm, and trained."""

    shape: tuple[int, ...]
    sample: torch.Tensor
    scale: bool

    def is_of(self, weight: torch.Tensor) -> bool:
        """Whether it is still that weight: bringing it to 16 bits changes it by very little."""
        now = _sampled(weight)
        size = float(self.sample.abs().max())
        return bool(((now - self.sample).abs() <= 0.02 * size + 1e-6).all())

    def unlike(self, weight: torch.Tensor) -> bool:
        """Whether it has nothing to do with what it was. Merged or pruned, it still would."""
        now, was = (one - one.mean() for one in (_sampled(weight), self.sample))
        sizes = float(now.norm() * was.norm())
        return not sizes or abs(float(now @ was)) < 0.5 * sizes

    def learned(self, weight: torch.Tensor) -> bool:
        """Whether it is the scale of a norm still: fresh ones are all 1, and drawn ones about 0."""
        mean = abs(float(self.sample.mean()))
        return self.scale and _is_uneven(weight) and abs(float(_sampled(weight).mean())) > mean / 10


_made_new: WeakKeyDictionary[torch.nn.Module, frozenset[str]] = WeakKeyDictionary()
"""Of each model that `from_pretrained` made while it was watched: the weights not in the file."""


_unfitting: WeakKeyDictionary[torch.nn.Module, Unfitting] = WeakKeyDictionary()
"""Of each such model: how much of the file had another shape than the model wants, if any did."""


_loaded: WeakKeyDictionary[torch.nn.Module, dict[str, Imprint]] = WeakKeyDictionary()
"""Of each such model: what the weights looked like that the file did hold."""


@dataclass
class Tokenized:
    """A tokenizer that a line called, the first texts, and how the rows begin that came of them."""

    tokenizer: Any
    line: int | None
    begins: list[tuple[int, ...]]
    texts: list[str]

    def made(self, rows: set[tuple[int, ...]]) -> bool:
        """Whether any of the rows begins so; they may have lost their filling."""
        long = [row for row in rows if len(row) >= TELLING]
        return any(one[: len(row)] == row for row in long for one in self.begins)


_tokenized: WeakKeyDictionary[Any, tuple[Tokenized, ...]] = WeakKeyDictionary()
"""Of each Trainer: the tokenizers that made tokens before it was built, by line."""


@contextmanager
def tokenizing_watched() -> Iterator[Callable[[Any], None]]:
    """While open, tokenizers are seen at work; what is given is to be called with each Trainer."""
    used: list[Tokenized] = []
    before = PreTrainedTokenizerBase.__call__

    @wraps(before)
    def noted(self: Any, *given: Any, **named: Any) -> Any:
        line = own_line()
        known = next((one for one in used if one.tokenizer is self and one.line == line), None)
        if known is None and len(used) < MOST_NOTED:
            known = Tokenized(self, line, [], [])
            used.append(known)
        made = on_behalf(before, self, *given, **named)
        if known is not None and len(known.texts) < MOST_TEXTS:
            known.texts += texts_in(given[0] if given else named.get("text"))[:MOST_TEXTS]
        if known is not None and len(known.begins) < ROWS_NOTED:
            known.begins += beginnings(made)[:ROWS_NOTED]
        return made

    def note(trainer: Any) -> None:
        _tokenized[trainer] = tuple(used)

    setattr(PreTrainedTokenizerBase, "__call__", noted)  # noqa: B010
    try:
        yield note
    finally:
        setattr(PreTrainedTokenizerBase, "__call__", before)  # noqa: B010


def the_one_used(trainer: Any, rows: Callable[[], Any]) -> PreTrainedTokenizerBase | None:
    """The tokenizer that a script made its tokens with; of several, the one that made `rows`."""
    used = _tokenized.get(trainer, ())
    if len({id(one.tokenizer) for one in used}) < 2:
        return used[0].tokenizer if used else None
    begun = set(beginnings({"input_ids": rows()}))
    known = [one.tokenizer for one in used if one.made(begun)]
    return known[0] if len({id(one) for one in known}) == 1 else None


def tokenized_at(trainer: Any, rows: Callable[[], Any] | None = None) -> int | None:
    """The first line that made tokens, or that made just these."""
    used = _tokenized.get(trainer, ())
    begun = set(beginnings({"input_ids": rows()})) if rows is not None and used else None
    return next((one.line for one in used if begun is None or one.made(begun)), None)


def numbered_by_other(
    trainer: Any, rows: Callable[[], Any], others: Callable[[], Any]
) -> tuple[int | None, int, int] | None:
    """Where other rows were made by a tokenizer that numbers otherwise than the one of `rows`: so
    many tokens that both know have another number, of so many."""
    used = _tokenized.get(trainer, ())
    if len({id(one.tokenizer) for one in used}) < 2:
        return None
    here, there = (set(beginnings({"input_ids": read()})) for read in (rows, others))
    first = [one for one in used if one.made(here)]
    second = [one for one in used if one.made(there)]
    own = {id(one.tokenizer) for one in first}
    if not first or not second or any(id(one.tokenizer) in own for one in second):
        return None
    known, other = first[0].tokenizer.get_vocab(), second[0].tokenizer.get_vocab()
    both = known.keys() & other.keys()
    moved = sum(known[token] != other[token] for token in both)
    return (second[0].line, moved, len(both)) if moved else None


def tokenized_texts(trainer: Any) -> list[str]:
    """The first texts that tokens were made of, as the tokenizer was handed them."""
    return [text for one in _tokenized.get(trainer, ())[:1] for text in one.texts]


def tokenized_by_line(trainer: Any) -> dict[int | None, tuple[list[str], Any]]:
    """The first texts that each line made tokens of, and its tokenizer."""
    return {one.line: (one.texts, one.tokenizer) for one in _tokenized.get(trainer, ())}


def begun_late(trainer: Any, targets: Sequence[Any]) -> tuple[str, int] | None:
    """A token that answers have lost in front, and of how many noted ones: it was one of a text."""
    rows = [row for row in targets if isinstance(row, list | tuple)]
    begun = {tuple(row[: BEGINNING - 1]) for row in rows}
    for one in _tokenized.get(trainer, ()):
        special = set(getattr(one.tokenizer, "all_special_ids", ()))
        noted = [b for b in one.begins if len(b) >= TELLING and b[0] not in special]
        late = [b for b in noted if b[1:] in begun]
        whole = sum(b[: BEGINNING - 1] in begun for b in noted)  # one may be the end of another
        if len(late) >= TELLING and len(late) == len(noted) > 2 * whole:
            return one.tokenizer.decode(late[0][:1]), len(late)
    return None


def beginnings(made: Any) -> list[tuple[int, ...]]:
    """How each row of tokens begins, where they are whole numbers."""
    rows: Any = made.get("input_ids") if hasattr(made, "get") else None
    rows = rows.tolist() if hasattr(rows, "tolist") else rows
    if not isinstance(rows, list) or not rows:
        return []
    begun = [one[:BEGINNING] for one in (rows if isinstance(rows[0], list) else [rows]) if one]
    return [tuple(one) for one in begun if all(type(token) is int for token in one)]


def texts_in(given: Any) -> list[str]:
    """Texts of which each is one, and lists of words as one of them, too."""
    rows = given if isinstance(given, list | tuple) else [given]
    words = (row if isinstance(row, list | tuple) else [row] for row in rows)
    return [" ".join(row) for row in words if all(isinstance(one, str) for one in row)]


@contextmanager
def loading_watched() -> Iterator[None]:
    before = PreTrainedModel.__dict__["from_pretrained"]

    @wraps(before.__func__)
    def noted(cls: Any, *args: Any, **given: Any) -> Any:
        named = {**given, "output_loading_info": True}
        model, told = on_behalf(before.__func__, cls, *args, **named)
        wrong = [key if isinstance(key, str) else key[0] for key in told["mismatched_keys"]]
        _made_new[model] = frozenset([*told["missing_keys"], *wrong])
        _loaded[model] = _imprints(model, _made_new[model])
        known = len(wrong) + len(_loaded[model])
        shape = tuple(dict(model.named_parameters())[wrong[0]].shape) if wrong else ()
        _unfitting[model] = Unfitting(wrong[0] if wrong else "", len(wrong), known, shape)
        return (model, told) if given.get("output_loading_info") else model

    setattr(PreTrainedModel, "from_pretrained", classmethod(noted))  # noqa: B010
    try:
        yield
    finally:
        setattr(PreTrainedModel, "from_pretrained", before)  # noqa: B010


def loaded_into(module: torch.nn.Module) -> dict[str, Imprint]:
    """By name, what the weights of this very module were when `from_pretrained` had made it."""
    return _loaded.get(module, {})


def unfitting_in(trainer: Trainer) -> Unfitting | None:
    """What of a checkpoint had another shape, of the part of the model where most had."""
    model: Any = trainer.model
    found = [_unfitting[module] for module in model.modules() if module in _unfitting]
    return max(found, key=lambda one: one.tensors / max(1, one.known), default=None)


def was_loaded(model: Any) -> bool:
    """Whether weights of it, or of a part of it, were seen coming out of a checkpoint."""
    return any(module in _made_new for module in model.modules())


def is_pretrained(model: torch.nn.Module) -> bool:
    """Whether weights of it were loaded, or trained: it was seen, or shows in the weights.

    In a fresh model of the library's biases are all 0 and the scales of norms all 1, and a step
    changes that; torch draws biases, and so do classes of one's own that it fills.
    """
    if was_loaded(model):
        return True
    known = {w for one in filter(_of_library, model.modules()) for w in one.parameters()}
    vectors = [weight for weight in known if weight.dim() == 1 and weight.numel() > 1]
    return sum(map(_is_uneven, vectors)) > len(vectors) // 2


def frozen_as_drawn(model: torch.nn.Module) -> tuple[str, int]:
    """The largest part of a model that is frozen as it was drawn, and the weights of all of them.

    The library begins all biases at 0 and all scales of norms at 1, and any training changes them.
    """
    counts: dict[str, int] = {}
    for name, part in model.named_children():
        weights = list(part.parameters())
        vectors = [weight for weight in weights if weight.dim() == 1 and weight.numel() > 1]
        if not vectors or any(weight.requires_grad for weight in weights):
            continue
        whole = part if isinstance(part, PreTrainedModel) else model
        drawn = isinstance(whole, PreTrainedModel) and not is_pretrained(whole)
        if drawn and not any(map(_is_uneven, vectors)):
            counts[name] = sum(weight.numel() for weight in weights)
    return max(counts, key=counts.__getitem__, default=""), sum(counts.values())


def is_new(model: torch.nn.Module, names: tuple[str, ...]) -> bool | None:
    """Whether these weights are fresh ones. None: nobody saw the model being loaded."""
    seen = [(path, module) for path, module in model.named_modules() if module in _made_new]
    if not seen:
        return None
    made = {f"{path}.{key}".strip(".") for path, module in seen for key in _made_new[module]}
    loaded = tuple(f"{path}." if path else "" for path, _ in seen)
    plain = [_unwrapped(name) for name in names]
    return any(name in made or not name.startswith(loaded) for name in plain)


def _unwrapped(name: str) -> str:
    """Its name before an adapter was put around it."""
    parts = name.split(".")
    for wrapper in ("modules_to_save", "original_module", "base_layer"):
        if wrapper in parts:
            at = parts.index(wrapper)
            del parts[at : at + (2 if wrapper == "modules_to_save" else 1)]
    return ".".join(parts)


@torch.no_grad()
def _imprints(model: torch.nn.Module, new: frozenset[str]) -> dict[str, Imprint]:
    return {
        name: Imprint(tuple(w.shape), _sampled(w), _is_scale(w))
        for name, w in model.named_parameters()
        if name not in new and w.is_floating_point() and w.numel() and not w.is_meta
    }


def _sampled(weight: torch.Tensor) -> torch.Tensor:
    """A few of its numbers, evenly from all."""
    flat = weight.detach().reshape(-1)
    places = torch.arange(min(SAMPLED, len(flat)), device=flat.device) * len(flat)
    return flat[places // min(SAMPLED, len(flat))].float().cpu().clone()


def _of_library(module: torch.nn.Module) -> bool:
    home = type(module).__module__
    return isinstance(module, PreTrainedModel) and home.startswith("transformers.")


def _is_scale(weight: torch.Tensor) -> bool:
    if weight.dim() != 1 or weight.numel() < 2 or not _is_uneven(weight):
        return False
    return bool(weight.float().mean().abs() > 3 * weight.float().std())


def _is_uneven(weight: torch.Tensor) -> bool:
    low, high = torch.aminmax(weight.detach())
    return bool(low < high)
