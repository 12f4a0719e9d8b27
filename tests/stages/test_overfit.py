"""What proves that one batch cannot be memorised, and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.pipelines.training import Memory
from debugger.stages.judging import CannotJudge, View, judged
from debugger.stages.overfit import RULES, memorises_in_time
from tests import tiny
from tests.stages.test_step import FACTS

EIGHT = (0, 1, 2, 0, 1, 2, 0, 1)
FLAT = (1.1,) * 20
PRETRAINED = replace(FACTS, pretrained=True)
UNMOVED = Memory(
    FLAT, 0.25, 0.375, (1.11, 1.1), labels=EIGHT, rows=8, rate=1e-4, weights=22_000_000
)


def falling(first: float, last: float) -> tuple[float, ...]:
    return tuple(first + (last - first) * step / 19 for step in range(20))


def severity(seen: Memory, facts: Any = PRETRAINED) -> tuple[str, str] | None:
    findings, _ = judged("overfit", RULES, seen, View(facts))
    return (findings[0].code, findings[0].severity) if findings else None


FAULT, SLOW = ("cannot_memorise", "fault"), ("memorises_slowly", "look")


def test_many_pretrained_weights_at_a_usual_rate_must_learn_something() -> None:
    assert severity(UNMOVED) == FAULT
    assert severity(replace(UNMOVED, rate=2e-5)) == SLOW
    assert severity(replace(UNMOVED, weights=40_000)) == SLOW
    assert severity(UNMOVED, replace(FACTS, pretrained=False)) == SLOW


def test_no_one_noisy_loss_decides() -> None:
    pairs = replace(UNMOVED, losses=(0.6935,) + (0.6944,) * 19, labels=(), after=None, before=None)

    assert severity(replace(pairs, quiet_losses=(0.694, 0.69), rate=2e-5)) == SLOW
    assert severity(replace(pairs, quiet_losses=(0.002, 0.0025), weights=40_000)) == SLOW
    spike = (*falling(1.1, 0.2)[:-1], 1.2)
    assert severity(replace(UNMOVED, losses=spike, quiet_losses=(1.1, 0.2))) is None


def test_words_that_were_known_before_the_first_step_prove_nothing() -> None:
    rising = Memory((0.012,) + (0.05,) * 18 + (0.12,), None, None, (0.012, 0.05), (), 8, 5e-5)

    assert severity(rising) == FAULT
    for task in ("seq2seq", "causal_lm", "masked_lm"):
        knows = replace(PRETRAINED, task=task)
        assert severity(rising, knows) is None
        unknown = replace(rising, losses=(0.9,) + (1.3,) * 19, quiet_losses=(0.8, 1.3))
        assert severity(unknown, knows) == FAULT


def test_most_rows_right_is_no_fault_though_not_all_are() -> None:
    seen = Memory(falling(0.69, 0.52), 0.47, 0.969, (0.69, 0.5), (0, 1) * 16, 32, 1e-4)

    assert severity(seen) is None
    few = replace(seen, rows=8, labels=EIGHT, after=0.75)
    assert severity(few) is None
    slow = replace(few, losses=falling(0.69, 0.64), quiet_losses=(0.69, 0.63))
    assert severity(slow) == SLOW
    many = replace(slow, rows=32, labels=(0, 1) * 16, after=0.81)  # more than luck, and no doubt
    assert severity(many) is None


def test_where_a_loss_of_ones_own_ends_nobody_knows() -> None:
    own = replace(FACTS, task="unknown", pretrained=False)
    ranks = Memory(falling(4.58, 4.2), None, None, (4.6, 4.2), (), 225, 0.05)

    assert severity(ranks, own) is None
    assert memorises_in_time(replace(ranks, planned=9000), View(own)) is None
    assert memorises_in_time(replace(ranks, planned=9000), View(FACTS)) is not None
    assert severity(replace(ranks, losses=falling(4.58, 4.5), quiet_losses=None), own) == SLOW
    assert severity(ranks, replace(own, task="regression")) == SLOW


def test_steps_that_harm_are_a_fault_at_any_rate() -> None:
    fresh, harmed = replace(FACTS, pretrained=False), (1.1, 1.3, *(1.5,) * 18)
    seen = replace(UNMOVED, losses=harmed, quiet_losses=(1.1, 1.2), rate=0.3, weights=9_000)

    assert severity(seen, fresh) == FAULT
    assert severity(replace(seen, losses=(*FLAT[:-1], float("nan"))), fresh) == FAULT


def test_what_is_no_number_any_more_has_no_pace() -> None:
    lost = replace(UNMOVED, losses=(*FLAT[:9], *(float("nan"),) * 11), planned=800)

    assert severity(lost) == FAULT
    assert memorises_in_time(lost, View(PRETRAINED)) is None


def test_a_step_that_gives_back_no_loss_is_no_short_training() -> None:
    for rule in RULES:
        assert rule(Memory(), View(FACTS)) == CannotJudge("no_loss_told")
        late = Memory(out_of_time=True)
        assert rule(late, View(FACTS)) == CannotJudge("too_few_steps")


def test_a_few_steps_judge_nothing() -> None:
    for rule in RULES:
        assert rule(replace(UNMOVED, losses=FLAT[:9]), View(PRETRAINED)) == CannotJudge(
            "too_few_steps"
        )


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "make",
    [tiny.classifier, tiny.token_classifier, tiny.language_model, tiny.translator, tiny.regressor],
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize("rate", [2e-5, 1e-3, 5e-3])
def test_a_healthy_new_model_of_any_task_is_never_said_to_be_unable(make: Any, rate: float) -> None:
    for seed in range(2):
        torch.manual_seed(seed)
        trainer = make()
        trainer.args.learning_rate = rate
        seen = TrainerPipeline(trainer).overfit(20, lambda *_: None)

        before, after = seen.quiet_losses or (0.0, 1.0)
        assert after < before
        assert severity(seen, replace(FACTS, pretrained=False)) in (None, SLOW)


@pytest.mark.proof
def test_a_rate_that_is_far_too_high_for_a_new_model_is_a_fault() -> None:
    for seed in range(3):
        torch.manual_seed(seed)
        trainer = tiny.classifier(args=tiny.arguments(learning_rate=0.3))
        seen = TrainerPipeline(trainer).overfit(20, lambda *_: None)

        told = severity(seen, replace(FACTS, pretrained=False))
        assert told in (FAULT, ("outputs_collapsed", "fault"))
