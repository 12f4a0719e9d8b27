"""Loops by hand whose batches nobody keeps: lists, functions that give them, turns that draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from debugger.frameworks.pytorch.by_hand import Unshuffled
from debugger.script.building import build
from tests.frameworks.pytorch.test_loops import QUICK, ROWS, WALLED, found, report_of

BASE = f"""{ROWS}
import numpy as np
X_train, y_train, X_val, y_val = X[:240], y[:240], X[240:], y[240:]
"""
TURN = """
loss = loss_fn(model(xb), yb)
optimizer.zero_grad()
loss.backward()
optimizer.step()
"""
EVAL = """
model.eval()
with torch.no_grad():
    print((model(X_val).argmax(1) == y_val).float().mean())
"""


def _in(spaces: int, text: str = TURN) -> str:
    return text.strip("\n").replace("\n", "\n" + " " * spaces)


GIVES = """
def batches(X, y, size, shuffle=True):
    order = torch.randperm(len(X)) if shuffle else torch.arange(len(X))
    for start in range(0, len(X), size):
        yield X[order[start : start + size]], y[order[start : start + size]]
"""
OF_A_FUNCTION = f"""{BASE}{GIVES}
for epoch in range(8):
    for xb, yb in batches(X_train, y_train, 16):
        {_in(8)}
    model.eval()
    print(sum(loss_fn(model(xb), yb).item() for xb, yb in batches(X_val, y_val, 16, False)))
    model.train()
"""
OF_ARRAYS = OF_A_FUNCTION.replace(" = X[:240]", " = X.numpy()[:240]").replace(
    "for xb, yb in batches(X_train, y_train, 16):",
    "for number, (xb, yb) in enumerate(batches(X_train, y_train, 16)):\n"
    "        xb = torch.from_numpy(xb)",
)
HANDED = f"""{BASE}{GIVES}
def run_epoch(rows, model):
    model.train()
    for number, (xb, yb) in enumerate(rows):
        {_in(8)}
    model.eval()
def main():
    size = 16
    for epoch in range(8):
        run_epoch(batches(X_train, y_train, size), model)
        with torch.no_grad():
            print(sum(loss_fn(model(xb), yb) for xb, yb in batches(X_val, y_val, size)).item())
main()
"""
OF_A_LIST = f"""{BASE}
whole = [(X_train[n : n + 16], y_train[n : n + 16]) for n in range(0, 240, 16)]
for epoch in range(8):
    for xb, yb in whole:
        {_in(8)}
{EVAL}"""
SIDE_BY_SIDE = f"""{BASE}
for epoch in range(8):
    for xb, yb in zip(X_train.split(16), y_train.split(16)):
        {_in(8)}
{EVAL}"""
BY_NUMBER = f"""{BASE}
for epoch in range(8):
    for n in range(15):
        xb, yb = X_train[n * 16 : (n + 1) * 16], y_train[n * 16 : (n + 1) * 16]
        {_in(8)}
{EVAL}"""
DRAWN = f"""{BASE}
def get_batch(split):
    X, y = (X_train, y_train) if split == "train" else (X_val, y_val)
    places = torch.randint(len(X), (16,))
    return X[places], y[places]
for turn in range(120):
    if turn % 40 == 0:
        model.eval()
        print([loss_fn(model(u), v).item() for u, v in [get_batch("val") for _ in range(4)]])
        model.train()
    xb, yb = get_batch("train")
    {_in(4)}
"""
DRAWN_PLACES = f"""{BASE}
rng = np.random.default_rng(0)
for turn in range(120):
    ix = torch.randint(240, (16,))
    {_in(4).replace("(xb)", "(X_train[ix])").replace("yb", "y_train[ix]")}
{EVAL}"""
WHILE = f"""{BASE}
turn = 0
while turn < 120:
    for xb, yb in train_loader:
        {_in(8)}
        turn += 1
        if turn >= 120:
            break
{EVAL}"""
BREAKS_OFF = WHILE.replace("turn = 0\nwhile turn < 120", "bad = turn = 0\nwhile True").replace(
    "        turn += 1\n        if turn >= 120:\n            break",
    "    if loss > 9:\n        bad += 1\n"
    "    turn += 1\n    if bad >= 3 or turn == 8:\n        break",
)
ADDED_UP = DRAWN.replace(
    DRAWN[DRAWN.index("    xb, yb = get_batch") :],
    """    optimizer.zero_grad()
    for part in range(4):
        xb, yb = get_batch("train")
        loss = loss_fn(model(xb), yb) / 4
        loss.backward()
    optimizer.step()
""",
)
GRAPH = """
import torch
from torch import nn
torch.manual_seed(0)
y = torch.arange(120) % 3
x = torch.randn(120, 8) + torch.eye(3, 8)[y]
near = torch.randint(0, 40, (120, 3)) * 3 + y[:, None]
places = torch.stack([torch.arange(120).repeat_interleave(3), near.flatten()])
adjacent = torch.sparse_coo_tensor(places, torch.full((360,), 1 / 3), (120, 120)).coalesce()
learned = torch.arange(120) < 60
class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 3)
    def forward(self, adjacent, x):
        return self.second(adjacent @ torch.relu(adjacent @ self.first(x)))
model = Graph()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(100):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(adjacent, x)[learned], y[learned])
    loss.backward()
    optimizer.step()
model.eval()
"""
OF_GLOBALS = GRAPH.replace(
    "for epoch in range(100):\n    model.train()", "def turn():\n    model.train()"
).replace("optimizer.step()\n", "optimizer.step()\nfor epoch in range(100):\n    turn()\n")
BY_PLACES = GRAPH.replace("torch.arange(120) < 60", "torch.randperm(120)[:60]")
BUCKETS = f"""{BASE}
import random
class Buckets(torch.utils.data.Sampler):
    def __init__(self, rows):
        self.rows, self.random = rows, random.Random(0)
    def __len__(self):
        return 15
    def __iter__(self):
        order = self.random.sample(range(240), 240)
        yield from (order[n : n + 16] for n in range(0, 240, 16))
train_loader = DataLoader(train_rows, batch_sampler=Buckets(train_rows))
for epoch in range(8):
    for xb, yb in train_loader:
        {_in(8)}
{EVAL}"""
IN_PARTS = f"""{BASE}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    def forward(self, told):
        return self.layers(told["rows"] * told["mask"])
def together(some):
    rows, labels = zip(*some)
    rows = torch.stack(rows)
    return {{"rows": rows, "mask": torch.ones_like(rows)}}, torch.stack(labels)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
train_loader = DataLoader(train_rows, batch_size=16, shuffle=True, collate_fn=together)
valid_loader = DataLoader(valid_rows, batch_size=16, collate_fn=together)
for epoch in range(8):
    for xb, yb in train_loader:
        {_in(8)}
    model.eval()
    print(sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in valid_loader))
    model.train()
"""
FALLING = """
import random, torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
random.seed(0)
torch.manual_seed(0)
lengths = [random.randint(3, 9) for _ in range(240)]
drawn = [(words := torch.randint(1, 12, (n,)), words % 3) for n in lengths]
def batches(rows, size):
    random.shuffle(rows)
    for n in range(0, len(rows), size):
        words, tags = zip(*sorted(rows[n : n + size], key=lambda row: -len(row[0])))
        count = torch.tensor([len(one) for one in words])
        yield pad_sequence(words, True), pad_sequence(tags, True, -100), count
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(12, 16), nn.Linear(16, 3)
        self.layer = nn.LSTM(16, 16, batch_first=True)
    def forward(self, words, count):
        packed = pack_padded_sequence(self.table(words), count, batch_first=True)
        return self.head(pad_packed_sequence(self.layer(packed)[0], batch_first=True)[0])
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    for words, tags, count in batches(drawn, 16):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(words, count).flatten(0, 1), tags.view(-1))
        loss.backward()
        optimizer.step()
model.eval()
"""
SKIPPED = f"""{BASE}
for epoch in range(8):
    for places in torch.randperm(240).split(17):
        if len(places) < 17:
            continue
        xb, yb = X_train[places], y_train[places]
        {_in(8)}
{EVAL}"""
AHEAD = f"""{BASE}
def get_batch(split):
    rows = X_train if split == "train" else X_val
    labels = y_train if split == "train" else y_val
    drawn = torch.randint(len(rows), (16,))
    return rows[drawn], labels[drawn]
xb, yb = get_batch("train")
for turn in range(120):
    loss = loss_fn(model(xb), yb)
    xb, yb = get_batch("train")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
{EVAL}"""
TWO_WAYS = f"""{BASE}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
    def forward(self, x):
        made = self.body(x)
        return (made, self.head(made)) if self.training else made
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(8):
    model.train()
    for xb, yb in train_loader:
        made, scores = model(xb)
        loss = loss_fn(scores, yb) + 1e-3 * made.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    print(model(X_val).shape)
"""
IN_ONE_LINE = f"""{BASE}{GIVES}
def step(xb, yb):
    {_in(4)}
    return loss.item()
for epoch in range(8):
    print(sum(step(xb, yb) for xb, yb in batches(X_train, y_train, 16)) / 15)
{EVAL}"""
NEXT = f"""{BASE}
rows = iter(train_loader)
for turn in range(120):
    try:
        xb, yb = next(rows)
    except StopIteration:
        rows = iter(train_loader)
        xb, yb = next(rows)
    {_in(4)}
{EVAL}"""
NEXT_OF_EACH_EPOCH = f"""{BASE}
for epoch in range(8):
    rows = iter(train_loader)
    for number in range(len(train_loader)):
        xb, yb = next(rows)
        {_in(8)}
{EVAL}"""
WHILE_COUNTS = BY_NUMBER.replace("    for n in range(15):", "    n = 0\n    while n < 15:").replace(
    "        optimizer.step()", "        optimizer.step()\n        n += 1"
)
WHILE_NEXT = NEXT.replace("for turn in range(120):", "turn = 0\nwhile turn < 120:\n    turn += 1")
IN_A_FIELD = WHILE_NEXT.replace("turn = 0\n", "class Run:\n    turn = 0\nrun = Run()\n")
for was in ("while turn", "    turn +="):
    IN_A_FIELD = IN_A_FIELD.replace(was, was.replace("turn", "run.turn"))
SENTENCES = f"""
import random, torch
from torch import nn
random.seed(0)
kinds = {{"the": 0, "a": 0, "dog": 1, "cat": 1, "sees": 2, "likes": 2}}
words = {{word: number for number, word in enumerate(kinds)}}
def sentence():
    parts = [["the", "a"], ["dog", "cat"], ["sees", "likes"]]
    return [random.choice(parts[n % 3]) for n in range(random.randint(6, 12))]
texts = [sentence() for _ in range(150)]
tagged = [(text, [kinds[word] for word in text]) for text in texts]
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.lstm = nn.Embedding(len(words), 8), nn.LSTM(8, 8)
        self.tags = nn.Linear(8, 3)
    def forward(self, ids):
        return torch.log_softmax(self.tags(self.lstm(self.words(ids))[0]), 1)
model = Tagger()
loss_fn, optimizer = nn.NLLLoss(), torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(6):
    for text, tags in tagged:
        xb, yb = torch.tensor([words[word] for word in text]), torch.tensor(tags)
        {_in(8)}
model.eval()
"""
ALONE = f"""{BASE}
loader = DataLoader(TensorDataset(X_train), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 3), nn.Linear(3, 8))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
rows = iter(loader)
for turn in range(120):
    try:
        (xb,) = next(rows)
    except StopIteration:
        rows = iter(loader)
        (xb,) = next(rows)
    loss = nn.functional.mse_loss(model(xb), xb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
"""
PENALISED = f"""{BASE}
for epoch in range(8):
    for xb, yb in train_loader:
        loss = loss_fn(model(xb), yb) + 1e-4 * model[0](xb).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
{EVAL}"""
SPARSE = """
import torch
from torch import nn
torch.manual_seed(0)
words = torch.randint(0, 40, (400,))
near = (words + torch.randint(1, 4, (400,))) % 40
class Near(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(40, 8, sparse=True)
        self.others = nn.Embedding(40, 8, sparse=True)
    def forward(self, word, other):
        return (self.words(word) * self.others(other)).sum(-1)
model = Near()
optimizer = torch.optim.SparseAdam(model.parameters(), lr=1e-2)
for epoch in range(6):
    for n in range(20):
        word, other = words[n * 20 : n * 20 + 20], near[n * 20 : n * 20 + 20]
        random = torch.randint(0, 40, (20,))
        loss = -nn.functional.logsigmoid(model(word, other)).mean()
        loss = loss - nn.functional.logsigmoid(-model(word, random)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
"""
WIDTHS = f"""
import random, torch
from torch import nn
torch.manual_seed(0)
random.seed(0)
rows = []
for n in range(240):
    kind, length = n % 3, random.randint(3, 9)
    rows.append(([1 + kind * 4 + random.randrange(4) for _ in range(length)], kind))
random.shuffle(rows)
def padded(some):
    widest = max(len(ids) for ids, _ in some)
    ids = torch.tensor([one + [0] * (widest - len(one)) for one, _ in some])
    return ids, torch.tensor([label for _, label in some])
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(13, 8, padding_idx=0), nn.Linear(8, 3)
    def forward(self, ids):
        return self.head(self.words(ids).sum(1) / (ids > 0).sum(1, keepdim=True))
model = Bag()
loss_fn, optimizer = nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters(), lr=5e-2)
rows.sort(key=lambda one: len(one[0]))
ready = [padded(rows[n : n + 16]) for n in range(0, 240, 16)]
for epoch in range(8):
    random.shuffle(ready)
    for xb, yb in ready:
        {_in(8)}
model.eval()
"""
TRIPLES = f"""{BASE}
def drawn():
    some = torch.randint(240, (3, 16))
    return X_train[some[0]], X_train[some[1]], X_train[some[2]]
for turn in range(120):
    one, same, other = drawn()
    a, b, c = model(torch.cat([one, same, other])).chunk(3)
    loss = nn.functional.triplet_margin_loss(a, b, c)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
"""
NAMES = f"""
import random, torch
from torch import nn
random.seed(0)
def example():
    kind, length = random.randrange(3), random.randint(4, 9)
    letters = torch.tensor([kind * 5 + random.randrange(5) for _ in range(length)])
    return "abc"[kind], torch.tensor([kind]), nn.functional.one_hot(letters, 15).float()[:, None]
class Names(nn.Module):
    def __init__(self):
        super().__init__()
        self.step, self.kinds = nn.Linear(15 + 16, 16), nn.Linear(16, 3)
    def forward(self, letter, hidden):
        hidden = torch.tanh(self.step(torch.cat([letter, hidden], 1)))
        return self.kinds(hidden), hidden
model = Names()
loss_fn, optimizer = nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.05)
def train(xb, yb):
    hidden = torch.zeros(1, 16)
    for letter in xb:
        answer, hidden = model(letter, hidden)
    {_in(4).replace("model(xb)", "answer")}
    return loss.item()
for turn in range(1500):
    name, yb, xb = example()
    loss = train(xb, yb)
model.eval()
"""
HEALTHY = {
    # script: rows, in a batch, steps, rows to judge by, mixed
    "a function": (OF_A_FUNCTION, 240, 16, 120, 80, True),
    "a function of arrays": (OF_ARRAYS, 240, 16, 120, None, True),
    "what a function was handed": (HANDED, 240, 16, 120, 80, True),
    "a function in order": (
        OF_A_FUNCTION.replace("shuffle=True", "shuffle=False"),
        *(240, 16, 120, 80, False),
    ),
    "a list": (OF_A_LIST, 240, 16, 120, None, False),
    "side by side": (SIDE_BY_SIDE, 240, 16, 120, None, False),
    "by number": (BY_NUMBER, 240, 16, 120, None, False),
    "drawn": (DRAWN, 240, 16, 120, 80, True),
    "drawn places": (DRAWN_PLACES, 240, 16, 120, 80, True),
    "a while that counts batches": (WHILE_COUNTS, 240, 16, 120, None, False),
    "a while over a loader": (WHILE, 240, 16, 120, 80, True),
    "a while that breaks off": (BREAKS_OFF, 240, 16, 120, 80, True),
    "in one line": (IN_ONE_LINE, 240, 16, 120, None, True),
    "a sampler of batches": (BUCKETS, 240, 16, 120, 80, True),
    "parts with parts": (IN_PARTS, 240, 16, 120, 80, True),
    "answers that go by the mode": (TWO_WAYS, 240, 16, 120, 80, True),
    "next": (NEXT, 240, 16, 120, 80, True),
    "next, in each epoch": (NEXT_OF_EACH_EPOCH, 240, 16, 120, 80, True),
    "a while with next": (WHILE_NEXT, 240, 16, 120, 80, True),
    "a while that counts a field": (IN_A_FIELD, 240, 16, 120, 80, True),
    "next of a batch of one": (ALONE, 240, 16, 120, None, True),
    "parts of the model are asked, too": (PENALISED, 240, 16, 120, 80, True),
    "sparse gradients": (SPARSE, 1860, 20, 120, None, True),
    "several widths": (WIDTHS, 240, 16, 120, None, True),
    "three at once": (TRIPLES, 1920, 16, 120, None, True),
    "one example a turn": (NAMES, 512, 1, 1500, None, True),
    "gradients of several draws": (ADDED_UP, 240, 16, 120, 80, True),
    "a graph": (GRAPH, 120, 120, 100, None, False),
    "a graph that a function reads": (OF_GLOBALS, 120, 120, 100, None, False),
    "lengths that fall": (FALLING, 240, 16, 120, None, True),
    "a rest that is skipped": (SKIPPED, 240, 17, 120, 80, True),
    "a batch for the next turn": (AHEAD, 240, 16, 120, None, True),
    "places in a graph": (BY_PLACES, 120, 120, 100, None, False),
    "sentences": (SENTENCES, 150, 1, 900, None, False),
}


@pytest.mark.some(6)
@pytest.mark.parametrize("what", HEALTHY)
def test_batches_that_nobody_keeps_are_looked_at(what: str) -> None:
    script, rows, size, steps, held, mixed = HEALTHY[what]
    made: Any = build(script, "mine.py", enclosure=WALLED).trained
    there = len(made.train_dataset)

    assert made.args.per_device_train_batch_size == size
    assert 0.97 * rows <= there <= rows  # of 120 draws of 16, hardly a row is never drawn
    epochs = -(-there // size) * made.args.num_train_epochs
    epochs /= made.args.gradient_accumulation_steps
    assert (made.args.max_steps if made.args.max_steps > 0 else epochs) == steps
    assert made.eval_dataset is None if held is None else len(made.eval_dataset) <= held
    assert issubclass(type(made), Unshuffled) != mixed

    report = report_of(script)
    assert [stage.outcome for stage in report.stages] == ["pass"] * 8
    assert [one.code for one in report.findings if one.severity != "note"] == []


WRONG = {
    "a function": OF_A_FUNCTION,
    "a list": OF_A_LIST,
    "drawn": DRAWN,
    "drawn places": DRAWN_PLACES,
    "a while over a loader": WHILE,
    "next": NEXT,
}


@pytest.mark.parametrize("what", WRONG)
def test_what_such_a_loop_forgets_is_a_fault_at_its_line(what: str) -> None:
    """Each batch is really another one, and the turn really the loop's."""
    script = WRONG[what].replace("optimizer.zero_grad()\n", "None\n", 1)
    line = script[: script.index("optimizer.step()")].count("\n") + 1

    assert found(script, "step", "fault") == {"missing_zero_grad": line}


KINDS = f"""{BASE}
kinds = torch.randint(0, 3, (320, 2))
answers = (kinds[:, 0] + kinds[:, 1]) % 3
def get_batch(split):
    places = torch.randint(240, (16,)) if split == "train" else torch.randint(240, 320, (16,))
    return kinds[places], answers[places]
hidden = nn.Linear(16, 16), nn.ReLU()
model = nn.Sequential(nn.Embedding(3, 8), nn.Flatten(), *hidden, nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for turn in range(300):
    xb, yb = get_batch("train")
    {_in(4)}
model.eval()
print([loss_fn(model(u), v).item() for u, v in [get_batch("val") for _ in range(4)]])
"""


@pytest.mark.parametrize("what", ["kinds", "numbers"])
def test_of_rows_drawn_by_lot_nobody_knows_how_often_they_come(what: str) -> None:
    """A few kinds are met again by nature; numbers of 8 columns are not."""
    of_numbers = DRAWN.replace("else (X_val, y_val)", "else (X_train, y_train)")
    said = found(KINDS if what == "kinds" else of_numbers, "evaluate", "fault")

    assert ("eval_set_is_train_set" in said) is (what == "numbers")


def test_nothing_is_drawn_that_the_script_would_have_drawn() -> None:
    """Of torch, of numpy, and of a generator that the script made for itself."""
    script = OF_ARRAYS.replace("def batches", "rng = np.random.default_rng(5)\ndef batches")
    script = script.replace("torch.randperm(len(X))", "torch.tensor(rng.permutation(len(X)))")
    script = script.replace("for epoch in", "torch.manual_seed(3)\nfor epoch in")
    made: Any = build(script, "mine.py", enclosure=WALLED).trained

    once = made.turn.names["rng"].integers(1000, size=4).tolist()
    wanted = np.random.default_rng(5)
    wanted.permutation(240)  # for the batch that the loop itself has drawn
    assert once == wanted.integers(1000, size=4).tolist()


def test_gradients_that_are_there_stay() -> None:
    """A turn that is only tried sets them to zero, and the step that is seen needs them."""
    script = DRAWN.replace(
        "    xb, yb = get_batch", "    optimizer.zero_grad()\n    xb, yb = get_batch"
    )
    script = script.replace(
        "loss_fn(model(xb), yb)\n    optimizer.zero_grad()", "loss_fn(model(xb), yb)"
    )
    made: Any = build(script, "mine.py", enclosure=WALLED).trained

    assert all(bool(weight.grad.any()) for weight in made.turn.model.parameters())


def test_a_search_for_a_learning_rate_is_not_the_training() -> None:
    search = f"""{BASE}
import copy
def find_lr(model, rates):
    model = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=rates[0])
    for rate, (xb, yb) in zip(rates, train_loader):
        optimizer.param_groups[0]["lr"] = rate
        {_in(8)}
find_lr(model, [1e-7 * 4**n for n in range(10)])
"""
    script = search + OF_A_FUNCTION[len(BASE) :]
    made: Any = build(script, "mine.py", enclosure=WALLED).trained

    assert made.args.learning_rate == 5e-3
    assert made.by_hand.backwards == 1
    assert torch.equal(made.turn.model[0].weight, made.model[0].weight)


def test_what_a_turn_is_tried_with_leaves_no_mode_and_no_average() -> None:
    """Of a model that no name holds, but a field of what has one."""
    held = TWO_WAYS[len(BASE) :].replace("nn.ReLU())", "nn.BatchNorm1d(16))")
    held = held.replace("model", "run.model").replace(
        "run.model = Net()", "class Run: pass\nrun = Run()\nrun.model = Net()"
    )
    made: Any = build(BASE + held, "mine.py", enclosure=WALLED).trained

    assert made.wants_training
    assert made.model.training
    assert int(made.model.body[1].num_batches_tracked) == 1  # the turn of the script itself


def test_a_rate_that_climbs_from_turn_to_turn_is_a_search_too() -> None:
    search = f"""{BASE}
before, rate, done = {{k: v.clone() for k, v in model.state_dict().items()}}, 1e-5, False
while not done:
    for xb, yb in train_loader:
        for group in optimizer.param_groups:
            group["lr"] = rate
        {_in(8)}
        rate *= 1.5
        if rate > 1:
            done = True
            break
model.load_state_dict(before)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
"""
    made: Any = build(search + OF_A_FUNCTION[len(BASE) :], "mine.py", enclosure=WALLED).trained

    assert made.args.learning_rate == 5e-3
    assert made.args.max_steps == -1
    assert made.args.num_train_epochs == 8


def test_rows_that_fill_no_batch_are_left_out_of_the_learning_alone() -> None:
    drops = QUICK.replace(
        "batch_size=16, shuffle=True", "batch_size=17, shuffle=True, drop_last=True"
    )
    made: Any = build(drops, "mine.py", enclosure=WALLED).trained
    seen = [len(batch["labels"]) for batch in made.get_eval_dataloader()]

    assert len(made.get_train_dataloader()) == 14
    assert sum(seen) == 80
    assert "evaluation_drops_rows" not in found(drops, "evaluate", "look")


def test_which_part_of_a_batch_with_parts_is_the_label() -> None:
    made: Any = build(IN_PARTS, "mine.py", enclosure=WALLED).trained
    batch = next(iter(made.get_train_dataloader()))

    assert list(batch) == ["rows", "mask", "labels"]
    assert made.turn.form.label == "labels"


def test_a_sampler_of_batches_deals_as_it_does_in_the_script() -> None:
    """As one for triplets does, that wants several of a class in each batch."""
    pairs = BUCKETS.replace("order[n : n + 16] for n", "2 * order[n : n + 8] for n").replace(
        "self.rows, self.random = rows,", "self.rows, self.batch_size, self.random = rows, 16,"
    )
    made: Any = build(pairs, "mine.py", enclosure=WALLED).trained
    places = [list(batch) for batch in made.get_train_dataloader().batch_sampler]

    assert [len(batch) for batch in places] == 15 * [16]
    assert all(batch[:8] == batch[8:] for batch in places)
    assert report_of(pairs).outcome == "pass"
    uneven = BUCKETS.replace("order[n : n + 16] for n", "order[: n + 16] for n")
    assert [one.code for one in report_of(uneven).findings] == ["loop_of_stream"]


UNTOLD = {
    "parts that are no list, within": f"""{BASE}
for epoch in range(8):
    order = torch.randperm(240)
    for part in (order[:100], order[100:180], order[180:]):
        xb, yb = X_train[part], y_train[part]
        {_in(8)}
""",
    "trainings at several rates": f"""{BASE}
for rate in [1e-2, 1e-3]:
    model = nn.Linear(8, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for xb, yb in ((X_train[:90], y_train[:90]), (X_train[90:], y_train[90:])):
        {_in(8)}
""",
    "batches of several sizes": OF_A_LIST.replace("n + 16]", "n + 16 - n // 16 % 3]"),
    "what is used up": OF_A_FUNCTION.replace(
        "    for xb, yb in batches(X_train, y_train, 16)",
        "    rows = batches(X_train, y_train, 16)\n    for xb, yb in rows",
    ),
}


@pytest.mark.parametrize("what", UNTOLD)
def test_what_cannot_be_gone_through_again_is_not_guessed(what: str) -> None:
    codes = [one.code for one in report_of(UNTOLD[what]).findings]

    assert codes == ["loop_over_nothing"]
