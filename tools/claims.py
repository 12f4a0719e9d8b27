"""Runs what the words claim about training: `python -m tools.claims 5 > docs/CLAIMS.md`.

A line for each scenario, fix or cheat whose sentence says how a training goes, over several seeds;
then what one batch shows, and how far two steps move the blocks of healthy scripts. With names of
scenarios behind the number of seeds only their lines are printed.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from debugger import catalogue
from debugger.catalogue import Scenario
from debugger.diagnosis import versions
from debugger.report import StageReport, gather
from debugger.run import Run
from debugger.settings import read
from debugger.stages.step import HEALTHY_UPDATE
from debugger.workers import Engine, started

CLAIMS = (
    ("high_learning_rate", ""),
    ("high_learning_rate", "ten_times_smaller"),
    ("high_learning_rate", "the_default"),
    ("high_learning_rate", "warm_up"),
    ("high_learning_rate", "clip_harder"),
    ("high_learning_rate", "far_too_small"),
    ("last_one_wins", ""),
    ("cluster_recipe", ""),
    ("label_order", ""),
    ("forgotten_zero_grad", ""),
    ("imbalanced", ""),
    ("shuffled_labels", ""),
    ("shuffled_labels", "another_seed"),
    ("shuffled_labels", "the_default_rate"),
    ("two_labels", "four_labels"),
    ("two_labels", "one_label"),
    ("columns_counted", ""),
    ("frozen_by_mistake", "freeze_the_embeddings"),
    ("half_the_model", ""),
    ("wrong_collator", "one_row_at_a_time"),
    ("wrong_collator", "cut_to_one_length"),
    ("nothing_wrong", ""),
    ("stubborn_but_fine", ""),
    ("stubborn_but_fine", "no_warm_up"),
    ("better_on_unseen", ""),
    ("better_on_unseen", "no_dropout"),
    ("better_on_unseen", "much_more_dropout"),
    ("own_head", ""),
    ("own_head", "say_what_comes"),
    ("keras_decoy", ""),
)
BATCHES = (
    ("nothing_wrong", ""),
    ("label_order", ""),
    ("shuffled_labels", ""),
    ("padded_alone", "pass_the_collator"),
    ("better_on_unseen", "much_more_dropout"),
    ("wall_of_warnings", "from_config"),
    ("cluster_recipe", "plain_sgd"),
    ("stubborn_but_fine", "plain_sgd"),
    ("frozen_by_mistake", "only_the_head_trains"),
)
"""The first six memorise one batch, each in a way of its own; the others do not."""
LEAST = 60
"""Fewer steps tell nothing about learning."""
LONGER = {"own_head": 120}
"""Scenarios whose words speak of what comes later than their checks look."""

HEAD = """\
# What the words claim about training

The first steps of each script, seeds 0 to {last}: the mean loss of the last 20 of them, the
accuracy on 256 evaluation rows, and how many different classes it predicts there.

```
python -m tools.claims {seeds} > docs/CLAIMS.md
```

| scenario | with | steps | loss | accuracy | classes predicted |
|---|---|---|---|---|---|"""


BATCH = """
## What twenty steps on one batch show

The loss of the first and the last of them, what the same rows cost the model before and after when
it is not trained (no dropout), and how many of them are right in the end. What proves that a batch
cannot be memorised (`debugger/stages/overfit.py`) lies between the first rows and the last ones.

| scenario | with | loss | untrained, before and after | right |
|---|---|---|---|---|"""


MOVED = """
## How far two steps move healthy scripts

The smallest and the largest relative update of a block that `step` shows, the new head left out, in
the healthy twin of each scenario; what is frozen on purpose does not move. The figure of that stage
marks {low:g} to {high:g}.

| scenario | smallest | block | largest | block |
|---|---|---|---|---|"""


def main(seeds: int, only: list[str]) -> None:
    workers = os.cpu_count() or 1
    if not only:
        print(HEAD.format(last=seeds - 1, seeds=seeds), flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        started(
            replace(read({}), time_limit=3600, memory_mb=4000, data_dir=Path(folder))
        ) as engine,
        ThreadPoolExecutor(workers) as threads,
    ):
        asked = [
            (
                name,
                patch,
                [threads.submit(trained, engine, run) for run in runs(name, patch, seeds)],
            )
            for name, patch in CLAIMS
            if not only or name in only
        ]
        for name, patch, answers in asked:
            print(row(name, patch or "as it is", [a.result() for a in answers]), flush=True)
        asked = [
            (
                name,
                patch,
                [threads.submit(remembered, engine, run) for run in runs(name, patch, seeds)],
            )
            for name, patch in BATCHES
            if not only or name in only
        ]
        if not only:
            print(BATCH, flush=True)
        for name, patch, answers in asked:
            print(batch_row(name, patch or "as it is", [a.result() for a in answers]), flush=True)
        if not only:
            print(MOVED.format(low=HEALTHY_UPDATE[0], high=HEALTHY_UPDATE[1]), flush=True)
            twins = [one for one in catalogue.every() if one.needs is None]
            for line in threads.map(lambda scenario: moved(engine, scenario), twins):
                print(line, flush=True)
    if not only:
        print(
            "\n" + ", ".join(f"{name} {version}" for name, version in versions("pytorch").items())
        )


def runs(name: str, patch: str, seeds: int) -> list[Run]:
    scenario = catalogue.find(name)
    script = scenario.changed([patch] if patch else [])
    steps = LONGER.get(name, max(LEAST, scenario.checks.steps))
    return [Run(script, "train", n, "cpu", steps=steps) for n in range(seeds)]


def trained(engine: Engine, run: Run) -> StageReport:
    return gather(engine.events(run)).stage("train")


def row(name: str, patch: str, answers: list[StageReport]) -> str:
    losses = [stage.measured["losses"] for stage in answers]
    cells = (
        name,
        patch,
        str(len(losses[0])),
        ", ".join(f"{sum(last[-20:]) / len(last[-20:]):.2f}" for last in losses),
        ", ".join(f"{stage.measured['accuracy']:.2f}" for stage in answers),
        ", ".join(str(classes(stage)) for stage in answers),
    )
    return f"| {' | '.join(cells)} |"


def remembered(engine: Engine, run: Run) -> StageReport:
    return gather(engine.events(replace(run, stage="overfit"))).stage("overfit")


def batch_row(name: str, patch: str, answers: list[StageReport]) -> str:
    seen = [stage.measured for stage in answers]
    cells = (
        name,
        patch,
        ", ".join(f"{one['losses'][0]:.2f} to {one['losses'][-1]:.2f}" for one in seen),
        ", ".join("{:.2f} to {:.2f}".format(*one["quiet_losses"]) for one in seen),
        ", ".join(f"{one['after']:.0%}" for one in seen),
    )
    return f"| {' | '.join(cells)} |"


def moved(engine: Engine, scenario: Scenario) -> str:
    report = gather(engine.events(Run(scenario.twin, "step", 0, "cpu")))
    drawn = next(one.data for one in report.stage("step").evidence if one.code == "updates")
    blocks = [
        (update, name)
        for (_, update), name in zip(drawn["series"]["update"], drawn["labels"], strict=True)
        if name not in drawn["new"]
    ]
    (least, slow), (most, fast) = min(blocks), max(blocks)
    return f"| {scenario.id} | {least:.1e} | {slow} | {most:.1e} | {fast} |"


def classes(stage: StageReport) -> int:
    tables = [evidence for evidence in stage.evidence if evidence.code == "predicted"]
    return sum(map(any, zip(*tables[0].data["counts"], strict=True))) if tables else 0


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, sys.argv[2:])
