"""Oversights: what the text leaves out or turns round, with what was seen of it in the run."""

from __future__ import annotations

import math

from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.forward import Forward
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Seen,
    Verdict,
    View,
    fault,
    look,
)

_WITHOUT_FORWARD = ("_forward_unimplemented", 'missing the required "forward"')
_OF_SHAPES = ("len(lengths)", "out of range", "must match", "batch size", "batch_size", "shape")
FELT = 0.05
NOTHING = 0.5
"""Of what guessing costs: what is sure and wrong costs less than so much."""
FLATTERED = 0.5
AT_ONCE, FEW_UPDATES, PART_OF_EPOCH = 10, 50, 0.25
FEW_ROWS = 0.1
UNKNOWN = CannotJudge("no_order")
NOT_ASKED = CannotJudge("loss_not_asked")


def one_list_for_all(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Every row is given the same list, which holds what was made of all of them."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.one_list()
    return None if found is None else fault(found[0], name=found[1])


def numbers_turned_round(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """`~` means not of truth values; of whole numbers it turns the bits."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.inverted_numbers()
    return None if found is None else fault(found[0], made=found[1])


def row_stored_anew(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is made of a row is put back in its place: the next epoch begins with that."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.stored_anew()
    if found is None:
        return None
    return (fault if found[2] else look)(found[0], stored=found[1])


def label_names_as_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The Trainer goes through the names one by one, and through a text letter by letter."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.text_for_list("label_names")
    if found is None:
        return None
    return fault(found[0], name=found[1], first=found[1][0], second=found[1][1])


def looked_up_in_vain(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Nothing is found in a table, and what is put in its place stands in all rows."""
    if not view.has_script:
        return NO_SCRIPT
    same = seen.columns.same if seen.columns is not None and not seen.failure else ()
    for line, value, table in view.places.oversights.looked_up_or():
        known = [one for one in same if one.value == value]
        found = [one for one in known if one.name == known[0].name]
        if found:
            told = {"name": found[0].name, "rows": found[0].rows, "value": value}
            # One column of several may stand still for another reason.
            made = fault if len(found) == found[0].columns else look
            return made(line, codes=table, places=len(found), **told)
    return None


def scaled_across_columns(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Each place of a row is brought to one scale over its columns: whether they rise or fall
    together is gone. Who does so to frames of a sound may well mean it."""
    if not view.has_script:
        return NO_SCRIPT
    across = seen.columns.across if seen.columns is not None and not seen.failure else None
    if across is None:
        return None
    line = view.places.oversights.scaled_across()
    told = {"name": across.name, "columns": across.columns, "steps": across.steps}
    return look(line, rows=across.rows, **told)


def prepared_before_split(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What scales rows, or fills their gaps, has learned from the rows that the model is judged by
    as well."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.foreseen()
    return None if found is None else look(found.line, kind=found.kind, split=found.split)


def sampler_draws_few(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """num_samples is how many rows an epoch has."""
    order = seen.order
    if order is None:
        return UNKNOWN
    if order.asked is None or order.weighed is not None or order.asked >= FEW_ROWS * order.rows:
        return None
    line = view.places.argument("num_samples")
    line = line or view.places.call("WeightedRandomSampler", "RandomSampler")
    made = fault if order.asked < order.size else look
    return made(line, drawn=order.asked, rows=order.rows)


def weights_read_by_nobody(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Weights of classes were reckoned, and the loss never hears of them."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.weights_unread()
    return None if found is None else look(found[0], name=found[1])


def real_places_filled(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """masked_fill fills where the mask is true."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.fills_what_is_real()
    return None if found is None else fault(found[0], mask=found[1])


def softmax_over_rows(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """To guess costs what it costs to guess one of the rows, and not one of the classes."""
    asked, found = seen.asked, view.places.oversights.softmax_over_rows()
    if asked is None or asked.form != "classes" or not asked.logits_shape:
        return NOT_ASKED
    rows = asked.logits_shape[0]
    if found is None or rows == asked.outputs or rows < 2:
        return None
    if not math.isclose(asked.even, math.log(rows), rel_tol=1e-3):
        return None
    return fault(found[0], name=found[1], rows=rows, outputs=asked.outputs, even=asked.even)


def layer_takes_time_first(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """See rows_mingled: the layer that mixes them goes along the first axis."""
    if seen.mingled is None:
        return NOT_FOR_THIS_TASK
    found = view.places.oversights.time_first() if seen.mingled > FELT else None
    if found is None or view.facts.compiled is not None:
        return None
    return fault(found[0], layer=found[1], moved=seen.mingled)


def wrong_costs_nothing(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """To be sure and wrong costs less than to guess: nothing draws it back."""
    asked = seen.asked
    if asked is None or not asked.right or not asked.wrong:
        return NOT_ASKED
    right, wrong = min(asked.right), asked.wrong[-1]
    if asked.form != "classes" or asked.elsewhere or not right < asked.even:
        return None
    if not 0 <= wrong < NOTHING * asked.even:
        return None
    return fault(_weighing_line(view), wrong=wrong, even=asked.even)


def gives_up_early(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An early stopping counts evaluations, and of those there are many in an epoch."""
    if seen.waits is None:
        return NOT_FOR_THIS_TASK
    patience, every, epoch = seen.waits
    updates = patience * every
    if updates >= PART_OF_EPOCH * epoch or updates >= FEW_UPDATES:
        return None
    line = view.places.argument("eval_steps") or view.places.argument("early_stopping_patience")
    told = {"patience": patience, "every": every, "updates": updates, "epoch": epoch}
    return (fault if updates <= AT_ONCE else look)(line, **told)


def reciprocal_of_mean(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A few bad ranks weigh on the mean rank as they do not on the mean of reciprocals."""
    if not view.has_script:
        return NO_SCRIPT
    found = None if seen.failure else view.places.oversights.reciprocal_of_mean()
    return None if found is None else fault(found[0], name=found[1])


def counts_class_zero(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A score of the class that is not looked for."""
    if seen.trials is None:
        return CannotJudge("metric_not_tried")
    found = view.places.oversights.counts_the_other()
    if found is None:
        return None
    word = found[1].removesuffix("_score").removesuffix("Score").lower()
    for name, value in seen.trials.constant.items():
        never = seen.trials.kind == "many" and value == 0  # what is always said is yes
        right = seen.trials.perfect.get(name, 0.0)
        if word in name.lower() and right > 0 and (never or FLATTERED < value <= right):
            return look(found[0], name=name, value=value)
    return None


def method_misspelt(seen: Seen, view: View) -> Verdict | None:
    """PyTorch asks a model for its forward, and the class has none."""
    failure = seen.failure
    if failure is None or not any(map(failure.says, _WITHOUT_FORWARD)):
        return None
    found = view.places.oversights.misspelt("forward")
    return None if found is None else fault(found[0], name=found[1])


def padded_time_first(seen: Seen, view: View) -> Verdict | None:
    """The places come first where rows are wanted, and the model refuses."""
    failure = seen.failure
    if failure is None or not any(map(failure.says, _OF_SHAPES)):
        return None
    found = view.places.oversights.filled_time_first()
    if found is None or view.places.oversights.time_first() is not None:
        return None
    return fault(found[0], given=found[1])


OF_ROWS: tuple[Rule, ...] = (
    one_list_for_all,
    numbers_turned_round,
    row_stored_anew,
    label_names_as_text,
    looked_up_in_vain,
    scaled_across_columns,
    prepared_before_split,
)
OF_BATCHES: tuple[Rule, ...] = (sampler_draws_few,)
OF_A_MODEL: tuple[Rule, ...] = (
    weights_read_by_nobody,
    real_places_filled,
    softmax_over_rows,
    layer_takes_time_first,
    wrong_costs_nothing,
)
OF_A_METRIC: tuple[Rule, ...] = (reciprocal_of_mean, counts_class_zero, gives_up_early)
OF_CRASHES: tuple[Rule, ...] = (method_misspelt, padded_time_first)


def _weighing_line(view: View) -> int | None:
    places = view.places
    return places.oversights.power_of_sureness() or places.call("cross_entropy", "nll_loss")
