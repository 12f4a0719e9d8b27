"""What a script fills its rows with, where it cuts them, and what leaves gaps in them."""

from __future__ import annotations

import ast

from debugger.script.putting import says, slices
from debugger.script.statements import Statements
from debugger.script.tracing import last, name_of
from debugger.script.written import TOKENIZES

_LEAVE_GAPS = (
    *("shift", "rolling", "diff", "pct_change", "reindex", "asfreq", "merge", "join", "unstack"),
    *("to_numeric", "pivot", "pivot_table", "log", "log10", "divide", "resample", "read_csv"),
)


class Filling(Statements):
    """The lines that make tokens, labels that count for nothing, and numbers that are none."""

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
