"""What the script holds the model's answers against behind its training, read while it stops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf
import tf_keras
from transformers import PreTrainedTokenizerBase

from debugger.failure import line_in
from debugger.frameworks.keras.later import fails
from debugger.frameworks.keras.reading import dense
from debugger.frameworks.keras.reopened import Opened, opened
from debugger.frameworks.keras.rest import labels_in
from debugger.pipelines.held import Held, moved, rescaled
from debugger.pipelines.rest import Rest, function_of, rest_of, running
from debugger.script.afterwards import Compared, compared, made_anew
from debugger.script.later import asked_behind, filled_behind, history_keys
from debugger.script.refits import refits
from debugger.script.unkept import thrown_away
from debugger.script.vocabularies import NUMBERS_WORDS, numbered_twice

if TYPE_CHECKING:
    from debugger.frameworks.keras.building import Fit

MOST = 5000
"""Labels that are read of one set."""
FEWEST_WORDS = 10
_TABLES = ("DataFrame", "Series", "Dataset", "DatasetDict")
_PREPARING = ("sklearn.preprocessing", "sklearn.decomposition", "sklearn.feature_extraction")
_NUMBERS = (*NUMBERS_WORDS, "LabelEncoder", "OrdinalEncoder")

Behind = Sequence[ast.Attribute | ast.Call]


@dataclass(frozen=True)
class Asked:
    """A comparison behind the training, and the things that it names."""

    said: Compared
    line: int | None
    rows: Any
    labels: Any


@dataclass(frozen=True)
class After:
    """`anew` is where a model is made anew and used, and whether the trained one is used at all.

    Of what is there already: `texts` are the lists of them, beside `tokenizers`, and `renumbered`
    is a vocabulary that is made anew between two uses, and where; `refitted` is what learns anew
    from the rows to be judged by, where, and its class. `full` is a vocabulary without room for
    more words: the number of all that it does not know, and its size. `thrown_away` is what is made
    of a data set and not kept. `fails` is what Python will say at a line behind the training, and
    `looked_up` what is read out of the history then; `opened` are models that are opened from a
    file. `rests` is what is left to be run, which may be done once all is `cut_off`, and never
    without.
    """

    asked: tuple[Asked, ...] = ()
    anew: tuple[int, bool] | None = None
    texts: tuple[Sequence[str], ...] = ()
    tokenizers: tuple[PreTrainedTokenizerBase, ...] = ()
    renumbered: tuple[str, int] | None = None
    refitted: tuple[str, int, str] | None = None
    full: tuple[int, int] | None = None
    thrown_away: tuple[str, str, int, bool] | None = None
    fails: tuple[str, int] | None = None
    looked_up: tuple[tuple[str, int], ...] = ()
    opened: tuple[Opened, ...] = ()
    rests: tuple[Rest, ...] = ()
    cut_off: Callable[[], None] | None = None


def seen_after(cut_off: Callable[[], None] | None = None) -> After:
    """Of the functions of the script's own that are running now, below the lines they are at."""
    asked: list[Asked] = []
    anew: list[tuple[int, bool]] = []
    texts: list[Sequence[str]] = []
    tokenizers: list[PreTrainedTokenizerBase] = []
    renumbered: list[tuple[str, int]] = []
    refitted: list[tuple[str, int, str]] = []
    full: list[tuple[int, int]] = []
    thrown: list[tuple[str, str, int, bool]] = []
    failing: list[tuple[str, int]] = []
    looked_up: list[tuple[str, int]] = []
    reopened: list[Opened] = []
    rests: list[Rest] = []
    for frame, tree in running():
        file = frame.f_code.co_filename
        asked += _asked(frame, tree)
        made = made_anew(tree)
        line = None if made is None else line_in(file, made[0])
        anew += [(line, made[1])] if made is not None and line is not None else []
        known = {**frame.f_globals, **frame.f_locals}
        texts += filter(None, map(_texts, _columns_and_all(known.values())))
        tokenizers += [v for v in known.values() if isinstance(v, PreTrainedTokenizerBase)]
        renumbered += _renumbered(frame, tree, known)
        refitted += _refitted(frame, tree, known)
        full += filter(None, map(_full, known.values()))
        thrown += _thrown_away(frame, tree, known)
        behind = asked_behind(tree, function_of(frame), frame.f_lineno)
        failing += _failing(file, behind, known)
        filled = filled_behind(tree, function_of(frame), frame.f_lineno)
        reopened += _opened(file, behind, filled, known)
        rests += rest_of(frame, tree)
        looked_up += [
            (key, line) for key, at in history_keys(tree) if (line := line_in(file, at)) is not None
        ]
    return After(
        asked=tuple(asked),
        anew=next(iter(anew), None),
        texts=tuple(texts),
        tokenizers=tuple(tokenizers),
        renumbered=next(iter(renumbered), None),
        refitted=next(iter(refitted), None),
        full=next(iter(full), None),
        thrown_away=next(iter(thrown), None),
        fails=next(iter(failing), None),
        looked_up=tuple(dict.fromkeys(looked_up)),
        opened=tuple(reopened),
        rests=tuple(rests),
        cut_off=cut_off,
    )


def _failing(file: str, behind: Behind, known: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for node in behind:
        line = line_in(file, node.lineno)
        if line is not None and (said := fails(node, known)):
            yield said, line


def _opened(file: str, behind: Behind, filled: Behind, known: dict[str, Any]) -> Iterator[Opened]:
    for one in opened(behind, filled, known):
        line = line_in(file, one.line)
        if line is not None:
            yield replace(one, line=line)


def _renumbered(
    frame: FrameType, tree: ast.Module, known: dict[str, Any]
) -> Iterator[tuple[str, int]]:
    found = numbered_twice(tree, frame.f_lineno, lambda name: _is_vocabulary(known.get(name)))
    line = None if found is None else line_in(frame.f_code.co_filename, found[1])
    if found is not None and line is not None:
        yield found[0], line


def _refitted(
    frame: FrameType, tree: ast.Module, known: dict[str, Any]
) -> Iterator[tuple[str, int, str]]:
    for one in refits(tree, frame.f_lineno, lambda name: _prepares(known.get(name))):
        line = line_in(frame.f_code.co_filename, one.line)
        same = one.name != one.first and _learned(known[one.name]) == _learned(known[one.first])
        if line is not None and not same:
            yield one.name, line, type(known[one.name]).__name__


def _thrown_away(
    frame: FrameType, tree: ast.Module, known: dict[str, Any]
) -> Iterator[tuple[str, str, int, bool]]:
    notebook = frame.f_code.co_filename.endswith(".ipynb")  # where the last of a cell is shown
    for name, call, at in thrown_away(tree):
        of_batches = isinstance(known.get(name), tf.data.Dataset)
        line = line_in(frame.f_code.co_filename, at)
        kept = not of_batches and type(known.get(name)).__name__ not in _TABLES
        if line is not None and not kept and (of_batches or not notebook):
            yield name, call, line, of_batches


def _prepares(value: Any) -> str:
    """The class of what learns words, numbers or scales from rows; "" of all else."""
    kind = type(value)
    of_sklearn = kind.__module__.startswith(_PREPARING) and hasattr(value, "fit")
    return kind.__name__ if of_sklearn or kind.__name__ in _NUMBERS else ""


def _learned(value: Any) -> str:
    """What tells two of a kind apart that have learned from other rows."""
    words = getattr(value, "word_index", None) or getattr(value, "vocabulary_", None)
    if words is None and hasattr(value, "get_vocabulary"):
        words = value.get_vocabulary()
    kept = {name: one for name, one in vars(value).items() if name.endswith("_") and name[0] != "_"}
    return repr(kept if words is None else words)


def _full(value: Any) -> tuple[int, int] | None:
    """Of what numbers words: the number of those that it was not given room for, and its size."""
    kind = type(value).__name__
    if kind == "TextVectorization":
        room, whole = getattr(value, "_max_tokens", None), value._output_mode == "int"
        return (1, room) if room and whole and value.vocabulary_size() >= room else None
    if kind == "Tokenizer" and getattr(value, "num_words", None):
        unknown = value.word_index.get(value.oov_token)
        cut = len(value.word_index) >= value.num_words
        return (unknown, value.num_words) if unknown and cut else None
    return None


def _columns_and_all(values: Iterable[Any]) -> Iterator[Any]:
    """With the columns of tables of pandas, and of lists of tuples of one length."""
    for value in values:
        if type(value).__name__ == "DataFrame":
            yield from (value[name].to_numpy() for name in value.columns)
        elif isinstance(value, list) and all(isinstance(row, tuple) for row in value):
            if len({len(row) for row in value}) == 1:
                yield from map(list, zip(*value, strict=True))
        else:
            yield value


def _texts(value: Any) -> list[str]:
    """Of a list, or of an array, of texts and nothing else."""
    array = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "UO"
    texts: Any = value.tolist() if array else value
    known = isinstance(texts, list) and all(isinstance(one, str) for one in texts)
    return texts if known else []


def _is_vocabulary(value: Any) -> bool:
    """Words with their numbers, or what learns such."""
    if isinstance(value, dict):
        return len(value) >= FEWEST_WORDS and all(
            isinstance(word, str) and isinstance(number, int) for word, number in value.items()
        )
    return type(value).__name__ in _NUMBERS


def _asked(frame: FrameType, tree: ast.Module) -> Iterator[Asked]:
    name, known = frame.f_code.co_name, {**frame.f_globals, **frame.f_locals}
    for one in compared(tree, "" if name == "<module>" else name):
        if one.line > frame.f_lineno:
            line = line_in(frame.f_code.co_filename, one.line)
            labels = _named(one.labels if one.labels in known else one.part or one.labels, known)
            yield Asked(one, line, _named(one.rows, known), labels)


def held_against(fit: Fit) -> tuple[Held, ...]:
    """Each comparison that can be tried with labels alone; nothing is predicted."""
    found = (_held(one, fit) for one in fit.after.asked)
    return tuple(one for one in found if one is not None)


def _held(one: Asked, fit: Fit) -> Held | None:
    said, rows = one.said, labels_in(one.rows)
    other = _array(one.labels) if said.labels else labels_in(one.rows)
    if other is None:
        return None
    made = Held(said.rows, said.labels, one.line, len(other))
    dealt = None if rows is not None else _dealt(one.rows, other)
    if dealt is not None and (count := moved(dealt, other)):
        return replace(made, moved=count)
    if rows is not None and (count := moved(*_as_classes(rows, other))):
        return replace(made, moved=count)
    learned = rows if rows is not None else labels_in(fit.validation)
    if not said.plain or not said.labels or learned is None or not rescaled(learned, other):
        return made
    return replace(made, learned=_ends(learned), other=_ends(other))


def _as_classes(rows: Any, other: Any) -> tuple[Any, Any]:
    """Both as the numbers of classes, where the rows mark theirs with a one among zeros, or the
    others are names of them, numbered by the alphabet."""
    if other.dtype.kind in "UO":
        names, numbered = np.unique(other.astype(str), return_inverse=True)
        pairs = set(zip(rows.ravel().tolist(), numbered.tolist(), strict=False))
        return rows, rows if len(pairs) == len(names) else numbered
    marks = rows.ndim == 2 and rows.shape[1] > 1 and other.ndim == 1
    alone = marks and bool(((rows == 0) | (rows == 1)).all() and (rows.sum(axis=1) == 1).all())
    return (rows.argmax(axis=1), other) if alone else (rows, other)


def _dealt(rows: Any, labels: Any) -> Any:
    """The labels as they might stand beside what shuffles its rows and holds no labels of its own;
    None of all else."""
    array = isinstance(rows, tf_keras.preprocessing.image.NumpyArrayIterator)
    if not array or not rows.shuffle or rows.n != len(labels):
        return None
    return labels[np.random.default_rng(0).permutation(rows.n)]


def _array(value: Any) -> Any:
    try:
        array = dense(value)
    except Exception:
        return None
    return array if array.ndim and array.dtype.kind in "iufbUO" and len(array) <= MOST else None


def _ends(values: Any) -> tuple[float, float]:
    return float(np.min(values)), float(np.max(values))


def _named(expression: str, known: dict[str, Any]) -> Any:
    """What a name, or a part of what one stands for, is; None for all else. Nothing is called."""
    try:
        return _value(ast.parse(expression, mode="eval").body, known) if expression else None
    except Exception:  # it names what is not there yet
        return None


def _value(node: ast.expr | None, known: dict[str, Any]) -> Any:
    match node:
        case ast.Name():
            return known[node.id]
        case ast.Constant():
            return node.value
        case ast.Attribute():
            return getattr(_value(node.value, known), node.attr)
        case ast.Subscript():
            return _value(node.value, known)[_value(node.slice, known)]
        case ast.Slice():
            return slice(*(_value(one, known) for one in (node.lower, node.upper, node.step)))
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, known)
        case None:
            return None
    raise ValueError(ast.unparse(node))
