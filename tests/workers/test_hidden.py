"""What the host keeps in its environment reaches no run, by whatever way it looks for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from test_endings import said

from debugger.workers.hidden import harmless

SECRETS = {
    "HF_TOKEN": "hf_told_to_nobody",
    "CLINIC_LOGIN": "ada:told_to_nobody",
    "AWS_SECRET_ACCESS_KEY": "told_to_nobody",
    "NVIDIA_API_KEY": "told_to_nobody",
    "TF_VAR_database": "told_to_nobody",
    "DATABASE_URL": "postgres://ada:told_to_nobody@db",
    "https_proxy": "http://ada:told_to_nobody@proxy",
}
LOOKS = """
from pathlib import Path
found, read = {}, 0
for place in Path("/proc").glob("[0-9]*"):
    for entry in ("environ", "task/" + place.name + "/environ"):
        try:
            text = (place / entry).read_bytes()
        except OSError:
            continue
        read += 1
        if b"told_to_nobody" in text:
            found[str(place / entry)] = place.name
own = any("told_to_nobody" in value for value in os.environ.values())
say(found=sorted(found), own=own, read=read)
"""
HOST = """
import json, sys
from pathlib import Path
import debugger.frameworks as frameworks
from debugger.outcome import Shown
from debugger.run import Run
from debugger.workers.local import LocalEngine
frameworks.installed = lambda name: True
data, look, preload = Path(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
with LocalEngine(1, 20, 600, data, "toys:perform", preload={"pytorch": preload}) as engine:
    for event in engine.events(Run(look, device="cpu")):
        if isinstance(event, Shown) and event.evidence.kind == "text":
            print(json.dumps(event.evidence.data))
"""


def looked_around(data: Path, preload: str) -> dict[str, object]:
    """What a run found, started by a host that holds the secrets."""
    given = ["-c", HOST, str(data), LOOKS, preload]
    answer = subprocess.run(
        [sys.executable, *given],
        env={**os.environ, **SECRETS, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(answer.stdout.splitlines()[0])


def test_no_environment_that_a_run_can_read_holds_a_secret(tmp_path):
    found = looked_around(tmp_path / "data", "toys")
    assert (found["found"], found["own"]) == ([], False)
    assert found["read"]


def test_nor_where_no_wall_can_stand(tmp_path):
    found = looked_around(tmp_path / "data", "no_landlock,toys")
    assert (found["found"], found["own"]) == ([], False)
    assert found["read"]


def test_who_runs_her_own_script_has_her_own_environment(make_engine, ask, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hers")
    script = "say(token=os.environ.get('HF_TOKEN'))"
    assert said(ask(make_engine(hers=True), script)) == {"token": "hers"}


def test_what_steers_the_libraries_is_passed_on():
    steering = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "CUDA_VISIBLE_DEVICES": "1",
        "TF_NUM_INTRAOP_THREADS": "7",
        "HF_HOME": "/cache",
        "CLINIC_CHECKPOINT": "/models/mine",
    }
    assert harmless({**steering, **SECRETS}, online=False) == steering


def test_a_way_out_is_passed_on_to_those_who_may_leave():
    proxy = {"https_proxy": "http://proxy:3128", "HF_ENDPOINT": "https://mirror"}
    assert harmless(proxy, online=True) == proxy
    assert harmless(proxy, online=False) == {}
    assert harmless(SECRETS, online=True) == {}
