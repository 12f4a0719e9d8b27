"""The first cell of every notebook: where the assets come from, and what must be installed."""

_FIRST = """\
import copy
import os
import sys
from collections import Counter
from pathlib import Path

{settings}
os.environ["CUDA_VISIBLE_DEVICES"] = ""  # {cpu}
HUB = "distilbert-base-uncased", "glue", "glue"
for folder in [Path.cwd(), *Path.cwd().parents]:
    if (folder / "scenarios" / "assets").is_dir():
        sys.path.insert(0, str(folder))
        break
try:
    from {module} import CHECKPOINT, DATASET, METRIC
except ImportError:
    CHECKPOINT, DATASET, METRIC = HUB
    %pip install -q {packages}{more}
if DATASET == HUB[1]:
    print({hub})
else:
    print({bundled})

import {library}
"""
_LATER = {name: f"{{{name}}}" for name in ("cpu", "packages", "hub", "bundled")}
_LATER = {name: f"{{{name}}}" for name in ("cpu", "packages", "hub", "bundled")}
COMMON = ("transformers", "datasets", "evaluate", "scikit-learn")
"""What the notebooks of every framework install."""


def opening(settings: str, assets: str, library: str, more: str = "") -> str:
    """The cell with what is still to be filled in: `cpu`, `packages`, `hub` and `bundled`."""
    return _FIRST.format(**_LATER, settings=settings, module=assets, library=library, more=more)
