"""Which libraries a script wants around it, told from its text alone."""

from __future__ import annotations

from typing import Any

import pytest

from debugger import catalogue, diagnose
from debugger.frameworks import of
from debugger.run import Run


@pytest.mark.parametrize(
    "script",
    [
        "import tensorflow as tf",
        "import os, tensorflow.keras.layers",
        "from tensorflow.keras.optimizers import Adam",
        "import tf_keras",
        "from keras import layers",
        "def late():\n    import keras",
        "import importlib\ntf = importlib.import_module('tensorflow')",
        "tf = __import__('tensorflow.keras')",
        "from transformers import AutoTokenizer, TFAutoModelForSequenceClassification",
        "from transformers import (\n    TFBertModel,\n)",
        "from transformers.models.bert.modeling_tf_bert import TFBertModel",
        "import transformers as t\nmodel = t.TFAutoModel.from_pretrained('x')",
        "from transformers import TFTrainer",
        "from transformers.keras_callbacks import KerasMetricCallback",
        "from transformers import keras_callbacks",
        "import transformers.keras_callbacks",
        "import tensorflow as tf\nmodel.fit(",
        "import os, tensorflow as tf\nprint 'old'",
        "from transformers import TFAutoModel\nmodel = (",
        "import keras\n\0",
    ],
)
def test_a_script_that_imports_tensorflow_or_keras_is_a_keras_script(script: str) -> None:
    assert Run(script).framework == "keras"


@pytest.mark.parametrize(
    "script",
    [
        "",
        "import torch",
        "from transformers import Trainer, AutoModel",
        "from .keras import layers",
        "from mine.keras import layers",
        "import tensorflow_datasets",
        "# import tensorflow\nframework = 'tensorflow'",
        "print('import keras')",
        "import mine\nmine.TFAutoModel()",
        "tensorflow = 3\ntensorflow.keras",
        "import torch\n# no keras here\nprint 'old'",
        "from mine.keras import layers\nprint 'old'",
        "try:\n    import keras\nexcept ImportError:\n    pass\nfrom transformers import Trainer",
        "import tensorflow as tf\nimport transformers\ntransformers.Seq2SeqTrainer()",
        "\0",
    ],
)
def test_a_script_that_only_sounds_like_it_is_none(script: str) -> None:
    assert Run(script).framework == "pytorch"


def test_a_script_too_deep_to_parse_is_told_by_its_lines() -> None:
    deep = f"x = {'(' * 5000}{')' * 5000}\n"
    assert of(deep).name == "pytorch"
    assert of(f"import keras\n{deep}").name == "keras"


@pytest.mark.parametrize("scenario", catalogue.every(), ids=lambda scenario: scenario.id)
def test_every_scenario_is_told_by_its_script_and_by_its_twin(scenario: catalogue.Scenario) -> None:
    assert of(scenario.script).name == of(scenario.twin).name == scenario.framework


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"stage": "forwards"}, "stage is one of walk, on, all, setup, data, .*'forwards'"),
        ({"steps": -1}, "steps is 0 or more; this is -1"),
        ({"language": "xx"}, "xx"),
    ],
)
def test_what_a_notebook_asks_for_wrongly_is_refused_before_anything_runs(
    asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        diagnose(object(), **asked)


def test_what_is_neither_a_trainer_nor_a_model_is_refused() -> None:
    with pytest.raises(TypeError, match="this is a dict"):
        diagnose({})
