"""python -m debugger issue, as a person at a terminal and as another program use it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.__main__ import main
from debugger.outcome import (
    Accepted,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Point,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.run import WALK, Run
from debugger.words import Words
from debugger.workers.engine import Asker

WORDS = Words()
SCRIPT = "import os\n\nprint('hello')\nx = 1\nboom(x)\ntrainer.train()\n"
FRAME = {"file": "", "line": 5, "name": "<module>", "code": "boom(x)", "own": True}


class Dying:
    """Answers a script that holds `boom` with a crash, `wrong` with a finding, `limit` with an end.

    Every other one trains.
    """

    asked: list[Run]

    def __init__(self, *_: object, online: bool = False, **_of_the_host: bool) -> None:
        self.online = online

    def __enter__(self) -> Dying:
        return self

    def __exit__(self, *_: object) -> None: ...

    def cancel(self, ticket: str) -> None: ...

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        Dying.asked.append(run)
        logging.getLogger("debugger.workers.process").warning("a trace of ours")
        yield Accepted("t")
        yield StageStarted("setup")
        if "boom(x)" in run.script and "x = 1" in run.script:
            frames = [{**FRAME, "file": run.filename}]
            data = {"exception": "ValueError", "message": f"no such {run.filename}"}
            yield Shown(Evidence("traceback", "traceback", "setup", {**data, "frames": frames}))
            yield StageEnded("setup", "fail", 0.1)
        elif "boom" in run.script:
            yield StageEnded("setup", "fail", 0.1)
        else:
            yield StageEnded("setup", "pass", 0.1)
            if run.stage == WALK and "wrong" in run.script:
                numbers = {"low": 1, "high": 3}
                yield Found(Finding("labels_shifted", "fault", "data", 3, numbers))
                yield StageEnded("data", "fail", 0.1)
            else:
                yield Point("train", "loss", 1, 1.1)
                yield StageEnded("train", "pass", 0.1)
        if "limit" in run.script:
            numbers = {"seconds": 300}
            ended = Finding("out_of_time", "fault", "train", None, numbers)
            yield Outcome("stopped", "cpu", 300, finding=ended)
            return
        failed = "boom" in run.script or ("wrong" in run.script and run.stage == WALK)
        versions = {"python": "3.11.7", "torch": "2.13.0"}
        yield Outcome("fail" if failed else "pass", "cpu", 0.2, versions)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    Dying.asked = []
    monkeypatch.setattr("debugger.workers.local.LocalEngine", Dying)
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "mine.py"
    script.write_text(SCRIPT)
    return script


def test_a_crash_becomes_a_draft_with_what_is_left_of_the_script(
    mine: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert main(["issue", "mine.py", "--seed", "3", "--", "--lr", "1"]) == 0
    said = capsys.readouterr()
    assert "```python\nx = 1\nboom(x)\n```" in said.out
    assert 'File "mine.py", line 5, in <module>' in said.out
    assert "ValueError: no such mine.py" in said.out
    assert "- torch: 2.13.0" in said.out
    assert "`python mine.py --lr 1`" in said.out
    assert str(mine.parent) not in said.out
    assert said.err == ""
    of_the_whole = [record for record in caplog.records if "trace of ours" in record.message]
    assert len(of_the_whole) == 1


def test_each_shorter_script_runs_as_the_whole_one_would(mine: Path) -> None:
    main(["issue", "mine.py", "--seed", "3", "--device", "cpu", "--", "--lr", "1"])
    assert len(Dying.asked) > 3
    like = {(r.filename, r.folder, r.arguments, r.seed, r.device) for r in Dying.asked}
    assert like == {(str(mine), str(mine.parent), ("--lr", "1"), 3, "cpu")}
    assert {run.stage for run in Dying.asked[1:]} == {"setup"}
    assert len({run.script for run in Dying.asked}) == len(Dying.asked)


def test_a_script_that_runs_wrong_is_told_with_its_finding_and_its_numbers(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_text("import os\n\nprint('hello')\nwrong = 1\nprint(wrong)\ntrainer.train()\n")
    assert main(["issue", "mine.py", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["stage"] == "data"
    assert told["script"] == "wrong = 1\ntrainer.train()\n"
    assert told["lines"] == {"before": 6, "after": 2}
    assert told["stopped_early"] is False
    assert WORDS.say("finding", "labels_shifted", low=1, high=3) in told["draft"]
    assert WORDS.say("issue", "loss", first="1.1", last="1.1", steps=1) in told["draft"]


def test_a_healthy_script_has_nothing_to_report(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_text("trainer.train()\n")
    assert main(["issue", "mine.py"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", WORDS.say("cli", "nothing_to_report") + "\n")


def test_what_the_limits_ended_is_no_symptom(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.write_text("limit = 1\ntrainer.train()\n")
    assert main(["issue", "mine.py"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(WORDS.say("cli", "no_draft"))
    assert WORDS.of("pytorch").say("finding", "out_of_time", seconds=300) in said.err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no_such.py"], "no_such.py"),
        (["broken.py"], "broken.py is no Python yet: line 2"),
        (["mine.py", "--seconds", "0"], "--seconds"),
        (["mine.py", "--stage", "data"], "--stage"),
        ([], "SCRIPT.py"),
    ],
)
def test_wrong_usage_is_one_sentence_and_status_64(
    arguments: list[str], named: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mine.parent / "broken.py").write_text("x = 1\ndef f(:\n")
    assert main(["issue", *arguments]) == 64
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert named in said.err
    assert Dying.asked == []


def test_a_scenario_is_asked_about_by_its_id(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = catalogue.find("two_labels")
    assert main(["issue", "two_labels"]) == 2
    assert {run.folder for run in Dying.asked} == {None}
    assert {run.script for run in Dying.asked} == {scenario.script}
    (mine.parent / "two_labels").write_text(SCRIPT)
    assert main(["issue", "two_labels"]) == 0
    assert "boom(x)" in capsys.readouterr().out
    assert main(["issue", "no_such_scenario"]) == 64
    assert "There is no file no_such_scenario." in capsys.readouterr().err
