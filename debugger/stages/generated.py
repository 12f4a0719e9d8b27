"""Answers that a model writes: how long they may be, and what decoding makes of them."""

from __future__ import annotations

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import same
from debugger.stages.judging import CannotJudge, Verdict, View, fault, look
from debugger.stages.scores import NOT_TRIED, metric_line

OFTEN_CUT, MOSTLY_CUT = 0.2, 0.5
_WRITTEN = ("max_length", "max_new_tokens")


def answers_cut(seen: Evaluate, view: View) -> Verdict | None:
    """The evaluation stops the model before an answer that is right can be written to its end."""
    if seen.written is None or not seen.wanted:
        return None
    longer = sum(one > seen.written for one in seen.wanted) / len(seen.wanted)
    if longer < OFTEN_CUT:
        return None
    line = view.places.argument("generation_max_length", "max_new_tokens", "generation_config")
    line = line or view.places.argument("predict_with_generate")
    asked = ((call, name) for call in ("evaluate", "predict") for name in _WRITTEN)
    by_hand = any(view.places.argument_in(*one) for one in asked)
    if by_hand and not seen.evaluations:
        return None  # nobody evaluates but who says how much may be written
    return (fault if longer > MOSTLY_CUT and not by_hand else look)(
        line, written=seen.written, share=longer
    )


def answers_drawn_out(seen: Evaluate, view: View) -> Verdict | None:
    """The evaluation makes the model write on where a right answer has ended."""
    if not seen.least or not seen.wanted:
        return None
    shorter = sum(one < seen.least for one in seen.wanted) / len(seen.wanted)
    if shorter < OFTEN_CUT:
        return None
    names = ("min_length", "min_new_tokens")
    line = view.places.argument(*names) or next(
        filter(None, map(view.places.assignment, names)), None
    )
    made = fault if shorter > MOSTLY_CUT else look
    return made(line, least=seen.least, share=shorter)


def decoded_unlike(seen: Evaluate, view: View) -> Verdict | None:
    """Answers with their end and padding tokens, held against texts without."""
    with_them = [line for skips, line in seen.decoded if not skips]
    if not with_them or len(with_them) == len(seen.decoded):
        return None
    tried = seen.trials
    never_right = tried is not None and same(tried.perfect, tried.drawn)
    return (fault if never_right else look)(with_them[0] or metric_line(view))


def metric_ignores_order(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same words the other way round are not the same answer."""
    tried = seen.trials
    if tried is None or tried.backwards is None:
        return NOT_TRIED
    for name, value in tried.perfect.items():
        exact = any(word in name.lower() for word in ("exact", "accuracy", "bleu", "match"))
        if exact and value != tried.drawn.get(name) and tried.backwards.get(name) == value:
            return fault(metric_line(view, name), name=name, value=value)
    return None


def decodes_ignored(seen: Evaluate, view: View) -> Verdict | None:
    """The -100 of the labels is no token: a tokenizer cannot make a word of it."""
    if seen.failure is None or not seen.called:
        return None
    known = (
        "out of range integral type conversion",
        "can't convert negative int to unsigned",
        "number too small to fit in target type",
    )
    if not any(map(seen.failure.says, known)):
        return None
    line = view.places.handed.taken_over(seen.failure.line, "label_ids") or seen.failure.line
    return fault(line or metric_line(view), ignored=-100)
