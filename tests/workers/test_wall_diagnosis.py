"""A diagnosis of somebody's own script, with everything real: nothing of hers is changed by it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_wall import contents

from debugger.outcome import Finding
from debugger.report import Report, gather
from debugger.run import Run
from debugger.workers.local import LocalEngine

HEAD = """\
import os
import torch
from transformers import Trainer
from tests import tiny
model = tiny.bert()
args = tiny.arguments(output_dir={out!r}, eval_strategy="epoch", save_strategy="epoch")
rows, collator = tiny.pairs(48), tiny.classifier().data_collator
data = {{"train_dataset": rows, "eval_dataset": rows, "data_collator": collator}}
"""
TRAINING = "trainer = Trainer(model, args, **data)\ntrainer.train()\n"
KEEPING = """\
def keep():
    model.save_pretrained("kept")
    os.replace("kept/config.json", "kept/other.json")
"""


WARM = "debugger.frameworks.pytorch.warm"


@pytest.fixture(scope="module")
def walled(tmp_path_factory):
    with LocalEngine(1, 120, 3000, tmp_path_factory.mktemp("d"), online=True) as engine:
        yield engine


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    mine = tmp_path / "mine"
    (mine / "kept").mkdir(parents=True)
    (mine / "kept" / "config.json").write_text("the one of last week")
    (mine / "kept" / "model.safetensors").write_text("weights of last week")
    return mine


def report_of(engine: LocalEngine, mine: Path, text: str, stage: str = "forward") -> Report:
    (mine / "mine.py").write_text(text)
    name = str(mine / "mine.py")
    run = Run(text, stage=stage, device="cpu", filename=name, folder=str(mine))  # type: ignore[arg-type]
    return gather(list(engine.events(run)))


def finding(report: Report, code: str) -> Finding:
    found = [one for one in report.findings if one.code == code]
    assert found, report.findings
    return found[0]


def test_what_saves_between_two_trainings_leaves_nothing_behind(walled, mine, tmp_path):
    text = HEAD.format(out=str(tmp_path / "never" / "made")) + KEEPING
    text += 2 * (TRAINING + "keep()\n")
    (mine / "mine.py").write_text(text)
    before = contents(tmp_path)
    report = report_of(walled, mine, text)
    assert finding(report, "trains_before").line == 13
    assert finding(report, "trained_already").severity == "fault"
    assert contents(tmp_path) == before


METRIC = """\
def measure(given):
    with open(os.path.join({folder}, "answers.txt"), "w") as file:
        file.write(str(given.predictions.argmax(-1).tolist()))
    return {{"accuracy": float((given.predictions.argmax(-1) == given.label_ids).mean())}}
"""
MEASURED = "Trainer(model, args, compute_metrics=measure, **data).train()\n"


@pytest.mark.parametrize("out", ["never/made", "mine"])
def test_a_metric_may_write_into_the_output_folder(walled, mine, tmp_path, out):
    text = HEAD.format(out=str(tmp_path / out)) + METRIC.format(folder="args.output_dir")
    report = report_of(walled, mine, text + MEASURED, stage="evaluate")
    assert report.stage("evaluate").measured["answers"] == ["accuracy"]
    assert not list(tmp_path.rglob("answers.txt"))


def test_a_metric_that_the_wall_refuses_is_no_fault(walled, mine, tmp_path):
    text = HEAD.format(out=str(tmp_path / "out")) + METRIC.format(folder=repr(str(mine)))
    report = report_of(walled, mine, text + MEASURED, stage="evaluate")
    assert finding(report, "writes_outside").severity == "note"
    assert "evaluate_failed" not in [one.code for one in report.findings]
    assert not list(tmp_path.rglob("answers.txt"))


def test_what_a_library_writes_by_itself_over_what_an_earlier_run_has_left_is_its_own(
    walled, mine, tmp_path
):
    (mine / "kept" / "tokens.json").write_text("of last week")
    text = HEAD.format(out=str(tmp_path / "out")) + (
        "from tokenizers import Tokenizer, models\n"
        "Tokenizer(models.WordLevel()).save('kept/tokens.json')\n"
    )
    report = report_of(walled, mine, text + TRAINING, "setup")
    assert "writes_outside" not in [one.code for one in report.findings]
    assert report.stage("setup").outcome != "unknown"
    assert (mine / "kept" / "tokens.json").read_text() == "of last week"


@pytest.mark.proof
def test_without_a_wall_it_is_not_run_past_its_first_training(tmp_path_factory, mine):
    data = tmp_path_factory.mktemp("d")  # short: it holds sockets of the workers
    workers = "list(torch.utils.data.DataLoader([1, 2, 3], num_workers=2))\n"
    text = HEAD.format(out="out") + KEEPING + workers + 2 * (TRAINING + "keep()\n")
    with LocalEngine(1, 120, 3000, data, preload={"pytorch": ("no_landlock", WARM)}) as engine:
        (mine / "mine.py").write_text(text)
        before = contents(mine)
        report = report_of(engine, mine, text, "setup")
    assert finding(report, "trains_again_open").line == 14
    assert contents(mine) == before


@pytest.mark.proof
def test_what_prints_behind_a_fit_is_tried_and_leaves_nothing_behind(walled, mine, tmp_path):
    text = """\
import numpy as np
import tensorflow as tf
rows = np.random.RandomState(0).randn(64, 4).astype("float32")
right = (rows[:, 0] > 0).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
def kept(made):
    np.save("kept/model.safetensors", made)
    with open(OUT, "w") as file:
        file.write("told")
    return made
model.fit(rows, right, epochs=2, validation_data=(rows, right))
made = model.predict(rows).argmax(axis=-1)
print("accuracy", (made == right).mean())
made = kept(made)
print("accuracy", (made == right).mean())
""".replace("OUT", repr(str(tmp_path / "never_made.txt")))
    (mine / "mine.py").write_text(text)
    before = contents(tmp_path)
    report = report_of(walled, mine, text, "evaluate")
    assert finding(report, "printed_blind").line == 13
    assert contents(tmp_path) == before


def test_a_write_that_the_wall_refuses_between_trainings_is_told(walled, mine):
    kept = mine / "kept" / "model.safetensors"
    text = HEAD.format(out="out") + TRAINING + f"torch.save({{}}, {str(kept)!r})\n" + TRAINING
    told = finding(report_of(walled, mine, text, "setup"), "trains_again_writes")
    assert (told.line, told.numbers["at"]) == (10, 11)
    assert kept.read_text() == "weights of last week"


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "write",
    [
        "open({0!r}, 'w')",
        "torch.save(model.state_dict(), {0!r})",
        "model.save_pretrained(os.path.dirname({0!r}))",
        "import sqlite3; sqlite3.connect(os.path.dirname({0!r}) + '/new.db').execute('vacuum')",
        "os.replace('mine.py', {0!r})",
    ],
    ids=["open", "torch.save", "save_pretrained", "database", "replace"],
)
def test_a_refused_write_is_no_fault_of_the_script(walled, mine, write):
    kept = str(mine / "kept" / "model.safetensors")
    text = HEAD.format(out="out") + write.format(kept) + "\n" + TRAINING
    (mine / "mine.py").write_text(text)
    before = contents(mine)
    report = report_of(walled, mine, text, "setup")
    told = finding(report, "writes_outside")
    assert (told.line, told.severity, report.outcome) == (9, "note", "unknown")
    assert contents(mine) == before


def test_what_stands_above_the_folder_is_read_and_not_changed(walled, mine):
    (mine.parent / "data").mkdir()
    (mine.parent / "data" / "rows.csv").write_text("a,b")
    (mine / "deep" / "down" / "here").mkdir(parents=True)
    text = HEAD.format(out="out") + (
        "from pathlib import Path\nhere = Path(__file__).resolve().parent\n"
        "assert Path('../data/rows.csv').read_text() == 'a,b'\n"
        "assert (here.parent / 'data' / 'rows.csv').read_text() == 'a,b'\n"
        "Path('../data/rows.csv').write_text('c')\n"
    )
    before = contents(mine.parent)
    report = report_of(walled, mine, text + TRAINING, "setup")
    assert [one.code for one in report.findings] == ["two_trainers"]
    (mine / "mine.py").unlink()
    assert contents(mine.parent) == before
    far = text.replace("'../data", "'../../../../data").replace(
        "(here", "(here.parent.parent.parent"
    )
    report = report_of(walled, mine / "deep" / "down" / "here", far + TRAINING, "setup")
    assert [one.code for one in report.findings] == ["two_trainers"]


def test_what_is_given_to_workers_is_done_without_them(walled, mine):
    text = HEAD.format(out="out")
    text += "list(torch.utils.data.DataLoader([1, 2, 3], num_workers=2, prefetch_factor=4))\n"
    text += "rows.map(lambda row: row, num_proc=2)\n" + TRAINING
    report = report_of(walled, mine, text, "setup")
    assert [one.code for one in report.findings] == ["two_trainers"]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "asked",
    [
        "from multiprocessing.pool import ThreadPool\nmade = ThreadPool(2).map(abs, [-1, -2])\n",
        "from multiprocessing import Pool\n"
        "with Pool(2) as pool:\n    made = pool.map(abs, [-1, -2])\n",
        "import multiprocessing\nfork = multiprocessing.get_context('fork')\n"
        "with fork.Pool(processes=2) as pool:\n    made = pool.map(abs, [-1, -2])\n",
        "from concurrent.futures import ProcessPoolExecutor as Pool\n"
        "with Pool(max_workers=2) as pool:\n    made = list(pool.map(abs, [-1, -2]))\n",
        "from joblib import Parallel, delayed\n"
        "made = Parallel(n_jobs=2, prefer='processes')(delayed(abs)(one) for one in (-1, -2))\n",
    ],
)
def test_what_several_processes_would_make_is_made_by_threads(walled, mine, asked):
    text = HEAD.format(out="out") + asked + "assert made == [1, 2]\n" + TRAINING
    report = report_of(walled, mine, text, "setup")
    assert [one.code for one in report.findings] == ["two_trainers"]


@pytest.mark.proof
def test_pictures_in_folders_are_read_behind_the_wall(walled, mine):
    text = """\
import numpy as np
import tensorflow as tf
from tensorflow.keras.preprocessing.image import ImageDataGenerator, array_to_img
from pathlib import Path
for kind in ("dark", "light"):
    folder = Path("pictures") / kind
    folder.mkdir(parents=True)
    for n in range(40):
        picture = np.random.RandomState(n).randint(0, 128, (8, 8, 3)) + 127 * (kind == "light")
        array_to_img(picture, scale=False).save(folder / f"{n}.png")
rows = tf.keras.utils.image_dataset_from_directory("pictures", image_size=(8, 8), batch_size=8)
flow = ImageDataGenerator(rescale=1 / 255).flow_from_directory(
    "pictures", target_size=(8, 8), batch_size=8, class_mode="binary")
model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(1, "sigmoid")])
model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
model.fit(flow, validation_data=rows.map(lambda x, y: (x / 255, y)), epochs=4)
"""
    report = report_of(walled, mine, text, "evaluate")
    assert report.stage("evaluate").outcome in ("pass", "look")


def test_a_streamed_data_set_that_no_worker_reads_is_looked_at(walled, mine):
    text = HEAD.format(out="out")
    text += "streamed = rows.to_iterable_dataset()\nassert len(list(streamed)) == len(rows)\n"
    text += "assert torch.ones(2).share_memory_().tolist() == [1, 1]\n" + TRAINING
    report = report_of(walled, mine, text, "setup")
    assert [one.code for one in report.findings] == ["two_trainers"]


def test_no_stage_of_a_streamed_training_needs_shared_memory(walled, mine):
    text = HEAD.format(out="out")
    text += "data['eval_dataset'] = rows.to_iterable_dataset()\n" + TRAINING
    report = report_of(walled, mine, text, "evaluate")
    assert report.stage("evaluate").outcome in ("pass", "look")


def test_processes_that_need_shared_memory_are_told(walled, mine):
    text = HEAD.format(out="out") + "import multiprocessing\nmultiprocessing.Queue()\n" + TRAINING
    told = finding(report_of(walled, mine, text, "setup"), "shares_memory")
    assert (told.line, told.severity) == (10, "note")


@pytest.mark.proof
def test_from_the_command_line_and_another_folder_too(mine, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = HEAD.format(out="out") + KEEPING + 2 * (TRAINING + "keep()\n")
    (mine / "mine.py").write_text(text)
    before = contents(mine)
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"CLINIC_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": root}
    command = [sys.executable, "-m", "debugger", "diagnose", str(mine / "mine.py")]
    answer = subprocess.run(
        [*command, "--stage", "setup", "--json"],
        cwd=elsewhere,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    (setup, *_) = json.loads(answer.stdout)["stages"]
    assert [one["code"] for one in setup["findings"]] == ["trains_before"]
    assert contents(mine) == before
    assert list(elsewhere.iterdir()) == []
