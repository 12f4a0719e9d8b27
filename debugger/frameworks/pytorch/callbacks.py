"""What the callbacks of the library say before the first step, where they look at the arguments."""

from __future__ import annotations

import copy
import logging

from transformers import EarlyStoppingCallback, Trainer


def refused_by(trainer: Trainer) -> tuple[str, str] | None:
    """The class of the first that refuses to begin, and what it says.

    Only those are asked that look and do nothing else: others open files, or bars.
    """
    log = logging.getLogger("transformers.trainer_callback")
    was_disabled, log.disabled = log.disabled, True
    try:
        for one in trainer.callback_handler.callbacks:
            if not isinstance(one, EarlyStoppingCallback):
                continue
            if type(one).on_train_begin is not EarlyStoppingCallback.on_train_begin:
                continue
            try:
                state, control = copy.copy(trainer.state), copy.copy(trainer.control)
                copy.copy(one).on_train_begin(trainer.args, state, control)
            except (AssertionError, ValueError) as error:
                return type(one).__name__, str(error)
    finally:
        log.disabled = was_disabled
    return None
