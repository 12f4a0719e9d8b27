"""Each framework has a zygote of its own, and neither pays for the other. Light: toys stand in."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from test_endings import ended_as, said
from test_process import soon

from debugger import frameworks
from debugger.outcome import Accepted, Finding, Outcome

KERAS = "if False: import keras\n"
WHERE = "say(parent=os.getppid())"


@pytest.fixture
def only_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: framework == "pytorch")


@pytest.fixture(autouse=True)
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: True)


def warmed() -> bool:
    return not any(thread.name == "warm" for thread in threading.enumerate())


def test_a_zygote_starts_when_a_script_of_its_framework_comes(make_engine, ask):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    assert engine.status()["zygotes"] == {"pytorch": False, "keras": False}
    first = said(ask(engine, WHERE))["parent"]
    assert engine.status()["zygotes"] == {"pytorch": True, "keras": False}
    keras = said(ask(engine, KERAS + WHERE))["parent"]
    assert engine.status()["zygotes"] == {"pytorch": True, "keras": True}
    assert keras != first == engine.status()["pids"]["pytorch"]
    assert said(ask(engine, WHERE))["parent"] == first


def test_each_framework_finds_its_environment(make_engine, ask, monkeypatch):
    monkeypatch.setenv("USE_TF", "1")
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "7")
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    script = "say(env=dict(os.environ))"
    torch, keras = (said(ask(engine, start + script))["env"] for start in ("", KERAS))
    assert torch["USE_TF"] == "0"
    assert torch["TF_NUM_INTRAOP_THREADS"] == "7"
    assert "USE_TF" not in keras
    assert keras["TF_USE_LEGACY_KERAS"] == "1"
    assert keras["TF_NUM_INTRAOP_THREADS"] == keras["TF_NUM_INTEROP_THREADS"] == "1"
    assert keras["TF_FORCE_GPU_ALLOW_GROWTH"] == "true"
    shared = ("OMP_NUM_THREADS", "HF_HUB_OFFLINE", "MALLOC_TRIM_THRESHOLD_")
    assert all(torch[name] == keras[name] for name in shared)


@pytest.mark.proof
def test_a_keras_run_may_use_a_third_more_memory(make_engine, ask):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    eat = "kept = bytearray({} << 20)\nsay(eaten=len(kept))"
    assert ended_as(ask(engine, eat.format(700)))[1].numbers == {"memory_mb": 600}
    assert "eaten" in said(ask(engine, KERAS + eat.format(700)))
    assert ended_as(ask(engine, KERAS + eat.format(900)))[1].numbers == {"memory_mb": 800}


def test_a_keras_zygote_that_cannot_import_harms_no_other_run(make_engine, ask):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("no_such_module",)})
    assert ended_as(ask(engine, KERAS + WHERE))[1].code == "warm_no_package"
    assert said(ask(engine, "say(x=1)")) == {"x": 1}


@pytest.mark.proof
def test_warming_keras_waits_until_pytorch_is_ready(make_engine, tmp_path, monkeypatch):
    mark = tmp_path / "imported"
    (tmp_path / "slow_toy.py").write_text(f"import time; time.sleep(0.5); open({str(mark)!r}, 'w')")
    (tmp_path / "second_toy.py").write_text(f"import os; assert os.path.exists({str(mark)!r})")
    monkeypatch.syspath_prepend(tmp_path)
    engine = make_engine(preload={"pytorch": ("slow_toy",), "keras": ("second_toy",)})
    engine.warm()
    assert soon(lambda: engine.status()["zygotes"]["pytorch"])
    assert soon(warmed)
    assert engine.status()["zygotes"]["keras"]


def test_warming_keras_does_not_wait_for_a_pytorch_that_cannot_import(make_engine):
    engine = make_engine(preload={"pytorch": ("no_such_module",), "keras": ("toys",)})
    engine.warm()
    assert soon(warmed)
    assert engine.status()["zygotes"] == {"pytorch": False, "keras": True}


def test_what_nobody_wants_is_not_warmed(make_engine):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    engine.warm({"pytorch"})
    assert soon(warmed)
    assert engine.status()["zygotes"] == {"pytorch": True, "keras": False}


@pytest.mark.usefixtures("only_pytorch")
def test_without_tensorflow_nothing_of_it_is_warmed(make_engine):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    engine.warm()
    assert soon(warmed)
    assert engine.status()["zygotes"] == {"pytorch": True, "keras": False}


@pytest.mark.usefixtures("only_pytorch")
def test_without_tensorflow_a_keras_run_is_answered_at_once_and_others_as_ever(make_engine, ask):
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("toys",)})
    accepted, outcome = ask(engine, KERAS + "say(x=1)")
    assert isinstance(accepted, Accepted)
    finding = Finding("framework_missing", "note", "setup")
    assert outcome == Outcome("unknown", "cpu", 0.0, finding=finding, framework="keras")
    assert engine.status()["zygotes"] == {"pytorch": False, "keras": False}
    assert engine.status()["started"] == 0
    assert said(ask(engine, "say(x=1)")) == {"x": 1}


def test_tensorflow_counts_as_installed_only_with_tf_keras(tmp_path, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    for name in ("tensorflow", "tf_keras"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("tensorflow", "tf_keras"):
        assert not frameworks.installed("keras")
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('told by looking alone')")
    assert frameworks.installed("keras")


def test_no_thread_and_no_process_is_left_when_an_engine_closes_while_it_warms(
    make_engine, tmp_path, monkeypatch
):
    (tmp_path / "endless_toy.py").write_text(
        f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    engine = make_engine(preload={"pytorch": ("toys",), "keras": ("endless_toy",)})
    engine.warm()
    assert soon(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
    engine.close()
    assert soon(warmed)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
