"""A whole cure without a press: what a visitor watches who does not know yet what this is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from debugger.run import WALK
from debugger.web.clinic import Clinic
from debugger.web.desk import Desk

READING_SECONDS = 6.0
BEAT_SECONDS = 0.25


async def demonstrate(clinic: Clinic, desk: Desk) -> AsyncGenerator[None]:
    """Fail, find, repair, prove; wakes whenever there is something new. Stop ends it anywhere."""
    desk.showing, desk.stopping = True, False
    desk.go_to(panel="evidence")
    try:
        for act in _acts(clinic, desk):
            async with aclosing(act):
                async for _ in act:
                    yield
            if desk.stopping:
                break
    finally:
        desk.showing = False
    desk.caption = "demo_ends" if clinic.scene(desk).cured else "demo_stopped"
    yield


def _acts(clinic: Clinic, desk: Desk) -> Iterator[AsyncGenerator[None]]:
    desk.caption = "demo_fails"
    yield clinic.follow(desk, WALK)
    yield _read(desk, "demo_fails")
    if clinic.scene(desk).first_failing is None:  # the run was ended from outside
        return
    yield _read(desk, "demo_looks")
    clinic.press(desk, "open", "")
    yield _read(desk, "demo_found")
    for fix in clinic.known[desk.visit.scenario].twin_fixes:
        clinic.press(desk, "panel", "fix")
        clinic.press(desk, "choose", fix)
        yield _read(desk, "demo_repairs")
        desk.caption = "demo_proves"
        clinic.apply(desk, fix)
        yield clinic.follow(desk, WALK)


async def _read(desk: Desk, caption: str) -> AsyncGenerator[None]:
    """Time to read, in short pieces, so that Stop and a closed tab are noticed."""
    desk.caption = caption
    for _ in range(round(READING_SECONDS / BEAT_SECONDS)):
        yield
        if desk.stopping:
            return
        await asyncio.sleep(BEAT_SECONDS)
