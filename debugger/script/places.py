"""A learner's script as text: where things stand in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from debugger.failure import Failure
from debugger.script.afterwards import (
    Backwards,
    Cut,
    Rebuilt,
    cuts,
    measured_backwards,
    rebuilt,
)
from debugger.script.aliased import rows_are_one
from debugger.script.arguments import Arguments
from debugger.script.behind import Behind
from debugger.script.casts import Casts
from debugger.script.chosen import Chosen
from debugger.script.cutting import Halved, halved
from debugger.script.earlier import Early, Kept, asked_too_early, brought_back
from debugger.script.fits import Fits
from debugger.script.flows import Flows
from debugger.script.folds import KeptThrough, kept_through_folds
from debugger.script.foreseen import Foreseen, foreseen
from debugger.script.frames import Frames
from debugger.script.gradients import left_off
from debugger.script.imports import line_of
from debugger.script.judged import Judged
from debugger.script.layers import Layers
from debugger.script.loops import calls_in
from debugger.script.making import Making
from debugger.script.meant import Meant
from debugger.script.measuring import Measuring
from debugger.script.notebook import shown_in
from debugger.script.origins import Origins
from debugger.script.oversights import Oversights
from debugger.script.pairing import Pairing
from debugger.script.parting import Parting
from debugger.script.powers import Power, powers
from debugger.script.putting import columns_listed, says, slices
from debugger.script.ranks import Ranked, order_for_rank
from debugger.script.reloaded import Inside, loaded_whole
from debugger.script.reordered import Reordered, reordered_apart
from debugger.script.repeated import (
    copied_before_split,
    filled_again,
    first_row_asked,
    stepped_behind,
)
from debugger.script.slips import Slips
from debugger.script.told import told
from debugger.script.torn import Shortened, cut_to_fit, place_lost, rows_made_of, torn
from debugger.script.tracing import last, name_of, names_in
from debugger.script.unkept import Unkept
from debugger.script.vocabularies import Apart, made_apart, made_inside
from debugger.script.vocabularies import Inside as MadeInside
from debugger.script.without_batch import Single, asked_of_one
from debugger.script.wrapping import Wrapped, wrapped
from debugger.script.written import TOKENIZES, Written
from debugger.script.zipped import Zipped, shuffled_before_zip

_LEAVE_GAPS = (
    *("shift", "rolling", "diff", "pct_change", "reindex", "asfreq", "merge", "join", "unstack"),
    *("to_numeric", "pivot", "pivot_table", "log", "log10", "divide", "resample", "read_csv"),
)
_MODEL = re.compile(
    r"(?!(?:save|load|get|build|make|create|train|export)_)"
    r"(\w+_)?(model|net|network|tower|encoder|embedder)"
)
"""Names by which scripts call a model itself."""
_LOOKS = ("no_grad", "inference_mode")
_REFUSES = re.compile(r"Value|Key|Assertion|Parameter|NotImplemented")
"""Exceptions by which a library refuses what it was given."""


class Places(Arguments):
    """Finds the line that is to blame: of a call, or of one of its arguments."""

    @cached_property
    def making(self) -> Making:
        return Making(self._tree, self._tracing)

    def rows_are_one(self) -> tuple[int, str] | None:
        """A list that holds one row many times, and what it is made by."""
        return rows_are_one(self._tree)

    @cached_property
    def measuring(self) -> Measuring:
        return Measuring(self._tree, self.handed)

    @cached_property
    def halved(self) -> list[Halved]:
        return halved(self._tree)

    def loaded_whole(self) -> Inside | None:
        """Where what was saved around a model's weights is loaded as if it were the weights."""
        return loaded_whole(self._tree)

    @cached_property
    def frames(self) -> Frames:
        return Frames(self._tree)

    @cached_property
    def pairing(self) -> Pairing:
        return Pairing(self._tree)

    @cached_property
    def meant(self) -> Meant:
        return Meant(self._tree, self._tracing)

    @cached_property
    def behind(self) -> Behind:
        return Behind(self._tree, self._tracing, self._put)

    def blamed(self, failure: Failure) -> int | None:
        """The line that an exception is about which no rule knows: of the argument that a library
        names or whose value it tells, else the last of the script's own that took part."""
        by_library = not (failure.frames and failure.frames[-1].own)
        named = self.origins.named_argument(failure.message, failure.line)
        if by_library and named is None and _REFUSES.search(failure.exception):
            named = told(failure.message, self._calls, self._tracing, failure.line)
        return (named if by_library else None) or failure.line

    @cached_property
    def written(self) -> Written:
        return Written(self._tree, self._tracing, self._calls, self.behind, self._put)

    @cached_property
    def flows(self) -> Flows:
        return Flows(self._tree, self._tracing)

    @cached_property
    def chosen(self) -> Chosen:
        settings = (node for node in self._attributes if isinstance(node.ctx, ast.Load))
        return Chosen(self._tracing, self._calls, [*self._reads, *map(ast.unparse, settings)])

    @cached_property
    def judged(self) -> Judged:
        return Judged(self._tree, self._tracing)

    @cached_property
    def unkept(self) -> Unkept:
        return Unkept(self._tree, self._tracing, shown_in(self._text))

    @cached_property
    def parting(self) -> Parting:
        return Parting(self._tree, self._tracing)

    @cached_property
    def kept_through_folds(self) -> KeptThrough | None:
        return kept_through_folds(self._tree, self.training_line)

    @cached_property
    def slips(self) -> Slips:
        return Slips(self._tree)

    @cached_property
    def oversights(self) -> Oversights:
        return Oversights(self._tree)

    @cached_property
    def casts(self) -> Casts:
        return Casts(self._tree, self._tracing)

    @cached_property
    def layers(self) -> Layers:
        return Layers(self._tree, self._tracing)

    @cached_property
    def backwards(self) -> Backwards | None:
        return measured_backwards(self._tree)

    @cached_property
    def cuts(self) -> list[Cut]:
        return cuts(self._tree)

    @cached_property
    def powers(self) -> list[Power]:
        """Perplexities that are made of a loss."""
        return powers(self._tree)

    def wrapped(self) -> Wrapped | None:
        """Where what is reckoned in bytes begins at 0 again."""
        return wrapped(self._tree, self._tracing)

    def order_for_rank(self) -> Ranked | None:
        """Where the answer of an argsort is read as ranks."""
        return order_for_rank(self._tree, self._tracing)

    def shuffled_before_zip(self) -> Zipped | None:
        return shuffled_before_zip(self._tree, self._tracing)

    @cached_property
    def reordered_apart(self) -> Reordered | None:
        """Where rows, or what belongs to them, are given an order of their own."""
        return reordered_apart(self._tree)

    def asked_of_one(self) -> Iterator[Single]:
        """Single rows that a model is asked about as if they were a batch."""
        return asked_of_one(self._tree, self._tracing)

    def vocabulary_inside(self) -> MadeInside | None:
        """Where a function numbers each set that it is handed by words of its own."""
        return made_inside(self._tree, self._tracing)

    def vocabularies_apart(self) -> Apart | None:
        return made_apart(self._tree, self._tracing)

    def factors(self) -> int | None:
        """The line of the factors that a LambdaLR goes by, where they are written down in it."""
        made = (call for call in self._calls if name_of(call.func) == "LambdaLR")
        given = (one for call in made for one in (*call.args, *(k.value for k in call.keywords)))
        return next((one.lineno for one in given if isinstance(one, ast.Lambda)), None)

    def gradients_left_off(self) -> int | None:
        return left_off(self._tree, self._tracing, self._early, self.training_line)

    @cached_property
    def rebuilt(self) -> Rebuilt | None:
        return rebuilt(self._tree)

    @cached_property
    def asked_too_early(self) -> Early | None:
        return asked_too_early(self._tree)

    @cached_property
    def brought_back(self) -> Kept | None:
        return brought_back(self._tree)

    @cached_property
    def fits(self) -> Fits:
        return Fits(self._tree, self._tracing, self._calls, self._trainings, self._dicts)

    @cached_property
    def origins(self) -> Origins:
        return Origins(self._tree, self._tracing, self._calls)

    def spelled(self, name: str, value: str) -> int | None:
        """Where that very text is written for an argument; inside a longer text, as of a file of
        settings, the line of it that holds both."""
        longer = (n for n in self._texts if isinstance(n.value, str) and "\n" in n.value)
        for node in longer:
            for below, line in enumerate(str(node.value).split("\n")):
                if name in line and value in line:
                    return node.lineno + below
        return self.argument(name) or self.naming(value)

    def number_written(self, number: float) -> int | None:
        """The first line that gives a name to just this number."""
        named = [
            (n.lineno, n.value) for n in self._assignments if isinstance(n.value, ast.Constant)
        ]
        return next((line for line, one in named if one.value == number), None)

    def argument_chosen(self, *names: str) -> int | None:
        """Like `argument`; but a number that serves elsewhere, too, was wrongly chosen here."""
        return self.chosen.argument(*names) or self.argument(*names)

    def call(self, *endings: str) -> int | None:
        """The line of the first call whose name ends so, such as "Trainer" or "model.fit"."""
        return next(
            (
                call.lineno
                for ending in endings
                for call in self._calls
                if f".{ast.unparse(call.func)}".endswith(ending)
            ),
            None,
        )

    def tokenizing(self) -> int | None:
        """The line that makes tokens of texts, whatever the tokenizer is called."""
        made = {
            name_of(target)
            for node in self._assignments
            if "Tokenizer" in ast.unparse(node.value) and isinstance(node.value, ast.Call)
            for target in node.targets
        }
        for call in self._early or self._calls:
            name = name_of(call.func)
            asks = {keyword.arg for keyword in call.keywords} & TOKENIZES
            if call.args and (name in made or name == "tokenizer" or (asks and name != "pad")):
                return call.lineno
        return None

    def calls(self, *endings: str) -> list[int]:
        """The lines of all calls whose name ends in one of these, from the top down."""
        named = ((f".{ast.unparse(call.func)}", call.lineno) for call in self._calls)
        return sorted(line for name, line in named if name.endswith(endings))

    def function(self, name: str) -> int | None:
        return next((node.lineno for node in self._functions if node.name == name), None)

    def assignment(self, attribute: str) -> int | None:
        """The line of the first assignment to an attribute of that name."""
        return next(
            (
                node.lineno
                for node in self._assignments
                for target in node.targets
                if isinstance(target, ast.Attribute) and target.attr == attribute
            ),
            None,
        )

    def asked_by_place(self, line: int | None) -> str | None:
        """The attribute that is asked for one of its items at a line."""
        return next(
            (
                node.value.attr
                for node in ast.walk(self._tree)
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)
                if node.lineno == line
            ),
            None,
        )

    def last_assigned(self, name: str) -> int | None:
        """The last line that gives a plain name a value."""
        named = (
            node.lineno
            for node in self._assignments
            for target in node.targets
            if isinstance(target, ast.Name) and target.id == name
        )
        return max(named, default=None)

    def answered_for(self, line: int | None) -> int | None:
        """Where a model was asked for what a statement at a line goes by, if by way of others."""
        names, known = {n.id for n in self._names_at(line)}, set[str]()
        while names - known:
            if (asked := self._answered(names, line)) is not None:
                return asked
            known |= names
            made = self._made_before(names, line)
            names = set[str]().union(*(names_in(one.value) for one in made))
        return None

    def handed_answers(self, line: int | None) -> int | None:
        """Where a model was asked for what a statement at a line hands on as it is."""
        taken_apart = {n.value for n in ast.walk(self._tree) if isinstance(n, ast.Attribute)}
        return self._answered({n.id for n in self._names_at(line) if n not in taken_apart}, line)

    def _names_at(self, line: int | None) -> list[ast.Name]:
        return [n for n in ast.walk(self._tree) if isinstance(n, ast.Name) and n.lineno == line]

    def _answered(self, names: set[str], line: int | None) -> int | None:
        asked = (
            node.lineno
            for node in self._made_before(names, line)
            if any(map(_is_answer, ast.walk(node.value)))
        )
        return max(asked, default=None)

    def _made_before(self, names: set[str], line: int | None) -> list[ast.Assign]:
        return [
            node
            for node in self._assignments
            if names & set(map(name_of, node.targets)) and node.lineno < (line or 0)
        ]

    def last_set(self, attribute: str, before: int | None) -> int | None:
        """The last assignment to an attribute of that name above a line."""
        return max(
            (
                node.lineno
                for node in self._assignments
                for target in node.targets
                if isinstance(target, ast.Attribute) and target.attr == attribute
                if before is None or node.lineno < before
            ),
            default=None,
        )

    def cut_off_at(self, width: int) -> int | None:
        """Where a slice such as `words[:3]`, or what fills up to it, is told so many."""
        ends = [
            node.slice.upper
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        ]
        ends += [
            keyword.value
            for call in self._calls
            for keyword in call.keywords
            if keyword.arg in ("maxlen", "output_sequence_length", "max_length")
        ]
        found = (self._tracing.valued(one) for one in ends if one is not None)
        return next((at[0] for at in found if at is not None and at[1] == width), None)

    def naming(self, text: str) -> int | None:
        """The line of the first string that says just this, such as the name of a variable."""
        return next((node.lineno for node in self._texts if node.value == text), None)

    @property
    def own_names(self) -> set[str]:
        """Of all classes and functions that stand in it."""
        return {node.name for node in (*self._classes, *self._functions)}

    def nothing_written(self) -> int | None:
        """The first line that writes a nan, or None now and then, where a value is meant."""
        made = [c.lineno for c in self._calls if ast.unparse(c).lower() == "float('nan')"]
        forks = (n for call in self._calls for n in ast.walk(call) if isinstance(n, ast.IfExp))
        made += [one.lineno for fork in forks for one in (fork.body, fork.orelse) if _is_none(one)]
        made += [node.lineno for node in self._attributes if node.attr in ("nan", "NaN")]
        return min(made, default=None)

    def emptied(self) -> int | None:
        """Where numbers go missing: a nan that is written, or a call that leaves gaps."""
        return self.nothing_written() or next(
            (call.lineno for call in self._early if last(call.func) in _LEAVE_GAPS), None
        )

    def last_naming(self, text: str) -> int | None:
        """The lowest such line: the last layer of a model stands below the others."""
        return max((node.lineno for node in self._texts if node.value == text), default=None)

    def returned_in(self, kind: str, method: str) -> int | None:
        """The line of the last return of a method of a class."""
        for node in (one for one in self._classes if one.name == kind):
            made = [one for one in node.body if getattr(one, "name", "") == method]
            returns = (n for one in made for n in ast.walk(one) if isinstance(n, ast.Return))
            return max((one.lineno for one in returns), default=None)
        return None

    def returned_by(self, name: str) -> int | None:
        """The line of the last return of a function."""
        for node in self._functions:
            if node.name == name:
                returns = [n.lineno for n in ast.walk(node) if isinstance(n, ast.Return)]
                return max(returns, default=node.lineno)
        return None

    def measures_after_training(self) -> bool:
        """Does anything evaluate or predict after the training, or in a function of the script?"""
        return self._after_training(r"eval|\w*(evaluat|predict)\w*")

    def predicts_after_training(self) -> bool:
        """Does the script ask for answers of its own, so that it can measure them by hand?"""
        return self._after_training(r"predict(_on_batch|_step)?|generate") or self._asks_model()

    def evaluates_others_after_training(self) -> bool:
        """Is it evaluated behind the training, on rows that are handed over there and then?"""
        given = {ast.unparse(one) for c in self._trainings.calls() for one in _rows_given(c)}
        behind = (c for c in self._calls if last(c.func) == "evaluate")
        return any(
            ast.unparse(one) not in given
            for call in behind
            if call.lineno > self._trained_at()
            for one in _rows_given(call)
        )

    def _asks_model(self) -> bool:
        """Behind the training the model is called as a function, and not within a loss; or what is
        called, by whatever name, leaves no gradients, as in a function that is called there."""
        within = [
            (one.lineno, one.end_lineno or one.lineno)
            for one in ast.walk(self._tree)
            if isinstance(one, ast.ClassDef)
        ]
        named = [(c.lineno, last(c.func)) for c in self._calls]
        looks = {f.name for f in self._functions if calls_in([f], *_LOOKS)} | set(_LOOKS)
        asks = [line for line, name in named if name in looks or _MODEL.fullmatch(name)]
        behind = [line for line in asks if line > self._trained_at()]
        return any(not any(low <= line <= high for low, high in within) for line in behind)

    def _trained_at(self) -> int:
        trains = [c.lineno for c in self._calls if last(c.func) == "train"]
        return min(trains or [c.lineno for c in self._trainings.calls()], default=0)

    def _after_training(self, named: str) -> bool:
        trained = self._trained_at()
        spans = [(f.lineno, f.end_lineno or f.lineno) for f in self._functions]
        apart = [span for span in spans if not span[0] <= trained <= span[1]]
        return any(
            call.lineno > trained or any(low <= call.lineno <= high for low, high in apart)
            for call in self._calls
            if re.fullmatch(named, last(call.func), re.IGNORECASE)
        )

    def cut_in_two(self) -> int | None:
        """Where one thing is cut at a place, and both parts are kept: `a[:n], a[n:]`."""
        tuples = (node for node in ast.walk(self._tree) if isinstance(node, ast.Tuple))
        for node in tuples:
            parts = node.elts
            cuts = [one for one in parts if isinstance(one, ast.Subscript)]
            sides = [one.slice for one in cuts if isinstance(one.slice, ast.Slice)]
            if len(sides) != len(parts) or len(parts) != len(("before", "behind")):
                continue
            before, behind = sides
            if len({ast.unparse(one.value) for one in cuts}) > 1 or before.lower or behind.upper:
                continue
            if before.upper and behind.lower and _both_alike(before.upper, behind.lower):
                return node.lineno
        return None

    def uses_of(self, module: str) -> int:
        """How often something is looked up in a module."""
        nodes = (node for node in ast.walk(self._tree) if isinstance(node, ast.Attribute))
        return sum(isinstance(one.value, ast.Name) and one.value.id == module for one in nodes)

    def unfilled(self) -> int | None:
        """Where a tokenizer makes tokens of texts, by a call that does not say how to fill up."""
        return next(
            (
                call.lineno
                for call in self._calls
                if "tokenizer" in name_of(call.func).lower() and call.args
                if not any(k.arg in (None, "padding", "pad_to_max_length") for k in call.keywords)
                if name_of(call.func)[:1].islower()
            ),
            None,
        )

    def imported(self, module: str) -> int | None:
        return line_of(self._tree, module)

    def foreseen(self) -> Foreseen | None:
        return foreseen(self._tree)

    def copied_before_split(self) -> int | None:
        return copied_before_split(self._tree)

    def labels_torn(self) -> int | None:
        """The line that gives labels another order than their rows, or draws them by lot."""
        return torn(self._tree)

    def rows_made_of_labels(self, line: int) -> bool:
        return rows_made_of(self._tree, line)

    def labels_cut_to_fit(self) -> Shortened | None:
        return cut_to_fit(self._tree)

    def place_lost(self) -> tuple[int, str, str] | None:
        """Where a list changes its order though a place in it was noted: its name, the place's."""
        return place_lost(self._tree)

    def loop_of(self, line: int | None) -> int | None:
        """The line of the loop whose whole body stands at a line; without one, that line."""
        around = [
            loop.lineno
            for loop in self._loops
            if len(loop.body) == 1 and loop.body[0].lineno == loop.body[0].end_lineno == line
        ]
        return max(around, default=line)

    def putting_columns(self) -> int | None:
        return columns_listed(self._tree, self._tracing)

    def first_row_asked(self) -> int | None:
        return first_row_asked(self._tree)

    def stepped_behind(self) -> int | None:
        return stepped_behind(self._tree)

    def filled_again(self) -> int | None:
        return filled_again(self._tree)

    def ignoring(self) -> int | None:
        """The first line that gives a name, or places in a row, -100 and nothing else."""
        found = [n.lineno for n in self._assignments if _is_ignored(n.value)]
        return min(found, default=None)

    def put_again(self, one: str, other: str) -> int | None:
        """The last line that puts under `other` what stands under `one`, or the very same value."""
        firsts = {ast.unparse(value) for names, value in self._put if says(names, one)}
        return max(
            (
                value.lineno
                for names, value in self._put
                if says(names, other)
                and (ast.unparse(value) in firsts or any(says([key], one) for key in slices(value)))
            ),
            default=None,
        )

    def condition_of(self, line: int | None) -> int | None:
        """The line of the nearest `if` that a line stands in, where there is one."""
        around = [
            fork.lineno
            for fork in self._forks
            if line is not None and fork.lineno < line <= (fork.end_lineno or fork.lineno)
        ]
        return max(around, default=line)

    def highest(self, *parts: str) -> int | None:
        """The line of the highest number set under a name that holds one of these parts."""
        named = [(k.arg or "", k.value) for call in self._calls for k in call.keywords]
        named += [(last(call.func).lower(), call.args[0]) for call in self._calls if call.args]
        named += [
            (target.attr, node.value)
            for node in self._assignments
            for target in node.targets
            if isinstance(target, ast.Attribute)
        ]
        values = [value for name, value in named if any(p in name for p in parts)]
        found = [self._tracing.valued(value) for value in values]
        lines = [(-number, line) for line, number in filter(None, found)]
        return min(lines)[1] if lines else min((v.lineno for v in values), default=None)

    def trains(self) -> bool:
        """Whether a Trainer's training, or a model's `fit`, stands in the script."""
        return bool(self._trainings.calls())

    def trains_again(self) -> bool:
        """Whether the script seems to train more than once: further down, or on the same line."""
        return self._trainings.again()


def _rows_given(call: ast.Call) -> list[ast.expr]:
    """What a training or an evaluation is handed first."""
    named = [k.value for k in call.keywords if k.arg in ("x", "eval_dataset")]
    return [*call.args[:1], *named][:1]


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _is_ignored(value: ast.expr) -> bool:
    """-100, or a list of nothing else."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        value = value.left
    if isinstance(value, ast.List) and len(value.elts) == 1:
        value = value.elts[0]
    return ast.unparse(value) == "-100"


def _both_alike(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)


def _is_answer(node: ast.AST) -> bool:
    """What a model of Keras is asked, and what a Trainer's answer holds."""
    asked = isinstance(node, ast.Call) and name_of(node.func) == "predict"
    return asked or (isinstance(node, ast.Attribute) and node.attr == "predictions")
