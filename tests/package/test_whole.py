"""The wheel with all that the app needs: the same clinic as in a checkout."""

from __future__ import annotations

import json
import subprocess
import sysconfig
import urllib.request
from pathlib import Path

import pytest

from tests.browser.app import free_port
from tests.package.installed import environment, outside

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    made = tmp_path_factory.mktemp("whole")
    site = Path(sysconfig.get_path("purelib"))
    environment(made / "environment", wheel, site, None)
    return made


def test_the_line_of_a_scenario_is_named_although_it_lies_among_the_packages(folder: Path) -> None:
    program = folder / "environment/bin/training-clinic"
    ran = subprocess.run(
        [program, "run", "old_arguments", "--stage", "setup", "--json"],
        cwd=folder,
        env=outside(folder / "data"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    (setup, *_) = json.loads(ran.stdout)["stages"]
    assert [(found["code"], found["line"]) for found in setup["findings"]] == [
        ("renamed_argument", 29)
    ]
    frames = setup["evidence"][0]["data"]["frames"]
    assert [frame["own"] for frame in frames] == [True]


def test_a_broken_script_runs_by_itself_with_the_assets_of_the_wheel(folder: Path) -> None:
    (script,) = folder.glob("environment/**/scenarios/pytorch/wrong_collator/script.py")
    ran = subprocess.run(
        [folder / "environment/bin/python", script],
        cwd=folder,
        env=outside(folder / "data"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ValueError: expected sequence of length" in ran.stderr


def test_the_pages_are_served_with_their_styles(folder: Path) -> None:
    port = free_port()
    with subprocess.Popen(
        [folder / "environment/bin/training-clinic-app"],
        cwd=folder,
        env=outside(folder / "data") | {"CLINIC_PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    ) as app:
        try:
            assert app.stdout is not None
            assert f":{port}" in app.stdout.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
                page = answer.read().decode()
        finally:
            app.terminate()
    assert "--ok-bg" in page
    assert "localStorage.getItem" in page
