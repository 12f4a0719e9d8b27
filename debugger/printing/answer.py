"""The answer to a check, for a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from debugger.answer import Answer
from debugger.words import Words


def to_json(check: str, answer: Answer, words: Words) -> dict[str, Any]:
    finding = None if answer.finding is None else words.finding(answer.finding)
    return {"check": check, **asdict(answer), "finding": finding}


def to_text(answer: Answer, words: Words) -> tuple[str, str]:
    """What was answered, and what is said about it."""
    text = _ended(answer.text)
    if answer.left_out:
        text += f"{words.say('cli', 'answer_left_out', count=answer.left_out)}\n"
    about = [] if answer.finding is None else [words.finding(answer.finding)]
    if answer.at == "end" or (answer.at is not None and answer.line is not None):
        about.insert(0, words.say("cli", f"stood_{answer.at}", line=answer.line))
    return text + _ended(answer.end), "\n".join(about)


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
