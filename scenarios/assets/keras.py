"""What a Keras scenario's script loads: as `scenarios.assets`, with the weights for TensorFlow.

transformers 4.57 cannot read today's safetensors into a TensorFlow model (its issue 40028), so the
weights are converted once, through PyTorch, and kept in the clinic's own folder. To be imported
before TensorFlow, as `scenarios.assets`.
"""

import hashlib
import os
import shutil
import tempfile
from fcntl import LOCK_EX, flock
from pathlib import Path

from debugger.frameworks import triton
from debugger.settings import read
from scenarios import assets

triton.settle()

DIGEST = "tf_model.sha256"


def __getattr__(name: str) -> str:
    """As in `scenarios.assets`: resolved when a script asks."""
    found = getattr(assets, name)
    return str(converted(found, read().data_dir / "checkpoints")) if name == "CHECKPOINT" else found


def prepare() -> None:
    """As in `scenarios.assets`, and the weights converted."""
    assets.load_data()
    __getattr__("CHECKPOINT")


def check_ahead() -> None:
    """Hash what is there: a warm process does it once for all of its runs."""
    for path in (read().data_dir / "checkpoints").glob("*/tf_model.h5"):
        assets.sha256(path)


def converted(checkpoint: str, kept: Path) -> Path:
    """The folder with the same checkpoint for TensorFlow, made when it is not there or damaged."""
    folder = kept / hashlib.sha256(_source(checkpoint).encode()).hexdigest()[:16]
    if not _is_whole(folder):
        kept.mkdir(parents=True, exist_ok=True)
        with open(kept / "lock", "w") as one_at_a_time:
            flock(one_at_a_time, LOCK_EX)
            if not _is_whole(folder):
                _convert(checkpoint, folder)
    return folder


def _source(checkpoint: str) -> str:
    """What the conversion depends on: a name of the hub, or what a folder holds, wherever it is."""
    files = sorted(path for path in Path(checkpoint).glob("*") if path.is_file())
    return "\n".join(f"{path.name} {assets.sha256(path)}" for path in files) or checkpoint


def _is_whole(folder: Path) -> bool:
    digest, weights = folder / DIGEST, folder / "tf_model.h5"
    return digest.is_file() and weights.is_file() and digest.read_text() == assets.sha256(weights)


def _convert(checkpoint: str, folder: Path) -> None:
    from transformers import AutoTokenizer, TFAutoModel

    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        TFAutoModel.from_pretrained(checkpoint, from_pt=True).save_pretrained(made)
        AutoTokenizer.from_pretrained(checkpoint).save_pretrained(made)
        (Path(made) / DIGEST).write_text(assets.sha256(Path(made) / "tf_model.h5"))
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(made, folder)
        Path(made).mkdir()  # for the context manager to remove
