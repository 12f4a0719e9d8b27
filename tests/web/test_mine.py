"""One's own script: what is taken, what it reads that is not here, how it is run."""

from __future__ import annotations

import ast
import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debugger import settings
from debugger.outcome import Accepted, Event, Finding, Found, Outcome, StageEnded, StageStarted
from debugger.run import ON, WALK, Run
from debugger.web.bounds import Bounds
from debugger.web.mine.bench import Bench
from debugger.web.mine.elsewhere import elsewhere, swapped
from debugger.web.mine.given import DATA, MOST_SCRIPT, named
from debugger.web.mine.tab import Tab, read_files, read_kept, to_keep
from debugger.web.mine.view import PARTS
from debugger.web.visit import ISSUE
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

WORDS = Words()
SCRIPT = """from transformers import AutoTokenizer, Trainer
NAME = "bert-base-uncased"
tokenizer = AutoTokenizer.from_pretrained(NAME)
trainer = Trainer(None)
trainer.train()
"""


class Told:
    """An engine that keeps what it was asked, and tells of it what it was given."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.found: list[Finding] = []

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        self.runs.append(run)
        yield from (Accepted("t"), StageStarted("setup"))
        yield from map(Found, self.found)
        yield StageEnded("setup", "fail" if self.found else "pass", 0.1)
        yield Outcome("fail" if self.found else "pass", "cpu", 0.1)

    def cancel(self, ticket: str) -> None: ...


@pytest.fixture
def engine() -> Told:
    return Told()


@pytest.fixture
def bench(engine: Told, tmp_path: Path) -> Bench:
    return made(engine, tmp_path)


def made(engine: Told, folder: Path, typed: str | None = None, **changed: str) -> Bench:
    about = settings.read({"CLINIC_DATA_DIR": str(folder), "CLINIC_UPLOAD_MB": "1", **changed})
    status = {name: {"why": typed, "broken": ["forks"]} for name in ("pytorch", "keras")}
    bounds = Bounds(about.runs_a_minute, about.sessions)
    return Bench(Shared(engine, grace=0.1), about, lambda: {"typed": status}, bounds)


def sent(**files: bytes) -> str:
    told = {name.replace("__", "."): data for name, data in files.items()}
    return json.dumps([{"name": n, "data": b64encode(d).decode()} for n, d in told.items()])


def one(name: str, data: bytes = b"x") -> str:
    return json.dumps([{"name": name, "data": b64encode(data).decode()}])


def run(bench: Bench, tab: Tab, what: str = WALK) -> None:
    async def through() -> None:
        if planned := bench.plan(tab, what, "session"):
            async for _ in bench.follow(tab, planned):
                pass

    with ThreadPoolExecutor(1) as aside:
        aside.submit(lambda: asyncio.run(through())).result()


def page(bench: Bench, tab: Tab) -> str:
    look = bench.look(tab)
    return "".join(part(look, WORDS) for part in PARTS.values())


def test_who_is_turned_away_reads_why_and_keeps_what_was_there(bench: Bench, engine: Told) -> None:
    tab = Tab(text=SCRIPT)
    run(bench, tab)
    seen = page(bench, tab)
    full = Finding("queue_full", "note", "setup", None, {"waiting": 7})
    told, engine.events = (
        engine.events,
        lambda run, asker=None: iter((Accepted("t"), Outcome("unknown", "cpu", 0.0, {}, full))),
    )
    run(bench, tab)
    assert WORDS.finding(full) in page(bench, tab)
    assert page(bench, tab).replace(WORDS.finding(full), "") == seen
    engine.events = told
    run(bench, tab)
    assert WORDS.finding(full) not in page(bench, tab)
    assert tab.reports["setup"].outcome == "pass"


def test_whatever_is_run_here_is_typed_and_has_its_files_and_arguments(
    bench: Bench, engine: Told
) -> None:
    tab = Tab(arguments="--epochs 2 'two words'")
    bench.press(tab, "files", sent(mine__py=SCRIPT.encode(), rows__csv=b"text,label\n"))
    run(bench, tab)
    run(bench, tab, ISSUE)
    assert len(engine.runs) > 2
    assert all(asked.typed and asked.folder is None for asked in engine.runs)
    first = engine.runs[0]
    assert (first.stage, first.experiments) == (ON, True)
    assert first.arguments == ("--epochs", "2", "two words")
    assert [name for name, _ in first.files] == ["rows.csv"]
    assert {asked.files for asked in engine.runs} == {first.files}


def test_findings_stand_at_their_lines_until_the_script_changes(bench: Bench, engine: Told) -> None:
    tab = Tab()
    bench.type(tab, SCRIPT)
    engine.found = [Finding("script_failed", "fault", "setup", 3, {"exception": "E", "said": "s"})]
    run(bench, tab)
    assert "The script stops before its training" in page(bench, tab)
    assert 'data-edit-line="3"' in page(bench, tab)
    bench.press(tab, "side", "script")
    assert '<div class="row fault" id="line-3"' in page(bench, tab)
    bench.type(tab, "\n" + SCRIPT)
    assert bench.look(tab).stale
    assert '<div class="row fault"' not in page(bench, tab)
    assert WORDS.say("mine", "stale") in page(bench, tab)


@pytest.mark.parametrize(
    ("sent_as", "here"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("/etc/cron.d/job.txt", "job.txt"),
        ("C:\\Users\\me\\data.csv", "data.csv"),
        ("..\\..\\x.json", "x.json"),
        (".bashrc.txt", "bashrc.txt"),
        ("a\0b.csv", "a_b.csv"),
        ("\u202evsc.exe.csv", "_vsc.exe.csv"),
        ("<img src=x onerror=alert(1)>.csv", "_img src_x onerror_alert(1)_.csv"),
        ("donne\u0301es.csv", "données.csv"),
        ("$(rm -rf ~);`id`.csv", "_(rm -rf _)__id_.csv"),
        ("x" * 200 + ".csv", "x" * 68 + ".csv"),
        ("-rf.csv", "_-rf.csv"),
        ("{{value}}.csv", "__value__.csv"),
    ],
)
def test_a_file_goes_by_a_name_that_leads_nowhere(bench: Bench, sent_as: str, here: str) -> None:
    assert named(sent_as) == here
    tab = Tab()
    bench.press(tab, "files", one(sent_as))
    assert [file.name for file in tab.files] == [here]
    bench.press(tab, "side", "files")
    shown = page(bench, tab)
    assert "<img" not in shown
    assert "{{" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize("name", ["..", "../..", "/", "", "\\", "..csv/", ". ."])
def test_what_has_no_name_is_refused(bench: Bench, name: str) -> None:
    tab = Tab()
    bench.press(tab, "files", one(name))
    assert tab.said is not None
    assert tab.said[0] in ("no_file_name", "other_type")
    assert tab.files == ()


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (one("page.html", b"<script>alert(1)</script>"), "other_type"),
        (one("picture.svg", b"<svg onload=alert(1)>"), "other_type"),
        (one("weights.pkl"), "other_type"),
        (one("rows.csv", b"x" * (1 << 20) + b"x"), "too_large"),
        (json.dumps([{"name": "x.csv", "data": "no base64!"}]), "not_sent"),
        (json.dumps([{"name": "x.csv"}]), "not_sent"),
        (sent(**{f"f{n}__csv": b"x" for n in range(9)}), "too_many_files"),
        (sent(**{f"f{n}__csv": b"x" * 300_000 for n in range(4)}), "too_large"),
        (one("mine.py", b"\xff\xfe\x00"), "no_text"),
        (one("mine.py", b"x" * (MOST_SCRIPT + 1)), "too_long"),
        (one("mine.ipynb", b"[" * 100_000), "no_notebook"),
        (one("mine.ipynb", b'{"cells": 3}'), "no_notebook"),
    ],
)
def test_what_is_too_much_or_of_another_kind_is_refused_whole(
    bench: Bench, told: str, code: str
) -> None:
    tab = Tab()
    bench.press(tab, "files", sent(first__csv=b"kept"))
    bench.press(tab, "files", told)
    assert tab.said is not None
    assert tab.said[0] == code
    assert WORDS.say("mine", *tab.said[:1], **tab.said[1])
    assert ([file.name for file in tab.files], tab.text) == (["first.csv"], "")


@pytest.mark.parametrize("told", ["", "{}", "[1]", "null", "[{}]", '[{"name": 3}]', "x" * 9])
def test_a_press_that_no_page_sends_changes_nothing(bench: Bench, told: str) -> None:
    tab = Tab()
    for act in ("files", "swap", "side", "panel", "stage", "move", "remove", "back", "nothing"):
        bench.press(tab, act, told)
    assert (tab.files, tab.text, tab.side, tab.stage) == ((), "", "edit", "setup")


def test_a_notebook_becomes_one_script(bench: Bench) -> None:
    cells = [
        {"cell_type": "markdown", "source": "<script>alert(1)</script>"},
        {"cell_type": "code", "source": ["!pip install x\n", "print(1)"], "outputs": []},
    ]
    tab = Tab()
    bench.press(tab, "files", one("my book.IPYNB", json.dumps({"cells": cells}).encode()))
    assert "print(1)" in tab.text
    assert "alert" not in tab.text
    assert tab.said == ("from_notebook", {"cells": 1, "lines": 1})


def test_what_is_not_here_is_named_with_its_line_and_can_be_swapped_and_taken_back(
    bench: Bench,
) -> None:
    tab = Tab()
    bench.type(tab, SCRIPT)
    assert [(o.kind, o.line) for o in bench.look(tab).places] == [("checkpoint", 2)]
    bench.press(tab, "swap", "2-checkpoint")
    assert tab.text.startswith("from scenarios.assets import CHECKPOINT\n")
    assert "NAME = CHECKPOINT\n" in tab.text
    assert bench.look(tab).places == []
    bench.press(tab, "side", "diff")
    assert "bert-base-uncased" in page(bench, tab)
    bench.press(tab, "back", "")
    assert tab.text == SCRIPT


EVERYTHING = '''"""Doc."""
from __future__ import annotations
import tracker_that_nobody_has
import evaluate
from datasets import load_dataset
from transformers import AutoModel, Trainer, TrainingArguments
import pandas as pd
é = load_dataset("glue", "mrpc"); metric = evaluate.load("glue", "mrpc")
model = AutoModel.from_pretrained(pretrained_model_name_or_path="bert-base-uncased")
here = load_dataset("csv", data_files={"train": "rows.csv"})
there = pd.read_csv("data/rows.csv")
gone = pd.read_json("private.json")
made = open("log.txt", "w")
model.save_pretrained("saved")
again = AutoModel.from_pretrained("saved")
args = TrainingArguments("out", report_to=["wandb"])
Trainer(model, args).train()
'''


def test_every_kind_is_told_apart_and_what_the_script_makes_is_its_own() -> None:
    found = elsewhere(EVERYTHING, ["rows.csv"])
    assert [(o.kind, o.line, o.name) for o in found] == [
        ("package", 3, "tracker_that_nobody_has"),
        ("corpus", 8, "glue"),
        ("metric", 8, "glue"),
        ("checkpoint", 9, "bert-base-uncased"),
        ("moved", 11, "data/rows.csv"),
        ("file", 12, "private.json"),
        ("reporter", 16, "wandb"),
    ]
    text = swapped(EVERYTHING, found)
    ast.parse(text)
    lines = text.splitlines()
    assert lines[2] == "from scenarios.assets import CHECKPOINT, DATASET, METRIC"
    assert lines[8] == 'é = load_dataset(DATASET, "mnli"); metric = evaluate.load(METRIC, "mnli")'
    assert lines[11] == 'there = pd.read_csv("rows.csv")'
    assert lines[16] == 'args = TrainingArguments("out", report_to=["none"])'
    changed = [n for n, line in enumerate(lines) if line not in EVERYTHING.splitlines()]
    assert changed == [2, 8, 9, 11, 16]


def test_only_exact_texts_are_swapped() -> None:
    for given_ in ("f'bert-{1}'", "'bert' + '-base'", "name()", "os.environ['X']", "argv[1]"):
        text = f"AutoModel.from_pretrained({given_})\nTrainer().train()\n"
        assert elsewhere(text, []) == [], given_
    twice = 'N = "a"\nN = "b"\nAutoModel.from_pretrained(N)\nmodel.fit()\n'
    assert elsewhere(twice, []) == []


def test_a_keras_script_gets_the_assets_of_its_framework_on_top_of_those_it_has() -> None:
    text = "import tensorflow\nfrom scenarios.assets.keras import DATASET\n"
    text += 'TFAutoModel.from_pretrained("bert-base-uncased")\nmodel.fit(DATASET)\n'
    lines = swapped(text, elsewhere(text, [])).splitlines()
    assert lines[1] == "from scenarios.assets.keras import CHECKPOINT, DATASET"


def test_a_script_without_a_training_is_told_so(bench: Bench) -> None:
    tab = Tab()
    bench.type(tab, "print('hello')\n")
    assert WORDS.say("mine", "reads_training") in page(bench, tab)


def test_where_nothing_typed_may_run_the_page_says_why_and_how_else(
    engine: Told, tmp_path: Path
) -> None:
    bench, tab = made(engine, tmp_path, "promise_broken"), Tab()
    bench.type(tab, SCRIPT)
    shown = page(bench, tab)
    assert WORDS.say("finding", "typing_promise_broken", broken="forks") in shown
    assert "python -m debugger diagnose SCRIPT.py" in shown
    run(bench, tab)
    run(bench, tab, ISSUE)
    assert engine.runs == []
    assert "python -m debugger" not in page(made(engine, tmp_path), tab)


def test_runs_are_counted_by_session(engine: Told, tmp_path: Path) -> None:
    bench, tab = made(engine, tmp_path, CLINIC_RUNS_A_MINUTE="2"), Tab()
    for number in range(4):
        bench.type(tab, f"{SCRIPT}# {number}\n")
        run(bench, tab)
    assert len(engine.runs) == 2
    assert tab.said == ("too_many_runs", {"most": 2})


def test_arguments_that_no_shell_reads_are_a_sentence(bench: Bench, engine: Told) -> None:
    tab = Tab(arguments="'open")
    bench.type(tab, SCRIPT)
    run(bench, tab)
    assert tab.said is not None
    assert tab.said[0] == "arguments_wrong"
    assert engine.runs == []


def test_a_browser_brings_back_text_and_files_and_is_told_which_it_has_lost(
    bench: Bench, engine: Told, tmp_path: Path
) -> None:
    tab = Tab(arguments="--x")
    bench.press(tab, "files", sent(mine__py=SCRIPT.encode(), rows__csv=b"1"))
    kept = json.loads(to_keep(tab))
    kept["files"][0]["data"] = b64encode(b"1").decode()
    kept["files"].append({"name": "large.parquet", "size": 9})
    fresh = Tab()
    bench.arrive(fresh, read_kept(json.dumps(kept)))
    assert (fresh.text, fresh.arguments) == (SCRIPT, "--x")
    assert [file.name for file in fresh.files] == ["rows.csv"]
    assert fresh.gone == ("large.parquet",)
    assert WORDS.say("mine", "gone", names="large.parquet") in page(bench, fresh)
    for file in (tmp_path / "files").iterdir():
        file.unlink()
    run(bench, fresh)
    assert fresh.said == ("files_gone", {"names": "rows.csv"})
    assert engine.runs == []


@pytest.mark.parametrize("kept", ["", "null", "[]", '{"text": 3}', '{"files": {}}', "x", "{" * 99])
def test_what_a_browser_kept_may_be_anything(bench: Bench, kept: str) -> None:
    bench.arrive(tab := Tab(), read_kept(kept))
    assert (tab.text, tab.files) == ("", ())
    assert read_files(kept) == []


def test_what_is_too_long_to_be_a_script_is_not_taken(bench: Bench) -> None:
    tab = Tab()
    bench.type(tab, SCRIPT)
    bench.type(tab, "x" * (MOST_SCRIPT + 1))
    assert tab.text == SCRIPT
    bench.type(tab, "half of \ud83d")
    page(bench, tab).encode()


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</textarea></pre></code><svg onload=alert(1)>",
    '"><b id=pwned>',
    "{{value}} ${alert(1)} `x`",
    "[a](javascript:alert(1)) <b>markdown</b>",
    "\u202eright to left\u2066",
    "x" * 50_000,
)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: text[:20])
def test_whatever_a_learner_wrote_stays_text(bench: Bench, engine: Told, hostile: str) -> None:
    tab = Tab(arguments=hostile, gone=(hostile,))
    bench.type(tab, f"AutoModel.from_pretrained({hostile!r})\n# {hostile}\nfit()\n")
    numbers = {"exception": hostile, "said": hostile}
    engine.found = [Finding("script_failed", "fault", "setup", 1, numbers)]
    tab.arguments = ""
    run(bench, tab)
    tab.said = ("other_type", {"name": hostile})
    for side in ("edit", "script", "files", "diff"):
        tab.side = side
        shown = page(bench, tab)
        for mark in ("<script", "<img", "<svg", "<b id", "{{", "${", "`", "\u202e", "\u2066"):
            assert mark not in shown, mark


def test_every_kind_of_data_is_named_to_the_learner(bench: Bench) -> None:
    shown = page(bench, Tab(side="files"))
    assert all(kind in shown for kind in DATA)


def test_what_was_said_stays_while_one_looks_around(bench: Bench) -> None:
    tab = Tab(said=("stopped", {}))
    for act, with_ in (("again", ""), ("side", "files"), ("stage", "data"), ("nothing", "")):
        bench.press(tab, act, with_)
        assert WORDS.say("mine", "stopped") in page(bench, tab)
    bench.press(tab, "clear", "")
    assert tab.said is None
