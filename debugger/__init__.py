"""Training Clinic's diagnosis, for your own Trainer: `debugger.diagnose(trainer)`."""

from __future__ import annotations

from typing import Any

from debugger.report import Report
from debugger.run import WALK


def diagnose(trainer: Any, stage: str = WALK, steps: int = 120) -> Report:
    """Walk a built Trainer through the stages, up to the first that fails.

    `stage` is "walk", "all" or one stage's name; `steps` bounds the `train` stage. The Trainer is
    left as it was, to the bit. In a notebook the report shows itself; elsewhere print it.
    """
    from debugger.diagnosis import diagnose_built

    return diagnose_built(trainer, stage, steps)


__all__ = ["Report", "diagnose"]
