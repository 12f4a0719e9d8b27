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
from debugger.script.answered import Answered
from debugger.script.arguments import Arguments
from debugger.script.behind import Behind
from debugger.script.casts import Casts
from debugger.script.chosen import Chosen
from debugger.script.cutting import Halved, halved
from debugger.script.earlier import Early, Kept, asked_too_early, brought_back
from debugger.script.filling import Filling
from debugger.script.fits import Fits
from debugger.script.flows import Flows
from debugger.script.folds import KeptThrough, kept_through_folds
from debugger.script.foreseen import Foreseen, foreseen
from debugger.script.frames import Frames
from debugger.script.gradients import left_off
from debugger.script.grouped import Grouped, laid_by_groups
from debugger.script.joined import Joined, joined
from debugger.script.judged import Judged
from debugger.script.layers import Layers
from debugger.script.losses import Losses
from debugger.script.making import Making
from debugger.script.meant import Meant
from debugger.script.measuring import Measuring
from debugger.script.named import Named
from debugger.script.notebook import shown_in
from debugger.script.origins import Origins
from debugger.script.oversights import Oversights
from debugger.script.pairing import Pairing
from debugger.script.parting import Parting
from debugger.script.powers import Power, powers
from debugger.script.preparing import Preparing
from debugger.script.putting import columns_listed
from debugger.script.ranks import Ranked, order_for_rank
from debugger.script.reloaded import Inside, loaded_whole
from debugger.script.reordered import Reordered, reordered_apart
from debugger.script.repeated import (
    copied_before_split,
    filled_again,
    first_row_asked,
    stepped_behind,
)
from debugger.script.rows import Rows
from debugger.script.scaling import Scaling
from debugger.script.slips import Slips
from debugger.script.stepping import Stepping
from debugger.script.streams import batched_behind_map, split_behind_shuffle
from debugger.script.told import told
from debugger.script.torn import (
    CutShort,
    Shortened,
    cut_to_fit,
    place_lost,
    rows_made_of,
    torn,
    zipped_short,
)
from debugger.script.tracing import name_of
from debugger.script.unkept import Unkept
from debugger.script.vocabularies import Apart, made_apart, made_inside
from debugger.script.vocabularies import Inside as MadeInside
from debugger.script.without_batch import Single, asked_of_one
from debugger.script.wrapping import Wrapped, wrapped
from debugger.script.written import Written
from debugger.script.zipped import Zipped, shuffled_before_zip

_REFUSES = re.compile(r"Value|Key|Assertion|Parameter|NotImplemented")
"""Exceptions by which a library refuses what it was given."""


class Places(Arguments, Named, Answered, Filling):
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
    def stepping(self) -> Stepping:
        return Stepping(self._tree, self._tracing)

    @cached_property
    def preparing(self) -> Preparing:
        return Preparing(self._tree, self._tracing)

    @cached_property
    def scaling(self) -> Scaling:
        return Scaling(self._tree, self._tracing)

    @cached_property
    def layers(self) -> Layers:
        return Layers(self._tree, self._tracing)

    @cached_property
    def losses(self) -> Losses:
        return Losses(self._tree, self._tracing)

    @cached_property
    def rows(self) -> Rows:
        return Rows(self._tree, self._tracing)

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

    def split_behind_shuffle(self) -> tuple[int, str, int] | None:
        """Where a stream is drawn anew each time, and split."""
        return split_behind_shuffle(self._tree)

    def batched_behind_map(self) -> int | None:
        return batched_behind_map(self._tree)

    @cached_property
    def joined(self) -> list[Joined]:
        return list(joined(self._tree))

    @cached_property
    def laid_by_groups(self) -> list[Grouped]:
        return list(laid_by_groups(self._tree))

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

    def argument_chosen(self, *names: str) -> int | None:
        """Like `argument`; but a number that serves elsewhere, too, was wrongly chosen here."""
        return self.chosen.argument(*names) or self.argument(*names)

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

    @cached_property
    def zipped_short(self) -> list[CutShort]:
        return list(zipped_short(self._tree))

    def place_lost(self) -> tuple[int, str, str] | None:
        """Where a list changes its order though a place in it was noted: its name, the place's."""
        return place_lost(self._tree)

    def putting_columns(self) -> int | None:
        return columns_listed(self._tree, self._tracing)

    def first_row_asked(self) -> int | None:
        return first_row_asked(self._tree)

    def stepped_behind(self) -> int | None:
        return stepped_behind(self._tree)

    def filled_again(self) -> int | None:
        return filled_again(self._tree)
