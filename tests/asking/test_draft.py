"""The draft of an issue: everything that a maintainer asks for, and no place of one machine."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from debugger import words as words_of_us
from debugger.asking.draft import About, Shorter, draft, ending, numbers
from debugger.asking.paths import near, without_paths
from debugger.asking.symptom import crashed, only_runs, runs_wrong, whole_run
from debugger.outcome import (
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Point,
    Shown,
    StageEnded,
    StageName,
    StageStarted,
)
from debugger.report import Report, gather
from debugger.run import WALK, Run
from debugger.words import Words

WORDS = Words()
VERSIONS = {"python": "3.11.7", "transformers": "4.57.6", "torch": "2.13.0"}
FRAMES = [
    {
        "file": "/home/anna/work/mine.py",
        "line": 7,
        "name": "<module>",
        "code": "trainer.train()",
        "own": True,
    },
    {
        "file": "/home/anna/.venv/lib/python3.11/site-packages/transformers/trainer.py",
        "line": 2325,
        "name": "train",
        "code": "return inner_training_loop(",
        "own": False,
    },
    {
        "file": "/usr/lib/python3.11/json/decoder.py",
        "line": 9,
        "name": "decode",
        "code": "",
        "own": False,
    },
]
MESSAGE = (
    "Target 2 is out of bounds of /home/anna/work/rows.csv, see https://example.org/a/b.\nRow 7."
)


def report(*events: Event) -> Report:
    return gather([*events, Outcome("fail", "cpu", 1.0, VERSIONS, framework="pytorch")])


def crash(message: str = MESSAGE, stage: StageName = "train", *more: Event) -> Report:
    data = {"exception": "IndexError", "message": message, "frames": FRAMES, "line": 7}
    shown = Shown(Evidence("traceback", "traceback", stage, data))
    return report(StageStarted(stage), *more, shown, StageEnded(stage, "fail", 0.1))


def found(*codes: str, stage: StageName = "data") -> Report:
    events = [Found(Finding(code, "fault", stage)) for code in codes]
    return report(StageStarted(stage), *events, StageEnded(stage, "fail", 0.1))


SHORTER = Shorter("import os\ntrainer.train()\n", crash(), 40, 17, False)
ABOUT = About("mine.py", "Linux-6.1", ("--lr", "3e-5"))


def test_a_draft_has_the_script_the_traceback_and_the_versions() -> None:
    text = draft(SHORTER, ABOUT, WORDS)
    assert "```python\nimport os\ntrainer.train()\n```" in text
    assert "Shortened from 40 to 2 lines in 17 tries" in text
    assert (
        "Traceback (most recent call last):\n"
        '  File "mine.py", line 7, in <module>\n'
        "    trainer.train()\n"
        '  File "transformers/trainer.py", line 2325, in train\n'
        "    return inner_training_loop(\n"
        '  File "python3.11/json/decoder.py", line 9, in decode\n'
        "IndexError: Target 2 is out of bounds of rows.csv, see https://example.org/a/b.\nRow 7.\n"
    ) in text
    told = ["python: 3.11.7", "transformers: 4.57.6", "torch: 2.13.0", "platform: Linux-6.1"]
    assert all(f"- {line}\n" in text for line in (*told, "device: cpu"))
    assert "`python mine.py --lr 3e-5`" in text


def test_no_place_of_the_machine_is_in_it() -> None:
    text = draft(SHORTER, replace(ABOUT, arguments=("--data", "/home/anna/rows.csv")), WORDS)
    assert not re.search(r"anna|/home|/usr|\.venv", text)


def test_what_a_person_has_to_write_is_asked_for() -> None:
    text = draft(SHORTER, ABOUT, WORDS)
    asked = re.findall(r"^_.*_$", text, re.MULTILINE)
    assert asked == [WORDS.say("issue", "ask_expected"), WORDS.say("issue", "ask_tried")]
    script = "data = '/home/anna/rows.csv'\nimport helper\n"
    text = draft(replace(SHORTER, script=script), replace(ABOUT, lacks=("helper",)), WORDS)
    assert WORDS.say("issue", "lacks", module="helper") in text
    assert WORDS.say("issue", "place", line=1) in text


def test_what_was_tried_and_said_is_in_it() -> None:
    about = replace(ABOUT, tried=("Say num_labels=2: no error.",), complaint="It never learns.")
    text = draft(replace(SHORTER, early=True), about, WORDS)
    assert "- Say num_labels=2: no error.\n" in text
    assert "> It never learns.\n" in text
    assert WORDS.say("issue", "early") in text


def test_a_fault_without_a_crash_is_told_by_what_is_seen() -> None:
    shorter = replace(SHORTER, report=found("labels_shifted"))
    text = draft(shorter, replace(ABOUT, seen=("The accuracy is 0.33.",)), WORDS)
    assert "- The accuracy is 0.33.\n" in text
    assert WORDS.say("issue", "ask_title") in text
    assert "Traceback" not in text


def test_a_script_with_fences_of_its_own_stands_between_longer_ones() -> None:
    text = draft(replace(SHORTER, script='"""\n```\nx\n```\n"""\n'), ABOUT, WORDS)
    assert "````python\n" in text


def test_how_a_change_ended_says_what_is_seen_and_not_what_was_looked_up() -> None:
    assert ending(crash(), WORDS).startswith("it ends with `IndexError: Target 2 is out of bounds")
    points = [Point("train", "loss", n, 1.1 - n / 10) for n in (1, 2)]
    trained = report(*points, Point("train", "accuracy", 2, 1 / 3), *found_events())
    assert ending(trained, WORDS).startswith("no error.")
    assert "0.9" in numbers(trained, WORDS)[0]
    assert "0.3333 after 2 steps" in numbers(trained, WORDS)[1]


def found_events() -> tuple[Event, ...]:
    return Found(Finding("stuck_at_chance", "fault", "train")), StageEnded("train", "fail", 0.1)


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/home/anna/work/mine.py", "mine.py"),
        ("mine.py", "mine.py"),
        ("/x/lib/python3.11/site-packages/torch/nn/loss.py", "torch/nn/loss.py"),
        ("/usr/lib/python3.11/json/decoder.py", "python3.11/json/decoder.py"),
    ],
)
def test_a_path_begins_where_strangers_have_it_too(path: str, left: str) -> None:
    assert near(path) == left


def test_what_only_looks_like_a_path_stays() -> None:
    text = "and/or 3/4 https://huggingface.co/docs/transformers a/b/c ./out"
    assert without_paths(text) == text


TRAINS = "trainer.train()\n"
RUN = Run(TRAINS)


def test_a_crash_is_the_same_where_only_numbers_and_places_differ() -> None:
    symptom = crashed(crash(), TRAINS)
    assert symptom is not None
    (run,) = symptom.runs(whole_run(RUN))
    assert run.stage == "train"
    assert symptom.shown_by(crash(MESSAGE.replace("2", "7").replace("anna/work", "b/c")), run)
    assert not symptom.shown_by(crash("Target is fine"), run)
    assert not symptom.shown_by(crash(stage="setup"), run)
    assert not symptom.shown_by(report(StageEnded("train", "pass", 0.1)), run)


def test_a_script_that_never_trains_any_more_is_another_one() -> None:
    symptom = crashed(crash(), TRAINS)
    assert symptom is not None
    note = Found(Finding("never_trains", "note", "setup"))
    assert not symptom.shown_by(crash(MESSAGE, "train", note), *symptom.runs(whole_run(RUN)))


def test_a_crash_is_looked_for_no_longer_than_it_took() -> None:
    points = [Point("train", "loss", n, 1.0) for n in range(1, 8)]
    symptom = crashed(crash(MESSAGE, "train", *points), TRAINS)
    assert symptom is not None
    assert [run.steps for run in symptom.runs(whole_run(RUN))] == [8]


def test_a_script_that_runs_wrong_keeps_its_stage_and_its_findings_and_still_trains() -> None:
    symptom = runs_wrong(found("labels_shifted"), TRAINS, 60)
    assert symptom is not None
    looked, trained = symptom.runs(whole_run(RUN))
    assert (looked.stage, looked.steps, trained.stage) == (WALK, 0, "train")
    assert symptom.shown_by(found("labels_shifted"), looked)
    assert not symptom.shown_by(found("labels_missing"), looked)
    assert not symptom.shown_by(found("labels_shifted", stage="batch"), looked)
    assert symptom.shown_by(report(StageEnded("train", "fail", 0.1)), trained)
    assert not symptom.shown_by(crash(), trained)


def test_where_nothing_is_found_the_training_has_to_go_on_without_a_finding() -> None:
    symptom = only_runs(report(StageEnded("train", "pass", 0.1)), TRAINS, 60)
    (run,) = symptom.runs(whole_run(RUN))
    assert symptom.shown_by(report(StageEnded("train", "look", 0.1)), run)
    assert not symptom.shown_by(found("stuck_at_chance", stage="train"), run)


@pytest.mark.parametrize("code", ["out_of_time", "exits_early"])
def test_what_the_clinic_ended_itself_is_nothing_to_report(code: str) -> None:
    assert runs_wrong(found(code), TRAINS, 60) is None


def test_what_shows_in_a_training_needs_one_that_is_started() -> None:
    symptom = crashed(crash(), TRAINS)
    early = crashed(crash(stage="setup"), TRAINS)
    assert symptom is not None
    assert early is not None
    assert symptom.possible("t.train()")
    assert not symptom.possible("train = 1")
    assert early.possible("train = 1")


def test_a_crash_that_only_a_stage_shows_brings_no_other_fault_with_it() -> None:
    symptom = crashed(crash(stage="evaluate"), TRAINS)
    assert symptom is not None
    looked, trained = symptom.runs(whole_run(RUN))
    assert (looked.stage, trained.stage) == ("evaluate", "train")
    assert symptom.shown_by(crash(stage="evaluate"), looked)
    never = Found(Finding("never_measured", "fault", "evaluate"))
    assert not symptom.shown_by(crash(MESSAGE, "evaluate", never), looked)
    assert not symptom.shown_by(crash(), trained)


def test_the_clinics_own_frames_are_not_in_what_tensorflow_says() -> None:
    ours = Path(words_of_us.__file__).parent.parent / "workers" / "forking.py"
    message = (
        "Graph execution error:\n\nDetected at node x (most recent call last):\n"
        '  File "<string>", line 1, in <module>\n\n'
        f'  File "{ours}", line 39, in main\n\n'
        f'  File "{ours}", line 76, in serve\n\n'
        '  File "/x/site-packages/tf_keras/src/engine/training.py", line 1804, in fit\n\nA label.'
    )
    text = draft(replace(SHORTER, report=crash(message)), ABOUT, WORDS)
    assert "forking.py" not in text
    assert "<string>" not in text
    assert (
        'call last):\n  File "tf_keras/src/engine/training.py", line 1804, in fit\n\nA label.'
        in text
    )


def test_what_a_short_run_says_otherwise_is_looked_for_in_short_runs() -> None:
    symptom = crashed(crash("Graph execution error:"), TRAINS)
    assert symptom is not None
    whole = whole_run(RUN)
    assert symptom.as_quickly(crash("Graph execution error:"), whole) is symptom
    other = symptom.as_quickly(crash("A label of 2."), whole)
    (run,) = other.runs(whole)
    assert run.steps == symptom.steps
    assert other.shown_by(crash("A label of 3."), run)
    assert not other.shown_by(crash("Graph execution error:"), run)
    trained = report(StageEnded("train", "pass", 0.1))
    assert [one.steps for one in symptom.as_quickly(trained, whole).runs(whole)] == [whole.steps]
