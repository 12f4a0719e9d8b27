"""`make bench`: the table of docs/SPEED.md. Nothing here passes or fails; it prints."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from debugger import catalogue
from debugger.frameworks import installed
from debugger.report import Report, gather
from debugger.run import ALL, WALK, Run
from debugger.settings import read
from debugger.stages import LIGHT
from debugger.workers import Engine, started
from tools import clicks
from tools.clicks import spread

ROUNDS = 5
CRASH = "import ctypes\nctypes.string_at(0)\n"

TYPED = """
import statistics, sys, time
import datasets, numpy as np, torch
from collections import Counter
torch.set_num_threads(1)
datasets.disable_caching()  # as in a run: what `map` made before must be made again
from debugger import catalogue
from debugger.frameworks.pytorch.building import TrainingStarts, stopped_at_training

def lines(text):
    def setup():
        with stopped_at_training() as built:
            try:
                exec(compile(text, "script.py", "exec"), {"__name__": "__main__"})
            except TrainingStarts:
                pass
        state["trainer"] = built.trainer

    def data():
        trainer, tokenizer = state["trainer"], state["trainer"].processing_class
        for split in (trainer.train_dataset, trainer.eval_dataset):
            split[:4], split.features, trainer._remove_unused_columns(split).column_names
            [tokenizer.decode(row) for row in split[:4]["input_ids"]]
            Counter(split["label"]), Counter(len(row) for row in split["input_ids"])

    def batch():
        state["batch"] = next(iter(state["trainer"].get_train_dataloader()))

    def forward():
        state["trainer"].model.eval()
        with torch.no_grad():
            state["trainer"].model(**state["batch"])

    def step():
        trainer, model = state["trainer"], state["trainer"].model
        model.train()
        before = {n: p.detach().clone() for n, p in model.named_parameters()}
        trainer.create_optimizer()
        for _ in range(2):
            model(**state["batch"]).loss.backward()
            norms = {n: float(p.grad.norm()) for n, p in model.named_parameters()}
            trainer.optimizer.step()
            trainer.optimizer.zero_grad()
        {n: float((p.detach() - before[n]).norm()) for n, p in model.named_parameters()}

    def evaluate():
        trainer = state["trainer"]
        trainer.evaluate(trainer.eval_dataset.select(range(32)))

    state = {}
    return [setup, data, batch, forward, step, evaluate]

text = catalogue.find("two_labels").twin
rounds = []
for _ in range(int(sys.argv[1]) + 1):
    seconds = {}
    for part in lines(text):
        began = time.perf_counter()
        part()
        seconds[part.__name__] = time.perf_counter() - began
    rounds.append(seconds)
for name in rounds[0]:
    print(name, statistics.median(r[name] for r in rounds[1:]))
"""


def main() -> None:
    os.environ |= {"OMP_NUM_THREADS": "1", "USE_TF": "0", "HF_HUB_OFFLINE": "1"}
    limits = replace(read({}), workers=1, time_limit=600, memory_mb=4000)
    with (
        tempfile.TemporaryDirectory() as folder,
        started(replace(limits, data_dir=Path(folder))) as engine,
    ):
        cold, cold_seconds = timed(lambda: asked(engine, catalogue.find("two_labels").twin, ALL))
        warm = [asked(engine, catalogue.find("two_labels").twin, ALL) for _ in range(ROUNDS)]
        diagnoses = [
            timed(lambda: asked(engine, catalogue.find("two_labels").script, WALK))[1]
            for _ in range(ROUNDS)
        ]
        crashes = list(after_a_crash(engine))
        keras = keras_seconds(engine)
        forwards = [
            timed(lambda: asked(engine, catalogue.find("two_labels").twin, "forward"))[1]
            for _ in range(ROUNDS)
        ]
    typed = typed_seconds()
    print("| stage | cold, s | warm, s | same lines typed, s |\n|---|---|---|---|")
    for stage in cold.stages:
        name = stage.stage
        median = statistics.median(report.stage(name).seconds for report in warm)
        beside = f"{typed[name]:.2f}" if name in LIGHT else ""
        print(f"| `{name}` | {stage.seconds:.2f} | {median:.2f} | {beside} |")
    light = statistics.median(sum(r.stage(n).seconds for n in LIGHT) for r in warm)
    by_hand = sum(typed.values())
    print(
        f"\n`setup` to `evaluate`: {light:.2f} s, typed {by_hand:.2f} s ({light / by_hand:.2f}x)."
    )
    print(f"First answer of a cold engine, all stages: {cold_seconds:.1f} s.")
    print(f"Diagnosis of `two_labels`, warm: {spread(diagnoses)}.")
    print(f"Crash to the next answer: {spread(crashes)}.")
    if keras:
        print(f"A Keras stage, `setup` to `evaluate`, warm (wanted 4 s): {spread(keras)}.")
    beside = "a warm Keras zygote" if keras else "no Keras zygote"
    print(f"`forward` of `two_labels`, answered beside {beside}: {spread(forwards)}.")
    clicks.main()
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {warm[0].device}.")


def asked(engine: Engine, script: str, stage: str) -> Report:
    return gather(engine.events(Run(script, stage, device="cpu")))  # type: ignore[arg-type]


def timed(call: Callable[[], Report]) -> tuple[Report, float]:
    began = time.perf_counter()
    return call(), time.perf_counter() - began


def after_a_crash(engine: Engine) -> Iterator[float]:
    """From the moment a crash is told to the first stage of the next run."""
    for _ in range(ROUNDS):
        asked(engine, CRASH, "setup")
        began = time.perf_counter()
        for event in engine.events(Run("pass\n", "setup", device="cpu")):
            if event.event == "stage_started":
                yield time.perf_counter() - began


def keras_seconds(engine: Engine) -> list[float]:
    """Each light stage of the first Keras scenario's twin by itself, once its zygote is warm."""
    found = [scenario for scenario in catalogue.every() if scenario.framework == "keras"]
    if not found or not installed("keras"):
        return []
    twin = found[0].twin
    asked(engine, twin, "setup")
    return [timed(partial(asked, engine, twin, stage))[1] for stage in LIGHT]


def typed_seconds() -> dict[str, float]:
    """The same lines in a plain Python process that has done it all once before."""
    command = [sys.executable, "-c", TYPED, str(ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        paths = {"PYTHONPATH": str(Path(__file__).parent.parent)}
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=folder, env=os.environ | paths
        )
    pairs = (line.split() for line in done.stdout.splitlines())
    return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and pair[0] in LIGHT}


if __name__ == "__main__":
    main()
