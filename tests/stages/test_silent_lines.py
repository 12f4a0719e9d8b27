"""Where what goes wrong without an error is written: the same mistake in several ways."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from debugger.script.places import Places

Find = Callable[[Places], int | None]


def picked(at: Places) -> int | None:
    return next((line for line, _, _ in at.flows.picking()), None)


def remembering(at: Places) -> int | None:
    return at.flows.remembering(at.handed.function("compute_metrics"))


CASES: list[tuple[Find, str]] = [
    (
        lambda at: at.flows.overwritten(),
        """
        def forward(self, ids, labels=None):
            loss = None
            if labels is not None:
                loss = self.loss(one, labels)
                loss = self.loss(other, labels)  # HERE
            return loss
        """,
    ),
    (
        lambda at: at.flows.without_backward(),
        """
        def training_step(self, model, inputs, items=None):
            loss = self.compute_loss(model, inputs)
            return loss.detach()  # HERE
        """,
    ),
    (
        lambda at: at.flows.gradients_off(),
        """
        def compute_loss(self, model, inputs):
            with torch.set_grad_enabled(False):
                told = self.teacher(**inputs)
            torch.set_grad_enabled(False)  # HERE
        """,
    ),
    (
        lambda at: at.flows.taken_away(),
        """
        for weight in model.parameters():
            weight.grad = None  # HERE
        """,
    ),
    (
        lambda at: at.flows.kept_in_step(),
        """
        def compute_loss(self, model, inputs):
            labels = inputs["labels"]
            told = self.kept[start : start + len(labels)]  # HERE
        """,
    ),
    (
        picked,
        """
        LAYERS = ["q_proj", "v_proj"]  # HERE
        def put(model, wanted):
            for name, child in model.named_children():
                if name in wanted and isinstance(child, nn.Linear):
                    setattr(model, name, Added(child))
        put(model, LAYERS)
        """,
    ),
    (
        picked,
        """
        for name, weight in model.named_parameters():
            if "layer.11" in name:  # HERE
                weight.requires_grad = True
        """,
    ),
    (
        picked,
        """
        LAST = ("layer.10", "layer.11")  # HERE
        for name, weight in model.named_parameters():
            if any(part in name for part in LAST):
                weight.requires_grad_(True)
        """,
    ),
    (
        remembering,
        """
        def measure(given):
            right = []
            right.append(given.predictions)
            seen.extend(given.predictions)  # HERE
            return {"accuracy": len(seen)}
        Trainer(compute_metrics=measure)
        """,
    ),
    (
        lambda at: at.flows.scaled_by(),
        """
        def factor(step):
            return 1e-3 * 0.9**step  # HERE
        LambdaLR(optimizer, lr_lambda=factor)
        """,
    ),
    (
        lambda at: at.flows.removing(),
        """
        def clean(text):
            text = re.sub(r"\\s+", " ", text)
            return re.sub("[^a-z]", "", text)  # HERE
        """,
    ),
    (
        lambda at: at.flows.made_whole(),
        """
        wave = np.sin(time).astype("int16")  # HERE
        labels = np.array(kinds).astype(np.int64)
        """,
    ),
    (
        lambda at: at.flows.length_of("columns"),
        """
        class Rows(Dataset):
            def __len__(self):
                return len(self.columns)  # HERE
        """,
    ),
    (
        lambda at: at.making.unlogged(),
        """
        def compute_loss(self, model, inputs):
            given = F.softmax(outputs.logits, dim=-1)  # HERE
            return F.kl_div(given, told)
        """,
    ),
    (
        lambda at: at.origins.zeroing(("layer.0.lora_A",)),
        """
        class Added(nn.Module):
            def __init__(self, r):
                self.lora_A = nn.Parameter(torch.zeros(r, 8))  # HERE
                self.lora_B = nn.Parameter(torch.zeros(8, r))
        """,
    ),
]


@pytest.mark.parametrize(("find", "script"), CASES)
def test_the_line_is_found(find: Find, script: str) -> None:
    text = dedent(script).strip()
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if "# HERE" in line)

    assert find(Places(text)) == wanted


@pytest.mark.parametrize(
    "script",
    [
        "def forward(self):\n    loss = one(self)\n    loss = loss + two(self)",
        "def forward(self):\n    loss = 0.0\n    loss = two(self)",
        "def forward(self):\n    loss = one(self)\n    print(loss)\n    loss = two(self)",
    ],
)
def test_a_loss_that_was_read_is_not_written_over(script: str) -> None:
    assert Places(script).flows.overwritten() is None
