"""Cases of the rules in stages/step.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.plan import Plan
from debugger.pipelines.reached import Reached
from debugger.pipelines.step import Block, Decay
from debugger.stages import step
from tests.stages.cases.seen import KERAS, PLAN, STEPPED, STOPS, Case

STOPPED = (Block("encoder", 90, 90, 0.0, 0.0), Block("head", 10, 10, 0.5, 0.01))

CASES = [
    Case(
        step.callback_ends_training,
        replace(STEPPED, plan=replace(PLAN, epochs=3.0)),
        {"plan": replace(PLAN, epochs=1.0)},
        script=STOPS,
        says={"event": "on_epoch_end"},
    ),
    Case(
        step.resumes_from_nothing,
        replace(STEPPED, resumes_from="out"),
        {"resumes_from": ""},
        says={"folder": "out"},
    ),
    Case(step.never_steps, replace(STEPPED, steps=0, idle=True), {"idle": False}),
    Case(
        step.callback_refuses,
        replace(STEPPED, refused=("EarlyStoppingCallback", "it wants a metric")),
        {"refused": None},
        says={"name": "EarlyStoppingCallback"},
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
        step.gradients_never_applied,
        replace(STEPPED, steps=2, blocks=(), failure=None),
        {"steps": 0},
        facts=KERAS,
        script="def train_step(self, data):\n    made = tape.gradient(loss, weights)",
    ),
]
