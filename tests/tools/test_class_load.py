"""The class that is measured, in small: it counts right, and tells each of its numbers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.proof
def test_a_class_is_killed_and_goes_on_with_every_vote() -> None:
    command = [sys.executable, "-m", "tools.class_load", "--students", "20", "--browsers", "0"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    for said in ("20 votes of 20", "kill -9 in mid-vote", "later, 20 votes", "no student, no vote"):
        assert said in answer.stdout
