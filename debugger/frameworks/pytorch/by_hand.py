"""A loop that trains by hand, as a Trainer that takes the same steps: then every stage can look.

Its loss is what the loop itself makes of a batch, up to its call of `backward`.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from types import CodeType
from typing import Any

import torch
from torch.utils.data import DataLoader, SequentialSampler
from transformers import Trainer

from debugger.failure import failure_of_script, on_behalf
from debugger.frameworks.pytorch.accelerated import Counted
from debugger.frameworks.pytorch.batches import logits_of
from debugger.frameworks.pytorch.plan import steady
from debugger.frameworks.pytorch.together import answering, members
from debugger.frameworks.pytorch.untouched import OptimizerState, Weights, borrowed
from debugger.pipelines.by_hand import ByHand, Unsteady
from debugger.pipelines.kept import Attributes
from debugger.script import loops
from debugger.script.loops import PUT

_FEW = 64


class _Backward(BaseException):
    """Ends a turn of the loop where its loss is there. No `except Exception` catches it."""

    def __init__(self, loss: torch.Tensor) -> None:
        self.loss = loss


@dataclass(frozen=True)
class Form:
    """How the items of a loader are laid out: their parts by name, in their order. `make` makes
    such an item of its parts; None of a mapping. Without a loader, `held` are the script's own
    names for each of the parts, `orders` those of what says in which order rows are taken, or
    which, and a turn gets `first`. `keys` are those of parts that have parts by name themselves."""

    names: tuple[str, ...]
    make: Callable[[list[Any]], Any] | None
    label: str | None
    held: tuple[tuple[str, ...], ...] = ()
    first: Any = 0
    orders: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()

    def fields(self, item: Any) -> dict[str, Any]:
        if self.make is None:
            return dict(item)
        return dict(zip(self.names, leaves_of(item, self.keys), strict=False))

    def fits(self, item: Any) -> bool:
        return len(leaves_of(item, self.keys)) == len(self.names)

    def put(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What a turn is to find under which name."""
        if self.held:
            parts = zip(self.names, self.held, strict=True)
            put = {one: fields[name] for name, known in parts for one in known}
            rows = torch.arange(len(fields[self.names[0]]))
            return {PUT: self.first, **put, **dict.fromkeys(self.orders, rows)}
        if self.make is None:
            return {PUT: dict(fields)}
        return {PUT: self.make([fields[name] for name in self.names if name in fields])}


def leaves_of(item: Any, keys: Sequence[Sequence[str]] = ()) -> list[Any]:
    """Its parts, and in their place what those hold that have parts by name."""
    parts = list(item) if isinstance(item, (list, tuple)) else [item]
    if len(keys) != len(parts):
        return parts
    both = zip(parts, keys, strict=True)
    return [leaf for part, some in both for leaf in ([part[n] for n in some] if some else [part])]


@dataclass(frozen=True)
class Turn:
    """One turn of the loop: what it is, the names that it knows, and how far it was counted. The
    rates that it gives its optimizer are always those of the first turn: they are set back."""

    code: CodeType
    names: dict[str, Any]
    form: Form
    model: torch.nn.Module
    counted: Counted
    optimizer: torch.optim.Optimizer

    def loss(self, fields: Mapping[str, Any]) -> tuple[torch.Tensor, dict[str, Any]]:
        """And what the model answers on the way to it, if it is asked once."""
        answers: list[Any] = []
        asked = answering(self.model)
        hook = asked.register_forward_hook(lambda *given: answers.append(given[2]))
        groups = self.optimizer.param_groups
        rates = [group["lr"] for group in groups]
        try:
            with mode_kept(self.model), self.counted.in_place():
                loss = loss_of(self.code, self.names, self.form.put(fields))
        finally:
            hook.remove()
            for group, rate in zip(groups, rates, strict=True):
                group["lr"] = rate
        if loss is None:
            raise RuntimeError("the loop did not come to backward()")
        answer = answers[0] if len(answers) == 1 else None
        if isinstance(answer, (list, tuple)):
            answer = self._scores_of(answer)
        told = dict(answer) if isinstance(answer, Mapping) else {"logits": answer}
        return loss, {**{k: v for k, v in told.items() if v is not None}, "loss": loss}

    def _scores_of(self, parts: Sequence[Any]) -> torch.Tensor | None:
        """The first of them; none where another one may be what labels belong to."""
        tensors = [one for one in parts if isinstance(one, torch.Tensor)]
        rows = [one for one in tensors if one.dim() > 1 and one.is_floating_point()]
        rivals = [one for one in rows if len(one) == len(rows[0])]
        if self.form.label is not None and len(rivals) > 1:
            return None
        return tensors[0] if tensors else None


@contextlib.contextmanager
def mode_kept(model: Any, training: bool | None = None) -> Iterator[None]:
    """A turn may set the mode that it wants; whoever asks for its loss has set another, or does so
    here."""
    if training is not None:
        model.train(training)
    for one in members(model):
        one.train = one.eval = partial(_as_it_is, one)
    try:
        yield
    finally:
        for one in members(model):
            del one.train, one.eval


def _as_it_is(model: Any, *_: Any) -> Any:
    return model


class LoopTrainer(Trainer):
    """`turn` is that of the loop, and `divided` by how much it divides its loss, for so many
    batches that make one step. `keeps_gradients`: nothing sets them to zero between two.
    `begins_at` is the rate of the first step, where the loop sets it by hand. `skips_rest`: it does
    nothing with a batch that is smaller than others. `wants_training`: it can do nothing with what
    the model answers in eval mode."""

    turn: Turn
    by_hand: ByHand
    divided = 1
    keeps_gradients = False
    begins_at: float | None = None
    skips_rest = wants_training = False
    folder: Any

    def compute_loss(
        self,
        model: Any,
        inputs: Any,
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        if not self.by_hand.training or self.wants_training:
            model.train(self.wants_training)
        loss, outputs = on_behalf(self.turn.loss, inputs)
        loss = loss * self.divided
        return (loss, {**outputs, "loss": loss}) if return_outputs else loss

    def training_step(self, *given: Any, **named: Any) -> Any:
        """Where the loop sets gradients to zero before it uses them, none is left here either."""
        loss = super().training_step(*given, **named)
        if self.by_hand.zeroed and self.by_hand.zeroed == self.by_hand.backwards:
            self.turn.model.zero_grad()
        return loss

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        """transformers 5 measures gradients that nobody clips, too, and sparse ones cannot be."""
        return grad_norm

    def prediction_step(
        self, model: Any, inputs: Any, prediction_loss_only: bool, ignore_keys: Any = None
    ) -> Any:
        """Only the loop knows what a model is to be given of a batch."""
        with torch.no_grad():
            loss, outputs = self.compute_loss(model, inputs, return_outputs=True)
        if prediction_loss_only:
            return loss.detach().mean(), None, None
        labels = inputs.get(self.turn.form.label) if self.turn.form.label else None
        return loss.detach().mean(), logits_of(outputs), labels

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        """What is left out while it learns is judged all the same."""
        drops = self.args.dataloader_drop_last
        object.__setattr__(self.args, "dataloader_drop_last", self.skips_rest)
        try:
            return super().get_eval_dataloader(eval_dataset)
        finally:
            object.__setattr__(self.args, "dataloader_drop_last", drops)

    def held_at(self, rate: float) -> None:
        """From now on all weights are learned at that rate."""
        self.lr_scheduler = steady(self.turn.optimizer, lambda _: rate)

    def train(self, *given: Any, **named: Any) -> Any:
        if not self.keeps_gradients:
            return super().train(*given, **named)
        model: Any = self.model
        model.zero_grad = lambda *_, **__: None
        try:
            return super().train(*given, **named)
        finally:
            del model.zero_grad


class Unshuffled(LoopTrainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        return SequentialSampler(rows)


class Sampled(LoopTrainer):
    sampler: Any

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        return self.sampler


class Rehearsing:
    """What happens from the first step of a loop to the gradients of the second. The step is really
    taken, and taken back."""

    def __init__(self, trainer: LoopTrainer, ended: Callable[[], None]) -> None:
        self._trainer, self._ended = trainer, ended
        model, optimizer = trainer.turn.model, trainer.optimizer
        self._modes = [(module, module.training) for module in model.modules()]
        schedule: Any = trainer.lr_scheduler
        self._kept = [Weights(model), OptimizerState(optimizer), Attributes(schedule)]
        self._kept.append(trainer.turn.counted.now())
        trainer.turn.counted.restore()

    def before_backward(self) -> None:
        """Gradients that are there now were not set to zero, or will be when more have come. More
        is not to be seen."""
        grads = [weight.grad for weight in self._trainer.turn.model.parameters()]
        left = any(grad is not None and bool(grad.any()) for grad in grads)
        still = not any(group["lr"] for group in self._trainer.turn.optimizer.param_groups)
        self.take_back()
        if still and self._trainer.begins_at == 0:
            self._trainer.held_at(0.0)
        self._trainer.keeps_gradients = left and not self._trainer.by_hand.zeroed
        self._ended()

    def take_back(self) -> None:
        for keeper in self._kept:
            keeper.restore()
        for module, training in self._modes:
            module.training = training


class Heard:
    """What a script's own loops have done so far: `b` for a call of backward, `z` where gradients
    were set to zero. `loader` is the one that was gone through last."""

    def __init__(self, begins: Callable[[], None]) -> None:
        """`begins` is told of the first call of backward."""
        self.events: list[str] = []
        self.rehearsing: Rehearsing | None = None
        self.loader: Any = None
        self._begins = begins

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        backward, optimizer = torch.Tensor.backward, torch.optim.Optimizer
        zeroing = (optimizer, optimizer.zero_grad), (torch.nn.Module, torch.nn.Module.zero_grad)

        def heard(event: str, does: Any) -> Any:
            def doing(*given: Any, **named: Any) -> Any:
                if event == "b" and self.rehearsing is not None:
                    self.rehearsing.before_backward()
                if event == "b" and "b" not in self.events:
                    self._begins()
                self.events.append(event)
                return does(*given, **named)

            return doing

        going = DataLoader.__iter__

        def begun(loader: Any) -> Any:
            self.loader = loader
            return going(loader)

        DataLoader.__iter__ = begun  # type: ignore[method-assign]
        torch.Tensor.backward = heard("b", backward)  # type: ignore[method-assign]
        for kind, does in zeroing:
            kind.zero_grad = heard("z", does)  # type: ignore[method-assign]
        try:
            yield
        finally:
            DataLoader.__iter__ = going  # type: ignore[method-assign]
            torch.Tensor.backward = backward  # type: ignore[method-assign]
            for kind, does in zeroing:
                kind.zero_grad = does  # type: ignore[method-assign]


def loss_of(
    code: CodeType, names: Mapping[str, Any], put: Mapping[str, Any]
) -> torch.Tensor | None:
    """What a turn asks for the gradients of. None where it does not come to that."""

    def asked(loss: torch.Tensor, *_: Any, **__: Any) -> None:
        raise _Backward(loss)

    before = torch.Tensor.backward
    torch.Tensor.backward = asked  # type: ignore[method-assign]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            loops.take(code, put, names)
    except _Backward as ended:
        return ended.loss
    finally:
        torch.Tensor.backward = before  # type: ignore[method-assign]
    return None


def unsteady(trainer: LoopTrainer) -> Unsteady | None:
    """Where no line of the script sets eval mode: whether its answers are the same ones twice."""
    seen, model = trainer.by_hand, trainer.turn.model
    if not seen.never_eval or not seen.differs or not isinstance(trainer.eval_dataset, Sized):
        return None
    rows: Any = trainer.eval_dataset
    some = [rows[place] for place in range(min(_FEW, len(rows)))]
    answers = []
    with borrowed(trainer, weights=True), torch.no_grad():
        for module in model.modules():
            module.training = True
        for _ in range(2):
            try:
                fields = on_behalf(trainer.data_collator, some)
                answers.append(logits_of(on_behalf(trainer.turn.loss, fields)[1]))
            except Exception as error:  # what rows fail on is told of the evaluation itself
                failure_of_script(error)
                return None
    one, other = answers
    if one is None or other is None or one.dim() < 1 or one.shape != other.shape:
        return None
    if one.dim() > 1 and one.shape[-1] > 1:
        apart = one.argmax(-1) != other.argmax(-1)
    else:
        apart = ~torch.isclose(one, other)
    changed = apart.reshape(len(apart), -1).any(-1)
    return Unsteady(seen.differs, len(some), int(changed.sum()))
