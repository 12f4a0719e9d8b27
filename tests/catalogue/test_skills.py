"""Which skill a scenario trains, and which scenarios are disguises of one another."""

from __future__ import annotations

from dataclasses import replace
from graphlib import TopologicalSorter

import pytest

from debugger import catalogue
from debugger.catalogue import skills
from debugger.catalogue.complaints import about_facts
from debugger.catalogue.skills import BEFORE, CAUSES, PATH, disguises, on_what, skill_of
from debugger.words import Words

ALL = catalogue.every()
KNOWN = {scenario.id: scenario for scenario in ALL}


def test_every_cause_has_one_skill_and_no_entry_is_dead() -> None:
    listed = [cause for causes in CAUSES.values() for cause in causes]
    assert len(listed) == len(set(listed))
    assert set(listed) == {scenario.code for scenario in ALL if scenario.code}


def test_every_skill_of_the_path_is_trained_by_something() -> None:
    trained = {skill_of(scenario) for scenario in ALL}
    assert trained == {*PATH, "leave_alone"} == BEFORE.keys()
    assert all(Words().has("skill", skill) for skill in trained)


def test_a_healthy_script_trains_to_leave_it_alone_and_nothing_else_does() -> None:
    assert all((skill_of(scenario) == "leave_alone") == scenario.decoy for scenario in ALL)


def test_a_skill_stands_on_earlier_ones_only() -> None:
    TopologicalSorter(BEFORE).prepare()
    for number, skill in enumerate(PATH):
        assert on_what(skill) <= set(PATH[:number])
    assert on_what("training") == set(PATH[:-1])


def test_a_cause_without_a_skill_is_complained_about(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(about_facts(KNOWN["two_labels"])) == []
    monkeypatch.delitem(skills._SKILLS, "label_outside_head")
    said = 'code should have a skill in catalogue/skills.py; "label_outside_head" has none.'
    assert list(about_facts(KNOWN["two_labels"])) == [said]


def test_disguises_have_the_same_cause_and_those_of_another_framework_come_last() -> None:
    plain = KNOWN["two_labels"]
    other = replace(plain, id="other", framework="keras", order=1)
    harder = replace(plain, id="harder", difficulty=3, order=2)
    alike = replace(plain, id="alike", order=99)
    stacked = replace(plain, id="stacked", twin_fixes=("three_labels", "one_more"))
    found = disguises(plain, [plain, other, harder, alike, stacked, KNOWN["imbalanced"]])
    assert [scenario.id for scenario in found] == ["alike", "harder", "other"]
    decoys = [scenario for scenario in ALL if scenario.decoy]
    assert disguises(decoys[0], decoys) == disguises(stacked, [plain]) == []


def test_the_catalogue_has_disguises_of_its_own() -> None:
    pairs = {scenario.id: [one.id for one in disguises(scenario, ALL)] for scenario in ALL}
    assert "gpu_assert" in pairs["two_labels"]
    assert all(one in pairs[other] for one, others in pairs.items() for other in others)
