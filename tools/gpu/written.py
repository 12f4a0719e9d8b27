"""Puts in place what was measured: the recordings, and docs/GPU.md. Never an imitation."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from debugger import catalogue
from debugger.catalogue import recordings
from debugger.catalogue.loading import ROOT as SCENARIOS
from debugger.outcome import STAGES, from_json
from debugger.run import WALK, Run
from tools.gpu.needs import ROOT
from tools.waits import late

PARTS = ("tests", "record", "clicks", "table", "asserts")
PAGE = ROOT / "docs" / "GPU.md"
Items = dict[str, dict[str, Any]]


class RefusedError(ValueError):
    """A sentence: why nothing was written."""


def write(folder: Path, page: Path = PAGE, root: Path = SCENARIOS) -> list[str]:
    """What was done, in sentences. Parts that are missing are said on the page."""
    found = {part: _read(folder / f"{part}.json") for part in PARTS}
    made = {part: whole for part, whole in found.items() if whole is not None}
    if not made:
        raise RefusedError(f"{folder} holds no results: run a part first.")
    for part, whole in made.items():
        if whole["machine"]["imitation"]:
            raise RefusedError(f"{part}.json is an imitation: nothing of it may be shown.")
    machines = {json.dumps(whole["machine"], sort_keys=True) for whole in made.values()}
    if len(machines) > 1:
        raise RefusedError(
            f"The parts in {folder} were made on {len(machines)} different machines."
        )
    items: dict[str, Items] = {part: whole["items"] for part, whole in made.items()}
    said = [_keep(name, film, root) for name, film in items.get("record", {}).items()]
    machine = next(iter(made.values()))["machine"]
    page.write_text("\n".join(_page(machine, items, said)) + "\n", encoding="utf-8")
    return [*said, f"Wrote {page}."]


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _keep(name: str, film: dict[str, Any], root: Path) -> str:
    if "too_long" in film:
        return f"`{name}` was not recorded: it took more than {film['too_long']} seconds."
    scenario = catalogue.find(name, root)
    if not film["shows"]:
        codes = ", ".join(film["codes"]) or "nothing"
        return f"`{name}` was not recorded: what was found there is {codes}."
    if film["script"] != scenario.script:
        return f"`{name}` was not recorded: its script has changed since it was run."
    events = [from_json(raw.encode()) for raw in film["events"]]
    run = Run(film["script"], WALK, device="cuda")
    recordings.keep(scenario, run, events, film["device"], film["date"])
    return f"`{name}` was recorded on {film['device']}."


def _page(machine: dict[str, Any], items: dict[str, Items], recorded: list[str]) -> Iterator[str]:
    dates = sorted({item["date"] for part in items.values() for item in part.values()})
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    yield "# On a GPU\n"
    yield f"Measured by `tools/gpu_day.py` on {machine['device']} ({machine['memory_mb']:,} MB), "
    yield f"{' to '.join(dict.fromkeys((dates[0], dates[-1])))}, with {versions}.\n"
    for part in PARTS:
        if part not in items:
            yield f"The part `{part}` was not run.\n"
    yield from _tests(items.get("tests", {}))
    yield from _clicks(items.get("clicks", {}))
    yield from table(items.get("table", {}))
    yield from _asserts(items.get("asserts", {}))
    if recorded:
        yield "## Recordings\n"
        yield from (f"- {sentence}" for sentence in recorded)


def _tests(items: Items) -> Iterator[str]:
    if not items:
        return
    counts = Counter(item["outcome"] for item in items.values())
    yield "## The tests that need a GPU\n"
    yield ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) + ".\n"
    yield from _head("test", "outcome", "s", "what it said")
    for name, item in items.items():
        last = next(iter(item["said"].strip().splitlines()[-1:]), "").replace("|", "\\|")
        yield _line(f"`{name.partition('::')[2]}`", item["outcome"], item["seconds"], last)
    yield ""


def _clicks(items: Items) -> Iterator[str]:
    """The first stage of a script builds it; those after it come from the process that waits."""
    asked = [list(item["stages"].values()) for item in items.values() if "stages" in item]
    if not asked:
        return
    yield "## From asking for a stage to its last word\n"
    yield from _head("a script's", "how many", "s, median", "s, 95th percentile", "s, longest")
    first, later = [one[0] for one in asked], [s for one in asked for s in one[1:]]
    for name, seconds in (("first stage", first), ("stages after it", later)):
        if seconds:
            told = statistics.median(seconds), late(seconds), max(seconds)
            yield _line(name, len(seconds), *(f"{s:.2f}" for s in told))
    yield ""


def table(items: Items) -> Iterator[str]:
    """Scenario by scenario, CPU / GPU; what differs is in bold."""
    names = list(dict.fromkeys(key.rpartition(" ")[0] for key in items))
    sides = {name: (items.get(f"{name} cpu"), items.get(f"{name} gpu")) for name in names}
    whole = {n: (c, g) for n, (c, g) in sides.items() if _ran(c) and _ran(g)}
    if not names:
        return
    rows = {name: list(_cells(*pair)) for name, pair in whole.items()}
    differ = [name for name, cells in rows.items() if any("**" in cell for cell in cells)]
    yield "## Every PyTorch scenario, CPU / GPU\n"
    yield (
        "Each cell: how the stage ended, and its seconds on the CPU / on the GPU. **Bold**: the "
        f"two differ. They do in {len(differ)} of {len(rows)} scenarios"
        + (f": {', '.join(differ)}." if differ else ".")
        + " On the CPU a run has one thread, and others run beside it.\n"
    )
    yield from _head("scenario", *STAGES, "fails first at", "found there")
    for name, cells in rows.items():
        yield _line(f"`{name}`", *cells)
    yield ""
    for name in names:
        if name not in whole:
            yield f"`{name}` has no answer on both: its time was over.\n"


def _ran(item: dict[str, Any] | None) -> bool:
    return item is not None and "stages" in item


def _cells(cpu: dict[str, Any] | None, gpu: dict[str, Any] | None) -> Iterator[str]:
    assert cpu is not None
    assert gpu is not None
    for stage in STAGES:
        here, there = cpu["stages"][stage], gpu["stages"][stage]
        ended = _both(here["outcome"], there["outcome"])
        seconds = f" {here['seconds']:.2f} / {there['seconds']:.2f}"
        yield ended + ("" if ended == "not run" else seconds)
    yield _both(*(side["first_failing_stage"] or "-" for side in (cpu, gpu)))
    yield _both(*(_found(side) for side in (cpu, gpu)))


def _found(side: dict[str, Any]) -> str:
    stage = side["first_failing_stage"]
    return ", ".join(side["stages"][stage]["codes"]) or "-" if stage else "-"


def _both(here: str, there: str) -> str:
    return here if here == there else f"**{here} / {there}**"


def _asserts(items: Items) -> Iterator[str]:
    runs = {name: item for name, item in items.items() if "outcome" in item}
    if not runs:
        return
    yield "## Device-side asserts beside healthy runs\n"
    yield from _head("run", "how many", "outcome", "faults found", "s, median", "s, longest")
    kinds = Counter(
        (name.split()[0], item["outcome"], ", ".join(item["codes"]) or "-")
        for name, item in runs.items()
    )
    for (kind, outcome, codes), count in sorted(kinds.items()):
        took = sorted(
            item["seconds"]
            for name, item in runs.items()
            if (name.split()[0], item["outcome"]) == (kind, outcome)
        )
        yield _line(kind, count, outcome, codes, took[len(took) // 2], took[-1])
    healthy = [item for name, item in runs.items() if name.startswith("healthy")]
    losses = {item["first_loss"] for item in healthy}
    hurt = sum(item["outcome"] not in ("pass", "look") for item in healthy)
    yield f"\nHealthy runs that were affected: {hurt} of {len(healthy)}. "
    yield f"Different first losses among them: {len(losses)}.\n"
    yield from _head("nvidia-smi", *("MB taken" for _ in range(1)))
    for name, item in items.items():
        if name.startswith("memory"):
            taken = "; ".join(f"{used:,} of {total:,}" for _, used, total in item["cards"])
            yield _line(name.removeprefix("memory "), taken or "it does not say")
    yield ""
    weights = items.get("one process", {}).get("megabytes", {})
    if weights:
        limit = items["one process"]["limit_mb"]
        yield f"One process, MB of the computer's own memory (its limit is {limit:,} more):\n"
        yield from _head("when", *next(iter(weights.values())))
        for when, megabytes in weights.items():
            yield _line(when, *megabytes.values())
        yield ""


def _line(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _head(*names: object) -> list[str]:
    return [_line(*names), "|" + "---|" * len(names)]
