"""A script that ends in an exception: the line that made what is wrong, not the one that met it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding
from debugger.report import gather
from debugger.run import ON, Run
from tests import tiny

MARK = "  # HERE"
LOSS = """
    from transformers import Trainer
    class Mine(Trainer):
        def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
            labels = inputs.pop("labels")
            outputs = model(**inputs)
            scores = outputs.logits
"""
TRAINED = """
            return (loss, outputs) if return_outputs else loss
    tiny.classifier(trainer_class=Mine).train()
"""
CASES = {
    "double_beside_single": (
        """
    import numpy as np, torch
    counts = np.array([16, 16, 16])
    weights = torch.tensor(counts.sum() / counts)  # HERE
"""
        + LOSS
        + """
            loss_function = torch.nn.CrossEntropyLoss(weight=weights)
            loss = loss_function(scores, labels)
"""
        + TRAINED
    ),
    "double_beside_single, of a list beside single numbers": (
        """
    import numpy as np, torch
    def shift():
        return np.zeros(3).astype(np.float32) * [1.0, 2.0, 3.0]  # HERE
    class Kept:
        def __getitem__(self, place):
            return torch.from_numpy(shift())
    kept = Kept()
"""
        + LOSS
        + """
            loss = torch.nn.functional.linear(scores, kept[0][None, :3]).mean()
"""
        + TRAINED
    ),
    "double_beside_single, of numbers that a class keeps": (
        """
    import numpy as np, torch
    class Shift:
        def __init__(self):
            self.by = torch.from_numpy(np.zeros(4))  # HERE
    shift = Shift()
"""
        + LOSS
        + """
            turned = shift.by.flip(0)
            loss = torch.nn.functional.linear(scores, turned[None, :3]).mean()
"""
        + TRAINED
    ),
    "changed_in_place": (
        "    import torch\n"
        + LOSS
        + """
            shares = torch.softmax(scores, -1)
            shares /= 2  # HERE
            loss = shares.log().gather(1, labels[:, None]).mean()
"""
        + TRAINED
    ),
    "backward_twice": (
        "    import torch\n"
        + LOSS
        + """
            loss = torch.nn.functional.cross_entropy(scores, labels)
            if model.training:
                loss.backward()  # HERE
"""
        + TRAINED
    ),
    "graph_kept": (
        "    import torch\n"
        + LOSS
        + """
            loss = torch.nn.functional.cross_entropy(scores, labels)
            loss = loss + 0.1 * getattr(self, "before", 0.0)
            self.before = loss  # HERE
"""
        + TRAINED
    ),
    "nothing_held": """
    import random
    from datasets import Dataset
    texts = tiny.sentences(8)
    texts = random.shuffle(texts)  # HERE
    rows = Dataset.from_dict({"text": texts[:6]})
    """,
    "halves_side_by_side": """
    from datasets import Dataset
    from sklearn.model_selection import train_test_split
    def table(texts, labels):
        return Dataset.from_dict({"text": texts, "label": labels})
    labels = [0, 1] * 10
    a, y, b, z = train_test_split(tiny.sentences(20), labels, test_size=0.2)  # HERE
    train, test = table(a, y), table(b, z)
    """,
    "pieces_beside_rows": """
    tokenizer = tiny.tokenizer()
    def encode(rows):
        return tokenizer(
            rows["text"],
            truncation=True,
            max_length=2,
            return_overflowing_tokens=True,  # HERE
        )
    rows = tiny.pairs(12).select_columns(["text", "label"]).map(encode, batched=True)
    """,
    "columns_of_unequal_length": """
    from datasets import Dataset
    labels = [0, 1] * 9  # HERE
    rows = Dataset.from_dict({"text": tiny.sentences(20), "labels": labels})
    """,
    "names_for_numbers": """
    from transformers import BertConfig
    places = {"left": 0, "right": 1}
    config = BertConfig(
        hidden_size=8,
        id2label=places,  # HERE
    )
    """,
    "first_row_for_all": """
    tokenizer = tiny.tokenizer()
    parts = [["a"], ["a", "b", "a", "b"]]
    told = [[0, 1, 1, 0], [2]]
    encoded = tokenizer(parts[::-1], is_split_into_words=True)
    for number, row in enumerate(told):
        places = encoded.word_ids()  # HERE
        laid = [row[place] for place in places if place is not None]
    """,
    "setting_is_text": """
    import yaml
    settings = yaml.safe_load('''
    epochs: 2
    learning_rate: 2e-3  # HERE
    ''')
    args = tiny.arguments(learning_rate=settings["learning_rate"])
    tiny.classifier(args=args).train()
    """,
    "labels_of_truth": """
    rows = tiny.pairs(24)
    def said(row):
        positive = row["label"] > 0  # HERE
        return {"labels": positive}
    rows = rows.map(said, remove_columns=["label"])
    tiny.classifier(train_dataset=rows, eval_dataset=None).train()
    """,
    "labels_as_vectors": """
    import numpy as np
    vectors = np.eye(3, dtype=int)  # HERE
    rows = tiny.pairs(24).map(lambda row: {"labels": vectors[row["label"]].tolist()})
    rows = rows.remove_columns("label")
    tiny.classifier(train_dataset=rows, eval_dataset=None).train()
    """,
    "picked_already": """
    import numpy as np
    from sklearn.metrics import accuracy_score
    def best(logits, labels):
        return logits.argmax(-1)
    def measure(p):
        guesses = np.argmax(p.predictions, axis=1)  # HERE
        return {"accuracy": accuracy_score(p.label_ids, guesses)}
    tiny.classifier(compute_metrics=measure, preprocess_logits_for_metrics=best).train()
    """,
    "schedule_ended": """
    import torch
    model = tiny.bert()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=1e-3,
        total_steps=12,  # HERE
    )
    tiny.classifier(model=model, optimizers=(optimizer, scheduler)).train()
    """,
    "no_tensor": """
    import torch
    def measure(p):
        guesses = torch.argmax(p.predictions, dim=1)  # HERE
        return {"accuracy": float((guesses == p.label_ids).mean())}
    args = tiny.arguments(eval_strategy="epoch")
    tiny.classifier(args=args, compute_metrics=measure).train()
    """,
}
if tiny.TRANSFORMERS < 5:  # from then on all are fast
    CASES["tokenizer_not_fast"] = """
    from transformers import BertTokenizer
    import tempfile, pathlib
    words = pathlib.Path(tempfile.mkdtemp()) / "vocab.txt"
    words.write_text("[PAD]\\n[UNK]\\n[CLS]\\n[SEP]\\n[MASK]\\nred\\n")
    tokenizer = BertTokenizer(str(words))  # HERE
    tokenizer(["red"], is_split_into_words=True).word_ids()
    """


def found(text: str) -> list[Finding]:
    events: list[Event] = []
    perform(Run(text, stage=ON, steps=0), events.append)
    return [one for one in gather(events).findings if one.severity == "fault"]


@pytest.mark.some(4)
@pytest.mark.parametrize("code", CASES)
def test_a_crash_is_blamed_on_what_made_the_value(code: str) -> None:
    text = "from tests import tiny\n" + dedent(CASES[code])
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith(MARK))

    assert (code.partition(",")[0], wanted) in [(one.code, one.line) for one in found(text)]


def test_a_crash_that_nobody_knows_is_told_as_it_is() -> None:
    findings = found("from tests import tiny\nraise LookupError('lost')\n")

    assert [(one.code, one.line) for one in findings] == [("script_failed", 2)]
