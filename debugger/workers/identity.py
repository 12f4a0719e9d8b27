"""What decides an answer beside the run itself: this code, the assets, what is installed."""

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROOMS = (
    *("evidence", "experiments", "frameworks", "pipelines", "script", "stages", "workers"),
    *("diagnosis.py", "failure.py", "outcome.py", "run.py"),
)
"""Of `debugger`. The others lay an answer out for people, or ask for it."""
_ASSETS = "scenarios/assets"
_LIBRARIES = """
    torch transformers tokenizers safetensors datasets evaluate accelerate peft numpy pyarrow pandas
    scikit-learn scipy tensorflow tf-keras
"""


def identity() -> str:
    """Another one where a letter of what decides is another, or a version."""
    python = ".".join(platform.python_version_tuple()[:2])
    told = [platform.machine(), python, *map(_version, _LIBRARIES.split())]
    digest = hashlib.sha256(" ".join(told).encode())
    for place in (*(ROOT / "debugger" / room for room in _ROOMS), ROOT / _ASSETS):
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file() and file.suffix != ".pyc":
                digest.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return digest.hexdigest()


def place() -> str:
    """What computes here, in words that a manufacturer chose; "" where nobody tells."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    names = [line.partition(":")[2] for line in told.splitlines() if line.startswith("model name")]
    return " ".join(names[0].split()) if names else ""


def _version(library: str) -> str:
    try:
        return f"{library}=={version(library)}"
    except PackageNotFoundError:
        return f"no {library}"
