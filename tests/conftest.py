"""Quick tests first; tests that need a GPU say so where there is none."""

import signal

import pytest

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
