"""A real script of the shelf, shortened by running it, and then run by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from debugger import catalogue

ROOT = Path(__file__).parents[2]


@pytest.mark.proof
@pytest.mark.parametrize(
    ("scenario_id", "error"),
    [
        ("two_labels", "IndexError: Target 2 is out of bounds."),
        ("wrong_collator", "ValueError: expected sequence of length"),
    ],
)
def test_a_shortened_script_dies_by_itself_as_the_whole_one_does(
    scenario_id: str, error: str, tmp_path: Path
) -> None:
    whole = catalogue.find(scenario_id).folder / "script.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "USE_TF": "0"}
    command = [sys.executable, "-m", "debugger", "issue", str(whole), "--json", "--device", "cpu"]
    command += ["--seconds", "240"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    assert told["lines"]["after"] <= 2 / 3 * told["lines"]["before"]
    assert not told["stopped_early"]
    assert error in told["draft"]
    assert str(ROOT) not in told["draft"]

    script = tmp_path / "draft_script.py"
    script.write_text(told["script"])
    alone = subprocess.run(
        [sys.executable, script.name],
        cwd=tmp_path,
        env={**environment, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert alone.returncode == 1
    assert error in alone.stderr[alone.stderr.rindex("Traceback") :]
