"""Environments in which the clinic is installed from its wheel, as its users have it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
BASE = ("numpy", "pydantic", "landlockpy")
TRAINER = ("torch", "transformers", "accelerate")
"""What anybody has who has built a Trainer."""


def environment(folder: Path, wheel: Path, site: Path, brought: Iterable[str] | None) -> Path:
    """The folder of its programs. The wheel and its dependencies are really installed.

    What its user brings is large and takes minutes to install, so it is linked from `site`: the
    packages named and what they need, or all of them. What pip has installed goes before it.
    """
    programs = folder / "bin"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [programs / "python", "-m", "pip", "install", "--quiet", "--no-compile", wheel], check=True
    )
    links = site if brought is None else _linked(site, brought, folder / "brought")
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "brought.pth").write_text(f"{links}\n", encoding="utf-8")
    return programs


def _linked(site: Path, brought: Iterable[str], folder: Path) -> Path:
    folder.mkdir()
    there = {_plain(found.name): found for found in metadata.distributions(path=[str(site)])}
    wanted, done = [*brought], {*BASE}
    while wanted:
        name = wanted.pop()
        if name in done or name not in there:
            continue
        done.add(name)
        needs = [need for need in there[name].requires or () if "extra ==" not in need]
        wanted += [_plain(re.split(r"[^\w.-]", need, maxsplit=1)[0]) for need in needs]
        for top in {file.parts[0] for file in there[name].files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(site / top)
    return folder


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def outside(data: Path) -> dict[str, str]:
    """The environment of somebody who has never seen the checkout."""
    ours = ("PYTHONPATH", "CLINIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"CLINIC_DATA_DIR": str(data), "USE_TF": "0"}
