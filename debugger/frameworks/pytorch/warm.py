"""What the zygote imports before it forks, so that a run starts at once.

Only imports: one operation of torch, or one look at CUDA, would make every forked child hang.
The environment is set by `zygote.environment`, before the process starts.
"""

# ruff: noqa: F401
import sys
from contextlib import suppress
from importlib import import_module

import accelerate
import torch
import transformers.models.bert.modeling_bert
import transformers.models.distilbert.modeling_distilbert
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

import debugger.diagnosis
import debugger.frameworks.pytorch.pipeline
from scenarios import assets

# transformers 5 keeps its tokenizers elsewhere, and a script of somebody's own may do without the
# rest. `load_dataset` imports scipy, when it is there.
for module in (
    "transformers.models.bert.tokenization_bert_fast",
    "transformers.models.distilbert.tokenization_distilbert_fast",
    "datasets",
    "evaluate",
    "scipy.io",
    "sklearn.metrics",
):
    with suppress(ModuleNotFoundError):
        import_module(module)

# The weights are hashed once, not in every run.
with suppress(assets.AssetsError):
    assets.bundled_checkpoint()

# What `map` made in one run must never be found by the next one.
if datasets := sys.modules.get("datasets"):
    datasets.disable_caching()
