"""A process that has built a script waits for its next stage, and answers as a fresh one would."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from test_endings import console, ended_as, said

from debugger.pipelines.cards import Card
from debugger.run import Run
from debugger.workers import residents

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")

SCRIPT = """
import tensorflow
print("building")
"""


@pytest.fixture
def waiting(make_engine):
    """An engine of toys, whose scripts are of Keras because they import TensorFlow."""

    def make(most: int = 2, **more: Any) -> Any:
        given = {"perform": "toys:perform_again", "preload": {"keras": ("toys",)}}
        return make_engine(residents=most, **{**given, **more})

    return make


def answered(engine: Any, ask: Any, stage: str, script: str = SCRIPT, **more: Any) -> Any:
    return said(ask(engine, script, stage=stage, **more))


def gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def folders_become(tmp_path: Path, wanted: int) -> bool:
    """What a run leaves behind is removed after it has answered."""
    end, found = time.monotonic() + 5, -1
    while found != wanted and time.monotonic() < end:
        found = sum(path.is_dir() for path in (tmp_path / "data" / "runs").glob("*/*"))
        time.sleep(0.02)
    return found == wanted


def test_the_next_stage_comes_from_the_process_that_built_the_script(waiting, ask):
    engine = waiting()
    first, second = answered(engine, ask, "data"), answered(engine, ask, "forward")
    assert first["pid"] == second["pid"]
    assert (first["stage"], second["stage"]) == ("data", "forward")
    assert engine.status()["residents"] == 1


def test_another_script_seed_or_whoever_typed_has_a_process_of_its_own(waiting, ask):
    engine = waiting(most=5)
    pids = [
        answered(engine, ask, "data")["pid"],
        answered(engine, ask, "data", script=SCRIPT + "x = 1\n")["pid"],
        answered(engine, ask, "data", seed=1)["pid"],
        answered(engine, ask, "data", assets="hub")["pid"],
        answered(engine, ask, "train")["pid"],
        answered(engine, ask, "all")["pid"],
    ]
    assert len(set(pids)) == len(pids)
    assert engine.status()["residents"] == 4


def test_what_was_typed_never_waits(waiting, ask):
    engine = waiting()
    first, second = (answered(engine, ask, "data", typed=True)["pid"] for _ in range(2))
    assert first != second
    assert engine.status()["residents"] == 0


def test_a_walk_that_ended_before_its_training_waits_too(waiting, ask):
    engine = waiting()
    walked = answered(engine, ask, "walk")["pid"]
    assert answered(engine, ask, "step")["pid"] == walked
    trained = answered(engine, ask, "walk", script=SCRIPT + "trains = True\n")["pid"]
    assert gone(trained)


def test_without_the_setting_nobody_waits(waiting, ask):
    engine = waiting(most=0)
    assert gone(answered(engine, ask, "data")["pid"])


def test_the_console_holds_what_a_fresh_process_would_have_printed(waiting, ask):
    engine = waiting()
    shown = [console(ask(engine, SCRIPT, stage=stage))["text"] for stage in ("data", "batch")]
    assert shown == ["building\nat data\n", "building\nat batch\n"]


def test_the_oldest_leaves_with_its_folder_when_there_are_too_many(waiting, ask, tmp_path):
    engine = waiting(most=1)
    first = answered(engine, ask, "data")["pid"]
    second = answered(engine, ask, "data", script=SCRIPT + "x = 1\n")["pid"]
    assert gone(first)
    assert not gone_now(second)
    assert folders_become(tmp_path, 1)


def gone_now(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def test_one_that_died_while_it_waited_is_replaced(waiting, ask, tmp_path):
    engine = waiting()
    first = answered(engine, ask, "data")["pid"]
    os.kill(first, signal.SIGKILL)
    time.sleep(0.1)
    assert answered(engine, ask, "batch")["pid"] != first
    assert folders_become(tmp_path, 1)


def test_one_that_speaks_unasked_is_thrown_away(waiting, ask):
    engine = waiting()
    script = SCRIPT + "late = True\n"
    first = answered(engine, ask, "data", script=script)["pid"]
    time.sleep(0.5)
    assert answered(engine, ask, "batch", script=script)["pid"] != first
    assert gone(first)


def test_one_that_dies_at_its_next_stage_ends_that_run_alone(waiting, ask):
    engine = waiting()
    script = SCRIPT + "dies_at = 'batch'\n"
    first = answered(engine, ask, "data", script=script)["pid"]
    ending, finding = ended_as(ask(engine, script, stage="batch"))
    assert (ending, finding.code, finding.stage) == ("fail", "process_died", "batch")
    assert answered(engine, ask, "data", script=script)["pid"] != first


def test_a_stage_of_it_can_be_cancelled_and_is_held_to_its_time(waiting, ask):
    engine = waiting(seconds=1.0)
    script = SCRIPT + "hangs_at = 'batch'\n"
    first = answered(engine, ask, "data", script=script)["pid"]
    ending, finding = ended_as(ask(engine, script, stage="batch"))
    assert (ending, finding.code) == ("stopped", "out_of_time")
    assert gone(first)
    second = answered(engine, ask, "data", script=script)["pid"]
    events = engine.events(Run(script, "batch", device="cpu"))
    next(events)
    events.close()
    assert gone(second)


def test_it_leaves_after_a_while_and_when_memory_is_wanted(waiting, ask, monkeypatch, tmp_path):
    monkeypatch.setattr(residents.Residents.__init__, "__defaults__", (0.3,))
    engine = waiting()
    assert gone(answered(engine, ask, "data")["pid"])
    assert folders_become(tmp_path, 0)
    monkeypatch.setattr(residents.Residents.__init__, "__defaults__", (60.0,))
    monkeypatch.setattr(residents, "free_memory_mb", lambda: 599)
    assert gone(answered(waiting(), ask, "data")["pid"])


def test_it_answers_only_so_often(waiting, ask, monkeypatch):
    monkeypatch.setattr(residents, "MOST_ANSWERS", 2)
    engine = waiting()
    pids = [answered(engine, ask, "data")["pid"] for _ in range(3)]
    assert pids[0] == pids[1] != pids[2]


def test_closing_the_engine_leaves_nobody(waiting, ask, tmp_path):
    engine = waiting()
    pid = answered(engine, ask, "data")["pid"]
    engine.close()
    assert gone(pid)
    assert folders_become(tmp_path, 0)


def test_they_go_with_their_zygote(waiting, ask):
    engine = waiting()
    pid = answered(engine, ask, "data")["pid"]
    os.kill(engine.status()["pids"]["keras"], signal.SIGKILL)
    assert gone(pid)
    assert answered(engine, ask, "batch")["pid"] != pid


@pytest.fixture
def with_a_gpu(waiting, monkeypatch):
    """An engine of toys that would find a GPU; `free` is what nvidia-smi says of its 1000 MB."""

    def make(free: int = 1000, **more: Any) -> Any:
        monkeypatch.setattr(residents.wall, "gpus", lambda: [Path("/dev/nvidia0")])
        cards = (Card("a made-up GPU", 1000 - free, 1000),)
        monkeypatch.setattr(residents, "cards", lambda: cards)
        toys = {"pytorch": ("toys",), "keras": ("toys",)}
        return waiting(preload=toys, gpu_share=0.25, **more)

    return make


def test_on_a_gpu_a_script_of_pytorch_waits_and_one_of_keras_does_not(with_a_gpu, ask):
    engine = with_a_gpu()
    for device in ("cuda", "auto"):
        pids = {answered(engine, ask, s, "x = 1", device=device)["pid"] for s in ("data", "batch")}
        assert len(pids) == 1
    assert engine.status()["residents"] == 2
    assert gone(answered(engine, ask, "data", "x = 2")["pid"])
    assert gone(answered(engine, ask, "data", device="cuda")["pid"])


@pytest.mark.parametrize("code", ["device_side_assert", "stage_unreadable"])
def test_whoever_met_an_assert_answers_nothing_more(with_a_gpu, ask, code):
    engine = with_a_gpu()
    script = f"found, found_at = {code!r}, 'batch'"
    first = answered(engine, ask, "data", script, device="cuda")["pid"]
    second = answered(engine, ask, "batch", script, device="cuda")["pid"]
    assert first == second
    assert gone(second)


def test_one_on_the_gpu_leaves_when_a_training_wants_its_memory(with_a_gpu, ask):
    engine = with_a_gpu(free=200)
    waits = answered(engine, ask, "data", "x = 1", device="cuda")["pid"]
    answered(engine, ask, "batch", "x = 2", device="cuda")
    assert not gone_now(waits)
    answered(engine, ask, "train", "x = 2", device="cuda")
    assert gone(waits)


def test_nobody_leaves_where_there_is_room_on_the_gpu(with_a_gpu, ask):
    engine = with_a_gpu(free=300)
    waits = answered(engine, ask, "data", "x = 1", device="cuda")["pid"]
    answered(engine, ask, "train", "x = 2", device="cuda")
    assert not gone_now(waits)
