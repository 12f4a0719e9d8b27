"""What this machine can show, told without importing torch or TensorFlow."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import debugger.frameworks as frameworks
from debugger.catalogue import Scenario
from debugger.outcome import Finding
from debugger.settings import Settings

CUDA_DRIVERS = ("/dev/nvidiactl", "/dev/dxg")
Closed = Literal["framework_missing", "needs_cuda"]


def why_closed(scenario: Scenario, settings: Settings) -> Closed | None:
    """Why the symptom of a scenario cannot appear here; None where it can."""
    if not frameworks.installed(scenario.framework):
        return "framework_missing"
    if scenario.needs is None or lent(scenario, settings):
        return None
    return "needs_cuda" if settings.device == "cpu" or not _has_cuda(settings) else None


def lent(scenario: Scenario, settings: Settings) -> bool:
    """Whether a GPU is lent for its symptom, on the quota of whoever wants to see it."""
    return settings.zero_gpu and scenario.needs == "cuda"


def _has_cuda(settings: Settings) -> bool:
    """Of a cluster's nodes whoever starts the clinic says so, with CLINIC_DEVICE=cuda."""
    if settings.cluster:
        return settings.device == "cuda"
    return any(Path(driver).exists() for driver in CUDA_DRIVERS)


def why_no_typing(status: Mapping[str, Any], framework: str) -> Finding | None:
    """Why nobody can type on this machine, once that has been tried."""
    told = status.get("typed", {}).get(framework)
    if not told or not told["why"]:
        return None
    numbers = {"broken": ", ".join(told["broken"])}
    return Finding(f"typing_{told['why']}", "note", "setup", None, numbers)
