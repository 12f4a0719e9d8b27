"""Cases of the rules in stages/printed.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.columns import Column
from debugger.pipelines.printed import Printed
from debugger.stages import printed
from tests.stages.cases.seen import MEASURED, Case
from tests.stages.test_step import FACTS

NUMBER = Printed("accuracy", 9, 0.5, 0.25, (0.5,) * 5, 0.25, 0.25, 8, 7, (40, 1))

BLIND = replace(NUMBER, other=0.5, low=0.5, high=0.5)

SMALL = Column("inputs", 40, low=0.0, high=1.0, middle=0.5, width=0.8, fractions=True)

CASES = [
    Case(
        printed.answers_left_transformed,
        replace(MEASURED, printed=(replace(NUMBER, name="mae", perfect=0.4, made_by="log1p"),)),
        {"printed": (replace(NUMBER, name="mae", perfect=0.4),)},
        script="made = model.predict(x)\nprint('mae', made)",
        says={"name": "mae", "value": 0.4, "made_by": "log1p", "back": "expm1"},
    ),
    Case(
        printed.shares_cut_to_zero,
        replace(MEASURED, printed=(replace(BLIND, same_at=1),)),
        {"printed": (NUMBER,)},
        script='y_pred = shares.astype("int32")',
        says={"cut": "shares", "value": 0.5},
    ),
    Case(
        printed.printed_blind,
        replace(MEASURED, printed=(BLIND,)),
        {"printed": (NUMBER,)},
        says={"name": "accuracy", "value": 0.5},
    ),
    Case(
        printed.perplexity_of_other_base,
        MEASURED,
        {"rows": 0},
        replace(FACTS, task="causal_lm"),
        script='print(2 ** scores["eval_loss"])',
        says={"base": "2", "at": 1},
    ),
    Case(
        printed.perplexity_of_smoothed,
        replace(MEASURED, smoothing=0.1),
        {"smoothing": 0.0},
        replace(FACTS, task="causal_lm"),
        script='args = A(label_smoothing_factor=0.1)\nprint(math.exp(scores["eval_loss"]))',
        says={"smoothing": 0.1, "at": 2},
    ),
    Case(
        printed.printed_with_sign,
        replace(MEASURED, printed=(replace(NUMBER, name="mae_kw", low=-9.0),)),
        {"printed": (replace(NUMBER, name="mae_kw", low=9.0),)},
        says={"name": "mae_kw", "value": -9.0},
    ),
    Case(
        printed.printed_mixes_rows,
        replace(MEASURED, printed=(NUMBER,)),
        {"printed": (replace(NUMBER, dealt=(0.25, 0.5)),)},
        says={"name": "accuracy", "shape": "[40, 1]"},
    ),
    Case(
        printed.printed_mixes_rows,
        replace(MEASURED, printed=(replace(NUMBER, name="mae", low=10_008.0, high=9_996.0),)),
        {"printed": (replace(NUMBER, name="mae", low=10_000.5, high=9_999.5),)},
        says={"name": "mae", "shape": "[40, 1]"},
    ),
    Case(
        printed.printed_another_number,
        replace(MEASURED, printed=(replace(NUMBER, of="loss"),)),
        {"printed": (replace(NUMBER, of="accuracy"),)},
        says={"name": "accuracy", "of": "loss"},
    ),
    Case(
        printed.printed_off_its_labels,
        replace(MEASURED, printed=(replace(NUMBER, dealt=(0.4,), perfect=0.25),)),
        {"printed": (replace(NUMBER, dealt=(0.4,), perfect=1.0),)},
        says={"name": "accuracy", "value": 0.25},
    ),
    Case(
        printed.printed_of_others,
        replace(MEASURED, printed=(replace(NUMBER, dealt=(0.4,), perfect=0.6, off="truth"),)),
        {"printed": (replace(NUMBER, dealt=(0.4,), perfect=1.0, off="truth"),)},
        script="truth = y[1:]",
        says={"off": "truth", "best": 1},
    ),
    Case(
        printed.asked_on_other_scale,
        replace(MEASURED, asked_scale=(SMALL, replace(SMALL, high=255.0, width=200.0))),
        {"asked_scale": (SMALL, SMALL)},
        says={"high": 1.0, "other_high": 255.0},
    ),
    Case(
        printed.asked_in_other_order,
        replace(MEASURED, asked_swapped=((0, 3), (3, 0))),
        {"asked_swapped": ()},
        says={"column": 0, "other": 3, "count": 2},
    ),
    Case(
        printed.answers_on_other_scale,
        replace(
            MEASURED,
            printed=(Printed("mae", 1, 140.0, 141.0, within=(146.0, 145.0, 143.0), span=3.0),),
        ),
        {"printed": (Printed("mae", 1, 140.0, 141.0, within=(146.0, 145.0, 143.0), span=300.0),)},
        says={"name": "mae", "least": 143.0, "most": 146.0},
    ),
    Case(
        printed.asked_about_met_rows,
        replace(MEASURED, met_before=(40, "x_test")),
        {"met_before": None},
        says={"rows": 40, "other": "x_test"},
    ),
]
