"""Cases of the rules in stages/within.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.forward import Listed
from debugger.pipelines.within import Penalty
from debugger.stages import within
from tests.stages.cases.seen import FINE, KERAS, PAIRED, Case, failed

CASES = [
    Case(
        within.text_into_model,
        replace(
            FINE, text="so it is", failure=failed("UnimplementedError", "Cast string to float")
        ),
        {"text": ""},
        says={"text": "so it is"},
    ),
    Case(
        within.unknown_to_keras,
        replace(FINE, unknown=("metric", "f1"), failure=failed("TypeError", "not callable")),
        {"unknown": None},
        says={"kind": "metric", "name": "f1", "home": "tf.keras.metrics"},
    ),
    Case(
        within.layer_made_in_call, replace(FINE, anew=51), {"anew": 0}, KERAS, says={"weights": 51}
    ),
    Case(
        within.drops_always,
        replace(FINE, thinned=("dropout", 0.5, 3)),
        {"thinned": None},
        says={"name": "dropout", "share": 0.5},
    ),
    Case(
        within.parts_in_a_list,
        replace(FINE, listed=Listed("blocks", "list", 3, 912)),
        {"listed": None},
        script="self.blocks = [make() for _ in range(3)]",
        says={"name": "blocks", "kind": "list", "count": 3, "weights": 912},
    ),
    Case(
        within.decoder_is_none,
        replace(FINE, decoder_lacks=("is_decoder",)),
        {"decoder_lacks": ()},
        PAIRED,
        says={"missing": "is_decoder"},
    ),
    Case(
        within.weights_out_of_sight,
        replace(FINE, beside=51),
        {"beside": 0},
        KERAS,
        says={"weights": 51},
    ),
    Case(
        within.penalty_drowns_loss,
        replace(FINE, penalty=Penalty("dense", cost=700.0, loss=0.7, times=900.0)),
        {"penalty": Penalty("dense", cost=700.0, loss=0.7, times=90.0)},
        says={"layer": "dense", "cost": 700.0, "times": 900.0},
    ),
    Case(
        within.layer_trains_always,
        replace(FINE, trains_always=("norm", "BatchNormalization")),
        {"trains_always": None},
        facts=KERAS,
        script="x = self.norm(x, training=True)",
        says={"layer": "norm"},
    ),
]
