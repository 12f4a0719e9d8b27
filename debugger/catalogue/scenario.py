"""What a scenario is: the documented facts of its `scenario.toml`, its script, its words."""

import zlib
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from debugger.frameworks import NAMES
from debugger.outcome import StageName
from debugger.words import Words

FACTS, SCRIPT, WORDS, REPAIRS = "scenario.toml", "script.py", "en.toml", "repairs.toml"
RECORDED = "recorded.json"
STRICT = ConfigDict(strict=True, extra="forbid")
MOST_STEPS = 120

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, Field(min_length=1)]
Symptom = Literal["crash", "no_learning", "false_number"]
Refusal = Literal[
    "stage_fails",
    "fault_still_there",
    "below_twin",
    "rows_changed",
    "eval_rows_changed",
    "labels_changed",
    "labels_unbalanced",
    "too_few_rows",
    "later_training_unseen",
    "metric_missing",
    "metric_wrong_on_perfect",
    "metric_flatters_constant",
    "not_trained",
]


def number_of(scenario_id: str) -> int:
    """Four digits, always the same for a name. The catalogue complains where two share them."""
    return 1000 + zlib.crc32(scenario_id.encode()) % 9000


def _one_that_there_is(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"framework should be {' or '.join(NAMES)}")
    return name


class ScenarioError(ValueError):
    """For whoever wrote or named a scenario, one sentence a line: file, key, what was expected."""

    def __init__(self, *complaints: str) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class NotThere(ScenarioError):
    """For whoever asked for what cannot be had: a sentence of the words, in any language."""

    def __init__(self, code: str, **names: str) -> None:
        super().__init__(Words().say("cli", code, **names))
        self._code, self._names = code, names

    def said(self, words: Words) -> str:
        return words.say("cli", self._code, **self._names)


@dataclass(frozen=True, config=STRICT)
class Replacement:
    """`old` stands exactly once in the script; an empty `new` deletes it."""

    old: Text
    new: str


@dataclass(frozen=True, config=STRICT)
class Fix:
    """A repair to choose. A wrong one ends at the stage `ends_at` with the finding `code`.

    Where several faults stand one behind the other (the scenario has more than one of
    `twin_fixes`), each fix has a place among the twin's: its own, or that of the twin fix that it
    is `instead_of`. It is applied after the twin fixes before that place. A right one then
    uncovers the next fault, so it too says where the walk `ends_at`, and with which `code`; only
    at the last place there is nothing left to uncover.

    In a decoy none is right: there is nothing to repair. One without `ends_at` does no harm;
    where it gives a `code`, that is what the walk wants a closer look at.
    """

    id: Id
    right: bool
    replacements: Annotated[tuple[Replacement, ...], Field(min_length=1)]
    ends_at: StageName | None = None
    code: Id | None = None
    instead_of: Id | None = None


@dataclass(frozen=True, config=STRICT)
class Cheat:
    """A patch that silences the symptom and leaves the fault: the judge says `refused_by`.

    Where several faults stand one behind the other it may stand in the twin, `instead_of` a fix.
    """

    id: Id
    replacements: Annotated[tuple[Replacement, ...], Field(min_length=1)]
    refused_by: Refusal
    instead_of: Id | None = None


@dataclass(frozen=True, config=STRICT)
class Repair:
    """A right repair that no page offers. It shows that any is accepted, not only the listed ones.

    It stands in `repairs.toml`, and mends every fault at once.
    """

    id: Id
    replacements: Annotated[tuple[Replacement, ...], Field(min_length=1)]


@dataclass(frozen=True, config=STRICT)
class Recommended:
    """A check that a hint recommends, to be asked with one press; what it `raises`, if it does."""

    hint: Annotated[int, Field(ge=1, le=4)]
    check: Text
    raises: Text | None = None


@dataclass(frozen=True, config=STRICT)
class Link:
    """A public page: a section of the course, or the thread where people met the fault."""

    title: Text
    url: Annotated[str, Field(pattern=r"^https://")]


@dataclass(frozen=True, config=STRICT)
class Quotation:
    """What the course printed, word for word, and when. Never translated."""

    year: Annotated[int, Field(ge=2018, le=2100)]
    text: Text


@dataclass(frozen=True, config=STRICT)
class Checks:
    """A cured script comes within `tolerance` of the twin's metric after `steps` of training.

    Reaching `floor` is as good: it lies just below the slowest of ten healthy seeds in
    assets/MEASURED.md. Below 60 steps the metric is not compared: chance and health overlap.
    It trains and evaluates on the same `rows` as the twin, or, where their choice is the fault, on
    any `balanced` part of them.
    """

    tolerance: Annotated[float, Field(gt=0, lt=1)]
    steps: Annotated[int, Field(ge=1, le=MOST_STEPS)]
    floor: Annotated[float, Field(gt=0, lt=1)] | None = None
    rows: Literal["same", "balanced"] = "same"


@dataclass(frozen=True, config=STRICT)
class Question:
    """Asked before the evidence is shown. The first choice is the right one: pages shuffle them.

    `because` says of each choice, in the same order, what in the evidence bears it out or speaks
    against it. A number in it stands in the script or in what its runs showed.
    """

    ask: Text
    choices: Annotated[tuple[Text, ...], Field(min_length=2)]
    because: Annotated[tuple[Text, ...], Field(min_length=2)]


@dataclass(frozen=True, config=STRICT)
class Said:
    """`label` offers a change; `says` tells what really happens with it."""

    label: Text
    says: Text


@dataclass(frozen=True, config=STRICT)
class ScenarioWords:
    """One language. The four hints: where to look, what to compare, what it means, the line."""

    title: Text
    complaint: Text
    hints: Annotated[tuple[Text, ...], Field(min_length=4, max_length=4)]
    lesson: Text
    questions: dict[StageName, Question]
    fixes: dict[str, Said]
    cheats: dict[str, Said] = field(default_factory=dict)
    since_then: Text | None = None

    def of(self, patch_id: str) -> Said:
        """What is said of a change, whether it mends or cheats."""
        return self.fixes.get(patch_id) or self.cheats[patch_id]


@dataclass(frozen=True, config=STRICT)
class Scenario:
    """The facts of `scenario.toml`, with the script, words and repairs that stand beside it.

    `symptom` is all that a learner knows at the start; it shows at `symptom_stage`. The cause can
    be seen first at `first_stage`, as the finding `code`. A decoy stands beside those whose symptom
    it imitates; it has neither stage nor code, and no cheats.
    `twin_fixes` names the right fixes that make the healthy run, in the order in which they are
    applied; other right fixes are as good. More than one means as many faults, stacked: each fix
    uncovers the next fault, and only all of them together cure.
    What `needs` a device shows its symptom there only; its stages and fixes are promised for the
    CPU like all others. What `differs_on` a device shows its symptom anywhere, and another there.
    Of both kinds a run on that device may be kept, as a recording for hosts that lack it.
    """

    id: Id
    framework: Annotated[str, AfterValidator(_one_that_there_is)]
    order: int
    difficulty: Annotated[int, Field(ge=1, le=3)]
    minutes: Annotated[int, Field(ge=1, le=60)]
    symptom: Symptom
    course: Link
    origin: Link
    checks: Checks
    folder: Annotated[Path, Field(strict=False)]
    script: str
    words: ScenarioWords
    decoy: bool = False
    needs: Literal["cuda"] | None = None
    differs_on: Literal["cuda"] | None = None
    symptom_stage: StageName | None = None
    first_stage: StageName | None = None
    code: Id | None = None
    course_message: Quotation | None = None
    twin_fixes: tuple[Id, ...] = ()
    fixes: tuple[Fix, ...] = ()
    cheats: tuple[Cheat, ...] = ()
    recommended: tuple[Recommended, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def number(self) -> int:
        """What addresses call it before its fault is found: its name would tell."""
        return number_of(self.id)

    @property
    def recorded_on(self) -> Literal["cuda"] | None:
        """The device of which a recording is worth keeping."""
        return self.needs or self.differs_on

    def fix(self, fix_id: str) -> Fix:
        """The fix of that id, or a ScenarioError that names the ids there are."""
        for fix in self.fixes:
            if fix.id == fix_id:
                return fix
        known = ", ".join(fix.id for fix in self.fixes)
        raise NotThere("unknown_fix", scenario=self.id, value=fix_id, allowed=known)

    def patched(self, fix_ids: list[str] | tuple[str, ...]) -> str:
        """The script with these fixes applied, in this order."""
        return self._applied(map(self.fix, fix_ids))

    def cheated(self, cheat_id: str) -> str:
        """The script with one cheat in it; the twin with it, when it is `instead_of` a fix."""
        for cheat in self.cheats:
            if cheat.id == cheat_id:
                return self._instead(cheat) if cheat.instead_of else self._applied([cheat])
        known = ", ".join(cheat.id for cheat in self.cheats) or "none"
        raise ScenarioError(f"{self.id} has no cheat {cheat_id!r}; it has {known}.")

    @property
    def patches(self) -> tuple[Fix | Cheat, ...]:
        """Every change that a page offers: right, wrong and cheating."""
        return (*self.fixes, *self.cheats)

    def changed(self, ids: Iterable[str]) -> str:
        """The script with these fixes and cheats applied, in this order: what a page offers."""
        cheats = {cheat.id: cheat for cheat in self.cheats}
        return self._applied(cheats.get(patch_id) or self.fix(patch_id) for patch_id in ids)

    @property
    def stacked(self) -> bool:
        """Do several faults stand one behind the other?"""
        return len(self.twin_fixes) > 1

    def place(self, patch: Fix | Cheat) -> int:
        """How many of the twin's fixes come before this one."""
        name = patch.instead_of or patch.id
        return self.twin_fixes.index(name) if name in self.twin_fixes else 0

    def tried(self, fix_id: str) -> str:
        """The script as a learner has it who tries this fix: mended up to there."""
        fix = self.fix(fix_id)
        return self.patched((*self.twin_fixes[: self.place(fix)], fix_id))

    def mended(self, fix_id: str) -> str:
        """The script with this fix, and the twin's own at every other place."""
        return self._instead(self.fix(fix_id))

    @property
    def twin(self) -> str:
        """The healthy script that everything is compared with; a decoy is its own."""
        return self.patched(self.twin_fixes)

    def repaired(self, repair: Repair | Fix) -> str:
        """The broken script with this alone."""
        return self._applied([repair])

    def _instead(self, patch: Fix | Cheat) -> str:
        place, fixes = self.place(patch), [self.fix(fix_id) for fix_id in self.twin_fixes]
        return self._applied([*fixes[:place], patch, *fixes[place + 1 :]])

    def _applied(self, patches: Iterable[Fix | Cheat | Repair]) -> str:
        script = self.script
        for patch in patches:
            for replacement in patch.replacements:
                if script.count(replacement.old) != 1:
                    raise NotThere("fix_does_not_fit", scenario=self.id, value=patch.id)
                script = script.replace(replacement.old, replacement.new)
        return script
