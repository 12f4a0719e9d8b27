"""Do the inputs tell anything about the labels? The simplest model there is, on a bag of words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from debugger.pipelines.trying import Worded

LEAST_ROWS = 40
SURE = 3.0
"""So many standard errors above the most common class, and it is no luck."""
MOST_CLASSES = 50
MOST_WORDS = 5000


@dataclass(frozen=True)
class Signal:
    """How often a linear model on bags of words is right, on rows that it has not seen."""

    accuracy: float
    majority: float
    rows: int

    @property
    def found(self) -> bool:
        error = math.sqrt(self.majority * (1 - self.majority) / self.rows)
        return self.accuracy > self.majority + SURE * error


def signal(given: Worded) -> Signal | None:
    """Naive Bayes, one half of the rows judged by the other, and the other way round."""
    labels = np.asarray(given.labels)
    classes = sorted(set(given.labels))
    if len(labels) < LEAST_ROWS or not 2 <= len(classes) <= MOST_CLASSES:
        return None
    bags = _bags(given)
    halves = np.arange(len(labels)) % 2
    own = np.searchsorted(classes, labels)
    # Rows that come in turns would have all of one class in the same half.
    halves = halves[np.argsort(np.argsort(own, kind="stable"), kind="stable")]
    right = sum(
        int((_guessed(bags[halves != side], own[halves != side], bags[halves == side])
             == own[halves == side]).sum())
        for side in (0, 1)
    )  # fmt: skip
    majority = max(Counter(given.labels).values()) / len(labels)
    return Signal(right / len(labels), majority, len(labels))


def _bags(given: Worded) -> np.ndarray:
    """Which row holds which of the most common words; those in every row tell nothing."""
    held = Counter(word for row in given.rows for word in set(row))
    kept = [w for w, rows in held.most_common(MOST_WORDS) if 1 < rows < len(given.rows)]
    place = {word: number for number, word in enumerate(kept)}
    bags = np.zeros((len(given.rows), len(kept)), dtype=np.float32)
    for number, row in enumerate(given.rows):
        bags[number, [place[word] for word in set(row) if word in place]] = 1
    return bags


def _guessed(bags: np.ndarray, labels: np.ndarray, asked: np.ndarray) -> np.ndarray:
    scores = []
    for label in range(int(labels.max()) + 1):
        mine = bags[labels == label]
        share = (mine.sum(0) + 0.5) / (len(mine) + 1)
        prior = math.log((len(mine) + 0.5) / (len(labels) + 1))
        scores.append(prior + asked @ np.log(share) + (1 - asked) @ np.log(1 - share))
    return np.argmax(scores, axis=0)
