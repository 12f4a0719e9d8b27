"""What the loss is asked for: each fault on a real Trainer, and what looks like it and is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from datasets import Dataset
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForQuestionAnswering,
    BertForTokenClassification,
    DataCollatorForLanguageModeling,
    DataCollatorForSeq2Seq,
    DataCollatorForTokenClassification,
    GPT2Config,
    GPT2LMHeadModel,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    default_data_collator,
)

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.frameworks.pytorch.training import accuracy, batches_of
from debugger.outcome import Severity
from tests import tiny

WORDS = tiny.tokenizer()
VOCABULARY: dict[str, Any] = {"vocab_size": len(tiny.WORDS) + 4}


def found(trainer: Trainer, stage: Any) -> dict[str, Severity]:
    findings = diagnose(trainer, stage=stage).findings
    return {one.code: one.severity for one in findings if one.code != "no_eval_set"}


@pytest.mark.proof
def test_labels_of_true_and_false_are_looked_at_at_every_stage() -> None:
    rows = tiny.pairs(24)
    spoken = rows.remove_columns("label").add_column("label", [n % 2 == 0 for n in range(24)])
    trainer = tiny.classifier(model=tiny.bert(), train_dataset=spoken, eval_dataset=spoken)

    for stage in ("data", "batch", "forward", "step", "evaluate"):
        assert "stage_unreadable" not in found(trainer, stage)


def test_amounts_that_the_collator_cuts_to_whole_numbers() -> None:
    def amounts(least: float) -> Trainer:
        trainer = tiny.regressor()
        rows: Any = trainer.train_dataset
        made = [least + number / 5 for number in range(24)]
        trainer.train_dataset = rows.remove_columns("label").add_column("label", made)
        return trainer

    def handing_on(trainer: Trainer, made: Callable[[Any], Any]) -> Trainer:
        collate: Any = trainer.data_collator

        def cut(features: list[dict[str, Any]]) -> dict[str, Any]:
            batch = dict(collate(features))
            return {**batch, "labels": made(batch["labels"]).float()}

        trainer.data_collator = cut  # type: ignore[assignment]
        return trainer

    whole = handing_on(amounts(-2), torch.trunc)
    asked = handing_on(amounts(-2), lambda labels: labels > 0.5)
    as_they_are = amounts(-2)

    assert found(whole, "batch") == {"labels_lose_fractions": "fault"}
    assert "labels_lose_fractions" not in found(as_they_are, "batch")
    assert "labels_lose_fractions" not in found(asked, "batch")


def numbers(trainer: Trainer, stage: Any, code: str) -> dict[str, Any]:
    report = diagnose(trainer, stage=stage)
    return next(finding.numbers for finding in report.findings if finding.code == code)


def texts() -> Dataset:
    return tiny.pairs(24).select_columns(["input_ids", "attention_mask"])


# Words that follow each other


class Copies(Trainer):
    """A loss of one's own that forgets to move the labels by one."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, *_: Any, **__: Any
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = functional.cross_entropy(outputs.logits.flatten(0, 1), labels.flatten())
        return (loss, outputs) if return_outputs else loss


class Moves(Trainer):
    """A loss of one's own that moves them."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, *_: Any, **__: Any
    ) -> Any:
        labels = inputs.pop("labels")[:, 1:]
        outputs = model(**inputs)
        answers = outputs.logits[:, :-1].reshape(-1, outputs.logits.shape[-1])
        loss = functional.cross_entropy(answers, labels.reshape(-1))
        return (loss, outputs) if return_outputs else loss


def writer(moved: bool, kind: type[Trainer] = Trainer, **more: Any) -> Trainer:
    """A model of the next word, whose labels may be moved by the script already."""
    config = GPT2Config(n_embd=16, n_layer=1, n_head=2, n_positions=32, **VOCABULARY)

    def labelled(row: dict[str, Any]) -> dict[str, Any]:
        ids = row["input_ids"]
        return {"labels": [*ids[1:], -100] if moved else ids}

    given: dict[str, Any] = {
        "args": tiny.arguments(),
        "train_dataset": texts().map(labelled),
        "data_collator": DataCollatorForSeq2Seq(WORDS),
        **more,
    }
    return kind(GPT2LMHeadModel(config), **given)


@pytest.mark.parametrize(
    ("moved", "kind", "wanted"),
    [
        (False, Trainer, {}),
        (True, Trainer, {"looks_too_far_ahead": "fault"}),
        (False, Copies, {"asks_for_its_input": "fault"}),
        (True, Copies, {}),
        (False, Moves, {}),
        (True, Moves, {"looks_too_far_ahead": "fault"}),
    ],
)
def test_labels_are_moved_by_one_once(
    moved: bool, kind: type[Trainer], wanted: dict[str, str]
) -> None:
    assert found(writer(moved, kind), "forward") == wanted


def test_smoothed_labels_are_nobodys_proof() -> None:
    smoothed = tiny.arguments(label_smoothing_factor=0.1)

    assert found(writer(True, args=smoothed), "forward") == {}


def with_mask_token() -> Any:
    words = tiny.tokenizer()
    words.mask_token = "never"
    return words


def test_a_model_of_the_next_word_is_given_masks() -> None:
    collator = DataCollatorForLanguageModeling(with_mask_token(), mlm_probability=0.15)
    trainer = writer(
        False, train_dataset=texts(), data_collator=collator, processing_class=with_mask_token()
    )

    assert found(trainer, "batch") == {"masked_for_causal": "fault"}


def test_a_token_that_is_padding_too_never_ends_a_text() -> None:
    words = tiny.tokenizer()
    words.pad_token = words.eos_token = "[SEP]"
    given: dict[str, Any] = {"train_dataset": texts(), "processing_class": words}
    ignored = DataCollatorForLanguageModeling(words, mlm=False)

    assert found(writer(False, data_collator=ignored, **given), "batch") == {
        "ends_never_learned": "look"
    }
    assert found(writer(False, processing_class=words), "batch") == {}


def filler(masked: bool) -> Trainer:
    words = with_mask_token()
    collator = DataCollatorForLanguageModeling(words, mlm=masked, mlm_probability=0.3)
    return Trainer(
        BertForMaskedLM(BertConfig(**VOCABULARY, **tiny.SIZES)),
        tiny.arguments(),
        train_dataset=tiny.pairs(24).filter(lambda row: "never" not in row["text"]),
        data_collator=collator,
        processing_class=words,
    )


def test_a_model_that_fills_gaps_is_given_none() -> None:
    assert found(filler(masked=False), "batch") == {"nothing_masked": "fault"}
    assert found(filler(masked=True), "batch") == {}


def test_what_is_not_to_be_asked_for_has_a_number() -> None:
    trainer = filler(masked=True)
    hidden: Any = trainer.data_collator

    def unmarked(features: list[dict[str, Any]]) -> Any:
        made = hidden(features)
        made["labels"][made["labels"] == -100] = 1
        return made

    trainer.data_collator = unmarked
    assert found(trainer, "batch")["visible_labelled_alike"] == "fault"
    assert numbers(trainer, "batch", "visible_labelled_alike")["number"] == 1


def test_all_labels_are_ignored() -> None:
    dataset = texts().map(lambda row: {"labels": [-100] * len(row["input_ids"])})

    assert found(writer(False, train_dataset=dataset), "batch") == {"nothing_to_learn": "fault"}


# From one text to another


def translator(collator: Any = None, copied: bool = False) -> Trainer:
    sizes: dict[str, Any] = {"d_model": 16, "d_ff": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8}
    config = T5Config(decoder_start_token_id=0, **VOCABULARY, **sizes)

    def answered(row: dict[str, Any]) -> dict[str, Any]:
        ids = row["input_ids"]
        return {"labels": ids if copied else [ids[0], *ids[-2:0:-1], ids[-1]]}

    model = T5ForConditionalGeneration(config)
    dataset = texts().map(answered)
    collator = collator or DataCollatorForSeq2Seq(WORDS, model=model)
    return Trainer(model, tiny.arguments(), train_dataset=dataset, data_collator=collator)


def reads_the_answer(features: list[dict[str, Any]]) -> Any:
    batch = DataCollatorForSeq2Seq(WORDS)(features)
    return {**batch, "decoder_input_ids": batch["labels"].clamp(min=0)}


def test_a_decoder_that_is_given_the_answer() -> None:
    assert found(translator(), "batch") == {}
    assert found(translator(reads_the_answer), "batch") == {"decoder_sees_answer": "fault"}


def as_wide_as_the_inputs(features: list[dict[str, Any]]) -> Any:
    """By chance, sources and targets are filled up to one width, each in rows of its own."""
    rows = [{"input_ids": row["input_ids"][:-1]} for row in features[:1]]
    rows += [{"input_ids": [*row["input_ids"]]} for row in features[1:]]
    batch = WORDS.pad(rows, return_tensors="pt", padding="max_length", max_length=12)
    labels = [[*row["labels"], *[-100] * 12][:12] for row in features]
    return {**batch, "labels": torch.tensor(labels)}


def test_the_mask_of_the_source_says_nothing_of_the_targets_padding() -> None:
    assert "padding_not_ignored" not in found(translator(as_wide_as_the_inputs), "batch")


def counts_padding(features: list[dict[str, Any]]) -> Any:
    """Labels are longer than inputs here, and filled up with the padding token."""
    labels = [row.pop("labels") for row in features]
    batch = WORDS.pad(features, return_tensors="pt")
    width = max(map(len, labels)) + 1
    filled = [[*row, *[WORDS.pad_token_id] * (width - len(row))] for row in labels]
    return {**batch, "labels": torch.tensor(filled)}


class IgnoresPadding(Trainer):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        labels = inputs["labels"]
        inputs["labels"] = labels.masked_fill(labels == WORDS.pad_token_id, -100)
        return super().compute_loss(model, inputs, *args, **kwargs)


def test_padding_counts_in_a_loss_of_answers() -> None:
    trainer = translator(counts_padding)

    assert found(trainer, "batch") == {"padding_not_ignored": "fault"}
    trainer.__class__ = IgnoresPadding
    assert found(trainer, "batch") == {}


def test_an_answer_that_is_the_question() -> None:
    assert found(translator(copied=True), "batch") == {"labels_copy_inputs": "look"}


# A label for each word


def tagger(labels: list[list[int]], words: list[list[str]] | None = None) -> Trainer:
    dataset = texts().add_column("labels", labels)
    if words is not None:
        tags = [[tiny.WORDS.index(word) // 3 for word in row] for row in words]
        dataset = dataset.add_column("words", words).add_column("tags", tags)
    config = BertConfig(num_labels=4, **VOCABULARY, **tiny.SIZES)
    return Trainer(
        BertForTokenClassification(config),
        tiny.arguments(),
        train_dataset=dataset,
        data_collator=DataCollatorForTokenClassification(WORDS),
        processing_class=WORDS,
    )


SPLIT = [text.split() for text in tiny.sentences(24)]
TAGS = [[tiny.WORDS.index(word) // 3 for word in row] for row in SPLIT]
RIGHT = [[-100, *row, -100] for row in TAGS]


def framed() -> Dataset:
    encoded: Any = WORDS(tiny.sentences(24))
    framed = [[2, *row, 3] for row in encoded["input_ids"]]
    mask = [[1] * len(row) for row in framed]
    return Dataset.from_dict({"input_ids": framed, "attention_mask": mask})


@pytest.fixture(autouse=True)
def _framed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Rows that begin and end with a token of no text."""
    if "labels_of_words" in request.node.name:
        monkeypatch.setattr(f"{__name__}.texts", framed)


@pytest.mark.parametrize(
    ("labels", "moved"),
    [
        (RIGHT, None),
        ([[0, *row, 0] for row in TAGS], None),
        ([[*row, -100, -100] for row in TAGS], -1),
        ([[-100, -100, *row] for row in TAGS], 1),
    ],
    ids=["right", "a label for the frame too", "to the left", "to the right"],
)
def test_labels_of_words_sit_on_their_tokens(labels: list[list[int]], moved: int | None) -> None:
    trainer = tagger(labels)

    if moved is None:
        assert found(trainer, "data") == {}
    else:
        assert numbers(trainer, "data", "labels_off_by_one")["moved"] == moved


def test_labels_of_words_as_many_as_the_words() -> None:
    assert found(tagger(TAGS), "data") == {"labels_not_aligned": "fault"}


# Places of an answer


def answering(starts: list[int], ends: list[int]) -> Trainer:
    dataset = texts().add_column("start_positions", starts).add_column("end_positions", ends)
    return Trainer(
        BertForQuestionAnswering(BertConfig(**VOCABULARY, **tiny.SIZES)),
        tiny.arguments(),
        train_dataset=dataset,
        data_collator=DataCollatorForSeq2Seq(WORDS),
        processing_class=WORDS,
    )


@pytest.mark.parametrize(
    ("starts", "ends", "wanted"),
    [
        ([0, 1, 0] * 8, [0, 2, 0] * 8, {}),
        ([0] * 24, [0] * 24, {"spans_all_absent": "fault"}),
        ([17, 1] * 12, [21, 2] * 12, {"spans_outside": "fault"}),
        ([1] * 23 + [17], [2] * 23 + [21], {"spans_outside": "look"}),
        ([2, 1] * 12, [1, 2] * 12, {"spans_reversed": "fault"}),
    ],
)
def test_places_of_an_answer(starts: list[int], ends: list[int], wanted: dict[str, str]) -> None:
    assert found(answering(starts, ends), "data") == wanted


# Amounts


class Bounded(torch.nn.Module):
    def __init__(self, ending: Any) -> None:
        super().__init__()
        self.body = torch.nn.Embedding(VOCABULARY["vocab_size"], 8)
        self.head = torch.nn.Linear(8, 1)
        self.ending = ending

    def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
        answers = self.ending(self.head(self.body(input_ids).mean(1))).squeeze(-1)
        loss = None if labels is None else functional.mse_loss(answers, labels.float())
        return {"loss": loss, "logits": answers}


def amounts(labels: list[float], model: Any, **more: Any) -> Trainer:
    dataset = tiny.pairs(24).remove_columns("label").add_column("label", labels)
    given = {"args": tiny.arguments(**more), "compute_metrics": None, "eval_dataset": None}
    return tiny.classifier(model=model, train_dataset=dataset, **given)


HUNDREDS = [50.0 + number for number in range(24)]
SHARES = [number / 24 for number in range(24)]


@pytest.mark.parametrize(
    ("labels", "ending", "wanted"),
    [
        (HUNDREDS, torch.sigmoid, {"output_cannot_reach": "fault"}),
        (HUNDREDS, torch.tanh, {"output_cannot_reach": "fault"}),
        ([-one for one in HUNDREDS], torch.relu, {"output_cannot_reach": "fault"}),
        (HUNDREDS, torch.relu, {"labels_far_off": "fault"}),
        ([1e5 * one for one in HUNDREDS], torch.nn.Identity(), {"labels_far_off": "fault"}),
        (SHARES, torch.sigmoid, {}),
        (SHARES, torch.relu, {}),
    ],
)
def test_an_output_reaches_its_labels(
    labels: list[float], ending: Any, wanted: dict[str, str]
) -> None:
    trainer = amounts(labels, Bounded(ending), learning_rate=1e-5)
    said = found(trainer, "forward")

    assert {code: said[code] for code in said if code in wanted or "label" in code} == wanted


def test_a_training_that_is_long_enough_reaches_far() -> None:
    model = tiny.bert(num_labels=1, problem_type="regression")
    far = amounts(HUNDREDS, model, learning_rate=1e-2, num_train_epochs=200)
    short = amounts(HUNDREDS, model, learning_rate=1e-5)

    assert "labels_far_off" not in found(far, "forward")
    assert found(short, "forward")["labels_far_off"] == "fault"


def test_labels_that_are_no_number() -> None:
    model = tiny.bert(num_labels=1, problem_type="regression")

    said = numbers(amounts([float("nan"), *SHARES[1:]], model), "data", "labels_not_finite")
    assert said == {"labels": 1, "amounts": 24}
    assert found(amounts(SHARES, model), "data") == {}


def test_labels_that_are_no_number_may_be_masked() -> None:
    class Masks(torch.nn.Module):
        def __init__(self, masks: bool) -> None:
            super().__init__()
            self.body, self.masks = tiny.bert(num_labels=1), masks

        def forward(self, input_ids: Any, attention_mask: Any = None, labels: Any = None) -> Any:
            made = self.body(input_ids, attention_mask).logits[:, 0]
            kept = labels.isfinite() if self.masks else torch.ones_like(labels).bool()
            return {"loss": ((made - labels)[kept] ** 2).mean(), "logits": made}

    gaps = [float("nan"), *SHARES[1:12], float("nan"), *SHARES[13:]]
    assert found(amounts(gaps, Masks(masks=True)), "data") == {}
    assert found(amounts(gaps, Masks(masks=False)), "data") == {"labels_not_finite": "fault"}


@pytest.mark.parametrize(("value", "fires"), [(2.0, True), (0.9, False), (1.0, False)])
def test_several_labels_at_once_are_yes_or_no(value: float, fires: bool) -> None:
    dataset = tiny.pairs(24).remove_columns("label")
    dataset = dataset.add_column("labels", [[0.0, value, 1.0]] * 24)
    model = tiny.bert(problem_type="multi_label_classification")
    trainer = tiny.classifier(model=model, train_dataset=dataset, eval_dataset=None)

    assert ("labels_beyond_yes_or_no" in found(trainer, "data")) == fires


# One name, two numbers


def named(order: tuple[str, str, str]) -> Dataset:
    dataset = tiny.pairs(24).remove_columns("label")
    said = ["yes", "maybe", "no"] * 8
    dataset = dataset.add_column("verdict", said)
    return dataset.add_column("label", [order.index(one) for one in said])


def test_one_word_has_one_number() -> None:
    train = named(("yes", "maybe", "no"))
    other = tiny.classifier(train_dataset=train, eval_dataset=named(("no", "maybe", "yes")))
    same = tiny.classifier(train_dataset=train, eval_dataset=train.select(range(9)))

    said = numbers(other, "data", "same_word_other_number")
    assert said == {"word": "no", "train": "2", "other": "0", "moved": 2}
    assert "same_word_other_number" not in found(same, "data")


def test_batches_that_are_made_already_are_as_good() -> None:
    alone = tiny.arguments(per_device_train_batch_size=1)
    assert found(writer(False, data_collator=_plain, args=alone), "batch") == {}


def _plain(features: list[dict[str, Any]]) -> Any:
    return default_data_collator([dict(features[0])])


def test_one_output_alone_has_no_accuracy() -> None:
    dataset = tiny.pairs(24).remove_columns("label").add_column("label", [0.0, 1.0] * 12)
    model = tiny.bert(num_labels=1, problem_type="regression")
    trainer = tiny.classifier(model=model, train_dataset=dataset, eval_dataset=dataset)
    pipeline = TrainerPipeline(trainer)
    classes = replace(pipeline.facts, task="classification")

    right, loss, guesses = accuracy(trainer, batches_of(trainer, dataset), classes)
    assert (right, guesses) == (None, {})
    assert loss is not None
