"""What the batch stage sees: one batch as the training makes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from debugger.failure import Failure
from debugger.pipelines.data import Field
from debugger.pipelines.inputs import Padding, Signal
from debugger.pipelines.plan import Order
from debugger.pipelines.targets import Targets
from debugger.pipelines.within import Levelled, Looked, Scaled, Unadapted


@dataclass(frozen=True)
class Sample:
    """The first example of a batch. `place` is its row in the training set, where that is told."""

    tokens: tuple[str, ...] = ()
    mask: tuple[int, ...] = ()
    label: Any = None
    texts: dict[str, str] = field(default_factory=dict)
    place: int | None = None


@dataclass(frozen=True)
class Mixed:
    """A batch held against the training rows: of its `rows`, so many are put together of several
    of those (`parts`), or have a label that their own row has not (`labels`). `levelled` is the one
    label that all of them have, though their own rows have several. `foreign` rows stand in the
    evaluation set alone."""

    rows: int
    parts: int = 0
    labels: int = 0
    levelled: int | None = None
    foreign: int = 0


@dataclass(frozen=True)
class Batch:
    """Of rows that could not be put together: the first, and by field the lengths of all.

    They are `first_row` and `handed`. `eval_signal` is that of a few
    evaluation rows. `dropped` are the columns that never reach the collator. `same_tokens` counts
    the labels of a batch whose rows all hold the same tokens. `lost` rows the collator was handed
    and left out. `cut` is an amount of a row, and the whole number that the batch has for it.
    `filled_behind` is a layer that reads on behind the words, and the share of zeros there.
    `answer` is the one of several inputs that is what is asked for, class by class.
    """

    fields: dict[str, Field]
    mask: tuple[tuple[int, ...], ...] = ()
    widths: tuple[int, ...] = ()
    labels: tuple[Any, ...] = ()
    text_fields: tuple[str, ...] = ()
    counted_padding: int = 0
    padded_positions: int = 0
    sample: Sample | None = None
    handed: dict[str, tuple[int, ...]] = field(default_factory=dict)
    first_row: dict[str, Any] = field(default_factory=dict)
    padding: Padding | None = None
    filled_behind: tuple[str, float] | None = None
    signal: Signal | None = None
    eval_signal: Signal | None = None
    targets: Targets | None = None
    dropped: tuple[str, ...] = ()
    asked_for: tuple[str, ...] = ()
    mixed: Mixed | None = None
    order: Order | None = None
    scaled: Scaled | None = None
    unadapted: Unadapted | None = None
    levelled: Levelled | None = None
    looked: tuple[Looked, ...] = ()
    same_tokens: int = 0
    lost: int = 0
    answer: str = ""
    cut: tuple[float, float] | None = None
    failure: Failure | None = None
