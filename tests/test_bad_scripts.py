"""Scripts that end badly, through the real engine: each has its sentence, the next run is well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.report import Report, gather
from debugger.run import Run
from debugger.settings import read
from debugger.words import Words
from debugger.workers import Engine, started

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.proof

ENDINGS = [
    ("runs for ever", "while True:\n    pass\n", "out_of_time", "stopped"),
    ("prints a gigabyte", "while True:\n    print('x' * 100_000)\n", "too_much_output", "stopped"),
    ("asks for input", "rate = 1\nrate = float(input('rate? '))\n", "asks_for_input", "fail"),
    ("exits", "import sys\nsys.exit(1)\n", "exits_early", "fail"),
    ("exits at once", "import os\nos._exit(7)\n", "process_died", "fail"),
    ("eats memory", "hoard = [bytearray(2**27) for _ in range(99)]\n", "out_of_memory", "stopped"),
    ("reads a missing file", "open('rows.csv')\n", "missing_file", "fail"),
    ("does not parse", "def broken(:\n", "does_not_parse", "fail"),
    ("builds no trainer", "print('hello')\n", "no_trainer", "unknown"),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("clinic")
    settings = replace(read({}), workers=2, time_limit=30, memory_mb=1500, data_dir=folder)
    with started(settings) as engine:
        yield engine


def answered(engine: Engine, script: str) -> Report:
    return gather(engine.events(Run(script)))


@pytest.mark.parametrize(
    ("script", "code", "outcome"),
    [ending[1:] for ending in ENDINGS],
    ids=[ending[0] for ending in ENDINGS],
)
def test_a_script_that_ends_badly_has_its_own_sentence(
    engine: Engine, script: str, code: str, outcome: str
) -> None:
    report = answered(engine, script)

    assert report.outcome == outcome
    assert [finding.code for finding in report.findings] == [code]
    assert Words().of(report.framework).finding(report.findings[0])
    healthy = answered(engine, "print('still here')\n")
    assert [finding.code for finding in healthy.findings] == ["no_trainer"]


def test_a_run_for_a_gpu_that_is_not_there_says_so(engine: Engine) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    report = gather(engine.events(Run("print('hello')\n", device="cuda")))

    assert (report.outcome, [f.code for f in report.findings]) == ("unknown", ["no_cuda"])


def test_nan_weights_end_in_a_finding_and_not_in_a_crash(engine: Engine) -> None:
    script = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "import torch\nfrom tests import tiny\nmodel = tiny.bert()\n"
        "with torch.no_grad():\n    model.classifier.weight.fill_(float('nan'))\n"
        "tiny.classifier(model=model).train()\n"
    )

    report = answered(engine, script)

    assert report.first_failing_stage == "forward"
    assert [f.code for f in report.findings if f.severity == "fault"] == ["nan_forward"]
