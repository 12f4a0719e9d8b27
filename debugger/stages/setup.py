"""Does the script build? It runs up to the call that starts the training, and no further."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata

from debugger.failure import Failure
from debugger.frameworks import called
from debugger.outcome import Evidence, Finding
from debugger.pipelines.face import Facts
from debugger.script.building import Building
from debugger.script.places import Places
from debugger.stages.crashes import RULES
from debugger.stages.judging import View, crash, first_line, traceback_shown

_TODAY = {
    "evaluation_strategy": "eval_strategy",
    "tokenizer": "processing_class",
    "no_cuda": "use_cpu",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "compute_loss": "compute_loss_func",
    "load_metric": "evaluate.load",
    "AdamW": "torch.optim.AdamW",
}
_OF_NOTHING = (
    *("NoneType", "TextEncodeInput must be", "TextInputSequence must be"),
    "text input must be of type",
)
"""What is said of a None, or of the nan of an empty cell, where a number or a text was meant."""
_OF_INNER_KERAS = (
    r"(?:cannot import name '(\w+)' from|No module named) '(tensorflow\.python\.keras[\w.]*)'"
)
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
        code, line = built.refused
        return _finding(code, "note", line)
    if built.exited and failure is not None:
        return _finding("exits_early", "fault", failure.line, status=failure.message or "0")
    if failure is None:
        nothing = called(built.framework).nothing
        return None if built.trained is not None else _finding(nothing, "note", None)
    said = first_line(failure.message)
    if built.forbidden is not None:
        return _finding(built.forbidden, "note", failure.line, said=said)
    if failure.exception in ("SyntaxError", "IndentationError", "TabError"):
        return _finding("does_not_parse", "fault", failure.line, said=said)
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
    if (unknown := _unknown_argument(said, failure.line, places)) is not None:
        return unknown
    if inner := re.search(_OF_INNER_KERAS, said):
        public = inner[2].replace(".python", "", 1)
        told = {"name": inner[1] or inner[2].rpartition(".")[2], "module": inner[2]}
        return _finding("inner_keras", "fault", failure.line, public=public, **told)
    if name := re.search(r"cannot import name '(\w+)' from '([\w.]+)'", said):
        library = name[2].partition(".")[0]
        if (version := _installed(library)) is not None:
            named = {"library": library, "version": version}
            return _renamed(name[1], failure.line, said, "name", **named)
    if removed := re.search(r"`([\w.]+)` was removed in .*Use `([^`]+)` instead", said):
        return _finding("renamed_name", "fault", failure.line, name=removed[1], today=removed[2])
    if failure.exception == "AttributeError" and (
        gone := re.search(r"module '?([\w.]+?)'? has no attribute '?(\w+)", said)
    ):
        library = gone[1].partition(".")[0]
        if (version := _installed(library)) is not None:
            named = {"library": library, "version": version}
            return _renamed(gone[2], failure.line, said, "name", **named)
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
    if failure.exception == "ModuleNotFoundError":
        return _finding("missing_module", "fault", failure.line, said=said)
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


def _unknown_argument(said: str, line: int | None, places: Places) -> Finding | None:
    argument = re.search(r"got an unexpected keyword argument '(\w+)'", said)
    if argument is None:
        return None
    return _renamed(argument[1], places.argument_at(argument[1], line), said, "argument")


def _installed(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def _renamed(name: str, line: int | None, said: str, kind: str, **more: str) -> Finding:
    today = _TODAY.get(name)
    if today is None:
        return _finding(f"unexpected_{kind}", "fault", line, name=name, said=said, **more)
    return _finding(f"renamed_{kind}", "fault", line, name=name, today=today)


def _odd(built: Building, text: str, places: Places) -> list[Finding]:
    found = []
    for line, steps, planned in built.rehearsed:
        numbers = {"steps": steps, "planned": planned, "looked_at": built.training_line}
        found.append(_finding("trains_before", "note", line, **numbers))
    if built.unseen is not None:
        numbers = built.unseen.numbers
        found.append(_finding(built.unseen.code, "look", built.training_line, **numbers))
        said = str(numbers.get("said", ""))
        if (unknown := _unknown_argument(said, numbers.get("at"), places)) is not None:
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
