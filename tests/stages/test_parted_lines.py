"""Where the evaluation rows are made otherwise than the training rows, and where nothing shows."""

from __future__ import annotations

from textwrap import dedent

import pytest

from debugger.script.places import Places

PARTED = {
    "only the training texts are cleaned": """
        seen = [clean(text) for text, _ in train_rows]
        held = [text for text, _ in test_rows]  # HERE
        train, test = Rows(seen, tokenizer), Rows(held, tokenizer)
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "other lengths": """
        def encode(rows, length):
            return tokenizer(rows, max_length=length)
        train = encode(read("train"), length=64)
        test = encode(read("test"), length=16)  # HERE
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "a setting that the other call does not have": """
        def run():
            train = load("train").map(encode, batched=True)
            test = load("test").map(encode, batched=True, fn_kwargs={"lower": False})  # HERE
            fit(train, test)
        def fit(rows, others):
            Trainer(train_dataset=rows, eval_dataset=others).train()
        """,
    "one split is changed in place": """
        data = load()
        data["train"] = data["train"].map(scale)  # HERE
        Trainer(train_dataset=data["train"], eval_dataset=data["test"])
        """,
    "one column of a table": """
        train, test = split(table)
        train["age"] = scaler.fit_transform(train["age"])  # HERE
        Trainer(train_dataset=Rows(train), eval_dataset=Rows(test))
        """,
    "what is called upon one of them as it is handed over": """
        x_train, y_train, x_test, y_test = x[90:], y[90:], x[:90], y[:90]
        train = Rows(scale(x_train), y_train)
        test = Rows(x_test, y_test)  # HERE
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "what is reckoned of one of them as it is handed over": """
        x_train, x_test = numbers(train_log), numbers(test_log)
        train = rows((x_train - mean) / std, train_log["state"])
        test = rows(x_test, test_log["state"])  # HERE
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "columns in another order": """
        train = Rows(scaler.transform(train_table[names]))
        test = Rows(scaler.transform(test_table[sorted(names)]))  # HERE
        Trainer(train_dataset=train, eval_dataset=test)
        """,
}
ALIKE = {
    "two seeds and two sizes": """
        train = build(360, seed=0).map(encode)
        test = build(120, seed=1).map(encode)
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "two parts of one split": """
        seen, held, labels, others = train_test_split(texts, targets)
        train, test = Rows(seen, labels), Rows(held, others)
        Trainer(train_dataset=train, eval_dataset=test)
        """,
    "two splits of one thing": """
        data = load().map(encode)
        Trainer(train_dataset=data["train"], eval_dataset=data["test"])
        """,
    "the same is done to both": """
        train, test = load("train"), load("test")
        train["age"] = train["age"] / 90
        test["age"] = test["age"] / 90
        Trainer(train_dataset=Rows(train), eval_dataset=Rows(test))
        """,
    "nothing to judge by": "Trainer(train_dataset=train)",
}


@pytest.mark.parametrize("name", PARTED)
def test_the_line_is_the_first_step_that_only_one_of_them_takes(name: str) -> None:
    text = dedent(PARTED[name])
    wanted = next(n for n, line in enumerate(text.splitlines(), 1) if "# HERE" in line)
    assert Places(text).parting.line() == wanted


@pytest.mark.parametrize("name", ALIKE)
def test_sets_that_are_made_alike_part_nowhere(name: str) -> None:
    assert Places(dedent(ALIKE[name])).parting.line() is None


def test_a_schedule_that_is_told_its_length_by_place_is_to_blame_where_that_was_chosen() -> None:
    text = dedent(
        """
        def build(model, steps):
            return get_linear_schedule_with_warmup(AdamW(model), 0, steps)
        build(model, epochs)
        """
    )
    assert Places(text).chosen.schedule_length() == 4
    assert Places(text.replace("0, steps)", "0, 40)")).chosen.schedule_length() == 3
