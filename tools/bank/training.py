"""Runs a script to its end as its author would, away from here, and reads the number it prints."""

from __future__ import annotations

import json
import os
import re
import resource
import runpy
import signal
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.bank.cases import Case

MOST_SECONDS = 90
"""Of the processor's time, so that a busy machine proves the same."""
MOST_PATIENCE = 900
"""In seconds on the clock, for a script that waits."""
LATE = "still running"
HERE = f"{sysconfig.get_path('purelib')}/"
"""Where this machine keeps its libraries, which concerns no reader."""
ENVIRONMENTS = {"pytorch": {"USE_TF": "0"}, "keras": {"TF_USE_LEGACY_KERAS": "1"}}
EVERYWHERE = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "CUDA_VISIBLE_DEVICES": "",
}


@dataclass(frozen=True)
class Trained:
    """How a training ended: `number` as the script printed it last, or the error that ended it.

    `seconds` are the processor's.
    """

    seconds: float
    number: float | None = None
    error: str = ""


def train(case: Case) -> Trained:
    """In a process of its own, which inherits what is imported here."""
    with tempfile.TemporaryDirectory() as folder:
        process = os.fork()
        if process == 0:
            _be_the_script(case, Path(folder))
        status, seconds = _ended(process)
        said = (Path(folder) / "said").read_text(errors="replace").replace(HERE, "")
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return Trained(seconds, error=f"{LATE} after {MOST_SECONDS} s")
    if status != 0:
        errors = re.findall(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*", said, re.MULTILINE)
        return Trained(seconds, error=errors[-1][:120] if errors else f"status {status}")
    return Trained(seconds, number=_number(said, case.base.number))


def warm_up(framework: str) -> None:
    """Import once what the scripts import."""
    import datasets  # noqa: F401
    import pandas  # noqa: F401
    import sklearn.metrics  # noqa: F401
    import torch

    torch.set_num_threads(1)
    if framework == "keras":
        import tensorflow  # noqa: F401
        from transformers import (  # noqa: F401
            TFBertModel,
            TFDistilBertModel,
            TFGPT2LMHeadModel,
        )
    else:
        from transformers import (  # noqa: F401
            BertModel,
            Seq2SeqTrainer,
        )


def _be_the_script(case: Case, folder: Path) -> None:
    status = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))
        path = case.lay(folder)
        if path.suffix == ".ipynb":
            path = folder / "notebook_cells.py"
            path.write_text(case.files[case.main], encoding="utf-8")
        with open(folder / "said", "w") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        sys.argv = [str(path)]
        runpy.run_path(str(path), run_name="__main__")
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _ended(process: int) -> tuple[int, float]:
    """The status that it ended with, and the processor's seconds that it took."""
    until = time.monotonic() + MOST_PATIENCE
    done, status, used = os.wait4(process, os.WNOHANG)
    while not done:
        time.sleep(0.05)
        late = time.monotonic() > until
        if late:
            os.killpg(process, signal.SIGKILL)
        done, status, used = os.wait4(process, 0 if late else os.WNOHANG)
    return status, used.ru_utime + used.ru_stime


def _number(said: str, name: str) -> float | None:
    """The last one printed under that name."""
    number = r"(-?[0-9.]+(?:e-?[0-9]+)?|nan|inf)"
    found = re.findall(rf"'{re.escape(name)}': (?:np\.float\d+\()?{number}", said)
    return float(found[-1]) if found else None


def serve(cases: Iterator[Case], framework: str) -> Iterator[tuple[Case, Trained]]:
    warm_up(framework)
    for case in cases:
        yield case, train(case)


def as_json(trained: Trained) -> dict[str, object]:
    number = None if trained.number is None else float(f"{trained.number:.4g}")
    told = {"number": number, "error": trained.error, "seconds": round(trained.seconds, 1)}
    return json.loads(json.dumps({name: value for name, value in told.items() if value != ""}))
