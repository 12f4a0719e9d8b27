"""The table of what was measured: `python -m tools.measured RESULTS.jsonl`."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tools.corpus import splits

STEPS, EVERY = 120, 30
VALIDATION_ROWS = 300


@dataclass(frozen=True)
class Result:
    """`accuracy` after every thirty steps; `seconds` of processor time, evaluation left out."""

    framework: str
    setting: str
    seed: int
    accuracy: list[float]
    largest_class: float
    seconds: float
    versions: dict[str, str]


def read(results: Path) -> list[Result]:
    if not results.exists():
        return []
    return [Result(**json.loads(line)) for line in results.read_text().splitlines()]


def bag_of_words(sentence: int) -> dict[str, float]:
    """Accuracy of words without order from one sentence only: 0 the premise, 1 the hypothesis."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    made = splits()
    classifier = make_pipeline(CountVectorizer(), LogisticRegression(max_iter=1000))
    classifier.fit([row[sentence] for row in made["train"]], [row[2] for row in made["train"]])
    return {
        split: float(classifier.score([row[sentence] for row in rows], [row[2] for row in rows]))
        for split, rows in made.items()
    }


def settings_table(results: list[Result]) -> Iterable[str]:
    """One line for each framework and setting: lowest, median and highest seed."""
    steps = [f"step {step}" for step in range(EVERY, STEPS + 1, EVERY)]
    yield from _head("framework", "setting", "seeds", *steps, ">= 0.80", "<= 0.45", "CPU-s")
    for framework, setting in dict.fromkeys((r.framework, r.setting) for r in results):
        group = [r for r in results if (r.framework, r.setting) == (framework, setting)]
        columns = zip(*(r.accuracy for r in group), strict=True)
        last = [r.accuracy[-1] for r in group]
        yield _line(
            framework,
            setting,
            len(group),
            *(f"{min(c):.2f} / {median(c):.2f} / {max(c):.2f}" for c in columns),
            f"{sum(a >= 0.80 for a in last)} of {len(last)}",
            f"{sum(a <= 0.45 for a in last)} of {len(last)}",
            f"{median(r.seconds for r in group):.0f}",
        )


def words_table() -> Iterable[str]:
    """What the words of one sentence alone give away; a third is nothing."""
    yield from _head("words of the", *splits())
    for number, sentence in enumerate(("premise", "hypothesis")):
        yield _line(sentence, *(f"{score:.3f}" for score in bag_of_words(number).values()))


def runs_table(results: list[Result]) -> Iterable[str]:
    """Every run; `one class` is the share of the most predicted class at the end."""
    steps = range(EVERY, STEPS + 1, EVERY)
    yield from _head("framework", "setting", "seed", *steps, "one class", "CPU-s")
    for r in sorted(results, key=lambda r: (r.framework, r.setting, r.seed)):
        accuracy = (f"{a:.2f}" for a in r.accuracy)
        yield _line(r.framework, r.setting, r.seed, *accuracy, f"{r.largest_class:.2f}", r.seconds)


def _line(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _head(*names: object) -> list[str]:
    return [_line(*names), "|" + "---|" * len(names)]


def main(results: Path) -> None:
    found = read(results)
    versions = {f"{name} {number}" for r in found for name, number in r.versions.items()}
    print(*settings_table(found), "", *words_table(), "", *runs_table(found), sep="\n")
    print("\nVersions:", ", ".join(sorted(versions)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
