"""Exceptions of Python that mean: a thing of another kind stands here than was thought."""

from __future__ import annotations

import ast
import re

from debugger.failure import Failure, first_line
from debugger.pipelines.data import Split
from debugger.script.places import Places
from debugger.script.tracing import name_of
from debugger.stages.judging import Rule, Seen, Verdict, View, fault

_GIVES_NOTHING = (
    *("set_format", "reset_format", "set_transform", "sort", "reverse", "shuffle", "append"),
    *("extend", "update", "insert", "seed", "manual_seed", "print"),
)
_TEXT_REFUSED = r"'str'|not str\b|\bstr\b.*float|must be of type (?:int|float)"
_NO_DICT = (
    r"'([\w.]+)' object (?:has no attribute '(?:items|keys|copy|pop|update)'|is not iterable"
    r"|does not support item)"
)
_ROWS_UNNAMED = (
    r"vars\(\) argument must have __dict__|'(?:list|tuple)' object has no attribute 'keys'"
)
_NO_LIST = (
    r"list \(not \"(\w+)\"\) to list|'(\w+)' object is not iterable"
    r"|cannot unpack non-iterable (\w+) object"
)
_ASKED_OF = {
    r"object of type '(\w+)' has no len\(\)": "__len__",
    r"'(\w+)' object is not subscriptable": "__getitem__",
    r"'(\w+)' object is not iterable": "__iter__",
    r"'(\w+)' object is not callable": "__call__",
}
_HANDED = ("data_collator", "compute_metrics", "preprocess_logits_for_metrics", "collate_fn")

_RAGGED = (
    *("unsupported object type numpy.ndarray", "unsupported object type list"),
    *("can't convert non-rectangular", "inhomogeneous shape"),
)
_SHAPE_SO_FAR = r"detected shape was \((?P<rows>\d+), (?P<parts>\d+)\) \+ inhomogeneous"
MOST_PARTS = 4
_OTHER_KERAS = (
    r"(?:must be an instance of class Layer\. Received: .*of type <class '"
    r"|Only instances of `keras\.Layer` .*Received: <)(?P<module>(?:tf_)?keras)\."
)
_OTHER_SIZES = (
    r"size mismatch for (?P<name>[\w.]+): copying a param with shape "
    r"torch\.Size\((?P<there>\[.*?\])\) from checkpoint, the shape in current model is "
    r"torch\.Size\((?P<here>\[.*?\])\)"
)
_SWITCH_OFF = ("disable_eager_execution", "disable_v2_behavior")
_OF_GRAPHS = ("eager", "get_updates", "attribute 'numpy'", "symbolic", "graph")
_OF_COLUMNS = ("column_names", "columns", "features", "keys()")
_OF_TUPLES = ("'tuple' object", "'tuple' and", "and 'tuple'", "slice indices must be integers")
"""What is said of a tuple where a number was meant."""


def nothing_held(seen: Seen, view: View) -> Verdict | None:
    """A name stands for what a call gave back that gives nothing back."""
    failure = seen.failure
    if failure is None or not failure.says("NoneType") or failure.line is None:
        return None
    behind = view.places.behind
    names = [one.name for one in failure.held if one.kind == "NoneType"]
    for made in behind.makers(failure.line, names):
        call = name_of(made.func) if isinstance(made, ast.Call) else ""
        if call in _GIVES_NOTHING:
            name = next((n for n in names if behind.is_of(n, made)), names[0])
            return fault(made.lineno, name=name, call=call, at=failure.line)
    return None


def nothing_returned(seen: Seen, view: View) -> Verdict | None:
    """A function of the script's own that comes to its end, and has given nothing back."""
    failure, places = seen.failure, view.places
    if failure is None or not failure.says("NoneType"):
        return None
    names = [one.name for one in failure.held if one.kind == "NoneType"]
    for made in places.behind.makers(failure.line, names):
        if isinstance(made, ast.Call) and places.behind.returns_nothing(made):
            call = name_of(made.func)
            return fault(places.handed.without_answer(call), call=call)
    handed = (places.handed.function(one) for one in _HANDED)
    mute = [one.name for one in handed if one is not None] + ["forward"]
    for name in mute if failure.line is None or not names else ():
        if (line := places.behind.mute(name)) is not None:
            return fault(line, call=name)
    return None


def comma_makes_tuple(seen: Seen, view: View) -> Verdict | None:
    """A comma at the end of a line makes a tuple of what stands before it."""
    failure = seen.failure
    if failure is None or failure.line is None or not any(map(failure.says, _OF_TUPLES)):
        return None
    names = [one.name for one in failure.held if one.kind == "tuple"]
    for made in view.places.behind.makers(failure.line, names):
        if isinstance(made, ast.Tuple) and len(made.elts) == 1:
            name = next((n for n in names if view.places.behind.is_of(n, made)), "")
            return fault(made.lineno, name=name)
    return None


def rows_without_names(seen: Seen, view: View) -> Verdict | None:
    """A row that is a tuple: whoever makes a batch looks for names in it."""
    failure = seen.failure
    if failure is None or not re.search(_ROWS_UNNAMED, failure.message):
        return None
    line = view.places.returned_by("__getitem__") or view.places.argument("train_dataset")
    return None if line is None else fault(line)


def metric_gives_no_names(seen: Seen, view: View) -> Verdict | None:
    """The Trainer wants names and numbers, and the metric answers with a bare number."""
    failure = seen.failure
    found = re.search(_NO_DICT, failure.message) if failure is not None else None
    if failure is None or found is None or failure.exception not in ("AttributeError", "TypeError"):
        return None
    within = [frame.name for frame in failure.frames if not frame.own]
    if not {"evaluation_loop", "denumpify_detensorize", "evaluate", "_evaluate"} & set(within):
        return None
    function = view.places.handed.function("compute_metrics")
    line = view.places.handed.answer("compute_metrics") if function is not None else None
    own_last = bool(failure.frames) and failure.frames[-1].own
    return None if line is None or own_last else fault(line, kind=found[1])


def parent_not_begun(seen: Seen, view: View) -> Verdict | None:
    """A class that is made from another, and never lets that one begin."""
    failure, behind = seen.failure, view.places.behind
    if failure is None or failure.exception != "AttributeError":
        return None
    owns = [frame for frame in failure.frames if frame.own]
    if failure.says("before Module.__init__() call") and owns:
        return fault(behind.around(failure.line), name=owns[-1].name)
    found = re.search(r"'(\w+)' object has no attribute", failure.message)
    line = behind.parent_left_out(found[1]) if found else None
    return None if line is None else fault(line, name="__init__")


def class_without_method(seen: Seen, view: View) -> Verdict | None:
    """An object of a class of the script's own, of which more is asked than that can."""
    said = seen.failure.message if seen.failure is not None else ""
    if (
        "does not implement __len__" in said
        and (found := rows_uncounted(seen.failure, view.places)) is not None
    ):
        return fault(found[1], name=found[0], method="__len__")
    for pattern, method in _ASKED_OF.items():
        if found := re.search(pattern, said):
            line = view.places.behind.lacking(found[1], method)
            return None if line is None else fault(line, name=found[1], method=method)
    return None


def not_in_a_list(seen: Seen, view: View) -> Verdict | None:
    """An argument that takes several is given one by itself."""
    failure = seen.failure
    found = re.search(_NO_LIST, failure.message) if failure is not None else None
    if failure is None or found is None or failure.line is None:
        return None
    kind = next(filter(None, found.groups()))
    names = [one.name for one in failure.held if one.kind == kind]
    given = view.places.behind.argument(failure.line, kind, names)
    return None if given is None else fault(given.value.lineno, name=given.arg, kind=kind)


def text_for_number(seen: Seen, view: View) -> Verdict | None:
    """What is read from a command line, an environment or a file is text till somebody says so."""
    failure = seen.failure
    if failure is None or failure.exception not in ("TypeError", "ValueError"):
        return None
    if not re.search(_TEXT_REFUSED, failure.message):
        return None
    found = view.places.behind.read_as_text(failure.line)
    return (
        None if found is None else fault(found[0], name=found[1], said=first_line(failure.message))
    )


def gone_through_once(seen: Seen, view: View) -> Verdict | None:
    """What gives one weight after the other is at its end once it has been counted."""
    failure = seen.failure
    if failure is None or not failure.says("optimizer got an empty parameter list"):
        return None
    found = view.places.slips.gone_through()
    return None if found is None else fault(found[0], name=found[1])


def loss_made_not_called(seen: Seen, view: View) -> Verdict | None:
    """A loss takes its settings where it is made, and scores and labels where it is called."""
    failure = seen.failure
    if failure is None or not failure.says("Boolean value of Tensor"):
        return None
    name = view.places.slips.loss_made_of(failure.line)
    return None if name is None else fault(failure.line, name=name)


def rows_never_filled(seen: Seen, view: View) -> Verdict | None:
    """Lists of different lengths make an array of lists, and that is no tensor."""
    failure = seen.failure
    if failure is None or not any(map(failure.says, _RAGGED)):
        return None
    line = view.places.unfilled()
    return None if line is None else fault(line, at=failure.line)


def parts_of_other_lengths(seen: Seen, view: View) -> Verdict | None:
    """A list of pairs, such as a bag of words and what it stands for, is no table of numbers."""
    failure = seen.failure
    found = None if failure is None else re.search(_SHAPE_SO_FAR, failure.message)
    if failure is None or found is None or view.places.unfilled() is not None:
        return None
    rows, parts = int(found["rows"]), int(found["parts"])
    return fault(failure.line, rows=rows, parts=parts) if 1 < parts <= MOST_PARTS < rows else None


def layer_of_other_keras(seen: Seen, view: View) -> Verdict | None:
    """Keras 3 and the Keras of TensorFlow do not know each other's layers."""
    failure = seen.failure
    said = None if failure is None else re.search(_OTHER_KERAS, failure.message)
    if failure is None or said is None:
        return None
    other, known = ("keras", "tensorflow.keras")
    if said["module"].startswith("tf_keras"):
        other, known = known, other
    line = view.places.imported(other) or failure.line
    return fault(line, at=failure.line, other=other, known=known)


def metric_of_other_keras(seen: Seen, view: View) -> Verdict | None:
    """A model of tf-keras asks its metrics for what those of Keras 3 do not have."""
    failure = seen.failure
    line = None if failure is None else view.places.imported("keras")
    if failure is None or line is None or not failure.says("_distribute_strategy"):
        return None
    return fault(line, at=failure.line)


def file_of_other_sizes(seen: Seen, view: View) -> Verdict | None:
    """Weights do not fit into the model: most often a head for another number of labels."""
    failure = seen.failure
    found = None if failure is None else re.search(_OTHER_SIZES, failure.message)
    if failure is None or found is None:
        return None
    return fault(failure.line, name=found["name"], there=found["there"], here=found["here"])


def optimizer_of_nothing(seen: Seen, view: View) -> Verdict | None:
    """Only weights that may change are handed over, and none of them may."""
    failure, places = seen.failure, view.places
    if failure is None or not failure.says("optimizer got an empty parameter list"):
        return None
    line = places.assignment("requires_grad") or places.call("requires_grad_")
    return None if line is None else fault(line)


def no_rows_left(seen: Seen, view: View) -> Verdict | None:
    """What was to be learned from is empty: a filter or a cut has left nothing."""
    failure, places = seen.failure, view.places
    split: Split | None = getattr(seen, "train", None)
    none = split is not None and split.count == 0
    if not none and (failure is None or not failure.says("num_samples=0")):
        return None
    given = places.behind.given("train_dataset")
    left = places.behind.first(given, _leaves_out)
    line = left.lineno if left is not None else places.behind.block(given)
    return fault(line or places.origins.handed("train_dataset"))


def eager_switched_off(seen: Seen, view: View) -> Verdict | None:
    """Tensors hold no numbers then, and what today's Keras does with them fails."""
    failure = seen.failure
    line = view.places.call(*_SWITCH_OFF)
    if failure is None or line is None or not any(map(failure.says, _OF_GRAPHS)):
        return None
    return fault(line, said=first_line(failure.message))


RULES: tuple[Rule, ...] = (
    nothing_held,
    nothing_returned,
    comma_makes_tuple,
    rows_without_names,
    metric_gives_no_names,
    parent_not_begun,
    class_without_method,
    not_in_a_list,
    text_for_number,
    gone_through_once,
    loss_made_not_called,
    rows_never_filled,
    parts_of_other_lengths,
    layer_of_other_keras,
    metric_of_other_keras,
    file_of_other_sizes,
    optimizer_of_nothing,
    no_rows_left,
    eager_switched_off,
)


def _leaves_out(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        return name_of(part.func) in (
            "filter",
            "select",
            "take",
            "head",
            "dropna",
            "query",
            "shard",
        )
    if isinstance(part, ast.ListComp):
        of_rows = (
            one for one in part.generators if not ast.unparse(one.iter).endswith(_OF_COLUMNS)
        )
        return any(generator.ifs for generator in of_rows)
    return isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice | ast.Compare)


def rows_uncounted(failure: Failure | None, places: Places) -> tuple[str, int] | None:
    """A class of rows of the script's own that gives each by its number, and has no length."""
    behind = places.behind
    for held in failure.held if failure is not None else ():
        line = behind.lacking(held.kind, "__len__")
        if line is not None and behind.lacking(held.kind, "__getitem__") is None:
            return held.kind, line
    return None
