"""What goes into the model: each fault on a real Trainer, and what looks like it and is right."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from datasets import Dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2ForSequenceClassification,
    Trainer,
    ViTConfig,
    ViTForImageClassification,
    default_data_collator,
)

from debugger import diagnose
from debugger.outcome import Severity
from scenarios import assets
from tests import tiny

WORDS = tiny.tokenizer()


def found(trainer: Trainer, stage: Any) -> dict[str, Severity]:
    return {finding.code: finding.severity for finding in diagnose(trainer, stage=stage).findings}


def numbers(trainer: Trainer, stage: Any, code: str) -> dict[str, Any]:
    report = diagnose(trainer, stage=stage)
    return next(finding.numbers for finding in report.findings if finding.code == code)


def rows(texts: list[str], words: Any = WORDS, **encoding: Any) -> Dataset:
    encoded = words(texts, **encoding)
    labels = [number % 3 for number in range(len(texts))]
    return Dataset.from_dict({"text": texts, "label": labels, **encoded})


def trained(**more: Any) -> BertForSequenceClassification:
    """A model whose weights look as if a training had been at them."""
    return moved(tiny.bert(**more))


def moved(model: Any) -> Any:
    made = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 1:
                weight += 0.01 * torch.randn(weight.shape, generator=made)
    return model


def padded(mask: list[list[int]] | None, **more: Any) -> Trainer:
    """Rows filled up to 12 tokens; `mask` is what is handed over for one."""
    dataset = rows(tiny.sentences(24), padding="max_length", max_length=12)
    dataset = dataset.remove_columns("attention_mask")
    if mask is not None:
        dataset = dataset.add_column("attention_mask", mask)
    more = {"model": trained(), "data_collator": default_data_collator, **more}
    return tiny.classifier(train_dataset=dataset, **more)


MASK: Any = WORDS(tiny.sentences(24), padding="max_length", max_length=12)["attention_mask"]


def test_padding_without_a_mask_is_read_as_text() -> None:
    said = found(padded(None), "batch")

    assert said["mask_missing"] == "fault"
    assert "text_cut" not in found(padded(None), "data")


def test_a_mask_of_ones_over_padding_is_read_as_text() -> None:
    assert found(padded([[1] * 12] * 24), "batch")["mask_over_padding"] == "fault"


def test_a_mask_upside_down_hides_the_text() -> None:
    upside_down = [[1 - one for one in row] for row in MASK]

    assert found(padded(upside_down), "batch") == {"mask_hides_text": "fault"}
    assert numbers(padded(upside_down), "batch", "mask_hides_text")["inverted"] == 1


def test_a_fresh_model_may_learn_what_padding_is() -> None:
    assert found(padded(None, model=tiny.bert()), "batch") == {"mask_missing": "look"}


def test_padding_with_its_mask_is_right() -> None:
    assert found(padded(MASK), "batch") == {}


@pytest.mark.parametrize(("width", "told"), [(128, True), (24, False)])
def test_filling_far_beyond_the_longest_text_is_told(width: int, told: bool) -> None:
    dataset = rows(tiny.sentences(24), padding="max_length", max_length=width)

    assert ("filled_far" in found(tiny.classifier(train_dataset=dataset), "data")) is told


def test_rows_of_one_length_need_no_mask() -> None:
    dataset = rows(["red dog runs", "blue cat sings", "green bird sleeps"] * 8)
    dataset = dataset.remove_columns("attention_mask")
    trainer = tiny.classifier(
        model=trained(), train_dataset=dataset, data_collator=default_data_collator
    )

    assert found(trainer, "batch") == {}


def reads_one_way(model_side: str) -> Trainer:
    """A model that reads from left to right, whose padding is the token that ends a text."""
    words = tiny.tokenizer()
    words.pad_token = words.eos_token = "[SEP]"
    words.padding_side = model_side
    dataset = rows(tiny.sentences(24), words, padding="max_length", max_length=12)
    sizes: dict[str, Any] = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 32}
    config = GPT2Config(vocab_size=15, num_labels=3, pad_token_id=words.pad_token_id, **sizes)
    model = moved(GPT2ForSequenceClassification(config))
    return tiny.classifier(
        model=model,
        train_dataset=dataset.remove_columns("attention_mask"),
        data_collator=default_data_collator,
        processing_class=words,
    )


def test_padding_behind_the_text_is_not_felt_by_who_reads_from_the_left() -> None:
    assert found(reads_one_way("right"), "batch") == {}


def test_padding_before_the_text_is() -> None:
    assert "mask_missing" in found(reads_one_way("left"), "batch")


def test_words_that_the_tokenizer_does_not_know() -> None:
    dataset = rows([f"some other words number {number} red" for number in range(24)])

    assert found(tiny.classifier(train_dataset=dataset), "data")["unknown_tokens"] == "fault"
    assert "unknown_tokens" not in found(tiny.classifier(), "data")


@pytest.fixture
def checkpoint() -> str:
    """The bundled one, which not every environment has."""
    try:
        return assets.CHECKPOINT
    except assets.AssetsError as error:
        pytest.skip(str(error))


def test_another_checkpoints_tokenizer_scrambles_the_words(tmp_path: Any, checkpoint: str) -> None:
    words = AutoTokenizer.from_pretrained(checkpoint)
    vocabulary = sorted(words.get_vocab(), key=lambda one: one[::-1])
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    others = [*special, *(one for one in vocabulary if one not in special)]
    (tmp_path / "vocab.txt").write_text("\n".join(others), encoding="utf-8")
    other = type(words)(str(tmp_path / "vocab.txt"), do_lower_case=True)
    texts = ["a film of great charm", "the plot is thin", "it was a long evening"] * 8

    def trainer(with_words: Any) -> Trainer:
        model = AutoModelForSequenceClassification.from_pretrained(checkpoint, num_labels=3)
        return tiny.classifier(
            model=model,
            train_dataset=rows(texts, with_words),
            eval_dataset=None,
            data_collator=DataCollatorWithPadding(with_words),
            processing_class=with_words,
        )

    assert found(trainer(other), "data")["tokenizer_of_another_model"] == "fault"
    words.save_pretrained(tmp_path / "own")
    again = AutoTokenizer.from_pretrained(tmp_path / "own")
    again.add_tokens(["[E1]", "[E2]"])
    assert "tokenizer_of_another_model" not in found(trainer(again), "data")


def test_a_fresh_model_takes_any_vocabulary(checkpoint: str) -> None:
    """A config of a checkpoint and a tokenizer of one's own: the course trains one so."""
    model = tiny.bert()
    model.config._name_or_path = checkpoint

    assert "tokenizer_of_another_model" not in found(tiny.classifier(model=model), "data")


def test_the_label_tokenized_in_place_of_the_text() -> None:
    names = ["red", "blue", "green"] * 8
    dataset = rows(names).rename_column("text", "colour")
    trainer = tiny.classifier(train_dataset=dataset, eval_dataset=None)

    assert found(trainer, "data")["wrong_column_read"] == "fault"


def test_rows_that_are_all_the_same() -> None:
    trainer = tiny.classifier(train_dataset=rows(["red dog runs"] * 24))

    assert found(trainer, "data")["identical_rows"] == "fault"


def test_one_text_under_several_labels() -> None:
    hopeless = rows(["red dog runs", "blue cat sings"] * 12)
    noisy = rows(["red dog runs", "blue cat sings", "green bird sleeps"] * 12)
    noisy = noisy.map(
        lambda row, place: {"label": 0 if place < 3 else row["label"]}, with_indices=True
    )

    for dataset, wanted in ((hopeless, "fault"), (noisy, "look")):
        said = found(tiny.classifier(train_dataset=dataset), "data")
        assert said["contradicting_labels"] == wanted


LONG = [" ".join(tiny.sentences(8, start=8 * number)) for number in range(24)]


def test_a_limit_of_a_few_tokens_leaves_little_of_a_text() -> None:
    cut = rows(LONG, truncation=True, max_length=8)

    assert found(tiny.classifier(train_dataset=cut), "data")["text_mostly_cut"] == "fault"
    assert "text_mostly_cut" not in found(tiny.classifier(), "data")


def pairs(**encoding: Any) -> Dataset:
    first, second = LONG, [f"{text} today" for text in tiny.sentences(24)]
    first = [" ".join(text.split()[: 3 + 27 * (row % 3 > 0)]) for row, text in enumerate(first)]
    encoded: Any = WORDS(first, second, **encoding)
    known = {"sentence1": first, "sentence2": second, "label": [row % 3 for row in range(24)]}
    return Dataset.from_dict({**known, **encoded})


def test_a_pair_may_lose_its_second_sentence() -> None:
    texts = [f"{a} {b}" for a, b in zip(pairs()["sentence1"], pairs()["sentence2"], strict=True)]
    cut: Any = WORDS(texts, truncation=True, max_length=12)
    known = pairs().select_columns(["sentence1", "sentence2", "label"])
    joined = known.add_column("input_ids", cut["input_ids"])

    said = numbers(tiny.classifier(train_dataset=joined), "data", "second_sentence_cut")
    assert said["gone"] == "sentence2"
    assert said["share"] == pytest.approx(2 / 3, abs=0.05)
    fair = pairs(truncation=True, max_length=20)
    assert "second_sentence_cut" not in found(tiny.classifier(train_dataset=fair), "data")


def test_a_text_that_was_copied_is_read_once() -> None:
    whole = pairs().select_columns(["sentence1", "label"])
    given: Any = WORDS(list(whole["sentence1"]))
    twice = whole.add_column("text", list(whole["sentence1"]))
    joined = twice.add_column("input_ids", given["input_ids"])

    assert "text_mostly_cut" not in found(tiny.classifier(train_dataset=joined), "data")


def test_a_title_that_some_reports_quote_was_never_their_second_sentence() -> None:
    titles = [f"{colour} {thing}" for colour in ("red", "blue") for thing in ("car", "tree")] * 6
    bodies = [f"the {t} is here" if n % 4 == 0 else "a dog sings" for n, t in enumerate(titles)]
    given: Any = WORDS(bodies)
    known = Dataset.from_dict(
        {"body": bodies, "title": titles, "label": [n % 3 for n in range(24)]}
    )
    joined = known.add_column("input_ids", given["input_ids"])

    assert "second_sentence_cut" not in found(tiny.classifier(train_dataset=joined), "data")


def test_the_answer_written_into_the_question() -> None:
    names = ("red", "blue", "green")
    texts = [f"dog {names[row % 3]} {text}" for row, text in enumerate(["runs", "sings"] * 12)]
    dataset = rows(texts).add_column("name", [names[row % 3] for row in range(24)])

    assert found(tiny.classifier(train_dataset=dataset), "data")["label_in_text"] == "look"


class Weighs(Trainer):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        weight = inputs.pop("weight")
        loss = super().compute_loss(model, inputs, *args, **kwargs)
        return loss if isinstance(loss, tuple) else loss * weight.mean()


class MayWeigh(Trainer):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self.weight = inputs.get("weight")
        return super().compute_loss(model, inputs, *args, **kwargs)


class ThrowsAway(Trainer):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs.pop("weight", None)
        return super().compute_loss(model, inputs, *args, **kwargs)


def weighted(trainer_class: type[Trainer], **more: Any) -> Trainer:
    dataset = tiny.pairs(48).add_column("weight", [1.0, 2.0] * 24)
    return tiny.classifier(trainer_class=trainer_class, train_dataset=dataset, **more)


@pytest.mark.parametrize("trainer_class", [Weighs, MayWeigh])
def test_a_loss_that_reads_a_column_which_the_trainer_drops(trainer_class: type[Trainer]) -> None:
    said = numbers(weighted(trainer_class), "forward", "column_dropped")

    assert said["name"] == "weight"


class Rows(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 24

    def __getitem__(self, number: int) -> dict[str, Any]:
        return {"x": torch.ones(3), "target": float(number % 2)}


class AsksForTarget(Trainer):
    def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        target = inputs.pop("target")
        answers = model(**inputs)
        loss = (answers["logits"].squeeze(-1) - target).pow(2).mean()
        return (loss, answers) if kwargs.get("return_outputs") else loss


class NamesNoTarget(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"logits": self.head(x)}


def test_a_label_that_the_trainer_drops_from_rows_of_a_data_set_of_ones_own() -> None:
    def asked(**more: Any) -> Trainer:
        return AsksForTarget(NamesNoTarget(), tiny.arguments(**more), train_dataset=Rows())

    assert numbers(asked(), "forward", "column_dropped")["name"] == "target"
    assert "column_dropped" not in found(asked(label_names=["target"]), "forward")
    assert "column_dropped" not in found(asked(remove_unused_columns=False), "forward")


@pytest.mark.parametrize(
    ("trainer_class", "kept"), [(ThrowsAway, True), (MayWeigh, False), (Trainer, True)]
)
def test_a_column_that_nobody_misses_may_go(trainer_class: type[Trainer], kept: bool) -> None:
    more: dict[str, Any] = {} if kept else {"args": tiny.arguments(remove_unused_columns=False)}
    if not kept:
        more["data_collator"] = _without_text

    assert "column_dropped" not in found(weighted(trainer_class, **more), "forward")


def _without_text(features: list[dict[str, Any]]) -> Any:
    kept = [{n: v for n, v in row.items() if n not in ("text", "weight")} for row in features]
    return DataCollatorWithPadding(tiny.tokenizer())(kept)


def _reads_text(features: list[dict[str, Any]]) -> Any:
    return WORDS([row["text"] for row in features], padding=True, return_tensors="pt")


def test_a_collator_that_reads_a_column_which_the_trainer_drops() -> None:
    said = numbers(tiny.classifier(data_collator=_reads_text), "batch", "column_dropped")

    assert said["name"] == "text"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, low: float, high: float, kinds: int = 24) -> None:
        made = torch.Generator().manual_seed(0)
        self.pixels = low + (high - low) * torch.rand(24, 3, 8, 8, generator=made)
        self.pixels = self.pixels[:kinds].repeat(24 // kinds, 1, 1, 1)

    def __len__(self) -> int:
        return 24

    def __getitem__(self, number: int) -> dict[str, Any]:
        return {"pixel_values": self.pixels[number], "labels": number % 3}


def pictures(low: float, high: float, pretrained: bool = True, kinds: int = 24) -> Trainer:
    config = ViTConfig(image_size=8, patch_size=4, num_labels=3, **tiny.SIZES)
    model = ViTForImageClassification(config)
    model = moved(model) if pretrained else model
    many = tiny.arguments(per_device_train_batch_size=12)
    return Trainer(model, many, train_dataset=Pictures(low, high, kinds))


@pytest.mark.parametrize(
    ("low", "high", "pretrained", "wanted"),
    [
        (-1.0, 1.0, True, {}),
        (0.0, 1.0, True, {}),
        (0.0, 255.0, True, {"inputs_not_scaled": "fault"}),
        (0.0, 255.0, False, {"inputs_not_scaled": "look"}),
        (-1.0, -0.992, True, {"inputs_nearly_constant": "fault"}),
    ],
)
def test_pictures_at_their_scale(
    low: float, high: float, pretrained: bool, wanted: dict[str, str]
) -> None:
    assert found(pictures(low, high, pretrained), "batch") == wanted


def test_pictures_that_are_all_the_same() -> None:
    assert found(pictures(-1, 1, kinds=1), "batch") == {"identical_inputs": "fault"}


def test_pictures_of_which_there_is_one_for_each_label() -> None:
    assert found(pictures(-1, 1, kinds=3), "batch") == {"one_input_for_each_label": "fault"}
    assert found(pictures(-1, 1, kinds=6), "batch") == {}


def test_a_collator_that_returns_within_its_loop() -> None:
    def first_alone(features: list[dict[str, Any]]) -> Any:
        return default_data_collator(features[:1])

    def one_long_row(features: list[dict[str, Any]]) -> Any:
        ids = [number for one in features for number in one["input_ids"]]
        return {"input_ids": torch.tensor([ids]), "labels": torch.tensor([0])}

    trainer = tiny.classifier(data_collator=first_alone)
    assert found(trainer, "batch") == {"batch_loses_rows": "fault"}
    lost = trainer.args.train_batch_size - 1
    assert numbers(trainer, "batch", "batch_loses_rows") == {"lost": lost}
    assert "batch_loses_rows" not in found(tiny.classifier(data_collator=one_long_row), "batch")


def test_a_collator_that_makes_two_batches_of_one() -> None:
    def questions_and_answers(features: list[dict[str, Any]]) -> Any:
        ids = torch.tensor([one["input_ids"][:2] for one in features])
        return {"asked": {"ids": ids}, "given": {"ids": ids}}

    trainer = tiny.classifier(data_collator=questions_and_answers)
    assert "batch_loses_rows" not in found(trainer, "batch")


@pytest.mark.parametrize(("shape", "cut_off"), [((6, 60), False), ((24, 24), True)])
def test_sets_of_things_are_no_pictures(shape: tuple[int, int], cut_off: bool) -> None:
    class Reads(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = torch.nn.Linear(shape[0] * shape[1], 3)

        def forward(self, baskets: Any, labels: Any = None) -> Any:
            made = self.head(baskets.flatten(1))
            return {"loss": torch.nn.functional.cross_entropy(made, labels), "logits": made}

    draw = torch.Generator().manual_seed(0)
    bought = torch.rand(48, *shape, generator=draw)
    rows: Any = [{"baskets": (one > 0.9).float(), "labels": n % 3} for n, one in enumerate(bought)]
    trainer = Trainer(Reads(), tiny.arguments(), train_dataset=rows)

    assert ("inputs_saturated" in found(trainer, "batch")) == cut_off


def test_rows_that_were_never_filled() -> None:
    texts = [f"the {n} film was good" for n in range(24)]
    made = rows(texts, padding="max_length", max_length=12, truncation=True)
    empty = {"input_ids": [WORDS.pad_token_id] * 12, "attention_mask": [0] * 12}
    some = made.map(lambda row, n: row if n % 8 == 0 else {**row, **empty}, with_indices=True)

    assert "rows_of_filling" in found(tiny.classifier(train_dataset=some), "batch")
    assert "rows_of_filling" not in found(tiny.classifier(train_dataset=made), "batch")


def test_a_config_alone_is_no_checkpoint() -> None:
    assert isinstance(tiny.bert().config, BertConfig)
    assert found(tiny.picture_classifier(), "batch") == {}
