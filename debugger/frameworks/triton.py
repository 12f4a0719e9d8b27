"""triton, which PyTorch's builds for CUDA bring along, and TensorFlow in one process.

transformers loads triton, through torch._dynamo. Loaded after TensorFlow it ends the process with
signal 11 (triton 3.7, TensorFlow 2.21, with or without a GPU); loaded before it, all is well.
"""

import sys
from contextlib import suppress


def settle() -> None:
    """Load triton, if there is one. Behind TensorFlow's back it counts as missing instead."""
    if "tensorflow" in sys.modules and "triton" not in sys.modules:
        sys.modules["triton"] = None  # pyright: ignore[reportArgumentType]
    with suppress(ImportError):
        import triton  # noqa: F401 # pyright: ignore[reportMissingImports]
