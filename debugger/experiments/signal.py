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
TOLD = 0.8
"""So often the words of half a set must tell the labels of the other half."""
STEPS, APART = (-2, -1, 1, 2), 0.2
"""Rows that labels may have been moved by, and how much better they are told there."""
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
    if not _has_enough(given):
        return None
    labels, classes = np.asarray(given.labels), sorted(set(given.labels))
    bags = _bags(given, _kept(given))
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


@dataclass(frozen=True)
class Moved:
    """How often words tell the label of their own row, and of the row `by` places further on."""

    by: int
    as_it_is: float
    anew: float
    majority: float
    rows: int


def moved(given: Worded) -> Moved | None:
    """None where words tell the labels of their own rows, or surely those of no others."""
    own = signal(given)
    if own is None or own.found:
        return None
    found = []
    for by in STEPS:
        labels = tuple(np.roll(given.labels, -by).tolist())
        if (there := signal(Worded(given.rows, labels))) is not None:
            found.append((there.accuracy, by))
    accuracy, by = max(found, default=(0.0, 0))
    if accuracy < max(TOLD, own.majority + APART):
        return None
    return Moved(by, own.accuracy, accuracy, own.majority, own.rows)


@dataclass(frozen=True)
class Renumbered:
    """How often the words of one set tell the labels of the other: as they are, and with labels
    numbered `anew`. `moved`: a label, and the one that it is in the other set."""

    as_it_is: float
    anew: float
    moved: tuple[tuple[int, int], ...]
    rows: int


def renumbered(train: Worded, other: Worded) -> Renumbered | None:
    """None where words tell the labels of neither set surely, or the sets hold other labels."""
    classes = sorted(set(train.labels))
    if sorted(set(other.labels)) != classes or not _has_enough(other) or not _has_enough(train):
        return None
    kept = _kept(train)
    known, asked = (np.searchsorted(classes, one.labels) for one in (train, other))
    guessed = _guessed(_bags(train, kept), known, _bags(other, kept))
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (guessed, asked), 1)
    best = counts.argmax(axis=1)
    if len(set(best.tolist())) < len(classes):
        return None
    anew = float(counts.max(axis=1).sum() / counts.sum())
    if anew < TOLD:
        return None
    moved = tuple((classes[a], classes[b]) for a, b in enumerate(best.tolist()) if a != b)
    return Renumbered(float(np.trace(counts) / counts.sum()), anew, moved, len(asked))


def _has_enough(given: Worded) -> bool:
    return len(given.labels) >= LEAST_ROWS and 2 <= len(set(given.labels)) <= MOST_CLASSES


def _kept(given: Worded) -> list[int]:
    """The most common words; those in every row tell nothing."""
    held = Counter(word for row in given.rows for word in set(row))
    return [w for w, rows in held.most_common(MOST_WORDS) if 1 < rows < len(given.rows)]


def _bags(given: Worded, kept: list[int]) -> np.ndarray:
    """Which row holds which of these words."""
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
