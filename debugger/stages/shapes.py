"""Shapes that Keras refuses where rows and layers meet, far from where either was written."""

from __future__ import annotations

import re

from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault

_REFUSED = re.compile(
    r'Input \d+ of layer "(\w+)" is incompatible with the layer: '
    r"expected shape=(\(.*?\)), found shape=(\(.*?\))"
)


def rows_of_another_shape(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A model is told the shape of a row when it is made, and is given rows of another."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if isinstance(rows_not_batched(seen, view), Verdict):
        return None  # which says more
    told = seen.failure and _REFUSED.search(seen.failure.message)
    shapes = told.groups()[1:] if told else seen.row_shapes if seen.failure else None
    if not shapes:
        return None
    wanted, given = (_of_a_row(shape) for shape in shapes)
    line = view.places.fits.input_shape()
    return fault(line or view.places.fits.fitted(), wanted=wanted, given=given)


def rows_not_batched(seen: Forward, view: View) -> Verdict | None:
    """A data set that gives one row after the other: its first axis is taken for the rows."""
    if view.facts.compiled is None or seen.failure is None or seen.batched:
        return None
    places = view.places
    line = places.layers.switched_off("batch_size")
    line = line or places.fits.fitted() or places.call("from_tensor_slices", "from_generator")
    return fault(line)


def answer_for_each_place(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """One label a row, and an output that still has the places of a picture, or the steps."""
    logits, labels = seen.logits_shape, seen.labels_shape
    if view.facts.compiled is None or not logits or not labels:
        return NOT_FOR_THIS_TASK
    of_row = labels[1:] if seen.counts == "numbers" else labels[1:-1]
    places = logits[1:-1]
    if seen.failure is None or any(one > 1 for one in of_row) or all(one == 1 for one in places):
        return None
    if logits[0] != labels[0] or len(logits) < 3:
        return None
    line = view.places.layers.switched_on("return_sequences")
    line = line or view.output_layer(logits[-1])
    shape = " x ".join(map(str, places))
    return fault(line, places=shape, outputs=str(list(logits)), labels=str(list(labels)))


def row_answered_once(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Labels are a class for each place of a row, and the model makes one answer of the row."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    labels, outputs = seen.labels_shape, seen.logits_shape
    if seen.failure is None or seen.counts != "numbers" or len(outputs) != 2:
        return None
    if len(labels) != 2 or labels[1] in (1, outputs[1]) or seen.length not in (None, labels[1]):
        return None
    line = view.places.call("LSTM", "GRU", "SimpleRNN", "GlobalAveragePooling1D", "Flatten")
    return fault(line, places=labels[1], outputs=outputs[1])


def vectors_of_another_width(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Labels are vectors, and the last layer makes vectors of another length."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    labels, outputs = seen.labels_shape, seen.logits_shape
    if seen.failure is None or not len(labels) == len(outputs) == 2 or labels[0] != outputs[0]:
        return None
    if labels[1] == outputs[1] or 1 in (labels[1], outputs[1]):
        return None
    if isinstance(row_answered_once(seen, view), Verdict):
        return None  # which says more
    classes = seen.label_range and int(seen.label_range[1]) + 1
    spare = seen.counts == "vectors" and classes is not None and classes <= outputs[1] < labels[1]
    line = view.places.rows.vectors(None) if spare else None
    line = line or view.output_layer(outputs[1])
    return fault(line, labels=labels[1], outputs=outputs[1])


def fractions_for_classes(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The number of a class is whole; a sparse loss cuts off what lies behind the point."""
    compiled = view.facts.compiled
    if compiled is None or "sparse" not in compiled.loss.lower():
        return NOT_FOR_THIS_TASK
    cut = next((y for y in seen.labels if isinstance(y, float) and y % 1), None)
    if cut is None:
        return None
    line = view.places.fits.labelled() or view.places.fits.fitted(labels=True)
    return fault(line, value=cut, name=compiled.loss)


def axes_only_counted_off(seen: Forward, view: View) -> Verdict | None:
    """A view moves no axis: it reads the same numbers in the same order, under other places."""
    found = seen.swapped
    if found is None:
        return None
    before, after = str(list(found.before)), str(list(found.after))
    line = found.line or view.layer(found.layer) or view.places.call("tf.reshape", "Reshape")
    return fault(line, before=before, after=after)


def squeeze_takes_rows(seen: Forward, view: View) -> Verdict | None:
    """Told no axis, it takes each one of length 1: in a batch of one row that of the rows, too."""
    found = seen.lone
    if found is None:
        return None
    return fault(found.line, rows=found.rows, size=found.size)


RULES: tuple[Rule, ...] = (
    rows_not_batched,
    answer_for_each_place,
    rows_of_another_shape,
    row_answered_once,
    vectors_of_another_width,
    fractions_for_classes,
    axes_only_counted_off,
    squeeze_takes_rows,
)


def _of_a_row(shape: str) -> str:
    return ", ".join(shape.strip("()").split(", ")[1:]).rstrip(",") or "one number"
