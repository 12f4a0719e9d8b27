"""Cases of the rules in stages/called.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.called import Uncallable
from debugger.stages import called
from tests.stages.cases.seen import STEPPED, Case

CASES = [
    Case(
        called.no_callback,
        replace(STEPPED, uncallable=Uncallable("None")),
        {"uncallable": None},
        script="Trainer(\n    callbacks=[None])",
        says={"name": "None"},
    ),
    Case(
        called.callback_unmade,
        replace(STEPPED, uncallable=Uncallable("EarlyStopping", unmade=True)),
        {"uncallable": None},
        says={"name": "EarlyStopping"},
    ),
    Case(
        called.callback_takes_less,
        replace(STEPPED, uncallable=Uncallable("Mine", event="on_log", said="an argument")),
        {"uncallable": None},
        says={"name": "Mine.on_log", "said": "an argument"},
    ),
]
