"""What would be tried, what is taken for a cure, and what words tell of labels: plain values."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from debugger.experiments.doubts import hardly_fell
from debugger.experiments.expert import Expert
from debugger.experiments.one_thing import EXPERIMENTS, harmless, possible, wild_rate
from debugger.experiments.signal import signal
from debugger.experiments.trying import Explained, explained
from debugger.outcome import Finding
from debugger.pipelines.trying import Change, Conditions, Taken, Worded
from debugger.script.places import Places
from debugger.stages.overfit import OVERFIT
from debugger.stages.train import TRAIN
from debugger.words import Words

HEALTHY = Conditions(optimizer="AdamW", rate=1e-3, weights=100, batches=96, updates=96)
ODD: dict[str, dict[str, Any]] = {
    "cured_by_mask_from_padding": {"positions": 64, "masked_wrongly": 8},
    "cured_by_scaled_inputs": {"widest": 4000.0},
    "cured_by_spread_inputs": {"widest": 4.0, "narrowest": 0.001},
    "cured_by_scaled_labels": {"widest_label": 3000.0},
    "cured_by_update_every_batch": {"accumulation": 64, "updates": 3},
    "cured_by_longer_training": {"updates": 3, "by_epochs": False},
    "cured_by_constant_rate": {"rate_share": 0.01},
    "cured_by_usual_rate": {"rate": 1e-9},
    "cured_by_no_dropout": {"dropout": 0.9},
    "cured_by_no_weight_decay": {"weight_decay": 200.0},
    "cured_by_no_clipping": {"clipping": 1e-9},
    "cured_by_full_precision": {"half": "bfloat16", "half_weights": True},
    "cured_by_thawing": {"frozen": 0.9},
    "cured_by_library_loss": {"own_loss": True},
    "cured_by_shuffling": {"in_blocks": True},
    "cured_by_fresh_head": {"head": "classifier.weight", "head_spread": 0.0},
}
USUAL: list[dict[str, Any]] = [
    {"accumulation": 4, "updates": 500},
    {"widest": 5.0, "narrowest": 0.5, "widest_label": 5.0},
    {"widest": 255.0, "pretrained": True, "rate": 5e-5},
    {"rate_share": 0.5},
    {"rate": 2e-3},
    {"dropout": 0.1},
    {"weight_decay": 0.01},
    {"clipping": 1.0},
    {"half": "bf16"},
    {"frozen": 0.9, "pretrained": True, "rate": 5e-5},
    {"head": "classifier.weight", "head_spread": 0.02},
]


def test_what_experiments_say_better_is_not_said_by_the_stage() -> None:
    codes = ("stuck_at_chance", "labels_put_by_hand", "learns_train_only")
    doubts = [Finding(code, "look", "train", None, {}) for code in codes]

    def left(**known: Any) -> list[str]:
        return [one.code for one in Explained(**known).around(doubts)]

    assert left() == [*codes]
    assert left(words_tell=True) == ["stuck_at_chance", "learns_train_only"]
    assert left(words_tell=True, only_slow=True) == ["learns_train_only"]


@pytest.mark.parametrize("code", ODD)
def test_what_is_set_far_from_the_usual_is_tried_first(code: str) -> None:
    known = possible(replace(HEALTHY, **{"dropout": 0.1, "clipping": 1.0, **ODD[code]}))

    assert (known[0][0], known[0][1].odd) == (code, True)
    assert not any(experiment.odd for name, experiment in known if name != code)


def test_every_experiment_has_its_case_and_its_sentences() -> None:
    codes = {experiment.__name__ for experiment in EXPERIMENTS}

    assert codes == set(ODD)
    assert all(Words().has(table, code) for table in ("finding", "cell") for code in codes)


@pytest.mark.parametrize("setting", USUAL, ids=str)
def test_a_usual_setting_is_never_odd(setting: dict[str, Any]) -> None:
    known = possible(replace(HEALTHY, **setting))

    assert not any(experiment.odd for _, experiment in known)


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ({"accumulation": 64, "updates": 3, "by_epochs": False}, "cured_by_update_every_batch"),
        ({"accumulation": 64, "updates": 3}, "cured_by_longer_training"),
        ({"frozen": 0.9, "adapter": True}, "cured_by_thawing"),
        ({"optimizer": "Lion", "rate": 1e-9}, "cured_by_usual_rate"),
    ],
)
def test_what_would_change_nothing_or_is_meant_is_not_tried(
    setting: dict[str, Any], code: str
) -> None:
    assert code not in dict(possible(replace(HEALTHY, **setting)))


@pytest.mark.parametrize(("momentum", "usual"), [(0.0, 5e-2), (0.9, 1e-2)])
def test_with_momentum_a_smaller_rate_is_usual(momentum: float, usual: float) -> None:
    here = replace(HEALTHY, optimizer="SGD", rate=1.0, momentum=momentum)

    assert dict(possible(here))["cured_by_usual_rate"].now == usual


def test_what_only_makes_a_healthy_training_slow_is_held_still() -> None:
    slow = replace(HEALTHY, accumulation=4, updates=500, rate_share=0.5)

    assert harmless(slow) == Change(constant=True, every_batch=True)
    assert harmless(replace(slow, updates=3, rate_share=0.1)) == Change()


@pytest.mark.parametrize(
    ("before", "after", "floor", "learned", "stuck"),
    [
        (1.10, 0.50, 1.09, True, False),
        (1.10, 1.09, 1.09, False, True),
        (1.10, 1.00, 1.09, False, False),
        (1.10, float("nan"), 1.09, False, True),
        (10.8, 6.5, 6.0, True, False),
        (10.8, 10.7, 6.0, False, True),
        (93.0, 34.0, 0.69, False, True),
        (0.70, 0.10, None, True, False),
    ],
)
def test_what_counts_as_learned(
    before: float, after: float, floor: float | None, learned: bool, stuck: bool
) -> None:
    taken = Taken(before, after, floor, 48)

    assert (taken.learned, taken.stuck) == (learned, stuck)


def worded(truth: bool) -> Worded:
    """Twelve words, of which 1 and 2 tell the label if there is any truth in it."""
    draw = random.Random(0)
    labels = [draw.randrange(2) for _ in range(300)]
    rows = [[draw.randrange(3, 12) for _ in range(6)] + [1 + label] for label in labels]
    told = labels if truth else [draw.randrange(2) for _ in labels]
    return Worded(tuple(map(tuple, rows)), tuple(told))


def test_words_that_tell_the_label_are_seen_and_others_are_not() -> None:
    told, untold = signal(worded(True)), signal(worded(False))

    assert told is not None
    assert untold is not None
    assert (told.accuracy, told.found) == (1.0, True)
    assert not untold.found


def test_rows_that_come_in_turns_are_judged_by_rows_of_the_same_classes() -> None:
    given = Worded(tuple((1 + n % 2, 9) for n in range(100)), tuple(n % 2 for n in range(100)))
    seen = signal(given)

    assert seen is not None
    assert seen.accuracy == 1.0


def test_too_few_rows_or_classes_tell_nothing() -> None:
    assert signal(Worded(((1,),) * 30, (0, 1) * 15)) is None
    assert signal(Worded(((1,),) * 60, (1,) * 60)) is None


class MadeUp:
    """A lab in which these changes cure, for all seeds or for one."""

    def __init__(self, conditions: Conditions, *cures: str, seeds: tuple[int, ...] = (0, 1)):
        self.conditions, self.cures, self.seeds = conditions, cures, seeds
        self.asked: list[tuple[tuple[str, ...], int, bool]] = []

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken:
        changed = tuple(name for name, value in vars(change).items() if value)
        self.asked.append((changed, seed, one_batch))
        cured = set(changed) & set(self.cures) and seed in self.seeds
        return Taken(0.7, 0.1 if cured else 0.69, 0.69, 48)

    def worded(self) -> Worded:
        return Worded()


SCRIPT = Places("TrainingArguments('x',\n  weight_decay=9.0)")


def causes(lab: MadeUp) -> list[Finding]:
    return explained(lab, "train", SCRIPT, lambda *_: None).causes


BOTH = replace(HEALTHY, weight_decay=200.0, dropout=0.9)


def test_the_one_that_cures_is_named_with_its_line() -> None:
    found = causes(MadeUp(BOTH, "weight_decay"))

    told = [(cause.code, cause.severity, cause.line) for cause in found]
    assert told == [("cured_by_no_weight_decay", "fault", 2)]


def test_what_learns_by_itself_in_more_steps_has_no_fault_that_keeps_it_from_it() -> None:
    lab = MadeUp(BOTH, "weight_decay")
    found = explained(lab, "train", SCRIPT, lambda *_: None, learns=True).causes

    assert [(one.code, one.severity) for one in found] == [("cured_by_no_weight_decay", "look")]


class Guessing(MadeUp):
    """Scaled labels cost about 1 as soon as a model answers with their mean."""

    scaled = 1.2

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken:
        if change.scaled_labels:
            return Taken(2.1, self.scaled, 1.0, 48)
        return super().take(change, seed, one_batch, until)


def test_labels_that_are_only_guessed_at_their_mean_are_not_learned() -> None:
    lab = Guessing(replace(HEALTHY, widest_label=3000.0))
    assert causes(lab) == []

    lab.scaled = 0.5
    assert [one.code for one in causes(lab)] == ["cured_by_scaled_labels"]


def test_two_that_cure_are_both_named() -> None:
    found = causes(MadeUp(BOTH, "weight_decay", "dropout"))

    assert {f.code for f in found} == {"cured_by_no_weight_decay", "cured_by_no_dropout"}


def test_what_helps_with_one_seed_only_is_luck() -> None:
    assert causes(MadeUp(BOTH, "weight_decay", seeds=(0,))) == []


def test_a_usual_setting_that_cures_is_a_look() -> None:
    found = causes(MadeUp(replace(HEALTHY, dropout=0.1, clipping=1.0), "clipping"))

    assert [(f.code, f.severity) for f in found] == [("cured_by_no_clipping", "look")]


def test_what_is_usual_is_not_tried_once_it_is_decided_and_has_one_batch_first() -> None:
    decided = MadeUp(replace(BOTH, clipping=1.0), "weight_decay")
    causes(decided)
    assert not any("clipping" in changed for changed, *_ in decided.asked)

    undecided = MadeUp(replace(HEALTHY, clipping=1.0))
    causes(undecided)
    assert [one for changed, _, one in undecided.asked if "clipping" in changed] == [True]


class Crawling(MadeUp):
    """Learns at the usual rate, or at whatever `reach` makes of the whole training's rates."""

    def __init__(self, reach: float):
        super().__init__(replace(HEALTHY, rate=1e-6, updates=480))
        self.reach = reach

    def take(self, change: Change, seed: int, one_batch: bool, until: float) -> Taken:
        cured = change.rate is not None and change.rate >= self.reach
        return Taken(0.7, 0.1 if cured else 0.69, 0.69, 48)


def test_a_low_rate_is_a_fault_only_where_the_whole_run_does_not_come_as_far() -> None:
    """480 updates at 1e-6 are as much as 48 at 1e-5."""
    for reach, severity in ((5e-5, "fault"), (9e-6, "look")):
        found = causes(Crawling(reach))
        assert [(f.code, f.severity) for f in found] == [("cured_by_usual_rate", severity)]


def test_a_training_hardly_fell_where_its_last_steps_cost_what_the_first_did() -> None:
    assert hardly_fell((1.1,) * 40)
    assert hardly_fell((1.1,) * 39 + (None,))
    assert not hardly_fell((1.1,) * 20 + (0.5,) * 20)
    assert not hardly_fell((1.1,) * 10)


def test_none_is_said_too() -> None:
    told = explained(MadeUp(BOTH), "train", Places(""), lambda *_: None)

    assert [(f.code, f.severity) for f in told.findings] == [("none_cures", "note")]
    assert told.findings[0].numbers["count"] == 2
    assert len(told.evidence[0].data["rows"]) == 3


@pytest.mark.parametrize(("updates", "told"), [(48, []), (3, []), (12, ["over_too_soon"])])
def test_a_whole_training_that_brings_nothing_is_over_too_soon(
    updates: int, told: list[str]
) -> None:
    """What was tried are 48 batches: the whole of 12 updates of 4 each."""
    here = replace(HEALTHY, updates=updates, accumulation=4)

    assert [cause.code for cause in causes(MadeUp(here))] == told


def test_what_there_was_no_time_for_is_named() -> None:
    told = explained(MadeUp(BOTH), "train", Places(""), lambda *_: None, seconds=-1.0)

    assert {rule.rule for rule in told.not_run} == {
        "cured_by_no_dropout",
        "cured_by_no_weight_decay",
    }
    assert {rule.reason for rule in told.not_run} == {"no_time_for_experiment"}


class OfLab:
    """A pipeline of which nothing is asked but its lab."""

    def __init__(self, made: MadeUp) -> None:
        self.made = made

    def lab(self) -> MadeUp:
        return self.made


def walked(rate: float, doubt: str, fallen: float) -> list[Finding]:
    """What an expert says behind a look in `overfit`, of a training that came down to that."""
    asked: Any = OfLab(MadeUp(replace(HEALTHY, rate=rate, optimizer="Adam"), "rate"))
    told, expert = [Finding(doubt, "look", "overfit")], Expert(called=True, last="train")
    before = expert.asked(asked, OVERFIT, told, [], SCRIPT, lambda *_: None)
    assert before.causes == []
    losses = (1.0,) * 20 + (fallen,) * 20
    return expert.asked(asked, TRAIN, [], [], SCRIPT, lambda *_: None, losses).causes


@pytest.mark.parametrize(
    ("rate", "doubt", "fallen", "codes"),
    [
        (0.1, "memorises_slowly", 0.3, ["cured_by_usual_rate"]),
        (0.02, "memorises_slowly", 0.3, []),
        (0.1, "labels_few", 0.3, []),
        (0.02, "memorises_slowly", 0.9, ["cured_by_usual_rate"]),
    ],
)
def test_a_loss_that_falls_at_a_wild_rate_leaves_a_training_in_doubt(
    rate: float, doubt: str, fallen: float, codes: list[str]
) -> None:
    assert [cause.code for cause in walked(rate, doubt, fallen)] == codes


@pytest.mark.parametrize(
    ("setting", "wild"),
    [
        ({"rate": 0.1}, True),
        ({"rate": 0.02}, False),
        ({"rate": 0.1, "optimizer": "SGD"}, False),
        ({"rate": 0.005, "pretrained": True}, True),
        ({"rate": None}, False),
        ({"rate": 0.1, "optimizer": "Lion"}, False),
    ],
)
def test_a_wild_rate_is_far_above_the_usual_one_of_its_optimizer(
    setting: dict[str, Any], wild: bool
) -> None:
    assert wild_rate(replace(HEALTHY, **setting)) == wild


def test_of_a_loss_below_nothing_no_cure_is_told() -> None:
    """As of a divergence of what are no logarithms: nobody knows how far it may fall."""
    bare, changed = Taken(-2.01, -2.12, 0.69, 48), Taken(-2.01, -2.08, 0.69, 48)

    assert not bare.stuck
    assert not changed.better_than(bare)
