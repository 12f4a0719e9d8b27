"""How TensorFlow was told to hold GPU memory, and what is left of it for another process."""

from __future__ import annotations

import csv
import os
import subprocess
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
_ASK = ("nvidia-smi", "--query-gpu=name,memory.used,memory.total", "--format=csv,noheader,nounits")
ASK_SECONDS = 10


@dataclass(frozen=True)
class Card:
    """One GPU, in megabytes. `used` is by all processes that are on it."""

    name: str
    used: int
    total: int


@dataclass(frozen=True)
class GpuMemory:
    """`takes_all`: the first use of a GPU takes nearly all of its memory. None: not to be told.

    `said` is what the variable says, `gpus` how many TensorFlow may use.
    """

    takes_all: bool | None
    said: str | None
    gpus: int
    cards: tuple[Card, ...] = ()


def gpu_memory() -> GpuMemory:
    said, gpus = os.environ.get(GROWTH), tf.config.get_visible_devices("GPU")
    return GpuMemory(_takes_all(said, gpus), said, len(gpus), cards())


def _takes_all(said: str | None, gpus: list[Any]) -> bool | None:
    """The variable beats what the script set by a call. TensorFlow knows these two words only."""
    if said == "true" or (gpus and all(map(_limited, gpus))):
        return False
    if said == "false":
        return True
    if gpus:
        return not all(map(tf.config.experimental.get_memory_growth, gpus))
    return None if said is None else True


def _limited(gpu: Any) -> bool:
    parts = tf.config.get_logical_device_configuration(gpu)
    return bool(parts) and all(part.memory_limit for part in parts)


def cards() -> tuple[Card, ...]:
    """Empty where the driver's own tool is missing, or says something else."""
    try:
        answer = subprocess.run(
            _ASK, capture_output=True, text=True, timeout=ASK_SECONDS, check=True
        ).stdout
        rows = csv.reader(answer.splitlines(), skipinitialspace=True)
        return tuple(Card(name, int(used), int(total)) for name, used, total in rows)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
