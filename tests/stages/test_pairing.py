"""What a script lays beside each other: forms that came apart, and forms much like them."""

from __future__ import annotations

import ast

import pytest

from debugger.script.pairing import Pairing


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
    ],
)
def test_tables_that_are_laid_side_by_side(text: str, tables: tuple[str, str] | None) -> None:
    found = [pair for _, *pair in of(text).side_by_side()]
    assert found == ([list(tables)] if tables else [])
