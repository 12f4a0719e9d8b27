"""Many sessions at once in small, and that a foreign answer would be found."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

import pytest

from debugger.catalogue import Scenario
from tests.browser.app import running_app
from tools.load.belonging import Key, foreign
from tools.load.interleaved import Session, interleaved, references, scenarios, two_languages
from tools.load.visitors import PARTS

pytestmark = [pytest.mark.slow, pytest.mark.proof]
IDS = ("two_labels", "raw_dataset")
Played = tuple[str, Mapping[tuple[str, str], Scenario], dict[Key, str]]


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with (
        two_languages() as root,
        running_app(root=root, CLINIC_WORKERS="2", CLINIC_RUNS_A_MINUTE="1000") as (address, _),
    ):
        shelf = scenarios(root, IDS)
        yield address, shelf, references(address, shelf)


def test_each_of_many_sessions_at_once_gets_its_own_answers(played: Played) -> None:
    told = interleaved(*played, sessions=10, actions=200, seed=14)
    assert told.foreign == []
    assert told.away == []
    assert told.evidence > 0
    assert told.acts.total() == 200


def test_a_page_with_one_piece_of_another_sessions_is_found(played: Played) -> None:
    address, shelf, known = played
    pages = []
    for number, key in enumerate((("two_labels", "en"), ("raw_dataset", "qaa"))):
        session = Session(address, {key: shelf[key]}, random.Random(number))
        session.look("data")
        session.answer()
        pages.append((session.mine, session.page()))
        session.tab.close()
    (mine, own), (_, other) = pages
    assert foreign(mine, own, known) == []
    for piece in PARTS:
        doctored = own | {piece: other[piece]}
        found = foreign(mine, doctored, known)
        assert (found != []) == (piece not in ("rail", "foot")), piece
    for piece in ("rail", "foot"):
        elsewhere = own[piece].replace("data", "batch")
        assert foreign(mine, own | {piece: elsewhere}, known)
    told = own["left"] + "mark-0123abcd"
    assert foreign(mine, own | {"left": told}, known)
