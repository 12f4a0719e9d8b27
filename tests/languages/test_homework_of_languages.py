"""Assignments and certificates in a made-up language: every page, and what stands on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from debugger import settings
from debugger.catalogue import Scenario
from debugger.homework.certificate import check, issue, together
from debugger.homework.receipt import How, Receipt
from debugger.homework.seal import KEY_BYTES, Seal
from debugger.homework.task import Task
from debugger.web.clinic import Clinic
from debugger.web.homework import frames, screens
from debugger.words import Words
from debugger.workers.sharing import Shared
from tests.languages.loud import read, small
from tests.languages.test_class_of_languages import NAMES

SEAL = Seal("k" * KEY_BYTES, Path("/nowhere"))
DAY = 86_400


@pytest.mark.parametrize("page", get_args(frames.Page))
def test_no_frame_is_left_in_english(
    shelf: list[Scenario], loud_words: Words, page: frames.Page
) -> None:
    clinic = Clinic(shelf, Shared(None), settings.read({}))  # type: ignore[arg-type]
    html = frames.page(page, loud_words, clinic.shown_here(loud_words.language))
    assert small(read(html), [*NAMES, "min"]) == []


def test_nothing_on_the_pages_is_left_in_english(shelf: list[Scenario], loud_words: Words) -> None:
    known = {one.number: one for one in shelf}
    cases = (*list(known)[:4], 1)
    receipts = [Receipt("0123abcd", cases[n], how, n) for n, how in enumerate(get_args(How))]
    drawn: list[str] = []
    for until in (None, 1, 60, DAY, 9 * DAY):
        task = Task("X", cases, until)
        states = screens.states(task, receipts, {cases[3]})
        drawn += [
            screens.task(task, states, "X", known.get, (loud_words, now)) for now in (0, 2 * DAY)
        ]
    refused: Counter[str] = Counter(
        ("twice", "other_browser", "other_clinic", "changed", "unreadable_token")
    )
    held = issue(receipts, ("0123abcd", ""), Task("X", cases, 1), 9, lambda _: "X", SEAL)
    files = [check("X", held, SEAL), check("Y", held, SEAL), check("Z", 1, SEAL)]
    made = files[0].certificate
    assert made is not None
    named = replace(made, clinic="1")
    drawn.append(screens.certificate(named, "X", refused, "X", loud_words))
    drawn.append(screens.checked(together(files), 5, loud_words))
    assert [small(read(one), [*NAMES, "min"]) for one in drawn] == [[]] * len(drawn)
