"""Every rule was seen to fire, and to stay silent beside it.

Most are seen in the catalogue, whose proof runs them. The others have a case here on plain values,
with the smallest change that silences them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import pytest

from debugger import catalogue, stages
from debugger.failure import Failure
from debugger.pipelines.belonging import Belonging
from debugger.pipelines.columns import Column, Columns
from debugger.pipelines.face import (
    Batch,
    Block,
    Compiled,
    Data,
    Decay,
    Evaluate,
    Facts,
    Forward,
    Memory,
    Mixed,
    Reads,
    Split,
    Step,
    Task,
    Training,
)
from debugger.pipelines.inputs import Padding, Read, Signal
from debugger.pipelines.lineage import Disorder
from debugger.pipelines.losses import Asked
from debugger.pipelines.plan import Order, Plan, Rates
from debugger.pipelines.targets import Aims, Aligned, Spans, Targets
from debugger.pipelines.trials import Trials
from debugger.script.places import Places
from debugger.stages import (
    batch,
    belonging,
    columns,
    data,
    endings,
    evaluate,
    forward,
    inputs,
    judging,
    losses,
    metric,
    order,
    overfit,
    plan,
    step,
    targets,
    train,
)
from debugger.stages.judging import Verdict, View
from tests.stages.test_step import FACTS


def failed(exception: str, message: str) -> Failure:
    return Failure(exception, message, (), 7)


SPLIT = Split(
    count=40,
    looked_at=40,
    columns=("text", "label", "input_ids"),
    kept=("label", "input_ids"),
    types={},
    label_column="label",
    labels=(0, 1, 2, 0) * 10,
    class_names=("no", "maybe", "yes"),
    first_rows=(),
    decoded=(),
    tokens=(),
    texts=(),
    lengths=(5, 6, 7, 8) * 10,
    widths=(),
    duplicates=0,
)
TRAINED = Training(
    losses=(1.1,) * 40 + (0.3,) * 20,
    accuracies=((60, 0.8),),
    predicted={"0": 100, "1": 156},
    majority=0.34,
    classes=3,
    eval_rows=256,
)
STEPPED = Step(
    blocks=(Block("encoder", 10, 10, 0.5, 0.01),),
    steps=2,
    optimizer="AdamW",
    peak_learning_rate=5e-5,
    last_learning_rate=0.0,
    trainable=10,
    total=10,
)
MEASURED = Evaluate(
    rows=8,
    has_metric=True,
    called=True,
    evaluations=1,
    eval_rows=24,
    constant={"accuracy": 0.34},
    perfect={"accuracy": 1.0},
    known_metrics=("eval_loss", "eval_accuracy"),
    train_names=("no", "maybe", "yes"),
    model_names=("yes", "maybe", "no"),
)
FINE = Forward((0, 1, 2), "int64", loss=1.1, batch_device="cpu")

SOUND = Asked(
    "classes",
    rows=8,
    outputs=3,
    logits_shape=(8, 3),
    labels_shape=(8,),
    even=1.0986,
    right=(1.0, 0.9, 0.8, 0.6, 0.3, 0.1, 0.01, 0.0),
    wrong=(1.2, 1.3, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0),
    pulls={0: 0.08, 1: 0.08, 2: 0.08},
    counts={0: 60, 1: 30, 2: 10},
    counted=100,
)
RATES = Rates(peak=5e-5, reached=5e-5, climbs=10, total=2.5e-3, nothing=0.0, little=0.02)
PLAN = Plan(
    updates=100,
    batches=50,
    epochs=2.0,
    rates=RATES,
    eps=1e-8,
    betas=(0.9, 0.999),
    gradient=1e-3,
    held=2.0,
)
STEPS = tuple(step / 10 for step in range(11))
TENFOLD = tuple(10 * step for step in STEPS)
SCALES = Data(replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS)), None)
WIDTHS = "Target size (torch.Size([16, 4])) must be the same as input size (torch.Size([16, 3]))"
ORDER = Order(batches=16, drawn=128, distinct=128, rows=400, single=0.0, by_chance=0.001)
TRIED = Trials("classes", {"accuracy": 1.0}, {"accuracy": 0.4}, {"accuracy": 0.3})
AMOUNTS = replace(SOUND, form="amounts", right=(), wrong=(), reach=(0.0, 1.0), plain=True)


@dataclass(frozen=True)
class Case:
    """What a rule fires on; `silent` is the change to what was seen that silences it."""

    rule: Callable[..., Any]
    seen: Any
    silent: dict[str, Any]
    facts: Facts = FACTS
    script: str = ""
    says: dict[str, Any] = field(default_factory=dict)


def of_rows(
    rule: Callable[..., Any], silent: dict[str, Any], says: dict[str, Any], **seen: Any
) -> Case:
    """A case about the training rows."""
    fires, quiet = replace(SPLIT, **seen), replace(SPLIT, **{**seen, **silent})
    return Case(rule, Data(fires, None), {"train": quiet}, says=says)


def of_loss(rule: Callable[..., Any], silent: dict[str, Any], asked: Asked, **says: Any) -> Case:
    """A case about what a loss answers."""
    seen = replace(FINE, asked=asked)
    return Case(rule, seen, {"asked": replace(asked, **silent)}, says=says)


def of_plan(rule: Callable[..., Any], silent: dict[str, Any], made: Plan, **says: Any) -> Case:
    """A case about what a run is going to do."""
    seen = replace(STEPPED, plan=made, learning_rates=(5e-5, 5e-5))
    return Case(rule, seen, {"plan": replace(made, **silent)}, says=says)


def of_metric(rule: Callable[..., Any], silent: dict[str, Any], made: Trials, **says: Any) -> Case:
    """A case about what a metric answers."""
    seen = replace(MEASURED, trials=made)
    return Case(rule, seen, {"trials": replace(made, **silent)}, says=says)


def of_order(rule: Callable[..., Any], silent: dict[str, Any], made: Order, **says: Any) -> Case:
    return Case(rule, Batch({}, order=made), {"order": replace(made, **silent)}, says=says)


PAIRED = replace(FACTS, task="seq2seq")
WORDY = replace(FACTS, task="tokens")
CUT_AT_5 = replace(SPLIT, lengths=(3, 4, 5, 5) * 10, target_lengths=(2, 3, 3, 3) * 10)
UNCUT = replace(SPLIT, lengths=(3, 7, 8, 8) * 10, target_lengths=(2, 5, 6, 6) * 10)
READS = Reads(text=0.0, filling=0.9, rows=8)
DECODED = ((False, 7), (True, 9))
NO_PADDING = Padding(filled=0, open=0, real=100, hidden=0, has_mask=True)
STOPPED = (Block("encoder", 90, 90, 0.0, 0.0), Block("head", 10, 10, 0.5, 0.01))
TOO_SMALL = "Input image size (24*24) doesn't match model (48*48)."
NEVER_RIGHT = Trials("texts", {"exact": 0.0}, {"exact": 0.0}, {"exact": 0.0})

CASES = [
    of_rows(
        belonging.text_given_twice,
        {"parts": Belonging(rows=40, twice=30)},
        {"rows": 40},
        parts=Belonging(rows=40, twice=40),
    ),
    Case(
        belonging.labels_by_words,
        Data(replace(SPLIT, parts=Belonging(rows=40, split=30, by_words=30)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, split=30, by_words=3))},
        facts=WORDY,
        says={"rows": 30, "of": 40},
    ),
    Case(
        belonging.pairs_unrelated,
        Data(replace(SPLIT, parts=Belonging(rows=40, related=0.4)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, related=9.0))},
        facts=PAIRED,
        says={"rows": 40},
    ),
    Case(
        belonging.labels_on_other_words,
        Data(replace(SPLIT, parts=Belonging(rows=40, words=90, own=0.4)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, words=90, own=1.0))},
        facts=WORDY,
        says={"words": 90, "share": 0.4},
    ),
    Case(
        forward.picture_size,
        replace(FINE, failure=failed("ValueError", TOO_SMALL)),
        {"failure": None},
        says={"given": "24*24", "wanted": "48*48"},
    ),
    Case(
        step.gradient_stops,
        replace(STEPPED, blocks=STOPPED, trainable=100),
        {"adapter": True},
        says={"share": 0.9, "count": 1, "first": "encoder"},
    ),
    Case(
        inputs.rows_mingled,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        says={"moved": 0.8},
    ),
    Case(
        targets.masked_too_much,
        Batch({}, targets=Targets(90, 10, masked=90), padding=NO_PADDING),
        {"targets": Targets(15, 85, masked=15)},
        facts=replace(FACTS, task="masked_lm"),
        says={"share": 0.9},
    ),
    Case(
        metric.answers_cut,
        replace(MEASURED, written=4, wanted=(3, 5, 6, 7)),
        {"written": 12},
        says={"written": 4, "share": 0.75},
    ),
    of_rows(
        belonging.words_out_of_order,
        {"disorder": Disorder(20, 1)},
        {"rows": 19, "of": 20},
        disorder=Disorder(20, 19),
    ),
    Case(
        belonging.inputs_cut_shorter,
        Data(CUT_AT_5, UNCUT),
        {"eval": CUT_AT_5},
        says={"length": 5, "heaped": 0.5, "share": 0.75, "longest": 8},
    ),
    Case(
        belonging.targets_cut_shorter,
        Data(CUT_AT_5, UNCUT),
        {"eval": CUT_AT_5},
        facts=PAIRED,
        says={"length": 3, "heaped": 0.75, "share": 0.75, "longest": 6},
    ),
    Case(
        belonging.rows_mixed,
        Batch({}, mixed=Mixed(8, parts=7)),
        {"mixed": Mixed(8, parts=1)},
        says={"rows": 7, "of": 8},
    ),
    Case(
        belonging.labels_of_other_rows,
        Batch({}, mixed=Mixed(8, labels=5)),
        {"mixed": Mixed(8, labels=1)},
        says={"rows": 5, "of": 8},
    ),
    Case(
        inputs.text_not_read,
        replace(FINE, reads=READS),
        {"reads": replace(READS, text=0.8)},
        says={"rows": 8},
    ),
    Case(
        inputs.filling_read,
        replace(FINE, reads=replace(READS, text=0.3)),
        {"reads": replace(READS, text=0.3, filling=0.0)},
        says={"rows": 8, "share": 0.75},
    ),
    Case(
        endings.relu_at_the_end,
        replace(FINE, flattened=0.95),
        {"flattened": None},
        says={"dead": 0.95},
    ),
    Case(
        metric.decoded_unlike,
        replace(MEASURED, decoded=DECODED, trials=NEVER_RIGHT),
        {"decoded": ((True, 7), (True, 9))},
    ),
    Case(
        batch.no_pad_token,
        Batch({}, failure=failed("ValueError", "The tokenizer does not have a padding token.")),
        {"failure": failed("ValueError", "The tokenizer has no vocabulary.")},
    ),
    Case(
        batch.padding_not_ignored,
        Batch({}, counted_padding=3, padded_positions=9),
        {"counted_padding": 0},
        replace(FACTS, task="tokens"),
        says={"counted": 3, "padded": 9},
    ),
    Case(data.dataset_dict, Data(None, None, is_dataset_dict=True), {"is_dataset_dict": False}),
    of_rows(
        data.label_column_misnamed,
        {"label_column": "label"},
        {"name": "verdict", "distinct": 3},
        label_column=None,
        few_valued={"verdict": 3},
    ),
    of_rows(
        data.string_labels,
        {"labels": (0, 1) * 20},
        {"examples": "no, yes"},
        labels=("yes", "no") * 20,
    ),
    of_rows(data.labels_shifted, {"labels": (0, 1, 2) * 10}, {"high": 3}, labels=(1, 2, 3) * 10),
    of_rows(
        data.labels_out_of_range,
        {"labels": (0, 1, 2, -100) * 10},
        {"label": 3, "rows": 10, "share": 0.25, "classes": 3},
        labels=(0, 1, 2, 3) * 10,
    ),
    of_rows(data.wrong_split, {"labels": (-1, 0) * 20}, {"split": "train"}, labels=(-1,) * 40),
    Case(
        data.classes_as_amounts,
        Data(replace(SPLIT, labels=(0.0, 1.0, 2.0) * 10), None),
        {"train": replace(SPLIT, labels=(0.0, 0.5, 2.0) * 10)},
        replace(FACTS, num_labels=1),
        says={"classes": 3, "last": 2},
    ),
    of_rows(data.duplicates, {"duplicates": 4}, {"rows": 5}, duplicates=5),
    Case(
        data.classes_only_in_eval,
        Data(replace(SPLIT, labels=(0, 1) * 20), SPLIT),
        {"train": SPLIT},
        says={"name": "2 yes", "rows": 10, "share": 0.25},
    ),
    Case(
        data.leak,
        Data(SPLIT, SPLIT, shared_rows=2),
        {"shared_rows": 1},
        says={"rows": 2, "looked_at": 40},
    ),
    of_rows(
        data.text_cut,
        {"lengths": (5, 6, 7, 8) * 10},
        {"length": 8, "rows": 20},
        lengths=(5, 6, 8, 8) * 10,
    ),
    Case(
        forward.no_head,
        replace(FINE, loss=None, output_keys=("last_hidden_state",)),
        {"output_keys": ("logits",)},
    ),
    Case(
        forward.no_loss,
        replace(
            FINE,
            loss=None,
            output_keys=("logits",),
            failure=failed("ValueError", "The model did not return a loss from the inputs"),
        ),
        {"failure": None},
        says={"keys": "logits"},
    ),
    Case(
        forward.ids_outside_vocabulary,
        replace(FINE, highest_id=100, vocabulary=100),
        {"highest_id": 99},
        says={"highest": 100},
    ),
    Case(
        forward.too_long,
        replace(FINE, length=65, positions=64, failure=failed("IndexError", "out of range")),
        {"length": 64},
        says={"length": 65, "positions": 64},
    ),
    Case(
        forward.softmax_twice,
        replace(FINE, expects="logits", gives="probabilities"),
        {"gives": "logits"},
    ),
    Case(
        forward.logits_behind_probabilities,
        replace(FINE, expects="logits", gives="probabilities", recovers=True),
        {"recovers": False},
    ),
    Case(
        forward.label_not_binary,
        replace(FINE, logits_shape=(8, 1), label_range=(0.0, 2.0)),
        {"label_range": (0.0, 1.0)},
        facts=replace(FACTS, num_labels=2, compiled=Compiled(loss="binary_crossentropy")),
        says={"label": 2.0},
    ),
    Case(
        forward.rows_not_batched,
        replace(FINE, batched=False, failure=failed("ValueError", "incompatible with the layer")),
        {"batched": True},
        facts=replace(FACTS, compiled=Compiled()),
    ),
    Case(
        forward.nan_forward, replace(FINE, loss=float("nan")), {"loss": 1.1}, says={"where": "loss"}
    ),
    Case(forward.first_loss_off, replace(FINE, loss=1.7), {"loss": 1.6}, says={"classes": 3}),
    Case(
        step.schedule_too_short,
        replace(STEPPED, decay=Decay("PolynomialDecay", 10, 100, 1600)),
        {"decay": Decay("PolynomialDecay", 50, 100, 1600)},
        says={"steps": 10, "planned": 100},
    ),
    Case(
        step.default_learning_rate,
        STEPPED,
        {"peak_learning_rate": 3e-5},
        script="args = TrainingArguments('out')",
    ),
    Case(
        step.nan_update,
        replace(STEPPED, nan_after=("classifier.weight", "classifier.bias")),
        {"nan_after": ()},
        says={"count": 2, "first": "classifier.weight", "steps": 2},
    ),
    Case(
        step.nothing_moves,
        replace(STEPPED, blocks=(Block("encoder", 10, 10, 0.5, 0.0),)),
        {"blocks": (Block("encoder", 10, 10, 0.5, 1e-6),)},
    ),
    Case(evaluate.no_eval_set, replace(MEASURED, eval_rows=None, evaluations=0), {"eval_rows": 1}),
    Case(evaluate.no_metric, replace(MEASURED, has_metric=False), {"has_metric": True}),
    Case(evaluate.labels_never_reach_metric, replace(MEASURED, called=False), {"called": True}),
    Case(
        evaluate.logits_into_metric,
        replace(
            MEASURED,
            given={"predictions": (8, 3), "label_ids": (8,)},
            failure=failed("ValueError", "a mix of multiclass and multilabel-indicator targets"),
        ),
        {"failure": failed("ValueError", "a mix of multiclass and unknown targets")},
        says={"shape": "[8, 3]", "rows": 8},
    ),
    Case(
        evaluate.metric_name_unknown,
        replace(MEASURED, best_metric="f1"),
        {"best_metric": "accuracy"},
        says={"name": "f1"},
    ),
    Case(
        evaluate.model_label_order,
        MEASURED,
        {"model_names": ("No", "Maybe", "Yes")},
        says={"moved": 2, "classes": 3},
    ),
    Case(
        evaluate.metric_flatters_constant,
        replace(MEASURED, constant={"accuracy": 1.0}),
        {"constant": {"accuracy": 0.99}},
    ),
    Case(
        evaluate.metric_wrong_on_perfect,
        replace(MEASURED, perfect={"accuracy": 0.5}),
        {"perfect": {"accuracy": 1.0}},
    ),
    Case(
        overfit.outputs_collapsed,
        Memory((1.1,) * 20, 0.25, 0.25, (1.1, 1.1), (0, 1, 2, 0), 4, 0.1, apart=(1e-2, 1e-5)),
        {"apart": (1e-2, 1e-3)},
        says={"rate": 0.1, "after": 1e-5},
    ),
    Case(
        overfit.memorises_slowly,
        Memory((1.1,) * 20, 0.25, 0.375, (1.1, 1.09), (0, 1, 2, 0), 4, 2e-5),
        {"after": 1.0},
        says={"rate": 2e-5, "rows": 4},
    ),
    Case(
        train.diverged,
        replace(TRAINED, losses=(1.1,) * 20 + (2.5,) * 20),
        {"losses": (1.1,) * 20 + (2.1,) * 20},
        says={"step": 40},
    ),
    Case(
        train.constant_predictions,
        replace(TRAINED, predicted={"1": 256}),
        {"predicted": {"1": 255, "0": 1}},
        says={"name": "maybe"},
    ),
    Case(
        train.learns_train_only,
        replace(TRAINED, accuracies=((60, 0.38),)),
        {"accuracies": ((60, 0.4),)},
        says={"accuracy": 0.38, "majority": 0.34},
    ),
    Case(
        train.labels_shuffled_apart,
        replace(TRAINED, accuracies=((60, 0.34),)),
        {"accuracies": ((60, 0.8),)},
        script="random.shuffle(labels)",
        says={"accuracy": 0.34, "majority": 0.34, "rows": 256},
    ),
    Case(
        train.worse_than_chance,
        replace(TRAINED, guesses={(0, 0): 20, (0, 1): 80, (1, 0): 80, (1, 1): 20}),
        {"guesses": {(0, 0): 40, (0, 1): 60, (1, 0): 60, (1, 1): 40}},
        says={"accuracy": 0.2, "even": 0.5},
    ),
    Case(
        train.does_not_fall,
        replace(TRAINED, classes=None, losses=(2.0,) * 60),
        {"losses": (2.0,) * 40 + (1.9,) * 20},
        says={"steps": 60},
    ),
]

UPSIDE_DOWN = replace(
    SOUND, right=SOUND.wrong, wrong=(1.0, 0.5, 0.0, -1.0, -4.0, -8.0, -16.0, -32.0)
)
CASES += [
    Case(losses.loss_not_one_number, replace(FINE, loss_shape=(8,)), {"loss_shape": (1,)}),
    Case(
        losses.compute_loss_refuses_items,
        replace(FINE, refuses_items=True),
        {"refuses_items": False},
    ),
    of_loss(
        losses.loss_ignores_labels, {"labels_move": True}, replace(SOUND, labels_move=False), rows=8
    ),
    of_loss(losses.draws_other_rows, {"elsewhere": False}, replace(SOUND, elsewhere=True)),
    of_loss(losses.rows_pulled_alike, {"alike": False}, replace(AMOUNTS, alike=True), rows=8),
    of_loss(
        targets.output_cannot_reach,
        {"wanted": (0.0, 1.04)},
        replace(AMOUNTS, wanted=(0.0, 1.06)),
        high=1.0,
        most=1.06,
    ),
    of_loss(losses.loss_wrong_sign, {"wrong": SOUND.wrong}, UPSIDE_DOWN, right=32.0, wrong=-32.0),
    of_loss(
        losses.squashed_before_loss,
        {"right": (*SOUND.right[:6], 0.2, 0.2)},
        replace(
            SOUND, right=(*SOUND.right[:6], 0.5514, 0.5514), wrong=(*SOUND.wrong[:6], 1.55, 1.55)
        ),
        name="softmax",
    ),
    of_loss(
        losses.next_token_not_asked,
        {"ahead": {0: 9.0, 1: 0.0, 2: 9.0}},
        replace(SOUND, ahead={0: 0.0, 1: 9.0, 2: 9.0}),
        ahead=0,
        wanted=9.0,
    ),
    of_loss(
        losses.right_not_rewarded,
        {"right": SOUND.right},
        replace(SOUND, right=SOUND.wrong),
        right=1.2,
    ),
    of_loss(
        endings.output_always_same,
        {"reach": (0.0, 1.0)},
        replace(SOUND, reach=(1.0, 1.0)),
        value=1.0,
    ),
    of_loss(losses.amounts_for_classes, {"spread": False}, replace(SOUND, spread=True), outputs=3),
    of_loss(
        endings.shares_for_several,
        {"shares": False},
        replace(SOUND, form="many", shares=True, cardinality=(1, 2)),
        most=2,
        highest=0.5,
    ),
    Case(
        endings.one_class_for_several,
        replace(
            FINE, counts="vectors", asked=replace(SOUND, form="many", cardinality=(1, 2, 0, 1))
        ),
        {"counts": "each"},
        says={"share": 0.5, "most": 2},
    ),
    Case(
        forward.outputs_for_one_label,
        replace(FINE, counts="each", label_range=(0, 1), labels_shape=(2,), logits_shape=(2, 2)),
        {"labels_shape": (2, 2)},
        script="Dense(8)\nDense(2)\nmodel.compile()",
    ),
    of_loss(endings.relu_before_loss, {"dead": None}, replace(SOUND, dead=0.9), dead=0.9),
    of_loss(
        losses.loss_below_zero,
        {"right": SOUND.right},
        replace(SOUND, right=(*SOUND.right[:6], -16.0, -32.0)),
    ),
    of_loss(
        losses.labels_left_out,
        {"pulls": SOUND.pulls},
        replace(SOUND, pulls={0: 0.0, 1: 0.1, 2: 0.1}),
        label=0,
    ),
    of_loss(
        losses.weights_favour_frequent,
        {"pulls": {0: 0.1, 1: 0.2, 2: 0.6}},
        replace(SOUND, pulls={0: 0.6, 1: 0.3, 2: 0.1}),
        common="no",
        rare="yes",
    ),
    of_loss(
        losses.weights_in_other_order,
        {"pulls": {0: 0.1, 1: 0.2, 2: 0.6}},
        replace(SOUND, pulls={0: 0.2, 1: 0.6, 2: 0.1}),
        classes=3,
    ),
    of_loss(
        losses.positive_weight_upside_down,
        {"positive_weights": {0: 4.0}},
        replace(SOUND, form="many", positive_weights={0: 0.25}, counts={0: 20}),
        output=0,
        share=0.2,
    ),
    of_loss(
        losses.loss_is_a_sum, {"even": SOUND.even}, replace(SOUND, even=8 * SOUND.even), rows=8
    ),
]

CASES += [
    of_plan(
        plan.accumulation_beyond_epoch,
        {"accumulation": 50},
        replace(PLAN, accumulation=51, updates=2),
        accumulation=51,
        batches=50,
    ),
    of_plan(plan.few_updates, {"updates": 10}, replace(PLAN, updates=9), updates=9),
    Case(
        plan.max_steps_cuts_epochs,
        replace(STEPPED, plan=replace(PLAN, max_steps=50)),
        {"plan": replace(PLAN, max_steps=51)},
        script="TrainingArguments('out', num_train_epochs=2, max_steps=50)",
        says={"whole": 100},
    ),
    of_plan(
        plan.warmup_longer_than_run,
        {"rates": replace(RATES, climbs=49)},
        replace(PLAN, rates=replace(RATES, climbs=99, reached=1e-6, total=5e-5)),
        reached=1e-6,
    ),
    of_plan(
        plan.rate_gone_early,
        {"rates": replace(RATES, nothing=0.2, little=0.2)},
        replace(PLAN, rates=replace(RATES, nothing=0.5, little=0.5)),
        share=0.5,
    ),
    of_plan(plan.schedule_moves_faster, {"schedule_steps": 1.0}, replace(PLAN, schedule_steps=2.0)),
    Case(
        plan.too_little_movement,
        replace(
            STEPPED,
            optimizer="SGD",
            learning_rates=(5e-5, 5e-5),
            blocks=(Block("encoder", 10, 10, 0.5, 1e-6),),
            plan=PLAN,
        ),
        {"blocks": (Block("encoder", 10, 10, 0.5, 1e-4),)},
        says={"optimizer": "SGD"},
    ),
    of_plan(plan.eps_swallows_update, {"eps": 1e-6}, replace(PLAN, eps=1.0), eps=1.0),
    of_plan(plan.weight_decay_too_strong, {"weight_decay": 0.1}, replace(PLAN, weight_decay=300.0)),
    of_plan(plan.weights_at_rate_zero, {"idle": ()}, replace(PLAN, idle=("head.weight",)), count=1),
    of_plan(plan.half_precision_weights, {"half": ""}, replace(PLAN, half="float16", narrow=0.4)),
    of_plan(plan.dropout_high, {"dropout": 0.49}, replace(PLAN, dropout=0.8), dropout=0.8),
    of_plan(
        plan.head_dropout_high,
        {"head_dropout": 0.5},
        replace(PLAN, head_dropout=0.99),
        dropout=0.99,
    ),
    of_plan(
        plan.frozen_before_training, {"frozen_new": 0}, replace(PLAN, frozen_new=1000), frozen=1000
    ),
    of_plan(plan.momentum_too_long, {"betas": (0.9, 0.95)}, replace(PLAN, betas=(0.99, 0.999))),
    of_order(order.batches_of_one_label, {"single": 0.2}, replace(ORDER, single=0.9), share=0.9),
    of_order(order.same_rows_again, {"distinct": 64}, replace(ORDER, distinct=8), drawn=128),
]

CASES += [
    of_metric(
        metric.metric_blind,
        {"drawn": {"accuracy": 0.3}},
        replace(TRIED, constant=TRIED.perfect, drawn=TRIED.perfect),
        name="accuracy",
    ),
    of_metric(
        metric.metric_counts_ignored,
        {"perfect": {"accuracy": 1.0}},
        replace(TRIED, ignored=0.25, perfect={"accuracy": 0.75}),
        share=0.25,
        value=0.75,
    ),
    of_metric(
        metric.metric_prefers_chance,
        {"drawn": {"accuracy": 0.0}},
        replace(TRIED, perfect={"accuracy": 0.0}),
        drawn=0.3,
    ),
    of_metric(
        metric.metric_counts_one_label,
        {"perfect": {"accuracy": 1.0}, "single": {"accuracy": 1.0}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.7}, single={"accuracy": 0.7}, several=5),
        rows=5,
    ),
    of_metric(
        metric.metric_mixes_rows,
        {"drawn": {"r2": -0.9}},
        replace(
            TRIED,
            kind="amounts",
            perfect={"r2": -1.0},
            drawn={"r2": -1.0},
            constant={"r2": 0.0},
            shapes=((32, 1), (32,)),
        ),
        value=-1.0,
        given="[32, 1]",
    ),
    of_metric(metric.threshold_on_logits, {"cut": 0.0}, replace(TRIED, kind="many", cut=0.5)),
    of_metric(
        metric.amounts_held_equal,
        {"nudged": {"accuracy": 1.0}},
        replace(TRIED, nudged={"accuracy": 0.0}),
        nudged=0.0,
    ),
    of_metric(
        metric.accuracy_of_amounts,
        {"kind": "classes"},
        replace(TRIED, kind="amounts", perfect={"accuracy": 0.0}),
        name="accuracy",
    ),
    of_metric(
        metric.metric_not_shifted,
        {"in_place": {"accuracy": 0.1}, "perfect": {"accuracy": 1.0}},
        replace(TRIED, perfect={"accuracy": 0.1}, in_place={"accuracy": 1.0}),
        in_place=1.0,
    ),
    of_metric(
        metric.average_named_otherwise,
        {"drawn": {"f1_macro": 0.2}},
        replace(
            TRIED,
            drawn={"f1_macro": 0.3},
            averages={"macro": {"f1": 0.2}, "micro": {"f1": 0.3}},
        ),
        average="micro",
    ),
    Case(
        metric.best_is_worst,
        replace(MEASURED, best_metric="eval_loss", greater_is_better=True),
        {"greater_is_better": False},
        says={"name": "loss", "kept": "highest", "better": "lower"},
    ),
    Case(
        metric.decodes_ignored,
        replace(
            MEASURED,
            failure=failed("OverflowError", "out of range integral type conversion attempted"),
        ),
        {"failure": None},
    ),
]

LOST = failed("RuntimeError", "CUDA error: device-side assert triggered")
CROWDED = failed(
    "RuntimeError", "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 GiB"
)
CASES += [
    Case(
        judging.batch_too_large,
        replace(FINE, length=512, failure=CROWDED),
        {"length": None},
        says={"rows": 8, "tokens": 512, "megabytes": 4096.0},
    ),
    Case(
        judging.device_side_assert,
        replace(FINE, failure=LOST),
        {"failure": failed("RuntimeError", "CUDA is not available")},
    ),
    Case(
        judging.mixed_devices,
        replace(
            FINE, failure=failed("RuntimeError", "Expected all tensors to be on the same device")
        ),
        {"failure": failed("RuntimeError", "Expected all tensors to be on one line")},
        says={"model": "cpu"},
    ),
]


def of_tokens(
    rule: Callable[..., Any], silent: dict[str, Any], numbers: dict[str, Any], **seen: Any
) -> Case:
    """A case about what the tokens of the training rows say."""
    read = Read(**{"rows": 40, "inputs": 40, "pieces": 100, **seen})
    return of_rows(rule, {"read": replace(read, **silent)}, numbers, read=read)


def of_labels(rule: Callable[..., Any], task: Task, seen: Aims, silent: Aims, **says: Any) -> Case:
    """A case about the labels of the training rows."""
    case = of_rows(rule, {"aims": silent}, says, aims=seen)
    return replace(case, facts=replace(FACTS, task=task))


def of_batch(rule: Callable[..., Any], silent: dict[str, Any], facts: Facts, **seen: Any) -> Case:
    """A case about a batch; what silences it changes what was seen under the same name."""
    name, value = next(iter(seen.items()))
    return Case(rule, Batch({}, **seen), {name: replace(value, **silent)}, facts)


PADDED = Padding(filled=6, open=0, real=18, hidden=0, has_mask=True, rows=2, side="right")
PICTURES = Signal("pixel_values", -1.0, 1.0, 0.5, 8, False, 0.01, labels=3)
OF_WORDS = replace(FACTS, task="causal_lm")
TRAINED_BEFORE = replace(FACTS, pretrained=True)
CASES += [
    of_tokens(
        inputs.tokenizer_of_another_model,
        {"clashing": 0.2},
        {"share": 0.9, "number": 7, "here": "dog", "there": "cat"},
        clashing=0.9,
        clash=(7, "dog", "cat"),
    ),
    of_tokens(inputs.unknown_tokens, {"unknown": 14}, {"share": 0.6, "pieces": 100}, unknown=60),
    of_tokens(inputs.wrong_column_read, {"says": None}, {"name": "idx"}, says="idx"),
    of_tokens(inputs.identical_rows, {"inputs": 2}, {"rows": 40}, inputs=1),
    of_tokens(inputs.contradicting_labels, {"contradicting": 7}, {"rows": 8}, contradicting=8),
    of_tokens(
        inputs.text_mostly_cut,
        {"kept": (0.7,) * 40},
        {"kept": 0.2, "length": 8},
        kept=(0.2,) * 40,
        limit=8,
    ),
    of_tokens(
        inputs.second_sentence_cut,
        {"lost": {"b": 0.4}},
        {"gone": "b", "share": 0.6},
        lost={"a": 0.0, "b": 0.6},
    ),
    of_tokens(inputs.label_in_text, {"told_others": 0.5}, {"share": 1.0}, told=1.0),
    Case(
        inputs.column_dropped,
        Batch({}, dropped=("text", "idx"), failure=failed("KeyError", "'text'")),
        {"failure": failed("KeyError", "'bbox'")},
        says={"name": "text", "columns": "text, idx"},
    ),
    of_batch(
        inputs.mask_missing,
        {"felt": False},
        TRAINED_BEFORE,
        padding=replace(PADDED, has_mask=False, open=6, felt=True),
    ),
    of_batch(
        inputs.mask_over_padding,
        {"open": 0},
        TRAINED_BEFORE,
        padding=replace(PADDED, open=6, felt=True),
    ),
    of_batch(
        inputs.mask_hides_text, {"hidden": 5}, FACTS, padding=replace(PADDED, hidden=18, open=6)
    ),
    of_batch(
        inputs.padded_on_the_right,
        {"side": "left"},
        OF_WORDS,
        padding=replace(PADDED, generates=True),
    ),
    of_batch(
        inputs.identical_inputs, {"labels": 1}, FACTS, signal=replace(PICTURES, identical=True)
    ),
    of_batch(
        inputs.inputs_not_scaled, {"high": 3.0}, TRAINED_BEFORE, signal=replace(PICTURES, high=255)
    ),
    Case(
        inputs.processed_otherwise,
        Batch({}, signal=PICTURES, eval_signal=replace(PICTURES, high=255.0, deviation=60.0)),
        {"eval_signal": replace(PICTURES, high=2.0, deviation=1.0)},
        says={"eval_high": 255.0},
    ),
    of_batch(
        inputs.inputs_nearly_constant, {"high": 1.0}, FACTS, signal=replace(PICTURES, high=-0.99)
    ),
    of_batch(
        inputs.inputs_saturated, {"at_ends": 0.9}, FACTS, signal=replace(PICTURES, at_ends=0.97)
    ),
    of_batch(
        inputs.inputs_not_normalised,
        {"low": -1.0},
        TRAINED_BEFORE,
        signal=replace(PICTURES, low=0.0, normalises=True),
    ),
    of_labels(targets.labels_not_finite, "regression", Aims(40, not_finite=2), Aims(40), labels=2),
    of_labels(
        targets.labels_beyond_yes_or_no, "multilabel", Aims(beyond=2.0), Aims(beyond=0.9), value=2.0
    ),
    of_labels(
        targets.labels_not_aligned,
        "tokens",
        Aims(aligned=Aligned(40, unequal=9)),
        Aims(aligned=Aligned(40, unequal=2)),
        rows=9,
        of=40,
    ),
    of_labels(
        targets.labels_off_by_one,
        "tokens",
        Aims(aligned=Aligned(40, framed=40, first=40, first_word=40)),
        Aims(aligned=Aligned(40, framed=40, first=40, first_word=40, last_word=40, last=40)),
        moved=-1,
    ),
    of_labels(
        targets.spans_all_absent,
        "unknown",
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        Aims(spans=Spans(40, absent=39, outside=0, reversed=0)),
        rows=40,
    ),
    of_labels(
        targets.spans_outside,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=8, reversed=0)),
        Aims(spans=Spans(40, absent=40, outside=0, reversed=0)),
        share=0.2,
    ),
    of_labels(
        targets.labels_all_the_same,
        "regression",
        Aims(amounts=40, quantiles=(0.5,) * 11),
        Aims(amounts=40, quantiles=(*(0.5,) * 10, 0.6)),
        value=0.5,
    ),
    Case(
        targets.labels_of_another_scale,
        replace(SCALES, eval=replace(SPLIT, aims=Aims(amounts=40, quantiles=TENFOLD))),
        {"eval": replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS))},
        says={"other_high": 10.0},
    ),
    Case(
        targets.targets_without_end,
        Batch({}, targets=Targets(40, 0, texts=8, ended=0, generates=True)),
        {"targets": Targets(40, 0, texts=8, ended=1, generates=True)},
        says={"rows": 8},
    ),
    Case(
        forward.weights_left_behind,
        replace(FINE, configured_like="folder/mini"),
        {"configured_like": ""},
        replace(FACTS, pretrained=False),
        says={"name": "mini"},
    ),
    Case(
        forward.label_vector_width,
        replace(FINE, failure=failed("ValueError", WIDTHS)),
        {"failure": failed("ValueError", WIDTHS.replace("[16, 3]", "[8, 4]"))},
        says={"labels": 4, "outputs": 3},
    ),
    of_labels(
        targets.spans_reversed,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=4)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0)),
        rows=4,
    ),
    of_labels(
        targets.spans_of_one_token,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=40)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, of_one=30)),
        rows=40,
    ),
    Case(
        targets.same_word_other_number,
        Data(
            replace(SPLIT, read=Read(spelled={"0": "no", "1": "yes"}, spelled_in="said")),
            replace(SPLIT, read=Read(spelled={"0": "yes", "1": "no"}, spelled_in="said")),
        ),
        {"eval": replace(SPLIT, read=Read(spelled={"1": "yes", "2": "un"}, spelled_in="said"))},
        says={"word": "no", "train": "0", "other": "1", "moved": 2},
    ),
    of_batch(targets.nothing_to_learn, {"counted": 1}, OF_WORDS, targets=Targets(0, 40)),
    of_batch(
        targets.nothing_masked,
        {"masked": 3},
        replace(FACTS, task="masked_lm"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(targets.masked_for_causal, {"masked": 0}, OF_WORDS, targets=Targets(6, 34, masked=5)),
    of_batch(
        targets.labels_of_one_token,
        {"only": None},
        OF_WORDS,
        targets=Targets(40, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        targets.labels_of_other_text,
        {"beside": 0.98},
        OF_WORDS,
        targets=Targets(20, 4, same=0.2, beside=0.1),
    ),
    of_batch(
        targets.decoder_sees_answer,
        {"decoder_same": 0.3},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, decoder_same=1.0),
    ),
    of_batch(
        targets.labels_copy_inputs,
        {"same": 0.98},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(
        targets.ends_never_learned, {"ends_counted": 1}, OF_WORDS, targets=Targets(40, 4, ends=4)
    ),
    Case(targets.looks_too_far_ahead, replace(FINE, asks=2), {"asks": 1}, OF_WORDS),
    Case(targets.asks_for_its_input, replace(FINE, asks=0), {"asks": 1}, OF_WORDS),
    Case(
        targets.output_cannot_reach,
        replace(FINE, bounds=("sigmoid", 0.0, 1.0), label_range=(0.0, 100.0)),
        {"label_range": (0.0, 1.0)},
        says={"low": 0.0, "high": 1.0, "least": 0.0, "most": 100.0},
    ),
    Case(
        targets.labels_far_off,
        replace(FINE, distance=50.0, reach=2.0),
        {"reach": 51.0},
        says={"distance": 50.0, "reach": 2.0},
    ),
]

SCALED = Column("pixels", 100, 0.0, 1.0, 0.5, 0.8, True)
PLAIN = replace(SCALED, high=255.0, middle=127.0, width=204.0)
UNKNOWN = Column("text", 100, 0.0, 1.0, 1.0, 1.0, False, common=1.0, commonest=1)
CASES += [
    Case(
        columns.splits_on_other_scales,
        Data(None, None, columns=Columns((SCALED,)), eval_columns=Columns((PLAIN,))),
        {"eval_columns": Columns((SCALED,))},
        says={"name": "pixels", "high": 1.0, "other_high": 255.0},
    ),
    Case(
        columns.input_given_twice,
        Data(None, None, columns=Columns((SCALED, PLAIN), twice=("a", "b"), shared=True)),
        {"columns": Columns((SCALED, PLAIN))},
        says={"one": "a", "other": "b"},
    ),
    Case(
        columns.hardly_a_word_known,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200)),
        {"columns": Columns((replace(UNKNOWN, common=0.1),), embedded=200)},
        says={"name": "text", "words": 200},
    ),
]

OUT_OF_BOUNDS = failed("IndexError", "Target 3 is out of bounds.")
REFUSED = replace(FINE, failure=failed("ValueError", "Expected input batch_size (8)"))
QUANTILES = (0.0,) * 10 + (1.0,)

CASES += [
    Case(
        losses.compute_loss_returns_nothing,
        replace(FINE, returns_nothing=True),
        {"returns_nothing": False},
    ),
    Case(
        forward.label_outside_head,
        replace(
            FINE,
            failure=OUT_OF_BOUNDS,
            logits_shape=(8, 3),
            labels_shape=(8,),
            label_range=(1.0, 3.0),
        ),
        {"failure": None},
        facts=replace(FACTS, task="unknown", num_labels=None),
        says={"label": 3, "num_labels": 3},
    ),
    Case(
        forward.channels_last,
        replace(REFUSED, inputs_shape=(8, 24, 24, 3), channels=3),
        {"inputs_shape": (8, 3, 24, 24)},
        says={"channels": 3, "given": "[8, 24, 24, 3]"},
    ),
    Case(
        forward.label_for_each_token,
        replace(REFUSED, labels_shape=(8, 13), inputs_shape=(8, 13)),
        {"labels_shape": (8,)},
        says={"labels": 13},
    ),
    Case(
        batch.labels_left_ragged,
        Batch({}, handed={"labels": (7, 13)}, failure=failed("ValueError", "Unable to create")),
        {"handed": {"labels": (7, 7)}},
        replace(FACTS, pads=True, collator="DataCollatorWithPadding"),
        says={"shortest": 7, "longest": 13},
    ),
    Case(
        belonging.labels_made_equal,
        Batch({}, mixed=Mixed(8, levelled=0)),
        {"mixed": Mixed(8)},
        says={"rows": 8, "value": 0},
    ),
    Case(
        targets.ends_never_learned,
        Batch({}, targets=Targets(9, 9, texts=4, ends_ignored=True, generates=True)),
        {"targets": Targets(9, 9, texts=4, generates=True)},
        facts=PAIRED,
        says={"ends": 4},
    ),
    Case(
        targets.labels_hardly_differ,
        Data(replace(SPLIT, aims=Aims(amounts=40, quantiles=QUANTILES)), None),
        {"train": replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS))},
        facts=replace(FACTS, task="regression"),
        says={"value": 0.0, "rows": 40},
    ),
    Case(
        evaluate.trainer_cannot_generate,
        replace(MEASURED, asks_in_vain=True, given={"predictions": (8, 5, 52)}),
        {"asks_in_vain": False},
        says={"shape": "[8, 5, 52]"},
    ),
    Case(
        evaluate.wrong_axis,
        replace(
            MEASURED,
            given={"predictions": (8, 4)},
            failure=failed("ValueError", "could not be broadcast together with shapes (4,) (8,)"),
        ),
        {"failure": failed("ValueError", "could not be broadcast together with shapes (5,) (8,)")},
        says={"given": 4, "wanted": 8},
    ),
    of_metric(
        metric.labels_compete,
        {"single": {"accuracy": 0.6}},
        replace(TRIED, kind="many", perfect={"accuracy": 0.6}, single={"accuracy": 0.8}, several=5),
        value=0.6,
        single=0.8,
    ),
]


def rule_names(module: ModuleType) -> set[str]:
    """Public functions of a module that read as rules do."""
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and list(inspect.signature(function).parameters) == ["seen", "view"]
        and not name.startswith("_")
    }


def modules() -> Iterator[ModuleType]:
    yield stages
    for found in pkgutil.walk_packages(stages.__path__, f"{stages.__name__}."):
        yield importlib.import_module(found.name)


LISTED = {
    rule.__name__
    for module in modules()
    for rules in ("RULES", "COMMON")
    if module.__name__.startswith(stages.__name__)
    for rule in vars(module).get(rules, ())
}


def test_a_rule_that_is_not_in_its_stages_list_never_runs() -> None:
    written = {name for module in modules() for name in rule_names(module)}

    assert len(written) > 50
    assert written == LISTED


def test_a_public_function_of_what_was_seen_and_the_view_is_taken_for_a_rule() -> None:
    module = ModuleType("made_up")
    exec("def forgotten(seen, view): ...\ndef _helper(seen, view): ...", vars(module))
    for function in (vars(module)["forgotten"], vars(module)["_helper"]):
        function.__module__ = "made_up"

    assert rule_names(module) == {"forgotten"}


def test_every_rule_was_seen_to_fire() -> None:
    scenarios = catalogue.every()
    promised = {scenario.code for scenario in scenarios}
    promised |= {fix.code for scenario in scenarios for fix in scenario.fixes}

    assert LISTED - promised - {case.rule.__name__ for case in CASES} == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule.__name__)
def test_a_rule_fires_on_its_case_and_is_silent_beside_it(case: Case) -> None:
    view = View(case.facts, Places(case.script), bool(case.script))

    verdict = case.rule(case.seen, view)
    assert isinstance(verdict, Verdict)
    assert case.says.items() <= verdict.numbers.items()
    assert not isinstance(case.rule(replace(case.seen, **case.silent), view), Verdict)
