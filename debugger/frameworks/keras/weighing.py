"""What a training has learned, left as plain numbers, and tried in another model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from debugger.frameworks.keras.bench import Bench, named_weights
from debugger.frameworks.keras.reading import Rows
from debugger.frameworks.keras.training import accuracy, are_classes
from debugger.outcome import Weighed
from debugger.pipelines import learned
from debugger.pipelines.curve import EVAL_ROWS
from debugger.pipelines.facts import Facts
from debugger.pipelines.rows import spread


def leave(model: Any, facts: Facts, file: Path) -> None:
    learned.leave(file, _arrays(model), facts.label_names)


def weigh(model: Any, facts: Facts, bench: Bench, held_out: Rows | None, file: Path) -> Weighed:
    """With rows that this model's own script prepared. It keeps the weights."""
    if held_out is None or not are_classes(held_out, facts):
        return Weighed(reason="weights_untried")
    before = _arrays(model)
    try:
        arrays, labels = learned.found(file, before)
    except learned.Unusable as error:
        return Weighed(reason=error.code)
    far = learned.moved(arrays, before)
    for name, weight in named_weights(model).items():
        weight.assign(arrays[name])
    with bench.untouched():
        rows = spread(held_out.looked_at, EVAL_ROWS)
        guesses = accuracy(model, held_out, rows, facts)[2]
    return learned.weighed(guesses, labels, facts.label_names, far)


def _arrays(model: Any) -> dict[str, Any]:
    return {name: weight.numpy() for name, weight in named_weights(model).items()}
