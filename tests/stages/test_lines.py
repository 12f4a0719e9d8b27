"""The line that a person would change, for scripts written in many ways."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from debugger.script.places import Places


def places(script: str) -> tuple[Places, list[str]]:
    text = dedent(script).strip("\n")
    return Places(text), ["", *text.splitlines()]


def said(script: str, found: int | None) -> str:
    return places(script)[1][found or 0].strip()


RATES = [
    """
    import argparse
    cli = argparse.ArgumentParser()
    cli.add_argument("--rate", "--learning-rate", default=0.2)  # HERE
    args = cli.parse_args()
    TrainingArguments("out", learning_rate=args.learning_rate)
    """,
    """
    def main(lr, epochs=3):
        TrainingArguments("out", learning_rate=lr)
    main(0.2)  # HERE
    """,
    """
    def main(lr=0.2):  # HERE
        TrainingArguments("out", learning_rate=lr)
    main()
    """,
    """
    EPOCHS, RATE = 3, 0.2  # HERE
    TrainingArguments("out", learning_rate=RATE)
    """,
    """
    @dataclass
    class Config:
        rate: float = field(default=0.2)  # HERE
    config = Config()
    TrainingArguments("out", learning_rate=config.rate)
    """,
    """
    config = {"epochs": 3,
              "rate": 0.2}  # HERE
    TrainingArguments("out", learning_rate=float(config["rate"]))
    """,
    """
    given = dict(output_dir="out",
                 learning_rate=0.2)  # HERE
    TrainingArguments(**given)
    """,
    """
    @dataclass
    class MyArguments(TrainingArguments):
        learning_rate: float = 0.2  # HERE
    """,
    """
    def everything():
        rate = 0.2  # HERE
        def arguments():
            return TrainingArguments("out", learning_rate=rate)
        Trainer(model, arguments()).train()
    everything()
    """,
    """
    def everything(rate):
        def arguments():
            return TrainingArguments("out", learning_rate=rate)
        Trainer(model, arguments()).train()
    everything(0.2)  # HERE
    """,
    """
    rate = schedule.find()
    TrainingArguments("out", learning_rate=rate)  # HERE
    """,
    """
    rate = 1e-3
    rate = rate * 200
    TrainingArguments("out", learning_rate=rate)  # HERE
    """,
]


@pytest.mark.parametrize("script", RATES)
def test_a_setting_is_where_its_number_is_written_down(script: str) -> None:
    assert said(script, places(script)[0].argument("learning_rate")).endswith("# HERE")


def test_what_map_hands_on_is_where_it_is_handed_over() -> None:
    script = """
    def prepare(rows, length):
        return tokenizer(rows["text"], max_length=length)
    data = data.map(prepare, batched=True, fn_kwargs={"length": 4})  # HERE
    """
    assert said(script, places(script)[0].argument("max_length")).endswith("# HERE")


LABELS = [
    """
    def prepare(rows):
        made = []
        for tags in rows["tags"]:
            row = [-100] + tags  # HERE
            made.append(row)
        out["labels"] = made
    """,
    """
    def prepare(rows):
        out["labels"] = [align(tags) for tags in rows["tags"]]
    def align(tags):
        found = []
        for tag in tags:
            found.append(tag)  # HERE
        return found
    """,
    """
    texts, labels = read()
    random.shuffle(labels)  # HERE
    Dataset.from_dict({"text": texts, "labels": labels})
    """,
    """
    Dataset.from_dict({
        "text": texts,
        "label": [1 for _ in texts],  # HERE
    }, features=Features({"label": ClassLabel(names=names)}))
    """,
    """
    data = data.add_column("labels", list(reversed(labels)))  # HERE
    data = data.rename_columns({"stars": "label"})
    """,
]


@pytest.mark.parametrize("script", LABELS)
def test_labels_are_made_where_the_last_hand_was_laid_on_them(script: str) -> None:
    assert said(script, places(script)[0].written.labels()).endswith("# HERE")


METRICS = [
    """
    def compute_metrics(given):
        logits, labels = given
        return {
            "f1": f1_score(labels, logits),
            "accuracy": (logits == labels).mean(),  # HERE
        }
    Trainer(compute_metrics=compute_metrics)
    """,
    """
    def compute(given, names):
        right = (given.predictions == given.label_ids).mean()  # HERE
        return {"accuracy": right}
    Trainer(compute_metrics=partial(compute, names=names))
    """,
    """
    def measured_by(names):
        def compute(given):
            out = {}
            out["accuracy"] = (given.predictions == given.label_ids).mean()  # HERE
            return out
        return compute
    Trainer(compute_metrics=measured_by(names))
    """,
    """
    class Metric:
        def __call__(self, given):
            return metric.compute(given)  # HERE
    metric_of_mine = Metric()
    Trainer(compute_metrics=metric_of_mine)
    """,
]


@pytest.mark.parametrize("script", METRICS)
def test_a_number_is_made_in_the_function_that_is_handed_over(script: str) -> None:
    found = places(script)[0].handed.answer("compute_metrics", "eval_accuracy")
    assert said(script, found).endswith("# HERE")


def test_what_a_metric_is_handed_was_made_before() -> None:
    script = """
    def compute_metrics(given):
        logits, labels = given
        predictions = logits
        chosen = labels != -100
        return {"accuracy": accuracy_score(labels, predictions)}
    Trainer(compute_metrics=compute_metrics)
    """
    handed = places(script)[0].handed
    assert said(script, handed.before(5)) == "predictions = logits"
    assert handed.before(2) == 2
    assert said(script, handed.compares("compute_metrics", ast.NotEq)) == "chosen = labels != -100"


def test_what_cuts_a_loss_off_is_looked_for_where_the_loss_is_made() -> None:
    script = """
    def compute_metrics(given):
        return {"loss": given.item()}
    class Mine(Trainer):
        def compute_loss(self, model, inputs):
            logits = model(**inputs).logits.detach()
            return loss(torch.relu(logits), inputs["labels"])
    """
    stepping = places(script)[0].stepping
    assert said(script, stepping.cut_off()) == "logits = model(**inputs).logits.detach()"
    assert said(script, stepping.flat()).startswith("return loss(torch.relu")


def test_the_highest_dropout_is_the_one_to_blame() -> None:
    script = """
    class Head(nn.Module):
        def __init__(self, dropout=1.0):
            self.dropout = nn.Dropout(dropout)
    BertConfig(hidden_dropout_prob=0.1)
    """
    assert said(script, places(script)[0].highest("dropout")) == "def __init__(self, dropout=1.0):"


def test_the_evaluation_set_has_a_preparation_of_its_own() -> None:
    script = """
    def augment(rows):
        rows["pixel_values"] = [crop(one) for one in rows["image"]]
        return rows
    def plain(rows):
        rows["pixel_values"] = [
            tensor(one) for one in rows["image"]
        ]
        return rows
    train, held = data.with_transform(augment), data.with_transform(plain)
    Trainer(train_dataset=train, eval_dataset=held)
    """
    found = places(script)[0].preparing.prepared_for_eval("pixel_values")
    assert said(script, found) == 'tensor(one) for one in rows["image"]'


def test_a_list_whose_entries_are_all_one_is_seen() -> None:
    script = """
    def collate(rows):
        return {
            "pixel_values": torch.stack([rows[0]["pixel_values"] for row in rows]),
            "labels": torch.tensor([row["label"] for row in rows]),
        }
    """
    preparing = places(script)[0].preparing
    assert said(script, preparing.repeating("pixel_values")).startswith('"pixel_values"')
    assert preparing.repeating("labels") is None


LABELS_ELSEWHERE = [
    """
    data = {"text": [], "same": []}
    for a, b in pairs:
        data["same"].append(int(a == b))  # HERE
    def encode(batch):
        out["labels"] = batch["same"]
    """,
    """
    data["same"] = [int(a == b) for a, b in pairs]  # HERE
    def encode(batch):
        out["labels"] = batch["same"]
    """,
    """
    def encode(batch):
        made = tokenizer(text_target=batch["xx"], padding="max_length")  # HERE
        out["labels"] = made["input_ids"]
    """,
    """
    def encode(batch):
        rows = []
        for tags in batch["tags"]:
            row = [-100] + tags[:8]  # HERE
            rows.append(row + [0] * (10 - len(row)))
        out["labels"] = rows
    """,
]


@pytest.mark.parametrize("script", LABELS_ELSEWHERE)
def test_labels_that_are_only_copied_are_followed_to_where_they_are_made(script: str) -> None:
    assert said(script, places(script)[0].written.labels()).endswith("# HERE")


def test_of_several_limits_the_one_that_was_met_is_to_blame() -> None:
    script = """
    train = partial(prepare, max_length=12)
    other = partial(prepare, max_length=32)
    """
    assert places(script)[0].argument_of_value(32, "max_length") == 2
    assert places(script)[0].argument_of_value(12, "max_length") == 1
    assert places(script)[0].argument_of_value(99, "max_length") == 1


def test_a_number_that_serves_twice_was_wrongly_chosen_where_it_is_handed_over() -> None:
    script = """
    EPOCHS, STEPS = 2, 9
    schedule(num_training_steps=EPOCHS, cycles=STEPS)
    TrainingArguments(num_train_epochs=EPOCHS)
    """
    assert places(script)[0].argument_chosen("num_training_steps") == 2
    assert places(script)[0].argument_chosen("cycles") == 1


@pytest.mark.parametrize(
    "script",
    [
        "tok = AutoTokenizer.from_pretrained(name)\nout = tok(batch['text'])",
        "import x\nout = self.tokenizer(batch['text'])",
        "tokenizer = made()\nout = encode(texts, truncation=True)",
    ],
)
def test_what_makes_tokens_is_found_under_any_name(script: str) -> None:
    assert places(script)[0].tokenizing() == 2


def test_a_mask_that_is_turned_round_comes_before_one_that_is_only_shaped() -> None:
    script = """
    class Model(nn.Module):
        def forward(self, ids, attention_mask):
            mask = attention_mask.unsqueeze(-1)
            other_mask = 1 - attention_mask
            return self.body(ids, other_mask).sum(1)
    """
    stepping = places(script)[0].stepping
    assert stepping.masking() == 4
    assert stepping.pooling() == 5


def test_a_loss_that_was_made_before_is_to_blame_where_it_is_asked() -> None:
    script = """
    class Model(nn.Module):
        def __init__(self):
            self.cost = nn.CrossEntropyLoss()
        def forward(self, ids, labels):
            scores = self.head(ids).softmax(-1)
            return self.cost(scores, labels)
    """
    stepping = places(script)[0].stepping
    assert stepping.using_loss() == 6
    assert stepping.squashing() == 5


def test_what_a_row_is_made_of_by_its_number_takes_no_fixed_place() -> None:
    wrong = """
    class Rows(Dataset):
        def __getitem__(self, place):
            return {name: values[0] for name, values in self.rows.items()}
    """
    assert places(wrong)[0].preparing.one_place() == 3
    assert places(wrong.replace("values[0]", "values[place]"))[0].preparing.one_place() is None


def test_the_branch_that_every_row_took_is_where_it_was_decided() -> None:
    script = """
    def prepare(rows):
        if rows["text"] != answer:
            out["start_positions"][0] = 0
    """
    found = places(script)[0]
    assert found.condition_of(found.written.under("start_positions")) == 2


@pytest.mark.parametrize(
    ("train", "test", "found"),
    [
        ("encode(clean(texts))", "encode(others)", 2),
        ("[encode(clean(one)) for one in texts]", "[encode(one) for one in others]", 2),
        ("encode(clean(texts))", "encode(clean(others))", None),
        ("encode(texts)", "encode(clean(others))", None),
        ("data['train']", "data['test']", None),
        ("load(clean(texts))", "others", None),
    ],
)
def test_rows_to_be_judged_by_that_are_prepared_by_fewer_calls(
    train: str, test: str, found: int | None
) -> None:
    for one, other in (("train", "test"), ("train_rows", "val_rows")):
        assert Places(f"{one} = {train}\n{other} = {test}").making.prepared_less() == found


OPTIONS = """
cli = argparse.ArgumentParser()
cli.add_argument("--vocab_size", type=int, default=500)
"""


@pytest.mark.parametrize(
    ("made", "owner", "line"),
    [
        ("args = cli.parse_args()", "args", 3),
        ("args, _ = cli.parse_known_args()", "args", 3),
        ("tokenizer = AutoTokenizer.from_pretrained('bert')", "tokenizer", 5),
        ("words = Words(texts)", "words", 5),
        ("args = Namespace(vocab_size=9)", "args", 4),
    ],
)
def test_an_option_of_the_command_line_is_not_what_a_tokenizer_calls_by_its_name(
    made: str, owner: str, line: int
) -> None:
    script = f"{OPTIONS}{made}\nmodel = Model(Config(vocab_size={owner}.vocab_size))"

    assert Places(script).argument("vocab_size") == line
