"""The command line and what it writes, in a made-up language."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from debugger import catalogue, diagnose
from debugger.__main__ import main
from debugger.arguments import words_of
from debugger.export import pinned
from debugger.outcome import STAGES
from debugger.words import LanguageError, Words
from tests import tiny
from tests.languages.loud import LOUD, read, small

COMMANDS = (
    "list",
    "run",
    "diagnose",
    "issue",
    "judge",
    "export",
    "check",
    "new",
    "ask",
    "certificate",
)
Clinic = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def clinic(house: Path) -> Clinic:
    """The real program of the house that has the language."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        plain = {k: v for k, v in os.environ.items() if k not in ("LANGUAGE", "LC_ALL", "LANG")}
        return subprocess.run(
            [sys.executable, "-m", "debugger", *arguments],
            cwd=house,
            env={**plain, "PYTHONPATH": str(house), **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


@pytest.mark.proof
def test_the_list_is_said_in_the_language_before_or_after_the_command(clinic: Clinic) -> None:
    after, before = clinic("list", "--lang", LOUD), clinic(f"--lang={LOUD}", "list")
    ids = [scenario.id for scenario in catalogue.every()]

    assert (after.stdout, after.returncode) == (before.stdout, 0)
    assert small(after.stdout, ids) == []
    assert catalogue.find("two_labels").words.complaint.split()[0].upper() in after.stdout


@pytest.mark.usefixtures("loud_words")
@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "qaa_XX.UTF-8"}, LOUD),
        ({"LANG": "qaa", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LC_MESSAGES": "qaa@loud", "LANG": "en_GB.UTF-8"}, LOUD),
        ({"LANGUAGE": "xx:qaa:en", "LANG": "en_GB.UTF-8"}, LOUD),
        ({"LANG": "xx_YY"}, "en"),
        ({}, "en"),
    ],
)
def test_without_it_the_language_is_that_of_the_environment(
    environment: dict[str, str], language: str
) -> None:
    assert words_of(["list", "--", "--lang", LOUD], environment).language == language
    assert words_of(["list", "--lang", "en"], environment).language == "en"


def test_the_program_follows_its_environment(clinic: Clinic) -> None:
    answer = clinic("export", "two_labels", "--notebook", "out.txt", LANG="qaa.UTF-8")

    assert answer.stderr == "out.txt SHOULD END IN .IPYNB.\n"


WRONG = {
    "no command": [],
    "an unknown command": ["nope"],
    "nothing after the command": ["run"],
    "an option of no command": ["list", "--loud"],
    "an option without its value": ["run", "two_labels", "--stage"],
    "two options that exclude each other": ["run", "two_labels", "--all", "--stage", "data"],
    "an option cut too short": ["run", "two_labels", "--s", "data"],
    "a value where there is none": ["list", "--json=5"],
    "an unknown stage": ["run", "two_labels", "--stage", "nope"],
    "a number that is none": ["run", "two_labels", "--steps", "nope"],
    "an unknown scenario": ["run", "nope"],
    "an unknown fix": ["run", "two_labels", "--fix", "nope"],
    "a script that is not there": ["diagnose", "nope"],
    "arguments for a command that takes none": ["list", "--", "nope"],
}


@pytest.mark.some(5)
@pytest.mark.usefixtures("loud_words")
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_usage_is_one_sentence_in_the_language(
    wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = catalogue.find("two_labels")
    names = {*COMMANDS, *STAGES, "nope", "loud", "all", "json", "stage", "steps", "seed", "fix"}
    names |= {one.id for one in catalogue.every()} | {fix.id for fix in scenario.fixes}

    assert main(["--lang", LOUD, *WRONG[wrong]]) == 64
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert small(said.err, names) == []


@pytest.mark.usefixtures("loud_words")
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_in_the_language_but_for_names(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "lang help json jsonl csv fix task stage all steps seconds device seed notebook"
    options += " framework ipynb py"
    others = "python debugger pytorch keras en qaa no experiments"
    names = {*COMMANDS, *STAGES, *options.split(), *others.split()}

    with pytest.raises(SystemExit) as ended:
        main([*filter(None, [command]), "--help", "--lang", LOUD])
    assert ended.value.code == 0
    assert small(capsys.readouterr().out, names) == []


def test_a_language_that_is_not_spoken_is_refused_with_those_that_are(clinic: Clinic) -> None:
    answer = clinic("list", "--lang", "xx", LANG=LOUD)

    assert (answer.returncode, answer.stdout) == (64, "")
    assert answer.stderr == "THERE IS NO LANGUAGE 'xx'; THERE ARE en, qaa.\n"


@pytest.mark.proof
def test_a_run_is_told_in_the_language_and_so_are_the_messages_of_its_json(clinic: Clinic) -> None:
    asked = ("run", "two_labels", "--stage", "forward", "--lang", LOUD)
    text, told = clinic(*asked), json.loads(clinic(*asked, "--json").stdout)

    assert text.returncode == 1
    assert "A FAULT WAS FOUND IN THE STAGE forward" in text.stdout
    found = [finding for stage in told["stages"] for finding in stage["findings"]]
    assert [small(finding["message"]) for finding in found] == [[] for _ in found] != []
    assert told["first_failing_stage"] == "forward"


def test_a_notebook_is_written_in_the_language(clinic: Clinic, house: Path) -> None:
    assert clinic("export", "two_labels", "--notebook", "o.ipynb", "--lang", LOUD).returncode == 0
    cells = json.loads((house / "o.ipynb").read_text())["cells"]
    text = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    scenario = catalogue.find("two_labels")
    assert scenario.course_message is not None
    quoted = [scenario.course_message.text, *pinned(scenario.framework)]
    for page in (scenario.course, scenario.origin):
        quoted += [page.url, page.title]
    for name in quoted:
        text = text.replace(name, "")

    assert small(read(text), STAGES) == []


def test_the_report_of_a_trainer_speaks_the_language_that_was_asked_for(
    loud_words: Words,
) -> None:
    report = diagnose(tiny.classifier(), stage="forward", language=LOUD)
    conclusion = loud_words.say("cli", "end_pass", count=2)

    assert "2 STAGES" in conclusion
    assert conclusion in str(report)
    assert conclusion in report._repr_html_()
    with pytest.raises(LanguageError, match="there are en, qaa"):
        diagnose(tiny.classifier(), stage="forward", language="xx")
