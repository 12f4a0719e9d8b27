"""Every rule was seen to fire, and to stay silent beside it.

Most are seen in the catalogue, whose proof runs them. The others have a case in cases/, on plain
values, with the smallest change that silences them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from debugger import catalogue, stages
from debugger.pipelines.data import Data
from debugger.pipelines.inputs import Read
from debugger.pipelines.rows import overlap
from debugger.pipelines.targets import Aims
from debugger.script.places import Places
from debugger.stages import evaluate, frames, generated, plan, printed, step, targets, texts, train
from debugger.stages.judging import Verdict, View
from tests.stages.cases.seen import MEASURED, PLAN, SCALES, SPLIT, STEPPED, STEPS, TRAINED, Case
from tests.stages.test_step import FACTS


def rule_names(module: ModuleType) -> set[str]:
    """Public functions of a module that read as rules do."""
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and list(inspect.signature(function).parameters) == ["seen", "view"]
        and not name.startswith("_")
    }


def modules() -> Iterator[ModuleType]:
    yield stages
    for found in pkgutil.walk_packages(stages.__path__, f"{stages.__name__}."):
        yield importlib.import_module(found.name)


LISTED = {
    rule.__name__
    for module in modules()
    for rules in ("RULES", "COMMON")
    if module.__name__.startswith(stages.__name__)
    for rule in vars(module).get(rules, ())
}


CASES = [
    (found.name, case)
    for found in pkgutil.iter_modules([str(Path(__file__).with_name("cases"))])
    for case in getattr(importlib.import_module(f"tests.stages.cases.{found.name}"), "CASES", ())
]


def test_a_rule_that_is_not_in_its_stages_list_never_runs() -> None:
    written = {name for module in modules() for name in rule_names(module)}

    assert len(written) > 50
    assert written == LISTED


def test_a_public_function_of_what_was_seen_and_the_view_is_taken_for_a_rule() -> None:
    module = ModuleType("made_up")
    exec("def forgotten(seen, view): ...\ndef _helper(seen, view): ...", vars(module))
    for function in (vars(module)["forgotten"], vars(module)["_helper"]):
        function.__module__ = "made_up"

    assert rule_names(module) == {"forgotten"}


def test_every_rule_was_seen_to_fire() -> None:
    scenarios = catalogue.every()
    promised = {scenario.code for scenario in scenarios}
    promised |= {fix.code for scenario in scenarios for fix in scenario.fixes}

    assert LISTED - promised - {case.rule.__name__ for _, case in CASES} == set()


@pytest.mark.parametrize(("updates", "said"), [(10, "look"), (40, "note")])
def test_a_handful_of_steps_in_place_of_epochs_is_worth_a_look(updates: int, said: str) -> None:
    script = f"TrainingArguments('out', num_train_epochs=2, max_steps={updates})"
    seen = replace(STEPPED, plan=replace(PLAN, max_steps=updates))

    verdict = plan.max_steps_cuts_epochs(seen, View(FACTS, Places(script), True))

    assert isinstance(verdict, Verdict)
    assert verdict.severity == said


def verdict_of(rule: Callable[..., Any], seen: Any, script: str) -> Any:
    return rule(seen, View(FACTS, Places(script), True))


def test_a_rate_may_have_been_chosen_on_the_command_line() -> None:
    script = "args = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()[0]"
    assert verdict_of(step.default_learning_rate, STEPPED, script) is None


def test_where_nothing_evaluates_no_loss_is_printed() -> None:
    unused = replace(MEASURED, has_metric=False, evaluations=0)
    assert verdict_of(evaluate.no_metric, unused, "trainer.train()") is None
    script = "trainer.train()\ntrainer.evaluate()"
    assert verdict_of(evaluate.no_metric, unused, script).severity == "look"
    assert verdict_of(evaluate.set_never_used, unused, script) is None


def test_who_alone_evaluates_says_how_much_may_be_written() -> None:
    seen = replace(MEASURED, written=4, wanted=(3, 5, 6, 7))
    script = "trainer.train()\ntrainer.evaluate(max_length=128)"
    assert verdict_of(generated.answers_cut, replace(seen, evaluations=0), script) is None
    assert (
        verdict_of(generated.answers_cut, replace(seen, evaluations=3), script).severity == "look"
    )


def test_the_last_part_of_a_course_lies_within_a_part_of_it() -> None:
    for by, told in ((0.1, None), (0.01, "fault")):
        part = Aims(amounts=40, quantiles=tuple(0.3 + by * one for one in STEPS))
        found = verdict_of(
            targets.labels_of_another_scale, replace(SCALES, eval=replace(SPLIT, aims=part)), ""
        )
        assert getattr(found, "severity", None) == told


def test_rows_of_few_kinds_are_met_again_by_nature() -> None:
    met = replace(MEASURED, met_before=(40, "x_test"))
    assert verdict_of(printed.asked_about_met_rows, met, "").severity == "fault"
    few = replace(met, repeated=0.9)
    assert verdict_of(printed.asked_about_met_rows, few, "") is None
    repeating = Data(replace(SPLIT, duplicates=SPLIT.looked_at // 2), None)
    assert overlap(repeating)["repeated"] == pytest.approx(0.5, abs=0.1)


def test_who_asks_before_the_training_is_not_blamed_for_what_it_learned() -> None:
    script = "model.predict(x_old)\nmodel.fit(x, y)\nmodel.predict(x)"
    view = View(FACTS, Places(script, training_line=2), True)
    found = printed.asked_about_met_rows(replace(MEASURED, met_before=(40, "x_test")), view)
    assert isinstance(found, Verdict)
    assert found.line == 3


def test_a_zero_that_the_script_works_out_fills_no_gap() -> None:
    table = pd.DataFrame({"day": [0] * 5 + list(range(40, 100))})
    filled = "t = load('rows.csv').fillna(0)\n"
    made = "t['day'] = t['at'].dt.dayofweek"
    for script, told in ((filled, True), (filled + made, False)):
        view = View(FACTS, Places(script), True, {"t": table})
        assert isinstance(frames.gaps_made_zero(Data(SPLIT, None), view), Verdict) == told


def test_where_rows_say_the_texts_of_others_nothing_was_cut() -> None:
    read = Read(lost={"a": 0.0, "b": 0.6})
    cut = Data(replace(SPLIT, read=read), None)
    mixed = Data(replace(SPLIT, read=replace(read, strange={"b": 0.9})), None)
    assert verdict_of(texts.second_sentence_cut, cut, "").severity == "fault"
    assert verdict_of(texts.second_sentence_cut, mixed, "") is None


def test_what_time_has_cut_short_proves_nothing() -> None:
    stuck = replace(TRAINED, losses=(1.1,) * 60, accuracies=((60, 0.33),), epochs=1.0)
    assert verdict_of(train.stuck_at_chance, stuck, "").severity == "fault"
    cut = replace(stuck, out_of_time=True)
    assert verdict_of(train.stuck_at_chance, cut, "").severity == "look"


def test_a_case_stands_in_the_file_named_like_the_one_of_its_rule() -> None:
    for found, case in CASES:
        assert case.rule.__module__ == f"{stages.__name__}.{found}", case.rule.__name__


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=lambda case: case.rule.__name__)
def test_a_rule_fires_on_its_case_and_is_silent_beside_it(case: Case) -> None:
    view = View(case.facts, Places(case.script), bool(case.script), case.names, case.heard)

    verdict = case.rule(case.seen, view)
    assert isinstance(verdict, Verdict)
    assert case.says.items() <= verdict.numbers.items()
    assert not isinstance(case.rule(replace(case.seen, **case.silent), view), Verdict)
