"""Can examples be put together? One batch as the Trainer's own data loader makes it."""

from __future__ import annotations

from typing import Any

from debugger.evidence.tables import ragged, say, table
from debugger.outcome import Evidence
from debugger.pipelines.batch import Batch, Sample
from debugger.pipelines.face import Pipeline
from debugger.pipelines.facts import Facts
from debugger.pipelines.rows import LABELS, short, type_of
from debugger.stages import (
    belonging,
    fitting,
    inputs,
    inside,
    language,
    order,
    oversights,
    padding,
    targets,
)
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Stage,
    Verdict,
    View,
    fault,
    snippet,
    traceback_shown,
)

_FILL_LABELS = ("DataCollatorForTokenClassification", "DataCollatorForSeq2Seq")


def observe(pipeline: Pipeline, *_: Any) -> Batch:
    return pipeline.batch()


def measured(seen: Batch) -> dict[str, Any]:
    return {"fields": {name: list(f.shape) for name, f in seen.fields.items()}}


def show(seen: Batch, facts: Facts) -> list[Evidence]:
    shown = traceback_shown("batch", seen.failure, snippet(facts, "batch"))
    shown += ragged("batch", seen.handed, snippet(facts, "collision"))
    if seen.first_row:
        rows = [[name, type_of(value), short(value)] for name, value in seen.first_row.items()]
        columns = ["field", "type", "value"]
        shown.append(table("first_row", "batch", columns, rows, snippet(facts, "first_rows")))
    collator = {"text": facts.collator or say("none")}
    shown.append(Evidence("text", "collator", "batch", collator, snippet(facts, "collator")))
    if seen.widths:
        rows = [[length, seen.widths.count(length)] for length in sorted(set(seen.widths))]
        typed = snippet(facts, "row_lengths")
        shown.append(table("row_lengths", "batch", ["tokens", "rows"], rows, typed))
    if seen.fields:
        rows = [
            [name, str(list(f.shape)), f.dtype, f.low, f.high] for name, f in seen.fields.items()
        ]
        columns = ["field", "shape", "dtype", "low", "high"]
        shown.append(table("fields", "batch", columns, rows, snippet(facts, "fields")))
    if seen.mask:
        mask = {
            "shape": [len(seen.mask), len(seen.mask[0])],
            "dtype": "int64",
            "low": 0,
            "high": 1,
            "values": [list(row) for row in seen.mask],
        }
        shown.append(Evidence("tensor", "padding", "batch", mask, snippet(facts, "padding")))
    if seen.sample is not None:
        shown.append(_example(seen.sample, facts))
    return shown


def ragged_batch(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Rows of unequal length and a collator that cannot pad. With one row a batch it only hides."""
    if not seen.widths:
        return NOT_FOR_THIS_TASK
    if not view.facts.known_collator:
        return None if seen.failure is None else CannotJudge("own_collator")
    if view.facts.pads or len(set(seen.widths)) == 1 or _padded_in_map(view):
        return None
    line = view.places.argument("data_collator") or view.places.call("Trainer")
    if view.places.value("padding") == "False":
        line = view.places.argument("padding")
    return fault(
        line,
        shortest=min(seen.widths),
        longest=max(seen.widths),
        collator=view.facts.collator,
        batch_size=view.facts.batch_size,
    )


def labels_left_ragged(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The tokenizer fills up what it knows. A label for each token is none of it."""
    if seen.failure is None or not view.facts.pads:
        return None
    lengths = next((seen.handed[name] for name in LABELS if name in seen.handed), ())
    if len(set(lengths)) < 2 or view.facts.collator in _FILL_LABELS:
        return None
    places, name = view.places, view.facts.collator
    line = places.call(name) or places.argument("data_collator") or places.call("Trainer")
    return fault(line, collator=name, shortest=min(lengths), longest=max(lengths))


def pads_from_map(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """`padding=True` inside `map` pads each 1,000 rows to their own longest, not each batch."""
    if not seen.widths:
        return NOT_FOR_THIS_TASK
    if not view.has_script:
        return NO_SCRIPT
    if not view.facts.known_collator:
        return None if seen.failure is None else CannotJudge("own_collator")
    lengths = sorted(set(seen.widths))
    if view.facts.pads or len(lengths) == 1 or not _padded_in_map(view):
        return None
    return fault(view.places.argument("padding"), lengths=", ".join(map(str, lengths[:4])))


def text_columns(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Text that no tensor can hold. `default_data_collator` skips it: there it is not to blame."""
    if seen.failure is None or not seen.text_fields:
        return None
    if view.facts.collator == "default_data_collator":
        return None
    line = view.places.argument("remove_unused_columns") or seen.failure.line
    return fault(line, columns=", ".join(seen.text_fields))


def no_pad_token(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    if seen.failure is None or not seen.failure.says("does not have a padding token"):
        return None
    return fault(view.places.call("from_pretrained", "TokenizerFast"))


def no_batches(seen: Batch, view: View) -> Verdict | None:
    """The loader is at its end before it has given anything."""
    if seen.failure is None or seen.failure.exception != "StopIteration":
        return None
    places = view.places
    line = places.argument("dataloader_drop_last", "drop_last")
    own = places.function("_get_train_sampler") or places.function("get_train_dataloader")
    line = line or own or places.argument("train_dataset")
    return fault(line, batch_size=view.facts.batch_size)


def batch_loses_rows(seen: Batch, view: View) -> Verdict | None:
    """What makes a batch of rows gives back the first of them."""
    if not seen.lost:
        return None
    line = view.places.handed.answer("data_collator") or view.places.argument("data_collator")
    return fault(line, lost=seen.lost)


def padding_not_ignored(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """With a label for each token, padding must carry -100, or the loss learns padding."""
    if view.facts.task not in ("tokens", "causal_lm", "masked_lm", "seq2seq"):
        return NOT_FOR_THIS_TASK
    filled = 0 if seen.targets is None else seen.targets.filled
    if seen.padded_positions == 0 and not filled:
        return CannotJudge("no_padding_here")
    if seen.counted_padding == 0 and not filled:
        return None
    line = view.places.argument("data_collator")
    if filled:
        line = view.places.written.labels() or line
    padded = seen.padded_positions if seen.counted_padding else filled
    return fault(line, counted=seen.counted_padding or filled, padded=padded)


RULES: tuple[Rule, ...] = (
    ragged_batch,
    labels_left_ragged,
    pads_from_map,
    text_columns,
    no_pad_token,
    no_batches,
    batch_loses_rows,
    padding_not_ignored,
    *fitting.OF_A_BATCH,
    inputs.column_dropped,
    *padding.OF_A_BATCH,
    *inputs.OF_A_BATCH,
    *inside.RULES,
    *targets.OF_A_BATCH,
    *language.OF_A_BATCH,
    *belonging.OF_A_BATCH,
    *order.RULES,
    *oversights.OF_BATCHES,
)
BATCH = Stage(
    "batch",
    observe,
    show,
    measured,
    RULES,
    blocks=("forward", "step", "evaluate", "overfit", "train"),
)


def _example(sample: Sample, facts: Facts) -> Evidence:
    rows: list[tuple[Any, Any]] = [
        (say("text_of", name=n), text) for n, text in sample.texts.items()
    ]
    if sample.place is not None:
        rows.insert(0, (say("training_row"), sample.place))
    names, label = facts.label_names or (), sample.label
    named = names[label] if isinstance(label, int) and 0 <= label < len(names) else None
    rows.append((say("label"), label if named is None else f"{label} ({named})"))
    data = {
        "tokens": list(sample.tokens),
        "mask": list(sample.mask),
        "rows": [list(r) for r in rows],
    }
    return Evidence("example", "example", "batch", data, snippet(facts, "example"))


def _padded_in_map(view: View) -> bool:
    """Only a batched `map` pads rows to each other: a row alone is its own longest."""
    batched = view.places.value("batched") not in (None, "False")
    return batched and view.places.value("padding") in ("True", "'longest'")
