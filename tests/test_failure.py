"""Whose a file is, wherever Python keeps its packages."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from debugger.failure import (
    failure_of_script,
    first_line,
    forget_source,
    is_ours,
    is_own,
    on_behalf,
    remember_source,
)
from debugger.pipelines.metrics import Spy


@pytest.mark.parametrize(
    "file",
    [
        "/home/ana/.venv/lib/python3.12/site-packages/transformers/trainer.py",
        "/usr/local/lib/python3.12/dist-packages/transformers/trainer.py",
        r"C:\\Python312\\Lib\\site-packages\\torch\\nn\\modules\\module.py",
    ],
)
def test_a_library_is_nobodys_own(file: str) -> None:
    assert not is_own(file)


def test_a_script_that_is_run_is_its_learners_also_among_the_packages() -> None:
    script = "/usr/lib/python3/site-packages/scenarios/pytorch/one_label/script.py"
    assert not is_own(script)
    remember_source(script, "")
    try:
        assert is_own(script)
    finally:
        forget_source()


def raised_by(call: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.value


def test_what_a_library_says_to_our_own_reading_is_ours() -> None:
    assert is_ours(raised_by(lambda: first_line(3)))  # type: ignore[arg-type]


def test_what_a_library_says_on_behalf_of_the_script_is_the_scripts() -> None:
    error = raised_by(lambda: on_behalf(json.loads, "{"))
    assert not is_ours(error)
    assert failure_of_script(error).exception == "JSONDecodeError"


def test_what_the_script_itself_raises_is_its_own() -> None:
    def metric(_: object) -> object:
        raise ValueError("mine")

    assert not is_ours(raised_by(lambda: Spy(metric)(1)))
    assert failure_of_script(raised_by(lambda: Spy(metric)(1))).line is not None


def test_a_hook_of_ours_that_a_library_calls_is_ours() -> None:
    hook: Any = first_line
    error = raised_by(lambda: on_behalf(json.loads, '{"a": 1}', object_hook=hook))
    assert is_ours(error)
    with pytest.raises(AttributeError):
        failure_of_script(error)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("no rows\nat all", "no rows"),
        ("Exception encountered when calling layer 'd'.\n\nno rows", "no rows"),
        (
            'in user code:\n\n    File "training.py", line 1401, in train_function  *\n'
            "        return step_function(self, iterator)\n    ValueError: Shapes (4, 1) and (4, 3)"
            " are incompatible\n",
            "ValueError: Shapes (4, 1) and (4, 3) are incompatible",
        ),
        ("", ""),
    ],
)
def test_what_an_error_says_in_one_line(message: str, said: str) -> None:
    assert first_line(message) == said


def test_a_name_may_hold_what_calls_its_module_otherwise() -> None:
    odd: Any = type("Odd", (), {"__slots__": ("__module__",)})
    script = {"held": odd(), "at": 1}
    remember_source("odd.py", "held, at = None, {}['at']\n")
    try:
        code = compile("at = {}['gone']", "odd.py", "exec")
        failure = failure_of_script(raised_by(lambda: exec(code, script)))
    finally:
        forget_source()

    assert {one.name: one.kind for one in failure.held} == {"held": "Odd", "at": "int"}
