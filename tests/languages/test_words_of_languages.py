"""A language says what English says: the same keys, the same placeholders."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue import Scenario, ScenarioError, translated
from debugger.catalogue.translating import complaints
from debugger.words import HERE, languages, tables
from tests.languages.loud import LOUD, ROOT, tables_of, toml


def differences(root: Path, language: str) -> list[str]:
    """Everything that a language says and English does not, or says otherwise, and the reverse."""
    found: list[str] = []
    words = root / "debugger" / "words"
    plural = tables(words, language)["language"]["plural"]
    pairs = [(words.name, tables(words, "en"), tables(words, language))]
    for file in sorted([*root.glob("debugger/**/en.toml"), *root.glob("scenarios/*/*/en.toml")]):
        beside = file.with_name(f"{language}.toml")
        own = tables_of(beside) if beside.is_file() else {}
        pairs.append((file.parent.name, tables_of(file), own))
    for name, english, own in pairs:
        here, there = (
            {k: v for k, v in side.items() if k != "language"} for side in (own, english)
        )
        said = [*complaints(here, there), *(f"no {c}" for c in complaints(there, here))]
        if not said and name in ("words", *_frameworks(root)):
            said = list(_misfilled(there, here, len(plural) + 1))
        found += [f"{name}: {one}" for one in said]
    return found


def _frameworks(root: Path) -> list[str]:
    return [path.name for path in (root / "debugger" / "frameworks").iterdir() if path.is_dir()]


def _misfilled(english: Any, own: Any, forms: int, key: str = "") -> Iterator[str]:
    if isinstance(english, dict):
        for name in english:
            yield from _misfilled(english[name], own[name], forms, f"{key}.{name}".strip("."))
    elif isinstance(english, list):
        for number, (text, said) in enumerate(zip(english, own, strict=True), 1):
            yield from _misfilled(text, said, forms, f"{key}[{number}]")
    else:
        if _filled(english) != _filled(own):
            yield f"{key} is filled with {_filled(own)}, in English with {_filled(english)}."
        for spec in (
            spec for _, _, spec, _ in string.Formatter().parse(own) if "|" in (spec or "")
        ):
            if len(str(spec).split("|")) != forms:
                yield f"{key} should give {forms} forms of a word: {spec}."


def _filled(sentence: str) -> list[tuple[str, str]]:
    fields = string.Formatter().parse(sentence)
    return sorted(
        {
            (name, f"{how or ''}{'' if '|' in (spec or '') else spec}")
            for _, name, spec, how in fields
            if name
        }
    )


def test_every_language_has_the_keys_and_placeholders_of_english() -> None:
    found = {tag: differences(ROOT, tag) for tag in languages() if tag != "en"}

    assert not any(found.values()), found


def test_the_made_up_language_is_whole(house: Path) -> None:
    assert differences(house, LOUD) == []


FAULTS = {
    "a key is missing": (
        '"cured" = ',
        '"curd" = ',
        ["words: cli.curd is", "words: no cli.cured is"],
    ),
    "a placeholder is lost": (
        '{who} {stage}"',
        'WHO {stage}"',
        ["words: cli.starting is filled with"],
    ),
    "a placeholder is written otherwise": (
        '{who} {stage}"',
        '{who:.2f} {stage}"',
        ["words: cli.starting is filled"],
    ),
    "a form is missing": (
        "{count:LINE|LINES}",
        "{count:L|I|N}",
        ["words: reading.more_lines should give 2"],
    ),
}


CHANGED = ("command.toml", "evidence.toml")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_translation_is_named(fault: str, house: Path, tmp_path: Path) -> None:
    right, wrong, expected = FAULTS[fault]
    (tmp_path / "debugger").mkdir()
    (tmp_path / "debugger" / "words").mkdir()
    (tmp_path / "debugger" / "frameworks").symlink_to(house / "debugger" / "frameworks")
    (tmp_path / "debugger" / "words" / "en").symlink_to(HERE / "en")
    (tmp_path / "debugger" / "words" / LOUD).mkdir()
    for file in (house / "debugger" / "words" / LOUD).iterdir():
        text = file.read_text()
        text = text.replace(right, wrong) if file.name in CHANGED else text
        (tmp_path / "debugger" / "words" / LOUD / file.name).write_text(text)

    found = differences(tmp_path, LOUD)

    assert len(found) == len(expected)
    assert all(start in one for start, one in zip(expected, found, strict=True)), found


@pytest.fixture
def beside(tmp_path: Path) -> Scenario:
    """A scenario with room for a translation beside it."""
    source = catalogue.find("two_labels").folder
    folder = tmp_path / "pytorch" / "two_labels"
    folder.mkdir(parents=True)
    for file in source.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return catalogue.load(folder)


def test_a_scenario_is_said_in_english_where_its_translation_is_silent(beside: Scenario) -> None:
    told = {"title": "T", "fixes": {"three_labels": {"says": "S"}}}
    (beside.folder / f"{LOUD}.toml").write_text(toml(told))
    said = translated(beside, LOUD)

    assert said.words.title == "T"
    assert said.words.fixes["three_labels"].says == "S"
    assert said.words.fixes["three_labels"].label == beside.words.fixes["three_labels"].label
    assert said.words.questions == beside.words.questions
    assert (said.script, said.twin) == (beside.script, beside.twin)
    assert translated(beside, "qab") is beside


def test_what_a_translation_should_not_say_is_named_all_at_once(beside: Scenario) -> None:
    told = {"titel": "T", "hints": ["H"], "fixes": {"no_fix": {"says": "S"}}, "lesson": ["L"]}
    (beside.folder / f"{LOUD}.toml").write_text(toml(told))
    with pytest.raises(ScenarioError) as caught:
        translated(beside, LOUD)

    assert str(caught.value).splitlines() == [
        f"pytorch/two_labels/{LOUD}.toml: titel is not a key of the English words.",
        f"pytorch/two_labels/{LOUD}.toml: hints should have 4 items, as in English; it has 1.",
        f"pytorch/two_labels/{LOUD}.toml: lesson should be text, as in English; it is ['L'].",
        f"pytorch/two_labels/{LOUD}.toml: fixes.no_fix is not a key of the English words.",
    ]
