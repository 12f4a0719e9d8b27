"""For all tests of rules."""

import pytest

from debugger.stages import step


@pytest.fixture
def tiny_as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is true of the pretrained models that people know is held against tiny ones, too."""
    monkeypatch.setattr(step, "FEW_WEIGHTS", 0)
