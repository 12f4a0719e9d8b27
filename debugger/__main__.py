"""python -m debugger: the same diagnosis for people at a terminal and for other programs."""

import os
import signal
import sys
import textwrap
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from debugger.arguments import MOST_STEPS, Usage, parse, words_of
from debugger.given import Given
from debugger.given import read as read_script
from debugger.printing.output import coloured, say, say_json, say_line, width
from debugger.report import Gathering
from debugger.run import ALL, ON, WALK, Run
from debugger.settings import SettingError, Settings
from debugger.settings import read as read_settings
from debugger.words import Words

if TYPE_CHECKING:
    from debugger.catalogue import Scenario
    from debugger.catalogue.recordings import Recording
    from debugger.outcome import Event
    from debugger.report import Report
    from debugger.workers import Engine

    Reports = dict[str, Report]

FAULT, UNJUDGED, USAGE, INTERRUPTED, TERMINATED = 1, 2, 64, 130, 143
RUNNING = ("run", "diagnose", "ask", "issue", "judge", "check")
"""The commands that run scripts; the others are at home on every system."""


class Terminated(KeyboardInterrupt):
    """Somebody asked for the end with a signal and not with Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see "Exit status" in the README."""
    from debugger.catalogue import NotThere, ScenarioError

    given = sys.argv[1:] if arguments is None else arguments
    words = Words()
    try:
        words = words_of(given, os.environ)
        asked = parse(given, words)
        if asked.command in RUNNING and sys.platform != "linux":
            raise Usage(words.say("cli", "needs_linux"))
        with _terminable():
            return COMMANDS[asked.command](asked, read_settings(), words)
    except NotThere as error:
        print(error.said(words), file=sys.stderr)
        return USAGE
    except (Usage, SettingError, ScenarioError) as error:
        print(error, file=sys.stderr)
        return USAGE
    except KeyboardInterrupt as stopped:
        print("\n" + words.say("cli", "interrupted"), file=sys.stderr)
        return _status_of(stopped)


def _list(asked: Namespace, _: Settings, words: Words) -> int:
    from debugger import catalogue
    from debugger.printing.catalogue import to_json, to_text

    found = [catalogue.translated(one, words.language) for one in catalogue.every()]
    if asked.json:
        say_json([to_json(scenario) for scenario in found])
    else:
        say(to_text(found, words, width(), coloured(sys.stdout)))
    return 0


def _run(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import find, recordings

    scenario = find(asked.scenario)
    run = _run_of(scenario, asked, settings, scenario.patched(asked.fix))
    if scenario.needs is not None and run.device == "auto":
        run = replace(run, device=scenario.needs)
    twin = replace(run, script=scenario.twin, stage="train")
    runs = {"script": run}
    if run.stage in ("train", ALL) and twin.script != run.script:
        runs["twin"] = twin
    with _engine(settings, words) as ask:
        reports = ask(runs)
        report = reports["script"]
        if report.stage("train").outcome != "not run" and twin.script != run.script:
            from debugger.diagnosis import compare

            report = compare(report, reports.get("twin") or ask({"twin": twin})["twin"])
    if any(finding.code == "no_cuda" for finding in report.findings):
        recording = recordings.read(scenario)
        if recording is not None and recording.answers(run):
            return _tell_recorded(recording, asked.json, words)
    return _tell(report, asked.json, words)


def _diagnose(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.printing.stream import Stream

    given = read_script(Path(asked.script), words)
    run = replace(
        _own_run(given, asked, settings),
        stage=asked.stage or (ALL if asked.all else ON),
        steps=asked.steps or MOST_STEPS,
        seconds=asked.seconds,
        experiments=not asked.no_experiments,
    )
    if left_out := given.left_out(words):
        print(left_out, file=sys.stderr)
    told = words.of(run.framework)
    stream = Stream(say_line, told, lambda stage: given.stage_in_cells(stage, told))
    so_far, began = Gathering(), time.monotonic()

    def show(event: "Event") -> None:
        so_far.add(event)
        if asked.jsonl:
            stream.show(event)

    try:
        with _engine(settings, words, own_script=True, show=show) as ask:
            report = ask({"script": run})["script"]
    except KeyboardInterrupt as stopped:
        known = so_far.so_far(run.device, time.monotonic() - began, run.framework)
        if known is None:
            raise
        print("\n" + words.say("cli", "interrupted_after"), file=sys.stderr)
        if asked.jsonl:
            stream.end(known)
        else:
            _tell(given.in_cells(known, words), asked.json, words)
        return _status_of(stopped)
    if asked.jsonl:
        return _status(report)
    status = _tell(given.in_cells(report, words), asked.json, words)
    if not asked.json and (more := _more(report, settings, words)):
        say(f"{more}\n")
    return status


def _more(report: "Report", settings: Settings, words: Words) -> str | None:
    """The setting that gives a run what it lacked, and how it is typed."""
    codes = {f.code for f in report.findings if f.numbers.get("device", "cpu") == "cpu"}
    if "out_of_memory" in codes:
        most = next(
            f.numbers.get("memory_mb") for f in report.findings if f.code == "out_of_memory"
        )
        about = {
            "memory_mb": most or settings.memory_mb,
            "name": "CLINIC_MEMORY_MB",
            "more": 2 * settings.memory_mb,
        }
        return words.say("cli", "more_memory", **about)
    if "out_of_time" in codes:
        seconds = settings.time_limit
        about = {"seconds": seconds, "name": "CLINIC_TIME_LIMIT", "more": round(2 * seconds)}
        return words.say("cli", "more_time", **about)
    return None


def _own_run(given: Given, asked: Namespace, settings: Settings) -> Run:
    """Somebody's own script, as it would run where she stands."""
    return Run(
        given.text,
        seed=asked.seed,
        device=asked.device or settings.device,  # type: ignore[arg-type]
        assets=settings.assets,  # type: ignore[arg-type]
        filename=str(given.path.absolute()),
        folder=os.getcwd(),
        arguments=tuple(asked.arguments),
    )


def _scenario_called(name: str, words: Words) -> "Scenario | None":
    """The scenario of that id, unless there is a file or a folder of that name."""
    from debugger.catalogue import NotThere, find, translated

    if Path(name).exists() or not name.isidentifier():
        return None
    try:
        return translated(find(name), words.language)
    except NotThere:
        return None


def _ask(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.answer import answer_of
    from debugger.printing.answer import to_json, to_text
    from debugger.printing.progress import ProgressLine

    if not asked.check.strip():
        raise Usage(words.say("cli", "nothing_asked"))
    scenario, run = _script_or_scenario(asked, settings, words)
    run = replace(run, check=asked.check)
    with (
        _opened(settings, words, own_script=scenario is None) as engine,
        ProgressLine(sys.stderr, words) as progress,
    ):
        events = []
        for event in engine.events(run):
            progress.show("script", event)
            events.append(event)
    answer, told = answer_of(events), words.of(run.framework)
    if asked.json:
        say_json(to_json(asked.check, answer, told))
    else:
        text, about = to_text(answer, told)
        say(text)
        print(about, file=sys.stderr)
    return {"pass": 0, "fail": FAULT if answer.finding is None else UNJUDGED}.get(
        answer.outcome, UNJUDGED
    )


def _script_or_scenario(
    asked: Namespace, settings: Settings, words: Words
) -> "tuple[Scenario | None, Run]":
    """The run of a scenario's script, or of somebody's own."""
    scenario = _scenario_called(asked.script, words)
    if scenario is None:
        return None, _own_run(read_script(Path(asked.script), words), asked, settings)
    asked.stage, asked.all = None, False
    return scenario, _run_of(scenario, asked, settings, scenario.script)


def _issue(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.asking.command import NoDraft, made, unreadable
    from debugger.printing.progress import ProgressLine

    scenario, run = _script_or_scenario(asked, settings, words)
    if unread := unreadable(run.script):
        line, reason = unread
        about = {"path": asked.script, "line": line, "reason": reason}
        raise Usage(words.say("cli", "script_not_python", **about))
    try:
        with (
            _opened(settings, words, own_script=scenario is None) as engine,
            ProgressLine(sys.stderr, words) as progress,
        ):
            complaint = "" if scenario is None else scenario.words.complaint
            draft = made(run, engine, asked.seconds, words, progress.say, complaint)
    except NoDraft as nothing:
        print(nothing, file=sys.stderr)
        return UNJUDGED
    if asked.json:
        say_json(draft.to_json())
    else:
        say(draft.text)
    return 0


def _judge(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import find
    from debugger.judge import judge
    from debugger.printing.verdict import to_json, to_text

    scenario = find(asked.scenario)
    asked.stage, asked.all, asked.steps = None, True, None
    run = _run_of(scenario, asked, settings, read_script(Path(asked.script), words).text)
    with _engine(settings, words) as ask:
        reports = ask({"script": run, "twin": replace(run, script=scenario.twin)})
    report, twin = reports["script"], reports["twin"]
    verdict = judge(report, twin, scenario)
    if asked.json:
        say_json(to_json(verdict, report, words))
    else:
        say(to_text(verdict, report, words, width(), coloured(sys.stdout)))
    if _status(twin):
        return UNJUDGED
    return 0 if verdict.cured else _status(report) or FAULT


def _export(asked: Namespace, _: Settings, words: Words) -> int:
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


def _check(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.catalogue import ScenarioError, checking, loading, proof
    from debugger.printing.progress import ProgressLine

    folder = loading.folder_of(asked.scenario)
    try:
        scenario = loading.load_to_check(folder)
    except ScenarioError as error:
        return _tell_checked(asked, error.complaints, 0, words)
    with _opened(settings, words) as engine, ProgressLine(sys.stderr, words) as line:

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


def _certificate(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.homework import task as tasks
    from debugger.homework.certificate import check, in_text, together
    from debugger.homework.seal import NoKey, Refused, Seal
    from debugger.homework.table import as_csv, as_json
    from debugger.printing.certificate import line, why

    seal = Seal(settings.key, settings.key_file, makes=False)
    try:
        task = tasks.read(asked.task, seal) if asked.task else None
        files = together(
            [
                check(name, told, seal, task)
                for name in dict.fromkeys(asked.files)
                for told in in_text(_text_of(Path(name), words))
            ]
        )
    except NoKey as error:
        raise Usage(words.say("homework", "no_key_here", reason=error)) from error
    except Refused as refused:
        raise Usage(words.say("homework", refused.code, **refused.numbers)) from refused
    if asked.json:
        say_json([as_json(one, why(one, words) if one.reason else "") for one in files])
    elif asked.csv:
        say(as_csv(files))
    else:
        say("".join(f"{line(one, words)}\n" for one in files))
    return 0 if all(one.genuine for one in files) else FAULT


def _text_of(path: Path, words: Words) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        told = {"path": path, "reason": error.strerror}
        raise Usage(words.say("cli", "script_unreadable", **told)) from error


def _new(asked: Namespace, _: Settings, words: Words) -> int:
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


def _run_of(scenario: "Scenario", asked: Namespace, settings: Settings, script: str) -> Run:
    from debugger.catalogue.running import run_of

    run = run_of(
        scenario,
        _stage(asked),
        settings,
        script,
        seed=asked.seed,
        filename=str(scenario.folder / "script.py"),
        arguments=tuple(asked.arguments),
    )
    given = {name: value for name in ("device", "steps") if (value := getattr(asked, name, None))}
    return replace(run, **given)


def _stage(asked: Namespace) -> Any:
    return asked.stage or (ALL if asked.all else WALK)


@contextmanager
def _opened(settings: Settings, words: Words, own_script: bool = False) -> "Iterator[Engine]":
    """An engine that is gone afterwards.

    Somebody's own script finds the hub, the caches and the environment of this machine, as under
    plain Python. What is asked for here runs here, not on a cluster.
    """
    from debugger.workers import started

    settings = replace(settings, cluster="")
    online = True if own_script else None
    with ExitStack() as opened:
        try:
            engine = opened.enter_context(started(settings, online, hers=own_script))
        except OSError as error:
            path, reason = settings.data_dir, error.strerror
            raise Usage(words.say("cli", "data_dir", path=path, reason=reason)) from error
        yield engine


@contextmanager
def _engine(
    settings: Settings,
    words: Words,
    own_script: bool = False,
    show: "Callable[[Event], None]" = lambda _: None,
) -> "Iterator[Callable[[dict[str, Run]], Reports]]":
    """Gives a function that answers runs by their names, and shows how far they are.

    `show` gets their events too.
    """
    from debugger.printing.progress import ProgressLine
    from debugger.workers.answers import answers

    with (
        _opened(settings, words, own_script) as engine,
        ProgressLine(sys.stderr, words) as progress,
    ):

        def seen(name: str, event: "Event") -> None:
            progress.show(name, event)
            show(event)

        yield lambda runs: answers(engine, runs, seen)


def _tell(report: "Report", as_json: bool, words: Words) -> int:
    from debugger.printing import to_text

    if as_json:
        say_json(report.to_json(words))
    else:
        say(to_text(report, width(), coloured(sys.stdout), words))
    return _status(report)


def _tell_recorded(recording: "Recording", as_json: bool, words: Words) -> int:
    """A run on hardware that this host does not have, shown as what it is."""
    from debugger.printing import to_text

    report = recording.report
    about = {"date": recording.date, "device": recording.device}
    if as_json:
        say_json({**report.to_json(words), "recorded": about})
    else:
        said = textwrap.fill(words.say("cli", "recorded", **about), width())
        say(f"{said}\n\n{to_text(report, width(), coloured(sys.stdout), words)}")
    return _status(report)


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does: runs are taken back, and what is known is told."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _status_of(stopped: KeyboardInterrupt) -> int:
    return TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED


def _status(report: "Report") -> int:
    return {"pass": 0, "look": 0, "fail": FAULT}.get(report.outcome, UNJUDGED)


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


COMMANDS = {
    "list": _list,
    "run": _run,
    "diagnose": _diagnose,
    "ask": _ask,
    "issue": _issue,
    "judge": _judge,
    "export": _export,
    "check": _check,
    "new": _new,
    "certificate": _certificate,
}

if __name__ == "__main__":
    sys.exit(main())
