"""TensorFlow's tests want a process of their own, with Keras 2 chosen before anything is imported.

TF_USE_LEGACY_KERAS=1 python -m pytest tests/frameworks/keras; elsewhere nothing here is collected.
"""

import os

from debugger.frameworks import installed

CHOSEN = os.environ.get("TF_USE_LEGACY_KERAS") == "1"
collect_ignore_glob = [] if CHOSEN and installed("keras") else ["test_*.py"]
if CHOSEN:
    os.environ |= {"HF_HUB_OFFLINE": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
