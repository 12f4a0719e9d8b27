"""python -m debugger new: a folder to fill in, whose complaints say what is still missing."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.__main__ import main
from debugger.catalogue import ScenarioError
from debugger.catalogue.new import make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pytorch").mkdir()
    return tmp_path


def complaint(folder: Path) -> str:
    with pytest.raises(ScenarioError) as raised:
        catalogue.load(folder)
    return str(raised.value)


def test_a_new_scenario_starts_from_the_healthy_script(root: Path) -> None:
    folder = make("wrong_split", root=root)

    assert sorted(path.name for path in folder.iterdir()) == [
        "en.toml",
        "repairs.toml",
        "scenario.toml",
        "script.py",
    ]
    assert (folder / "script.py").read_text() == catalogue.find("two_labels").twin


def test_a_new_keras_scenario_starts_from_the_healthy_keras_script(root: Path) -> None:
    (root / "keras").mkdir()
    folder = make("wrong_split", "keras", root)

    assert (folder / "script.py").read_text() == catalogue.find("adam_by_name").twin
    assert "keras/wrong_split/scenario.toml: " in complaint(folder)


def test_everything_that_is_not_filled_in_is_counted_at_once(root: Path) -> None:
    folder = make("wrong_split", root=root)
    said = complaint(folder).splitlines()

    assert len(said) == 3
    for line, file in zip(said, ("scenario.toml", "en.toml", "repairs.toml"), strict=True):
        start, _, keys = line.partition(" values are to be filled in: ")
        left = (folder / file).read_text().count('"FILL IN: ')
        assert start == f"pytorch/wrong_split/{file}: {left}"
        named = [re.fullmatch(r"\w+(?: \((\d+)\))?", key) for key in keys.rstrip(".").split(", ")]
        assert sum(int(key[1] or 1) for key in named if key) == left > 5


def test_what_is_filled_in_is_judged_beside_what_is_not(root: Path) -> None:
    folder = make("wrong_split", root=root)
    facts = folder / "scenario.toml"
    facts.write_text(
        re.sub(r'difficulty = "FILL IN: [^"]*"', 'difficulty = "x"', facts.read_text())
    )

    unfilled, wrong, *_ = complaint(folder).splitlines()
    assert "difficulty" not in unfilled
    assert wrong.endswith('scenario.toml: difficulty should be a valid integer; it is "x".')


def test_what_is_a_number_by_then_is_judged_as_a_number(root: Path) -> None:
    folder = make("wrong_split", root=root)
    for path in folder.glob("*.toml"):
        path.write_text(re.sub(r'"FILL IN: [^"]*"', '"x"', path.read_text()))
    facts = folder / "scenario.toml"
    facts.write_text(facts.read_text().replace('difficulty = "x"', "difficulty = 2"))

    assert "symptom should be 'crash', 'no_learning'" in complaint(folder)


def test_each_new_scenario_comes_after_the_others(root: Path) -> None:
    one, other = make("one_more", root=root), make("another", root=root)

    assert "order = 5\n" in (one / "scenario.toml").read_text()
    assert "order = 10\n" in (other / "scenario.toml").read_text()


@pytest.mark.parametrize("name", ["Wrong", "wrong-split", "1st", "../evil", "wrong split", ""])
def test_an_id_that_cannot_be_one_is_refused(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("debugger.catalogue.new.make", partial(make, root=root))

    assert main(["new", name]) == 64
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "cannot be an id" in said.err
    assert list(root.rglob("*.toml")) == []


def test_an_id_that_is_taken_is_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("debugger.catalogue.new.make", partial(make, root=root))

    assert main(["new", "wrong_split"]) == 0
    assert "python -m debugger check wrong_split" in " ".join(capsys.readouterr().out.split())
    assert main(["new", "wrong_split"]) == 64
    assert capsys.readouterr().err == (
        "There is a scenario 'wrong_split' already. Take another id.\n"
    )


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytorch").write_text("a file in the way")
    monkeypatch.setattr("debugger.catalogue.new.make", partial(make, root=tmp_path))

    assert main(["new", "wrong_split"]) == 64
    said = capsys.readouterr().err
    assert "wrong_split cannot be written: Not a directory." in said
    assert said.count("\n") == 1
