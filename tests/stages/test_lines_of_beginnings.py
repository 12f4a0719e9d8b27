"""Where a training's weights, rows and arguments are made: the same mistake in several ways."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from debugger.script.places import Places

Find = Callable[[Places], int | None]


def alike(at: Places) -> int | None:
    return at.origins.drawing(constant=True)


def wide(at: Places) -> int | None:
    return at.origins.drawing(constant=False)


def again(at: Places) -> int | None:
    return at.origins.redrawing()


def ten(at: Places) -> int | None:
    return at.origins.taking(10, "train_dataset")


def evaluated(at: Places) -> int | None:
    return at.origins.handed("eval_dataset")


def cut(at: Places) -> int | None:
    return at.stepping.cut_off()


def vocabulary(at: Places) -> int | None:
    return at.origins.first_handed("train_from_iterator")


def best(at: Places) -> int | None:
    said = "--load_best_model_at_end requires the save and eval strategy to match, args.output_dir"
    return at.origins.named_argument(said, at.call("TrainingArguments"))


CASES: list[tuple[Find, str]] = [
    (
        alike,
        """
        for layer in model.layers:
            nn.init.zeros_(layer.bias)
            nn.init.constant_(layer.weight, 0.1)  # HERE
        """,
    ),
    (
        alike,
        """
        for weight in model.parameters():
            weight.data.fill_(0.5)  # HERE
        """,
    ),
    (
        wide,
        """
        from torch.nn.init import normal_
        class Net(nn.Module):
            def _init_weights(self, module):
                normal_(module.weight, std=5.0)  # HERE
        """,
    ),
    (
        again,
        """
        model = AutoModel.from_pretrained(NAME)
        model.apply(model._init_weights)  # HERE
        """,
    ),
    (
        again,
        """
        def fresh(module):
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
        def main():
            model = AutoModel.from_pretrained(NAME)
            model.apply(fresh)  # HERE
            Trainer(model=model).train()
        main()
        """,
    ),
    (
        again,
        """
        class Net(nn.Module):
            def __init__(self):
                self.body = AutoModel.from_pretrained(NAME)
                self.head = nn.Linear(8, 2)
                self.init_weights()  # HERE

            def init_weights(self):
                for weight in self.parameters():
                    nn.init.normal_(weight, std=0.02)
        """,
    ),
    (
        again,
        """
        model = AutoModel.from_pretrained(NAME)
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                torch.nn.init.xavier_uniform_(weight)  # HERE
        """,
    ),
    (
        lambda at: at.origins.table(1),
        """
        self.words = nn.Embedding(900, 32)
        self.segments = nn.Embedding(1, 32)  # HERE
        """,
    ),
    (
        ten,
        """
        for step in range(10):
            print(step)
        train_set = Rows(rows[:10], tokenizer)  # HERE
        Trainer(train_dataset=train_set)
        """,
    ),
    (
        ten,
        """
        train_set = data["train"].shuffle(seed=1).select(range(10))  # HERE
        train_set = train_set.map(tokenize)
        Trainer(train_dataset=train_set)
        """,
    ),
    (
        ten,
        """
        data = load_dataset("csv", split="train[:10]")  # HERE
        data = data.map(tokenize)
        Trainer(train_dataset=data)
        """,
    ),
    (
        ten,
        """
        def load():
            frame = pd.read_csv("rows.csv")
            return Dataset.from_pandas(frame.head(10))  # HERE
        train_set = load()
        Trainer(train_dataset=train_set)
        """,
    ),
    (
        evaluated,
        """
        val = build(3)  # HERE
        train = build(4).with_transform(prepare)
        Trainer(train_dataset=train, eval_dataset=val)
        """,
    ),
    (
        evaluated,
        """
        tokenized = raw["train"].map(tokenize)
        Trainer(
            train_dataset=tokenized,
            eval_dataset=raw["test"],  # HERE
        )
        """,
    ),
    (
        evaluated,
        """
        raw = build(3)
        ready = raw.map(prepare)
        Trainer(
            eval_dataset=raw,  # HERE
        )
        """,
    ),
    (
        cut,
        """
        class Mine(Trainer):
            def compute_loss(self, model, inputs):
                loss = model(**inputs).loss
                self.log({"loss": loss.item()})
                loss = torch.tensor(float(loss), requires_grad=True)  # HERE
                return loss
        """,
    ),
    (
        cut,
        """
        class Mine(Trainer):
            def compute_loss(self, model, inputs):
                loss = model(**inputs).loss
                print(
                    loss.item(),
                )
                return loss.detach()  # HERE
        """,
    ),
    (
        vocabulary,
        """
        core.train_from_iterator(
            raw["en"],  # HERE
            trainer,
        )
        """,
    ),
    (
        vocabulary,
        """
        corpus = list(raw["en"])  # HERE
        core.train_from_iterator(corpus, trainer)
        """,
    ),
    (
        lambda at: at.origins.function("Mine.forward"),
        """
        class Other(nn.Module):
            def forward(self, x): ...
        class Mine(nn.Module):
            def forward(self, x): ...  # HERE
        """,
    ),
    (
        lambda at: at.origins.function("main.<locals>.measure"),
        """
        def main():
            def measure(predictions, labels): ...  # HERE
        """,
    ),
    (
        best,
        """
        args = TrainingArguments(
            output_dir="here",
            load_best_model_at_end=True,  # HERE
        )
        """,
    ),
]


@pytest.mark.parametrize(("find", "script"), CASES)
def test_the_line_that_makes_it(find: Find, script: str) -> None:
    text = dedent(script).strip()
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if "# HERE" in line)

    assert find(Places(text)) == wanted


def test_a_message_about_nothing_that_was_given_names_no_argument() -> None:
    text = 'args = TrainingArguments(\n    output_dir="x",\n)\ntrainer = Trainer(args=args)'
    said = "You have set `args.eval_strategy` and passed no `eval_dataset`"

    assert Places(text).origins.named_argument(said, 4) is None


@pytest.mark.parametrize(
    "body",
    [
        "if state.global_step > 90:\n            control.should_training_stop = True",
        "if state.epoch < 9:\n            return\n        control.should_training_stop = True",
        "control.should_training_stop = False",
    ],
)
def test_a_callback_that_asks_before_it_stops_does_not_end_a_training_at_once(body: str) -> None:
    event = f"    def on_step_end(self, args, state, control, **rest):\n        {body}\n"
    text = f"class Stop(TrainerCallback):\n{event}Trainer(callbacks=[Stop()])\n"

    assert Places(text).origins.stopping() is None
