"""A class in a made-up language: every page and every screen of it, in each of its states."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from debugger import settings
from debugger.catalogue import Scenario
from debugger.outcome import STAGES
from debugger.room.lead import PARTS, PHASES, Place, measured_on, measuring, timed
from debugger.room.summary import summary
from debugger.web.clinic import Clinic
from debugger.web.room import shell
from debugger.web.room.doors import AUDIENCES
from debugger.web.room.hall import Hall
from debugger.web.room.report import readable
from debugger.words import Words
from debugger.workers.sharing import Shared
from tests.languages.loud import read, small

NAMES = small("English Loud")


@pytest.fixture
def hall(shelf: list[Scenario], loud_words: Words, tmp_path: Path) -> Hall:
    read_ = settings.read({"CLINIC_DATA_DIR": str(tmp_path)})
    return Hall(Clinic(shelf, Shared(None), read_), read_)  # type: ignore[arg-type]


@pytest.mark.parametrize("page", ["class", "lead", "board"])
def test_no_frame_is_left_in_english(hall: Hall, loud_words: Words, page: shell.Page) -> None:
    html = shell.page(page, loud_words, hall.offered(loud_words.language))
    assert small(read(html), NAMES) == []


def test_no_screen_of_a_class_is_left_in_english(hall: Hall, loud_words: Words) -> None:
    room, _ = hall.rooms.make()
    students = [room.join("")[0] for _ in range(3)]
    case = next(iter(hall.offered(loud_words.language)))
    wrong = next(fix.id for fix in case.fixes if not fix.right)
    for number, flag in zip(students, ("", "ready", "stuck"), strict=True):
        room.stands(number, Place(case.id, STAGES[1]), [wrong])
        room.flag(number, flag)  # type: ignore[arg-type]
    drawn = [screen(room.seen(), hall, loud_words) for screen, _ in AUDIENCES.values()]
    for stage in (None, STAGES[1]):
        room.go(Place(case.id, stage))
        room.act(lambda lead: timed(lead, 60, time.time()))
        for phase in PHASES if stage else ():
            room.show(phase)
            drawn += [screen(room.seen(), hall, loud_words) for screen, _ in AUDIENCES.values()]
    room.act(lambda lead: measuring(lead, "batch", hall.pairs("batch")))
    for _ in PARTS[2:]:
        drawn += [screen(room.seen(), hall, loud_words) for screen, _ in AUDIENCES.values()]
        room.act(measured_on)
    drawn += [screen(room.seen(), hall, loud_words) for screen, _ in AUDIENCES.values()]
    report = summary(
        room,
        lambda place: hall.asked(place, loud_words),
        lambda case, repair: hall.wrong(case, repair, loud_words),
        names=True,
    )
    told = [*map(read, drawn), readable(report, loud_words)]
    assert [small(one, [*NAMES, "min"]) for one in told] == [[]] * len(told)
