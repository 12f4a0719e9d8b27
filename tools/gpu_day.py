"""A day with a GPU, in parts of at most ten minutes; see `python tools/gpu_day.py --list`.

Each part leaves its result in --out as it goes and goes on where it stopped when it is run again.
It installs nothing: it says which wheels to bring. Nothing of `--device imitation` is ever shown.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DONE, LACKING, LEFT, USAGE = 0, 2, 3, 64
GRACE = 10.0
TESTS = ("tests/test_gpu.py",)


@dataclass(frozen=True)
class Part:
    does: str
    minutes: int
    wants: tuple[str, ...] = ()


PARTS = {
    "tests": Part("the tests that need a GPU (tests/test_gpu.py)", 10, ("pytest",)),
    "record": Part("records gpu_assert, out_of_memory and hungry_tensorflow", 3),
    "clicks": Part("a PyTorch scenario's first stage on the GPU, and the stages after it", 3),
    "table": Part("every PyTorch scenario through its stages, on the CPU and on the GPU", 10),
    "asserts": Part("200 device-side asserts among 200 healthy runs, and GPU memory", 10),
    "write": Part("puts recordings and docs/GPU.md in place; needs no GPU", 0),
}


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.list:
        return _list(asked.installed)
    if asked.part is None:
        print("Name a part with --part, or see them all with --list.", file=sys.stderr)
        return USAGE
    return _write(asked.out) if asked.part == "write" else _run(asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "gpu")
    parser.add_argument("--seconds", type=float, default=540, help="when to stop by itself")
    parser.add_argument("--device", choices=("cuda", "imitation"), default="cuda")
    parser.add_argument("--list", action="store_true", help="the parts, and what is missing")
    parser.add_argument(
        "--installed",
        type=Path,
        help="a file with another machine's packages (`pip list`): what to bring there",
    )
    return parser


def _list(other: Path | None) -> int:
    from tools.gpu import needs

    here = needs.installed() if other is None else needs.read_list(other)
    missing = needs.lacking(needs.RUNS, here)
    for name, part in PARTS.items():
        print(f"{name:8} about {part.minutes} minutes: {part.does}")
        if more := sorted({*needs.lacking(part.wants, here)} - {*missing}):
            print(f"{'':8} missing for it: {' '.join(more)}")
    if missing:
        print(f"Missing for all of them: {' '.join(missing)}")
    if lacks := needs.lacking(needs.KERAS, here):
        print(f"hungry_tensorflow is left out without {' '.join(lacks)}")
    print("TensorFlow sees a GPU only with the CUDA libraries of tensorflow[and-cuda].")
    pinned = needs.pins()["transformers"]
    if (version := here.get("transformers", pinned)) != pinned:
        print(f"transformers {version} instead of {pinned}: the results say so.")
    if other is None:
        machine = needs.machine(False, here) if "torch" in here else "torch is missing."
        print(machine if isinstance(machine, str) else f"{machine.device}: ready.")
    return DONE


def _run(asked: argparse.Namespace) -> int:
    from tools.gpu import needs

    here = needs.installed()
    if lacks := needs.lacking((*needs.RUNS, *PARTS[asked.part].wants), here):
        print(f"Bring these wheels first: {' '.join(lacks)}", file=sys.stderr)
        return LACKING
    machine = needs.machine(asked.device == "imitation", here)
    if isinstance(machine, str):
        print(machine, file=sys.stderr)
        return LACKING
    from tools.gpu.kept import Clock, Kept, OtherMachineError

    try:
        kept = Kept(asked.out, asked.part, machine)
    except OtherMachineError as other:
        print(other, file=sys.stderr)
        return USAGE
    if asked.part == "tests":
        left = _tests(kept.path, asdict(machine), asked.seconds)
    else:
        from tools.gpu import runs

        left = getattr(runs, asked.part)(kept, Clock(asked.seconds))
    print(f"{kept.path}: {f'{left} are left, run it again' if left else 'all of it is there'}.")
    return LEFT if left else DONE


def _tests(path: Path, machine: dict[str, object], seconds: float) -> int:
    """In a process of its own, which is ended if a test outlasts the time."""
    about = {
        "GPU_DAY_SECONDS": str(seconds - 2 * GRACE),
        "GPU_DAY_FOLDER": str(path.parent.resolve()),
        "GPU_DAY_MACHINE": json.dumps(machine),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.gpu.watching", *TESTS]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | about, start_new_session=True)
    try:
        status = process.wait(seconds - GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 1
    return 0 if status in (0, 1, 5) else 1  # all passed, some failed, none was left to run


def _write(folder: Path) -> int:
    from tools.gpu import written

    try:
        print("\n".join(written.write(folder)))
    except written.RefusedError as refused:
        print(refused, file=sys.stderr)
        return USAGE
    return DONE


if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the folder of this file stands there
    sys.exit(main())
