"""The rest of a script, run with answers that are made up: what it prints tells what it measures.

Nothing is predicted or trained: who asks the trained model gets what the clinic has drawn. It runs
only where the kernel refuses it every change outside of the run's folder, and reaches nobody.
"""

from __future__ import annotations

import ast
import linecache
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import StringIO
from types import FrameType
from typing import Any, Protocol

import numpy as np

from debugger.failure import is_own, line_in
from debugger.pipelines.breaking import Step, broken_off
from debugger.pipelines.drawing import Drawn, Unanswerable, Way, several
from debugger.pipelines.printed import Printed, numbers_in
from debugger.script.remainder import KEPT, RETURNED, Remainder, gives, reads, remainder
from debugger.script.tracing import name_of

SECONDS = 5.0
DEALT = 5
STRAIGHT = 0.9999
_BESIDE = ("label_ids", "metrics")
LOSS, FIRST, APART = 3.25, 0.75, 0.0625
"""What an evaluation is made to say: a loss, and metrics that no two are alike of."""


class OutOfTime(BaseException):
    """The rest of the script takes too long to be tried."""


@dataclass(frozen=True)
class Rest:
    """Of one function that was running when the training began: what is left of it."""

    names: dict[str, Any] = field(repr=False)
    file: str
    left: Remainder


@dataclass
class Went:
    """What one way of answering led to: by statement, its text, what it named, if it asked or had
    the model evaluated, and what it ended in where it broke off."""

    texts: list[str] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    measured: list[bool] = field(default_factory=list)
    shape: tuple[int, ...] = ()
    broke: list[Exception | None] = field(default_factory=list)


class Trained(Protocol):
    """A trained model, as the rest of its script meets it.

    `metrics` are the names under which it is evaluated, `asks` those under which it is asked or
    evaluated. `rows` are what it was asked about so far, and `made_by` is what the labels of those
    are known as. `result` is what the training gives back.
    """

    metrics: list[str]
    asks: tuple[str, ...]
    rows: list[Any]
    made_by: str
    result: Any

    def answering(self, way: Way, went: Went) -> AbstractContextManager[None]:
        """While open it answers with what was made up, and nothing is trained or kept."""
        ...

    def labels(self, rows: Any) -> Any:
        """What belongs to rows, None where nobody knows."""
        ...

    def array(self, value: Any) -> Any:
        """As one of NumPy's; what is none, it raises for."""
        ...


@dataclass(frozen=True)
class _Runs:
    """What came of answers that are made up, and of those that are what the labels say, or the
    first of several labels, as so many rows have them, where anybody knows those."""

    known: list[Went]
    right: Went | None
    single: Went | None
    several: int


@dataclass(frozen=True)
class Tried:
    """What the rest prints of made-up answers, what the model was asked about, and what it ends in
    whatever the answers are: what Python says, and the line. `names` are known when it is over;
    `whole`: nothing that asks a model was left out."""

    printed: tuple[Printed, ...] = ()
    rows: tuple[Any, ...] = ()
    fails: tuple[str, int] | None = None
    names: dict[str, Any] = field(default_factory=dict, repr=False)
    whole: bool = False


def running() -> Iterator[tuple[FrameType, ast.Module]]:
    """The functions of the script's own that are running now, from the innermost on, and the text
    of the file of each."""
    for frame in own_frames():
        if (tree := parsed(frame.f_code.co_filename)) is not None:
            yield frame, tree


def own_frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def parsed(file: str) -> ast.Module | None:
    """The same one for the same text."""
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def rest_of(frame: FrameType, tree: ast.Module) -> Iterator[Rest]:
    """What is left of a function that is running now, in the text of its file."""
    left = remainder(tree, function_of(frame), frame.f_lineno)
    if left is not None:
        yield Rest({**frame.f_globals, **frame.f_locals}, frame.f_code.co_filename, left)


def function_of(frame: FrameType) -> str:
    """The name of the function, "" in the open."""
    name = frame.f_code.co_name
    return "" if name == "<module>" else name


def tried(
    rests: Sequence[Rest], trained: Trained, drawn: Drawn, amounts: Sequence[float] = ()
) -> Tried:
    """`amounts`: the least, the middle and the most that was learned, where that is amounts."""
    ways: tuple[Way, ...] = (
        *(drawn.some, drawn.other, drawn.low, drawn.high),
        *(drawn.dealt(turn) for turn in range(DEALT)),
        *(drawn.all_of(amount) for amount in amounts),
    )
    until = time.monotonic() + SECONDS
    try:
        known = [_gone(rests, way, trained, until) for way in ways]
        right = _gone_if_known(rests, drawn.right, trained, until)
        single = _gone_if_known(rests, drawn.first, trained, until)
    except OutOfTime:
        return Tried(rows=tuple(trained.rows))
    truth = next((one for one in map(trained.labels, trained.rows) if one is not None), None)
    runs = _Runs(known, right, single, 0 if truth is None else several(truth))
    shown = tuple(_compared(rests, runs, trained, truth))
    if amounts:
        span = amounts[-1] - amounts[0]
        shown = tuple(replace(one, span=span, made_by=trained.made_by) for one in shown)
    ended = broken_off(_steps(rests, known), known[0].shape)
    names: dict[str, Any] = {}
    for one in (*(rest.names for rest in reversed(rests)), *known[0].given):
        names |= one
    statements = [one for rest in rests for one in rest.left.statements]
    broken = [
        s for went in known for s, error in zip(statements, went.broke, strict=False) if error
    ]
    whole = not any(_asks(one, trained.asks) for one in broken)
    return Tried(shown, tuple(trained.rows), ended, names, whole)


def told(names: Sequence[str]) -> dict[str, float]:
    """What an evaluation says, by the names of its metrics."""
    return {"loss": LOSS, **{name: FIRST - APART * place for place, name in enumerate(names)}}


def _steps(rests: Sequence[Rest], runs: list[Went]) -> Iterator[Step]:
    statements = [(rest, one) for rest in rests for one in rest.left.statements]
    for place, (rest, statement) in enumerate(statements):
        yield Step(
            statement=statement,
            line=line_in(rest.file, statement.lineno),
            blind=bool(reads(statement) & _unknown(rest)),
            ended=tuple(went.broke[place] for went in runs),
            asked=any(went.asked[place] for went in runs),
            measured=any(went.measured[place] for went in runs),
            given=runs[0].given[place],
        )


def _asks(statement: ast.stmt, names: Sequence[str]) -> bool:
    calls = (part for part in ast.walk(statement) if isinstance(part, ast.Call))
    return any(name_of(call.func) in names for call in calls)


def _unknown(rest: Rest) -> frozenset[str]:
    left = rest.left
    return left.missed if KEPT in rest.names else left.missed | left.opened


def _gone_if_known(
    rests: Sequence[Rest], made: Callable[[Any, int], Any], trained: Trained, until: float
) -> Went | None:
    """None where nobody knows the labels of what the model is asked about."""
    try:
        return _gone(rests, lambda rows, n: made(trained.labels(rows), n), trained, until)
    except Unanswerable:
        return None


def _gone(rests: Sequence[Rest], way: Way, trained: Trained, until: float) -> Went:
    """All that is left, from the function that trains outwards, one statement after the other."""
    went = Went()
    result = trained.result
    with trained.answering(way, went), _watched(until):
        for rest in rests:
            names = dict(rest.names)
            for target in rest.left.targets:
                if isinstance(target, ast.Name):
                    names[target.id] = result
            over = False
            for statement in rest.left.statements:
                went.asked.append(False)
                went.measured.append(False)
                went.broke.append(None)
                text = StringIO()
                if not over:
                    over = _performed(statement, rest.file, names, text, went)
                went.texts.append(text.getvalue())
                went.given.append({n: names[n] for n in gives(statement) if n in names})
            result = names.get(RETURNED)
    return went


def _performed(
    statement: ast.stmt, file: str, names: dict[str, Any], text: StringIO, went: Went
) -> bool:
    """Whether all is over with it. What cannot be run is left out."""
    try:
        code = compile(ast.Module([statement], []), file, "exec")
        with redirect_stdout(text), redirect_stderr(StringIO()):
            exec(code, names)
    except OutOfTime:
        raise
    except StopIteration:
        return True
    except Exception as error:
        went.broke[-1] = error
    except SystemExit:
        return False
    return False


@contextmanager
def _watched(until: float) -> Iterator[None]:
    """While open, a line of the script's own that comes too late ends it all."""
    before = sys.gettrace()

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        if time.monotonic() > until:
            raise OutOfTime
        return traced if is_own(frame.f_code.co_filename) else None

    sys.settrace(traced)
    try:
        yield
    finally:
        sys.settrace(before)


def _compared(
    rests: Sequence[Rest], made: _Runs, trained: Trained, truth: Any
) -> Iterator[Printed]:
    """The numbers that hang on the answers, or come from an evaluation, statement by statement."""
    right, runs = made.right, made.known
    plain = [*runs[:2], *runs[4:], right] if right is not None else runs  # see stages/printed.py
    statements = [(rest, one) for rest in rests for one in rest.left.statements]
    hangs: set[str] = set()
    asked_for: set[str] = set()  # with labels that came along with answers
    same_at = one_at = None
    known: dict[str, Any] = {}
    for place, (rest, statement) in enumerate(statements):
        line = line_in(rest.file, statement.lineno)
        known = rest.names | known | (right.given[place] if right is not None else {})
        asks = any(went.asked[place] for went in runs)
        if asks or reads(statement) & asked_for:
            asked_for |= gives(statement)
        if asks or _reads_answers(statement) & hangs:
            marks = {id(went): _marks(went.given[place], trained) for went in (*runs, *plain)}
            hangs |= _hanging(statement, [marks[id(went)] for went in runs])
            hangs -= _measured(runs[0].given[place], trained.metrics)
            if same_at is None and any(
                _are_same([marks[id(went)] for went in them]) for them in (runs, plain)
            ):
                same_at = line
            if one_at is None and _is_one(runs[0].given[place]):
                one_at = line
        texts = [numbers_in(went.texts[place]) for went in runs]
        if not texts[0] or any(len(one) != len(texts[0]) for one in texts):
            continue
        whole = ast.unparse(statement)
        for number in range(len(texts[0])):
            some, other, low, high, *more = (one[number][1] for one in texts)
            name = texts[0][number][0] or (whole if len(texts[0]) == 1 else "")
            of = _said_by(some, trained.metrics)
            on_answers = asks or bool(_reads_answers(statement) & hangs)
            beside = not of and not on_answers and bool(reads(statement) & asked_for)
            if not of and not on_answers and not beside:
                continue
            perfect, single = (
                best[number][1] if len(best) == len(texts[0]) else None
                for best in (
                    [] if one is None else numbers_in(one.texts[place])
                    for one in (right, made.single)
                )
            )
            yield Printed(
                *(name, line, some, other, tuple(more[:DEALT]), low, high),
                *(same_at, one_at, runs[0].shape, of, perfect),
                within=tuple(more[DEALT:]),
                single=single,
                several=made.several,
                beside=beside,
                off=_off(statement, hangs, known, truth),
            )


def _reads_answers(statement: ast.stmt) -> set[str]:
    """Without what is asked for labels, or for numbers, that come along with answers."""
    beside = {
        id(node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr in _BESIDE
    }
    names = (n for n in ast.walk(statement) if isinstance(n, ast.Name) and id(n) not in beside)
    return {one.id for one in names if isinstance(one.ctx, ast.Load)}


def _hanging(statement: ast.stmt, marks: list[dict[str, Any]]) -> set[str]:
    """Of several names that one answer is taken apart into, those of what goes by the answers."""
    names = gives(statement)
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
        return names
    same = {name for name in names if all(name in one for one in marks)}
    same = {name for name in same if all(one[name] == marks[0][name] for one in marks)}
    return names if same == names else names - same


def _measured(given: dict[str, Any], metrics: Sequence[str]) -> set[str]:
    """Names of what an evaluation has said, which no answer changes here."""
    said = set(told(metrics).values())
    maps = {name: value for name, value in given.items() if isinstance(value, Mapping) and value}
    return {
        name
        for name, value in maps.items()
        if all(isinstance(one, float) and one in said for one in value.values())
    }


def _off(statement: ast.stmt, hangs: set[str], known: dict[str, Any], truth: Any) -> str:
    """Which side of a comparison is not made of the labels: what stands there by itself, else the
    answers, where the other side is the labels, on whatever scale; "" where nobody can tell."""
    names = sorted(reads(statement))
    beside = [one for one in names if one not in hangs and _is_beside(known.get(one), truth)]
    if truth is None or len(beside) != 1:
        return ""
    if not _on_one_line(known[beside[0]], truth):
        return beside[0]
    answers = [one for one in names if one in hangs and _is_beside(known.get(one), truth)]
    return answers[0] if len(answers) == 1 else ""


def _is_beside(value: Any, truth: Any) -> bool:
    numbers = isinstance(value, np.ndarray) and value.dtype.kind in "iufb"
    return numbers and truth is not None and value.size == np.size(truth) > 1


def _on_one_line(values: Any, truth: Any) -> bool:
    """Whether the one is the other: amounts, times something and moved by something."""
    if np.asarray(truth).dtype.kind in "iub":
        return bool(np.array_equal(np.ravel(values), np.ravel(truth)))
    one, other = (np.ravel(v).astype(float) for v in (values, truth))
    if not one.std() or not other.std():
        return False
    return bool(np.corrcoef(one, other)[0, 1] > STRAIGHT)


def _said_by(value: float, metrics: Sequence[str]) -> str:
    """The name under which an evaluation has made this number known."""
    for name, said in told(metrics).items():
        if value in (said, round(100 * said, 4)):
            return name
    return ""


def _marks(given: dict[str, Any], trained: Trained) -> dict[str, Any]:
    """What tells values apart; nothing of a count, which is the same whatever was answered."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        try:
            array = trained.array(value)
        except Exception:
            continue
        if array.dtype.kind == "f" or (array.dtype.kind in "iub" and array.ndim):
            made[name] = (array.shape, array.tobytes())
    return made


def _are_same(marks: list[dict[str, Any]]) -> bool:
    return bool(marks[0]) and all(one == marks[0] for one in marks)


def _is_one(given: dict[str, Any]) -> bool:
    """Whether one number was made of many."""
    values = given.values()
    return any(isinstance(one, float | np.floating) and np.ndim(one) == 0 for one in values)
