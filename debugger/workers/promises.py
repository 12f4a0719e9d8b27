"""Every promise of the sandbox, tried in a real child of the warm process: it attacks itself."""

import ctypes
import errno
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import seccompy

from debugger.outcome import Event, Finding, Found, Outcome
from debugger.run import Run
from debugger.script.enclosure import Enclosure
from debugger.workers import wall

Why = Literal["switched_off", "no_landlock", "no_seccomp", "promise_broken", "not_tried"]
PERFORM = "debugger.workers.promises:perform"
_KEPT = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EXDEV)
_LIBC = ctypes.CDLL(None, use_errno=True)
# With nothing but zeros they harm nobody: where they are let through, the kernel has another word.
_CALLS = """
    process_vm_readv process_vm_writev process_madvise pidfd_open pidfd_getfd
    pidfd_send_signal kcmp bpf perf_event_open userfaultfd io_uring_setup io_uring_enter keyctl
    add_key request_key mount umount2 pivot_root chroot unshare setns init_module kexec_load reboot
    open_by_handle_at name_to_handle_at fanotify_init inotify_init1 shmget msgget semget mq_open
    connect bind listen accept4 sendmsg recvmsg sched_setaffinity sched_setscheduler ioprio_set
    setpriority personality setuid setresuid setgroups capset chown fchownat setxattr
    fallocate mknodat vmsplice memfd_create memfd_secret migrate_pages move_pages syslog setsid
"""


@dataclass(frozen=True)
class Typed:
    """Whether code that somebody typed may run here: where `why` is None.

    `broken` names the promises that the kernel does not keep.
    """

    why: Why | None
    broken: tuple[str, ...] = ()


def missing() -> Why | None:
    """What this machine lacks, told without trying."""
    if not wall.can_stand():
        return "no_landlock"
    return None if seccompy.supported() else "no_seccomp"


def perform(run: Run, emit: Callable[[Event], None], enclosure: Enclosure) -> None:
    """In place of a script: what could be done that must not be."""
    found = [name for name, attack in _attacks() if _succeeds(attack)]
    if found:
        told = {"broken": ", ".join(found)}
        emit(Found(Finding("typing_promise_broken", "note", "setup", None, told)))
    emit(Outcome("pass", run.device, 0.0))


def broken(told: Iterable[Event]) -> tuple[str, ...]:
    """The promises that `perform` found broken."""
    for event in told:
        if isinstance(event, Found):
            return tuple(event.finding.numbers["broken"].split(", "))
    return ()


def _succeeds(attack: Callable[[], Any]) -> bool:
    try:
        attack()
    except OSError as error:
        return error.errno not in _KEPT
    return True


def _attacks() -> Iterator[tuple[str, Callable[[], Any]]]:
    own, server = Path.cwd().parent, os.getppid()
    others = own.parent
    yield "reads a file of others", lambda: open(others / "alive").close()
    yield "lists a folder of others", lambda: os.listdir(others)
    yield "writes beside its own folder", lambda: open(others / "new", "x").close()
    yield "links to a file of others", lambda: os.link(others / "alive", "alive")
    yield "replaces what the server reads", lambda: os.rename(own / "console.txt", own / "gone")
    yield "reads an environment", lambda: open(f"/proc/{server}/environ").close()
    yield "reads a memory", lambda: open(f"/proc/{server}/mem").close()
    yield "lists processes", lambda: os.listdir("/proc")
    yield "shares memory", lambda: os.listdir("/dev/shm")
    yield "changes who is killed first", lambda: open("/proc/self/oom_score_adj", "w").close()
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            yield f"opens a socket {family.name} {kind.name}", lambda f=family, k=kind: _open(f, k)
    yield "sends datagrams", lambda: socket.socketpair(type=socket.SOCK_DGRAM)
    yield "forks", _fork
    yield "starts a program", lambda: os.posix_spawn("/bin/true", ["true"], {})
    yield "becomes a program", lambda: os.execv("/nothing", ["nothing"])
    yield "signals others", lambda: os.kill(server, 0)
    yield "signals a group", lambda: os.killpg(os.getpgid(server), 0)
    yield "outlives the engine", lambda: _result(_LIBC.prctl(1, 0, 0, 0, 0))
    yield "traces", lambda: _result(_LIBC.ptrace(16, 0, 0, 0))
    yield "steers others' limits", lambda: _result(_LIBC.prlimit(server, 7, None, None))
    for name in _CALLS.split():
        with suppress(ValueError):  # not every architecture has all of them
            number = seccompy.syscall_nr(name)
            yield name, lambda n=number: _result(_LIBC.syscall(n, 0, 0, 0, 0, 0, 0))


def _open(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _result(answer: int) -> None:
    if answer == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
