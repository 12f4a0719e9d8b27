"""Quick tests first; what slow ones wait for is asked at once, and runs beside the others."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from debugger.workers.local import LocalEngine
from tests.scenarios.proving import Answers

# transformers and evaluate import TensorFlow where it is installed; only its own tests want that.
if os.environ.get("TF_USE_LEGACY_KERAS") != "1":
    os.environ["USE_TF"] = "0"
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
def asked(
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
        answers = Answers(engine, threads, at_once=1)
        for module, scenario_ids in asking.items():
            module.ask(answers, scenario_ids)  # type: ignore[attr-defined]
        yield answers
        threads.shutdown(cancel_futures=True)


@pytest.fixture(scope="session")
def answers(asked: Answers) -> Answers:
    """Whoever waits for an answer has all cores for it."""
    asked.hurry((os.cpu_count() or 1) - 1)
    return asked
