"""Whatever a run does to the files of the one who asked: afterwards they are as before."""

import hashlib
import os
from pathlib import Path

import pytest
from test_endings import console, said

from debugger.workers import sandbox, wall
from debugger.workers.local import LocalEngine

HARMS = {
    "overwrite": "open(mine / 'data.csv', 'w').write('gone')",
    "append": "open(mine / 'data.csv', 'a').write('more')",
    "edit": "open(mine / 'data.csv', 'r+').write('new')",
    "truncate": "os.truncate(mine / 'data.csv', 0)",
    "replace": "(home / 'new').write_text('x'); os.replace(home / 'new', mine / 'data.csv')",
    "rename": "os.rename(mine / 'data.csv', mine / 'old.csv')",
    "move away": "shutil.move(mine / 'data.csv', home)",
    "delete": "os.remove(mine / 'data.csv')",
    "earlier checkpoint": "shutil.rmtree(mine / 'out' / 'checkpoint-500')",
    "new file": "(mine / 'new').write_text('x')",
    "new folder": "os.makedirs(mine / 'out' / 'new')",
    "database": "import sqlite3; sqlite3.connect(mine / 'runs.db').execute('create table b (c)')",
    "hard link": "os.link(mine / 'data.csv', home / 'h'); (home / 'h').write_text('x')",
    "symlink to it": "os.symlink(mine / 'data.csv', home / 's'); (home / 's').write_text('x')",
    "symlink in it": "os.symlink('data.csv', mine / 's')",
    "socket": "import socket; socket.socket(socket.AF_UNIX).bind(str(mine / 's'))",
    "another process": "subprocess.run(['sh', '-c', f'echo x > {mine}/data.csv'], check=True)",
    "a thread": "ThreadPoolExecutor().submit((mine / 'new').write_text, 'x').result()",
    "through /proc": "open(f'/proc/self/fd/{os.open(data, os.O_RDONLY)}', 'w')",
    "without the hook": "import ctypes; ctypes.CDLL(None).truncate(bytes(mine / 'data.csv'), 0)",
    "relative, without the hook": "import ctypes; ctypes.CDLL(None).truncate(b'data.csv', 0)",
}
HEAD = """
import os, shutil, subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
mine, home = Path({mine!r}), Path(os.environ["TMPDIR"]).parent / "home"
data = mine / "data.csv"
with suppress(Exception):
    {harm}
say(walled=enclosure.walled)
"""


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file() and not path.is_symlink()
        else "-"
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder with what people keep beside a script."""
    mine = tmp_path / "mine"
    checkpoint = mine / "out" / "checkpoint-500"
    checkpoint.mkdir(parents=True)
    (checkpoint / "model.bin").write_bytes(b"weights")
    (mine / "data.csv").write_text("a,b\n1,2\n")
    (mine / "script.py").write_text("print(1)\n")
    import sqlite3

    with sqlite3.connect(mine / "runs.db") as database:
        database.execute("create table a (b)")
    database.close()
    return mine


@pytest.fixture(scope="module")
def open_engine(tmp_path_factory):
    data, preload = tmp_path_factory.mktemp("open"), {"pytorch": ("no_landlock", "toys")}
    with LocalEngine(2, 20, 600, data, "toys:perform", preload=preload) as engine:
        yield engine


def harmed(engine, ask, mine: Path, harm: str) -> tuple[bool, bool]:
    """Whether a wall stood, and whether anything is not as before."""
    before = contents(mine)
    script = HEAD.format(mine=str(mine), harm=harm)
    walled = said(ask(engine, script, folder=str(mine)))["walled"]
    return walled, contents(mine) != before


@pytest.mark.some(8)
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_run_changes_nothing_outside_its_folder(engine, ask, mine, harm):
    assert harmed(engine, ask, mine, harm) == (True, False)


@pytest.mark.some(4)
@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_without_the_wall_it_would(open_engine, ask, mine, harm):
    assert harmed(open_engine, ask, mine, harm) == (False, True)


def test_the_engine_says_whether_the_wall_stands(engine):
    assert engine.status()["walled"] is True


def test_in_its_working_folder_a_script_reads_and_writes_as_ever(engine, ask, mine):
    before = contents(mine)
    script = """
import os, shutil, sqlite3
from pathlib import Path
def text(name): return Path(name).read_text()
found = [text("data.csv"), sorted(p.name for p in Path(".").rglob("*"))]
open("data.csv", "a").write("3,4\\n")
os.makedirs("out", exist_ok=True); Path("out/labels.json").write_text("{}")
Path(enclosure.seen_at).resolve().with_name("beside").write_text("x")
os.utime("script.py", (0, 0)); os.chmod("script.py", 0)
with sqlite3.connect("runs.db") as database: database.execute("create table c (d)")
shutil.rmtree("out/checkpoint-500")
say(found=found, data=text("data.csv"), out=os.listdir("out"), beside=text("beside"))
"""
    stat = (mine / "script.py").stat()
    answer = said(ask(engine, script, folder=str(mine), filename=str(mine / "script.py")))
    assert answer["found"][0] == "a,b\n1,2\n"
    assert set(answer["found"][1]) == {Path(name).name for name in before}
    assert answer["data"] == "a,b\n1,2\n3,4\n"
    assert answer["out"] == ["labels.json"]
    assert answer["beside"] == "x"
    assert contents(mine) == before
    after = (mine / "script.py").stat()
    assert (after.st_mode, after.st_mtime) == (stat.st_mode, stat.st_mtime)


def test_a_script_of_another_folder_finds_itself_and_may_write_there(engine, ask, mine, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    script = """
from pathlib import Path
here = Path(enclosure.seen_at).resolve().parent
(here / "new").write_text((here / "data.csv").read_text())
say(new=(here / "new").read_text(), cwd=os.path.basename(os.getcwd()))
"""
    before = contents(mine)
    given = {"folder": str(tmp_path / "elsewhere"), "filename": str(mine / "script.py")}
    assert said(ask(engine, script, **given)) == {"new": "a,b\n1,2\n", "cwd": "elsewhere"}
    assert contents(mine) == before


def test_devices_and_shells_work_as_ever(engine, ask):
    script = """
import subprocess
print("x", file=open("/dev/null", "w"))
say(said=subprocess.run("echo a > b; cat b", shell=True, capture_output=True).stdout.decode())
"""
    assert said(ask(engine, script)) == {"said": "a\n"}


def test_a_cache_is_read_and_what_is_new_in_it_is_the_runs_own(make_engine, ask, tmp_path):
    cached = tmp_path / "data" / "huggingface" / "hub" / "models--a"
    cached.mkdir(parents=True)
    (cached / "config.json").write_text("{}")
    before = contents(tmp_path / "data" / "huggingface")
    script = """
from pathlib import Path
hub = Path(os.environ["HF_HOME"]) / "hub"
(hub / "models--b").mkdir(); (hub / "models--a" / "config.json").write_text("[]")
(hub / "models--a" / "lock").touch()
say(found=sorted(p.name for p in hub.iterdir()))
"""
    assert said(ask(make_engine(), script)) == {"found": ["models--a", "models--b"]}
    assert contents(tmp_path / "data" / "huggingface") == before


def test_after_it_is_cut_off_a_script_reaches_nobody(engine, ask):
    script = """
import socket, threading
from contextlib import suppress
server = socket.create_server(("127.0.0.1", 0))
def reached():
    with suppress(PermissionError):
        socket.create_connection(server.getsockname()).close()
        return True
    return False
before = reached()
enclosure.cut_off(); enclosure.cut_off()
with ThreadPoolExecutor() as threads: other = threads.submit(reached).result()
say(before=before, after=reached(), other=other, hub=os.environ["HF_HUB_OFFLINE"])
"""
    script = "from concurrent.futures import ThreadPoolExecutor\n" + script
    assert said(ask(engine, script)) == {"before": True, "after": False, "other": False, "hub": "1"}


def test_what_is_done_apart_leaves_nothing_and_prints_nothing(engine, ask):
    script = """
here = []
def work():
    here.append(1); print("apart"); return len(here)
found = [enclosure.apart(work), enclosure.apart(work), enclosure.apart(lambda: os.abort())]
say(found=found, here=here)
"""
    events = ask(engine, script)
    assert said(events) == {"found": [1, 1, None], "here": []}
    assert console(events)["text"] == ""


@pytest.mark.proof
def test_what_scenarios_load_is_prepared_once_for_all_runs(real, ask):
    script = """
from datasets import load_dataset
from scenarios.assets import DATASET
say(rows=len(load_dataset(DATASET, "mnli")["train"]), cache=os.environ["HF_DATASETS_CACHE"])
"""
    found = [ask(real, script) for _ in range(2)]
    first, second = map(said, found)
    assert first["rows"] == second["rows"] > 100
    assert first["cache"] != second["cache"]
    assert ["Generating" in console(events)["text"] for events in found] == [False, False]


def test_devices_and_folders_of_them_are_let_into_the_sandbox(monkeypatch, tmp_path):
    monkeypatch.setattr(wall, "gpus", lambda: [Path("/dev/zero"), Path("/dev/shm")])
    for name in sandbox.SCRATCH:
        (tmp_path / name).mkdir()
    pid = os.fork()
    if pid == 0:
        try:
            sandbox._files(tmp_path, [], cuda=True)
            opened = os.open("/dev/zero", os.O_RDWR)
            os.listdir("/dev/shm")
            os._exit(0 if opened else 1)
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
