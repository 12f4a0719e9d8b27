"""What code that somebody typed may do: compute, read the libraries, write its own scratch.

Landlock for files, seccomp for calls, capabilities and rlimits for the rest: none is enough alone.
Not kept from it: that a file exists, how large it is (`stat`), and what the libraries themselves
hold. People who attack each other need a machine each.
"""

import errno
import os
import resource
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from socket import AF_UNIX, SO_PASSCRED, SOCK_SEQPACKET, SOCK_STREAM, SOL_SOCKET

import seccompy
from landlockpy import AccessFS, LandlockError, Ruleset, Scope
from seccompy import ArgCmp, CmpOp, Filter, SeccompError

from debugger.run import Run
from debugger.workers import hidden, wall

SCRATCH = ("home", "tmp", "caches", "views")
"""Not the run's folder itself: what the server reads of it, no run may replace."""
DESCRIPTORS = 512
FILE_BYTES = 512 << 20

_READ = AccessFS.READ_FILE | AccessFS.READ_DIR
_WRITE = wall.CHANGES & ~(AccessFS.MAKE_CHAR | AccessFS.MAKE_BLOCK | AccessFS.MAKE_SOCK)
_SYSTEM = """/lib /lib64 /usr/lib /usr/lib64 /usr/local/lib /usr/local/cuda /usr/share/zoneinfo
    /usr/share/locale /etc/ld.so.cache /etc/localtime /dev/urandom /dev/random
    /proc/cpuinfo /proc/meminfo /proc/stat /proc/version /proc/filesystems /proc/sys/vm
    /sys/devices/system
"""
_FOR_CUDA = """/proc/driver/nvidia /proc/devices /proc/sys/kernel /sys/bus/pci /sys/devices
    /sys/module/nvidia /sys/module/nvidia_uvm
"""
# Not all of /proc/self: `net` beneath it tells who is connected to this machine.
_OF_ITSELF = "cgroup cmdline comm maps smaps smaps_rollup stat statm status"
_NOWHERE = ("/dev/null", "/dev/zero", "/dev/full")

_CALLS = """
    read write open close stat fstat lstat newfstatat statx poll ppoll select pselect6 lseek pread64
    pwrite64 readv writev preadv pwritev preadv2 pwritev2 access faccessat faccessat2 openat openat2
    pipe pipe2 dup dup2 dup3 sendfile copy_file_range fcntl flock fsync fdatasync truncate ftruncate
    getdents64 getcwd chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink
    unlinkat symlink symlinkat readlink readlinkat umask statfs fstatfs fadvise64 readahead
    sync_file_range close_range getxattr lgetxattr fgetxattr listxattr
    mmap mprotect munmap mremap msync mincore madvise brk mlock munlock mlock2 membarrier
    get_mempolicy mbind set_mempolicy pkey_alloc pkey_free pkey_mprotect
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    pause alarm getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun
    timer_delete signalfd4 restart_syscall
    futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list get_robust_list rseq
    set_tid_address sched_yield sched_getaffinity sched_getparam sched_getscheduler
    sched_get_priority_max sched_get_priority_min getcpu exit exit_group wait4 waitid
    getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups getpgid
    getpgrp getsid getpriority getrlimit getrusage times uname sysinfo capget
    gettimeofday time clock_gettime clock_getres clock_nanosleep nanosleep getrandom
    timerfd_create timerfd_settime timerfd_gettime eventfd eventfd2
    epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    recvfrom shutdown getsockname getpeername
"""
# Libraries set modes and times of what they have just written, and stop where they cannot. These
# calls reach files outside the scratch too, so they do nothing, and say that all is well.
_DONE_NOTHING = "chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat"
_CLONE_THREAD = 0x10000
_TO_ITSELF = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
# By their numbers, each with its name beside it: Python knows few of them.
_PRCTL = {
    "GET_DUMPABLE": 3,
    "SET_NAME": 15,
    "GET_NAME": 16,
    "CAPBSET_READ": 23,
    "GET_NO_NEW_PRIVS": 39,
    "SET_THP_DISABLE": 41,
    "SET_VMA": 0x53564D41,
}
_FCNTL_OF_OTHERS = {
    "SETOWN": 8,
    "SETSIG": 10,
    "SETOWN_EX": 15,
    "SETLEASE": 1024,
    "NOTIFY": 1026,
    "SETPIPE_SZ": 1031,
}
_SOCKET_TELLS = {"TYPE": 3, "ERROR": 4, "PROTOCOL": 38, "DOMAIN": 39}
_IOCTL = {
    "TCGETS": 0x5401,
    "TIOCGWINSZ": 0x5413,
    "FIONREAD": 0x541B,
    "FIONBIO": 0x5421,
    "FIONCLEX": 0x5450,
    "FIOCLEX": 0x5451,
}
_IOCTL_NEVER = {"TIOCSTI": 0x5412, "FIOSETOWN": 0x8901, "SIOCSPGRP": 0x8902}
_IOCTL_OF_FILES = ord("f") << 8, ord("X") << 8
_LOW, _TYPE = 0xFFFFFFFF, 0xFF00


class SandboxError(RuntimeError):
    """It cannot stand, so nothing that was typed may run."""


def warm() -> None:
    """In the warm process: both packages look for libc by starting programs, once."""
    wall.can_stand()
    if seccompy.supported():
        _ = _calls(cuda=False).program


def enter(run: Run, folder: Path, kept: Collection[Path]) -> None:
    """From here on this process is held, for good; `kept` are folders that it may read besides."""
    cuda = wall.on_a_gpu(run.device)
    for name in SCRATCH:
        (folder / name).mkdir(exist_ok=True)
    if len(os.listdir("/proc/self/task")) > 1:
        raise SandboxError("a thread runs already, and would stay outside")
    os.environ |= {"USER": "learner", "LOGNAME": "learner"}
    _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    _limit(resource.RLIMIT_MSGQUEUE, 0)
    hidden.renounce(range(64))
    try:
        _files(folder, [*_libraries(), *_given(run), *kept], cuda)
        _signals(os.getpid()).load()
        _calls(cuda).load()
    except (LandlockError, SeccompError) as error:
        raise SandboxError(str(error)) from error


def _files(folder: Path, readable: Iterable[Path], cuda: bool) -> None:
    if not wall.can_stand():
        raise SandboxError("this kernel has no Landlock that is new enough")
    with Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL) as rules:
        system = _SYSTEM + _FOR_CUDA if cuda else _SYSTEM
        read = {folder, *readable, *map(Path, system.split())}
        for path in filter(os.path.exists, read):
            rules.allow_path(path, _READ if path.is_dir() else AccessFS.READ_FILE)
        for name in SCRATCH:
            rules.allow_path(folder / name, _READ | _WRITE)
        for name in _OF_ITSELF.split():
            rules.allow_path(_pinned(f"/proc/self/{name}"), AccessFS.READ_FILE)
        into = AccessFS.READ_FILE | AccessFS.WRITE_FILE | AccessFS.TRUNCATE
        # CUDA gives its threads names there, and does not begin where it cannot.
        named = AccessFS.WRITE_FILE | AccessFS.TRUNCATE if cuda else AccessFS.NONE
        for name, more in (("fd", AccessFS.NONE), ("task", named)):
            rules.allow_path(_pinned(f"/proc/self/{name}"), AccessFS.READ_DIR | more)
        for path in map(Path, _NOWHERE):
            rules.allow_path(path, into)
        for path in wall.gpus() if cuda else ():
            inside = AccessFS.READ_DIR if path.is_dir() else AccessFS.NONE
            rules.allow_path(path, into | inside | AccessFS.IOCTL_DEV)
        rules.restrict()


def _pinned(path: str) -> str:
    """A rule is about an inode, and /proc makes new ones of what it has forgotten."""
    os.open(path, os.O_PATH | os.O_CLOEXEC)
    return path


def _libraries() -> Iterator[Path]:
    """Python's own folders and the packages. Not all of `sys.path`: one may be a person's own."""
    for prefix in {sys.prefix, sys.base_prefix}:
        yield from (Path(prefix, name) for name in ("lib", "lib64", "pyvenv.cfg"))
    yield from (Path(sysconfig.get_path(name)) for name in ("stdlib", "platlib", "purelib"))
    for entry in map(Path, sys.path):
        if entry.name in ("site-packages", "dist-packages"):
            yield entry
    for name in ("debugger", "scenarios"):
        if file := getattr(sys.modules.get(name), "__file__", None):
            yield Path(file).parent
    for entry in filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")):
        yield Path(entry)


def _given(run: Run) -> Iterator[Path]:
    """Folders that the host named as assets, what was converted of them, and the script's own."""
    for name in ("CLINIC_CHECKPOINT", "CLINIC_DATASET", "CLINIC_METRIC"):
        if os.path.isabs(place := os.environ.get(name, "")):
            yield Path(place)
    if kept := os.environ.get("CLINIC_DATA_DIR"):
        yield Path(kept) / "checkpoints"
    if run.folder is not None:
        yield Path(run.folder)


def _signals(pid: int) -> Filter:
    """To itself alone. This is beside the other filter: that one is made once for all runs."""
    signals = Filter()
    for name in _TO_ITSELF:
        signals.allow(name, args=(_is(0, pid),))
        signals.errno(name, errno.EPERM)
    return signals


@cache
def _calls(cuda: bool) -> Filter:
    """What is not named is refused, whatever a later kernel brings."""
    calls = Filter(default=0x00050000 | errno.EPERM)

    def allow(name: str, *args: ArgCmp) -> None:
        with suppress(ValueError):  # older architectures have calls that newer ones have not
            calls.allow(name, args=args)

    def refuse(name: str, code: int, *args: ArgCmp) -> None:
        with suppress(ValueError):
            calls.errno(name, code, args=args)

    refuse("clone3", errno.ENOSYS)  # its flags cannot be seen: libc asks again with clone
    allow("clone", ArgCmp(0, CmpOp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD))
    for name in _TO_ITSELF:
        allow(name)
    allow("prlimit64", _is(0, 0))
    # A pair of datagram sockets could send to any other in the file system.
    allow("socketpair", _is(0, AF_UNIX), ArgCmp(1, CmpOp.MASKED_EQ, SOCK_STREAM, 0xF))
    allow("sendto", ArgCmp(4, CmpOp.EQ, 0))
    for option in _SOCKET_TELLS.values():
        allow("getsockopt", _is(2, option))
    for option in _PRCTL.values():
        allow("prctl", _is(0, option))
    for command in _FCNTL_OF_OTHERS.values():
        refuse("fcntl", errno.EPERM, _is(1, command))
    for request in _IOCTL_NEVER.values() if cuda else ():
        refuse("ioctl", errno.EPERM, _is(1, request))
    for kind in _IOCTL_OF_FILES if cuda else ():
        refuse("ioctl", errno.EPERM, ArgCmp(1, CmpOp.MASKED_EQ, kind, _TYPE))
    for request in () if cuda else _IOCTL.values():
        allow("ioctl", _is(1, request))
    if cuda:
        _allow_cuda(allow)
    for name in _DONE_NOTHING.split():
        refuse(name, 0)
    for name in _CALLS.split():
        allow(name)
    return calls


def _allow_cuda(allow: Callable[..., None]) -> None:
    """It listens at an abstract name of its own. Landlock lets nobody reach the names of others."""
    for name in ("ioctl", "memfd_create", "bind", "listen"):
        allow(name)
    allow("socket", _is(0, AF_UNIX), ArgCmp(1, CmpOp.MASKED_EQ, SOCK_SEQPACKET, 0xF))
    allow("setsockopt", _is(1, SOL_SOCKET), _is(2, SO_PASSCRED))


def _is(index: int, value: int) -> ArgCmp:
    """The kernel looks at the low half of these arguments alone, so the high one tells nothing."""
    return ArgCmp(index, CmpOp.MASKED_EQ, value & _LOW, _LOW)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))
