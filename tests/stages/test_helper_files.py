"""What stands in another file beside the script is blamed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding
from debugger.printing.sentences import place
from debugger.report import Report, gather
from debugger.run import Run
from debugger.script.building import Unseen, build
from debugger.script.places import Places
from debugger.script.sources import sources_of
from debugger.words import Words

SCRIPT = """\
from its_training import made

made(1e-9).train()
"""
HELPER = """\
from its_settings import RATE
from tests import tiny


def made(_):
    return tiny.classifier(args=tiny.arguments(
        output_dir="out",
        learning_rate=RATE,
    ))
"""
BORROWED = "from tests.tiny import classifier as TinyTrainer"
SETTINGS = "# what it is set to\nRATE = 1e-9\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "its_training.py").write_text(HELPER)
    (tmp_path / "its_settings.py").write_text(SETTINGS)
    return tmp_path


def report_of(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, stage: str) -> Report:
    for module in ("its_training", "its_settings"):
        monkeypatch.delitem(__import__("sys").modules, module, raising=False)
    events: list[Event] = []
    perform(Run(text, stage=stage, filename=str(folder / "script.py")), events.append)  # type: ignore[arg-type]
    return gather(events)


def found(report: Report, code: str) -> Finding:
    return next(one for one in report.findings if one.code == code)


def test_a_number_is_followed_through_the_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    low = found(report_of(SCRIPT, folder, monkeypatch, "step"), "too_little_movement")

    assert (low.file, low.line) == ("its_settings.py", 2)
    assert place(low, Words()) == "its_settings.py, line 2"


def test_a_failure_in_a_helper_is_named_where_it_happened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "its_settings.py").write_text(SETTINGS + "\n\nopen('nowhere.csv')\n")

    missing = found(report_of(SCRIPT, folder, monkeypatch, "setup"), "missing_file")

    assert (missing.file, missing.line) == ("its_settings.py", 5)


def test_what_stands_in_the_script_has_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from its_training import made\nfrom tests import tiny\n" + (
        "tiny.classifier(args=tiny.arguments(learning_rate=1e-9)).train()\n"
    )

    report = report_of(text, folder, monkeypatch, "step")

    low = found(report, "too_little_movement")
    assert (low.file, low.line) == (None, 3)
    told = report.to_json()["stages"]
    assert not any("file" in one for stage in told for one in stage["findings"])


def test_in_json_the_file_stands_beside_the_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = report_of(SCRIPT, folder, monkeypatch, "step").to_json()["stages"]

    low = next(f for s in told for f in s["findings"] if f["code"] == "too_little_movement")
    assert (low["file"], low["line"]) == ("its_settings.py", 2)


def test_files_are_found_that_are_imported_and_no_others(folder: Path) -> None:
    (folder / "idle.py").write_text("RATE = 1\n")
    (folder / "kit").mkdir()
    (folder / "kit" / "__init__.py").write_text("")
    (folder / "kit" / "parts.py").write_text("from its_settings import RATE\n")
    text = "import numpy, os.path\nfrom kit.parts import RATE\nimport script\n"

    sources = sources_of(text, str(folder / "script.py"))

    names = [helper.name for helper in sources.helpers]
    assert sorted(names) == ["its_settings.py", "kit/__init__.py", "kit/parts.py"]
    places = Places(text, 2, sources)
    assert places.call("nothing_of_it") is None


def test_a_file_that_python_cannot_read_is_left_out(folder: Path) -> None:
    (folder / "its_settings.py").write_text("RATE = (\n")
    sources = sources_of(SCRIPT, str(folder / "script.py"))

    assert Places(SCRIPT, 3, sources).argument("learning_rate") == 3 + 8


@pytest.mark.parametrize("times", [1, 2])
def test_trainings_in_a_file_beside_the_script_are_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.delitem(__import__("sys").modules, "its_runs", raising=False)
    body = "    trainer = TinyTrainer()\n    trainer.train()\n" * times
    (folder / "its_runs.py").write_text(f"{BORROWED}\n\n\ndef run():\n{body}")
    text = "from its_runs import run\nfrom transformers import Trainer\n\nrun()\n"

    built = build(text, str(folder / "script.py"))

    assert built.unseen == (Unseen("trains_again_open") if times > 1 else None)


def test_a_missing_value_is_told_though_a_file_beside_the_script_stumbles_over_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "its_settings.py").write_text(
        "def halved(row):\n    return [score / 2 for score in row['score']]\n\n\n"
        "def run():\n    rows = {'score': [1.0, None, 3.0]}\n    return halved(rows)\n"
    )

    report = report_of("from its_settings import run\n\nrun()\n", folder, monkeypatch, "setup")

    missing = found(report, "value_missing")
    assert (missing.numbers["name"], missing.numbers["rows"]) == ("score", 1)
    assert missing.file == "its_settings.py"
