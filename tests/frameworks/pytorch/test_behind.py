"""What a script measures by hand once its Trainer has trained: tried on answers made up."""

from __future__ import annotations

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding, Found
from debugger.run import Run
from debugger.script.enclosure import Enclosure

WALLED = Enclosure(walled=True, cut_off=lambda: None)
START = """
import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import Trainer, TrainingArguments

torch.manual_seed(1)
x = torch.randn(160, 6)

class Rows(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return {"x": self.x[i], "labels": self.y[i]}

class Net(nn.Module):
    def __init__(self, out, loss):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, out))
        self.loss = loss
    def forward(self, x, labels=None):
        logits = self.body(x)
        if labels is None:
            return {"logits": logits}
        return {"loss": self.loss(logits.squeeze(-1), labels), "logits": logits}

args = TrainingArguments("out", num_train_epochs=3, learning_rate=1e-2, report_to=[], use_cpu=True)
"""
CLASSES = """
y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
train, test = Rows(x[:96], y[:96]), Rows(x[96:], y[96:])
trainer = Trainer(Net(3, nn.CrossEntropyLoss()), args, train_dataset=train, eval_dataset=test)
trainer.train()
"""
YES = """
y = (x[:, 0] > 0).float()
train, test = Rows(x[:96], y[:96]), Rows(x[96:], y[96:])
trainer = Trainer(
    Net(1, nn.BCEWithLogitsLoss()), args, train_dataset=train, eval_dataset=test)
trainer.train()
"""
AMOUNTS = """
cost = 40 + 9 * x[:, 0]
mean, wide = cost[:96].mean(), cost[:96].std()
y = (cost - mean) / wide
train, test = Rows(x[:96], y[:96]), Rows(x[96:], y[96:])
trainer = Trainer(Net(1, nn.MSELoss()), args, train_dataset=train, eval_dataset=test)
trainer.train()
"""
LOOP = """
made, right = [], []
trainer.model.eval()
for batch in DataLoader(test, batch_size=16):
    with torch.no_grad():
        logits = trainer.model(batch["x"])["logits"]
    made += {how}
    right += batch["labels"].tolist()
print({{"accuracy": accuracy_score(right, made)}})
"""
FAULTS: dict[str, tuple[str, str, str]] = {
    "the place of the highest along the rows": (
        "printed_blind", "argmax",
        YES + "made = trainer.predict(test).predictions.argmax(-1)\n"
        "print({'accuracy': (made == y[96:].numpy()).mean()})",
    ),
    "shares cut to whole numbers": (
        "printed_blind", "astype",
        YES + "made = trainer.predict(test)\n"
        "chosen = (1 / (1 + np.exp(-made.predictions[:, 0]))).astype(int)\n"
        "print('accuracy', accuracy_score(made.label_ids, chosen))",
    ),
    "a column beside a row": (
        "printed_mixes_rows", "made =",
        AMOUNTS + "made = trainer.predict(test)\n"
        "error = np.abs(made.predictions - made.label_ids).mean()\nprint({'mae': float(error)})",
    ),
    "errors with their sign": (
        "printed_with_sign", "error =",
        AMOUNTS + "made = trainer.predict(test)\n"
        "error = (made.predictions[:, 0] - made.label_ids).mean()\nprint({'mae': float(error)})",
    ),
    "the labels of other rows": (
        "printed_off_its_labels", "right =",
        CLASSES + "made = trainer.predict(test).predictions.argmax(-1)\n"
        "right = y[:64].numpy()\nprint(f'accuracy: {(made == right).mean():.3f}')",
    ),
    "never scaled back": (
        "answers_on_other_scale", "made =",
        AMOUNTS + "made = trainer.predict(test).predictions[:, 0]\n"
        "print('MAE:', mean_absolute_error(cost[96:].numpy(), made))",
    ),
    "the place of the highest of one in a loop": (
        "printed_blind", "print(",
        YES + LOOP.format(how="logits.argmax(-1).tolist()"),
    ),
    "the place of the lowest in a loop": (
        "printed_off_its_labels", "accuracy",
        CLASSES + LOOP.format(how="logits.argmin(-1).tolist()"),
    ),
    "answers that fit no labels": (
        "fails_afterwards", "accuracy_score(made.label_ids",
        CLASSES + "made = trainer.predict(test)\n"
        "print(accuracy_score(made.label_ids, made.predictions))",
    ),
}  # fmt: skip
SOUND = {
    "the place of the highest": CLASSES + "made = trainer.predict(test)\n"
    "chosen = made.predictions.argmax(-1)\n"
    "print({'accuracy': accuracy_score(made.label_ids, chosen)})",
    "one side of 0": YES + "made = trainer.predict(test)\n"
    "print({'f1': f1_score(made.label_ids, made.predictions[:, 0] > 0)})",
    "a loop": CLASSES + LOOP.format(how="logits.argmax(-1).tolist()"),
    "a loop of yes and no": YES + LOOP.format(how="(logits[:, 0] > 0).long().tolist()"),
    "scaled back": AMOUNTS + "made = trainer.predict(test).predictions[:, 0] * wide.item()\n"
    "made += mean.item()\nprint('MAE:', mean_absolute_error(cost[96:].numpy(), made))",
    "what the Trainer measures": CLASSES + "print(trainer.evaluate()['eval_loss'])",
    "a function": "def report(trainer, rows):\n    made = trainer.predict(rows)\n"
    "    return {'accuracy': (made.predictions.argmax(1) == made.label_ids).mean()}\n" + CLASSES
    + "print(report(trainer, test))",
    "saved and opened again": CLASSES + "trainer.save_model('kept')\n"
    "made = trainer.predict(test)\nprint('accuracy', "
    "float(np.mean(np.argmax(made.predictions, axis=1) == made.label_ids)))",
}  # fmt: skip
CODES = {code for code, _, _ in FAULTS.values()}


def findings(text: str) -> dict[str, Finding]:
    seen: list[Event] = []
    perform(Run(START + text, stage="evaluate", device="cpu", steps=2), seen.append, WALLED)
    return {one.finding.code: one.finding for one in seen if isinstance(one, Found)}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_measured_wrongly_by_hand_is_named_at_its_line(fault: str) -> None:
    code, at, text = FAULTS[fault]

    found = findings(text)

    assert code in found, sorted(found)
    line = found[code].line
    assert line is not None
    assert at in (START + text).splitlines()[line - 1]


@pytest.mark.parametrize("form", SOUND)
def test_what_is_measured_well_by_hand_is_let_be(form: str) -> None:
    assert CODES & set(findings(SOUND[form])) == set()
