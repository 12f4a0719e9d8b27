"""Cases of the rules in stages/crashes.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.failure import Failure, Frame
from debugger.stages import crashes
from tests.stages.cases.seen import FINE, Case, Crashed, failed, of_crash

BACKWARD = "Trying to backward through the graph a second time (or directly access saved tensors)"

UNEQUAL = "Column 2 named labels expected length 480 but got length 120"

OVERFLOWS = "tokenizer(texts, return_overflowing_tokens=True)"

SPLIT_OTHERWISE = """
a, y, b, z = train_test_split(
    texts,
    labels,
)

made = Dataset.from_dict(rows(a, y))
"""

WEIGHED_TWICE = """
weights = torch.tensor(numpy_weights)
class Mine:
    def compute_loss(self, model, inputs):
        out = model(**inputs)

        loss = nn.CrossEntropyLoss(weight=weights)(out, inputs["labels"])
        self.last = loss
        loss.backward()
        loss /= 2
        return loss
"""

STOPPED_IN_SCRIPT = Failure(
    "TypeError",
    "argmax(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    (Frame("script.py", 7, "measure", "torch.argmax(given)", True),),
    7,
)

CASES = [
    Case(
        crashes.no_tensor,
        Crashed(STOPPED_IN_SCRIPT),
        {"failure": replace(STOPPED_IN_SCRIPT, frames=())},
        says={"name": "argmax", "kind": "numpy.ndarray"},
    ),
    of_crash(crashes.pieces_beside_rows, "ArrowInvalid", UNEQUAL, OVERFLOWS, rows=480, pieces=120),
    of_crash(
        crashes.halves_side_by_side, "ArrowInvalid", UNEQUAL, SPLIT_OTHERWISE, one="a", other="y"
    ),
    of_crash(crashes.columns_of_unequal_length, "ArrowInvalid", UNEQUAL, name="labels"),
    of_crash(
        crashes.generator_runs_already,
        "TypeError",
        "cannot pickle 'generator' object",
        "Dataset.from_generator(rows())",
    ),
    of_crash(
        crashes.double_beside_single,
        "RuntimeError",
        "expected scalar type Float but found Double",
        WEIGHED_TWICE,
    ),
    of_crash(crashes.backward_twice, "RuntimeError", BACKWARD, WEIGHED_TWICE),
    of_crash(crashes.graph_kept, "RuntimeError", BACKWARD, WEIGHED_TWICE),
    of_crash(
        crashes.changed_in_place,
        "RuntimeError",
        "has been modified by an inplace operation: [torch.FloatTensor [16, 48]], which is output "
        "0 of DivBackward0, is at version 1; expected version 0 instead.",
        WEIGHED_TWICE,
    ),
    of_crash(
        crashes.weights_of_other_count,
        "RuntimeError",
        "weight tensor should be defined either for all 2 classes or no classes but got weight "
        "tensor of shape: [3]",
        outputs=2,
        weights=3,
    ),
    of_crash(
        crashes.labels_taken_away,
        "TypeError",
        "unsupported operand type(s) for *: 'float' and 'NoneType'",
        "class Mine(Trainer):\n    def compute_loss(self, model, inputs):\n"
        "        labels = inputs.pop('labels')\n        return model(**inputs).loss * 0.5",
    ),
    Case(
        crashes.labels_of_other_count,
        replace(
            FINE,
            inputs_shape=(16, 32),
            failure=failed(
                "ValueError", "Expected input batch_size (512) to match target batch_size (496)."
            ),
        ),
        {"inputs_shape": (16, 31)},
        says={"scores": 512, "labels": 496},
    ),
    of_crash(
        crashes.scores_not_flat,
        "RuntimeError",
        "Expected target size [16, 5], got [16, 32]",
        labels="[16, 32]",
    ),
]
