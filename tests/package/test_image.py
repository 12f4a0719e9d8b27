"""What the image holds is enough: its folder is laid as the Dockerfile says, and the app started.

No image is built here. What needs Docker itself was not tried by these tests: the base image, the
packages' installation, the volume.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.browser.app import ROOT, running_app

pytestmark = pytest.mark.proof
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")


def lines(instruction: str) -> list[str]:
    return re.findall(rf"^{instruction} (.*)$", DOCKERFILE, re.MULTILINE)


def lay(folder: Path) -> None:
    """Copy what `COPY` copies, without what .dockerignore leaves out."""
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()

    def ignored(where: str, names: list[str]) -> set[str]:
        paths = {name: os.path.relpath(os.path.join(where, name), ROOT) for name in names}
        return {
            name
            for name, path in paths.items()
            for pattern in left_out
            if fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(f"/{path}", f"*{pattern[2:]}")
        }

    for sources in map(shlex.split, lines("COPY")):
        for source in sources[:-1]:
            if source == ".":
                shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, folder)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("image")
    lay(folder)
    return folder


def test_it_is_small_and_holds_nothing_of_a_developer(image: Path) -> None:
    assert not {".git", ".venv", "tests", "docs"} & set(os.listdir(image))
    size = sum(file.stat().st_size for file in image.rglob("*") if file.is_file())
    assert size < 30 * 2**20


def test_the_app_starts_there_answers_its_health_check_and_stops_when_told(image: Path) -> None:
    (check,) = re.findall(r"^HEALTHCHECK .*?CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    set_to = dict(word.split("=") for word in lines("ENV")[0].split())
    with running_app(root=image, CLINIC_HOST=set_to["CLINIC_HOST"]) as (address, server):
        port = address.rpartition(":")[2]
        command = [part.replace("7860", port) for part in json.loads(check)]
        assert subprocess.run([sys.executable, *command[1:]], check=False).returncode == 0
        told = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait(10)
        assert time.monotonic() - told < 10
    assert (
        subprocess.run(
            [sys.executable, *command[1:]], check=False, stderr=subprocess.DEVNULL
        ).returncode
        != 0
    )


def test_it_runs_as_nobody_special_and_keeps_its_answers_in_the_volume() -> None:
    assert lines("USER") == ["1000"]
    assert set(lines("VOLUME")) == {"/data"}
    assert "CLINIC_DATA_DIR=/data" in lines("ENV")[0]
    assert "/data" in next(line for line in lines("RUN") if "install" in line)
