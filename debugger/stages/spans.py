"""Rules about the places of answers: do the tokens that a row marks say what was to be found?"""

from __future__ import annotations

from typing import Any

from debugger.pipelines.answers import Answers
from debugger.pipelines.data import Data
from debugger.pipelines.targets import Spans
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.targets import (
    FEWEST_ROWS,
    HARDLY_ANY,
    MANY_ROWS,
    NEARLY_ALL,
    aims_of,
    labelling,
)

OUTSIDE_SHARE = 0.2


def spans_of_other_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What the marked tokens say is held against the answer that the rows were made of."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if not found.in_other_text or found.other < OUTSIDE_SHARE * found.rows:
        return None
    line = found.counted_at or view.places.written.under("answer_start", "answers")
    return fault(line, **_read(found))


def answers_in_first_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A question and a context changed places, and the answers are looked for in the second."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if found.in_first < NEARLY_ALL * max(1, found.rows):
        return None
    line = view.places.meant.first_text(view.tokenizing) or view.tokenizing
    return fault(line, **_read(found))


def spans_at_other_tokens(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The letters are right, and on the way to the tokens the places go astray."""
    found = _answers(seen, view)
    if isinstance(found, CannotJudge):
        return found
    if found.in_other_text or found.other < OUTSIDE_SHARE * found.rows:
        return None
    if isinstance(answers_in_first_text(seen, view), Verdict):
        return None  # which says why
    return fault(_spanning(view), **_read(found))


def spans_all_absent(seen: Data, view: View) -> Verdict | CannotJudge | None:
    spans = _spans(seen)
    if spans is None or spans.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if spans.absent < spans.rows:
        return None
    return fault(view.places.condition_of(_spanning(view)), rows=spans.rows)


def spans_outside(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Places of letters in place of tokens: the loss ignores what lies behind the last token."""
    spans = _spans(seen)
    if spans is None:
        return NOT_FOR_THIS_TASK
    if not spans.outside:
        return None
    share = spans.outside / spans.rows
    verdict = fault if share >= OUTSIDE_SHARE else look
    return verdict(_spanning(view), rows=spans.outside, share=share)


def spans_reversed(seen: Data, view: View) -> Verdict | CannotJudge | None:
    spans = _spans(seen)
    if spans is None:
        return NOT_FOR_THIS_TASK
    share = spans.reversed / spans.rows
    if not spans.reversed:
        return None
    verdict = fault if share > HARDLY_ANY else look
    return verdict(_spanning(view), rows=spans.reversed, share=share)


def spans_of_one_token(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Answers of one word may be wanted. More often the start was given as the end, too."""
    spans = _spans(seen)
    if spans is None or spans.rows < MANY_ROWS:
        return NOT_FOR_THIS_TASK
    if not spans.of_one or spans.of_one + spans.absent < spans.rows:
        return None
    line = view.places.put_again("start_positions", "end_positions")
    line = line or view.places.written.under("end_positions") or _spanning(view)
    return look(line, rows=spans.of_one)


def spans_in_the_question(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Counted from where the context begins, and not from where the question does."""
    spans = _spans(seen)
    if spans is None or spans.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if spans.in_question < OUTSIDE_SHARE * spans.rows:
        return None
    if any(isinstance(one(seen, view), Verdict) for one in _OF_TEXTS):
        return None  # which read what stands there
    share = spans.in_question / spans.rows
    return look(_spanning(view), rows=spans.in_question, share=share)


_OF_TEXTS = (spans_of_other_text, answers_in_first_text, spans_at_other_tokens)


RULES: tuple[Rule, ...] = (
    spans_of_other_text,
    answers_in_first_text,
    spans_at_other_tokens,
    spans_all_absent,
    spans_outside,
    spans_reversed,
    spans_of_one_token,
    spans_in_the_question,
)


def _spans(seen: Data) -> Spans | None:
    return aims.spans if (aims := aims_of(seen)) else None


def _answers(seen: Data, view: View) -> Answers | CannotJudge:
    found = seen.train.answers if seen.train else None
    known = found is not None and found.rows >= FEWEST_ROWS and view.facts.task == "spans"
    return found if found is not None and known else NOT_FOR_THIS_TASK


def _read(found: Answers) -> dict[str, Any]:
    return {"rows": found.other, "of": found.rows, "read": found.read, "wanted": found.wanted}


def _spanning(view: View) -> int | None:
    return view.places.written.under("start_positions") or labelling(view)
