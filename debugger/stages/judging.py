"""What a stage is, and what its rules may answer.

A rule is named by its finding's code; it reads plain values and returns a Verdict, CannotJudge
or None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from debugger.failure import Failure, first_line
from debugger.frameworks import called
from debugger.outcome import Evidence, Finding, NotRun, Severity, StageName
from debugger.pipelines.face import Emit, Pipeline
from debugger.pipelines.facts import Facts
from debugger.script.heard import Heard
from debugger.script.places import Places

_T = TypeVar("_T")


@dataclass(frozen=True)
class View:
    """What a rule may read beside its stage's values. `places` is empty when there is no script."""

    facts: Facts
    places: Places = field(default_factory=lambda: Places(""))
    has_script: bool = False
    names: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What is known where the script stopped."""
    heard: Heard = field(default_factory=Heard, repr=False)
    """What the script's lines did."""
    walled: bool = False
    """Whether the kernel refuses it every change outside its run's own folder."""
    asked_behind: bool = False
    """Whether the rows to judge by are some that the model is only asked about behind its training,
    and `places` are of a script that would show it these."""

    def frame(self, name: str) -> Any:
        """The table of pandas of that name, None of anything else."""
        held = self.names.get(name)
        return held if type(held).__name__ == "DataFrame" else None

    @property
    def tokenizing(self) -> int | None:
        """Where texts become tokens."""
        made = self.places.tokenizing() or self.facts.tokenized_at
        return made or self.places.call("tokenizer.__call__", ".map")

    def output_layer(self, units: int) -> int | None:
        """Where the layer is told how many outputs it makes that the answers come from."""
        return self.layer(self.facts.last_layer, "units") or self.places.fits.output_layer(units)

    def layer(self, name: str, argument: str = "") -> int | None:
        """Where a layer of that name was made, or what it is told under that argument there."""
        made = self.facts.layers_at.get(name)
        return None if made is None else self.places.layers.given_at(*made, argument)


@dataclass(frozen=True)
class Verdict:
    severity: Severity
    line: int | None = None
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CannotJudge:
    reason: str


class Seen(Protocol):
    """What every stage sees beside values of its own: how its look ended, if by an exception."""

    @property
    def failure(self) -> Failure | None: ...


Rule = Callable[[Any, View], Verdict | CannotJudge | None]
S = TypeVar("S", bound=Seen)


@dataclass(frozen=True)
class Stage(Generic[S]):
    """One step of the diagnosis.

    `observe` looks at the pipeline; `show` makes evidence of what it saw, `measured` the plain
    numbers for the judge. A stage that `trains` takes `steps`, or as many as the run asks for, and
    no longer than the seconds that it is given, if any.
    Where it ends in an exception, the stages that it `blocks` would only meet the same one again.
    """

    name: StageName
    observe: Callable[[Pipeline, Emit, int, float | None], S]
    show: Callable[[S, Facts], list[Evidence]]
    measured: Callable[[S], dict[str, Any]]
    rules: tuple[Rule, ...]
    blocks: tuple[StageName, ...] = ()
    trains: bool = False
    steps: int | None = None


def fault(line: int | None = None, **numbers: Any) -> Verdict:
    return Verdict("fault", line, numbers)


def look(line: int | None = None, **numbers: Any) -> Verdict:
    return Verdict("look", line, numbers)


def note(line: int | None = None, **numbers: Any) -> Verdict:
    return Verdict("note", line, numbers)


def found_in(
    names: Iterable[str], find: Callable[..., _T | None], *what: Any, **more: Any
) -> _T | None:
    """What is looked for in a function that a script hands over under one of several names."""
    return next(filter(None, (find(one, *what, **more) for one in names)), None)


NOT_FOR_THIS_TASK = CannotJudge("not_for_this_task")
NO_SCRIPT = CannotJudge("no_script")
OUTSIDE = ("o", "outside")
"""What the label of a word is called that is no part of a name."""
IN_NATS = ("causal_lm", "masked_lm", "seq2seq")
"""Tasks whose loss is one of natural logarithms a token."""


def judged(
    stage: StageName, rules: Iterable[Rule], seen: Any, view: View, crashes: Iterable[Rule] = ()
) -> tuple[list[Finding], list[NotRun]]:
    """Every rule's answer. An exception that none of them names is left to the first among
    `crashes` that knows it, and is a finding of its own where nobody does."""
    findings: list[Finding] = []
    not_run: list[NotRun] = []
    for rule in (*COMMON, *rules):
        code = rule.__name__
        match rule(seen, view):
            case Verdict(severity, line, numbers):
                findings.append(Finding(code, severity, stage, line, numbers))
            case CannotJudge(reason):
                not_run.append(NotRun(code, reason))
    failure: Failure | None = seen.failure
    if failure is None:
        return findings, not_run
    if (code := failure.forbidden(view.walled)) is not None:
        said = {"said": first_line(failure.message)}
        findings.append(Finding(code, "note", stage, failure.line, said))
    elif not any(f.severity == "fault" for f in findings):
        findings.append(crash(stage, seen, view, crashes) or _unknown(stage, failure, view.places))
    return findings, not_run


def crash(stage: StageName, seen: Seen, view: View, rules: Iterable[Rule]) -> Finding | None:
    """What the first rule that knows an exception says of it."""
    for rule in rules:
        match rule(seen, view):
            case Verdict(severity, line, numbers):
                return Finding(rule.__name__, severity, stage, line, numbers)
    return None


def _unknown(stage: StageName, failure: Failure, places: Places) -> Finding:
    numbers = {"exception": failure.exception, "said": first_line(failure.message)}
    return Finding(f"{stage}_failed", "fault", stage, places.blamed(failure), numbers)


def out_of_memory(seen: Any, view: View) -> Verdict | None:
    failure: Failure | None = seen.failure
    if failure is None or not failure.out_of_memory:
        return None
    line = view.places.argument("per_device_train_batch_size", "batch_size") or failure.line
    length = getattr(seen, "length", None)
    size = {"tokens": view.facts.batch_size * length} if length else {}
    return fault(line, device=view.facts.device, **size)


def batch_too_large(seen: Any, view: View) -> Verdict | None:
    """What the batch was that memory did not suffice for, where a stage has seen its size."""
    failure, tokens = seen.failure, getattr(seen, "length", None)
    if failure is None or not failure.out_of_memory or not tokens or not failure.asked_megabytes:
        return None
    asked = failure.asked_megabytes
    return note(None, rows=view.facts.batch_size, tokens=tokens, megabytes=asked)


def device_side_assert(seen: Any, view: View) -> Verdict | None:
    """On a GPU errors arrive late: the line in the traceback is not where it went wrong."""
    failure: Failure | None = seen.failure
    if failure is None or not failure.device_lost or failure.out_of_memory:
        return None
    return fault(None, said=first_line(failure.message))


def mixed_devices(seen: Any, view: View) -> Verdict | None:
    failure: Failure | None = seen.failure
    if failure is None or not failure.says("same device"):
        return None
    return fault(failure.line, model=view.facts.device)


def signature_unlike_call(seen: Any, view: View) -> Verdict | None:
    """A function of the script's own that the library calls with other arguments than it takes."""
    failure: Failure | None = seen.failure
    told_already = ("argument 'labels'", "argument 'num_items_in_batch'")
    if failure is None or failure.exception != "TypeError" or any(map(failure.says, told_already)):
        return None
    found = re.search(r"([\w.<>]+)\(\) (?:takes|got|missing) ", failure.message)
    by_script = bool(failure.frames) and failure.frames[-1].own
    line = view.places.origins.function(found[1]) if found and not by_script else None
    if found is None or line is None:
        return None
    name = found[1].rpartition(".")[2]
    return fault(line, name=name, said=first_line(failure.message))


COMMON: tuple[Rule, ...] = (
    *(out_of_memory, batch_too_large, device_side_assert, mixed_devices),
    signature_unlike_call,
)


def traceback_shown(stage: StageName, failure: Failure | None, typed: str) -> list[Evidence]:
    if failure is None:
        return []
    return [Evidence("traceback", "traceback", stage, failure.to_data(), typed)]


def snippet(facts: Facts, code: str) -> str:
    """What to type to see the same, if anything: of a stage (its traceback) or an evidence code."""
    return "" if facts.by_hand else called(facts.framework).snippets.get(code, "")
