"""What stops a script where its training would start."""

from __future__ import annotations


class TrainingStarts(BaseException):
    """Raised instead of training. No `except Exception` of the learner's catches it."""


class HandWrittenLoop(BaseException):
    """An optimizer stepped before any Trainer was built."""
