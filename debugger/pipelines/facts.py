"""What a script builds: its task, its model, and what that is compiled with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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
    `positions` are the tokens that its config has a place for.
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
    positions: int | None = None
