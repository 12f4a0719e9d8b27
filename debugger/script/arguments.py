"""Where an argument is given, and where that was made which it is given."""

from __future__ import annotations

import ast
import re

from debugger.script.statements import Statements
from debugger.script.tracing import last, name_of

_TOTAL = re.compile(r"total|all_steps|train(ing)?_steps|max_steps", re.IGNORECASE)
_SCHEDULES = (
    *("PolynomialDecay", "ExponentialDecay", "CosineDecay", "CosineDecayRestarts"),
    "InverseTimeDecay",
)
_OPTIMIZERS = (
    *("Adam", "AdamW", "AdamWeightDecay", "Adamax", "Nadam", "SGD", "RMSprop", "Adagrad"),
    *("Adadelta", "Adafactor", "Ftrl", "Lion"),
)


class Arguments(Statements):
    """The lines of keyword arguments, and of what stands for them."""

    def argument(self, *names: str) -> int | None:
        """The line of the first keyword argument with one of these names, before the training.

        Where there are several trainings, what the one was handed that is looked at comes first.

        Where it only names a number or a word, the line that this is written down in.
        """
        given = next(
            (
                keyword.value
                for calls in (self._mine, self._early, self._calls)
                for name in names
                for call in calls
                for keyword in call.keywords
                if keyword.arg == name
            ),
            None,
        )
        if given is None:
            alone = next(filter(None, map(self._tracing.apart, names)), None)
            return alone or next(filter(None, map(self._set_later, names)), None)
        return self._tracing.setting(given) or given.lineno

    def _set_later(self, name: str) -> int | None:
        """Where it is set on what was made without it, as in `args.learning_rate = 1e-3`."""
        for node in self._assignments:
            fields = (one for one in node.targets if isinstance(one, ast.Attribute))
            if any(one.attr == name and name_of(one.value) != "self" for one in fields):
                return self._tracing.setting(node.value) or node.lineno
        return None

    def total_made(self, *names: str) -> int | None:
        """Where the number of all steps is worked out that an argument of one of these names gets,
        if it is called so: a name for the whole that is something else."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg in names]
        for one in given:
            made = self._tracing.local(one) if isinstance(one, ast.Name) else []
            if (
                made
                and _TOTAL.search(ast.unparse(one))
                and not isinstance(made[-1][1], ast.Constant)
            ):
                return made[-1][0]
        return None

    def argument_of_value(self, value: float, *names: str) -> int | None:
        """The line of the keyword argument of that name which comes down to that number."""
        given = [k.value for n in names for c in self._calls for k in c.keywords if k.arg == n]
        found = [one for one in map(self._tracing.valued, given) if one and one[1] == value]
        return found[0][0] if found else self.argument(*names)

    def numbers_given(self, *names: str) -> list[float]:
        """What keyword arguments of one of these names are in the end, where that is a number."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg in names]
        return [one[1] for one in map(self._tracing.valued, given) if one is not None]

    def comes_down_to(self, value: float, *names: str) -> bool:
        """Whether a keyword argument of one of these names is that number in the end."""
        given = [k.value for c in self._calls for k in c.keywords if k.arg in names]
        return any(one is not None and one[1] == value for one in map(self._tracing.valued, given))

    def argument_at(self, name: str, line: int | None) -> int | None:
        """The line of a keyword argument of the call that stands at a line; without one, `line`."""
        found = [
            (keyword.lineno - call.lineno, keyword.lineno)
            for call in self._calls
            for keyword in call.keywords
            if keyword.arg == name
            and line is not None
            and call.lineno <= line <= (call.end_lineno or call.lineno)
        ]
        return min(found)[1] if found else line

    def argument_in(self, ending: str, name: str) -> int | None:
        """The line of a keyword argument of a call such as `GPT2Config` or `AutoConfig.of`."""
        return next(
            (
                self._tracing.setting(keyword.value) or keyword.value.lineno
                for call in self._calls
                for keyword in call.keywords
                if keyword.arg == name and ending in ast.unparse(call.func)
            ),
            None,
        )

    def configured(self, value: float, *names: str) -> int | None:
        """Where a config is given that number under one of these names."""
        given = [
            keyword.value
            for call in self._calls
            for keyword in call.keywords
            if keyword.arg in names and "Config" in ast.unparse(call.func)
        ]
        found = (self._tracing.valued(one) for one in given)
        return next((at[0] for at in found if at is not None and at[1] == value), None)

    def argument_of(self, owner: str, name: str) -> int | None:
        """The line of a keyword argument given to a class, or to a class made from it here."""
        family = {owner}
        for node in sorted(self._classes, key=lambda node: node.lineno):
            if any(last(base) in family for base in node.bases):
                family.add(node.name)
        return next(
            (
                keyword.lineno
                for call in self._calls
                for keyword in call.keywords
                if keyword.arg == name and last(call.func) in family
            ),
            None,
        )

    def rate(self) -> int | None:
        """Where the learning rate is written down: by its name, or as what a schedule or an
        optimizer of Keras is given first."""
        return (
            self.argument("init_lr", "initial_learning_rate")
            or self._first_number(_SCHEDULES)
            or self.argument("learning_rate", "lr")
            or self._first_number(_OPTIMIZERS)
        )

    def _first_number(self, names: tuple[str, ...]) -> int | None:
        found = [call.args[0] for call in self._calls if name_of(call.func) in names and call.args]
        return next((at[0] for one in found if (at := self._tracing.valued(one))), None)

    def origin(self, *names: str) -> int | None:
        """Where the value of a keyword argument is made: what was assigned to the name in it."""
        for name in names:
            for given in (k.value for c in self._calls for k in c.keywords if k.arg == name):
                bare = _unmoved(given)
                held = {node.id for node in ast.walk(bare) if isinstance(node, ast.Name)}
                held |= {n.attr for n in ast.walk(bare) if isinstance(n, ast.Attribute)}
                made = [
                    node.value.lineno
                    for node in self._assignments
                    if node.lineno != given.lineno
                    and any(last(target) in held for target in node.targets)
                ]
                return max(made, default=given.lineno)
        return None

    def filled(self, name: str) -> int | None:
        """The last line that puts something into what a keyword argument is given."""
        given = (k.value for c in self._calls for k in c.keywords if k.arg == name)
        names = (one for one in given if isinstance(one, ast.Name))
        return max((at for one in names for at, _ in self._tracing.fills(one)), default=None)

    def made_after(self, name: str, line: int | None) -> int | None:
        """Where what a keyword argument is given was made anew, below a line."""
        given = next((k.value for c in self._calls for k in c.keywords if k.arg == name), None)
        made = self._tracing.local(given) if isinstance(given, ast.Name) else []
        below = [at for at, _ in made if line is not None and at > line]
        return below[-1] if len(made) > 1 and below else None

    def apart_from(self, name: str, other: str) -> int | None:
        """Where what one keyword argument is given was first made, if on another line than what
        the other one is given."""
        here, there = (self._first_made(one) for one in (name, other))
        return here if here is not None and there is not None and here != there else None

    def _first_made(self, name: str) -> int | None:
        given = next((k.value for c in self._calls for k in c.keywords if k.arg == name), None)
        made = self._tracing.local(given) if isinstance(given, ast.Name) else []
        return made[0][0] if made else None

    def column_given(self, argument: str) -> int | None:
        """Where the column is named that a keyword argument is given."""
        for given in (k.value for c in self._calls for k in c.keywords if k.arg == argument):
            if isinstance(given, ast.Subscript):
                return self._tracing.setting(given.slice) or given.lineno
        return None

    def value(self, argument: str) -> str | None:
        """The source of the last argument of that name, such as compute_metrics."""
        values = [k.value for c in self._calls for k in c.keywords if k.arg == argument]
        return ast.unparse(values[-1]) if values else None


def _unmoved(given: ast.expr) -> ast.expr:
    """Without what only brings a tensor to another device or type."""
    while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
        if given.func.attr not in ("to", "cuda", "cpu", "float", "double", "half", "type_as"):
            break
        given = given.func.value
    return given
