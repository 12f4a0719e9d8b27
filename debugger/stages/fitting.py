"""What does not go together, where an exception shows it: a name, an axis, the width of a layer."""

from __future__ import annotations

import ast
import re

from debugger.failure import Failure
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data
from debugger.pipelines.forward import Forward
from debugger.script.rows import VECTORS
from debugger.script.tracing import name_of
from debugger.stages.judging import Rule, Verdict, View, fault

TWO_AXES = 2
_ASK = ("bool", "isin", "startswith", "endswith", "any", "all", "eq", "ne", "gt", "lt", "ge", "le")
"""Calls that answer yes or no."""
_OF_LABELS = r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)"
_OF_AXES = ("values to unpack", "size of tensor", "shape mismatch", "out of bounds for dimension")
"""What models say of tokens that lie in one axis too many."""
_WIDTHS = (
    r"mat1 and mat2 shapes cannot be multiplied \(\d+x(?P<given>\d+) and (?P<made>\d+)x\d+\)",
    r"normalized_shape=\[(?P<made>\d+)\].*got input of size\[(?:\d+, )*(?P<given>\d+)\]",
    r"input\.size\(-1\) must be equal to input_size\. Expected (?P<made>\d+), got (?P<given>\d+)",
    r"running_mean should contain (?P<given>\d+) elements not (?P<made>\d+)",
    r"to have (?P<made>\d+) channels, but got (?P<given>\d+) channels",
)
"""What layers say of a number that they were not made for: of linear ones, norms, recurrent ones,
batch norms and convolutions."""


def key_not_there(seen: Data | Batch | Forward, view: View) -> Verdict | None:
    """The script's own code asks a row, or a batch, for a name that it does not have."""
    failure = seen.failure
    if failure is None or failure.exception != "KeyError" or failure.line is None:
        return None
    name = failure.message.strip("'\" ")
    known, dropped = _held(seen)
    if not known or name in (*known, *dropped):  # see column_dropped
        return None
    if not view.places.making.says_at(name, failure.line):
        return None  # a word that was looked up elsewhere
    return fault(failure.line, name=name, known=", ".join(known))


def taken_from_rows(seen: Batch | Forward, view: View) -> Verdict | None:
    """What makes a batch takes a value out of the rows themselves: the next time it is gone."""
    failure = seen.failure
    if failure is None or failure.exception != "KeyError" or failure.line is None:
        return None
    name = failure.message.strip("'\" ")
    line = view.places.making.popped(name, failure.line)
    if line is None or name in _held(seen)[1]:  # see column_dropped
        return None
    return fault(line, name=name)


def several_texts_a_row(seen: Forward, view: View) -> Verdict | None:
    """A model for one text a row, and rows of several, as those to choose from."""
    if not axis_too_many(seen) or seen.inputs_shape[1] == 1:
        return None
    name = view.facts.model_class
    shape = str(list(seen.inputs_shape))
    return fault(
        view.places.making.model(name), texts=seen.inputs_shape[1], shape=shape, model=name
    )


def row_in_a_row(seen: Forward, view: View) -> Verdict | None:
    """Each text was made a batch of its own before the collator made one of all."""
    if not axis_too_many(seen) or seen.inputs_shape[1] != 1:
        return None
    line = view.places.argument("return_tensors") or view.tokenizing
    return fault(line, shape=str(list(seen.inputs_shape)))


def words_as_texts(seen: Batch | Forward, view: View) -> Verdict | None:
    """A list of words is a list of texts to a tokenizer, unless it is told."""
    failure, row = seen.failure, getattr(seen, "first_row", {}).get(view.facts.main_input)
    if failure is None or not isinstance(row, list) or len(row) < 2:
        return None
    if not all(isinstance(one, list) and one and isinstance(one[0], int) for one in row):
        return None
    places = view.places
    if not places.call("word_ids") or places.argument("is_split_into_words") is not None:
        return None
    return fault(places.tokenizing() or view.tokenizing, texts=len(row), length=len(row[0]))


def refused_channels(failure: Failure) -> tuple[tuple[int, ...], int] | None:
    """The batch that a convolution refuses, and how many channels it was made for."""
    found = re.search(r"expected input\[([\d, ]+)\] to have (\d+) channels", failure.message)
    return found and (tuple(map(int, found[1].split(","))), int(found[2]))


def layer_of_other_width(seen: Forward, view: View) -> Verdict | None:
    said = seen.failure.message if seen.failure is not None else ""
    found = next(filter(None, (re.search(one, said) for one in _WIDTHS)), None)
    if seen.failure is None or found is None or not seen.broken_in:
        return None
    shape, channels = refused_channels(seen.failure) or ((), None)
    if shape[-1:] == (channels,):
        return None  # see channels_last
    made, given = int(found["made"]), int(found["given"])
    line = view.places.making.layer(seen.broken_in, made) or seen.failure.line
    line = line or view.places.making.model(view.facts.model_class)
    return fault(line, where=seen.broken_in, made=made, given=given)


def labels_of_truth(seen: Forward, view: View) -> Verdict | None:
    """True and False, where a loss wants to know the number of a class."""
    if seen.failure is None or seen.label_type != "bool" or len(seen.labels_shape) > 1:
        return None
    places = view.places
    return fault(
        places.written.labels_from(_is_truth) or places.written.labels() or seen.failure.line
    )


def labels_as_vectors(seen: Forward, view: View) -> Verdict | None:
    """A vector of whole numbers for each row, and a loss that counts them for so many labels."""
    said = seen.failure.message if seen.failure is not None else ""
    found = re.search(_OF_LABELS, said)
    if found is None or len(seen.labels_shape) != TWO_AXES or "int" not in seen.label_type:
        return None
    rows, width = seen.labels_shape
    if (int(found[1]), int(found[2])) != (rows, rows * width) or width != view.facts.num_labels:
        return None
    places = view.places
    line = places.written.labels_from(_makes_vectors) or places.written.labels()
    return fault(line, width=width)


def scores_alone(seen: Forward, view: View) -> Verdict | None:
    """A model that gives its scores and nothing else: the first of them is taken for the loss."""
    if not seen.bare:
        return None
    shape = str(list(seen.logits_shape))
    return fault(view.places.returned_by("forward"), shape=shape)


OF_ROWS: tuple[Rule, ...] = (key_not_there,)
OF_A_BATCH: tuple[Rule, ...] = (key_not_there, taken_from_rows, words_as_texts)
OF_A_MODEL: tuple[Rule, ...] = (
    key_not_there,
    taken_from_rows,
    several_texts_a_row,
    row_in_a_row,
    layer_of_other_width,
    labels_of_truth,
    labels_as_vectors,
    scores_alone,
)


def _held(seen: Data | Batch | Forward) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that the script's code could ask for, and those that the Trainer took away."""
    if isinstance(seen, Data):
        return seen.held, ()
    known = seen.fields if isinstance(seen, Forward) else tuple(seen.first_row)
    return known, seen.dropped


def axis_too_many(seen: Forward) -> bool:
    """Tokens in three axes, and a model of a library that takes them in two."""
    if seen.failure is None or seen.highest_id is None:
        return False
    inside = not seen.failure.frames or not seen.failure.frames[-1].own
    three = len(seen.inputs_shape) == TWO_AXES + 1
    return three and inside and any(map(seen.failure.says, _OF_AXES))


def _makes_vectors(value: ast.expr) -> bool:
    return any(isinstance(p, ast.Call) and name_of(p.func) in VECTORS for p in ast.walk(value))


def _is_truth(value: ast.expr) -> bool:
    if isinstance(value, ast.Compare):
        return True
    if isinstance(value, ast.Constant):
        return isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.Not | ast.Invert)
    return isinstance(value, ast.Call) and name_of(value.func) in _ASK
