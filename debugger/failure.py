"""An exception as plain data: what it says, and which of its lines are the learner's."""

from __future__ import annotations

import linecache
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeVar

from debugger.script.enclosure import Refusal, refusal

P = ParamSpec("P")
T = TypeVar("T")

_OURS = (str(Path(__file__).parent), str(Path(__file__).parent.parent / "scenarios" / "assets"))
_LIBRARIES = (
    *{sysconfig.get_path(name) for name in ("stdlib", "platstdlib")},
    "<frozen",
    "<string>",
)
_PACKAGES = ("site-packages", "dist-packages")  # the second is Debian's, and so Colab's
_MEGABYTES = {"bytes": 2**-20, "KiB": 2**-10, "MiB": 1.0, "GiB": 2.0**10}
_WITH_NUMBERS = ("torch", "numpy", "tensorflow", "pandas")
_NO_VALUES = (type, ModuleType, FunctionType, BuiltinFunctionType)
MOST_HELD = 200
_RAISED = re.compile(r"[\w.]+(?:Error|Exception): ")
_scripts: dict[str, int] = {}
"""The script that this process runs, if it runs one, and files beside it: findings name lines of
these alone. What is added to a line's number tells of which file it is."""


@dataclass(frozen=True)
class Frame:
    file: str
    line: int
    name: str
    code: str
    own: bool


@dataclass(frozen=True)
class Held:
    """What a name stood for where the learner's code stopped: its class, its kind of numbers."""

    name: str
    kind: str
    dtype: str = ""


@dataclass(frozen=True)
class Failure:
    """`line` is the last line of the learner's own that took part, None if there is none.

    `held` are the names that were known there, the nearest first. `refusal` is what the wall around
    a run refuses it, or a machine without a network, if the message reads so.
    """

    exception: str
    message: str
    frames: tuple[Frame, ...]
    line: int | None
    held: tuple[Held, ...] = ()
    refusal: Refusal | None = None

    def forbidden(self, walled: bool) -> Refusal | None:
        """What kept the script from going on, where that is none of its own doing."""
        return self.refusal if walled or self.refusal == "not_reached" else None

    def says(self, *phrases: str) -> bool:
        """Whether the message holds every phrase, in any case."""
        return all(phrase.lower() in self.message.lower() for phrase in phrases)

    def to_data(self) -> dict[str, Any]:
        """The `data` of a traceback evidence."""
        told = {"exception": self.exception, "message": self.message, "line": self.line}
        return {**told, "frames": [asdict(frame) for frame in self.frames]}

    @property
    def out_of_memory(self) -> bool:
        return (
            self.exception in ("MemoryError", "OutOfMemoryError")
            or self.says("can't allocate memory")
            or self.says("out of memory")
        )

    @property
    def asked_megabytes(self) -> float | None:
        """How much was asked for at once when memory ran out, if the message says it."""
        found = re.search(
            r"tried to allocate ([\d.]+) (bytes|[KMG]iB)", self.message, re.IGNORECASE
        )
        return float(found[1]) * _MEGABYTES[found[2]] if found else None

    @property
    def device_lost(self) -> bool:
        return self.says("device-side assert") or self.says("CUDA error")


def on_behalf(call: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Do for the script what it would have done itself: what this raises is the script's."""
    return call(*given, **named)


def is_ours(error: BaseException) -> bool:
    """Whether the clinic's own looking raised this.

    Whoever acted last is to blame: the script, or the clinic, unless it acted on its behalf. A hook
    or a metric of ours that a library calls acts for the clinic again.
    """
    ours = handed = False
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code is on_behalf.__code__:
            ours, handed = False, True
        elif code.co_filename.startswith(_OURS[0]):
            ours = not handed
        elif handed or is_own(code.co_filename):
            ours = handed = False
        trace = trace.tb_next
    return ours


def failure_of_script(error: BaseException) -> Failure:
    """The exception as data. Where the clinic itself is to blame, it is raised again.

    Never of a device that was lost: that is told late, to whoever happens to read next.
    """
    failure = failure_of(error)
    if is_ours(error) and not failure.device_lost:
        raise error
    return failure


def failure_of(error: BaseException) -> Failure:
    """The exception as data, without the clinic's own frames."""
    frames = [_frame(item) for item in traceback.extract_tb(error.__traceback__)]
    shown = tuple(frame for frame in frames if not frame.file.startswith(_OURS))
    if isinstance(error, SyntaxError):
        shown = (Frame(error.filename or "", error.lineno or 1, "", error.text or "", True),)
    placed = (line_in(frame.file, frame.line) for frame in shown if frame.own)
    own = [line for line in placed if line is not None]
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    line = own[-1] if own else None
    kind = type(error).__name__
    return Failure(kind, message[:8000], shown, line, _held(error), refusal(error))


def _held(error: BaseException) -> tuple[Held, ...]:
    """The names that the last frame of the learner's own knew, those of its function first."""
    last, trace = None, error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        last = frame if is_own(frame.f_code.co_filename) else last
        trace = trace.tb_next
    if last is None or not _scripts:
        return ()
    known = [*last.f_locals.items(), *last.f_globals.items()]
    plain = [(n, v) for n, v in known if not n.startswith("__") and not isinstance(v, _NO_VALUES)]
    return tuple(Held(n, type(v).__name__, _dtype(v)) for n, v in plain[:MOST_HELD])


def _dtype(value: object) -> str:
    """Of a tensor, an array, a number of NumPy: what library's it is, its class tells."""
    if not str(type(value).__module__).startswith(_WITH_NUMBERS):  # which a class may name a field
        return ""
    return str(getattr(value, "dtype", "")).removeprefix("torch.")


def printed(error: BaseException, begins: str) -> str:
    """What Python prints of an exception: from the first frame of the file `begins` on."""
    told = traceback.TracebackException.from_exception(error, compact=True)
    files = [frame.filename for frame in told.stack]
    del told.stack[: files.index(begins) if begins in files else len(files)]
    chain: list[traceback.TracebackException | None] = [told]
    for one in chain:  # grows on the way
        if one is not None:
            one.stack[:] = [frame for frame in one.stack if not frame.filename.startswith(_OURS)]
            chain += [one.__cause__, one.__context__]
    return "".join(told.format())


def is_own(filename: str) -> bool:
    """Whether a file is the learner's: neither a library, nor Python's, nor the clinic's."""
    if filename in _scripts:  # the scenarios of an installed clinic are among the packages
        return True
    return not (
        any(folder in filename for folder in _PACKAGES) or filename.startswith(_OURS + _LIBRARIES)
    )


def own_line() -> int | None:
    """The line of the learner's script, or of a file beside it, that called us, if one did."""
    return next(_own_lines(), (None, False))[0]


def script_line() -> int | None:
    """The line of the script itself, though the call stands in a file beside it."""
    lines = list(_own_lines())
    return next((line for line, beside in lines if not beside), lines[0][0] if lines else None)


def _own_lines() -> Iterator[tuple[int, bool]]:
    """The innermost first, each with whether it stands beside the script."""
    frame = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        line = line_in(filename, frame.f_lineno) if is_own(filename) else None
        if line is not None:
            yield line, bool(_scripts.get(filename))
        frame = frame.f_back


def remember_source(filename: str, text: str, beside: Mapping[str, int] | None = None) -> None:
    """This process runs that script now, with what stands `beside` it, as `Sources` number it.

    Tracebacks show its lines, wherever it stands on disk.
    """
    _scripts.clear()
    _scripts.update({**(beside or {}), filename: 0})
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)


def forget_source() -> None:
    _scripts.clear()


def line_in(filename: str, line: int) -> int | None:
    """The line as findings name it; None where they name none of that file."""
    if not _scripts:
        return line
    return line + _scripts[filename] if filename in _scripts else None


def _frame(item: traceback.FrameSummary) -> Frame:
    own = is_own(item.filename)
    return Frame(item.filename, item.lineno or 0, item.name, item.line or "", own)


def first_line(message: str) -> str:
    """What an error says. Keras says where it was first, and what happened after that; of what it
    has made a graph of, all of its own lines, and what happened at the end."""
    told = [line.strip() for line in message.splitlines() if line.strip()]
    if told and told[0].startswith("in user code:"):
        return next((one for one in reversed(told) if _RAISED.match(one)), told[-1])[:300]
    inside = len(told) > 1 and told[0].startswith("Exception encountered when calling")
    return told[int(inside)][:300] if told else ""
