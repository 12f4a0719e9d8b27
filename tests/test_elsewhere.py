"""On macOS and Windows, as far as Linux can imitate them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from debugger.__main__ import RUNNING, main
from debugger.web.server import serve
from debugger.words import Words

SCRIPT = str(Path(__file__).parent / "toy_scenarios" / "never_there.py")
WITHOUT = """\
import sys
sys.modules |= dict.fromkeys(["fcntl", "resource", "debugger.workers"])
from debugger.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def ask(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.proof
def test_the_catalogue_and_its_notebooks_need_nothing_that_only_linux_has(tmp_path: Path) -> None:
    listed = ask("list", "--json")
    assert listed.returncode == 0, listed.stderr
    written = ask("export", "one_label", "--notebook", str(tmp_path / "one.ipynb"))
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "one.ipynb").is_file()


@pytest.mark.parametrize("system", ["darwin", "win32"])
@pytest.mark.parametrize("command", RUNNING)
def test_a_run_says_in_one_sentence_that_it_needs_linux(
    command: str, system: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    given = {"diagnose": [SCRIPT], "judge": ["one_label", SCRIPT], "ask": [SCRIPT, "1"]}.get(
        command, ["one_label"]
    )
    assert main([command, *given]) == 64
    assert capsys.readouterr().err == Words().say("cli", "needs_linux") + "\n"


def test_the_app_says_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert serve() == 64
    assert capsys.readouterr().err == Words().say("cli", "needs_linux") + "\n"


def test_without_gradio_the_app_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("debugger.web.server.find_spec", lambda name: None)
    assert serve() == 64
    assert capsys.readouterr().err == Words().say("page", "no_gradio") + "\n"
