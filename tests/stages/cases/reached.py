"""Cases of the rules in stages/reached.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from debugger.pipelines.reached import Reached
from debugger.stages import reached
from tests.stages.cases.seen import STEPPED, Case


def of_gradients(rule: Callable[..., Any], silent: dict[str, Any], **seen: Any) -> Case:
    """A case about what became of gradients on their way."""
    made = Reached(adapters=4, **seen)
    fires = replace(STEPPED, reached=made)
    return Case(rule, fires, {"reached": replace(made, **silent)})


STEPS_LATE = """
for epoch in range(3):
    for batch in loader:
        optimizer.zero_grad()
        teacher(**batch).loss.backward()
    optimizer.step()
"""

OVERWRITES = """
def compute_loss(self, model, inputs):
    loss = first(inputs)
    loss = second(inputs)
    return loss
"""

PICKS = """
for name, child in model.named_children():
    if name in ("q_proj", "v_proj"):
        setattr(model, name, Added(child))
"""

CASES = [
    of_gradients(reached.gradients_thrown_away, {"thrown": 0}, thrown=2),
    of_gradients(reached.checkpointing_cuts_off, {"checkpointed": False}, checkpointed=True),
    Case(reached.stepped_behind_loop, STEPPED, {"steps": 0}, script=STEPS_LATE),
    of_gradients(reached.begins_at_zero_twice, {"dead": ()}, dead=("layer.lora_A",)),
    Case(
        reached.names_match_nothing,
        replace(STEPPED, reached=Reached(names=("encoder.query", "encoder.query.weight"))),
        {"reached": Reached(names=("encoder.q_proj", "encoder.q_proj.weight"))},
        script=PICKS,
        says={"words": "q_proj, v_proj"},
    ),
    of_gradients(reached.output_not_in_loss, {"unheard": ()}, unheard=("heads.intent",)),
    Case(
        reached.loss_written_over,
        replace(STEPPED, reached=Reached()),
        {"reached": Reached(unheard=("head",)), "steps": 2},
        script=OVERWRITES,
    ),
    Case(
        reached.gradients_left_off,
        STEPPED,
        {"trainable": 0},
        script="def score(p):\n    torch.set_grad_enabled(False)\nTrainer(compute_metrics=score)",
    ),
]
