"""The real Keras zygote: TensorFlow is there, nothing has run in it, and PyTorch never meets it."""

import pytest
from test_endings import console, said

from debugger.run import Run
from debugger.workers.local import LocalEngine

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.proof


def test_a_child_runs_tensorflow_while_a_pytorch_run_beside_it_knows_nothing_of_it(real, ask):
    script = """
import tensorflow as tf
say(sum=float(tf.reduce_sum(tf.ones(3))))
time.sleep(60)
"""
    running = real.events(Run(script, device="cpu"))
    assert said([next(running), next(running)]) == {"sum": 3.0}
    beside = "import sys; say(loaded=sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = said(ask(real, beside))["loaded"]
    assert "torch" in loaded
    assert not {"tensorflow", "tf_keras", "keras"} & set(loaded)
    running.close()


def test_the_libraries_are_there_byte_compiled_and_untouched(real, ask):
    script = """
import sys, datasets, tensorflow as tf
from pathlib import Path
from tensorflow.python.eager import context
made = [m for name, m in sys.modules.items() if name.startswith("__autograph_generated_file")]
cached = [getattr(m, "__cached__", None) for m in list(sys.modules.values()) if m not in made]
cached = [path for path in cached if isinstance(path, str)]
before = context.context()._context_handle is None
devices = [device.device_type for device in tf.config.list_logical_devices()]
say(
    missing=[name for name in ("tensorflow", "tf_keras", "datasets", "evaluate",
        "transformers.models.bert.modeling_tf_bert", "transformers.keras_callbacks",
        "transformers.models.distilbert.modeling_tf_distilbert", "debugger.diagnosis")
        if name not in sys.modules],
    uncompiled=[path for path in cached if not Path(path).exists()],
    untouched=before, devices=devices,
    threads=len(os.listdir(f"/proc/{os.getppid()}/task")),
    caching=datasets.is_caching_enabled(),
    keras=tf.keras.optimizers.Adam.__module__,
)
"""
    events = ask(real, script)
    answer = said(events)
    assert answer["missing"] == []
    assert answer["uncompiled"] == []
    assert answer["untouched"]
    assert answer["devices"] == ["CPU"]
    assert answer["threads"] <= 2
    assert not answer["caching"]
    assert answer["keras"].startswith("tf_keras.")
    assert console(events)["text"] == ""


def test_every_generator_follows_the_seed(real, ask):
    script = """
import random, numpy, tensorflow as tf
layer = tf.keras.layers.Dense(3)
layer.build((None, 2))
say(drawn=[random.random(), float(numpy.random.rand()), float(tf.random.uniform(())),
           float(layer.kernel[0, 0]), list(map(int, tf.data.Dataset.range(99).shuffle(99)))])
"""
    first, again, other = (said(ask(real, script, seed=seed))["drawn"] for seed in (0, 0, 1))
    assert first == again
    assert all(one != two for one, two in zip(first, other, strict=True))


def test_a_model_is_traced_and_trained_and_after_a_crash_the_next_run_is_healthy(real, ask):
    script = """
import numpy, tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
losses = model.fit(numpy.ones((8, 2)), numpy.ones((8, 1)), epochs=3, verbose=0).history["loss"]
say(falls=losses[0] > losses[-1])
os.abort()
"""
    assert said(ask(real, script)) == {"falls": True}
    assert said(ask(real, "import tensorflow as tf; say(x=int(tf.constant(7)))")) == {"x": 7}


def test_a_script_of_somebodys_own_finds_the_bundled_checkpoint_the_first_time(ask, tmp_path):
    script = """
import tensorflow
from scenarios.assets.keras import CHECKPOINT
say(files=os.listdir(CHECKPOINT))
"""
    home = tmp_path / "own"
    home.mkdir()
    (home / "script.py").write_text(script)
    with LocalEngine(1, 60, 3000, tmp_path / "data", "toys:perform") as engine:
        where = {"folder": str(home), "filename": str(home / "script.py")}
        assert "tf_model.h5" in said(ask(engine, script, **where))["files"]


def test_what_was_typed_finds_the_converted_checkpoint(ask, tmp_path):
    script = """
import tensorflow
from scenarios.assets.keras import CHECKPOINT
say(files=os.listdir(CHECKPOINT))
"""
    with LocalEngine(1, 60, 3000, tmp_path / "data", "toys:perform") as engine:
        assert "tf_model.h5" in said(ask(engine, script, typed=True))["files"]
