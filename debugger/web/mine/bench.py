"""What each press on the page of one's own script does. Whatever runs here runs in the sandbox."""

from __future__ import annotations

import shlex
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from debugger.frameworks import NAMES
from debugger.frameworks import of as framework_of
from debugger.outcome import STAGES, Finding, StageName
from debugger.run import ON, WALK, Run
from debugger.settings import Settings
from debugger.web.asking import shorten
from debugger.web.bounds import Bounds
from debugger.web.flights import busy_with, going_on, report_of, turned_away, watched
from debugger.web.host import why_no_typing
from debugger.web.mine.elsewhere import elsewhere, swapped
from debugger.web.mine.given import (
    MOST_SCRIPT,
    Refused,
    content,
    is_data,
    is_script,
    named,
    script,
)
from debugger.web.mine.tab import (
    MOST_ARGUMENTS,
    PANELS,
    SIDES,
    File,
    KeptFile,
    KeptTab,
    Look,
    Tab,
    read_files,
)
from debugger.web.visit import ISSUE
from debugger.workers.beside import Kept
from debugger.workers.sharing import Shared

STEPS, TRAINING_SECONDS = 120, 60
SESSIONS_WORTH = 64
"""How many sessions' files the server has room for at once."""


class Bench:
    """The engine, the files and the limits that every tab of this page shares."""

    def __init__(
        self,
        engine: Shared,
        settings: Settings,
        status: Callable[[], dict[str, Any]],
        bounds: Bounds,
    ) -> None:
        self._engine, self._settings, self._status = engine, settings, status
        self.bounds = bounds
        self.most_bytes = settings.upload_mb << 20
        self._kept = Kept(settings.data_dir, SESSIONS_WORTH * self.most_bytes)

    def no_typing(self, text: str) -> Finding | None:
        """Why this script cannot run here; of no script, why none can."""
        status, names = self._status(), [framework_of(text).name] if text.strip() else NAMES
        closed = [why_no_typing(status, name) for name in names]
        return closed[0] if all(closed) else None

    def arrive(self, tab: Tab, kept: KeptTab) -> None:
        """What the browser kept, as far as it can still be had."""
        tab.text, tab.given, tab.arguments = kept.text, kept.given, kept.arguments
        with_data = [file for file in kept.files if file.data is not None]
        tab.gone = tuple(file.name for file in kept.files if file.data is None)
        with suppress(Refused):
            self._add(tab, with_data)

    def type(self, tab: Tab, text: str) -> None:
        """Take over what stands in the editor. Half a character, which no file holds, is gone."""
        text = text.encode(errors="replace").decode()
        if len(text) > MOST_SCRIPT:
            tab.said = ("too_long", {"most": MOST_SCRIPT})
        elif text != tab.text:
            tab.text, tab.said = text, None
            tab.given = tab.given or text

    def argue(self, tab: Tab, arguments: str) -> None:
        """Take over what is to stand behind the script's name."""
        tab.arguments = arguments[:MOST_ARGUMENTS].encode(errors="replace").decode()

    def press(self, tab: Tab, act: str, with_: str) -> None:
        """Everything that answers at once. What a page cannot have sent changes nothing."""
        if act == "stop":
            tab.desk.stopping = True
            return
        if act in ("files", "remove", "swap", "back", "original", "clear") and not tab.desk.busy:
            tab.said = None
        match act:
            case "side" if with_ in SIDES:
                tab.side = with_
            case "panel" if with_ in PANELS:
                tab.panel = with_
            case "stage" if with_ in STAGES:
                tab.stage, tab.panel = with_, "evidence"
            case "move" if with_ in ("-1", "1"):
                place = STAGES.index(tab.stage) + int(with_)
                if 0 <= place < len(STAGES):
                    tab.stage, tab.panel = STAGES[place], "evidence"
            case "present":
                tab.present = not tab.present
            case "files" if not tab.desk.busy:
                try:
                    if not (files := read_files(with_)):
                        raise Refused("not_sent")
                    self._add(tab, files)
                except Refused as no:
                    tab.said = (no.code, no.about)
            case "remove" if not tab.desk.busy:
                tab.files = tuple(file for file in tab.files if file.name != with_)
                tab.gone = tuple(name for name in tab.gone if name != with_)
            case "swap" if not tab.desk.busy:
                self._swap(tab, with_)
            case "back" if tab.before and not tab.desk.busy:
                tab.text, tab.before = tab.before[-1], tab.before[:-1]
            case "original" if tab.given and not tab.desk.busy:
                tab.put(tab.given)
            case "clear" if not tab.desk.busy:
                tab.clear()
            case _:
                return

    def _add(self, tab: Tab, files: Sequence[KeptFile]) -> None:
        """All of them or, with a Refused, none: a half that runs would tell another story."""
        data = {file.name: file for file in tab.files}
        text = None
        for one in files:
            raw, name = content(one.data, self.most_bytes), named(one.name)
            if is_script(name):
                text = script(name, raw)
            elif not is_data(name):
                raise Refused("other_type", name=name)
            else:
                data.pop(name, None)
                data[name] = File(name, one.name[:200], len(raw), self._kept.keep(raw))
            if len(data) > self._settings.upload_files:
                raise Refused("too_many_files", most=self._settings.upload_files)
            if sum(file.size for file in data.values()) > self.most_bytes:
                raise Refused("too_large", megabytes=self._settings.upload_mb)
        tab.files = tuple(data.values())
        arrived = {file.given for file in tab.files} | {file.name for file in tab.files}
        tab.gone = tuple(name for name in tab.gone if name not in arrived)
        if text is not None:
            tab.put(text[0], afresh=True)
            if text[1] is not None:
                about = {"cells": len(text[1].cells), "lines": len(text[1].left_out)}
                tab.said = ("from_notebook", about)

    def _swap(self, tab: Tab, which: str) -> None:
        places = [one for one in elsewhere(tab.text, _names(tab)) if one.edits]
        if which != "all":
            places = [one for one in places if f"{one.line}-{one.kind}" == which]
        if places:
            tab.put(swapped(tab.text, places))
            tab.said = ("swapped", {"count": len(places)})

    def plan(self, tab: Tab, what: str, session: str) -> str | None:
        """Whether a run may start: the walk, or the search for an issue."""
        tab.said = tab.desk.turned_away = None
        if tab.desk.busy or what not in (WALK, ISSUE) or not tab.text.strip():
            return None
        if self.no_typing(tab.text):
            return None
        try:
            shlex.split(tab.arguments)
        except ValueError as error:
            tab.said = ("arguments_wrong", {"reason": str(error)})
            return None
        lost = [file for file in tab.files if not self._kept.has(file.digest)]
        if lost:
            tab.files = tuple(file for file in tab.files if file not in lost)
            tab.gone = (*tab.gone, *(file.given for file in lost))
            tab.side = "files"
            tab.said = ("files_gone", {"names": ", ".join(file.name for file in lost)})
            return None
        if not self.bounds.may_run(session):
            tab.said = ("too_many_runs", {"most": self._settings.runs_a_minute})
            return None
        return what

    def run(self, tab: Tab, stage: Any = ON) -> Run:
        """The script as it stands. It is `typed`, whoever asks and whatever for."""
        return Run(
            tab.text,
            stage,
            device=self._settings.device,  # type: ignore[arg-type]
            assets=self._settings.assets,  # type: ignore[arg-type]
            arguments=tuple(shlex.split(tab.arguments)),
            steps=STEPS,
            seconds=TRAINING_SECONDS,
            experiments=True,
            typed=True,
            files=tuple((file.name, file.digest) for file in tab.files),
        )

    async def follow(self, tab: Tab, what: str) -> AsyncGenerator[None]:
        """Run it; wakes whenever there is news."""
        tab.desk.stopping = False
        inside = self._asked(tab) if what == ISSUE else self._walked(tab)
        async for _ in inside:
            yield
        if tab.desk.stopping:
            tab.said = ("stopped", {})
        yield

    async def _asked(self, tab: Tab) -> AsyncGenerator[None]:
        tab.panel = "issue"
        whole = replace(self.run(tab, "train"), seconds=None, experiments=False)
        walk = replace(whole, stage=WALK)
        async for _ in shorten(tab.desk, self._engine, whole, walk):
            yield
        if tab.desk.note:
            tab.said, tab.desk.note = ("no_issue", {}), ""

    async def _walked(self, tab: Tab) -> AsyncGenerator[None]:
        run = self.run(tab)
        again = tab.ran == run
        ran, reports, panel, stage = tab.ran, tab.reports, tab.panel, tab.stage
        tab.ran, tab.reports, tab.panel, tab.stage = run, {}, "evidence", "setup"
        tab.desk.shorter = tab.desk.training = None
        flight = self._engine.board(run, again, tab.desk.asker)
        tab.desk.flights = [flight]
        yield
        try:
            async for _ in watched([flight], lambda: flight.ended or tab.desk.stopping):
                yield
        finally:
            self._engine.leave(flight, at_once=tab.desk.stopping)
            tab.reports = going_on(report_of(flight), None)
            tab.desk.flights = []
        tab.desk.turned_away = turned_away(flight)
        if tab.desk.turned_away is not None:
            tab.ran, tab.reports, tab.panel, tab.stage = ran, reports, panel, stage
            return
        reached: list[StageName] = [stage for stage in STAGES if stage in tab.reports]
        telling: list[StageName] = [
            stage for stage in reached if tab.reports[stage].outcome in _TELLING
        ]
        tab.stage = (*telling[:1], *reached[-1:], tab.stage)[0]

    def look(self, tab: Tab) -> Look:
        """Everything to be drawn."""
        reports = tab.reports
        if tab.desk.flights and tab.desk.search is None and not tab.desk.aside:
            reports = going_on(report_of(tab.desk.flights[0]), None)
        search = tab.desk.search
        return Look(
            tab=tab,
            reports=reports,
            stale=bool(tab.ran) and not self._is_as_run(tab),
            busy=busy_with(tab.desk.flights),
            places=elsewhere(tab.text, _names(tab)),
            no_typing=self.no_typing(tab.text),
            shorter=tab.desk.shorter,
            training=tab.desk.training,
            search=search and (search.runs, len(search.script.splitlines())),
            framework=framework_of(tab.text).name,
            limits={"files": self._settings.upload_files, "megabytes": self._settings.upload_mb},
        )

    def _is_as_run(self, tab: Tab) -> bool:
        try:
            return self.run(tab) == tab.ran
        except ValueError:  # of the arguments: said when it is run
            return False


_TELLING = ("fail", "stopped", "unknown", "look")


def _names(tab: Tab) -> list[str]:
    return [file.name for file in tab.files]
