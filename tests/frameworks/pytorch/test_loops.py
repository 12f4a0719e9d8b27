"""Loops that train by hand: healthy ones are let be, and what they forget is named at its line."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from debugger.diagnosis import perform
from debugger.frameworks.pytorch.by_hand import Unshuffled
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import Event
from debugger.report import Report, gather
from debugger.run import Run
from debugger.script.building import build
from debugger.script.enclosure import Enclosure

ROWS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
y = torch.randint(0, 3, (320,))
X = torch.randn(320, 8) + 2 * torch.eye(3, 8)[y]
train_rows = TensorDataset(X[:240], y[:240])
valid_rows = TensorDataset(X[240:], y[240:])
train_loader = DataLoader(train_rows, batch_size=16, shuffle=True)
valid_loader = DataLoader(valid_rows, batch_size=16)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
"""
QUICK = f"""{ROWS}
def train(loader, model):
    model.train()
    for batch, (X, y) in enumerate(loader):
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 10 == 0:
            print(loss.item())

def valid(loader, model):
    model.eval()
    right = 0
    with torch.no_grad():
        for X, y in loader:
            right += (model(X).argmax(1) == y).sum().item()
    print(right / len(loader.dataset))

epochs = 8
for epoch in range(epochs):
    train(train_loader, model)
    valid(valid_loader, model)
"""
PHASES = f"""{ROWS}
loaders = {{"train": train_loader, "val": valid_loader}}
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=7, gamma=0.1)
def fit(model, num_epochs=10):
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train() if phase == "train" else model.eval()
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = loss_fn(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
            if phase == "train":
                scheduler.step()
fit(model)
"""
CLASS = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
torch.manual_seed(0)
class Words(Dataset):
    def __init__(self, rows):
        self.y = torch.randint(0, 2, (rows,)).tolist()
        self.x = [torch.randint(10 * y, 10 * y + 15, (5 + n % 6,)) for n, y in enumerate(self.y)]
    def __len__(self):
        return len(self.y)
    def __getitem__(self, place):
        return self.x[place], self.y[place]
def collate(rows):
    texts, labels = zip(*rows)
    offsets = torch.tensor([0, *(len(one) for one in texts[:-1])]).cumsum(0)
    return torch.tensor(labels), torch.cat(texts), offsets
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.out = nn.EmbeddingBag(30, 16), nn.Linear(16, 2)
    def forward(self, text, offsets):
        return self.out(self.bag(text, offsets))
class Fitter:
    def __init__(self):
        self.model = Net()
        self.train_loader = DataLoader(Words(200), 16, shuffle=True, collate_fn=collate)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-2)
    def train_step(self, batch):
        labels, text, offsets = batch
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(text, offsets), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()
    def fit(self, epochs):
        for _ in range(epochs):
            self.model.train()
            for batch in self.train_loader:
                self.train_step(batch)
            self.model.eval()
Fitter().fit(6)
"""
SUMS = QUICK.replace("loss.backward()", "loss = loss / 3\n        loss.backward()").replace(
    "        optimizer.step()\n        optimizer.zero_grad()\n",
    "        if (batch + 1) % 3 == 0:\n"
    "            optimizer.step()\n            optimizer.zero_grad()\n",
)
WHOLE = """
import torch
from torch import nn
torch.manual_seed(0)
X = torch.rand(200, 3) * 2 - 1
y = X @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1 * torch.randn(200, 1)
X_train, X_test, y_train, y_test = X[:160], X[160:], y[:160], y[160:]
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(200):
    model.train()
    loss = nn.functional.mse_loss(model(X_train), y_train)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.inference_mode():
        test_loss = nn.functional.mse_loss(model(X_test), y_test)
print(test_loss)
"""
SLICES = f"""{ROWS}
for epoch in range(10):
    for i in range(0, len(X), 16):
        xb, yb = X[i : i + 16], y[i : i + 16]
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    print((model(X).argmax(1) == y).float().mean())
    model.train()
"""
DEALT = SLICES.replace(
    "    for i in range", "    order = torch.randperm(len(X))\n    for i in range"
).replace("X[i : i + 16], y[i : i + 16]", "X[order[i : i + 16]], y[order[i : i + 16]]")
SHOWN = DEALT.replace("import torch\n", "import torch\nfrom tqdm import tqdm\n", 1).replace(
    "    for i in range(0, len(X), 16):",
    "    bar = tqdm(range(0, len(X), 16), leave=False)\n    for i in bar:",
)
OPENED = SLICES.replace("import torch\n", "import torch\nfrom tqdm import trange\n", 1).replace(
    "for epoch in range(10):", "with trange(10) as epochs:\n  for epoch in epochs:"
)
CLOSED = f"""{ROWS}
for epoch in range(8):
    for xb, yb in train_loader:
        def closure():
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            return loss
        optimizer.step(closure)
    model.eval()
    print(sum((model(xb).argmax(1) == yb).sum() for xb, yb in valid_loader))
    model.train()
"""
OWN_TRAINER = QUICK
for was, now in {
    "def train(loader": "class DigitTrainer:\n  def train(self, loader",
    "    train(train_loader, model)": "    trainer.train(train_loader, model)",
    "epochs = 8": "trainer = DigitTrainer()\nepochs = 8",
}.items():
    OWN_TRAINER = OWN_TRAINER.replace(was, now)
NAMED = f"""{ROWS}
class Named(TensorDataset):
    def __getitem__(self, place):
        row = super().__getitem__(place)
        return {{"picture": row[0], "mask": (row[0] > 0).float()}}
net = nn.Linear(8, 8)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
test_loader = DataLoader(Named(X[240:], y[240:]), batch_size=16)
for epoch in range(4):
    net.train()
    for batch in DataLoader(Named(X[:240], y[:240]), batch_size=16, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(net(batch["picture"]), batch["mask"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
"""
ALONE = f"""{ROWS}
net = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 8))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
loader = DataLoader(TensorDataset(X[:240]), batch_size=16, shuffle=True)
val_loader = DataLoader(TensorDataset(X[240:]), batch_size=16)
for epoch in range(4):
    net.train()
    for (x,) in loader:
        loss = ((net(x) - x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
"""
PREPARED = QUICK.replace(
    "epochs = 8",
    """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
epochs = 8""",
)
ACCUMULATED = PREPARED.replace("(cpu=True)", "(cpu=True, gradient_accumulation_steps=3)").replace(
    """        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
""",
    """        with accelerator.accumulate(model):
            loss = loss_fn(model(X), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
""",
)
WALLED = Enclosure(walled=True)
IN_AN_OBJECT = (
    ACCUMULATED.replace(
        "model, optimizer, train_loader = acc",
        "class Run: pass\nrun = Run()\nmodel, optimizer, train_loader = acc",
    )
    .replace("\nepochs = 8", "\nrun.to, accelerator = accelerator, None\nepochs = 8")
    .replace("accelerator.accumulate", "run.to.accumulate")
    .replace("accelerator.backward", "run.to.backward")
)
HEALTHY = {
    "a function for an epoch": (QUICK, 8 * 15, 80),
    "two phases": (PHASES, 10 * 15, 80),
    "a class that is called Trainer": (OWN_TRAINER, 8 * 15, 80),
    "parts by name": (NAMED, 4 * 15, 80),
    "no labels": (ALONE, 4 * 15, 80),
    "prepared by accelerate": (PREPARED, 8 * 15, 80),
    "accumulated by accelerate": (ACCUMULATED, 8 * 5, 80),
    "accumulated by a field": (IN_AN_OBJECT, 8 * 5, 80),
    "a class and a collator": (CLASS, 6 * 13, None),
    "sums over three batches": (SUMS, 8 * 5, 80),
    "all rows at once": (WHOLE, 200, 40),
    "slices": (SLICES, 10 * 20, None),
    "slices by lot": (DEALT, 10 * 20, None),
    "the optimizer asks for the loss": (CLOSED, 8 * 15, 80),
    "slices by lot behind a bar": (SHOWN, 10 * 20, None),
    "slices in the open bar of epochs": (OPENED, 10 * 20, None),
}


def line_of(script: str, text: str) -> int:
    return script[: script.index(text)].count("\n") + 1


def report_of(script: str, stage: Any = "all") -> Report:
    events: list[Event] = []
    perform(Run(script, stage=stage), events.append)
    return gather(events)


def found(script: str, stage: Any, severity: str) -> dict[str, int | None]:
    findings = report_of(script, stage).findings
    return {one.code: one.line for one in findings if one.severity == severity}


@pytest.mark.some(4)
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_loop_is_looked_at_and_let_be(name: str) -> None:
    script, updates, held = HEALTHY[name]
    report = report_of(script)
    told = {
        row[0]["say"]: row[1]
        for stage in report.stages
        for evidence in stage.evidence
        if evidence.code in ("plan", "evaluations")
        for row in evidence.data["rows"]
    }

    assert [one for one in report.findings if one.severity == "fault"] == []
    assert {stage.outcome for stage in report.stages} <= {"pass", "look"}
    assert told["updates_planned"] == updates
    assert told["eval_rows"] == held


OF_A_CLASS = """
import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(200, 3)
y = X @ torch.tensor([1.0, -2.0, 0.5])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 16), nn.Linear(16, 1)
    def forward(self, x):
        return self.two(torch.relu(self.one(x)))
net = Net()
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(10):
    for i in range(0, len(X), 20):
        pred = net(X[i : i + 20])
        loss = loss_fn(pred, y[i : i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
FORGOTTEN = {
    "that each step makes an optimizer": (
        QUICK.replace(
            "        loss.backward()\n",
            "        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n"
            "        loss.backward()\n",
        ),
        "step",
        "optimizer_made_anew",
        "        optimizer = torch.optim.Adam",
    ),
    "zero_grad": (
        QUICK.replace("        optimizer.zero_grad()\n", ""),
        "step",
        "missing_zero_grad",
        "optimizer.step()",
    ),
    "zero_grad too early": (
        QUICK.replace(
            "        optimizer.step()\n        optimizer.zero_grad()\n",
            "        optimizer.zero_grad()\n        optimizer.step()\n",
        ),
        "step",
        "zeroed_before_step",
        "optimizer.zero_grad()",
    ),
    "the optimizer's weights": (
        QUICK.replace("Adam(model.parameters()", "Adam(nn.Linear(8, 3).parameters()"),
        "step",
        "not_in_optimizer",
        "optimizer =",
    ),
    "a softmax": (
        QUICK.replace("nn.Linear(16, 3))", "nn.Linear(16, 3), nn.Softmax(-1))"),
        "forward",
        "squashed_before_loss",
        "model =",
    ),
    "a shape": (
        WHOLE.replace("+ 0.1 * torch.randn(200, 1)", "").replace(
            "y = X @ torch.tensor([[1.0], [-2.0], [0.5]])",
            "y = X @ torch.tensor([1.0, -2.0, 0.5])",
        ),
        "forward",
        "rows_pulled_alike",
        "loss =",
    ),
    "a shape that the model's own class made": (
        OF_A_CLASS,
        "forward",
        "rows_pulled_alike",
        "pred =",
    ),
    "a schedule of epochs": (
        PHASES.replace("optimizer.step()\n", "optimizer.step(); scheduler.step()\n"),
        "step",
        "rate_falls_by_updates",
        "scheduler =",
    ),
    "backward": (
        QUICK.replace("        loss.backward()\n", ""),
        "setup",
        "never_goes_backward",
        "optimizer.step()",
    ),
    "the step": (
        QUICK.replace("        optimizer.step()\n", ""),
        "setup",
        "no_optimizer_steps",
        "loss.backward()",
    ),
}


@pytest.mark.parametrize("what", FORGOTTEN)
def test_what_a_loop_forgets_is_a_fault_at_its_line(what: str) -> None:
    script, stage, code, text = FORGOTTEN[what]

    assert found(script, stage, "fault").get(code) == line_of(script, text)


MASKED = """
import torch
from torch.utils.data import DataLoader, TensorDataset
from transformers import BertConfig, BertForSequenceClassification
torch.manual_seed(0)
ids = torch.randint(3, 60, (64, 12))
ids[:, 7:] = 0
rows = TensorDataset(ids, (ids != 0).long(), (ids[:, 0] > 30).long())
loader = DataLoader(rows, batch_size=16, shuffle=True)
model = BertForSequenceClassification(BertConfig(
    vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for b_ids, b_mask, b_labels in loader:
        optimizer.zero_grad()
        loss = model(b_ids, attention_mask=b_mask, labels=b_labels).loss
        loss.backward()
        optimizer.step()
"""


def test_what_a_model_is_given_by_name_is_known_by_it() -> None:
    plain = MASKED.replace("attention_mask=b_mask, ", "")

    assert "mask_missing" not in found(MASKED, "batch", "look")
    assert "mask_missing" in found(plain, "batch", "look")


def test_labels_that_a_loop_leaves_are_none() -> None:
    """Those of an autoencoder's rows."""
    script = QUICK.replace("16, 3)", "16, 8)").replace("loss_fn(pred, y)", "loss_fn(pred, X)")
    script = script.replace("nn.CrossEntropyLoss()", "nn.MSELoss()").replace(
        "argmax(1) == y", "abs() < 1"
    )
    made = build(script, "mine.py", enclosure=WALLED).trained

    assert made.turn.form.label is None
    assert found(script, "forward", "look") == {}


def test_inputs_in_thousands_before_a_new_net() -> None:
    far = QUICK.replace("train_rows = ", "X = 3000 + 1000 * X\ntrain_rows = ")

    assert "sure_before_training" in found(far, "forward", "look")
    assert found(QUICK, "forward", "look") == {}


def test_a_break_that_was_left_in_the_loop() -> None:
    script = QUICK.replace("print(loss.item())\n", "print(loss.item())\n        break\n")

    assert found(script, "step", "look") == {"loop_broken_off": line_of(script, "        break")}


MODES = {
    "never back": (
        QUICK.replace("    model.train()\n", "").replace("epochs = 8", "model.train()\nepochs = 8"),
        "step",
        "stays_in_eval_mode",
        "model.eval()",
    ),
    "from the beginning": (
        QUICK.replace("    model.train()\n", "").replace("epochs = 8", "model.eval()\nepochs = 8"),
        "step",
        "learns_in_eval_mode",
        "for batch, (X, y)",
    ),
    "never": (
        QUICK.replace("    model.eval()\n", ""),
        "evaluate",
        "judged_in_train_mode",
        "with torch.no_grad()",
    ),
}


@pytest.mark.parametrize("when", MODES)
def test_the_mode_of_a_model(when: str) -> None:
    script, stage, code, text = MODES[when]

    assert found(script, stage, "look").get(code) == line_of(script, text)
    plain = script.replace("nn.Dropout(0.3)", "nn.ReLU()")  # that does the same in both modes
    assert code not in found(plain, stage, "look")


def test_what_accelerate_counts_is_counted_on_as_if_nobody_had_looked() -> None:
    """Of the three gradients of a step it sets two to zero, where it is asked in each turn."""
    first = ACCUMULATED.replace("            optimizer.zero_grad()\n", "").replace(
        "            accelerator.backward",
        "            optimizer.zero_grad()\n            accelerator.backward",
    )
    made, lost = (build(one, "mine.py", enclosure=WALLED).trained for one in (ACCUMULATED, first))

    assert (made.divided, made.args.gradient_accumulation_steps, made.keeps_gradients) == (
        3,
        3,
        False,
    )
    assert (lost.by_hand.backwards, lost.by_hand.zeroed) == (3, 2)
    assert lost.args.gradient_accumulation_steps == 3


@pytest.mark.parametrize(
    ("zeroes", "kept"),
    [("optimizer.zero_grad()", False), ("pass", True), ("forget(model)", False)],
)
def test_a_step_is_taken_to_see_what_is_left_and_taken_back(zeroes: str, kept: bool) -> None:
    script = QUICK.replace("        optimizer.zero_grad()\n", f"        {zeroes}\n").replace(
        "def train(",
        "def forget(model):\n    for weight in model.parameters():\n"
        "        weight.grad = None\n\ndef train(",
    )
    made = build(script, "mine.py", enclosure=WALLED).trained
    torch.manual_seed(0)
    names: dict[str, Any] = {}
    exec(ROWS, names)

    assert made.keeps_gradients is kept
    for weight, fresh in zip(made.model.parameters(), names["model"].parameters(), strict=True):
        assert torch.equal(weight, fresh)


def test_what_fails_behind_the_first_step_is_the_scripts() -> None:
    script = QUICK.replace("print(loss.item())", "print(loss.itme())")
    built = build(script, "mine.py", enclosure=WALLED)

    assert built.failure is not None
    assert built.failure.line == line_of(script, "print(loss.itme())")


def test_a_training_of_one_step_ends_before_there_is_more_to_see() -> None:
    script = SLICES.replace("range(10)", "range(1)").replace("range(0, len(X), 16)", "range(1)")
    script = script.replace("X[i : i + 16], y[i : i + 16]", "X, y")

    assert build(script, "mine.py", enclosure=WALLED).trained is not None


def test_of_two_loops_the_first_is_looked_at_and_the_other_named() -> None:
    twice = f"{SLICES}{SLICES[SLICES.index('for epoch') :]}"
    said = found(twice, "setup", "note")

    last = twice[: twice.rindex("loss.backward()")].count("\n") + 1

    assert said == {"first_loop_only": last}


@pytest.mark.parametrize(
    ("made", "moves", "rates"),
    [
        ("OneCycleLR(optimizer, 0.01, total_steps=120)", "scheduler.step()", (0.0004, 0.000419)),
        ("LinearLR(optimizer, 1.0, 0.0, 120)", "scheduler.step()", (0.005, 0.004958)),
        ("StepLR(optimizer, 1)", "if loss < 0: scheduler.step()", (0.005, 0.005)),
    ],
)
def test_the_rate_is_that_of_the_loops_own_steps(
    made: str, moves: str, rates: tuple[float, float]
) -> None:
    """The step that is taken back takes the schedule's back, too."""
    schedule = f"scheduler = torch.optim.lr_scheduler.{made}\nepochs = 8"
    behind = ("        optimizer.zero_grad()", "    valid(valid_loader, model)")["StepLR" in made]
    space = " " * (len(behind) - len(behind.lstrip()))
    script = QUICK.replace("epochs = 8", schedule)
    script = script.replace(f"{behind}\n", f"{behind}\n{space}{moves}\n")
    built = build(script, "mine.py", enclosure=WALLED)
    pipeline = TrainerPipeline(built.trained)
    first, second = pipeline.step().learning_rates
    held = pipeline.overfit(2, lambda *_: None).rate

    assert (first, second) == pytest.approx(rates, rel=0.01)
    assert held == (0.01 if "OneCycle" in made else 0.005)  # the highest, however long the climb


def test_a_schedule_may_be_the_whole_rate() -> None:
    """The optimizer's own is then 1, which nobody ever learns at."""
    script = QUICK.replace("lr=5e-3", "lr=1.0").replace(
        "epochs = 8",
        "def noam(step):\n"
        "    return 0.05 * min((step + 1) ** -0.5, (step + 1) * 50**-1.5)\n"
        "scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, noam)\nepochs = 8",
    )
    script = script.replace("optimizer.step()\n", "optimizer.step()\n        scheduler.step()\n")
    report = report_of(script)
    held = TrainerPipeline(build(script, "mine.py", enclosure=WALLED).trained)

    assert [one for one in report.findings if one.severity in ("fault", "look")] == []
    assert held.overfit(2, lambda *_: None).rate == pytest.approx(0.05 * 50**-0.5, rel=0.1)


@pytest.mark.parametrize(("climbs", "held"), [("epoch / 20", 0.1), ("epoch // 200", 0.0)])
def test_a_rate_that_a_loop_sets_by_hand_is_taken_at_its_height(climbs: str, held: float) -> None:
    """It is followed no further than to the second step; one that is still 0 then stays it."""
    by_hand = f"        group['lr'] = 0.1 * min(1, {climbs})\n"
    groups = f"    for group in optimizer.param_groups:\n{by_hand}"
    script = WHOLE.replace("    model.train()\n", f"    model.train()\n{groups}")
    seen = TrainerPipeline(build(script, "mine.py", enclosure=WALLED).trained).step()

    assert seen.learning_rates == (held, held)
    assert any(block.update for block in seen.blocks) == (held > 0)


PLACES = """
import numpy as np
weights = torch.rand(320)
X_train, y_train, w_train = X[:240], y[:240], weights[:240]
X_valid, y_valid = X[240:], y[240:]
for epoch in range(8):
    for idx in DEALT:
        loss = nn.functional.cross_entropy(model(X_train[idx]), y_train[idx], reduction="none")
        loss = (loss * w_train[idx]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
"""
WAYS_TO_DEAL = {
    "split": ("torch.randperm(240).split(16)", True),
    "of torch": ("torch.split(torch.randperm(240), 16)", True),
    "of numpy": ("np.array_split(np.random.permutation(240), 15)", True),
    "shown": ("list(torch.randperm(240).split(16))", True),
    "in order": ("torch.arange(240).split(16)", False),
}


@pytest.mark.some(2)
@pytest.mark.parametrize("how", WAYS_TO_DEAL)
def test_rows_may_be_dealt_out_by_their_places(how: str) -> None:
    dealt, mixed = WAYS_TO_DEAL[how]
    made: Any = build(ROWS + PLACES.replace("DEALT", dealt), "mine.py", enclosure=WALLED).trained

    assert (len(made.train_dataset), made.args.per_device_train_batch_size) == (240, 16)
    assert made.args.num_train_epochs == 8
    assert issubclass(type(made), Unshuffled) != mixed
    batch: Any = next(iter(made.get_train_dataloader()))
    weights = {round(float(one), 5) for one in made.train_dataset.tensors["part_0"]}
    assert set(batch) == {"input", "labels", "part_0"}
    assert {round(float(one), 5) for one in batch["part_0"]} <= weights
    report = report_of(ROWS + PLACES.replace("DEALT", dealt))
    assert {stage.outcome for stage in report.stages} <= {"pass", "look"}


def test_the_weight_of_a_row_goes_with_it() -> None:
    """And is not that of the row at the same place of the batch."""
    script = ROWS + PLACES.replace("DEALT", "torch.randperm(240).split(16)")
    made = build(script, "mine.py", enclosure=WALLED).trained
    made.turn.model.eval()
    rows = [made.train_dataset[place] for place in range(100, 116)]
    batch: Any = made.data_collator(rows)

    known = made.train_dataset.tensors
    scores = made.turn.model(known["input"][100:116])
    each = torch.nn.functional.cross_entropy(scores, known["labels"][100:116], reduction="none")
    wanted = (each * known["part_0"][100:116]).mean()
    assert float(made.turn.loss(batch)[0]) == pytest.approx(float(wanted), rel=1e-5)


TWICE = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
users, liked = torch.randint(0, 30, (400,)), torch.randint(0, 20, (400,))
others = torch.randint(0, 20, (400,))
class Tastes(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.things = nn.Embedding(30, 8), nn.Embedding(20, 8)
    def forward(self, user, thing):
        return (self.users(user) * self.things(thing)).sum(-1)
model = Tastes()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    for user, thing, other in DataLoader(TensorDataset(users, liked, others), 20, shuffle=True):
        loss = nn.functional.softplus(model(user, other) - model(user, thing)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
"""


def test_a_model_may_be_asked_twice_in_a_turn() -> None:
    made = build(TWICE, "mine.py", enclosure=WALLED).trained

    assert set(made.train_dataset[0]) == {"user", "thing", "part_1"}
    assert report_of(TWICE).outcome == "pass"
