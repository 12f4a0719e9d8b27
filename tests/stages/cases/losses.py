"""Cases of the rules in stages/losses.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.facts import Compiled
from debugger.stages import losses
from tests.stages.cases.seen import AMOUNTS, FINE, SOUND, Case, of_loss
from tests.stages.test_step import FACTS

UPSIDE_DOWN = replace(
    SOUND, right=SOUND.wrong, wrong=(1.0, 0.5, 0.0, -1.0, -4.0, -8.0, -16.0, -32.0)
)

CASES = [
    of_loss(
        losses.loss_arguments_swapped,
        {"swapped": ""},
        replace(SOUND, form="many", swapped="binary_crossentropy"),
        name="binary_crossentropy",
    ),
    Case(
        losses.logarithm_of_answers,
        replace(FINE, logits_low=-0.5),
        {"logits_low": 0.5},
        facts=replace(FACTS, compiled=Compiled(loss="Poisson")),
        says={"least": -0.5},
    ),
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
    of_loss(losses.amounts_for_classes, {"spread": False}, replace(SOUND, spread=True), outputs=3),
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
    Case(
        losses.compute_loss_returns_nothing,
        replace(FINE, returns_nothing=True),
        {"returns_nothing": False},
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
]
