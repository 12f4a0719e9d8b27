"""training-clinic certificate: what an instructor types, and what her scripts read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from debugger.__main__ import main
from debugger.homework import task as tasks
from debugger.homework.certificate import issue
from debugger.homework.receipt import Receipt
from debugger.homework.seal import KEY_BYTES, Seal
from debugger.homework.task import Task
from debugger.words import Words

KEY = "k" * KEY_BYTES
SEAL = Seal(KEY, Path("/nowhere"))
ADA = "0123abcd"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLINIC_KEY", KEY)
    monkeypatch.setenv("CLINIC_DATA_DIR", str(tmp_path))


def saved(folder: Path, student: str, **changes: object) -> str:
    receipts = [Receipt(ADA, 1001, "typed", 100), Receipt(ADA, 1002, "listed", 900)]
    told = issue(receipts, (ADA, student), None, 1000, lambda case: "T", SEAL) | changes
    file = folder / f"{student}.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    return str(file)


def test_genuine_ones_end_with_nought_and_one_that_is_not_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = saved(tmp_path, "Ada")
    assert main(["certificate", ada]) == 0
    numbers = {"name": "Ada", "solved": 2, "typed": 1, "late": 0}
    said = Words().say("homework", "line", file=ada, **numbers)
    assert capsys.readouterr().out == f"{said}\n"
    eve = saved(tmp_path, "Eve", name="Somebody")
    assert main(["certificate", ada, eve]) == 1
    why = Words().say("homework", "changed")
    assert capsys.readouterr().out.splitlines() == [
        said,
        Words().say("homework", "line_refused", file=eve, why=why),
    ]


def test_a_program_gets_json_or_a_table_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tasks.linked(Task("Week 3", (1002, 1003), until=500), SEAL)
    ada = saved(tmp_path, "Ada")
    assert main(["certificate", ada, "--json", "--task", f"http://x/task?of={link}"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["counted"] == {"solved": 1, "typed": 0, "late": 1}
    assert (told["genuine"], told["reason"], told["certificate"]["name"]) == (True, None, "Ada")
    assert main(["certificate", ada, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"{ada},Ada,1,,2,1,0,")


def test_a_name_in_a_file_moves_no_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "\x1b[2Jx.json"
    file.write_text("no")
    assert main(["certificate", str(file)]) == 1
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ([], {}),
        (["nowhere.json"], {}),
        (["."], {}),
        (["FILE", "--json", "--csv"], {}),
        (["FILE", "--task", "x"], {}),
        (["FILE", "--task", tasks.linked(Task("x", (1,)), Seal("o" * 32, Path("/")))], {}),
        (["FILE"], {"CLINIC_KEY": ""}),
        (["FILE"], {"CLINIC_KEY": "short"}),
    ],
)
def test_wrong_usage_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environment: dict[str, str],
) -> None:
    ada = saved(tmp_path, "Ada")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["certificate", *(ada if one == "FILE" else one for one in arguments)]) == 64
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert not (tmp_path / "clinic.key").exists()
