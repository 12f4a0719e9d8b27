"""Cases of the rules in stages/plan.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.plan import Plan, Plateau
from debugger.pipelines.step import Block
from debugger.pipelines.within import Clipped
from debugger.stages import plan
from tests.stages.cases.seen import KERAS, PLAN, RATES, STEPPED, Case, of_plan
from tests.stages.test_step import FACTS

LITTLE_LEFT = replace(PLAN, gradient=1e-12, arrived=4.0, left=2.5e-9, clipping=1e-8)

CASES = [
    of_plan(plan.optimizer_maximizes, {"maximizes": False}, replace(PLAN, maximizes=True)),
    of_plan(plan.gradients_cut_away, {"left": 0.3}, LITTLE_LEFT, before=4.0, after=1e-8),
    Case(
        plan.no_epoch_left,
        replace(STEPPED, plan=replace(PLAN, updates=0, epochs=0.0, begins_at=4)),
        {"plan": replace(PLAN, begins_at=4)},
        KERAS,
        says={"first": 4},
    ),
    Case(
        plan.gradients_cut_away,
        replace(STEPPED, plan=replace(PLAN, clipped=Clipped("clipvalue", 1e-10, 1e-3, 1e-10))),
        {"plan": replace(PLAN, clipped=Clipped("clipvalue", 1e-4, 1e-3, 1e-4))},
        says={"name": "clipvalue", "at": 1e-10},
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
        plan.one_epoch_by_default,
        replace(STEPPED, plan=Plan(updates=40, epochs=1.0)),
        {"plan": Plan(updates=40, epochs=4.0)},
        facts=KERAS,
        script="model.fit(x, y)",
        says={"updates": 40},
    ),
    Case(
        plan.adadelta_hardly_moves,
        replace(STEPPED, optimizer="Adadelta", peak_learning_rate=0.001),
        {"peak_learning_rate": 1.0},
        says={"rate": 0.001, "times": 1000.0},
    ),
    Case(
        plan.data_runs_out,
        replace(STEPPED, plan=replace(PLAN, epochs=10.0, held_batches=60, asked_steps=300)),
        {"plan": replace(PLAN, epochs=10.0, held_batches=300, asked_steps=300)},
        says={"asked": 300, "held": 60, "done": 2.0},
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
    Case(
        plan.rate_small_for_new,
        replace(STEPPED, plan=PLAN, learning_rates=(5e-5, 5e-5)),
        {"plan": replace(PLAN, rates=replace(RATES, total=2e-2))},
        facts=replace(FACTS, pretrained=False),
        says={"rate": 5e-5, "updates": 100},
    ),
    of_plan(plan.momentum_too_long, {"betas": (0.9, 0.95)}, replace(PLAN, betas=(0.99, 0.999))),
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
]
