"""The end of a cure: what was before, what is now, and what was changed for nothing."""

from __future__ import annotations

from typing import Any

import pytest

from debugger import catalogue
from debugger.evidence.markup import escape
from debugger.judge import Judgement
from debugger.report import StageReport
from debugger.web.finale import proof
from debugger.web.path import GoOn
from debugger.web.scene import Busy, Scene
from debugger.web.visit import Case, Visit
from debugger.words import Words

WORDS = Words()
CURED = Judgement(True, (), None)


def trained(accuracy: float, steps: int = 60) -> StageReport:
    measured = {"accuracy": accuracy, "majority": 0.36, "steps": steps}
    curves = {"loss": ((1.0, 1.1), (2.0, 1.0)), "accuracy": ((60.0, accuracy),)}
    return StageReport("train", "pass", measured=measured, curves=curves)


def shown(scenario_id: str, changes: tuple[str, ...], **known: Any) -> str:
    scenario = catalogue.find(scenario_id)
    case = known.pop("case", Case())
    visit = Visit(scenario_id, changes=changes)
    scene = Scene(scenario, (), visit, case, "0a0b0c0d", **known)
    vars(scene)["verdict"] = CURED
    return proof(scene, WORDS)


def said(code: str, **numbers: object) -> str:
    return WORDS.say("clinic", code, **numbers)


BEFORE_AND_AFTER = {"broken": trained(0.004), "here": trained(0.81), "twin": trained(0.81)}


def test_before_and_after_stand_side_by_side_with_the_twin_and_its_curve() -> None:
    html = shown("label_order", ("leave_the_numbers",), trainings=BEFORE_AND_AFTER)
    assert "<dd>0.4%</dd>" in html
    assert html.count("<dd>81%</dd>") == 2
    assert said("figures", steps=60) in html
    assert said("too_few_steps", steps=60) not in html
    for kind in ("broken", "here", "twin"):
        assert f'class="line {kind}"' in html


def test_what_was_changed_is_shown_line_by_line() -> None:
    assert 'class="add"' in shown("two_labels", ("three_labels",))


def test_accuracies_of_other_steps_are_not_compared() -> None:
    trainings = {**BEFORE_AND_AFTER, "broken": trained(0.004, steps=20)}
    html = shown("label_order", ("leave_the_numbers",), trainings=trainings)
    assert "<dd>0.4%</dd>" not in html
    assert html.count("<dd>81%</dd>") == 2


def test_a_script_that_crashed_has_no_number_and_says_so() -> None:
    trainings = {"here": trained(0.81), "twin": trained(0.81)}
    assert f"<dd>{said('it_stopped')}</dd>" in shown(
        "two_labels", ("three_labels",), trainings=trainings
    )


def test_a_few_steps_are_called_few_unless_it_still_trains() -> None:
    trainings = {"here": trained(0.3, 20), "twin": trained(0.3, 20)}
    html = shown("two_labels", ("three_labels",), trainings=trainings)
    assert said("too_few_steps", steps=20) in html
    html = shown("two_labels", ("three_labels",), trainings=trainings, busy=Busy("train"))
    assert said("trains_on") in html
    assert said("too_few_steps", steps=20) not in html


@pytest.mark.parametrize(("changes", "needless"), [((), 0), (("the_default_rate",), 1)])
def test_a_change_that_the_cure_did_not_need_is_named(
    changes: tuple[str, ...], needless: int
) -> None:
    scenario = catalogue.find("shuffled_labels")
    html = shown("shuffled_labels", (*scenario.twin_fixes, *changes))
    label = scenario.words.fixes["the_default_rate"].label
    assert html.count(said("left_in", labels=label)) == needless


def test_repairs_that_were_tried_are_curves_of_their_own_with_their_names() -> None:
    known = catalogue.find("label_order")
    other = next(fix.id for fix in known.fixes if not fix.right)
    trainings = {**BEFORE_AND_AFTER, other: trained(0.3)}
    html = shown("label_order", ("leave_the_numbers",), trainings=trainings)
    assert 'class="line tried"' in html
    assert said("try_number", number=1, labels=known.words.of(other).label) in html


def test_the_end_of_a_cure_offers_the_same_cause_in_another_script_and_the_next_one() -> None:
    alike, after = catalogue.find("gpu_assert"), catalogue.find("one_label")
    html = shown("two_labels", (), go_on=GoOn(familiar=alike, suggested=after))
    for scenario, table, code in (
        (alike, "path", "familiar_after"),
        (after, "clinic", "next_scenario"),
    ):
        told = WORDS.say(table, code, title=scenario.words.title)
        assert f'href="clinic?case={scenario.number}">{told}</a>' in html
    assert said("back_home") not in html
    assert said("back_home") in shown("two_labels", ())


def typed_verdict(found: Judgement, **known: Any) -> str:
    scene = Scene(
        catalogue.find("two_labels"), (), Visit("two_labels"), Case(), "0a0b0c0d", **known
    )
    vars(scene)["verdict"] = found
    return proof(scene, WORDS)


def test_a_typed_cure_says_what_its_weights_were_worth() -> None:
    numbers: dict[str, float] = {"share": 0.76, "rows": 256, "twin": 0.77}
    html = typed_verdict(Judgement(True, (), None, proof=numbers))
    assert escape(said("weighed", **numbers)) in html
    little = numbers | {"moved": 0.01, "twin_moved": 0.011}
    html = typed_verdict(Judgement(True, (), None, proof=little))
    assert escape(said("weighed_little", **little)) in html


def test_what_nobody_can_tell_is_no_failing() -> None:
    pending = Judgement(False, ("weights_pending",), None)
    assert 'class="verdict look"' in typed_verdict(pending)
    assert said("untold") in typed_verdict(pending)
    assert said("weighing") in typed_verdict(pending, busy=Busy("train"))
    less = Judgement(
        False, ("weights_know_less",), None, proof={"share": 0.34, "rows": 256, "twin": 0.76}
    )
    assert 'class="verdict fail"' in typed_verdict(less)
    assert "34% of 256 held-back rows right" in typed_verdict(less)
