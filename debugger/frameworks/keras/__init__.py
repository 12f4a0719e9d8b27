"""TensorFlow with a compiled Keras model. Light: the libraries are imported in `pipeline`."""

import re
import sys
from typing import Any

from debugger.frameworks.framework import Framework
from debugger.frameworks.keras.typed import CELLS, SNIPPETS

_PACKAGES = ("tensorflow", "tf_keras", "keras")
_OF_TRANSFORMERS = re.compile("TF[A-Z].*|keras_callbacks")


def _shows(names: frozenset[str]) -> bool:
    """Imports of TensorFlow or Keras, or of what transformers has for them."""
    return any(map(_is_of_keras, names))


def _is_of_keras(name: str) -> bool:
    top, *rest = name.split(".")
    if top == "transformers":
        return any(map(_OF_TRANSFORMERS.fullmatch, rest))
    return top in _PACKAGES


def _takes(model: Any, train_dataset: Any, eval_dataset: Any) -> Any:
    """A model knows no data, so it comes with the batches that `fit` would be given."""
    tf_keras, keras = sys.modules.get("tf_keras"), sys.modules.get("keras")
    if tf_keras is not None and isinstance(model, tf_keras.Model):
        if train_dataset is None:
            raise TypeError(
                "A Keras model knows no data: pass the data set that fit would be given."
            )
        from debugger.frameworks import triton

        triton.settle()  # a model of Keras alone has not loaded it, and what follows does
        from debugger.frameworks.keras.building import Fit
        from debugger.frameworks.keras.feeding import given_as

        return Fit(model, given_as(train_dataset), given_as(eval_dataset), whole=False)
    if keras is not None and isinstance(model, keras.Model):
        raise TypeError(
            "This is a model of Keras 3. The clinic looks at models of tf-keras, as transformers "
            "builds them."
        )
    return None


KERAS = Framework(
    name="keras",
    shows=_shows,
    takes=_takes,
    needs=("tensorflow", "tf_keras"),
    versions=("transformers", "tensorflow", "tf-keras", "datasets", "evaluate", "numpy"),
    environment={
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",  # else every run without a GPU prints that cuInit failed
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    },
    preload=("debugger.frameworks.keras.warm",),
    assets="scenarios.assets.keras",
    home="debugger.frameworks.keras.pipeline",
    nothing="no_fit",
    healthy="adam_by_name",
    snippets=SNIPPETS,
    cells=CELLS,
    wants={"transformers": ">=4.57,<5", "tensorflow": ">=2.21,<2.22", "tf-keras": ">=2.21,<2.22"},
    experiments=True,
    memory=4 / 3,  # TensorFlow traces a graph before it trains; PyTorch has no such thing to hold
    waits=("cpu",),
)
