"""What the diagnosis says of one script of the bank, held against what is known of it."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from debugger.arguments import MOST_STEPS, TRAINING_SECONDS
from debugger.given import read
from debugger.outcome import Event, Found
from debugger.report import Report, gather
from debugger.run import ON, Run
from debugger.words import Words
from debugger.workers import Answering
from tools.bank.cases import Case

OURS = (
    *("stage_unreadable", "clinic_error", "out_of_memory_of_run", "out_of_time", "process_died"),
    *("killed", "warm_crashed", "warm_died", "warm_killed", "warm_no_memory", "warm_too_slow"),
)
"""Codes that say that the clinic did not get through, beside all of a stage that it left open."""


@dataclass(frozen=True)
class Scored:
    """`line` is None where no line is to blame, or where the cause was not named."""

    id: str
    base: str
    framework: str
    family: str
    written: str
    rewriting: str
    outcome: str
    codes: tuple[str, ...]
    looks: tuple[str, ...]
    unreadable: tuple[str, ...]
    named: bool
    line: bool | None
    has_line: bool
    seconds: float
    first: float | None

    def beyond(self, healthy: Scored | None) -> Scored:
        """Without the faults that the healthy script is said to have too: they detect nothing."""
        said = set(healthy.codes) if healthy else set()
        return replace(self, codes=tuple(code for code in self.codes if code not in said))

    @property
    def detected(self) -> bool:
        """A fault is reported, or the very cause as something to look at."""
        return bool(self.codes) or self.named

    @property
    def answer(self) -> tuple[str, ...]:
        return tuple(sorted({*self.codes, *self.looks}))


def score(case: Case, engine: Answering) -> Scored:
    """Diagnosed as `python -m debugger diagnose` does it from the script's folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = case.lay(Path(folder))
        text = read(path, Words()).text
        run = Run(
            text,
            ON,
            device="cpu",
            filename=str(path),
            folder=folder,
            steps=MOST_STEPS,
            seconds=TRAINING_SECONDS,
            experiments=True,
        )
        began = time.perf_counter()
        first: list[float] = []

        def watched(events: Iterator[Event]) -> Iterator[Event]:
            for event in events:
                if isinstance(event, Found) and event.finding.severity == "fault" and not first:
                    first.append(time.perf_counter() - began)
                yield event

        report = gather(watched(engine.events(run)))
        return _scored(case, text, report, time.perf_counter() - began, first[0] if first else None)


def _scored(case: Case, text: str, report: Report, seconds: float, first: float | None) -> Scored:
    fault = case.fault
    findings = [finding for finding in report.findings if finding.severity != "note"]
    blind = {stage.stage for stage in report.stages if stage.outcome == "unknown"}
    ours = {f.code for f in report.findings if f.code in OURS or f.stage in blind}
    naming = [f for f in findings if fault and f.code in fault.codes]
    blamed = case.to_blame
    lines = text.splitlines()
    wanted = blamed and case.files[blamed[0]].splitlines()[blamed[1] - 1].strip()
    texts = {None: lines, **{name: text.splitlines() for name, text in case.files.items()}}
    placed = [(texts.get(f.file, []), f.line) for f in naming if f.line]
    said = [there[line - 1].strip() for there, line in placed if line <= len(there)]
    return Scored(
        id=case.id,
        base=case.base.id,
        framework=case.base.framework,
        family=fault.family if fault else "",
        written=fault.written if fault else "",
        rewriting=case.rewriting,
        outcome=report.outcome,
        codes=_codes([f.code for f in findings if f.severity == "fault" and f.code not in ours]),
        looks=_codes([f.code for f in findings if f.severity == "look" and f.code not in ours]),
        unreadable=_codes([f"{f.stage}: {f.code}" for f in report.findings if f.code in ours]),
        named=bool(naming),
        line=wanted in said if naming and blamed else None,
        has_line=blamed is not None,
        seconds=round(seconds, 2),
        first=None if first is None else round(first, 2),
    )


def _codes(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


class Remembered:
    """What was scored with this very clinic, so that a score that was stopped goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = json.loads(path.read_text()) if path.exists() else {}
        files = sorted(Path(__file__).parents[2].glob("debugger/**/*.*"))
        self._clinic = _digest([one for one in files if "words" not in one.parts])

    def get(self, case: Case) -> Scored | None:
        told = self._known.get(self._key(case))
        if told is None:
            return None
        tuples = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
        return Scored(**{**told, **tuples})

    def keep(self, case: Case, scored: Scored) -> None:
        self._known[self._key(case)] = asdict(scored)
        self._path.write_text(json.dumps(self._known, indent=1))

    def _key(self, case: Case) -> str:
        codes = case.fault.codes if case.fault else ()
        told = json.dumps([dict(case.files), case.to_blame, codes, case.id, case.rewriting])
        return hashlib.sha256(f"{self._clinic} {told}".encode()).hexdigest()


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.suffix in (".py", ".toml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()
