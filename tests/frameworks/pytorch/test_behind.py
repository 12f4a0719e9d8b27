"""What a script measures by hand once its Trainer has trained: tried on answers made up."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import Trainer

from debugger.diagnosis import perform
from debugger.frameworks.pytorch import evaluating
from debugger.outcome import Event, Finding, Found
from debugger.run import Run
from debugger.script.enclosure import Enclosure
from tests.frameworks.pytorch.test_untouched import everything

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
ASKED = "made = trainer.predict(test)\n"
FAULTS: dict[str, tuple[str, str, str]] = {
    "the place of the highest along the rows": (
        "printed_blind", "argmax",
        YES + "made = trainer.predict(test).predictions.argmax(-1)\n"
        "print({'accuracy': (made == y[96:].numpy()).mean()})",
    ),
    "shares cut to whole numbers": (
        "shares_cut_to_zero", "astype",
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
    "a class too high": (
        "printed_off_its_labels", "accuracy",
        CLASSES + ASKED + "chosen = made.predictions.argmax(-1) + 1\n"
        "print('accuracy', (chosen == made.label_ids).mean())",
    ),
    "labels in an order of their own": (
        "printed_off_its_labels", "right =",
        CLASSES + ASKED + "right = np.sort(made.label_ids)\n"
        "print('accuracy', (made.predictions.argmax(-1) == right).mean())",
    ),
    "labels of a loader that shuffles": (
        "printed_off_its_labels", "right = torch.cat",
        CLASSES + ASKED + "loader = DataLoader(test, 16, shuffle=True)\n"
        "right = torch.cat([batch['labels'] for batch in loader]).numpy()\n"
        "print('accuracy', (made.predictions.argmax(-1) == right).mean())",
    ),
    "answers of a loader that shuffles": (
        "printed_off_its_labels", "accuracy",
        CLASSES + "made = []\ntrainer.model.eval()\n"
        "for batch in DataLoader(test, 16, shuffle=True):\n    with torch.no_grad():\n"
        "        made += trainer.model(batch['x'])['logits'].argmax(-1).tolist()\n"
        "print('accuracy', (np.array(made) == y[96:].numpy()).mean())",
    ),
    "labels beside themselves": (
        "printed_blind", "chosen =",
        CLASSES + ASKED + "chosen = made.label_ids\n"
        "print('accuracy', (chosen == made.label_ids).mean())",
    ),
    "the place of the highest along the rows of classes": (
        "printed_blind", "print(",
        CLASSES + ASKED + "chosen = made.predictions.argmax(axis=0)\n"
        "print('accuracy', (chosen == y[96:99].numpy()).mean())",
    ),
    "labels of other rows, in a function": (
        "printed_off_its_labels", "report(trainer",
        "def report(trainer, rows, right):\n    made = trainer.predict(rows).predictions\n"
        "    return (made.argmax(-1) == right).mean()\n"
        + CLASSES + "print('accuracy', report(trainer, test, y[:64].numpy()))",
    ),
    "scaled back without the mean": (
        "printed_off_its_labels", "MAE",
        AMOUNTS + ASKED + "said = made.predictions[:, 0] * wide.item()\n"
        "print('MAE', np.abs(said - cost[96:].numpy()).mean())",
    ),
    "a column beside a row, scaled back": (
        "printed_mixes_rows", "said = made.predictions",
        AMOUNTS + ASKED + "said = made.predictions * wide.item() + mean.item()\n"
        "print('RMSE', np.sqrt(np.mean((said - cost[96:].numpy()) ** 2)))",
    ),
    "a column beside a row in a loop": (
        "printed_mixes_rows", "for batch",
        AMOUNTS + "total = 0.0\ntrainer.model.eval()\nfor batch in DataLoader(test, 16):\n"
        "    with torch.no_grad():\n        said = trainer.model(batch['x'])['logits']\n"
        "    total += (said - batch['labels']).abs().mean().item()\nprint('MAE', total / 4)",
    ),
    "labels of all rows": (
        "fails_afterwards", "accuracy_score(y",
        CLASSES + ASKED + "print(accuracy_score(y.numpy(), made.predictions.argmax(-1)))",
    ),
    "answers that fit no labels": (
        "scores_measured_as_classes", "accuracy_score(made.label_ids",
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
    "what the Trainer measures of a prediction": AMOUNTS.replace(
        "trainer = Trainer(", "def measure(p):\n"
        "    return {'rmse': float(np.sqrt(np.mean((p.predictions[:, 0] - p.label_ids) ** 2)))}\n"
        "trainer = Trainer(compute_metrics=measure, model=", 1)
    .replace("MSELoss()), args", "MSELoss()), args=args")
    + "said = trainer.predict(test).metrics\nprint('rmse in euros', said['test_rmse'] * wide)\n"
    "made, _, said = trainer.predict(test)\nprint('rmse', said['test_rmse'] * wide, made.shape)",
    "what the Trainer measures": CLASSES + "print(trainer.evaluate()['eval_loss'])",
    "a function": "def report(trainer, rows):\n    made = trainer.predict(rows)\n"
    "    return {'accuracy': (made.predictions.argmax(1) == made.label_ids).mean()}\n" + CLASSES
    + "print(report(trainer, test))",
    "saved and opened again": CLASSES + "trainer.save_model('kept')\n"
    "made = trainer.predict(test)\nprint('accuracy', "
    "float(np.mean(np.argmax(made.predictions, axis=1) == made.label_ids)))",
}  # fmt: skip
CHOSEN = CLASSES + ASKED + "chosen = made.predictions.argmax(-1)\nright = made.label_ids\n"
SHARES = (
    YES + ASKED + "shares = 1 / (1 + np.exp(-made.predictions[:, 0]))\nright = made.label_ids\n"
)
SCALED_BACK = (
    AMOUNTS + ASKED + "said = made.predictions[:, 0] * wide.item() + mean.item()\n"
    "real = cost[96:].numpy()\n"
)
MANY = YES.replace("x[:, 0] > 0", "x[:, :3] > 0").replace("Net(1", "Net(3") + ASKED
IN_LOOP = (
    CLASSES + "trainer.model.eval()\nhits = 0\nfor batch in DataLoader(test, batch_size=16):\n"
)
SUBCLASS = """class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **more):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs["logits"], labels)
        return (loss, outputs) if return_outputs else loss

trainer = Weighted("""
SCALER = AMOUNTS.replace(
    "y = (cost - mean) / wide",
    "from sklearn.preprocessing import StandardScaler\n"
    "scaler = StandardScaler().fit(cost[:96].numpy()[:, None])\n"
    "y = torch.tensor(scaler.transform(cost.numpy()[:, None])[:, 0], dtype=torch.float32)",
)
SOUND |= {
    "a report": CHOSEN + "from sklearn.metrics import classification_report, confusion_matrix\n"
    "print(classification_report(right, chosen, zero_division=0))\n"
    "print(confusion_matrix(right, chosen))",
    "three of a tuple": CLASSES + "logits, right, told = trainer.predict(test)\n"
    "wrong = (logits.argmax(-1) != right).mean()\nprint('error', wrong, 'accuracy', 1 - wrong)",
    "a softmax of tensors": CLASSES + ASKED
    + "shares = torch.softmax(torch.tensor(made.predictions), dim=-1)\n"
    "sure, chosen = shares.max(dim=-1)\n"
    "print('accuracy', (chosen.numpy() == made.label_ids).mean(), 'sure', sure.mean().item())",
    "each class by itself": CHOSEN + "for kind in range(3):\n"
    "    print(f'accuracy of {kind}: {(chosen[right == kind] == kind).mean():.2f}')",
    "precision and recall by hand": CHOSEN + "for kind in range(3):\n"
    "    hit = ((chosen == kind) & (right == kind)).sum()\n    print(kind, 'precision', "
    "hit / max(1, (chosen == kind).sum()), 'recall', hit / max(1, (right == kind).sum()))",
    "among the best two": CLASSES + ASKED
    + "best = np.argsort(made.predictions, axis=1)[:, -2:]\nprint('top-2 accuracy:', "
    "np.mean([label in row for label, row in zip(made.label_ids, best)]))",
    "among the best of all": CHOSEN + "for k in (1, 2, 3):\n"
    "    best = np.argsort(-made.predictions, axis=1)[:, :k]\n"
    "    print(f'top-{k} accuracy', np.mean([r in b for r, b in zip(right, best)]))",
    "beside the commonest class": CHOSEN + "common = np.bincount(right).max() / len(right)\n"
    "print(f'accuracy {(chosen == right).mean():.3f}, majority {common:.3f}')",
    "by chance": CHOSEN + "print('chance accuracy:', 1 / 3)\n"
    "print('accuracy:', (chosen == right).mean())",
    "the training set as well": CLASSES
    + "for name, rows in {'train': train, 'test': test}.items():\n"
    "    made = trainer.predict(rows)\n"
    "    print(name, 'accuracy', (made.predictions.argmax(-1) == made.label_ids).mean())",
    "scores by name": "def evaluate_model(trainer, rows):\n    made = trainer.predict(rows)\n"
    "    chosen = made.predictions.argmax(-1)\n"
    "    return {'accuracy': accuracy_score(made.label_ids, chosen),\n"
    "            'f1': f1_score(made.label_ids, chosen, average='macro')}\n" + CLASSES
    + "for name, value in evaluate_model(trainer, test).items():\n"
    "    print(f'{name}: {value:.3f}')",
    "a table of answers": "import pandas as pd\n" + CHOSEN
    + "table = pd.DataFrame({'label': right, 'said': chosen})\nprint(table.head())\n"
    "print('accuracy', (table.label == table.said).mean())\n"
    "print((table.label == table.said).groupby(table.label).mean())\n"
    "print(pd.crosstab(table.label, table.said))",
    "names of classes": CHOSEN + "names = ['low', 'some', 'high']\n"
    "said, wanted = [names[n] for n in chosen], [names[n] for n in right]\n"
    "print('accuracy', np.mean([a == b for a, b in zip(said, wanted)]))",
    "mistakes": CHOSEN + "wrong = np.flatnonzero(chosen != right)\n"
    "print(len(wrong), 'mistakes')\nfor n in wrong[:3]:\n    print(n, chosen[n], right[n])",
    "how often each class is said": CHOSEN + "print('said', np.bincount(chosen, minlength=3))\n"
    "print('are', np.bincount(right, minlength=3))",
    "the surest half": CHOSEN + "half = np.argsort(-made.predictions.max(1))[:32]\n"
    "print('accuracy of the surest', (chosen[half] == right[half]).mean())",
    "one class beside": CHOSEN + "off = np.abs(chosen - right)\n"
    "print('accuracy', (off == 0).mean(), 'within one', (off <= 1).mean())",
    "some rows by what they hold": CHOSEN + "high = x[96:, 2].numpy() > 0\n"
    "print('accuracy high', (chosen[high] == right[high]).mean())\n"
    "print('accuracy low', (chosen[~high] == right[~high]).mean())",
    "labels read row by row": CHOSEN + "right = np.array([row['labels'].item() for row in test])\n"
    "print('accuracy', (chosen == right).mean())",
    "as drawn again and again": CHOSEN + "hits = chosen == right\nagain = "
    "[np.random.default_rng(n).choice(hits, 64).mean() for n in range(9)]\n"
    "print(f'accuracy {hits.mean():.3f} +- {np.std(again):.3f}')",
    "kept in a file": "import json\n" + CHOSEN
    + "scores = {'accuracy': float((chosen == right).mean())}\nprint(json.dumps(scores))\n"
    "with open('scores.json', 'w') as out:\n    json.dump(scores, out)",
    "an area": CLASSES + ASKED + "from scipy.special import softmax\n"
    "from sklearn.metrics import log_loss, roc_auc_score\n"
    "shares = softmax(made.predictions.astype(float), axis=1)\n"
    "print('auc', roc_auc_score(made.label_ids, shares, multi_class='ovr'))\n"
    "print('log loss', log_loss(made.label_ids, shares))",
    "shares above a half": SHARES + "print('accuracy', accuracy_score(right, shares > 0.5))",
    "an area of yes and no": SHARES + "from sklearn.metrics import roc_auc_score\n"
    "print('AUC', roc_auc_score(right, shares))",
    "four counts": SHARES + "from sklearn.metrics import confusion_matrix\n"
    "tn, fp, fn, tp = confusion_matrix(right, shares > 0.5).ravel()\n"
    "print('tp', tp, 'specificity', tn / (tn + fp))\nprint('recall', tp / (tp + fn))",
    "the best of thresholds": SHARES + "best = max(np.linspace(0.1, 0.9, 9), "
    "key=lambda cut: f1_score(right, shares > cut, zero_division=0))\n"
    "print('best threshold', best)",
    "several labels": MANY + "said = 1 / (1 + np.exp(-made.predictions)) >= 0.5\n"
    "for how in ('micro', 'macro'):\n    print(how, 'f1', "
    "f1_score(made.label_ids, said, average=how, zero_division=0))\n"
    "print('exact match', accuracy_score(made.label_ids, said))",
    "each of several labels": MANY + "said = made.predictions > 0\nfor n in range(3):\n"
    "    print('label', n, 'accuracy', (said[:, n] == made.label_ids[:, n]).mean())",
    "a scaler": SCALER + ASKED
    + "said = scaler.inverse_transform(made.predictions.reshape(-1, 1)).ravel()\n"
    "real = scaler.inverse_transform(made.label_ids.reshape(-1, 1)).ravel()\n"
    "print('MAE:', mean_absolute_error(real, said))\n"
    "print('MAPE:', np.mean(np.abs((real - said) / real)) * 100)",
    "three errors": SCALED_BACK + "from sklearn.metrics import mean_squared_error, r2_score\n"
    "print('MAE', mean_absolute_error(real, said), 'RMSE', "
    "mean_squared_error(real, said) ** 0.5, 'R2', r2_score(real, said))",
    "beside the mean": SCALED_BACK + "mae = np.abs(said - real).mean()\n"
    "base = np.abs(real - mean.item()).mean()\n"
    "print(f'MAE {mae:.2f}, always the mean: {base:.2f}, improvement {1 - mae / base:.1%}')",
    "the mean by itself": SCALED_BACK + "print('baseline MAE', np.abs(real - real.mean()).mean())\n"
    "print('MAE', np.abs(said - real).mean())",
    "errors and which way": SCALED_BACK + "print('MAE', np.abs(said - real).mean())\n"
    "print('bias', (said - real).mean())",
    "shares of errors": SCALED_BACK + "errors = np.abs(said - real)\n"
    "print(f'median {np.median(errors):.2f}, worst {errors.max():.2f}')\n"
    "print('within 10 %:', (errors < 0.1 * np.abs(real)).mean())",
    "rounded and cut": SCALED_BACK + "said = np.clip(np.round(said), 0, None)\n"
    "print('MAE', np.abs(said - real).mean())",
    "a logarithm undone": AMOUNTS.replace(
        "y = (cost - mean) / wide", "cost = cost.clip(5)\ny = torch.log1p(cost)"
    ) + ASKED + "said, real = np.expm1(made.predictions[:, 0]), np.expm1(made.label_ids)\n"
    "print('MAE', mean_absolute_error(real, said))",
    "an error times the spread": AMOUNTS + ASKED
    + "error = np.abs(made.predictions[:, 0] - made.label_ids).mean()\n"
    "print('MAE', error * wide.item())",
    "a perplexity": "import math\n" + CLASSES
    + "print('perplexity', math.exp(trainer.evaluate()['eval_loss']))",
    "what is left of the training": CLASSES.replace("trainer.train()", "told = trainer.train()")
    + "print(told.training_loss, told.metrics)\nfound = trainer.evaluate()\n"
    "trainer.log_metrics('eval', found)\ntrainer.save_metrics('eval', found)\n"
    "print(trainer.evaluate(train)['eval_loss'], trainer.state.log_history[-1:])",
    "batches whole": IN_LOOP + "    with torch.no_grad():\n        out = trainer.model(**batch)\n"
    "    hits += (torch.argmax(out['logits'], dim=-1) == batch['labels']).sum().item()\n"
    "print(f'accuracy: {hits / len(test):.3f}')",
    "labels taken out": IN_LOOP + "    labels = batch.pop('labels')\n"
    "    with torch.no_grad():\n        logits = trainer.model(**batch)['logits']\n"
    "    hits += (logits.argmax(dim=1) == labels).sum().item()\n"
    "print('accuracy', hits / len(test))",
    "batches on a device": "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n" + IN_LOOP
    + "    batch = {name: value.to(device) for name, value in batch.items()}\n"
    "    with torch.inference_mode():\n        out = trainer.model.to(device)(**batch)\n"
    "    hits += (out['logits'].argmax(-1) == batch['labels']).sum().item()\n"
    "print('accuracy', hits / len(test))",
    "batches of two": CLASSES + "from torch.utils.data import TensorDataset\n"
    "model, hits = trainer.model.eval(), 0\n"
    "for xb, yb in DataLoader(TensorDataset(x[96:], y[96:]), batch_size=16):\n"
    "    with torch.no_grad():\n        logits = model(xb)['logits']\n"
    "    hits += (logits.argmax(1) == yb).sum().item()\nprint('accuracy', hits / 64)",
    "the loader of the Trainer": CLASSES + "hits = 0\ntrainer.model.eval()\n"
    "for batch in trainer.get_eval_dataloader(test):\n    with torch.no_grad():\n"
    "        said = trainer.model(batch['x'])['logits'].argmax(-1)\n"
    "    hits += (said == batch['labels']).sum().item()\nprint('accuracy', hits / len(test))",
    "losses of batches": IN_LOOP + "    with torch.no_grad():\n"
    "        hits += trainer.model(**batch)['loss'].item() * len(batch['labels'])\n"
    "print('loss', hits / len(test))",
    "all rows at once": CLASSES + "trainer.model.eval()\nwith torch.no_grad():\n"
    "    logits = trainer.model(x[96:])['logits']\n"
    "print('accuracy', (logits.argmax(-1) == y[96:]).float().mean().item())",
    "one row after the other": CLASSES + "trainer.model.eval()\nhits = 0\n"
    "for n in range(len(test)):\n    with torch.no_grad():\n"
    "        logits = trainer.model(test[n]['x'].unsqueeze(0))['logits']\n"
    "    hits += int(logits.argmax(-1).item() == test[n]['labels'].item())\n"
    "print('accuracy', hits / len(test))",
    "a few rows to look at": CLASSES + "trainer.model.eval()\nwith torch.no_grad():\n"
    "    print(trainer.model(x[:3])['logits'].argmax(-1).tolist(), y[:3].tolist())",
    "amounts in batches": AMOUNTS + "total = 0.0\ntrainer.model.eval()\n"
    "for batch in DataLoader(test, batch_size=16):\n    with torch.no_grad():\n"
    "        said = trainer.model(batch['x'])['logits'].squeeze(-1) * wide + mean\n"
    "    total += (said - batch['labels'] * wide - mean).abs().sum().item()\n"
    "print('MAE', total / len(test))",
    "a decorated function": "@torch.no_grad()\ndef check(model, rows):\n    model.eval()\n"
    "    hits = 0\n    for batch in DataLoader(rows, batch_size=16):\n"
    "        said = model(batch['x'])['logits'].argmax(-1)\n"
    "        hits += (said == batch['labels']).sum().item()\n    return hits / len(rows)\n"
    + CLASSES
    + "print('accuracy', check(trainer.model, test), 'train', check(trainer.model, train))",
    "weights opened again": CLASSES + "torch.save(trainer.model.state_dict(), 'kept.pt')\n"
    "model = Net(3, nn.CrossEntropyLoss())\nmodel.load_state_dict(torch.load('kept.pt'))\n"
    "model.eval()\nwith torch.no_grad():\n    chosen = model(x[96:])['logits'].argmax(-1)\n"
    "print('accuracy', (chosen == y[96:]).float().mean().item())",
    "a Trainer of one's own": CLASSES.replace("trainer = Trainer(", SUBCLASS) + ASKED
    + "print('accuracy', (made.predictions.argmax(-1) == y[96:].numpy()).mean())",
    "columns dealt out": CHOSEN + "for column in range(2):\n    mixed = x[96:].clone()\n"
    "    mixed[:, column] = mixed[torch.randperm(64), column]\n"
    "    other = trainer.predict(Rows(mixed, y[96:])).predictions.argmax(-1)\n"
    "    print(column, 'loses', (chosen == right).mean() - (other == right).mean())",
    "a main function": "def main():\n"
    + "".join(f"    {one}\n" for one in (CLASSES.strip() + "\n" + ASKED.strip()).splitlines())
    + "    print('accuracy', (made.predictions.argmax(1) == made.label_ids).mean())\n"
    "if __name__ == '__main__':\n    main()",
    "behind the function that trains": "def fit():\n"
    + "".join(f"    {one}\n" for one in CLASSES.strip().splitlines())
    + "    return trainer, test\ntrainer, test = fit()\n" + ASKED
    + "print('accuracy', (made.predictions.argmax(1) == made.label_ids).mean())",
    "a program that ends": CHOSEN + "accuracy = (chosen == right).mean()\n"
    "print('good' if accuracy > 0.9 else 'bad', 'accuracy', accuracy)\nraise SystemExit(0)",
}  # fmt: skip
CODES = {code for code, _, _ in FAULTS.values()}


def findings(text: str) -> dict[str, Finding]:
    seen: list[Event] = []
    perform(Run(START + text, stage="evaluate", device="cpu", steps=2), seen.append, WALLED)
    return {one.finding.code: one.finding for one in seen if isinstance(one, Found)}


@pytest.mark.some(5)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_measured_wrongly_by_hand_is_named_at_its_line(fault: str) -> None:
    code, at, text = FAULTS[fault]

    found = findings(text)

    assert code in found, sorted(found)
    line = found[code].line
    assert line is not None
    assert at in (START + text).splitlines()[line - 1]


@pytest.mark.some(8)
@pytest.mark.parametrize("form", SOUND)
def test_what_is_measured_well_by_hand_is_let_be(form: str) -> None:
    found = findings(SOUND[form])

    assert CODES & set(found) == set()
    assert [code for code, one in found.items() if one.severity == "fault"] == []


LEFT = {
    "asked": ASKED + "print((made.predictions.argmax(-1) == made.label_ids).mean())",
    "asked while it drops out": "trainer.model.train()\ntrainer.model(x[96:])\ntrainer.evaluate()",
    "in eval mode": "trainer.model.eval()\nwith torch.no_grad():\n    trainer.model(x[96:])",
    "asked for gradients": "out = trainer.model(x[:4], y[:4])\nout['loss'].backward()",
    "frozen": "trainer.model.requires_grad_(False)\ntrainer.model.zero_grad()",
    "seeds": "import random\ntorch.manual_seed(0)\nnp.random.seed(0)\nrandom.seed(0)",
    "a callback": "from transformers import TrainerCallback\n"
    "trainer.add_callback(TrainerCallback())\ntrainer.state.log_history.clear()",
    "an attribute": "setattr(trainer, 'compute_metrics', None)\ntrainer.model.cost = 3",
    "broken off": ASKED + "print(made.nothing)\nraise ValueError('no')",
    "trained again": "try:\n    trainer.train()\nexcept RuntimeError:\n    pass\n" + ASKED,
}
METHODS = ("predict", "evaluate", "train", "save_model", "log", "log_metrics", "save_metrics")


@pytest.mark.some(5)
@pytest.mark.parametrize("form", LEFT)
def test_nothing_is_left_of_made_up_answers(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[tuple[object, object]] = []

    def classes() -> list[object]:
        return [torch.nn.Module.__call__, *(getattr(Trainer, one) for one in METHODS)]

    def watched(trainer: Trainer, *given: Any) -> Any:
        before = everything(trainer), classes()
        found = printed(trainer, *given)
        known.append((before, (everything(trainer), classes())))
        return found

    printed = evaluating.printed
    monkeypatch.setattr(evaluating, "printed", watched)
    findings(CLASSES + LEFT[form])

    assert known
    assert all(before == after for before, after in known)
