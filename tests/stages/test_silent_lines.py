"""Where what goes wrong without an error is written: the same mistake in several ways."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from debugger.script.places import Places

Find = Callable[[Places], int | None]


def picked(at: Places) -> int | None:
    return next((line for line, _, _ in at.flows.picking()), None)


def switched(at: Places) -> int | None:
    found = at.meant.text_for_switch()
    return found and found[0]


def crossed(at: Places) -> int | None:
    found = at.meant.crossed()
    return found and found[0]


def remembering(at: Places) -> int | None:
    return at.flows.remembering(at.handed.function("compute_metrics"))


CASES: list[tuple[Find, str]] = [
    (
        switched,
        """
        parser.add_argument("--freeze", default="False")  # HERE
        args = parser.parse_args()
        if args.warm and args.freeze:
            freeze(model)
        """,
    ),
    (
        switched,
        """
        parser.add_argument("--freeze", type=bool, default="no")  # HERE
        args = parser.parse_args()
        train(body=None if args.freeze else body)
        """,
    ),
    (
        switched,
        """
        FREEZE = os.environ.get("FREEZE", "0")
        if not os.getenv("TRAIN", "off"):  # HERE
            stop()
        """,
    ),
    (
        crossed,
        """
        def run(rate, epochs, name="a"):
            return Trainer(args=TrainingArguments("out", learning_rate=rate))
        cli.add_argument("--rate", type=float, default=1e-3)
        cli.add_argument("--epochs", type=int, default=8)
        run(cli.epochs, cli.rate)  # HERE
        """,
    ),
    (
        lambda at: at.meant.joined_letters(),
        """
        plain = " ".join(text.split())
        clean = " ".join(word for word in text if word not in stops)  # HERE
        """,
    ),
    (
        lambda at: at.meant.set_in_vain("lr"),
        """
        def main(options):
            args = TrainingArguments("out")
            args.lr = options.lr  # HERE
            return Trainer(args=args)
        """,
    ),
    (
        lambda at: at.meant.first_text(2),
        """
        rows = read()
        made = tokenizer(
            rows["context"], rows["question"],  # HERE
            truncation="only_second",
        )
        """,
    ),
    (
        lambda at: at.written.copied_onto(2),
        """
        frame["comment"] = frame["language"]  # HERE
        rows = tokenizer(frame["comment"])
        frame = read_csv(path)
        """,
    ),
    (
        lambda at: at.making.one_score(),
        """
        def compute_loss(self, model, inputs):
            loss_fct = nn.BCEWithLogitsLoss()
            return loss_fct(model(**inputs).logits[:, 0], labels)  # HERE
        """,
    ),
    (
        lambda at: at.making.grouped_twice(),
        """
        groups = [
            {"params": [p for n, p in body if n in small], "weight_decay": 0.1},  # HERE
            {"params": [p for n, p in body if n in small], "weight_decay": 0.0},
        ]
        """,
    ),
    (
        lambda at: at.making.grouped_twice(),
        """
        groups = [
            {"params": model.head.parameters(), "lr": 1e-3},
            {"params": model.parameters()},  # HERE
        ]
        """,
    ),
    (
        lambda at: at.written.labels(),
        """
        def prepare(rows):
            inputs = tokenizer(rows["story"])
            targets = tokenizer(text_target=rows["headline"])  # HERE
            return {"input_ids": inputs["input_ids"], "labels": targets["input_ids"]}
        """,
    ),
    (
        lambda at: at.behind.block(at.behind.given("train_dataset")),
        """
        length = 4096  # HERE
        def group(rows):
            whole = (len(rows["ids"]) // length) * length
            return {"ids": [rows["ids"][n : n + length] for n in range(0, whole, length)]}
        blocks = tokens.map(group, batched=True)
        Trainer(train_dataset=blocks["train"])
        """,
    ),
    (
        lambda at: at.origins.stopping_in("Enough"),
        """
        class Enough(TrainerCallback):
            def on_evaluate(self, args, state, control, metrics, **rest):
                if metrics["eval_loss"] > 0.1:  # HERE
                    control.should_training_stop = True
        """,
    ),
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


def test_tokens_that_are_made_behind_the_training_are_not_those_it_learns_from() -> None:
    script = """
def encode(rows):
    return tokenizer(rows["text"], truncation=True)
trainer = Trainer(train_dataset=rows.map(encode))
trainer.train()
print(model(**tokenizer("It rains", return_tensors="pt")))
"""
    assert Places(script, training_line=5).tokenizing() == 3
