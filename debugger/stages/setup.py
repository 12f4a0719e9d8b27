"""Does the script build? It runs up to the call that starts the training, and no further."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from debugger.failure import Failure, first_line
from debugger.frameworks import called
from debugger.outcome import Evidence, Finding
from debugger.pipelines.facts import Facts
from debugger.script.building import Building
from debugger.script.notebook import command_in
from debugger.script.places import Places
from debugger.stages.crashes import RULES
from debugger.stages.gone import gone, unknown_argument
from debugger.stages.judging import View, crash, traceback_shown

_OF_NOTHING = (
    *("NoneType", "TextEncodeInput must be", "TextInputSequence must be"),
    "text input must be of type",
)
"""What is said of a None, or of the nan of an empty cell, where a number or a text was meant."""
_NEVER_LEARNS = ("never_goes_backward", "no_optimizer_steps", "no_weights_given")
"""Loops that cannot be looked into, as they do not train."""
_TRAINS_NOT = re.compile(r"\s*#\s*(?:\w+\s*=\s*)?[\w.]+\.(?:train|fit)\(.*\)\s*$")
_NOTHING_BUILT = Facts("unknown", "", None, None, "cpu", "", False, "", 0, False, False)


def findings(built: Building, text: str) -> list[Finding]:
    """What went wrong before there was a Trainer, then what is odd about the one that there is."""
    places = Places(text, sources=built.sources)
    if (failed := _failed(built, text, places)) is not None:
        return [failed]
    return [*built.findings, *_odd(built, text, places), *_warned(built, places)]


def show(built: Building) -> list[Evidence]:
    lines = "\n".join(built.warnings)
    warned = [Evidence("text", "warnings", "setup", {"text": lines})] if lines else []
    return [*traceback_shown("setup", built.failure, "python script.py"), *built.evidence, *warned]


def _failed(built: Building, text: str, places: Places) -> Finding | None:
    failure = built.failure
    if built.refused is not None:
        code, line = built.refused.code, built.refused.line
        severity = "fault" if code in _NEVER_LEARNS else "note"
        return _finding(code, severity, line, **built.refused.numbers)
    if built.arguments_refused and failure is not None:
        said = built.arguments_refused.rstrip(".")
        return _finding("arguments_refused", "fault", failure.line, said=said)
    if built.exited and failure is not None:
        return _finding("exits_early", "fault", failure.line, status=failure.message or "0")
    if failure is None:
        nothing = called(built.framework).nothing
        return None if built.trained is not None else _finding(nothing, "note", None)
    said = first_line(failure.message)
    if built.forbidden is not None:
        return _finding(built.forbidden, "note", failure.line, said=said)
    if failure.exception in ("SyntaxError", "IndentationError", "TabError"):
        command = command_in(text)
        of_a_notebook = command is not None and command[0] == failure.line
        code = "line_of_a_notebook" if of_a_notebook else "does_not_parse"
        return _finding(code, "fault", failure.line, said=said)
    if failure.out_of_memory:
        return _finding("out_of_memory", "fault", failure.line)
    if failure.exception == "EOFError" and "input(" in built.sources.text_of(text, failure.line):
        return _finding("asks_for_input", "fault", failure.line)
    if failure.says("could not interpret optimizer identifier"):
        line = places.origin("optimizer") or failure.line
        if places.uses_of("keras") > 1:
            line = places.imported("keras") or line  # all of it was meant to be of the other
        line = places.imported("keras.optimizers") or line
        return _finding("keras3_optimizer", "fault", line, said=said)
    if column := re.search(r"[Cc]olumn (\w+) not found in dataset", said):
        return _finding("column_not_there", "fault", failure.line, name=column[1])
    if (found := gone(failure, places)) is not None:
        return found
    if sizes := re.search(r"x sizes: ([\d, ]+)\s+y sizes: ([\d, ]+)", failure.message):
        made = [places.fits.fitted(), places.fits.fitted(labels=True)]
        line = max((one for one in made if one is not None), default=failure.line)
        numbers = {"rows": sizes[1].strip(), "labels": sizes[2].strip()}
        return _finding("rows_and_labels_unequal", "fault", line, **numbers)
    if any(map(failure.says, _OF_NOTHING)) and (missing := _missing(built, text)) is not None:
        line = places.nothing_written() or failure.line
        return _finding("value_missing", "fault", line, at=failure.line, **missing)
    if (dropped := _dropped(failure, places)) is not None:
        return dropped
    if failure.exception in ("FileNotFoundError", "IsADirectoryError"):
        return _finding("missing_file", "fault", failure.line, said=said)
    if (known := crash("setup", built, View(_NOTHING_BUILT, places, True), RULES)) is not None:
        return known
    line = places.blamed(failure)
    return _finding("script_failed", "fault", line, exception=failure.exception, said=said)


def _dropped(failure: Failure, places: Places) -> Finding | None:
    """A column that the script makes, and that the Trainer has left out on its way to this line."""
    name = failure.message.strip("'\" ")
    if failure.exception != "KeyError" or not any("trainer" in one.file for one in failure.frames):
        return None
    made = places.argument("remove_unused_columns") is None and places.written.under(name)
    if not made:
        return None
    return _finding("column_dropped", "fault", failure.line, name=name, columns=name)


def _missing(built: Building, text: str) -> dict[str, object] | None:
    """A column that is known where the script stopped, and has no value in some of its rows."""
    failed_at = built.sources.text_of(text, built.failure.line if built.failure else None)
    found: list[dict[str, object]] = []
    for held in built.stands.names.values() if built.stands else ():
        if not isinstance(held, Mapping):
            continue
        for name in held:
            values = held[name] if isinstance(name, str) and name in failed_at else None
            if not isinstance(values, list) or not all(_is_one(value) for value in values):
                continue
            empty = sum(value is None or value != value for value in values)
            if empty:
                found.append({"name": name, "rows": empty, "of": len(values)})
    return found[0] if found else None


def _is_one(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _odd(built: Building, text: str, places: Places) -> list[Finding]:
    found = []
    for line, steps, planned in dict.fromkeys(built.rehearsed):  # a loop trains at one line
        numbers = {"steps": steps, "planned": planned, "looked_at": built.training_line}
        found.append(_finding("trains_before", "note", line, **numbers))
    if built.unseen is not None:
        numbers = built.unseen.numbers
        found.append(_finding(built.unseen.code, "look", built.training_line, **numbers))
        said = str(numbers.get("said", ""))
        if (unknown := unknown_argument(said, numbers.get("at"), places)) is not None:
            found.append(replace(unknown, severity="look"))
    if len(built.trainer_lines) > 1 and not built.rehearsed:
        lines = ", ".join(str(line) for line in built.trainer_lines)
        count = len(built.trainer_lines)
        found.append(
            _finding("two_trainers", "look", built.training_line, count=count, lines=lines)
        )
    if (switch := places.meant.text_for_switch()) is not None:
        line, asked, said = switch
        found.append(_finding("text_counts_as_true", "look", line, name=asked, text=said))
    if (crossed := places.meant.crossed()) is not None:
        line, name, one, other = crossed
        told = {"name": name, "one": one, "other": other}
        found.append(_finding("settings_crossed", "look", line, **told))
    if built.training_line is None:
        made = next(reversed(built.trainer_lines), None)
        off = _switched_off(text, made) if places.measures_after_training() else None
        found.append(_finding("never_trains", "look" if off else "note", off or made))
    return found


def _switched_off(text: str, made: int | None) -> int | None:
    """The line below the Trainer that would train, were it no comment."""
    numbered = enumerate(text.splitlines(), start=1)
    return next((n for n, line in numbered if n > (made or 0) and _TRAINS_NOT.match(line)), None)


def _warned(built: Building, places: Places) -> list[Finding]:
    found = []
    for message in dict.fromkeys(built.warnings):
        if argument := re.search(r"`(\w+)` is deprecated and will be removed", message):
            owner = re.search(r" for `(\w+)\.__init__`", message)
            found.append(
                _finding(
                    "deprecated_argument",
                    "look",
                    places.argument_of(owner[1], argument[1])
                    if owner
                    else places.argument(argument[1]),
                    name=argument[1],
                    said=first_line(message),
                )
            )
    return found


def _finding(code: str, severity: str, line: int | None, **numbers: object) -> Finding:
    return Finding(code, severity, "setup", line, dict(numbers))  # type: ignore[arg-type]
