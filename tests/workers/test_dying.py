"""A warm process that cannot start says how it died and what would help. Toys die in its place."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet
from test_endings import ended_as, said

from debugger import frameworks
from debugger.frameworks import called
from debugger.outcome import Finding
from debugger.run import Run
from debugger.settings import read
from debugger.web.routes import routes
from debugger.words import Words
from debugger.workers.dying import Death, why
from debugger.workers.endings import Ended, outcome_of

PYTORCH = called("pytorch")


@pytest.fixture
def dying(make_engine, tmp_path, monkeypatch):
    """An engine whose PyTorch process imports this code first."""

    def make(code: str) -> Any:
        (tmp_path / "dying_toy.py").write_text(f"import os, signal\n{code}\n")
        monkeypatch.syspath_prepend(tmp_path)
        return make_engine(preload={"pytorch": ("dying_toy", "toys")})

    return make


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("code", "finding", "how"),
    [
        ("raise ValueError('out of tune')", "warm_died", "ValueError: out of tune"),
        ("os._exit(3)", "warm_died", "exit status 3"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "warm_crashed", "signal 11, SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "warm_killed", "signal 9, SIGKILL"),
        ("raise MemoryError", "warm_no_memory", "MemoryError"),
        ("import no_such_thing", "warm_no_package", None),
    ],
)
def test_a_run_is_told_how_the_warm_process_died(dying, ask, caplog, code, finding, how):
    how = how or "ModuleNotFoundError: No module named 'no_such_thing'"
    engine = dying(code)
    ending, found = ended_as(ask(engine, "say(x=1)"))

    assert (ending, found.code, found.stage, found.line) == ("unknown", finding, "setup", None)
    assert found.numbers["framework"] == "pytorch"
    assert found.numbers["how"] == how
    assert how in Words().finding(found)
    assert how in caplog.text
    assert engine.status()["failures"] == {"pytorch": found}


def test_another_transformers_is_named_with_the_version_that_is_wanted(monkeypatch):
    monkeypatch.setattr("debugger.workers.dying._version", lambda package: "4.30.2")
    code, numbers = why(Death("ImportError: cannot import name 'Trainer'"), PYTORCH)

    assert code == "warm_other_version"
    assert numbers["package"] == "transformers"
    assert numbers["found"] == "4.30.2"
    said = Words().finding(Finding(code, "fault", "setup", None, numbers))
    assert f"pip install 'transformers{PYTORCH.wants['transformers']}'" in said


def test_a_package_that_is_wanted_and_not_there_is_named(monkeypatch):
    monkeypatch.setattr("debugger.workers.dying._version", lambda package: None)
    code, numbers = why(Death("ImportError: no"), PYTORCH)
    assert (code, numbers["package"]) == ("warm_no_package", "transformers")


def test_what_the_clinic_is_tested_with_is_what_its_frameworks_want():
    pins = dict(
        line.split("==")
        for line in (Path(__file__).parents[2] / "requirements.txt").read_text().split()
        if "==" in line
    )
    for framework in frameworks.FRAMEWORKS:
        for package, wanted in framework.wants.items():
            assert SpecifierSet(wanted).contains(pins[package])


def test_imports_that_take_too_long_are_told_with_their_seconds(dying, ask, monkeypatch):
    monkeypatch.setattr("debugger.workers.zygote.START_SECONDS", 0.3)
    found = ended_as(ask(dying("import time; time.sleep(60)"), ""))[1]
    assert (found.code, found.numbers["seconds"]) == ("warm_too_slow", 0.3)


def test_no_path_of_this_machine_is_told():
    trace = (
        'Traceback (most recent call last):\n  File "/home/ada/x.py", line 1\n'
        "ImportError: cannot import name 'A' from 'transformers' (/home/ada/lib/__init__.py)\n"
    )
    assert Death.of(trace, 0).how == (
        "ImportError: cannot import name 'A' from 'transformers' __init__.py"
    )
    assert Death.of("OSError: [Errno 2] No such file: '/home/ada/.cache/x'", 0).how == (
        "OSError: [Errno 2] No such file: 'x'"
    )


def test_what_was_raised_is_told_and_not_the_last_line_of_its_advice():
    trace = (
        'Traceback (most recent call last):\n  File "/x.py", line 1\n    raise ImportError(\n'
        "ImportError: tokenizers<0.22 is required, but found 0.22.2.\nTry: `pip install -U`\n"
    )
    assert Death.of(trace, 1).how == "ImportError: tokenizers<0.22 is required, but found 0.22.2."


def test_a_failure_of_ours_names_the_version_that_it_wants(monkeypatch):
    other = outcome_of(Ended("clinic_error"), Run("x = 1")).finding
    assert other is not None
    assert (other.code, other.severity) == ("clinic_error", "note")
    monkeypatch.setattr("debugger.workers.dying._version", lambda package: "4.40.0")
    other = outcome_of(Ended("clinic_error"), Run("x = 1")).finding
    assert other is not None
    said = Words().finding(other)
    assert "transformers>=4.57,<6" in said
    assert "found 4.40.0" in said


def test_after_a_death_for_a_passing_reason_the_next_run_finds_a_living_one(dying, ask, tmp_path):
    once = tmp_path / "once"
    engine = dying(
        f"if not os.path.exists({str(once)!r}):\n"
        f"    open({str(once)!r}, 'w').close()\n    os.kill(os.getpid(), signal.SIGSEGV)"
    )
    assert ended_as(ask(engine, ""))[1].code == "warm_crashed"
    assert said(ask(engine, "say(x=1)")) == {"x": 1}
    assert engine.status()["failures"] == {}


def test_health_says_it_in_a_sentence(dying, ask):
    engine = dying("os.kill(os.getpid(), signal.SIGSEGV)")
    ask(engine, "")
    health: Any = routes([], read({}), engine)[0].endpoint
    with ThreadPoolExecutor() as elsewhere:  # a browser's test may have left a loop running here
        answer = elsewhere.submit(asyncio.run, health(None)).result()
    told = json.loads(answer.body)["engine"]

    assert told["zygotes"] == {"pytorch": False, "keras": False}
    assert (
        "crashed while it imported its libraries (signal 11, SIGSEGV)"
        in (told["failures"]["pytorch"])
    )
