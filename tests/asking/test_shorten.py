"""Shortening a script by asking: it keeps what matters, its lines, and to its budget."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable

import pytest

from debugger.asking.shorten import Shortening, shortened

NOISY = '''\
# Fine-tuning, second try.
import json
import os
from pathlib import (
    Path,
    PurePath,
)


def unused():
    return helper()


def helper():
    """Used by nobody who is used."""
    return json.dumps({})


def rows(count, start=0):
    print("rows")
    # from the start
    found = [n for n in range(count)]
    return found


home = Path(".")
settings = dict(
    batch=8,  # as in the course
    rate=1e-4,
    names=["a", "b", "c"],
)
print("about to crash", os.getpid())
values = rows(3, start=1)
values[3]
print("never reached")
'''


def runs(script: str) -> bool:
    """Whether it dies as the whole of it does; nothing that it prints or names is missing."""
    try:
        exec(compile(script, "script.py", "exec"), {"print": lambda *_: None})
    except IndexError as error:
        return str(error) == "list index out of range"
    except Exception:  # noqa: BLE001 - another way to die
        return False
    return False


def test_what_is_left_is_what_the_crash_needs_in_the_authors_own_lines() -> None:
    search = shortened(NOISY, runs)
    assert search.script == (
        "def rows(count, start=0):\n"
        "    found = [n for n in range(count)]\n"
        "    return found\n"
        "\n\n"
        "values = rows(3)\n"
        "values[3]\n"
    )
    assert not search.early
    assert search.runs < 20


def test_no_statement_or_argument_can_still_go() -> None:
    search = shortened(NOISY, runs)
    assert shortened(search.script, runs).script == search.script


def test_every_script_that_is_run_is_valid_python_and_no_two_are_the_same() -> None:
    seen: list[str] = []

    def shows(script: str) -> bool:
        ast.parse(script)
        seen.append(script)
        return len(seen) % 3 == 0

    shortened(NOISY, shows)
    assert len(seen) == len(set(seen)) > 5
    assert NOISY not in seen


def test_it_stops_after_its_runs_and_says_so() -> None:
    search = shortened(NOISY, runs, most=3)
    assert (search.runs, search.early) == (3, True)
    assert runs(search.script)


def test_it_stops_when_its_time_is_up_with_the_shortest_so_far() -> None:
    clock = itertools.count(0, 10)
    search = shortened(NOISY, runs, seconds=35, now=lambda: next(clock))
    assert (search.runs, search.early) == (3, True)
    assert len(search.script) < len(NOISY)
    assert runs(search.script)


def test_what_cannot_be_shorter_stays_as_it_is() -> None:
    search = shortened(NOISY, lambda _: False, most=200)
    assert search.script == NOISY
    assert not search.early


@pytest.mark.parametrize("script", ["", "def f(:\n", "x = 1", "\tx\n y\n", "a = 1; b = 2\n"])
def test_there_is_nothing_to_try_in_what_has_no_parts(script: str) -> None:
    search = Shortening(script)
    assert search.script == script
    assert search.candidate in (None, "\n")


CLASS = """\
class Rows:
    def __init__(self):
        self.n = 3

    def __len__(self):
        return self.n

    def unused(self):
        print(self.n)


x = 1
print(x)
len(Rows())
boom
"""


def test_the_methods_of_a_class_are_not_taken_for_unused_names() -> None:
    def shows(script: str) -> bool:
        try:
            exec(script, {"print": lambda *_: None})
        except NameError as error:
            return "boom" in str(error) and "len(" in script
        except (TypeError, AttributeError):
            return False
        return False

    search = shortened(CLASS, shows)
    assert "unused" not in search.script
    assert "__len__" in search.script
    assert "x = 1" not in search.script
    assert search.runs < 15


def test_what_its_text_tells_to_be_useless_is_not_run() -> None:
    seen: list[str] = []
    shortened(NOISY, lambda s: bool(seen.append(s)), possible=lambda s: "values[3]" in s)
    assert seen
    assert all("values[3]" in script for script in seen)


KEPT: list[tuple[str, str, Callable[[str], bool]]] = [
    (
        "print(f'{f(a, b=1)}ä{g(c=2)}')\n",
        "print(f'{f(a, b=1)}ä{g(c=2)}')\n",
        lambda s: "print" in s,
    ),
    ("f(a, b=1)\n", "f(a)\n", lambda s: "f(" in s),
    ("f(a, b=1, c=2)\n", "f(a, c=2)\n", lambda s: "c=2" in s),
    ("f(a, b=1, c=2)\n", "f(a, b=1)\n", lambda s: "b=1" in s),
    ("f(b=1)\n", "f()\n", lambda s: "f(" in s),
    ("f(\n    b=1,\n    c=2,\n)\n", "f()\n", lambda s: "f(" in s),
    ("f(\n    a,\n    b=1,\n)\n", "f(\n    a,\n)\n", lambda s: "f(" in s),
    ("f(\n    b=1,  # the first\n    c=2\n)\n", "f(\n    c=2\n)\n", lambda s: "c=2" in s),
    (
        "f(\n    b=1,  # the first\n    c=2\n)\n",
        "f(\n    b=1,  # the first\n)\n",
        lambda s: "b=1" in s,
    ),
    ("f('ä', b='ö', c=2)\n", "f('ä', c=2)\n", lambda s: "c=2" in s),
    ("x = ['a', 'b', 'c']\nf(x)\n", "x = ['b']\nf(x)\n", lambda s: "'b'" in s and "f(x)" in s),
    (
        "from m import a, b, c\nf(b)\n",
        "from m import b\nf(b)\n",
        lambda s: "f(b)" in s and "b\n" in s,
    ),
    ("@d\ndef f():\n    pass\n\n\nx = 1\ny\n", "y\n", lambda s: "y" in s),
    (
        "t = '''\n# not a comment\n\n\n\n'''\nf(t)\n",
        "t = '''\n# not a comment\n\n\n\n'''\nf(t)\n",
        lambda s: "f(t)" in s and "t =" in s,
    ),
    (
        "if a:\n    b()\n    c()\nelse:\n    d()\n",
        "if a:\n    c()\nelse:\n    d()\n",
        lambda s: "if a" in s and "c()" in s,
    ),
    ("x = 1\nx = g(x)\nf(x)\n", "x = 1\nf(x)\n", lambda s: "x = 1" in s and "f(x)" in s),
]


@pytest.mark.parametrize(("script", "left", "shows"), KEPT)
def test_the_layout_stays_tidy(script: str, left: str, shows: Callable[[str], bool]) -> None:
    assert shortened(script, shows).script == left
