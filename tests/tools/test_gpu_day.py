"""A day with a GPU, rehearsed without one: parts resume, stop in time and never show imitations."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from debugger import catalogue
from debugger.catalogue import recordings
from debugger.outcome import Finding, Found, Outcome, StageEnded, StageStarted, to_json
from debugger.settings import Settings
from debugger.workers import Engine
from debugger.workers.local import LocalEngine
from tools import gpu_day
from tools.gpu import needs, runs, written
from tools.gpu.kept import Clock, Kept, OtherMachineError, Work
from tools.gpu.needs import Machine, lacking

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "tests" / "workers"
CARD = Machine("a made-up GPU", 80_000, False, {"torch": "2.13.0"})
ACTOR = Machine("an imitation on the CPU", 0, True, {"torch": "2.13.0"})
EVENTS = (
    StageStarted("forward"),
    Found(Finding("device_side_assert", "fault", "forward", None, {"said": "CUDA error"})),
    StageEnded("forward", "fail", 0.5),
    Outcome("fail", "cuda:0", 1.0, {"torch": "2.13.0"}),
)

# What is missing.

ASKS = {
    "transformers": ["tokenizers>=0.22", "tqdm; python_version < '3'", "flax; extra == 'flax'"],
    "datasets": ["dill>=0.3,<0.4.2"],
}


def made_up(name: str, _: str | None) -> list[str]:
    return ASKS.get(name, [])


def test_what_is_missing_is_named_with_its_pinned_version_and_all_that_it_needs() -> None:
    here = {"transformers": "4.57.6", "tokenizers": "0.22.1"}

    missing = lacking(("transformers", "datasets"), here, made_up)

    assert [line.partition("==")[0] for line in missing] == ["datasets", "dill"]
    assert missing[0] == f"datasets=={needs.pins()['datasets']}"


@pytest.mark.parametrize(
    ("version", "suits"), [("4.57.6", True), ("5.17.0", True), ("4.40.0", False), ("6.0", False)]
)
def test_another_transformers_will_do_if_the_clinic_knows_it(version: str, suits: bool) -> None:
    missing = lacking(("transformers",), {"transformers": version, "tokenizers": "1.0"}, made_up)

    assert (missing == []) is suits
    assert suits or f"{version} is there" in missing[0]


def test_a_version_that_another_package_refuses_is_named_with_both() -> None:
    here = {"datasets": "5.0.1", "dill": "0.5.0"}

    assert lacking(("datasets",), here, made_up) == [
        "dill<0.4.2,>=0.3 (0.5.0 is there, and datasets wants <0.4.2,>=0.3)"
    ]


@pytest.mark.proof
def test_the_list_for_another_machine_names_wheels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there.txt"
    there.write_text("torch 2.11.0+cu130, transformers 5.17.0, accelerate==1.15.0\nnumpy\nscipy\n")

    assert gpu_day.main(["--list", "--installed", str(there)]) == 0

    said = capsys.readouterr().out
    assert f"datasets=={needs.pins()['datasets']}" in said
    assert "tensorflow[and-cuda]" in said
    assert "transformers 5.17.0 instead of" in said
    assert " torch==" not in said


def test_a_part_without_its_packages_says_which_and_imports_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(needs, "installed", lambda: {"torch": "2.13.0"})

    assert gpu_day.main(["--part", "table", "--out", str(tmp_path / "out")]) == gpu_day.LACKING

    assert "Bring these wheels first: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_it_starts_as_a_plain_file_from_any_folder_with_an_empty_python(tmp_path: Path) -> None:
    """-S leaves out every installed package: the sentence comes all the same."""
    told = subprocess.run(
        [sys.executable, "-S", str(ROOT / "tools" / "gpu_day.py"), "--part", "record"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )

    assert told.returncode == gpu_day.LACKING
    assert told.stderr.startswith("Bring these wheels first: ")
    assert "pydantic==" in told.stderr


def test_without_a_device_nothing_but_a_rehearsal_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(needs, "_asked", lambda: {"device": "", "memory_mb": 0, "cuda": "13.0"})

    assert gpu_day.main(["--part", "table", "--out", str(tmp_path)]) == gpu_day.LACKING

    assert "torch sees no CUDA device here" in capsys.readouterr().err


# Items are kept as they come, and a part goes on where it stopped.


def test_a_part_goes_on_where_it_stopped(tmp_path: Path) -> None:
    asked: list[str] = []

    def item(name: str) -> Callable[[], dict[str, Any]]:
        return lambda: asked.append(name) or {"of": name}

    for names in (["a", "b"], ["a", "b", "c"]):
        work = Work(Kept(tmp_path, "table", CARD), Clock(60))
        for name in names:
            work.ask(name, item(name))
        work.finish()

    assert asked == ["a", "b", "c"]
    kept = Kept(tmp_path, "table", CARD)
    assert {name: made["of"] for name, made in kept.items.items()} == {"a": "a", "b": "b", "c": "c"}
    assert all("date" in made for made in kept.items.values())


def test_what_was_made_elsewhere_is_not_gone_on_with(tmp_path: Path) -> None:
    Kept(tmp_path, "table", CARD).keep("a", {})

    with pytest.raises(OtherMachineError, match="made on a made-up GPU"):
        Kept(tmp_path, "table", ACTOR)


def test_nothing_is_begun_that_the_time_does_not_suffice_for(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "table", CARD)
    work = Work(kept, Clock(60, margin=0), least=100)
    work.ask("a", lambda: {})
    work.finish()

    assert kept.items == {}


def test_an_item_that_was_stopped_is_made_again_unless_it_had_the_time_alone(
    tmp_path: Path,
) -> None:
    kept = Kept(tmp_path, "table", CARD)
    work = Work(kept, Clock(60))
    work.ask("long", lambda: None)
    work.ask("cut short", lambda: None)
    work.finish()

    assert list(kept.items) == ["long"]
    assert kept.items["long"]["too_long"] == 45


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines of the parts run toys: the script says how a stage ends."""
    monkeypatch.syspath_prepend(str(TOYS))

    @contextmanager
    def light(settings: Settings) -> Iterator[Engine]:
        given = (settings.workers, settings.time_limit, settings.memory_mb, settings.data_dir)
        with LocalEngine(*given, "toys:perform", preload={"pytorch": ("toys",)}) as engine:
            yield engine

    monkeypatch.setattr(runs, "started", light)


PASSES = "emit(StageEnded('forward', 'pass', 0.1, (), {'first_loss': 1.5}))"
FAILS = "emit(Found(Finding('label_outside_head', 'fault', 'forward')))\n" + PASSES.replace(
    "pass", "fail"
)


def scenario(name: str, script: str) -> Any:
    return SimpleNamespace(
        id=name, framework="pytorch", script=script, twin=PASSES, checks=SimpleNamespace(steps=1)
    )


def test_a_run_is_stopped_when_the_time_is_over(toys: None) -> None:
    with runs.an_engine(1, 600) as engine:
        run = runs.Run("time.sleep(30)", device="cpu")
        assert runs.answered(engine, run, Clock(2, margin=0)) is None
        assert runs.answered(engine, runs.Run(PASSES, device="cpu"), Clock(60)) is not None


def test_the_table_has_both_sides_of_every_scenario(
    toys: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [scenario("one", FAILS), scenario("other", PASSES)]
    monkeypatch.setattr(runs.catalogue, "every", lambda: found)
    kept = Kept(tmp_path, "table", ACTOR)

    assert runs.table(kept, Clock(60)) == 0

    assert sorted(kept.items) == ["one cpu", "one gpu", "other cpu", "other gpu"]
    assert kept.items["one gpu"]["first_failing_stage"] == "forward"
    assert kept.items["one gpu"]["stages"]["forward"]["codes"] == ["label_outside_head"]


def test_clicks_go_on_until_a_stage_ends_in_a_fault(
    toys: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [scenario("one", FAILS), scenario("other", PASSES)]
    monkeypatch.setattr(runs.catalogue, "every", lambda: found)
    monkeypatch.setattr(runs, "CLICKED", ("forward", "step"))
    kept = Kept(tmp_path, "clicks", ACTOR)

    assert runs.clicks(kept, Clock(60)) == 0

    assert {name: [*item["stages"]] for name, item in kept.items.items()} == {
        "one": ["forward"],
        "other": ["forward", "step"],
    }


@pytest.mark.proof
def test_lost_processes_among_healthy_runs_are_counted_and_the_rest_comes_later(
    toys: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(runs.catalogue, "find", lambda name: scenario(name, FAILS))
    monkeypatch.setattr(runs, "WEIGHS", "print('weighed imported 1 2 3 4')")

    assert runs.asserts(Kept(tmp_path, "asserts", ACTOR), Clock(60), pairs=2) == 0
    kept = Kept(tmp_path, "asserts", ACTOR)
    assert runs.asserts(kept, Clock(60), pairs=5) == 0

    fates = {name: item for name, item in kept.items.items() if "outcome" in item}
    assert len(fates) == 10
    assert {item["outcome"] for name, item in fates.items() if "healthy" in name} == {"pass"}
    lost = [item["codes"] for name, item in fates.items() if "assert" in name]
    assert lost == [["process_died"]] * 5
    assert {"memory before 0 runs", "memory after 4 runs", "memory after 10 runs"} <= {*kept.items}
    assert kept.items["one process"]["megabytes"]["imported"]["RssFile"] == 3


def test_a_recording_says_whether_it_shows_what_it_should(
    toys: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lost = FAILS.replace("label_outside_head", "device_side_assert")
    monkeypatch.setattr(runs.catalogue, "find", lambda name: scenario(name, lost))
    kept = Kept(tmp_path, "record", ACTOR)

    assert runs.record(kept, Clock(60)) == 0

    shows = {name: item["shows"] for name, item in kept.items.items()}
    assert shows == {"gpu_assert": True, "out_of_memory": False, "hungry_tensorflow": False}
    assert kept.items["gpu_assert"]["script"] == lost


@pytest.mark.parametrize(("megabytes", "held"), [(80_000, True), (15_360, False)])
@pytest.mark.proof
def test_memory_runs_out_on_a_large_card_as_on_a_small_one(
    toys: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, megabytes: int, held: bool
) -> None:
    monkeypatch.setattr(runs.catalogue, "find", lambda name: scenario(name, PASSES))
    asked: list[float] = []
    real = runs.an_engine

    def noted(workers: int, memory_mb: int, gpu_share: float = 1.0) -> Any:
        asked.append(gpu_share)
        return real(workers, memory_mb, gpu_share)

    monkeypatch.setattr(runs, "an_engine", noted)
    card = Machine("a made-up GPU", megabytes, False)
    kept = Kept(tmp_path, "record", card)
    runs.record(kept, Clock(60))

    assert sorted(asked) == [pytest.approx(15_000 / megabytes) if held else 1.0, 1.0]
    names = {name: item["device"] for name, item in kept.items.items()}
    assert names["gpu_assert"] == "a made-up GPU"
    assert ("held to 15,000 MB" in names["out_of_memory"]) is held


TESTS = """
import pytest, time
def test_good(): pass
def test_bad(): assert 1 == 2, "two is not one"
def test_left_out(): pytest.skip("no such thing here")
def test_slow(): time.sleep(60)
def test_last(): pass
"""


@pytest.mark.proof
def test_the_tests_are_kept_one_by_one_and_a_slow_one_does_not_outlast_the_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "test_made_up.py"
    file.write_text(TESTS)
    monkeypatch.setattr(
        gpu_day, "TESTS", (str(file), "--rootdir", str(tmp_path), "-c", "/dev/null")
    )
    monkeypatch.setattr(gpu_day, "GRACE", 1.0)
    path = tmp_path / "out" / "tests.json"

    def outcomes() -> dict[str, str]:
        items = json.loads(path.read_text())["items"]
        return {name.rpartition("_")[2]: item["outcome"] for name, item in items.items()}

    assert gpu_day._tests(path, asdict(ACTOR), 20) == 1
    begun = {"good": "passed", "bad": "failed", "out": "skipped", "slow": "unfinished"}
    assert outcomes() == begun
    assert gpu_day._tests(path, asdict(ACTOR), 20) == 1
    assert gpu_day._tests(path, asdict(ACTOR), 30) == 0
    assert outcomes() == {**begun, "last": "passed"}
    said = {item["said"] for item in json.loads(path.read_text())["items"].values()}
    assert any("two is not one" in text for text in said)


# What is written, and what never is.


def row(outcome: str, code: str, seconds: float) -> dict[str, Any]:
    stages = {name: {"outcome": "pass", "seconds": seconds, "codes": []} for name in written.STAGES}
    stages["forward"] = {"outcome": outcome, "seconds": seconds, "codes": [code]}
    return {"stages": stages, "first_failing_stage": "forward" if outcome == "fail" else None}


def test_the_table_marks_a_difference_and_only_that() -> None:
    items = {
        "same cpu": row("fail", "one", 1.0),
        "same gpu": row("fail", "one", 2.0),
        "other cpu": row("fail", "one", 1.0),
        "other gpu": row("fail", "two", 1.0),
        "late cpu": row("fail", "one", 1.0),
        "late gpu": {"too_long": 500},
    }

    lines = list(written.table(items))

    same, other = (
        next(line for line in lines if f"`{name}` |" in line) for name in ("same", "other")
    )
    assert "**" not in same
    assert "fail 1.00 / 2.00" in same
    assert other.count("**") == 2
    assert "**one / two**" in other
    assert any("1 of 2 scenarios: other." in line for line in lines)
    assert any(line.startswith("`late` has no answer on both") for line in lines)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    root = tmp_path / "scenarios"
    found = catalogue.find("gpu_assert").folder
    shutil.copytree(found, root / "pytorch" / "gpu_assert")
    (root / "pytorch" / "gpu_assert" / catalogue.RECORDED).unlink(missing_ok=True)
    return root


def film(root: Path, **changes: Any) -> dict[str, Any]:
    script = catalogue.find("gpu_assert", root).script
    raw = [to_json(event).decode() for event in EVENTS]
    made = {"device": "a made-up GPU", "script": script, "codes": ["x"], "shows": True}
    return {**made, "events": raw, **changes}


def test_results_of_a_device_become_recordings_and_a_page(copied: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "GPU.md"
    Kept(out, "record", CARD).keep("gpu_assert", film(copied))

    said = written.write(out, page, copied)

    recording = recordings.read(catalogue.find("gpu_assert", copied))
    assert recording is not None
    assert recording.device == "a made-up GPU"
    assert said[0] == "`gpu_assert` was recorded on a made-up GPU."
    text = page.read_text()
    assert "a made-up GPU (80,000 MB)" in text
    assert "The part `table` was not run." in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"shows": False, "codes": ["no_cuda"]}, "what was found there is no_cuda"),
        ({"script": "another"}, "its script has changed"),
    ],
)
def test_what_does_not_show_the_fault_of_this_script_is_not_recorded(
    copied: Path, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    Kept(tmp_path / "out", "record", CARD).keep("gpu_assert", film(copied, **changes))

    said = written.write(tmp_path / "out", tmp_path / "GPU.md", copied)

    assert sentence in said[0]
    assert recordings.read(catalogue.find("gpu_assert", copied)) is None


@pytest.mark.parametrize(
    ("machines", "sentence"),
    [
        ([ACTOR], "is an imitation"),
        ([CARD, ACTOR], "is an imitation"),
        ([CARD, Machine("another", 1, False)], "2 different machines"),
        ([], "holds no results"),
    ],
)
def test_nothing_imitated_or_mixed_is_written(
    copied: Path, tmp_path: Path, machines: list[Machine], sentence: str
) -> None:
    out, page = tmp_path / "out", tmp_path / "GPU.md"
    for part, machine in zip(("record", "table"), machines, strict=False):
        Kept(out, part, machine).keep("gpu_assert", film(copied))

    with pytest.raises(written.RefusedError, match=sentence):
        written.write(out, page, copied)

    assert not page.exists()
    assert recordings.read(catalogue.find("gpu_assert", copied)) is None


@pytest.mark.proof
def test_a_rehearsal_with_real_scenarios_goes_through_and_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [catalogue.find(name) for name in ("two_labels", "old_arguments")]
    monkeypatch.setattr(runs.catalogue, "every", lambda: found)

    rehearse = ["--device", "imitation", "--out", str(tmp_path)]
    assert gpu_day.main(["--part", "table", *rehearse]) == gpu_day.DONE
    assert runs.asserts(Kept(tmp_path, "asserts", ACTOR), Clock(300), pairs=2) == 0

    table = Kept(tmp_path, "table", needs.machine(True, needs.installed()))  # type: ignore[arg-type]
    for name, stage in (("two_labels", "forward"), ("old_arguments", "setup")):
        cpu, gpu = (table.items[f"{name} {side}"] for side in ("cpu", "gpu"))
        assert cpu["first_failing_stage"] == gpu["first_failing_stage"] == stage
    fates = Kept(tmp_path, "asserts", ACTOR).items
    assert [fates[f"assert 00{n}"]["codes"] for n in (1, 2)] == [["process_died"]] * 2
    assert [fates[f"healthy 00{n}"]["outcome"] for n in (1, 2)] == ["pass"] * 2
    assert fates["one process"]["megabytes"]["worked"]["RssAnon"] > 50
    assert gpu_day.main(["--part", "write", "--out", str(tmp_path)]) == gpu_day.USAGE
