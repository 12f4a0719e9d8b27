"""Whatever a Trainer accepts can be looked at: every stage answers, for every kind of pipeline."""

from __future__ import annotations

import pytest
import torch

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import STAGES
from tests import tiny_kinds
from tests.frameworks.pytorch.test_untouched import everything
from tests.tiny_kinds import KINDS

TASKS = {
    "amounts": ("regression", 1),
    "vectors": ("multilabel", 3),
    "tags": ("tokens", 2),
    "spans": ("spans", None),
    "choices": ("multiple_choice", None),
    "masked words": ("masked_lm", None),
    "translation that generates": ("seq2seq", None),
    "two models as one": ("seq2seq", None),
    "captions": ("seq2seq", None),
    "speech to text": ("seq2seq", None),
    "sounds": ("classification", 3),
    "a module": ("classification", 3),
    "a module around a body": ("classification", 3),
    "tags by a module": ("tokens", 2),
    "next tokens by a module": ("unknown", None),
    "names of one's own": ("classification", 3),
    "numbers": ("regression", 1),
    "rows that are tuples": ("classification", 3),
}


WAITED_FOR = ("tags", "choices", "streamed", "a class for each pixel")
"""What a newcomer waits for; `make proof` holds the others."""


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=() if k in WAITED_FOR else pytest.mark.proof) for k in KINDS],
)
def test_every_stage_looks_at_it_and_leaves_it_as_it_was(kind: str) -> None:
    torch.manual_seed(0)
    trainer = KINDS[kind]()
    before = everything(trainer)

    report = diagnose(trainer, stage="all", steps=4)

    assert everything(trainer) == before
    assert [stage.stage for stage in report.stages] == list(STAGES)
    assert {stage.outcome for stage in report.stages} <= {"pass", "look", "fail"}
    codes = [finding.code for finding in report.findings]
    assert not [code for code in codes if code == "stage_unreadable" or code.endswith("_failed")]
    assert report.stage("train").measured["losses"]
    assert not {"labels_missing", "raw_text", "label_outside_head"} & set(codes)


@pytest.mark.parametrize("kind", [kind for kind in TASKS if kind in KINDS])
def test_a_task_is_known_by_what_the_model_does(kind: str) -> None:
    facts = TrainerPipeline(KINDS[kind]()).facts
    assert (facts.task, facts.num_labels) == TASKS[kind]


@pytest.mark.parametrize("kind", ["pictures transformed", "pictures mapped", "sounds"])
def test_rows_without_words_are_no_duplicates_and_their_columns_have_types(kind: str) -> None:
    data = TrainerPipeline(KINDS[kind]()).data()
    assert data.train is not None
    assert data.train.duplicates == 0
    assert all(data.train.types.get(name) for name in data.train.columns)


def test_a_large_picture_is_told_from_another_without_being_kept() -> None:
    class Rows(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 12

        def __getitem__(self, row: int) -> dict[str, torch.Tensor]:
            shade = torch.full((3, 64, 64), float(row % 6))
            return {"pixel_values": shade, "labels": torch.tensor(row % 3)}

    model = tiny_kinds.ViTForImageClassification(
        tiny_kinds.ViTConfig(image_size=64, patch_size=32, num_labels=3, **tiny_kinds.tiny.SIZES)
    )
    train = TrainerPipeline(tiny_kinds.made(model, Rows())).data().train
    assert train is not None
    assert (train.duplicates, train.types["pixel_values"]) == (6, "float32[3x64x64]")
    assert train.first_rows[0]["pixel_values"] == "float32[3x64x64]"


def test_several_evaluation_sets_have_names_for_the_best_metric() -> None:
    seen = TrainerPipeline(tiny_kinds.several_sets()).evaluate()
    assert {"eval_accuracy", "eval_near_accuracy", "eval_far_accuracy"} <= {*seen.known_metrics}


def test_a_metric_that_counts_on_all_rows_is_given_all_of_them() -> None:
    rows = tiny_kinds.tiny.pairs(40, start=300)

    def metric(given: tuple[object, list[int]]) -> dict[str, float]:
        assert len(given[1]) == len(rows)
        return {"rows": float(len(rows))}

    seen = TrainerPipeline(
        tiny_kinds.tiny.classifier(eval_dataset=rows, compute_metrics=metric)
    ).evaluate()
    assert (seen.failure, seen.real) == (None, {"rows": 40.0})


def test_lists_of_unequal_length_may_reach_a_metric() -> None:
    seen = TrainerPipeline(tiny_kinds.tagged()).evaluate()
    assert seen.failure is None
    handed = seen.into_metric[0]["predictions"]
    assert (len(handed["shape"]), handed["dtype"]) == (1, "<U1")
    assert set(seen.real) == {"accuracy"}
