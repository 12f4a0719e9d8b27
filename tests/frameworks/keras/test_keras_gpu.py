"""What a process was told to take of a GPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from debugger.frameworks.keras.gpu import GROWTH, gpu_memory


def told(monkeypatch: pytest.MonkeyPatch, said: str | None) -> bool | None:
    monkeypatch.delenv(GROWTH, raising=False)
    if said is not None:
        monkeypatch.setenv(GROWTH, said)
    return gpu_memory().takes_all


def a_gpu(monkeypatch: pytest.MonkeyPatch, growth: bool = False, limits: Any = None) -> None:
    """As TensorFlow would tell of one."""
    parts = limits and [SimpleNamespace(memory_limit=limit) for limit in limits]
    monkeypatch.setattr(tf.config, "get_visible_devices", lambda _: ["GPU:0"])
    monkeypatch.setattr(tf.config, "get_logical_device_configuration", lambda _: parts)
    monkeypatch.setattr(tf.config.experimental, "get_memory_growth", lambda _: growth)


@pytest.mark.parametrize(
    ("said", "takes_all"),
    [("true", False), ("false", True), ("True", True), ("1", True), (None, None)],
)
def test_without_a_gpu_the_variable_alone_tells(
    monkeypatch: pytest.MonkeyPatch, said: str | None, takes_all: bool | None
) -> None:
    assert told(monkeypatch, said) is takes_all


@pytest.mark.parametrize(
    ("said", "growth", "takes_all"),
    [
        (None, False, True),
        (None, True, False),
        ("false", True, True),
        ("true", False, False),
        ("True", True, False),
        ("True", False, True),
    ],
)
def test_the_variable_beats_the_call_and_a_wrong_word_counts_for_nothing(
    monkeypatch: pytest.MonkeyPatch, said: str | None, growth: bool, takes_all: bool
) -> None:
    a_gpu(monkeypatch, growth)

    assert told(monkeypatch, said) is takes_all


@pytest.mark.parametrize(("limits", "takes_all"), [([2048], False), ([None], True)])
def test_a_limit_holds_whatever_the_variable_says(
    monkeypatch: pytest.MonkeyPatch, limits: list[int | None], takes_all: bool
) -> None:
    a_gpu(monkeypatch, limits=limits)

    assert told(monkeypatch, "false") is takes_all
