"""What is proved by measuring: outputs that collapse, two preparations, targets without an end."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoConfig,
    AutoTokenizer,
    BertForSequenceClassification,
    Trainer,
)

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import StageName
from debugger.stages import LOOKS
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny, tiny_kinds
from tests.frameworks.pytorch.test_untouched import everything


def found(trainer: Trainer, stage: StageName) -> dict[str, str]:
    look = next(one for one in LOOKS if one.name == stage)
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)
    seen = look.observe(pipeline, lambda *_: None, 20, None)
    assert everything(trainer) == before
    findings, _ = judged(stage, look.rules, seen, View(pipeline.facts))
    for one in findings:
        Words().finding(one)
    return {one.code: one.severity for one in findings}


@pytest.mark.proof
def test_steps_that_throw_away_the_inputs_are_seen_in_the_outputs() -> None:
    assert found(tiny.classifier(args=tiny.arguments(learning_rate=0.5)), "overfit").get(
        "outputs_collapsed"
    )
    healthy = found(tiny.classifier(args=tiny.arguments(learning_rate=1e-3)), "overfit")
    assert "outputs_collapsed" not in healthy
    slow = found(tiny.classifier(args=tiny.arguments(learning_rate=1e-9)), "overfit")
    assert "outputs_collapsed" not in slow


def pictures(times: float) -> Trainer:
    def prepared(rows: Any) -> Any:
        told = tiny_kinds.pixels(rows)
        return {**told, "pixel_values": [one * times for one in told["pixel_values"]]}

    trainer = tiny_kinds.transformed_pictures()
    trainer.eval_dataset = tiny_kinds.shades().with_transform(prepared)
    return trainer


@pytest.mark.parametrize(("times", "severity"), [(1, None), (2, None), (8, "look"), (255, "fault")])
def test_pictures_of_another_scale_were_prepared_otherwise(
    times: float, severity: str | None
) -> None:
    assert found(pictures(times), "batch").get("processed_otherwise") == severity


def amounts(times: float, count: int = 24) -> Trainer:
    trainer = tiny.regressor()
    held = tiny.pairs(count, 100).remove_columns("label")
    trainer.eval_dataset = held.add_column("label", [times * n / count for n in range(count)])
    return trainer


@pytest.mark.parametrize(("times", "severity"), [(1, None), (0.5, None), (10, "fault")])
def test_the_labels_of_the_splits_are_on_one_scale(times: float, severity: str | None) -> None:
    assert found(amounts(times), "data").get("labels_of_another_scale") == severity


def test_other_amounts_that_lie_otherwise_are_only_looked_at() -> None:
    trainer = amounts(1)
    dataset: Any = trainer.eval_dataset
    wide = [float(-20 if n < 12 else 20) for n in range(24)]
    trainer.eval_dataset = dataset.remove_columns("label").add_column("label", wide)
    assert found(trainer, "data").get("labels_of_another_scale") == "look"


def test_targets_that_never_end_are_told_where_answers_are_written() -> None:
    trainer = tiny_kinds.encoder_decoder()
    assert "targets_without_end" not in found(trainer, "batch"), "this tokenizer ends nothing"

    collator: Any = trainer.data_collator
    ended = TemplateProcessing(single="$A [SEP]", special_tokens=[("[SEP]", 3)])
    collator.tokenizer.backend_tokenizer.post_processor = ended
    assert found(trainer, "batch").get("targets_without_end") == "look"
    trainer.args.predict_with_generate = True  # type: ignore[attr-defined]
    assert found(trainer, "batch").get("targets_without_end") == "fault"

    rows: Any = trainer.train_dataset
    trainer.train_dataset = rows.map(lambda row: {"labels": [*row["labels"], 3]})
    assert "targets_without_end" not in found(trainer, "batch")


def test_a_config_without_its_weights_is_worth_a_look(tmp_path: Any) -> None:
    tiny.bert().save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    own = AutoTokenizer.from_pretrained(tmp_path)
    config = AutoConfig.from_pretrained(tmp_path)
    fresh = tiny.classifier(model=BertForSequenceClassification(config), processing_class=own)
    assert found(fresh, "forward").get("weights_left_behind") == "look"
    assert "weights_left_behind" not in found(tiny.classifier(), "forward")
