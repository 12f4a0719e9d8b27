"""The real scenarios: well formed, short, and as broken as they promise on the real libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import scenarios
from scenarios import Scenario

ROOT = Path(__file__).parents[2]
REAL = scenarios.all()


def every_patch() -> list[tuple[Scenario, str, str]]:
    fixes = [(s, fix.id, s.patched([fix.id])) for s in REAL for fix in s.fixes]
    return fixes + [(s, cheat.id, s.cheated(cheat.id)) for s in REAL for cheat in s.cheats]


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
def test_a_scenario_offers_a_choice_and_a_temptation(scenario: Scenario):
    if not scenario.decoy:
        assert sum(fix.right for fix in scenario.fixes) >= 2
        assert sum(not fix.right for fix in scenario.fixes) >= 3
        assert len(scenario.cheats) >= 2
    else:
        assert sum(fix.ends_at is not None for fix in scenario.fixes) >= 2
        assert any(fix.ends_at is None for fix in scenario.fixes)


@pytest.mark.parametrize(
    ("scenario", "script"),
    [(scenario, script) for scenario, _, script in every_patch()],
    ids=[f"{scenario.id}-{patch}" for scenario, patch, _ in every_patch()],
)
def test_a_patched_script_still_parses_and_fits_the_page(scenario: Scenario, script: str):
    compile(script, f"{scenario.id}.py", "exec")
    lines = script.splitlines()
    assert len(lines) <= 100
    assert max(len(line) for line in lines) <= 72


def test_every_script_ends_where_training_starts():
    for scenario in REAL:
        end = "trainer.train()" if scenario.framework == "pytorch" else "model.fit("
        assert end in scenario.script.rpartition("\n\n")[2] or scenario.script.endswith(f"{end}\n")


@pytest.mark.slow
def test_without_a_collator_the_rows_do_not_fit_together(tmp_path: Path):
    said = last_words(scenarios.find("wrong_collator").script, tmp_path)
    assert "torch_default_data_collator" in said
    assert "ValueError: expected sequence of length" in said


@pytest.mark.slow
def test_a_label_outside_the_head_is_an_index_error_on_the_cpu(tmp_path: Path):
    on_cpu = scenarios.find("two_labels").script.replace(
        '    report_to="none",\n', '    report_to="none",\n    use_cpu=True,\n'
    )
    assert "IndexError: Target 2 is out of bounds." in last_words(on_cpu, tmp_path)


@pytest.mark.slow
def test_logits_in_the_metric_fail_after_training_not_before(tmp_path: Path):
    short = scenarios.find("logits_in_metric").script.replace("num_train_epochs=3", "max_steps=2")
    short = short.replace('["validation_matched"],', '["validation_matched"].select(range(64)),')
    assert "select" in short
    said = last_words(short, tmp_path)
    assert "_maybe_log_save_evaluate" in said
    assert "ValueError: Predictions and/or references don't match the expected format." in said
