"""Cases of the rules in stages/layered.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.failure import Failure, Frame
from debugger.stages import layered
from tests.stages.cases.seen import FINE, Case, failed

POOLED = (
    "Negative dimension size caused by subtracting {} from {} for "
    "'{{{{node average_pooling2d/AvgPool}}}} = AvgPool[](x)' with input shapes: [?,1,1,32]."
)

FLAT = (
    'Input 0 of layer "lstm_1" is incompatible with the layer: '
    "expected ndim={}, found ndim={}. Full shape received: {}"
)

OF_LISTS = "Failed to convert a NumPy array to a Tensor (Unsupported object type list)."

ENDLESS = "When providing an infinite dataset, you must specify the number of steps to run."

NO_KEYS = Failure(
    "AttributeError",
    "'str' object has no attribute 'keys'",
    (Frame("data_adapter.py", 9, "_make", "class_weight.keys()", False),),
    7,
)

CASES = [
    Case(
        layered.last_state_alone,
        replace(FINE, failure=failed("ValueError", FLAT.format(3, 2, "(None, 24)"))),
        {"failure": failed("ValueError", FLAT.format(4, 2, "(None, 24)"))},
        script="m.add(LSTM(24))\nm.add(LSTM(12))",
        says={"layer": "lstm_1"},
    ),
    Case(
        layered.axes_of_another_count,
        replace(FINE, failure=failed("ValueError", FLAT.format(4, 3, "(None, 20, 20)"))),
        {"failure": None},
        script="SIZE = 20\nx = Input(shape=(SIZE, SIZE))",
        says={"wanted": 4, "given": 3},
    ),
    Case(
        layered.pooled_away,
        replace(FINE, failure=failed("ValueError", POOLED.format(2, 1))),
        {"failure": failed("ValueError", FLAT.format(4, 3, "(None, 20, 20)"))},
        script="m.add(MaxPooling2D())\nm.add(AveragePooling2D())",
        says={"layer": "average_pooling2d", "shape": "[?,1,1,32]"},
    ),
    Case(
        layered.array_of_objects,
        replace(FINE, failure=failed("ValueError", OF_LISTS)),
        {"failure": None},
        script="x = array(rows)\nmodel.fit(x, y)",
        says={"kind": "list"},
    ),
    Case(
        layered.argument_of_another_kind,
        replace(FINE, failure=NO_KEYS),
        {"failure": None},
        script="\n" * 6 + 'm.fit(x, y, class_weight="balanced")',
        says={"name": "class_weight", "kind": "str"},
    ),
    Case(
        layered.endless_without_steps,
        replace(FINE, failure=failed("ValueError", ENDLESS)),
        {"failure": None},
    ),
]
