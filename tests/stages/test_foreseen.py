"""What has learned from all rows before some of them are set aside, and what only looks like it."""

from __future__ import annotations

import ast

import pytest

from debugger.script.foreseen import foreseen

SCALED = "scaler = StandardScaler()\nx = scaler.fit_transform(x)\n"


@pytest.mark.parametrize(
    ("script", "line", "split"),
    [
        (f"{SCALED}x_train, x_test = train_test_split(x, test_size=0.2)", 2, 3),
        ("x = StandardScaler().fit_transform(x)\na, b = train_test_split(x, y)", 1, 2),
        ("s = MinMaxScaler()\ns.fit(x)\nx = s.transform(x)\na, b = train_test_split(x)", 2, 4),
        (f"{SCALED}model.fit(x, y, validation_split=0.2)", 2, 3),
        (f"{SCALED}here = x[:size]\nthere = x[size:]", 2, 4),
        (f"{SCALED}here, there = x[0:size, :], x[size : len(x), :]", 2, 3),
        ("t[names] = RobustScaler().fit_transform(t[names])\na, b = train_test_split(t)", 1, 2),
        (f"{SCALED}rows = list(zip(x, y))\na, b = train_test_split(rows)", 2, 4),
        ("a, b = train_test_split(PCA(8).fit_transform(x), y)", 1, 1),
        ("def read(x):\n    x = PCA(8).fit_transform(x)\n    return train_test_split(x)", 2, 3),
    ],
)
def test_what_learns_from_rows_that_are_set_aside_later(script: str, line: int, split: int) -> None:
    found = foreseen(ast.parse(script))

    assert found is not None
    assert (found.line, found.split) == (line, split)


@pytest.mark.parametrize(
    "script",
    [
        "a, b = train_test_split(x)\nsame = StandardScaler()\n"
        "a = same.fit_transform(a)\nb = same.transform(b)",
        "a, b = train_test_split(x)\ns = StandardScaler()\na = s.fit_transform(a)\n"
        "model.fit(a, validation_split=0.2)",
        "s = StandardScaler()\ns.fit(x[:800])\nx = s.transform(x)\na, b = train_test_split(x)",
        "x = Normalizer().fit_transform(x)\na, b = train_test_split(x)",
        "y = LabelEncoder().fit_transform(y)\na, b = train_test_split(x, y)",
        f"{SCALED}a, b = train_test_split(z)",
        f"{SCALED}for at in range(9):\n    one = x[at : at + 5]\n    other = x[at + 5 : at + 8]",
        "def scaled(x):\n    x = StandardScaler().fit_transform(x)\n    return x\n"
        "a, b = train_test_split(x)\na = scaled(a)",
        "x = make_pipeline(StandardScaler(), model)\na, b = train_test_split(rows)",
    ],
)
def test_what_learns_from_the_training_rows_alone_is_let_be(script: str) -> None:
    assert foreseen(ast.parse(script)) is None
