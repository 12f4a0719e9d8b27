"""What a script clears away behind its training is there as long as it is looked at."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from debugger.script.building import build
from debugger.script.enclosure import OPEN, Enclosure

FINALLY = """\
import os, shutil
from tests import tiny
os.makedirs("rows")
open("rows/first.txt", "w").close()
try:
    trainer = tiny.classifier()
    {before}
    trainer.train()
finally:
    os.remove("rows/first.txt")
    shutil.rmtree("rows")
"""
WITH = """\
import tempfile
from tests import tiny
with tempfile.TemporaryDirectory(dir=".", prefix="rows") as folder:
    tiny.classifier().train()
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("script", [FINALLY.format(before=""), WITH])
@pytest.mark.parametrize("walled", [True, False])
def test_rows_stay_where_the_folder_of_the_run_goes_with_them(
    own_folder: Path, script: str, walled: bool
) -> None:
    clears = os.remove, shutil.rmtree

    built = build(script, "script.py", (), Enclosure(walled=True) if walled else OPEN)

    assert built.failure is None
    assert bool(list(own_folder.glob("rows*"))) is walled
    assert (os.remove, shutil.rmtree) == clears


def test_a_script_that_fails_by_itself_clears_away_as_it_says(own_folder: Path) -> None:
    script = FINALLY.format(before="raise ValueError('no rows')")

    built = build(script, "script.py", (), Enclosure(walled=True))

    assert built.failure is not None
    assert not list(own_folder.glob("rows*"))
