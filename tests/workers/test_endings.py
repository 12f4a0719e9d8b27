"""However a run ends, it ends in exactly one outcome, and the next run is healthy."""

import logging
import threading
import time
from typing import Any

import pytest

from debugger.outcome import Accepted, Event, Finding, Found, Outcome, Point, Shown, StageEnded
from debugger.run import Run
from debugger.workers.endings import Ended, line_to_blame
from debugger.workers.local import LocalEngine

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")


def ended_as(events: list[Event]) -> tuple[str, Finding]:
    outcome = events[-1]
    assert isinstance(outcome, Outcome)
    assert outcome.finding is not None
    return outcome.outcome, outcome.finding


def said(events: list[Event]) -> dict[str, Any]:
    shown = [e.evidence.data for e in events if isinstance(e, Shown) and e.evidence.code == "said"]
    assert shown, events
    return shown[-1]


def console(events: list[Event]) -> dict[str, Any]:
    found = [e for e in events if isinstance(e, Shown) and e.evidence.code == "console"]
    assert len(found) <= 1
    if found:
        assert events[-2] is found[0]
    return found[0].evidence.data if found else {"text": "", "cut": 0}


def test_a_run_is_accepted_and_ends_with_the_outcome_it_gave(engine, ask):
    events = ask(engine, "say(answer=42)")
    assert isinstance(events[0], Accepted)
    assert events[0].place == 0
    assert said(events) == {"answer": 42}
    assert events[-1] == Outcome("pass", "cpu", 0.5, {"toy": "1"})
    assert console(events)["text"] == ""


def test_nothing_comes_after_the_outcome(engine, ask):
    events = ask(
        engine, "emit(Outcome('look', 'cpu', 1.0)); say(late=1); emit(Outcome('pass', '', 1))"
    )
    assert [type(event) for event in events] == [Accepted, Outcome]
    assert events[-1] == Outcome("look", "cpu", 1.0)


@pytest.mark.parametrize(
    ("script", "signal", "status"),
    [
        ("import ctypes\nctypes.string_at(0)", "SIGSEGV", 139),
        ("\nos.abort()", "SIGABRT", 134),
        ("\nos._exit(7)", "", 7),
        ("\nos._exit(0)", "", 0),
        ("raise SystemExit(3)", "", 3),
    ],
)
def test_a_process_that_dies_is_a_failure_with_signal_and_status(
    engine, ask, script, signal, status
):
    events = ask(engine, "emit(StageStarted('forward'))\nprint('on my way')\n" + script)
    ending, finding = ended_as(events)
    assert (ending, finding.code, finding.stage) == ("fail", "process_died", "forward")
    assert finding.numbers == {"signal": signal, "status": status}
    assert console(events)["text"].startswith("on my way")
    assert said(ask(engine, "say(healthy=1)")) == {"healthy": 1}


def test_a_crash_names_the_line_of_the_script(engine, ask):
    script = "import ctypes\ndef crash():\n    ctypes.string_at(0)\n\ncrash()\n"
    events = ask(engine, script, filename="mine.py")
    assert ended_as(events)[1].line == 3
    assert console(events)["text"] == ""


def test_a_kill_from_elsewhere_is_stopped(engine, ask):
    ending, finding = ended_as(ask(engine, "os.kill(os.getpid(), 9)"))
    assert (ending, finding.code) == ("stopped", "killed")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "hang",
    [
        "while True: pass",
        "time.sleep(60)",
        "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(60)",
    ],
)
def test_a_run_that_takes_too_long_is_stopped_in_time(make_engine, ask, hang):
    engine = make_engine(seconds=0.5)
    ask(engine, "say(warm=1)")
    before = time.monotonic()
    ending, finding = ended_as(ask(engine, "emit(StageStarted('train'))\n" + hang))
    assert time.monotonic() - before < 2
    assert (ending, finding.code, finding.stage) == ("stopped", "out_of_time", "train")
    assert (finding.numbers, finding.severity) == ({"seconds": 0.5}, "note")
    assert finding.line == (None if "sigmask" in hang else 2)


@pytest.mark.proof
def test_a_stage_that_only_looks_has_a_limit_of_its_own_and_one_that_trains_has_none(
    make_engine, ask
):
    engine = make_engine(look_seconds=0.5)
    ask(engine, "say(warm=1)")
    script = "emit(StageStarted('data'))\nemit(StageEnded('data', 'pass', 0.1))\n"
    script += "emit(StageStarted('forward'))\ntime.sleep(60)"
    ending, finding = ended_as(ask(engine, script))
    assert (ending, finding.code, finding.stage) == ("stopped", "stage_out_of_time", "forward")
    assert (finding.numbers, finding.line) == ({"seconds": 0.5}, 4)
    script = "emit(StageStarted('data'))\nemit(StageStarted('overfit'))\ntime.sleep(1.2)"
    assert ask(engine, script)[-1].outcome == "pass"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "eat",
    [
        "kept = [bytearray(8 << 20) for _ in range(1000)]",
        "kept = []\nwhile True:\n    kept.append(b'x' * (8 << 20)); time.sleep(0.002)",
        "bytearray(64 << 30)",
        "kept = bytearray(900 << 20)",
        'raise RuntimeError("DefaultCPUAllocator: can\'t allocate memory: you tried to")',
    ],
)
def test_a_run_that_eats_memory_is_stopped_with_one_outcome(engine, ask, eat):
    ending, finding = ended_as(ask(engine, eat))
    assert (ending, finding.code) == ("stopped", "out_of_memory")
    assert finding.numbers == {"memory_mb": 600}
    assert finding.severity == "note"


def test_memory_that_no_limit_of_the_system_refuses_is_watched(
    make_engine, ask, tmp_path, monkeypatch
):
    (tmp_path / "ballast.py").write_text("kept = b'x' * (300 << 20)")
    monkeypatch.syspath_prepend(tmp_path)
    engine = make_engine(preload={"pytorch": ("ballast",)})
    ending, finding = ended_as(ask(engine, "kept = b'x' * (400 << 20)\ntime.sleep(60)"))
    assert (ending, finding.code) == ("stopped", "out_of_memory")


def test_a_run_that_prints_a_gigabyte_is_stopped_and_its_end_is_shown(engine, ask):
    events = ask(engine, "line = 'x' * 99\nwhile True: print(line)")
    ending, finding = ended_as(events)
    assert (ending, finding.code) == ("stopped", "too_much_output")
    assert finding.numbers == {"megabytes": 10}
    printed = console(events)
    assert len(printed["text"]) == 20_000
    assert printed["cut"] > 10_000_000


def test_the_console_is_shown_as_a_terminal_shows_it(engine, ask):
    script = r"""
import sys
print("caf\u00e9")
sys.stderr.write("10%\r50%\r100%\n")
os.write(1, b"\xff")
"""
    assert console(ask(engine, script)) == {"text": "caf\u00e9\n100%\n\ufffd", "cut": 0}


def test_a_run_that_never_stops_talking_is_stopped(engine, ask):
    ending, finding = ended_as(ask(engine, "while True: emit(StageStarted('data'))"))
    assert (ending, finding.code) == ("stopped", "too_many_events")
    ending, finding = ended_as(ask(engine, "while True: say(text='x' * 1_000_000)"))
    assert (ending, finding.code) == ("stopped", "too_many_events")


def test_nan_and_infinity_arrive_as_null(engine, ask):
    script = """
nan, infinity = float("nan"), float("inf")
emit(Point("train", "loss", 1.0, nan))
emit(StageEnded("train", "look", 1.0, measured={"loss": infinity, "all": [nan]}))
"""
    events = ask(engine, script)
    assert Point("train", "loss", 1.0, None) in events
    (ended,) = [event for event in events if isinstance(event, StageEnded)]
    assert ended.measured == {"loss": None, "all": [None]}
    assert events[-1].outcome == "pass"


@pytest.mark.parametrize(
    ("script", "logged"),
    [("raise KeyError('ours')", "KeyError: 'ours'"), ("emit(object())", "Error")],
)
def test_our_own_error_is_unknown_and_only_logged(engine, ask, caplog, script, logged):
    with caplog.at_level(logging.ERROR):
        events = ask(engine, script)
    assert ended_as(events)[0] == "unknown"
    assert ended_as(events)[1].code == "clinic_error"
    assert logged in caplog.text
    assert "Traceback" not in str(events)


def test_what_the_clinic_logs_in_a_run_reaches_the_host_and_not_the_learner(engine, ask, caplog):
    script = """
import logging
logging.basicConfig()
logging.getLogger("debugger.stages").error("ours %s", 7)
print("x")
"""
    events = ask(engine, script)
    assert console(events)["text"] == "x\n"
    assert "ours 7" in caplog.text


def test_a_performer_without_an_outcome_is_our_error(make_engine, ask):
    engine = make_engine(perform="builtins:print", preload={"pytorch": ()})
    assert ended_as(ask(engine, ""))[1].code == "clinic_error"


@pytest.mark.parametrize(
    "forged",
    [
        "b'garbage garbage garbage'",
        "b'E' + (1 << 31).to_bytes(4, 'big')",
        "b'E' + (4).to_bytes(4, 'big') + b'null'",
        "frame(pickle.dumps(Bomb()))",
        "frame(b'[' * 100_000)",
        'frame(b\'{"event":"accepted","ticket":"x","place":0}\')',
        'frame(b\'{"event":"outcome","outcome":"cured","device":"cpu","seconds":1}\')',
    ],
)
def test_hostile_bytes_are_never_unpickled_and_end_the_run(engine, ask, tmp_path, forged):
    script = f"""
import pickle
class Bomb:
    def __reduce__(self):
        return os.system, ("touch {tmp_path}/exploded",)
def frame(raw): return b"E" + len(raw).to_bytes(4, "big") + raw
os.write(channel(), {forged})
time.sleep(30)
"""
    ending, finding = ended_as(ask(engine, script))
    assert (ending, finding.code) == ("unknown", "forged_events")
    assert not (tmp_path / "exploded").exists()


@pytest.mark.proof
def test_a_run_that_hangs_up_and_lives_on_is_ended(engine, ask):
    ending, finding = ended_as(ask(engine, "os.closerange(3, 100); time.sleep(60)"))
    assert (ending, finding.code) == ("unknown", "forged_events")


def test_a_running_run_can_be_cancelled(engine):
    events = engine.events(Run("emit(StageStarted('batch'))\ntime.sleep(60)", device="cpu"))
    ticket = next(events).ticket
    assert next(events).stage == "batch"
    before = time.monotonic()
    engine.cancel(ticket)
    ending, finding = ended_as(list(events))
    assert time.monotonic() - before < 1
    assert (ending, finding.code, finding.stage) == ("stopped", "cancelled", "batch")
    engine.cancel(ticket)
    engine.cancel("never seen")


@pytest.mark.proof
def test_two_engines_and_many_threads_at_once(make_engine, ask):
    engines = [make_engine(), make_engine()]
    answers: dict[int, Any] = {}

    def one(number: int) -> None:
        answers[number] = said(ask(engines[number % 2], f"say(number={number})"))["number"]

    threads = [threading.Thread(target=one, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert answers == {number: number for number in range(16)}
    for engine in engines:
        status = engine.status()
        assert (status["started"], status["finished"], status["running"]) == (8, 8, 0)


def test_a_closed_engine_answers_with_an_outcome_too(make_engine, ask, tmp_path):
    engine: LocalEngine = make_engine()
    ask(engine, "say(x=1)")
    engine.close()
    assert ended_as(ask(engine, "say(x=1)"))[1].code == "cancelled"
    assert [path.name for path in (tmp_path / "data" / "runs").iterdir()] == ["lock"]


def test_memory_refused_inside_a_stage_is_told_with_the_limit_of_the_run(engine, ask):
    code = "emit(Found(Finding('out_of_memory', 'fault', 'forward', 3, %s)))"
    for device, tokens, known, severity in (
        ("cpu", 64 * 128, True, "note"),
        ("cpu", 2048 * 512, True, "fault"),
        ("cuda:0", 64 * 128, False, "fault"),
    ):
        numbers = {"device": device, "tokens": tokens}
        events = ask(engine, code % numbers + "\nemit(Outcome('stopped', 'cpu', 1.0))")
        finding = next(event.finding for event in events if isinstance(event, Found))
        assert ("memory_mb" in finding.numbers) == known
        assert finding.severity == severity


def test_memory_that_a_stage_fills_is_blamed_on_the_batch_size():
    script = "args = TrainingArguments(\n    per_device_train_batch_size=9,\n)\n"
    assert line_to_blame(Ended("out_of_memory"), script) == 2
    assert line_to_blame(Ended("out_of_time"), script) is None
