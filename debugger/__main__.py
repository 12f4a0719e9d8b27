"""python -m debugger: the same diagnosis for people at a terminal and for other programs."""

import os
import sys
from collections.abc import Sequence

from debugger.arguments import Usage, parse, words_of
from debugger.commands import certificates, own, scenarios
from debugger.commands.stopping import status_of, terminable
from debugger.settings import SettingError
from debugger.settings import read as read_settings
from debugger.words import Words

USAGE = 64
RUNNING = ("run", "diagnose", "ask", "issue", "judge", "check")
"""The commands that run scripts; the others are at home on every system."""
COMMANDS = {
    "list": scenarios.shelf,
    "run": scenarios.run,
    "diagnose": own.diagnose,
    "ask": own.ask,
    "issue": own.issue,
    "judge": scenarios.judge,
    "export": scenarios.export,
    "check": scenarios.check,
    "new": scenarios.new,
    "certificate": certificates.certificate,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see "Exit status" in the README."""
    from debugger.catalogue import NotThere, ScenarioError

    given = sys.argv[1:] if arguments is None else arguments
    words = Words()
    try:
        words = words_of(given, os.environ)
        asked = parse(given, words)
        if asked.command in RUNNING and sys.platform != "linux":
            raise Usage(words.say("cli", "needs_linux"))
        with terminable():
            return COMMANDS[asked.command](asked, read_settings(), words)
    except NotThere as error:
        print(error.said(words), file=sys.stderr)
        return USAGE
    except (Usage, SettingError, ScenarioError) as error:
        print(error, file=sys.stderr)
        return USAGE
    except KeyboardInterrupt as stopped:
        print("\n" + words.say("cli", "interrupted"), file=sys.stderr)
        return status_of(stopped)


if __name__ == "__main__":
    sys.exit(main())
