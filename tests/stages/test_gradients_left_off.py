"""Gradients that are switched off for good, and what only looks like it."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

OFF = "torch.set_grad_enabled(False)"
IN_CALLBACK = f"""class Show(TrainerCallback):
    def on_epoch_end(self, args, state, control, **given):
        {OFF}
        print(ask(given))
Trainer(callbacks=[Show()]).train()"""
FOR_GOOD = {
    IN_CALLBACK: (3, 5),
    f"def show(model):\n    {OFF}\nshow(model)\ntrainer.train()": (2, 4),
    f"def score(p):\n    show(p)\ndef show(p):\n    torch.autograd.{OFF[6:]}\n"
    "Trainer(compute_metrics=score).train()": (4, 5),
    f"def main():\n    {OFF}\n    trainer.train()\nmain()": (2, 3),
    f"{OFF}\ntrainer.train()": (1, 2),
}
SOUND = {
    f"trainer.train()\n{OFF}": 1,
    f"def main():\n    trainer.train()\n    {OFF}\nmain()": 2,
    f"def show(model):\n    {OFF}\ntrainer.train()\nshow(model)": 3,
    IN_CALLBACK + "\ntorch.set_grad_enabled(True)": 5,
    IN_CALLBACK.replace(OFF, f"with {OFF}:\n            pass"): 6,
    IN_CALLBACK.replace("False", "model.training"): 5,
}


@pytest.mark.parametrize(("text", "lines"), FOR_GOOD.items())
def test_gradients_are_switched_off_for_good(text: str, lines: tuple[int, int]) -> None:
    assert Places(text, lines[1]).gradients_left_off() == lines[0]


@pytest.mark.parametrize(("text", "trains"), SOUND.items())
def test_gradients_come_back_or_nobody_wants_them(text: str, trains: int) -> None:
    assert Places(text, trains).gradients_left_off() is None
