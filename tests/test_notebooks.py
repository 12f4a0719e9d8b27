"""A notebook given to a command: its cells are one script, and lines are told by their cell."""

import json
from pathlib import Path

import pytest

from debugger.arguments import Usage
from debugger.given import Given, read
from debugger.outcome import Evidence, Finding
from debugger.printing import to_text
from debugger.report import Report, StageReport
from debugger.script.notebook import command_in, shown_in
from debugger.script.places import Places
from debugger.words import Words

WORDS = Words()


def given(folder: Path, *sources: str) -> Given:
    """The notebook of these cells of code, with a text between each two of them."""
    cells = []
    for source in sources:
        cells.append({"cell_type": "markdown", "source": ["# then\n", "this"]})
        cells.append({"cell_type": "code", "source": source.splitlines(keepends=True)})
    path = folder / "mine.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    return read(path, WORDS)


def ran(one: Given) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(one.text, "mine.ipynb", "exec"), names)
    return names


def test_cells_run_in_their_order_as_one_script(tmp_path: Path) -> None:
    assert ran(given(tmp_path, "a = 1\nb = 2", "", "c = a + b\n"))["c"] == 3


def test_what_a_cell_ends_with_is_shown_and_not_left_lying(tmp_path: Path) -> None:
    table = "import pandas as pd\ntable = pd.read_csv('x')\n"
    shown = given(tmp_path, table + "table.dropna()\n", "b = 2").text
    left = given(tmp_path, table + "table.dropna()\nb = 2").text

    assert shown.splitlines()[3] == "table.dropna()"
    assert 4 in shown_in(shown)
    assert Places(shown).unkept.table_left() is None
    assert Places(left).unkept.table_left() is not None


@pytest.mark.parametrize("head", ["# In[14]:", "# In[ ]:", "# %%", "#%% load"])
def test_so_is_what_a_cell_ends_with_in_a_script_that_others_made_of_a_notebook(head: str) -> None:
    made = f"import pandas as pd\ntable = pd.read_csv('x')\n\n{head}\n\ntable.sample(5)\n"

    assert Places(f"{made}\n# ## Next\n\n{head}\nb = 2\n").unkept.table_left() is None
    assert Places(f"{made}b = 2\n").unkept.table_left() is not None


@pytest.mark.parametrize(
    "cell",
    [
        "!pip install nothing",
        "!pip install \\\n    nothing",
        "%matplotlib inline",
        "files = !ls",
        "found = %env",
        "len?",
        "?len",
        "%%bash\nls | wc\nfor x",
        "if True:\n    !ls",
        "await something()",
        "async with lock:\n    pass",
        "notebook_login()",
        "hub.notebook_login()",
    ],
)
def test_what_only_a_notebook_understands_is_left_out_and_said(cell: str, tmp_path: Path) -> None:
    one = given(tmp_path, "x = 1\n" + cell, "y = 2") if "%%" not in cell else given(tmp_path, cell)
    ran(one)
    assert "Left out of the notebook" in (one.left_out(WORDS) or "")


@pytest.mark.parametrize(
    "cell",
    ["%%time\nx = 5", "%time x = 5", "text = '''\n!no\n%no\n'''\nx = 5", "x = (11\n% 6)"],
)
def test_python_in_and_beside_magics_still_runs(cell: str, tmp_path: Path) -> None:
    assert ran(given(tmp_path, cell, "!ls"))["x"] == 5


def test_text_in_a_string_stays_as_it_is_beside_a_command(tmp_path: Path) -> None:
    assert ran(given(tmp_path, "!ls\ntext = '''\n!no\n'''"))["text"] == "\n!no\n"


def test_what_a_notebook_has_without_an_import_is_there(tmp_path: Path) -> None:
    ran(given(tmp_path, "display(3)"))
    assert given(tmp_path, "x = 1").left_out(WORDS) is None


def test_a_finding_is_told_by_the_cell_and_its_line(tmp_path: Path) -> None:
    one = given(tmp_path, "!ls", "a = 1\nb = 2\nfail()")
    line = one.text.splitlines().index("fail()") + 1
    frame = {"file": str(one.path), "line": line, "name": "<module>", "code": "fail()", "own": True}
    said = {"exception": "NameError", "message": "no", "frames": [frame], "line": line}
    stage = StageReport(
        "setup",
        "fail",
        findings=(
            Finding("train_failed", "fault", "setup", line, {"exception": "E", "said": "no"}),
            Finding(
                "trains_before", "note", "setup", 2, {"steps": 1, "planned": 2, "looked_at": 5}
            ),
        ),
        evidence=(Evidence("traceback", "traceback", "setup", said),),
    )
    report = one.in_cells(Report("fail", (stage,)), WORDS)

    shown = to_text(report, 200)

    assert "cell 2, line 3: " in shown
    assert "mine.ipynb, cell 2, line 3 <module>" in shown
    assert "at cell 2, line 3." in shown
    assert "trains at line 2 of cell 2" in shown
    told = report.to_json()["stages"][0]["findings"][0]
    assert (told["cell"], told["line"]) == (2, 3)


def test_lines_of_a_script_stay_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n")
    found = Finding("train_failed", "fault", "setup", 1, {"exception": "E", "said": "no"})
    report = Report("fail", (StageReport("setup", "fail", findings=(found,)),))

    told = read(path, WORDS).in_cells(report, WORDS)

    assert told == report
    assert "cell" not in told.to_json()["stages"][0]["findings"][0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("not json", "it is not JSON"),
        ("[]", "it has no list of cells"),
        ('{"worksheets": []}', "it has no list of cells"),
        ('{"cells": [3]}', "one of its cells is not an object"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "is not text"),
        ('{"cells": [{"cell_type": "markdown", "source": "x"}]}', "no cell with code"),
    ],
)
def test_a_file_that_is_no_notebook_is_one_sentence(
    content: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text(content)
    with pytest.raises(Usage, match=reason):
        read(path, WORDS)


def test_a_script_saved_from_a_notebook_with_its_commands_says_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import os\n!pip install nothing\n")
    with pytest.raises(Usage, match="line 2, `!pip install nothing`"):
        read(path, WORDS)
    assert command_in("x = 3\nprint(\n") is None


def test_other_names_say_what_was_probably_meant(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(Usage, match=r"Is it .*mine\.py"):
        read(tmp_path / "mine.ipynb", WORDS)
    with pytest.raises(Usage, match=r"such as .*mine\.py"):
        read(tmp_path, WORDS)
    (tmp_path / "text.md").write_text("```python\n```\n")
    with pytest.raises(Usage, match="jupytext --to ipynb"):
        read(tmp_path / "text.md", WORDS)
