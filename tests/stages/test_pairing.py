"""What a script lays beside each other: forms that came apart, and forms much like them."""

from __future__ import annotations

import ast
from typing import Any

import pandas as pd
import pytest

from debugger.pipelines.data import Data
from debugger.script.pairing import Pairing
from debugger.script.places import Places
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View
from debugger.stages.pairing import listed_in_two_orders, tables_side_by_side
from tests.stages.test_step import FACTS


def of(text: str) -> Pairing:
    return Pairing(ast.parse(text))


APART = {
    "dropped_on_one_side": [
        "x = df.dropna().drop(columns=['a'])\ny = df['count'].to_numpy()",
        "x = df.drop_duplicates()\nlabels = df['kind'].map(numbers)",
    ],
    "sorted_apart": ["def read():\n    return sorted(found), list(found.values())"],
    "labels_unsplit": [
        "a, b = train_test_split(df)\ny = df['y'].to_numpy()[: len(a)]",
        "a, b = train_test_split(df)\na, c = train_test_split(a)\ny = df[T][: len(a)]",
    ],
    "two_orders": ["a = {t: n for n, t in enumerate(tags)}\nb = dict(enumerate(sorted(tags)))"],
    "evaluated_in_other_order": ["dict(zip(['accuracy', 'loss'], model.evaluate(rows)))"],
    "chosen_by_test": ["cut = max(cuts, key=lambda c: f1_score(y_test, made > c))"],
    "epoch_chosen_by_test": [
        "f.fit(x, validation_data=test_ds, callbacks=[EarlyStopping()])\nf.evaluate(test_ds)",
        "a = TrainingArguments(load_best_model_at_end=True)\n"
        "t = Trainer(m, a, eval_dataset=rows['test'])\nt.evaluate()",
        "a = TrainingArguments(load_best_model_at_end=True)\n"
        "t = Trainer(m, a, eval_dataset=rows['test'])\nt.predict(rows['test'])",
    ],
    "drawn_apart": [
        "a = g.flow(x)\nb = h.flow(y)\nboth = zip(a, b)",
        "both = zip(g.flow_from_directory('x', seed=1), h.flow_from_directory('y', seed=2))",
    ],
    "axis_moved": ["x = waves.reshape(len(waves), STEPS, waves.shape[1])"],
    "undone_otherwise": ["y = np.log1p(rain)\nmade = np.exp(model.predict(x))"],
    "hard_scores": [
        "roc_auc_score(y, scores > 0.5)",
        "said = (model.predict(x) > 0.5).astype(int)\nprint(roc_auc_score(y, said))",
        "said = logits.argmax(-1)\nroc_auc_score(y, said)",
    ],
    "row_shuffled": ["def mix(x, y):\n    return tf.random.shuffle(x), y\nds = ds.map(mix)"],
}
TOGETHER = {
    "dropped_on_one_side": [
        "df = df.dropna()\nx = df.drop(columns=['a'])\ny = df['count']",
        "x = df.dropna()\ny = df.loc[x.index, 'y']",
        "clean = df.dropna()\nlabels = sorted(df['y'].unique())",
        "clean = df.dropna()\nmean = df['y'].mean()",
        "x = df.dropna(axis=1)\ny = df['y']",
    ],
    "sorted_apart": [
        "pairs = sorted(found), sorted(found.values())",
        "sorted(a), list(b.values())",
    ],
    "labels_unsplit": [
        "a, b = train_test_split(df)\ny = a['y'].to_numpy()[: len(a)]",
        "a, b = train_test_split(df, shuffle=False)\ny = df['y'].to_numpy()[: len(a)]",
    ],
    "two_orders": [
        "a = {t: n for n, t in enumerate(tags)}\nb = dict(enumerate(tags))",
        "a = {t: n for n, t in enumerate(sorted(tags))}\nb = dict(enumerate(sorted(tags)))",
        "a = {t: n for n, t in enumerate(tags)}\nb = dict(enumerate(sorted(words)))",
    ],
    "evaluated_in_other_order": ["dict(zip(['loss', 'accuracy'], model.evaluate(rows)))"],
    "chosen_by_test": ["cut = max(cuts, key=lambda c: f1_score(y_val, made > c))"],
    "epoch_chosen_by_test": [
        "f.fit(x, validation_data=val_ds, callbacks=[EarlyStopping()])\nf.evaluate(test_ds)",
        "f.fit(x, validation_data=test_ds)\nf.evaluate(test_ds)",
        "f.fit(x, validation_data=test_ds, callbacks=[EarlyStopping()])\nf.evaluate(unseen)",
        "a = TrainingArguments(load_best_model_at_end=True)\n"
        "t = Trainer(m, a, eval_dataset=rows['dev'])\nt.predict(rows['test'])",
    ],
    "drawn_apart": [
        "a = g.flow(x, seed=1)\nb = h.flow(y, seed=1)\nboth = zip(a, b)",
        "both = zip(g.flow(x, shuffle=False), h.flow(y, shuffle=False))",
        "both = zip(names, h.flow(y))",
    ],
    "axis_moved": [
        "x = waves.reshape(waves.shape[0], waves.shape[1], 1)",
        "x = waves.reshape(-1, waves.shape[1], waves.shape[2])",
        "x = waves.reshape(1, waves.shape[0], waves.shape[1])",
    ],
    "undone_otherwise": [
        "y = np.log1p(rain)\nmade = np.expm1(model.predict(x))",
        "y = np.log1p(rain)\nodds = np.exp(weights)",
        "y = np.log(rain)\nmade = np.exp(model.predict(x))",
    ],
    "hard_scores": [
        "scores = model.predict(x)\nroc_auc_score(y, scores)",
        "roc_auc_score(y, probabilities[:, 1])",
        "accuracy_score(y, scores > 0.5)",
    ],
    "row_shuffled": [
        "def mix(x, y):\n    return tf.roll(x, 3, 0), y\nds = ds.map(mix)",
        "def mix(x, y):\n    return tf.random.shuffle(x), y\nx, y = mix(x, y)",
    ],
}


@pytest.mark.parametrize(("form", "text"), [(f, t) for f, texts in APART.items() for t in texts])
def test_what_came_apart_is_seen(form: str, text: str) -> None:
    assert getattr(of(text), form)() is not None


@pytest.mark.parametrize(("form", "text"), [(f, t) for f, texts in TOGETHER.items() for t in texts])
def test_what_belongs_together_is_left_alone(form: str, text: str) -> None:
    assert getattr(of(text), form)() is None


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("both = pd.concat([a, b['days']], axis=1)", ("a", "b")),
        ("a['days'] = b['days'].to_numpy()", ("a", "b")),
        ("a['days'] = b['days'].values", ("a", "b")),
        ("both = pd.concat([a, b])", None),
        ("both = a.merge(b, on='id')", None),
        ("a['days'] = b['days']", None),
        ("a['days'] = a['hours'].to_numpy() / 24", None),
        ("t = a.assign(days=b['days'].to_numpy())", ("a", "b")),
        ("t = a.assign(n=3, days=b['days'].values)", ("a", "b")),
        ("t = a.reset_index().assign(days=b['days'].to_numpy())", ("a", "b")),
        ("t = a.assign(days=b['days'])", None),
        ("t = a.assign(days=a['hours'].to_numpy())", None),
        ("t = a.assign(days=lambda t: t['hours'].to_numpy() / 24)", None),
        ("t = a.assign(days=b.set_index('id').loc[a['id'], 'days'].to_numpy())", None),
        ("b = b.set_index('id')\nt = a.assign(days=b.loc[a['id'], 'days'].to_numpy())", None),
        ("t = a.assign(days=a.merge(b, on='id')['days'].to_numpy())", None),
    ],
)
def test_tables_that_are_laid_side_by_side(text: str, tables: tuple[str, str] | None) -> None:
    found = [pair for _, *pair in of(text).side_by_side()]
    assert found == ([list(tables)] if tables else [])


FILES = [f"{n:02}.png" for n in range(12)]
TABLE = pd.DataFrame({"file": FILES[::-1], "kind": range(12)})


def asked(rule: Rule, script: str, **names: Any) -> Verdict | CannotJudge | None:
    return rule(Data(None, None), View(FACTS, Places(script), has_script=bool(script), names=names))


def test_a_column_that_is_put_into_a_table_of_other_order_is_told_where_it_is_put() -> None:
    script = "t = a.assign(\n    n=3,\n    kind=b['kind'].to_numpy(),\n)"
    of = {"a": TABLE[["file"]], "b": TABLE[::-1]}

    told = {"one": "a", "other": "b", "key": "file", "moved": 12, "rows": 12}
    assert asked(tables_side_by_side, script, **of) == Verdict("fault", 3, told)
    assert asked(tables_side_by_side, script, a=TABLE, b=TABLE.copy()) is None
    assert asked(tables_side_by_side, script, a=TABLE[:9], b=TABLE[::-1]) is None


READ = "table = pd.read_csv('kinds.csv')\nx = [load(name) for name in files]\n"


@pytest.mark.parametrize(
    "text",
    ["y = table['kind'].to_numpy()", "y = list(table['kind'])", "y = table['kind'].tolist()"],
)
def test_a_column_stands_in_another_order_than_the_files_do(text: str) -> None:
    told = {"one": "files", "other": "table", "key": "file", "moved": 12, "rows": 12}
    found = asked(listed_in_two_orders, READ + text, files=FILES, table=TABLE)

    assert found == Verdict("fault", 3, told)


@pytest.mark.parametrize(
    ("text", "files", "table"),
    [
        ("y = table['kind'].to_numpy()", FILES[::-1], TABLE),
        ("y = table['kind'].to_numpy()", FILES[:9], TABLE),
        ("y = table['kind'].to_numpy()", [f"{one}.bak" for one in FILES], TABLE),
        ("y = table['kind'].to_numpy()", FILES, TABLE["kind"]),
        ("y = table['kind'].to_numpy()", ["a", "b"] * 6, TABLE.assign(file=["b", "a"] * 6)),
        ("y = table.set_index('file').loc[files, 'kind'].to_numpy()", FILES, TABLE),
        ("table = table.set_index('file')\ny = [table['kind'][f] for f in files]", FILES, TABLE),
        ("of = dict(zip(table['file'], table['kind']))\ny = [of[f] for f in files]", FILES, TABLE),
        (
            "kinds = table['kind'].tolist()\nof = dict(zip(table['file'], kinds))\n"
            "y = [of[f] for f in files]",
            FILES,
            TABLE,
        ),
        ("of = {r.file: r.kind for r in table.itertuples()}\nn = table['kind']", FILES, TABLE),
        ("table = table.sort_values('file')\ny = table['kind'].tolist()", FILES, TABLE),
        ("kinds = sorted(table['kind'].unique())", FILES, TABLE),
        ("most = table['kind'].max()", FILES, TABLE),
        ("table['kind'] = table['kind'].map(numbers)", FILES, TABLE),
        ("x = [load(f) for f in table['file']]\ny = table['kind'].tolist()", FILES, TABLE),
    ],
)
def test_labels_that_are_looked_up_or_stand_in_the_order_of_the_files(
    text: str, files: list[str], table: Any
) -> None:
    assert asked(listed_in_two_orders, READ + text, files=files, table=table) is None


def test_without_a_script_nobody_knows_what_was_laid_beside_what() -> None:
    for rule in (listed_in_two_orders, tables_side_by_side):
        assert asked(rule, "", files=FILES, table=TABLE) == NO_SCRIPT
