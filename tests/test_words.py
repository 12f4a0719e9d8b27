"""Every code that a stage, a worker or the judge can say has its sentence; no sentence is idle."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from debugger.diagnosis import MODULES
from debugger.stages import COMMON
from debugger.words import HERE, Words

SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted((HERE.parent).rglob("*.py"))
    if path.parent != HERE
)
SENTENCES = tomllib.loads((HERE / "en.toml").read_text(encoding="utf-8"))
PATTERNS = {
    "reason": r'CannotJudge\("(\w+)"\)',
    "evidence": r'(?:Evidence\(\s*"\w+",|_table\()\s*"(\w+)"',
}


def rules() -> set[str]:
    named = {rule.__name__ for module in MODULES.values() for rule in module.RULES}
    return named | {rule.__name__ for rule in COMMON} | {f"{stage}_failed" for stage in MODULES}


@pytest.mark.parametrize("code", sorted(rules()))
def test_a_rule_has_its_sentence(code: str) -> None:
    assert Words().has("finding", code)


@pytest.mark.parametrize("table", PATTERNS)
def test_what_the_code_says_by_name_has_its_sentence(table: str) -> None:
    said = set(re.findall(PATTERNS[table], SOURCES))

    assert said
    assert said <= set(SENTENCES[table])


@pytest.mark.parametrize("table", ["finding", "reason", "evidence", "missing"])
def test_no_sentence_is_idle(table: str) -> None:
    built = {f"{stage}_failed" for stage in MODULES} | {f"needs_{stage}" for stage in MODULES}
    built |= {
        f"{start}_{kind}" for start in ("renamed", "unexpected") for kind in ("argument", "name")
    }
    built |= {"out_of_memory_of_run"}  # the words choose it where the limit is known
    idle = {
        code
        for code in SENTENCES[table]
        if code not in built and not re.search(rf"\b{code}\b", SOURCES)
    }

    assert idle == set()


def test_numbers_that_are_not_finite_still_make_a_sentence() -> None:
    sentence = Words().say("finding", "diverged", step=3, first=1.1, last=None)

    assert sentence == "The loss left the road at step 3: 1.10 at first, nan now."


def test_no_file_of_words_but_toml_stands_in_the_folder() -> None:
    assert {path.suffix for path in Path(HERE).iterdir() if path.is_file()} == {".py", ".toml"}
