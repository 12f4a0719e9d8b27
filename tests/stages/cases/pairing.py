"""Cases of the rules in stages/pairing.py."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from sklearn.preprocessing import MultiLabelBinarizer

from debugger.pipelines.data import Data
from debugger.stages import pairing
from tests.stages.cases.seen import MEASURED, SPLIT, Case, failed, of_script

KEYED = pd.DataFrame({"id": range(9), "y": range(9)})

CASES = [
    of_script(
        pairing.row_shuffled_inside,
        "def mix(x, y):\n    return tf.random.shuffle(x), y\nds = ds.map(mix)",
        name="x",
    ),
    Case(
        pairing.undone_otherwise,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="y = np.log1p(rain)\nmade = np.exp(model.predict(x))",
        says={"made": "log1p", "other": "exp"},
    ),
    Case(
        pairing.area_of_decisions,
        replace(MEASURED, has_metric=False),
        {"failure": failed("ValueError", "no rows")},
        script="said = model.predict(x) > 0.5\nprint(roc_auc_score(y, said))",
    ),
    Case(
        pairing.tables_side_by_side,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="both = pd.concat([a, b['y']], axis=1)",
        says={"one": "a", "other": "b", "key": "id", "moved": 8, "rows": 9},
        names={"a": KEYED, "b": KEYED[::-1].reset_index(drop=True)},
    ),
    Case(
        pairing.listed_in_two_orders,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="x = [folder[name] for name in files]\ny = table['kind']",
        says={"one": "files", "other": "table", "key": "file", "moved": 8, "rows": 9},
        names={
            "files": list("abcdefghi"),
            "table": pd.DataFrame({"file": list("ihgfedcba"), "kind": range(9)}),
        },
    ),
    of_script(
        pairing.rows_are_one,
        "y = [[0] * 5] * len(x)\nfor i, one in enumerate(x):\n    y[i][one] = 1",
        made="[[0] * 5] * len(x)",
    ),
    Case(
        pairing.names_of_letters,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="y = binarizer.fit_transform(df['y'])",
        says={"names": 8, "example": "a, b, c, d, e, f"},
        names={"binarizer": MultiLabelBinarizer().fit(["abcd", "efgh"])},
    ),
    of_script(
        pairing.dropped_on_one_side,
        "x = df.dropna()\ny = df['y'].to_numpy()",
        one="x",
        other="y",
    ),
    of_script(
        pairing.keys_sorted_apart,
        "rows = sorted(d), list(d.values())",
        one="sorted(d)",
        other="d.values()",
    ),
    of_script(
        pairing.labels_unsplit,
        "a, b = train_test_split(df)\ny = df['y'].to_numpy()[: len(a)]",
        one="a",
        other="y",
    ),
    of_script(
        pairing.names_in_two_orders,
        "ids = {t: n for n, t in enumerate(tags)}\nnames = dict(enumerate(sorted(tags)))",
        one="sorted(tags)",
        other="tags (line 1)",
    ),
    of_script(
        pairing.reshape_moves_axis,
        "x = waves.reshape(len(waves), STEPS, waves.shape[1])",
        made="waves.reshape(len(waves), STEPS, waves.shape[1])",
    ),
    Case(
        pairing.evaluation_named_otherwise,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="told = dict(zip(['accuracy', 'loss'], model.evaluate(rows)))",
    ),
    Case(
        pairing.chosen_by_test,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="best = max(cuts, key=lambda cut: f1_score(y_test, made > cut))",
        says={"name": "y_test"},
    ),
    of_script(
        pairing.drawn_apart,
        "pictures = turning.flow(x)\nmasks = turning.flow(y)\nrows = zip(pictures, masks)",
        one="pictures",
        other="masks",
    ),
    Case(
        pairing.epoch_chosen_by_test,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="""
model.fit(x, y, validation_data=(x_test, y_test), callbacks=[EarlyStopping("val_loss")])
print(model.evaluate(x_test, y_test))
""",
        says={"name": "x_test"},
    ),
]
