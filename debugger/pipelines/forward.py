"""What the forward stage sees: what a model and its loss make of one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from debugger.failure import Failure
from debugger.pipelines.company import Company
from debugger.pipelines.drawn import Drawn, Outside, Redrawn, Unfitting
from debugger.pipelines.heads import Head
from debugger.pipelines.layout import Lone, Swapped
from debugger.pipelines.losses import Asked, Shared, Squashed
from debugger.pipelines.within import Penalty

SAME_LOSS = 1e-3


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
