"""What the kernel lets a run change: the files of its own folder, and nothing else (Landlock).

Reading stays free. Modes, owners and times of files are beyond Landlock.
"""

import os
from pathlib import Path

import landlockpy
from landlockpy import AccessFS, AccessNet, LandlockError, Ruleset

LOWEST = 3
"""The first version of Landlock that knows truncating, in Linux 6.2."""
NETWORK = 4
_INTO_A_FILE = AccessFS.WRITE_FILE | AccessFS.TRUNCATE
CHANGES = (
    _INTO_A_FILE
    | AccessFS.REMOVE_DIR
    | AccessFS.REMOVE_FILE
    | AccessFS.MAKE_CHAR
    | AccessFS.MAKE_DIR
    | AccessFS.MAKE_REG
    | AccessFS.MAKE_SOCK
    | AccessFS.MAKE_FIFO
    | AccessFS.MAKE_BLOCK
    | AccessFS.MAKE_SYM
    | AccessFS.REFER
)
# CUDA names its threads through /proc; the rest are what writes go nowhere in, and GPUs.
_HARMLESS = ("/proc/self", "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/dri")
_GPUS = ("nvidia*", "kfd", "dxg")


def can_stand() -> bool:
    """Whether this kernel can hold the promise."""
    return _version() >= LOWEST


def enclose(folder: Path) -> bool:
    """From here on this process, and all that it starts, can change files beneath `folder` alone.

    Whether the kernel took it. Threads that run already would stay outside: there may be none.
    """
    if not can_stand():
        return False
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("the wall would leave out a thread that runs already")
    harmless = [*map(Path, _HARMLESS), *gpus()]
    with Ruleset(handled_fs=CHANGES, handled_net=AccessNet.NONE) as rules:
        rules.allow_path(folder, CHANGES)
        for path in filter(os.path.exists, harmless):
            rules.allow_path(path, _INTO_A_FILE)
        try:
            rules.restrict()
        except LandlockError:
            return False
    return True


def gpus() -> list[Path]:
    return [path for name in _GPUS for path in Path("/dev").glob(name)]


def on_a_gpu(device: str) -> bool:
    """Whether a run that was asked for with this device may find itself on a GPU."""
    return device != "cpu" and bool(gpus())


def disconnect() -> None:
    """No new connection from this thread and those that it starts, where the kernel can say no."""
    if _version() < NETWORK:
        return
    with Ruleset(handled_fs=AccessFS.NONE) as rules:
        rules.restrict()


def _version() -> int:
    """0 where there is no Landlock, or where whoever made this container forbids it."""
    try:
        return landlockpy.abi_version()
    except LandlockError:
        return 0
