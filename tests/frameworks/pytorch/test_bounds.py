"""What costs time is bound: rows that code makes one at a time, and the stages that train."""

import time
from typing import Any

import pytest
import torch

from debugger.diagnosis import _walk
from debugger.frameworks.pytorch.pipeline import pipeline
from debugger.outcome import Event, StageEnded
from debugger.run import Run
from debugger.stages.judging import View
from tests import tiny


class Sorted(torch.utils.data.Dataset):
    """Rows that are made when they are asked for, class after class."""

    def __init__(self, count: int) -> None:
        self.count, self.made = count, 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> dict[str, Any]:
        self.made += 1
        return {"input_ids": [2, 4 + place % 11, 3], "labels": 3 * place // self.count}


def test_of_many_rows_made_by_code_as_many_of_every_kind_are_looked_at() -> None:
    rows = Sorted(9000)
    seen = pipeline(tiny.classifier(train_dataset=rows)).data().train
    assert seen is not None
    read_again = 2 * 4  # to see whether they are drawn anew
    assert (seen.count, seen.looked_at, rows.made) == (9000, 5000, 5000 + read_again)
    assert set(seen.labels) == {0, 1, 2}


def test_of_few_rows_made_by_code_all_are_looked_at_in_their_order() -> None:
    seen = pipeline(tiny.classifier(train_dataset=Sorted(30))).data().train
    assert seen is not None
    assert seen.labels == (0,) * 10 + (1,) * 10 + (2,) * 10


class Pictures(Sorted):
    """Each takes so long to open."""

    seconds = 0.0

    def __getitem__(self, place: int) -> dict[str, Any]:
        time.sleep(self.seconds)
        return {"pixel_values": torch.zeros(3, 8, 8), "labels": place % 3}


class Slow(Pictures):
    seconds = 0.01


@pytest.mark.proof
def test_of_pictures_as_many_are_looked_at_as_are_opened_in_a_second() -> None:
    for rows, looked_at in ((Pictures(600), 600), (Slow(600), 200)):
        trainer = tiny.picture_classifier()
        trainer.train_dataset = rows
        seen = pipeline(trainer).data().train
        assert seen is not None
        assert seen.looked_at == looked_at


@pytest.mark.proof
def test_a_stage_that_trains_ends_when_its_time_is_up_and_says_so() -> None:
    face = pipeline(tiny.classifier())
    memory, training = face.overfit(20, silent, 0.0), face.train(40, silent, 0.0)
    assert (len(memory.losses), memory.out_of_time) == (1, True)
    assert (len(training.losses), training.out_of_time) == (1, True)
    assert training.accuracies
    assert face.train(2, silent, 600.0) == face.train(2, silent)


@pytest.mark.proof
def test_what_too_little_time_leaves_unjudged_is_said_as_that() -> None:
    face = pipeline(tiny.classifier())
    events: list[Event] = []
    _walk(face, View(face.facts), Run("", "all", steps=40, seconds=0.0), events.append)
    ended = {e.stage: e for e in events if isinstance(e, StageEnded)}
    reasons = {rule.rule: rule.reason for rule in ended["train"].not_run}
    assert reasons["stuck_at_chance"] == "too_little_time"
    assert {rule.reason for rule in ended["overfit"].not_run} == {"too_little_time"}
    assert ended["overfit"].outcome == "unknown"


def silent(*_: Any) -> None: ...
