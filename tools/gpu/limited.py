"""A run that may use only a part of a large GPU, as on a small one. Everything else is a run."""

from __future__ import annotations

from debugger.diagnosis import Tell, perform
from debugger.run import Run

SMALL_MB, LARGE_MB = 15_000, 24_000
"""What free notebooks have; a card with more than the second is held to the first."""


def perform_held(run: Run, emit: Tell) -> None:
    """The allocator itself refuses what goes beyond, with its own message."""
    if run.device == "cuda":
        import torch

        whole = torch.cuda.get_device_properties(0).total_memory >> 20
        if whole > LARGE_MB:
            torch.cuda.set_per_process_memory_fraction(SMALL_MB / whole)
    perform(run, emit)
