"""An assignment: what an instructor may ask for, and the link that holds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from debugger.homework import task
from debugger.homework.seal import KEY_BYTES, Refused, Seal
from debugger.words import Words

SEAL = Seal("k" * KEY_BYTES, Path("/nowhere"))
NOW, KNOWN = 1_000_000, set(range(1000, 1100))
GOOD: dict[str, Any] = {"title": "Week 3", "cases": [1001, 1002, 1001], "until": NOW + 60}


def test_a_task_goes_through_its_link_and_back() -> None:
    made = task.made(GOOD, KNOWN, NOW)
    assert made == task.Task("Week 3", (1001, 1002), NOW + 60)
    token = task.linked(made, SEAL)
    for link in (token, f"https://clinic.example/task?of={token}&lang=en#top", f" {token}\n"):
        assert task.read(link, SEAL) == made


def test_a_second_after_the_deadline_is_late_and_without_one_nothing_is() -> None:
    made = task.made(GOOD, KNOWN, NOW)
    assert [made.late(NOW + after) for after in (59, 60, 61)] == [False, False, True]
    assert not task.Task("x", (1,)).late(2**40)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"title": " \u200b\u202e "}, "no_title"),
        ({"title": None, "cases": []}, "no_cases"),
        ({"cases": "1001"}, "no_cases"),
        ({"cases": list(range(1000, 1061))}, "too_many_cases"),
        ({"cases": [1001, 9]}, "no_such_case"),
        ({"cases": [True]}, "no_such_case"),
        ({"cases": [[]]}, "no_such_case"),
        ({"cases": ["1001"]}, "no_such_case"),
        ({"until": NOW}, "no_such_deadline"),
        ({"until": "tomorrow"}, "no_such_deadline"),
        ({"until": 10**30}, "no_such_deadline"),
        ({"until": float("nan")}, "no_such_deadline"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_a_sentence(
    change: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        task.made(GOOD | change, KNOWN, NOW)
    assert refused.value.code == code
    assert Words().say("homework", code, **refused.value.numbers).endswith(".")


def test_a_title_is_one_short_line() -> None:
    made = task.made(GOOD | {"title": "a\nb\0\u202ec" + "x" * 500}, KNOWN, NOW)
    assert made.title.startswith("a bcx")
    assert len(made.title) == task.MOST_TITLE
