"""Every sentence a person reads, by table and code: a folder of TOML files for each language.

What a language lacks is said in English.
"""

import re
import string
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from debugger.outcome import Finding

HERE = Path(__file__).parent
ENGLISH = "en"
_FOLLOWED = re.compile(r"\{said\} [A-Z]")
_RELATION = re.compile(r"n(?: % (\d+))? (!?=) ([\d.,]+)")


class LanguageError(ValueError):
    """A sentence for whoever asked for a language that the clinic does not speak."""


def languages(place: Path | None = None) -> dict[str, str]:
    """What each language calls itself, by its tag; English first."""
    return dict(_languages(place or HERE))


@cache
def _languages(place: Path) -> Mapping[str, str]:
    tags = sorted(file.parent.name for file in place.glob("*/language.toml"))
    tags.sort(key=lambda tag: tag != ENGLISH)
    return {tag: tables(place, tag)["language"]["name"] for tag in tags}


def spoken(wanted: Iterable[str]) -> str:
    """The first of the tags wanted that is spoken here, else English.

    Where there is no `pt-BR`, `pt` will do; a bare `zh` takes any of its kind.
    """
    known = {tag.lower(): tag for tag in languages()}
    for tag in wanted:
        asked = tag.lower().replace("_", "-")
        while asked:
            if asked in known:
                return known[asked]
            asked = asked.rpartition("-")[0]
        kin = [known[one] for one in known if one.startswith(f"{tag.lower()}-")]
        if kin:
            return kin[0]
    return ENGLISH


@cache
def tables(place: Path, language: str) -> dict[str, dict[str, Any]]:
    """All that `place` says in one language: `<language>.toml`, or the files of `<language>/`."""
    said: dict[str, dict[str, Any]] = {}
    for file in (place / f"{language}.toml", *sorted((place / language).glob("*.toml"))):
        if file.is_file():
            for table, sentences in tomllib.loads(file.read_text(encoding="utf-8")).items():
                said.setdefault(table, {}).update(sentences)
    return said


class Words:
    """The sentences of one language. One that English lacks is an error of ours: a KeyError.

    `places` are folders of words; what the first one says goes before what the next one says.
    """

    def __init__(self, language: str = ENGLISH, places: tuple[Path, ...] | None = None) -> None:
        if language not in languages():
            allowed = ", ".join(languages())
            said = Words().say("cli", "unknown_language", value=language, allowed=allowed)
            raise LanguageError(said)
        self.language = language
        tags = dict.fromkeys((language, ENGLISH))
        self._layers = [(tables(p, tag), tag) for p in places or (HERE,) for tag in tags]

    def of(self, framework: str) -> "Words":
        """The same language, with what that framework says in words of its own."""
        own = HERE.parent / "frameworks" / framework
        return Words(self.language, (own, HERE)) if framework else self

    def say(self, table: str, code: str, **numbers: Any) -> str:
        for said, tag in self._layers:
            if code in said.get(table, ()):
                template = said[table][code]
                return _filler(HERE, tag).vformat(template, (), _closed(template, numbers))
        raise KeyError(f"{table}.{code}")

    def has(self, table: str, code: str) -> bool:
        return any(code in said.get(table, ()) for said, _ in self._layers)

    def finding(self, finding: Finding) -> str:
        known_limit = finding.code == "out_of_memory" and "memory_mb" in finding.numbers
        code = "out_of_memory_of_run" if known_limit else finding.code
        return self.say("finding", code, **finding.numbers)


def _closed(template: str, numbers: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a library said ends as a sentence where another one follows it."""
    said = numbers.get("said")
    if not isinstance(said, str) or not said or not _FOLLOWED.search(template):
        return numbers
    return (
        numbers if said.rstrip().endswith((".", "!", "?", "…")) else {**numbers, "said": f"{said}."}
    )


class _Filler(string.Formatter):
    """Fills in numbers: `{count} {count:row|rows}` takes the form of the word that fits.

    Numbers that are not finite travel as null; they are still worth a sentence.
    """

    def __init__(self, plural: list[str]) -> None:
        self._plural = plural

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            return _form(format_spec.split("|"), self._plural, value)
        return "nan" if value is None else super().format_field(value, format_spec)


@cache
def _filler(place: Path, language: str) -> _Filler:
    return _Filler(tables(place, language)["language"]["plural"])


def _form(forms: list[str], plural: list[str], value: Any) -> str:
    whole = isinstance(value, int)
    found = (form for form, rule in zip(forms, plural, strict=False) if whole and fits(rule, value))
    return next(found, forms[-1])


def fits(rule: str, n: int) -> bool:
    """A rule of plural, such as `n % 10 = 2..4 and n % 100 != 12..14`."""
    return any(
        all(_holds(relation.strip(), n) for relation in either.split(" and "))
        for either in rule.split(" or ")
    )


def _holds(relation: str, n: int) -> bool:
    found = _RELATION.fullmatch(relation)
    if found is None:
        raise ValueError(f"{relation!r} is no relation of a plural rule, such as n % 10 = 2..4")
    value = n % int(found[1]) if found[1] else n
    spans = (span.partition("..") for span in found[3].split(","))
    return any(int(low) <= value <= int(high or low) for low, _, high in spans) == (found[2] == "=")
