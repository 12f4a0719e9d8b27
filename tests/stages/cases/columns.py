"""Cases of the rules in stages/columns.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.columns import (
    Column,
    Columns,
    CountedOff,
    Echo,
    Filled,
    Gap,
    OwnLength,
    Standard,
    Summed,
)
from debugger.pipelines.data import Data
from debugger.pipelines.layout import Swapped
from debugger.pipelines.telling import Told
from debugger.pipelines.windows import Met, Windows
from debugger.script.heard import Heard
from debugger.stages import columns
from tests.stages.cases.seen import SPLIT, Case, failed

SCALED = Column("pixels", 100, 0.0, 1.0, 0.5, 0.8, True)

PLAIN = replace(SCALED, high=255.0, middle=127.0, width=204.0)

UNKNOWN = Column("text", 100, 0.0, 1.0, 1.0, 1.0, False, common=1.0, commonest=1)

CASES = [
    Case(
        columns.labels_move_between_epochs,
        Data(SPLIT, None, relabelled=(30, 40)),
        {"relabelled": (2, 40)},
        says={"changed": 30, "rows": 40},
    ),
    Case(
        columns.learned_from_eval_rows,
        Data(SPLIT, None, refitted=("scaler", 7, "StandardScaler")),
        {"refitted": None},
        says={"name": "scaler"},
    ),
    Case(
        columns.scaled_by_itself,
        Data(SPLIT, SPLIT, eval_columns=Columns(standard=Standard("x", 3, 40))),
        {"eval_columns": Columns()},
        says={"name": "x", "columns": 3, "rows": 40},
    ),
    Case(
        columns.one_column_tells_all,
        Data(SPLIT, None, columns=Columns(told=Told("x", 6, 0.99, 0.5, exact=False))),
        {"columns": Columns()},
        says={"name": "x", "place": 6, "share": 0.99, "next": 0.5},
    ),
    Case(
        columns.gaps_in_inputs,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("inputs", 3, 40, felt=True),))),
        {"columns": Columns()},
        says={"name": "inputs", "rows": 3, "of": 40},
    ),
    Case(
        columns.answer_among_inputs,
        Data(SPLIT, None, columns=Columns(echo=Echo("inputs", (0, 2), 40, in_time=True))),
        {"columns": Columns()},
        says={"place": "0, 2", "rows": 40},
    ),
    Case(
        columns.answer_in_parts,
        Data(SPLIT, None, columns=Columns(summed=Summed("numeric", (4, 5), 40))),
        {"columns": Columns()},
        says={"places": "4, 5", "rows": 40},
    ),
    Case(
        columns.labels_filled_elsewhere,
        Data(SPLIT, None, misfilled=(38, 40)),
        {"misfilled": (3, 40)},
        script="y = pad_sequences(y, maxlen=24)",
        says={"moved": 38, "rows": 40},
    ),
    Case(
        columns.columns_in_other_order,
        Data(SPLIT, SPLIT, columns=Columns(), eval_columns=Columns(), swapped=((0, 3), (3, 0))),
        {"swapped": ()},
        says={"column": 0, "other": 3, "count": 2},
    ),
    Case(
        columns.rows_levelled_alone,
        Data(None, None, columns=Columns(levelled=OwnLength("rows", 40, 6, 0, 0.99))),
        {"columns": Columns()},
        script="X = keras.utils.normalize(X)",
        says={"columns": 6, "place": 1},
    ),
    Case(
        columns.inputs_stand_for_none,
        Data(SPLIT, None, columns=Columns(filled=Filled("x", 2, 9999.0, 12, -1.0, 3.0))),
        {"columns": Columns()},
        says={"name": "x", "place": 2, "value": 9999.0, "times": 12, "low": -1.0, "high": 3.0},
    ),
    Case(
        columns.windows_of_both_sets,
        Data(SPLIT, None, met=Met("x", 70, 100)),
        {"met": Met("x", 10, 100)},
        script="train, test = train_test_split(windows)",
        says={"name": "x", "met": 70, "rows": 100},
    ),
    Case(
        columns.rows_counted_off,
        Data(SPLIT, None, columns=Columns(counted=CountedOff("x", (3, 128), (128, 3)))),
        {"columns": Columns()},
        script="x = x.reshape(-1, 3, 128)",
        says={"name": "x", "axes": "3 x 128", "fitting": "128 x 3"},
    ),
    Case(
        columns.splits_on_other_scales,
        Data(None, None, columns=Columns((SCALED,)), eval_columns=Columns((PLAIN,))),
        {"eval_columns": Columns((SCALED,))},
        says={"name": "pixels", "high": 1.0, "other_high": 255.0},
    ),
    Case(
        columns.input_given_twice,
        Data(None, None, columns=Columns((SCALED, PLAIN), twice=("a", "b"), shared=True)),
        {"columns": Columns((SCALED, PLAIN))},
        says={"one": "a", "other": "b"},
    ),
    Case(
        columns.course_of_time_lost,
        Data(None, None, windows=Windows("inputs", 24, 6, 0.05)),
        {"windows": Windows("inputs", 24, 6, 0.9)},
        script="frame = frame.sample(frac=1.0)",
        says={"steps": 24, "share": 0.05},
    ),
    Case(
        columns.vocabulary_too_small,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200, full=(UNKNOWN.commonest, 10))),
        {"columns": Columns((UNKNOWN,), embedded=200, full=(UNKNOWN.commonest + 1, 10))},
        script="words = TextVectorization(max_tokens=10)",
        says={"size": 10},
    ),
    Case(
        columns.vocabulary_of_letters,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200)),
        {"columns": Columns((replace(UNKNOWN, common=0.1),), embedded=200)},
        script='tokenizer.fit_on_texts(" ".join(texts))',
        says={"share": 1.0, "words": 200},
    ),
    Case(
        columns.hardly_a_word_known,
        Data(None, None, columns=Columns((UNKNOWN,), embedded=200)),
        {"columns": Columns((replace(UNKNOWN, common=0.1),), embedded=200)},
        says={"name": "text", "words": 200},
    ),
    Case(
        columns.reshaped_not_turned,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="x = waves.reshape(-1, 50, 3)",
        says={"before": "40 x 3 x 50", "after": "40 x 50 x 3"},
        heard=Heard([Swapped((40, 3, 50), (40, 50, 3), 1)]),
    ),
    Case(
        columns.log_of_zero,
        Data(SPLIT, None, columns=Columns(gaps=(Gap("waves", 1, 40),))),
        {"columns": Columns()},
        script="x = np.log(power)",
        heard=Heard(logs_of_zero=[1]),
    ),
]
