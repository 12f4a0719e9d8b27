"""What the zygote of Keras runs imports before it forks: TensorFlow, in its Keras 2 form.

Only imports, as in `warm`: one operation of TensorFlow would make every forked child hang.
"""

# ruff: noqa: F401
from contextlib import suppress
from importlib.util import find_spec

import datasets
import evaluate
import tensorflow
import tf_keras.api._v2.keras
import transformers.keras_callbacks
import transformers.models.bert.modeling_tf_bert
import transformers.models.bert.tokenization_bert_fast
import transformers.models.distilbert.modeling_tf_distilbert
import transformers.models.distilbert.tokenization_distilbert_fast
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

import debugger.diagnosis
import debugger.pipelines.keras.building
from scenarios import assets
from scenarios.assets import keras

if find_spec("scipy"):
    import scipy.io  # datasets does, at the first load_dataset

if find_spec("sklearn"):
    import sklearn.metrics

with suppress(assets.AssetsError, OSError):
    assets.bundled_checkpoint()
    keras.check_ahead()

datasets.disable_caching()
