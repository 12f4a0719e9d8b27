"""Cases of the rules in stages/forward.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.drawn import Outside
from debugger.pipelines.facts import Compiled
from debugger.stages import forward
from tests.stages.cases.seen import FINE, Case, failed
from tests.stages.test_step import FACTS

CAST = "result type Float can't be cast to the desired output type Long"

WIDTHS = "Target size (torch.Size([16, 4])) must be the same as input size (torch.Size([16, 3]))"

TOO_SMALL = "Input image size (24*24) doesn't match model (48*48)."

SEGMENTS = Outside("embeddings.token_type_embeddings", 1, 1, "token_type_ids", ("type_vocab_size",))

OUT_OF_BOUNDS = failed("IndexError", "Target 3 is out of bounds.")

REFUSED = replace(FINE, failure=failed("ValueError", "Expected input batch_size (8)"))

CASES = [
    Case(
        forward.number_outside_table,
        replace(FINE, failure=failed("IndexError", "index out of range in self"), outside=SEGMENTS),
        {"outside": None},
        says={"field": "token_type_ids", "number": 1, "size": 1},
    ),
    Case(
        forward.picture_size,
        replace(FINE, failure=failed("ValueError", TOO_SMALL)),
        {"failure": None},
        says={"given": "24*24", "wanted": "48*48"},
    ),
    Case(
        forward.no_head,
        replace(FINE, loss=None, output_keys=("last_hidden_state",)),
        {"output_keys": ("logits",)},
    ),
    Case(
        forward.no_loss,
        replace(
            FINE,
            loss=None,
            output_keys=("logits",),
            failure=failed("ValueError", "The model did not return a loss from the inputs"),
        ),
        {"failure": None},
        says={"keys": "logits"},
    ),
    Case(
        forward.ids_outside_vocabulary,
        replace(FINE, highest_id=100, vocabulary=100),
        {"highest_id": 99},
        says={"highest": 100},
    ),
    Case(
        forward.too_long,
        replace(FINE, length=65, failure=failed("IndexError", "out of range")),
        {"length": 64},
        facts=replace(FACTS, positions=64),
        says={"length": 65, "positions": 64},
    ),
    Case(
        forward.softmax_twice,
        replace(FINE, expects="logits", gives="probabilities"),
        {"gives": "logits"},
    ),
    Case(
        forward.logits_behind_probabilities,
        replace(FINE, expects="logits", gives="probabilities", recovers=True),
        {"recovers": False},
    ),
    Case(
        forward.label_not_binary,
        replace(FINE, logits_shape=(8, 1), label_range=(0.0, 2.0)),
        {"label_range": (0.0, 1.0)},
        facts=replace(FACTS, num_labels=2, compiled=Compiled(loss="binary_crossentropy")),
        says={"label": 2.0},
    ),
    Case(
        forward.nan_forward,
        replace(FINE, loss=float("nan"), nan_weights=("head.weight", "head.bias")),
        {"nan_weights": ()},
        says={"where": "head.weight", "weights": 2},
    ),
    Case(forward.nan_made, replace(FINE, loss=float("nan")), {"loss": 1.1}, says={"where": "loss"}),
    Case(
        forward.nan_from_inputs,
        replace(FINE, loss=float("nan"), nan_inputs=("readings", 3, 32)),
        {"nan_inputs": None},
        says={"name": "readings", "rows": 3, "of": 32},
    ),
    Case(forward.first_loss_off, replace(FINE, loss=1.7), {"loss": 1.6}, says={"classes": 3}),
    Case(forward.first_loss_off, replace(FINE, loss=0.6), {"labels": (0, 0, 0, 0, 0, 1)}),
    Case(
        forward.outputs_for_one_label,
        replace(FINE, counts="each", label_range=(0, 1), labels_shape=(2,), logits_shape=(2, 2)),
        {"labels_shape": (2, 2)},
        script="Dense(8)\nDense(2)\nmodel.compile()",
    ),
    Case(
        forward.weights_left_behind,
        replace(FINE, configured_like="folder/mini"),
        {"configured_like": ""},
        replace(FACTS, pretrained=False),
        says={"name": "mini"},
    ),
    Case(
        forward.shares_as_whole_numbers,
        replace(FINE, label_type="int64", failure=failed("RuntimeError", CAST)),
        {"label_type": "float64"},
        says={"label_type": "int64"},
    ),
    Case(
        forward.label_vector_width,
        replace(FINE, failure=failed("ValueError", WIDTHS)),
        {"failure": failed("ValueError", WIDTHS.replace("[16, 3]", "[8, 4]"))},
        says={"labels": 4, "outputs": 3},
    ),
    Case(
        forward.label_outside_head,
        replace(
            FINE,
            failure=OUT_OF_BOUNDS,
            logits_shape=(8, 3),
            labels_shape=(8,),
            label_range=(1.0, 3.0),
        ),
        {"failure": None},
        facts=replace(FACTS, task="unknown", num_labels=None),
        says={"label": 3, "num_labels": 3},
    ),
    Case(
        forward.channels_last,
        replace(REFUSED, inputs_shape=(8, 24, 24, 3), channels=3),
        {"inputs_shape": (8, 3, 24, 24)},
        says={"channels": 3, "given": "[8, 24, 24, 3]"},
    ),
    Case(
        forward.channels_last,
        replace(
            REFUSED,
            failure=failed(
                "RuntimeError",
                "Given groups=1, weight of size [12, 3, 3, 3], expected input[8, 24, 24, 3] to"
                " have 3 channels, but got 24 channels instead",
            ),
        ),
        {"failure": failed("RuntimeError", "expected input[8, 5, 24, 24] to have 3 channels")},
        says={"channels": 3, "given": "[8, 24, 24, 3]"},
    ),
    Case(
        forward.label_for_each_token,
        replace(REFUSED, labels_shape=(8, 13), inputs_shape=(8, 13)),
        {"labels_shape": (8,)},
        says={"labels": 13},
    ),
]
