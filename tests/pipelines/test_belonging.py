"""Whether the parts of rows belong together, told from their tokens alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from debugger.pipelines.belonging import Belonging, belonging_of
from debugger.pipelines.targets import framing
from tests import tiny

WORDS = tiny.tokenizer()


def in_pieces(*pieces: str) -> PreTrainedTokenizerFast:
    pieces = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *pieces)
    inner = Tokenizer(WordPiece({one: at for at, one in enumerate(pieces)}, unk_token="[UNK]"))
    inner.pre_tokenizer = Whitespace()
    inner.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=inner, **names)


SPLIT = in_pieces("good", "film", "##film")


NAMES = ("O", "B-DAY", "I-DAY")


def told(values: dict[str, Any], labels: list[Any], words: Any = WORDS) -> Belonging:
    return belonging_of(values, values["input_ids"], labels, words, NAMES)


def pairs(one: list[str], other: list[str], **more: Any) -> Belonging:
    encoded = WORDS(one, other, **more)
    return told({"input_ids": encoded["input_ids"]}, [0] * len(one))


ONE = [f"{a} {b} today" for a in tiny.WORDS[:5] for b in tiny.WORDS[5:9]]
OTHER = [f"{b} and {a}" for a in tiny.WORDS[:5] for b in tiny.WORDS[5:9]]


def test_a_text_that_is_given_twice_is_seen_in_the_tokens() -> None:
    assert pairs(ONE, ONE).twice == len(ONE)
    assert pairs(ONE, OTHER).twice == 0


def test_a_text_of_one_word_again_and_again_is_no_text_given_twice() -> None:
    unknown = ["x x x x x x"] * 20
    assert pairs(unknown, unknown).twice == 0


def test_a_single_text_is_given_once() -> None:
    ids = WORDS(ONE)["input_ids"]
    assert told({"input_ids": ids}, [0] * len(ONE)).twice == 0


def tagged(lay: Any, in_words: bool = False) -> Belonging:
    """Two words of six are two tokens each."""
    chance = random.Random(3)
    rows = [["good", "goodfilm", "film", "goodfilm", "good", "film"]] * 12
    tags = [chance.choices([0, 1, 2], k=6) for _ in rows]
    encoded = SPLIT(rows, is_split_into_words=True)
    labels = [lay(own, encoded.word_ids(row)) for row, own in enumerate(tags)]
    told_as: list[list[Any]] = [[NAMES[tag] for tag in row] for row in tags] if in_words else tags
    values = {"tokens": rows, "ner_tags": told_as, "input_ids": encoded["input_ids"]}
    return told({**values, "labels": labels}, labels, SPLIT)


def by_word(tags: list[int], words: list[int | None]) -> list[int]:
    return [-100 if word is None else tags[word] for word in words]


def one_by_one(tags: list[int], words: list[int | None]) -> list[int]:
    begin = [-100] * words.index(0)
    return (begin + tags + [-100] * len(words))[: len(words)]


def test_labels_of_words_that_are_laid_on_tokens_one_by_one_are_seen() -> None:
    wrong = tagged(one_by_one)
    assert wrong.split == wrong.by_words == 12


def test_tags_may_be_written_in_words_that_the_model_has_numbers_for() -> None:
    assert tagged(one_by_one, in_words=True).by_words == 12
    assert tagged(by_word, in_words=True).by_words == 0


def test_labels_that_follow_their_words_are_right() -> None:
    assert tagged(by_word).by_words == 0


@pytest.mark.parametrize(("shuffled", "apart"), [(True, True), (False, False)])
def test_sources_and_targets_that_were_dealt_out_by_lot_are_unrelated(
    shuffled: bool, apart: bool
) -> None:
    random.seed(1)
    sources = [random.choices(range(10, 30), k=random.randint(3, 8)) for _ in range(200)]
    targets = [[word + 100 for word in row] + [1] for row in sources]
    if shuffled:
        random.shuffle(targets)
    related = told({"input_ids": sources}, targets).related
    assert related is not None
    assert (related < 3) == apart


def before(tags: list[int], words: list[int | None]) -> list[int]:
    """Each word is given the label of the one before it."""
    return [-100 if word is None else tags[word - 1] for word in words]


def renamed(tags: list[int], words: list[int | None]) -> list[int]:
    return [-100 if word is None else {0: 0, 1: 2, 2: 1}[tags[word]] for word in words]


@pytest.mark.parametrize(
    ("lay", "wrong"), [(before, True), (by_word, False), (renamed, False)], ids=lambda one: str(one)
)
def test_a_word_whose_tokens_have_the_label_of_another_is_counted(lay: Any, wrong: bool) -> None:
    found = tagged(lay)
    assert found.words > 20
    assert (found.own < 0.7) == wrong


def first_of_each(tags: list[int], words: list[int | None]) -> list[int]:
    before = [None, *words[:-1]]
    pairs = zip(words, before, strict=True)
    return [-100 if word in (None, last) else tags[word or 0] for word, last in pairs]


def last_of_each(tags: list[int], words: list[int | None]) -> list[int]:
    return first_of_each(tags, words[::-1])[::-1]


def from_the_front(tags: list[int], words: list[int | None]) -> list[int]:
    return (tags + [-100] * len(words))[: len(words)]


def no_word_known(lay: Any, **more: Any) -> Belonging:
    """Only tokens and labels are left of rows, as from a data set that tokenizes row by row."""
    chance = random.Random(3)
    rows = [["good", "goodfilm", "film", "goodfilm", "good", "film"]] * 12
    encoded = SPLIT(rows, is_split_into_words=True, **more)
    labels = [lay(chance.choices([0, 1, 2], k=6), encoded.word_ids(n)) for n in range(12)]
    return told({"input_ids": encoded["input_ids"]}, labels, SPLIT)


@pytest.mark.parametrize("more", [{}, {"padding": "max_length", "max_length": 14}])
@pytest.mark.parametrize(
    ("lay", "wrong"),
    [
        (one_by_one, 12),
        (from_the_front, 12),
        (by_word, 0),
        (first_of_each, 0),
        (last_of_each, 0),
        (before, 0),
    ],
)
def test_marks_of_tokens_tell_of_words_that_nobody_knows_any_more(
    lay: Any, wrong: int, more: dict[str, Any]
) -> None:
    found = no_word_known(lay, **more)
    assert (found.split, found.by_words) == (12, wrong)


def counted_on(tags: list[int], words: list[int | None]) -> list[int]:
    """The next label is taken behind the first token of a word."""
    given, at = [-100] * len(words), 0
    for n, word in enumerate(words):
        if word is not None and at < len(tags):
            given[n] = tags[at]
            at += word != words[n - 1]
    return given


def goes_on_with_the_name(tags: list[int], words: list[int | None]) -> list[int]:
    before = [None, *words[:-1]]
    pairs = zip(before, by_word(tags, words), words, strict=True)
    return [2 if one == 1 and last == word else one for last, one, word in pairs]


def called_nothing_behind(tags: list[int], words: list[int | None]) -> list[int]:
    return [0 if one == -100 else one for one in first_of_each(tags, words)]


@pytest.mark.parametrize(
    ("lay", "wrong"),
    [
        (counted_on, True),
        *((lay, False) for lay in (by_word, first_of_each, last_of_each, called_nothing_behind)),
        (goes_on_with_the_name, False),
    ],
)
def test_a_name_that_begins_in_the_word_before_it_is_seen(lay: Any, wrong: bool) -> None:
    chance = random.Random(3)
    rows = [["good", "goodfilm", "film", "goodfilm", "good", "film"]] * 90
    encoded = SPLIT(rows, is_split_into_words=True)
    tags = [chance.choices([0, 1, 2], (8, 1, 1), k=6) for _ in rows]
    labels = [lay(own, encoded.word_ids(n)) for n, own in enumerate(tags)]
    found = told({"input_ids": encoded["input_ids"]}, labels, SPLIT)

    assert (found.of_next > 0.9 * found.pieces > 0) == wrong


def test_labels_that_are_the_tokens_are_no_labels_of_words() -> None:
    ids: Any = SPLIT([["good", "goodfilm", "film"]] * 12, is_split_into_words=True)["input_ids"]
    assert told({"input_ids": ids}, ids, SPLIT).by_words == 0
    behind = [[-100, -100, *row[2:]] for row in ids]
    assert told({"input_ids": ids}, behind, SPLIT).by_words == 0


def test_rows_whose_words_are_one_token_each_say_nothing_of_how_labels_are_laid() -> None:
    ids: Any = SPLIT([["good", "film"]] * 12, is_split_into_words=True)["input_ids"]
    found = told({"input_ids": ids}, [[-100, 1, 2, -100]] * 12, SPLIT)
    assert (found.split, found.by_words) == (0, 0)


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [([0, 1, 2, -100, -100], 12), ([0, 1, -100, 2, -100], 0), ([0, 1, 1, 2, 2], 0)],
)
@pytest.mark.parametrize("mark", ["\u0120", "\u2581"])
def test_a_mark_may_stand_where_a_word_begins(mark: str, labels: list[int], wrong: int) -> None:
    words = in_pieces(f"{mark}good", f"{mark}new", "er", f"{mark}film", "s")
    row: Any = words.convert_tokens_to_ids(
        ["[CLS]", f"{mark}good", f"{mark}new", "er", f"{mark}film", "s", "[SEP]"]
    )
    given = [[-100, *labels, -100]] * 12

    found = told({"input_ids": [row] * 12}, given, words)

    assert (found.split, found.by_words) == (12, wrong)


@pytest.mark.parametrize(
    ("head", "lay", "wrong"),
    [(["film"], one_by_one, True), (["film"], by_word, False), ([], by_word, False)],
)
def test_words_may_begin_behind_tokens_that_a_script_puts_there(
    head: list[str], lay: Any, wrong: bool
) -> None:
    """As a prompt before the words whose labels are known."""
    chance = random.Random(3)
    rows = [["good", "goodfilm", "good", "goodfilm", "good", "film"]] * 12
    tags = [chance.choices([0, 1, 2], k=6) for _ in rows]
    plain: Any = SPLIT(rows, is_split_into_words=True, add_special_tokens=False)
    begin: Any = SPLIT.convert_tokens_to_ids(["[CLS]", *head])
    ids = [[*begin, *row, 3] for row in plain["input_ids"]]
    labels = [
        [-100] * len(begin) + lay(own, plain.word_ids(row)) + [-100] for row, own in enumerate(tags)
    ]
    values = {"tokens": rows, "ner_tags": tags, "input_ids": ids}

    found = told({**values, "labels": labels}, labels, SPLIT)

    assert found.words > 20
    assert found.split > 9
    assert found.by_words == wrong * found.split


def test_the_tokens_about_a_text_are_those_that_a_tokenizer_puts_there() -> None:
    words = in_pieces("good", "[NAME]")
    words.add_special_tokens({"additional_special_tokens": ["[NAME]"]})

    assert framing(words) == {0, 2, 3}
    assert words.convert_tokens_to_ids("[NAME]") in words.all_special_ids
