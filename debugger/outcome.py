"""What a run says about a script: frozen plain data, to and from JSON.

A run is a stream of events. It ends with exactly one `Outcome`. `report.py` gathers the stream.
"""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

StageName = Literal["setup", "data", "batch", "forward", "step", "evaluate", "overfit", "train"]
STAGES: tuple[StageName, ...] = get_args(StageName)
Ending = Literal["pass", "look", "fail", "unknown", "stopped", "not run"]
Severity = Literal["fault", "look", "note"]
Stop = Literal["training", "crash", "end"]
EvidenceKind = Literal[
    "text", "table", "tokens", "tensor", "chart", "traceback", "matrix", "ragged", "example"
]


@dataclass(frozen=True)
class Finding:
    """What a rule concluded. Its sentence is `finding.<code>` in words, with `numbers` in it.

    Where it is told of a notebook, `line` is that of a `cell`; `file` is named where it is not the
    script itself but another that the script imports from beside it.
    """

    code: str
    severity: Severity
    stage: StageName
    line: int | None = None
    numbers: dict[str, Any] = Field(default_factory=dict)
    cell: int | None = None
    file: str | None = None


@dataclass(frozen=True)
class Evidence:
    """What a stage shows. The title is `words` entry `evidence.<code>`.

    `data` by kind: text {text}; table {columns, rows}; tokens {rows: [{tokens, mask, label}]};
    tensor {shape, dtype, low, high, values}; chart {series: {code: [[x, y]]}, marks: {code: y}};
    traceback {exception, message, frames: [{file, line, name, code, own}]}; matrix {classes,
    counts}, a row for each label and a column for each answer; ragged {field, lengths}, rows that
    were to be one rectangle; example {rows: [[name, value]], tokens, mask}, what became of one. A
    text, a column or a cell is shown as it stands, as the learner's own; only {say: code, ...} is
    said in `words`.
    `snippet` is the code that a learner can type to see the same.
    """

    kind: EvidenceKind
    code: str
    stage: StageName
    data: dict[str, Any]
    snippet: str = ""


@dataclass(frozen=True)
class NotRun:
    """A rule that could not judge, and why: `words` entry `reason.<reason>`."""

    rule: str
    reason: str


@dataclass(frozen=True)
class Accepted:
    """First event of every run; `place` is 0 once it is running.

    While it waits, `wait` is in how many seconds it starts, at least and at most, if that is known.
    """

    ticket: str
    place: int = 0
    wait: tuple[int, int] | None = None
    event: Literal["accepted"] = "accepted"


@dataclass(frozen=True)
class Restarted:
    """The machine that ran it is gone: what was told so far does not count, and all comes anew."""

    event: Literal["restarted"] = "restarted"


@dataclass(frozen=True)
class StageStarted:
    stage: StageName
    event: Literal["stage_started"] = "stage_started"


@dataclass(frozen=True)
class Progress:
    stage: StageName
    done: int
    of: int
    event: Literal["progress"] = "progress"


@dataclass(frozen=True)
class Point:
    """One point of a live curve."""

    stage: StageName
    series: str
    x: float
    y: float | None
    event: Literal["point"] = "point"


@dataclass(frozen=True)
class Shown:
    evidence: Evidence
    event: Literal["shown"] = "shown"


@dataclass(frozen=True)
class Found:
    finding: Finding
    event: Literal["found"] = "found"


@dataclass(frozen=True)
class StageEnded:
    """`measured` holds the plain numbers that the judge and the comparison with the twin read."""

    stage: StageName
    outcome: Ending
    seconds: float
    not_run: tuple[NotRun, ...] = ()
    measured: dict[str, Any] = Field(default_factory=dict)
    event: Literal["stage_ended"] = "stage_ended"


@dataclass(frozen=True)
class Outcome:
    """Last event of every run. `finding` says what ended it from outside: time, memory, a crash.

    `framework` is the name of the one whose words tell of it; "" where none was reached.
    """

    outcome: Ending
    device: str
    seconds: float
    versions: dict[str, str] = Field(default_factory=dict)
    finding: Finding | None = None
    framework: str = ""
    event: Literal["outcome"] = "outcome"


@dataclass(frozen=True)
class Standing:
    """A script is built, and a check of it begins: instead of stages.

    `line` is where it stands: where its training would start, where it crashed, or nowhere, at its
    `end`. `printed` is how many bytes it had printed by then: what follows is the answer.
    """

    at: Stop
    line: int | None
    printed: Annotated[int, Field(ge=0, le=2**40)]
    event: Literal["standing"] = "standing"


@dataclass(frozen=True)
class Weighed:
    """What the weights of a training are worth, as a process found that never ran its script.

    They get so many of the `rows` right, of which a share of `majority` is of one class, and have
    `moved` by that share of their size; or nobody can tell, and `reason` is the code of a sentence
    in `missing` that says why.
    """

    right: int = 0
    rows: int = 0
    majority: float = 0.0
    reason: str = ""
    moved: float | None = None
    event: Literal["weighed"] = "weighed"


Event = Annotated[
    Accepted
    | Restarted
    | StageStarted
    | Progress
    | Point
    | Shown
    | Found
    | StageEnded
    | Standing
    | Weighed
    | Outcome,
    Field(discriminator="event"),
]
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def to_json(event: Event) -> bytes:
    """One event as JSON; nan and infinity become null, so that any reader can parse it."""
    return _EVENT.dump_json(event)


def from_json(raw: bytes) -> Event:
    """The event, or pydantic's ValidationError: what comes from a run is never trusted."""
    return _EVENT.validate_json(raw)


def worst(endings: list[Ending]) -> Ending:
    """How a whole run ended, from how its stages ended."""
    for ending in ("fail", "stopped", "unknown", "look", "pass"):
        if ending in endings:
            return ending
    return "not run"
