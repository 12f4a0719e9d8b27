"""Training Clinic's diagnosis, for a Trainer or a Keras model of your own: `diagnose(trainer)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debugger.outcome import STAGES, StageName
from debugger.report import Report
from debugger.run import ON, WAYS, Way

if TYPE_CHECKING:
    from debugger.printing import ReadableReport


def diagnose(
    trainer_or_model: Any,
    train_dataset: Any = None,
    eval_dataset: Any = None,
    *,
    stage: StageName | Way = ON,
    steps: int = 120,
    language: str = "en",
    experiments: bool = True,
) -> ReadableReport:
    """Walk a built Trainer, or a compiled Keras model, through the stages up to an exception.

    A Keras model knows no data, so it comes with the batches that `fit` would be given. `stage` is
    "on", "walk" (to the first failure), "all" or one stage's name; `steps` bounds the `train`
    stage, `language` is what the report speaks. Where training is in doubt, `experiments` change
    one thing at a time on it, for a minute at most. Everything is left as it was, to the bit. In a
    notebook the report shows itself; elsewhere print it.
    """
    from debugger.diagnosis import diagnose_built
    from debugger.frameworks import FRAMEWORKS
    from debugger.printing import ReadableReport
    from debugger.script.building import Building
    from debugger.words import Words

    Words(language)  # one that is not spoken is refused before anything runs
    if stage not in (*WAYS, *STAGES):
        raise ValueError(f"stage is one of {', '.join((*WAYS, *STAGES))}; this is {stage!r}.")
    if steps < 0:
        raise ValueError(f"steps is 0 or more; this is {steps}.")
    for framework in FRAMEWORKS:
        taken = framework.takes(trainer_or_model, train_dataset, eval_dataset)
        if taken is not None:
            built = Building(taken, framework=framework.name)
            report = diagnose_built(built, stage, steps, experiments=experiments)
            return ReadableReport(**{**vars(report), "language": language})
    kind = type(trainer_or_model).__name__
    raise TypeError(f"diagnose wants a Trainer or a compiled Keras model; this is a {kind}.")


__all__ = ["Report", "diagnose"]
