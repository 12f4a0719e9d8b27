"""What a training has left, as plain numbers: written, read without belief, and weighed."""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from debugger.pipelines import learned
from debugger.pipelines.learned import Unusable, found, leave, moved, weighed

ARRAYS: dict[str, Any] = {
    "body.weight": np.arange(6, dtype="float32").reshape(2, 3),
    "head.bias": np.ones(3, "float32"),
    "steps": np.array([7]),
}
ABC = ("a", "b", "c")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "left.safetensors"


def test_what_is_left_is_found_again_with_the_names_of_its_labels(file: Path) -> None:
    leave(file, ARRAYS, ABC)
    arrays, labels = found(file, ARRAYS)
    assert labels == ABC
    assert all((arrays[name] == one).all() for name, one in ARRAYS.items())


def test_a_model_in_other_words_is_told_by_the_places_of_its_weights(file: Path) -> None:
    leave(file, {f"my_{name}": one for name, one in ARRAYS.items()}, None)
    arrays, labels = found(file, ARRAYS)
    assert labels is None
    assert (arrays["body.weight"] == ARRAYS["body.weight"]).all()


@pytest.mark.parametrize(
    "other",
    [
        {**ARRAYS, "head.bias": np.ones(2, "float32")},
        {**ARRAYS, "head.bias": np.ones(3, "float64")},
        {**ARRAYS, "more": np.ones(1, "float32")},
        {"body.weight": ARRAYS["body.weight"]},
    ],
)
def test_other_shapes_types_or_numbers_of_weights_do_not_fit(
    file: Path, other: dict[str, Any]
) -> None:
    leave(file, other, ABC)
    assert refused(file) == "weights_do_not_fit"


def test_what_is_no_file_of_weights_is_never_believed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused(file) == "weights_missing"
    whole = {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}
    lying = json.dumps({"0/body.weight": whole}).encode()
    for content in (b"", b"x" * 99, pickle.dumps(print), struct.pack("<Q", len(lying)) + lying):
        file.write_bytes(content)
        assert refused(file) == "weights_unreadable"
    leave(file, ARRAYS, ABC)
    monkeypatch.setattr(learned, "MOST_BYTES", 9)
    assert refused(file) == "weights_unreadable"
    link = file.with_name("link")
    link.symlink_to(file)
    assert refused(link) == "weights_unreadable"


@pytest.mark.parametrize("said", [["a", "a", "c"], "abc", {"a": 1}, [1, 2, 3]])
def test_names_of_labels_that_are_none_count_as_none(file: Path, said: Any) -> None:
    leave(file, ARRAYS, said)
    assert found(file, ARRAYS)[1] is None


def refused(file: Path) -> str:
    with pytest.raises(Unusable) as caught:
        found(file, ARRAYS)
    return caught.value.code


ALL_RIGHT = {(0, 0): 30, (1, 1): 30, (2, 2): 30}
TURNED = {(0, 1): 30, (1, 2): 30, (2, 0): 30}


def test_labels_are_told_by_their_names_where_both_sides_have_them() -> None:
    assert weighed(TURNED, ("c", "a", "b"), ABC, 0.1).right == 90
    assert weighed(TURNED, ABC, ABC, 0.1).right == 0
    assert weighed(ALL_RIGHT, None, ABC, 0.1).right == 90


def test_who_knows_the_rows_under_other_numbers_and_names_none_is_not_called_wrong() -> None:
    assert weighed(TURNED, None, ABC, 0.1).reason == "weights_labels_unnamed"
    assert weighed({(0, 0): 30, (1, 0): 30, (2, 0): 30}, None, ABC, 0.1).reason == ""


def test_how_far_weights_moved() -> None:
    before = {"w": np.array([3.0, 4.0]), "n": np.array([1])}
    assert moved({"w": np.array([3.0, 4.5]), "n": np.array([9])}, before) == pytest.approx(0.1)
