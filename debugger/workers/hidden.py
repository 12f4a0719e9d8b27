"""What runs may know of the process that started them: no token, no password, nothing of the host.

`/proc/<pid>/environ` shows what a process was started with, whatever it forgot since. So what runs
descend from starts with what is listed here, and the process that holds the rest shows it to nobody
of the same user. Root sees everything, so a run of root gives up the rights that this takes.
"""

import ctypes
import re
from collections.abc import Collection, Mapping

PR_SET_DUMPABLE, PR_CAPBSET_DROP = 4, 24
CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON = 19, 21, 38
_CAPABILITIES_3 = 0x20080522
_LIBC = ctypes.CDLL(None, use_errno=True)
_NAMES = """
    PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR VIRTUAL_ENV PYTHONPATH LD_LIBRARY_PATH LD_PRELOAD
    XDG_CACHE_HOME HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE TRANSFORMERS_CACHE HF_DATASETS_CACHE
    HF_EVALUATE_CACHE HF_METRICS_CACHE HF_MODULES_CACHE HF_ASSETS_CACHE HF_XET_CACHE TORCH_HOME
    HF_HUB_OFFLINE HF_DATASETS_OFFLINE HF_EVALUATE_OFFLINE TRANSFORMERS_OFFLINE
    HF_HUB_DISABLE_TELEMETRY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE
    CLINIC_ASSETS CLINIC_CHECKPOINT CLINIC_DATASET CLINIC_METRIC CLINIC_DEVICE
"""
_BEGINNINGS = "LC_ CUDA_ NVIDIA_ TF_ XLA_ PYTORCH_ NCCL_ OMP_ GOMP_ KMP_ MKL_ OPENBLAS_ MALLOC_"
# Terraform begins its variables as TensorFlow does, and NVIDIA_ may be followed by API_KEY.
_SECRET = re.compile(r"TOKEN|SECRET|PASS|KEY|CREDENTIAL|LOGIN|AUTH|^TF_(VAR|CLI)_")
_WAYS_OUT = "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY HF_ENDPOINT"
"""Where a run may reach the hub. An address with a name and a password in it is none of these."""


def harmless(environment: Mapping[str, str], online: bool) -> dict[str, str]:
    """What of the host's environment the libraries need, or a host may want to steer them by."""
    return {
        name: value
        for name, value in environment.items()
        if _is_needed(name) or (online and name.upper() in _WAYS_OUT.split() and "@" not in value)
    }


def _is_needed(name: str) -> bool:
    steers = name.startswith(tuple(_BEGINNINGS.split())) and not _SECRET.search(name)
    return steers or name in _NAMES.split()


def show_to_nobody() -> None:
    """Environment, memory and descriptors of this process are not for others of the same user."""
    _LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def begin_as_a_run() -> None:
    """In a fork of what is hidden: it may be seen, and has lost what lets root look into others."""
    _LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # it writes to its own entries of /proc
    renounce({CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON})


def renounce(rights: Collection[int]) -> None:
    """Give up these capabilities for good, where this process has any."""
    for right in rights:
        _LIBC.prctl(PR_CAPBSET_DROP, right, 0, 0, 0)
    header, held = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
    if _LIBC.capget(header, held):
        return
    for right in rights:
        for kind in range(3):  # effective, permitted, inheritable
            held[3 * (right // 32) + kind] &= ~(1 << right % 32)
    _LIBC.capset(header, held)
