"""The rules of the forward pass on plain values."""

from __future__ import annotations

import pytest

from debugger.pipelines.forward import Forward
from debugger.script.places import Places
from debugger.stages.forward import label_outside_head
from debugger.stages.judging import Verdict, View
from tests.stages.test_step import FACTS

MADE = "model = TFAutoModelForSequenceClassification.from_pretrained({})\n"


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (MADE.format("C"), 1),
        (MADE.format("\n  C,\n  num_labels=3\n"), 3),
        ("config = AutoConfig.from_pretrained(C, num_labels=3)\n" + MADE.format("C"), 1),
        (MADE.format("C, num_labels=3") + MADE.format("C"), 2),
        (MADE.format("C") + MADE.format("\n  C, num_labels=3\n"), 3),
        ("config = C(num_labels=3)\nconfig.id2label = {}\n" + MADE.format("config=config"), 2),
        (MADE.format("C, num_labels=3") + "model.config.id2label = {}\n", 1),
    ],
)
def test_the_line_that_decides_how_many_outputs_there_are_is_blamed(script: str, line: int) -> None:
    seen = Forward((2, 1), "int64", label_range=(0, 3))

    verdict = label_outside_head(seen, View(FACTS, Places(script), True))

    assert isinstance(verdict, Verdict)
    assert verdict.line == line


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("weights = tensor([1, 2])\nloss = CrossEntropyLoss(weight=weights)", 1),
        ("self.weights = tensor([1, 2])\nx = 1\nCrossEntropyLoss(weight=self.weights.to(d))", 1),
        ("w = 1\nCrossEntropyLoss(\n  weight=torch.tensor([1, 2]),\n)", 3),
        ("CrossEntropyLoss()", None),
    ],
)
def test_a_value_that_has_a_name_is_made_where_it_got_it(script: str, line: int | None) -> None:
    assert Places(script).origin("weight") == line
