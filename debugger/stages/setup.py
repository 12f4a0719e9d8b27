"""Does the script build? It runs up to the call that starts the training, and no further."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from debugger.outcome import Evidence, Finding
from debugger.script import Building, Places
from debugger.stages import first_line, traceback_shown

if TYPE_CHECKING:
    from debugger.pipelines.keras.gpu import GpuMemory

_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
_LOOK_AT_GPUS = f"""os.environ.get("{_GROWTH}")
tf.config.list_physical_devices("GPU")
!nvidia-smi"""
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


def findings(built: Building, text: str) -> list[Finding]:
    """What went wrong before there was a Trainer, then what is odd about the one that there is."""
    if (failed := _failed(built, text)) is not None:
        return [failed]
    places = Places(text)
    return [*_hungry(built, places), *_odd(built), *_warned(built, places)]


def show(built: Building) -> list[Evidence]:
    lines = "\n".join(built.warnings)
    warned = [Evidence("text", "warnings", "setup", {"text": lines})] if lines else []
    held = _held(built.gpu_memory) if built.gpu_memory else []
    return [*traceback_shown("setup", built.failure, "python script.py"), *held, *warned]


def _held(memory: GpuMemory) -> list[Evidence]:
    """Where there is a GPU, or where it would go wrong if there were one."""
    if not (memory.takes_all or memory.gpus or memory.cards):
        return []
    rows = [[_GROWTH, memory.said or "not set"], ["GPUs that TensorFlow sees", memory.gpus]]
    rows += [[f"MB taken of {card.name}", f"{card.used} of {card.total}"] for card in memory.cards]
    table = {"columns": ["what", "value"], "rows": rows}
    return [Evidence("table", "gpu_memory", "setup", table, _LOOK_AT_GPUS)]


def _hungry(built: Building, places: Places) -> list[Finding]:
    """A process that leaves nothing of a GPU to others, where its script chose so."""
    if built.gpu_memory is None or not built.gpu_memory.takes_all:
        return []
    line = places.naming(_GROWTH) or built.training_line
    said = built.gpu_memory.said or ""
    return [_finding("takes_all_memory", "fault", line, said=said)]


def _failed(built: Building, text: str) -> Finding | None:
    failure = built.failure
    if built.hand_written_line is not None:
        return _finding("hand_written_loop", "note", built.hand_written_line)
    if built.exited and failure is not None:
        return _finding("exits_early", "fault", failure.line, status=failure.message or "0")
    if built.foreign_line is not None:
        return _finding("keras3_model", "note", built.foreign_line)
    if failure is None:
        code = "no_fit" if built.framework == "keras" else "no_trainer"
        return None if built.trainer is not None else _finding(code, "note", None)
    said = first_line(failure.message)
    if failure.exception in ("SyntaxError", "IndentationError", "TabError"):
        return _finding("does_not_parse", "fault", failure.line, said=said)
    if failure.out_of_memory:
        return _finding("out_of_memory", "fault", failure.line)
    if failure.exception == "EOFError" and "input(" in _line(text, failure.line):
        return _finding("asks_for_input", "fault", failure.line)
    if failure.says("could not interpret optimizer identifier"):
        line = Places(text).argument_at("optimizer", failure.line)
        return _finding("keras3_optimizer", "fault", line, said=said)
    if column := re.search(r"[Cc]olumn (\w+) not found in dataset", said):
        return _finding("column_not_there", "fault", failure.line, name=column[1])
    if argument := re.search(r"got an unexpected keyword argument '(\w+)'", said):
        line = Places(text).argument_at(argument[1], failure.line)
        return _renamed(argument[1], line, said, "argument")
    if name := re.search(r"cannot import name '(\w+)' from '([\w.]+)'", said):
        return _renamed(name[1], failure.line, said, "name")
    if failure.exception in ("FileNotFoundError", "IsADirectoryError"):
        return _finding("missing_file", "fault", failure.line, said=said)
    if failure.exception == "ModuleNotFoundError":
        return _finding("missing_module", "fault", failure.line, said=said)
    return _finding("script_failed", "fault", failure.line, exception=failure.exception, said=said)


def _renamed(name: str, line: int | None, said: str, kind: str) -> Finding:
    today = _TODAY.get(name)
    if today is None:
        return _finding(f"unexpected_{kind}", "fault", line, name=name, said=said)
    return _finding(f"renamed_{kind}", "fault", line, name=name, today=today)


def _odd(built: Building) -> list[Finding]:
    found = []
    for line, steps, planned in built.rehearsed:
        numbers = {"steps": steps, "planned": planned, "looked_at": built.training_line}
        found.append(_finding("trains_before", "note", line, **numbers))
    if built.trains_again:
        found.append(_finding("trains_again", "look", built.training_line))
    if len(built.trainer_lines) > 1 and not built.rehearsed:
        lines = ", ".join(str(line) for line in built.trainer_lines)
        count = len(built.trainer_lines)
        found.append(
            _finding("two_trainers", "look", built.training_line, count=count, lines=lines)
        )
    if built.training_line is None:
        found.append(_finding("never_trains", "note", next(reversed(built.trainer_lines), None)))
    return found


def _warned(built: Building, places: Places) -> list[Finding]:
    found = []
    for message in built.warnings:
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


def _line(text: str, number: int | None) -> str:
    lines = text.splitlines()
    return lines[number - 1] if number is not None and 0 < number <= len(lines) else ""


def _finding(code: str, severity: str, line: int | None, **numbers: object) -> Finding:
    return Finding(code, severity, "setup", line, dict(numbers))  # type: ignore[arg-type]
