"""In what order the rows come: what is in a batch, and whether all of them have their turn."""

from __future__ import annotations

from debugger.pipelines.batch import Batch
from debugger.stages.judging import CannotJudge, Rule, Verdict, View, fault, look

UNKNOWN = CannotJudge("no_order")


def batches_of_one_label(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Rows sorted by label, and nobody shuffles them: the model forgets one to learn the next."""
    order = seen.order
    if order is None or order.single is None:
        return UNKNOWN
    if order.single < 0.3 or order.by_chance > 0.1 or order.weighed is not None:
        return None
    made = fault if order.single >= 0.7 else look
    line = view.places.rows.batched_first() or _line(view)
    return made(line, share=order.single, batches=order.batches, chance=order.by_chance)


def same_rows_again(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    order = seen.order
    if order is None:
        return UNKNOWN
    most = min(order.rows, order.drawn)
    if (
        order.weighed is not None
        or order.batches < 4
        or order.distinct >= 0.3 * most
        or order.rows < 8
    ):
        return None
    few = order.distinct * order.batches <= 2 * order.drawn
    made = fault if few else look
    line = view.places.rows.unmoving()
    line = line or view.places.call("WeightedRandomSampler", "SubsetRandomSampler")
    return made(line or _line(view), distinct=order.distinct, drawn=order.drawn, rows=order.rows)


def weights_of_few_rows(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A sampler draws places among its weights: rows that have none are never drawn."""
    order = seen.order
    if order is None:
        return UNKNOWN
    if order.weighed is None:
        return None
    made = fault if order.weighed < order.rows / 2 else look
    line = view.places.call("WeightedRandomSampler") or _line(view)
    return made(line, weights=order.weighed, rows=order.rows)


RULES: tuple[Rule, ...] = (batches_of_one_label, weights_of_few_rows, same_rows_again)


def _line(view: View) -> int | None:
    places = view.places
    own = places.function("_get_train_sampler") or places.function("get_train_dataloader")
    sampler = places.argument("batch_sampler", "sampler", "buffer_size")
    drawing = ("WeightedRandomSampler", "SubsetRandomSampler", "RandomSampler")
    called = places.call("SequentialSampler", *drawing, "DataLoader", ".sort")
    given = places.argument("train_dataset") or places.argument("shuffle") or places.fits.fitted()
    return sampler or called or own or given
