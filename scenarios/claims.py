"""Runs what the words claim about training: `python -m scenarios.claims > scenarios/CLAIMS.md`.

A line for each scenario, fix or cheat whose sentence says how a training goes, over several seeds.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import scenarios
from debugger.diagnosis import versions
from debugger.report import Report, gather
from debugger.run import Run
from debugger.workers.local import LocalEngine
from scenarios import Scenario

CLAIMS = (
    ("high_learning_rate", ""),
    ("high_learning_rate", "ten_times_smaller"),
    ("high_learning_rate", "the_default"),
    ("high_learning_rate", "warm_up"),
    ("high_learning_rate", "clip_harder"),
    ("high_learning_rate", "far_too_small"),
    ("label_order", ""),
    ("forgotten_zero_grad", ""),
    ("imbalanced", ""),
    ("shuffled_labels", ""),
    ("shuffled_labels", "another_seed"),
    ("shuffled_labels", "the_default_rate"),
    ("two_labels", "four_labels"),
    ("two_labels", "one_label"),
    ("frozen_by_mistake", "freeze_the_embeddings"),
    ("wrong_collator", "one_row_at_a_time"),
    ("wrong_collator", "cut_to_one_length"),
    ("nothing_wrong", ""),
    ("stubborn_but_fine", ""),
    ("stubborn_but_fine", "no_warm_up"),
)
STEPS = 120

HEAD = """\
# What the words claim about training

The first {steps} steps of each script, seeds 0 to {last}: the mean loss of the last 20 steps, the
accuracy on 256 evaluation rows, and how many different classes it predicts there.

```
python -m scenarios.claims {seeds} > scenarios/CLAIMS.md
```

| scenario | with | loss | accuracy | classes predicted |
|---|---|---|---|---|"""


def main(seeds: int) -> None:
    workers = os.cpu_count() or 1
    print(HEAD.format(steps=STEPS, last=seeds - 1, seeds=seeds), flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalEngine(workers, 900, 4000, Path(folder)) as engine,
        ThreadPoolExecutor(workers) as threads,
    ):
        for name, patch in CLAIMS:
            script = patched(scenarios.find(name), patch)
            runs = [Run(script, "train", seed, "cpu", steps=STEPS) for seed in range(seeds)]
            reports = list(threads.map(lambda run: gather(engine.events(run)), runs))
            print(row(name, patch or "as it is", reports), flush=True)
    print(f"\n{', '.join(f'{name} {version}' for name, version in versions().items())}")


def patched(scenario: Scenario, patch: str) -> str:
    if any(cheat.id == patch for cheat in scenario.cheats):
        return scenario.cheated(patch)
    return scenario.patched([patch] if patch else [])


def row(name: str, patch: str, reports: list[Report]) -> str:
    trained = [report.stage("train") for report in reports]
    losses = [stage.measured["losses"][-20:] for stage in trained]
    cells = (
        name,
        patch,
        ", ".join(f"{sum(last) / len(last):.2f}" for last in losses),
        ", ".join(f"{stage.measured['accuracy']:.2f}" for stage in trained),
        ", ".join(str(classes(report)) for report in reports),
    )
    return f"| {' | '.join(cells)} |"


def classes(report: Report) -> int:
    tables = [e for e in report.stage("train").evidence if e.code == "predicted"]
    return len(tables[0].data["rows"]) if tables else 0


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
