"""PyTorch with a Trainer of transformers. Light: the libraries are imported in `pipeline`."""

import re
from typing import Any

from debugger.frameworks.framework import Framework
from debugger.frameworks.pytorch.typed import CELLS, SNIPPETS

_TRAINER = re.compile(r"transformers\.(\w+\.)*(?!TF)\w*Trainer")


def _shows(names: frozenset[str]) -> bool:
    """A script that imports a Trainer trains with PyTorch, whatever else it imports."""
    return any(map(_TRAINER.fullmatch, names))


def _takes(trainer: Any, *_: Any) -> Any:
    return trainer if hasattr(trainer, "get_train_dataloader") else None


PYTORCH = Framework(
    name="pytorch",
    shows=_shows,
    takes=_takes,
    needs=("torch", "transformers"),
    versions=("transformers", "torch", "datasets", "evaluate", "accelerate", "numpy"),
    environment={"USE_TF": "0"},
    preload=("debugger.frameworks.pytorch.warm",),
    assets="scenarios.assets",
    home="debugger.frameworks.pytorch.pipeline",
    nothing="no_trainer",
    healthy="two_labels",
    snippets=SNIPPETS,
    cells=CELLS,
    experiments=True,
    waits=("cuda",),
    wants={"transformers": ">=4.57,<6"},
)
