"""The notebook that a learner takes home: valid, complete, and it runs to its end."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.export import MAY_RAISE, notebook, script_cells, write_notebook
from debugger.outcome import STAGES

ROOT = Path(__file__).parents[2]
REAL = catalogue.every()
every_scenario = pytest.mark.parametrize("scenario", REAL, ids=lambda scenario: scenario.id)


@every_scenario
def test_the_notebook_is_valid_on_disk(scenario: Scenario, tmp_path: Path):
    path = tmp_path / "out.ipynb"
    write_notebook(scenario, path)
    nbformat.validate(nbformat.read(path, as_version=4))


@every_scenario
def test_the_notebook_asks_before_every_stage_and_folds_every_hint(scenario: Scenario):
    text = "\n".join(cell["source"] for cell in notebook(scenario)["cells"])
    for stage in STAGES:
        assert scenario.words.questions[stage].ask in text
    for hint in scenario.words.hints:
        assert f"</summary>\n\n{hint}\n\n</details>" in text


@every_scenario
def test_the_cells_hold_the_whole_script_but_its_last_training(scenario: Scenario):
    kept = [
        ast.unparse(statement)
        for statement in ast.parse(scenario.script).body
        if not ast.unparse(statement).startswith("from scenarios.assets")
    ]
    assert kept.pop().startswith(("trainer.train(", "model.fit("))
    cells = script_cells(scenario.script)
    assert len(cells) > 5
    assert [ast.unparse(s) for cell in cells for s in ast.parse(cell).body] == kept


def test_the_first_cell_installs_what_the_clinic_pins_and_takes_the_courses_own_names():
    book = notebook(REAL[0])
    opening, first = (cell["source"] for cell in book["cells"][:2])
    pins = (ROOT / "requirements.txt").read_text().split()
    installed = next(line for line in first.splitlines() if "%pip" in line).split()[3:]

    assert {pin.partition("==")[0] for pin in installed} >= {"transformers", "datasets", "evaluate"}
    assert set(installed) <= set(pins)
    assert all(pin in opening for pin in installed)
    assert '"distilbert-base-uncased", "glue", "glue"' in first
    assert str(ROOT) not in str(book)


def test_a_keras_notebook_takes_only_the_weights_that_tensorflow_can_read():
    first = notebook(catalogue.find("keras_script"))["cells"][1]["source"]
    installed = next(line for line in first.splitlines() if "%pip" in line).split()[3:]

    assert {pin.partition("==")[0] for pin in installed} >= {"tensorflow", "tf-keras"}
    assert first.index("TF_USE_LEGACY_KERAS") < first.index("import tensorflow")
    assert first.index("import triton") < first.index("import tensorflow")
    assert "from scenarios.assets.keras import CHECKPOINT, DATASET, METRIC" in first
    assert '"tf_model.h5"' in first


def test_a_comment_above_a_statement_stays_with_it():
    script = "a = 1\n\n# why\nb = 2\nc = 3\n\ntrainer.train()\n"
    assert script_cells(script) == ["a = 1", "# why\nb = 2\nc = 3"]


def test_stacked_faults_are_told_and_their_repairs_come_in_the_order_of_the_faults():
    scenario = catalogue.find("course_script")
    text = "\n".join(cell["source"] for cell in notebook(scenario)["cells"])
    fixes = scenario.words.fixes
    places = [text.index(f"**{fixes[name].label}**") for name in scenario.twin_fixes]
    assert "5 faults stand one behind the other" in text
    assert places == sorted(places)
    assert places[2] < text.index(f"**{fixes['the_tokenizer_pads'].label}**") < places[3]
    assert "one behind the other" not in str(notebook(catalogue.find("two_labels"))["cells"])


@pytest.mark.proof
def test_the_notebook_runs_to_its_end_and_fails_where_it_promises(tmp_path: Path):
    scenario = catalogue.find("wrong_collator")
    path = tmp_path / "out.ipynb"
    write_notebook(scenario, path)
    path.write_text(re.sub(r"max_steps = \d+", "max_steps = 2", path.read_text()))
    book = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(ROOT)}}
    NotebookClient(book, timeout=300, kernel_name="python3", resources=where).execute()
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    failed = [
        (cell, output) for cell in cells for output in cell.outputs if output.output_type == "error"
    ]
    first, error = failed[0]
    assert "get_train_dataloader" in first.source
    assert error.evalue.startswith("expected sequence of length")
    assert all(MAY_RAISE in cell.metadata.tags for cell, _ in failed)
    shown = cells[-1].outputs[-1].data["text/plain"]
    assert shown.startswith("Counter(")
    assert sum(ast.literal_eval(shown[len("Counter(") : -1]).values()) == 256
