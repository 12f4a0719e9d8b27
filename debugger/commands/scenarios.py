"""The commands about the catalogue: list, run, judge, export, check and new."""

from __future__ import annotations

import os
import sys
import textwrap
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from debugger.arguments import Usage
from debugger.commands.running import (
    FAULT,
    UNJUDGED,
    exit_status,
    opened,
    reporting,
    scenario_run,
    tell_recorded,
    tell_report,
)
from debugger.given import read as read_script
from debugger.printing.output import coloured, say, say_json, width
from debugger.run import ALL
from debugger.settings import Settings
from debugger.words import Words


def shelf(asked: Namespace, _: Settings, words: Words) -> int:
    from debugger import catalogue
    from debugger.printing.catalogue import to_json, to_text

    found = [catalogue.translated(one, words.language) for one in catalogue.every()]
    if asked.json:
        say_json([to_json(scenario) for scenario in found])
    else:
        say(to_text(found, words, width(), coloured(sys.stdout)))
    return 0


def run(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import find, recordings
    from debugger.catalogue.running import on_its_device

    scenario = find(asked.scenario)
    run = scenario_run(scenario, asked, settings, scenario.patched(asked.fix))
    if run.device == "auto":
        run = on_its_device(scenario, run)
    twin = replace(run, script=scenario.twin, stage="train")
    runs = {"script": run}
    if run.stage in ("train", ALL) and twin.script != run.script:
        runs["twin"] = twin
    with reporting(settings, words) as ask:
        reports = ask(runs)
        report = reports["script"]
        if report.stage("train").outcome != "not run" and twin.script != run.script:
            from debugger.diagnosis import compare

            report = compare(report, reports.get("twin") or ask({"twin": twin})["twin"])
    if any(finding.code == "no_cuda" for finding in report.findings):
        recording = recordings.read(scenario)
        if recording is not None and recording.answers(run):
            return tell_recorded(recording, asked.json, words)
    return tell_report(report, asked.json, words)


def judge(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import find
    from debugger.judge import judge
    from debugger.printing.verdict import to_json, to_text

    scenario = find(asked.scenario)
    asked.stage, asked.all, asked.steps = None, True, None
    run = scenario_run(scenario, asked, settings, read_script(Path(asked.script), words).text)
    with reporting(settings, words) as ask:
        reports = ask({"script": run, "twin": replace(run, script=scenario.twin)})
    report, twin = reports["script"], reports["twin"]
    verdict = judge(report, twin, scenario)
    if asked.json:
        say_json(to_json(verdict, report, words))
    else:
        say(to_text(verdict, report, words, width(), coloured(sys.stdout)))
    if exit_status(twin):
        return UNJUDGED
    return 0 if verdict.cured else exit_status(report) or FAULT


def export(asked: Namespace, _: Settings, words: Words) -> int:
    from debugger.catalogue import find, translated
    from debugger.export import write_notebook

    scenario = translated(find(asked.scenario), words.language)
    path = Path(asked.notebook)
    if path.suffix != ".ipynb":
        raise Usage(words.say("cli", "notebook_name", path=path))
    try:
        write_notebook(scenario, path, words.language)
    except OSError as error:
        raise Usage(words.say("cli", "not_writable", path=path, reason=error.strerror)) from error
    say(words.say("cli", "written", path=path) + "\n")
    return 0


def check(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import ScenarioError, checking, loading, proof
    from debugger.printing.progress import ProgressLine

    folder = loading.folder_of(asked.scenario)
    try:
        scenario = loading.load_to_check(folder)
    except ScenarioError as error:
        return _tell_checked(asked, error.complaints, 0, words)
    with opened(settings, words) as engine, ProgressLine(sys.stderr, words) as line:

        def tell(done: int, of: int, seconds: float) -> None:
            about = {"scenario": scenario.id, "done": done, "of": of, "left": _minutes(seconds)}
            line.say(words.say("cli", "checking", **about))

        complaints = checking.prove(scenario, engine, settings.workers, tell)
    return _tell_checked(asked, complaints, len(proof.promises(scenario)), words)


def _tell_checked(asked: Namespace, complaints: Sequence[str], promises: int, words: Words) -> int:
    """`promises` is how many were put to the proof: none where the files do not hold together."""
    name = asked.scenario
    if asked.json:
        say_json(
            {"id": name, "sound": not complaints, "proved": promises, "complaints": complaints}
        )
    elif complaints:
        code = "checked" if promises else "checked_files"
        say("\n".join(complaints) + "\n\n")
        say(words.say("cli", code, scenario=name, count=len(complaints)) + "\n")
    else:
        say(words.say("cli", "sound", scenario=name, promises=promises) + "\n")
    return FAULT if complaints else 0


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


def new(asked: Namespace, _: Settings, words: Words) -> int:
    from debugger.catalogue.new import make

    try:
        folder = make(asked.scenario, asked.framework)
    except OSError as error:
        path = error.filename
        raise Usage(words.say("cli", "not_writable", path=path, reason=error.strerror)) from error
    path = os.path.relpath(folder)
    said = words.say("cli", "made", path=path, scenario=asked.scenario)
    say(textwrap.fill(said, width(), break_long_words=False, break_on_hyphens=False) + "\n")
    return 0
