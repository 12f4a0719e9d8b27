"""Many sessions at once, and whether each gets its own answers: `python -m tools.load.interleaved`.

Every page that comes back is held against what that session has asked for: scenario, changes,
stage, language, learner, and words that nobody else has typed. Evidence is held against what a
session by itself was shown before. There are two languages: English, and one that is made up.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from debugger import catalogue, words
from debugger.catalogue import Fix, Scenario, translated
from debugger.outcome import STAGES, StageName
from debugger.stages import LIGHT
from tests.browser.app import ROOT, running_app
from tests.languages.loud import LOUD, house
from tools.load.belonging import Key, Mine, evidence_of, foreign, has_evidence
from tools.load.page import Found, arguments, made_by, write
from tools.load.visitors import NOT_YET, Lost, Tab

CASES = (
    *("two_labels", "wrong_collator", "text_columns", "half_named", "raw_dataset"),
    *("one_label", "wrong_columns", "pad_in_map", "last_one_wins", "columns_counted"),
)
FIXES = 2
ACTS = {
    "look": 40,
    "answer": 22,
    "panel": 14,
    "apply": 8,
    "original": 4,
    "run": 5,
    "check": 3,
    "move": 4,
}
"""How often each, of a hundred."""


@dataclass
class Told:
    """`foreign` is what did not belong, `away` presses that found no server or no answer."""

    acts: Counter[str] = field(default_factory=Counter)
    foreign: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)
    evidence: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def two_languages() -> Iterator[Path]:
    """A house with the made-up language, which this process speaks too."""
    here = words.HERE
    with TemporaryDirectory() as folder:
        root = house(Path(folder))
        words.HERE = root / "debugger" / "words"
        try:
            yield root
        finally:
            words.HERE = here


def scenarios(root: Path, ids: tuple[str, ...]) -> dict[tuple[str, str], Scenario]:
    """By id and language."""
    found = [one for one in catalogue.every(root / "scenarios") if one.id in ids]
    return {(one.id, tag): translated(one, tag) for one in found for tag in ("en", LOUD)}


def wrong_fixes(scenario: Scenario) -> list[Fix]:
    """The first that end before anything trains."""
    return [fix for fix in scenario.fixes if not fix.right and fix.ends_at in LIGHT][:FIXES]


class Session:
    """One learner, on one page after the other."""

    def __init__(
        self, address: str, shelf: Mapping[tuple[str, str], Scenario], chance: random.Random
    ) -> None:
        self._address, self._shelf, self._chance = address, shelf, chance
        self._learner = f"{chance.getrandbits(32):08x}"
        self._marks: list[str] = []
        self.tab, self.mine = self.opened(*chance.choice([*shelf]))

    def opened(self, scenario: str, language: str) -> tuple[Tab, Mine]:
        kept = json.dumps({"version": 1, "learner": self._learner, "cases": {}})
        tab = Tab(self._address, scenario, kept, language)
        tab.open()
        mine = Mine(self._learner, language, self._shelf[scenario, language], marks=[*self._marks])
        self.tab, self.mine = tab, mine
        return tab, mine

    def act(self, what: str) -> None:
        """Press, and note what that has asked for."""
        mine, chance = self.mine, self._chance
        scenario = mine.scenario
        match what:
            case "look":
                self.look(chance.choice(STAGES[:6]))
            case "answer":
                self.answer()
            case "panel":
                mine.panel = chance.choice(("fix", "console", "evidence"))
                self.tab.click(mine.stage, "panel", mine.panel)
            case "apply" if fixes := wrong_fixes(scenario):
                self.apply(chance.choice(fixes))
            case "original":
                mine.changes = ()
                self.tab.click(mine.stage, "original", "")
            case "run":
                last = self.fails_at()
                stage = chance.choice(STAGES[: STAGES.index(last) + 1])
                self.tab.submit(mine.stage, "run", stage)
                mine.stage, mine.panel = stage, "evidence"
            case "check":
                self._marks.append(f"mark-{chance.getrandbits(32):08x}")
                mine.marks.append(self._marks[-1])
                mine.panel, mine.asked = "console", True
                self.tab.submit(mine.stage, "check", f"print('{self._marks[-1]}')")
            case "move":
                self.tab.close()
                self.opened(*chance.choice([*self._shelf]))
            case _:
                self.look(mine.stage)

    def look(self, stage: StageName) -> None:
        self.mine.stage, self.mine.panel = stage, "evidence"
        self.tab.click(stage, "stage", stage)

    def answer(self) -> None:
        """Of a stage that the script reaches, unless it was given: then run what has not run."""
        if STAGES.index(self.mine.stage) > STAGES.index(self.fails_at()):
            self.mine.stage = self.fails_at()
        self.look(self.mine.stage)
        if 'data-act="answer"' in self.tab.drawn["right"]:
            self.tab.submit(self.mine.stage, "answer", "-1")
        elif not has_evidence(self.tab.drawn):
            self.tab.submit(self.mine.stage, "run", self.mine.stage)

    def apply(self, fix: Fix) -> None:
        """One at a time: where two lead together no scenario tells."""
        mine = self.mine
        if mine.changes:
            self.act("original")
        mine.changes = (fix.id,)
        self.tab.submit(mine.stage, "apply", fix.id)
        mine.stage, mine.panel = self.fails_at(), "evidence"

    def fails_at(self) -> StageName:
        """Where the script as it is now stops."""
        scenario = self.mine.scenario
        ends: dict[str, StageName | None] = {fix.id: fix.ends_at for fix in scenario.fixes}
        stage = ends[self.mine.changes[-1]] if self.mine.changes else scenario.first_stage
        assert stage is not None
        return stage

    def page(self) -> dict[str, str]:
        """All of it, drawn once more."""
        self.tab.click(self.mine.stage, "again", "")
        self.mine.heard = self.tab.number
        return dict(self.tab.drawn)


def references(address: str, shelf: Mapping[tuple[str, str], Scenario]) -> dict[Key, str]:
    """What a session that is alone is shown, by what decides it."""
    known: dict[Key, str] = {}

    def note(session: Session) -> None:
        drawn = session.page()
        if not has_evidence(drawn):
            raise SystemExit(f"no evidence for {session.mine.key}: {session.tab.status}")
        known[session.mine.key] = evidence_of(drawn)

    for (name, language), scenario in shelf.items():
        session = Session(address, {(name, language): scenario}, random.Random(name))
        for fix in (None, *wrong_fixes(scenario)):
            if fix is not None:
                session.apply(fix)
            for stage in STAGES[: STAGES.index(session.fails_at()) + 1]:
                session.look(stage)
                if fix is None:
                    session.answer()
                note(session)
        session.tab.close()
    return known


def interleaved(
    address: str,
    shelf: Mapping[tuple[str, str], Scenario],
    known: Mapping[Key, str],
    sessions: int,
    actions: int,
    seed: int,
) -> Told:
    told = Told()

    def play(number: int) -> None:
        chance = random.Random(seed * 1000 + number)
        session = Session(address, shelf, chance)
        for _ in range(actions // sessions):
            what = chance.choices([*ACTS], [*ACTS.values()])[0]
            try:
                session.act(what)
                _hold(session, what, known, told)
            except Lost as error:
                with told.lock:
                    told.away.append(f"{what}: {error}")
                session.opened(*chance.choice([*shelf]))
        session.tab.close()

    threads = [threading.Thread(target=play, args=(n,)) for n in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def _hold(session: Session, what: str, known: Mapping[Key, str], told: Told) -> None:
    drawn, mine = session.page(), session.mine
    wrong = foreign(mine, drawn, known)
    shown = mine.panel == "evidence" and has_evidence(drawn)
    with told.lock:
        told.acts[what] += 1
        told.foreign += [f"{what} of {mine.key}: {one}" for one in wrong]
        told.evidence += shown and mine.key in known
        if what in ("answer", "run", "apply") and _not_run(session):
            told.away.append(f"{what} of {mine.key}: {session.tab.status}")


def _not_run(session: Session) -> bool:
    """Whether the stage has no answer. It may be folded, until its question is answered."""
    return session.tab.states[session.mine.stage].lower() in NOT_YET


def measured(
    sessions: int, actions: int, seed: int, ids: tuple[str, ...] = CASES
) -> tuple[Told, int, float]:
    """Also how many different pieces of evidence were expected, and in how many seconds it was."""
    with (
        two_languages() as root,
        running_app(root=root, CLINIC_WORKERS="2", CLINIC_RUNS_A_MINUTE="1000") as (address, _),
    ):
        shelf = scenarios(root, ids)
        known = references(address, shelf)
        began = time.monotonic()
        told = interleaved(address, shelf, known, sessions, actions, seed)
        return told, len({*known.values()}), time.monotonic() - began


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=14)
    asked = parser.parse_args()
    made = made_by(parser, asked)
    told, pieces, seconds = measured(asked.sessions, asked.actions, asked.seed)
    for one in (*told.foreign[:20], *told.away[:20]):
        print(one, file=sys.stderr)
    did = told.acts.total()
    found = Found(
        title="Whose answer it is",
        says=(
            f"{did:,} actions of {asked.sessions} sessions at once, {len(CASES)} scenarios in two "
            f"languages, with and without changes: {len(told.foreign)} answers belong to another "
            f"session. After each action the whole page was held against what its session had "
            f"asked for, {told.evidence:,} times with evidence to the letter ({pieces} different "
            f"pieces). {len(told.away)} presses had no answer. It took {seconds / 60:.0f} minutes."
        ),
        head=("action", "times"),
        rows=[(what, f"{count:,}") for what, count in told.acts.most_common()],
    )
    write(ROOT / asked.to, "interleaved", made, found)
    return 1 if told.foreign or told.away else 0


if __name__ == "__main__":
    sys.exit(main())
