"""The rest of a script, run with answers that are made up: what it prints tells what it measures.

Nothing is predicted or trained: who asks the trained model gets what the clinic has drawn. It runs
only where the kernel refuses it every change outside of the run's folder, and reaches nobody.
"""

from __future__ import annotations

import ast
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import TFPreTrainedModel
from transformers.modeling_tf_outputs import TFSequenceClassifierOutput

from debugger.failure import is_own, line_in
from debugger.frameworks.keras.answering import Loss, are_shares, loss_of
from debugger.frameworks.keras.beside import Beside, amounts_beside, classes_beside
from debugger.frameworks.keras.breaking import Step, broken_off
from debugger.frameworks.keras.feeding import as_batches
from debugger.frameworks.keras.reading import batches_of, dense, parts_of, size_of
from debugger.frameworks.keras.reopened import is_opened_again
from debugger.pipelines.columns import MOST_MEASURED
from debugger.pipelines.printed import Printed, numbers_in
from debugger.script.remainder import KEPT, RETURNED, Remainder, gives, reads, remainder
from debugger.script.tracing import name_of

if TYPE_CHECKING:
    from debugger.frameworks.keras.building import Fit

SECONDS = 5.0
MOST_ROWS = 20_000
FAR, SURE = 1e4, 8.0
DEALT = 5
STRAIGHT = 0.9999
Way = Callable[[Any, int], Any]
LOSS, FIRST, APART = 3.25, 0.75, 0.0625
"""What `evaluate` is made to say: a loss, and metrics that no two are alike of."""
_ASKS = ("predict", "predict_on_batch", "__call__")


@dataclass(frozen=True)
class Rest:
    """Of one function that was running when the training began: what is left of it."""

    names: dict[str, Any] = field(repr=False)
    file: str
    left: Remainder


@dataclass
class _Run:
    """What one way of answering led to: by statement, its text, what it named, if it asked or had
    the model evaluated, and what it ended in where it broke off."""

    texts: list[str] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    measured: list[bool] = field(default_factory=list)
    shape: tuple[int, ...] = ()
    broke: list[Exception | None] = field(default_factory=list)


@dataclass(frozen=True)
class _Runs:
    """What came of answers that are made up, and of those that are what the labels say, or the
    first of several labels, as so many rows have them, where anybody knows those."""

    known: list[_Run]
    right: _Run | None
    single: _Run | None
    several: int


class Unanswerable(BaseException):
    """Nobody knows what is right about these rows."""


class OutOfTime(BaseException):
    """The rest of the script takes too long to be tried."""


def rest_of(frame: FrameType, tree: ast.Module) -> Iterator[Rest]:
    """What is left of a function that is running now, in the text of its file."""
    left = remainder(tree, function_of(frame), frame.f_lineno)
    if left is not None:
        yield Rest({**frame.f_globals, **frame.f_locals}, frame.f_code.co_filename, left)


def function_of(frame: FrameType) -> str:
    """The name of the function, "" in the open."""
    name = frame.f_code.co_name
    return "" if name == "<module>" else name


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


def printed(fit: Fit, scores: Any, learned: Sequence[Any], amounts_learned: bool) -> Tried:
    """`scores` is what the model answers to a batch, `learned` are the labels that it learns."""
    rests, drawn = fit.after.rests, _Drawn(scores, loss_of(fit.model))
    if fit.after.cut_off is None or not any(one.left.statements for one in rests):
        return Tried()
    fit.after.cut_off()
    if is_opened_again(fit):
        rests = tuple(replace(one, names={**one.names, KEPT: fit.model}) for one in rests)
    known_arrays = tuple(_arrays(rests))
    beside = (amounts_beside if amounts_learned else classes_beside)(known_arrays, learned)
    asked = _Asked(fit, beside)
    amounts = _ends_and_middle(learned) if amounts_learned else ()
    ways: tuple[Way, ...] = (
        *(drawn.some, drawn.other, drawn.low, drawn.high),
        *(drawn.dealt(turn) for turn in range(DEALT)),
        *(drawn.all_of(amount) for amount in amounts),
    )
    until = time.monotonic() + SECONDS
    try:
        known = [_run(fit, rests, way, asked, until) for way in ways]
        right = _run_if_known(fit, rests, drawn.right, asked, until)
        single = _run_if_known(fit, rests, drawn.first, asked, until)
    except OutOfTime:
        return Tried(rows=tuple(asked.rows))
    truth = next((one for one in map(asked.labels, asked.rows) if one is not None), None)
    runs = _Runs(known, right, single, 0 if truth is None else _several(truth))
    shown = tuple(_compared(rests, runs, metric_names(fit.model), truth))
    if amounts:
        span = amounts[-1] - amounts[0]
        shown = tuple(replace(one, span=span, made_by=asked.made_by) for one in shown)
    ended = broken_off(_steps(rests, known), known[0].shape)
    names: dict[str, Any] = {}
    for one in (*(rest.names for rest in reversed(rests)), *known[0].given):
        names |= one
    statements = [one for rest in rests for one in rest.left.statements]
    broken = [s for run in known for s, error in zip(statements, run.broke, strict=False) if error]
    whole = not any(map(_asks, broken))
    return Tried(shown, tuple(asked.rows), ended, names, whole)


def _steps(rests: tuple[Rest, ...], runs: list[_Run]) -> Iterator[Step]:
    statements = [(rest, one) for rest in rests for one in rest.left.statements]
    for place, (rest, statement) in enumerate(statements):
        yield Step(
            statement=statement,
            line=line_in(rest.file, statement.lineno),
            blind=bool(reads(statement) & _unknown(rest)),
            ended=tuple(run.broke[place] for run in runs),
            asked=any(run.asked[place] for run in runs),
            measured=any(run.measured[place] for run in runs),
            given=runs[0].given[place],
        )


def _asks(statement: ast.stmt) -> bool:
    calls = (part for part in ast.walk(statement) if isinstance(part, ast.Call))
    return any(name_of(call.func) in (*_ASKS, "evaluate", "model") for call in calls)


def _unknown(rest: Rest) -> frozenset[str]:
    left = rest.left
    return left.missed if KEPT in rest.names else left.missed | left.opened


class _Asked:
    """What the model was asked about, and how many rows each of those has. `beside` are what the
    rest holds that looks like labels."""

    def __init__(self, fit: Fit, beside: Sequence[Beside]) -> None:
        self.rows: list[Any] = []
        self.made_by = ""
        self._pairs = fit.pairs
        self._beside = beside
        self._counts: dict[int, int] = {}
        self._labels: dict[int, Any] = {}

    def note(self, rows: Any) -> None:
        if rows is not None and not any(one is rows for one in self.rows):
            self.rows.append(rows)  # which keeps its id its own

    def count(self, rows: Any) -> int:
        self.note(rows)
        if id(rows) not in self._counts:
            self._counts[id(rows)] = count_rows(rows)
        return self._counts[id(rows)]

    def labels(self, rows: Any) -> Any:
        """What belongs to them as far as `fit` was told, or the only labels of so many rows; None
        where nobody knows."""
        if id(rows) not in self._labels:
            paired = next((y for x, y in self._pairs if _are_same(x, rows)), None)
            told = labels_in(rows) if paired is None else dense(paired)
            self._labels[id(rows)] = self._of_as_many(rows) if told is None else told
        return self._labels[id(rows)]

    def _of_as_many(self, rows: Any) -> Any:
        found = [one for one in self._beside if len(one.labels) == self.count(rows)]
        self.made_by = found[0].made_by if len(found) == 1 else ""
        return found[0].labels if len(found) == 1 else None


def _are_same(given: Any, rows: Any) -> bool:
    """A part of an array is cut out anew each time that it is named."""
    if given is rows:
        return True
    arrays = isinstance(given, np.ndarray) and isinstance(rows, np.ndarray)
    return arrays and given.dtype.kind in "iufb" and np.array_equal(given, rows)


def _arrays(rests: tuple[Rest, ...]) -> Iterator[Any]:
    """All different ones of numbers that the rest reads by name."""
    found: list[Any] = []
    for rest in rests:
        for name in sorted(set().union(*map(reads, rest.left.statements))):
            value: Any = rest.names.get(name)
            if not isinstance(value, np.ndarray) or value.dtype.kind not in "iufb":
                continue
            if value.ndim and not any(np.array_equal(value, one) for one in found):
                found.append(value)
                yield value


def _ends_and_middle(learned: Sequence[Any]) -> tuple[float, ...]:
    """Of amounts, one a row; of anything else nothing."""
    amounts = np.asarray(learned, dtype=object)
    if amounts.ndim != 1 or not all(isinstance(one, int | float) for one in amounts):
        return ()
    known = amounts.astype(float)
    known = known[np.isfinite(known)]
    return tuple(np.quantile(known, (0.02, 0.5, 0.98)).tolist()) if len(known) else ()


class _Drawn:
    """Answers in the form that the model gives, drawn without touching anybody's generator."""

    def __init__(self, scores: Any, loss: Loss) -> None:
        self._yes_or_no = loss.counts == "each"
        numbers = None if scores is None else dense(scores).astype(float)
        if numbers is not None and not np.isfinite(numbers).all():
            numbers = None
        self.shape = None if numbers is None else numbers.shape[1:]
        self._shares = numbers is not None and are_shares(numbers)
        inside = numbers is not None and bool(((numbers >= 0) & (numbers <= 1)).all())
        shares = loss.counts not in ("amounts", "own") and not loss.logits
        self._inside = inside and shares and not self._shares

    def some(self, _: Any, count: int, seed: int = 0) -> Any:
        assert self.shape is not None
        drawn = np.random.default_rng(seed).standard_normal((count, *self.shape))
        if self._shares:
            drawn = np.exp(3 * drawn)
            drawn /= drawn.sum(-1, keepdims=True)
        elif self._inside:
            drawn = np.random.default_rng(seed).random((count, *self.shape))
        return drawn.astype(np.float32)

    def other(self, rows: Any, count: int) -> Any:
        return self.some(rows, count, 1)

    def low(self, _: Any, count: int) -> Any:
        return self._moved(count, -FAR)

    def high(self, _: Any, count: int) -> Any:
        return self._moved(count, FAR)

    def dealt(self, turn: int) -> Way:
        def made(rows: Any, count: int) -> Any:
            return self.some(rows, count)[np.random.default_rng(turn + 2).permutation(count)]

        return made

    def all_of(self, amount: float) -> Way:
        """The same answer to all rows."""
        return lambda _, count: np.full((count, *(self.shape or ())), amount, np.float32)

    def right(self, labels: Any, count: int) -> Any:
        """Just what the labels say, and sure of it."""
        assert self.shape is not None
        if labels is None or len(labels) != count or labels.dtype.kind not in "iufb":
            raise Unanswerable
        shape = (count, *self.shape)
        if labels.size == np.prod(shape[:-1]) and shape[-1] > 1:
            chosen = labels.reshape(shape[:-1]).astype(int)
            if (chosen < 0).any() or (chosen >= shape[-1]).any():
                raise Unanswerable
            made = np.eye(shape[-1])[chosen]
        elif labels.size == np.prod(shape):
            made = labels.reshape(shape).astype(float)
        else:
            raise Unanswerable
        if self._yes_or_no and not self._inside:
            made = (2 * made - 1) * SURE
        return made.astype(np.float32)

    def first(self, labels: Any, count: int) -> Any:
        """Of several labels of a row only the first."""
        if labels is None or not _several(labels):
            raise Unanswerable
        yes = np.asarray(labels) > 0
        return self.right((yes & (yes.cumsum(axis=1) == 1)).astype(float), count)

    def _moved(self, count: int, by: float) -> Any:
        some = self.some(None, count)
        if self._shares:
            return some[..., ::-1] if by > 0 else np.roll(some, 1, -1)
        if self._inside:
            return np.full_like(some, 0.999 if by > 0 else 0.001)
        return some + np.float32(by)


def _several(labels: Any) -> int:
    """How many rows have more than one of several labels."""
    if labels.ndim != 2 or labels.shape[1] < 2 or not np.isin(labels, (0, 1)).all():
        return 0
    return int((labels.sum(axis=1) > 1).sum())


def _run_if_known(
    fit: Fit, rests: tuple[Rest, ...], made: Way, asked: _Asked, until: float
) -> _Run | None:
    """None where nobody knows the labels of what the model is asked about."""
    try:
        return _run(fit, rests, lambda rows, n: made(asked.labels(rows), n), asked, until)
    except Unanswerable:
        return None


def _run(fit: Fit, rests: tuple[Rest, ...], way: Any, asked: _Asked, until: float) -> _Run:
    """All that is left, from the function that trains outwards, one statement after the other."""
    run = _Run()
    result: Any = _history(fit)
    with _answering(fit.model, way, asked, run), _watched(until):
        for rest in rests:
            names = dict(rest.names)
            for target in rest.left.targets:
                if isinstance(target, ast.Name):
                    names[target.id] = result
            over = False
            for statement in rest.left.statements:
                run.asked.append(False)
                run.measured.append(False)
                run.broke.append(None)
                text = StringIO()
                if not over:
                    over = _performed(statement, rest.file, names, text, run)
                run.texts.append(text.getvalue())
                run.given.append({n: names[n] for n in gives(statement) if n in names})
            result = names.get(RETURNED)
    return run


def _performed(
    statement: ast.stmt, file: str, names: dict[str, Any], text: StringIO, run: _Run
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
        run.broke[-1] = error
    except SystemExit:
        return False
    return False


@contextmanager
def _answering(model: Any, way: Any, asked: _Asked, run: _Run) -> Iterator[None]:
    """While open, the trained model answers with what was made up, and no model is trained."""
    kind: Any = tf_keras.Model
    real = {name: getattr(kind, name) for name in (*_ASKS, "evaluate", "fit", "save")}
    names = metric_names(model)

    def predict(self: Any, x: Any = None, *args: Any, **kwargs: Any) -> Any:
        if self is not model:
            return real["predict"](self, x, *args, **kwargs)
        run.asked[-1] = True
        made = way(x, asked.count(x))
        run.shape = made.shape
        of_library = isinstance(model, TFPreTrainedModel)
        return TFSequenceClassifierOutput(logits=made) if of_library else made

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self is not model or not args:
            return real["__call__"](self, *args, **kwargs)
        made = predict(self, args[0])
        return tf.constant(made) if isinstance(made, np.ndarray) else made

    def evaluate(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self is not model:
            return real["evaluate"](self, *args, **kwargs)
        asked.note(args[0] if args else kwargs.get("x"))
        run.measured[-1] = True
        told = _told(names)
        return told if kwargs.get("return_dict") else [*told.values()] if names else LOSS

    def refused(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("nothing is trained or kept here")

    with ExitStack() as undo:
        made = {"predict": predict, "predict_on_batch": predict, "__call__": call}
        made |= {"evaluate": evaluate, "fit": refused, "save": refused}
        for name, one in made.items():
            setattr(kind, name, one)
            undo.callback(setattr, kind, name, real[name])
        called = kind.metrics_names
        kind.metrics_names = property(
            lambda self: ["loss", *names] if self is model else called.fget(self)
        )
        undo.callback(setattr, kind, "metrics_names", called)
        yield


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


def metric_names(model: Any) -> list[str]:
    given = getattr(model.compiled_metrics, "_user_metrics", None)
    flat = tf.nest.flatten(given) if isinstance(given, list | tuple) else [given] if given else []
    return [
        one if isinstance(one, str) else getattr(one, "name", getattr(one, "__name__", "metric"))
        for one in flat
    ]


def _told(names: list[str]) -> dict[str, float]:
    return {"loss": LOSS, **{name: FIRST - APART * place for place, name in enumerate(names)}}


def _history(fit: Fit) -> Any:
    told = _told(metric_names(fit.model))
    if fit.validation is not None:
        told |= {f"val_{name}": value for name, value in told.items()}
    epochs = max(1, fit.epochs)
    history = {name: [value] * epochs for name, value in told.items()}
    return SimpleNamespace(history=history, epoch=list(range(epochs)), model=fit.model)


def count_rows(rows: Any) -> int:
    """How many rows somebody asks about."""
    if isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
        count = 0
        for batch in batches_of(as_batches(rows)):
            count += size_of(parts_of(batch))
            if count > MOST_ROWS:
                raise OutOfTime
        return count
    first = tf.nest.flatten(rows)[0]
    return len(rows) if np.ndim(first) == 0 else int(np.shape(first)[0])


def left_out(tried: Tried) -> str:
    """What gave fewer rows than there are, where the rest fails for want of them."""
    told = set(re.findall(r"\d+", tried.fails[0])) if tried.fails is not None else set[str]()
    for rows in tried.rows if told else ():
        if isinstance(rows, tf_keras.utils.Sequence):
            held = max((len(one) for one in vars(rows).values() if _is_column(one)), default=0)
            if str(held) in told and count_rows(rows) < held:
                return type(rows).__name__
        elif isinstance(rows, tf.data.Dataset) and _drops_remainder(rows):
            return "drop_remainder"
    return ""


def _is_column(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _drops_remainder(dataset: Any) -> bool:
    while dataset is not None:
        if hasattr(dataset, "_drop_remainder"):
            return bool(dataset._drop_remainder)
        dataset = getattr(dataset, "_input_dataset", None)
    return False


def first_rows(rows: Any) -> Any:
    """The first of what a model was asked about, as one array; None where it is none."""
    try:
        if isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
            found: list[Any] = []
            for batch in batches_of(as_batches(rows)):
                found.append(dense(tf.nest.flatten(parts_of(batch).x)[0]))
                if sum(map(len, found)) >= MOST_MEASURED:
                    break
            return np.concatenate(found)
        return None if isinstance(rows, dict | list | tuple) else dense(rows)[:MOST_MEASURED]
    except Exception:  # what cannot be read proves nothing
        return None


def labels_in(rows: Any) -> Any:
    """In the order that `predict` goes through them; None of what holds no labels."""
    if not isinstance(rows, tf.data.Dataset | tf_keras.utils.Sequence):
        return None
    found: list[Any] = []
    try:
        for batch in batches_of(as_batches(rows)):
            labels = parts_of(batch).labels
            if labels is None:
                return None
            found.append(dense(labels))
            if sum(map(len, found)) > MOST_ROWS:
                return None
        return np.concatenate(found) if found else None
    except Exception:  # what cannot be read proves nothing
        return None


def _compared(
    rests: tuple[Rest, ...], made: _Runs, metrics: list[str], truth: Any
) -> Iterator[Printed]:
    """The numbers that hang on the answers, or come from `evaluate`, statement by statement."""
    right, runs = made.right, made.known
    statements = [(rest, one) for rest in rests for one in rest.left.statements]
    hangs: set[str] = set()
    same_at = one_at = None
    known: dict[str, Any] = {}
    for place, (rest, statement) in enumerate(statements):
        line = line_in(rest.file, statement.lineno)
        known = rest.names | known | (right.given[place] if right is not None else {})
        asks = any(run.asked[place] for run in runs)
        if asks or reads(statement) & hangs:
            hangs |= gives(statement)
            given = [_marks(run.given[place]) for run in runs]
            if same_at is None and given[0] and all(one == given[0] for one in given):
                same_at = line
            if one_at is None and _is_one(runs[0].given[place]):
                one_at = line
        told = [numbers_in(run.texts[place]) for run in runs]
        if not told[0] or any(len(one) != len(told[0]) for one in told):
            continue
        whole = ast.unparse(statement)
        for number in range(len(told[0])):
            some, other, low, high, *more = (one[number][1] for one in told)
            name = told[0][number][0] or (whole if len(told[0]) == 1 else "")
            of = _said_by(some, metrics)
            if not of and not (asks or reads(statement) & hangs):
                continue
            perfect, single = (
                best[number][1] if len(best) == len(told[0]) else None
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
                off=_off(statement, hangs, known, truth),
            )


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


def _said_by(value: float, metrics: list[str]) -> str:
    """The name under which `evaluate` has made this number known."""
    for name, told in _told(metrics).items():
        if value in (told, round(100 * told, 4)):
            return name
    return ""


def _marks(given: dict[str, Any]) -> dict[str, Any]:
    """What tells values apart; nothing of a count, which is the same whatever was answered."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        try:
            array = dense(value)
        except Exception:
            continue
        if array.dtype.kind == "f" or (array.dtype.kind in "iub" and array.ndim):
            made[name] = (array.shape, array.tobytes())
    return made


def _is_one(given: dict[str, Any]) -> bool:
    """Whether one number was made of many."""
    values = given.values()
    return any(isinstance(one, float | np.floating) and np.ndim(one) == 0 for one in values)
