"""Does the metric measure what you think? What reaches it, and what it says of made-up guesses."""

from __future__ import annotations

import math
import re
from typing import Any

from debugger.evidence.tables import matrix, pairs, say, table
from debugger.outcome import Evidence
from debugger.pipelines.face import Evaluate, Facts, Pipeline
from debugger.stages import by_hand, held, metric, oversights, pairing, printed, slips
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    snippet,
    traceback_shown,
)

SAME_SHARE = 0.95
DROPPED = 0.05
"""Of the rows to evaluate on, that no evaluation sees; a few of many change no number."""
FEW_BESIDE = 4
"""So many times as many places has a row as it has classes, at least."""
_CALLS_SCORES = ("continuous", "multioutput", "multilabel-indicator")
"""What scikit-learn takes a score for each class for: as they are, rounded, rounded to 0 and 1."""
_WHATEVER_THE_CLASSES = ("accuracy", "matthews_correlation")
_HIGHER_IS_BETTER = ("accuracy", "f1", "precision", "recall", "matthews_correlation")
_PERFECT = (1.0, 100.0)
_FEW_PERCENT = 20.0


def observe(pipeline: Pipeline, *_: Any) -> Evaluate:
    return pipeline.evaluate()


def measured(seen: Evaluate) -> dict[str, Any]:
    return {
        "has_metric": seen.has_metric,
        "called": seen.called,
        "eval_rows": seen.eval_rows,
        "answers": sorted(seen.real),
        "constant": seen.constant,
        "perfect": seen.perfect,
    }


def show(seen: Evaluate, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("evaluate", seen.failure, snippet(facts, "evaluate"))
    fitted = facts.compiled is not None
    plan = [
        ("evaluates_every" if fitted else "eval_strategy", seen.strategy),
        ("steps_planned", seen.steps),
        ("evaluations", seen.evaluations),
        ("eval_rows", seen.eval_rows),
        ("metrics" if fitted else "compute_metrics", say("given" if seen.has_metric else "none")),
    ]
    plan = [("eval_rows", seen.eval_rows)] if facts.by_hand else plan
    shown.append(pairs("evaluations", "evaluate", plan, snippet(facts, "evaluations")))
    if names := _names_shown(seen):
        columns = ["label", "training_set", "evaluation_set", "model"]
        typed = snippet(facts, "label_names")
        shown.append(table("label_names", "evaluate", columns, names, typed))
    if rows := _handed(seen):
        typed = snippet(facts, "into_metric")
        shown.append(table("into_metric", "evaluate", ["what", "shape", "dtype"], rows, typed))
    if seen.guesses:
        typed = snippet(facts, "guesses")
        shown.append(matrix("guesses", "evaluate", seen.guesses, facts.label_names, typed))
    if seen.real:
        answers = {
            "this_model": seen.real,
            "one_class": seen.constant,
            "all_right": seen.perfect,
        }
        rows = [
            [say(who), name, value]
            for who, answer in answers.items()
            for name, value in (answer or {}).items()
        ]
        columns = ["predictions", "metric", "answer"]
        typed = snippet(facts, "metric_answers")
        shown.append(table("metric_answers", "evaluate", columns, rows, typed))
    return shown


def no_eval_set(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Who asks for answers of its own after the training may ask for those on other rows."""
    if view.facts.by_hand and view.facts.compiled is not None and seen.eval_rows is None:
        return CannotJudge("own_evaluation")
    places = view.places
    asks = places.predicts_after_training() or places.evaluates_others_after_training()
    asks = asks or (view.facts.by_hand and places.call("no_grad", "inference_mode", ".eval"))
    if seen.eval_rows is not None or seen.evaluations or asks:
        return None
    return look(view.places.call("Trainer", ".fit", ".backward"))


def no_metric(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The loss of a language model is its measure, as e to its power is the perplexity; and that of
    amounts is a mean error.

    Who asks for the answers after the training measures them by hand.
    """
    if view.facts.task in ("causal_lm", "masked_lm", "regression"):
        return NOT_FOR_THIS_TASK
    if seen.eval_rows is None:
        return CannotJudge("no_eval_set")
    if view.facts.by_hand:
        return CannotJudge("own_evaluation")
    if seen.has_metric or view.places.predicts_after_training() or _never_evaluates(seen, view):
        return None
    return look(view.places.call("Trainer", ".fit"))


def set_never_used(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Rows to be judged by are handed over, and nothing asks about them."""
    if seen.eval_rows is None:
        return CannotJudge("no_eval_set")
    if not view.has_script:
        return NO_SCRIPT
    if isinstance(blind_training(seen, view), Verdict) or seen.has_metric:
        return None  # which says more, here or by itself
    if not _never_evaluates(seen, view):
        return None
    return look(_strategy_line(view), rows=seen.eval_rows, strategy=seen.strategy)


def _never_evaluates(seen: Evaluate, view: View) -> bool:
    """Neither while it trains nor behind that. Only a script shows what comes behind."""
    if not view.has_script or view.facts.compiled is not None or seen.evaluations != 0:
        return False
    places = view.places
    return not places.measures_after_training() and not places.predicts_after_training()


def blind_training(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A classifier that nothing measures. For a language model the loss is the number to watch.

    A set to evaluate on that is never used was given for something; no set at all is a choice.
    """
    if view.facts.task not in ("classification", "multilabel"):
        return NOT_FOR_THIS_TASK
    if seen.evaluations is None or (view.facts.by_hand and view.facts.compiled is not None):
        return CannotJudge("own_evaluation")
    if seen.evaluations or seen.has_metric or view.places.measures_after_training():
        return None
    compares = seen.eval_rows is not None or seen.best_metric is not None
    verdict = fault if compares and view.has_script else look
    return verdict(_strategy_line(view), steps=seen.steps, strategy=seen.strategy)


def metric_never_called(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Only a script shows that nobody calls trainer.evaluate() by hand afterwards."""
    if not seen.has_metric:
        return _unmetered(view)
    if seen.evaluations is None:
        return CannotJudge("own_evaluation")
    if seen.evaluations or view.facts.compiled is not None:  # which measures the training rows, too
        return None
    if not view.has_script:
        return NO_SCRIPT
    if view.places.measures_after_training():
        return None
    return fault(_strategy_line(view), steps=seen.steps, strategy=seen.strategy)


def _unmetered(view: View) -> CannotJudge:
    """A loop of the script's own measures by itself."""
    return NOT_FOR_THIS_TASK if view.facts.by_hand else CannotJudge("no_metric")


def best_never_chosen(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """An evaluation is to choose the best model, or the end, and comes later than the end."""
    if view.facts.compiled is not None:
        return None  # see watched_in_vain
    if seen.evaluations is None:
        return CannotJudge("own_evaluation")
    chooses = seen.best_metric is not None or seen.waits is not None
    if not chooses or seen.evaluations or not seen.steps:
        return None
    if any(isinstance(rule(seen, view), Verdict) for rule in (blind_training, metric_never_called)):
        return None  # which say more
    return look(_strategy_line(view), steps=seen.steps)


def evaluation_drops_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not seen.eval_rows:
        return CannotJudge("no_eval_set")
    share = seen.unfilled / seen.eval_rows
    if share < DROPPED:
        return None
    line = view.places.argument("dataloader_drop_last")
    return look(line, dropped=seen.unfilled, rows=seen.eval_rows, share=share)


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
    line = view.places.handed.called_answers(line) or line or metric.metric_line(view)
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
    line = line or view.places.handed.before(seen.failure.line) or metric.metric_line(view)
    return fault(line, shape=str(list(given)), rows=seen.rows)


def wrong_axis(seen: Evaluate, view: View) -> Verdict | None:
    handed, references = _shape(seen, "predictions"), _shape(seen, "references")
    classes = _classes_given(seen)
    if not handed and classes is not None and _counts_classes_for_rows(seen, classes):
        line = view.places.handed.before(seen.failure.line if seen.failure else None)
        return fault(line or metric.metric_line(view), given=classes, wanted=seen.rows)
    if not handed or len(handed) != 1 or len(references) != 1 or handed == references:
        return None
    if handed[0] != seen.num_labels:
        return None
    line = view.places.argument("axis") or metric.metric_line(view)
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
        return _unmetered(view)
    if seen.eval_rows is None:
        return CannotJudge("no_eval_set")
    if seen.called or seen.failure is not None or seen.untold:
        return None  # see label_name_untold
    return fault(view.places.argument("label_names") or _eval_line(view), rows=seen.rows)


def label_name_untold(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A Trainer takes what is called `labels` for labels, and asks no metric without them."""
    if not seen.has_metric:
        return _unmetered(view)
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
    return fault(metric.metric_line(view)) if "int" in references.get("dtype", "") else None


def metric_name_unknown(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if seen.best_metric is None or view.facts.compiled is not None:
        return None  # see watched_in_vain
    if seen.failure is not None or not seen.known_metrics:
        return CannotJudge("no_answer")
    if isinstance(label_name_untold(seen, view), Verdict):
        return None  # which says why
    if seen.best_metric.removeprefix("eval_") in {
        n.removeprefix("eval_") for n in seen.known_metrics
    }:
        return None
    line = view.places.argument("metric_for_best_model", "load_best_model_at_end")
    known = ", ".join(n for n in seen.known_metrics if "per_second" not in n and "time" not in n)
    return fault(line, name=seen.best_metric, known=known)


def eval_set_is_train_set(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not seen.looked_at:
        return CannotJudge("no_eval_set")
    share = seen.shared_rows / seen.looked_at
    if share < SAME_SHARE or _of_few_kinds(seen):
        return None
    return fault(seen.picked_line or _eval_line(view), share=share, rows=seen.looked_at)


def few_kinds_of_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not seen.looked_at:
        return CannotJudge("no_eval_set")
    share = seen.shared_rows / seen.looked_at
    if share < SAME_SHARE or not _of_few_kinds(seen):
        return None
    told = {"share": share, "rows": seen.looked_at, "repeated": seen.repeated}
    return look(seen.picked_line or _eval_line(view), **told)


def _of_few_kinds(seen: Evaluate) -> bool:
    """Where most training rows repeat another one, rows of any other split repeat one too."""
    natural = 2 * seen.repeated >= seen.shared_rows / max(1, seen.looked_at)
    return natural and not seen.same_rows


def label_order(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The same names under other numbers: what is right is counted as wrong."""
    if view.facts.task != "classification":
        return NOT_FOR_THIS_TASK
    if seen.train_names is None or seen.eval_names is None:
        return CannotJudge("no_class_names")
    places = view.places
    line = places.call("align_labels_with_mapping", "class_encode_column")
    line = line or places.apart_from("eval_dataset", "train_dataset") or _eval_line(view)
    return _reordered(seen.train_names, seen.eval_names, line)


def model_label_order(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """The model learns the numbers of the data, and will answer with names of its own."""
    if view.facts.task != "classification":
        return NOT_FOR_THIS_TASK
    if seen.train_names is None:
        return CannotJudge("no_class_names")
    if seen.model_names is None:
        return CannotJudge("no_model_names")
    line = view.places.argument("id2label", "label2id") or view.places.call("from_pretrained")
    return _reordered(seen.train_names, seen.model_names, line)


def metric_flatters_constant(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Always guessing the same class must not score as well as being right."""
    if seen.constant is None or seen.perfect is None:
        return CannotJudge("metric_not_tried")
    known = next((n for n in seen.perfect if _plainly(n) in _HIGHER_IS_BETTER), None)
    name = known or next(iter(seen.perfect), None)
    if name is None or seen.constant.get(name) != seen.perfect[name]:
        return None
    if known is None and seen.constant != seen.perfect:
        return None  # a number of another kind beside the one that measures
    verdict = fault if known else look
    return verdict(metric.metric_line(view, name), name=name, value=seen.perfect[name])


def metric_wrong_on_perfect(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A metric may count to 1 or in percent. Means over classes want every class to be there."""
    perfect = _of_choices(seen, view) if seen.perfect is None else seen.perfect
    if perfect is None:
        return _of_tokens(seen, view)
    if isinstance(metric.metric_remembers(seen, view), Verdict):
        return None  # which says more
    every_class = seen.tried_classes is None or seen.tried_classes == seen.num_labels
    every_class = every_class and seen.perfect is not None
    names = _HIGHER_IS_BETTER if every_class else _WHATEVER_THE_CLASSES
    wrong = [n for n, v in perfect.items() if _plainly(n) in names and not _is_perfect(v)]
    if not wrong:
        return None
    line = seen.strays_at or metric.metric_line(view, wrong[0])
    return fault(line, name=wrong[0], value=perfect[wrong[0]])


def _of_choices(seen: Evaluate, view: View) -> dict[str, float] | None:
    """A choice among several has no classes that could be missing: it has places."""
    tried = seen.trials
    chosen = tried is not None and tried.kind == "classes"
    return tried.perfect if tried and chosen and view.facts.task == "multiple_choice" else None


def _of_tokens(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Every token that counts is right. A number that counts the others too is another matter."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens":
        return CannotJudge("metric_not_tried")
    more = (metric.metric_counts_ignored, metric.metric_blind, metric.metric_remembers)
    if any(isinstance(one(seen, view), Verdict) for one in more):
        return None  # which say more
    perfect = tried.perfect
    shares = [n for n in perfect if any(word in n.lower() for word in metric.SHARES)]
    wrong = [n for n in shares if _is_no_share(perfect[n])]
    if all(_is_perfect(perfect.get(n, 0.0)) for n in ("precision", "recall")):
        wrong += [n for n in shares if n == "f1" and not _is_perfect(perfect[n])]
    if not wrong:
        return None  # where it is less than all, classes that never occur may be counted
    return fault(metric.metric_line(view, wrong[0]), name=wrong[0], value=perfect[wrong[0]])


def callback_stops_on_bad(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A condition the wrong way round. To give up what is hopeless may be meant, too."""
    if seen.stops_on_bad is None:
        return None
    name, event = seen.stops_on_bad
    line = view.places.origins.stopping_in(name)
    return look(line, name=name, event=event, loss=seen.loss or 0.0)


RULES: tuple[Rule, ...] = (
    blind_training,
    metric_never_called,
    best_never_chosen,
    no_eval_set,
    no_metric,
    set_never_used,
    evaluation_drops_rows,
    trainer_cannot_generate,
    eval_rows_lack_input,
    logits_into_metric,
    wrong_axis,
    argmax_over_places,
    argmax_along_places,
    label_name_untold,
    labels_never_reach_metric,
    float_scores_cut,
    metric_name_unknown,
    eval_set_is_train_set,
    few_kinds_of_rows,
    label_order,
    model_label_order,
    metric_flatters_constant,
    metric_wrong_on_perfect,
    callback_stops_on_bad,
    *metric.RULES,
    *oversights.OF_A_METRIC,
    *held.RULES,
    *printed.RULES,
    *slips.OF_NUMBERS,
    *by_hand.OF_NUMBERS,
    *pairing.OF_NUMBERS,
)
EVALUATE = Stage("evaluate", observe, show, measured, RULES)


def _reordered(
    trained: tuple[str, ...], other: tuple[str, ...], line: int | None
) -> Verdict | None:
    here, there = ([name.lower() for name in names] for names in (trained, other))
    moved = [number for number, name in enumerate(here) if name not in there[number : number + 1]]
    if not moved or sorted(here) != sorted(there):
        return None
    first = moved[0]
    return fault(
        line,
        label=first,
        train=trained[first],
        other=other[first],
        moved=len(moved),
        classes=len(here),
    )


def _plainly(name: str) -> str:
    """As it is called that Keras calls `sparse_categorical_accuracy`."""
    kinds = ("acc", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy")
    return "accuracy" if name in kinds else name


def _is_perfect(value: float) -> bool:
    return any(math.isclose(value, best, rel_tol=1e-3) for best in _PERFECT)


def _is_no_share(value: float) -> bool:
    """Of 1 or of a hundred. A metric in percent that says less of all right answers than
    `_FEW_PERCENT` is none."""
    return not _is_perfect(value) and (1 < value < _FEW_PERCENT or value > max(_PERFECT))


def _handed(seen: Evaluate) -> list[list[Any]]:
    """What compute_metrics is handed, and what it hands on to the metric."""
    rows = [[say("handed", name=n), str(list(shape)), ""] for n, shape in seen.given.items()]
    for call in seen.into_metric[:1]:
        rows += [[say("handed_on", name=n), str(v["shape"]), v["dtype"]] for n, v in call.items()]
    return rows


def _names_shown(seen: Evaluate) -> list[list[Any]]:
    columns = (seen.train_names, seen.eval_names, seen.model_names)
    most = max(len(names or ()) for names in columns)
    return [
        [number, *(names[number] if names and number < len(names) else None for names in columns)]
        for number in range(most)
    ]


def _shape(seen: Evaluate, name: str) -> tuple[int, ...]:
    call = seen.into_metric[0] if seen.into_metric else {}
    return tuple(call.get(name, {}).get("shape", ()))


def _eval_line(view: View) -> int | None:
    return view.places.argument("eval_dataset") or view.places.fits.validated()


def _strategy_line(view: View) -> int | None:
    places = view.places
    return places.argument("eval_steps", "eval_strategy") or places.call(
        "TrainingArguments", "Trainer", ".fit"
    )
