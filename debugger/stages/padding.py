"""Rules about padding and its mask: does the model read texts, and not what fills them up?"""

from __future__ import annotations

from debugger.pipelines.batch import Batch
from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.tokens import tokenizing

HIDDEN_SHARE = 0.3
FEW_EMPTY, MANY_EMPTY = 4, 0.5
LONG_END = 0.3
"""The share of zeros behind the last word of a row, as a median."""
UNMOVED, FELT = 1e-4, 0.05


def mask_missing(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Without a mask the model reads padding as text."""
    padding = seen.padding
    if padding is None:
        return NOT_FOR_THIS_TASK
    if padding.has_mask or not padding.filled or padding.felt is False:
        return None
    line = view.places.argument("return_attention_mask") or view.places.naming("attention_mask")
    line = line or view.places.call("set_format", "with_format", "select_columns")
    line = line or view.places.naming("input_ids")
    line = line or view.places.argument("data_collator", "train_dataset")
    proven = padding.felt and view.facts.pretrained
    return (fault if proven else look)(
        line, filled=padding.filled, rows=padding.rows, total=padding.filled + padding.real
    )


def filling_read_last(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Whoever reads dozens of zeros behind the last word has forgotten the words."""
    if seen.filled_behind is None:
        return NOT_FOR_THIS_TASK
    layer, share = seen.filled_behind
    line = view.places.call("Embedding")
    return look(line, layer=layer, share=share) if share >= LONG_END else None


def rows_of_filling(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Rows that were made and never filled in."""
    padding = seen.padding
    if padding is None:
        return CannotJudge("filling_unknown")
    if padding.empty < max(FEW_EMPTY, padding.of * MANY_EMPTY):
        return None
    return fault(tokenizing(view), empty=padding.empty, rows=padding.of)


def mask_over_padding(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    padding = seen.padding
    if padding is None or not padding.has_mask:
        return NOT_FOR_THIS_TASK
    if not padding.open or padding.felt is False or _mostly_hidden(seen):
        return None
    line = _mask_line(view)
    proven = padding.felt and view.facts.pretrained
    return (fault if proven else look)(line, open=padding.open, filled=padding.filled)


def mask_hides_text(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    padding = seen.padding
    if padding is None or not padding.has_mask:
        return NOT_FOR_THIS_TASK
    if not _mostly_hidden(seen):
        return None
    line = _mask_line(view)
    inverted = int(padding.open == padding.filled and padding.hidden == padding.real)
    return fault(line, hidden=padding.hidden, real=padding.real, inverted=inverted)


def filling_taken_for_text(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A model that looks for the end of a text by the padding token finds another one."""
    padding = seen.padding
    if padding is None:
        return NOT_FOR_THIS_TASK
    if padding.taken_for is None:
        return None
    fills, known = padding.taken_for
    line = view.places.argument("pad_token_id") or view.places.assignment("pad_token_id")
    line = line or view.places.making.model(view.facts.model_class)
    return (fault if padding.missed else look)(line, fills=fills, known=known, rows=padding.rows)


def padded_on_the_right(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A model that writes on from the end of a row would write on from its padding."""
    padding = seen.padding
    if padding is None or not padding.generates:
        return NOT_FOR_THIS_TASK
    if padding.side != "right":
        return None
    return look(view.places.argument("predict_with_generate"), rows=padding.rows)


def text_not_read(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Other words, and the same answers: a mask turned round, or inputs that go nowhere."""
    reads = seen.reads
    if reads is None:
        return NOT_FOR_THIS_TASK
    if reads.text > UNMOVED or reads.filling <= UNMOVED:
        return None
    return fault(view.places.stepping.masking(), rows=reads.rows)


def padding_mask_turned(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Layers of torch leave out what is True there; the attention mask is 1 at what is read."""
    if seen.hides is None:
        return NOT_FOR_THIS_TASK
    named = ("src_key_padding_mask", "key_padding_mask", "tgt_key_padding_mask")
    return fault(view.places.argument(*named), hidden=seen.hides) if seen.hides else None


def filling_read(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The answer to a text depends on what it is filled up with, mask or no mask."""
    reads = seen.reads
    if reads is None:
        return NOT_FOR_THIS_TASK
    if reads.filling <= FELT or reads.text <= UNMOVED:
        return None
    if seen.hides:
        return None  # see padding_mask_turned
    line = view.places.stepping.pooling() or view.places.stepping.masking()
    return look(line, share=reads.filling / (reads.filling + reads.text), rows=reads.rows)


OF_A_BATCH: tuple[Rule, ...] = (
    mask_missing,
    filling_read_last,
    rows_of_filling,
    mask_over_padding,
    mask_hides_text,
    filling_taken_for_text,
    padded_on_the_right,
)
OF_A_MODEL: tuple[Rule, ...] = (text_not_read, padding_mask_turned, filling_read)


def _mask_line(view: View) -> int | None:
    places = view.places
    made = places.written.made_under("attention_mask") or places.naming("attention_mask")
    return made or places.argument("data_collator")


def _mostly_hidden(seen: Batch) -> bool:
    padding = seen.padding
    return padding is not None and padding.hidden > HIDDEN_SHARE * max(1, padding.real)
