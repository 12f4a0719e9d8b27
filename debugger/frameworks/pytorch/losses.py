"""Asks a script's own loss what it thinks of outputs that are made up: sure, right, wrong, even.

The outputs are put in at the head, so that whatever the model or the loss makes of them is seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, cast

import torch
from transformers import Trainer

from debugger.frameworks.pytorch.batches import items_in, logits_of
from debugger.frameworks.pytorch.order import keeps_order
from debugger.pipelines.losses import SCALES, Asked, Form, counts_of, fills, number_among
from debugger.pipelines.rows import LABELS

MOST = 2_000_000
"""Numbers in the logits: above it, asking so often would take long."""
SLOW, TOO_SLOW = 0.03, 0.2
"""Seconds that one answer takes: then fewer questions are put, or none."""
FAR, BEYOND = 1e4, 10.0
"""What a head is made to say, and how far beyond the labels that is at least."""
_ROWS_TURNED = 3
_CLASSES_TRIED = 50
_TURNED = 0.5
"""How much of a pull must point elsewhere than before: other rows may change its size."""


def is_own(trainer: Any) -> bool:
    """Whether anything between the head and the loss is not the library's own."""
    model = trainer.model
    theirs = any(
        getattr(type(trainer), name) is not getattr(Trainer, name)
        for name in ("compute_loss", "training_step")
    )
    patched = "compute_loss" in vars(trainer) or "forward" in vars(model)
    func = getattr(trainer, "compute_loss_func", None) is not None
    return theirs or patched or func or not type(model).__module__.startswith("transformers.")


def asked(
    trainer: Any, model: Any, batch: dict[str, Any], all_labels: tuple[Any, ...]
) -> Asked | None:
    """`all_labels` are of the training set. None where there is nothing that can be asked."""
    name = next((n for n in (*trainer.label_names, *LABELS) if n in batch), None)
    labels = batch.get(name) if name else None
    if name is None or not isinstance(labels, torch.Tensor) or not labels.numel():
        return None
    head = _Head.found(trainer, model, batch)
    if head is None or head.logits.numel() > MOST:
        return None
    form = _form(head.logits, labels)
    if form is None:
        return None
    question = _Question(trainer, model, batch, name, head)
    with question.body_remembered():
        if not question.affordable():
            return None
        answer = {"classes": _of_classes, "many": _of_many, "amounts": _of_amounts}[form](
            question, labels
        )
        in_turn = question.in_turn()
    if answer is None or not answer.get("pulled"):
        return None
    answer.pop("pulled")
    return Asked(
        form=form,
        outputs=head.logits.shape[-1],
        logits_shape=tuple(head.logits.shape),
        labels_shape=tuple(labels.shape),
        inputs_move=question.moves_with_inputs(answer["labels_move"]),
        in_turn=in_turn,
        counts=counts_of(form, all_labels),
        counted=len(all_labels),
        **answer,
    )


def takes_beyond(trainer: Any, batch: dict[str, Any], name: str) -> bool:
    """Whether a label that is the number of no output is asked for as something of its own, as by
    a loss of thresholds, and is neither left out nor counted as one of the others."""
    labels = batch[name]
    head = _Head.found(trainer, trainer.model, batch)
    if head is None or head.logits.shape[:-1] != labels.shape:
        return True
    question, classes = _Question(trainer, trainer.model, batch, name, head), head.logits.shape[-1]
    outputs, beyond = question.some_outputs(), labels >= classes
    with question.body_remembered():
        pull = question.pull(outputs)
        if pull is None:
            return True
        own = pull[beyond]
        known = (own == 0).all(-1)
        for label in {*range(min(classes, _CLASSES_TRIED)), classes - 1}:
            found = question.pull(outputs, **{name: labels.masked_fill(beyond, label)})
            if found is not None:
                known |= torch.isclose(own, found[beyond], rtol=1e-4, atol=1e-9).all(-1)
    return not bool(known.all())


def _form(logits: torch.Tensor, labels: torch.Tensor) -> Form | None:
    if not labels.is_floating_point() and labels.shape == logits.shape[:-1]:
        return "classes" if logits.shape[-1] > 1 else None
    if labels.shape == logits.shape and logits.dim() == 2 and logits.shape[-1] > 1:
        return "many" if bool(((labels == 0) | (labels == 1)).all()) else None
    one_each = logits.numel() == len(logits) == labels.numel()
    return "amounts" if labels.is_floating_point() and one_each else None


class _Head:
    """The last module with weights that makes what becomes the logits."""

    def __init__(self, module: torch.nn.Module, raw: torch.Tensor, logits: torch.Tensor) -> None:
        self.module, self.raw, self.logits = module, raw, logits
        self.body: torch.nn.Module | None = None

    @classmethod
    def found(cls, trainer: Any, model: Any, batch: dict[str, Any]) -> _Head | None:
        made: list[tuple[torch.nn.Module, torch.Tensor]] = []
        calls: dict[torch.nn.Module, int] = {}

        def note(module: torch.nn.Module, _inputs: Any, output: Any) -> None:
            calls[module] = calls.get(module, 0) + 1
            own = next(module.parameters(recurse=False), None) is not None
            if own and next(module.children(), None) is None and isinstance(output, torch.Tensor):
                made.append((module, output))

        with _hooked([(module, note) for module in model.modules()]), torch.no_grad():
            inputs = trainer._prepare_inputs(dict(batch))
            answer = trainer.compute_loss(
                model, inputs, return_outputs=True, **items_in(trainer, batch)
            )
        logits = logits_of(answer[1])
        if logits is None or logits.dim() < 2:
            logits = None if logits is None or logits.dim() != 1 else logits[:, None]
        if logits is None:
            return None
        fitting = [
            (m, out)
            for m, out in made
            if out.numel() == logits.numel() and out.shape[-1] == logits.shape[-1]
        ]
        if not fitting or not calls[fitting[-1][0]]:
            return None
        head = cls(*fitting[-1], logits.detach().float())
        head.body = head.body_of(model, calls)
        return head

    def body_of(
        self, model: torch.nn.Module, calls: dict[torch.nn.Module, int]
    ) -> torch.nn.Module | None:
        """The largest part that runs once and does not hold the head. `calls` are in the order in
        which parts have ended: what comes behind the head, such as a loss, makes nothing for it."""
        ended = list(calls)
        before = ended[: ended.index(self.module)]
        parts = [
            part
            for part in model.children()
            if part in before
            and calls[part] == 1
            and all(self.module is not inner for inner in part.modules())
        ]
        sizes = {part: sum(w.numel() for w in part.parameters()) for part in parts}
        return max(parts, key=sizes.__getitem__, default=None)


class _Question:
    """One loss, asked again and again with other outputs, other labels or other inputs."""

    def __init__(
        self, trainer: Any, model: Any, batch: dict[str, Any], name: str, head: _Head
    ) -> None:
        self.trainer, self.model, self.batch, self.name, self.head = (
            trainer,
            model,
            batch,
            name,
            head,
        )
        self.last: torch.Tensor | None = None
        self.scales = SCALES

    def affordable(self) -> bool:
        """A teacher, or another model in the loss, runs anew with every question."""
        self.loss(self.head.logits)
        started = time.monotonic()
        self.loss(self.head.logits)
        seconds = time.monotonic() - started
        self.scales = SCALES if seconds < SLOW else SCALES[2:4] + SCALES[-2:]
        return seconds < TOO_SLOW

    @contextmanager
    def body_remembered(self) -> Iterator[None]:
        """What comes before the head is the same each time, so it runs once."""
        body = self.head.body
        if body is None or "forward" in vars(body):
            yield
            return
        forward, kept = body.forward, []

        def remembered(*args: Any, **kwargs: Any) -> Any:
            if not kept:
                kept.append(forward(*args, **kwargs))
            return kept[0]

        body.forward = remembered
        try:
            yield
        finally:
            del body.forward

    def loss(self, outputs: torch.Tensor, **changed: Any) -> float:
        with torch.no_grad():
            return float(self._loss(outputs, changed).float().mean())

    def pull(self, outputs: torch.Tensor, **changed: Any) -> torch.Tensor | None:
        """Where the loss wants each output to go: up is positive."""
        with torch.enable_grad():
            outputs = outputs.clone().requires_grad_()
            loss = self._loss(outputs, changed).float().sum()
            if not loss.requires_grad:
                return None
            found = torch.autograd.grad(loss, outputs, allow_unused=True)[0]
        return None if found is None else -found

    def _loss(self, outputs: torch.Tensor, changed: dict[str, Any]) -> torch.Tensor:
        def instead(_module: Any, _inputs: Any, output: torch.Tensor) -> torch.Tensor:
            return outputs.reshape(output.shape).to(output.dtype)

        batch = {**self.batch, **changed}
        with _hooked([(self.head.module, instead)]):
            inputs = self.trainer._prepare_inputs(dict(batch))
            loss, out = self.trainer.compute_loss(
                self.model, inputs, return_outputs=True, **items_in(self.trainer, batch)
            )
        self.last = logits_of(out)
        return loss

    def in_turn(self) -> tuple[float, float] | None:
        """What rows cost, and the same rows in the opposite order; None where lots are drawn, or
        each row has its place, as the nodes of a graph have, some of which are learned."""
        if keeps_order(self.trainer):
            return None
        outputs, rows = self.some_outputs(), len(self.head.logits)
        fields = {n: v for n, v in self.batch.items() if isinstance(v, torch.Tensor) and v.dim()}
        if len(fields) < len(self.batch) or any(len(value) != rows for value in fields.values()):
            return None
        before = torch.get_rng_state()
        straight = self.loss(outputs)
        if not torch.equal(before, torch.get_rng_state()) or self.loss(outputs) != straight:
            return None
        return straight, self.loss(outputs.flip(0), **{n: v.flip(0) for n, v in fields.items()})

    def moves(self, outputs: torch.Tensor, **changed: Any) -> bool:
        return self.loss(outputs) != self.loss(outputs, **changed)

    def some_outputs(self) -> torch.Tensor:
        """Outputs that differ from row to row, drawn without touching anybody's generator."""
        generator = torch.Generator().manual_seed(0)
        return torch.randn(self.head.logits.shape, generator=generator).to(self.head.logits)

    def labels_turned(self) -> dict[str, Any]:
        """The labels of other rows, so that as many as can be are wrong."""
        labels = self.batch[self.name]
        turned = (labels.roll(by, 0) for by in range(1, len(labels)))
        best = max(turned, key=lambda other: int((other != labels).sum()), default=labels)
        return {self.name: best}

    def moves_with_inputs(self, labels_move: bool) -> bool:
        """Only asked where labels do not count: then nothing else may tell what is right."""
        if labels_move:
            return True
        turned = {
            name: value.roll(1, 0)
            for name, value in self.batch.items()
            if name != self.name and isinstance(value, torch.Tensor) and value.dim()
        }
        return self.moves(self.some_outputs(), **turned)

    def labels_count(self, labels: torch.Tensor) -> bool:
        """True as well where all labels are alike, and nothing can be told."""
        turned = self.labels_turned()
        if bool((turned[self.name] == labels).all()):
            return True
        return self.moves(self.some_outputs(), **turned)

    def draws_elsewhere(self, labels: torch.Tensor, pull: torch.Tensor) -> bool:
        """Whether the label of one row decides which class another row is drawn to."""
        even, classes = torch.ones_like(self.head.logits), pull.shape[-1]
        flat = labels.reshape(-1)
        places = (flat >= 0).nonzero()[:, 0][:_ROWS_TURNED]
        for place in places.tolist():
            other = flat.clone()
            other[place] = (other[place] + 1) % classes
            found = self.pull(even, **{self.name: other.reshape(labels.shape)})
            if found is None:
                return False
            before, after = (one.reshape(-1, classes) for one in (pull, found))
            size = before.square().sum(-1)
            factor = (before * after).sum(-1) / size.clamp(min=1e-30)
            left = (after - factor[:, None] * before).norm(dim=-1)
            left[place] = 0.0
            if bool((left > _TURNED * size.sqrt() + 1e-9).any()):
                return True
        return False


def _of_classes(question: _Question, labels: torch.Tensor) -> dict[str, Any] | None:
    logits = question.head.logits
    classes = logits.shape[-1]
    targets, ahead = labels, {}
    if logits.dim() == 3 and _is_causal(question, labels):
        ahead = _ahead(question, labels)
        best = min(ahead, key=ahead.__getitem__)
        targets = _shifted(labels, best)
    counted = (targets >= 0) & (targets < classes)
    if not bool(counted.any()):
        return None

    def sure(scale: float, turned: int = 0) -> torch.Tensor:
        place = ((targets.clamp(min=0) + turned) % classes)[..., None]
        made = torch.zeros_like(logits).scatter_(-1, place, scale)
        return made * counted[..., None]

    even = torch.ones_like(logits)
    pull = question.pull(even)
    own = (
        None if pull is None else pull.gather(-1, targets.clamp(0, classes - 1)[..., None])[..., 0]
    )
    wanted = targets[counted]
    drawn = None if own is None else own[counted]
    return {
        "rows": int(counted.sum()),
        "even": question.loss(even),
        "right": tuple(question.loss(sure(scale)) for scale in question.scales),
        "wrong": tuple(question.loss(sure(scale, 1)) for scale in question.scales),
        "labels_move": question.labels_count(labels),
        "ahead": ahead,
        "fills": fills(labels.cpu().numpy()),
        "elsewhere": pull is not None and not ahead and question.draws_elsewhere(labels, pull),
        "pulled": pull is not None and bool(pull.any()),
        **({} if drawn is None else _drawn(drawn, wanted)),
    }


def _drawn(drawn: torch.Tensor, wanted: torch.Tensor) -> dict[str, Any]:
    present = wanted.unique().tolist() if wanted.unique().numel() <= 1000 else []
    return {
        "pulls": {int(label): float(drawn[wanted == label].mean()) for label in present},
        "against": float((drawn < 0).float().mean()),
    }


def _of_many(question: _Question, labels: torch.Tensor) -> dict[str, Any] | None:
    signs = labels.float() * 2 - 1
    even = torch.zeros_like(question.head.logits)
    pull = question.pull(even)
    weights = {}
    if pull is not None:
        for place in range(labels.shape[1]):
            yes = labels[:, place] == 1
            ups, downs = pull[yes, place], pull[~yes, place]
            if len(ups) and len(downs) and bool((ups > 0).all()) and bool((downs < 0).all()):
                weights[place] = float(ups.mean() / -downs.mean())
    return {
        "rows": len(labels),
        "even": question.loss(even),
        "right": tuple(question.loss(signs * scale) for scale in question.scales),
        "wrong": tuple(question.loss(-signs * scale) for scale in question.scales),
        "cardinality": tuple(int(row) for row in labels.sum(1).tolist()),
        "against": 0.0 if pull is None else float((pull * signs < 0).float().mean()),
        "labels_move": question.labels_count(labels),
        "pulled": pull is not None and bool(pull.any()),
        "positive_weights": weights,
    }


def _of_amounts(question: _Question, labels: torch.Tensor) -> dict[str, Any] | None:
    logits = question.head.logits
    flat = labels.reshape(-1).float()
    middle = torch.full_like(logits, float(flat.mean()))
    pulls = [question.pull(made) for made in (torch.zeros_like(logits), middle)]
    known = [pull.reshape(-1) for pull in pulls if pull is not None]
    differ = float(flat.max() - flat.min()) > 0 and len(flat) > 2
    alike = differ and len(known) == 2 and all(_all_alike(pull) for pull in known)
    if alike:  # beside all labels a mean of distances draws each output the same way, rightly
        among = _among(question, flat)
        pull = None if among is None else question.pull(among)
        alike = pull is not None and _all_alike(pull.reshape(-1))
        known += [] if pull is None else [pull.reshape(-1)]
    reach, beyond = [], max(FAR, BEYOND * float(flat.abs().max())) if len(flat) else FAR
    for far in (-beyond, beyond):
        question.loss(torch.full_like(logits, far))
        if question.last is not None:
            reach.append(question.last.detach().float().reshape(-1))
    ends = torch.cat(reach) if reach else logits.new_zeros(0)
    return {
        "rows": len(flat),
        "even": question.loss(middle),
        "labels_move": question.labels_count(labels)
        or question.moves(question.some_outputs(), **{question.name: labels + 1}),
        "pulled": any(bool(pull.any()) for pull in (*known, *_above(question, logits))),
        "alike": alike,
        "reach": (float(ends.min()), float(ends.max())) if ends.numel() else None,
        "wanted": (float(flat.min()), float(flat.max())),
        "plain": _is_plain(question, flat),
    }


def _among(question: _Question, labels: torch.Tensor) -> torch.Tensor | None:
    logits = question.head.logits

    def answer(number: float) -> float:
        question.loss(torch.full_like(logits, number))
        return number if question.last is None else float(question.last.detach().float().mean())

    number = number_among(labels.cpu().numpy(), answer)
    return None if number is None else torch.full_like(logits, number)


def _above(question: _Question, logits: torch.Tensor) -> Iterator[torch.Tensor]:
    """A ReLU at the end hears nothing at 0 and below."""
    pull = question.pull(torch.ones_like(logits))
    if pull is not None:
        yield pull


def _all_alike(pull: torch.Tensor) -> bool:
    return bool(torch.allclose(pull, pull[:1].expand_as(pull), rtol=1e-4, atol=1e-9))


def _is_plain(question: _Question, labels: torch.Tensor) -> bool:
    """Whether the labels enter the loss as they are: it is one that the library has."""
    loss = question.loss(question.some_outputs())
    if question.last is None or question.last.numel() != labels.numel():
        return False
    outputs = question.last.detach().float().reshape(-1)
    known: list[Callable[..., torch.Tensor]] = [
        torch.nn.functional.mse_loss,
        torch.nn.functional.l1_loss,
        *(partial(torch.nn.functional.smooth_l1_loss, beta=beta) for beta in (1.0, 0.5, 0.1, 2.0)),
        *(partial(torch.nn.functional.huber_loss, delta=delta) for delta in (0.5, 0.1, 2.0)),
    ]
    return any(
        abs(loss - float(one(outputs, labels))) <= 1e-4 * max(1.0, abs(loss)) for one in known
    )


def _is_causal(question: _Question, labels: torch.Tensor) -> bool:
    """Labels are the tokens themselves, so the loss has to look further on."""
    tokens = question.batch.get("input_ids")
    if not isinstance(tokens, torch.Tensor) or tokens.shape != labels.shape:
        return False
    counted = labels >= 0
    return bool(counted.any()) and bool((tokens == labels)[counted].all())


def _ahead(question: _Question, labels: torch.Tensor) -> dict[int, float]:
    logits = question.head.logits
    losses = {}
    for by in (0, 1, 2):
        targets = _shifted(labels, by)
        made = torch.zeros_like(logits).scatter_(-1, targets.clamp(min=0)[..., None], 32.0)
        losses[by] = question.loss(made * (targets >= 0)[..., None])
    return losses


def _shifted(labels: torch.Tensor, by: int) -> torch.Tensor:
    if not by:
        return labels
    return torch.cat([labels[:, by:], torch.full_like(labels[:, :by], -100)], dim=1)


@contextmanager
def _hooked(pairs: list[tuple[torch.nn.Module, Any]]) -> Iterator[None]:
    with ExitStack() as stack:
        for module, hook in pairs:
            handle = module.register_forward_hook(cast(Any, hook))
            stack.callback(handle.remove)
        yield
