"""What the driver's own tool says of the GPUs of a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.pipelines.cards import Card, cards


@pytest.mark.parametrize(
    ("printed", "read"),
    [
        ("NVIDIA A100-SXM4-80GB, 76543, 81920", (Card("NVIDIA A100-SXM4-80GB", 76543, 81920),)),
        ("NVIDIA A100-SXM4-80GB, [N/A], 81920", ()),
        ("No devices were found", ()),
    ],
)
def test_the_memory_is_what_the_drivers_tool_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, printed: str, read: tuple[Card, ...]
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\necho '{printed}'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert cards() == read


def test_without_the_tool_nothing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert cards() == ()
