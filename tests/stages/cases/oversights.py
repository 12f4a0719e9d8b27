"""Cases of the rules in stages/oversights.py."""

from __future__ import annotations

import math
from dataclasses import replace

from debugger.pipelines.columns import Across, Columns, Same
from debugger.pipelines.data import Data
from debugger.pipelines.trials import Trials
from debugger.stages import oversights
from tests.stages.cases.seen import (
    FINE,
    MEASURED,
    ORDER,
    SOUND,
    SPLIT,
    Case,
    failed,
    of_crash,
    of_loss,
    of_order,
    of_script,
)

CASES = [
    of_script(
        oversights.one_list_for_all,
        "labels = []\nfor row in rows:\n    for word in row:\n        labels.append(word)\n"
        "    all_labels.append(labels)",
        name="labels",
    ),
    of_script(
        oversights.numbers_turned_round,
        "t['y'] = ~(late | t['days'].isna()).astype(int)",
        made="~(late | t['days'].isna()).astype(int)",
    ),
    of_script(
        oversights.row_stored_anew,
        "class Rows:\n    def __getitem__(self, i):\n        x = self.x[i]\n"
        "        x = self.x[i] = x + rng.normal(0, 1)\n        return x",
        stored="self.x[i]",
    ),
    of_script(
        oversights.label_names_as_text,
        'TrainingArguments("out", label_names="labels")',
        name="labels",
        first="l",
        second="a",
    ),
    Case(
        oversights.looked_up_in_vain,
        Data(SPLIT, None, columns=Columns(same=(Same("kinds", 1, 0.0, 40),))),
        {"columns": Columns()},
        script="kinds = t['ward'].str.upper().map(codes).fillna(0)",
        says={"name": "kinds", "codes": "codes", "rows": 40, "places": 1},
    ),
    Case(
        oversights.scaled_across_columns,
        Data(SPLIT, None, columns=Columns(across=Across("x", 3, 90, 30))),
        {"columns": Columns()},
        script="x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)",
        says={"name": "x", "columns": 3, "steps": 90},
    ),
    of_script(
        oversights.prepared_before_split,
        "x = StandardScaler().fit_transform(x)\na, b = train_test_split(x)",
        kind="StandardScaler",
        split=2,
    ),
    of_order(
        oversights.sampler_draws_few,
        {"asked": 400},
        replace(ORDER, asked=4, size=32),
        drawn=4,
        rows=400,
    ),
    Case(
        oversights.weights_read_by_nobody,
        FINE,
        {"failure": failed("ValueError", "no")},
        script="class_weight = {0: 1, 1: 9}\nmodel.fit(x, y)",
        says={"name": "class_weight"},
    ),
    Case(
        oversights.real_places_filled,
        FINE,
        {"failure": failed("ValueError", "no rows")},
        script="s = scores.masked_fill(ids != PAD, -1e4)",
        says={"mask": "ids != PAD"},
    ),
    Case(
        oversights.softmax_over_rows,
        replace(FINE, asked=replace(SOUND, even=math.log(32), logits_shape=(32, 3))),
        {"asked": SOUND},
        script="loss = F.nll_loss(F.log_softmax(logits, dim=0), labels)",
        says={"rows": 32, "name": "log_softmax"},
    ),
    Case(
        oversights.layer_takes_time_first,
        replace(FINE, mingled=0.8),
        {"mingled": 0.0},
        script="rows = pad_sequence(x, batch_first=True)\nself.gru = nn.GRU(4, 8)",
        says={"layer": "GRU", "moved": 0.8},
    ),
    of_loss(
        oversights.wrong_costs_nothing,
        {"wrong": SOUND.wrong},
        replace(SOUND, wrong=(0.4, 0.1, 0.0)),
        wrong=0.0,
    ),
    Case(
        oversights.gives_up_early,
        replace(MEASURED, waits=(4, 2, 100)),
        {"waits": (4, 100, 100)},
        says={"patience": 4, "every": 2, "updates": 8, "epoch": 100},
    ),
    Case(
        oversights.reciprocal_of_mean,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="def score(p):\n    return {'mrr': float(1 / rank.mean())}",
        says={"name": "mrr"},
    ),
    Case(
        oversights.counts_class_zero,
        replace(MEASURED, trials=Trials("classes", {"f1": 1.0}, {"f1": 0.9}, {"f1": 0.6})),
        {"trials": Trials("classes", {"f1": 1.0}, {"f1": 0.3}, {"f1": 0.4})},
        script="f1 = f1_score(labels, preds, pos_label=0)",
        says={"name": "f1", "value": 0.9},
    ),
    of_crash(
        oversights.method_misspelt,
        "TypeError",
        "_forward_unimplemented() got an unexpected keyword argument 'x'",
        "class Net(nn.Module):\n    def foward(self, x):\n        return x",
    ),
    of_crash(
        oversights.padded_time_first,
        "RuntimeError",
        "Expected `len(lengths)` to be equal to batch_size, but got 64 (batch_size=24).",
        "x = pad_sequence(history, padding_value=0)",
    ),
]
