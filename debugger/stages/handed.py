"""What is handed over to be measured: rows to the model, answers and labels to the metric."""

from __future__ import annotations

import re

from debugger.pipelines.evaluate import Evaluate
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View, fault, look
from debugger.stages.scores import in_metric, metric_line

FEW_BESIDE = 4
"""So many times as many places has a row as it has classes, at least."""
_CALLS_SCORES = ("continuous", "multioutput", "multilabel-indicator")
"""What scikit-learn takes a score for each class for: as they are, rounded, rounded to 0 and 1."""


def logits_into_metric(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The metric wants one class for each row and is handed a score for each class."""
    if view.facts.task in ("seq2seq", "causal_lm", "masked_lm"):
        return _scores_decoded(seen, view)
    if view.facts.task not in ("classification", "tokens"):
        return NOT_FOR_THIS_TASK
    if seen.failure is None or not seen.called:
        return None
    handed = _shape(seen, "predictions")
    references = _shape(seen, "references")
    as_scores = len(handed) == len(references) + 1 and handed[: len(references)] == references
    if not as_scores and not any(map(seen.failure.says, _CALLS_SCORES)):
        return None
    line = view.places.handed.before(seen.failure.line)
    line = view.places.handed.called_answers(line) or line or metric_line(view)
    shape = handed or seen.given.get("predictions", ())
    return fault(line, shape=str(list(shape)), rows=seen.rows)


def trainer_cannot_generate(seen: Evaluate, view: View) -> Verdict | None:
    """The arguments know predict_with_generate, and only Seq2SeqTrainer goes by it."""
    if not seen.asks_in_vain:
        return None
    line = view.places.call("Trainer") or view.places.argument("predict_with_generate")
    shape = str(list(seen.given.get("predictions", ())))
    return (fault if seen.failure is not None and seen.called else look)(line, shape=shape)


def _scores_decoded(seen: Evaluate, view: View) -> Verdict | None:
    """A tokenizer makes words of numbers, and is given a score for every word that there is."""
    given, labels = seen.given.get("predictions", ()), seen.given.get("label_ids", ())
    if seen.failure is None or not seen.called or len(given) != 3 or len(labels) != 2:
        return None
    if seen.failure.exception not in ("TypeError", "OverflowError", "ValueError"):
        return None
    line = view.places.argument("predict_with_generate")
    line = line or view.places.handed.before(seen.failure.line) or metric_line(view)
    return fault(line, shape=str(list(given)), rows=seen.rows)


def wrong_axis(seen: Evaluate, view: View) -> Verdict | None:
    handed, references = _shape(seen, "predictions"), _shape(seen, "references")
    classes = _classes_given(seen)
    if not handed and classes is not None and _counts_classes_for_rows(seen, classes):
        line = view.places.handed.before(seen.failure.line if seen.failure else None)
        return fault(line or metric_line(view), given=classes, wanted=seen.rows)
    if not handed or len(handed) != 1 or len(references) != 1 or handed == references:
        return None
    if handed[0] != seen.num_labels:
        return None
    line = view.places.argument("axis") or metric_line(view)
    return fault(line, given=handed[0], wanted=references[0])


def argmax_over_places(seen: Evaluate, view: View) -> Verdict | None:
    """Where every place of a row has its classes, the largest is one of them, at each place."""
    chosen = view.places.argument("preprocess_logits_for_metrics")
    answers, labels = seen.given.get("predictions", ()), seen.given.get("label_ids", ())
    if chosen is None or seen.failure is None or len(answers) != 2 or len(labels) != 2:
        return None
    if FEW_BESIDE * answers[1] > labels[1] or seen.num_labels not in (None, answers[1]):
        return None
    line = view.places.call(".argmax", "argmax") or chosen
    return fault(line, given=answers[1], wanted=labels[1])


def argmax_along_places(seen: Evaluate, view: View) -> Verdict | None:
    """Every place of a row has its classes, and the largest is looked for among the places."""
    answers, labels = (seen.given.get(name, ()) for name in ("predictions", "label_ids"))
    largest = view.places.handed.largest_looked_for("compute_metrics")
    if largest is None or len(answers) != 3 or len(labels) != 2 or answers[:2] != labels:
        return None
    line, axis = largest
    if axis is None or axis % 3 == 2:
        return None
    left = [size for place, size in enumerate(answers) if place != axis % 3]
    told = {"given": str(list(answers)), "left": str(left), "labels": str(list(labels))}
    return fault(line, axis=axis, **told)


def _classes_given(seen: Evaluate) -> int | None:
    """The model says it, or else the width of what the metric is given for each row."""
    given = seen.given.get("predictions", ())
    wide = len(given) == 2 and given[0] == seen.rows
    return seen.num_labels or (given[1] if wide else None)


def _counts_classes_for_rows(seen: Evaluate, classes: int) -> bool:
    """scikit-learn and NumPy say of how many answers and labels they could make no pairs."""
    if seen.failure is None or not seen.called or classes == seen.rows:
        return False
    unequal = seen.failure.says("inconsistent numbers of samples") or seen.failure.says("broadcast")
    told = {int(one) for one in re.findall(r"\d+", seen.failure.message)}
    return unequal and {classes, seen.rows} <= told


def eval_rows_lack_input(seen: Evaluate, view: View) -> Verdict | None:
    """What prepares the training rows was never used on those that are to judge."""
    if seen.failure is None:
        return None
    missed = next((name for name in seen.lacks if seen.failure.says(name)), None)
    if missed is None:
        return None
    return fault(view.places.origins.handed("eval_dataset"), name=missed)


def labels_never_reach_metric(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not seen.has_metric:
        return unmetered(view)
    if seen.eval_rows is None:
        return CannotJudge("no_eval_set")
    if seen.called or seen.failure is not None or seen.untold:
        return None  # see label_name_untold
    return fault(view.places.argument("label_names") or eval_line(view), rows=seen.rows)


def label_name_untold(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A Trainer takes what is called `labels` for labels, and asks no metric without them."""
    if not seen.has_metric:
        return unmetered(view)
    if not seen.untold or seen.called or seen.failure is not None:
        return None
    line = view.places.argument("label_names") or view.places.call("TrainingArguments")
    return fault(line, name=seen.untold, known=", ".join(seen.label_names) or "labels")


def float_scores_cut(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The evaluate library makes whole numbers out of fractions without a word."""
    if view.facts.task != "classification":
        return NOT_FOR_THIS_TASK
    if not seen.into_metric:
        return CannotJudge("metric_out_of_sight")
    handed = seen.into_metric[0].get("predictions", {})
    references = seen.into_metric[0].get("references", {})
    if len(handed.get("shape", ())) != 1 or "float" not in handed["dtype"]:
        return None
    return fault(metric_line(view)) if "int" in references.get("dtype", "") else None


def logits_lose_a_row(seen: Evaluate, view: View) -> Verdict | None:
    """The Trainer takes the first of what is neither a mapping nor a tuple, too."""
    if not seen.loses or not seen.has_metric:
        return None
    return fault(view.places.returned_by("compute_loss"), what=seen.loses)


def answers_in_a_tuple(seen: Evaluate, view: View) -> Verdict | None:
    """The model gives more than its scores, and the metric takes the lot for them."""
    if seen.failure is None or not seen.called or seen.parts < 2:
        return None
    if not any(map(seen.failure.says, ("tuple", "inhomogeneous", "too many values to unpack"))):
        return None
    line = view.places.making.switched_on("output_hidden_states", "output_attentions")
    line = line or view.places.handed.answers_taken("compute_metrics")
    return fault(line or seen.failure.line or metric_line(view), parts=seen.parts)


def label_names_in_other_order(seen: Evaluate, view: View) -> Verdict | None:
    """The metric takes the labels apart in another order than the Trainer puts them together."""
    if seen.failure is None or not seen.called or not seen.other_order:
        return None
    line = view.places.argument("label_names") or seen.failure.line
    return fault(line, given=", ".join(seen.label_names), wanted=", ".join(seen.other_order))


def picked_already(seen: Evaluate, view: View) -> Verdict | None:
    """The answers come with the best one picked, and the metric looks for the best once more."""
    given, labels = seen.given.get("predictions", ()), seen.given.get("label_ids", ())
    if seen.failure is None or not seen.called or not given or len(given) != len(labels):
        return None
    if seen.parts > 1:
        return None  # which is which nobody knows here
    line = in_metric(view.places.handed.calls, "argmax")
    return None if line is None else fault(line, shape=str(list(given)))


def unmetered(view: View) -> CannotJudge:
    """A loop of the script's own measures by itself."""
    return NOT_FOR_THIS_TASK if view.facts.by_hand else CannotJudge("no_metric")


def eval_line(view: View) -> int | None:
    return view.places.argument("eval_dataset") or view.places.fits.validated()


def _shape(seen: Evaluate, name: str) -> tuple[int, ...]:
    call = seen.into_metric[0] if seen.into_metric else {}
    return tuple(call.get(name, {}).get("shape", ()))
