"""The real app started as ZeroGPU starts it, with the imitation of what lends."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from debugger import catalogue
from debugger.catalogue import recordings
from debugger.outcome import Finding
from debugger.words import Words
from tests.browser.app import LONG, ROOT, open_page, running_app

LENDING = Path(__file__).parent / "lending"
WORDS = Words()
PLATFORM: dict[str, Any] = {
    "SPACES_ZERO_GPU": "true",
    "GRADIO_SERVER_NAME": "127.0.0.1",
    "PYTHONPATH": os.pathsep.join((str(LENDING), str(ROOT))),
}


def front_matter() -> dict[str, str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = text.split("---\n")[1].splitlines()
    return {name: value.strip().strip('"') for name, _, value in (x.partition(":") for x in lines)}


def pinned(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").split()
    return {line.partition("==")[0].partition(">=")[0]: line for line in lines}


def test_the_readme_begins_with_what_a_space_reads() -> None:
    told = front_matter()
    assert (told["sdk"], told["app_file"]) == ("gradio", "app.py")
    assert f"gradio=={told['sdk_version']}" in pinned("requirements.txt").values()
    assert told["python_version"] in ("3.10.13", "3.12.12")  # what ZeroGPU takes
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    minor = ".".join(told["python_version"].split(".")[:2])
    assert f"Programming Language :: Python :: {minor}" in project["classifiers"]


def test_what_zerogpu_installs_is_the_app_with_a_torch_that_it_takes() -> None:
    zero, app = pinned("requirements-zero.txt"), pinned("requirements-torch.txt")
    assert zero.pop("torch") == "torch>=2.8.0,<=2.11.0"
    app.pop("torch")
    assert zero == app


def test_without_what_lends_the_app_says_so_and_does_not_start() -> None:
    ended = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, **PLATFORM, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr.strip()) == (64, WORDS.say("page", "no_spaces"))


def asked(address: str, browser: Any, token: str, awaited: str) -> str:
    """What a visitor reads who wants to see the symptom that needs a GPU."""
    context = browser.new_context(extra_http_headers={"x-ip-token": token} if token else {})
    page = open_page(context, f"{address}/clinic?case={catalogue.find('gpu_assert').number}")
    assert WORDS.say("clinic", "lends_cuda") in page.inner_text("#right")
    page.click("#right [data-act=run][data-with=symptom]")
    page.wait_for_function(
        "said => document.querySelector('#right').innerText.includes(said)",
        arg=awaited,
        timeout=LONG,
    )
    seen = page.inner_text("#right")
    context.close()
    return seen


@pytest.mark.proof
@pytest.mark.slow
def test_the_quota_is_the_visitors_own_and_who_has_none_left_sees_what_was_recorded(
    browser: Any,
) -> None:
    recording = recordings.read(catalogue.find("gpu_assert"))
    assert recording is not None
    made = {"date": recording.date, "device": recording.device}
    with running_app(**PLATFORM, FAKE_ZERO_LEFT="59") as (address, _):
        until = {"asked": 60, "left": 59, "wait": "3:20:11"}
        hers = WORDS.finding(Finding("gpu_quota_until", "note", "setup", None, until))
        for token, said in (("anna", hers), ("", WORDS.say("finding", "gpu_quota"))):
            seen = asked(address, browser, token, said)
            assert WORDS.say("clinic", "recorded_instead", **made) in seen
            assert "device-side assert" in seen


@pytest.mark.proof
@pytest.mark.slow
def test_who_has_enough_left_has_it_run_in_the_lease(browser: Any) -> None:
    """There is no GPU behind the imitation: of a run that was sent there nothing is to be seen."""
    with running_app(**PLATFORM) as (address, _):
        seen = asked(address, browser, "anna", WORDS.say("clinic", "saw_nothing"))
        assert WORDS.say("clinic", "cpu_instead") not in seen
        engine = httpx.get(f"{address}/health").json()["engine"]
        assert (engine["started"], engine["running"]) == (0, 0)
