"""python -m debugger check: all complaints, and an exit status that other programs can read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from debugger.__main__ import main
from debugger.catalogue import loading
from debugger.catalogue.checking import Tell
from debugger.catalogue.new import make

TOYS = Path(__file__).parents[1] / "toy_scenarios"
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def proving(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What running the toys will be found to say; nothing is run here."""
    found: list[str] = []

    def prove(scenario: object, engine: object, at_once: int, tell: Tell) -> list[str]:
        tell(0, 1, 60.0)
        return found

    monkeypatch.setenv("CLINIC_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("debugger.catalogue.checking.prove", prove)
    monkeypatch.setattr(loading, "folder_of", lambda name: TOYS / "pytorch" / name)
    monkeypatch.setattr(loading.complaints, "about_choice", lambda scenario: [])
    return found


def test_a_sound_scenario_exits_with_0(proving: list[str], capsys: Printed) -> None:
    assert main(["check", "good"]) == 0
    assert capsys.readouterr().out == "good is sound: 11 promises, each proved by running it.\n"


def test_every_complaint_is_printed(proving: list[str], capsys: Printed) -> None:
    proving += ["a.toml: one thing", "b.toml: another"]

    assert main(["check", "good"]) == 1
    assert capsys.readouterr().out == (
        "a.toml: one thing\nb.toml: another\n\ngood is not sound: 2 things to put right.\n"
    )


def test_a_program_gets_the_complaints_as_json(proving: list[str], capsys: Printed) -> None:
    proving += ["a.toml: one thing"]

    assert main(["check", "good", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "id": "good",
        "sound": False,
        "proved": 11,
        "complaints": ["a.toml: one thing"],
    }


def test_nothing_is_run_before_the_files_hold_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    (tmp_path / "pytorch").mkdir()
    folder = make("wrong_split", root=tmp_path)
    monkeypatch.setattr(loading, "folder_of", lambda name: folder)

    assert main(["check", "wrong_split"]) == 1
    *complaints, _, end = capsys.readouterr().out.splitlines()
    assert len(complaints) == 3
    assert all(line.startswith("pytorch/wrong_split/") for line in complaints)
    assert end.startswith("wrong_split is not sound: 3 things to put right. Nothing was run yet")


def test_an_unknown_scenario_is_wrong_usage(capsys: Printed) -> None:
    assert main(["check", "nobody"]) == 64
    assert capsys.readouterr().err.startswith("There is no scenario 'nobody'; there are ")


def test_a_place_that_a_neighbour_has_is_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "pytorch").mkdir()
    for name in ("good", "better"):
        (tmp_path / "pytorch" / name).symlink_to(TOYS / "pytorch" / "good")
    folder = tmp_path / "pytorch" / "good"

    with pytest.raises(loading.ScenarioError, match="order is 10, which better has too"):
        loading.load_to_check(folder)


def test_a_scenario_without_enough_to_choose_from_is_told_how_much(tmp_path: Path) -> None:
    folder = tmp_path / "pytorch" / "good"
    shutil.copytree(TOYS / "pytorch" / "good", folder)
    facts = folder / "scenario.toml"
    facts.write_text(facts.read_text().replace('"steps=30"', '"steps=="'))

    with pytest.raises(loading.ScenarioError) as raised:
        loading.load_to_check(folder)
    few_wrong, few_cheats, few_changes, unreadable = raised.value.complaints
    assert few_wrong.endswith(": should hold at least 3 wrong fixes; it holds 1.")
    assert few_cheats.endswith(": should hold at least 2 cheats; it holds 1.")
    assert few_changes.endswith(": should hold at least 8 changes to choose from; it holds 4.")
    assert ": more_steps makes a script that Python cannot read: " in unreadable
