"""Training Clinic's diagnosis, for a Trainer or a Keras model of your own: `diagnose(trainer)`."""

from __future__ import annotations

import sys
from typing import Any

from debugger.report import Report
from debugger.run import WALK


def diagnose(
    trainer_or_model: Any,
    train_dataset: Any = None,
    eval_dataset: Any = None,
    *,
    stage: str = WALK,
    steps: int = 120,
) -> Report:
    """Walk a built Trainer, or a compiled Keras model, through the stages up to the first failure.

    A Keras model knows no data, so it comes with the batches that `fit` would be given. `stage` is
    "walk", "all" or one stage's name; `steps` bounds the `train` stage. Everything is left as it
    was, to the bit. In a notebook the report shows itself; elsewhere print it.
    """
    from debugger.diagnosis import diagnose_built
    from debugger.script import Building

    if not _is_keras(trainer_or_model):
        return diagnose_built(Building(trainer_or_model), stage, steps)
    if train_dataset is None:
        raise TypeError("A Keras model knows no data: pass the data set that fit would be given.")
    from debugger.pipelines.keras.building import Fit

    fit = Fit(trainer_or_model, train_dataset, eval_dataset)
    return diagnose_built(Building(fit, framework="keras"), stage, steps)


def _is_keras(built: Any) -> bool:
    tf_keras, keras = sys.modules.get("tf_keras"), sys.modules.get("keras")
    if tf_keras is not None and isinstance(built, tf_keras.Model):
        return True
    if keras is not None and isinstance(built, keras.Model):
        raise TypeError(
            "This is a model of Keras 3. The clinic looks at models of tf-keras, as transformers "
            "builds them."
        )
    return False


__all__ = ["Report", "diagnose"]
