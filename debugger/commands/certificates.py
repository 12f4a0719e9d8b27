"""The command that tells which certificates are genuine."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from debugger.arguments import Usage
from debugger.commands.running import FAULT
from debugger.printing.output import say, say_json
from debugger.settings import Settings
from debugger.words import Words


def certificate(asked: Namespace, settings: Settings, words: Words) -> int:
    from debugger.homework import task as tasks
    from debugger.homework.certificate import check, in_text, together
    from debugger.homework.seal import NoKey, Refused, Seal
    from debugger.homework.table import as_csv, as_json
    from debugger.printing.certificate import line, why

    seal = Seal(settings.key, settings.key_file, makes=False)
    try:
        task = tasks.read(asked.task, seal) if asked.task else None
        files = together(
            [
                check(name, told, seal, task)
                for name in dict.fromkeys(asked.files)
                for told in in_text(_text_of(Path(name), words))
            ]
        )
    except NoKey as error:
        raise Usage(words.say("homework", "no_key_here", reason=error)) from error
    except Refused as refused:
        raise Usage(words.say("homework", refused.code, **refused.numbers)) from refused
    if asked.json:
        say_json([as_json(one, why(one, words) if one.reason else "") for one in files])
    elif asked.csv:
        say(as_csv(files))
    else:
        say("".join(f"{line(one, words)}\n" for one in files))
    return 0 if all(one.genuine for one in files) else FAULT


def _text_of(path: Path, words: Words) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        told = {"path": path, "reason": error.strerror}
        raise Usage(words.say("cli", "script_unreadable", **told)) from error
