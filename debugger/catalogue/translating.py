"""A scenario in another language: its `<language>.toml`, and English for what is missing there."""

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from debugger.catalogue.scenario import Scenario, ScenarioError, ScenarioWords
from debugger.words import ENGLISH, languages

_WORDS = TypeAdapter(ScenarioWords)


def translated(scenario: Scenario, language: str) -> Scenario:
    """The same scenario with its words in that language, or a ScenarioError that says what is
    wrong with them."""
    path = scenario.folder / f"{language}.toml"
    if language == ENGLISH or not path.is_file():
        return scenario
    short = "/".join(path.parts[-3:])
    try:
        own = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{short} is not TOML: {error}.") from error
    english = asdict(scenario.words)
    if wrong := [f"{short}: {complaint}" for complaint in complaints(own, english)]:
        raise ScenarioError(*wrong)
    return replace(scenario, words=_WORDS.validate_python(_over(english, own), strict=False))


def about_translations(scenario: Scenario) -> Iterator[str]:
    """What is wrong with any translation that stands beside it."""
    for language in languages():
        try:
            translated(scenario, language)
        except ScenarioError as error:
            yield from error.complaints


def complaints(own: Any, english: Any, key: str = "") -> Iterator[str]:
    """What a translation says that the original does not, or says in another form."""
    match own, english:
        case dict(), dict():
            for name, said in own.items():
                inner = f"{key}.{name}" if key else name
                if english.get(name) is None:
                    yield f"{inner} is not a key of the English words."
                else:
                    yield from complaints(said, english[name], inner)
        case list(), list() | tuple():
            if len(own) != len(english):
                yield f"{key} should have {len(english)} items, as in English; it has {len(own)}."
            for number, (said, text) in enumerate(zip(own, english, strict=False), 1):
                yield from complaints(said, text, f"{key}[{number}]")
        case str(), str() if own.strip():
            return
        case _:
            kind = {str: "text", dict: "a table"}.get(type(english), "a list")
            yield f"{key} should be {kind}, as in English; it is {own!r}."


def _over(english: Any, own: Any) -> Any:
    if not isinstance(own, dict):
        return own
    return {**english, **{name: _over(english.get(name), said) for name, said in own.items()}}
