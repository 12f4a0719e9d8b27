"""What a pipeline shows of itself, as plain values: the one face over a Trainer or a Keras model.

Stages read these and nothing else, so rules are tested on plain values and know no framework.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from debugger.failure import Failure
from debugger.outcome import Weighed
from debugger.pipelines.answers import Answers
from debugger.pipelines.belonging import Belonging
from debugger.pipelines.by_hand import ByHand, Unsteady
from debugger.pipelines.called import Uncallable
from debugger.pipelines.columns import Column, Columns
from debugger.pipelines.company import Company
from debugger.pipelines.drawn import Drawn, Outside, Redrawn, Unfitting
from debugger.pipelines.heads import Head
from debugger.pipelines.held import Held
from debugger.pipelines.inputs import Padding, Read, Signal
from debugger.pipelines.layout import Lone, Swapped
from debugger.pipelines.lineage import Disorder, Made
from debugger.pipelines.losses import Asked, Shared, Squashed
from debugger.pipelines.phases import Phases
from debugger.pipelines.plan import Order, Plan
from debugger.pipelines.printed import Printed
from debugger.pipelines.reached import Reached
from debugger.pipelines.sounds import Sounds
from debugger.pipelines.spelled import Cased, Short, Unsplit
from debugger.pipelines.targets import Aims, Targets
from debugger.pipelines.trials import Trials
from debugger.pipelines.trying import Lab, Worded
from debugger.pipelines.turning import Turned
from debugger.pipelines.windows import Met, Windows
from debugger.pipelines.within import (
    Alike,
    Faded,
    Levelled,
    Looked,
    Norm,
    Penalty,
    Scaled,
    Unadapted,
)

Task = Literal[
    "classification",
    "regression",
    "multilabel",
    "tokens",
    "causal_lm",
    "masked_lm",
    "seq2seq",
    "multiple_choice",
    "spans",
    "unknown",
]
Emit = Callable[[str, float, float | None], None]
"""Called with a series, a step and a value while a training runs."""
Guesses = dict[tuple[int, int], int]
"""How many rows of a label, the first number, were given which class, the second."""


@dataclass(frozen=True)
class Compiled:
    """What `compile` was given: the `strings`, and the `defaults` that these leave.

    `loss` is its name; "" is the model's own. `eagerly`: `fit` runs without a graph.
    """

    strings: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    loss: str = ""
    eagerly: bool = False


@dataclass(frozen=True)
class Facts:
    """What is fixed once it is built. `label_names` are the data set's, else the model's own.

    `framework` is the name of the one whose words and lines to type belong to it. `compiled` is
    None where nothing is compiled: then a training loop makes the loss, the steps and the zeroing.
    `tokenized_at` is the line that was first seen to make tokens of texts, `targets_tokenized_at`
    the one that made those of the texts that the model is to write. `layers_at` are the classes and
    the lines of layers by their names, where they were seen being made, and `last_layer` is the one
    that answers. `cut_short`: the script trains the model before, and little of that was run here.
    """

    task: Task
    model_class: str
    num_labels: int | None
    label_names: tuple[str, ...] | None
    device: str
    collator: str
    pads: bool
    main_input: str
    batch_size: int
    pretrained: bool
    known_collator: bool
    framework: str = "pytorch"
    compiled: Compiled | None = None
    by_hand: bool = False
    tokenized_at: int | None = None
    targets_tokenized_at: int | None = None
    layers_at: dict[str, tuple[str, int]] = field(default_factory=dict)
    last_layer: str = ""
    cut_short: bool = False


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


@dataclass(frozen=True)
class Earlier:
    """A training of the same model by another Trainer, before this one was built.

    `moved` of `tensors` are no longer as they were before it; `steps` of `planned` were run.
    `same_task`: it trained the same weights on the same rows, so it was no stage of a recipe.
    """

    line: int | None
    built_line: int | None
    steps: int
    planned: int
    moved: int
    tensors: int
    same_task: bool

    @property
    def cut_short(self) -> bool:
        return self.steps < self.planned


@dataclass(frozen=True)
class Reads:
    """How far the answers move when the words of a batch are others, as a share of their spread:
    `text`, where the mask is 1; `filling`, where it is 0. `rows` have a filling."""

    text: float
    filling: float
    rows: int


@dataclass(frozen=True)
class Listed:
    """Parts of a model in a plain list, by the name of the field that holds it."""

    name: str
    kind: str
    count: int
    weights: int


SAME_LOSS = 1e-3


@dataclass(frozen=True)
class Forward:
    """`first_logits` are of the batch's first example. `loss_shape` is () for one number.

    `asked` is what a loss of one's own answers to made-up outputs; None where it cannot be asked.
    `refuses_items`: compute_loss does not take what every training step hands it.

    `sees_ahead`: where the next token is asked for, how far the answer moves, in spreads of the
    answers, when only the tokens behind it are others.
    `asks` is how many tokens ahead of the one that is read the loss looks, None where nothing shows
    it. `bounds` are the least and the most that the output can be; `rebuilds`: what it is to say is
    its input, on another scale; `distance` is how far the
    average label is from what the model says, `reach` how far this training can take it. `dropped`
    are columns that never reach the loss, and `asked_for` those that its code names.
    `flattened` is the share of a classifier's outputs that a ReLU at its end makes 0. `reads`: of a
    model of one's own, what it answers to other words. `hides`: so many real tokens, and nothing
    else, a layer of it is told to leave out. `mingled` is how far it answers a row otherwise when
    the rows beside it are others, `unread` an input of several that changes nothing.
    `configured_like`: of a new model, the checkpoint that its config and the tokenizer come from.
    `fields` are the names in the batch; `broken_in` is the part of the model that refused it.
    Of Keras: what the loss `expects` and the model `gives`, what it `counts` in the labels of
    `labels_shape`, and the rows whose loss is nan.
    `returns_nothing`: a compute_loss of one's own answers with None where a training step asks.
    `inputs_shape` is that of what the model reads, `channels` what its config says of pictures.
    `recovers`: the loss finds the logits behind the probabilities that it is given. `batched`: the
    labels have an axis for the rows. `drawn` tells of the weights of a new model, `redrawn` of what
    became of a checkpoint's, `unfitting` of those of it that had no room, `outside` of a table that
    was asked for what it has not. `text` is
    what a model is given that reads none, `unknown` a string that names no loss or no metric: which
    of the two, and the string. `anew` and `beside` count weights that the answer is made with and
    that the model does not have: others each time, or always the same. `company` is what a loss of
    one's own makes of rows beside each other. `bare`: the model answers with a tensor alone, and
    nobody makes a loss of it. `heads` are the outputs of a model that has several, `unknown_output`
    a name of labels that none of them has, and theirs. `listed` are parts that PyTorch knows
    nothing of, `decoder_lacks` what the config of a decoder ought to say and does not. `squashed`
    are probabilities that one of several losses was given for scores, `shared` yes and no that one
    was given for the shares of classes, `swapped` axes that somebody took for swapped,
    `turned_round` the line that
    gave a divergence what it wants second first. `row_shapes` are the shape of rows that a model
    was made for and that of a batch, where the two do not fit; `trains_always` is a layer that is
    told to train where nobody trains, and its class. `thinned` is a function that puts a share of
    the numbers out where nobody trains, and the line that calls it.
    `lone` is a last batch of one row, which loses its axis. `nan_inputs` is a field of the batch
    that holds what is no number, in how many of its rows, and of how many.
    """

    labels: tuple[Any, ...]
    label_type: str
    loss: float | None = None
    losses: tuple[float | None, ...] = ()
    first_logits: tuple[float, ...] = ()
    logits_shape: tuple[int, ...] = ()
    logits_low: float | None = None
    logits_high: float | None = None
    output_keys: tuple[str, ...] = ()
    nan_starts_at: str | None = None
    nan_inputs: tuple[str, int, int] | None = None
    nan_weights: tuple[str, ...] = ()
    problem_type: str | None = None
    label_smoothing: float = 0.0
    own_loss: bool = False
    highest_id: int | None = None
    vocabulary: int | None = None
    length: int | None = None
    positions: int | None = None
    label_range: tuple[float, float] | None = None
    batch_device: str = ""
    earlier: Earlier | None = None
    asks: int | None = None
    sees_ahead: float | None = None
    bounds: tuple[str, float, float] | None = None
    rebuilds: bool = False
    distance: float | None = None
    reach: float | None = None
    dropped: tuple[str, ...] = ()
    asked_for: tuple[str, ...] = ()
    expects: Literal["logits", "probabilities"] | None = None
    gives: Literal["logits", "probabilities"] | None = None
    counts: Literal["numbers", "vectors", "each"] | None = None
    labels_shape: tuple[int, ...] = ()
    recovers: bool = False
    batched: bool = True
    nan_rows: tuple[int, ...] = ()
    loss_shape: tuple[int, ...] = ()
    asked: Asked | None = None
    squashed: Squashed | None = None
    shared: Shared | None = None
    swapped: Swapped | None = None
    turned_round: tuple[int | None] | None = None
    refuses_items: bool = False
    returns_nothing: bool = False
    inputs_shape: tuple[int, ...] = ()
    channels: int | None = None
    flattened: float | None = None
    reads: Reads | None = None
    mingled: float | None = None
    hides: int | None = None
    listed: Listed | None = None
    thinned: tuple[str, float, int | None] | None = None
    decoder_lacks: tuple[str, ...] = ()
    unread: str = ""
    configured_like: str = ""
    drawn: Drawn | None = None
    redrawn: Redrawn | None = None
    unfitting: Unfitting | None = None
    outside: Outside | None = None
    fields: tuple[str, ...] = ()
    heads: tuple[Head, ...] = ()
    unknown_output: tuple[str, str] | None = None
    broken_in: str = ""
    text: str = ""
    unknown: tuple[str, str] | None = None
    anew: int = 0
    beside: int = 0
    row_shapes: tuple[str, str] | None = None
    trains_always: tuple[str, str] | None = None
    penalty: Penalty | None = None
    bare: bool = False
    company: Company | None = None
    lone: Lone | None = None
    failure: Failure | None = None

    @property
    def counts_otherwise(self) -> bool:
        """Whether its loss is somebody's own, and not just the mean cross-entropy of its rows."""
        known = [one for one in self.losses if one is not None]
        if not self.own_loss or self.loss is None or len(known) < max(1, len(self.losses)):
            return self.own_loss
        mean = sum(known) / len(known)
        return abs(mean - self.loss) > SAME_LOSS * max(1.0, mean)


@dataclass(frozen=True)
class Decay:
    """A schedule that falls for so many steps, and how many the training has."""

    name: str
    steps: int
    planned: int
    examples: int


@dataclass(frozen=True)
class Block:
    """A named group of weights and what the first steps did to it."""

    name: str
    weights: int
    trainable: int
    gradient: float | None
    update: float | None


@dataclass(frozen=True)
class Step:
    """`peak_learning_rate` is that of the pretrained weights; a new head may have its own.

    `schedule` is what changes the learning rate, of Keras, as `decay` is; `last_learning_rate` is
    what it leaves at the end of the training. `head_frozen`: its weights are new ones too.
    `refused` is what a callback of the library says before the first step, by the name of its
    class, `uncallable` one that the training itself would stop at. `idle`: the training began and
    ended, and took no step; `switched_off`: the script has switched all gradients off where it
    trains. `resumes_from` is where it is to go on from a checkpoint, and there is none. `adapter`:
    one is trained. `body_trainable` are the trained weights that belong neither to the head nor to
    an adapter; None where nobody counted them.
    """

    blocks: tuple[Block, ...] = ()
    steps: int = 0
    optimizer: str = ""
    learning_rates: tuple[float, ...] = ()
    peak_learning_rate: float | None = None
    head_learning_rate: float | None = None
    trainable: int = 0
    total: int = 0
    head: tuple[str, ...] = ()
    head_frozen: bool = False
    adapter: bool = False
    body_trainable: int | None = None
    missing: tuple[str, ...] = ()
    leftover_gradient: float | None = None
    nan_after: tuple[str, ...] = ()
    decay: Decay | None = None
    schedule: str = ""
    last_learning_rate: float | None = None
    refused: tuple[str, str] | None = None
    uncallable: Uncallable | None = None
    idle: bool = False
    switched_off: bool = False
    resumes_from: str = ""
    plan: Plan | None = None
    alike: tuple[Alike, ...] = ()
    norms: tuple[Norm, ...] = ()
    faded: Faded | None = None
    reached: Reached | None = None
    by_hand: ByHand | None = None
    phases: Phases | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Evaluate:
    """`given` is what compute_metrics was handed; `into_metric` what it handed on. `decoded`:
    whether it made words of tokens without the special ones, and at which line. `written` is the
    most that the evaluation lets a model write, `least` what it makes it write, its end counted,
    `wanted` how long the labels are; `loss` is that of the few rows, and `smoothing` what its
    labels are smoothed by. `least_gain`: an early stopping counts no smaller one; it `waits` for
    so many evaluations, with so many steps between two of them, of so many in an epoch.
    `impatient`: the number at whose first standstill one stops that nobody told how long to wait.
    `asks_in_vain`: answers are to be generated, and this Trainer never does. `lacks` is what a row
    to train on holds, and a row to evaluate on does not.

    `evaluations` is how often the training itself evaluates in its `steps`; None: nobody can tell.
    `repeated` is the share of training rows that stood there before; `same_rows`: both sets are one
    and the same; `scale`: mean and deviation of amounts that are learned. The metric was tried
    on rows that hold `tried_classes`. `parts` is how many arrays the answers are. `strays_at`:
    of answers that are all right, that line of the metric makes something else. `held` is what
    answers are held against by hand, once the training is over, and `anew` the line that makes
    another model then, which is asked; and whether the trained one is asked too. `printed` are
    the numbers that are printed then, and `asked_swapped` columns of what the model is asked
    about then that stand at the place of another one; `asked_scale` is what it learned from,
    beside what it is asked about. `met_before`: so many rows that it is asked about are all
    ones that it learned from, and others stand unasked under that name. `loses`: what a
    compute_loss of one's own gives for outputs, where the Trainer takes the first of it for the
    loss, and it is none. `reach` is the least and the most that an answer can be, where its
    last activation says so. `untested`: the model trains by a step of its own, and no loss is
    evaluated. `fails_later` is what Python will say at a line behind the training, and
    `left_out` is what gives too few rows there: a class of the script's own, or the argument by
    which rows that fill no batch go. `unknown_key` is looked up in the history, which has
    others, at a line. `label_names` are those of several labels a row, as the Trainer puts them
    together, and `other_order` one in which the metric could take them apart, where this one
    fails. `dropout` is the largest of any layer. `watched_in_vain` is a callback, the number
    that it goes by, which no epoch ends with, and those that there are. `stops_on_bad`: the
    class and the event of a callback that ends the training at bad numbers, and not at perfect
    ones. `untold`: what is probably the label, and the Trainer takes for none. `unfilled` are rows
    of a last batch that is dropped because it is not full. `unsteady`: a loop of the script's own
    judges the model as it learns, and the answers are others each time.
    """

    rows: int = 0
    label_names: tuple[str, ...] = ()
    other_order: tuple[str, ...] = ()
    dropout: float = 0.0
    stops_on_bad: tuple[str, str] | None = None
    strategy: str = ""
    steps: int | None = None
    evaluations: int | None = None
    train_names: tuple[str, ...] | None = None
    eval_names: tuple[str, ...] | None = None
    model_names: tuple[str, ...] | None = None
    has_metric: bool = False
    called: bool = False
    unfilled: int = 0
    unsteady: Unsteady | None = None
    untold: str = ""
    given: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    written: int | None = None
    least: int | None = None
    loss: float | None = None
    smoothing: float = 0.0
    least_gain: float = 0.0
    waits: tuple[int, int, int] | None = None
    impatient: str = ""
    asks_in_vain: bool = False
    wanted: tuple[int, ...] = ()
    into_metric: tuple[dict[str, Any], ...] = ()
    decoded: tuple[tuple[bool, int | None], ...] = ()
    guesses: Guesses = field(default_factory=dict)
    real: dict[str, float] = field(default_factory=dict)
    constant: dict[str, float] | None = None
    perfect: dict[str, float] | None = None
    best_metric: str | None = None
    greater_is_better: bool | None = None
    best_by: str = ""
    trials: Trials | None = None
    known_metrics: tuple[str, ...] = ()
    shared_rows: int = 0
    picked_line: int | None = None
    repeated: float = 0.0
    same_rows: bool = False
    scale: tuple[float, float] | None = None
    tried_classes: int | None = None
    parts: int = 1
    strays_at: int | None = None
    loses: str = ""
    eval_rows: int | None = None
    looked_at: int = 0
    num_labels: int | None = None
    held: tuple[Held, ...] = ()
    anew: tuple[int, bool] | None = None
    printed: tuple[Printed, ...] = ()
    asked_swapped: tuple[tuple[int, int], ...] = ()
    asked_scale: tuple[Column, Column] | None = None
    met_before: tuple[int, str] | None = None
    reach: tuple[float, float] | None = None
    untested: bool = False
    fails_later: tuple[str, int] | None = None
    left_out: str = ""
    unknown_key: tuple[str, str, int] | None = None
    watched_in_vain: tuple[str, str, str] | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Memory:
    """Twenty steps on one batch. `before` and `after` are accuracies, `quiet_losses` the losses
    then, without dropout.

    `labels` are the classes of its rows, `rate` is the learning rate that was held and `weights`
    how many weights the model has. `apart` is how far the outputs for its rows lay apart before the
    first step and after the last. `planned` are the steps of the script's own training.
    `out_of_time`: there were fewer, because they take so long. `held_to_labels`: an amount, or
    several labels, say what the answer to each row is to be.
    """

    losses: tuple[float, ...] = ()
    before: float | None = None
    after: float | None = None
    quiet_losses: tuple[float, float] | None = None
    labels: tuple[int, ...] = ()
    rows: int = 0
    rate: float | None = None
    weights: int = 0
    apart: tuple[float, float] | None = None
    planned: int | None = None
    out_of_time: bool = False
    held_to_labels: bool = False
    failure: Failure | None = None


@dataclass(frozen=True)
class Training:
    """The first steps of the real training. Accuracies are the clinic's own count.

    `warming_up` says that the learning rate was still climbing at the last step, `rates` what it
    was at each. `shares` are those of the classes in the training rows, which were gone through
    `epochs` times. `weights` is how many the model has. `out_of_time`: in a faster training the
    last step would not have been the last. `has_words`: rows of words were held against labels.
    `unturned` is what the same training would guess where no picture is turned at random; empty
    where nobody asked. `turned` is what it gets right of pictures that are turned by somebody; None
    where there are none, or nothing to doubt. `lagging` is how much of what the averages of a new
    batch normalisation began with is still in them.
    """

    losses: tuple[float, ...] = ()
    planned: int = 0
    accuracies: tuple[tuple[int, float], ...] = ()
    eval_losses: tuple[tuple[int, float], ...] = ()
    predicted: dict[str, int] = field(default_factory=dict)
    guesses: Guesses = field(default_factory=dict)
    majority: float | None = None
    classes: int | None = None
    eval_rows: int = 0
    warming_up: bool = False
    rates: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    epochs: float | None = None
    weights: int = 0
    peak_learning_rate: float | None = None
    out_of_time: bool = False
    has_words: bool = False
    unturned: Guesses = field(default_factory=dict)
    turned: Turned | None = None
    lagging: float = 0.0
    failure: Failure | None = None


class Pipeline(Protocol):
    """Every method leaves weights, optimizer, RNG states, batch order and modes as they were."""

    facts: Facts

    def untouched(self) -> AbstractContextManager[None]: ...
    def data(self) -> Data: ...
    def batch(self) -> Batch: ...
    def forward(self) -> Forward: ...
    def step(self) -> Step: ...
    def evaluate(self) -> Evaluate: ...
    def overfit(self, steps: int, emit: Emit, seconds: float | None = None) -> Memory: ...
    def train(self, steps: int, emit: Emit, seconds: float | None = None) -> Training: ...
    def leave(self, file: Path) -> None:
        """Where `train` is to write the weights that it ends with, before they are put back."""
        ...

    def weigh(self, file: Path) -> Weighed:
        """What the weights in that file know of the evaluation rows. The model keeps them."""
        ...

    def judged_by(self, owner: Any, rows: Any, labels: Any) -> Pipeline | None:
        """The same, with other rows to evaluate on, which `owner` is asked about once it is
        trained; None where they are no others, or none that an evaluation could be made of."""
        ...

    def lab(self) -> Lab | None:
        """Where experiments are made; None where none can be, as on rows that come as a stream."""
        ...
