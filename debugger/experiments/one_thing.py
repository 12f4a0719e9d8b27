"""What an expert would try, one small function each: the one thing to change, if it can be.

Each is named by the finding that it makes where its change alone lets the training learn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from debugger.pipelines.plan import ADAMS
from debugger.pipelines.trying import Change, Conditions
from debugger.script.places import Places

USUAL = {"pretrained": 5e-5, "fresh": 1e-3, "adapter": 2e-4}
"""Learning rates for Adam and its kin."""
USUAL_SGD, USUAL_WITH_MOMENTUM = 5e-2, 1e-2
"""For SGD: momentum adds up what many steps ask for."""
FAR = 20.0
"""A learning rate that lies so many times off the usual one is worth trying first."""
NEAR, WILD = 2.0, 30.0
HIGH_DROPOUT = 0.5
HIGH_DECAY = 0.5
HARD_CLIPPING = 0.01
FEW_UPDATES = 30
WIDE, NARROW = 20.0, 0.02
"""Inputs, or amounts to learn, that go so far from 0, and inputs that lie so little apart."""
SMALL_SHARE = 0.25
"""Of the peak: a training whose learning rate lies so low on the whole hardly has one."""
HEAD_SPREAD = (1e-4, 1.0)
"""New heads are drawn about 0.02 apart; wider, or all alike, is none that was just made."""


@dataclass(frozen=True)
class Experiment:
    """`was` and `now` tell of the change. `odd`: what the script sets lies far from the usual.

    `line` finds what sets it in the script. `whole` is what the learning rates of the whole
    training add up to, where they are lower than the one that is tried.
    """

    change: Change
    was: Any
    now: Any
    odd: bool
    line: Callable[[Places], int | None]
    whole: float | None = None


Try = Callable[[Conditions], Experiment | None]


def cured_by_mask_from_padding(here: Conditions) -> Experiment | None:
    if not here.masked_wrongly:
        return None
    share = here.masked_wrongly / here.positions
    return Experiment(
        Change(mask=True), share, 0.0, True, lambda at: at.written.under("attention_mask")
    )


def cured_by_scaled_inputs(here: Conditions) -> Experiment | None:
    """Layers are drawn for inputs about 1 large."""
    if here.widest < WIDE:
        return None
    return Experiment(Change(scaled=True), here.widest, 1.0, not here.pretrained, _rows_handed)


def cured_by_spread_inputs(here: Conditions) -> Experiment | None:
    """Rows that hardly differ: what was scaled twice, or by numbers that are not theirs."""
    if here.narrowest is None or here.narrowest > NARROW or here.widest >= WIDE:
        return None
    return Experiment(Change(scaled=True), here.narrowest, 1.0, not here.pretrained, _rows_handed)


def cured_by_scaled_labels(here: Conditions) -> Experiment | None:
    """New layers answer with numbers about 1 large, and have far to go to others."""
    if here.widest_label < WIDE:
        return None

    def line(at: Places) -> int | None:
        return at.written.labels() or at.fits.labelled() or _rows_handed(at)

    return Experiment(Change(scaled_labels=True), here.widest_label, 1.0, True, line)


def cured_by_update_every_batch(here: Conditions) -> Experiment | None:
    """What counts is how many updates the whole training makes."""
    if here.accumulation < 2 or not here.by_epochs:
        return None
    odd = here.updates < FEW_UPDATES
    change = Change(every_batch=True)
    named = ("gradient_accumulation_steps",)
    return Experiment(change, here.accumulation, 1, odd, _set_by(*named))


def cured_by_longer_training(here: Conditions) -> Experiment | None:
    """The same steps, and more of them than are planned."""
    if not is_short(here) or (here.by_epochs and here.accumulation > 1):
        return None
    return Experiment(Change(longer=True), here.updates, None, True, length_set(here))


def cured_by_constant_rate(here: Conditions) -> Experiment | None:
    """Neither warm-up nor decay."""
    if here.rate_share > 0.99:
        return None
    named = ("warmup_steps", "warmup_ratio", "num_warmup_steps", "lr_scheduler_type", "optimizers")
    odd = hardly_any_rate(here)
    calls = ("Decay", "DecayRestarts", "LearningRateScheduler", "create_optimizer")
    line = _set_by(*named, "decay_steps", calls=calls)
    return Experiment(Change(constant=True), here.rate_share, 1.0, odd, line)


def cured_by_usual_rate(here: Conditions) -> Experiment | None:
    usual = _usual_rate(here)
    if usual is None or not here.rate:
        return None
    off = max(here.rate / usual, usual / here.rate)
    if off < NEAR:
        return None
    change, named = Change(rate=usual), _rate_set
    whole = here.rate * here.rate_share * here.updates if here.rate < usual else None
    return Experiment(change, here.rate, usual, off >= FAR, named, whole)


def cured_by_no_dropout(here: Conditions) -> Experiment | None:
    if not here.dropout:
        return None
    odd = here.dropout >= HIGH_DROPOUT
    return Experiment(Change(dropout=True), here.dropout, 0.0, odd, _dropout_set)


def cured_by_no_weight_decay(here: Conditions) -> Experiment | None:
    if not here.weight_decay:
        return None
    odd = here.weight_decay >= HIGH_DECAY
    named = _set_by("weight_decay", "weight_decay_rate", "kernel_regularizer")
    return Experiment(Change(weight_decay=True), here.weight_decay, 0.0, odd, named)


def cured_by_no_clipping(here: Conditions) -> Experiment | None:
    if not here.clipping:
        return None
    odd = here.clipping < HARD_CLIPPING
    named = _set_by("max_grad_norm", "clipnorm", "global_clipnorm", "clipvalue")
    return Experiment(Change(clipping=True), here.clipping, None, odd, named)


def cured_by_full_precision(here: Conditions) -> Experiment | None:
    if not here.half:
        return None
    named = _set_by("torch_dtype", "dtype", "fp16", "bf16", calls=(".half", ".bfloat16", ".to"))
    return Experiment(Change(precision=True), here.half, "float32", here.half_weights, named)


def cured_by_thawing(here: Conditions) -> Experiment | None:
    """An adapter lies on a frozen body, and is meant to."""
    if not here.frozen or here.adapter:
        return None
    odd = not here.pretrained and not here.frozen_trained
    return Experiment(Change(thaw=True), here.frozen, 0.0, odd, _frozen_set)


def cured_by_library_loss(here: Conditions) -> Experiment | None:
    if not here.own_loss:
        return None

    def line(at: Places) -> int | None:
        made = at.returned_by("compute_loss") or _set_by("compute_loss_func")(at)
        return made or at.handed.answer("loss") or at.argument("loss")

    return Experiment(Change(loss=True), None, None, True, line)


def cured_by_shuffling(here: Conditions) -> Experiment | None:
    if not here.in_blocks:
        return None

    def line(at: Places) -> int | None:
        named = ("_get_train_sampler", "get_train_dataloader")
        found = next(filter(None, map(at.returned_by, named)), None)
        return found or at.argument("shuffle") or at.call(".sort")

    return Experiment(Change(shuffle=True), None, None, True, line)


def cured_by_fresh_head(here: Conditions) -> Experiment | None:
    if here.head_spread is None:
        return None
    low, high = HEAD_SPREAD
    odd = not low < here.head_spread < high or here.head_bias > high
    given = (here.head.partition(".")[0], "bias_initializer", "kernel_initializer")
    named = _set_by(*given, calls=(".fill_", ".zero_", ".zeros_", ".ones_"))
    return Experiment(Change(head=True), here.head_spread, None, odd, named)


EXPERIMENTS: tuple[Try, ...] = (
    cured_by_mask_from_padding,
    cured_by_scaled_inputs,
    cured_by_spread_inputs,
    cured_by_scaled_labels,
    cured_by_update_every_batch,
    cured_by_longer_training,
    cured_by_constant_rate,
    cured_by_usual_rate,
    cured_by_no_dropout,
    cured_by_no_weight_decay,
    cured_by_no_clipping,
    cured_by_full_precision,
    cured_by_thawing,
    cured_by_library_loss,
    cured_by_shuffling,
    cured_by_fresh_head,
)
"""Likeliest first among those that are odd, and again among the others."""


def possible(here: Conditions) -> list[tuple[str, Experiment]]:
    """What can be tried here, by code: first what is set far from the usual."""
    made = [(one.__name__, found) for one in EXPERIMENTS if (found := one(here)) is not None]
    return sorted(made, key=lambda named: not named[1].odd)


def harmless(here: Conditions) -> Change:
    """What only makes a healthy training slow, and is left out of all steps that are taken."""
    tried = dict(possible(here))
    slow = {
        name: code in tried and not tried[code].odd
        for name, code in {
            "constant": "cured_by_constant_rate",
            "every_batch": "cured_by_update_every_batch",
        }.items()
    }
    return Change(**slow)


def hardly_any_rate(here: Conditions) -> bool:
    """Warm-up and decay leave next to nothing of the learning rate, over the whole training."""
    return here.rate_share < SMALL_SHARE


def wild_rate(here: Conditions) -> bool:
    """The learning rate is so far above the usual one that a loss which falls proves nothing."""
    usual = _usual_rate(here)
    return usual is not None and here.rate is not None and here.rate > WILD * usual


def is_short(here: Conditions) -> bool:
    """Whether the whole training can be made here, and is over soon."""
    return here.updates < FEW_UPDATES


def length_set(here: Conditions) -> Callable[[Places], int | None]:
    asked = ("num_train_epochs", "epochs") if here.by_epochs else ("max_steps", "steps_per_epoch")
    return _set_by(*asked)


def _usual_rate(here: Conditions) -> float | None:
    if here.optimizer.startswith("SGD"):
        return USUAL_WITH_MOMENTUM if here.momentum > 0.5 else USUAL_SGD
    if here.optimizer not in ADAMS:
        return None
    kind = "adapter" if here.adapter else "pretrained" if here.pretrained else "fresh"
    return USUAL[kind]


def _set_by(*names: str, calls: tuple[str, ...] = ()) -> Callable[[Places], int | None]:
    def line(at: Places) -> int | None:
        set_at = (at.assignment(name) or at.written.under(name) for name in names)
        return at.argument(*names) or next(filter(None, set_at), None) or at.call(*calls)

    return line


def _rows_handed(at: Places) -> int | None:
    return at.argument("train_dataset") or at.fits.fitted()


def _rate_set(at: Places) -> int | None:
    return at.rate() or _set_by("learning_rate", "lr")(at)


def _frozen_set(at: Places) -> int | None:
    """Of a part of the model the loop tells which part it is."""
    return at.loop_of(_set_by("requires_grad", "trainable", calls=(".requires_grad_",))(at))


def _dropout_set(at: Places) -> int | None:
    return at.highest("dropout", "pdrop", "drop_rate")
