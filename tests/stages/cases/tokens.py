"""Cases of the rules in stages/tokens.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.data import Data
from debugger.pipelines.inputs import Read
from debugger.pipelines.spelled import Cased
from debugger.stages import tokens
from tests.stages.cases.seen import PAIRED, SPLIT, Case, heard, of_rows
from tests.stages.test_step import FACTS

UNFRAMED = Read(rows=40, pieces=100, bare=("[CLS]", "[SEP]"))


def of_tokens(
    rule: Callable[..., Any], silent: dict[str, Any], numbers: dict[str, Any], **seen: Any
) -> Case:
    """A case about what the tokens of the training rows say."""
    read = Read(**{"rows": 40, "inputs": 40, "pieces": 100, **seen})
    return of_rows(rule, {"read": replace(read, **silent)}, numbers, read=read)


CASES = [
    Case(
        tokens.special_tokens_left_out,
        Data(replace(SPLIT, read=UNFRAMED), None),
        {"train": replace(SPLIT, read=replace(UNFRAMED, bare=()))},
        facts=replace(FACTS, pretrained=True),
        says={"tokens": "[CLS], [SEP]"},
    ),
    Case(
        tokens.unknown_targets,
        Data(replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=70)), None),
        {"train": replace(SPLIT, read=Read(rows=40, target_pieces=100, target_unknown=2))},
        facts=PAIRED,
        says={"share": 0.7},
    ),
    Case(
        tokens.eval_tokenized_otherwise,
        Data(SPLIT, SPLIT, numbered=(7, 30, 40)),
        {"numbered": None},
        script="tokenizer = build(train)\nother_tokenizer = build(test)",
        says={"moved": 30, "known": 40},
    ),
    Case(
        tokens.lowered_after_learning,
        Data(SPLIT, None, cased=Cased(60, 400, "Press", lowered=True)),
        {"cased": Cased(60, 400, "PRESS")},
        script="import tokenizers\ntok.normalizer = Lowercase()",
        says={"unknown": 60, "words": 400, "example": "Press"},
    ),
    Case(
        tokens.unknown_for_capitals,
        Data(SPLIT, None, cased=Cased(60, 400, "PRESS")),
        {"cased": Cased(2, 400, "PRESS")},
        script="import tokenizers\ntok = Tokenizer(WordLevel(vocabulary))",
        says={"unknown": 60, "words": 400, "example": "PRESS"},
    ),
    of_tokens(
        tokens.tokenizer_of_another_model,
        {"clashing": 0.2},
        {"share": 0.9, "number": 7, "here": "dog", "there": "cat"},
        clashing=0.9,
        clash=(7, "dog", "cat"),
    ),
    Case(
        tokens.unknown_in_evaluation,
        Data(heard(2), heard(40)),
        {"eval": heard(7)},
        says={"share": 0.4, "train": 0.02},
    ),
    of_tokens(tokens.unknown_tokens, {"unknown": 9}, {"share": 0.6, "pieces": 100}, unknown=60),
    of_tokens(tokens.wrong_column_read, {"says": None}, {"name": "idx"}, says="idx"),
]
