"""Cases of the rules in stages/language.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.batch import Batch
from debugger.pipelines.data import Field
from debugger.pipelines.targets import Targets
from debugger.stages import language
from tests.stages.cases.seen import FINE, NO_PADDING, OF_WORDS, PAIRED, Case, of_batch
from tests.stages.test_step import FACTS

CASES = [
    Case(
        language.masked_too_much,
        Batch({}, targets=Targets(90, 10, masked=90), padding=NO_PADDING),
        {"targets": Targets(15, 85, masked=15)},
        facts=replace(FACTS, task="masked_lm"),
        says={"share": 0.9},
    ),
    Case(
        language.sees_what_is_asked,
        replace(FINE, sees_ahead=0.4),
        {"sees_ahead": 0.0},
        says={"moved": 0.4},
    ),
    Case(
        language.targets_without_end,
        Batch({}, targets=Targets(40, 0, texts=8, ended=0, generates=True)),
        {"targets": Targets(40, 0, texts=8, ended=1, generates=True)},
        says={"rows": 8},
    ),
    of_batch(
        language.nothing_masked,
        {"masked": 3},
        replace(FACTS, task="masked_lm"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(
        language.visible_tokens_asked,
        {"same": 0.1},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.89),
    ),
    of_batch(
        language.visible_labelled_alike,
        {"alike": (3, 40)},
        replace(FACTS, task="masked_lm"),
        targets=Targets(384, 0, masked=44, same=0.0, alike=(1, 330)),
    ),
    of_batch(language.masked_for_causal, {"masked": 0}, OF_WORDS, targets=Targets(6, 34, masked=5)),
    of_batch(
        language.labels_of_one_token,
        {"only": None},
        OF_WORDS,
        targets=Targets(40, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        language.labels_all_alike,
        {"only": None},
        replace(FACTS, task="unknown"),
        targets=Targets(640, 4, same=0.1, beside=0.1, only=0),
    ),
    of_batch(
        language.labels_of_other_text,
        {"beside": 0.98},
        OF_WORDS,
        targets=Targets(20, 4, same=0.2, beside=0.1),
    ),
    of_batch(
        language.decoder_sees_answer,
        {"decoder_same": 0.3},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, decoder_same=1.0),
    ),
    Case(language.input_is_the_answer, Batch({}, answer="decoder"), {"answer": ""}),
    of_batch(
        language.labels_copy_inputs,
        {"same": 0.98},
        replace(FACTS, task="seq2seq"),
        targets=Targets(40, 0, same=1.0),
    ),
    of_batch(
        language.ends_never_learned, {"ends_counted": 1}, OF_WORDS, targets=Targets(40, 4, ends=4)
    ),
    Case(language.looks_too_far_ahead, replace(FINE, asks=2), {"asks": 1}, OF_WORDS),
    Case(language.asks_for_its_input, replace(FINE, asks=0), {"asks": 1}, OF_WORDS),
    Case(
        language.ends_never_learned,
        Batch({}, targets=Targets(9, 9, texts=4, ends_ignored=True, generates=True)),
        {"targets": Targets(9, 9, texts=4, generates=True)},
        facts=PAIRED,
        says={"ends": 4},
    ),
    Case(
        language.collator_of_language_model,
        Batch({"labels": Field((8, 30), "int64", 0, 9)}),
        {"fields": {"labels": Field((8,), "int64", 0, 9)}},
        facts=replace(FACTS, collator="DataCollatorForLanguageModeling"),
        says={"model": "BertForSequenceClassification"},
    ),
]
