"""What PyPI gives an ordinary Linux machine: PyTorch's build for CUDA, which brings triton.

Run by `make test-ordinary`, in an environment that has it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from debugger import catalogue
from debugger.export import notebook, script_cells
from tests.browser.app import CHROMIUM, LONG, PATIENT, QUIET, open_page, running_app

ROOT = Path(__file__).parents[2]
KERAS = ("wrong_adam", "no_collate")
EVERY = ("wrong_collator", *KERAS)
BY_PAGE = ("wrong_collator", "no_collate")
"""Cured by the page. A Keras cure takes a minute or two, so the other is only looked at."""
NOT_OFF = ""
"""For PYTHONDONTWRITEBYTECODE: what is installed here was not compiled."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, ("triton", "tensorflow"))),
        reason="this environment has no triton, or no TensorFlow",
    ),
]


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **PATIENT}
    environment["PYTHONDONTWRITEBYTECODE"] = NOT_OFF
    environment["TF_CPP_MIN_LOG_LEVEL"] = "3"
    environment.pop("USE_TF", None)
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as running,
    ):
        yield running


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    with started(*arguments) as running:
        printed, _ = running.communicate()
    return subprocess.CompletedProcess(running.args, running.returncode, printed)


def says(done: subprocess.CompletedProcess[str]) -> str:
    """What a process said to its end, which no signal may have been."""
    assert done.returncode >= 0, done.stdout[-2000:]
    return done.stdout


def test_triton_behind_tensorflow_still_crashes_or_this_folder_may_go() -> None:
    assert python("-c", "import tensorflow, triton").returncode == -signal.SIGSEGV


def traceback_of(script: Path, last: str) -> str:
    """What a script prints up to its last words, or to its end.

    TensorFlow may not end after them: an iterator that dies with the interpreter waits for a
    Python function in a thread that waits for the interpreter (no_collate, two runs in ten).
    """
    printed: list[str] = []
    with started(str(script)) as running:
        assert running.stdout is not None
        for line in running.stdout:
            printed.append(line)
            if last in line:
                break
        else:
            assert running.wait() >= 0, printed[-20:]
        running.kill()
    return "".join(printed)


@pytest.mark.parametrize(
    ("scenario_id", "error"),
    [
        ("wrong_collator", "ValueError: expected sequence of length"),
        ("wrong_adam", "ValueError: Could not interpret optimizer identifier"),
        ("no_collate", "ValueError: all input arrays must have the same shape"),
    ],
)
def test_a_script_that_is_run_by_itself_fails_as_it_promises(scenario_id: str, error: str) -> None:
    assert error in traceback_of(catalogue.find(scenario_id).folder / "script.py", error)


@pytest.mark.parametrize("scenario_id", EVERY)
def test_the_command_line_finds_the_fault(scenario_id: str) -> None:
    scenario = catalogue.find(scenario_id)
    broken = json.loads(says(python("-m", "debugger", "run", scenario_id, "--json")))
    codes = [found["code"] for stage in broken["stages"] for found in stage["findings"]]
    assert broken["first_failing_stage"] == scenario.first_stage
    assert scenario.code in codes


@pytest.mark.parametrize("scenario_id", EVERY)
def test_the_command_line_passes_the_repair(scenario_id: str) -> None:
    scenario = catalogue.find(scenario_id)
    fixes = [part for fix in scenario.twin_fixes for part in ("--fix", fix)]
    mended = python("-m", "debugger", "run", scenario_id, *fixes, "--stage", "evaluate")
    assert mended.returncode == 0, mended.stdout


def test_a_script_of_ones_own_that_imports_tensorflow_first_is_diagnosed(tmp_path: Path) -> None:
    script = catalogue.find("loss_from_strings").script
    first, _, rest = script.partition("\n\n")
    own = tmp_path / "own.py"
    own.write_text(rest.replace("\n\nraw_datasets", f"\n{first}\n\nraw_datasets", 1))
    assert own.read_text().startswith("import tensorflow")
    report = json.loads(says(python("-m", "debugger", "diagnose", str(own), "--json")))
    assert report["first_failing_stage"] == catalogue.find("loss_from_strings").first_stage


def test_a_keras_model_is_diagnosed_in_the_process_that_built_it() -> None:
    done = python(
        "-c",
        "import tensorflow as tf, tf_keras, debugger\n"
        "model = tf_keras.Sequential([tf_keras.layers.Dense(3)])\n"
        "model.build((None, 4))\n"
        "model.compile('adam', tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n"
        "rows = tf.data.Dataset.from_tensors((tf.ones((6, 4)), tf.constant([0, 1, 2] * 2)))\n"
        "print(debugger.diagnose(model, rows, rows, stage='forward'))\n",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "forward" in done.stdout


def test_the_imports_of_a_keras_notebook_live_together() -> None:
    scenario = catalogue.find("no_collate")
    first = notebook(scenario)["cells"][1]["source"]
    plain = "".join(line.replace("%pip", "pass  #") for line in first.splitlines(keepends=True))
    done = python("-c", f"{plain}\n{script_cells(scenario.script)[0]}\nprint('alive')")
    assert "alive" in says(done)


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """The app of this very environment, in a browser."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with (
        running_app(PYTHONDONTWRITEBYTECODE=NOT_OFF) as (address, _),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened = open_page(browser.new_context(), f"{address}/")
        yield opened
        browser.close()


@pytest.mark.parametrize("scenario_id", EVERY)
def test_the_page_shows_the_fault_and_proves_the_solution(page: Any, scenario_id: str) -> None:
    scenario = catalogue.find(scenario_id)
    page.goto(f"{page.url.partition('/clinic')[0].rstrip('/')}/clinic?scenario={scenario_id}")
    page.click("#foot .all")
    page.wait_for_selector(f"#rail .fail[data-with={scenario.first_stage}]", timeout=LONG)
    page.wait_for_selector("#foot .act.go", timeout=LONG)
    if scenario_id not in BY_PAGE:
        return

    page.click("#right [role=tab][data-with=fix]")
    page.click("#right [data-act=solution]")
    page.wait_for_selector(".proof", timeout=4 * LONG)
    assert page.locator("#rail .pass").count() == 8
