"""What one run may use, and how a process is held to it."""

import os
import resource
from dataclasses import dataclass
from pathlib import Path

PAGE = resource.getpagesize()
MEGABYTE = 1 << 20
_ALLOCATORS_SAY = (
    "MemoryError",
    "bad_alloc",
    "not enough memory",
    "can't allocate memory",
    "Cannot allocate memory",
)


@dataclass(frozen=True)
class Limits:
    """`seconds` counts from the child's first message; `memory_mb` leaves out mapped files."""

    seconds: float
    memory_mb: int
    start_seconds: float = 30.0
    output_bytes: int = 10 * MEGABYTE
    file_bytes: int = 2048 * MEGABYTE
    event_bytes: int = 4 * MEGABYTE
    events: int = 20_000
    stream_bytes: int = 64 * MEGABYTE
    look_every: float = 0.2


def confine(seconds: float, memory_mb: int, file_bytes: int) -> None:
    """Hold this process to its limits even if nobody watches it any more."""
    data = _statm("self")[5] * PAGE
    _at_most(resource.RLIMIT_DATA, data + memory_mb * MEGABYTE)
    _at_most(resource.RLIMIT_CPU, int(seconds + 10) * (os.cpu_count() or 1))
    _at_most(resource.RLIMIT_FSIZE, file_bytes)
    _at_most(resource.RLIMIT_CORE, 0)
    Path("/proc/self/oom_score_adj").write_text("1000")


def memory_of(pid: int) -> int:
    """Resident bytes of this process without what is only mapped from files; 0 once it is gone."""
    try:
        _, resident, shared, *_ = _statm(pid)
    except (OSError, ValueError):
        return 0
    return (resident - shared) * PAGE


def ran_out_of_memory(message: str) -> bool:
    """Whether this is one of the many ways in which libraries say that memory was refused."""
    return any(words in message for words in _ALLOCATORS_SAY)


def _statm(pid: int | str) -> list[int]:
    return [int(field) for field in Path(f"/proc/{pid}/statm").read_text().split()]


def _at_most(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))
