"""What a run finds around itself, and what it leaves behind: nothing."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from test_endings import console, ended_as, said

from debugger.outcome import Accepted, Outcome
from debugger.run import Run
from debugger.workers import wall
from debugger.workers.zygote import ALLOCATOR

pytestmark = pytest.mark.usefixtures("toys_need_no_framework")
ROOT = Path(__file__).parents[2]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def soon(happened: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_every_run_is_forked_from_one_zygote(engine, ask):
    script = "say(pid=os.getpid(), parent=os.getppid(), preloaded_in=preloaded_in)"
    first, second = said(ask(engine, script)), said(ask(engine, script))
    assert first["pid"] != second["pid"]
    assert first["parent"] == second["preloaded_in"] == engine.status()["pids"]["pytorch"]


def test_the_program_that_asks_is_not_run_again_in_the_child(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests/workers")!r}]
        open({str(tmp_path / "count")!r}, "a").write("x")
        from pathlib import Path
        from debugger import frameworks
        from debugger.run import Run
        from debugger.workers.local import LocalEngine
        frameworks.installed = lambda name: True
        data, toys = Path({str(tmp_path)!r}), {{"pytorch": ("toys",)}}
        with LocalEngine(1, 20, 600, data, "toys:perform", preload=toys) as engine:
            for _ in range(2):
                assert list(engine.events(Run("say(x=1)", device="cpu")))[-1].outcome == "pass"
        assert "torch" not in sys.modules
        """)
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=30)
    assert (tmp_path / "count").read_text() == "x"


@pytest.mark.parametrize("preload", ["broken_toy", "no_such_module"])
def test_an_error_while_preloading_is_noticed_and_logged(
    make_engine, ask, caplog, tmp_path, monkeypatch, preload
):
    (tmp_path / "broken_toy.py").write_text("import os\nraise ImportError('half installed')")
    monkeypatch.syspath_prepend(tmp_path)
    engine = make_engine(preload={"pytorch": (preload,)})
    assert ended_as(ask(engine, "say(x=1)"))[0] == "unknown"
    assert "half installed" in caplog.text or "no_such_module" in caplog.text
    assert not engine.status()["zygotes"]["pytorch"]


@pytest.mark.skipif(find_spec("transformers") is None, reason="then that is what is said")
def test_a_preload_that_starts_a_thread_is_refused(make_engine, ask, caplog, tmp_path, monkeypatch):
    code = "import threading, time\n"
    code += "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    (tmp_path / "threaded_toy.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    engine = make_engine(preload={"pytorch": ("threaded_toy",)})
    assert ended_as(ask(engine, ""))[1].code == "warm_died"
    assert "threads after preloading" in caplog.text


def test_a_child_holds_no_descriptor_but_its_own(engine, ask):
    script = """
held = {}
for fd in os.listdir("/proc/self/fd"):
    try: held[fd] = os.readlink(f"/proc/self/fd/{fd}")
    except OSError: pass
say(held=held, stdin=os.read(0, 1).decode())
"""
    answer = said(ask(engine, script))
    held = answer["held"]
    assert held.pop("0") == "/dev/null"
    assert answer["stdin"] == ""
    assert held.pop("1") == held.pop("2")
    kinds = sorted(target.split("/")[-1].split(":")[0] for target in held.values())
    assert kinds == ["clinic.log", "socket", "whereabouts.txt"]


@pytest.fixture
def server(tmp_path):
    """Another program with an engine; the pids of its run, its zygote and what the run started."""
    program = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "tests/workers")!r}]
from pathlib import Path
from debugger import frameworks
from debugger.run import Run
from debugger.workers.local import LocalEngine
frameworks.installed = lambda name: True
toys = {{"pytorch": ("toys",)}}
engine = LocalEngine(1, 60, 600, Path({str(tmp_path)!r}), "toys:perform", preload=toys)
script = '''
import subprocess
other = subprocess.Popen(["sleep", "20"])
say(pids=[os.getpid(), os.getppid(), other.pid])
time.sleep(60)
'''
for event in engine.events(Run(script, device="cpu")):
    if event.event == "shown":
        print(event.evidence.data["pids"], flush=True)
"""
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pids = json.loads(server.stdout.readline())
    assert all(alive(pid) for pid in pids)
    yield server, pids
    server.kill()
    server.wait()
    server.stdout.close()


def test_a_killed_server_leaves_no_zygote_no_run_and_nothing_that_the_run_started(server):
    program, pids = server
    program.kill()
    assert soon(lambda: not any(alive(pid) for pid in pids)), pids


def test_a_run_dies_with_its_zygote_even_when_no_server_looks(server):
    program, (run, zygote, _) = server
    program.send_signal(signal.SIGSTOP)
    os.kill(zygote, signal.SIGKILL)
    assert soon(lambda: not alive(run))


def test_the_folder_of_a_killed_server_is_swept_by_the_next_engine(make_engine, ask, tmp_path):
    living = make_engine()
    left = tmp_path / "data" / "runs" / "left"
    left.mkdir()
    (left / "alive").touch()
    make_engine()
    assert not left.exists()
    assert said(ask(living, "say(x=1)")) == {"x": 1}


def test_the_processes_a_run_started_die_with_it(engine, ask):
    script = """
import subprocess
say(pids=[subprocess.Popen(["sleep", "60"]).pid, os.fork() or time.sleep(60)])
"""
    pids = said(ask(engine, script))["pids"]
    assert soon(lambda: not any(alive(pid) for pid in pids))


def test_a_run_is_killed_even_before_it_has_a_group_of_its_own(engine, ask):
    """Cancelled at random moments of its first milliseconds, it never stays behind."""
    ask(engine, "say(x=1)")
    zygote = engine.status()["pids"]["pytorch"]
    for pause in (0, 0, 0.001, 0.002, 0.005, 0.01, 0.02):
        events = engine.events(Run("time.sleep(60)", device="cpu"))
        next(events)
        time.sleep(pause)
        events.close()
    assert soon(lambda: engine.status()["running"] == 0)
    children = Path(f"/proc/{zygote}/task/{zygote}/children")
    assert soon(lambda: children.read_text() == "")


def test_closing_the_iterator_kills_the_child(engine):
    events = engine.events(Run("say(pid=os.getpid()); time.sleep(60)", device="cpu"))
    next(events)
    pid = next(events).evidence.data["pid"]
    assert alive(pid)
    events.close()
    assert soon(lambda: not alive(pid), 1.0)
    assert soon(lambda: engine.status()["running"] == 0)


@pytest.mark.proof
def test_a_killed_zygote_is_warmed_again_and_the_next_run_is_healthy(make_engine, ask):
    engine = make_engine()
    ask(engine, "say(x=1)")
    first = engine.status()["pids"]["pytorch"]
    running = engine.events(Run("say(x=1); time.sleep(60)", device="cpu"))
    next(running)
    next(running)
    os.kill(first, signal.SIGKILL)
    assert ended_as(list(running))[1].code == "killed"
    assert soon(lambda: engine.status()["pids"]["pytorch"] not in (None, first))
    assert said(ask(engine, "say(x=2)")) == {"x": 2}
    os.kill(engine.status()["pids"]["pytorch"], signal.SIGKILL)
    assert said(ask(engine, "say(x=3)")) == {"x": 3}


def test_the_same_seed_draws_the_same_and_another_seed_does_not(engine, ask):
    script = (
        "import random; say(drawn=[random.random() for _ in range(3)], order=list({'a','b','c'}))"
    )
    first, again, other = (said(ask(engine, script, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first["drawn"] != other["drawn"]


def test_a_run_finds_its_arguments_folder_and_environment(engine, ask, tmp_path):
    script = """
import sys, tempfile
say(argv=sys.argv, cwd=os.getcwd(), home=os.environ["HOME"], temp=tempfile.gettempdir(),
    cuda=os.environ.get("CUDA_VISIBLE_DEVICES"), adj=open("/proc/self/oom_score_adj").read(),
    nice=os.nice(0), group=os.getpgid(0) == os.getpid(), env=dict(os.environ))
"""
    own = said(ask(engine, script, filename="mine.py", arguments=("--fast", "1")))
    assert own["argv"] == ["mine.py", "--fast", "1"]
    assert own["cwd"] == own["home"]
    assert not Path(own["cwd"]).exists()
    assert Path(own["temp"]).parent == Path(own["cwd"]).parent
    assert own["cuda"] == ""
    assert own["adj"] == "1000\n"
    assert own["nice"] >= 5
    assert own["group"]
    assert own["env"]["CLINIC_ASSETS"] == "bundled"
    given = said(ask(engine, script, folder=str(tmp_path), device="auto", assets="hub"))
    assert given["env"]["CLINIC_ASSETS"] == "hub"
    assert Path(given["cwd"]).name == tmp_path.name  # a view of it
    assert given["home"] == os.environ["HOME"]


@pytest.mark.parametrize(
    ("visible", "left"), [(None, "0"), ("", ""), ("2,3", "2"), ("GPU-8a,GPU-9b", "GPU-8a")]
)
def test_a_run_sees_one_gpu_of_all_that_the_host_may_use(
    make_engine, ask, monkeypatch, visible, left
):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    script = "say(cuda=os.environ['CUDA_VISIBLE_DEVICES'])"

    assert said(ask(make_engine(), script, device="auto"))["cuda"] == left


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (None, "per_process_memory_fraction:0.25"),
        (
            "expandable_segments:True",
            "expandable_segments:True,per_process_memory_fraction:0.25",
        ),
    ],
)
def test_a_run_is_told_its_share_of_a_gpu_before_anything_of_it_runs(
    make_engine, ask, monkeypatch, own, told
):
    monkeypatch.setattr(wall, "gpus", lambda: [Path("/dev/nvidia0")])
    monkeypatch.delenv(ALLOCATOR, raising=False)
    if own is not None:
        monkeypatch.setenv(ALLOCATOR, own)
    script = f"say(held=os.environ.get({ALLOCATOR!r}))"

    assert said(ask(make_engine(gpu_share=0.25), script))["held"] == told
    assert said(ask(make_engine(), script))["held"] == own


def test_torch_is_never_switched_off_and_the_hub_only_offline(make_engine, ask, monkeypatch):
    monkeypatch.setenv("USE_TORCH", "0")
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    script = "say(env=dict(os.environ), hashed=hash('a word'))"
    answers = [said(ask(make_engine(online=online), script)) for online in (False, True)]
    offline, online = (answer["env"] for answer in answers)
    assert answers[0]["hashed"] == answers[1]["hashed"]
    assert "USE_TORCH" not in offline
    assert offline["USE_TF"] == "0"
    assert offline["HF_HUB_OFFLINE"] == "1"
    assert "/runs/" in offline["HF_DATASETS_CACHE"]
    assert "HF_HUB_OFFLINE" not in online
    assert "HF_DATASETS_CACHE" not in online
    assert offline["OMP_NUM_THREADS"] == "1"


def test_asking_for_input_ends_at_once(engine, ask):
    assert ended_as(ask(engine, "input('name? ')"))[1].code == "clinic_error"


def test_runs_wait_in_order_and_are_told_their_place(make_engine):
    engine = make_engine(workers=1)
    first = engine.events(Run("time.sleep(60)", device="cpu"))
    assert next(first).place == 0
    second, third = (engine.events(Run("say(x=1)", device="cpu")) for _ in range(2))
    assert next(second).place == 1
    assert (waiting := next(third)).place == 2
    assert engine.status()["queued"] == 2
    assert engine.status()["running"] == 1
    first.close()
    events = list(third)
    assert [event.place for event in events if isinstance(event, Accepted)] == [1, 0]
    assert {e.ticket for e in events if isinstance(e, Accepted)} == {waiting.ticket}
    assert events[-1].outcome == "pass"
    assert isinstance(list(second)[-1], Outcome)


def test_a_waiting_run_can_be_cancelled(make_engine):
    engine = make_engine(workers=1)
    first = engine.events(Run("time.sleep(60)", device="cpu"))
    next(first)
    second = engine.events(Run("say(x=1)", device="cpu"))
    engine.cancel(next(second).ticket)
    assert ended_as(list(second))[1].code == "cancelled"
    assert engine.status()["queued"] == 0
    first.close()


def test_a_slow_reader_does_not_lift_the_limits(make_engine):
    engine = make_engine(seconds=0.5)
    events = engine.events(
        Run("say(pid=os.getpid())\nwhile True: say(text='x' * 1000)", device="cpu")
    )
    next(events)
    pid = next(events).evidence.data["pid"]
    assert soon(lambda: not alive(pid), 3.0)
    assert ended_as(list(events))[1].code in ("out_of_time", "too_many_events")


def test_output_of_a_child_process_is_shown_too(engine, ask):
    assert console(ask(engine, "os.system('echo from a shell')"))["text"] == "from a shell\n"
