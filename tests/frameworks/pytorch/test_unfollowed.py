"""Loops that train by hand and are not followed: it is said what stands in the way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frameworks.pytorch.test_loops import ROWS, report_of

GAN = f"""{ROWS}
other = nn.Linear(3, 8)
for x, y in train_loader:
    loss = ((other(model(x)) - x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SECOND = f"""{ROWS}
other = nn.Linear(3, 8)
beside = torch.optim.Adam(other.parameters())
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    beside.step()
"""
WHILE = f"""{ROWS}
loss = torch.tensor(9.0)
while loss > 0.1:
    for x, y in train_loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


TURN = """
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
STREAM = f"""{ROWS}
class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(train_rows)
for x, y in DataLoader(Stream(), batch_size=16):{TURN}"""
NESTED = f"""{ROWS}
together = torch.utils.data.default_collate
loader = DataLoader(train_rows, batch_size=16, collate_fn=lambda rows: [{{"rows": together(rows)}}])
for (batch,) in loader:
    x, y = batch["rows"]{TURN}"""
IN_A_LINE = f"""{ROWS}
def step(x, y):{TURN}    return loss.item()
for epoch in range(3):
    print(sum([step(x, y) for x, y in train_loader if len(x) > 2]))
"""
RETURNS = f"""{ROWS}
def train():
    for x, y in train_loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0:
            return
train()
"""
ONCE = f"""{ROWS}
some = iter(range(1))
for x, y in train_loader:
    next(some){TURN}"""
MANY = f"""{ROWS}
for x, y in train_loader:{TURN}""".replace("loss_fn(", "(").replace(", y)\n    opt", ")\n    opt")
MANY = MANY.replace("backward()", "backward(torch.ones(16, 3))")
LOSSES = f"""{ROWS}
for x, y in train_loader:{TURN}"""
LOSSES = LOSSES.replace(
    "loss.backward()", "(loss * 2).backward(retain_graph=True)\n    loss.backward()"
)
LBFGS = f"""{ROWS}
optimizer = torch.optim.LBFGS(model.parameters())
def closure():
    optimizer.zero_grad()
    loss = loss_fn(model(X), y)
    loss.backward()
    return loss
for step in range(5):
    optimizer.step(closure)
"""
SINGLE = """
import torch
X = torch.linspace(0, 1, 40).unsqueeze(1)
y = 0.7 * X + 0.3
w, b = torch.randn(1, requires_grad=True), torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.05)
for epoch in range(300):
    loss = ((w * X + b - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
BY_ITSELF = """
import torch
X = torch.linspace(0, 1, 40)
y = 0.7 * X + 0.3
w, b = torch.randn((), requires_grad=True), torch.zeros((), requires_grad=True)
for epoch in range(300):
    loss = ((w * X + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        b -= 0.05 * b.grad
        w.grad, b.grad = None, None
"""
UNFOLLOWED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "two models": (GAN, "loop_of_models", {"count": 2, "names": "model, other"}),
    "two optimizers": (SECOND, "loop_of_optimizers", {"count": 2}),
    "a while": (WHILE, "loop_that_waits", {}),
    "a return": (RETURNS, "loop_that_returns", {}),
    "a comprehension": (IN_A_LINE, "loop_in_one_line", {}),
    "two loaders": (
        f"{ROWS}\nfor (x, y), (u, v) in zip(train_loader, valid_loader):{TURN}",
        "loop_over_nothing",
        {},
    ),
    "no model": (
        f"{ROWS}\nfor x, y in train_loader:{TURN}".replace(
            "loss_fn(model(x), y)", "model[0].weight.square().mean()"
        ),
        "loop_without_model",
        {},
    ),
    "weights that are no model's": (SINGLE, "loop_without_model", {}),
    "weights that the script moves": (BY_ITSELF, "weights_moved_by_hand", {}),
    "a stream": (STREAM, "loop_of_stream", {}),
    "rows within rows": (NESTED, "loop_of_nested_batches", {}),
    "a turn that cannot be taken again": (
        ONCE,
        "loop_of_no_turns",
        {"said": "StopIteration"},
    ),
    "many numbers": (MANY, "loop_of_many_numbers", {"count": 48}),
    "an optimizer that asks for the loss again and again": (LBFGS, "hand_written_loop", {}),
    "two losses": (LOSSES, "loop_of_losses", {"count": 2}),
}


@pytest.mark.parametrize("what", UNFOLLOWED)
def test_of_a_loop_that_is_not_followed_it_is_said_why(what: str) -> None:
    script, code, numbers = UNFOLLOWED[what]
    report = report_of(script)

    assert report.outcome == "unknown"
    assert [(one.code, one.severity) for one in report.findings] == [(code, "note")]
    assert report.findings[0].numbers == numbers
