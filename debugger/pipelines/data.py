"""What the data stage sees: the rows to train on and to evaluate on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from debugger.failure import Failure
from debugger.pipelines.answers import Answers
from debugger.pipelines.belonging import Belonging
from debugger.pipelines.columns import Columns
from debugger.pipelines.inputs import Read
from debugger.pipelines.lineage import Disorder, Made
from debugger.pipelines.sounds import Sounds
from debugger.pipelines.spelled import Cased, Short, Unsplit
from debugger.pipelines.targets import Aims
from debugger.pipelines.trying import Worded
from debugger.pipelines.windows import Met, Windows


@dataclass(frozen=True)
class Field:
    shape: tuple[int, ...]
    dtype: str
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Entry:
    """How a Keras batch enters the model: `parts` is ("x",) or ("x", "y").

    `inside` is the label among the inputs, if there is one.
    """

    parts: tuple[str, ...]
    fields: dict[str, Field]
    inside: str | None


@dataclass(frozen=True)
class Split:
    """One data set as the Trainer holds it. Numbers speak of the first `looked_at` rows.

    `lengths` count the real tokens of a row, `widths` its filling too. `digest` is of how rows
    begin, with their labels, so that a cut does not change it. The others are of whole rows:
    with the numbers of their labels, with their names, and without labels.
    `sample` marks one row in sixteen, always the same ones, so that two data sets can be compared
    row by row. `judged` are a few rows, text and label, that are the same ones in every order.
    `made` is what each call that these rows came from did to the labels, the last first.
    `target_lengths` count the labels of a row, where those are a sequence. `hidden` are columns
    that its format gives nobody. `unlabelled_at` is the line that took its labels away,
    `relabelled_at` the one that gave them. `counted`: it has as many rows as a dictionary in it has
    keys, by its name, and the lists in there are so long. `uncounted`: by a name, it holds so many
    rows, all of which it gives when asked, and says that it has fewer.
    """

    count: int
    looked_at: int
    columns: tuple[str, ...]
    kept: tuple[str, ...]
    types: dict[str, str]
    label_column: str | None
    labels: tuple[Any, ...]
    class_names: tuple[str, ...] | None
    first_rows: tuple[dict[str, Any], ...]
    decoded: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]
    texts: tuple[dict[str, str], ...]
    lengths: tuple[int, ...]
    widths: tuple[int, ...]
    duplicates: int
    few_valued: dict[str, int] = field(default_factory=dict)
    digest: str = ""
    words: str = ""
    numbered_digest: str = ""
    named_digest: str = ""
    bare_digest: str = ""
    sample: tuple[str, ...] = ()
    judged: tuple[tuple[str, Any], ...] = ()
    read: Read | None = None
    aims: Aims | None = None
    made: tuple[Made, ...] = ()
    parts: Belonging = field(default_factory=Belonging)
    disorder: Disorder | None = None
    target_lengths: tuple[int, ...] = ()
    answers: Answers | None = None
    hidden: tuple[str, ...] = ()
    unlabelled_at: int | None = None
    relabelled_at: int | None = None
    sounds: Sounds | None = None
    counted: tuple[str, int] | None = None
    uncounted: tuple[str, int] | None = None


@dataclass(frozen=True)
class Data:
    """`entry` is of Keras; so are `lengths`, of the rows that could not be put together, and the
    arrays behind, `columns` and `eval_columns`, of which `swapped` stand at another's place.

    `windows` are the training rows of Keras, where each is a part of one course of time; `met` are
    such of the evaluation that were learned from for the most part.
    `weighs`: a loss, a sampler or a model of one's own may give rare classes more weight; `drawn`
    is how much of them a sampler with weights, or weights of the classes, give each label.
    `metrics`: what compute_metrics answers; None where it could not be asked. `keys` is what makes
    each training row itself. `picked_line`: of the call that picked the evaluation rows out of
    those that the training rows came from, too. `worded` are the training rows as words, beside
    their labels; `both` those of the training and of the evaluation, where they are compared.
    `held` are the columns of training rows that could not be read. `relabelled` counts rows that
    have another label when they are read again, and all that come again. `short`: of the texts that
    the rows were made of, only the beginnings are read. `renumbered`: a vocabulary that is made
    anew between two sets, and at which line; `refitted` is what learns from the rows to be judged
    by how to prepare them, at which line, and of which class. `thrown_away` is what is made of a
    data set and not kept: its name, by which call, at which line, and whether by the call alone.
    `spelled_out` is how a text begins, as the tokenizer was handed it, whose words are letters.
    `late`: a token that answers have lost in front, and of how many of them that is known.
    `drawn_anew`: a field of the training rows, and one of the evaluation's, that is another one
    each time that the same row is read. `numbered`: where a tokenizer made the evaluation rows that
    gives so many tokens another number than the training's does, of so many that both know.
    `cased`: words that are unknown as they are written, and known in small letters. `unsplit`:
    texts that a tokenizer takes for one word each. `unfelt`: labels that are no finite number leave
    the loss one, as it masks them.
    """

    train: Split | None
    eval: Split | None
    weighs: bool = False
    drawn: Mapping[int, float] = field(default_factory=dict)
    metrics: tuple[str, ...] | None = ()
    shared_rows: int = 0
    is_dataset_dict: bool = False
    streamed: bool = False
    keys: tuple[str, ...] = ()
    eval_keys: tuple[str, ...] = ()
    picked_line: int | None = None
    entry: Entry | None = None
    lengths: tuple[int, ...] = ()
    windows: Windows | None = None
    met: Met | None = None
    columns: Columns | None = None
    eval_columns: Columns | None = None
    swapped: tuple[tuple[int, int], ...] = ()
    misfilled: tuple[int, int] | None = None
    worded: Worded = field(default_factory=Worded)
    both: tuple[Worded, Worded] = (Worded(), Worded())
    held: tuple[str, ...] = ()
    relabelled: tuple[int, int] | None = None
    short: Short | None = None
    renumbered: tuple[str, int] | None = None
    refitted: tuple[str, int, str] | None = None
    thrown_away: tuple[str, str, int, bool] | None = None
    spelled_out: str = ""
    late: tuple[str, int] | None = None
    drawn_anew: tuple[str, str] = ("", "")
    numbered: tuple[int | None, int, int] | None = None
    cased: Cased | None = None
    unsplit: Unsplit | None = None
    unfelt: bool = False
    failure: Failure | None = None
