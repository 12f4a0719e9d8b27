"""What one run may use, and how a process is held to it."""

import math
import os
import re
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PAGE = resource.getpagesize()
MEGABYTE = 1 << 20
LEAST_FREE_MB = 20
_NUMBERS = re.compile(r"^(RssAnon|RssShmem|Threads):\s+(\d+)", re.MULTILINE)
_ALLOCATORS_SAY = (
    "MemoryError",
    "bad_alloc",
    "not enough memory",
    "can't allocate memory",
    "Cannot allocate memory",
)


@dataclass(frozen=True)
class Limits:
    """`seconds` counts from the child's first message; `memory_mb` leaves out mapped files.

    `look_seconds` is for each stage that does not train, from where it begins.
    """

    seconds: float
    memory_mb: int
    start_seconds: float = 30.0
    output_bytes: int = 10 * MEGABYTE
    file_bytes: int = 2048 * MEGABYTE
    event_bytes: int = 4 * MEGABYTE
    events: int = 20_000
    stream_bytes: int = 64 * MEGABYTE
    look_every: float = 0.2
    threads: int = 512
    written_bytes: int = 2048 * MEGABYTE
    kept_bytes: int = 1024 * MEGABYTE
    kept_files: int = 8_000
    """The last four hold for what somebody typed."""
    check_seconds: float = 20.0
    """A check's own, once its script is built."""
    look_seconds: float = math.inf


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
    told = _status(pid)
    return (told.get("RssAnon", 0) + told.get("RssShmem", 0)) * 1024


def free_memory_mb() -> int:
    """What this machine could still give to processes."""
    found = re.search(r"^MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return int(found[1]) // 1024 if found else 0


def of_memory_mb() -> int:
    """What this machine has in all."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEGABYTE


def disk_is_full(folder: Path) -> bool:
    """Whether a run in there would end for want of room, whatever its script is."""
    has = os.statvfs(folder)
    no_files_left = bool(has.f_files) and not has.f_favail
    return has.f_bavail * has.f_frsize < LEAST_FREE_MB * MEGABYTE or no_files_left


def family(pid: int) -> list[int]:
    """This process and those that it has started and that still run."""
    found = [pid]
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def threads_of(pid: int) -> int:
    return _status(pid).get("Threads", 0)


def written_by(pid: int) -> int:
    """Bytes that this process has written, wherever they went; 0 where the kernel does not tell."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return 0
    told = {name: int(number) for name, _, number in (line.partition(":") for line in lines)}
    return max(told["wchar"], told["write_bytes"])


def held_in(folder: Path, most_files: int) -> tuple[int, int]:
    """Files in a folder and their bytes on disk. It stops counting beyond `most_files`.

    What lies so deep that its path has no room counts as too many.
    """
    files = size = 0
    left = [str(folder)]
    while left and files <= most_files:
        try:
            entries = list(os.scandir(left.pop()))
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError:
            return most_files + 1, size
        for entry in entries:
            files += 1
            with suppress(OSError):
                size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
    return files, size


def ran_out_of_memory(message: str) -> bool:
    """Whether this is one of the many ways in which libraries say that memory was refused."""
    return any(words in message for words in _ALLOCATORS_SAY)


def _status(pid: int) -> dict[str, int]:
    """The numbers of `/proc/<pid>/status` that stand alone, or before a unit."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return {name: int(number) for name, number in _NUMBERS.findall(text)}


def _statm(pid: int | str) -> list[int]:
    return [int(field) for field in Path(f"/proc/{pid}/statm").read_text().split()]


def _at_most(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))
