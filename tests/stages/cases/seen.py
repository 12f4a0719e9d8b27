"""What the cases of many rules begin with: a healthy run as it is seen, and makers of cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from debugger.failure import Failure
from debugger.failure import Held as Name
from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Data, Split
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.facts import Compiled, Facts
from debugger.pipelines.forward import Forward
from debugger.pipelines.inputs import Padding, Read
from debugger.pipelines.losses import Asked
from debugger.pipelines.plan import Order, Plan, Rates
from debugger.pipelines.step import Block, Step
from debugger.pipelines.targets import Aims
from debugger.pipelines.training import Training
from debugger.pipelines.trials import Trials
from debugger.script.heard import Heard
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

TRIED = Trials("classes", {"accuracy": 1.0}, {"accuracy": 0.4}, {"accuracy": 0.3})

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

SCALES = Data(replace(SPLIT, aims=Aims(amounts=40, quantiles=STEPS)), None)

ORDER = Order(batches=16, drawn=128, distinct=128, rows=400, single=0.0, by_chance=0.001)

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


def of_metric(rule: Callable[..., Any], silent: dict[str, Any], made: Trials, **says: Any) -> Case:
    """A case about what a metric answers."""
    seen = replace(MEASURED, trials=made)
    return Case(rule, seen, {"trials": replace(made, **silent)}, says=says)


def of_plan(rule: Callable[..., Any], silent: dict[str, Any], made: Plan, **says: Any) -> Case:
    """A case about what a run is going to do."""
    seen = replace(STEPPED, plan=made, learning_rates=(5e-5, 5e-5))
    return Case(rule, seen, {"plan": replace(made, **silent)}, says=says)


def of_order(rule: Callable[..., Any], silent: dict[str, Any], made: Order, **says: Any) -> Case:
    return Case(rule, Batch({}, order=made), {"order": replace(made, **silent)}, says=says)


PAIRED = replace(FACTS, task="seq2seq")

WORDY = replace(FACTS, task="tokens")

NO_PADDING = Padding(filled=0, open=0, real=100, hidden=0, has_mask=True)

STOPS = """
class Once(TrainerCallback):
    def on_epoch_end(self, args, state, control, **rest):
        print(state.epoch)
        control.should_training_stop = True
Trainer(callbacks=[Once()])
"""

KERAS = replace(FACTS, compiled=Compiled(), framework="keras")


def heard(unknown: int) -> Split:
    """Rows of whose hundred tokens so many are the unknown one."""
    return replace(SPLIT, read=Read(rows=40, inputs=40, pieces=100, unknown=unknown))


def of_batch(rule: Callable[..., Any], silent: dict[str, Any], facts: Facts, **seen: Any) -> Case:
    """A case about a batch; what silences it changes what was seen under the same name."""
    name, value = next(iter(seen.items()))
    return Case(rule, Batch({}, **seen), {name: replace(value, **silent)}, facts)


OF_WORDS = replace(FACTS, task="causal_lm")


@dataclass(frozen=True)
class Crashed:
    """All that the rules about exceptions read."""

    failure: Failure | None


def of_crash(
    rule: Callable[..., Any], exception: str, message: str, script: str = "", **says: Any
) -> Case:
    """A case about an exception, in a script where line 7 fails."""
    held = (Name("weights", "Tensor", "float64"), Name("rows", "NoneType"))
    failure = replace(failed(exception, message), held=held)
    silent = {"failure": failed(exception, "something else")}
    return Case(rule, Crashed(failure), silent, script=script, says=says)
