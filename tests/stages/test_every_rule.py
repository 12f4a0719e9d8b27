"""Every rule was seen to fire, and to stay silent beside it.

Most are seen in the catalogue, whose proof runs them. The others have a case here on plain values,
with the smallest change that silences them.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MultiLabelBinarizer

from debugger import catalogue, stages
from debugger.failure import Failure, Frame
from debugger.failure import Held as Name
from debugger.pipelines.answers import Answers
from debugger.pipelines.belonging import Belonging
from debugger.pipelines.by_hand import ByHand, ReadOnce, Unsteady
from debugger.pipelines.called import Uncallable
from debugger.pipelines.columns import (
    Across,
    Column,
    Columns,
    CountedOff,
    Echo,
    Filled,
    Gap,
    OwnLength,
    Same,
    Standard,
    Summed,
)
from debugger.pipelines.company import Company, Teacher
from debugger.pipelines.drawn import Drawn, Outside, Redrawn, Unfitting
from debugger.pipelines.face import (
    Batch,
    Block,
    Compiled,
    Data,
    Decay,
    Evaluate,
    Facts,
    Forward,
    Listed,
    Memory,
    Mixed,
    Reads,
    Split,
    Step,
    Task,
    Training,
)
from debugger.pipelines.heads import Given, Head
from debugger.pipelines.held import Held
from debugger.pipelines.inputs import Padding, Read, Signal
from debugger.pipelines.jumbled import Jumbled
from debugger.pipelines.layout import Lone, Swapped
from debugger.pipelines.lineage import Disorder
from debugger.pipelines.losses import Asked
from debugger.pipelines.phases import Phases, Unseen
from debugger.pipelines.plan import Order, Plan, Plateau, Rates, Still
from debugger.pipelines.printed import Printed
from debugger.pipelines.reached import Reached
from debugger.pipelines.rows import overlap
from debugger.pipelines.sounds import Sounds
from debugger.pipelines.spelled import Cased, Unsplit
from debugger.pipelines.targets import Aims, Aligned, Spans, Targets
from debugger.pipelines.telling import Told
from debugger.pipelines.trials import Trials
from debugger.pipelines.trying import Worded
from debugger.pipelines.turning import Turned
from debugger.pipelines.windows import Met, Windows
from debugger.pipelines.within import (
    Alike,
    Clipped,
    Faded,
    Levelled,
    Looked,
    Norm,
    Penalty,
    Scaled,
    Steered,
    Thawed,
    Unadapted,
)
from debugger.script.heard import Heard
from debugger.script.places import Places
from debugger.stages import (
    batch,
    belonging,
    by_hand,
    called,
    columns,
    company,
    crashes,
    cutting,
    data,
    endings,
    evaluate,
    fitting,
    forward,
    frames,
    heads,
    held,
    inputs,
    inside,
    judging,
    layered,
    losses,
    metric,
    mistaken,
    misuse,
    order,
    overfit,
    oversights,
    pairing,
    phases,
    plan,
    printed,
    rates,
    reached,
    refusals,
    shapes,
    slips,
    steered,
    step,
    targets,
    train,
    turning,
    units,
    unkept,
    weights,
    withheld,
    within,
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
SEVERAL = replace(SOUND, form="many", shares=True)
RATES = Rates(peak=5e-5, reached=5e-5, climbs=10, total=2.5e-3, nothing=0.0, little=0.02)
LOOP = ByHand(20, 25, training=True, differs="dropout", backwards=3, zeroed=0)
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
CAST = "result type Float can't be cast to the desired output type Long"
WIDTHS = "Target size (torch.Size([16, 4])) must be the same as input size (torch.Size([16, 3]))"
ORDER = Order(batches=16, drawn=128, distinct=128, rows=400, single=0.0, by_chance=0.001)
_CLASSES = np.random.default_rng(0).integers(0, 3, 120).tolist()
ASIDE = Worded(tuple((1, 10 + one) for one in _CLASSES), (*_CLASSES[1:], _CLASSES[0]))
BARE = {"the": 0.4, "a": 0.3}
PREFIXED = Read(rows=40, firsts={"translate": 1.0})
AFTER = """
trainer = Trainer(model=model, train_dataset=train_rows, eval_dataset=test_rows)
trainer.train()
"""
MIXED = "Classification metrics can't handle a mix of {} and {} targets"
TRIED = Trials("classes", {"accuracy": 1.0}, {"accuracy": 0.4}, {"accuracy": 0.3})
TRIED_TOKENS = Trials("tokens", {"f1": 1.0}, {"f1": 0.8}, {"f1": 0.6}, common=0)
OF_TWO = {"macro": {"precision": 0.6, "recall": 0.4, "f1": 0.5}}
OF_ROWS = replace(
    TRIED,
    drawn={"f1": 0.6},
    constant={"f1": 0.7},
    averages={"micro": {"f1": 0.6}, "macro": {"f1": 0.3}, "weighted": {"f1": 0.5}},
)
WITH_SIGN = Trials(
    *("amounts", {"mae": 0.0}, {"mae": 0.0}, {"mae": 0.0}),
    nudged={"mae": 0.0005},
    spread=5.0,
    errors={"mae": 1.2, "mse": 2.0, "rmse": 1.4},
)
IN_DEVIATIONS = Trials(
    *("amounts", {"mae": 0.0}, {"mae": 0.8}, {"mae": 1.1}),
    nudged={"mae": 0.0005},
    spread=5.0,
)
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
    names: dict[str, Any] = field(default_factory=dict)
    heard: Heard = field(default_factory=Heard)


def of_rows(
    rule: Callable[..., Any], silent: dict[str, Any], says: dict[str, Any], **seen: Any
) -> Case:
    """A case about the training rows."""
    fires, quiet = replace(SPLIT, **seen), replace(SPLIT, **{**seen, **silent})
    return Case(rule, Data(fires, None), {"train": quiet}, says=says)


def of_script(rule: Callable[..., Any], script: str, **says: Any) -> Case:
    """A case about what a script's text shows by itself."""
    failing = {"failure": failed("ValueError", "no rows")}
    return Case(rule, Data(SPLIT, None), failing, script=script, says=says)


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


def of_gradients(rule: Callable[..., Any], silent: dict[str, Any], **seen: Any) -> Case:
    """A case about what became of gradients on their way."""
    made = Reached(adapters=4, **seen)
    fires = replace(STEPPED, reached=made)
    return Case(rule, fires, {"reached": replace(made, **silent)})


def of_order(rule: Callable[..., Any], silent: dict[str, Any], made: Order, **says: Any) -> Case:
    return Case(rule, Batch({}, order=made), {"order": replace(made, **silent)}, says=says)


UNLIKE = (
    'Input 0 of layer "model" is incompatible with the layer: '
    "expected shape=(None, 5), found shape=(32, 8)"
)
POOLED = (
    "Negative dimension size caused by subtracting {} from {} for "
    "'{{{{node average_pooling2d/AvgPool}}}} = AvgPool[](x)' with input shapes: [?,1,1,32]."
)
FLAT = (
    'Input 0 of layer "lstm_1" is incompatible with the layer: '
    "expected ndim={}, found ndim={}. Full shape received: {}"
)
OF_LISTS = "Failed to convert a NumPy array to a Tensor (Unsupported object type list)."
ENDLESS = "When providing an infinite dataset, you must specify the number of steps to run."
NO_KEYS = Failure(
    "AttributeError",
    "'str' object has no attribute 'keys'",
    (Frame("data_adapter.py", 9, "_make", "class_weight.keys()", False),),
    7,
)
CROSSED = (
    Head("kind", "numbers", 3, given=Given(1, 0.0, 1.0, whole=True)),
    Head("sure", "each", 1, given=Given(1, 0.0, 2.0, whole=True)),
)
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

SEGMENTS = Outside("embeddings.token_type_embeddings", 1, 1, "token_type_ids", ("type_vocab_size",))
DRAWN = Drawn(10, wide=9, widest="layer.0.weight", spread=2.0, usual=0.125)
REDRAWN = Redrawn(tensors=40, moved=38, share=0.99, by_lot=True)
LITTLE_LEFT = replace(PLAN, gradient=1e-12, arrived=4.0, left=2.5e-9, clipping=1e-8)
NO_PIXELS = failed("KeyError", "'pixel_values'")
STOPS = """
class Once(TrainerCallback):
    def on_epoch_end(self, args, state, control, **rest):
        print(state.epoch)
        control.should_training_stop = True
Trainer(callbacks=[Once()])
"""
TOO_MANY = "Mine.training_step() takes 3 positional arguments but 4 were given"
UNFRAMED = Read(rows=40, pieces=100, bare=("[CLS]", "[SEP]"))
OTHERWISE = Teacher(rows=60, as_it_is=0.02, anew=0.98, majority=0.4, moved=(0, 2))
PICTURES = Signal("pixel_values", -1.0, 1.0, 0.5, 8, False, 0.01, labels=3)
COARSE = Signal("input_values", -1.0, 1.0, 0.3, 8, False, 0.9, levels=3)
TOGETHER = Memory(losses=(1.0,) + (0.05,) * 19, rows=8)
WORDS_APART = Batch(
    {},
    first_row={"input_ids": [[2, 7, 3], [2, 9, 3]]},
    failure=failed("RuntimeError", "stack expects each tensor to be equal size"),
)
STEPS_LATE = """
for epoch in range(3):
    for batch in loader:
        optimizer.zero_grad()
        teacher(**batch).loss.backward()
    optimizer.step()
"""
OVERWRITES = """
def compute_loss(self, model, inputs):
    loss = first(inputs)
    loss = second(inputs)
    return loss
"""
PICKS = """
for name, child in model.named_children():
    if name in ("q_proj", "v_proj"):
        setattr(model, name, Added(child))
"""

CASES = [
    Case(
        batch.no_batches,
        Batch({}, failure=failed("StopIteration", "")),
        {"failure": failed("IndexError", "")},
    ),
    Case(
        step.callback_ends_training,
        replace(STEPPED, plan=replace(PLAN, epochs=3.0)),
        {"plan": replace(PLAN, epochs=1.0)},
        script=STOPS,
        says={"event": "on_epoch_end"},
    ),
    Case(
        judging.signature_unlike_call,
        replace(STEPPED, failure=failed("TypeError", TOO_MANY)),
        {"failure": failed("TypeError", TOO_MANY.replace("Mine", "Theirs"))},
        script="class Mine(Trainer):\n    def training_step(self, model, inputs): ...\n",
        says={"name": "training_step"},
    ),
    Case(
        step.resumes_from_nothing,
        replace(STEPPED, resumes_from="out"),
        {"resumes_from": ""},
        says={"folder": "out"},
    ),
    Case(step.never_steps, replace(STEPPED, steps=0, idle=True), {"idle": False}),
    of_plan(plan.optimizer_maximizes, {"maximizes": False}, replace(PLAN, maximizes=True)),
    Case(
        inputs.special_tokens_left_out,
        Data(replace(SPLIT, read=UNFRAMED), None),
        {"train": replace(SPLIT, read=replace(UNFRAMED, bare=()))},
        facts=replace(FACTS, pretrained=True),
        says={"tokens": "[CLS], [SEP]"},
    ),
    Case(
        forward.number_outside_table,
        replace(FINE, failure=failed("IndexError", "index out of range in self"), outside=SEGMENTS),
        {"outside": None},
        says={"field": "token_type_ids", "number": 1, "size": 1},
    ),
    Case(
        weights.weights_all_alike,
        replace(FINE, drawn=Drawn(10, alike=10, same="layer.0.weight")),
        {"drawn": Drawn(10, alike=1, same="classifier.weight")},
        says={"alike": 10, "matrices": 10, "first": "layer.0.weight"},
    ),
    Case(
        weights.weights_drawn_wide,
        replace(FINE, drawn=DRAWN),
        {"drawn": replace(DRAWN, wide=2)},
        says={"times": 16.0, "first": "layer.0.weight"},
    ),
    Case(
        weights.checkpoint_overwritten,
        replace(FINE, redrawn=REDRAWN),
        {"redrawn": replace(REDRAWN, by_lot=False)},
        says={"moved": 38, "tensors": 40},
    ),
    Case(
        weights.checkpoint_does_not_fit,
        replace(FINE, unfitting=Unfitting("layer.0.weight", 38, 40, (96, 96))),
        {"unfitting": Unfitting("classifier.weight", 2, 40, (5, 96))},
        says={"tensors": 38, "known": 40, "wanted": "[96, 96]"},
    ),
    Case(
        evaluate.callback_stops_on_bad,
        replace(MEASURED, stops_on_bad=("Once", "on_evaluate"), loss=1.1),
        {"stops_on_bad": None},
        script=STOPS,
        says={"name": "Once", "event": "on_evaluate"},
    ),
    Case(
        step.callback_refuses,
        replace(STEPPED, refused=("EarlyStoppingCallback", "it wants a metric")),
        {"refused": None},
        says={"name": "EarlyStoppingCallback"},
    ),
    Case(
        called.no_callback,
        replace(STEPPED, uncallable=Uncallable("None")),
        {"uncallable": None},
        script="Trainer(\n    callbacks=[None])",
        says={"name": "None"},
    ),
    Case(
        called.callback_unmade,
        replace(STEPPED, uncallable=Uncallable("EarlyStopping", unmade=True)),
        {"uncallable": None},
        says={"name": "EarlyStopping"},
    ),
    Case(
        called.callback_takes_less,
        replace(STEPPED, uncallable=Uncallable("Mine", event="on_log", said="an argument")),
        {"uncallable": None},
        says={"name": "Mine.on_log", "said": "an argument"},
    ),
    of_plan(plan.gradients_cut_away, {"left": 0.3}, LITTLE_LEFT, before=4.0, after=1e-8),
    Case(
        evaluate.eval_rows_lack_input,
        replace(MEASURED, failure=NO_PIXELS, lacks=("pixel_values",)),
        {"lacks": ()},
        says={"name": "pixel_values"},
    ),
    Case(
        data.few_rows,
        Data(replace(SPLIT, count=10), SPLIT),
        {"train": SPLIT},
        says={"rows": 10, "eval_rows": 40},
    ),
    Case(
        inputs.unknown_targets,
        Data(replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=70)), None),
        {"train": replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=2))},
        facts=PAIRED,
        says={"share": 0.7},
    ),
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
        belonging.pieces_of_next_word,
        Data(replace(SPLIT, parts=Belonging(rows=40, pieces=90, of_next=88)), None),
        {"train": replace(SPLIT, parts=Belonging(rows=40, pieces=90))},
        facts=WORDY,
        says={"pieces": 90, "of_next": 88},
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
        step.gradient_stops,
        replace(STEPPED, blocks=STOPPED, trainable=100, adapter=True, reached=Reached(adapters=4)),
        {"reached": Reached(adapters=4, adapted=2)},
        script="class Lora:\n    def __init__(self, alpha, r):\n        self.scaling = alpha // r",
        says={"first": "encoder"},
    ),
    Case(
        step.loss_cut_off,
        replace(STEPPED, blocks=(Block("encoder", 10, 10, None, 0.0),), trainable=10),
        {"blocks": (Block("encoder", 10, 10, 0.5, 0.0),)},
        script="def compute_loss():\n    return torch.tensor(loss.item(), requires_grad=True)",
        says={"blocks": 1, "made": "torch.tensor(loss.item(), requires_grad=True)"},
    ),
    Case(
        step.no_gradient,
        replace(STEPPED, blocks=(Block("encoder", 10, 10, None, 0.0),), trainable=10),
        {"blocks": (Block("encoder", 10, 10, 0.5, 0.0),)},
        says={"blocks": 1},
    ),
    Case(
        inputs.rows_mingled,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        says={"moved": 0.8},
    ),
    Case(
        inputs.eval_tokenized_otherwise,
        Data(SPLIT, SPLIT, numbered=(7, 30, 40)),
        {"numbered": None},
        script="tokenizer = build(train)\nother_tokenizer = build(test)",
        says={"moved": 30, "known": 40},
    ),
    Case(
        targets.labels_stand_for_none,
        Data(replace(SPLIT, labels=(0.0,) * 6 + tuple(200.0 + n for n in range(90))), None),
        {"train": replace(SPLIT, labels=tuple(200.0 + n for n in range(90)))},
        facts=replace(FACTS, task="regression"),
        says={"value": 0.0, "rows": 6, "of": 96, "apart": 200.0},
    ),
    Case(
        inputs.lowered_after_learning,
        Data(SPLIT, None, cased=Cased(60, 400, "Press", lowered=True)),
        {"cased": Cased(60, 400, "PRESS")},
        script="import tokenizers\ntok.normalizer = Lowercase()",
        says={"unknown": 60, "words": 400, "example": "Press"},
    ),
    Case(
        inputs.unknown_for_capitals,
        Data(SPLIT, None, cased=Cased(60, 400, "PRESS")),
        {"cased": Cased(2, 400, "PRESS")},
        script="import tokenizers\ntok = Tokenizer(WordLevel(vocabulary))",
        says={"unknown": 60, "words": 400, "example": "PRESS"},
    ),
    Case(
        inputs.padding_mask_turned,
        replace(FINE, hides=383),
        {"hides": 0},
        script="out = encoder(x,\n    src_key_padding_mask=mask.bool())",
        says={"hidden": 383},
    ),
    Case(
        slips.split_apart,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="a, b = train_test_split(texts)\ny, z = train_test_split(labels)",
        says={"inputs": "texts", "labels": "labels"},
    ),
    Case(
        data.eval_rows_drawn_anew,
        Data(SPLIT, SPLIT, drawn_anew=("pixels", "pixels")),
        {"drawn_anew": ("pixels", "")},
        says={"name": "pixels"},
    ),
    Case(
        targets.targets_begin_late,
        Data(SPLIT, None, late=("4", 8)),
        {"late": None},
        facts=replace(FACTS, task="seq2seq"),
        says={"first": "4"},
    ),
    Case(
        targets.labels_lose_fractions,
        Batch({}, cut=(-0.7, -1.0)),
        {"cut": None},
        facts=replace(FACTS, task="unknown"),
        says={"was": -0.7, "now": -1.0},
    ),
    Case(
        targets.masked_too_much,
        Batch({}, targets=Targets(90, 10, masked=90), padding=NO_PADDING),
        {"targets": Targets(15, 85, masked=15)},
        facts=replace(FACTS, task="masked_lm"),
        says={"share": 0.9},
    ),
    Case(
        metric.answers_drawn_out,
        replace(MEASURED, least=5, wanted=(3, 5, 4, 7)),
        {"least": 3},
        script="model.generation_config.min_length = 5",
        says={"least": 5, "share": 0.5},
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
    of_rows(data.duplicates, {"first_rows": ({"x": [[0.5]]},)}, {"rows": 5}, duplicates=5),
    Case(
        data.classes_only_in_eval,
        Data(replace(SPLIT, labels=(0, 1) * 20), SPLIT),
        {"train": SPLIT},
        says={"name": "2 yes", "rows": 10, "share": 0.25},
    ),
    Case(
        data.eval_of_one_class,
        Data(SPLIT, replace(SPLIT, labels=(2,) * 40)),
        {"eval": SPLIT},
        says={"name": "2 yes", "rows": 40, "share": 0.25},
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
    of_rows(
        data.filled_far,
        {"widths": (40,) * 40},
        {"width": 128, "longest": 8, "rows": 40, "times": 16},
        lengths=(5, 6, 7, 8) * 10,
        widths=(128,) * 40,
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
        shapes.rows_not_batched,
        replace(FINE, batched=False, failure=failed("ValueError", "incompatible with the layer")),
        {"batched": True},
        facts=replace(FACTS, compiled=Compiled()),
    ),
    Case(
        forward.nan_forward,
        replace(FINE, loss=float("nan"), nan_weights=("head.weight", "head.bias")),
        {"nan_weights": ()},
        says={"where": "head.weight", "weights": 2},
    ),
    Case(forward.nan_made, replace(FINE, loss=float("nan")), {"loss": 1.1}, says={"where": "loss"}),
    Case(
        forward.nan_from_inputs,
        replace(FINE, loss=float("nan"), nan_inputs=("readings", 3, 32)),
        {"nan_inputs": None},
        says={"name": "readings", "rows": 3, "of": 32},
    ),
    Case(
        weights.sure_before_training,
        replace(FINE, drawn=Drawn(3), loss=29.0, logits_low=-32.0, logits_high=31.0),
        {"logits_low": -1.0, "logits_high": 1.0},
        facts=replace(FACTS, pretrained=False),
        says={"low": -32.0, "high": 31.0, "loss": 29.0},
    ),
    Case(forward.first_loss_off, replace(FINE, loss=1.7), {"loss": 1.6}, says={"classes": 3}),
    Case(forward.first_loss_off, replace(FINE, loss=0.6), {"labels": (0, 0, 0, 0, 0, 1)}),
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
    Case(
        step.schedule_used_up,
        replace(
            STEPPED, blocks=(Block("encoder", 10, 10, 0.5, 0.0),), plan=Plan(updates=40, used=40)
        ),
        {"plan": Plan(updates=40)},
        says={"used": 40},
    ),
    Case(
        evaluate.few_kinds_of_rows,
        replace(MEASURED, shared_rows=24, looked_at=24, repeated=0.9),
        {"repeated": 0.2},
        says={"share": 1.0, "rows": 24, "repeated": 0.9},
    ),
    Case(evaluate.no_eval_set, replace(MEASURED, eval_rows=None, evaluations=0), {"eval_rows": 1}),
    Case(evaluate.no_metric, replace(MEASURED, has_metric=False), {"has_metric": True}),
    Case(
        evaluate.best_never_chosen,
        replace(MEASURED, best_metric="loss", evaluations=0, steps=450),
        {"evaluations": 2},
        script="Trainer(args=TrainingArguments(\n    eval_steps=500))\ntrainer.train()\n"
        "trainer.predict(test)",
        says={"steps": 450},
    ),
    Case(
        evaluate.evaluation_drops_rows,
        replace(MEASURED, eval_rows=480, unfilled=224),
        {"unfilled": 16},
        script="TrainingArguments(\n    dataloader_drop_last=True)",
        says={"dropped": 224, "rows": 480},
    ),
    Case(
        evaluate.set_never_used,
        replace(MEASURED, has_metric=False, evaluations=0, strategy="no"),
        {"evaluations": 3},
        facts=WORDY,
        script="trainer.train()",
        says={"rows": 24, "strategy": "no"},
    ),
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
    of_rows(
        targets.labels_tiled,
        {"labels": tuple((*range(n, n + 8), *range(8)) for n in range(40))},
        {"rows": 40, "of": 40, "times": 2},
        labels=tuple((*range(n, n + 8), *range(n, n + 8)) for n in range(40)),
    ),
    Case(
        evaluate.argmax_over_places,
        replace(
            MEASURED,
            given={"predictions": (8, 3), "label_ids": (8, 40)},
            failure=failed("IndexError", "boolean index did not match"),
        ),
        {"given": {"predictions": (8, 40), "label_ids": (8, 40)}},
        script="t = Trainer(preprocess_logits_for_metrics=keep)",
        says={"given": 3, "wanted": 40},
    ),
    Case(
        evaluate.argmax_along_places,
        replace(MEASURED, given={"predictions": (8, 40, 3), "label_ids": (8, 40)}),
        {"given": {"predictions": (8, 3), "label_ids": (8,)}},
        script="def measure(given):\n    said = np.argmax(given.predictions, axis=1)\n"
        "t = Trainer(compute_metrics=measure)",
        says={"axis": 1, "left": "[8, 3]", "labels": "[8, 40]"},
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
        overfit.memorises_in_time,
        Memory(
            *(tuple(23.5 - n / 10 for n in range(20)), None, None, None, (), 32, 1e-3), planned=800
        ),
        {"planned": 400},
        says={"needed": 235, "planned": 800},
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

KERAS = replace(FACTS, compiled=Compiled(), framework="keras")
MEASURES_BARE = Failure(
    "AttributeError",
    "'float' object has no attribute 'items'",
    (Frame("trainer.py", 90, "evaluation_loop", "", False),),
    None,
)
TUPLED = replace(
    failed("AttributeError", "'tuple' object has no attribute 'seed'"),
    held=(Name("args", "tuple"),),
)
CASES += [
    Case(
        within.text_into_model,
        replace(
            FINE, text="so it is", failure=failed("UnimplementedError", "Cast string to float")
        ),
        {"text": ""},
        says={"text": "so it is"},
    ),
    Case(
        columns.labels_move_between_epochs,
        Data(SPLIT, None, relabelled=(30, 40)),
        {"relabelled": (2, 40)},
        says={"changed": 30, "rows": 40},
    ),
    Case(
        within.unknown_to_keras,
        replace(FINE, unknown=("metric", "f1"), failure=failed("TypeError", "not callable")),
        {"unknown": None},
        says={"kind": "metric", "name": "f1", "home": "tf.keras.metrics"},
    ),
    Case(
        within.layer_made_in_call, replace(FINE, anew=51), {"anew": 0}, KERAS, says={"weights": 51}
    ),
    Case(
        within.drops_always,
        replace(FINE, thinned=("dropout", 0.5, 3)),
        {"thinned": None},
        says={"name": "dropout", "share": 0.5},
    ),
    Case(
        within.parts_in_a_list,
        replace(FINE, listed=Listed("blocks", "list", 3, 912)),
        {"listed": None},
        script="self.blocks = [make() for _ in range(3)]",
        says={"name": "blocks", "kind": "list", "count": 3, "weights": 912},
    ),
    Case(
        within.decoder_is_none,
        replace(FINE, decoder_lacks=("is_decoder",)),
        {"decoder_lacks": ()},
        PAIRED,
        says={"missing": "is_decoder"},
    ),
    Case(
        within.weights_out_of_sight,
        replace(FINE, beside=51),
        {"beside": 0},
        KERAS,
        says={"weights": 51},
    ),
    Case(
        within.penalty_drowns_loss,
        replace(FINE, penalty=Penalty("dense", cost=700.0, loss=0.7, times=900.0)),
        {"penalty": Penalty("dense", cost=700.0, loss=0.7, times=90.0)},
        says={"layer": "dense", "cost": 700.0, "times": 900.0},
    ),
    Case(
        units.units_alike,
        replace(STEPPED, alike=(Alike("dense", 32, 0.0),)),
        {"alike": ()},
        says={"layer": "dense", "units": 32, "steps": 2},
    ),
    Case(
        units.batch_norm_too_slow,
        replace(STEPPED, plan=PLAN, norms=(Norm("norm", 0.9999, left=0.99, off=2.0, wide=9.0),)),
        {"norms": (Norm("norm", 0.9999, left=0.99, off=0.1, wide=1.1),)},
        says={"momentum": 0.9999, "left": 0.99, "updates": 100},
    ),
    Case(
        plan.no_epoch_left,
        replace(STEPPED, plan=replace(PLAN, updates=0, epochs=0.0, begins_at=4)),
        {"plan": replace(PLAN, begins_at=4)},
        KERAS,
        says={"first": 4},
    ),
    Case(
        steered.rate_taken_by_callback,
        replace(
            STEPPED,
            plan=replace(PLAN, rates=None, steered=Steered("Scheduler", 2e-7, 2e-3, 1e-5)),
        ),
        {"plan": replace(PLAN, rates=None, steered=Steered("Scheduler", 2e-5, 2e-3, 1e-3))},
        says={"highest": 2e-7, "asked": 2e-3, "updates": 100},
    ),
    Case(
        plan.gradients_cut_away,
        replace(STEPPED, plan=replace(PLAN, clipped=Clipped("clipvalue", 1e-10, 1e-3, 1e-10))),
        {"plan": replace(PLAN, clipped=Clipped("clipvalue", 1e-4, 1e-3, 1e-4))},
        says={"name": "clipvalue", "at": 1e-10},
    ),
    Case(
        inputs.axes_jumbled,
        Batch({}, signal=replace(PICTURES, jumbled=Jumbled(0.9, 0.05, (3, 8, 8), (8, 8, 3)))),
        {"signal": PICTURES},
        script="picture = torch.tensor(read(name)).reshape(3, 8, SIZE)",
        says={"shape": "(3, 8, 8)"},
    ),
    Case(
        inputs.scaled_twice,
        Batch({}, scaled=Scaled("inputs", 0.0, 1.0, 0.0, 0.0039)),
        {"scaled": Scaled("inputs", 0.0, 255.0, 0.0, 1.0)},
        says={"high": 1.0, "inner_high": 0.0039},
    ),
    of_loss(
        losses.loss_arguments_swapped,
        {"swapped": ""},
        replace(SOUND, form="many", swapped="binary_crossentropy"),
        name="binary_crossentropy",
    ),
    Case(
        held.another_model_asked,
        replace(MEASURED, anew=(7, False)),
        {"anew": None},
        script="model = clone_model(model)",
    ),
    Case(
        held.metric_arguments_swapped,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="from sklearn.metrics import r2_score\nsaid = m.predict(x)\nr2_score(said, y)",
        says={"name": "r2_score"},
    ),
    Case(
        held.model_made_each_round,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="for _ in range(3):\n    m = made()\n    m.fit(x, y)\nm.save('here')",
    ),
    Case(
        held.asked_before_training,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="said = m.predict(x)\nm.fit(x, y)\nprint((said > 0.5) == y)",
        says={"name": "said"},
    ),
    Case(
        held.weights_brought_back,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="m.save_weights('w')\nm.fit(x, y)\nm.load_weights('w')\nm.predict(z)",
        says={"at": 1},
    ),
    Case(
        held.opened_unsaved,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="TrainingArguments(out, save_strategy='no')\nTrainer(train_dataset=x)\n"
        "trainer.train()\nbest = AutoModelForCausalLM.from_pretrained(out)",
        says={"folder": "out"},
    ),
    Case(
        held.asked_as_in_training,
        replace(MEASURED, dropout=0.5),
        {"dropout": 0.0},
        facts=replace(FACTS, compiled=Compiled()),
        script="m.fit(x, y)\nsaid = m(z, training=True)",
        says={"dropout": 0.5},
    ),
    Case(
        held.asked_without_batch,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        facts=replace(FACTS, compiled=Compiled()),
        script="m.fit(x, y)\none = x[0] / 255\nm.predict(one)",
        names={"x": np.zeros((9, 32, 32, 3))},
        says={"name": "one", "size": ", 32 x 32 x 3"},
    ),
    Case(
        held.threshold_hardly_met,
        replace(MEASURED, reach=(0.0, 1.0)),
        {"reach": None},
        script="sure = m.predict(x) > 0.999",
        says={"cut": 0.999},
    ),
    Case(
        held.scores_measured_as_classes,
        replace(
            MEASURED,
            num_labels=22,
            fails_later=(MIXED.format("multiclass", "continuous-multioutput"), 7),
        ),
        {"fails_later": ("'Sequential' object has no attribute 'x'", 7)},
    ),
    Case(
        held.scores_measured_as_yes_no,
        replace(MEASURED, fails_later=(MIXED.format("continuous", "binary"), 7)),
        {"fails_later": (MIXED.format("multiclass", "continuous-multioutput"), 7)},
    ),
    Case(
        held.fails_afterwards,
        replace(MEASURED, fails_later=("'Sequential' object has no attribute 'x'", 7)),
        {"fails_later": None},
    ),
    Case(
        held.fails_afterwards,
        replace(MEASURED, fails_later=("samples: [200, 192]", 7), left_out="Rows"),
        {"fails_later": None},
        script="class Rows(Sequence):\n    def __len__(self):\n        return 6",
    ),
    Case(
        held.history_without_key,
        replace(MEASURED, unknown_key=("acc", "loss, accuracy", 7)),
        {"unknown_key": None},
        says={"name": "acc"},
    ),
    Case(
        held.watched_in_vain,
        replace(MEASURED, watched_in_vain=("EarlyStopping", "val_acc", "loss, val_loss")),
        {"watched_in_vain": None},
        script='x = EarlyStopping(\n    monitor="val_acc",\n)',
        says={"name": "val_acc"},
    ),
    Case(
        shapes.fractions_for_classes,
        replace(FINE, labels=(0.0, 0.5)),
        {"labels": (0.0, 1.0)},
        facts=replace(FACTS, compiled=Compiled(loss="sparse_categorical_crossentropy")),
        says={"value": 0.5},
    ),
    Case(
        layered.last_state_alone,
        replace(FINE, failure=failed("ValueError", FLAT.format(3, 2, "(None, 24)"))),
        {"failure": failed("ValueError", FLAT.format(4, 2, "(None, 24)"))},
        script="m.add(LSTM(24))\nm.add(LSTM(12))",
        says={"layer": "lstm_1"},
    ),
    Case(
        layered.axes_of_another_count,
        replace(FINE, failure=failed("ValueError", FLAT.format(4, 3, "(None, 20, 20)"))),
        {"failure": None},
        script="SIZE = 20\nx = Input(shape=(SIZE, SIZE))",
        says={"wanted": 4, "given": 3},
    ),
    Case(
        layered.pooled_away,
        replace(FINE, failure=failed("ValueError", POOLED.format(2, 1))),
        {"failure": failed("ValueError", FLAT.format(4, 3, "(None, 20, 20)"))},
        script="m.add(MaxPooling2D())\nm.add(AveragePooling2D())",
        says={"layer": "average_pooling2d", "shape": "[?,1,1,32]"},
    ),
    Case(
        layered.array_of_objects,
        replace(FINE, failure=failed("ValueError", OF_LISTS)),
        {"failure": None},
        script="x = array(rows)\nmodel.fit(x, y)",
        says={"kind": "list"},
    ),
    Case(
        layered.argument_of_another_kind,
        replace(FINE, failure=NO_KEYS),
        {"failure": None},
        script="\n" * 6 + 'm.fit(x, y, class_weight="balanced")',
        says={"name": "class_weight", "kind": "str"},
    ),
    Case(
        layered.endless_without_steps,
        replace(FINE, failure=failed("ValueError", ENDLESS)),
        {"failure": None},
    ),
    Case(
        columns.learned_from_eval_rows,
        Data(SPLIT, None, refitted=("scaler", 7, "StandardScaler")),
        {"refitted": None},
        says={"name": "scaler"},
    ),
    Case(
        unkept.result_thrown_away,
        Data(SPLIT, None, thrown_away=("train", "map", 7, True)),
        {"thrown_away": None},
        says={"call": "map"},
    ),
    Case(
        endings.vectors_without_class,
        replace(FINE, counts="vectors", asked=replace(SEVERAL, cardinality=(0, 1, 1, 1))),
        {"asked": replace(SEVERAL, cardinality=(1, 1, 1, 1))},
        says={"rows": 1, "of": 4},
    ),
    Case(
        endings.each_for_one_class,
        replace(FINE, counts="each", asked=replace(SEVERAL, cardinality=(1,) * 8)),
        {"asked": replace(SEVERAL, cardinality=(1,) * 7 + (2,))},
        says={"outputs": SEVERAL.outputs},
    ),
    Case(
        within.layer_trains_always,
        replace(FINE, trains_always=("norm", "BatchNormalization")),
        {"trains_always": None},
        facts=KERAS,
        script="x = self.norm(x, training=True)",
        says={"layer": "norm"},
    ),
    Case(
        steered.rate_driven_up,
        replace(
            STEPPED,
            optimizer="Adam",
            plan=replace(PLAN, steered=Steered("Scheduler", 9.0, 1e-3, 9.0, (1e-3, 9.0))),
        ),
        {"plan": replace(PLAN, steered=Steered("Scheduler", 2e-3, 1e-3, 1.0, (1e-3, 2e-3)))},
        says={"last": 9.0},
    ),
    Case(
        steered.schedule_gives_no_float,
        replace(STEPPED, plan=replace(PLAN, no_float=("scheduler", 4))),
        {"plan": PLAN},
        says={"epoch": 5},
    ),
    Case(
        steered.thawed_without_optimizer,
        replace(STEPPED, plan=replace(PLAN, thawed=Thawed("Thaw", 2, 1200, "body.0.weight"))),
        {"plan": PLAN},
        says={"epoch": 2, "weights": 1200, "first": "body.0.weight"},
    ),
    Case(
        steered.plateau_has_no_room,
        replace(STEPPED, plan=replace(PLAN, no_room=(1e-3, 1e-3))),
        {"plan": PLAN},
        script="ReduceLROnPlateau(\n    min_lr=1e-3)",
        says={"rate": 1e-3, "least": 1e-3},
    ),
    Case(
        step.gradients_never_applied,
        replace(STEPPED, steps=2, blocks=(), failure=None),
        {"steps": 0},
        facts=KERAS,
        script="def train_step(self, data):\n    made = tape.gradient(loss, weights)",
    ),
    Case(
        held.no_test_step,
        replace(MEASURED, untested=True, best_metric="loss"),
        {"untested": False},
        says={"name": "loss"},
    ),
    Case(
        shapes.rows_of_another_shape,
        replace(FINE, failure=failed("ValueError", UNLIKE)),
        {"failure": None},
        facts=replace(FACTS, compiled=Compiled()),
        says={"wanted": "5", "given": "8"},
    ),
    Case(
        shapes.row_answered_once,
        replace(
            FINE,
            counts="numbers",
            labels_shape=(8, 24),
            logits_shape=(8, 7),
            failure=failed("ValueError", "`labels.shape` must equal `logits.shape`"),
        ),
        {"counts": "vectors"},
        facts=KERAS,
        says={"places": 24, "outputs": 7},
    ),
    Case(
        shapes.vectors_of_another_width,
        replace(
            FINE,
            labels_shape=(8, 3),
            logits_shape=(8, 4),
            failure=failed("ValueError", "Shapes (8, 3) and (8, 4) are incompatible"),
        ),
        {"labels_shape": (8, 4)},
        facts=replace(FACTS, compiled=Compiled()),
        says={"labels": 3, "outputs": 4},
    ),
    Case(
        heads.labels_of_other_output,
        replace(FINE, heads=CROSSED),
        {"heads": tuple(replace(one, given=None) for one in CROSSED)},
        says={"name": "sure", "other": "kind"},
    ),
    Case(
        heads.output_without_loss,
        replace(FINE, heads=(replace(CROSSED[0], asks=""), CROSSED[1])),
        {"heads": (replace(CROSSED[0], asks="", given=None), CROSSED[1])},
        says={"name": "kind", "asked": "sure"},
    ),
    Case(
        heads.output_weighs_nothing,
        replace(FINE, heads=(replace(CROSSED[0], weight=0.0), CROSSED[1])),
        {"heads": CROSSED},
        says={"name": "kind"},
    ),
    Case(
        heads.output_without_labels,
        replace(FINE, heads=(replace(CROSSED[0], given=None), CROSSED[1])),
        {"heads": CROSSED},
        says={"name": "kind"},
    ),
    Case(
        heads.no_such_output,
        replace(FINE, unknown_output=("cost", "kind, price")),
        {"unknown_output": None},
        says={"name": "cost"},
    ),
    Case(
        phases.not_compiled_again,
        replace(STEPPED, phases=Phases(unseen=Unseen(3, 4, 0))),
        {"phases": Phases()},
        says={"thawed": 4},
    ),
    Case(
        phases.optimizer_knows_others,
        replace(
            STEPPED,
            phases=Phases(compiled_at=9),
            failure=failed("KeyError", "The optimizer cannot recognize variable a/b:0. This"),
        ),
        {"failure": None},
        says={"name": "a/b:0"},
    ),
    Case(
        phases.rate_ignored,
        replace(STEPPED, phases=Phases(ignored=(0.1, 4))),
        {"phases": Phases(ignored=(5e-5, 4))},
        says={"asked": 0.1, "rate": 5e-5},
    ),
    Case(
        phases.kept_through_folds,
        STEPPED,
        {"failure": failed("ValueError", "no rows")},
        script="model = make()\nfor train, test in folds.split(x):\n    model.fit(x[train])\n"
        "    model.evaluate(x[test])\n",
        says={"at": 2},
        names={"model": "model"},
    ),
    Case(
        plan.steps_beyond_weights,
        replace(
            STEPPED,
            blocks=(Block("all", 5000, 5000, 0.5, 40.0),),
            peak_learning_rate=1.0,
            trainable=5000,
        ),
        {"trainable": 5},
        facts=replace(FACTS, pretrained=False),
        says={"rate": 1.0, "times": 40.0},
    ),
    Case(
        inputs.words_numbered_twice,
        Data(SPLIT, None, renumbered=("words", 7)),
        {"renumbered": None},
        says={"name": "words"},
    ),
    Case(
        held.answers_in_other_order,
        replace(MEASURED, held=(Held("rows", "labels", 3, 40, moved=36),)),
        {"held": (Held("rows", "labels", 3, 40),)},
        script="made = model.predict(rows)",
        says={"rows": "rows", "labels": "labels", "moved": 36, "of": 40},
    ),
    Case(
        held.answers_not_scaled_back,
        replace(MEASURED, held=(Held("rows", "prices", 3, 40, 0, (-2.0, 2.0), (90.0, 225.0)),)),
        {"held": (Held("rows", "prices", 3, 40),)},
        script="made = model.predict(rows)",
        says={"labels": "prices", "low": -2.0, "other_high": 225.0},
    ),
]

KEYED = pd.DataFrame({"id": range(9), "y": range(9)})
NUMBER = Printed("accuracy", 9, 0.5, 0.25, (0.5,) * 5, 0.25, 0.25, 8, 7, (40, 1))
BLIND = replace(NUMBER, other=0.5, low=0.5, high=0.5)
WORDS = Looked("embedding", 200, 0.0, 1.0, distinct=2, width=200, fractions=False, scattered=True)
SMALL = Column("inputs", 40, low=0.0, high=1.0, middle=0.5, width=0.8, fractions=True)
CASES += [
    of_script(
        pairing.row_shuffled_inside,
        "def mix(x, y):\n    return tf.random.shuffle(x), y\nds = ds.map(mix)",
        name="x",
    ),
    Case(
        pairing.undone_otherwise,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="y = np.log1p(rain)\nmade = np.exp(model.predict(x))",
        says={"made": "log1p", "other": "exp"},
    ),
    Case(
        pairing.area_of_decisions,
        replace(MEASURED, has_metric=False),
        {"failure": failed("ValueError", "no rows")},
        script="said = model.predict(x) > 0.5\nprint(roc_auc_score(y, said))",
    ),
    Case(
        plan.one_epoch_by_default,
        replace(STEPPED, plan=Plan(updates=40, epochs=1.0)),
        {"plan": Plan(updates=40, epochs=4.0)},
        facts=KERAS,
        script="model.fit(x, y)",
        says={"updates": 40},
    ),
    Case(
        pairing.tables_side_by_side,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="both = pd.concat([a, b['y']], axis=1)",
        says={"one": "a", "other": "b", "key": "id", "moved": 8, "rows": 9},
        names={"a": KEYED, "b": KEYED[::-1].reset_index(drop=True)},
    ),
    Case(
        pairing.listed_in_two_orders,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="x = [folder[name] for name in files]\ny = table['kind']",
        says={"one": "files", "other": "table", "key": "file", "moved": 8, "rows": 9},
        names={
            "files": list("abcdefghi"),
            "table": pd.DataFrame({"file": list("ihgfedcba"), "kind": range(9)}),
        },
    ),
    of_script(
        pairing.rows_are_one,
        "y = [[0] * 5] * len(x)\nfor i, one in enumerate(x):\n    y[i][one] = 1",
        made="[[0] * 5] * len(x)",
    ),
    Case(
        cutting.held_out_of_one_kind,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="train, test = rows[:40], rows[40:]",
        says={"one": "train", "other": "test", "field": "of", "kind": "cat", "rows": 20},
        names={"train": [{"of": "dog"}] * 40, "test": [{"of": "cat"}] * 20},
    ),
    of_script(
        cutting.sorted_then_cut,
        "rows.sort(key=len)\ntrain, test = rows[:40], rows[40:]",
        name="rows",
        at=2,
        other="test",
    ),
    Case(
        columns.scaled_by_itself,
        Data(SPLIT, SPLIT, eval_columns=Columns(standard=Standard("x", 3, 40))),
        {"eval_columns": Columns()},
        says={"name": "x", "columns": 3, "rows": 40},
    ),
    Case(
        frames.shifted_across_groups,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t['next'] = t['y'].shift(-1)\nt.groupby('who')['y'].mean()",
        says={"column": "y", "key": "who", "rows": 29, "moved": 29},
        names={"t": pd.DataFrame({"who": list("abc") * 10, "y": range(30)})},
    ),
    Case(
        frames.gaps_made_zero,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t['y'] = t['y'].fillna(0)",
        says={"column": "y", "low": 40.0, "high": 99.0, "rows": 5},
        names={"t": pd.DataFrame({"y": [0] * 5 + list(range(40, 100))})},
    ),
    Case(
        frames.label_counts_gaps,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t = load('stays.csv').fillna(0)\nt['back'] = (t['days'] <= 30).astype(int)",
        says={"column": "days", "rows": 5, "of": 65, "at": 2, "most": 30.0},
        names={"t": pd.DataFrame({"days": [0] * 5 + list(range(1, 61))})},
    ),
    Case(
        frames.column_of_other_rows,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="part['log'] = np.log(whole['y'])",
        says={"frame": "part", "other": "whole", "column": "y", "moved": 30, "rows": 30},
        names={
            "whole": pd.DataFrame({"y": range(30)}),
            "part": pd.DataFrame({"y": [*range(1, 30), 0]}),
        },
    ),
    of_script(
        frames.index_of_its_own,
        "t = t.dropna()\nu = pd.DataFrame(scaler.fit_transform(t))\nt = t.join(u)",
        frame="t",
        other="u",
        at=1,
    ),
    Case(
        held.loaded_whole,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="torch.save({'net': m.state_dict()}, 'f')\nm.load_state_dict(torch.load('f'))",
        says={"at": 1, "key": "net"},
    ),
    Case(
        plan.adadelta_hardly_moves,
        replace(STEPPED, optimizer="Adadelta", peak_learning_rate=0.001),
        {"peak_learning_rate": 1.0},
        says={"rate": 0.001, "times": 1000.0},
    ),
    of_metric(
        metric.labels_share_one_whole,
        {"lifted": {"f1": 0.1}},
        Trials(
            "many",
            {"f1": 0.8},
            {"f1": 0.2},
            {"f1": 0.3},
            lifted={"f1": 0.8},
            several=9,
            single={"f1": 0.7},
        ),
        name="f1",
        value=0.8,
    ),
    Case(
        pairing.names_of_letters,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="y = binarizer.fit_transform(df['y'])",
        says={"names": 8, "example": "a, b, c, d, e, f"},
        names={"binarizer": MultiLabelBinarizer().fit(["abcd", "efgh"])},
    ),
    Case(
        columns.one_column_tells_all,
        Data(SPLIT, None, columns=Columns(told=Told("x", 6, 0.99, 0.5, exact=False))),
        {"columns": Columns()},
        says={"name": "x", "place": 6, "share": 0.99, "next": 0.5},
    ),
    of_metric(
        metric.metric_leaves_class_out,
        {"left_out": ()},
        replace(TRIED, left_out=(0,)),
        name="accuracy",
        value=1.0,
    ),
    Case(
        metric.scaled_back_twice,
        replace(MEASURED, trials=replace(IN_DEVIATIONS, nudged={"mae": 0.001}), scale=(9.0, 2.0)),
        {"scale": (0.0, 1.0)},
        says={"name": "mae", "times": 2.0, "deviation": 2.0},
    ),
    of_script(
        pairing.dropped_on_one_side,
        "x = df.dropna()\ny = df['y'].to_numpy()",
        one="x",
        other="y",
    ),
    of_script(
        pairing.keys_sorted_apart,
        "rows = sorted(d), list(d.values())",
        one="sorted(d)",
        other="d.values()",
    ),
    of_script(
        pairing.labels_unsplit,
        "a, b = train_test_split(df)\ny = df['y'].to_numpy()[: len(a)]",
        one="a",
        other="y",
    ),
    of_script(
        pairing.names_in_two_orders,
        "ids = {t: n for n, t in enumerate(tags)}\nnames = dict(enumerate(sorted(tags)))",
        one="sorted(tags)",
        other="tags (line 1)",
    ),
    of_script(
        pairing.reshape_moves_axis,
        "x = waves.reshape(len(waves), STEPS, waves.shape[1])",
        made="waves.reshape(len(waves), STEPS, waves.shape[1])",
    ),
    Case(
        pairing.evaluation_named_otherwise,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="told = dict(zip(['accuracy', 'loss'], model.evaluate(rows)))",
    ),
    Case(
        pairing.chosen_by_test,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="best = max(cuts, key=lambda cut: f1_score(y_test, made > cut))",
        says={"name": "y_test"},
    ),
    of_script(
        pairing.drawn_apart,
        "pictures = turning.flow(x)\nmasks = turning.flow(y)\nrows = zip(pictures, masks)",
        one="pictures",
        other="masks",
    ),
    Case(
        targets.sees_what_is_asked,
        replace(FINE, sees_ahead=0.4),
        {"sees_ahead": 0.0},
        says={"moved": 0.4},
    ),
    Case(
        by_hand.zeroed_before_step,
        replace(STEPPED, by_hand=replace(LOOP, zeroed=2)),
        {"by_hand": LOOP},
        says={"zeroed": 2, "backwards": 3},
    ),
    Case(
        by_hand.learns_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, training=False)),
        {"by_hand": LOOP},
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.learns_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, training=False, asked_at=12)),
        {"by_hand": LOOP},
        facts=KERAS,
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.penalty_left_out,
        replace(STEPPED, by_hand=replace(LOOP, unpenalised="dense", lost_at=14)),
        {"by_hand": LOOP},
        says={"layer": "dense"},
    ),
    Case(
        by_hand.number_read_once,
        replace(STEPPED, by_hand=replace(LOOP, read_once=ReadOnce("warm", 0.0, 14))),
        {"by_hand": LOOP},
        says={"name": "warm", "value": 0.0},
    ),
    Case(
        by_hand.loop_broken_off,
        replace(STEPPED, by_hand=replace(LOOP, broken_off=22, batches=50)),
        {"by_hand": replace(LOOP, broken_off=22, batches=1)},
        says={"batches": 50},
    ),
    Case(
        by_hand.optimizer_made_anew,
        replace(STEPPED, by_hand=replace(LOOP, made_anew=22, optimizer="Adam")),
        {"by_hand": LOOP},
        says={"name": "Adam"},
    ),
    Case(
        by_hand.metric_never_reset,
        replace(STEPPED, by_hand=replace(LOOP, unreset=("exact", 30))),
        {"by_hand": LOOP},
        says={"name": "exact"},
    ),
    Case(
        by_hand.stays_in_eval_mode,
        replace(STEPPED, by_hand=replace(LOOP, stuck_at=30)),
        {"by_hand": LOOP},
        says={"layer": "dropout"},
    ),
    Case(
        by_hand.judged_in_train_mode,
        replace(MEASURED, unsteady=Unsteady("dropout", 64, 12)),
        {"unsteady": Unsteady("dropout", 64, 0)},
        replace(FACTS, by_hand=True),
        says={"changed": 12, "rows": 64},
    ),
    Case(
        pairing.epoch_chosen_by_test,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="""
model.fit(x, y, validation_data=(x_test, y_test), callbacks=[EarlyStopping("val_loss")])
print(model.evaluate(x_test, y_test))
""",
        says={"name": "x_test"},
    ),
    Case(
        printed.answers_left_transformed,
        replace(MEASURED, printed=(replace(NUMBER, name="mae", perfect=0.4, made_by="log1p"),)),
        {"printed": (replace(NUMBER, name="mae", perfect=0.4),)},
        script="made = model.predict(x)\nprint('mae', made)",
        says={"name": "mae", "value": 0.4, "made_by": "log1p", "back": "expm1"},
    ),
    Case(
        columns.gaps_in_inputs,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("inputs", 3, 40, felt=True),))),
        {"columns": Columns()},
        says={"name": "inputs", "rows": 3, "of": 40},
    ),
    Case(
        columns.answer_among_inputs,
        Data(SPLIT, None, columns=Columns(echo=Echo("inputs", (0, 2), 40, in_time=True))),
        {"columns": Columns()},
        says={"place": "0, 2", "rows": 40},
    ),
    Case(
        columns.answer_in_parts,
        Data(SPLIT, None, columns=Columns(summed=Summed("numeric", (4, 5), 40))),
        {"columns": Columns()},
        says={"places": "4, 5", "rows": 40},
    ),
    Case(
        columns.labels_filled_elsewhere,
        Data(SPLIT, None, misfilled=(38, 40)),
        {"misfilled": (3, 40)},
        script="y = pad_sequences(y, maxlen=24)",
        says={"moved": 38, "rows": 40},
    ),
    Case(
        columns.columns_in_other_order,
        Data(SPLIT, SPLIT, columns=Columns(), eval_columns=Columns(), swapped=((0, 3), (3, 0))),
        {"swapped": ()},
        says={"column": 0, "other": 3, "count": 2},
    ),
    Case(
        inside.layer_never_adapted,
        Batch({}, unadapted=Unadapted("normalization", 0.0, 500.0)),
        {"unadapted": None},
        says={"layer": "normalization", "high": 500.0},
    ),
    Case(
        inside.layer_scales_as_one,
        Batch({}, levelled=Levelled("normalization", 6, 5, 0.05, 0.4)),
        {"levelled": None},
        says={"columns": 6, "drowned": 5},
    ),
    Case(
        inside.bag_into_embedding,
        Batch({}, looked=(WORDS,)),
        {"looked": (replace(WORDS, scattered=False),)},
        says={"knows": 200, "width": 200},
    ),
    Case(
        inside.fractions_into_embedding,
        Batch({}, looked=(replace(WORDS, high=0.9, distinct=90, fractions=True),)),
        {"looked": (WORDS,)},
        says={"layer": "embedding", "high": 0.9},
    ),
    Case(
        shapes.answer_for_each_place,
        replace(
            FINE,
            logits_shape=(8, 7, 7, 4),
            labels_shape=(8,),
            counts="numbers",
            failure=failed("ValueError", "shape mismatch"),
        ),
        {"logits_shape": (8, 4)},
        KERAS,
        says={"places": "7 x 7"},
    ),
    Case(
        inputs.input_not_read,
        replace(FINE, unread="size"),
        {"unread": ""},
        KERAS,
        says={"name": "size"},
    ),
    Case(
        units.gradient_fades,
        replace(STEPPED, faded=Faded("first", "last", 1e-5, 8)),
        {"faded": Faded("first", "last", 0.1, 8)},
        says={"first": "first", "last": "last", "count": 8},
    ),
    Case(
        plan.data_runs_out,
        replace(STEPPED, plan=replace(PLAN, epochs=10.0, held_batches=60, asked_steps=300)),
        {"plan": replace(PLAN, epochs=10.0, held_batches=300, asked_steps=300)},
        says={"asked": 300, "held": 60, "done": 2.0},
    ),
    Case(
        printed.shares_cut_to_zero,
        replace(MEASURED, printed=(replace(BLIND, same_at=1),)),
        {"printed": (NUMBER,)},
        script='y_pred = shares.astype("int32")',
        says={"cut": "shares", "value": 0.5},
    ),
    Case(
        metric.rate_cut_while_better,
        replace(MEASURED, best_metric="loss", greater_is_better=True, best_by="ReduceLROnPlateau"),
        {"best_by": "EarlyStopping"},
        script='ReduceLROnPlateau(monitor="val_loss", mode="max")',
        says={"name": "loss", "mode": "min"},
    ),
    Case(
        losses.logarithm_of_answers,
        replace(FINE, logits_low=-0.5),
        {"logits_low": 0.5},
        facts=replace(FACTS, compiled=Compiled(loss="Poisson")),
        says={"least": -0.5},
    ),
    replace(
        of_plan(
            plan.factor_next_to_none,
            {"rates": replace(RATES, nothing=0.1, little=0.1)},
            replace(PLAN, rates=replace(RATES, nothing=0.5, little=0.5)),
            factor=1e-6,
        ),
        script="ExponentialDecay(0.01, 100, decay_rate=1e-6)",
    ),
    Case(
        columns.rows_levelled_alone,
        Data(None, None, columns=Columns(levelled=OwnLength("rows", 40, 6, 0, 0.99))),
        {"columns": Columns()},
        script="X = keras.utils.normalize(X)",
        says={"columns": 6, "place": 1},
    ),
    Case(
        printed.printed_blind,
        replace(MEASURED, printed=(BLIND,)),
        {"printed": (NUMBER,)},
        says={"name": "accuracy", "value": 0.5},
    ),
    Case(
        printed.perplexity_of_other_base,
        MEASURED,
        {"rows": 0},
        replace(FACTS, task="causal_lm"),
        script='print(2 ** scores["eval_loss"])',
        says={"base": "2", "at": 1},
    ),
    Case(
        printed.perplexity_of_smoothed,
        replace(MEASURED, smoothing=0.1),
        {"smoothing": 0.0},
        replace(FACTS, task="causal_lm"),
        script='args = A(label_smoothing_factor=0.1)\nprint(math.exp(scores["eval_loss"]))',
        says={"smoothing": 0.1, "at": 2},
    ),
    Case(
        printed.printed_with_sign,
        replace(MEASURED, printed=(replace(NUMBER, name="mae_kw", low=-9.0),)),
        {"printed": (replace(NUMBER, name="mae_kw", low=9.0),)},
        says={"name": "mae_kw", "value": -9.0},
    ),
    Case(
        printed.printed_mixes_rows,
        replace(MEASURED, printed=(NUMBER,)),
        {"printed": (replace(NUMBER, dealt=(0.25, 0.5)),)},
        says={"name": "accuracy", "shape": "[40, 1]"},
    ),
    Case(
        printed.printed_mixes_rows,
        replace(MEASURED, printed=(replace(NUMBER, name="mae", low=10_008.0, high=9_996.0),)),
        {"printed": (replace(NUMBER, name="mae", low=10_000.5, high=9_999.5),)},
        says={"name": "mae", "shape": "[40, 1]"},
    ),
    Case(
        printed.printed_another_number,
        replace(MEASURED, printed=(replace(NUMBER, of="loss"),)),
        {"printed": (replace(NUMBER, of="accuracy"),)},
        says={"name": "accuracy", "of": "loss"},
    ),
    Case(
        printed.printed_off_its_labels,
        replace(MEASURED, printed=(replace(NUMBER, dealt=(0.4,), perfect=0.25),)),
        {"printed": (replace(NUMBER, dealt=(0.4,), perfect=1.0),)},
        says={"name": "accuracy", "value": 0.25},
    ),
    Case(
        printed.printed_of_others,
        replace(MEASURED, printed=(replace(NUMBER, dealt=(0.4,), perfect=0.6, off="truth"),)),
        {"printed": (replace(NUMBER, dealt=(0.4,), perfect=1.0, off="truth"),)},
        script="truth = y[1:]",
        says={"off": "truth", "best": 1},
    ),
    Case(
        printed.asked_on_other_scale,
        replace(MEASURED, asked_scale=(SMALL, replace(SMALL, high=255.0, width=200.0))),
        {"asked_scale": (SMALL, SMALL)},
        says={"high": 1.0, "other_high": 255.0},
    ),
    Case(
        turning.turning_mixes_classes,
        replace(
            TRAINED,
            guesses={(0, 0): 30, (1, 1): 18, (1, 2): 14, (2, 1): 16, (2, 2): 16},
            unturned={(0, 0): 30, (1, 1): 32, (2, 2): 32},
        ),
        {"unturned": {(0, 0): 30, (1, 1): 28, (1, 2): 4, (2, 2): 32}},
        script="model.add(layers.RandomRotation(0.5))",
        says={"one": "maybe", "other": "yes"},
    ),
    *(
        Case(
            rule,
            replace(TRAINED, turned=turned),
            {"turned": replace(turned, anew=0.6)},
            script="a = made()\nb = made().T\nm.fit(a, y, validation_data=(b, z))",
            says={"as_it_is": 0.5, "anew": 0.95},
        )
        for rule, turned in (
            (turning.eval_axes_swapped, Turned("axes", 128, 0.5, 0.95)),
            (turning.eval_upside_down, Turned("upside down", 128, 0.5, 0.95)),
            (turning.eval_colours_reversed, Turned("colours", 128, 0.5, 0.95)),
        )
    ),
    Case(
        printed.asked_in_other_order,
        replace(MEASURED, asked_swapped=((0, 3), (3, 0))),
        {"asked_swapped": ()},
        says={"column": 0, "other": 3, "count": 2},
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
    of_loss(
        losses.amounts_draw_nowhere,
        {"undrawn": 0},
        replace(AMOUNTS, wanted=(-1.5, 1.5), undrawn=4),
        rows=4,
        low=-1.5,
    ),
    replace(
        of_loss(
            losses.percentage_across_nothing,
            {"wanted": (0.5, 1.5)},
            replace(AMOUNTS, wanted=(-1.5, 1.5)),
            least=-1.5,
        ),
        facts=replace(FACTS, compiled=Compiled(loss="mean_absolute_percentage_error")),
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
        losses.weights_on_even_classes,
        {"pulls": {0: 0.6, 1: 0.4, 2: 0.3}},
        replace(SOUND, pulls={0: 1.2, 1: 0.4, 2: 0.3}, counts={0: 30, 1: 30, 2: 32}),
        heavy="no",
        light="yes",
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
    of_plan(
        plan.rate_falls_by_updates,
        {"rates": replace(RATES, climbs=0, after_epoch=2e-5, rhythm=1)},
        replace(PLAN, rates=replace(RATES, climbs=0, after_epoch=5e-6, rhythm=1)),
        updates=50,
        rhythm=1,
    ),
    of_plan(
        plan.rate_falls_by_updates,  # which is told, too, where next to nothing is left
        {"rates": replace(RATES, climbs=0, after_epoch=2e-5, rhythm=1)},
        replace(PLAN, rates=replace(RATES, climbs=0, after_epoch=1e-9, rhythm=1, little=0.9)),
        updates=50,
        rhythm=1,
    ),
    Case(
        withheld.table_stays_frozen,
        replace(STEPPED, total=1000, trainable=500, plan=replace(PLAN, still=Still(500, 10, 0))),
        {"plan": PLAN},
        script="table = nn.Embedding.from_pretrained(vectors)",
        says={"share": 0.5},
    ),
    Case(
        withheld.empty_table_frozen,
        replace(STEPPED, total=1000, trainable=500, plan=replace(PLAN, still=Still(500, 10, 6))),
        {"plan": replace(PLAN, still=Still(500, 10, 0))},
        script="table = nn.Embedding.from_pretrained(vectors)",
        says={"columns": 10, "empty": 6},
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
    Case(
        rates.rate_for_adam,
        replace(
            STEPPED,
            optimizer="SGD",
            learning_rates=(5e-5, 5e-5),
            blocks=(
                *(Block(f"{n}", 10, 10, 0.5, 1e-6) for n in range(3)),
                Block("h", 1, 1, 1, 0.1),
            ),
            plan=PLAN,
        ),
        {"optimizer": "AdamW"},
        script='TrainingArguments(optim="sgd")',
        says={"optimizer": "SGD", "rate": 5e-5},
    ),
    of_plan(plan.eps_swallows_update, {"eps": 1e-6}, replace(PLAN, eps=1.0), eps=1.0),
    of_plan(plan.weight_decay_too_strong, {"weight_decay": 0.1}, replace(PLAN, weight_decay=300.0)),
    of_plan(
        withheld.weights_at_rate_zero, {"idle": ()}, replace(PLAN, idle=("head.weight",)), count=1
    ),
    of_plan(
        withheld.half_precision_weights, {"half": ""}, replace(PLAN, half="float16", narrow=0.4)
    ),
    of_plan(withheld.dropout_high, {"dropout": 0.49}, replace(PLAN, dropout=0.8), dropout=0.8),
    of_plan(
        withheld.head_dropout_high,
        {"head_dropout": 0.5},
        replace(PLAN, head_dropout=0.99),
        dropout=0.99,
    ),
    of_plan(
        withheld.frozen_before_training,
        {"frozen_new": 0},
        replace(PLAN, frozen_new=1000),
        frozen=1000,
    ),
    Case(
        plan.rate_small_for_new,
        replace(STEPPED, plan=PLAN, learning_rates=(5e-5, 5e-5)),
        {"plan": replace(PLAN, rates=replace(RATES, total=2e-2))},
        facts=replace(FACTS, pretrained=False),
        says={"rate": 5e-5, "updates": 100},
    ),
    of_plan(plan.momentum_too_long, {"betas": (0.9, 0.95)}, replace(PLAN, betas=(0.99, 0.999))),
    of_order(order.batches_of_one_label, {"single": 0.2}, replace(ORDER, single=0.9), share=0.9),
    of_order(order.same_rows_again, {"distinct": 64}, replace(ORDER, distinct=8), drawn=128),
    of_order(
        order.weights_of_few_rows,
        {"weighed": None},
        replace(ORDER, distinct=4, weighed=4),
        weights=4,
        rows=400,
    ),
]

CASES += [
    of_metric(
        metric.metric_blind,
        {"drawn": {"accuracy": 0.3}},
        replace(TRIED, constant=TRIED.perfect, drawn=TRIED.perfect),
        name="accuracy",
    ),
    of_metric(
        metric.metric_error_on_perfect,
        {"perfect": {"eval_mae": 0.0}},
        Trials("amounts", {"eval_mae": 80.0}, {"eval_mae": 81.0}, {"eval_mae": 82.0}),
        name="eval_mae",
        value=80.0,
        drawn=82.0,
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
    Case(
        metric.error_in_scaled_units,
        replace(MEASURED, trials=IN_DEVIATIONS, scale=(0.0, 1.0)),
        {"trials": replace(IN_DEVIATIONS, nudged={"mae": 0.03})},
        script="scale = StandardScaler()\ny = scale.fit_transform(y)",
        says={"name": "mae", "scaled": 2, "deviation": 1.0},
    ),
    Case(
        metric.metric_takes_first_places,
        replace(MEASURED, trials=replace(TRIED_TOKENS, perfect={"f1": 0.2}, packed={"f1": 1.0})),
        {"trials": replace(TRIED_TOKENS, packed={"f1": 0.2})},
        says={"name": "f1", "value": 0.2, "packed": 1.0},
    ),
    Case(
        metric.f1_of_rows,
        replace(MEASURED, trials=OF_ROWS),
        {"trials": replace(OF_ROWS, drawn={"f1": 0.3})},
        says={"name": "f1", "constant": 0.7},
    ),
    Case(
        metric.f1_of_rows,
        replace(MEASURED, trials=replace(OF_ROWS, kind="tokens")),
        {"trials": replace(OF_ROWS, kind="many")},
        says={"name": "f1", "constant": 0.7},
    ),
    Case(
        evaluate.label_name_untold,
        replace(MEASURED, has_metric=True, called=False, untold="target"),
        {"untold": ""},
        says={"name": "target", "known": "labels"},
    ),
    Case(
        columns.inputs_stand_for_none,
        Data(SPLIT, None, columns=Columns(filled=Filled("x", 2, 9999.0, 12, -1.0, 3.0))),
        {"columns": Columns()},
        says={"name": "x", "place": 2, "value": 9999.0, "times": 12, "low": -1.0, "high": 3.0},
    ),
    Case(
        columns.windows_of_both_sets,
        Data(SPLIT, None, met=Met("x", 70, 100)),
        {"met": Met("x", 10, 100)},
        script="train, test = train_test_split(windows)",
        says={"name": "x", "met": 70, "rows": 100},
    ),
    of_metric(
        metric.score_named_otherwise,
        {"drawn": {"precision": 0.6}},
        replace(TRIED, drawn={"precision": 0.4}, averages=OF_TWO),
        name="precision",
        other="recall",
    ),
    Case(
        metric.error_with_sign,
        replace(MEASURED, trials=WITH_SIGN),
        {"trials": replace(WITH_SIGN, drawn={"mae": 0.9})},
        says={"name": "mae", "value": 0.0},
    ),
    of_metric(
        metric.metric_ignores_order,
        {"backwards": {"exact": 0.0}},
        replace(TRIED, perfect={"exact": 1.0}, drawn={"exact": 0.0}, backwards={"exact": 1.0}),
        name="exact",
        value=1.0,
    ),
    of_metric(
        metric.auc_of_choices,
        {"unsure": {"auc": 0.7}},
        replace(TRIED, sure={"auc": 0.5}, unsure={"auc": 0.5}),
        name="auc",
        value=0.5,
    ),
    Case(
        columns.rows_counted_off,
        Data(SPLIT, None, columns=Columns(counted=CountedOff("x", (3, 128), (128, 3)))),
        {"columns": Columns()},
        script="x = x.reshape(-1, 3, 128)",
        says={"name": "x", "axes": "3 x 128", "fitting": "128 x 3"},
    ),
    Case(
        shapes.axes_only_counted_off,
        replace(FINE, swapped=Swapped((8, 128, 3), (8, 3, 128), 4)),
        {"swapped": None},
        says={"before": "[8, 128, 3]", "after": "[8, 3, 128]"},
    ),
    Case(
        shapes.squeeze_takes_rows,
        replace(FINE, lone=Lone(2017, 32, 4)),
        {"lone": None},
        says={"rows": 2017, "size": 32},
    ),
    Case(
        inputs.words_not_split,
        Data(SPLIT, None, unsplit=Unsplit(200, 20)),
        {"unsplit": None},
        script="tok = Tokenizer(WordLevel())",
        says={"texts": 200, "words": 20},
    ),
    Case(
        slips.labels_before_dropping,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="y = df['y']\ndf = df.dropna()\nx = df['x']\nfit(x, y)",
        says={"at": 1, "frame": "df"},
    ),
    Case(
        metric.outside_counted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, constant={"f1": 0.8})),
        {"trials": replace(TRIED_TOKENS, constant={"f1": 0.13})},  # one of six, as of a macro mean
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 0.8, "outside": "O"},
    ),
    Case(
        metric.strays_uncounted,
        replace(MEASURED, trials=replace(TRIED_TOKENS, strayed=TRIED_TOKENS.perfect)),
        {"trials": replace(TRIED_TOKENS, strayed={"f1": 0.4})},
        facts=replace(FACTS, label_names=("O", "B-PER")),
        says={"name": "f1", "value": 1.0, "common": "O"},
    ),
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
    Case(
        metric.accuracy_of_cells,
        replace(MEASURED, known_metrics=("loss", "binary_accuracy")),
        {"known_metrics": ("loss", "categorical_accuracy")},
        facts=replace(FACTS, num_labels=5, compiled=Compiled(loss="categorical_crossentropy")),
        script="m.compile(loss=l, metrics=['binary_accuracy'])",
        says={"classes": 5, "wrong": 0.6, "none": 0.8},
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
        metric.gain_out_of_reach,
        replace(MEASURED, best_metric="accuracy", real={"accuracy": 0.4}, least_gain=0.9),
        {"least_gain": 0.01},
        script="EarlyStoppingCallback(early_stopping_threshold=0.9)",
        says={"gain": 0.9, "best": 1.0},
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


def heard(unknown: int) -> Split:
    """Rows of whose hundred tokens so many are the unknown one."""
    return replace(SPLIT, read=Read(rows=40, inputs=40, pieces=100, unknown=unknown))


def of_labels(rule: Callable[..., Any], task: Task, seen: Aims, silent: Aims, **says: Any) -> Case:
    """A case about the labels of the training rows."""
    case = of_rows(rule, {"aims": silent}, says, aims=seen)
    return replace(case, facts=replace(FACTS, task=task))


def of_batch(rule: Callable[..., Any], silent: dict[str, Any], facts: Facts, **seen: Any) -> Case:
    """A case about a batch; what silences it changes what was seen under the same name."""
    name, value = next(iter(seen.items()))
    return Case(rule, Batch({}, **seen), {name: replace(value, **silent)}, facts)


PADDED = Padding(filled=6, open=0, real=18, hidden=0, has_mask=True, rows=2, side="right")
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
    Case(
        inputs.unknown_in_evaluation,
        Data(heard(2), heard(40)),
        {"eval": heard(7)},
        says={"share": 0.4, "train": 0.02},
    ),
    of_tokens(inputs.unknown_tokens, {"unknown": 9}, {"share": 0.6, "pieces": 100}, unknown=60),
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
    Case(
        data.place_noted_too_early,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="right = options.index(word)\nrng.shuffle(options)\nrows.append((options, right))",
        says={"name": "options", "place": "right"},
    ),
    Case(
        inputs.letters_for_words,
        Data(SPLIT, None, spelled_out="w e  h a d"),
        {"spelled_out": ""},
        says={"text": "w e  h a d"},
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
    Case(
        targets.one_label_of_several,
        Data(replace(SPLIT, labels=([0.0, 1.0, 0.0], [0.0, 0.0, 0.0]) * 20), None),
        {"train": replace(SPLIT, labels=([0.0, 1.0, 0.0], [1.0, 0.0, 1.0]) * 20)},
        facts=replace(FACTS, task="multilabel"),
        says={"rows": 40, "labels": 3},
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
        forward.shares_as_whole_numbers,
        replace(FINE, label_type="int64", failure=failed("RuntimeError", CAST)),
        {"label_type": "float64"},
        says={"label_type": "int64"},
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
    of_labels(
        targets.spans_in_the_question,
        "unknown",
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=30)),
        Aims(spans=Spans(40, absent=0, outside=0, reversed=0, in_question=1)),
        rows=30,
        share=0.75,
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
    of_batch(
        targets.visible_tokens_asked,
        {"same": 0.1},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.89),
    ),
    of_batch(
        targets.visible_labelled_alike,
        {"alike": (3, 40)},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.0, alike=(1, 330)),
    ),
    of_batch(
        inputs.rows_of_filling,
        {"empty": 3},
        FACTS,
        padding=replace(NO_PADDING, empty=15, of=16),
    ),
    Case(
        inputs.filling_read_last,
        Batch({}, filled_behind=("lstm", 0.7)),
        {"filled_behind": ("lstm", 0.2)},
        says={"layer": "lstm", "share": 0.7},
    ),
    of_batch(
        inputs.one_input_for_each_label,
        {"distinct": 16},
        FACTS,
        signal=Signal("pixel_values", 0, 1, 0.5, 16, False, 0, 3, kind="pixel_values", distinct=3),
    ),
    Case(batch.batch_loses_rows, Batch({}, lost=7), {"lost": 0}, says={"lost": 7}),
    of_batch(targets.masked_for_causal, {"masked": 0}, OF_WORDS, targets=Targets(6, 34, masked=5)),
    of_batch(
        targets.labels_of_one_token,
        {"only": None},
        OF_WORDS,
        targets=Targets(40, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        targets.labels_all_alike,
        {"only": None},
        replace(FACTS, task="unknown"),
        targets=Targets(640, 4, same=0.1, beside=0.1, only=0),
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
    Case(targets.input_is_the_answer, Batch({}, answer="decoder"), {"answer": ""}),
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
        columns.course_of_time_lost,
        Data(None, None, windows=Windows("inputs", 24, 6, 0.05)),
        {"windows": Windows("inputs", 24, 6, 0.9)},
        script="frame = frame.sample(frac=1.0)",
        says={"steps": 24, "share": 0.05},
    ),
    Case(
        columns.vocabulary_too_small,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200, full=(UNKNOWN.commonest, 10))),
        {"columns": Columns((UNKNOWN,), embedded=200, full=(UNKNOWN.commonest + 1, 10))},
        script="words = TextVectorization(max_tokens=10)",
        says={"size": 10},
    ),
    Case(
        columns.vocabulary_of_letters,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200)),
        {"columns": Columns((replace(UNKNOWN, common=0.1),), embedded=200)},
        script='tokenizer.fit_on_texts(" ".join(texts))',
        says={"share": 1.0, "words": 200},
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
        forward.channels_last,
        replace(
            REFUSED,
            failure=failed(
                "RuntimeError",
                "Given groups=1, weight of size [12, 3, 3, 3], expected input[8, 24, 24, 3] to"
                " have 3 channels, but got 24 channels instead",
            ),
        ),
        {"failure": failed("RuntimeError", "expected input[8, 5, 24, 24] to have 3 channels")},
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


NO_KEY = failed("KeyError", "'labels'")
ASKS = "\n" * 6 + 'labels = [row.pop("labels") for row in rows]'
UNPACKED = failed("ValueError", "too many values to unpack (expected 2)")
TOO_MANY = replace(FINE, failure=UNPACKED, highest_id=9, inputs_shape=(8, 4, 12))
WIDE = failed("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (16x32 and 768x3)")
SAID_YES = {"micro_f1": 0.5}
ALL_YES = Trials("many", SAID_YES, SAID_YES, SAID_YES)
IN_TURNS = tuple((10 * (n % 2), 10 * (n % 2) + 1, 5 + n % 3) for n in range(80))
TOLD = Worded(IN_TURNS, (0, 1) * 40)
TURNED = Worded(IN_TURNS, (1, 0) * 40)
SPANS = replace(FACTS, task="spans")
MARKED = Answers(40, 38, "came on", "rome", counted_at=9)

CASES += [
    Case(
        fitting.key_not_there,
        Batch({}, first_row={"label": 1, "input_ids": [3]}, failure=NO_KEY),
        {"dropped": ("labels",)},
        script=ASKS,
        says={"name": "labels", "known": "label, input_ids"},
    ),
    Case(
        fitting.taken_from_rows,
        Batch({}, first_row={"labels": 1}, failure=NO_KEY),
        {"dropped": ("labels",)},
        script=ASKS,
        says={"name": "labels"},
    ),
    Case(
        fitting.several_texts_a_row,
        TOO_MANY,
        {"inputs_shape": (8, 1, 12)},
        says={"texts": 4, "shape": "[8, 4, 12]"},
    ),
    Case(
        fitting.row_in_a_row,
        replace(TOO_MANY, inputs_shape=(8, 1, 12)),
        {"failure": None},
        says={"shape": "[8, 1, 12]"},
    ),
    Case(
        fitting.layer_of_other_width,
        replace(FINE, failure=WIDE, broken_in="head"),
        {"failure": UNPACKED},
        says={"where": "head", "made": 768, "given": 32},
    ),
    of_metric(
        metric.metric_all_or_nothing,
        {"partly": ({"accuracy": 0.25}, {"accuracy": 0.5}, {"accuracy": 0.75})},
        replace(TRIED, partly=({"accuracy": 0.0}, {"accuracy": 0.0}, {"accuracy": 1.0})),
        half=0.0,
        most=1.0,
    ),
    of_metric(metric.never_a_no, {"always": "no"}, replace(ALL_YES, always="yes"), name="micro_f1"),
    of_metric(
        metric.never_a_yes, {"always": "yes"}, replace(ALL_YES, always="no"), name="micro_f1"
    ),
    Case(
        metric.answers_in_a_tuple,
        replace(MEASURED, parts=2, failure=failed("AttributeError", "'tuple' object has no")),
        {"parts": 1},
        says={"parts": 2},
    ),
    of_rows(
        targets.labels_left_by_format,
        {"hidden": ("text",)},
        {"name": "label", "columns": "input_ids"},
        hidden=("text", "label"),
    ),
    Case(
        targets.spans_of_other_text,
        Data(replace(SPLIT, answers=MARKED), None),
        {"train": replace(SPLIT, answers=replace(MARKED, other=3))},
        facts=SPANS,
        says={"read": "came on", "wanted": "rome", "rows": 38},
    ),
    Case(
        targets.spans_at_other_tokens,
        Data(replace(SPLIT, answers=replace(MARKED, counted_at=None)), None),
        {"train": replace(SPLIT, answers=MARKED)},
        facts=SPANS,
        says={"of": 40},
    ),
    Case(
        targets.answers_in_first_text,
        Data(replace(SPLIT, answers=replace(MARKED, in_first=39)), None),
        {"train": replace(SPLIT, answers=replace(MARKED, in_first=20))},
        facts=SPANS,
        says={"of": 40, "wanted": "rome"},
    ),
    Case(
        targets.eval_numbered_otherwise,
        Data(SPLIT, SPLIT, both=(TOLD, TURNED)),
        {"both": (TOLD, TOLD)},
        says={"label": 0, "other": 1, "moved": 2, "anew": 1.0, "as_it_is": 0.0},
    ),
    Case(
        company.loss_needs_more_rows,
        replace(FINE, company=Company(alone=0.0, together=2.2)),
        {"company": Company(alone=0.1, together=2.2)},
        says={"together": 2.2},
    ),
    of_loss(
        company.loss_goes_by_place,
        {"in_turn": (2.0, 2.0)},
        replace(SOUND, in_turn=(2.0, 2.4)),
        straight=2.0,
        turned=2.4,
    ),
    Case(
        company.teacher_numbers_otherwise,
        replace(FINE, company=Company(teacher=OTHERWISE)),
        {"company": Company(teacher=replace(OTHERWISE, as_it_is=0.98))},
        facts=replace(FACTS, label_names=("no", "maybe", "yes")),
        says={"said": "no", "meant": "yes", "anew": 0.98},
    ),
    Case(
        company.teacher_knows_nothing,
        replace(FINE, company=Company(teacher=replace(OTHERWISE, as_it_is=0.3, anew=0.4))),
        {"company": Company(teacher=replace(OTHERWISE, as_it_is=0.6, anew=0.6))},
        says={"share": 0.3, "majority": 0.4},
    ),
    of_gradients(reached.gradients_thrown_away, {"thrown": 0}, thrown=2),
    of_gradients(reached.checkpointing_cuts_off, {"checkpointed": False}, checkpointed=True),
    Case(reached.stepped_behind_loop, STEPPED, {"steps": 0}, script=STEPS_LATE),
    of_gradients(reached.begins_at_zero_twice, {"dead": ()}, dead=("layer.lora_A",)),
    Case(
        reached.names_match_nothing,
        replace(STEPPED, reached=Reached(names=("encoder.query", "encoder.query.weight"))),
        {"reached": Reached(names=("encoder.q_proj", "encoder.q_proj.weight"))},
        script=PICKS,
        says={"words": "q_proj, v_proj"},
    ),
    of_gradients(reached.output_not_in_loss, {"unheard": ()}, unheard=("heads.intent",)),
    Case(
        reached.loss_written_over,
        replace(STEPPED, reached=Reached()),
        {"reached": Reached(unheard=("head",)), "steps": 2},
        script=OVERWRITES,
    ),
    of_plan(
        plan.plateau_upside_down,
        {"plateau": Plateau("loss", rises=False, patience=0)},
        replace(PLAN, plateau=Plateau("loss", rises=True, patience=0)),
        mode="min",
    ),
    Case(
        plan.decay_through_adam,
        replace(
            STEPPED,
            optimizer="Adam",
            plan=replace(PLAN, decoupled=False, weight_decay=0.1, held=10.0),
        ),
        {"optimizer": "SGD"},
        says={"name": "Adam", "decay": 0.1, "pull": 1.0},
    ),
    Case(
        plan.plateau_upside_down,
        replace(
            STEPPED,
            plan=replace(PLAN, plateau=Plateau("hits", False, patience=0, greater_is_better=True)),
        ),
        {"plan": replace(PLAN, plateau=Plateau("hits", True, 0, greater_is_better=True))},
        script="args = TrainingArguments(greater_is_better=True)",
        says={"mode": "max"},
    ),
    Case(
        plan.schedule_leaves_little,
        replace(STEPPED, plan=replace(PLAN, rates=replace(RATES, reached=2.5e-9, climbs=0))),
        {"plan": PLAN},
        script="LambdaLR(optimizer, lambda step: 5e-5 * 0.9**step)",
        says={"reached": 2.5e-9},
    ),
    of_metric(
        metric.metric_remembers,
        {"again": None},
        replace(TRIED, again={"accuracy": 0.6}),
        first=1.0,
        again=0.6,
    ),
    of_metric(
        metric.metric_misses_nearest,
        {"perfect": {"recall": 1.0}},
        Trials("halves", {"recall": 0.0}, {"recall": 0.0}, {"recall": 0.1}),
        value=0.0,
    ),
    Case(
        metric.logits_lose_a_row,
        replace(MEASURED, loses="one tensor"),
        {"loses": ""},
        says={"what": "one tensor"},
    ),
    of_rows(data.keys_counted, {"counted": None}, {"held": 400}, count=2, counted=("rows", 400)),
    of_rows(
        data.rates_differ,
        {"sounds": Sounds((4000, 8000), raw=0.1)},
        {"low": 4000, "high": 8000},
        sounds=Sounds((4000, 8000), raw=1.0),
    ),
    Case(
        inputs.sounds_coarse,
        Batch({}, signal=COARSE),
        {"signal": replace(COARSE, levels=200)},
        says={"levels": 3},
    ),
    Case(
        fitting.words_as_texts,
        WORDS_APART,
        {"failure": None},
        script="tokenizer(words)\nencoding.word_ids()\n",
        says={"texts": 2, "length": 3},
    ),
    Case(
        overfit.opposite_rewarded,
        replace(TOGETHER, labels=(0, 1, 2) * 8, rows=24, before=0.3, after=0.0),
        {"after": 0.1},
        says={"rows": 24, "before": 0.3},
    ),
    Case(
        overfit.won_by_collapse,
        replace(TOGETHER, apart=(0.2, 0.01)),
        {"apart": (0.2, 0.4)},
        facts=replace(FACTS, task="unknown"),
        says={"before": 0.2, "after": 0.01},
    ),
]


@dataclass(frozen=True)
class Crashed:
    """All that the rules about exceptions read."""

    failure: Failure | None


NO_NUMBER = failed("ValueError", "invalid literal for int() with base 10: 'No'")
NO_PLACE = failed("IndexError", "list index out of range")
OF_CONFIG = Frame("transformers/configuration_utils.py", 300, "__init__", "int(key)", False)
NO_ROW = failed("KeyError", "17")
OF_SERIES = Frame("pandas/core/series.py", 1130, "__getitem__", "self._get_value(key)", False)
OF_SCRIPT = Frame("script.py", 7, "<module>", "labels[word_id]", True)


def of_crash(
    rule: Callable[..., Any], exception: str, message: str, script: str = "", **says: Any
) -> Case:
    """A case about an exception, in a script where line 7 fails."""
    held = (Name("weights", "Tensor", "float64"), Name("rows", "NoneType"))
    failure = replace(failed(exception, message), held=held)
    silent = {"failure": failed(exception, "something else")}
    return Case(rule, Crashed(failure), silent, script=script, says=says)


BACKWARD = "Trying to backward through the graph a second time (or directly access saved tensors)"
UNEQUAL = "Column 2 named labels expected length 480 but got length 120"
OVERFLOWS = "tokenizer(texts, return_overflowing_tokens=True)"
SPLIT_OTHERWISE = """
a, y, b, z = train_test_split(
    texts,
    labels,
)

made = Dataset.from_dict(rows(a, y))
"""
WEIGHED_TWICE = """
weights = torch.tensor(numpy_weights)
class Mine:
    def compute_loss(self, model, inputs):
        out = model(**inputs)

        loss = nn.CrossEntropyLoss(weight=weights)(out, inputs["labels"])
        self.last = loss
        loss.backward()
        loss /= 2
        return loss
"""
SHUFFLED = """
import random
rows = list(range(8))
rows = random.shuffle(rows)


print(rows[0])
"""
STOPPED_IN_SCRIPT = Failure(
    "TypeError",
    "argmax(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    (Frame("script.py", 7, "measure", "torch.argmax(given)", True),),
    7,
)
CASES += [
    Case(
        crashes.no_tensor,
        Crashed(STOPPED_IN_SCRIPT),
        {"failure": replace(STOPPED_IN_SCRIPT, frames=())},
        says={"name": "argmax", "kind": "numpy.ndarray"},
    ),
    Case(
        fitting.labels_of_truth,
        replace(FINE, label_type="bool", failure=failed("RuntimeError", "but got Bool")),
        {"label_type": "int64"},
    ),
    Case(
        fitting.scores_alone,
        replace(FINE, bare=True, logits_shape=(8, 3)),
        {"bare": False},
        says={"shape": "[8, 3]"},
    ),
    Case(
        misuse.comma_makes_tuple,
        Crashed(TUPLED),
        {"failure": replace(TUPLED, held=())},
        script="args = Arguments(\n    1,\n),\n\n\n\nTrainer(args=args)",
        says={"name": "args"},
    ),
    Case(
        misuse.comma_makes_tuple,
        Crashed(replace(TUPLED, message="slice indices must be integers or None")),
        {"failure": replace(TUPLED, held=())},
        script="args = Arguments(\n    1,\n),\n\n\n\nTrainer(args=args)",
        says={"name": "args"},
    ),
    Case(
        fitting.labels_as_vectors,
        replace(
            FINE,
            label_type="int64",
            labels_shape=(8, 3),
            failure=failed(
                "ValueError", "Expected input batch_size (8) to match target batch_size (24)."
            ),
        ),
        {"labels_shape": (8, 4)},
        says={"width": 3},
    ),
    Case(
        belonging.labels_of_next_rows,
        Data(None, None, worded=ASIDE),
        {"worded": replace(ASIDE, labels=ASIDE.labels[-1:] + ASIDE.labels[:-1])},
        script="class Rows:\n    def __getitem__(self, n):\n        return self.labels[n + 1]",
        says={"by": -1, "anew": 1.0},
    ),
    of_rows(
        belonging.rows_never_reached,
        {"uncounted": None},
        {"name": "texts", "held": 96},
        count=3,
        uncounted=("texts", 96),
    ),
    of_rows(
        belonging.texts_of_other_rows,
        {"read": Read(strange={"ending": 0.1})},
        {"name": "ending", "share": 0.95},
        read=Read(strange={"start": 0.0, "ending": 0.95}),
    ),
    Case(
        belonging.texts_begin_otherwise,
        Data(replace(SPLIT, read=PREFIXED), replace(SPLIT, read=replace(PREFIXED, firsts=BARE))),
        {"eval": replace(SPLIT, read=PREFIXED)},
        says={"token": "translate", "train": 1.0, "share": 0.0},
    ),
    Case(
        belonging.labels_cut_to_fit,
        Data(SPLIT, None),
        {"train": None},
        script="x = x[x.max(axis=1) > 0.7]\ny = y[: len(x)]",
        says={"rows": "x", "at": 1},
    ),
    Case(
        belonging.labels_never_there,
        Data(replace(SPLIT, labels=([1.0, 0.0], [0.0, 0.0])), None),
        {"train": replace(SPLIT, labels=([1.0, 0.0], [0.0, 1.0]))},
        facts=replace(FACTS, task="multilabel"),
        says={"count": 1, "of": 2},
    ),
    Case(
        belonging.learns_evaluation_rows,
        Batch({}, mixed=Mixed(8, foreign=8)),
        {"mixed": Mixed(8, foreign=1)},
        script="class Mine(Trainer):\n    def get_train_dataloader(self): ...",
        says={"rows": 8, "of": 8},
    ),
    Case(
        inputs.filling_taken_for_text,
        Batch({}, padding=Padding(9, 0, 50, 0, True, rows=4, taken_for=(1, 0), missed=True)),
        {"padding": Padding(9, 0, 50, 0, True, rows=4)},
        script="BertConfig(pad_token_id=0)",
        says={"fills": 1, "known": 0},
    ),
    Case(
        belonging.evaluation_cut_shorter,
        Data(replace(SPLIT, lengths=tuple(range(9, 49))), replace(SPLIT, lengths=(8,) * 40)),
        {"eval": replace(SPLIT, lengths=tuple(range(9, 49)))},
        says={"length": 8, "share": 1.0, "longest": 48},
    ),
    Case(
        unkept.result_thrown_away,
        Data(SPLIT, None),
        {"train": None},
        script='rows.rename_column("stars", "label")',
        says={"name": "rows", "call": "rename_column"},
    ),
    Case(
        unkept.filled_a_copy,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("inputs", 100, 569, felt=True),))),
        {"columns": Columns()},
        script='table["age"].fillna(0, inplace=True)',
        says={"name": "inputs", "rows": 100, "of": 569},
        heard=Heard(set_on_copies=[1]),
    ),
    Case(
        unkept.set_on_a_copy,
        Data(SPLIT, None, columns=Columns()),
        {"columns": Columns(gaps=(Gap("inputs", 100, 569, felt=True),))},
        script='table["age"].replace(0, 1, inplace=True)',
        heard=Heard(set_on_copies=[1]),
    ),
    of_script(
        unkept.result_thrown_away,
        "def clean(night):\n    night.interpolate()\n    return night",
        name="night",
        call="interpolate",
    ),
    Case(
        columns.reshaped_not_turned,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="x = waves.reshape(-1, 50, 3)",
        says={"before": "40 x 3 x 50", "after": "40 x 50 x 3"},
        heard=Heard([Swapped((40, 3, 50), (40, 50, 3), 1)]),
    ),
    Case(
        columns.log_of_zero,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("waves", 1, 40),))),
        {"columns": Columns()},
        script="x = np.log(power)",
        heard=Heard(logs_of_zero=[1]),
    ),
    Case(
        unkept.map_returns_nothing,
        Data(SPLIT, None),
        {"train": None},
        script="def cut(row):\n    tokenizer(row)\nrows = rows.map(cut)",
        says={"name": "cut"},
    ),
    Case(
        losses.divergence_turned_round,
        replace(FINE, turned_round=(7,)),
        {"turned_round": None},
    ),
    Case(
        losses.smoothed_away,
        replace(FINE, label_smoothing=1.0),
        {"label_smoothing": 0.1},
        says={"share": 1.0},
    ),
    Case(
        belonging.sets_change_places,
        Data(replace(SPLIT, count=20), replace(SPLIT, count=80)),
        {"eval": replace(SPLIT, count=10)},
        script="Trainer(train_dataset=test_rows, eval_dataset=train_rows)",
        says={"rows": 20, "eval_rows": 80},
    ),
    Case(
        held.measured_on_training_rows,
        replace(MEASURED, evaluations=0),
        {"failure": failed("ValueError", "no batch came")},
        script=AFTER + "trainer.evaluate(train_rows)",
    ),
    Case(
        slips.halves_crossed,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="a, b, c, d = train_test_split(x, y)\nheld = Rows(b, c)",
        says={"inputs": "b", "labels": "c"},
    ),
    Case(
        slips.numbered_apart,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="here = pd.factorize(train['kind'])[0]\nthere = pd.factorize(test['kind'])[0]",
    ),
    Case(
        printed.answers_on_other_scale,
        replace(
            MEASURED,
            printed=(Printed("mae", 1, 140.0, 141.0, within=(146.0, 145.0, 143.0), span=3.0),),
        ),
        {"printed": (Printed("mae", 1, 140.0, 141.0, within=(146.0, 145.0, 143.0), span=300.0),)},
        says={"name": "mae", "least": 143.0, "most": 146.0},
    ),
    Case(
        printed.asked_about_met_rows,
        replace(MEASURED, met_before=(40, "x_test")),
        {"met_before": None},
        says={"rows": 40, "other": "x_test"},
    ),
    Case(
        slips.learned_from_judged,
        Data(SPLIT, None),
        {"refitted": ("scaler", 3, "StandardScaler")},
        script="a = scaler.fit_transform(x_train)\nb = StandardScaler().fit_transform(x_test)\n"
        "scaler = StandardScaler()",
        says={"kind": "StandardScaler"},
    ),
    of_script(
        frames.column_numbered_anew,
        "df = df.sample(frac=1)\ndf['text'] = texts.loc[df['n'], 'text'].reset_index(drop=True)",
        frame="df",
        at=1,
    ),
    Case(
        reached.gradients_left_off,
        STEPPED,
        {"trainable": 0},
        script="def score(p):\n    torch.set_grad_enabled(False)\nTrainer(compute_metrics=score)",
    ),
    of_script(
        oversights.one_list_for_all,
        "labels = []\nfor row in rows:\n    for word in row:\n        labels.append(word)\n"
        "    all_labels.append(labels)",
        name="labels",
    ),
    of_script(
        oversights.numbers_turned_round,
        "t['y'] = ~(late | t['days'].isna()).astype(int)",
        made="~(late | t['days'].isna()).astype(int)",
    ),
    of_script(
        oversights.row_stored_anew,
        "class Rows:\n    def __getitem__(self, i):\n        x = self.x[i]\n"
        "        x = self.x[i] = x + rng.normal(0, 1)\n        return x",
        stored="self.x[i]",
    ),
    of_script(
        oversights.label_names_as_text,
        'TrainingArguments("out", label_names="labels")',
        name="labels",
        first="l",
        second="a",
    ),
    Case(
        oversights.looked_up_in_vain,
        Data(SPLIT, None, columns=Columns(same=(Same("kinds", 1, 0.0, 40),))),
        {"columns": Columns()},
        script="kinds = t['ward'].str.upper().map(codes).fillna(0)",
        says={"name": "kinds", "codes": "codes", "rows": 40, "places": 1},
    ),
    Case(
        oversights.scaled_across_columns,
        Data(SPLIT, None, columns=Columns(across=Across("x", 3, 90, 30))),
        {"columns": Columns()},
        script="x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)",
        says={"name": "x", "columns": 3, "steps": 90},
    ),
    of_script(
        oversights.prepared_before_split,
        "x = StandardScaler().fit_transform(x)\na, b = train_test_split(x)",
        kind="StandardScaler",
        split=2,
    ),
    of_order(
        oversights.sampler_draws_few,
        {"asked": 400},
        replace(ORDER, asked=4, size=32),
        drawn=4,
        rows=400,
    ),
    Case(
        oversights.weights_read_by_nobody,
        FINE,
        {"failure": failed("ValueError", "no")},
        script="class_weight = {0: 1, 1: 9}\nmodel.fit(x, y)",
        says={"name": "class_weight"},
    ),
    Case(
        oversights.real_places_filled,
        FINE,
        {"failure": failed("ValueError", "no rows")},
        script="s = scores.masked_fill(ids != PAD, -1e4)",
        says={"mask": "ids != PAD"},
    ),
    Case(
        oversights.softmax_over_rows,
        replace(FINE, asked=replace(SOUND, even=math.log(32), logits_shape=(32, 3))),
        {"asked": SOUND},
        script="loss = F.nll_loss(F.log_softmax(logits, dim=0), labels)",
        says={"rows": 32, "name": "log_softmax"},
    ),
    Case(
        oversights.layer_takes_time_first,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        script="rows = pad_sequence(x, batch_first=True)\nself.gru = nn.GRU(4, 8)",
        says={"layer": "GRU", "moved": 0.8},
    ),
    of_loss(
        oversights.wrong_costs_nothing,
        {"wrong": SOUND.wrong},
        replace(SOUND, wrong=(0.4, 0.1, 0.0)),
        wrong=0.0,
    ),
    Case(
        oversights.gives_up_early,
        replace(MEASURED, waits=(4, 2, 100)),
        {"waits": (4, 100, 100)},
        says={"patience": 4, "every": 2, "updates": 8, "epoch": 100},
    ),
    Case(
        oversights.reciprocal_of_mean,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="def score(p):\n    return {'mrr': float(1 / rank.mean())}",
        says={"name": "mrr"},
    ),
    Case(
        oversights.counts_class_zero,
        replace(MEASURED, trials=Trials("classes", {"f1": 1.0}, {"f1": 0.9}, {"f1": 0.6})),
        {"trials": Trials("classes", {"f1": 1.0}, {"f1": 0.3}, {"f1": 0.4})},
        script="f1 = f1_score(labels, preds, pos_label=0)",
        says={"name": "f1", "value": 0.9},
    ),
    of_script(
        slips.bytes_wrap_around,
        "photo = photo + rng.integers(-30, 31).astype(np.uint8)",
        made="rng.integers(-30, 31)",
    ),
    of_script(
        slips.shuffled_before_zip,
        "x = tf.data.Dataset.from_tensor_slices(photos)\n"
        "y = tf.data.Dataset.from_tensor_slices(labels)\n"
        "rows = tf.data.Dataset.zip((x.shuffle(9), y.shuffle(9)))",
        shuffled="x.shuffle(9), y.shuffle(9)",
    ),
    Case(
        slips.order_for_rank,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="order = np.argsort(-scores)\nrank = order[np.arange(len(y)), y] + 1",
        says={"order": "order", "asked": "y"},
    ),
    of_script(
        slips.reordered_alone,
        "x, y = load()\norder = rng.permutation(len(x))\nx = x[order]\nrows = Rows(x, y)",
        moved="x",
        kept="y",
        at=4,
    ),
    of_script(
        slips.reordered_by_two_lots,
        "x, y = load()\nrng.shuffle(x)\nrng.shuffle(y)\nrows = Rows(x, y)",
        moved="y",
        kept="x",
        at=4,
    ),
    of_script(
        slips.vocabulary_made_inside,
        "def pad(texts):\n    words = Tokenizer()\n    words.fit_on_texts(texts)\n"
        "    return words.texts_to_sequences(texts)\nx = pad(train)\nz = pad(test)",
        made="words.fit_on_texts(texts)",
        function="pad",
        at=5,
        again=6,
    ),
    of_script(
        slips.vocabulary_made_apart,
        "def vocab(texts):\n    return {word: n for n, word in enumerate(common(texts))}\n"
        "known = vocab(train)\nx = encode(train, known)\nz = encode(test, vocab(test))",
        made="vocab(test)",
        at=3,
    ),
    Case(
        frames.rows_by_old_index,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="df = df.sample(frac=1)\ndf['text'] = pd.Series([clean(t) for t in df['said']])",
        says={"frame": "df", "at": 2},
    ),
    Case(
        slips.compared_by_identity,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="right = [said.strip() is wanted.strip() for said, wanted in rows]",
        says={"comparison": "said.strip() is wanted.strip()"},
    ),
    Case(
        slips.loss_divided_again,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="perplexity = math.exp(trainer.evaluate()['eval_loss'] / 16)",
        says={"made": "trainer.evaluate()['eval_loss'] / 16"},
    ),
    Case(
        metric.stops_without_waiting,
        replace(MEASURED, impatient="val_loss"),
        {"impatient": ""},
        script="EarlyStopping(monitor='val_loss')",
        says={"name": "val_loss"},
    ),
    Case(
        held.answers_of_other_rows,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script=AFTER
        + "said = trainer.predict(test_rows)\nlabels = train_rows['label']\nscore(labels, said)",
        says={"rows": "test_rows"},
    ),
    Case(
        held.dropout_still_on,
        replace(MEASURED, evaluations=0, dropout=0.1),
        {"evaluations": 1},
        script=AFTER + "model(**batch)",
        says={"dropout": 0.1},
    ),
    Case(
        metric.label_names_in_other_order,
        replace(
            MEASURED,
            label_names=("words", "whole"),
            other_order=("whole", "words"),
            failure=failed("ValueError", "operands could not be broadcast together"),
        ),
        {"other_order": ()},
        script='TrainingArguments(label_names=["words", "whole"])',
        says={"given": "words, whole", "wanted": "whole, words"},
    ),
    Case(
        metric.picked_already,
        replace(
            MEASURED,
            given={"predictions": (8, 5), "label_ids": (8, 5)},
            failure=failed("IndexError", "too many indices for array"),
        ),
        {"given": {"predictions": (8, 5, 90), "label_ids": (8, 5)}},
        script="""
def measure(p):
    return {"right": (p.predictions.argmax(-1) == p.label_ids).mean()}
Trainer(compute_metrics=measure)
""",
        says={"shape": "[8, 5]"},
    ),
    of_crash(
        refusals.saves_between_evaluations,
        "ValueError",
        "--load_best_model_at_end requires the saving steps to be a round multiple of the "
        "evaluation steps, but found 50, which is not a round multiple of 30.",
        saves=50.0,
        evaluates=30.0,
    ),
    of_crash(
        refusals.saves_unlike_evaluations,
        "ValueError",
        "requires the save and eval strategy to match, but found\n- Evaluation strategy: "
        "IntervalStrategy.NO\n- Save strategy: SaveStrategy.EPOCH",
        evaluates="no",
        saves="epoch",
    ),
    of_crash(
        refusals.plateau_never_evaluated,
        "ValueError",
        "lr_scheduler_type reduce_lr_on_plateau requires an eval strategy",
    ),
    of_crash(
        refusals.nothing_to_evaluate,
        "ValueError",
        "You have set `args.eval_strategy` to IntervalStrategy.EPOCH but you didn't pass an "
        "`eval_dataset` to `Trainer`.",
        strategy="epoch",
    ),
    of_crash(
        refusals.stream_without_steps,
        "ValueError",
        "The train_dataset does not implement __len__, max_steps has to be specified.",
    ),
    of_crash(
        refusals.metric_takes_no_batches,
        "ValueError",
        "When using `batch_eval_metrics`, your `compute_metrics` function must take more",
    ),
    of_crash(
        refusals.tokenizer_not_fast,
        "ValueError",
        "word_ids() is not available when using non-fast tokenizers",
    ),
    of_crash(
        refusals.decoder_without_start,
        "ValueError",
        "self.model.config.decoder_start_token_id has to be defined.",
    ),
    of_crash(
        refusals.model_without_pad_id,
        "ValueError",
        "Cannot handle batch sizes > 1 if no padding token is defined.",
    ),
    of_crash(
        refusals.schedule_ended,
        "ValueError",
        "Tried to step 16 times. The specified number of total steps is 15",
        steps=15,
    ),
    of_crash(
        refusals.mask_longer_than_input,
        "ValueError",
        "`mask_length` has to be smaller than `sequence_length`, but got `mask_length`: 10 and "
        "`sequence_length`: 9`",
        length=10,
        frames=9,
    ),
    of_crash(
        refusals.average_of_two_classes,
        "ValueError",
        "Target is multiclass but average='binary'. Please choose another average setting.",
        target="multiclass",
    ),
    of_crash(
        refusals.weights_in_two_groups,
        "ValueError",
        "some parameters appear in more than one parameter group",
        "groups = [{'params': body}, {'params': body}]",
    ),
    Case(
        mistaken.names_for_numbers,
        Crashed(replace(NO_NUMBER, frames=(OF_CONFIG,))),
        {"failure": replace(NO_NUMBER, frames=(OF_SCRIPT,))},
        script="config = BertConfig(id2label=label2id)\n",
        says={"name": "No"},
    ),
    Case(
        mistaken.first_row_for_all,
        Crashed(replace(NO_PLACE, frames=(OF_SCRIPT,))),
        {"failure": replace(NO_PLACE, frames=(OF_CONFIG,))},
        script="for i, row in enumerate(labels):\n    words = encoded.word_ids()\n",
        says={"said": "list index out of range"},
    ),
    Case(
        mistaken.index_kept,
        Crashed(replace(NO_ROW, frames=(OF_SERIES,))),
        {"failure": replace(NO_ROW, frames=(OF_SCRIPT,))},
        script="self.texts = texts\n\n\n\n\n\nself.texts[item]\n",
        says={"said": "17"},
    ),
    of_crash(
        misuse.eager_switched_off,
        "AttributeError",
        "'SGD' object has no attribute 'get_updates'",
        "tf.compat.v1.disable_eager_execution()",
    ),
    of_crash(
        mistaken.smoothing_takes_labels,
        "ValueError",
        "You have to specify either decoder_input_ids or decoder_inputs_embeds",
        "TrainingArguments(label_smoothing_factor=0.1)",
    ),
    of_crash(crashes.pieces_beside_rows, "ArrowInvalid", UNEQUAL, OVERFLOWS, rows=480, pieces=120),
    of_crash(
        crashes.halves_side_by_side, "ArrowInvalid", UNEQUAL, SPLIT_OTHERWISE, one="a", other="y"
    ),
    of_crash(crashes.columns_of_unequal_length, "ArrowInvalid", UNEQUAL, name="labels"),
    of_crash(
        crashes.generator_runs_already,
        "TypeError",
        "cannot pickle 'generator' object",
        "Dataset.from_generator(rows())",
    ),
    of_crash(
        crashes.double_beside_single,
        "RuntimeError",
        "expected scalar type Float but found Double",
        WEIGHED_TWICE,
    ),
    of_crash(
        oversights.method_misspelt,
        "TypeError",
        "_forward_unimplemented() got an unexpected keyword argument 'x'",
        "class Net(nn.Module):\n    def foward(self, x):\n        return x",
    ),
    of_crash(
        oversights.padded_time_first,
        "RuntimeError",
        "Expected `len(lengths)` to be equal to batch_size, but got 64 (batch_size=24).",
        "x = pad_sequence(history, padding_value=0)",
    ),
    of_crash(crashes.backward_twice, "RuntimeError", BACKWARD, WEIGHED_TWICE),
    of_crash(crashes.graph_kept, "RuntimeError", BACKWARD, WEIGHED_TWICE),
    of_crash(
        crashes.changed_in_place,
        "RuntimeError",
        "has been modified by an inplace operation: [torch.FloatTensor [16, 48]], which is output "
        "0 of DivBackward0, is at version 1; expected version 0 instead.",
        WEIGHED_TWICE,
    ),
    of_crash(
        misuse.nothing_returned,
        "TypeError",
        "'NoneType' object is not subscriptable",
        "def made():\n    list()\n\n\n\nrows = made()\nprint(rows[0])",
        call="made",
    ),
    of_crash(
        misuse.rows_without_names,
        "TypeError",
        "vars() argument must have __dict__ attribute",
        "def __getitem__(self, place):\n    return 1, 2",
    ),
    Case(
        misuse.metric_gives_no_names,
        Crashed(MEASURES_BARE),
        {"failure": replace(MEASURES_BARE, frames=())},
        script="def measure(p):\n    return 0.5\nTrainer(compute_metrics=measure)",
        says={"kind": "float"},
    ),
    of_crash(
        misuse.parent_not_begun,
        "AttributeError",
        "'Mine' object has no attribute 'args'",
        "class Mine(Trainer):\n    def __init__(self, model):\n        self.model = model",
        name="__init__",
    ),
    of_crash(
        misuse.class_without_method,
        "TypeError",
        "object of type 'Rows' has no len()",
        "class Rows(Dataset):\n    def __getitem__(self, place):\n        return {}",
        name="Rows",
        method="__len__",
    ),
    of_crash(
        crashes.weights_of_other_count,
        "RuntimeError",
        "weight tensor should be defined either for all 2 classes or no classes but got weight "
        "tensor of shape: [3]",
        outputs=2,
        weights=3,
    ),
    of_crash(
        crashes.labels_taken_away,
        "TypeError",
        "unsupported operand type(s) for *: 'float' and 'NoneType'",
        "class Mine(Trainer):\n    def compute_loss(self, model, inputs):\n"
        "        labels = inputs.pop('labels')\n        return model(**inputs).loss * 0.5",
    ),
    Case(
        crashes.labels_of_other_count,
        replace(
            FINE,
            inputs_shape=(16, 32),
            failure=failed(
                "ValueError", "Expected input batch_size (512) to match target batch_size (496)."
            ),
        ),
        {"inputs_shape": (16, 31)},
        says={"scores": 512, "labels": 496},
    ),
    of_crash(
        crashes.scores_not_flat,
        "RuntimeError",
        "Expected target size [16, 5], got [16, 32]",
        labels="[16, 32]",
    ),
    of_crash(
        misuse.not_in_a_list,
        "TypeError",
        "'Mine' object is not iterable",
        "\n\n\n\n\n\nTrainer(callbacks=Mine())",
        name="callbacks",
        kind="Mine",
    ),
    of_crash(
        misuse.text_for_number,
        "TypeError",
        "'<=' not supported between instances of 'float' and 'str'",
        "\n\n\n\n\nparser.add_argument('--lr', default='1e-3')\nargs = Arguments(rate=options.lr)",
        name="--lr",
    ),
    of_crash(
        misuse.gone_through_once,
        "ValueError",
        "optimizer got an empty parameter list",
        script="own = filter(trained, model.parameters())\nprint(sum(own))\nAdamW(own)",
        name="own",
    ),
    of_crash(
        misuse.loss_made_not_called,
        "RuntimeError",
        "Boolean value of Tensor with more than one value is ambiguous",
        script="\n" * 6 + "loss = nn.CrossEntropyLoss(scores, labels)",
        name="CrossEntropyLoss",
    ),
    of_crash(
        misuse.rows_never_filled,
        "ValueError",
        "Failed to convert a NumPy array to a Tensor (Unsupported object type numpy.ndarray).",
        script="enc = tokenizer(notes, return_tensors='np')",
        at=7,
    ),
    of_crash(
        misuse.parts_of_other_lengths,
        "ValueError",
        "setting an array element with a sequence. The requested array has an inhomogeneous shape"
        " after 2 dimensions. The detected shape was (420, 2) + inhomogeneous part.",
        script="w = nltk.word_tokenize(pattern)\ntraining = np.array(training)",
        rows=420,
        parts=2,
    ),
    of_crash(
        misuse.layer_of_other_keras,
        "TypeError",
        "The added layer must be an instance of class Layer. Received: layer=<Conv2D name=conv2d,"
        " built=False> of type <class 'keras.src.layers.convolutional.conv2d.Conv2D'>.",
        script="from tensorflow.keras import models\nfrom keras import layers",
        at=7,
        other="keras",
        known="tensorflow.keras",
    ),
    of_crash(
        misuse.layer_of_other_keras,
        "ValueError",
        "Only instances of `keras.Layer` can be added to a Sequential model. Received:"
        " <tf_keras.src.layers.core.dense.Dense object> (of type <class 'tf_keras.src'>)",
        script="from keras import Sequential\nfrom tensorflow.keras import layers",
        at=7,
        other="tensorflow.keras",
        known="keras",
    ),
    of_crash(
        misuse.metric_of_other_keras,
        "AttributeError",
        "'Variable' object has no attribute '_distribute_strategy'",
        script="from keras.metrics import Precision",
        at=7,
    ),
    of_crash(
        misuse.file_of_other_sizes,
        "RuntimeError",
        "Error(s) in loading state_dict for Linear:\n\tsize mismatch for bias: copying a param with"
        " shape torch.Size([2]) from checkpoint, the shape in current model is torch.Size([3]).",
        name="bias",
        there="[2]",
        here="[3]",
    ),
    of_crash(
        misuse.optimizer_of_nothing,
        "ValueError",
        "optimizer got an empty parameter list",
        script="for weight in model.parameters():\n    weight.requires_grad = False",
    ),
    of_crash(
        misuse.no_rows_left,
        "ValueError",
        "num_samples should be a positive integer value, but got num_samples=0",
    ),
    of_crash(
        misuse.nothing_held,
        "TypeError",
        "'NoneType' object is not subscriptable",
        SHUFFLED,
        name="rows",
        call="shuffle",
        at=7,
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


@pytest.mark.parametrize(("updates", "said"), [(10, "look"), (40, "note")])
def test_a_handful_of_steps_in_place_of_epochs_is_worth_a_look(updates: int, said: str) -> None:
    script = f"TrainingArguments('out', num_train_epochs=2, max_steps={updates})"
    seen = replace(STEPPED, plan=replace(PLAN, max_steps=updates))

    verdict = plan.max_steps_cuts_epochs(seen, View(FACTS, Places(script), True))

    assert isinstance(verdict, Verdict)
    assert verdict.severity == said


def verdict_of(rule: Callable[..., Any], seen: Any, script: str) -> Any:
    return rule(seen, View(FACTS, Places(script), True))


def test_a_rate_may_have_been_chosen_on_the_command_line() -> None:
    script = "args = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()[0]"
    assert verdict_of(step.default_learning_rate, STEPPED, script) is None


def test_where_nothing_evaluates_no_loss_is_printed() -> None:
    unused = replace(MEASURED, has_metric=False, evaluations=0)
    assert verdict_of(evaluate.no_metric, unused, "trainer.train()") is None
    script = "trainer.train()\ntrainer.evaluate()"
    assert verdict_of(evaluate.no_metric, unused, script).severity == "look"
    assert verdict_of(evaluate.set_never_used, unused, script) is None


def test_who_alone_evaluates_says_how_much_may_be_written() -> None:
    seen = replace(MEASURED, written=4, wanted=(3, 5, 6, 7))
    script = "trainer.train()\ntrainer.evaluate(max_length=128)"
    assert verdict_of(metric.answers_cut, replace(seen, evaluations=0), script) is None
    assert verdict_of(metric.answers_cut, replace(seen, evaluations=3), script).severity == "look"


def test_the_last_part_of_a_course_lies_within_a_part_of_it() -> None:
    for by, told in ((0.1, None), (0.01, "fault")):
        part = Aims(amounts=40, quantiles=tuple(0.3 + by * one for one in STEPS))
        found = verdict_of(
            targets.labels_of_another_scale, replace(SCALES, eval=replace(SPLIT, aims=part)), ""
        )
        assert getattr(found, "severity", None) == told


def test_rows_of_few_kinds_are_met_again_by_nature() -> None:
    met = replace(MEASURED, met_before=(40, "x_test"))
    assert verdict_of(printed.asked_about_met_rows, met, "").severity == "fault"
    few = replace(met, repeated=0.9)
    assert verdict_of(printed.asked_about_met_rows, few, "") is None
    repeating = Data(replace(SPLIT, duplicates=SPLIT.looked_at // 2), None)
    assert overlap(repeating)["repeated"] == pytest.approx(0.5, abs=0.1)


def test_who_asks_before_the_training_is_not_blamed_for_what_it_learned() -> None:
    script = "model.predict(x_old)\nmodel.fit(x, y)\nmodel.predict(x)"
    view = View(FACTS, Places(script, training_line=2), True)
    found = printed.asked_about_met_rows(replace(MEASURED, met_before=(40, "x_test")), view)
    assert isinstance(found, Verdict)
    assert found.line == 3


def test_a_zero_that_the_script_works_out_fills_no_gap() -> None:
    table = pd.DataFrame({"day": [0] * 5 + list(range(40, 100))})
    filled = "t = load('rows.csv').fillna(0)\n"
    made = "t['day'] = t['at'].dt.dayofweek"
    for script, told in ((filled, True), (filled + made, False)):
        view = View(FACTS, Places(script), True, {"t": table})
        assert isinstance(frames.gaps_made_zero(Data(SPLIT, None), view), Verdict) == told


def test_where_rows_say_the_texts_of_others_nothing_was_cut() -> None:
    read = Read(lost={"a": 0.0, "b": 0.6})
    cut = Data(replace(SPLIT, read=read), None)
    mixed = Data(replace(SPLIT, read=replace(read, strange={"b": 0.9})), None)
    assert verdict_of(inputs.second_sentence_cut, cut, "").severity == "fault"
    assert verdict_of(inputs.second_sentence_cut, mixed, "") is None


def test_what_time_has_cut_short_proves_nothing() -> None:
    stuck = replace(TRAINED, losses=(1.1,) * 60, accuracies=((60, 0.33),), epochs=1.0)
    assert verdict_of(train.stuck_at_chance, stuck, "").severity == "fault"
    cut = replace(stuck, out_of_time=True)
    assert verdict_of(train.stuck_at_chance, cut, "").severity == "look"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule.__name__)
def test_a_rule_fires_on_its_case_and_is_silent_beside_it(case: Case) -> None:
    view = View(case.facts, Places(case.script), bool(case.script), case.names, case.heard)

    verdict = case.rule(case.seen, view)
    assert isinstance(verdict, Verdict)
    assert case.says.items() <= verdict.numbers.items()
    assert not isinstance(case.rule(replace(case.seen, **case.silent), view), Verdict)
