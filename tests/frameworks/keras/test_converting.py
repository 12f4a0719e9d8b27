"""What TensorFlow rewrites of the libraries is rewritten ahead: all of it, and nothing is run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

LOOK = """
import json, linecache, os
from tests.tiny_keras import batches, bert, compiled  # as a warm process imports it
from debugger.frameworks.keras import converting
import datasets, numpy, tensorflow as tf
from tensorflow.python.autograph.impl import api
from tensorflow.python.autograph.pyct import transpiler
from tensorflow.python.eager import context

rewritten = []
transform = transpiler.GenericTranspiler.transform_function

def noted(self, fn, given):
    rewritten.append((fn.__module__, fn.__code__.co_qualname))
    return transform(self, fn, given)

transpiler.GenericTranspiler.transform_function = noted
context._reset_context()
list(converting.rewrite_ahead())
made = [one for kept in api._TRANSPILER._cache._cache.values() for one in kept.values()]
files = [one.module.__file__ for one in made]
ahead, threads = list(rewritten), len(os.listdir("/proc/self/task"))
ran = context.context()._context_handle is not None
rewritten.clear()

ids = numpy.ones((8, 6), int).tolist()
rows = datasets.Dataset.from_dict({"input_ids": ids, "attention_mask": ids, "labels": [0, 1] * 4})
given = rows.to_tf_dataset(columns=["input_ids", "attention_mask"], label_cols="labels",
                           batch_size=4, shuffle=True)
for train in (given, rows.to_tf_dataset(columns=rows.column_names, batch_size=4)):
    model = bert()
    if train is given:
        compiled(model)
    else:
        model.compile("adam")
    model.fit(train, verbose=0)
print(json.dumps({
    "ahead": ahead, "threads": threads, "ran": ran, "anew": rewritten,
    "left": [file for file in files if os.path.exists(file)],
    "shown": [any(map(str.strip, linecache.getlines(file))) for file in files],
}))
"""


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, env=dict(os.environ)
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_nothing_of_the_libraries_is_left_to_a_run(seen: dict[str, Any]) -> None:
    assert [one for one in seen["anew"] if one[0] != "__main__"] == []


def test_all_that_is_named_is_there(seen: dict[str, Any]) -> None:
    from debugger.frameworks.keras.converting import REWRITTEN

    named = [[module, name] for module, names in REWRITTEN.items() for name in names]
    assert seen["ahead"] == named


def test_no_file_is_left_and_a_traceback_still_has_its_lines(seen: dict[str, Any]) -> None:
    assert seen["left"] == []
    assert seen["shown"] == [True] * len(seen["ahead"])


def test_no_operation_is_run_and_no_thread_started(seen: dict[str, Any]) -> None:
    assert not seen["ran"]
    assert seen["threads"] <= 2
