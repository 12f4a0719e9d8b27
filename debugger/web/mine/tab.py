"""What one tab has open of somebody's own script, and what its browser keeps of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from debugger.asking.draft import Shorter
from debugger.outcome import Finding, StageName
from debugger.report import Report, StageReport
from debugger.run import Run
from debugger.web.desk import Desk
from debugger.web.mine.elsewhere import Elsewhere
from debugger.web.mine.given import MOST_SCRIPT
from debugger.web.scene import Busy

MINE = "() => [window.clinic.mine()]"
"""How the page asks its browser for what it keeps, as a listener's `js`."""
MOST_ARGUMENTS = 500
MOST_BACK = 8
MOST_FILES = 50
Side = Literal["edit", "script", "diff", "files"]
Panel = Literal["evidence", "console", "issue"]
SIDES: tuple[Side, ...] = get_args(Side)
PANELS: tuple[Panel, ...] = get_args(Panel)


@dataclass(frozen=True)
class File:
    """`name` is what it is called here, `given` what its owner's browser called it."""

    name: str
    given: str
    size: int
    digest: str


@dataclass(eq=False)
class Tab:
    """Mutable on purpose, as a `Desk` is. `given` is the text as it first came, `before` are those
    that a press of ours replaced. `desk` holds what runs. `reports` are those of `ran`. `gone` are
    names of files that the browser had and could not keep. `said` is a sentence: (code, numbers).
    """

    text: str = ""
    given: str = ""
    before: tuple[str, ...] = ()
    arguments: str = ""
    files: tuple[File, ...] = ()
    gone: tuple[str, ...] = ()
    language: str = "en"
    present: bool = False
    stage: StageName = "setup"
    side: Side = "edit"
    panel: Panel = "evidence"
    desk: Desk = field(default_factory=Desk)
    ran: Run | None = None
    reports: dict[StageName, StageReport] = field(default_factory=dict)
    said: tuple[str, dict[str, Any]] | None = None
    editor: str | None = None
    drawn: dict[str, str] = field(default_factory=dict)
    turn: int = 0
    heard: int = 0

    def put(self, text: str, afresh: bool = False) -> None:
        """Another text, which a press put there; it can be taken back."""
        if self.text.strip() and text != self.text:
            self.before = (*self.before, self.text)[-MOST_BACK:]
        self.text = text
        if afresh:
            self.given, self.reports, self.ran = text, {}, None
            self.stage, self.side, self.panel = "setup", "edit", "evidence"

    def clear(self) -> None:
        """As a tab begins; what is drawn stays known."""
        kept = ("language", "present", "editor", "drawn", "turn", "heard")
        vars(self).update(vars(Tab(**{name: getattr(self, name) for name in kept})))


@dataclass(frozen=True)
class Look:
    """Everything that the page shows at one moment. `stale`: changed since it was run."""

    tab: Tab
    reports: dict[StageName, StageReport]
    stale: bool
    busy: Busy | None
    places: list[Elsewhere]
    no_typing: Finding | None
    shorter: Shorter | None
    training: Report | None
    search: tuple[int, int] | None
    framework: str
    limits: dict[str, Any]

    @property
    def occupied(self) -> bool:
        return self.busy is not None or self.search is not None


@checked(frozen=True, config=ConfigDict(extra="ignore"))
class KeptFile:
    """`data` in base64; without it the file has to be added again."""

    name: Annotated[str, Field(max_length=300)]
    data: str | None = None


@checked(frozen=True, config=ConfigDict(extra="ignore"))
class KeptTab:
    """What a browser kept of this page."""

    text: Annotated[str, Field(max_length=MOST_SCRIPT)] = ""
    given: Annotated[str, Field(max_length=MOST_SCRIPT)] = ""
    arguments: Annotated[str, Field(max_length=MOST_ARGUMENTS)] = ""
    files: Annotated[list[KeptFile], Field(max_length=MOST_FILES)] = Field(default_factory=list)


_KEPT: TypeAdapter[KeptTab] = TypeAdapter(KeptTab)
_FILES: TypeAdapter[list[KeptFile]] = TypeAdapter(list[KeptFile])


def read_kept(kept: str) -> KeptTab:
    """What cannot be read was changed by hand: then there is nothing."""
    try:
        return _KEPT.validate_json(kept or "{}")
    except ValidationError:
        return KeptTab()


def read_files(told: str) -> list[KeptFile]:
    """The files of a press; none where that is no list of files."""
    try:
        return _FILES.validate_json(told)
    except ValidationError:
        return []


def to_keep(tab: Tab) -> str:
    """For the browser: it puts the contents of the files to it by itself, as far as it has room."""
    files = [{"name": file.given, "size": file.size} for file in tab.files]
    files += [{"name": name, "size": 0} for name in tab.gone]
    told = {"text": tab.text, "given": tab.given, "arguments": tab.arguments, "files": files}
    return json.dumps(told)
