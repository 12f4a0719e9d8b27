"""What today's libraries have no more, and what to write in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from debugger.failure import Failure, first_line
from debugger.outcome import Finding
from debugger.script.places import Places

ARGUMENTS = {
    "evaluation_strategy": "eval_strategy",
    "evaluate_during_training": "eval_strategy",
    "tokenizer": "processing_class",
    "no_cuda": "use_cpu",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "compute_loss": "compute_loss_func",
    "nb_epoch": "epochs",
    "samples_per_epoch": "steps_per_epoch",
    "border_mode": "padding",
    "W_regularizer": "kernel_regularizer",
    "dim_ordering": "data_format",
    "sparse": "sparse_output",
}
NAMES = {
    "datasets.load_metric": "evaluate.load",
    "evaluate.load_metric": "evaluate.load",
    "transformers.AdamW": "torch.optim.AdamW",
    "transformers.TFTrainer": "model.fit",
    "keras.np_utils": "keras.utils.to_categorical",
    "keras.image_dim_ordering": "image_data_format",
    "keras.ImageDataGenerator": "tensorflow.keras.preprocessing.image.ImageDataGenerator",
    "tensorflow.Session": "tensorflow.compat.v1.Session",
    "tensorflow.placeholder": "tensorflow.compat.v1.placeholder",
    "tensorflow.set_random_seed": "tensorflow.random.set_seed",
    "tensorflow.random_normal": "tensorflow.random.normal",
    "sklearn.load_boston": "sklearn.datasets.fetch_california_housing",
    "sklearn.plot_confusion_matrix": "sklearn.metrics.ConfusionMatrixDisplay.from_estimator",
    "sklearn.Imputer": "sklearn.impute.SimpleImputer",
    "numpy.float": "float",
    "numpy.int": "int",
    "numpy.bool": "bool",
    "numpy.object": "object",
    "numpy.float_": "numpy.float64",
    "numpy.Inf": "numpy.inf",
    "numpy.NaN": "numpy.nan",
    "numpy.product": "numpy.prod",
    "numpy.in1d": "numpy.isin",
}
"""Of modules, by the library and the name that it is asked for."""
METHODS = {
    "Sequential.predict_classes": "predict(...).argmax(axis=-1)",
    "Sequential.predict_generator": "predict",
    "Sequential.fit_generator": "fit",
    "Sequential.evaluate_generator": "evaluate",
    "Functional.fit_generator": "fit",
    "DataFrame.append": "pandas.concat",
    "Series.append": "pandas.concat",
    "DataFrame.ix": "loc",
    "DataFrame.as_matrix": "to_numpy",
    "DataFrame.iteritems": "items",
    "Series.iteritems": "items",
    "OneHotEncoder.get_feature_names": "get_feature_names_out",
    "CountVectorizer.get_feature_names": "get_feature_names_out",
    "TfidfVectorizer.get_feature_names": "get_feature_names_out",
}
"""Of objects, by their class: a tuple that lacks `append` never had it."""
MODULES = {
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.grid_search": "sklearn.model_selection",
    "keras.utils.np_utils": "keras.utils",
    "keras.preprocessing.text": "tensorflow.keras.preprocessing.text",
    "keras.wrappers": "scikeras.wrappers",
    "keras.engine": "keras.layers",
    "pytorch_transformers": "transformers",
    "pytorch_pretrained_bert": "transformers",
    "transformers.modeling_bert": "transformers",
    "transformers.tokenization_bert": "transformers",
    "keras.layers.normalization": "keras.layers",
    "keras.layers.core": "keras.layers",
    "keras.layers.convolutional": "keras.layers",
    "keras.layers.recurrent": "keras.layers",
    "keras.layers.embeddings": "keras.layers",
    "keras.layers.merge": "keras.layers",
    "keras.api": "keras",
    "keras.layers.wrappers": "keras.layers",
    "keras.layers.advanced_activations": "keras.layers",
}
_COLAB = "google.colab"
_NOT_IMPORTED = ("ImportError", "ModuleNotFoundError")
_OF_INNER_KERAS = (
    r"(?:cannot import name '(\w+)' from|No module named) '(tensorflow\.python\.keras[\w.]*)'"
)
_ARGUMENT = r"(?:(\S+)\(\) )?got an unexpected keyword argument '(\w+)'"
_OLD_ARGUMENT = r"Keyword argument not understood:', '(\w+)'"
_LACKS = r"module '?([\w.]+?)'? has no attribute '?(\w+)"
_SINCE = r"`(\w+)` has been removed from scikit-learn"


def gone(failure: Failure, places: Places) -> Finding | None:
    said, line = first_line(failure.message), failure.line
    # What is missing is `google` itself where no other library has made one.
    if failure.exception in _NOT_IMPORTED and line and places.imported(_COLAB) == line:
        return _fault("only_in_colab", line, name=_COLAB)
    if (unknown := unknown_argument(said, line, places)) is not None:
        return unknown
    if inner := re.search(_OF_INNER_KERAS, said):
        public = inner[2].replace(".python", "", 1)
        told = {"name": inner[1] or inner[2].rpartition(".")[2], "module": inner[2]}
        return _fault("inner_keras", line, public=public, **told)
    if removed := re.search(r"`([\w.]+)` was removed in .*Use `([^`]+)` instead", said):
        return _fault("renamed_name", line, name=removed[1], today=removed[2])
    for name, library in _named(failure, said):
        if today := NAMES.get(f"{library}.{name}"):
            return _fault("renamed_name", line, name=f"{library}.{name}", today=today)
        if (version := _installed(library)) is not None:
            told = {"library": library, "version": version}
            return _fault("unexpected_name", line, name=name, said=said, **told)
    since = re.search(_SINCE, failure.message)
    if since and (today := NAMES.get(f"sklearn.{since[1]}")):
        return _fault("renamed_name", line, name=since[1], today=today)
    lacks = re.search(r"'(\w+)' object has no attribute '(\w+)'", said)
    if lacks and (today := METHODS.get(f"{lacks[1]}.{lacks[2]}")):
        return _fault("renamed_name", line, name=f"{lacks[1]}.{lacks[2]}", today=today)
    if failure.exception == "ModuleNotFoundError":
        return _module(said, line)
    return None


def unknown_argument(said: str, line: int | None, places: Places) -> Finding | None:
    argument = re.search(_ARGUMENT, said)
    if argument is None:
        old = re.search(_OLD_ARGUMENT, said)
        return old and _argument(old[1], places.argument_at(old[1], line), said)
    owner = (argument[1] or "").removesuffix(".__init__").rpartition(".")[2]
    at = places.argument_at(argument[2], line)
    if owner in places.own_names:  # what the script itself made was never called otherwise
        return _fault("unexpected_argument", at, name=argument[2], said=said)
    return _argument(argument[2], at, said)


def _argument(name: str, line: int | None, said: str) -> Finding:
    if today := ARGUMENTS.get(name):
        return _fault("renamed_argument", line, name=name, today=today)
    return _fault("unexpected_argument", line, name=name, said=said)


def _named(failure: Failure, said: str) -> Iterator[tuple[str, str]]:
    """What a module was asked for and does not have, and its library."""
    if name := re.search(r"cannot import name '(\w+)' from '([\w.]+)'", said):
        yield name[1], name[2].partition(".")[0]
    if failure.exception == "AttributeError" and (lacks := re.search(_LACKS, said)):
        yield lacks[2], lacks[1].partition(".")[0]


def _module(said: str, line: int | None) -> Finding:
    name = found[1] if (found := re.search(r"No module named '([\w.]+)'", said)) else ""
    today = next((new for old, new in MODULES.items() if f"{name}.".startswith(f"{old}.")), None)
    if today is not None:
        return _fault("renamed_name", line, name=name, today=today)
    return _fault("missing_module", line, said=said)


def _installed(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _fault(code: str, line: int | None, **numbers: Any) -> Finding:
    return Finding(code, "fault", "setup", line, numbers)
