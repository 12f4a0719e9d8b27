"""The real zygote: the libraries are there, and nothing has run in it."""

import pytest
from test_endings import ended_as, said

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.proof
def test_the_libraries_are_there_byte_compiled_and_untouched(real, ask):
    script = """
import sys, threading, torch, datasets
from pathlib import Path
cached = [getattr(module, "__cached__", None) for module in list(sys.modules.values())]
cached = [path for path in cached if isinstance(path, str)]
say(
    loaded=[name in sys.modules for name in ("torch", "transformers.trainer", "datasets",
        "evaluate", "accelerate", "transformers.models.bert.modeling_bert",
        "transformers.models.distilbert.modeling_distilbert", "debugger.diagnosis")],
    tensorflow="tensorflow" in sys.modules,
    uncompiled=[path for path in cached if not Path(path).exists()],
    compiled=len(cached),
    cuda=torch.cuda.is_initialized(),
    threads=[torch.get_num_threads(), len(os.listdir(f"/proc/{os.getppid()}/task"))],
    caching=datasets.is_caching_enabled(),
    available=torch.cuda.is_available(),
)
"""
    answer = said(ask(real, script))
    assert all(answer["loaded"]), answer["loaded"]
    assert not answer["tensorflow"]
    assert answer["compiled"] > 1000
    assert answer["uncompiled"] == []
    assert not answer["cuda"]
    assert not answer["available"]
    assert answer["threads"][0] == 1
    assert answer["threads"][1] <= 2
    assert not answer["caching"]


def test_every_generator_follows_the_seed(real, ask):
    script = """
import random, numpy, torch
say(drawn=[random.random(), numpy.random.rand(), torch.rand(1).item(),
           torch.nn.Linear(3, 3).weight[0, 0].item()])
"""
    first, again, other = (said(ask(real, script, seed=seed))["drawn"] for seed in (0, 0, 1))
    assert first == again
    assert all(one != two for one, two in zip(first, other, strict=True))


def test_what_map_makes_is_not_found_by_the_next_run(real, ask):
    script = """
import datasets
data = datasets.Dataset.from_dict({"a": [1, 2, 3]})
data.save_to_disk("/proc/self/cwd/d"); data = datasets.load_from_disk("/proc/self/cwd/d")
calls = []
def double(row): calls.append(1); return {"b": row["a"] * 2}
data.map(double); data.map(double)
say(calls=len(calls))
"""
    assert said(ask(real, script)) == {"calls": 6}


def test_a_real_crash_after_torch_has_run_is_an_outcome_and_the_next_run_is_healthy(real, ask):
    events = ask(real, "import torch\ntorch.ones(3).sum()\nos.abort()")
    finding = ended_as(events)[1]
    assert (finding.numbers["signal"], finding.line) == ("SIGABRT", 3)
    assert said(ask(real, "import torch; say(sum=torch.ones(3).sum().item())")) == {"sum": 3.0}
