"""Exceptions whose cause stands on another line than they do: what made the value at fault."""

from __future__ import annotations

import ast
import math
import re

from debugger.script.tracing import is_true, name_of
from debugger.stages import layered, mistaken, misuse, oversights, refusals
from debugger.stages.judging import Rule, Seen, Verdict, View, fault

_UNEQUAL = r"[Cc]olumn \d+ named '?(\w+)'? expected length (\d+) but got length (\d+)"
_DOUBLE = ("float64", "double")
_BOTH = (("float", "double"), ("torch.float32", "torch.float64"))
"""What a message calls the two, where it says that a type is another one."""
_FROM_NUMPY = ("from_numpy", "double")
_PLACES = ("CopySlices", "AsStrided", "Slice", "Select", "IndexPut")
_OPERATORS = {"Add": ast.Add, "Sub": ast.Sub, "Mul": ast.Mult, "Div": ast.Div, "Pow": ast.Pow}
_CLASS_WEIGHTS = r"weight tensor should be defined either for all (\d+) classes.*shape: \[(\d+)\]"
_OF_COUNTS = r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)"
_NOT_FLAT = r"Expected target size (\[[\d, ]+\]), got (\[[\d, ]+\])"
_OF_TENSORS = (
    *("detach", "cpu", "numpy", "cuda", "to", "softmax", "sigmoid", "float", "long", "int", "size"),
    *("unsqueeze", "permute", "topk", "masked_select", "requires_grad", "view_as", "backward"),
)
_NO_TENSOR = r"([\w.]+)\(\): argument '(\w+)'.* must be (?:a )?Tensor, not ([\w.]+)"


def pieces_beside_rows(seen: Seen, view: View) -> Verdict | None:
    """Long texts become several rows, and what else a row has stays one."""
    found = _unequal(seen)
    line = view.places.argument("return_overflowing_tokens")
    if found is None or line is None:
        return None
    return fault(line, name=found[1], rows=int(found[2]), pieces=int(found[3]))


def halves_side_by_side(seen: Seen, view: View) -> Verdict | None:
    """What a split gives is taken in another order: two parts of one list are put together."""
    found = _unequal(seen)
    if found is None or seen.failure is None:
        return None
    taken = view.places.behind.halves(seen.failure.line)
    if taken is None:
        return None
    line, one, other = taken
    return fault(line, one=one, other=other, rows=int(found[2]), given=int(found[3]))


def columns_of_unequal_length(seen: Seen, view: View) -> Verdict | None:
    found = _unequal(seen)
    if found is None or seen.failure is None:
        return None
    line = view.places.behind.column(seen.failure.line, found[1])
    line = line or view.places.written.under(found[1]) or seen.failure.line
    return fault(line, name=found[1], rows=int(found[2]), given=int(found[3]))


def generator_runs_already(seen: Seen, view: View) -> Verdict | None:
    """A data set is made of a function that can be called again, as a generator cannot."""
    failure, made = seen.failure, view.places.call("from_generator")
    if failure is None or made is None or not failure.says("pickle", "generator' object"):
        return None
    return fault(failure.line or made)


def double_beside_single(seen: Seen, view: View) -> Verdict | None:
    """NumPy reckons in double precision, models in single, and PyTorch mixes none of them."""
    failure = seen.failure
    if failure is None or failure.exception not in ("RuntimeError", "ValueError"):
        return None
    if not failure.says("type") or not any(failure.says(*both) for both in _BOTH):
        return None
    behind = view.places.behind
    names = [one.name for one in failure.held if one.dtype == "float64"]
    makers = behind.makers(failure.line, names)
    made = next((one for one in makers if any(map(_makes_double, ast.walk(one)))), None)
    made = made or behind.first(behind.at(failure.line), _makes_double)
    made = made or behind.first(behind.under("labels", "label"), _makes_double)
    made = made or behind.anywhere(_widens) or behind.anywhere(_makes_double)
    made = made or next(iter(makers), None)
    return fault(made.lineno if made is not None else failure.line)


def backward_twice(seen: Seen, view: View) -> Verdict | None:
    """A loss of one's own that goes backward itself, where the Trainer does it once more."""
    failure = seen.failure
    if failure is None:
        return None
    calls = [one for one in view.places.behind.stepping() if isinstance(one, ast.Call)]
    lines = [one.lineno for one in calls if name_of(one.func) == "backward"]
    again = failure.says("backward through the graph a second time")
    # Where it is only looked what comes out, no gradient is kept: it stops at the first time.
    unkept = failure.says("does not require grad") and failure.line in lines
    return fault(lines[0]) if lines and (again or unkept) else None


def graph_kept(seen: Seen, view: View) -> Verdict | None:
    """What a step leaves for the next one hangs on a graph that is gone by then."""
    failure = seen.failure
    if failure is None or not failure.says("backward through the graph a second time"):
        return None
    made = view.places.behind.stepping()
    kept = (one for one in made if isinstance(one, ast.Assign | ast.AugAssign))
    line = next((one.lineno for one in kept if _keeps_graph(one)), None)
    return None if line is None else fault(line)


def changed_in_place(seen: Seen, view: View) -> Verdict | None:
    """What backward wants to read again has been written over."""
    failure = seen.failure
    if failure is None or not failure.says("modified by an inplace operation"):
        return None
    by = re.search(r"output \d+ of (\w+?)(?:Backward\d*)?,", failure.message)
    operation = by[1] if by else ""
    parts = [one for one in view.places.behind.stepping() if isinstance(one, ast.stmt | ast.expr)]
    candidates = [one for one in parts if _writes_over(one, "")]
    exact = [one for one in candidates if _writes_over(one, operation)]
    line = next((one.lineno for one in (*exact, *candidates)), None)
    return fault(line or failure.line)


def no_tensor(seen: Seen, view: View) -> Verdict | None:
    """A function of PyTorch that is called with what NumPy, or Python, holds numbers in."""
    failure = seen.failure
    if failure is None or not failure.frames or not failure.frames[-1].own:
        return None
    if found := re.search(_NO_TENSOR, failure.message):
        return fault(failure.line, name=found[1], kind=found[3])
    gone = re.search(r"'numpy\.ndarray' object has no attribute '(\w+)'", failure.message)
    if gone and gone[1] in _OF_TENSORS:
        return fault(failure.line, name=gone[1], kind="numpy.ndarray")
    other = re.search(r"(\w+)\(\) got an unexpected keyword argument 'dim'", failure.message)
    return fault(failure.line, name=f"{other[1]}(dim=...)", kind="numpy.ndarray") if other else None


def weights_of_other_count(seen: Seen, view: View) -> Verdict | None:
    """A weight for each class: there are more or fewer of them than outputs."""
    failure = seen.failure
    found = re.search(_CLASS_WEIGHTS, failure.message) if failure is not None else None
    if failure is None or found is None:
        return None
    behind = view.places.behind
    made = behind.first(behind.given("weight"), lambda part: isinstance(part, ast.List | ast.Call))
    made = behind.first(behind.given("weight"), _is_list) or made
    line = made.lineno if made is not None else failure.line
    return fault(line, outputs=int(found[1]), weights=int(found[2]))


def labels_taken_away(seen: Seen, view: View) -> Verdict | None:
    """Labels that a step takes out of its inputs, and a loss that the model makes of them."""
    failure = seen.failure
    if failure is None or not failure.says("NoneType"):
        return None
    parts = [one for one in view.places.behind.stepping() if isinstance(one, ast.expr)]
    asked = any(isinstance(one, ast.Attribute) and one.attr == "loss" for one in parts)
    taken = (one for one in parts if isinstance(one, ast.Call) and name_of(one.func) == "pop")
    of_labels = (one.lineno for one in taken if one.args and _says_labels(one.args[0]))
    line = next(of_labels, None)
    return fault(line) if asked and line is not None else None


def labels_of_other_count(seen: Seen, view: View) -> Verdict | None:
    """A label for each token, of more or fewer tokens than the model has scores for."""
    failure, behind = seen.failure, view.places.behind
    found = re.search(_OF_COUNTS, failure.message) if failure is not None else None
    if failure is None or found is None:
        return None
    shape: tuple[int, ...] = getattr(seen, "inputs_shape", ())
    if math.prod(shape) != int(found[1]) or len(shape) < 2:
        return None  # then it may be the scores that were brought to another shape
    used = (p for value in behind.at(failure.line) for p in ast.walk(value))
    names = [p.id for p in used if isinstance(p, ast.Name) and "label" in p.id]
    made = [value for name in names for value in behind.under(name)]
    line = made[0].lineno if made else failure.line
    return fault(line, scores=int(found[1]), labels=int(found[2]))


def scores_not_flat(seen: Seen, view: View) -> Verdict | None:
    """A loss takes the second axis for the classes; of a score for each token it is the places."""
    failure = seen.failure
    found = re.search(_NOT_FLAT, failure.message) if failure is not None else None
    if failure is None or found is None:
        return None
    line = failure.line or view.places.making.loss()
    return fault(line, wanted=found[1], labels=found[2])


RULES: tuple[Rule, ...] = (
    *refusals.RULES,
    *mistaken.RULES,
    *layered.RULES,
    *oversights.OF_CRASHES,
    pieces_beside_rows,
    halves_side_by_side,
    columns_of_unequal_length,
    generator_runs_already,
    double_beside_single,
    backward_twice,
    graph_kept,
    changed_in_place,
    no_tensor,
    *misuse.RULES,
    weights_of_other_count,
    scores_not_flat,
    labels_taken_away,
    labels_of_other_count,
)
"""The first that knows an exception names it, where no rule of the stage itself does."""


def _unequal(seen: Seen) -> re.Match[str] | None:
    return None if seen.failure is None else re.search(_UNEQUAL, seen.failure.message)


def _makes_double(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        kind = [k.value for k in part.keywords if k.arg == "dtype"]
        return name_of(part.func) in _FROM_NUMPY or any(_is_double(one) for one in kind)
    return False


def _widens(part: ast.AST) -> bool:
    """NumPy makes doubles of a list's fractions, and of single numbers beside them."""
    if not isinstance(part, ast.BinOp) or not isinstance(part.right, ast.List | ast.Tuple):
        return False
    return any(
        isinstance(one, ast.Call) and name_of(one.func) == "astype" and "32" in ast.unparse(one)
        for one in ast.walk(part.left)
    )


def _is_double(kind: ast.expr) -> bool:
    said = kind.value if isinstance(kind, ast.Constant) else name_of(kind)
    return said in _DOUBLE


def _says_labels(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value in ("label", "labels")


def _is_list(part: ast.AST) -> bool:
    return isinstance(part, ast.List) and len(part.elts) > 1


def _keeps_graph(one: ast.Assign | ast.AugAssign) -> bool:
    targets = one.targets if isinstance(one, ast.Assign) else [one.target]
    fields = [t for t in targets if isinstance(t, ast.Attribute) and name_of(t.value) == "self"]
    cut = any(
        isinstance(part, ast.Attribute) and part.attr in ("detach", "item", "data")
        for part in ast.walk(one.value)
    )
    return bool(fields) and not cut and not isinstance(one.value, ast.Constant)


def _writes_over(part: ast.AST, operation: str) -> bool:
    """Whether a part of a script changes a tensor in place, by that operation if one is named."""
    if isinstance(part, ast.AugAssign):
        into_places = operation in _PLACES and isinstance(part.target, ast.Subscript)
        wanted = _OPERATORS.get(operation)
        return into_places or not operation or bool(wanted and isinstance(part.op, wanted))
    if isinstance(part, ast.Assign):
        into = any(isinstance(target, ast.Subscript) for target in part.targets)
        return into and (not operation or operation in _PLACES)
    if not isinstance(part, ast.Call):
        return False
    name = name_of(part.func)
    said = any(k.arg == "inplace" and is_true(k.value) for k in part.keywords)
    itself = isinstance(part.func, ast.Attribute) and name.endswith("_") and name[:1] != "_"
    same = name.strip("_").replace("_", "").lower() == operation.lower()
    return (said or itself) and (not operation or same)
