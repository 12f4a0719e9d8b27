"""What all classes of this clinic share: the rooms, the scenarios that they go through, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from debugger.catalogue import Fix, Scenario
from debugger.catalogue.scenario import number_of
from debugger.catalogue.skills import PATH, Skill, pairs
from debugger.outcome import STAGES
from debugger.room.lead import Place, Refused
from debugger.room.rooms import Rooms
from debugger.settings import Settings
from debugger.web.bounds import Bounds
from debugger.web.clinic import Clinic
from debugger.web.visit import causes, changes_in, numbered, right_cause, scenario_named
from debugger.words import Words

ROOMS = "rooms.sqlite"
WRONG_CODES = 60
"""Within a minute, from one address: a whole class mistypes behind one."""
NEW_ROOMS = 30
MOST_MEASURED = 3
"""Questions in a set: some minutes."""
PRESSES = 300
"""Of one student within a minute: far more than fingers do."""


class Hall:
    def __init__(self, clinic: Clinic, settings: Settings) -> None:
        self._clinic = clinic
        self.rooms = Rooms(settings.data_dir / ROOMS, self._choices)
        self.wrong_codes = Bounds(WRONG_CODES, settings.sessions)
        self.presses = Bounds(PRESSES, settings.sessions)
        self.new_rooms = Bounds(NEW_ROOMS, settings.sessions)

    def scenario(self, place: Place, language: str) -> Scenario | None:
        return self._clinic.shelf(language).get(place.case)

    def offered(self, language: str) -> Sequence[Scenario]:
        return self._clinic.shown_here(language)

    def place(self, case: object, stage: object) -> Place:
        """As an address names it: the number of a scenario, and a stage or none."""
        scenario = scenario_named(str(case), self._clinic.known)
        if scenario is None or stage not in ("", None, *STAGES):
            raise Refused("no_such_place")
        return Place(scenario.id, next((name for name in STAGES if name in (stage,)), None))

    def changes(self, place: Place, told: object) -> str:
        """Listed changes as addresses carry them. What somebody typed is in no address."""
        scenario = self._clinic.known.get(place.case)
        asked = str(told)[:400]
        found = changes_in({"changes": asked}, scenario) if scenario else None
        if found is None or not asked.replace(",", "").isdigit():
            raise Refused("not_to_be_handed")
        return numbered(found)

    def tried(self, place: Place, told: object) -> list[str]:
        """Of what a browser says that was tried, what there is to try."""
        scenario = self._clinic.known.get(place.case)
        if scenario is None or not isinstance(told, list):
            return []
        given = {one for one in told[:100] if isinstance(one, str)}
        return [patch.id for patch in scenario.patches if patch.id in given]

    def asked(self, place: Place, words: Words) -> Mapping[str, Any]:
        """What a summary calls a place."""
        scenario = self.scenario(place, words.language)
        told: dict[str, Any] = {
            "case": number_of(place.case),
            "title": scenario.words.title if scenario else "",
            "stage": place.stage,
        }
        if scenario is not None and place.stage is not None:
            question = scenario.words.questions[place.stage]
            told |= {"question": question.ask, "choices": list(question.choices)}
        return told

    def skills(self) -> list[Skill]:
        """Those that can be measured here: there are two scripts with one cause."""
        return [skill for skill in PATH if self.pairs(skill)]

    def pairs(self, skill: Skill) -> list[tuple[str, str]]:
        found = pairs(skill, self.offered("en"))[:MOST_MEASURED]
        return [(one.id, other.id) for one, other in found]

    def causes(self, case: str) -> list[str]:
        """What may be wrong with a scenario; the first is right, and no screen has it there."""
        scenario = self._clinic.known[case]
        right = right_cause(scenario)
        listed = causes(scenario, self._clinic.catalogue, "")
        return [right, *(one for one in listed if one != right)]

    def wrong(self, case: str, repair: str, words: Words) -> str | None:
        """The label of a change that does not mend its scenario."""
        scenario = self.scenario(Place(case), words.language)
        patches = scenario.patches if scenario else ()
        patch = next((patch for patch in patches if patch.id == repair), None)
        if scenario is None or patch is None or (isinstance(patch, Fix) and patch.right):
            return None
        return scenario.words.of(repair).label

    def _choices(self, place: Place) -> int:
        scenario = self._clinic.known.get(place.case)
        if scenario is None:
            return 0
        if place.stage is None:
            return len(self.causes(place.case)) if scenario.code else 0
        return len(scenario.words.questions[place.stage].choices)
