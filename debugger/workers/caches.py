"""Caches of the libraries as a run sees them: what is there is found, what is new is its own."""

import os
import sys
from pathlib import Path

from debugger.workers.view import Views

_NAMED = (
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "TRANSFORMERS_CACHE",
    "HF_DATASETS_CACHE",
    "HF_EVALUATE_CACHE",
    "HF_METRICS_CACHE",
    "HF_MODULES_CACHE",
    "HF_ASSETS_CACHE",
    "HF_XET_CACHE",
)
_KEEPERS = (
    "huggingface_hub.constants",
    "huggingface_hub.file_download",
    "huggingface_hub.utils._cache_assets",
    "huggingface_hub.utils._cache_manager",
    "datasets.config",
    "transformers.utils",
    "transformers.utils.hub",
    "transformers.dynamic_module_utils",
    "evaluate.config",
)
"""Modules that read the environment once, when the warm process imported them."""
_FRESH = ("TRITON_CACHE_DIR", "CUDA_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR")


def move(views: Views, folder: Path) -> None:
    """Lay views of the caches in `folder`, and send there whoever looks for them."""
    moved: dict[str, str] = {}
    for name, real in _places().items():
        seen = views.add(real, folder / name.lower())
        moved[str(real)] = os.environ[name] = str(seen)
    for name in _FRESH:
        os.environ[name] = str(folder / name.lower())
    for keeper in filter(None, map(sys.modules.get, _KEEPERS)):
        for name, value in list(vars(keeper).items()):
            if isinstance(value, str | Path) and (new := _new(str(value), moved)):
                setattr(keeper, name, type(value)(new))


def kept() -> list[Path]:
    """The caches without what lies beside them: a home of Hugging Face holds its owner's token."""
    places = _places()
    homes = [places.pop("HF_HOME"), places.pop("TORCH_HOME")]
    inner = ("hub", "datasets", "evaluate", "metrics", "modules", "assets")
    return [*places.values(), *(home / name for home in homes for name in inner)]


def _places() -> dict[str, Path]:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    usual = {"HF_HOME": cache / "huggingface", "TORCH_HOME": cache / "torch"}
    found = {name: Path(os.environ.get(name) or place) for name, place in usual.items()}
    found |= {name: Path(os.environ[name]) for name in _NAMED if os.environ.get(name)}
    return {name: Path(os.path.abspath(place.expanduser())) for name, place in found.items()}


def _new(value: str, moved: dict[str, str]) -> str | None:
    """The innermost of the places goes first: one cache may lie within another."""
    for old in sorted(moved, key=len, reverse=True):
        if value == old or value.startswith(f"{old}{os.sep}"):
            return moved[old] + value[len(old) :]
    return None
