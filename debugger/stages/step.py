"""Do the weights move as they should? Two real steps of the Trainer's own training, then undone."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from debugger.evidence.tables import pairs, say, table
from debugger.outcome import Evidence
from debugger.pipelines.face import Pipeline
from debugger.pipelines.facts import Facts
from debugger.pipelines.plan import ADAMS
from debugger.pipelines.step import Step
from debugger.stages import by_hand, called, phases, plan, rates, reached, steered, units, withheld
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
    note,
    snippet,
    traceback_shown,
)
from debugger.stages.refusals import schedule_ended

TOO_HIGH, TOO_HIGH_TO_WRITE = 5e-4, 5e-3
"""What writes a text may need more: the authors of T5 fine-tuned it at 1e-3."""
RATHER_HIGH = 2e-4
RATHER_HIGH_SMALL, SMALL = 3e-4, 30_000_000
"""ELECTRA tunes its small model at 3e-4, the base one at 1e-4 (arXiv:2003.10555, table 6)."""
FEW_WEIGHTS = 1_000_000
"""In smaller ones, which people train themselves before, a rate for large ones teaches nothing."""
RATHER_LOW = 1e-6
TOO_LOW = 1e-7
DEFAULT = 5e-5
OF_KERAS, OTHERS_OF_KERAS = 1e-3, {"sgd": 1e-2, "lion": 1e-4}
"""The rates of its optimizers, where nobody says another."""
HEALTHY_UPDATE = (1e-6, 2e-2)
"""Between these lie the pretrained blocks of healthy scripts after two steps: docs/CLAIMS.md."""
_SCHEDULES = (
    "LambdaLR",
    "StepLR",
    "ExponentialLR",
    "LinearLR",
    "PolynomialLR",
    "CosineAnnealingLR",
)
_EVENTS = (
    "on_step_begin",
    "on_step_end",
    "on_epoch_begin",
    "on_epoch_end",
    "on_log",
    "on_evaluate",
)
"""At which a Trainer goes by what a callback says of stopping, and which come early."""
COUNTED = 0.05
MOST_OF_IT = 0.5
LONGER, SHORTER, OVER = 1.5, 0.5, 0.1
"""Shares of the training: a decay that falls for longer, for less, or is over at once."""
_LENGTHS = ("decay_steps", "num_train_steps")
"""What a schedule of Keras calls the steps that it goes down in."""


def observe(pipeline: Pipeline, *_: Any) -> Step:
    return pipeline.step()


def measured(seen: Step) -> dict[str, Any]:
    moved = repr([(block.name, block.gradient, block.update) for block in seen.blocks])
    return {
        "learning_rate": seen.peak_learning_rate,
        "trainable": seen.trainable,
        "gradient": _rounded(math.hypot(*(b.gradient or 0.0 for b in seen.blocks))),
        "moved": hashlib.sha256(moved.encode()).hexdigest()[:16] if seen.steps else None,
    }


def show(seen: Step, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("step", seen.failure, snippet(facts, "step"))
    rows = [
        [b.name, b.weights, b.trainable, _rounded(b.gradient), _rounded(b.update)]
        for b in seen.blocks
    ]
    if rows:
        columns = ["block", "weights", "trainable", "gradient_norm", "relative_update"]
        shown.append(_updates(seen, facts))
        shown.append(table("blocks", "step", columns, rows, snippet(facts, "blocks")))
    if seen.optimizer:
        held = [
            ("optimizer", seen.optimizer),
            ("peak_rate", seen.peak_learning_rate),
            *_of_the_head(seen),
            *_of_the_schedule(seen),
            *_of_strings(facts),
            ("first_rates", ", ".join(f"{r:g}" for r in seen.learning_rates)),
            ("weights_that_train", say("part_of", part=seen.trainable, whole=seen.total)),
        ]
        shown.append(pairs("optimizer", "step", held, snippet(facts, "optimizer")))
    return [*shown, *plan.shown(seen, facts)]


def everything_frozen(seen: Step, view: View) -> Verdict | None:
    if not seen.total or seen.trainable:
        return None
    return fault(view.places.loop_of(_freezing_line(view)), total=seen.total)


def head_frozen(seen: Step, view: View) -> Verdict | CannotJudge | None:
    if not seen.head:
        return CannotJudge("no_separate_head")
    if not seen.head_frozen or not seen.trainable:
        return None
    line = _freezing_line(view)
    if line is None and seen.adapter:
        line = view.places.call("LoraConfig", "get_peft_model")
    return fault(line, head=seen.head[0].split(".")[0])


def gradients_never_applied(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A training step of one's own that makes gradients, and hands them to no optimizer."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    line = view.places.losses.unapplied()
    reached = any(block.gradient for block in seen.blocks)
    return None if line is None or reached or not seen.steps or seen.failure else fault(line)


def loss_cut_off(seen: Step, view: View) -> Verdict | None:
    """What is made anew of a loss, or of what it is made of, leads back to no weight."""
    stopped = _without_gradient(seen, view)
    made = "" if stopped is None else view.places.stepping.cut_at(stopped.line)
    if stopped is None or not made:
        return None
    return fault(stopped.line, made=made, **stopped.numbers)


def no_gradient(seen: Step, view: View) -> Verdict | None:
    return None if loss_cut_off(seen, view) else _without_gradient(seen, view)


def _without_gradient(seen: Step, view: View) -> Verdict | None:
    if isinstance(gradients_never_applied(seen, view), Verdict):
        return None
    without = (
        *("does not require grad", "object has no attribute 'backward'"),
        "no gradients provided for any variable",
    )
    if seen.failure is not None and any(map(seen.failure.says, without)) and seen.trainable:
        places = view.places
        line = places.origins.gradients_off() if seen.switched_off else places.flows.gradients_off()
        line = line or places.stepping.cut_off()
        return fault(_cutting(view) or line or seen.failure.line, blocks=len(seen.blocks))
    reached = [b for b in seen.blocks if b.gradient]
    if not seen.steps or reached or not seen.trainable or _thrown(seen):
        return None
    stepping = view.places.stepping
    none_made = all(b.gradient is None for b in seen.blocks)  # a 0 came all the way
    cut_off, flat = stepping.cut_off(), stepping.flat()
    line = (cut_off or flat) if none_made else (flat or cut_off)
    line = view.places.flows.without_backward() or line
    line = line or view.places.call("zero_grad") or view.places.function("training_step")
    return fault(_cutting(view) or line, blocks=len(seen.blocks))


def _thrown(seen: Step) -> bool:
    """See gradients_thrown_away."""
    return seen.reached is not None and seen.reached.thrown > 0


def _cutting(view: View) -> int | None:
    losses = view.places.losses
    return losses.untaped() or losses.cutting() if view.facts.compiled is not None else None


def gradient_stops(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A part of the model is to train, and nothing that is learned ever comes back to it.

    One factor of an adapter begins at 0, and so may the gradient of the other; not that of both.
    """
    deaf = seen.reached is not None and seen.reached.adapters > 0 and not seen.reached.adapted
    if seen.adapter and not deaf:
        return CannotJudge("adapter_is_trained")
    without = [b for b in seen.blocks if b.trainable and not b.gradient]
    if (
        seen.steps < 2
        or not without
        or len(without) == len([b for b in seen.blocks if b.trainable])
    ):
        return None
    share = sum(b.trainable for b in without) / max(1, seen.trainable)
    told = (reached.checkpointing_cuts_off, reached.begins_at_zero_twice, phases.not_compiled_again)
    few = share < MOST_OF_IT and not deaf
    if few or any(isinstance(rule(seen, view), Verdict) for rule in told):
        return None
    line = view.places.assignment("scaling") if deaf else None
    line = line or view.places.stepping.cut_off()
    if line is None and seen.plan is not None and seen.plan.head_dropout >= withheld.HARDLY_LEFT:
        return None  # in so few steps dropout alone may let nothing through: told by itself
    made = look if line is None else fault  # a part that nothing uses gets none either
    names = {"count": len(without), "first": without[0].name}
    line = line or view.places.losses.part_alone()
    return made(line, share=share, **names)


def not_in_optimizer(seen: Step, view: View) -> Verdict | None:
    if not seen.missing:
        return None
    made = view.places.call(f".{seen.optimizer}") or view.places.argument("optimizers")
    moved = any(block.update for block in seen.blocks)
    another = None if moved else view.places.made_after("model", made)
    return fault(another or made, count=len(seen.missing), first=seen.missing[0])


def rather_high(weights: int) -> float:
    return RATHER_HIGH_SMALL if weights < SMALL else RATHER_HIGH


def learning_rate_too_high(seen: Step, view: View) -> Verdict | CannotJudge | None:
    rate = _comparable_rate(seen, view)
    if isinstance(rate, CannotJudge) or rate <= rather_high(seen.total):
        return rate if isinstance(rate, CannotJudge) else None
    line = view.places.rate() or view.places.argument("optimizer")
    if seen.total < FEW_WEIGHTS:
        return CannotJudge("few_weights")
    most = TOO_HIGH_TO_WRITE if view.facts.task == "seq2seq" else TOO_HIGH
    return (fault if rate >= most else look)(line, rate=rate, times=rate / 5e-5)


def learning_rate_too_low(seen: Step, view: View) -> Verdict | CannotJudge | None:
    rate = _comparable_rate(seen, view)
    if isinstance(rate, CannotJudge) or rate >= RATHER_LOW:
        return rate if isinstance(rate, CannotJudge) else None
    line = view.places.rate()
    return (fault if rate <= TOO_LOW else look)(line, rate=rate, times=5e-5 / rate if rate else 0)


def default_behind_a_string(seen: Step, view: View) -> Verdict | None:
    """A string names the optimizer and nothing else: its learning rate is the library's default."""
    compiled, rate = view.facts.compiled, seen.peak_learning_rate
    name = compiled.strings.get("optimizer") if compiled else None
    if name is None or rate is None:
        return None
    if not math.isclose(rate, OTHERS_OF_KERAS.get(name.lower(), OF_KERAS), rel_tol=1e-3):
        return None  # it was set afterwards
    verdict = fault if isinstance(learning_rate_too_high(seen, view), Verdict) else note
    return verdict(view.places.fits.compiled("optimizer"), name=name, rate=rate)


def schedule_too_long(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A decay that counts examples where the training counts batches never gets anywhere."""
    decay = seen.decay
    if decay is None:
        return _without_end(seen, view)
    if decay.steps <= LONGER * decay.planned:
        return None
    line = view.places.total_made(*_LENGTHS) or view.places.argument_chosen(*_LENGTHS)
    line = line or view.places.call("Decay")
    by_examples = abs(decay.steps - decay.examples) <= COUNTED * decay.examples
    return (fault if by_examples else look)(
        line,
        steps=decay.steps,
        planned=decay.planned,
        first=seen.peak_learning_rate,
        last=seen.last_learning_rate,
    )


def schedule_too_short(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The rest of the training goes by at whatever rate the decay has left."""
    decay, first, last = seen.decay, seen.peak_learning_rate, seen.last_learning_rate
    if decay is None or not first or last is None:
        return _without_end(seen, view)
    if decay.steps <= 0 or decay.steps >= SHORTER * decay.planned:
        return None  # a warm-up longer than the training leaves less than nothing to decay in
    line = view.places.total_made(*_LENGTHS) or view.places.argument_chosen(*_LENGTHS)
    line = line or view.places.call("Decay")
    over = decay.steps <= OVER * decay.planned and last <= OVER * first
    return (fault if over else look)(line, steps=decay.steps, planned=decay.planned, last=last)


def _without_end(seen: Step, view: View) -> CannotJudge:
    if view.facts.by_hand:
        return NOT_FOR_THIS_TASK  # see stages/plan.py, which knows the rate of each update
    if view.facts.compiled is None:
        return CannotJudge("trainer_counts_steps")
    return CannotJudge("schedule_without_end" if seen.schedule else "no_decay")


def default_learning_rate(seen: Step, view: View) -> Verdict | CannotJudge | None:
    if view.facts.compiled is not None:
        return None  # see default_behind_a_string
    if not view.has_script:
        return NO_SCRIPT
    chosen = view.places.argument("learning_rate", "lr", "optimizers")
    chosen = chosen or view.places.call("HfArgumentParser")  # it may stand on the command line
    if chosen or view.places.assignment("learning_rate") or seen.peak_learning_rate != DEFAULT:
        return None
    return note(view.places.call("TrainingArguments"), rate=seen.peak_learning_rate)


def missing_zero_grad(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """Before the second step the gradients of the first must be gone."""
    if view.facts.compiled is not None:
        return CannotJudge("fit_zeroes_itself")
    if seen.leftover_gradient is None:
        return CannotJudge("one_step_only")
    if seen.leftover_gradient == 0 or (seen.by_hand is not None and seen.missing):
        return None  # an optimizer zeroes what it holds
    line = view.places.function("training_step") or view.places.function("zero_grad")
    line = line if seen.by_hand is None else seen.by_hand.steps_at
    return fault(line, norm=seen.leftover_gradient)


def nan_update(seen: Step, view: View) -> Verdict | None:
    if not seen.nan_after:
        return None
    return fault(None, count=len(seen.nan_after), first=seen.nan_after[0], steps=seen.steps)


def schedule_used_up(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """The schedule was handed to an earlier training, too, and has no rate above 0 left here."""
    plan = seen.plan
    if plan is None:
        return CannotJudge("no_plan")
    moved = any(block.update for block in seen.blocks)
    if not plan.used or plan.rates is not None or not seen.steps or moved or seen.failure:
        return None
    made = view.places.call("get_scheduler", "schedule_with_warmup", "schedule", *_SCHEDULES)
    return fault(made or view.places.rate(), used=plan.used)


def nothing_moves(seen: Step, view: View) -> Verdict | None:
    if not seen.steps or not seen.trainable or not any(b.gradient for b in seen.blocks):
        return None
    if seen.failure is not None:
        return None  # it broke off before anything could
    if any(b.update for b in seen.blocks) or isinstance(schedule_used_up(seen, view), Verdict):
        return None
    line = view.places.rate() or view.places.argument("warmup_steps")
    return fault(line, steps=seen.steps)


def callback_refuses(seen: Step, view: View) -> Verdict | None:
    """A callback that looks at the arguments, and finds that it has nothing to go by."""
    if seen.refused is None:
        return None
    name, said = seen.refused
    line = view.places.call(name) or view.places.argument("callbacks")
    return fault(line, name=name, said=said)


def callback_ends_training(seen: Step, view: View) -> Verdict | CannotJudge | None:
    """A callback that says stop at its first event, and asks nothing before."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.origins.stopping()
    if found is None or found[1] not in _EVENTS:
        return None
    line, event = found
    of_epoch = event in ("on_epoch_end", "on_evaluate")
    if seen.plan is not None and of_epoch and seen.plan.epochs <= 1:
        return None  # that is where it ends anyway
    return look(line, event=event)


def resumes_from_nothing(seen: Step, view: View) -> Verdict | None:
    """What is true here may be otherwise on the machine that has trained it before."""
    if not seen.resumes_from:
        return None
    return look(view.places.argument("resume_from_checkpoint"), folder=seen.resumes_from)


def never_steps(seen: Step, view: View) -> Verdict | None:
    """The training was begun, came to its end, and has not made one update."""
    if not seen.idle:
        return None
    return fault(view.places.argument("num_train_epochs", "max_steps", "train_dataset"))


RULES: tuple[Rule, ...] = (
    callback_refuses,
    callback_ends_training,
    resumes_from_nothing,
    never_steps,
    everything_frozen,
    head_frozen,
    gradients_never_applied,
    loss_cut_off,
    no_gradient,
    gradient_stops,
    not_in_optimizer,
    learning_rate_too_high,
    learning_rate_too_low,
    default_behind_a_string,
    schedule_too_long,
    schedule_too_short,
    default_learning_rate,
    missing_zero_grad,
    nan_update,
    schedule_used_up,
    nothing_moves,
    schedule_ended,
    *reached.RULES,
    *plan.RULES,
    *withheld.RULES,
    *rates.RULES,
    *called.RULES,
    *steered.RULES,
    *phases.RULES,
    *units.RULES,
    *by_hand.OF_STEPS,
)
STEP = Stage("step", observe, show, measured, RULES, blocks=("overfit", "train"))


def _comparable_rate(seen: Step, view: View) -> float | CannotJudge:
    """A rate that 1e-5 to 1e-4 can be held against: Adam, a pretrained body, most of it trained."""
    if not view.facts.pretrained:
        return CannotJudge("not_pretrained")
    if seen.optimizer not in ADAMS or seen.peak_learning_rate is None:
        return CannotJudge("other_optimizer")
    if seen.adapter:
        return CannotJudge("adapter_is_trained")
    if seen.body_trainable == 0:
        return CannotJudge("only_new_is_trained")
    if seen.trainable < 0.05 * seen.total:
        return CannotJudge("little_is_trained")
    return seen.peak_learning_rate


def _freezing_line(view: View) -> int | None:
    places = view.places
    frozen = places.assignment("requires_grad") or places.call("requires_grad_")
    return frozen or places.assignment("trainable") or places.argument("trainable")


def _of_the_head(seen: Step) -> list[tuple[str, Any]]:
    rate = seen.head_learning_rate
    same = rate is None or rate == seen.peak_learning_rate
    return [] if same else [("peak_rate_of_head", rate)]


def _of_the_schedule(seen: Step) -> list[tuple[str, Any]]:
    if seen.decay is None:
        return []
    return [
        ("schedule", seen.decay.name),
        ("falls_for", seen.decay.steps),
        ("steps_planned", seen.decay.planned),
        ("last_rate", _rounded(seen.last_learning_rate)),
    ]


def _of_strings(facts: Facts) -> list[tuple[str, Any]]:
    compiled = facts.compiled
    if compiled is None:
        return []
    rows: list[tuple[str, Any]] = []
    if not facts.by_hand:
        rows.append(("fit_runs", say("eagerly" if compiled.eagerly else "as_graph")))
    if "optimizer" in compiled.strings:
        rows.append(("optimizer_given_as", f'"{compiled.strings["optimizer"]}"'))
        rows.append(("all_else_default", compiled.defaults.get("optimizer", "")))
    return rows


def _updates(seen: Step, facts: Facts) -> Evidence:
    """How far each block moved, as a share of its size. A new head starts small and moves far."""
    moved = [[place, _rounded(block.update)] for place, block in enumerate(seen.blocks)]
    data = {
        "series": {"update": moved},
        "labels": [block.name for block in seen.blocks],
        "new": [b.name for b in seen.blocks if any(b.name in name for name in seen.head)],
        "frozen": [block.name for block in seen.blocks if not block.trainable],
        "range": list(HEALTHY_UPDATE) if facts.pretrained else [],
    }
    return Evidence("chart", "updates", "step", data, snippet(facts, "blocks"))


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.3g}")
