"""The real scenarios: well formed, short, and as broken as they promise on the real libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.catalogue.complaints import about_choice

ROOT = Path(__file__).parents[2]
REAL = catalogue.every()


def last_words(script: str, folder: Path) -> str:
    """The traceback that the script prints when somebody runs it; it has to fail."""
    (folder / "script.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "USE_TF": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr[-2000:]
    return done.stderr[done.stderr.rindex("Traceback") :]


@pytest.mark.parametrize("scenario", REAL, ids=lambda scenario: scenario.id)
def test_a_scenario_offers_a_choice_of_scripts_that_fit_the_page(scenario: Scenario):
    assert list(about_choice(scenario)) == []


def test_every_script_ends_where_training_starts():
    for scenario in REAL:
        end = "trainer.train()" if scenario.framework == "pytorch" else "model.fit("
        assert end in scenario.script.rpartition("\n\n")[2] or scenario.script.endswith(f"{end}\n")


@pytest.mark.proof
def test_without_a_collator_the_rows_do_not_fit_together(tmp_path: Path):
    said = last_words(catalogue.find("wrong_collator").script, tmp_path)
    assert "torch_default_data_collator" in said
    assert "ValueError: expected sequence of length" in said


@pytest.mark.proof
def test_a_label_outside_the_head_is_an_index_error_on_the_cpu(tmp_path: Path):
    on_cpu = catalogue.find("two_labels").script.replace(
        '    report_to="none",\n', '    report_to="none",\n    use_cpu=True,\n'
    )
    assert "IndexError: Target 2 is out of bounds." in last_words(on_cpu, tmp_path)


@pytest.mark.proof
def test_logits_in_the_metric_fail_after_training_not_before(tmp_path: Path):
    short = catalogue.find("logits_in_metric").script.replace("num_train_epochs=3", "max_steps=2")
    short = short.replace('["validation_matched"],', '["validation_matched"].select(range(64)),')
    assert "select" in short
    said = last_words(short, tmp_path)
    assert "_maybe_log_save_evaluate" in said
    assert "ValueError: Predictions and/or references don't match the expected format." in said
