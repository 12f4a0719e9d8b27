"""What the zygote of Keras runs imports before it forks: TensorFlow, in its Keras 2 form.

Only imports, as in PyTorch's: one operation of TensorFlow would make every forked child hang.
"""

# ruff: noqa: F401
# First: it loads triton before TensorFlow.
from scenarios.assets import keras

import sys
from contextlib import suppress
from importlib import import_module

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
import debugger.frameworks.keras.pipeline
from debugger.frameworks.keras.converting import rewrite_ahead
from scenarios import assets

# A script of somebody's own may do without these. `load_dataset` imports scipy, when it is there.
for module in ("datasets", "evaluate", "scipy.io", "sklearn.metrics"):
    with suppress(ModuleNotFoundError):
        import_module(module)

with suppress(assets.AssetsError, OSError):
    assets.bundled_checkpoint()
    keras.check_ahead()

# What `map` made in one run must never be found by the next one.
if datasets := sys.modules.get("datasets"):
    datasets.disable_caching()

LATER = rewrite_ahead
"""It costs more than a second; a first run need not wait for it."""
