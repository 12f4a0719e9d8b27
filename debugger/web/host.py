"""What this machine can show, told without importing torch."""

from pathlib import Path

from debugger.settings import Settings
from scenarios import Scenario

CUDA_DRIVERS = ("/dev/nvidiactl", "/dev/dxg")


def shows(scenario: Scenario, settings: Settings) -> bool:
    """Whether the symptom of a scenario can appear here."""
    return scenario.needs is None or (settings.device != "cpu" and _has_cuda())


def _has_cuda() -> bool:
    return any(Path(driver).exists() for driver in CUDA_DRIVERS)
