"""Every code that a stage, a worker or the judge can say has its sentence; no sentence is idle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from debugger import words as house
from debugger.frameworks import NAMES
from debugger.outcome import STAGES
from debugger.stages import LOOKS
from debugger.stages.judging import COMMON
from debugger.words import HERE, LanguageError, Words, fits, languages, spoken, tables

SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted((HERE.parent).rglob("*.py"))
    if path.parent != HERE
)
LOOKING = "\n".join(
    path.read_text(encoding="utf-8")
    for room in ("stages", "frameworks", "experiments")
    for path in sorted((HERE.parent / room).rglob("*.py"))
)
"""The pages have a `say` of their own, which fills in their table."""
OWN = {name: tables(HERE.parent / "frameworks" / name, "en") for name in NAMES}
SENTENCES = {
    table: {code for said in (tables(HERE, "en"), *OWN.values()) for code in said.get(table, ())}
    for table in tables(HERE, "en")
}
PATTERNS = {
    "reason": r'CannotJudge\("(\w+)"\)',
    "evidence": r'(?:Evidence\(\s*"\w+",|\b(?:own_table|table|pairs)\()\s*"(\w+)"',
    "cell": r'(?<!\.)\bsay\("(\w+)"',
}


def rules() -> set[str]:
    named = {rule.__name__ for look in LOOKS for rule in look.rules}
    return named | {rule.__name__ for rule in COMMON} | {f"{look.name}_failed" for look in LOOKS}


@pytest.mark.parametrize("code", sorted(rules()))
def test_a_rule_has_its_sentence(code: str) -> None:
    assert Words().has("finding", code)


@pytest.mark.parametrize("table", PATTERNS)
def test_what_the_code_says_by_name_has_its_sentence(table: str) -> None:
    said = set(re.findall(PATTERNS[table], LOOKING if table == "cell" else SOURCES))

    assert said
    assert said <= SENTENCES[table]


@pytest.mark.parametrize("table", ["finding", "reason", "evidence", "missing"])
def test_no_sentence_is_idle(table: str) -> None:
    built = {f"{name}_failed" for name in STAGES} | {f"needs_{name}" for name in STAGES}
    built |= {
        f"{start}_{kind}" for start in ("renamed", "unexpected") for kind in ("argument", "name")
    }
    built |= {"out_of_memory_of_run"}  # the words choose it where the limit is known
    named = set(re.findall(r"\w+", SOURCES))
    idle = {code for code in SENTENCES[table] if code not in built and code not in named}

    assert idle == set()


def test_what_a_framework_says_of_its_own_goes_before_what_is_said_for_all() -> None:
    sentences = [Words().of(name).say("finding", "no_eval_set") for name in ("pytorch", "keras")]

    assert "fit" in sentences[1]
    assert sentences[0] == Words().say("finding", "no_eval_set") != sentences[1]


def test_numbers_that_are_not_finite_still_make_a_sentence() -> None:
    sentence = Words().say("finding", "diverged", step=3, first=1.1, last=None)

    assert sentence == "The loss left the road at step 3: 1.10 at first, nan now."


def test_no_file_but_toml_stands_among_the_words() -> None:
    found = {path.suffix for path in HERE.glob("*/*") if path.parent.name != "__pycache__"}

    assert found == {".toml"}


@pytest.fixture
def words_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A second language that says two sentences, with a form for 1, one for 2 to 4, and others."""
    (tmp_path / "en").symlink_to(HERE / "en")
    (tmp_path / "qaa").mkdir()
    rules = '[language]\nname = "Made-up"\nplural = ["n = 1", "n = 2..4"]\n'
    (tmp_path / "qaa" / "language.toml").write_text(rules)
    said = '[cli]\ncured = "CURED."\n[reading]\nmore_lines = "{count} {count:one|few|many}"\n'
    (tmp_path / "qaa" / "some.toml").write_text(said)
    monkeypatch.setattr(house, "HERE", tmp_path)
    return "qaa"


RUSSIAN = ("n % 10 = 1 and n % 100 != 11", "n % 10 = 2..4 and n % 100 != 12..14")


@pytest.mark.parametrize(
    ("n", "fitting"),
    [(1, 0), (21, 0), (2, 1), (104, 1), (0, None), (5, None), (11, None), (12, None), (112, None)],
)
def test_a_rule_of_plural_is_read_as_cldr_writes_it(n: int, fitting: int | None) -> None:
    assert [fits(rule, n) for rule in RUSSIAN] == [place == fitting for place in (0, 1)]


def test_a_rule_may_name_alternatives_and_lists() -> None:
    assert [n for n in range(12) if fits("n = 0,7..8 or n % 5 = 1", n)] == [0, 1, 6, 7, 8, 11]
    with pytest.raises(ValueError, match="is no relation of a plural rule"):
        fits("n > 1", 1)


def test_a_word_takes_the_form_of_its_number() -> None:
    said = [Words().say("cli", "end_pass", count=count) for count in (1, 8)]

    assert [sentence.split("in ")[1] for sentence in said] == ["1 stage.", "8 stages."]


def test_the_first_language_that_is_spoken_is_taken(words_of_two: str) -> None:
    assert spoken([]) == spoken(["xx", "C", "*"]) == "en"
    assert spoken(["xx", "qaa-Latn-XX", "en"]) == spoken(["QAA"]) == words_of_two
    assert spoken(["en-GB", words_of_two]) == "en"


def test_a_language_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    with pytest.raises(LanguageError, match=r"no language 'xx'; there are en"):
        Words("xx")


def test_what_a_language_lacks_is_said_in_english_with_its_plural(words_of_two: str) -> None:
    words = Words(words_of_two)

    assert languages() == {"en": "English", words_of_two: "Made-up"}
    assert words.say("cli", "cured") == "CURED."
    assert words.say("reading", "more_rows", count=1) == "1 more row"
    assert [words.say("reading", "more_lines", count=n) for n in (1, 2, 7)] == [
        "1 one",
        "2 few",
        "7 many",
    ]


def test_what_a_library_said_ends_before_our_next_sentence_begins() -> None:
    def told(said: str) -> str:
        return Words().say("finding", "writes_outside", said=said)

    assert "of yours: no 'eval_f1'. The clinic" in told("no 'eval_f1'")
    assert "of yours: Denied. The clinic" in told("Denied.")
