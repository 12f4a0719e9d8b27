"""What the tests of the catalogue share."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from debugger.workers.local import LocalEngine
from tests.scenarios.proving import Answers


@pytest.fixture(scope="session")
def chosen(request: pytest.FixtureRequest) -> set[str]:
    """The scenarios that the selected tests are about: with `-k` nothing else is run."""
    parameters = [getattr(item, "callspec", None) for item in request.session.items]
    return {
        spec.params["scenario"].id
        for spec in parameters
        if spec is not None and "scenario" in spec.params
    }


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    cores = os.cpu_count() or 1
    folder = tmp_path_factory.mktemp("clinic")
    with LocalEngine(cores, 600, 4000, folder) as engine, ThreadPoolExecutor(cores) as threads:
        yield Answers(engine, threads)
