"""Scripts that learn from numbers with a model of their own: what is measured of both."""

from __future__ import annotations

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding, StageName
from debugger.report import gather
from debugger.run import Run

SCRIPT = """\
import numpy as np
import torch
from sklearn.metrics import mean_absolute_error
from sklearn.preprocessing import StandardScaler
from torch import nn
from transformers import Trainer, TrainingArguments, set_seed

set_seed(0)
rng = np.random.default_rng(0)
table = rng.normal((50, 1000, 3), (20, 8, 1), (200, 3))
amounts = np.log1p(np.exp(2 + 0.03 * table[:, 0] + 0.4 * table[:, 2]))


class Rows(torch.utils.data.Dataset):
    def __init__(self, numbers, wanted):
        self.numbers, self.wanted = np.float32(numbers), np.float32(wanted)

    def __len__(self):
        return len(self.wanted)

    def __getitem__(self, row):
        numbers, wanted = torch.tensor(self.numbers[row]), torch.tensor(self.wanted[row])
        return {"numbers": numbers, "labels": wanted}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.entry = nn.Linear(3, 16)
        self.blocks = nn.ModuleList([nn.Linear(16, 16) for _ in range(2)])
        self.exit = nn.Linear(16, 1)

    def forward(self, numbers, labels=None):
        x = torch.relu(self.entry(numbers))
        for block in self.blocks:
            x = torch.relu(block(x))
        logits = self.exit(x).squeeze(-1)
        return {"loss": nn.functional.smooth_l1_loss(logits, labels, beta=0.5), "logits": logits}


def compute_metrics(pred):
    return {"mae": mean_absolute_error(np.expm1(pred.label_ids), np.expm1(pred.predictions))}


scaler = StandardScaler().fit(table[:150])
train = Rows(scaler.transform(table[:150]), amounts[:150])
valid = Rows(scaler.transform(table[150:]), amounts[150:])
trainer = Trainer(
    model=Model(),
    args=TrainingArguments(
        output_dir="out", num_train_epochs=20, learning_rate=3e-3, report_to="none",
        eval_strategy="epoch", save_strategy="no", use_cpu=True,
    ),
    train_dataset=train,
    eval_dataset=valid,
    compute_metrics=compute_metrics,
)
trainer.train()
"""
WRONG: dict[str, tuple[StageName, str, str]] = {
    "splits_on_other_scales": (
        "data", "Rows(scaler.transform(table[150:])", "Rows(table[150:]",
    ),
    "gaps_in_inputs": (
        "data", "scaler = Standard", "table[::9, 1] = np.nan\nscaler = Standard",
    ),
    "answer_among_inputs": ("data", "amounts = np.log", "amounts = 3 * table[:, 0] - 2  # np.log"),
    "parts_in_a_list": (
        "forward", "nn.ModuleList([nn.Linear(16, 16) for _ in range(2)])",
        "[nn.Linear(16, 16) for _ in range(2)]",
    ),
    "drops_always": (
        "forward", "x = torch.relu(block(x))", "x = nn.functional.dropout(torch.relu(block(x)))",
    ),
    "metric_error_on_perfect": (
        "evaluate", "np.expm1(pred.predictions)", "pred.predictions",
    ),
}  # fmt: skip


def found(text: str, stage: StageName) -> dict[str, Finding]:
    events: list[Event] = []
    perform(Run(text, stage=stage, device="cpu"), events.append)
    report = gather(events)
    assert not any(one.code == "stage_unreadable" for one in report.findings)
    return {one.code: one for one in report.stage(stage).findings}


@pytest.mark.parametrize("code", WRONG)
def test_what_is_wrong_with_numbers_is_told_where_it_stands(code: str) -> None:
    stage, right, wrong = WRONG[code]
    assert right in SCRIPT

    told = found(SCRIPT.replace(right, wrong), stage)

    assert code in told
    assert code not in found(SCRIPT, stage)


@pytest.mark.parametrize(
    ("said", "severity"),
    [("training=self.training", None), ("training=True", "look"), ("0.0", None), ("0.3", "fault")],
)
def test_numbers_are_put_out_in_eval_mode_where_nobody_says_otherwise(
    said: str, severity: str | None
) -> None:
    dropping = SCRIPT.replace("relu(block(x))", f"relu(nn.functional.dropout(block(x), {said}))")

    told = found(dropping, "forward").get("drops_always")

    assert (told and told.severity) == severity
    assert told is None or "dropout" in dropping.splitlines()[(told.line or 0) - 1]


@pytest.mark.parametrize("stage", ["data", "batch", "forward", "step", "evaluate"])
def test_of_the_script_as_it_is_nothing_is_told(stage: StageName) -> None:
    assert [one.code for one in found(SCRIPT, stage).values() if one.severity == "fault"] == []
