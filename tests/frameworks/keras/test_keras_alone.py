"""TensorFlow, tf-keras and transformers are enough: `datasets` is not asked for."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
WITHOUT = """
import sys
sys.modules |= {"datasets": None, "evaluate": None}
from debugger import diagnose
from tests import tiny_keras as tiny
report = diagnose(tiny.compiled(), tiny.batches(), tiny.batches(seed=1), stage="evaluate")
print([report.stage(name).outcome for name in ("setup", "evaluate")])
import debugger.frameworks.keras.warm
"""


def test_a_keras_model_is_diagnosed_without_datasets_and_evaluate() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=ROOT, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == "['pass', 'pass']\n"
