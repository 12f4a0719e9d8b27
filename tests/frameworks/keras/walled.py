"""What the clinic says of a small script, where all that stands behind its training may be run."""

from __future__ import annotations

import tensorflow as tf
from frameworks.keras.forms import START

from debugger.diagnosis import perform
from debugger.outcome import Event, Finding, StageName
from debugger.report import gather
from debugger.run import Run
from debugger.script.enclosure import Enclosure

WALLED = Enclosure(walled=True)


def findings(text: str, stage: StageName) -> dict[str, Finding]:
    tf.keras.utils.set_random_seed(0)
    events: list[Event] = []
    perform(Run(START + text, stage=stage, device="cpu", steps=2), events.append, WALLED)
    return {one.code: one for one in gather(events).stage(stage).findings}


def assert_named(stage: StageName, code: str, blamed: str, text: str, looked: bool = False) -> None:
    """As a fault; or, where it may be `looked` at, as that."""
    found = findings(text, stage)

    assert code in found, sorted(found)
    assert found[code].severity == ("look" if looked else "fault")
    line = found[code].line
    assert line is not None
    assert blamed in (START + text).splitlines()[line - 1]
