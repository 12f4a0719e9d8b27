"""What a script does with a model that a Trainer has trained: the same mistake in many ways."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from debugger.script.judged import Judged
from debugger.script.places import Places

BUILT = """
model = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=2)
trainer = Trainer(model=model, args=args, train_dataset=data["train"], eval_dataset=data["test"])
"""
MISTAKES: list[tuple[Callable[[Judged], Any], str, Any]] = [
    (
        lambda one: one.on_training_rows(),
        """
        trainer.train()
        print(trainer.evaluate(data["train"]))  # HERE
        """,
        True,
    ),
    (
        lambda one: one.on_training_rows(),
        """
        trainer.train()
        print(trainer.evaluate(eval_dataset=data["train"]))  # HERE
        print(trainer.evaluate())
        """,
        False,
    ),
    (
        lambda one: one.fresh(),
        """
        trainer.train()
        model = AutoModelForSequenceClassification.from_pretrained(NAME)  # HERE
        print(measure(model, data["test"]))
        """,
        False,
    ),
    (
        lambda one: one.fresh(),
        """
        trainer.train()
        print(trainer.evaluate())
        ask = pipeline("text-classification", model=NAME)  # HERE
        """,
        True,
    ),
    (
        lambda one: one.while_training(),
        """
        trainer.train()
        for batch in loader:
            scores = model(**batch).logits  # HERE
        """,
        None,
    ),
    (
        lambda one: one.while_training(),
        """
        def right(net, rows):
            return [net(**row).logits.argmax() == row["label"] for row in rows]  # HERE
        trainer.train()
        print(right(model, data["test"]))
        """,
        None,
    ),
    (
        lambda one: one.other_rows(),
        """
        trainer.train()
        said = trainer.predict(data["train"]).predictions.argmax(-1)  # HERE
        labels = data["test"]["label"]
        print(accuracy_score(labels, said[:len(labels)]))
        """,
        ("data['train']", "data['test']['label']"),
    ),
]
SOUND = [
    """
    trainer.train()
    print(trainer.evaluate(), trainer.evaluate(data["test"]))
    """,
    """
    trainer.train()
    trainer.save_model("out")
    best = AutoModelForSequenceClassification.from_pretrained("out")
    best.eval()
    print(best(**batch))
    """,
    """
    trainer.train()
    base = AutoModelForSequenceClassification.from_pretrained(NAME)
    model = PeftModel.from_pretrained(base, "out")
    print(trainer.evaluate())
    """,
    """
    trainer.train()
    model.eval()
    print(model(**batch))
    """,
    """
    def still(net):
        model.eval()
    trainer.train()
    still(model)
    print(model(**batch))
    """,
    """
    def right(net, rows):
        net.eval()
        return [net(**row).logits.argmax() == row["label"] for row in rows]
    trainer.train()
    print(right(model, data["test"]))
    """,
    """
    trainer.train()
    said = trainer.predict(data["test"])
    labels = data["test"]["label"]
    print(accuracy_score(labels, said.predictions.argmax(-1)))
    """,
]


def judged(text: str) -> Judged:
    return Places(text).judged


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_the_line_is_found_where_the_trained_model_is_asked_wrongly(number: int) -> None:
    find, text, told = MISTAKES[number]
    whole = BUILT + dedent(text)
    wanted = next(n for n, line in enumerate(whole.splitlines(), 1) if "# HERE" in line)
    found = find(judged(whole))
    if told is None:
        assert found == wanted
    else:
        assert found == (wanted, *(told if isinstance(told, tuple) else (told,)))


@pytest.mark.parametrize("text", SOUND)
def test_nothing_is_found_where_it_is_asked_rightly(text: str) -> None:
    one = judged(BUILT + dedent(text))
    assert one.on_training_rows() is None
    assert one.fresh() is None
    assert one.while_training() is None
    assert one.other_rows() is None
    assert one.crossed() is None


@pytest.mark.parametrize(
    ("before", "behind", "wanted"),
    [
        ("", "model = AutoModel.from_pretrained(out)", True),
        ("", "trainer.save_model(out)\nmodel = AutoModel.from_pretrained(out)", False),
        ("kept = AutoModel.from_pretrained(out)", "model = AutoModel.from_pretrained(out)", False),
        ("", "model = AutoModel.from_pretrained(NAME)", False),
        ("", "words = AutoTokenizer.from_pretrained(out)", False),
    ],
)
def test_a_model_that_nobody_has_saved_is_not_to_be_opened(
    before: str, behind: str, wanted: bool
) -> None:
    args = "args = TrainingArguments(output_dir=out, save_strategy='no')\n"
    whole = f"{before}\n{args}{BUILT}trainer.train()\n{behind}"
    told = judged(whole).opened_unsaved()
    assert told == ((len(whole.splitlines()), "out") if wanted else None)
    assert judged(whole.replace("'no'", "'epoch'")).opened_unsaved() is None


def test_sets_are_crossed_where_each_has_the_name_of_the_other() -> None:
    text = BUILT.replace('"train"', '"x"').replace('"test"', '"train"').replace('"x"', '"test"')
    assert judged(text).crossed() == 3
    assert judged("Trainer(train_dataset=rows, eval_dataset=train_rows)").crossed() is None
