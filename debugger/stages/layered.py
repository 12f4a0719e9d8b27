"""Exceptions of Keras about what layers, and fit, are given: each names what was to stand there."""

from __future__ import annotations

import ast
import re

from debugger.failure import first_line
from debugger.stages.judging import Rule, Seen, Verdict, View, fault

_AXES = (
    r'of layer "(\w+)" is incompatible with the layer: expected (?:min_|max_)?ndim=(\d+), '
    r"found ndim=(\d+)\. Full shape received: (\([^)]*\))"
)
_OF_SEQUENCES = ("3", "2")
"""How many axes a layer wants that goes along a row, and how many a last state has."""
_TOO_SMALL = (
    r"Negative dimension size .*? for '{{node (?P<node>[\w/]+)}}.*?"
    r"input shapes: (?P<given>\[[^\]]*\])",
    r"<= 0 due to downsampling in (?P<node>\w+)\..*?input shape (?P<given>\[[^\]]*\])",
)
"""What is said of windows that are larger than what is left to go over."""
_NO_TENSOR = r"Failed to convert a NumPy array to a Tensor \(Unsupported object type (\w+)\)"
_UNLIKE = r"'(str|list|tuple|dict|set|int|float|bool)' object (?:has no attribute|is not callable)"
_KINDS = {
    "list": ast.List,
    "tuple": ast.Tuple,
    "dict": ast.Dict,
    "set": ast.Set,
}


def last_state_alone(seen: Seen, view: View) -> Verdict | None:
    """A layer that goes along a row stands behind one that keeps its last state alone."""
    found = _refused(seen)
    if found is None or seen.failure is None or found.groups()[1:3] != _OF_SEQUENCES:
        return None
    line = view.places.layers.keeping_last(found[1], seen.failure.line)
    return None if line is None else fault(line, layer=found[1])


def axes_of_another_count(seen: Seen, view: View) -> Verdict | None:
    """A picture wants height, width and channels, a row of words its places and their numbers."""
    found = _refused(seen)
    if found is None or seen.failure is None:
        return None
    told = {"layer": found[1], "wanted": int(found[2]), "given": int(found[3]), "shape": found[4]}
    line = view.places.layers.shaped([int(one) for one in re.findall(r"\d+", found[4])])
    return fault(line or seen.failure.line, **told)


def pooled_away(seen: Seen, view: View) -> Verdict | None:
    """Every pooling and every convolution makes a picture smaller, till nothing is left of it."""
    said = "" if seen.failure is None else seen.failure.message
    found = next(filter(None, (re.search(one, said, re.DOTALL) for one in _TOO_SMALL)), None)
    if found is None or seen.failure is None:
        return None
    parts = found["node"].split("/")
    layer = parts[-2] if len(parts) > 1 else parts[0]
    line = view.places.layers.called(layer) or seen.failure.line
    return fault(line, layer=layer, shape=found["given"])


def array_of_objects(seen: Seen, view: View) -> Verdict | None:
    """Rows of unequal length, or columns of several kinds, that NumPy keeps as they came."""
    failure = seen.failure
    found = re.search(_NO_TENSOR, failure.message) if failure is not None else None
    if failure is None or found is None:
        return None
    named = [one.name for one in failure.held if one.dtype == "object"]
    made = next(iter(view.places.behind.makers(failure.line, named)), None)
    line = made.lineno if made is not None else view.places.fits.fitted()
    return fault(line or failure.line, kind=found[1])


def argument_of_another_kind(seen: Seen, view: View) -> Verdict | None:
    """A library asks of what it was given what only another kind of thing can do."""
    failure = seen.failure
    if (
        failure is None
        or failure.line is None
        or failure.exception
        not in (
            "AttributeError",
            "TypeError",
        )
    ):
        return None
    found = re.search(_UNLIKE, failure.message)
    if found is None or not failure.frames or failure.frames[-1].own:
        return None
    held = {one.name for one in failure.held if one.kind == found[1]}
    given = view.places.layers.given_kind(failure.line, lambda one: _is_of(one, found[1], held))
    if given is None:
        return None
    said = first_line(failure.message)
    return fault(given.value.lineno, name=given.arg, kind=found[1], said=said)


def endless_without_steps(seen: Seen, view: View) -> Verdict | None:
    """An epoch of a data set that repeats itself ends only where somebody says so."""
    if seen.failure is None or not seen.failure.says("infinite dataset", "number of steps"):
        return None
    return fault(view.places.call(".repeat") or seen.failure.line)


RULES: tuple[Rule, ...] = (
    endless_without_steps,
    last_state_alone,
    axes_of_another_count,
    pooled_away,
    array_of_objects,
    argument_of_another_kind,
)


def _refused(seen: Seen) -> re.Match[str] | None:
    return None if seen.failure is None else re.search(_AXES, seen.failure.message)


def _is_of(given: ast.expr, kind: str, held: set[str]) -> bool:
    """Whether what an argument is given is of that kind: as it is written, or by its name."""
    if isinstance(given, ast.Constant):
        return type(given.value).__name__ == kind
    if isinstance(given, ast.Name):
        return given.id in held
    return isinstance(given, _KINDS[kind]) if kind in _KINDS else False
