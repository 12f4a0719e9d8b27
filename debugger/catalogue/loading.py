"""Scenarios from their folders: read, checked, put in order."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from debugger.catalogue import complaints
from debugger.catalogue.questions import about_questions
from debugger.catalogue.scenario import (
    FACTS,
    RECORDED,
    REPAIRS,
    SCRIPT,
    STRICT,
    WORDS,
    NotThere,
    Repair,
    Scenario,
    ScenarioError,
    ScenarioWords,
    number_of,
)
from debugger.catalogue.translating import about_translations
from debugger.frameworks import NAMES
from debugger.words import languages

ROOT = Path(__file__).parents[2] / "scenarios"
FILES = (FACTS, SCRIPT, WORDS, REPAIRS, RECORDED)
TO_FILL = "FILL IN: "


@dataclass(frozen=True, config=STRICT)
class _Repairs:
    repairs: tuple[Repair, ...] = ()


T = TypeVar("T")
_SCENARIO = TypeAdapter(Scenario)
_WORDS = TypeAdapter(ScenarioWords)
_REPAIRS = TypeAdapter(_Repairs)
_NO_WORDS = {
    "title": "-",
    "complaint": "-",
    "hints": ["-"] * 4,
    "lesson": "-",
    "questions": {},
    "fixes": {},
}
"""For facts that are looked at where the words cannot be."""


def folders(root: Path = ROOT) -> list[Path]:
    """The folder of every scenario, whatever is wrong with it."""
    return [folder for name in NAMES for folder in sorted((root / name).glob("[!_.]*"))]


def folder_of(scenario_id: str, root: Path = ROOT) -> Path:
    """Where that scenario stands, or a ScenarioError that names the ids there are."""
    known = {folder.name: folder for folder in folders(root)}
    if scenario_id not in known:
        names = ", ".join(sorted(known))
        raise NotThere("unknown_scenario", value=scenario_id, allowed=names)
    return known[scenario_id]


def every(root: Path = ROOT) -> list[Scenario]:
    """Every scenario in its order, or a ScenarioError with all that is wrong with any of them."""
    found: list[Scenario] = []
    wrong: list[str] = []
    for folder in folders(root):
        try:
            found.append(load(folder))
        except ScenarioError as error:
            wrong += error.complaints
        else:
            wrong += _about_order(found[-1], {one.id: one.order for one in found[:-1]})
    if wrong:
        raise ScenarioError(*wrong)
    return sorted(found, key=lambda scenario: scenario.order)


def find(scenario_id: str, root: Path = ROOT) -> Scenario:
    """The scenario of that id, or a ScenarioError that names the ids there are."""
    return load(folder_of(scenario_id, root))


def load(folder: Path) -> Scenario:
    """One scenario with its English words, or a ScenarioError with all that is wrong."""
    reading = _Reading(folder)
    scenario = reading.scenario()
    if scenario is None or reading.wrong:
        raise ScenarioError(*reading.wrong)
    return scenario


def load_to_check(folder: Path) -> Scenario:
    """The same, its translations too, held against its neighbours, and for what it is worth."""
    scenario = load(folder)
    others = {
        other.name: order_in(other) for other in folders(folder.parents[1]) if other != folder
    }
    wrong = [*_about_order(scenario, others), *about_translations(scenario)]
    wrong += [f"{_name(folder / FACTS)}: {said}" for said in complaints.about_choice(scenario)]
    wrong += [f"{_name(folder / WORDS)}: {said}" for said in about_questions(scenario)]
    if wrong:
        raise ScenarioError(*wrong)
    return scenario


def order_in(folder: Path) -> int:
    """Read from the text, 0 where there is none: a scenario may still wait to be filled in."""
    facts = folder / FACTS
    text = facts.read_text(encoding="utf-8") if facts.is_file() else ""
    found = re.search(r"^order = (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def _about_order(scenario: Scenario, others: dict[str, int]) -> Iterator[str]:
    for name, order in others.items():
        if order == scenario.order:
            file = _name(scenario.folder / FACTS)
            yield f"{file}: order is {order}, which {name} has too."
        if number_of(name) == scenario.number:
            file = _name(scenario.folder / FACTS)
            yield f"{file}: id makes the number {scenario.number} in addresses, as {name} does."


def _name(path: Path) -> str:
    return "/".join(path.parts[-3:])


class _Reading:
    """The files of one folder. What is wrong with them is gathered in `wrong`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.wrong: list[str] = []

    def scenario(self) -> Scenario | None:
        """None where what is wrong leaves nothing that could be looked at further."""
        self._stray_files()
        script = self._text(SCRIPT)
        about = _name(self._folder / SCRIPT)
        self.wrong += [f"{about}{said}" for said in complaints.about_script(script or "")]
        raw = self._facts(script or "")
        facts = self._checked(_SCENARIO, FACTS, raw)
        said = self._checked(_WORDS, WORDS, self._toml(WORDS))
        left_out = raw is not None and raw.get("decoy") is True and not self._has(REPAIRS)
        repairs = self._checked(_REPAIRS, REPAIRS, {} if left_out else self._toml(REPAIRS))
        if script is None or facts is None:
            return None
        scenario = replace(
            facts, words=said or facts.words, repairs=repairs.repairs if repairs else ()
        )
        self._complain(FACTS, complaints.about_facts(scenario))
        self._complain(FACTS, complaints.about_patches(scenario))
        if repairs is not None:
            self._complain(REPAIRS, complaints.about_repairs(scenario))
        if said is not None:
            self._complain(WORDS, complaints.about_words(scenario))
        return scenario

    def _facts(self, script: str) -> dict[str, Any] | None:
        raw = self._toml(FACTS)
        if raw is None:
            return None
        beside = {"folder": str(self._folder), "script": script, "words": _NO_WORDS}
        own = raw.keys() & {*beside, "repairs"}
        self._complain(FACTS, [f"{key} is not a known key." for key in sorted(own)])
        return {key: value for key, value in raw.items() if key not in own} | beside

    def _complain(self, file: str, said: Iterable[str]) -> None:
        self.wrong += [f"{_name(self._folder / file)}: {one}" for one in said]

    def _stray_files(self) -> None:
        translations = [f"{language}.toml" for language in languages()]
        for path in sorted(self._folder.iterdir()):
            if path.name not in (*FILES, *translations, "__pycache__"):
                holds = ", ".join(FILES)
                self.wrong.append(
                    f"{_name(path)} does not belong in a scenario, which holds {holds}."
                )

    def _has(self, file: str) -> bool:
        return (self._folder / file).is_file()

    def _text(self, file: str) -> str | None:
        if self._has(file):
            return (self._folder / file).read_text(encoding="utf-8")
        self.wrong.append(f"{_name(self._folder / file)} is missing.")
        return None

    def _toml(self, file: str) -> dict[str, Any] | None:
        text = self._text(file)
        try:
            return None if text is None else tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.wrong.append(f"{_name(self._folder / file)} is not TOML: {error}.")
            return None

    def _checked(self, kind: TypeAdapter[T], file: str, raw: dict[str, Any] | None) -> T | None:
        """JSON is how strict types and TOML's arrays for tuples go together."""
        if raw is None:
            return None
        # What `new` left to be written is no wrong value, it is none yet. The file says what it is.
        unfilled = Counter({key: _count_unfilled(value) for key, value in raw.items()})
        if unfilled.total():
            keys = [f"{key} ({n})" if n > 1 else key for key, n in unfilled.items() if n]
            said = f"{unfilled.total()} values are to be filled in: {', '.join(keys)}."
            self._complain(file, [said])
        try:
            valid = kind.validate_json(json.dumps(raw, default=str))
        except ValidationError as error:
            wrong = [one for one in error.errors() if not _to_fill(one["input"])]
            self._complain(file, map(_sentence, wrong))
            return None
        return None if unfilled.total() else valid


def _to_fill(value: Any) -> bool:
    return isinstance(value, str) and value.strip().startswith(TO_FILL)


def _count_unfilled(value: Any) -> int:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return sum(map(_count_unfilled, inner))
    return int(_to_fill(value))


def _sentence(error: Any) -> str:
    key = ""
    for part in error["loc"]:
        key += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if key else str(part)
    match error["type"]:
        case "missing":
            return f"{key} is missing."
        case "unexpected_keyword_argument":
            return f"{key} is not a known key."
    expected = error["msg"].partition("should ")[2].replace(" after validation", "")
    return f"{key} should {expected}; it is {json.dumps(error['input'])}."
