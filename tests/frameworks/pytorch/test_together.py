"""Loops by hand that ask several models a turn, which learn as one."""

from __future__ import annotations

import pytest
import torch

from debugger.frameworks.pytorch.together import Together
from debugger.script.building import build
from tests.frameworks.pytorch.test_loops import ROWS, WALLED, found, report_of

PARTS = f"""{ROWS}
encoder = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4))
decoder = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 8))
"""
ONE = "optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-2)\n"
TWO = """del optimizer
first = torch.optim.Adam(encoder.parameters(), lr=1e-2)
second = torch.optim.Adam(decoder.parameters(), lr=5e-3)
"""
TURNS = """
for epoch in range(8):
    encoder.train(), decoder.train()
    for x, _ in train_loader:
        loss = nn.functional.mse_loss(decoder(encoder(x + 0.1 * torch.randn_like(x))), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    encoder.eval(), decoder.eval()
    with torch.no_grad():
        print(sum(nn.functional.mse_loss(decoder(encoder(x)), x) for x, _ in valid_loader))
"""
OF_TWO = TURNS.replace("optimizer.zero_grad()", "first.zero_grad(); second.zero_grad()").replace(
    "optimizer.step()", "first.step(); second.step()"
)
SLICES = TURNS.replace(
    "    for x, _ in train_loader:\n",
    "    order = torch.randperm(240)\n    for n in range(0, 240, 16):\n"
    "        x = X_train[order[n : n + 16]]\n",
)
CLASSES = (
    TURNS.replace("x, _", "x, y")
    .replace("x + 0.1 * torch.randn_like(x)", "x")
    .replace("mse_loss", "cross_entropy")
    .replace("x)\n        opt", "y)\n        opt")
    .replace("(x)), x)", "(x)), y)")
)
TRANSLATES = """
import torch
from torch import nn
torch.manual_seed(0)
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.gru = nn.Embedding(12, 16), nn.GRU(16, 16, batch_first=True)
    def forward(self, source):
        return self.gru(self.embedding(source))
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.gru = nn.Embedding(12, 16), nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 12)
    def forward(self, token, state):
        made, state = self.gru(self.embedding(token), state)
        return self.out(made), state
source = torch.randint(2, 12, (200, 5))
rows = torch.utils.data.TensorDataset(source, source.flip(1))
loader = torch.utils.data.DataLoader(rows, batch_size=20, shuffle=True)
encoder, decoder = Encoder(), Decoder()
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=5e-3)
decoder_optimizer = torch.optim.Adam(decoder.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
def train_epoch():
    total = 0
    for source, target in loader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        _, state = encoder(source)
        token, loss = torch.ones(len(source), 1, dtype=torch.long), 0
        for place in range(target.shape[1]):
            scores, state = decoder(token, state)
            loss = loss + criterion(scores[:, 0], target[:, place])
            token = target[:, place : place + 1]
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
        total += loss.item()
    return total / len(loader)
for epoch in range(12):
    print(train_epoch())
"""
TEACHER = f"""{ROWS}
teacher = nn.Linear(8, 3)
for epoch in range(8):
    for x, y in train_loader:
        with torch.no_grad():
            said = teacher(x)
        scores = model(x)
        loss = loss_fn(scores, y) + 0.01 * nn.functional.mse_loss(scores, said)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    print(loss_fn(model(X[240:]), y[240:]).item())
    model.train()
"""
METHODS = f"""{ROWS}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Linear(6, 4))
        self.decoder = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 8))
    def cost(self, x):
        return nn.functional.mse_loss(self.decoder(self.encoder(x)), x)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(8):
    for x, _ in train_loader:
        loss = net.cost(x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    print(net.cost(X[240:]).item())
    net.train()
"""
HEALTHY = {
    "one optimizer": (PARTS + ONE + TURNS, "encoder, decoder"),
    "two optimizers": (PARTS + TWO + OF_TWO, "encoder, decoder"),
    "slices": (PARTS + "X_train = X[:240]\n" + ONE + SLICES, "encoder, decoder"),
    "classes": (PARTS + ONE + CLASSES, "encoder, decoder"),
    "step by step": (TRANSLATES, "encoder, decoder"),
    "methods of their own": (METHODS, ""),
    "a teacher": (TEACHER, ""),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", HEALTHY)
def test_models_that_learn_together_are_looked_at_and_let_be(name: str) -> None:
    script, known = HEALTHY[name]
    report = report_of(script)
    made = build(script, "mine.py", enclosure=WALLED).trained

    told = ", ".join(dict(made.model.named_children())) if known else ""
    assert isinstance(made.model, Together) is bool(known)
    assert told == known
    assert report.outcome == "pass", report.findings
    assert [one.code for one in report.findings if one.severity == "fault"] == []


def test_each_keeps_the_rate_of_its_own_optimizer_and_all_of_them_learn() -> None:
    made = build(PARTS + TWO + OF_TWO, "mine.py", enclosure=WALLED).trained
    before = [weight.detach().clone() for weight in made.model.parameters()]

    made.args.max_steps = 1
    made.train()

    moved = [
        float((weight - old).abs().max())
        for weight, old in zip(made.model.parameters(), before, strict=True)
    ]
    assert [group["lr"] for group in made.optimizer.param_groups] == [1e-2, 5e-3]
    assert moved == pytest.approx([1e-2] * 4 + [5e-3] * 4, rel=1e-3)


def test_the_label_of_the_last_one_is_known() -> None:
    made = build(PARTS + ONE + CLASSES, "mine.py", enclosure=WALLED).trained
    _, logits, labels = made.prediction_step(
        made.model, next(iter(made.get_train_dataloader())), prediction_loss_only=False
    )

    assert logits.shape == (16, 8)
    assert labels.dtype == torch.long


def test_what_they_forget_is_named() -> None:
    never = (PARTS + TWO + OF_TWO).replace("first.zero_grad(); second.zero_grad()", "pass")
    still = PARTS + ONE.replace("1e-2", "1e-9") + TURNS

    assert "missing_zero_grad" in found(never, "step", "fault")
    assert "too_little_movement" in found(still, "step", "fault")


AGAINST = (PARTS + TWO + OF_TWO).replace(
    "        loss.backward()\n",
    "        loss.backward()\n        (decoder(torch.randn(4, 4)) ** 2).mean().backward()\n",
)
OTHERWISE = (PARTS + TWO + OF_TWO).replace("second = torch.optim.Adam", "second = torch.optim.SGD")
MOVED = PARTS + TWO + "moves = torch.optim.lr_scheduler.StepLR(first, 3)\n" + OF_TWO


@pytest.mark.parametrize("script", [AGAINST, OTHERWISE, MOVED])
def test_two_that_learn_apart_are_not_followed(script: str) -> None:
    report = report_of(script)

    assert report.outcome == "unknown"
    assert next(one.code for one in report.findings) in ("loop_of_optimizers", "loop_of_losses")
