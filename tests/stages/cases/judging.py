"""Cases of the rules in stages/judging.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.stages import judging
from tests.stages.cases.seen import FINE, STEPPED, Case, failed

TOO_MANY = "Mine.training_step() takes 3 positional arguments but 4 were given"

LOST = failed("RuntimeError", "CUDA error: device-side assert triggered")

CROWDED = failed(
    "RuntimeError", "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 GiB"
)

CASES = [
    Case(
        judging.signature_unlike_call,
        replace(STEPPED, failure=failed("TypeError", TOO_MANY)),
        {"failure": failed("TypeError", TOO_MANY.replace("Mine", "Theirs"))},
        script="class Mine(Trainer):\n    def training_step(self, model, inputs): ...\n",
        says={"name": "training_step"},
    ),
    Case(
        judging.batch_too_large,
        replace(FINE, length=512, failure=CROWDED),
        {"length": None},
        says={"rows": 8, "tokens": 512, "megabytes": 4096.0},
    ),
    Case(
        judging.device_side_assert,
        replace(FINE, failure=LOST),
        {"failure": failed("RuntimeError", "CUDA is not available")},
    ),
    Case(
        judging.mixed_devices,
        replace(
            FINE, failure=failed("RuntimeError", "Expected all tensors to be on the same device")
        ),
        {"failure": failed("RuntimeError", "Expected all tensors to be on one line")},
        says={"model": "cpu"},
    ),
]
