"""What is asked for: one script, one stage, and everything that decides the answer."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from debugger.frameworks import of as framework_of
from debugger.outcome import StageName

Way = Literal["walk", "on", "all"]
WALK, ON, ALL = WAYS = get_args(Way)


@dataclass(frozen=True)
class Run:
    """The same run always gives the same answer.

    `stage` is a stage's name, "walk" (every stage up to the first that fails), "on" (past what is
    a judgement and no exception, as far as that explains nothing of what follows) or "all".
    `filename` is where the script stands on disk, when it does: imports beside it and the lines in
    tracebacks come from there. `folder` is the working folder; None means one of the run's own.
    `steps` bounds the `train` stage; with 0 nothing is trained, and `overfit` is left out too.
    `seconds` bounds each of the stages that train by time as well.
    `typed`: nobody but its writer has read this script; it runs in the sandbox, or not at all.
    `check`: lines of Python to be answered over the script as it stands, instead of any stage.
    `files` are data that lie beside the script in a folder of its own: (name, SHA-256).
    `against`: a trusted script. What the training leaves is tried in that one's model, apart.
    `experiments`: where training shows a doubt that nothing explains, what an expert would try.
    """

    script: str
    stage: StageName | Way = WALK
    seed: int = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    assets: Literal["bundled", "hub"] = "bundled"
    filename: str = "script.py"
    folder: str | None = None
    arguments: tuple[str, ...] = field(default=())
    steps: int = 120
    seconds: float | None = None
    experiments: bool = False
    typed: bool = False
    check: str = ""
    files: tuple[tuple[str, str], ...] = field(default=())
    against: str = ""

    @property
    def framework(self) -> str:
        """The name of the one that the script wants around it."""
        return framework_of(self.script, self.filename).name
