"""What tells a healthy training's weights from others, on rows held back: docs/MEASURED.md.

    python -m tools.weighed RESULTS.jsonl           goes on where it was stopped
    python -m tools.weighed RESULTS.jsonl --table

Each line is one training in one process, weighed in another: see `debugger/weighing.py`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.outcome import StageEnded, Weighed
from debugger.run import Run
from debugger.stages.train import ENOUGH_STEPS
from debugger.workers.local import LocalEngine

SEEDS = 5
OF_SEEDS = ("two_labels", "two_labels_again")
WRONG = ("last_one_wins", "shuffled_labels", "label_order", "half_the_model", "high_learning_rate")
ARGUMENTS = '    "finetuned-mnli",\n'


@dataclass(frozen=True)
class Trained:
    """One training. `kind` is "twin", "as found" (with its fault) or "hardly" (after one step)."""

    scenario: str
    kind: str
    seed: int = 0

    def run(self) -> Run:
        scenario = catalogue.find(self.scenario)
        script = scenario.script if self.kind == "as found" else scenario.twin
        if self.seed:  # the Trainer's own, which would be 42 whatever the run's is
            script = script.replace(ARGUMENTS, f"{ARGUMENTS}    seed={self.seed},\n")
        steps = 1 if self.kind == "hardly" else max(ENOUGH_STEPS, scenario.checks.steps)
        against = scenario.twin
        return Run(script, "train", self.seed, device="cpu", steps=steps, against=against)


def wanted() -> Iterator[Trained]:
    """First what bounds a cure; then the twins, of which many are trained alike."""
    yield Trained("padded_alone", "twin")
    for seed in range(1, SEEDS + 1):
        yield from (Trained(name, "twin", seed) for name in OF_SEEDS)
        if seed <= len(WRONG):
            yield Trained(WRONG[seed - 1], "as found")
    yield from (Trained(name, "hardly", 1) for name in OF_SEEDS)
    seen: set[object] = set()
    for scenario in catalogue.every():
        if not scenario.decoy and (one := _training_of(scenario)) not in seen:
            seen.add(one)
            yield Trained(scenario.id, "twin")


def _training_of(scenario: Scenario) -> object:
    told = ("rate", "batch", "schedule", "warmup", "grad", "select", "filter", "Adam", "epochs")
    lines = scenario.twin.splitlines()
    said = frozenset(line.strip() for line in lines if any(word in line for word in told))
    return scenario.framework, scenario.checks.steps > ENOUGH_STEPS, said


def measure(results: Path) -> None:
    done = {tuple(json.loads(line)["trained"].values()) for line in _lines(results)}
    with (
        tempfile.TemporaryDirectory() as data,
        LocalEngine(1, 1800, 4000, Path(data)) as engine,
        results.open("a", encoding="utf-8") as kept,
    ):
        for one in wanted():
            if tuple(asdict(one).values()) not in done:
                print(json.dumps({"trained": asdict(one), **_measured(engine, one)}), file=kept)
                kept.flush()


def _measured(engine: LocalEngine, one: Trained) -> dict[str, object]:
    began, measured, known = time.monotonic(), {}, Weighed(reason="nothing_came")
    trained_at = began
    for event in engine.events(one.run()):
        if isinstance(event, StageEnded) and event.stage == "train":
            measured, trained_at = event.measured, time.monotonic()
        elif isinstance(event, Weighed):
            known = event
    seconds = {"trained": trained_at - began, "weighed": time.monotonic() - trained_at}
    told = {name: measured.get(name) for name in ("accuracy", "steps")}
    return {**told, "weighed": asdict(known), "seconds": seconds}


def table(results: Path) -> str:
    rows = ["| scenario | training | seed | steps | its own rows | held back | moved | seconds |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for line in _lines(results):
        told = json.loads(line)
        one, known = told["trained"], told["weighed"]
        held = known["reason"] or f"{known['right'] / known['rows']:.2f}"
        moved = "" if known.get("moved") is None else f"{known['moved']:.2%}"
        own = "" if told["accuracy"] is None else f"{told['accuracy']:.2f}"
        seconds = f"{told['seconds']['weighed']:.1f}"
        cells = [
            one["scenario"],
            one["kind"],
            one["seed"],
            told["steps"],
            own,
            held,
            moved,
            seconds,
        ]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def _lines(results: Path) -> list[str]:
    return results.read_text(encoding="utf-8").splitlines() if results.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.weighed")
    parser.add_argument("results", type=Path)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if asked.table:
        print(table(asked.results))
    else:
        measure(asked.results)
