"""python -m debugger, as a person at a terminal and as another program use it."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue, frameworks
from debugger.__main__ import main
from debugger.outcome import (
    STAGES,
    Accepted,
    Ending,
    Event,
    Evidence,
    Finding,
    Found,
    Outcome,
    Progress,
    Shown,
    StageEnded,
    StageStarted,
)
from debugger.run import Run
from debugger.workers.engine import Asker

ROOT = Path(__file__).parent.parent
OVER_THE_TWIN = {"accuracy": 0.9, "losses": [1.1, 0.3], "steps": 2}


def clinic(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The real program in a process of its own."""
    options = {"cwd": ROOT, "capture_output": True, "text": True, "timeout": 300} | options
    return subprocess.run([sys.executable, "-m", "debugger", *arguments], check=False, **options)


class FakeEngine:
    """Answers every run with a scripted end and remembers what it was asked."""

    asked: list[Run]
    endings: dict[str, Ending]
    hang: bool = False
    online: bool = False

    def __init__(self, *_: object, online: bool = False, **_of_the_host: bool) -> None:
        FakeEngine.online = online
        self.cancelled: list[str] = []

    def __enter__(self) -> "FakeEngine":
        return self

    def __exit__(self, *_: object) -> None: ...

    def cancel(self, ticket: str) -> None:
        self.cancelled.append(ticket)

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        FakeEngine.asked.append(run)
        stage = run.stage if run.stage in STAGES else "train"
        ending = FakeEngine.endings.get(run.script, "pass")
        yield Accepted("t")
        for earlier in STAGES[:-1] if run.stage == "all" else ():
            yield StageEnded(earlier, "pass", 0.1)
        yield StageStarted(stage)
        yield Progress(stage, 3, 120)
        data = {"series": {"loss": [[1, 0.5], [2, float("nan")]]}}
        yield Shown(Evidence("chart", "learning", stage, data))
        if ending == "fail":
            yield Found(Finding("constant_predictions", "fault", stage, 7, CONSTANT))
        yield StageEnded(stage, ending, 0.1, (), OVER_THE_TWIN)
        yield Outcome(ending, "cpu", 0.2, {"torch": "2.13.0"})


CONSTANT = {"name": "neutral", "rows": 768, "steps": 120}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[FakeEngine]:
    FakeEngine.asked, FakeEngine.endings = [], {}
    monkeypatch.setattr("debugger.workers.local.LocalEngine", FakeEngine)
    return FakeEngine


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "Name a command"),
        (["cure"], "cure"),
        (["run"], "SCENARIO"),
        (["run", "no_such_scenario"], "no_such_scenario"),
        (["run", "two_labels", "--fix", "no_such_fix"], "no_such_fix"),
        (["run", "two_labels", "--stage", "lunch"], "lunch"),
        (["run", "two_labels", "--stage", "data", "--all"], "--all"),
        (["run", "two_labels", "--device", "tpu"], "tpu"),
        (["run", "two_labels", "--seed", "-1"], "-1"),
        (["run", "two_labels", "--steps", "121"], "121"),
        (["diagnose", "no/such/script.py"], "no/such/script.py"),
        (["diagnose", "scenarios"], "scenarios is a folder"),
        (["diagnose", "mine.py", "--epochs", "3"], "diagnose mine.py -- --epochs 3"),
        (["diagnose", "--lr", "3", "mine.py", "--seed", "1"], "--seed 1 mine.py -- --lr 3"),
        (["issue", "mine.py", "-x"], "issue mine.py -- -x"),
        (["ask", "mine.py"], "CHECK"),
        (["ask", "two_labels", "  "], "Nothing was asked"),
        (["ask", "no/such/script.py", "1"], "no/such/script.py"),
        (["ask", "mine.py", "1", "--lr"], "--lr"),
        (["run", "two_labels", "--lunch"], "Unrecognized arguments: --lunch."),
        (["diagnose", "mine.py", "--json", "--jsonl"], "--json"),
        (["judge", "two_labels"], "SCRIPT.py"),
        (["judge", "two_labels", "no_such.py"], "no_such.py"),
        (["judge", "two_labels", "app.py", "--", "--lr"], "judge"),
        (["export", "two_labels"], "--notebook"),
        (["export", "two_labels", "--notebook", "out.txt"], "out.txt"),
        (["export", "two_labels", "--notebook", "no/such/folder/out.ipynb"], "out.ipynb"),
    ],
)
def test_wrong_usage_is_one_sentence_and_status_64(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 64
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert named in said.err


@pytest.mark.parametrize(
    "content", [b"print('\xe9')\n", b"\x7fELF\x02\x01\x01\x00", b"# coding: klingon\n"]
)
def test_a_file_that_is_not_text_is_named(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_bytes(content)
    assert main(["diagnose", str(script)]) == 64
    assert "script.py is not UTF-8 text" in capsys.readouterr().err


def test_a_script_is_decoded_as_python_decodes_it(tmp_path: Path, engine: type[FakeEngine]) -> None:
    script = tmp_path / "script.py"
    script.write_bytes(b"# coding: latin-1\nname = '\xe9'\n")
    assert main(["diagnose", str(script)]) == 0
    script.write_bytes(b"\xef\xbb\xbfname = 1\r\n")
    assert main(["diagnose", str(script)]) == 0
    assert "name = 'é'" in engine.asked[0].script
    assert engine.asked[1].script == "name = 1\n"


@pytest.mark.parametrize("name", ["CLINIC_DEVICE", "CLINIC_TYPO"])
def test_a_wrong_setting_stops_with_64_and_its_name(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "quantum")
    assert main(["list"]) == 64
    assert name in capsys.readouterr().err


def test_a_data_folder_that_cannot_be_written_stops_with_64_and_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CLINIC_DATA_DIR", str(tmp_path / "file"))
    assert main(["run", "two_labels"]) == 64
    assert "CLINIC_DATA_DIR" in capsys.readouterr().err


def test_list_as_json_has_the_facts_of_the_contract_and_nothing_else() -> None:
    answer = clinic("list", "--json")
    listed = json.loads(answer.stdout)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert [entry["id"] for entry in listed] == [scenario.id for scenario in catalogue.every()]
    for entry in listed:
        keys = ["id", "framework", "first_stage", "code", "decoy", "fixes", "cheats"]
        assert list(entry) == keys
        assert all(list(fix) == ["id", "right"] for fix in entry["fixes"])


def test_list_for_people_shows_the_complaint_and_not_the_cause() -> None:
    answer = clinic("list")
    shown = answer.stdout
    for scenario in catalogue.every():
        assert scenario.id in answer.stdout
        assert " ".join(scenario.words.complaint.split()[:4]) in answer.stdout
        shown = shown.replace(scenario.id, "")
    assert [one.id for one in catalogue.every() if one.code and one.code in shown] == []


@pytest.mark.parametrize(
    ("ending", "status"),
    [("pass", 0), ("look", 0), ("fail", 1), ("unknown", 2), ("stopped", 2), ("not run", 2)],
)
def test_the_exit_status_says_how_it_ended(
    ending: Ending, status: int, tmp_path: Path, engine: type[FakeEngine]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("x = 1\n")
    engine.endings["x = 1\n"] = ending
    assert main(["diagnose", str(script)]) == status


def test_diagnose_runs_where_the_person_stands_with_the_arguments_after_the_dashes(
    tmp_path: Path, engine: type[FakeEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    options = ["--device", "cpu", "--seed", "7", "--steps", "9", "--stage", "data"]
    assert main(["diagnose", "mine.py", *options, "--", "--lr", "3", "--", "-v"]) == 0
    assert engine.asked == [
        Run(
            "x = 1\n",
            "data",
            7,
            "cpu",
            filename=str(tmp_path / "mine.py"),
            folder=str(tmp_path),
            arguments=("--lr", "3", "--", "-v"),
            steps=9,
            seconds=60,
            experiments=True,
        )
    ]


def test_only_somebodys_own_script_finds_the_hub(tmp_path: Path, engine: type[FakeEngine]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("pass\n")

    assert main(["diagnose", str(mine)]) == 0
    assert engine.online
    assert main(["run", "two_labels"]) == 0
    assert not engine.online


def test_json_is_one_object_of_the_contract_with_null_for_nan(
    tmp_path: Path, engine: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    engine.endings["x = 1\n"] = "fail"
    assert main(["diagnose", str(tmp_path / "mine.py"), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert {"outcome", "first_failing_stage", "stages", "device", "versions"} <= set(answer)
    assert (answer["outcome"], answer["first_failing_stage"]) == ("fail", "train")
    assert [stage["stage"] for stage in answer["stages"]] == list(STAGES)
    train = answer["stages"][-1]
    assert {"stage", "outcome", "seconds", "findings", "evidence", "not_run"} <= set(train)
    keys = {"code", "severity", "stage", "line", "message", "numbers"}
    assert set(train["findings"][0]) == keys
    assert "neutral" in train["findings"][0]["message"]
    assert train["evidence"][0]["data"]["series"]["loss"][1] == [2, None]


def test_lines_of_json_come_stage_by_stage_and_end_with_the_outcome(
    tmp_path: Path, engine: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    engine.endings["x = 1\n"] = "fail"
    assert main(["diagnose", str(tmp_path / "mine.py"), "--jsonl", "--all"]) == 1
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    stages = [line["stage"] for line in said if line["event"] == "stage"]
    assert stages == list(STAGES)
    train = said[-2]
    assert train["findings"][0]["code"] == "constant_predictions"
    assert train["evidence"][0]["data"]["series"]["loss"][1] == [2, None]
    assert said[-1]["event"] == "outcome"
    assert (said[-1]["outcome"], said[-1]["first_failing_stage"]) == ("fail", "train")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("form", ["", "--json", "--jsonl"])
def test_a_signal_leaves_what_was_found_until_then(
    form: str,
    number: int,
    status: int,
    engine: type[FakeEngine],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = threading.Event()

    def events(self: FakeEngine, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        yield Accepted("t")
        yield StageStarted("setup")
        yield StageEnded("setup", "pass", 0.1)
        yield StageStarted("data")
        yield Found(
            Finding("duplicates", "look", "data", None, {"rows": 9, "looked_at": 18, "share": 0.5})
        )
        yield StageEnded("data", "look", 0.1)
        yield StageStarted("batch")
        os.kill(os.getpid(), number)
        assert ended.wait(20)
        yield Outcome("stopped", "cpu", 0.0)

    monkeypatch.setattr(engine, "events", events)
    monkeypatch.setattr(engine, "cancel", lambda self, ticket: ended.set())
    (tmp_path / "mine.py").write_text("x = 1\n")
    assert main(["diagnose", str(tmp_path / "mine.py"), *filter(None, [form])]) == status
    said = capsys.readouterr()
    assert said.err == "\nStopped. This is what was found until then.\n"
    if form == "":
        assert "stopped             batch" in said.out
        assert "50%" in said.out
        return
    lines = [json.loads(said.out)] if form == "--json" else None
    told = lines or [json.loads(line) for line in said.out.splitlines()]
    assert (told[-1]["outcome"], told[-1]["first_failing_stage"]) == ("stopped", "batch")
    stages = told[0]["stages"] if lines else [one for one in told if one["event"] == "stage"]
    found = [one["code"] for stage in stages for one in stage["findings"]]
    assert found == ["duplicates"]
    assert [stage["outcome"] for stage in stages][:3] == ["pass", "look", "stopped"]


def test_a_setting_that_was_too_small_is_named_with_its_value(
    tmp_path: Path,
    engine: type[FakeEngine],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(self: FakeEngine, run: Run) -> Iterator[Event]:
        yield Accepted("t")
        yield StageStarted("train")
        finding = Finding("out_of_memory", "fault", "train", None, {"memory_mb": 3000})
        yield Outcome("stopped", "cpu", 0.2, finding=finding)

    monkeypatch.setenv("CLINIC_MEMORY_MB", "3000")
    monkeypatch.setattr(engine, "events", full)
    (tmp_path / "mine.py").write_text("x = 1\n")
    assert main(["diagnose", str(tmp_path / "mine.py")]) == 2
    assert "CLINIC_MEMORY_MB=6000" in capsys.readouterr().out


def test_a_scenario_that_trains_is_compared_with_its_twin(
    engine: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = catalogue.find("two_labels")
    assert main(["run", "two_labels", "--stage", "train"]) == 0
    assert {run.script for run in engine.asked} == {scenario.script, scenario.twin}
    assert {run.stage for run in engine.asked} == {"train"}
    assert "Beside its healthy twin" in capsys.readouterr().out


def test_a_scenario_with_the_twins_own_fixes_is_run_once(engine: type[FakeEngine]) -> None:
    twin = [part for fix in catalogue.find("two_labels").twin_fixes for part in ("--fix", fix)]
    assert main(["run", "two_labels", "--all", *twin]) == 0
    assert len(engine.asked) == 1


def test_a_scenario_that_never_trains_asks_for_no_twin(engine: type[FakeEngine]) -> None:
    assert main(["run", "two_labels", "--stage", "data"]) == 0
    assert [run.stage for run in engine.asked] == ["data"]


def test_judge_runs_the_script_and_the_twin_with_all_stages(
    tmp_path: Path, engine: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = catalogue.find("two_labels")
    (tmp_path / "repair.py").write_text("x = 1\n")
    engine.endings["x = 1\n"] = "fail"
    assert main(["judge", "two_labels", str(tmp_path / "repair.py"), "--json"]) == 1
    assert {run.script for run in engine.asked} == {"x = 1\n", scenario.twin}
    assert {(run.stage, run.steps) for run in engine.asked} == {("all", scenario.checks.steps)}
    answer = json.loads(capsys.readouterr().out)
    keys = ["cured", "missing", "first_failing_stage", "metric", "twin_metric", "stages"]
    assert list(answer) == keys
    assert answer["cured"] is False
    assert "stage_fails" in answer["missing"]


def test_judge_names_what_is_missing_in_sentences(
    tmp_path: Path, engine: type[FakeEngine], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "repair.py").write_text("x = 1\n")
    engine.endings["x = 1\n"] = "fail"
    assert main(["judge", "two_labels", str(tmp_path / "repair.py")]) == 1
    said = capsys.readouterr().out
    assert "Not cured." in said
    assert "  - A stage still fails." in said


def test_judge_does_not_judge_when_the_twin_could_not_be_run(
    tmp_path: Path, engine: type[FakeEngine]
) -> None:
    (tmp_path / "repair.py").write_text("x = 1\n")
    engine.endings[catalogue.find("two_labels").twin] = "stopped"
    assert main(["judge", "two_labels", str(tmp_path / "repair.py")]) == 2


def test_judging_the_twin_itself_runs_it_once(tmp_path: Path, engine: type[FakeEngine]) -> None:
    scenario = catalogue.find("two_labels")
    (tmp_path / "repair.py").write_text(scenario.twin)
    main(["judge", "two_labels", str(tmp_path / "repair.py")])
    assert len({(run.script, run.filename) for run in engine.asked}) == len(engine.asked) == 1


def test_export_writes_a_notebook_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "clinic.ipynb"
    assert main(["export", "two_labels", "--notebook", str(out)]) == 0
    assert json.loads(out.read_text())["nbformat"] == 4
    assert capsys.readouterr().out == f"Wrote {out}.\n"


@pytest.mark.proof
def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m debugger list --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    answer = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (answer.stdout, answer.stderr, answer.returncode) == ("[", "", 0)


@pytest.mark.proof
def test_an_ascii_terminal_is_no_error_and_json_stays_utf8() -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert clinic("list", env=ascii_only).returncode == 0
    json.loads(clinic("list", "--json", env=ascii_only).stdout)


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a person sees: standard output on a terminal of its own."""
    parent, child = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-m", "debugger", *arguments],
        cwd=ROOT,
        stdout=child,
        stderr=subprocess.DEVNULL,
        env={**clean, "TERM": "xterm", **environment},
    ):
        os.close(child)
        seen = b""
        while select.select([parent], [], [], 60)[0]:
            try:
                seen += os.read(parent, 65536)
            except OSError:
                break
    os.close(parent)
    return seen.decode()


@pytest.mark.proof
def test_colour_is_for_terminals_that_want_it() -> None:
    assert "\x1b[1m" in on_a_terminal("list")
    assert "\x1b" not in on_a_terminal("list", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal("list", TERM="dumb")
    assert "\x1b" not in clinic("list").stdout


def test_progress_is_silent_away_from_a_terminal(
    engine: type[FakeEngine], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    main(["diagnose", str(tmp_path / "mine.py")])
    assert capsys.readouterr().err == ""


def test_ctrl_c_cancels_the_run_and_ends_with_130(
    engine: type[FakeEngine],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended = threading.Event()

    def events(self: FakeEngine, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        yield Accepted("t")
        os.kill(os.getpid(), signal.SIGINT)
        assert ended.wait(20)
        yield Outcome("stopped", "cpu", 0.0)

    monkeypatch.setattr(engine, "events", events)
    monkeypatch.setattr(engine, "cancel", lambda self, ticket: ended.set())
    (tmp_path / "mine.py").write_text("x = 1\n")
    assert main(["diagnose", str(tmp_path / "mine.py")]) == 130
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "\nStopped. Nothing was judged.\n")


@pytest.mark.slow
@pytest.mark.proof
def test_ctrl_c_on_the_real_program_leaves_no_process_and_no_trace(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text("import time\nopen('started', 'w').close()\ntime.sleep(600)\n")
    with subprocess.Popen(
        [sys.executable, "-m", "debugger", "diagnose", str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CLINIC_DATA_DIR": str(tmp_path / "data")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        until = time.monotonic() + 120
        while not any((tmp_path / "data").rglob("started")):
            assert time.monotonic() < until, "the run never started"
            time.sleep(0.1)
        os.killpg(program.pid, signal.SIGINT)
        out, err = program.communicate(timeout=60)
    assert program.returncode == 130
    assert (out, err) == ("", "\nStopped. Nothing was judged.\n")


@pytest.mark.proof
@pytest.mark.parametrize(
    ("text", "status", "stage"),
    [
        ("print('hello')\n", 2, None),
        ("raise RuntimeError('mine')\n", 1, "setup"),
    ],
)
def test_an_ordinary_script_is_diagnosed_by_the_real_program(
    text: str, status: int, stage: str | None, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    answer = clinic("diagnose", str(script), "--json")
    assert answer.stderr == ""
    assert answer.returncode == status
    assert json.loads(answer.stdout)["first_failing_stage"] == stage


def test_without_tensorflow_a_keras_script_is_not_judged_and_told_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: framework == "pytorch")
    monkeypatch.setenv("CLINIC_DATA_DIR", str(tmp_path))
    script = tmp_path / "mine.py"
    script.write_text("import tensorflow as tf\n")
    assert main(["diagnose", str(script)]) == 2
    said = capsys.readouterr()
    assert "`pip install -r requirements.txt`" in " ".join(said.out.split())
    assert said.err == ""
    assert main(["diagnose", str(script), "--json"]) == 2
    setup = json.loads(capsys.readouterr().out)["stages"][0]
    assert [(f["code"], f["severity"]) for f in setup["findings"]] == [
        ("framework_missing", "note")
    ]


def test_a_keras_scenario_is_run_and_judged_like_any_other(
    tmp_path: Path, engine: type[FakeEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    keras = replace(catalogue.find("two_labels"), framework="keras")
    monkeypatch.setattr(catalogue, "find", lambda name: keras)
    (tmp_path / "repair.py").write_text("x = 1\n")
    assert main(["run", "two_labels", "--stage", "data"]) == 0
    assert main(["judge", "two_labels", str(tmp_path / "repair.py")]) != 64
    assert {run.script for run in engine.asked} == {keras.script, "x = 1\n", keras.twin}


@pytest.mark.proof
@pytest.mark.slow
def test_a_scenario_fails_where_it_promises_on_the_real_program() -> None:
    answer = clinic("run", "two_labels")
    before, _, _ = catalogue.find("two_labels").script.partition("Classification.from_pretrained(")
    assert answer.returncode == 1
    assert answer.stderr == ""
    assert f"at line {before.count(chr(10)) + 1}." in answer.stdout


ASKED = """
def main():
    rows = [18, 17]
    print("while it is built")
    raise RuntimeError("before any training")
main()
"""


@pytest.mark.proof
def test_a_script_is_asked_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ASKED)
    environment = {**os.environ, "CLINIC_DATA_DIR": str(tmp_path / "data"), "LANG": "C"}
    given = {"cwd": tmp_path, "env": {**environment, "PYTHONPATH": str(ROOT)}}
    answered = clinic("ask", "mine.py", "sum(rows)", **given)
    assert (answered.returncode, answered.stdout) == (0, "35\n")
    assert answered.stderr == "Asked in line 5, where the script crashes before any training.\n"
    failed = clinic("ask", "mine.py", "rows[7]", "--json", **given)
    told = json.loads(failed.stdout)
    assert (failed.returncode, told["outcome"], told["line"]) == (1, "fail", 5)
    assert told["text"].endswith("IndexError: list index out of range\n")
