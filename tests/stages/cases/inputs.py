"""Cases of the rules in stages/inputs.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.face import Batch, Data, Reads
from debugger.pipelines.inputs import Padding, Read, Signal
from debugger.pipelines.jumbled import Jumbled
from debugger.pipelines.spelled import Cased, Unsplit
from debugger.pipelines.within import Scaled
from debugger.stages import inputs
from tests.stages.cases.seen import (
    FINE,
    KERAS,
    NO_PADDING,
    OF_WORDS,
    PAIRED,
    SPLIT,
    Case,
    failed,
    heard,
    of_batch,
    of_rows,
)
from tests.stages.test_step import FACTS

READS = Reads(text=0.0, filling=0.9, rows=8)

UNFRAMED = Read(rows=40, pieces=100, bare=("[CLS]", "[SEP]"))

PICTURES = Signal("pixel_values", -1.0, 1.0, 0.5, 8, False, 0.01, labels=3)

COARSE = Signal("input_values", -1.0, 1.0, 0.3, 8, False, 0.9, levels=3)


def of_tokens(
    rule: Callable[..., Any], silent: dict[str, Any], numbers: dict[str, Any], **seen: Any
) -> Case:
    """A case about what the tokens of the training rows say."""
    read = Read(**{"rows": 40, "inputs": 40, "pieces": 100, **seen})
    return of_rows(rule, {"read": replace(read, **silent)}, numbers, read=read)


PADDED = Padding(filled=6, open=0, real=18, hidden=0, has_mask=True, rows=2, side="right")

TRAINED_BEFORE = replace(FACTS, pretrained=True)

CASES = [
    Case(
        inputs.special_tokens_left_out,
        Data(replace(SPLIT, read=UNFRAMED), None),
        {"train": replace(SPLIT, read=replace(UNFRAMED, bare=()))},
        facts=replace(FACTS, pretrained=True),
        says={"tokens": "[CLS], [SEP]"},
    ),
    Case(
        inputs.unknown_targets,
        Data(replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=70)), None),
        {"train": replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=2))},
        facts=PAIRED,
        says={"share": 0.7},
    ),
    Case(
        inputs.rows_mingled,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        says={"moved": 0.8},
    ),
    Case(
        inputs.eval_tokenized_otherwise,
        Data(SPLIT, SPLIT, numbered=(7, 30, 40)),
        {"numbered": None},
        script="tokenizer = build(train)\nother_tokenizer = build(test)",
        says={"moved": 30, "known": 40},
    ),
    Case(
        inputs.lowered_after_learning,
        Data(SPLIT, None, cased=Cased(60, 400, "Press", lowered=True)),
        {"cased": Cased(60, 400, "PRESS")},
        script="import tokenizers\ntok.normalizer = Lowercase()",
        says={"unknown": 60, "words": 400, "example": "Press"},
    ),
    Case(
        inputs.unknown_for_capitals,
        Data(SPLIT, None, cased=Cased(60, 400, "PRESS")),
        {"cased": Cased(2, 400, "PRESS")},
        script="import tokenizers\ntok = Tokenizer(WordLevel(vocabulary))",
        says={"unknown": 60, "words": 400, "example": "PRESS"},
    ),
    Case(
        inputs.padding_mask_turned,
        replace(FINE, hides=383),
        {"hides": 0},
        script="out = encoder(x,\n    src_key_padding_mask=mask.bool())",
        says={"hidden": 383},
    ),
    Case(
        inputs.text_not_read,
        replace(FINE, reads=READS),
        {"reads": replace(READS, text=0.8)},
        says={"rows": 8},
    ),
    Case(
        inputs.filling_read,
        replace(FINE, reads=replace(READS, text=0.3)),
        {"reads": replace(READS, text=0.3, filling=0.0)},
        says={"rows": 8, "share": 0.75},
    ),
    Case(
        inputs.axes_jumbled,
        Batch({}, signal=replace(PICTURES, jumbled=Jumbled(0.9, 0.05, (3, 8, 8), (8, 8, 3)))),
        {"signal": PICTURES},
        script="picture = torch.tensor(read(name)).reshape(3, 8, SIZE)",
        says={"shape": "(3, 8, 8)"},
    ),
    Case(
        inputs.scaled_twice,
        Batch({}, scaled=Scaled("inputs", 0.0, 1.0, 0.0, 0.0039)),
        {"scaled": Scaled("inputs", 0.0, 255.0, 0.0, 1.0)},
        says={"high": 1.0, "inner_high": 0.0039},
    ),
    Case(
        inputs.words_numbered_twice,
        Data(SPLIT, None, renumbered=("words", 7)),
        {"renumbered": None},
        says={"name": "words"},
    ),
    Case(
        inputs.input_not_read,
        replace(FINE, unread="size"),
        {"unread": ""},
        KERAS,
        says={"name": "size"},
    ),
    Case(
        inputs.words_not_split,
        Data(SPLIT, None, unsplit=Unsplit(200, 20)),
        {"unsplit": None},
        script="tok = Tokenizer(WordLevel())",
        says={"texts": 200, "words": 20},
    ),
    of_tokens(
        inputs.tokenizer_of_another_model,
        {"clashing": 0.2},
        {"share": 0.9, "number": 7, "here": "dog", "there": "cat"},
        clashing=0.9,
        clash=(7, "dog", "cat"),
    ),
    Case(
        inputs.unknown_in_evaluation,
        Data(heard(2), heard(40)),
        {"eval": heard(7)},
        says={"share": 0.4, "train": 0.02},
    ),
    of_tokens(inputs.unknown_tokens, {"unknown": 9}, {"share": 0.6, "pieces": 100}, unknown=60),
    of_tokens(inputs.wrong_column_read, {"says": None}, {"name": "idx"}, says="idx"),
    of_tokens(inputs.identical_rows, {"inputs": 2}, {"rows": 40}, inputs=1),
    of_tokens(inputs.contradicting_labels, {"contradicting": 7}, {"rows": 8}, contradicting=8),
    of_tokens(
        inputs.text_mostly_cut,
        {"kept": (0.7,) * 40},
        {"kept": 0.2, "length": 8},
        kept=(0.2,) * 40,
        limit=8,
    ),
    Case(
        inputs.letters_for_words,
        Data(SPLIT, None, spelled_out="w e  h a d"),
        {"spelled_out": ""},
        says={"text": "w e  h a d"},
    ),
    of_tokens(
        inputs.second_sentence_cut,
        {"lost": {"b": 0.4}},
        {"gone": "b", "share": 0.6},
        lost={"a": 0.0, "b": 0.6},
    ),
    of_tokens(inputs.label_in_text, {"told_others": 0.5}, {"share": 1.0}, told=1.0),
    Case(
        inputs.column_dropped,
        Batch({}, dropped=("text", "idx"), failure=failed("KeyError", "'text'")),
        {"failure": failed("KeyError", "'bbox'")},
        says={"name": "text", "columns": "text, idx"},
    ),
    of_batch(
        inputs.mask_missing,
        {"felt": False},
        TRAINED_BEFORE,
        padding=replace(PADDED, has_mask=False, open=6, felt=True),
    ),
    of_batch(
        inputs.mask_over_padding,
        {"open": 0},
        TRAINED_BEFORE,
        padding=replace(PADDED, open=6, felt=True),
    ),
    of_batch(
        inputs.mask_hides_text, {"hidden": 5}, FACTS, padding=replace(PADDED, hidden=18, open=6)
    ),
    of_batch(
        inputs.padded_on_the_right,
        {"side": "left"},
        OF_WORDS,
        padding=replace(PADDED, generates=True),
    ),
    of_batch(
        inputs.identical_inputs, {"labels": 1}, FACTS, signal=replace(PICTURES, identical=True)
    ),
    of_batch(
        inputs.inputs_not_scaled, {"high": 3.0}, TRAINED_BEFORE, signal=replace(PICTURES, high=255)
    ),
    Case(
        inputs.processed_otherwise,
        Batch({}, signal=PICTURES, eval_signal=replace(PICTURES, high=255.0, deviation=60.0)),
        {"eval_signal": replace(PICTURES, high=2.0, deviation=1.0)},
        says={"eval_high": 255.0},
    ),
    of_batch(
        inputs.inputs_nearly_constant, {"high": 1.0}, FACTS, signal=replace(PICTURES, high=-0.99)
    ),
    of_batch(
        inputs.inputs_saturated, {"at_ends": 0.9}, FACTS, signal=replace(PICTURES, at_ends=0.97)
    ),
    of_batch(
        inputs.inputs_not_normalised,
        {"low": -1.0},
        TRAINED_BEFORE,
        signal=replace(PICTURES, low=0.0, normalises=True),
    ),
    of_batch(
        inputs.rows_of_filling,
        {"empty": 3},
        FACTS,
        padding=replace(NO_PADDING, empty=15, of=16),
    ),
    Case(
        inputs.filling_read_last,
        Batch({}, filled_behind=("lstm", 0.7)),
        {"filled_behind": ("lstm", 0.2)},
        says={"layer": "lstm", "share": 0.7},
    ),
    of_batch(
        inputs.one_input_for_each_label,
        {"distinct": 16},
        FACTS,
        signal=Signal("pixel_values", 0, 1, 0.5, 16, False, 0, 3, kind="pixel_values", distinct=3),
    ),
    Case(
        inputs.sounds_coarse,
        Batch({}, signal=COARSE),
        {"signal": replace(COARSE, levels=200)},
        says={"levels": 3},
    ),
    Case(
        inputs.filling_taken_for_text,
        Batch({}, padding=Padding(9, 0, 50, 0, True, rows=4, taken_for=(1, 0), missed=True)),
        {"padding": Padding(9, 0, 50, 0, True, rows=4)},
        script="BertConfig(pad_token_id=0)",
        says={"fills": 1, "known": 0},
    ),
]
