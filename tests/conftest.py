"""Quick tests first; what slow ones wait for is asked at once, and runs beside all the others."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from debugger.workers.local import LocalEngine
from tests.scenarios.proving import Answers

BACKGROUND = 10
"""The niceness of the runs that are asked in advance: a test that runs now goes before them."""

# A shell that starts the tests in the background leaves Ctrl-C ignored, for us and all we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
    needing = [item for item in items if item.get_closest_marker("gpu")]
    if needing and not _has_cuda():
        for item in needing:
            item.add_marker(pytest.mark.skip(reason="this machine has no CUDA device"))


def _has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


@pytest.fixture(scope="session", autouse=True)
def answers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Answers]:
    """A module that waits for runs says which in `ask(answers, ids)`, of the scenarios selected."""
    asking: dict[object, set[str]] = {}
    for item in request.session.items:
        spec, module = getattr(item, "callspec", None), getattr(item, "module", None)
        if spec is not None and "scenario" in spec.params and hasattr(module, "ask"):
            asking.setdefault(module, set()).add(spec.params["scenario"].id)
    cores = os.cpu_count() or 1
    folder = tmp_path_factory.mktemp("clinic")
    with LocalEngine(cores, 600, 4000, folder) as engine, ThreadPoolExecutor(cores) as threads:
        answers = Answers(engine, threads)
        if asking:
            os.setpriority(os.PRIO_PROCESS, _zygote(engine), BACKGROUND)
        for module, scenario_ids in asking.items():
            module.ask(answers, scenario_ids)  # type: ignore[attr-defined]
        yield answers
        threads.shutdown(cancel_futures=True)


def _zygote(engine: LocalEngine) -> int:
    """Its process, from which every run is forked."""
    engine.warm()
    while (process := engine.status()["zygote_pid"]) is None:
        time.sleep(0.05)
    return process
