"""Ends in an exception, or in nothing, once: now the cause is named. Odd scripts are let be."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import (
    BertForTokenClassification,
    DataCollatorWithPadding,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    ViTForImageClassification,
)

from debugger import diagnose
from debugger.outcome import Severity
from tests import tiny, tiny_kinds

PAD = DataCollatorWithPadding(tiny.tokenizer())


def found(trainer: Trainer, stage: Any) -> dict[str, Severity]:
    return {one.code: one.severity for one in diagnose(trainer, stage=stage).findings}


class Thorough(Trainer):
    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = model(**inputs)
        if return_outputs:
            return outputs.loss, outputs
        return outputs.loss


class Forgetful(Thorough):
    """Answers only where the outputs are asked for, too."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        return super().compute_loss(model, inputs, True) if return_outputs else None


def as_kind(kind: type[Trainer]) -> Trainer:
    plain = tiny.classifier()
    return kind(plain.model, plain.args, PAD, plain.train_dataset)


def test_a_loss_that_is_not_returned_to_a_training_step() -> None:
    assert found(as_kind(Forgetful), "forward")["compute_loss_returns_nothing"] == "fault"
    assert "compute_loss_returns_nothing" not in found(as_kind(Thorough), "forward")
    assert "compute_loss_returns_nothing" not in found(tiny.classifier(), "forward")


def seeing(shape: tuple[int, ...], channels: int = 3) -> Trainer:
    def collate(rows: list[Any]) -> Any:
        return {
            "pixel_values": torch.rand(len(rows), *shape),
            "labels": torch.zeros(len(rows)).long(),
        }

    config = tiny_kinds.vit()
    config.num_channels = channels
    model = ViTForImageClassification(config)
    args = tiny.arguments(remove_unused_columns=False)
    return Trainer(model, args, collate, tiny.pairs(8))


def test_pictures_whose_colours_stand_last() -> None:
    size = tiny_kinds.vit().image_size

    last = found(seeing((size, size, 3)), "forward")

    assert last["channels_last"] == "fault"
    assert "forward_failed" not in last
    assert "channels_last" not in found(seeing((3, size, size)), "forward")
    assert "channels_last" not in found(seeing((1, size, size)), "forward")


def tagged(**more: Any) -> Trainer:
    rows = tiny.pairs(24).remove_columns("label")
    labels = [[n % 2 for n, _ in enumerate(ids)] for ids in rows["input_ids"]]
    return tiny.classifier(train_dataset=rows.add_column("labels", labels), **more)


def padded(rows: list[Any]) -> Any:
    given = [{k: v for k, v in row.items() if k != "labels"} for row in rows]
    batch = PAD(given)
    width = batch["input_ids"].shape[1]
    full = [row["labels"] + [-100] * (width - len(row["labels"])) for row in rows]
    return {**batch, "labels": torch.tensor(full)}


def test_a_label_for_each_token_and_one_answer_for_each_text() -> None:
    codes = found(tagged(data_collator=padded), "forward")

    assert codes["label_for_each_token"] == "fault"
    assert "forward_failed" not in codes
    of_tokens = tagged(data_collator=padded, model=BertForTokenClassification(tiny.bert().config))
    assert "label_for_each_token" not in found(of_tokens, "forward")


def test_labels_that_the_collator_leaves_ragged() -> None:
    codes = found(tagged(data_collator=PAD), "batch")

    assert codes["labels_left_ragged"] == "fault"
    assert "batch_failed" not in codes
    assert "labels_left_ragged" not in found(tiny.token_classifier(), "batch")


def test_labels_that_the_collator_makes_all_one() -> None:
    def levelled(rows: list[Any]) -> Any:
        batch = PAD(rows)
        return {**batch, "labels": torch.full_like(batch["labels"], 1)}

    def shares(rows: list[Any]) -> Any:
        batch = PAD(rows)
        return {**batch, "labels": torch.nn.functional.one_hot(batch["labels"], 3).float()}

    made = found(tiny.classifier(data_collator=levelled), "batch")
    assert made["labels_made_equal"] == "fault"
    assert "labels_made_equal" not in found(tiny.classifier(data_collator=shares), "batch")
    sorted_rows = tiny.pairs(48).sort("label")
    alone = tiny.classifier(train_dataset=sorted_rows.select(range(8)))
    assert "labels_made_equal" not in found(alone, "batch")


def translating(kind: type[Trainer], metric: Any) -> Trainer:
    plain: Any = tiny.translator()
    args = Seq2SeqTrainingArguments(
        plain.args.output_dir, predict_with_generate=True, report_to="none", use_cpu=True
    )
    return kind(
        plain.model,
        args,
        train_dataset=plain.train_dataset,
        eval_dataset=plain.train_dataset,
        data_collator=plain.data_collator,
        processing_class=tiny.tokenizer(),
        compute_metrics=metric,
    )


def test_a_trainer_that_cannot_generate_is_told_to() -> None:
    def decoded(given: Any) -> dict[str, float]:
        said = tiny.tokenizer().batch_decode(np.maximum(given.predictions, 0))
        return {"length": float(len(said))}

    def by_scores(given: Any) -> dict[str, float]:
        scores = given.predictions[0] if isinstance(given.predictions, tuple) else given.predictions
        return {"accuracy": float((scores.argmax(-1) == given.label_ids).mean())}

    of_it = "trainer_cannot_generate"
    assert found(translating(Trainer, by_scores), "evaluate")[of_it] == "look"
    assert of_it not in found(translating(Seq2SeqTrainer, decoded), "evaluate")
    assert found(translating(Trainer, decoded), "evaluate")[of_it] == "fault"


def several(metric: Any) -> Trainer:
    rows = [[float(n % 2), float(n % 5 == 0), float(n % 3 > 0)] for n in range(48)]
    dataset = tiny.pairs(48).remove_columns("label").add_column("labels", rows)
    model = tiny.bert(problem_type="multi_label_classification")
    return tiny.classifier(
        model=model, train_dataset=dataset, eval_dataset=dataset, compute_metrics=metric
    )


def test_a_softmax_over_labels_that_are_true_side_by_side() -> None:
    def counted(shares: Any, given: Any) -> dict[str, float]:
        return {"micro_accuracy": float(((shares > 0.5) == given.label_ids).mean())}

    def of_one_whole(given: Any) -> dict[str, float]:
        raised = np.exp(given.predictions)
        return counted(raised / raised.sum(axis=1, keepdims=True), given)

    def each_by_itself(given: Any) -> dict[str, float]:
        return counted(1 / (1 + np.exp(-given.predictions)), given)

    def likeliest_is_true(given: Any) -> dict[str, float]:
        chosen = given.predictions.argmax(-1)
        return {"accuracy": float(given.label_ids[np.arange(len(chosen)), chosen].mean())}

    assert found(several(of_one_whole), "evaluate")["labels_compete"] == "fault"
    assert "labels_compete" not in found(several(each_by_itself), "evaluate")
    assert "labels_compete" not in found(several(likeliest_is_true), "evaluate")


def test_a_text_that_was_made_a_batch_of_its_own_and_texts_to_choose_from() -> None:
    def folded(texts: int) -> Any:
        def collate(rows: list[Any]) -> Any:
            batch = dict(PAD([row for row in rows for _ in range(texts)]))
            labels = batch.pop("labels")[::texts]
            inside = {k: v.view(len(rows), texts, -1) for k, v in batch.items()}
            return {**inside, "labels": labels}

        return collate

    assert found(tiny.classifier(data_collator=folded(1)), "forward")["row_in_a_row"] == "fault"
    several = found(tiny.classifier(data_collator=folded(4)), "forward")
    assert several["several_texts_a_row"] == "fault"
    assert "forward_failed" not in several
    choosing = found(tiny_kinds.multiple_choice(), "forward")
    assert not {"several_texts_a_row", "row_in_a_row"} & set(choosing)


def test_a_layer_of_another_width() -> None:
    model: Any = tiny.bert()
    model.classifier = torch.nn.Sequential(torch.nn.LayerNorm(16), torch.nn.Linear(24, 3))
    narrow = diagnose(tiny.classifier(model=model), stage="forward").findings

    told = next(one for one in narrow if one.code == "layer_of_other_width")
    assert told.numbers == {"where": "classifier.1", "made": 24, "given": 16}
    model.classifier = torch.nn.Sequential(torch.nn.LayerNorm(24), torch.nn.Linear(16, 3))
    assert "layer_of_other_width" in found(tiny.classifier(model=model), "forward")
    assert "layer_of_other_width" not in found(tiny.classifier(), "forward")
