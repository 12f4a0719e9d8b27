"""What the questions of a scenario may say: nothing that gives its cause away, no unseen number."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from math import log

from debugger.catalogue.scenario import WORDS, Cheat, Fix, Scenario
from debugger.outcome import StageName
from debugger.report import Report
from debugger.words import Words

MOST_LONGEST = 3
"""Of eight questions with three choices each, the right one is the longest so often by chance."""
EVERYBODYS = (8, 20, 60, 120, 1000, 5e-5, *map(log, (2, 3, 4)))
"""Of no one script: rows in a batch and steps here, rows at a time in map, the Trainer's rate,
and what guessing costs among so many classes."""
LONG_WORD, STEM = 4, 5
COMMON = re.compile(
    "about|another|because|before|does|from|have|here|into|itself|like|many|model|more|most|must|"
    "needs|only|other|than|that|them|then|there|these|they|this|wants|what|whatever|when|where|"
    "which|with|would"
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
CODED = re.compile(r"_|[a-z][A-Z]")
FIELDS = {"input_ids", "attention_mask", "token_type_ids"}
"""Names that only code uses tell more than words; those of any batch tell nothing."""
NUMBER = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)(?! ?\w*-bit)( ?%)?")
SENTENCE = re.compile(r"(?<=[.:;?!])\s+")


def about_questions(scenario: Scenario) -> Iterator[str]:
    """What gives an answer away before the learner has found it."""
    longest = with_the_longest_right(scenario)
    if len(longest) > MOST_LONGEST:
        yield (
            f"questions should have a right choice that is the longest at most {MOST_LONGEST} "
            f"times; it is in {', '.join(longest)}."
        )
    names, cause = _names_of_the_cure(scenario), _stems(_cause(scenario))
    for key, text in texts(scenario):
        told = [name for name in NAME.findall(text) if name in names]
        told += [
            sentence
            for sentence in SENTENCE.split(text)
            if len(cause) > 1 and 2 * len(cause & _stems(sentence)) > len(cause)
        ]
        for said in dict.fromkeys(told):
            yield f'{key} should not tell the cause before it is found; it says "{said}".'


def with_the_longest_right(scenario: Scenario) -> list[StageName]:
    """The stages whose right choice is longer than every other one."""
    return [
        stage
        for stage, question in scenario.words.questions.items()
        if all(len(question.choices[0]) > len(other) for other in question.choices[1:])
    ]


def texts(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Everything that is shown before the diagnosis without being asked for, with its key."""
    yield "title", scenario.words.title
    for stage, question in scenario.words.questions.items():
        yield f"questions.{stage}.ask", question.ask
        for key in ("choices", "because"):
            for number, text in enumerate(getattr(question, key), 1):
                yield f"questions.{stage}.{key}[{number}]", text


def about_numbers(scenario: Scenario, reports: Iterable[Report]) -> Iterator[str]:
    """Numbers of a `because` that stand neither in the scripts nor in what their runs showed."""
    told = [(key, text) for key, text in texts(scenario) if ".because" in key]
    return _unshown(scenario, told, reports)


def about_what_happens(
    scenario: Scenario, patch: Fix | Cheat, script: str, reports: Iterable[Report]
) -> Iterator[str]:
    """The same for what is said to happen with a change."""
    table, said = "fixes" if isinstance(patch, Fix) else "cheats", scenario.words.of(patch.id)
    return _unshown(scenario, [(f"{table}.{patch.id}.says", said.says)], reports, script)


def _unshown(
    scenario: Scenario, told: list[tuple[str, str]], reports: Iterable[Report], script: str = ""
) -> Iterator[str]:
    known = {float(number) for number in (*EVERYBODYS, scenario.checks.steps)}
    for text in (scenario.script, scenario.twin, script, scenario.words.complaint):
        known |= set(_numbers(text))
    for report in reports:
        for stage in report.stages:
            shown = [*stage.evidence, *stage.findings]
            text = json.dumps([asdict(one) for one in shown], default=str)
            known |= set(_numbers(text)) | set(_numbers(json.dumps(stage.measured, default=str)))
    file = "/".join((scenario.folder / WORDS).parts[-3:])
    for key, text in told:
        for written, percent in NUMBER.findall(text):
            if not _is_known(written.rstrip(","), bool(percent), known):
                yield (
                    f"{file}: {key} should quote what the script or its runs show; "
                    f'"{written}{percent}" is not there.'
                )


def _cause(scenario: Scenario) -> str:
    return Words().of(scenario.framework).say("cause", scenario.code) if scenario.code else ""


def _names_of_the_cure(scenario: Scenario) -> set[str]:
    """What only a right fix writes, and how the files call the fault."""
    right = [patch for patch in scenario.fixes if patch.right]
    other = [patch for patch in scenario.patches if not (isinstance(patch, Fix) and patch.right)]
    mending, misleading = (
        {name for patch in patches for one in patch.replacements for name in NAME.findall(one.new)}
        for patches in (right, other)
    )
    known = misleading | FIELDS | set(NAME.findall(scenario.script))
    own = {scenario.id, scenario.code or "", *(fix.id for fix in right)}
    return {name for name in mending - known if CODED.search(name)} | own


def _stems(text: str) -> set[str]:
    words = re.findall(r"[a-z]+", text.lower())
    return {word[:STEM] for word in words if len(word) >= LONG_WORD and not COMMON.fullmatch(word)}


def _numbers(text: str) -> Iterator[float]:
    for found in re.findall(r"\d[\d,_]*(?:\.\d+)?(?:e-?\d+)?", text):
        yield float(found.replace(",", "").replace("_", ""))
        yield from (float(part) for part in found.split(",") if part.replace(".", "", 1).isdigit())


def _is_known(written: str, percent: bool, known: set[float]) -> bool:
    """To as many digits as are written: 1.10 stands for 1.0986, and 30 % for 0.3008."""
    value, exact = float(written.replace(",", "")), written.isdigit()
    places = 0 if "e" in written else len(written.partition(".")[2])
    if percent:
        value, places, exact = value / 100, places + 2, False
    if exact or "e" in written or "," in written:
        return value in known
    return any(abs(value - one) <= 0.5001 * 10**-places for one in known)
