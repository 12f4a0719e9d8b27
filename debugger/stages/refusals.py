"""Settings that a library refuses because they contradict each other, or the rows.

Each reads the exception alone, so that any stage may end in it, and the script before its training.
"""

from __future__ import annotations

import re

from debugger.pipelines.plan import Plan
from debugger.stages.batch import no_pad_token
from debugger.stages.judging import Rule, Seen, Verdict, View, fault
from debugger.stages.misuse import rows_uncounted

_OF_FAST = (
    "is not available when using non-fast tokenizers",
    "is not available when using Python",
    "requires a fast tokenizer",
    "only works with fast tokenizers",
)
_POSITIONS = (
    "max_position_embeddings",
    "n_positions",
    "n_ctx",
    "max_seq_len",
    "max_sequence_length",
)
"""What configs of transformers call the positions of a new model."""
_EMBEDS = ("decoder_start_token_id", "decoder_bos_token_id", "bos_token_id")


def saves_between_evaluations(seen: Seen, view: View) -> Verdict | None:
    """The best checkpoint is one that was evaluated when it was saved."""
    found = _said(seen, r"but found ([\d.]+), which is not a (?:round )?multiple of ([\d.]+)")
    if found is None or not _says(seen, "load_best_model_at_end"):
        return None
    places = view.places
    line = places.argument("save_steps") or places.argument("eval_steps", "logging_steps")
    return fault(line or _failed_at(seen), saves=float(found[1]), evaluates=float(found[2]))


def saves_unlike_evaluations(seen: Seen, view: View) -> Verdict | None:
    found = _said(seen, r"Evaluation strategy: (\S+)\s+- Save strategy: (\S+)")
    if found is None:
        return None
    evaluates, saves = (one.rpartition(".")[2].lower() for one in found.groups())
    line = view.places.argument("load_best_model_at_end")
    if "no" not in (evaluates, saves):
        line = view.places.argument("save_strategy") or line
    return fault(line or _failed_at(seen), evaluates=evaluates, saves=saves)


def plateau_never_evaluated(seen: Seen, view: View) -> Verdict | None:
    if not _says(seen, "reduce_lr_on_plateau", "requires an eval"):
        return None
    return fault(view.places.argument("lr_scheduler_type") or _failed_at(seen))


def nothing_to_evaluate(seen: Seen, view: View) -> Verdict | None:
    found = _said(seen, r"set `args\.eval_strategy` to (\S+) but you didn't pass an `eval_dataset`")
    if found is None:
        return None
    return fault(_failed_at(seen), strategy=found[1].rpartition(".")[2].lower())


def stream_without_steps(seen: Seen, view: View) -> Verdict | None:
    if not _says(seen, "does not implement __len__", "max_steps has to be specified"):
        return None
    if rows_uncounted(seen.failure, view.places) is not None:
        return None  # which are none of a stream
    places = view.places
    line = places.argument("max_steps")
    line = line or places.argument_of("TrainingArguments", "num_train_epochs")
    line = line or places.argument("num_train_epochs") or places.call("TrainingArguments")
    return fault(line or _failed_at(seen))


def metric_takes_no_batches(seen: Seen, view: View) -> Verdict | None:
    """`batch_eval_metrics` calls the metric for each batch, and says which one is the last."""
    if not _says(seen, "When using `batch_eval_metrics`") and not _says(
        seen, "argument 'compute_result'"
    ):
        return None
    return fault(view.places.argument("batch_eval_metrics") or _failed_at(seen))


def tokenizer_not_fast(seen: Seen, view: View) -> Verdict | None:
    """A tokenizer in Python does not know which word, or which letters, a token is of."""
    if not any(_says(seen, one) for one in _OF_FAST):
        return None
    places = view.places
    line = places.argument("use_fast") or places.call("Tokenizer.from_pretrained", "Tokenizer")
    return fault(line or _failed_at(seen))


def decoder_without_start(seen: Seen, view: View) -> Verdict | None:
    if not any(_says(seen, one, "to be defined") for one in _EMBEDS):
        return None
    return fault(_config_line(view))


def model_without_pad_id(seen: Seen, view: View) -> Verdict | None:
    """The tokenizer may know its padding token: the model's config has to be told."""
    unknown = _says(seen, "batch sizes > 1 if no padding token is defined")
    if not unknown and not _says(seen, "config.pad_token_id has to be defined"):
        return None
    return fault(_config_line(view))


def schedule_ended(seen: Seen, view: View) -> Verdict | None:
    """OneCycleLR counts its own steps, and refuses to go beyond them."""
    found = _said(seen, r"Tried to step (\d+) times.*number of total steps is (\d+)")
    plan: Plan | None = getattr(seen, "plan", None)
    ends = int(found[2]) if found else plan.ends_at if plan is not None else None
    if ends is None or (plan is not None and not found and plan.updates <= ends):
        return None
    places = view.places
    line = places.argument_chosen("total_steps", "steps_per_epoch") or places.call("OneCycleLR")
    return fault(line or _failed_at(seen), steps=ends)


def mask_longer_than_input(seen: Seen, view: View) -> Verdict | None:
    """SpecAugment masks so many frames in a row, and there are fewer."""
    found = _said(seen, r"`mask_length`: (\d+) and `sequence_length`: (\d+)")
    if found is None:
        return None
    places, kinds = view.places, ("time", "feature")
    lengths = (places.argument(f"mask_{kind}_length") for kind in kinds)
    shares = (places.argument(f"mask_{kind}_prob") for kind in kinds)
    line = next(filter(None, (*lengths, *shares)), None)
    return fault(line or _config_line(view), length=int(found[1]), frames=int(found[2]))


def average_of_two_classes(seen: Seen, view: View) -> Verdict | None:
    """scikit-learn's F1, precision and recall are those of one class, if nothing else is said."""
    found = _said(seen, r"Target is (\S+) but average='binary'")
    if found is None:
        return None
    return fault(_failed_at(seen), target=found[1])


def rows_of_unequal_length(seen: Seen, view: View) -> Verdict | None:
    """tf.data puts rows into one tensor, and fills none of them up."""
    found = _said(seen, r"\[tensor\]: \[(\d+)\], \[batch\]: \[(\d+)\]")
    found = found or _said(seen, r"element had shape \[(\d+)\] and element \d+ had shape \[(\d+)\]")
    if found is None or not _says(seen, "cannot", "batch"):
        return None
    return fault(view.places.batched_behind_map(), one=int(found[1]), other=int(found[2]))


def entry_not_in_table(seen: Seen, view: View) -> Verdict | None:
    """The first batch is looked up without harm, and a later one asks for more than there is."""
    found = _said(seen, r"indices\[[\d, ]+\] = (\d+) is not in \[0, (\d+)\)")
    if found is None:
        return None
    size, origins = int(found[2]), view.places.origins
    line = origins.table(size, follow=True) or origins.only_table()
    return fault(line or _failed_at(seen), number=int(found[1]), size=size)


def later_row_too_long(seen: Seen, view: View) -> Verdict | None:
    """A model with a place for each of so many tokens meets a longer row than the first batch's."""
    found = _said(seen, r"size of (?:the )?tensor \(?(?:a \()?(\d+)\).* must match .*\((\d+)\)")
    positions, length = (0, 0) if found is None else sorted(map(int, found.groups()))
    if positions != view.facts.positions or length == positions:
        return None
    return fault(too_long_at(view, length, positions), length=length, positions=positions)


def weights_in_two_groups(seen: Seen, view: View) -> Verdict | None:
    if not _says(seen, "some parameters appear in more than one parameter group"):
        return None
    return fault(view.places.making.grouped_twice() or _failed_at(seen))


RULES: tuple[Rule, ...] = (
    saves_between_evaluations,
    saves_unlike_evaluations,
    plateau_never_evaluated,
    nothing_to_evaluate,
    stream_without_steps,
    metric_takes_no_batches,
    tokenizer_not_fast,
    no_pad_token,
    decoder_without_start,
    model_without_pad_id,
    schedule_ended,
    mask_longer_than_input,
    average_of_two_classes,
    weights_in_two_groups,
    rows_of_unequal_length,
    entry_not_in_table,
    later_row_too_long,
)


def too_long_at(view: View, length: int, positions: int) -> int | None:
    """Where a model was made too short, or texts were not cut."""
    places = view.places
    drawn = None if view.facts.pretrained else places.configured(positions, *_POSITIONS)
    line = drawn or places.argument("truncation", "max_length")
    return line or places.number_written(length) or view.tokenizing


def _said(seen: Seen, pattern: str) -> re.Match[str] | None:
    return None if seen.failure is None else re.search(pattern, seen.failure.message, re.DOTALL)


def _says(seen: Seen, *phrases: str) -> bool:
    return seen.failure is not None and seen.failure.says(*phrases)


def _failed_at(seen: Seen) -> int | None:
    return None if seen.failure is None else seen.failure.line


def _config_line(view: View) -> int | None:
    places = view.places
    return places.call("Config", "Config.from_pretrained") or places.making.model(
        view.facts.model_class
    )
