"""tf-keras in place of Keras 3, for a script that takes Keras from the package `keras`.

The clinic looks at models of tf-keras alone, and both packages have the same names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from typing import Any

import tensorflow as tf
import tf_keras

from debugger.failure import Failure
from debugger.outcome import Finding
from debugger.pipelines.starting import Built
from debugger.pipelines.unfollowed import Refused
from debugger.script.places import Places

_LACKS = (
    r"module '(?:tf_keras(?:\.api\._v[12]\.keras)?|tensorflow\.keras)([\w.]*)'"
    r" has no attribute '(\w+)'"
)
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
    if (name := _only_in_keras3(failure, places)) is not None and failure is not None:
        told = {"name": name, **versions}
        built.refused = Refused("keras3_name", failure.line, told)
        return _with_names(Finding("lent_keras3_names", "note", "setup", failure.line, told))
    if built.refused is not None and built.refused.code == "keras3_model":
        line = built.refused.line
        return _as_keras(Finding("looked_at_in_tf_keras", "note", "setup", line, versions))
    if (line := places.imported("keras")) is None or _tells_them_apart(places):
        return None
    mixed = failure is not None and re.search(_BOTH, failure.message)
    if mixed or foreign_callbacks(built.trained):
        return _as_keras(Finding("two_kerases", "look", "setup", line, versions))
    return None


def _only_in_keras3(failure: Failure | None, places: Places) -> str | None:
    """What Keras 3 is asked for, which TensorFlow's Keras is unless somebody wants tf-keras."""
    if failure is None or failure.exception != "AttributeError" or _tells_them_apart(places):
        return None
    found = re.search(_LACKS, failure.message)
    if found is None:
        return None
    public = f"keras{found[1]}"
    with suppress(ImportError):
        if hasattr(import_module(public), found[2]):
            return found[2]
    return None


class PyDataset(tf_keras.utils.Sequence):
    """What Keras 3 calls a Sequence."""

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        super().__init__()
        self.workers, self.max_queue_size = workers, max_queue_size
        self.use_multiprocessing = use_multiprocessing


def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
    """What Keras 3 calls apply_gradients."""
    known = self._trainable_variables if trainable_variables is None else trainable_variables
    return self.apply_gradients(zip(grads, known, strict=True))


@contextmanager
def _with_names(said: Finding) -> Iterator[Finding]:
    """What an optimizer is lent stays: the stages ask for it as well."""
    tf_keras.optimizers.Optimizer.apply = apply  # pyright: ignore[reportAttributeAccessIssue]
    homes = [vars(owner) for owner in (tf_keras.utils, tf.keras.utils)]
    for one in homes:
        one["PyDataset"] = PyDataset
    try:
        yield said
    finally:
        for one in homes:
            one.pop("PyDataset", None)


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
        with _with_names(said):
            yield said
    finally:
        for name in list(filter(_is_of_it, sys.modules)):
            del sys.modules[name]
        sys.modules |= kept


def _is_of_it(name: str) -> bool:
    return name == "keras" or name.startswith("keras.")
