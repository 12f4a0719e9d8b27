"""Tries what an expert would try, likeliest first, until it is decided or time is up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from debugger.evidence.tables import pairs, say, table
from debugger.experiments.doubts import NOT_YET, OF_LABELS
from debugger.experiments.one_thing import Experiment, harmless, is_short, length_set, possible
from debugger.experiments.signal import Signal, signal
from debugger.outcome import Evidence, Finding, NotRun, Severity, StageName
from debugger.pipelines.trying import Change, Conditions, Lab, Taken
from debugger.script.places import Places

SECONDS = 60.0
SECOND_SEED = 1
Tell = Callable[[int, int], None]
"""Called with how many experiments are done, and of how many."""


@dataclass
class Tried:
    """One experiment as far as it came. It cures where it `cures` twice.

    `comes_as_far`: so may the script, for it takes smaller steps, and more of them.
    """

    code: str
    experiment: Experiment
    one_batch: Taken | None = None
    several: Taken | None = None
    again: Taken | None = None
    cures: bool = False
    only_once: bool = False
    comes_as_far: bool = False


@dataclass
class Explained:
    """What the experiments add to a stage: causes go before what it says itself.

    `words_tell`: the labels belong to their rows, as the words of those tell them. `only_slow`:
    what the script goes through again and again it learns as it stands, too.
    """

    causes: list[Finding] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    words_tell: bool = False
    only_slow: bool = False

    def around(self, findings: list[Finding]) -> list[Finding]:
        """All that the stage says then, without what the experiments say better."""
        better = {*(NOT_YET if self.only_slow else ()), *(OF_LABELS if self.words_tell else ())}
        said = [one for one in findings if one.code not in better]
        return [*self.causes, *said, *self.findings]


def explained(
    lab: Lab,
    stage: StageName,
    places: Places,
    tell: Tell,
    seconds: float = SECONDS,
    learns: bool = False,
) -> Explained:
    """Change one thing at a time, and compare it with the script as it stands, which `learns` by
    itself where more steps than these were taken."""
    bench = _Bench(lab, time.monotonic() + seconds)
    words = signal(lab.worded())
    told = Explained(words_tell=words is not None and words.found)
    everything = possible(lab.conditions)
    bare = bench.base(len(everything), tell)
    if bare is None or bare.below_nothing:
        told.not_run += [NotRun(code, "no_experiment") for code, _ in everything]
    else:
        if not bare.stuck:
            everything = [named for named in everything if named[1].odd]
        tried = bench.tried(everything, bare, tell)
        cured = [one for one in tried if one.cures]
        once = [one for one in tried if one.only_once]
        left = [code for code, _ in everything[bench.reached :]]
        if not any(one.experiment.odd for one in cured):
            told.not_run += [NotRun(code, "no_time_for_experiment") for code in left]
        told.causes += [_cause(one, bare, stage, places, learns) for one in cured]
        told.causes += [_helped(one, bare, stage, places) for one in once]
        told.evidence.append(_table(stage, bare, bench.bare_again, tried))
        if not told.causes and bare.stuck and is_short(lab.conditions):
            told.causes += _over_too_soon(lab.conditions, bare, stage, places)
        if not told.causes and not bare.stuck:
            numbers = {"batches": bare.batches, "before": bare.before, "after": bare.after}
            told.findings.append(Finding("learns_as_it_is", "note", stage, None, numbers))
            told.only_slow = told.words_tell
        elif tried and not told.causes:
            numbers = {"count": len(tried), "loss": _finite(bare.after), "batches": bare.batches}
            told.findings.append(Finding("none_cures", "note", stage, None, numbers))
    if words is not None:
        told.evidence.append(_words(stage, words))
        proved = any(cause.severity == "fault" for cause in told.causes)
        if not words.found and not proved:  # what helped by the way is no reason to be silent
            told.findings.append(_no_signal(words, stage, places))
    return told


class _Bench:
    """Takes steps on the lab until time is up; remembers what the script does as it stands."""

    def __init__(self, lab: Lab, until: float) -> None:
        self.lab, self.until = lab, until
        self.held = harmless(lab.conditions)
        self.bare_again: Taken | None = None
        self.memorises = False
        self.reached = 0

    def base(self, count: int, tell: Tell) -> Taken | None:
        """The script as it stands. What only makes it slow is held still, unless that is it."""
        tell(0, count + 1)
        held = self._take(self.held, as_it_is=True)
        if held is None or held.stuck or self.held == Change():
            return held
        self.held = Change()
        return self._take(self.held)

    def tried(
        self, everything: list[tuple[str, Experiment]], bare: Taken, tell: Tell
    ) -> list[Tried]:
        tried: list[Tried] = []
        if not all(experiment.odd for _, experiment in everything):
            one = self._take(self.held, one_batch=True, as_it_is=True)
            self.memorises = one is None or not one.stuck
        for number, (code, experiment) in enumerate(everything, 1):
            decided = any(found.cures and found.experiment.odd for found in tried)
            if time.monotonic() > self.until or (decided and not experiment.odd):
                break
            self.reached = number
            if self._with(experiment.change) == self.held:
                continue
            tell(number, len(everything) + 1)
            tried.append(self._one(code, experiment, bare))
        return tried

    def _one(self, code: str, experiment: Experiment, bare: Taken) -> Tried:
        """One batch first, where the script does not know even that by heart; several decide."""
        change, result = experiment.change, Tried(code, experiment)
        if not self.memorises and not experiment.odd:
            result.one_batch = self._take(change, one_batch=True)
            if result.one_batch is None or not result.one_batch.learned:
                return result
        result.several = self._take(change)
        if result.several is not None and _cures(change, result.several, bare):
            result.again = self._take(change, seed=SECOND_SEED)
            if self.bare_again is None:
                self.bare_again = self._take(self.held, seed=SECOND_SEED, as_it_is=True)
            result.only_once = result.again is None or self.bare_again is None
            if result.again is not None and self.bare_again is not None:
                result.cures = _cures(change, result.again, self.bare_again)
        result.comes_as_far = result.cures and self._comes_as_far(experiment, bare)
        return result

    def _comes_as_far(self, experiment: Experiment, bare: Taken) -> bool:
        """All learning rates of the training, spent on these few batches."""
        if experiment.whole is None or not bare.batches:
            return False
        rate = experiment.whole * self.lab.conditions.accumulation / bare.batches
        if rate >= experiment.now:
            return True
        spent = self._take(replace(experiment.change, rate=rate, constant=True))
        return spent is None or not spent.stuck

    def _take(
        self, change: Change, one_batch: bool = False, seed: int = 0, as_it_is: bool = False
    ) -> Taken | None:
        change = change if as_it_is else self._with(change)
        return self.lab.take(change, seed, one_batch, self.until)

    def _with(self, change: Change) -> Change:
        return replace(self.held, **{name: value for name, value in vars(change).items() if value})


def _cures(change: Change, taken: Taken, bare: Taken) -> bool:
    """Labels brought to the size of answers are guessed at their mean by any model at once."""
    return taken.better_than(bare) and (taken.beats_guessing or not change.scaled_labels)


def _cause(one: Tried, bare: Taken, stage: StageName, places: Places, learns: bool) -> Finding:
    assert one.several is not None
    assert one.again is not None
    proved = one.experiment.odd and bare.stuck and not (one.comes_as_far or learns)
    severity: Severity = "fault" if proved else "look"
    numbers = {
        "was": one.experiment.was,
        "now": one.experiment.now,
        "stuck": _finite(bare.after),
        "before": one.several.before,
        "after": one.several.after,
        "again": one.again.after,
        "batches": one.several.batches,
    }
    return Finding(one.code, severity, stage, one.experiment.line(places), numbers)


def _helped(one: Tried, bare: Taken, stage: StageName, places: Places) -> Finding:
    assert one.several is not None
    stuck, after = _finite(bare.after), one.several.after
    numbers = {"stuck": stuck, "after": after, "batches": one.several.batches}
    return Finding("helped_once", "look", stage, one.experiment.line(places), numbers)


def _over_too_soon(
    here: Conditions, bare: Taken, stage: StageName, places: Places
) -> list[Finding]:
    """That was the whole training, and it brought nothing."""
    if bare.batches != here.updates * here.accumulation:
        return []
    numbers = {"updates": here.updates, "before": bare.before, "after": _finite(bare.after)}
    return [Finding("over_too_soon", "fault", stage, length_set(here)(places), numbers)]


def _table(stage: StageName, bare: Taken, bare_again: Taken | None, tried: list[Tried]) -> Evidence:
    columns = ["changed", "was", "now", "tried_on", "loss_before", "loss_after", "other_seed"]
    rows = [[say("as_it_is"), "", "", *_losses(bare, bare_again)]]
    for one in tried:
        decisive = one.several or one.one_batch
        values = [_shown(one.experiment.was), _shown(one.experiment.now)]
        losses = _losses(decisive, one.again) if decisive else [say("not_possible"), "", "", ""]
        rows.append([say(one.code), *values, *losses])
    return table("experiments", stage, columns, rows)


def _losses(taken: Taken, again: Taken | None) -> list[Any]:
    on = say("batches_seen", count=taken.batches)
    after = "nan" if _finite(taken.after) is None else round(taken.after, 3)
    return [on, round(taken.before, 3), after, "" if again is None else _rounded(again.after)]


def _rounded(loss: float) -> Any:
    return round(loss, 3) if math.isfinite(loss) else "nan"


def _shown(value: Any) -> Any:
    return "" if value is None else float(f"{value:.3g}") if isinstance(value, float) else value


def _words(stage: StageName, words: Signal) -> Evidence:
    told = [
        ("rows_tried", words.rows),
        ("linear_right", round(words.accuracy, 3)),
        ("majority_right", round(words.majority, 3)),
    ]
    return pairs("words_and_labels", stage, told)


def _no_signal(words: Signal, stage: StageName, places: Places) -> Finding:
    numbers = {"rows": words.rows, "accuracy": words.accuracy, "majority": words.majority}
    return Finding("no_signal_in_words", "look", stage, places.written.labels(), numbers)


def _finite(loss: float) -> float | None:
    return loss if math.isfinite(loss) else None
