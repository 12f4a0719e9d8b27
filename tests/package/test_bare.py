"""The wheel, beside a Trainer of somebody who has only torch, transformers and accelerate."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.package.installed import ROOT, TRAINER, environment, outside

pytestmark = pytest.mark.proof

BROUGHT = {
    "4.": Path(sysconfig.get_path("purelib")),
    "5.": next((ROOT / ".venv-v5").glob("lib/python*/site-packages"), None),
}
SCRIPT = """\
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, number):
        ids = torch.arange(5) + number
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": number % 3}


config = BertConfig(
    vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
    intermediate_size=16, num_labels=2,
)
args = TrainingArguments("out", per_device_train_batch_size=4, report_to="none", use_cpu=True)
trainer = Trainer(BertForSequenceClassification(config), args, train_dataset=Rows())
"""
NOTEBOOK = """\
import importlib.util, json, sys
import debugger

report = debugger.diagnose(trainer)
print(json.dumps({
    "debugger": debugger.__file__,
    "codes": [finding.code for finding in report.findings],
    "stage": report.first_failing_stage,
    "html": "<table" in report._repr_html_(),
    "there": [n for n in ("datasets", "evaluate", "gradio") if importlib.util.find_spec(n)],
    "workers": "debugger.workers" in sys.modules,
}))
"""


class Bare:
    """One environment, and a folder far from the checkout to work in."""

    def __init__(self, folder: Path, site: Path, wheel: Path, version: str) -> None:
        self.version, self._here = version, folder / "work"
        self._here.mkdir()
        self._environment = outside(folder / "data")
        self._programs = environment(folder / "environment", wheel, site, TRAINER)

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._programs / program, *arguments],
            cwd=self._here,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def write(self, name: str, text: str) -> str:
        (self._here / name).write_text(text, encoding="utf-8")
        return name

    def read(self, name: str) -> str:
        return (self._here / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=BROUGHT, ids=lambda version: f"transformers {version}x")
def bare(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, wheel: Path
) -> Bare:
    site = BROUGHT[request.param]
    assert site is not None, "make .venv-v5/.test makes the environment with transformers 5"
    return Bare(tmp_path_factory.mktemp("bare"), site, wheel, request.param)


def answer(ran: subprocess.CompletedProcess[str]) -> Any:
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)


def test_a_trainer_is_diagnosed_in_the_process_that_built_it(bare: Bare) -> None:
    said = answer(bare.run("python", bare.write("notebook.py", SCRIPT + NOTEBOOK)))
    assert "environment" in Path(said["debugger"]).parts
    assert "label_outside_head" in said["codes"]
    assert said["stage"] == "forward"
    assert said["html"]
    assert said["there"] == []


def test_looking_at_a_trainer_needs_nothing_that_only_linux_has(bare: Bare) -> None:
    blocked = "import sys\nsys.modules |= dict.fromkeys(['fcntl', 'resource'])\n"
    said = answer(bare.run("python", bare.write("elsewhere.py", SCRIPT + blocked + NOTEBOOK)))
    assert said["stage"] == "forward"
    assert not said["workers"]


def test_a_script_is_diagnosed_by_the_command(bare: Bare) -> None:
    script = bare.write("mine.py", f"{SCRIPT}trainer.train()\n")
    ran = bare.run("training-clinic", "diagnose", script, "--json")
    said = answer(ran)
    assert said["first_failing_stage"] == "forward"
    assert said["versions"]["transformers"].startswith(bare.version)
    assert ran.returncode == 1


def test_the_catalogue_is_in_the_wheel(bare: Bare) -> None:
    listed = {scenario["id"] for scenario in answer(bare.run("training-clinic", "list", "--json"))}
    folders = (ROOT / "scenarios").glob("*/*/scenario.toml")
    assert listed == {facts.parent.name for facts in folders}


def test_a_notebook_pins_what_the_clinic_pins(bare: Bare) -> None:
    ran = bare.run("training-clinic", "export", "wrong_adam", "--notebook", "mine.ipynb")
    assert ran.returncode == 0, ran.stderr
    text = bare.read("mine.ipynb")
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    pinned = [pin for pin in pins if pin.startswith(("transformers", "tensorflow", "tf-keras"))]
    assert len(pinned) == 3
    assert [pin for pin in pinned if pin not in text] == []


def test_without_gradio_the_pages_say_what_they_lack(bare: Bare) -> None:
    ran = bare.run("training-clinic-app")
    assert ran.returncode == 64
    assert "gradio" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
