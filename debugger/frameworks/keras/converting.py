"""What TensorFlow rewrites of the libraries' code before it traces a graph, rewritten ahead.

It costs two seconds of each run that traces, and what comes of it depends on the code alone. No
operation of TensorFlow is run, so a warm process may do it for all that it forks.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

from tensorflow.python.autograph.core import converter
from tensorflow.python.autograph.impl import api

REWRITTEN: Mapping[str, tuple[str, ...]] = {
    "datasets.arrow_dataset": (
        "TensorflowDatasetMixin.to_tf_dataset.<locals>.split_features_and_labels",
    ),
    "datasets.utils.tf_utils": (
        "dataset_to_tf.<locals>.scan_random_index",
        "dataset_to_tf.<locals>.fetch_function",
        "dataset_to_tf.<locals>.ensure_shapes",
    ),
    "tf_keras.src.engine.training": ("Model.make_train_function.<locals>.train_function",),
    "transformers.modeling_tf_utils": (
        "unpack_inputs.<locals>.run_call_with_unpacked_inputs",
        "input_processing",
        "booleans_processing",
        "dummy_loss",
        "TFSequenceClassificationLoss.hf_compute_loss",
    ),
    "transformers.tf_utils": ("shape_list", "stable_softmax", "check_embeddings_within_bounds"),
    "transformers.models.bert.modeling_tf_bert": (
        "TFBertForSequenceClassification.call",
        "TFBertModel.call",
        "TFBertMainLayer.call",
        "TFBertEmbeddings.call",
        "TFBertEncoder.call",
        "TFBertLayer.call",
        "TFBertAttention.call",
        "TFBertSelfAttention.call",
        "TFBertSelfAttention.transpose_for_scores",
        "TFBertSelfOutput.call",
        "TFBertIntermediate.call",
        "TFBertOutput.call",
        "TFBertPooler.call",
    ),
}
"""By module, as Python names them. Those of other models are left to their runs."""
ASKED_FOR = ("fetch_function", "train_function")
"""Handed to TensorFlow as they are: it tells them from what it finds inside of them."""
NO_MORE: Any = ()
"""As everybody has it who does not ask for optional features."""
LOCAL = "<locals>"


def rewrite_ahead() -> Iterator[None]:
    """One function at a time. What another version does not have is not rewritten."""
    for module, names in REWRITTEN.items():
        for name in names:
            found = _function(module, name)
            if found is not None:
                asked = name.rpartition(".")[2] in ASKED_FOR
                options = converter.ConversionOptions(True, asked, optional_features=NO_MORE)
                with _sources_remembered():
                    api._convert_actual(found, converter.ProgramContext(options=options))
                yield


def _function(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        if part == LOCAL:
            found = getattr(found, "__code__", None)
        elif isinstance(found, CodeType):
            inner = (one for one in found.co_consts if isinstance(one, CodeType))
            found = next((one for one in inner if one.co_name == part), None)
        else:
            found = inspect.unwrap(getattr(found, part, None))  # pyright: ignore[reportArgumentType]
    if not isinstance(found, CodeType):
        return found
    cells = tuple(CellType() for _ in found.co_freevars)
    return FunctionType(found, vars(sys.modules[module]), closure=cells)


@contextmanager
def _sources_remembered() -> Iterator[None]:
    """TensorFlow leaves a file of each; a traceback that goes through it is to show its lines."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="clinic-") as folder:
        tempfile.tempdir = folder
        try:
            yield
        finally:
            tempfile.tempdir = before
        for file in Path(folder).glob("*.py"):
            text = file.read_text(encoding="utf-8")
            linecache.cache[str(file)] = len(text), None, text.splitlines(True), str(file)
