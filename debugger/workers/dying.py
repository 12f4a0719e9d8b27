"""Why a warm process died before it could start a run, and what would help."""

import re
import signal
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from packaging.specifiers import SpecifierSet

from debugger.frameworks import Framework
from debugger.workers.limits import ran_out_of_memory

LONGEST = 300
_PATH = re.compile(r"\(?(?:/[^\s/'\"():]+)+/([^\s/'\"():]*)\)?")
_RAISED = re.compile(r"[\w.]+(?:Error|Exception|Warning|Exit|Interrupt): ")
"""Where a traceback begins to say what went wrong: a message may go on for lines."""
_NO_MODULE = re.compile(r"No module named '([^'.]+)'")


@dataclass(frozen=True)
class Death:
    """The first line of what its imports raised; else the signal, or the status, that ended it.

    `seconds` when it was given up, as it was still importing after so long.
    """

    error: str = ""
    signal: int = 0
    status: int = 0
    seconds: float = 0

    @staticmethod
    def of(trace: str, status: int) -> "Death":
        """From the traceback that the process sent, if it could, and what `wait` told."""
        lines = trace.strip().splitlines()
        if lines:
            raised = [line for line in lines if _RAISED.match(line)]
            return Death(_PATH.sub(r"\1", (raised or lines)[-1])[:LONGEST])
        return Death(signal=max(-status, 0), status=max(status, 0))

    @property
    def how(self) -> str:
        """In the words of the libraries and the kernel, without a path of this machine."""
        if self.error or self.seconds:
            return self.error or f"{self.seconds:.0f} seconds"
        if not self.signal:
            return f"exit status {self.status}"
        named = self.signal in set(signal.Signals)
        return f"signal {self.signal}" + (f", {signal.Signals(self.signal).name}" if named else "")


def why(death: Death, framework: Framework) -> tuple[str, dict[str, Any]]:
    """The code and the numbers of the finding, and so what would help."""
    told: dict[str, Any] = {"framework": framework.name, "how": death.how}
    if death.seconds:
        return "warm_too_slow", {**told, "seconds": death.seconds}
    if death.signal == signal.SIGKILL:
        return "warm_killed", told
    if ran_out_of_memory(death.error):
        return "warm_no_memory", told
    for package in framework.wants:
        if _version(package) is None:
            return "warm_no_package", {**told, "package": package}
    if other := other_version(framework):
        return "warm_other_version", {**told, **other}
    if missing := _NO_MODULE.search(death.error):
        return "warm_no_package", {**told, "package": missing[1]}
    return ("warm_crashed" if death.signal else "warm_died"), told


def other_version(framework: Framework) -> dict[str, str] | None:
    """The first package that is here in another version than the framework lives with."""
    for package, wanted in framework.wants.items():
        found = _version(package)
        if found is not None and not SpecifierSet(wanted).contains(found, prereleases=True):
            return {"package": package, "wanted": wanted, "found": found}
    return None


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
