"""Where rows are drawn, zipped, numbered and windowed: what is blamed, and what is let be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from debugger.script.places import Places
from tests.stages.test_lines import said

SPLIT = (
    "rows = tf.data.Dataset.from_tensor_slices(x)\n"
    "rows = rows.shuffle(900, seed=1)\n"
    "train = rows.take(700)\n"
    "test = rows.skip(700)"
)
MAPPED = "def make(ds):\n    ds = ds.map(number)\n    ds = ds.batch(8)\n    return ds"
ZIPPED = (
    "texts = [r['text'] for r in rows if r['text']]\n"
    "labels = [r['label'] for r in rows]\n"
    "pairs = list(zip(texts, labels))"
)
WINDOW = "by = t.groupby('who')['sold']\nt['mean'] = by.rolling(3).mean()\ny = t['sold'].to_numpy()"
NUMBERED = (
    "for part in (train_df, test_df):\n"
    "    for name in names:\n"
    "        part[name] = pd.factorize(part[name])[0]"
)
LEARNED = (
    "def learn(ds):\n"
    "    words = TextVectorization()\n"
    "    words.adapt(ds.map(lambda text, label: text))\n"
    "    return words\n"
    "def make(ds):\n"
    "    words = learn(ds)\n"
    "    return ds.map(lambda text, label: (words(text), label))\n"
    "train_ds, test_ds = make(train_rows), make(test_rows)"
)
THROWN = (
    "sets = load_dataset('texts')\n"
    "train, test = sets['train'], sets['test']\n"
    "train = train.map(clean)\n"
    "test.map(clean)"
)

FOUND: dict[str, tuple[str, Callable[[Places], Any], str]] = {
    "split": (SPLIT, lambda at: at.split_behind_shuffle(), "rows = rows.shuffle(900, seed=1)"),
    "batched": (MAPPED, lambda at: at.batched_behind_map(), "ds = ds.batch(8)"),
    "zipped": (ZIPPED, lambda at: at.zipped_short, "labels = [r['label'] for r in rows]"),
    "window": (
        WINDOW,
        lambda at: list(at.frames.windows_with_target()),
        "t['mean'] = by.rolling(3).mean()",
    ),
    "numbered": (
        NUMBERED,
        lambda at: at.slips.numbered_apart(),
        "part[name] = pd.factorize(part[name])[0]",
    ),
    "learned": (LEARNED, lambda at: at.vocabulary_inside(), "words = learn(ds)"),
    "thrown": (THROWN, lambda at: at.unkept.thrown_away(), "test.map(clean)"),
}

HEALTHY = {
    "split": [
        SPLIT.replace("seed=1", "reshuffle_each_iteration=False"),
        SPLIT.replace("seed=1)", "seed=1).cache()"),
        SPLIT.replace("rows.skip", "others.skip"),
        "train = rows.take(700).shuffle(900)\ntest = rows.skip(700)",
        SPLIT.replace(
            "tf.data.Dataset.from_tensor_slices(x)", "load_dataset('it', streaming=True)"
        ),
    ],
    "zipped": [
        ZIPPED.replace("for r in rows]", "for r in rows if r['text']]"),
        ZIPPED.replace("labels))", "labels, strict=True))"),
        ZIPPED.replace("r['label'] for r in rows]", "r['label'] for r in others]"),
    ],
    "window": [
        WINDOW.replace("by.rolling", "by.shift(1).rolling"),
        WINDOW + "\nx = [t.values[n - 30 : n] for n in range(30, len(t))]",
        WINDOW.replace("rolling(3)", "rolling(3, closed='left')"),
        WINDOW.replace("y = t['sold']", "y = t['sold'].shift(-1)"),
        WINDOW.replace("['sold']\n", "['visits']\n"),
        WINDOW + "\nt['mean'] = t['mean'].shift(1)",
    ],
    "numbered": [
        NUMBERED.replace("(train_df, test_df)", "(train_df, extra_df)"),
        NUMBERED.replace("pd.factorize(part[name])[0]", "part[name].map(known[name])"),
    ],
    "learned": [
        LEARNED.replace("learn(ds)\n    return ds", "learn(train_rows)\n    return ds"),
        LEARNED.replace("TextVectorization()", "TextVectorization(vocabulary=known)"),
    ],
    "thrown": [
        THROWN.replace("test.map", "test = test.map"),
        THROWN.replace("load_dataset", "ask"),
    ],
}


def line_of(found: Any) -> int | None:
    one = next(iter(found), None) if isinstance(found, list) else found
    if isinstance(one, tuple):
        one = one[0]
    return getattr(one, "line", one)


@pytest.mark.parametrize("name", FOUND)
def test_the_line_to_blame_is_found(name: str) -> None:
    script, find, wanted = FOUND[name]
    assert said(script, line_of(find(Places(script)))) == wanted


@pytest.mark.parametrize(
    ("name", "script"), [(name, script) for name, scripts in HEALTHY.items() for script in scripts]
)
def test_what_is_meant_is_let_be(name: str, script: str) -> None:
    assert not FOUND[name][1](Places(script))
