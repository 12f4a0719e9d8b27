"""Quick tests first, promises last; their runs are asked for at once and go on beside the rest."""

import hashlib
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from debugger.catalogue.proof import Judged, Promise, ask
from debugger.catalogue.runs import Runs
from debugger.failure import forget_source
from debugger.settings import read
from debugger.workers import started
from tests.remembered import Remembered

pytest_plugins = ["tests.progress"]
UNTIL = "PROOF_UNTIL"
"""When `make proof` begins nothing more, in seconds of the clock."""
# Small models are slower on two threads, and seven times as slow where a proof has the other core.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# transformers and evaluate import TensorFlow where it is installed; only its own tests want that.
if os.environ.get("TF_USE_LEGACY_KERAS") != "1":
    os.environ["USE_TF"] = "0"
# A shell that starts the tests in the background leaves Ctrl-C ignored, for us and all we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before what is not to be run is deselected
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _leave_cases_to_the_proof(items)
    items.sort(key=_turn)
    needing = [item for item in items if item.get_closest_marker("gpu")]
    if needing and not _has_cuda():
        for item in needing:
            item.add_marker(pytest.mark.skip(reason="this machine has no CUDA device"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    until = float(os.environ.get(UNTIL) or "inf")
    if item.get_closest_marker("proof") and time.time() > until:
        pytest.skip("not proved, as the time was up: PROOF_MINUTES=120 make proof")


def _leave_cases_to_the_proof(items: list[pytest.Item]) -> None:
    """Of what has many cases that take long, `make test` runs some and `make proof` the others."""
    cases: Counter[str] = Counter()
    for item in items:
        some = item.get_closest_marker("some")
        if some is None or item.get_closest_marker("proof"):
            continue
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        if cases[test] > some.args[0]:
            item.add_marker(pytest.mark.proof)


def _turn(item: pytest.Item) -> tuple[int, str]:
    """Promises last: while they wait for their runs nothing else would use the machine. What is
    proved comes in another order with each commit, as there may be no time for all of it."""
    promise = getattr(getattr(item, "callspec", None), "params", {}).get("promise")
    if item.get_closest_marker("proof"):
        kind = item.path.name if promise is None else promise.scenario.id
        return 1, hashlib.sha256(f"{_commit()}{kind}".encode()).hexdigest()
    slow = item.get_closest_marker("slow") is not None
    return (2 if promise is not None else int(slow)), ""


@cache
def _commit() -> str:
    try:
        return subprocess.check_output(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            text=True,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""


def _has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all: a second one cannot be started beside it."""
    from tests.browser.app import CHROMIUM, QUIET

    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


@pytest.fixture(autouse=True)
def whose_lines() -> Iterator[None]:
    """A script that a test has built takes no lines from the tests behind it."""
    yield
    forget_source()


Judging = dict[Promise, Judged]


@pytest.fixture(scope="session", autouse=True)
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Runs, Judging]]:
    """What the selected tests want proved is run beside the others, one script at a time."""
    specs = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = [spec.params["promise"] for spec in specs if spec and "promise" in spec.params]
    folder = tmp_path_factory.mktemp("clinic")
    patient = replace(read({}), time_limit=600, stage_limit=600, memory_mb=4000, data_dir=folder)
    with started(patient) as engine:
        cache: pytest.Cache | None = getattr(request.config, "cache", None)
        known = Remembered(engine, cache.mkdir("runs")) if cache and wanted else engine
        runs = Runs(known, at_once=1)
        yield runs, {promise: ask(promise, runs) for promise in wanted}
        runs.close()


@pytest.fixture(scope="session")
def complaints(asked: tuple[Runs, Judging]) -> Callable[[Promise], list[str]]:
    """What is wrong with a promise. Whoever waits for an answer has all cores for it."""
    runs, judging = asked
    runs.hurry((os.cpu_count() or 1) - 1)

    def told(promise: Promise) -> list[str]:
        return list(judging[promise]())

    return told
