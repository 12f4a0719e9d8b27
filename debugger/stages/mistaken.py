"""Exceptions about tables and rows: another table, or another row, was meant than was given."""

from __future__ import annotations

import re

from debugger.stages.judging import Rule, Seen, Verdict, View, fault

_NO_NUMBER = r"invalid literal for int\(\) with base 10: ['\"](.*)['\"]"
_NUMBERED = "id2label"


def names_for_numbers(seen: Seen, view: View) -> Verdict | None:
    """The table from names to numbers stands where the one from numbers to names is wanted."""
    failure = seen.failure
    found = re.search(_NO_NUMBER, failure.message) if failure is not None else None
    if failure is None or found is None or not failure.frames or failure.frames[-1].own:
        return None
    line = view.places.argument(_NUMBERED)
    within = any("config" in frame.file and not frame.own for frame in failure.frames)
    if line is None or not within:
        return None
    return fault(view.places.argument_at(_NUMBERED, line), name=found[1])


def first_row_for_all(seen: Seen, view: View) -> Verdict | None:
    """Each row is laid on the words of the first, which has fewer or more of them."""
    failure = seen.failure
    if failure is None or failure.exception != "IndexError":
        return None
    if not failure.frames or not failure.frames[-1].own:
        return None
    line = view.places.first_row_asked()
    return None if line is None else fault(line, said=failure.message)


def index_kept(seen: Seen, view: View) -> Verdict | None:
    """A Series is asked for a row by its place, and goes by the numbers that rows had before."""
    failure = seen.failure
    if failure is None or failure.exception != "KeyError" or not failure.message.isdigit():
        return None
    if not any("pandas" in frame.file and "series" in frame.file for frame in failure.frames):
        return None
    attribute = view.places.asked_by_place(failure.line)
    line = view.places.assignment(attribute) if attribute else None
    return fault(line or failure.line, said=failure.message)


def smoothing_takes_labels(seen: Seen, view: View) -> Verdict | None:
    """The loss is made without the model, which then has nothing to make decoder inputs of."""
    failure, line = seen.failure, view.places.argument("label_smoothing_factor")
    if failure is None or line is None or failure.exception != "ValueError":
        return None
    left_empty = view.facts.task == "seq2seq" and failure.says("either input_ids or inputs_embeds")
    return fault(line) if left_empty or failure.says("decoder_input_ids") else None


RULES: tuple[Rule, ...] = (
    names_for_numbers,
    first_row_for_all,
    index_kept,
    smoothing_takes_labels,
)
