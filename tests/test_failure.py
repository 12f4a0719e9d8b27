"""Whose a file is, wherever Python keeps its packages."""

import pytest

from debugger.failure import forget_source, is_own, remember_source


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
