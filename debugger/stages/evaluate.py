"""Does the metric measure what you think? What reaches it, and what it says of made-up guesses."""

from __future__ import annotations

from typing import Any

from debugger.evidence.tables import matrix, pairs, say, table
from debugger.outcome import Evidence
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.face import Pipeline
from debugger.pipelines.facts import Facts
from debugger.stages import (
    amounts,
    by_hand,
    generated,
    handed,
    held,
    metric,
    oversights,
    pairing,
    printed,
    several,
    slips,
    tagged,
    watched,
)
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
        return handed.unmetered(view)
    if seen.evaluations is None:
        return CannotJudge("own_evaluation")
    if seen.evaluations or view.facts.compiled is not None:  # which measures the training rows, too
        return None
    if not view.has_script:
        return NO_SCRIPT
    if view.places.measures_after_training():
        return None
    return fault(_strategy_line(view), steps=seen.steps, strategy=seen.strategy)


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


def metric_name_unknown(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if seen.best_metric is None or view.facts.compiled is not None:
        return None  # see watched_in_vain
    if seen.failure is not None or not seen.known_metrics:
        return CannotJudge("no_answer")
    if isinstance(handed.label_name_untold(seen, view), Verdict):
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
    return fault(seen.picked_line or handed.eval_line(view), share=share, rows=seen.looked_at)


def few_kinds_of_rows(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    if not seen.looked_at:
        return CannotJudge("no_eval_set")
    share = seen.shared_rows / seen.looked_at
    if share < SAME_SHARE or not _of_few_kinds(seen):
        return None
    told = {"share": share, "rows": seen.looked_at, "repeated": seen.repeated}
    return look(seen.picked_line or handed.eval_line(view), **told)


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
    line = line or places.apart_from("eval_dataset", "train_dataset") or handed.eval_line(view)
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
    handed.trainer_cannot_generate,
    handed.eval_rows_lack_input,
    handed.logits_into_metric,
    handed.wrong_axis,
    handed.argmax_over_places,
    handed.argmax_along_places,
    handed.label_name_untold,
    handed.labels_never_reach_metric,
    handed.float_scores_cut,
    metric_name_unknown,
    eval_set_is_train_set,
    few_kinds_of_rows,
    label_order,
    model_label_order,
    metric.metric_flatters_constant,
    metric.metric_wrong_on_perfect,
    callback_stops_on_bad,
    handed.logits_lose_a_row,
    metric.metric_remembers,
    metric.metric_misses_nearest,
    generated.answers_cut,
    generated.answers_drawn_out,
    amounts.metric_error_on_perfect,
    amounts.error_with_sign,
    amounts.error_in_scaled_units,
    tagged.outside_counted,
    tagged.strays_uncounted,
    generated.decoded_unlike,
    handed.answers_in_a_tuple,
    handed.label_names_in_other_order,
    handed.picked_already,
    metric.metric_blind,
    metric.metric_all_or_nothing,
    several.never_a_no,
    several.never_a_yes,
    tagged.metric_takes_first_places,
    metric.f1_of_rows,
    tagged.metric_counts_ignored,
    metric.metric_prefers_chance,
    several.metric_counts_one_label,
    several.labels_compete,
    several.labels_share_one_whole,
    amounts.metric_mixes_rows,
    several.threshold_on_logits,
    amounts.amounts_held_equal,
    amounts.accuracy_of_amounts,
    metric.accuracy_of_cells,
    tagged.metric_not_shifted,
    metric.average_named_otherwise,
    metric.score_named_otherwise,
    metric.auc_of_choices,
    metric.metric_leaves_class_out,
    amounts.scaled_back_twice,
    generated.metric_ignores_order,
    *watched.RULES,
    generated.decodes_ignored,
    *oversights.OF_A_METRIC,
    *held.RULES,
    *printed.RULES,
    *slips.OF_NUMBERS,
    *by_hand.OF_NUMBERS,
    *pairing.OF_NUMBERS,
)
"""They are judged in this order, in which rules of several files stand among each other."""
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


def _strategy_line(view: View) -> int | None:
    places = view.places
    return places.argument("eval_steps", "eval_strategy") or places.call(
        "TrainingArguments", "Trainer", ".fit"
    )
