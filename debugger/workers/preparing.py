"""What scenarios load, made ready once by trusted code, where every run finds it."""

import hashlib
import importlib
import logging
import os
import sys
from fcntl import LOCK_EX, flock
from pathlib import Path

from debugger.frameworks import called
from debugger.run import Run
from debugger.workers.apart import apart
from scenarios import assets

log = logging.getLogger(__name__)
_DECIDE = ("CHECKPOINT", "DATASET", "METRIC")


def prepare(run: Run, data_dir: Path) -> None:
    """In a process of its own: it may start threads, and none may be older than the wall.

    A failure is logged; the script meets the same one, and says so in its own place.
    """
    if "datasets" not in sys.modules:  # a warm process without the libraries: nothing loads them
        return
    done = data_dir / "prepared" / _key(run)
    if done.exists():
        return
    done.parent.mkdir(exist_ok=True)
    with open(done.parent / "lock", "w") as one_at_a_time:
        flock(one_at_a_time, LOCK_EX)
        if not done.exists() and apart(lambda: _is_prepared(called(run.framework).assets)):
            done.touch()


def _is_prepared(module: str) -> bool:
    try:
        importlib.import_module(module).prepare()
    except Exception:
        log.exception("what the scenarios load could not be prepared")
        return False
    return True


def _key(run: Run) -> str:
    """Whatever decides what is loaded, and where it is kept."""
    chosen = [os.environ.get(f"CLINIC_{name}") for name in _DECIDE]
    kept = [os.environ.get(name) for name in ("HF_HOME", "HF_DATASETS_CACHE")]
    corpus = [(path.name, path.stat().st_mtime_ns) for path in (assets.HERE / "corpus").iterdir()]
    decided = (str(assets.HERE), run.framework, run.assets, chosen, kept, sorted(corpus))
    return hashlib.sha256(repr(decided).encode()).hexdigest()[:16]
