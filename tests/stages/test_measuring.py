"""Where a metric, or a loss, picks its labels, and lays them beside the answers."""

from __future__ import annotations

import pytest

from debugger.script.measuring import Measuring
from debugger.script.places import Places

ASKED = "compute_metrics"
END = "\ntrainer = Trainer(model, compute_metrics=measure)"
TAKEN = "    made, labels = given\n"


def metric(body: str) -> Measuring:
    return Places("def measure(given):\n" + body + END).measuring


@pytest.mark.parametrize(
    "line",
    [
        "    keep = labels > 0",
        "    keep = labels != 0",
        "    keep = (labels != -100) & (labels != 0)",
        "    return share(made[labels >= 1])",
        "    pairs = [(p, l) for p, l in zip(made, labels) if l > 0]",
        "    if labels[0][0] != 0:",
    ],
)
def test_a_metric_looks_at_some_labels_only(line: str) -> None:
    body = "        pass\n" if line.endswith(":") else ""

    assert metric(TAKEN + line + "\n" + body + "    return {}").picks_some(ASKED) == 3


@pytest.mark.parametrize(
    "line",
    [
        "    keep = labels != -100",
        "    keep = labels >= 0",
        "    keep = labels > -1",
        "    said = made > 0",
        "    really = made != 0",
    ],
)
def test_a_metric_looks_at_all_labels_that_count(line: str) -> None:
    assert metric(TAKEN + line + "\n    return {}").picks_some(ASKED) is None


def test_what_picks_labels_outside_of_the_metric_is_another_matter() -> None:
    text = "def prepare(row):\n    return row['labels'] > 0\ndef measure(given):\n    return {}"

    assert Places(text + END).measuring.picks_some(ASKED) is None
    assert Places(text).measuring.picks_some(ASKED) is None


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("class Mine(Trainer):\n    def compute_loss(self, model, inputs):", "labels"),
        ("class Net(nn.Module):\n    def forward(self, x, labels=None):", "labels"),
        ("class Net(nn.Module):\n    def forward(self, x, y=None):", "y"),
    ],
)
def test_a_loss_looks_at_some_labels_only(head: str, name: str) -> None:
    def found(asks: str) -> int | None:
        return Places(f"{head}\n        keep = {name} {asks}\n").measuring.loss_picks_some()

    assert found("> 0") == found("!= 0") == 3
    assert found("!= -100") is found(">= 0") is None


def test_a_function_that_is_no_loss_may_ask_labels_what_it_likes() -> None:
    assert Places("def count(labels):\n    return labels > 0").measuring.loss_picks_some() is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("labels = np.where(labels == -100, 0, labels)", 3),
        ("labels = np.where(labels != -100, labels, tokenizer.pad_token_id)", 3),
        ("labels = torch.tensor(labels).masked_fill(torch.tensor(labels) == -100, 0)", 3),
        ("keep = labels != -100", None),
        ("made = np.where(labels == -100, -100, made)", None),
        ("labels = np.where(labels == 2, 1, labels)", None),
        ("labels = labels[labels != -100]", None),
    ],
)
def test_labels_that_are_to_be_ignored_are_made_others(line: str, found: int | None) -> None:
    assert metric(f"{TAKEN}    {line}\n    return {{}}").ignored_replaced(ASKED) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("    return {'mae': abs(given.predictions - given.label_ids).mean()}", 2),
        (TAKEN + "    return {'mae': abs(made - labels).mean()}", 3),
        (TAKEN + "    made = made[:, 0]\n    error = mae(labels, made)\n    return {}", 4),
        (
            "    made = given.predictions.squeeze()\n    labels = given.label_ids\n"
            "    return {'mae': mean_absolute_error(labels, made)}",
            4,
        ),
        (TAKEN + "    said = made[:, 0]\n    real = labels\n    return mae(real, said)", 5),
        (TAKEN + "    return {'mean': made.mean()}", None),
        (TAKEN + "    return {'rows': len(labels)}", None),
    ],
)
def test_answers_are_laid_beside_labels(body: str, found: int | None) -> None:
    assert metric(body).compared(ASKED) == found
