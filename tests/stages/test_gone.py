"""What today's libraries have no more is told with what to write in its place."""

from __future__ import annotations

import pkgutil

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event
from debugger.report import Report, gather
from debugger.run import Run
from debugger.stages import gone

OF_NUMPY = "import numpy as np\n"
OF_PANDAS = "import pandas as pd\ntable = pd.DataFrame({'a': [1]})\n"


def performed(text: str) -> Report:
    events: list[Event] = []
    perform(Run(text, stage="setup", device="cpu"), events.append)
    return gather(events)


@pytest.mark.parametrize(
    ("script", "today"),
    [
        (f"{OF_NUMPY}np.zeros(3).astype(np.float)", "float"),
        (f"{OF_NUMPY}np.product([1, 2])", "numpy.prod"),
        (f"{OF_PANDAS}table.append({{'a': 2}}, ignore_index=True)", "pandas.concat"),
        (f"{OF_PANDAS}table.iteritems()", "items"),
        ("from sklearn.cross_validation import train_test_split", "sklearn.model_selection"),
        (
            "from sklearn.datasets import load_boston",
            "sklearn.datasets.fetch_california_housing",
        ),
        (
            "from sklearn.preprocessing import OneHotEncoder\nOneHotEncoder(sparse=False)",
            "sparse_output",
        ),
        (
            "from transformers import TrainingArguments\n"
            "TrainingArguments('out', evaluate_during_training=True)",
            "eval_strategy",
        ),
        ("from pytorch_transformers import BertModel", "transformers"),
    ],
)
def test_what_is_gone_is_told_at_its_line_with_what_it_is_called_now(
    script: str, today: str
) -> None:
    (found,) = performed(script).findings

    assert found.code in ("renamed_name", "renamed_argument")
    assert (found.numbers["today"], found.line) == (today, len(script.splitlines()))


def test_an_argument_of_a_function_of_ones_own_was_never_called_otherwise() -> None:
    (found,) = performed("def spread(rows):\n    pass\nspread([1], sparse=True)").findings

    assert (found.code, found.line) == ("unexpected_argument", 3)


def test_what_a_tuple_never_had_is_not_gone() -> None:
    assert [one.code for one in performed("().append(1)").findings] == ["script_failed"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("from google.colab import drive", "only_in_colab"),
        ("from google import colab", "only_in_colab"),
        ("!pip install datasets", "line_of_a_notebook"),
        ("x = 1\n%matplotlib inline", "line_of_a_notebook"),
    ],
)
def test_what_belongs_to_a_notebook_says_so(script: str, code: str) -> None:
    assert [one.code for one in performed(script).findings] == [code]


HERE = ("numpy", "sklearn", "evaluate", "torch", "transformers")


@pytest.mark.parametrize(
    "place",
    [
        place
        for place in sorted({*gone.NAMES.values(), *gone.MODULES.values()})
        if place.partition(".")[0] in HERE
    ],
)
def test_what_stands_in_its_place_is_there(place: str) -> None:
    assert pkgutil.resolve_name(place) is not None
