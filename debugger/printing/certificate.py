"""A certificate that was handed in, in one sentence."""

from __future__ import annotations

from debugger.evidence.plain import clean
from debugger.homework.certificate import Checked, counted
from debugger.words import Words


def why(one: Checked, words: Words) -> str:
    """Why a file is not taken."""
    return words.say("homework", one.reason, others=", ".join(one.others))


def line(one: Checked, words: Words) -> str:
    """A file, for a terminal."""
    file = clean(one.file)
    if one.certificate is None or not one.genuine:
        return words.say("homework", "line_refused", file=file, why=clean(why(one, words)))
    name = clean(one.certificate.name) or words.say("homework", "without_name")
    return words.say("homework", "line", file=file, name=name, **counted(one.certificate))
