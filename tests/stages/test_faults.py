"""Each fault, in the smallest Trainer that can have it, is found at its stage under its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from datasets import DatasetDict
from transformers import (
    BertConfig,
    BertModel,
    DataCollatorWithPadding,
    Trainer,
    default_data_collator,
)

from debugger import diagnose
from debugger.outcome import StageName
from debugger.words import Words
from tests import tiny


class ForgetsZeroGrad(Trainer):
    """Accumulates by hand: it hands the optimizer more than one step's gradients."""

    def create_optimizer(self, *args: Any, **kwargs: Any) -> Any:
        optimizer = super().create_optimizer(*args, **kwargs)
        self.model.zero_grad = lambda *_, **__: None  # type: ignore[union-attr,method-assign]
        return optimizer


@dataclass(frozen=True)
class Case:
    stage: StageName
    code: str
    make: Callable[[], Trainer]


def relabelled(change: Callable[[int], Any], **more: Any) -> Trainer:
    def put(dataset: Any) -> Any:
        labels = [change(label) for label in dataset["label"]]
        return dataset.remove_columns("label").add_column("label", labels)

    train, evaluation = put(tiny.pairs(48)), put(tiny.pairs(24, start=300))
    return tiny.classifier(train_dataset=train, eval_dataset=evaluation, **more)


def with_frozen(*prefixes: str) -> Trainer:
    model = tiny.bert()
    for name, weight in model.named_parameters():
        if name.startswith(prefixes):
            weight.requires_grad_(False)
    return tiny.classifier(model=model)


def with_optimizer_of_another_head() -> Trainer:
    model = tiny.bert()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.classifier = torch.nn.Linear(16, 3)
    return tiny.classifier(model=model, optimizers=(optimizer, None))


def with_nan_in(name: str) -> Trainer:
    model = tiny.bert()
    with torch.no_grad():
        dict(model.named_parameters())[name].fill_(float("nan"))
    return tiny.classifier(model=model)


def pretrained(rate: float) -> Trainer:
    model = tiny.trained(tiny.bert())
    return tiny.classifier(model=model, args=tiny.arguments(learning_rate=rate))


def metric(answer: Callable[[Any, Any], dict[str, float]]) -> Trainer:
    return tiny.classifier(compute_metrics=lambda given: answer(*given))


def renumbered(dataset: Any) -> Any:
    return dataset.align_labels_with_mapping({"maybe": 0, "no": 1, "yes": 2}, "label")


def without_label(dataset: Any) -> Any:
    return dataset.remove_columns("label")


def bare_model() -> Trainer:
    config = BertConfig(vocab_size=len(tiny.WORDS) + 4, **tiny.SIZES)
    return tiny.classifier(model=BertModel(config))


def one_sentence_of_two() -> Trainer:
    rows = tiny.pairs(48).rename_column("text", "premise")
    return tiny.classifier(train_dataset=rows.add_column("hypothesis", tiny.sentences(48, 900)))


def cut_to_four_tokens(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name][:4] for name in ("input_ids", "attention_mask")}


def text_in_the_batch() -> Trainer:
    return tiny.classifier(args=tiny.arguments(remove_unused_columns=False))


def no_padding_token() -> Trainer:
    tokenizer = tiny.tokenizer()
    tokenizer.pad_token = None
    collator = DataCollatorWithPadding(tokenizer)
    return tiny.classifier(data_collator=collator, processing_class=tokenizer)


def best_by(name: str) -> Trainer:
    args = tiny.arguments(
        load_best_model_at_end=True,
        metric_for_best_model=name,
        eval_strategy="epoch",
        save_strategy="epoch",
    )
    return tiny.classifier(args=args)


CASES = [
    Case("data", "raw_text", lambda: tiny.classifier(
        train_dataset=tiny.pairs(48).select_columns(["text", "label"]))),
    Case("data", "dataset_dict", lambda: tiny.classifier(
        train_dataset=DatasetDict({"train": tiny.pairs(48)}))),
    Case("data", "label_column_misnamed", lambda: tiny.classifier(
        train_dataset=tiny.pairs(48).rename_column("label", "target"))),
    Case("data", "labels_missing", lambda: tiny.classifier(
        train_dataset=without_label(tiny.pairs(48)))),
    Case("data", "string_labels", lambda: relabelled(lambda y: f"class {y}")),
    Case("data", "labels_shifted", lambda: relabelled(lambda y: y + 1)),
    Case("data", "wrong_split", lambda: relabelled(lambda y: -1)),
    Case("data", "classes_as_amounts", lambda: relabelled(float, model=tiny.bert(num_labels=1))),
    Case("data", "imbalanced", lambda: tiny.classifier(
        train_dataset=tiny.pairs(48).select([*range(0, 48, 3)] * 3 + [1, 2]))),
    Case("data", "one_class", lambda: tiny.classifier(
        train_dataset=tiny.pairs(120).select(range(0, 120, 3)))),
    Case("data", "duplicates", lambda: tiny.classifier(
        train_dataset=tiny.pairs(48).select([*range(24), *range(24)]))),
    Case("data", "leak", lambda: tiny.classifier(
        eval_dataset=tiny.pairs(60).select(range(40, 60)))),
    Case("data", "second_sentence_dropped", one_sentence_of_two),
    Case("data", "text_cut", lambda: tiny.classifier(
        train_dataset=tiny.pairs(48).map(cut_to_four_tokens))),
    Case("batch", "ragged_batch", lambda: tiny.classifier(
        data_collator=None, processing_class=None)),
    Case("batch", "ragged_batch", lambda: tiny.classifier(
        data_collator=None, processing_class=None,
        args=tiny.arguments(per_device_train_batch_size=1))),
    Case("batch", "text_columns", text_in_the_batch),
    Case("batch", "no_pad_token", no_padding_token),
    Case("batch", "padding_not_ignored", lambda: tiny.token_classifier(ignore_padding=False)),
    Case("forward", "label_outside_head", lambda: tiny.classifier(model=tiny.bert(num_labels=2))),
    Case("forward", "one_label", lambda: tiny.classifier(model=tiny.bert(num_labels=1))),
    Case("forward", "head_and_names_disagree", lambda: tiny.classifier(
        model=tiny.bert(num_labels=5))),
    Case("forward", "wrong_problem_type", lambda: tiny.classifier(
        model=tiny.bert(problem_type="multi_label_classification"))),
    Case("forward", "no_head", bare_model),
    Case("forward", "ids_outside_vocabulary", lambda: tiny.classifier(
        model=tiny.bert(vocab_size=10))),
    Case("forward", "too_long", lambda: tiny.classifier(
        model=tiny.bert(max_position_embeddings=4))),
    Case("forward", "nan_forward", lambda: with_nan_in("bert.encoder.layer.0.output.dense.weight")),
    Case("step", "everything_frozen", lambda: with_frozen("")),
    Case("step", "head_frozen", lambda: with_frozen("classifier")),
    Case("step", "not_in_optimizer", with_optimizer_of_another_head),
    Case("step", "learning_rate_too_high", lambda: pretrained(1e-3)),
    Case("step", "learning_rate_too_low", lambda: pretrained(1e-8)),
    Case("step", "missing_zero_grad", lambda: tiny.classifier(trainer_class=ForgetsZeroGrad)),
    Case("step", "nothing_moves", lambda: tiny.classifier(
        args=tiny.arguments(learning_rate=0.0))),
    Case("evaluate", "no_eval_set", lambda: tiny.classifier(eval_dataset=None)),
    Case("evaluate", "no_metric", lambda: tiny.classifier(compute_metrics=None)),
    Case("evaluate", "blind_training", lambda: tiny.classifier(
        compute_metrics=None, args=tiny.arguments(eval_strategy="steps", eval_delay=1000))),
    Case("evaluate", "labels_never_reach_metric", lambda: tiny.classifier(
        eval_dataset=without_label(tiny.pairs(24, start=300)))),
    Case("evaluate", "metric_name_unknown", lambda: best_by("f1")),
    Case("evaluate", "eval_set_is_train_set", lambda: tiny.classifier(
        eval_dataset=tiny.pairs(48).select(range(24)))),
    Case("evaluate", "label_order", lambda: tiny.classifier(
        eval_dataset=renumbered(tiny.pairs(24, start=300)))),
    Case("evaluate", "label_order", lambda: tiny.classifier(
        train_dataset=renumbered(tiny.pairs(48)))),
    Case("evaluate", "model_label_order", lambda: tiny.classifier(
        model=tiny.bert(id2label={0: "Maybe", 1: "Yes", 2: "No"}))),
    Case("evaluate", "metric_flatters_constant", lambda: metric(
        lambda predictions, labels: {"accuracy": 1.0})),
    Case("evaluate", "metric_wrong_on_perfect", lambda: metric(
        lambda predictions, labels: {"accuracy": float(np.mean(predictions.argmin(1) == labels))})),
    Case("evaluate", "evaluate_failed", lambda: metric(lambda predictions, labels: {}[0])),
    Case("overfit", "cannot_memorise", lambda: tiny.classifier(
        args=tiny.arguments(learning_rate=0.3))),
    Case("overfit", "memorises_slowly", lambda: tiny.classifier(
        args=tiny.arguments(learning_rate=1e-7))),
    Case("train", "stuck_at_chance", lambda: tiny.classifier(
        args=tiny.arguments(learning_rate=1e-7, max_steps=60))),
]  # fmt: skip


def _without_space(text: str) -> str:
    return "".join(text.split())


@pytest.mark.some(12)
@pytest.mark.usefixtures("tiny_as_large")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.stage}-{case.code}")
def test_the_fault_is_found_at_its_stage(case: Case) -> None:
    report = diagnose(case.make(), stage=case.stage)

    assert case.code in [finding.code for finding in report.stage(case.stage).findings]
    shown = str(report)
    assert all(_without_space(Words().finding(f)) in _without_space(shown) for f in report.findings)
    assert f"<b>{case.stage}</b>" in report._repr_html_()


@pytest.mark.parametrize(
    "make",
    [
        tiny.classifier,
        tiny.token_classifier,
        tiny.language_model,
        tiny.translator,
        tiny.picture_classifier,
        tiny.regressor,
    ],
    ids=lambda make: make.__name__,
)
def test_a_healthy_trainer_of_any_task_has_no_fault_up_to_its_training(make: Any) -> None:
    torch.manual_seed(0)
    trainer = make()
    faults = [
        finding
        for stage in ("data", "batch", "forward", "step", "evaluate")
        for finding in diagnose(trainer, stage=stage).findings
        if finding.severity == "fault"
        # Pictures are three grey shades: the evaluation set repeats them, as it should in this toy.
        and finding.code not in ("eval_set_is_train_set", "leak")
    ]

    assert faults == []


@pytest.mark.parametrize(
    "change",
    [lambda y: y + 1.0, lambda y: y / 2, lambda y: 2.0 * y],
    ids=["ratings from 1 on", "halves", "with gaps"],
)
def test_amounts_are_not_taken_for_classes(change: Callable[[int], float]) -> None:
    report = diagnose(relabelled(change, model=tiny.bert(num_labels=1)), stage="data")

    assert not report.findings


def padded(rows: list[dict[str, Any]]) -> Any:
    batch = tiny.tokenizer().pad(
        [{n: row[n] for n in ("input_ids", "attention_mask")} for row in rows],
        padding=True,
        return_tensors="pt",
    )
    return {**batch, "labels": torch.tensor([row["label"] for row in rows])}


def on_the_fly(rows: dict[str, Any]) -> dict[str, Any]:
    return {**tiny.tokenizer()(rows["text"]), "label": rows["label"]}


class Pairs(torch.utils.data.Dataset):
    """As `tiny.pairs`, every row made when it is asked for."""

    def __init__(self, count: int, start: int = 0) -> None:
        self.rows = tiny.pairs(count, start)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> dict[str, Any]:
        row: Any = self.rows[number]
        return {"input_ids": torch.tensor(row["input_ids"]), "labels": torch.tensor(row["label"])}


def transformed(**more: Any) -> Trainer:
    raw = [tiny.pairs(300).select_columns(["text", "label"])] * 2
    train, evaluation = (rows.with_transform(on_the_fly) for rows in raw)
    return tiny.classifier(train_dataset=train, eval_dataset=evaluation.select(range(9)), **more)


def in_batches(given: Any, compute_result: bool) -> dict[str, float]:
    return {"accuracy": float((given.predictions.argmax(-1) == given.label_ids).float().mean())}


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "make",
    [
        lambda: tiny.classifier(data_collator=padded),
        lambda: transformed(args=tiny.arguments(remove_unused_columns=False)),
        lambda: tiny.classifier(train_dataset=Pairs(300), eval_dataset=Pairs(60, 400)),
        lambda: tiny.classifier(model=None, model_init=lambda: tiny.bert()),
        lambda: tiny.classifier(
            compute_metrics=in_batches, args=tiny.arguments(batch_eval_metrics=True)
        ),
    ],
    ids=["own collator", "transform", "torch data set", "model_init", "metric in batches"],
)
def test_a_healthy_trainer_built_in_another_way_has_no_fault(make: Any) -> None:
    torch.manual_seed(0)
    trainer = make()
    stages = [diagnose(trainer, stage=s) for s in ("data", "batch", "step", "evaluate")]
    found = {f.code for report in stages for f in report.findings}

    # The transform's evaluation rows are training rows, to keep it small.
    assert found - {"eval_set_is_train_set"} == set()
    measured = stages[0].stage("data").measured["train"]
    assert sum(measured["labels"].values()) == measured["rows"]
    assert stages[3].stage("evaluate").measured["perfect"] == {"accuracy": 1.0}


def test_a_fresh_head_may_learn_faster_than_the_body() -> None:
    model = tiny.trained(tiny.bert())
    head = {"params": model.classifier.parameters(), "lr": 1e-3}
    body = {"params": model.bert.parameters(), "lr": 5e-5}
    trainer = tiny.classifier(model=model, optimizers=(torch.optim.AdamW([body, head]), None))

    assert not diagnose(trainer, stage="step").findings


def test_text_is_not_to_blame_where_the_collator_skips_it() -> None:
    args = tiny.arguments(remove_unused_columns=False)
    report = diagnose(
        tiny.classifier(args=args, data_collator=default_data_collator), stage="batch"
    )

    assert [finding.code for finding in report.findings] == ["ragged_batch"]


def test_rules_that_have_no_meaning_for_a_task_say_so() -> None:
    report = diagnose(tiny.language_model(), stage="forward")

    silent = {rule.rule: rule.reason for rule in report.stage("forward").not_run}
    assert silent["label_outside_head"] == "not_for_this_task"
    assert silent["first_loss_off"] == "not_for_this_task"


def test_a_walk_stops_after_the_first_stage_that_fails() -> None:
    report = diagnose(tiny.classifier(model=tiny.bert(num_labels=2)))

    assert report.first_failing_stage == "forward"
    assert [s.outcome for s in report.stages[4:]] == ["not run"] * 4


def test_all_goes_on_and_says_what_could_not_run() -> None:
    report = diagnose(tiny.classifier(model=tiny.bert(num_labels=2)), stage="all")

    assert report.stage("step").not_run[0].reason == "needs_forward"


def test_the_first_failing_stage_of_a_healthy_trainer_is_none() -> None:
    torch.manual_seed(0)
    args = tiny.arguments(learning_rate=5e-3, max_steps=80)
    report = diagnose(tiny.classifier(args=args), stage="overfit")

    assert report.first_failing_stage is None
    assert (
        report.stage("overfit").measured["losses"][-1]
        < report.stage("overfit").measured["losses"][0]
    )
