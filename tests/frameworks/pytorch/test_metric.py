"""What a metric counts, in real Trainers of every task: broken, sound, and odd but right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    mean_absolute_error,
    precision_score,
    recall_score,
    roc_auc_score,
)
from transformers import (
    BertConfig,
    BertForTokenClassification,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
)

from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.outcome import Finding
from debugger.script.places import Places
from debugger.stages import evaluate
from debugger.stages.judging import View, judged
from debugger.words import Words
from tests import tiny
from tests.frameworks.pytorch.test_untouched import everything

Metric = Callable[[Any], dict[str, float]]


def findings(trainer: Trainer) -> dict[str, Finding]:
    pipeline = TrainerPipeline(trainer)
    before = everything(trainer)
    seen = pipeline.evaluate()
    assert everything(trainer) == before
    found, _ = judged("evaluate", evaluate.RULES, seen, View(pipeline.facts))
    for one in found:
        Words().finding(one)
    known = ("leak", "eval_set_is_train_set", "metric_never_called", "model_label_order")
    return {one.code: one for one in found if one.severity == "fault" and one.code not in known}


def named(trainer: Trainer, script: str = "") -> set[str]:
    """Faults, and what is only to be looked at."""
    pipeline = TrainerPipeline(trainer)
    view = View(pipeline.facts, Places(script), has_script=bool(script))
    found, _ = judged("evaluate", evaluate.RULES, pipeline.evaluate(), view)
    return {one.code for one in found if one.severity != "note"}


def of_classes(metric: Metric, **more: Any) -> Trainer:
    return tiny.classifier(compute_metrics=metric, **more)


def of_tokens(metric: Metric) -> Trainer:
    trainer = tiny.token_classifier()
    trainer.compute_metrics = metric  # type: ignore[assignment]
    return trainer


def of_many(metric: Metric) -> Trainer:
    rows = [[float(n % 2), float(n % 5 == 0), float(n % 3 > 0)] for n in range(48)]
    dataset = tiny.pairs(48).remove_columns("label").add_column("labels", rows)
    return tiny.classifier(
        model=tiny.bert(problem_type="multi_label_classification"),
        train_dataset=dataset,
        eval_dataset=dataset,
        compute_metrics=metric,
    )


def of_amounts(metric: Metric) -> Trainer:
    trainer = tiny.regressor()
    trainer.compute_metrics = metric  # type: ignore[assignment]
    return trainer


def _guesses(logits: Any, _labels: Any) -> Any:
    return logits.argmax(-1)


def of_next_tokens(metric: Metric) -> Trainer:
    trainer = tiny.language_model()
    trainer.eval_dataset = trainer.train_dataset
    trainer.compute_metrics = metric  # type: ignore[assignment]
    trainer.preprocess_logits_for_metrics = _guesses  # type: ignore[assignment]
    return trainer


def test_an_evaluation_that_drops_what_fills_no_batch_is_shown_a_whole_one() -> None:
    arguments = tiny.arguments(dataloader_drop_last=True, per_device_eval_batch_size=40)
    rows = tiny.pairs(48)
    trainer = of_classes(lambda _: {"accuracy": 0.5}, args=arguments, eval_dataset=rows)
    seen = TrainerPipeline(trainer).evaluate()

    assert seen.called
    assert seen.rows == 40
    assert seen.unfilled == 8
    assert "metric_never_called" not in named(trainer)


def macro(guesses: Any, labels: Any) -> float:
    scores = []
    for one in np.unique(labels):
        hits = ((guesses == one) & (labels == one)).sum()
        scores.append(2 * hits / max(1, (guesses == one).sum() + (labels == one).sum()))
    return float(np.mean(scores))


def share(right: Any) -> dict[str, float]:
    return {"accuracy": float(np.mean(right))}


def masked(given: Any) -> dict[str, float]:
    guesses, labels = given.predictions.argmax(-1), given.label_ids
    return share((guesses == labels)[labels != -100])


def shifted(given: Any) -> dict[str, float]:
    guesses, labels = given.predictions[:, :-1], given.label_ids[:, 1:]
    return share((guesses == labels)[labels != -100])


def chances(given: Any, cut: float = 0.5) -> dict[str, float]:
    said = 1 / (1 + np.exp(-given.predictions)) > cut
    return share(said == given.label_ids)


def of_two(metric: Metric) -> Trainer:
    def halved(row: dict[str, Any]) -> dict[str, Any]:
        return {"label": int(row["label"] > 0)}

    dataset = tiny.pairs(48).map(halved)
    model = tiny.bert(num_labels=2)
    more = {"train_dataset": dataset, "eval_dataset": dataset}
    return tiny.classifier(model=model, compute_metrics=metric, **more)


def area(given: Any, sure: bool) -> dict[str, float]:
    scores = given.predictions[:, 1] - given.predictions[:, 0]
    chosen = given.predictions.argmax(-1)
    return {"roc_auc": float(roc_auc_score(given.label_ids, scores if sure else chosen))}


def of_yes(given: Any, recall: bool) -> dict[str, float]:
    score: Any = recall_score if recall else precision_score
    chosen = given.predictions.argmax(-1)
    return {"precision": float(score(given.label_ids, chosen, zero_division=0))}


SOUND = [
    (of_classes, tiny.accuracy),
    (of_classes, lambda g: {k: 100 * v for k, v in masked(g).items()} | {"rows": 24.0}),
    (of_classes, lambda g: {"macro_f1": macro(g.predictions.argmax(-1), g.label_ids)}),
    (of_classes, lambda g: {"error": 1 - masked(g)["accuracy"]}),
    (of_tokens, masked),
    (of_tokens, lambda g: masked(g) | {"f1": 0.9 * masked(g)["accuracy"]}),
    (of_many, chances),
    (of_many, lambda g: chances(g, 0.3)),
    (of_many, lambda g: share((g.predictions > 0) == g.label_ids)),
    (of_amounts, lambda g: {"mse": float(((g.predictions[:, 0] - g.label_ids) ** 2).mean())}),
    (of_amounts, lambda g: share(abs(g.predictions[:, 0] - g.label_ids) < 0.1)),
    (of_next_tokens, shifted),
    (of_two, lambda g: area(g, sure=True)),
    (of_two, lambda g: of_yes(g, recall=False) | {"accuracy": masked(g)["accuracy"]}),
    (of_amounts, lambda g: {"bias": float((g.predictions[:, 0] - g.label_ids).mean())}),
    (of_two, lambda g: of_yes(g, recall=False)),
    (
        of_amounts,
        lambda g: {"rmse": float(((g.predictions[:, 0] - g.label_ids) ** 2).mean() ** 0.5)},
    ),
]


@pytest.mark.parametrize("number", range(len(SOUND)))
def test_a_sound_metric_is_left_alone(number: int) -> None:
    make, metric = SOUND[number]

    found = findings(make(metric))

    percent = number == 1  # told by a rule that this file is not about
    assert list(found) == (["metric_wrong_on_perfect"] if percent and found else [])


BROKEN: dict[str, tuple[Callable[..., Trainer], Metric, str]] = {
    "the wrong axis": (
        of_classes,
        lambda g: share(np.zeros(24) == g.predictions.argmax(-1)[0] * 0),
        "metric_blind",
    ),
    "the worst class": (
        of_classes,
        lambda g: share(g.predictions.argmin(-1) == g.label_ids),
        "metric_prefers_chance",
    ),
    "micro called macro": (
        of_classes,
        lambda g: {"f1_macro": masked(g)["accuracy"]},
        "average_named_otherwise",
    ),
    "ignored positions": (
        of_tokens,
        lambda g: share(g.predictions.argmax(-1) == g.label_ids),
        "metric_counts_ignored",
    ),
    "an F1 without its two": (
        of_tokens,
        lambda g: (lambda s: {"precision": s, "recall": s, "f1": s / 2})(masked(g)["accuracy"]),
        "metric_wrong_on_perfect",
    ),
    "right tokens a row": (
        of_tokens,
        lambda g: {"token_accuracy": masked(g)["accuracy"] * 3.5},
        "metric_wrong_on_perfect",
    ),
    "a share that is rounded": (
        of_classes,
        lambda g: {"accuracy": float(round(masked(g)["accuracy"]))},
        "metric_all_or_nothing",
    ),
    "a sigmoid of a sigmoid": (
        of_many,
        lambda g: share((1 / (1 + np.exp(-1 / (1 + np.exp(-g.predictions)))) > 0.5) == g.label_ids),
        "never_a_no",
    ),
    "percent against a share": (of_many, lambda g: chances(g, 50), "never_a_yes"),
    "a threshold on logits": (
        of_many,
        lambda g: share((g.predictions > 0.5) == g.label_ids),
        "threshold_on_logits",
    ),
    "equal fractions": (
        of_amounts,
        lambda g: share(g.predictions[:, 0] == g.label_ids),
        "amounts_held_equal",
    ),
    "argmax of amounts": (
        of_amounts,
        lambda g: {"mse": float(((g.predictions.argmax(-1) - g.label_ids) ** 2).mean())},
        "metric_blind",
    ),
    "a class that is never counted": (
        of_classes,
        lambda g: share((g.predictions.argmax(-1) == g.label_ids)[g.label_ids > 0]),
        "metric_leaves_class_out",
    ),
    "errors that cancel out": (
        of_amounts,
        lambda g: {"mae": float((g.predictions[:, 0] - g.label_ids).mean())},
        "error_with_sign",
    ),
    "an area under bare choices": (of_two, lambda g: area(g, sure=False), "auc_of_choices"),
    "a recall for a precision": (
        of_two,
        lambda g: of_yes(g, recall=True),
        "score_named_otherwise",
    ),
    "a square for its root": (
        of_amounts,
        lambda g: {"rmse": float(((g.predictions[:, 0] - g.label_ids) ** 2).mean())},
        "score_named_otherwise",
    ),
    "not shifted": (
        of_next_tokens,
        lambda g: share((g.predictions == g.label_ids)[g.label_ids != -100]),
        "metric_not_shifted",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_metric_that_counts_something_else_is_named(name: str) -> None:
    make, metric, code = BROKEN[name]

    assert code in findings(make(metric))


def micro(given: Any, first: int) -> dict[str, float]:
    """F1 over the classes from `first` on."""
    guesses, labels = given.predictions.argmax(-1), given.label_ids
    guesses, labels = guesses[labels != -100], labels[labels != -100]
    hits = ((guesses == labels) & (labels >= first)).sum()
    return {"f1": float(2 * hits / max(1, (guesses >= first).sum() + (labels >= first).sum()))}


@pytest.mark.parametrize("first", [0, 1])
def test_an_f1_that_counts_what_is_no_name(first: int) -> None:
    trainer = of_tokens(lambda given: micro(given, first))
    names = ["O", *(f"B-{n}" for n in range(1, trainer.model.config.num_labels))]  # type: ignore
    trainer.model.config.id2label = dict(enumerate(names))  # type: ignore
    rows = trainer.eval_dataset.map(  # type: ignore[union-attr]
        lambda row: {
            "labels": [-100 if y < 0 else y * (n % 4 == 0) for n, y in enumerate(row["labels"])]
        }
    )
    trainer.eval_dataset = rows
    found = named(trainer)

    assert ("outside_counted" in found) == (first == 0)


def test_a_sequence_wise_metric_is_no_rounded_one() -> None:
    def whole_sentences(given: Any) -> dict[str, float]:
        counted = given.label_ids != -100
        right = (given.predictions.argmax(-1) == given.label_ids) | ~counted
        return {"accuracy": float(right.all(axis=1).mean())}

    assert findings(of_tokens(whole_sentences)) == {}


RANKED = """
def compute_metrics(given):
    top = np.argsort(-given.predictions, 1)[:, :2]
    found = np.take_along_axis(given.label_ids, top, 1).sum(1)
    return {"recall": float((found / np.maximum(given.label_ids.sum(1), 1)).mean())}
trainer = Trainer(model, args, compute_metrics=compute_metrics)
"""


def test_the_first_few_of_many_labels_may_be_all_that_is_asked() -> None:
    kept: dict[str, Any] = {"np": np, "Trainer": lambda *_, **__: None, "model": None, "args": None}
    exec(RANKED, kept)
    shared = RANKED.replace("np.argsort", "np.sort")

    found = named(of_many(kept["compute_metrics"]), RANKED)

    assert "labels_share_one_whole" not in found
    assert "labels_share_one_whole" in named(of_many(kept["compute_metrics"]), shared)


def test_where_a_metric_leaves_what_is_right() -> None:
    def highest(given: Any) -> dict[str, float]:
        scores, labels = given
        chosen = scores.max(-1)
        return share(chosen == labels)

    def of_each(given: Any) -> dict[str, float]:
        labels = given.label_ids
        sure = 1 / (1 + np.exp(-given.predictions))
        sure = 1 / (1 + np.exp(-sure))
        said = sure > 0.5
        return share(said == labels)

    def sound(given: Any) -> dict[str, float]:
        labels = given.label_ids
        chosen = given.predictions.argmax(-1)
        right = chosen == labels
        return share(right)

    at, of = highest.__code__.co_firstlineno, of_each.__code__.co_firstlineno
    assert findings(of_classes(highest))["metric_wrong_on_perfect"].line == at + 2
    assert findings(of_many(of_each))["never_a_no"].line == of + 3
    assert TrainerPipeline(of_classes(sound)).evaluate().strays_at is None


def test_a_metric_that_takes_all_that_a_model_gives_for_its_scores() -> None:
    giving = tiny.bert(output_hidden_states=True)

    def first(given: Any) -> dict[str, float]:
        return share(given.predictions[0].argmax(-1) == given.label_ids)

    assert "answers_in_a_tuple" in findings(of_classes(tiny.accuracy, model=giving))
    assert "answers_in_a_tuple" not in findings(of_classes(first, model=giving))


@pytest.mark.parametrize(
    ("name", "greater", "code"),
    [
        ("accuracy", True, None),
        ("accuracy", False, "best_is_worst"),
        ("error", None, "best_is_worst"),
        ("error", False, None),
        ("loss", True, "best_is_worst"),
        ("eval_loss", None, None),
    ],
)
def test_the_best_checkpoint_is_the_best(name: str, greater: bool | None, code: str | None) -> None:
    args = tiny.arguments(
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model=name,
        greater_is_better=greater,
    )

    def metric(given: Any) -> dict[str, float]:
        return {**masked(given), "error": 1 - masked(given)["accuracy"]}

    assert list(findings(of_classes(metric, args=args))) == ([] if code is None else [code])


@pytest.mark.parametrize("part", [0, 1])
def test_the_part_of_a_tuple_that_the_metric_takes(part: int) -> None:
    model = tiny.bert(output_hidden_states=True)

    def metric(given: Any) -> dict[str, float]:
        first = given.predictions[0] if part == 0 else given.predictions[1][0]
        return share(first.reshape(24, -1)[:, :3].argmax(-1) == given.label_ids)

    found = findings(of_classes(metric, model=model))

    assert ("metric_blind" in found) == (part == 1)


class Choosing(BertForTokenClassification):
    def forward(  # type: ignore[override]
        self, input_ids: Any = None, attention_mask: Any = None, labels: Any = None
    ) -> Any:
        said: Any = super().forward(input_ids, attention_mask, labels=labels)
        return {"loss": said.loss, "logits": said.logits, "chosen": said.logits.argmax(-1)}


def test_a_metric_that_goes_by_what_the_model_decides_beside_its_scores() -> None:
    def metric(given: Any) -> dict[str, float]:
        kept = given.label_ids != -100
        return share(given.predictions[1][kept] == given.label_ids[kept])

    trainer = of_tokens(metric)
    trainer.model = Choosing(trainer.model.config)  # type: ignore[union-attr]

    assert "metric_blind" not in findings(trainer)


class Halves(torch.nn.Module):
    """Questions and answers as vectors, which a metric multiplies with each other."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(400, 6)

    def forward(self, input_ids: Any, labels: Any = None, attention_mask: Any = None) -> Any:
        asked, said = self.table(input_ids[:, 0]), self.table(input_ids[:, -1])
        return {"loss": (asked - said).square().mean(), "asked": asked, "said": said}


def test_two_halves_of_one_shape_are_no_scores() -> None:
    def recall(given: Any) -> dict[str, float]:
        asked, said = given.predictions
        best = (asked @ said.T).argmax(axis=1)
        return share(given.label_ids[best] == given.label_ids)

    model: Any = Halves()
    trainer = of_classes(recall, model=model, args=tiny.arguments(label_names=["labels"]))
    assert trainer.evaluate()["eval_accuracy"] < 1
    assert findings(trainer) == {}


def generating(metric: Metric, **more: Any) -> Trainer:
    plain: Any = tiny.translator()
    given = {"predict_with_generate": True, "report_to": "none", "use_cpu": True, **more}
    args = Seq2SeqTrainingArguments(plain.args.output_dir, **given)
    return Seq2SeqTrainer(
        plain.model,
        args,
        train_dataset=plain.train_dataset,
        eval_dataset=plain.train_dataset,
        data_collator=plain.data_collator,
        processing_class=tiny.tokenizer(),
        compute_metrics=metric,  # type: ignore[arg-type]
    )


def test_ignored_labels_that_are_decoded() -> None:
    def metric(given: Any, mend: bool) -> dict[str, float]:
        tokenizer = tiny.tokenizer()
        labels = given.label_ids
        labels = np.where(labels >= 0, labels, 0) if mend else labels
        wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
        said = tokenizer.batch_decode(np.maximum(given.predictions, 0), skip_special_tokens=True)
        return share(np.array(wanted) == np.array(said))

    found = findings(generating(lambda given: metric(given, mend=False)))

    assert list(found) == ["decodes_ignored"]
    assert findings(generating(lambda given: metric(given, mend=True))) == {}


def agreeing(given: Any, plain: bool = True) -> dict[str, float]:
    """`plain`: what is answered loses its special tokens, as the labels do."""
    tokenizer = tiny.tokenizer()
    labels: Any = np.where(given.label_ids >= 0, given.label_ids, tokenizer.pad_token_id)
    wanted = tokenizer.batch_decode(labels, skip_special_tokens=True)
    filling: Any = tokenizer.pad_token_id
    answers = np.maximum(given.predictions, filling)  # transformers 5 fills them with -100
    said = tokenizer.batch_decode(answers, skip_special_tokens=plain)
    return {"exact": float(np.mean(np.array(wanted) == np.array(said)))}


def test_answers_that_keep_the_special_tokens_which_labels_lose() -> None:
    found = findings(generating(lambda given: agreeing(given, plain=False)))

    assert found["decoded_unlike"].severity == "fault"
    assert "decoded_unlike" not in findings(generating(agreeing))


def test_answers_that_are_cut_before_the_labels_end() -> None:
    cut = findings(generating(agreeing, generation_max_length=3))
    assert cut["answers_cut"].severity == "fault"
    assert "answers_cut" not in findings(generating(agreeing, generation_max_length=30))


def test_scores_that_are_decoded_in_place_of_tokens() -> None:
    def metric(given: Any) -> dict[str, float]:
        made = given.predictions
        made = made[0] if isinstance(made, tuple) else made
        return {"words": float(len(tiny.tokenizer().batch_decode(made)))}

    assert "logits_into_metric" in findings(generating(metric, predict_with_generate=False))
    assert "logits_into_metric" not in findings(generating(metric))


@pytest.mark.parametrize("axis", [0, -1])
def test_an_argmax_along_the_rows_that_scikit_learn_refuses(axis: int) -> None:
    def metric(given: Any) -> dict[str, float]:
        chosen = given.predictions.argmax(axis=axis)
        return {"accuracy": float(accuracy_score(given.label_ids, chosen))}

    assert ("wrong_axis" in findings(of_classes(metric))) == (axis == 0)


def test_a_metric_that_keeps_what_it_was_handed_learns_nothing_of_the_trial() -> None:
    torch.manual_seed(0)
    seen: list[Any] = []

    def metric(given: Any) -> dict[str, float]:
        seen.append(given.label_ids)
        given.label_ids[given.label_ids == -100] = 0
        return masked(given)

    assert findings(of_tokens(metric)) == {}
    assert len(seen) > 1


def of_the_likeliest(given: Any) -> dict[str, float]:
    """One label of a row, as if there were no others: of 24 rows, those with one are right."""
    chosen = np.eye(given.predictions.shape[1])[given.predictions.argmax(1)]
    return {"accuracy": float((chosen == given.label_ids).all(1).mean())}


def first_is_right(given: Any) -> dict[str, float]:
    best = given.predictions.argmax(1)
    asked = given.label_ids.sum(1) > 0
    return {"precision_at_1": float(given.label_ids[np.arange(len(best)), best][asked].mean())}


def test_a_metric_of_one_label_where_rows_have_several() -> None:
    assert "metric_counts_one_label" in findings(of_many(of_the_likeliest))
    assert "metric_counts_one_label" not in findings(of_many(first_is_right))


def test_a_column_minus_a_row_of_labels_mixes_the_rows() -> None:
    def table(given: Any) -> dict[str, float]:
        wanted = given.label_ids.ravel()
        return {"r2": 1 - float(((given.predictions - wanted) ** 2).mean() / wanted.var())}

    def in_one_shape(given: Any) -> dict[str, float]:
        wanted = given.label_ids.ravel()
        off = given.predictions.ravel() - wanted
        return {"r2": 1 - float((off**2).mean() / wanted.var()), "mean": float(off.mean())}

    assert "metric_mixes_rows" in findings(of_amounts(table))
    assert "metric_mixes_rows" not in findings(of_amounts(in_one_shape))


def test_ids_that_are_chosen_before_the_metric_are_tried_as_they_are() -> None:
    def counted(given: Any) -> dict[str, float]:
        return {"accuracy": float((given.predictions == given.label_ids).mean())}

    for metric, named in ((counted, True), (masked_ids, False)):
        trainer = of_tokens(metric)
        trainer.preprocess_logits_for_metrics = lambda logits, _: logits.argmax(-1)
        assert ("metric_counts_ignored" in findings(trainer)) is named


def masked_ids(given: Any) -> dict[str, float]:
    kept = given.label_ids != -100
    return {"accuracy": float((given.predictions == given.label_ids)[kept].mean())}


def uneven() -> Trainer:
    """Of 48 rows to be judged by, 36 are of the first class, 8 of the second and 4 of the third."""
    rows = tiny.pairs(48, start=300).remove_columns("label")
    return tiny.classifier(eval_dataset=rows.add_column("label", [0] * 36 + [1] * 8 + [2] * 4))


@pytest.mark.parametrize(
    ("name", "average", "told"),
    [
        ("f1", "micro", True),
        ("f1", "macro", False),
        ("f1", "weighted", False),
        ("micro_f1", "micro", False),
        ("accuracy", "micro", False),
    ],
)
def test_an_f1_that_is_averaged_over_rows_is_the_accuracy(
    name: str, average: str, told: bool
) -> None:
    def metric(given: Any) -> dict[str, float]:
        chosen = given.predictions.argmax(-1)
        return {name: float(f1_score(given.label_ids, chosen, average=average))}

    trainer = uneven()
    trainer.compute_metrics = metric  # type: ignore[assignment]
    assert ("f1_of_rows" in named(trainer)) == told


def test_an_f1_over_rows_of_classes_that_are_equally_common_hides_nothing() -> None:
    def metric(given: Any) -> dict[str, float]:
        chosen = given.predictions.argmax(-1)
        return {"f1": float(f1_score(given.label_ids, chosen, average="micro"))}

    assert "f1_of_rows" not in named(of_classes(metric))


def by_words(given: Any, first: bool) -> dict[str, float]:
    """Row by row: the answers where a label is, or as many of the `first`."""
    wanted, said = [], []
    for chosen, labels in zip(given.predictions.argmax(-1), given.label_ids, strict=True):
        real = labels[labels != -100]
        wanted += real.tolist()
        said += (chosen[: len(real)] if first else chosen[labels != -100]).tolist()
    return {"accuracy": float(accuracy_score(wanted, said))}


@pytest.mark.parametrize("first", [True, False])
def test_a_metric_that_takes_as_many_answers_as_labels_from_the_front(first: bool) -> None:
    trainer = of_tokens(lambda given: by_words(given, first))
    rows: Any = trainer.eval_dataset
    trainer.eval_dataset = rows.map(  # only every other word has a label of its own
        lambda row: {"labels": [y if n % 2 else -100 for n, y in enumerate(row["labels"])]}
    )
    found = findings(trainer)

    assert ("metric_takes_first_places" in found) == first
    assert "metric_counts_ignored" not in found


def test_labels_that_begin_at_the_front_are_taken_from_there() -> None:
    assert findings(of_tokens(lambda given: by_words(given, first=True))) == {}


def spread(metric: Metric, middle: float, deviation: float) -> Trainer:
    """Its labels lie around there, and so far apart."""
    trainer = of_amounts(metric)
    drawn = np.random.default_rng(0).normal(size=48)
    amounts = (middle + deviation * (drawn - drawn.mean()) / drawn.std()).tolist()
    for name, start in (("train_dataset", 0), ("eval_dataset", 300)):
        rows = tiny.pairs(48, start).remove_columns("label").add_column("label", amounts)
        setattr(trainer, name, rows)
    return trainer


SCALES = "y = StandardScaler().fit_transform(y)\nTrainer(compute_metrics=metric)\n"


@pytest.mark.parametrize(
    ("script", "middle", "deviation", "told"),
    [
        (SCALES, 0, 1, True),
        ("y = (y - y.mean()) / y.std()\nTrainer(compute_metrics=metric)", 0, 1, True),
        (SCALES + "made = scaler.inverse_transform(made)", 0, 1, False),
        (SCALES + "print(found['mae'] * y.std())", 0, 1, False),
        ("Trainer(compute_metrics=metric)", 0, 1, False),
        (SCALES, 5, 1, False),
        (SCALES, 0, 3, False),
    ],
)
def test_an_error_on_the_scale_of_labels_that_nobody_scales_back(
    script: str, middle: float, deviation: float, told: bool
) -> None:
    def metric(given: Any) -> dict[str, float]:
        return {"mae": float(mean_absolute_error(given.label_ids, given.predictions[:, 0]))}

    found = named(spread(metric, middle, deviation), script)

    assert ("error_in_scaled_units" in found) == told


class OfTarget(torch.nn.Module):
    """Takes its labels under another name than the library's models do."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = tiny.bert()

    def forward(self, input_ids: Any, attention_mask: Any = None, target: Any = None) -> Any:
        return self.inner(input_ids, attention_mask, labels=target)


@pytest.mark.parametrize("names", [None, ["target"], ["labels"]])
def test_labels_of_another_name_that_nobody_told_the_trainer(names: list[str] | None) -> None:
    model: Any = OfTarget()
    trainer = tiny.classifier(
        model=model,
        args=tiny.arguments(label_names=names),
        train_dataset=tiny.pairs(48).rename_column("label", "target"),
        eval_dataset=tiny.pairs(24, 300).rename_column("label", "target"),
    )
    told = names != ["target"]
    found = findings(trainer)

    assert ("label_name_untold" in found) == told
    assert "labels_never_reach_metric" not in found
    if told:
        assert found["label_name_untold"].numbers["name"] == "target"


def of_names(metric: Metric, names: int = 3) -> Trainer:
    """Of four tokens in turn, the second begins a name and the third goes on with it."""
    trainer = of_tokens(metric)
    config = BertConfig(vocab_size=len(tiny.WORDS) + 4, num_labels=names, **tiny.SIZES)
    config.id2label = dict(enumerate(["O", "B-DAY", "I-DAY", "B-PLACE", "I-PLACE"][:names]))
    trainer.model = BertForTokenClassification(config)
    for of in ("train_dataset", "eval_dataset"):
        rows = getattr(trainer, of)
        setattr(trainer, of, rows.map(lambda row: {"labels": _in_turn(row["labels"], names)}))
    return trainer


def _in_turn(labels: list[int], names: int) -> list[int]:
    tags = [0, 1, min(2, names - 1), 0]
    return [-100 if y < 0 else tags[n % 4] for n, y in enumerate(labels)]


def over(which: Callable[[Any], Any], score: Any, name: str, **more: Any) -> Metric:
    """A score over the tokens whose label is so."""

    def metric(given: Any) -> dict[str, float]:
        kept = which(given.label_ids)
        wanted, said = given.label_ids[kept], given.predictions.argmax(-1)[kept]
        return {name: float(score(wanted, said, **more))}

    return metric


def is_name(labels: Any) -> Any:
    return labels > 0


def counts(labels: Any) -> Any:
    return labels != -100


def in_spans(given: Any) -> dict[str, float]:
    """As seqeval counts: a name is right that begins and ends where one does."""
    hits = said = real = 0
    for chosen, labels in zip(given.predictions.argmax(-1), given.label_ids, strict=True):
        ours, theirs = _spans(chosen[labels != -100]), _spans(labels[labels != -100])
        hits, said, real = hits + len(ours & theirs), said + len(ours), real + len(theirs)
    scores = {"precision": hits / max(1, said), "recall": hits / max(1, real)}
    return {**scores, "f1": 2 * hits / max(1, said + real)}


def _spans(tags: Any) -> set[tuple[int, int]]:
    found, begin = set(), None
    for place, tag in enumerate([*tags, 0]):
        if begin is not None and tag != 2:
            found.add((begin, place))
            begin = None
        if tag == 1:
            begin = place
    return found


def any_name(wanted: Any, said: Any) -> float:
    return float(f1_score(wanted > 0, said > 0))


LOOKS_AT_NAMES = """
def measure(given):
    made, labels = given
    keep = labels > 0
    return score(labels[keep], made[keep])
trainer = Trainer(compute_metrics=measure)
"""
MICRO, MACRO = {"average": "micro"}, {"average": "macro"}


@pytest.mark.parametrize("names", [2, 3, 5])
@pytest.mark.parametrize(
    "metric",
    [
        over(is_name, f1_score, "f1", **MICRO),
        over(is_name, f1_score, "macro_f1", **MACRO),
        over(is_name, precision_score, "precision", **MICRO),
    ],
)
def test_a_tagger_that_is_measured_where_names_are_may_find_them_anywhere(
    metric: Metric, names: int
) -> None:
    pipeline = TrainerPipeline(of_names(metric, names))
    view = View(pipeline.facts, Places(LOOKS_AT_NAMES), has_script=True)
    found, _ = judged("evaluate", evaluate.RULES, pipeline.evaluate(), view)

    told = {one.code: one for one in found}["strays_uncounted"]
    assert (told.severity, told.line, told.numbers["common"]) == ("fault", 4, "O")


@pytest.mark.parametrize(
    "metric",
    [
        in_spans,
        masked,
        over(counts, f1_score, "f1", **MICRO),
        over(counts, f1_score, "f1", **MACRO),
        over(counts, f1_score, "f1", average="micro", labels=[1, 2]),
        over(counts, precision_score, "precision", average="micro", labels=[1, 2]),
        over(counts, any_name, "f1"),
        over(is_name, recall_score, "recall", **MICRO),
        over(is_name, accuracy_score, "accuracy_of_names"),
        lambda g: in_spans(g) | over(is_name, accuracy_score, "accuracy_of_names")(g),
    ],
)
def test_a_tagger_that_pays_for_names_where_none_are_is_measured_well(metric: Metric) -> None:
    assert "strays_uncounted" not in findings(of_names(metric))
