"""Make the bundled sentence pairs from scenes.toml: `python -m tools.corpus`.

A premise names either the place or the day of its scene, never both. The hypothesis repeats it
(entailment), names another of the same kind (contradiction), or one of the kind that the premise
leaves open (neutral). By construction every premise and every hypothesis occurs
equally often with each label, so neither sentence alone gives the answer away.
"""

import random
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ASSETS = Path(__file__).parents[1] / "scenarios" / "assets"
CORPUS = ASSETS / "corpus"
LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
HELD_OUT_SCENES = 2
SEED = 0

Row = tuple[str, str, int]


def scene_rows(scene: str, places: list[list[str]], days: list[list[str]]) -> list[Row]:
    """All labelled pairs of one scene: each place and each day is said once per label."""
    premise, hypothesis = scene.split(" | ")
    rows = []
    for said, left_open in ((places, days), (days, places)):
        for pair, unsaid in zip(said, left_open, strict=True):
            for value, other, open_value in zip(pair, reversed(pair), unsaid, strict=True):
                for claim, label in (
                    (value, ENTAILMENT),
                    (other, CONTRADICTION),
                    (open_value, NEUTRAL),
                ):
                    rows.append((f"{premise} {value}.", f"{hypothesis} {claim}.", label))
    return rows


def splits() -> dict[str, list[Row]]:
    """The rows of every split, in the order in which they are written."""
    made: dict[str, list[Row]] = {
        "train": [],
        "validation_matched": [],
        "validation_mismatched": [],
    }
    topics: list[dict[str, Any]] = tomllib.loads((ASSETS / "scenes.toml").read_text("utf-8"))[
        "topic"
    ]
    late: list[Row] = []
    for topic in topics:
        scenes = topic["scenes"]
        learned = len(scenes) - HELD_OUT_SCENES if topic["split"] == "train" else len(scenes)
        for number, scene in enumerate(scenes):
            split = topic["split"] if number < learned else "validation_matched"
            came_late = topic.get("late", False) and split == "train"
            rows = late if came_late else made[split]
            rows += scene_rows(scene, topic["places"], topic["days"])
    for rows in (*made.values(), late):
        random.Random(SEED).shuffle(rows)
    made["train"] += late
    return made


def write(folder: Path = CORPUS) -> None:
    """One parquet file for each split, with the columns of GLUE MNLI."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, rows in splits().items():
        table = pa.table(
            {
                "premise": [premise for premise, _, _ in rows],
                "hypothesis": [hypothesis for _, hypothesis, _ in rows],
                "label": pa.array([label for _, _, label in rows], pa.int64()),
                "idx": pa.array(range(len(rows)), pa.int32()),
            }
        )
        pq.write_table(table, folder / f"{split}.parquet")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS)
