"""How TensorFlow was told to hold GPU memory, and what is left of it for another process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from debugger.evidence.tables import say, table
from debugger.outcome import Evidence, Finding
from debugger.pipelines.cards import Card, cards
from debugger.script.places import Places

GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
_TYPED = f"""os.environ.get("{GROWTH}")
tf.config.list_physical_devices("GPU")
!nvidia-smi"""


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


def findings(memory: GpuMemory, places: Places, training_line: int | None) -> list[Finding]:
    """A process that leaves nothing of a GPU to others, where its script chose so."""
    if not memory.takes_all:
        return []
    line = places.naming(GROWTH) or training_line
    return [Finding("takes_all_memory", "fault", "setup", line, {"said": memory.said or ""})]


def show(memory: GpuMemory) -> list[Evidence]:
    """Where there is a GPU, or where it would go wrong if there were one."""
    if not (memory.takes_all or memory.gpus or memory.cards):
        return []
    rows = [[GROWTH, memory.said or say("not_set")], [say("gpus_seen"), memory.gpus]]
    rows += [
        [say("megabytes_taken", name=card.name), say("part_of", part=card.used, whole=card.total)]
        for card in memory.cards
    ]
    return [table("gpu_memory", "setup", ["what", "value"], rows, _TYPED)]
