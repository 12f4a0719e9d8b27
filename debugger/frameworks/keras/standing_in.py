"""tf-keras in place of Keras 3, for a script that takes Keras from the package `keras`.

The clinic looks at models of tf-keras alone, and both packages have the same names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from typing import Any

import tf_keras

from debugger.failure import Failure
from debugger.outcome import Finding
from debugger.pipelines.starting import Built
from debugger.script.places import Places

_BOTH = (
    r"\b(?:tf_)?keras\.src\.|KerasTensor|_distribute_strategy"
    r"|'tuple' object has no attribute 'rank'"
)
"""What either Keras says of something that the other one has made."""


def in_place_of(
    built: Built, failure: Failure | None, places: Places
) -> AbstractContextManager[Finding] | None:
    """While open, `import keras` gives tf-keras. It says so in a finding."""
    versions = {"version": version("keras"), "instead": version("tf-keras")}
    if built.refused is not None and built.refused.code == "keras3_model":
        line = built.refused.line
        return _as_keras(Finding("looked_at_in_tf_keras", "note", "setup", line, versions))
    if (line := places.imported("keras")) is None or _tells_them_apart(places):
        return None
    mixed = failure is not None and re.search(_BOTH, failure.message)
    if mixed or foreign_callbacks(built.trained):
        return _as_keras(Finding("two_kerases", "look", "setup", line, versions))
    return None


def foreign_callbacks(fit: Any) -> list[str]:
    """The classes of Keras 3 among them, which know nothing of the model that they are handed."""
    kinds = map(type, getattr(fit, "callbacks", ()))
    return [one.__name__ for one in kinds if any(_is_of_it(b.__module__) for b in one.__mro__)]


def _tells_them_apart(places: Places) -> bool:
    """Whether its author wants tf-keras from TensorFlow, which is Keras 3 as well otherwise."""
    return places.naming("TF_USE_LEGACY_KERAS") is not None or bool(places.imported("transformers"))


@contextmanager
def _as_keras(said: Finding) -> Iterator[Finding]:
    kept = {name: module for name, module in sys.modules.items() if _is_of_it(name)}
    for name in kept:
        del sys.modules[name]
    parts = {name: module for name, module in sys.modules.items() if name.startswith("tf_keras.")}
    sys.modules |= {name.removeprefix("tf_"): module for name, module in parts.items()}
    sys.modules["keras"] = tf_keras
    try:
        yield said
    finally:
        for name in list(filter(_is_of_it, sys.modules)):
            del sys.modules[name]
        sys.modules |= kept


def _is_of_it(name: str) -> bool:
    return name == "keras" or name.startswith("keras.")
