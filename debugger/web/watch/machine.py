"""What this machine has left, and what the clinic's processes hold of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from debugger.workers.limits import MEGABYTE, free_memory_mb, memory_of, of_memory_mb

ASK_SECONDS = 5.0
_ASKED = "name,memory.used,memory.total,utilization.gpu"
_PARENT = re.compile(r"\) . (\d+) ")


@dataclass(frozen=True)
class Memory:
    """In MB. `runs` holds, of each warm process, how many it has started that live, and theirs.

    A run holds what it took over from its warm process as well: that stands in memory once.
    """

    free: int
    of: int
    app: int
    warm: Mapping[str, int]
    runs: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Gpu:
    """`busy` in percent; None where its driver does not tell."""

    name: str
    used_mb: int | None
    of_mb: int | None
    busy: int | None


def memory(pids: Mapping[str, int | None]) -> Memory:
    """`pids` are those of the warm processes, by framework."""
    live = {name: pid for name, pid in pids.items() if pid is not None}
    started = children(set(live.values()))
    runs = {name: [_mb(pid) for pid in started[pid_of]] for name, pid_of in live.items()}
    return Memory(
        free_memory_mb(),
        of_memory_mb(),
        _mb(os.getpid()),
        {name: _mb(pid) for name, pid in live.items()},
        {name: (len(held), sum(held)) for name, held in runs.items()},
    )


def children(of: set[int]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with suppress(OSError):  # gone meanwhile
                stat = Path("/proc", entry, "stat").read_text(errors="replace")
                parent = _PARENT.search(stat, stat.rindex(")"))
                if parent and int(parent[1]) in of:
                    found[int(parent[1])].append(int(entry))
    return found


def gpus() -> tuple[Gpu, ...]:
    """What NVIDIA's own tool tells; none where there is no such tool, or it cannot tell."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ()
    asked = [tool, f"--query-gpu={_ASKED}", "--format=csv,noheader,nounits"]
    try:
        told = subprocess.run(
            asked, capture_output=True, text=True, timeout=ASK_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(read_gpu(line) for line in told.stdout.splitlines() if line.count(",") >= 3)


def read_gpu(line: str) -> Gpu:
    name, *numbers = (part.strip() for part in line.rsplit(",", 3))
    return Gpu(name, *(int(one) if one.isdigit() else None for one in numbers))


def _mb(pid: int) -> int:
    return memory_of(pid) // MEGABYTE
