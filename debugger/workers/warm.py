"""What the zygote imports before it forks, so that a run starts at once.

Only imports: one operation of torch, or one look at CUDA, would make every forked child hang.
The environment is set by `zygote.environment`, before the process starts.
"""

# ruff: noqa: F401
from contextlib import suppress
from importlib.util import find_spec

import accelerate
import datasets
import evaluate
import torch
import transformers.models.bert.modeling_bert
import transformers.models.bert.tokenization_bert_fast
import transformers.models.distilbert.modeling_distilbert
import transformers.models.distilbert.tokenization_distilbert_fast
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

import debugger.diagnosis
import debugger.pipelines.trainer.building
from scenarios import assets

if find_spec("scipy"):
    import scipy.io  # datasets does, at the first load_dataset

if find_spec("sklearn"):
    import sklearn.metrics

# The weights are hashed once, not in every run.
with suppress(assets.AssetsError):
    assets.bundled_checkpoint()

# What `map` made in one run must never be found by the next one.
datasets.disable_caching()
