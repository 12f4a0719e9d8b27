"""In what order the tests come, and what is left where the time is up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


def item(file: str, *marks: str, promise: Any = None) -> Any:
    params = {} if promise is None else {"promise": promise}
    return SimpleNamespace(
        path=Path(file),
        callspec=SimpleNamespace(params=params),
        get_closest_marker=lambda mark: mark in marks or None,
    )


def order(commit: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(conftest, "_commit", lambda: commit)
    proofs = [item(f"test_{number}.py", "proof") for number in range(9)]
    proofs += [
        item("test_self.py", "proof", promise=SimpleNamespace(scenario=SimpleNamespace(id=name)))
        for name in ("one", "two", "three")
    ]
    conftest.pytest_collection_modifyitems(proofs)
    return [f"{one.path.name} {one.callspec.params}" for one in proofs]


def test_proofs_come_in_another_order_with_each_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    first, again, other = (order(commit, monkeypatch) for commit in ("a1", "a1", "b2"))

    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)


def test_quick_ones_come_first_and_a_newcomers_promises_last() -> None:
    promise = SimpleNamespace(scenario=SimpleNamespace(id="one"))
    items = [item("c.py", promise=promise), item("b.py", "slow"), item("a.py")]
    conftest.pytest_collection_modifyitems(items)

    assert [one.path.name for one in items] == ["a.py", "b.py", "c.py"]


def test_nothing_is_proved_that_begins_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(conftest.UNTIL, "1")
    conftest.pytest_runtest_setup(item("a.py"))
    with pytest.raises(pytest.skip.Exception, match="PROOF_MINUTES"):
        conftest.pytest_runtest_setup(item("a.py", "proof"))


def test_some_cases_of_a_long_test_are_left_to_the_proof() -> None:
    marked: list[str] = []

    def case(nodeid: str) -> Any:
        some = pytest.mark.some(2).mark if nodeid.startswith("long") else None
        return SimpleNamespace(
            path=Path("a.py"),
            nodeid=nodeid,
            get_closest_marker=lambda mark: some if mark == "some" else None,
            add_marker=lambda mark: marked.append(f"{nodeid} {mark.name}"),
        )

    cases = ["long[1]", "long[2]", "short[1]", "short[2]", "short[3]", "long[3]", "long[4]"]
    conftest.pytest_collection_modifyitems(list(map(case, cases)))

    assert marked == ["long[3] proof", "long[4] proof"]
