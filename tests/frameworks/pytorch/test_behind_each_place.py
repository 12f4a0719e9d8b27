"""A model that is to foretell the next token, and whether it sees it; and labels that are no
classes: levels between thresholds, rates of a few weights, a Trainer that trains twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from debugger.diagnosis import perform
from debugger.frameworks.pytorch.training import _peak
from debugger.outcome import Event
from debugger.report import gather
from debugger.run import Run
from debugger.script.enclosure import Enclosure
from debugger.script.places import Places

WRITER = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
text = torch.randint(0, 12, (40,)).repeat(20)
class Blocks(Dataset):
    def __len__(self):
        return 200
    def __getitem__(self, place):
        return text[place : place + 16], text[place + 1 : place + 17]
class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(12, 16), nn.Embedding(16, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.encoder, self.out = nn.TransformerEncoder(layer, 1), nn.Linear(16, 12)
    def forward(self, tokens):
        made = self.words(tokens) + self.places(torch.arange(16))
        {hidden}
        return self.out(self.encoder(made, mask=hidden))
model = Writer()
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
for epoch in range(3):
    model.train()
    for tokens, following in DataLoader(Blocks(), batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(model(tokens).transpose(1, 2), following)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
THRESHOLDS = """
import torch
from torch import nn
from transformers import Trainer
from tests import tiny
class Levels(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, {outputs})
    def forward(self, features, labels=None):
        logits = self.body(features)
        if labels is None:
            return {{"logits": logits}}
        return {{"loss": {loss}, "logits": logits}}
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, place):
        level = place % 5
        return {{"features": torch.randn(4) + level, "labels": level}}
Trainer(
    Levels(), tiny.arguments(per_device_train_batch_size=10),
    train_dataset=Rows(), eval_dataset=Rows(),
).train()
"""
LEVELS = (
    "nn.functional.binary_cross_entropy_with_logits("
    "logits, (labels[:, None] > torch.arange(4)).float())"
)


def faults(script: str, stage: Any) -> set[str]:
    events: list[Event] = []
    perform(Run(script, stage=stage), events.append)
    return {one.code for one in gather(events).findings if one.severity != "note"}


@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        ("hidden = None", True),
        ("hidden = nn.Transformer.generate_square_subsequent_mask(16)", False),
    ],
)
def test_what_is_to_be_foretold_may_not_be_seen(hidden: str, told: bool) -> None:
    said = faults(WRITER.replace("{hidden}", hidden), "forward")

    assert ("sees_what_is_asked" in said) is told


def test_a_level_above_the_last_threshold_is_no_class_that_is_missing() -> None:
    script = THRESHOLDS.format(outputs=4, loss=LEVELS)

    for stage in ("forward", "train"):
        assert (
            faults(script, stage)
            & {
                "label_outside_head",
                "first_loss_off",
                "labels_mean_something_else",
            }
            == set()
        )
    fails = THRESHOLDS.format(outputs=4, loss="nn.functional.cross_entropy(logits, labels)")
    assert "label_outside_head" in faults(fails, "forward")


OF_THE_LIBRARY = """
from torch.nn import functional
from transformers import DataCollatorWithPadding, Trainer
from tests import tiny
import torch
class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        logits = outputs.logits
        loss = {loss}
        return (loss, outputs) if return_outputs else loss
Own(
    tiny.bert(num_labels=2), tiny.arguments(per_device_train_batch_size=8),
    train_dataset=tiny.pairs(32), data_collator=DataCollatorWithPadding(tiny.tokenizer()),
).train()
"""


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        (LEVELS.replace("arange(4)", "arange(2)").replace("nn.", ""), False),
        ("functional.cross_entropy(logits, labels.clamp(max=1))", True),
        ("functional.cross_entropy(logits, labels % 2)", True),
        ("functional.cross_entropy(logits, labels.masked_fill(labels > 1, -100))", True),
        ("functional.cross_entropy(logits[labels < 2], labels[labels < 2])", True),
    ],
)
def test_a_label_that_a_loss_passes_over_is_outside_the_head(loss: str, told: bool) -> None:
    said = faults(OF_THE_LIBRARY.format(loss=loss), "forward")

    assert ("label_outside_head" in said) is told


def test_a_few_weights_that_go_with_the_head_do_not_make_the_rate() -> None:
    body, pooler = torch.nn.Parameter(torch.ones(960)), torch.nn.Parameter(torch.ones(40))
    groups = [{"params": [body], "lr": 5e-5}, {"params": [pooler], "lr": 1e-3}]

    assert _peak(torch.optim.AdamW(groups), None, [body, pooler]) == 5e-5
    assert _peak(torch.optim.AdamW(groups), None, [pooler]) == 1e-3


TWICE = """
from tests import tiny
def made():
    return tiny.classifier(model=model)
model = tiny.bert()
model.bert.requires_grad_(False)
trainer = made()
trainer.train()
model.bert.requires_grad_(True)
trainer.train()
"""


def test_a_trainer_that_is_only_called_so_trains_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The optimizer that it made while the body was frozen is kept for its second training."""
    monkeypatch.chdir(tmp_path)
    events: list[Event] = []
    perform(Run(TWICE, stage="step"), events.append, Enclosure(walled=True))

    assert Places(TWICE).trains_again()
    assert "not_in_optimizer" in {one.code for one in gather(events).findings}
