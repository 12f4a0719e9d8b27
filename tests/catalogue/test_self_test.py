"""The catalogue tests itself, both ways: every script fails as promised, every fix ends as it says.

What a scenario promises stands in `debugger/catalogue/proof.py`, which `check ID` proves as well.
All runs are asked for before the first test, see `tests/conftest.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from debugger import catalogue
from debugger.catalogue.proof import Kind, Promise, promises

Complaints = Callable[[Promise], list[str]]

PROMISES = [promise for scenario in catalogue.every() for promise in promises(scenario)]


FRAMEWORKS = {one.framework: one for one in reversed(catalogue.every())}
FIRST_ONES = [scenario.id for scenario in FRAMEWORKS.values()]
"""A newcomer waits for the training of one healthy script of each framework."""


def of_kind(*kinds: Kind) -> pytest.MarkDecorator:
    chosen = [promise for promise in PROMISES if promise.kind in kinds]
    return pytest.mark.parametrize("promise", chosen, ids=str)


def healthy_ones() -> pytest.MarkDecorator:
    chosen = [
        pytest.param(one, marks=() if one.scenario.id in FIRST_ONES else pytest.mark.proof)
        for one in PROMISES
        if one.kind in ("twin", "quotes")
    ]
    return pytest.mark.parametrize("promise", chosen, ids=str)


@pytest.mark.slow
@of_kind("broken")
def test_the_broken_script_fails_as_promised(complaints: Complaints, promise: Promise) -> None:
    assert complaints(promise) == []


@pytest.mark.slow
@healthy_ones()
def test_the_repaired_script_is_a_cure_and_what_is_said_is_what_happened(
    complaints: Complaints, promise: Promise
) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("cure")
def test_a_right_fix_cures(complaints: Complaints, promise: Promise) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("uncovers", "alone")
def test_a_fix_of_stacked_faults_is_no_cure_and_uncovers_the_next(
    complaints: Complaints, promise: Promise
) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("wrong")
def test_a_wrong_fix_ends_as_it_says(complaints: Complaints, promise: Promise) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("harmless")
def test_a_change_that_a_decoy_does_not_need_does_no_harm(
    complaints: Complaints, promise: Promise
) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("cheat")
def test_a_cheat_is_refused(complaints: Complaints, promise: Promise) -> None:
    assert complaints(promise) == []


@pytest.mark.proof
@of_kind("repair", "trained")
def test_a_right_repair_that_nobody_listed_is_accepted(
    complaints: Complaints, promise: Promise
) -> None:
    assert complaints(promise) == []


def test_no_promise_goes_unproved() -> None:
    tested = [
        getattr(promise, "values", (promise,))[0]
        for test in globals().values()
        for mark in getattr(test, "pytestmark", ())
        if mark.name == "parametrize"
        for promise in mark.args[1]
    ]
    assert sorted(map(str, tested)) == sorted(map(str, PROMISES))
