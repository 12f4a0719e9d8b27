"""The stages behind `setup`, in their order. What comes with one more stands in its own file."""

from typing import Any

from debugger.outcome import STAGES, StageName
from debugger.stages.batch import BATCH
from debugger.stages.data import DATA
from debugger.stages.evaluate import EVALUATE
from debugger.stages.forward import FORWARD
from debugger.stages.judging import Stage
from debugger.stages.overfit import OVERFIT
from debugger.stages.step import STEP
from debugger.stages.train import TRAIN

LOOKS: tuple[Stage[Any], ...] = (DATA, BATCH, FORWARD, STEP, EVALUATE, OVERFIT, TRAIN)
"""At what `setup` has built."""
TRAINING: tuple[StageName, ...] = tuple(look.name for look in LOOKS if look.trains)
LIGHT: tuple[StageName, ...] = tuple(name for name in STAGES if name not in TRAINING)
"""Those that a visitor sees answered within a second or two."""
