"""Checks are answered as at a prompt, each over a copy, and hostile ones come to nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.answer import Answer, answer_of
from debugger.frameworks.pytorch import PYTORCH
from debugger.outcome import Accepted, Event, Evidence, Outcome, Shown, StageEnded
from debugger.run import Run
from debugger.workers.engine import Asker
from debugger.workers.local import LocalEngine
from debugger.workers.sharing import KEPT_CHECKS, Shared

SCRIPT = """
import random
kept = [1]
def inner():
    local = 41
    raise RuntimeError("stop")
print("while it was built")
"""
SECONDS = 2.0
Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """One that builds real scripts, with the toys at hand."""
    warm = {"pytorch": (*PYTORCH.preload, "toys")}
    with LocalEngine(1, 60, 2000, tmp_path_factory.mktemp("asking"), preload=warm) as engine:
        engine._limits = {
            name: replace(limits, check_seconds=SECONDS) for name, limits in engine._limits.items()
        }
        yield engine


@pytest.fixture
def ask_it(asking: LocalEngine) -> Ask:
    def ask(check: str, script: str = SCRIPT, typed: bool = True) -> Answer:
        run = Run(script, "setup", device="cpu", check=check, typed=typed)
        return answer_of(asking.events(run))

    return ask


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("kept", "[1]\n"),
        ("from collections import Counter\nCounter('aab')", "Counter({'a': 2, 'b': 1})\n"),
        ("len(kept)\nlen('abc')", "1\n3\n"),
        ("print('x')\nNone", "x\n"),
        ("for n in range(2):\n    n * 2", "0\n2\n"),
        ("x = 3\nx + 1", "4\n"),
        ("def f():\n    return kept\nf()", "[1]\n"),
        ("__name__", "'__main__'\n"),
        ("import sys; sys.modules['__main__'].kept", "[1]\n"),
        ("import os; _ = os.write(1, b'below Python')", "below Python"),
        ("x = 1", ""),
    ],
)
def test_a_check_is_answered_as_at_a_prompt(ask_it: Ask, check: str, text: str) -> None:
    answer = ask_it(check)
    assert (answer.outcome, answer.text, answer.left_out) == ("pass", text, 0)
    assert answer.at == "end"


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("1/0", 'File "<check>", line 1, in <module>\n    1/0\n     ~^~\nZeroDivisionError'),
        ("x = (1", "SyntaxError: '(' was never closed"),
        ("kep", "NameError: name 'kep' is not defined"),
        ("exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("inner()", 'line 6, in inner\n    raise RuntimeError("stop")\n'),
        ("a\0b", "null bytes"),
        ("-" * 1900 + "1", "Error"),
        ("'\ud800x'", "\\ud800"),
    ],
)
def test_an_exception_is_shown_as_python_prints_it(ask_it: Ask, check: str, said: str) -> None:
    answer = ask_it(check)
    assert said in answer.text
    assert answer.finding is None
    assert "debugger/" not in answer.text


def test_where_a_script_crashes_it_is_asked_there_with_the_names_of_the_function(
    ask_it: Ask,
) -> None:
    answer = ask_it("local, kept", f"{SCRIPT}inner()\n")
    assert (answer.text, answer.at, answer.line) == ("(41, [1])\n", "crash", 6)
    assert ask_it("1 + 1", "x = (\n").text == "2\n"


def test_the_same_check_gives_the_same_answer(ask_it: Ask) -> None:
    first, again = (ask_it("random.random()").text for _ in range(2))
    assert first == again != ""


HOSTILE = {
    "an endless loop": ("while True: pass", "check_out_of_time", ""),
    "an endless pattern": (
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        "check_out_of_time",
        "",
    ),
    "what was printed before": ("print('begun')\nwhile True: pass", "check_out_of_time", "begun"),
    "a repr that raises": (
        "class A:\n    def __repr__(self): raise ValueError('never')\nA()",
        None,
        "ValueError: never",
    ),
    "a message that raises": (
        "class E(Exception):\n    def __str__(self): raise ValueError('never')\nraise E",
        None,
        "exception str() failed",
    ),
    "a fork": ("import os; os.fork()", None, "PermissionError"),
    "a program": ("import subprocess; subprocess.run(['true'])", None, "PermissionError"),
    "the network": ("import socket; socket.create_connection(('::1', 80), 1)", None, "Error"),
    "a socket": ("import socket; socket.socket()", None, "PermissionError"),
    "a file of others": ("open('/tmp/left_by_a_check', 'w')", None, "PermissionError"),
    "the users": ("open('/etc/passwd').read()", None, "PermissionError"),
    "an environment": (
        "import os; open(f'/proc/{os.getppid()}/environ').read()",
        None,
        "PermissionError",
    ),
    "the processes": ("import os; os.listdir('/proc')", None, "PermissionError"),
    "what others asked": ("open('../request.json', 'w')", None, "PermissionError"),
    "an early end": ("import os; os._exit(0)", "process_died", ""),
    "a crash": ("import ctypes; ctypes.string_at(0)", "process_died", ""),
    "flooding": ("while True: print('x' * 10**6)", "too_much_output", "xxx"),
    "recursion": ("def f(): return f()\nf()", None, "RecursionError"),
    "memory": ("x = []\nwhile True: x.append(bytes(1 << 26))", "out_of_memory", ""),
    "no output": ("import os; os.close(1); os.close(2); 1 / 0", None, ""),
    "another start": (
        "from debugger.outcome import Standing, to_json\nfrom debugger.workers import frames\n"
        "import toys, os\n"
        "e = to_json(Standing('training', 1, 0))\n"
        "_ = os.write(toys.channel(), frames.pack(frames.EVENT, e))\n"
        "import time; time.sleep(9)",
        "forged_events",
        "",
    ),
}


@pytest.mark.proof
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_check_comes_to_nothing(ask_it: Ask, name: str) -> None:
    check, code, said = HOSTILE[name]
    answer = ask_it(check)
    assert (answer.finding and answer.finding.code) == code
    assert said in answer.text + answer.end
    assert not Path("/tmp/left_by_a_check").exists()
    assert ask_it("kept").text == "[1]\n"


def test_the_middle_of_a_long_answer_is_left_out_and_counted(ask_it: Ask) -> None:
    answer = ask_it("'x' * 5_000_000")
    assert len(answer.text) + answer.left_out + len(answer.end) == 5_000_000 + len("''\n")
    assert answer.text.startswith("'xxx")
    assert answer.end.endswith("xxx'\n")
    assert len(answer.text) < 10_000


def test_no_check_sees_what_another_one_did(ask_it: Ask) -> None:
    spoiling = "kept.append(2)\ndel random\nimport builtins; builtins.len = None\nkept"
    assert ask_it(spoiling).text == "[1, 2]\n"
    assert ask_it("kept, len(kept), random is None").text == "([1], 1, False)\n"


def test_what_a_run_sends_as_its_answer_is_bounded_and_the_servers_own_counts() -> None:
    def told(text: object) -> Event:
        return Shown(Evidence("text", "answer", "setup", {"text": text, "left_out": "many"}))

    events = [told("forged"), told("y" * 10**6), Outcome("pass", "cpu", 0.1)]
    answer = answer_of(events)
    assert (answer.text[0], answer.left_out) == ("y", 0)
    assert len(answer.text) < 20_000


class Counting:
    def __init__(self) -> None:
        self.asked = 0

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.asked += 1
        yield from (Accepted("t"), StageEnded("setup", "pass", 0.1), Outcome("pass", "cpu", 0.1))

    def cancel(self, ticket: str) -> None: ...


def test_answers_are_shared_by_script_and_check_and_drive_out_no_stage() -> None:
    engine = Counting()
    shared = Shared(engine)
    stage, check = Run("x", "setup"), Run("x", "setup", check="1", typed=True)
    for run in (stage, check, check):
        list(shared.events(run))
    assert engine.asked == 2
    for number in range(KEPT_CHECKS + 1):
        list(shared.events(replace(check, check=f"{number} + 1")))
    assert shared.known(stage) is not None
    assert shared.known(check) is None
