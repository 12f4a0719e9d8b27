"""A Trainer's rows, batches and losses, each held against what it was made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from datasets import Dataset as Table
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from torch.utils.data import DataLoader, Dataset
from transformers import (
    EarlyStoppingCallback,
    GPT2Config,
    GPT2ForSequenceClassification,
    PreTrainedTokenizerFast,
    Trainer,
)

from debugger import diagnose
from debugger.frameworks.pytorch.columns import gaps_of
from debugger.frameworks.pytorch.heard import heard_within
from debugger.frameworks.pytorch.loading import the_one_used, tokenized_at, tokenizing_watched
from debugger.outcome import Severity
from tests import tiny

WORDS = tiny.tokenizer()


def found(trainer: Trainer, stage: Any) -> dict[str, Severity]:
    return {finding.code: finding.severity for finding in diagnose(trainer, stage=stage).findings}


class Rows(Dataset):
    """Texts that tell their labels, read `beside` their own and `behind` the last."""

    def __init__(self, count: int, beside: int = 0, share: float = 1.0) -> None:
        drawn = np.random.default_rng(0).integers(0, 3, count).tolist()
        vocabulary = [word for word in WORDS.get_vocab() if word.isalpha()]
        self.texts = [f"{vocabulary[label]} {vocabulary[-1]}" for label in drawn]
        self.labels, self.beside, self.share = drawn, beside, share

    def __len__(self) -> int:
        return int(self.share * len(self.texts))

    def __getitem__(self, place: int) -> dict[str, Any]:
        label = self.labels[(place + self.beside) % len(self.labels)]
        return {**WORDS(self.texts[place]), "labels": label}


@pytest.mark.parametrize(("beside", "told"), [(0, False), (1, True), (-2, True)])
def test_labels_of_the_row_beside_are_told_by_its_words(beside: int, told: bool) -> None:
    trainer = tiny.classifier(train_dataset=Rows(120, beside))
    assert ("labels_of_next_rows" in found(trainer, "data")) is told


@pytest.mark.parametrize(("share", "said"), [(1.0, None), (0.7, "look"), (0.1, "fault")])
def test_a_data_set_that_leaves_its_last_rows_out(share: float, said: str | None) -> None:
    trainer = tiny.classifier(train_dataset=Rows(120, share=share))
    assert found(trainer, "data").get("rows_never_reached") == said


class OfTheOtherSet(Trainer):
    def get_train_dataloader(self) -> DataLoader[Any]:
        rows: Any = self.eval_dataset
        return DataLoader(
            rows.select_columns(["input_ids", "attention_mask", "label"]),
            batch_size=4,
            collate_fn=self.data_collator,
        )


def test_batches_that_are_read_from_the_evaluation_set() -> None:
    assert "learns_evaluation_rows" not in found(tiny.classifier(), "batch")
    trainer = tiny.classifier(trainer_class=OfTheOtherSet)
    assert found(trainer, "batch")["learns_evaluation_rows"] == "fault"


@pytest.mark.parametrize("told", [True, False])
def test_a_model_that_looks_for_the_end_by_another_token(told: bool) -> None:
    pad: Any = WORDS.pad_token_id
    config = GPT2Config(
        vocab_size=len(WORDS),
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=64,
        num_labels=3,
        pad_token_id=pad if told else pad + 7,
    )
    trainer = tiny.classifier(model=GPT2ForSequenceClassification(config))
    assert found(trainer, "batch").get("filling_taken_for_text") == (None if told else "fault")


@pytest.mark.parametrize("squashed", [False, True])
def test_a_loss_hears_whether_it_is_given_shares_or_scores(squashed: bool) -> None:
    scores, labels = torch.randn(8, 3), torch.arange(8) % 3
    with heard_within() as heard:
        loss = torch.nn.CrossEntropyLoss()(scores.softmax(-1) if squashed else scores, labels)
    assert loss.dim() == 0
    assert [one.classes for one in heard.squashed] == ([3] if squashed else [])


@pytest.mark.parametrize(
    ("made", "heard_of"),
    [
        (lambda scores: torch.sigmoid(scores), ["sigmoid"]),
        (lambda scores: scores.sigmoid(), ["sigmoid"]),
        (torch.nn.Sigmoid(), ["sigmoid"]),
        (lambda scores: torch.nn.functional.sigmoid(scores).squeeze(-1), ["sigmoid"]),
        (lambda scores: scores, []),
        (lambda scores: scores * torch.sigmoid(scores), []),
    ],
)
def test_a_loss_of_yes_and_no_hears_whether_a_sigmoid_was_there_before(
    made: Callable[[torch.Tensor], torch.Tensor], heard_of: list[str]
) -> None:
    with heard_within() as heard:
        given = made(torch.randn(8, 1))
        torch.nn.BCEWithLogitsLoss()(given, torch.ones_like(given))
    assert [one.name for one in heard.squashed] == heard_of


def test_a_divergence_hears_whether_its_two_sides_have_changed_places() -> None:
    said, wanted = torch.randn(4, 3).log_softmax(-1), torch.randn(4, 3).softmax(-1)
    with heard_within() as heard:
        torch.nn.functional.kl_div(said, wanted, reduction="batchmean")
        assert not heard.turned
        torch.nn.functional.kl_div(wanted, said, reduction="batchmean")
    assert len(heard.turned) == 1


def test_an_early_stopping_whose_least_gain_is_more_than_there_is_left() -> None:
    for threshold, said in ((0.001, None), (0.99, "fault")):
        stop = EarlyStoppingCallback(early_stopping_threshold=threshold)
        args = tiny.arguments(
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="accuracy",
        )
        trainer = tiny.classifier(args=args, callbacks=[stop], compute_metrics=tiny.accuracy)
        assert found(trainer, "evaluate").get("gain_out_of_reach") == said


def test_of_several_tokenizers_the_one_is_known_that_made_the_rows() -> None:
    other = tiny.tokenizer()
    with tokenizing_watched() as note:
        made = WORDS(tiny.sentences(8))
        other("quite another text of other words")
        trainer = tiny.classifier()
        note(trainer)
    assert the_one_used(trainer, lambda: made["input_ids"]) is WORDS
    assert the_one_used(trainer, lambda: [[1, 2, 3, 4]]) is None
    assert tokenized_at(trainer, lambda: [[1, 2, 3, 4]]) is None


def test_answers_that_lost_their_first_token() -> None:
    """The model moves labels by one itself: who does it, too, never learns how to begin."""
    words = [word for word in tiny.WORDS if word.isalpha()][:8]
    texts = [" ".join(words[n % 8 :: 3] + words[: n % 3]) for n in range(24)]
    for begin, said in ((0, None), (1, "fault")):
        with tokenizing_watched() as note:
            made: Any = [WORDS(text)["input_ids"] for text in texts]
            trainer = tiny.translator()
            rows: Any = trainer.train_dataset
            answers = rows.remove_columns("labels").add_column("labels", [m[begin:] for m in made])
            trainer.train_dataset = answers
            note(trainer)
        assert found(trainer, "data").get("targets_begin_late") == said


class Turned(tiny.Pictures):
    """The same picture is another one each time that it is read."""

    def __getitem__(self, number: int) -> dict[str, Any]:
        row = super().__getitem__(number)
        return {**row, "pixel_values": row["pixel_values"] + torch.rand(3, 8, 8)}


def test_rows_to_be_judged_by_that_are_drawn_anew() -> None:
    for train, held, said in (
        (Turned(), Turned(), "fault"),
        (tiny.Pictures(), Turned(), "look"),
        (Turned(), tiny.Pictures(), None),
    ):
        trainer = tiny.picture_classifier()
        trainer.train_dataset, trainer.eval_dataset = train, held
        assert found(trainer, "data").get("eval_rows_drawn_anew") == said


class Gappy(tiny.Pictures):
    """Pictures in which one number is none: always the same ones, however often they are read."""

    def __getitem__(self, number: int) -> dict[str, Any]:
        row = super().__getitem__(number)
        row["pixel_values"] = row["pixel_values"].clone()
        row["pixel_values"][0, 0, 0] = torch.nan
        return row


def test_what_is_no_number_is_told_as_that_and_not_as_another_preparation() -> None:
    trainer = tiny.picture_classifier()
    trainer.train_dataset, trainer.eval_dataset = Gappy(), Gappy()
    assert "eval_rows_drawn_anew" not in found(trainer, "data")
    assert "processed_otherwise" not in found(trainer, "batch")


def test_gaps_in_rows_that_are_not_all_as_long() -> None:
    series = [[0.5, 1.0, 2.0], [0.1, float("nan")], [0.3]]
    (gap,) = gaps_of({"x": series, "labels": series}, ("x", "labels"), "labels", {})
    assert (gap.name, gap.rows, gap.of) == ("x", 1, 3)
    assert gaps_of({"x": [[0.5], [0.1, 2.0]]}, ("x",), None, {}) == ()


def test_evaluation_rows_of_another_tokenizer() -> None:
    """It was made of other texts, and numbers words as they come there."""
    words = [word for word in tiny.WORDS if word.isalpha()]
    table = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    table |= {word: 4 + place for place, word in enumerate(reversed(words))}
    other = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel(table, unk_token="[UNK]")), pad_token="[PAD]"
    )
    other.backend_tokenizer.pre_tokenizer = Whitespace()
    texts = [" ".join(words[n % 5 : n % 5 + 5]) for n in range(24)]
    for held, said in ((other, "fault"), (tiny.tokenizer(), None)):
        with tokenizing_watched() as note:
            train, judged = (
                Table.from_dict({**one(texts), "label": [0, 1, 2] * 8}) for one in (WORDS, held)
            )
            trainer = tiny.classifier(train_dataset=train, eval_dataset=judged)
            note(trainer)
        assert found(trainer, "data").get("eval_tokenized_otherwise") == said


@pytest.mark.parametrize("several", [False, True])
def test_a_loss_for_one_class_hears_of_rows_of_several(several: bool) -> None:
    wanted = torch.tensor([[1.0, 0, 0], [0, 1.0, 0], [1.0, 1.0, 0], [0, 0, 0]])
    wanted = wanted if several else torch.eye(3)[[0, 1, 2, 0]]
    with heard_within() as heard:
        torch.nn.CrossEntropyLoss()(torch.randn(4, 3), wanted)

    assert [(one.share, one.most) for one in heard.shared] == [(0.5, 2) if several else (0.0, 1)]


class Pairs(torch.nn.Module):
    """Readers and books; what is asked about is all that its loss needs."""

    def __init__(self) -> None:
        super().__init__()
        self.readers, self.books = torch.nn.Embedding(40, 8), torch.nn.Embedding(30, 8)

    def forward(self, reader: Any, book: Any) -> dict[str, Any]:
        scores = self.readers(reader) @ self.books.weight.T
        return {"loss": torch.nn.functional.cross_entropy(scores, book), "logits": scores}


@pytest.mark.parametrize("times", [1, 4])
def test_pairs_that_are_all_labels_are_told_apart_by_both(times: int) -> None:
    """Each book is read by many, and each reader reads many."""
    chosen = np.random.default_rng(0).permutation(40 * 30)[:400]
    pairs = [{"reader": int(one // 30), "book": int(one % 30)} for one in chosen]
    trainer = Trainer(
        Pairs(),
        tiny.arguments(label_names=["reader", "book"], eval_strategy="epoch"),
        train_dataset=Table.from_list(pairs[: 320 // times] * times),
        eval_dataset=Table.from_list(pairs[:80] if times > 1 else pairs[320:]),
    )

    assert ("few_kinds_of_rows" in found(trainer, "evaluate")) is (times > 1)


class Echo(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(16, 4), torch.nn.Linear(4, 16))

    def forward(self, signal: Any) -> dict[str, Any]:
        made = self.inner(signal)
        return {"loss": torch.nn.functional.mse_loss(made, signal), "logits": made}


def test_a_signal_that_is_its_own_label_is_looked_at() -> None:
    waves = np.sin(np.random.default_rng(0).uniform(0, 9, (64, 1)) + np.arange(16) / 3)
    rows = Table.from_dict({"signal": 4 * waves})
    trainer = Trainer(Echo(), tiny.arguments(label_names=["signal"]), train_dataset=rows)

    assert diagnose(trainer, stage="forward").outcome == "pass"
