"""What a model of one's own reads, asked of the model: its text, its filling, other rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from scipy.sparse import csr_matrix
from torch import nn
from transformers import Trainer
from transformers.modeling_outputs import SequenceClassifierOutput

from debugger import diagnose
from tests import tiny

answered: Any = SequenceClassifierOutput


class Pooled(nn.Module):
    """Averages what the words say, `of` the places that the mask shows, or of others."""

    def __init__(self, of: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.of = of
        self.words = nn.Embedding(len(tiny.WORDS) + 4, 16)
        self.beside = nn.MultiheadAttention(16, 2, batch_first=of != "rows")
        self.through = nn.GRU(16, 16, batch_first=of != "rows as time")
        self.attends = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, input_ids: Any, attention_mask: Any, labels: Any = None) -> Any:
        states = self.words(input_ids)
        if self.of == "rows":
            states = states + self.beside(states, states, states)[0]
        if self.of in ("turned", "right way round"):
            hidden = attention_mask.bool() if self.of == "turned" else attention_mask == 0
            states = self.attends(states, states, states, key_padding_mask=hidden)[0]
            states = torch.nan_to_num(states)
        if self.of.endswith("time"):
            states = self.through(states)[0]
        shown = {"filling": 1 - attention_mask, "all": torch.ones_like(attention_mask)}
        mask = shown.get(self.of, attention_mask).unsqueeze(-1).float()
        pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        logits = self.head(pooled)
        if self.of == "nothing":
            logits = torch.relu(logits - 9)
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return answered(loss=loss, logits=logits)


def trainer(of: str) -> Trainer:
    return tiny.classifier(model=Pooled(of))


def found(of: str) -> dict[str, str]:
    findings = diagnose(trainer(of), stage="forward").findings
    return {one.code: one.severity for one in findings}


@pytest.mark.parametrize(
    ("of", "code", "severity"),
    [
        ("filling", "text_not_read", "fault"),
        ("all", "filling_read", "look"),
        ("rows", "rows_mingled", "fault"),
        ("turned", "padding_mask_turned", "fault"),
        ("rows as time", "rows_mingled", "fault"),
        ("nothing", "relu_at_the_end", "fault"),
    ],
)
def test_a_model_that_reads_what_it_should_not_is_told(of: str, code: str, severity: str) -> None:
    assert found(of).get(code) == severity


def test_a_model_that_reads_its_own_text_alone_is_left_in_peace() -> None:
    told = {"text_not_read", "filling_read", "rows_mingled", "relu_at_the_end"}
    assert not told & set(found("text"))
    assert "rows_mingled" not in found("words as time")
    assert "padding_mask_turned" not in found("right way round")


def test_a_model_that_compares_rows_by_design_is_left_in_peace() -> None:
    class Compared(Pooled):
        def forward(self, input_ids: Any, attention_mask: Any, labels: Any = None) -> Any:
            made = self.words(input_ids).mean(1)
            logits = made @ made.T
            loss = nn.functional.cross_entropy(logits, torch.arange(len(made)))
            return answered(loss=loss, logits=logits)

    findings = diagnose(tiny.classifier(model=Compared("text")), stage="forward").findings
    assert "rows_mingled" not in [one.code for one in findings]


def test_a_part_that_nothing_comes_back_to_is_named() -> None:
    class Cut(Pooled):
        def forward(self, input_ids: Any, attention_mask: Any, labels: Any = None) -> Any:
            logits = self.head(self.words(input_ids).detach().mean(1))
            loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
            return answered(loss=loss, logits=logits)

    findings = diagnose(tiny.classifier(model=Cut("text")), stage="step").findings
    assert "gradient_stops" in [one.code for one in findings]
    healthy = diagnose(tiny.classifier(), stage="step").findings
    assert "gradient_stops" not in [one.code for one in healthy]


class Sparse(torch.utils.data.Dataset[dict[str, Any]]):
    """Rows whose labels a matrix holds that stores no zeros, and has no len()."""

    def __init__(self) -> None:
        self.rows, self.wanted = tiny.pairs(24), csr_matrix([[n % 3] for n in range(24)])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        row = self.rows[place]
        return {"input_ids": row["input_ids"], "labels": int(self.wanted[place, 0])}


def test_what_holds_its_labels_sparsely_is_looked_at() -> None:
    report = diagnose(tiny.classifier(train_dataset=Sparse()), stage="data")

    assert "stage_unreadable" not in {one.code for one in report.findings}
    assert report.stage("data").measured
