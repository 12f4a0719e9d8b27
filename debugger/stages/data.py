"""What does the model really receive? Look at `trainer.train_dataset`, not at what came before."""

from __future__ import annotations

from collections import Counter
from typing import Any

from debugger.evidence.tables import own_table, ragged, say, table
from debugger.experiments.signal import signal
from debugger.outcome import Evidence
from debugger.pipelines.data import Data, Entry, Split
from debugger.pipelines.face import Pipeline
from debugger.pipelines.facts import Facts
from debugger.stages import (
    belonging,
    classes,
    columns,
    cutting,
    fitting,
    frames,
    misuse,
    numbering,
    oversights,
    pairing,
    sets,
    slips,
    spans,
    targets,
    texts,
    tokens,
    unkept,
)
from debugger.stages.classes import named, naming_split
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    look,
    note,
    snippet,
    traceback_shown,
)
from debugger.stages.sets import data_line, nothing_to_see

MANY_WORDED = 100
"""Rows whose words say nothing of their labels: so many are no accident."""
MOSTLY_RAW = 0.8
SHOWN_LENGTHS = 8


def observe(pipeline: Pipeline, *_: Any) -> Data:
    return pipeline.data()


def measured(seen: Data) -> dict[str, Any]:
    return {
        name: {
            "rows": split.count,
            "labels": _counts(split),
            "digest": split.digest,
            "words": split.words,
            "numbered_digest": split.numbered_digest,
            "named_digest": split.named_digest,
            "bare_digest": split.bare_digest,
            "sample": list(split.sample),
            "columns": list(split.columns),
            "judged": _judged(seen, split),
        }
        for name, split in (("train", seen.train), ("eval", seen.eval))
        if split is not None
    }


def show(seen: Data, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("data", seen.failure, snippet(facts, "data"))
    if seen.entry is not None:
        shown.append(_entry(seen.entry, facts))
    if seen.train is None:
        first = seen.lengths[: facts.batch_size or SHOWN_LENGTHS]
        return shown + ragged("data", {facts.main_input: first}, snippet(facts, "collision"))
    split = seen.train
    rows = [list(row.values()) for row in split.first_rows]
    columns = list(split.types)
    shown.append(own_table("first_rows", "data", columns, rows, snippet(facts, "first_rows")))
    fates = [[name, split.types.get(name, ""), _fate(name, split)] for name in split.columns]
    columns = ["column", "type", "fate"]
    shown.append(table("columns", "data", columns, fates, snippet(facts, "columns")))
    if split.tokens:
        shown.append(_tokens(split, facts))
    counts = [[named(label, split), count] for label, count in _counts(split).items()]
    if counts:
        typed = snippet(facts, "label_counts")
        shown.append(table("label_counts", "data", ["label", "rows"], counts, typed))
    return shown


def dataset_dict(seen: Data, view: View) -> Verdict | None:
    return fault(data_line(view)) if seen.is_dataset_dict else None


def raw_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    if split is None:
        return nothing_to_see(seen)
    if view.facts.main_input in split.kept or not split.texts or not split.texts[0]:
        return None
    if not view.facts.known_collator:
        return CannotJudge("own_collator")
    places = view.places.unkept
    made = places.mute_map() or places.thrown_away()
    line, texts = made[0] if made else data_line(view), ", ".join(split.texts[0])
    return fault(line, columns=", ".join(split.columns), texts=texts, wanted=view.facts.main_input)


def rates_differ(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Sounds of several rates, all as they came: in one of them everything is twice as fast."""
    here = None if seen.train is None else seen.train.sounds
    there = None if seen.eval is None else seen.eval.sounds
    if here is None:
        return NOT_FOR_THIS_TASK
    known = [one for one in (here, there) if one is not None and one.raw > MOSTLY_RAW]
    rates = sorted({rate for one in known for rate in one.rates})
    if len(rates) < 2:
        return None
    line = view.places.flows.extracted() or view.tokenizing or data_line(view)
    return fault(line, low=rates[0], high=rates[-1])


def labels_shuffled_apart(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A line parts labels from their rows, and the words of a row do not tell its label.

    Rows may well be made of labels that were shuffled before: then their words tell them.
    """
    if not view.has_script:
        return NO_SCRIPT
    words = signal(seen.worded)
    if words is None:
        return NOT_FOR_THIS_TASK
    line = view.places.labels_torn()
    if line is None or words.found or view.places.slips.split_apart() is not None:
        return None  # see split_apart
    proved = words.rows >= MANY_WORDED and not view.places.rows_made_of_labels(line)
    told = {"rows": words.rows, "accuracy": words.accuracy, "majority": words.majority}
    return (fault if proved else look)(line, **told)


def place_noted_too_early(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Where the right answer stands was noted, and then all answers were shuffled once more."""
    if not view.has_script:
        return NO_SCRIPT
    found = view.places.place_lost() if seen.failure is None else None
    return None if found is None else look(found[0], name=found[1], place=found[2])


def labels_in_the_inputs(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The labels stand among the inputs, and `compile` was given a loss that waits for `y`.

    The training step of transformers finds them there for it. A loss that was told of its logits is
    none the worse for that; one that was named by a string was told nothing.
    """
    compiled = view.facts.compiled
    if compiled is None:
        return None
    if seen.entry is None:
        return nothing_to_see(seen)
    loss = compiled.loss
    if seen.entry.inside is None or "y" in seen.entry.parts or loss in ("", "none"):
        return None
    line = view.places.fits.compiled("loss") or data_line(view)
    return (fault if "loss" in compiled.strings else note)(line, label=seen.entry.inside, loss=loss)


def ragged_rows(seen: Data, view: View) -> Verdict | None:
    """Rows of unequal length, and nothing between them and the batch that could fill them up."""
    if view.facts.compiled is None or seen.failure is None:
        return None
    if not seen.failure.says("same shape") and not seen.failure.says("inhomogeneous"):
        return None
    line = view.places.call("to_tf_dataset", "prepare_tf_dataset")
    lengths = seen.lengths or (0,)
    return fault(line, shortest=min(lengths), longest=max(lengths))


RULES: tuple[Rule, ...] = (
    labels_in_the_inputs,
    ragged_rows,
    dataset_dict,
    misuse.no_rows_left,
    raw_text,
    *classes.OF_ROWS,
    *sets.OF_COUNTS,
    rates_differ,
    classes.eval_of_one_class,
    labels_shuffled_apart,
    place_noted_too_early,
    *sets.OF_BOTH,
    *texts.OF_LENGTHS,
    texts.second_sentence_dropped,
    *fitting.OF_ROWS,
    *tokens.RULES,
    *texts.OF_ROWS,
    *targets.OF_ROWS,
    *spans.RULES,
    *numbering.RULES,
    *columns.RULES,
    *belonging.RULES,
    *unkept.RULES,
    *slips.OF_ROWS,
    *oversights.OF_ROWS,
    *pairing.OF_ROWS,
    *cutting.RULES,
    *frames.RULES,
)
DATA = Stage("data", observe, show, measured, RULES)


def _counts(split: Split) -> dict[str, int]:
    plain = [y for y in split.labels if isinstance(y, (int, str))]
    counts = Counter(str(label) for label in plain)
    return dict(sorted(counts.items())) if len(counts) <= 50 else {}


def _fate(name: str, split: Split) -> dict[str, Any]:
    return say("kept" if name in split.kept else "dropped")


def _judged(seen: Data, split: Split) -> list[list[str]]:
    """Rows for a person to judge, with what their labels are called."""
    naming = naming_split(seen, split)
    return [[text, named(str(label), naming)] for text, label in split.judged]


def _tokens(split: Split, facts: Facts) -> Evidence:
    rows = [
        {
            "tokens": list(tokens),
            "mask": [int(place < length) for place in range(len(tokens))],
            "label": named(str(label), split),
        }
        for tokens, length, label in zip(
            split.tokens, split.lengths, (*split.labels, *[""] * len(split.tokens)), strict=False
        )
    ]
    return Evidence("tokens", "decoded", "data", {"rows": rows}, snippet(facts, "decoded"))


def _entry(entry: Entry, facts: Facts) -> Evidence:
    """One batch as it enters the model: what stands in x, and whether there is a y."""
    rows: list[list[Any]] = [
        ["y" if name == "y" else "x", name, str(list(f.shape)), f.dtype, f.low, f.high]
        for name, f in entry.fields.items()
    ]
    if "y" not in entry.parts:
        rows.append(["y", say("nothing"), "", "", None, None])
    loss = (facts.compiled and facts.compiled.loss) or say("models_own")
    rows.append([say("loss"), loss, "", "", None, None])
    columns = ["part", "name", "shape", "dtype", "low", "high"]
    return table("entry", "data", columns, rows, snippet(facts, "entry"))
