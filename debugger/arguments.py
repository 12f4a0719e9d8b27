"""What may stand behind python -m debugger. Wrong usage is one sentence."""

import argparse
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from debugger.asking.shorten import SECONDS
from debugger.frameworks import NAMES
from debugger.outcome import STAGES
from debugger.settings import DEVICES
from debugger.stages.train import ENOUGH_STEPS
from debugger.words import Words, languages, spoken

COMMANDS = (
    "list",
    "run",
    "diagnose",
    "ask",
    "issue",
    "judge",
    "export",
    "check",
    "new",
    "certificate",
)
MOST_STEPS = 120
MOST_SEED = 2**32 - 1
MOST_SECONDS = 3600
TRAINING_SECONDS = 60
"""For each of the stages that train somebody's own script; a scenario's are bound by steps."""
LOCALES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
_IN_ENGLISH = {
    "unknown_command": r"argument COMMAND: invalid choice: '?(?P<value>.*?)'? \(choose from .*\)",
    "unknown_arguments": r"unrecognized arguments: (?P<value>.+)",
    "needs_arguments": r"the following arguments are required: (?P<value>.+)",
    "needs_value": r"argument (?P<value>\S+): expected one argument",
    "takes_no_value": r"argument (?P<value>\S+): ignored explicit argument .+",
    "not_together": r"argument (?P<value>\S+): not allowed with argument (?P<other>\S+)",
    "ambiguous": r"ambiguous option: (?P<value>\S+) could match (?P<other>.+)",
}
"""What argparse says, in English whatever the language. Anything else is passed on as it is."""


class Usage(Exception):
    """A sentence for the person who typed the command."""


def words_of(arguments: Sequence[str], environment: Mapping[str, str]) -> Words:
    """The language of `--lang`, which may stand anywhere before --, else of the environment."""
    named = next(filter(None, (environment.get(name) for name in LOCALES)), "")
    words = Words(spoken(re.split(r"[.@]", locale)[0] for locale in named.split(":")))
    asked = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    asked.add_argument("--lang")
    try:
        lang = asked.parse_known_args(_before_dashes(arguments))[0].lang
    except argparse.ArgumentError:  # nothing stands after it, which is said with all other usage
        lang = None
    if lang is not None:
        _one_of("unknown_language", list(languages()), words)(lang)
    return words if lang is None else Words(lang)


def _before_dashes(arguments: Sequence[str]) -> list[str]:
    given = list(arguments)
    return given[: given.index("--")] if "--" in given else given


def parse(arguments: Sequence[str], words: Words) -> argparse.Namespace:
    """The command and its options; `arguments` of it is what stands after --."""
    own = _before_dashes(arguments)
    parser = _parser(words)
    asked, unknown = parser.parse_known_args(own)
    asked.arguments = list(arguments[len(own) + 1 :])
    if unknown and asked.command in ("diagnose", "issue", "ask"):
        given = {"value": " ".join(unknown), "typed": _with_dashes(own, unknown, asked)}
        raise Usage(words.say("cli", "arguments_of_script", **given))
    if unknown:
        raise Usage(words.say("cli", "unknown_arguments", value=" ".join(unknown)))
    if asked.command is None:
        raise Usage(words.say("cli", "see_help", message=words.say("cli", "no_command")))
    if asked.arguments and asked.command not in ("run", "diagnose", "ask", "issue"):
        raise Usage(words.say("cli", "no_arguments", command=asked.command))
    return asked


def _with_dashes(own: Sequence[str], unknown: Sequence[str], asked: argparse.Namespace) -> str:
    """The command as it was meant. A value of the script's may have been taken for the script."""
    meant = [one for one in own if one.endswith((".py", ".ipynb"))] or [asked.script]
    rest = [one for one in own[1:] if one != meant[0]]
    of_script = [one for one in rest if one in unknown or one == asked.script]
    ours = [one for one in rest if one not in of_script]
    typed = ["python", "-m", "debugger", asked.command, *ours, meant[0], "--", *of_script]
    return shlex.join([*typed, *asked.arguments])


class _Parser(argparse.ArgumentParser):
    """argparse, where it can, in the words of one language."""

    def __init__(self, words: Words, **options: Any) -> None:
        self._words = words
        shown = partial(_Help, head=words.say("cli", "usage"))
        super().__init__(**options, add_help=False, formatter_class=shown)
        self._positionals.title = words.say("cli", "places")
        self._optionals.title = words.say("cli", "options")
        self.add_argument("-h", "--help", action="help", help=words.say("cli", "help"))
        told = words.say("cli", "help_lang", known=", ".join(languages()))
        self.add_argument("--lang", metavar="LANG", help=told)

    def error(self, message: str) -> NoReturn:
        for code, pattern in _IN_ENGLISH.items():
            if found := re.fullmatch(pattern, message):
                raise Usage(self._words.say("cli", code, **found.groupdict()))
        message = message[:1].upper() + message[1:]
        raise Usage(self._words.say("cli", "see_help", message=message))


class _Help(argparse.HelpFormatter):
    def __init__(self, *given: Any, head: str, **options: Any) -> None:
        super().__init__(*given, **options)
        self._head = head

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        head = f"{self._head} " if prefix is None else prefix
        super().add_usage(usage, actions, groups, head)


def _parser(words: Words) -> argparse.ArgumentParser:
    def text(code: str, **numbers: Any) -> str:
        return words.say("cli", code, **numbers)

    parser = _Parser(
        words, prog="python -m debugger", description=text("about"), epilog=text("after")
    )
    limits = {"most": MOST_STEPS}
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    listing, run, diagnose, ask, issue, judge, export, check, new, certificate = (
        commands.add_parser(
            name,
            words=words,
            help=text(f"help_{name}"),
            epilog=text(
                f"after_{name}" if name in ("diagnose", "ask", "issue") else "after", **limits
            ),
        )
        for name in COMMANDS
    )
    for sub in (run, judge, export, check):
        sub.add_argument("scenario", metavar="SCENARIO", help=text("help_scenario"))
    new.add_argument("scenario", metavar="ID", help=text("help_new_id"))
    framework = _one_of("unknown_framework", NAMES, words)
    shown = text("help_framework", allowed=", ".join(NAMES))
    new.add_argument("--framework", metavar="F", type=framework, default=NAMES[0], help=shown)
    diagnose.add_argument("script", metavar="SCRIPT.py", help=text("help_script"))
    for sub in (ask, issue):
        sub.add_argument("script", metavar="SCRIPT.py", help=text("help_or_scenario"))
    ask.add_argument("check", metavar="CHECK", help=text("help_asked"))
    seconds = _whole("--seconds", 1, MOST_SECONDS, words)
    shown = text("help_seconds", usual=SECONDS, most=MOST_SECONDS)
    issue.add_argument("--seconds", metavar="N", type=seconds, default=SECONDS, help=shown)
    shown = text("help_bound", usual=TRAINING_SECONDS, most=MOST_SECONDS)
    bound = {"type": seconds, "default": TRAINING_SECONDS, "help": shown}
    diagnose.add_argument("--seconds", metavar="N", **bound)
    judge.add_argument("script", metavar="SCRIPT.py", help=text("help_repair"))
    run.add_argument("--fix", metavar="ID", action="append", default=[], help=text("help_fix"))
    for sub in (run, diagnose):
        which = sub.add_mutually_exclusive_group()
        stage = _one_of("unknown_stage", STAGES, words)
        shown = text("help_stage", stages=", ".join(STAGES))
        which.add_argument("--stage", metavar="STAGE", type=stage, help=shown)
        which.add_argument("--all", action="store_true", help=text("help_all"))
        steps = _whole("--steps", 1, MOST_STEPS, words)
        shown = text("help_steps", most=MOST_STEPS, enough=ENOUGH_STEPS)
        sub.add_argument("--steps", metavar="N", type=steps, help=shown)
    experiments = text("help_no_experiments")
    diagnose.add_argument("--no-experiments", action="store_true", help=experiments)
    for sub in (run, diagnose, ask, issue, judge):
        device = _one_of("unknown_device", DEVICES, words)
        sub.add_argument("--device", metavar="DEVICE", type=device, help=text("help_device"))
        seed = _whole("--seed", 0, MOST_SEED, words)
        sub.add_argument("--seed", metavar="N", type=seed, default=0, help=text("help_seed"))
    certificate.add_argument("files", metavar="FILE", nargs="+", help=text("help_files"))
    certificate.add_argument("--task", metavar="LINK", default="", help=text("help_task"))
    told = certificate.add_mutually_exclusive_group()
    told.add_argument("--json", action="store_true", help=text("help_json"))
    told.add_argument("--csv", action="store_true", help=text("help_csv"))
    for sub in (listing, run, ask, issue, judge, check):
        sub.add_argument("--json", action="store_true", help=text("help_json"))
    form = diagnose.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=text("help_json"))
    form.add_argument("--jsonl", action="store_true", help=text("help_jsonl"))
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
