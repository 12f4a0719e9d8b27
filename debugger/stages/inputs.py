"""Rules about what goes in as numbers: pictures and sounds, axes, columns left out."""

from __future__ import annotations

import math

from debugger.pipelines.batch import Batch
from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.padding import FELT
from debugger.stages.tokens import FEWEST_ROWS, tokenizing

LARGEST_PIXEL = 20.0
LARGEST_SAMPLE = 50.0
FLAT = 0.02
UNLIKE, FAR_OFF = 3.0, 20.0
"""So many times as spread out, or spreads away: no two parts of one set of pictures are."""
AT_THE_ENDS = 0.95
QUIET = 0.3
FEW_LEVELS = 8
"""Different numbers in a row of sound. Telephones have 256."""
_PICTURES_AND_SOUNDS = ("pixel_values", "input_values", "input_features")


def column_dropped(seen: Batch | Forward, view: View) -> Verdict | None:
    """The Trainer keeps what the model's forward names. A collator or a loss may want more."""
    if isinstance(seen, Forward) and "last_hidden_state" in seen.output_keys:
        return None  # see no_head
    named = seen.failure is not None and seen.failure.exception == "KeyError"
    said = seen.failure.message.strip("'\" ") if seen.failure and named else ""
    missed = [said] if said in seen.dropped else list(seen.asked_for)
    if not missed or not seen.dropped:
        return None
    line = seen.failure.line if seen.failure is not None and named else None
    line = view.places.argument("remove_unused_columns") or line
    line = line or view.places.naming(missed[0])
    return fault(line, name=missed[0], columns=", ".join(seen.dropped))


def identical_inputs(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    signal = seen.signal
    if signal is None and seen.same_tokens > 1:
        name, rows = "input_ids", view.facts.batch_size
        line = view.places.flows.removing() or tokenizing(view)
        return fault(line, name=name, rows=rows, labels=seen.same_tokens)
    if signal is None or signal.rows < 2:
        return NOT_FOR_THIS_TASK
    if not signal.identical or signal.labels < 2:
        return None
    places = view.places
    cut = places.scaling.rounding() if signal.low == signal.high else None
    line = cut or places.preparing.repeating(signal.name) or places.written.under(signal.name)
    line = line or _preparing(view)
    return fault(line, name=signal.name, rows=signal.rows, labels=signal.labels)


def one_input_for_each_label(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Pictures of one kind are one and the same picture: drawn from the same seed each time."""
    signal = seen.signal
    if signal is None or signal.kind not in _PICTURES_AND_SOUNDS or signal.labels < 2:
        return NOT_FOR_THIS_TASK
    if not signal.distinct or signal.distinct > signal.labels or signal.identical:
        return None
    if signal.rows < max(FEWEST_ROWS, 2 * signal.labels):
        return NOT_FOR_THIS_TASK
    line = view.places.slips.seeded_again()
    return fault(line, rows=signal.rows, distinct=signal.distinct, labels=signal.labels)


def inputs_not_scaled(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A checkpoint has only ever seen small numbers. What a fresh model bears is its own affair."""
    signal = seen.signal
    most = {"pixel_values": LARGEST_PIXEL, "input_values": LARGEST_SAMPLE}
    kind = signal.kind or signal.name if signal is not None else ""
    if signal is None or kind not in most:
        return NOT_FOR_THIS_TASK
    if max(-signal.low, signal.high) <= most[kind]:
        return None
    verdict = fault if view.facts.pretrained else look
    places = view.places
    line = places.scaling.dividing() or places.preparing.prepared(signal.name) or _preparing(view)
    return verdict(line, name=signal.name, low=signal.low, high=signal.high)


def inputs_nearly_constant(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Divided by 255 twice, every picture is the same grey."""
    signal = seen.signal
    if signal is None or "pixel_values" not in (signal.kind, signal.name):
        return NOT_FOR_THIS_TASK
    if signal.identical or signal.high - signal.low >= FLAT:
        return None
    line = view.places.scaling.dividing() or _preparing(view)
    return fault(line, name=signal.name, low=signal.low, high=signal.high)


def axes_jumbled(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """To reshape leaves every number where it is: that moves no axis to another place."""
    if seen.signal is None:
        return NOT_FOR_THIS_TASK
    found = seen.signal.jumbled
    if found is None:
        return None
    numbers = {"as_it_is": found.as_it_is, "anew": found.anew}
    shapes = {"shape": str(found.shape), "other": str(found.other)}
    line = view.places.preparing.reshaped(found.shape)
    return fault(line, name=seen.signal.name, **shapes, **numbers)


def scaled_twice(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The model's own first layers scale what was scaled before it came."""
    found = seen.scaled
    if found is None:
        return NOT_FOR_THIS_TASK
    before, after = found.high - found.low, found.inner_high - found.inner_low
    if after >= FLAT or before <= 5 * after or max(-found.low, found.high) > LARGEST_PIXEL:
        return None
    line = view.places.layers.scaling() or view.places.scaling.dividing()
    ends = {"inner_low": found.inner_low, "inner_high": found.inner_high}
    return fault(line, name=found.name, low=found.low, high=found.high, **ends)


def inputs_saturated(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    signal = seen.signal
    if signal is None or signal.kind == "features":
        return NOT_FOR_THIS_TASK
    if signal.identical or signal.at_ends < AT_THE_ENDS:
        return None
    if isinstance(sounds_coarse(seen, view), Verdict):
        return None  # which says more
    numbers = {"name": signal.name, "low": signal.low, "high": signal.high}
    return look(_preparing(view), share=signal.at_ends, **numbers)


def sounds_coarse(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A wave between -1 and 1 that was made whole numbers is silence with a few clicks."""
    signal = seen.signal
    if signal is None or "input_values" not in (signal.kind, signal.name):
        return NOT_FOR_THIS_TASK
    if signal.identical or not 0 < signal.levels <= FEW_LEVELS:
        return None
    line = view.places.flows.made_whole() or view.places.preparing.prepared(signal.name)
    return fault(line or _preparing(view), name=signal.name, levels=signal.levels)


def inputs_not_normalised(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The processor that the script holds would do it, and the batch shows that nobody has."""
    signal = seen.signal
    if signal is None or not signal.normalises:
        return NOT_FOR_THIS_TASK
    if not view.facts.pretrained:
        return CannotJudge("not_pretrained")
    bare = signal.name == "pixel_values" and signal.low >= 0 and 0.5 < signal.high <= 1
    quiet = signal.name == "input_values" and 0 < signal.deviation < QUIET
    if not bare and not quiet:
        return None
    return look(_preparing(view), name=signal.name, low=signal.low, high=signal.high)


def processed_otherwise(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What is learned from and what is judged by went through two different preparations."""
    here, there = seen.signal, seen.eval_signal
    if here is None or there is None or here.name != there.name:
        return NOT_FOR_THIS_TASK
    if not here.deviation or not there.deviation:
        return CannotJudge("no_spread")
    if not math.isfinite(here.deviation) or not math.isfinite(there.deviation):
        return None  # what is no number is told of where the rows are
    times = there.deviation / here.deviation
    moved = abs(there.mean - here.mean) / max(here.deviation, there.deviation)
    if 1 / UNLIKE < times < UNLIKE and moved < UNLIKE:
        return None
    verdict = fault if not 1 / FAR_OFF < times < FAR_OFF else look
    line = view.places.preparing.prepared_for_eval(here.name) or view.places.parting.line()
    line = line or view.places.argument("eval_dataset")
    train = {"low": here.low, "high": here.high}
    return verdict(line, name=here.name, eval_low=there.low, eval_high=there.high, **train)


def rows_mingled(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """An axis taken for another: what stands in one row is answered in the next."""
    if seen.mingled is None:
        return NOT_FOR_THIS_TASK
    if seen.mingled <= FELT or seen.trains_always is not None:  # see layer_trains_always
        return None
    if view.places.oversights.time_first() and view.facts.compiled is None:
        return None  # see layer_takes_time_first
    if view.facts.compiled is not None:
        return fault(view.places.layers.mixing(), moved=seen.mingled)
    layers = ("LSTM", "GRU", "RNN", "TransformerEncoderLayer", "MultiheadAttention")
    first = view.places.argument("batch_first")
    line = first if view.places.value("batch_first") == "False" else None
    line = line or (None if first else view.places.call(*layers))
    line = line or view.places.stepping.turning() or view.places.function("forward")
    return fault(line, moved=seen.mingled)


def input_not_read(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Nothing of it comes out at the other end."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if not seen.unread:
        return None
    return look(view.places.layers.inputs_taken(), name=seen.unread)


OF_A_BATCH: tuple[Rule, ...] = (
    identical_inputs,
    one_input_for_each_label,
    inputs_not_scaled,
    inputs_nearly_constant,
    axes_jumbled,
    scaled_twice,
    inputs_saturated,
    sounds_coarse,
    inputs_not_normalised,
    processed_otherwise,
)
OF_A_MODEL: tuple[Rule, ...] = (rows_mingled, input_not_read)


def _preparing(view: View) -> int | None:
    made = ("processor", "image_processor", "feature_extractor", "set_transform", "with_transform")
    line = view.places.argument("do_rescale", "do_normalize") or view.places.call(*made)
    return line or view.places.fits.fitted()
