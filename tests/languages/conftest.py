"""One copy of the clinic with a made-up language in it, for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger import catalogue, words
from debugger.catalogue import Scenario, translated
from tests.languages import loud


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return loud.house(tmp_path_factory.mktemp("house"))


@pytest.fixture
def loud_words(house: Path, monkeypatch: pytest.MonkeyPatch) -> words.Words:
    """The made-up language, spoken in this very process."""
    monkeypatch.setattr(words, "HERE", house / "debugger" / "words")
    return words.Words(loud.LOUD)


@pytest.fixture(scope="session")
def shelf(house: Path) -> list[Scenario]:
    """Every scenario in the made-up language."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "HERE", house / "debugger" / "words")
        found = catalogue.every(house / "scenarios")
        return [translated(scenario, loud.LOUD) for scenario in found]
