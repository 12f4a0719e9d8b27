"""The catalogue: every scenario as documented, checked data. Light: it imports no framework."""

import itertools
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from debugger.outcome import STAGES
from debugger.run import FRAMEWORKS
from debugger.words import Words
from scenarios.scenario import Cheat, Fix, Scenario, ScenarioError, ScenarioWords

__all__ = ["Cheat", "Fix", "Scenario", "ScenarioError", "all", "find", "load"]

HERE = Path(__file__).parent
FACTS, SCRIPT, WORDS = "scenario.toml", "script.py", "en.toml"
RECORDED = "recorded.json"
FILES = (FACTS, SCRIPT, WORDS, "ru.toml", "ko.toml", "zh-CN.toml", RECORDED)
TO_FILL = "FILL IN: "
WIDEST, LONGEST = 72, 100

T = TypeVar("T")
_SCENARIO = TypeAdapter(Scenario)
_WORDS = TypeAdapter(ScenarioWords)


def all(root: Path = HERE) -> list[Scenario]:
    """Every scenario in its order, or a ScenarioError for the first that is wrong."""
    folders = [folder for name in FRAMEWORKS for folder in sorted((root / name).glob("[!_.]*"))]
    found = sorted((load(folder) for folder in folders), key=lambda scenario: scenario.order)
    for one, other in itertools.pairwise(found):
        if one.order == other.order:
            raise ScenarioError(
                f"{_short(other.folder / FACTS)}: order is {other.order}, which {one.id} has too."
            )
    return found


def find(scenario_id: str, root: Path = HERE) -> Scenario:
    """The scenario of that id, or a ScenarioError that names the ids there are."""
    known = {folder.name: folder for name in FRAMEWORKS for folder in (root / name).glob("[!_.]*")}
    if scenario_id not in known:
        names = ", ".join(sorted(known))
        raise ScenarioError(f"There is no scenario {scenario_id!r}; there are {names}.")
    return load(known[scenario_id])


def load(folder: Path, language: str = "en") -> Scenario:
    """One scenario, checked, with the words of one language."""
    _refuse_stray_files(folder)
    facts, words = folder / FACTS, folder / f"{language}.toml"
    raw, said = _toml(facts), _toml(words)
    _refuse_unfilled({facts: raw, words: said})
    for key in sorted(raw.keys() & {"folder", "script", "words"}):
        raise ScenarioError(f"{_short(facts)}: {key} is not a known key.")
    _checked(_WORDS, said, words)
    around = {"folder": str(folder), "script": _read(folder / SCRIPT), "words": said}
    scenario = _checked(_SCENARIO, raw | around, facts)
    for complaint in (
        *_complaints_about_facts(scenario),
        *_complaints_about_patches(scenario),
    ):
        raise ScenarioError(f"{_short(facts)}: {complaint}")
    for complaint in _complaints_about_script(scenario.script):
        raise ScenarioError(f"{_short(folder / SCRIPT)}{complaint}")
    for complaint in _complaints_about_words(scenario):
        raise ScenarioError(f"{_short(words)}: {complaint}")
    return scenario


def _short(path: Path) -> str:
    return "/".join(path.parts[-3:])


def _refuse_stray_files(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.name not in (*FILES, "__pycache__"):
            raise ScenarioError(
                f"{_short(path)} does not belong in a scenario, which holds {', '.join(FILES)}."
            )


def _refuse_unfilled(files: dict[Path, Any]) -> None:
    """What `new` left to be written, first of all: it is no wrong value, it is none yet."""
    left = [(_short(path), *found) for path, raw in files.items() for found in _unfilled(raw)]
    if left:
        file, key, wanted = left[0]
        more = f" {len(left) - 1} more are to be filled in." if len(left) > 1 else ""
        raise ScenarioError(f"{file}: {key} is to be filled in: {wanted}.{more}")


def _unfilled(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _unfilled(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _unfilled(inner, f"{key}[{number}]")
    elif isinstance(value, str) and value.strip().startswith(TO_FILL):
        yield key, value.strip().removeprefix(TO_FILL)


def _read(path: Path) -> str:
    if not path.is_file():
        raise ScenarioError(f"{_short(path)} is missing.")
    return path.read_text(encoding="utf-8")


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"{_short(path)} is not TOML: {error}.") from error


def _checked(kind: TypeAdapter[T], raw: dict[str, Any], file: Path) -> T:
    """JSON is how strict types and TOML's arrays for tuples go together."""
    try:
        return kind.validate_json(json.dumps(raw, default=str))
    except ValidationError as error:
        raise ScenarioError(_sentence(file, error.errors()[0])) from error


def _sentence(file: Path, error: Any) -> str:
    key = ""
    for part in error["loc"]:
        key += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if key else str(part)
    match error["type"]:
        case "missing":
            return f"{_short(file)}: {key} is missing."
        case "unexpected_keyword_argument":
            return f"{_short(file)}: {key} is not a known key."
    expected = error["msg"].partition("should ")[2].replace(" after validation", "")
    return f"{_short(file)}: {key} should {expected}; it is {json.dumps(error['input'])}."


def _complaints_about_facts(scenario: Scenario) -> Iterator[str]:
    if scenario.id != scenario.folder.name:
        yield f'id should be "{scenario.folder.name}", as its folder; it is "{scenario.id}".'
    if scenario.framework != scenario.folder.parent.name:
        yield f'framework should be "{scenario.folder.parent.name}"; it is "{scenario.framework}".'
    for key in ("symptom_stage", "first_stage", "code"):
        if (getattr(scenario, key) is None) != scenario.decoy:
            yield f"{key} {'has no place in a decoy' if scenario.decoy else 'is missing'}."
    if scenario.symptom_stage and scenario.first_stage:
        order = STAGES.index
        if order(scenario.first_stage) > order(scenario.symptom_stage):
            yield "first_stage should not come after symptom_stage."
    for number, fix in enumerate(scenario.fixes, 1):
        if scenario.decoy and fix.right:
            yield f"fixes[{number}].right should be false: in a decoy there is nothing to repair."
        cures = fix.right and scenario.place(fix) >= len(scenario.twin_fixes) - 1
        harmless = scenario.decoy and fix.ends_at is None and fix.code is None
        for key in ("ends_at", "code"):
            if (getattr(fix, key) is None) != (cures or harmless):
                fault = "has no place in a right fix" if cures else "is missing"
                if cures and scenario.stacked:
                    fault += " of the last fault"
                yield f"fixes[{number}].{key} {fault}."
    if scenario.decoy and scenario.cheats:
        yield "cheats have no place in a decoy: there is no fault to hide."
    if scenario.needs is None and (scenario.folder / RECORDED).exists():
        yield f"needs is missing: {RECORDED} shows a run on a device that hosts may lack."
    codes = [("code", scenario.code)]
    codes += [(f"fixes[{number}].code", fix.code) for number, fix in enumerate(scenario.fixes, 1)]
    for key, code in codes:
        if code is not None and not Words().has("finding", code):
            yield f'{key} should be the code of a finding; it is "{code}".'


def _complaints_about_patches(scenario: Scenario) -> Iterator[str]:
    patches: list[tuple[str, Fix | Cheat]] = [
        (f"fixes[{number}]", fix) for number, fix in enumerate(scenario.fixes, 1)
    ]
    patches += [(f"cheats[{number}]", cheat) for number, cheat in enumerate(scenario.cheats, 1)]
    seen: dict[str, str] = {}
    for key, patch in patches:
        if patch.id in seen:
            yield f'{key}.id is "{patch.id}", which {seen[patch.id]} has too.'
        seen[patch.id] = key
        for number, replacement in enumerate(patch.replacements, 1):
            count = scenario.script.count(replacement.old)
            if count != 1:
                yield (
                    f"{key}.replacements[{number}].old should stand in {SCRIPT} exactly once; "
                    f"it stands there {count} times."
                )
    right = [fix.id for fix in scenario.fixes if fix.right]
    if not scenario.decoy and not right:
        yield "fixes should hold at least one right fix; it holds none."
    if not scenario.decoy and not scenario.twin_fixes:
        yield "twin_fixes should name the right fixes of the twin; it names none."
    for fix_id in scenario.twin_fixes:
        if fix_id not in right:
            yield f'twin_fixes should name right fixes; "{fix_id}" is none.'
    yield from _complaints_about_places(scenario, patches)


def _complaints_about_places(
    scenario: Scenario, patches: list[tuple[str, Fix | Cheat]]
) -> Iterator[str]:
    """Where faults are stacked every patch knows which of them it is about, and fits there."""
    try:
        scenario.patched(scenario.twin_fixes)
    except ScenarioError:
        yield "twin_fixes cannot be applied one after the other."
    for key, patch in patches:
        if patch.instead_of is None:
            if scenario.stacked and isinstance(patch, Fix) and patch.id not in scenario.twin_fixes:
                yield f"{key}.instead_of is missing: which of the twin_fixes it stands for."
        elif not scenario.stacked:
            yield f"{key}.instead_of has a place only where there is more than one of twin_fixes."
        elif patch.id in scenario.twin_fixes:
            yield f"{key}.instead_of has no place in one of the twin_fixes."
        elif patch.instead_of not in scenario.twin_fixes:
            name = patch.instead_of
            yield f'{key}.instead_of should name one of the twin_fixes; "{name}" is none.'
        else:
            yield from _complaints_about_fit(scenario, key, patch)


def _complaints_about_fit(scenario: Scenario, key: str, patch: Fix | Cheat) -> Iterator[str]:
    try:
        if isinstance(patch, Cheat):
            scenario.cheated(patch.id)
        elif patch.right:
            scenario.mended(patch.id)
        else:
            scenario.tried(patch.id)
    except ScenarioError:
        yield f"{key} touches the same lines as the twin_fixes beside it."


def _complaints_about_script(script: str) -> Iterator[str]:
    lines = script.splitlines()
    if len(lines) > LONGEST:
        yield f" should have at most {LONGEST} lines; it has {len(lines)}."
    for number, line in enumerate(lines, 1):
        if len(line) > WIDEST:
            yield f":{number} should have at most {WIDEST} columns; it has {len(line)}."


def _complaints_about_words(scenario: Scenario) -> Iterator[str]:
    words = scenario.words
    needed: dict[str, tuple[list[str], set[str]]] = {
        "questions": (list(STAGES), set(words.questions)),
        "fixes": ([fix.id for fix in scenario.fixes], set(words.fixes)),
        "cheats": ([cheat.id for cheat in scenario.cheats], set(words.cheats)),
    }
    for table, (wanted, said) in needed.items():
        for key in wanted:
            if key not in said:
                yield f"{table}.{key} is missing."
        for key in sorted(said - set(wanted)):
            yield f"{table}.{key} is not in {FACTS}."
    if scenario.course_message and not words.since_then:
        yield "since_then is missing: what changed since the course's message."
