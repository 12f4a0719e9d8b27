"""Cases of the rules in stages/frames.py."""

from __future__ import annotations

import pandas as pd

from debugger.pipelines.data import Data
from debugger.stages import frames
from tests.stages.cases.seen import SPLIT, Case, failed, of_script

CASES = [
    Case(
        frames.shifted_across_groups,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t['next'] = t['y'].shift(-1)\nt.groupby('who')['y'].mean()",
        says={"column": "y", "key": "who", "rows": 29, "moved": 29},
        names={"t": pd.DataFrame({"who": list("abc") * 10, "y": range(30)})},
    ),
    Case(
        frames.gaps_made_zero,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t['y'] = t['y'].fillna(0)",
        says={"column": "y", "low": 40.0, "high": 99.0, "rows": 5},
        names={"t": pd.DataFrame({"y": [0] * 5 + list(range(40, 100))})},
    ),
    Case(
        frames.label_counts_gaps,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t = load('stays.csv').fillna(0)\nt['back'] = (t['days'] <= 30).astype(int)",
        says={"column": "days", "rows": 5, "of": 65, "at": 2, "most": 30.0},
        names={"t": pd.DataFrame({"days": [0] * 5 + list(range(1, 61))})},
    ),
    Case(
        frames.column_of_other_rows,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="part['log'] = np.log(whole['y'])",
        says={"frame": "part", "other": "whole", "column": "y", "moved": 30, "rows": 30},
        names={
            "whole": pd.DataFrame({"y": range(30)}),
            "part": pd.DataFrame({"y": [*range(1, 30), 0]}),
        },
    ),
    of_script(
        frames.index_of_its_own,
        "t = t.dropna()\nu = pd.DataFrame(scaler.fit_transform(t))\nt = t.join(u)",
        frame="t",
        other="u",
        at=1,
    ),
    of_script(
        frames.column_numbered_anew,
        "df = df.sample(frac=1)\ndf['text'] = texts.loc[df['n'], 'text'].reset_index(drop=True)",
        frame="df",
        at=1,
    ),
    Case(
        frames.rows_by_old_index,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="df = df.sample(frac=1)\ndf['text'] = pd.Series([clean(t) for t in df['said']])",
        says={"frame": "df", "at": 2},
    ),
    Case(
        frames.groups_out_of_order,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="t['mean'] = rows.groupby('who')['y'].mean().to_numpy()",
        says={"frame": "t", "column": "mean", "key": "who"},
        names={
            "t": pd.DataFrame({"who": list("cab"), "mean": [0.0, 1.0, 2.0]}),
            "rows": pd.DataFrame({"who": list("abc") * 2, "y": [0, 1, 2] * 2}),
        },
    ),
    of_script(
        frames.window_holds_target,
        "t['mean'] = t.groupby('who')['sold'].rolling(3).mean()\ny = t['sold'].to_numpy()",
        made="mean",
        of="sold",
    ),
]
