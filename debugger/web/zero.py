"""Hugging Face's ZeroGPU: a visitor is lent a GPU for a moment, on a quota of her own."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from debugger.outcome import Finding, Outcome
from debugger.run import Run
from debugger.settings import Settings
from debugger.workers.engine import DIAGNOSIS
from debugger.workers.lease import LEASE_SECONDS, Lend, RefusedError, hold
from debugger.workers.sharing import Flight

log = logging.getLogger(__name__)
REFUSALS = ("gpu_quota", "gpu_quota_until", "gpu_busy", "gpu_taken", "gpu_failed")
_NONE_FREE = ("ZeroGPU queue timeout", "No GPU was available")
_QUOTA = ("ZeroGPU quota exceeded", "ZeroGPU pending credits exceeded", "ZeroGPU illegal duration")
_LEFT = re.compile(
    r"\((\d{1,6})s requested vs\. (-?\d{1,6})s left\).*?Try again in ([\w:, ]{1,40})\."
)


def lender(settings: Settings, perform: str = DIAGNOSIS) -> Lend:
    """Must be called before anything imports gradio or torch: `spaces` wants to be first.

    Whose quota it is, `spaces` reads from the request that gradio keeps in the context.
    """
    spaces: Any = import_module("spaces")
    import gradio
    import httpx

    lent = spaces.GPU(duration=LEASE_SECONDS)(hold)

    def lend(run: Run) -> Iterator[bytes]:
        try:
            yield from lent(run, settings, os.getpid(), perform)
        except gradio.Error as error:
            raise refusal(str(getattr(error, "title", "")), str(error.message)) from error
        except (RuntimeError, AssertionError, OSError, httpx.HTTPError) as error:
            log.warning("ZeroGPU lent nothing: %r", error)
            raise RefusedError("gpu_failed") from error

    return lend


def refusal(title: str, message: str) -> RefusedError:
    """What `spaces` tells a visitor in words of its own, which lead to where it is paid for."""
    if title.startswith(_NONE_FREE) or message.startswith(_NONE_FREE):
        return RefusedError("gpu_busy")
    if title not in _QUOTA:
        log.warning("ZeroGPU ended a run: %s: %s", title, message[:300])
        return RefusedError("gpu_taken" if "aborted" in message else "gpu_failed")
    if told := _LEFT.search(message):
        asked, left, wait = told.groups()
        return RefusedError("gpu_quota_until", asked=int(asked), left=int(left), wait=wait)
    return RefusedError("gpu_quota")


def refused(flight: Flight) -> Finding | None:
    """Why this run was lent no GPU, where it was not."""
    end = flight.events[-1] if flight.events else None
    finding = end.finding if isinstance(end, Outcome) else None
    return finding if finding is not None and finding.code in REFUSALS else None
