"""When a training is measured, what its script does afterwards, and what its labels are called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from transformers import Trainer, TrainerCallback

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import TrainerPipeline
from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import Trials
from debugger.script.places import Places
from debugger.stages.evaluate import (
    blind_training,
    eval_set_is_train_set,
    few_kinds_of_rows,
    label_order,
    metric_never_called,
    model_label_order,
    no_eval_set,
    no_metric,
)
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View
from debugger.stages.metric import metric_flatters_constant, metric_wrong_on_perfect
from tests import tiny

SCRIPT = "args = TrainingArguments()\ntrainer = Trainer(args)\ntrainer.train()\n"
BLIND = Evaluate(strategy="no", steps=36, evaluations=0, eval_rows=24)
UNUSED = Evaluate(strategy="no", steps=36, evaluations=0, has_metric=True, eval_rows=24)


def view(script: str, task: Any = "classification") -> View:
    facts = TrainerPipeline(tiny.classifier()).facts
    return View(type(facts)(**{**vars(facts), "task": task}), Places(script), bool(script))


WHEN: list[dict[str, Any]] = [
    {"eval_strategy": "steps", "eval_steps": 0.5},
    {},
    {"eval_strategy": "epoch"},
    {"eval_strategy": "epoch", "eval_delay": 5},
    {"eval_strategy": "epoch", "eval_delay": 1},
    {"eval_strategy": "epoch", "max_steps": 9},
    {"eval_strategy": "epoch", "max_steps": 30},
    {"eval_strategy": "steps", "eval_steps": 10},
    {"eval_strategy": "steps", "eval_steps": 36},
    {"eval_strategy": "steps", "eval_steps": 37},
    {"eval_strategy": "steps", "eval_steps": 10, "eval_delay": 25},
    {"eval_strategy": "steps", "eval_steps": 10, "max_steps": 9},
    {"eval_strategy": "steps", "eval_steps": 10, "gradient_accumulation_steps": 4},
]


@pytest.mark.some(1)
@pytest.mark.parametrize("more", WHEN)
def test_as_many_evaluations_are_planned_as_the_trainer_makes(more: dict[str, Any]) -> None:
    args = tiny.arguments(save_strategy="no", disable_tqdm=True, **more)
    trainer = tiny.classifier(args=args)
    planned = TrainerPipeline(trainer).evaluate().evaluations
    trainer.train()

    assert planned == sum("eval_loss" in entry for entry in trainer.state.log_history)


def test_evaluations_that_were_asked_for_afterwards_are_counted_too() -> None:
    trainer = tiny.classifier(args=tiny.arguments().set_evaluate(strategy="epoch"))

    assert TrainerPipeline(trainer).evaluate().evaluations == 3


def test_a_callback_or_a_loop_of_ones_own_may_evaluate() -> None:
    class Mine(TrainerCallback):
        def on_epoch_end(self, *args: Any, **kwargs: Any) -> None: ...

    class Loop(Trainer):
        def _maybe_log_save_evaluate(self, *args: Any, **kwargs: Any) -> None: ...

    for more in ({"callbacks": [Mine()]}, {"trainer_class": Loop}):
        report = diagnose(tiny.classifier(compute_metrics=None, **more), stage="evaluate")
        reasons = {rule.rule: rule.reason for rule in report.stage("evaluate").not_run}
        assert reasons["blind_training"] == "own_evaluation"


def test_a_training_without_metric_and_evaluation_is_blind() -> None:
    found = blind_training(BLIND, view(SCRIPT))

    assert isinstance(found, Verdict)
    assert (found.severity, found.line, found.numbers["steps"]) == ("fault", 1, 36)
    assert metric_never_called(BLIND, view(SCRIPT)) == CannotJudge("no_metric")


def test_a_language_model_and_amounts_are_measured_by_their_loss() -> None:
    without = replace(BLIND, eval_rows=8, has_metric=False, evaluations=3)

    assert isinstance(no_metric(without, view(SCRIPT)), Verdict)
    assert no_metric(without, view(SCRIPT, "masked_lm")) == NOT_FOR_THIS_TASK
    assert no_metric(without, view(SCRIPT, "regression")) == NOT_FOR_THIS_TASK


def test_who_predicts_after_the_training_measures_by_hand() -> None:
    without = replace(BLIND, eval_rows=8, has_metric=False, evaluations=3)
    trained = "trainer = Trainer(model)\ntrainer.train()\n"

    assert no_metric(without, view(trained + "answers = trainer.predict(rows)\n")) is None
    assert no_metric(without, view(trained + "for x, y in rows:\n    net(x)\n")) is None
    own = "class Own(Trainer):\n    def compute_loss(self, model, x):\n        model(**x)\n"
    assert no_metric(without, view(trained + own)) is not None
    assert no_metric(without, view(trained + "trainer.evaluate()\n")) is not None
    assert no_metric(without, view("trainer.predict(rows)\n" + trained)) is not None


FITTED = "model.compile('adam')\nmodel.fit(rows, epochs=3)\n"


@pytest.mark.parametrize("asks", ["model.predict(others)\n", "model.generate(**others)\n"])
def test_what_keras_is_asked_after_its_fit_is_measured_by_hand(asks: str) -> None:
    without = replace(BLIND, eval_rows=8, has_metric=False, evaluations=3)

    assert no_metric(without, view(FITTED + asks)) is None
    assert isinstance(no_metric(without, view(asks + FITTED)), Verdict)


def test_answers_that_are_asked_for_afterwards_need_no_set_while_training() -> None:
    nothing = replace(BLIND, eval_rows=None, evaluations=0)

    assert isinstance(no_eval_set(nothing, view(FITTED)), Verdict)
    assert no_eval_set(nothing, view(FITTED + "answers = model.predict(others)\n")) is None
    assert no_eval_set(nothing, view(FITTED + "model.evaluate(others, named)\n")) is None
    assert isinstance(no_eval_set(nothing, view(FITTED + "model.evaluate(rows)\n")), Verdict)


def test_what_a_function_does_before_it_trains_measures_nothing() -> None:
    before = "def run():\n    trainer.evaluate()\n    trainer.train()\nrun()\n"

    assert not Places(before).measures_after_training()
    assert Places(before + "trainer.evaluate()\n").measures_after_training()


def test_no_evaluation_at_all_is_a_choice_unless_the_script_compares_by_it() -> None:
    nothing = replace(BLIND, eval_rows=None)

    chosen, compared = (
        blind_training(seen, view(SCRIPT))
        for seen in (nothing, replace(nothing, best_metric="loss"))
    )

    assert isinstance(chosen, Verdict)
    assert isinstance(compared, Verdict)
    assert (chosen.severity, compared.severity) == ("look", "fault")


@pytest.mark.parametrize(
    ("perfect", "classes", "wrong"),
    [
        ({"accuracy": 100.0, "f1": 100.0}, 3, False),
        ({"accuracy": 1.0, "f1": 0.9996}, 3, False),
        ({"accuracy": 50.0}, 3, True),
        ({"f1": 0.667}, 2, False),
        ({"f1": 0.667}, 3, True),
        ({"accuracy": 0.667}, 2, True),
    ],
)
def test_a_metric_may_count_in_percent_and_miss_a_class_that_is_not_there(
    perfect: dict[str, float], classes: int, wrong: bool
) -> None:
    seen = Evaluate(perfect=perfect, tried_classes=classes, num_labels=3)

    assert (metric_wrong_on_perfect(seen, view("")) is not None) == wrong


TASKS_TRIED: list[tuple[str, float, bool]] = [
    ("multiple_choice", 0.19, True),
    ("multiple_choice", 1.0, False),
    ("unknown", 0.19, False),
]


@pytest.mark.parametrize(("task", "accuracy", "wrong"), TASKS_TRIED)
def test_a_metric_of_choices_gives_one_to_choices_that_are_all_right(
    task: str, accuracy: float, wrong: bool
) -> None:
    perfect = {"accuracy": accuracy, "f1": accuracy}
    seen = Evaluate(trials=Trials("classes", perfect, perfect, perfect), num_labels=4)

    said = metric_wrong_on_perfect(seen, view("", task))

    assert (isinstance(said, Verdict) and said.numbers["name"] == "accuracy") == wrong


def test_a_number_that_is_no_measure_may_stay_the_same() -> None:
    seen = Evaluate(constant={"rows": 32, "right": 0.3}, perfect={"rows": 32, "right": 1.0})

    assert metric_flatters_constant(seen, view("")) is None
    stays = metric_flatters_constant(replace(seen, constant=seen.perfect), view(""))
    assert isinstance(stays, Verdict)
    assert stays.severity == "look"


def test_a_metric_that_takes_more_than_logits_is_tried_with_all_it_was_given() -> None:
    def of_two(given: Any) -> dict[str, float]:
        logits, beside = given.predictions
        assert len(beside[0]) == len(logits)
        return tiny.accuracy((logits, given.label_ids))

    model = tiny.bert(output_hidden_states=True)
    report = diagnose(tiny.classifier(model=model, compute_metrics=of_two), stage="evaluate")

    assert report.stage("evaluate").measured["perfect"] == {"accuracy": 1.0}


@pytest.mark.parametrize(
    ("repeated", "same", "natural"), [(0.0, False, False), (0.6, False, True), (0.6, True, False)]
)
def test_rows_that_repeat_themselves_do_so_in_every_split(
    repeated: float, same: bool, natural: bool
) -> None:
    seen = Evaluate(shared_rows=24, looked_at=24, repeated=repeated, same_rows=same)
    rules = (few_kinds_of_rows, eval_set_is_train_set)
    said, silent = (rule(seen, view("")) for rule in (rules if natural else rules[::-1]))

    assert isinstance(said, Verdict)
    assert said.severity == ("look" if natural else "fault")
    assert silent is None


@pytest.mark.parametrize("task", ["causal_lm", "seq2seq", "tokens", "regression", "unknown"])
def test_where_the_loss_is_the_number_nobody_is_blind(task: str) -> None:
    assert blind_training(BLIND, view(SCRIPT, task)) == CannotJudge("not_for_this_task")


def test_a_metric_that_nobody_calls_is_a_fault_only_where_a_script_shows_it() -> None:
    found = metric_never_called(UNUSED, view(SCRIPT))

    assert isinstance(found, Verdict)
    assert found.severity == "fault"
    assert blind_training(UNUSED, view(SCRIPT)) is None
    assert metric_never_called(UNUSED, view("")) == CannotJudge("no_script")


@pytest.mark.parametrize(
    ("more", "measures"),
    [
        ("", False),
        ("trainer.save_model()\n", False),
        ("tokenizer.save_pretrained('here')\n", False),
        ("print(trainer.evaluate())\n", True),
        ("output = trainer.predict(test_dataset)\n", True),
        ("trainer.model.eval()\n", True),
        ("def test():\n    trainer.evaluate()\n", True),
        ("ast.literal_eval(text)\n", False),
        ("metric = evaluate.load('accuracy')\n", False),
    ],
)
def test_what_stands_after_the_training_may_measure_it(more: str, measures: bool) -> None:
    assert Places(SCRIPT + more).measures_after_training() == measures


@pytest.mark.parametrize(
    ("more", "asks"),
    [
        ("trainer.save_model(out)\n", False),
        ("other = load_model(out)\n", False),
        ("made = model(**batch)\n", True),
        ("made = bert_model(**batch)\n", True),
        ("with torch.no_grad():\n    made = model.embed(rows)\n", True),
        ("@torch.no_grad()\ndef recall(net):\n    return net(1)\nprint(recall(it))\n", True),
        ("class Own(Trainer):\n    def teach(self):\n        with torch.no_grad(): ...\n", False),
    ],
)
def test_who_keeps_a_model_asks_it_nothing(more: str, asks: bool) -> None:
    assert Places(SCRIPT + more).predicts_after_training() == asks


def test_an_evaluation_before_the_training_does_not_measure_it() -> None:
    before = SCRIPT.replace("trainer.train()", "trainer.evaluate()\ntrainer.train()")

    assert not Places(before).measures_after_training()
    for rule, seen in ((blind_training, BLIND), (metric_never_called, UNUSED)):
        assert isinstance(rule(seen, view(before)), Verdict)
        assert rule(seen, view(before + "trainer.evaluate()\n")) is None


@pytest.mark.parametrize(
    ("trained", "other", "numbers"),
    [
        (("yes", "no"), ("yes", "no"), None),
        (("yes", "no"), ("Yes", "No"), None),
        (("yes", "no"), ("ja", "nein"), None),
        (("yes", "no"), ("no", "yes", "maybe"), None),
        (("yes", "no"), ("no", "yes"), (0, "yes", "no", 2)),
        (("yes", "no", "maybe"), ("yes", "maybe", "no"), (1, "no", "maybe", 2)),
    ],
)
def test_the_same_names_in_another_order_are_a_fault(
    trained: tuple[str, ...], other: tuple[str, ...], numbers: tuple[Any, ...] | None
) -> None:
    for rule, seen in (
        (label_order, Evaluate(train_names=trained, eval_names=other)),
        (model_label_order, Evaluate(train_names=trained, model_names=other)),
    ):
        found = rule(seen, view(SCRIPT))
        if numbers is None:
            assert found is None
        else:
            assert isinstance(found, Verdict)
            said = found.numbers
            assert (said["label"], said["train"], said["other"], said["moved"]) == numbers


def test_names_that_are_not_known_are_not_judged() -> None:
    unnamed, trained = Evaluate(), Evaluate(train_names=("yes", "no"))

    assert label_order(unnamed, view(SCRIPT)) == CannotJudge("no_class_names")
    assert label_order(trained, view(SCRIPT)) == CannotJudge("no_class_names")
    assert model_label_order(unnamed, view(SCRIPT)) == CannotJudge("no_class_names")
    assert model_label_order(trained, view(SCRIPT)) == CannotJudge("no_model_names")


def test_the_call_that_renumbers_the_labels_is_to_blame() -> None:
    seen = Evaluate(train_names=("yes", "no"), eval_names=("no", "yes"))
    script = "rows = csv.class_encode_column('label')\nTrainer(model, eval_dataset=rows)\n"

    blamed = label_order(seen, view(script))
    unknown = label_order(seen, view(script.replace("class_encode_column", "read")))

    assert isinstance(blamed, Verdict)
    assert isinstance(unknown, Verdict)
    assert (blamed.line, unknown.line) == (1, 2)
