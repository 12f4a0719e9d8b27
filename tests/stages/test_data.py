"""An imbalance is a fault where nothing in the pipeline weighs or measures the rare classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import Trainer

from debugger import diagnose
from debugger.pipelines.data import Data
from debugger.pipelines.facts import Compiled
from debugger.pipelines.targets import Aims
from debugger.script.places import Places
from debugger.stages.classes import imbalanced, one_class
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View
from debugger.stages.sets import leak
from debugger.stages.targets import labels_hardly_differ, labels_tiled
from debugger.stages.texts import text_cut
from tests import tiny
from tests.stages.cases.seen import SPLIT
from tests.stages.cases.targets import QUANTILES
from tests.stages.test_step import FACTS


class WeighsClasses(Trainer):
    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        return super().compute_loss(*args, **kwargs)


class PicksRows(Trainer):
    def _get_train_sampler(self, *args: Any, **kwargs: Any) -> Any:
        return super()._get_train_sampler(*args, **kwargs)


def with_f1(given: Any) -> dict[str, float]:
    return {**tiny.accuracy(given), "f1": 1.0}


def refuses(given: Any) -> dict[str, float]:
    raise ValueError(given)


def severity(rare: int, **more: Any) -> str | None:
    rows = tiny.pairs(300)
    common = [row for row in range(300) if row % 3 == 0][: 100 - rare]
    chosen = rows.select([*common, *[row for row in range(300) if row % 3][:rare]])
    report = diagnose(tiny.classifier(train_dataset=chosen, **more), stage="data")
    found = [f.severity for f in report.findings if f.code == "imbalanced"]
    return found[0] if found else None


@pytest.mark.parametrize(("rare", "wanted"), [(5, "fault"), (20, "look"), (40, None)])
def test_a_rare_class_is_a_fault_where_it_hardly_shows(rare: int, wanted: str | None) -> None:
    assert severity(rare) == wanted


def test_some_rows_of_a_sorted_set_say_nothing_of_its_shares() -> None:
    first, mixed = (0,) * 30 + (1,) * 10, (0, 0, 0, 1) * 10
    for labels, wanted in ((first, CannotJudge("no_rows")), (mixed, "look")):
        seen = Data(replace(SPLIT, labels=labels, looked_at=40, count=4000), None)
        told = imbalanced(seen, View(FACTS))
        assert wanted == (told.severity if isinstance(told, Verdict) else told)


@pytest.mark.parametrize(
    "more",
    [
        {"trainer_class": WeighsClasses},
        {"trainer_class": PicksRows},
        {"compute_loss_func": lambda outputs, labels, **_: outputs.loss},
        {"compute_metrics": with_f1},
        {"compute_metrics": refuses},
    ],
    ids=["own loss", "own sampler", "loss function", "f1", "a metric that fails"],
)
def test_it_is_worth_no_more_than_a_look_where_something_answers_it(more: dict[str, Any]) -> None:
    assert severity(5, **more) == "look"


class DrawsEvenly(Trainer):
    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        labels = self.train_dataset["label"]  # type: ignore[index]
        weights = [1.0 / list(labels).count(label) for label in labels]
        return torch.utils.data.WeightedRandomSampler(weights, len(weights))


def test_a_class_that_is_drawn_as_often_as_others_is_not_rare() -> None:
    assert severity(5, trainer_class=DrawsEvenly) is None


def test_nothing_measured_at_all_answers_nothing() -> None:
    assert severity(5, compute_metrics=None) == "fault"


def test_an_evaluation_set_sorted_by_label_does_not_make_the_metric_look_blind() -> None:
    rows = tiny.pairs(300, start=300).sort("label")
    report = diagnose(tiny.classifier(eval_dataset=rows), stage="evaluate")

    assert report.stage("evaluate").measured["perfect"] == {"accuracy": 1.0}
    assert [f.code for f in report.findings if f.severity == "fault"] == []


def test_a_class_that_is_rare_by_nature_is_worth_a_look_only() -> None:
    rows = tiny.pairs(300)
    common, rare = (
        [row for row in range(300) if (row % 3 == 0) == same][: 95 if same else 5]
        for same in (True, False)
    )
    mixed = rows.select([*common[:50], *rare, *common[50:]])
    report = diagnose(tiny.classifier(train_dataset=mixed, eval_dataset=mixed), stage="data")
    elsewhere = diagnose(tiny.classifier(train_dataset=mixed), stage="data")

    assert ("imbalanced", "look") in [(f.code, f.severity) for f in report.findings]
    assert ("imbalanced", "fault") in [(f.code, f.severity) for f in elsewhere.findings]


@pytest.mark.parametrize(
    ("shared", "repeated", "wanted"),
    [(2, 0, "look"), (8, 0, "fault"), (8, 10, "look"), (30, 4, "fault"), (1, 0, None)],
)
def test_a_corpus_that_repeats_itself_proves_no_leak(
    shared: int, repeated: int, wanted: str | None
) -> None:
    train = replace(SPLIT, duplicates=repeated)
    found = leak(Data(train, SPLIT, shared_rows=shared), View(FACTS))

    assert (found.severity if isinstance(found, Verdict) else found) == wanted


def test_the_right_one_of_several_things_may_always_stand_in_the_same_place() -> None:
    alone, beside = {"word": 7}, {"word": 7, "others": [12, 0, 27]}
    types = {"word": "int", "others": "list[int]"}
    split = replace(SPLIT, labels=(0,) * 40, class_names=None, types=types)
    view = View(replace(FACTS, num_labels=3, compiled=Compiled(loss="CategoricalCrossentropy")))

    said = one_class(Data(replace(split, first_rows=(alone,)), None), view)
    assert isinstance(said, Verdict)
    assert one_class(Data(replace(split, first_rows=(beside,)), None), view) is None


def test_rows_with_room_left_were_not_cut() -> None:
    heaped = replace(SPLIT, lengths=(5, 6, 8, 8) * 10)
    roomy, filled = replace(heaped, widths=(32,) * 40), replace(heaped, widths=(8,) * 40)

    assert text_cut(Data(roomy, None), View(FACTS)) is None
    assert isinstance(text_cut(Data(filled, None), View(FACTS)), Verdict)


def test_labels_that_are_pictures_of_their_own_are_no_tiles() -> None:
    masks = tuple([[0, 1], [1, 0]] for _ in range(40))
    seen = Data(replace(SPLIT, labels=masks), None)
    assert labels_tiled(seen, View(FACTS)) == NOT_FOR_THIS_TASK


@pytest.mark.parametrize(
    ("loss", "told"), [("nn.BCEWithLogitsLoss(pos_weight=w)", False), ("nn.MSELoss()", True)]
)
def test_answers_of_yes_and_no_may_well_be_rare(loss: str, told: bool) -> None:
    """As floats, which a loss of yes and no asks for; cut fractions look the same."""
    split = replace(
        SPLIT, labels=(0.0,) * 36 + (1.0,) * 4, aims=Aims(amounts=40, quantiles=QUANTILES)
    )
    script = f"loss = {loss}\ntrainer.train()"
    here = View(replace(FACTS, task="regression"), Places(script, training_line=2), True)

    assert (labels_hardly_differ(Data(split, None), here) is not None) is told
