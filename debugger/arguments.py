"""What may stand behind python -m debugger. Wrong usage is one sentence."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from debugger.outcome import STAGES
from debugger.run import FRAMEWORKS
from debugger.settings import DEVICES
from debugger.words import Words

MOST_STEPS = 120
MOST_SEED = 2**32 - 1


class Usage(Exception):
    """A sentence for the person who typed the command."""


def parse(arguments: Sequence[str], words: Words) -> argparse.Namespace:
    """The command and its options; `arguments` of it is what stands after --."""
    given = list(arguments)
    own = given[: given.index("--")] if "--" in given else given
    asked = _parser(words).parse_args(own)
    asked.arguments = given[len(own) + 1 :]
    if asked.command is None:
        raise Usage(words.say("cli", "see_help", message=words.say("cli", "no_command")))
    if asked.arguments and asked.command not in ("run", "diagnose"):
        raise Usage(words.say("cli", "no_arguments", command=asked.command))
    return asked


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = message[:1].upper() + message[1:]
        raise Usage(Words().say("cli", "see_help", message=message))


def _parser(words: Words) -> argparse.ArgumentParser:
    def text(code: str, **numbers: Any) -> str:
        return words.say("cli", code, **numbers)

    parser = _Parser(prog="python -m debugger", description=text("about"), epilog=text("after"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    listing, run, diagnose, judge, export, new = (
        commands.add_parser(name, help=text(f"help_{name}"), epilog=text("after"))
        for name in ("list", "run", "diagnose", "judge", "export", "new")
    )
    for sub in (run, judge, export):
        sub.add_argument("scenario", metavar="SCENARIO", help=text("help_scenario"))
    new.add_argument("scenario", metavar="ID", help=text("help_new_id"))
    framework = _one_of("unknown_framework", FRAMEWORKS, words)
    shown = text("help_framework", allowed=", ".join(FRAMEWORKS))
    new.add_argument("--framework", metavar="F", type=framework, default=FRAMEWORKS[0], help=shown)
    diagnose.add_argument("script", metavar="SCRIPT.py", help=text("help_script"))
    judge.add_argument("script", metavar="SCRIPT.py", help=text("help_repair"))
    run.add_argument("--fix", metavar="ID", action="append", default=[], help=text("help_fix"))
    for sub in (run, diagnose):
        which = sub.add_mutually_exclusive_group()
        stage = _one_of("unknown_stage", STAGES, words)
        shown = text("help_stage", stages=", ".join(STAGES))
        which.add_argument("--stage", metavar="STAGE", type=stage, help=shown)
        which.add_argument("--all", action="store_true", help=text("help_all"))
        steps = _whole("--steps", 1, MOST_STEPS, words)
        shown = text("help_steps", most=MOST_STEPS)
        sub.add_argument("--steps", metavar="N", type=steps, help=shown)
    for sub in (run, diagnose, judge):
        device = _one_of("unknown_device", DEVICES, words)
        sub.add_argument("--device", metavar="DEVICE", type=device, help=text("help_device"))
        seed = _whole("--seed", 0, MOST_SEED, words)
        sub.add_argument("--seed", metavar="N", type=seed, default=0, help=text("help_seed"))
    for sub in (listing, run, diagnose, judge):
        sub.add_argument("--json", action="store_true", help=text("help_json"))
    export.add_argument(
        "--notebook", metavar="OUT.ipynb", required=True, help=text("help_notebook")
    )
    return parser


def _one_of(code: str, allowed: Sequence[str], words: Words) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in allowed:
            raise Usage(words.say("cli", code, value=value, allowed=", ".join(allowed)))
        return value

    return check


def _whole(name: str, low: int, high: int, words: Words) -> Callable[[str], int]:
    def check(value: str) -> int:
        if not value.isdecimal() or not low <= int(value) <= high:
            sentence = words.say("cli", "bad_number", name=name, value=value, low=low, high=high)
            raise Usage(sentence)
        return int(value)

    return check
