"""Rules about what goes in: tokens, padding and mask, pictures and sounds, columns left out."""

from __future__ import annotations

import math
from statistics import median

from debugger.pipelines.face import Batch, Data, Forward, Split
from debugger.pipelines.spelled import Cased
from debugger.script.tracing import OF_JUDGING
from debugger.stages.judging import (
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)

FEWEST_ROWS = 8
MOSTLY_UNKNOWN = 0.5
OFTEN_UNKNOWN, MORE_UNKNOWN = 0.1, 4.0
CAPITALS, MANY_CAPITALS = 0.01, 0.05
"""Shares of the words: of a text's first words alone, and of whole texts in capitals."""
ANOTHER_VOCABULARY = 0.5
CONTRADICTING_SHARE = 0.2
LITTLE_TOLD = 0.25
SHORT_LIMIT = 16
LITTLE_KEPT = 1 / 3
PARTLY_KEPT = 0.6
SECOND_LOST = 0.5
TOLD_SHARE = 0.95
HIDDEN_SHARE = 0.3
FEW_EMPTY, MANY_EMPTY = 4, 0.5
LARGEST_PIXEL = 20.0
LARGEST_SAMPLE = 50.0
FLAT = 0.02
UNLIKE, FAR_OFF = 3.0, 20.0
"""So many times as spread out, or spreads away: no two parts of one set of pictures are."""
AT_THE_ENDS = 0.95
QUIET = 0.3
LONG_END = 0.3
"""The share of zeros behind the last word of a row, as a median."""
FEW_LEVELS = 8
"""Different numbers in a row of sound. Telephones have 256."""
UNMOVED, FELT = 1e-4, 0.05
_PICTURES_AND_SOUNDS = ("pixel_values", "input_values", "input_features")
_OF_TEXT = {"input_ids", "attention_mask", "token_type_ids", "labels", "label", "label_ids"}


def tokenizer_of_another_model(seen: Data, view: View) -> Verdict | None:
    """What an id means was learned with the weights: another vocabulary scrambles every word."""
    read = seen.train.read if seen.train else None
    if read is None or read.clashing is None or read.clash is None:
        return None
    if read.clashing < ANOTHER_VOCABULARY:
        return None
    number, here, there = read.clash
    line = view.places.call("Tokenizer.from_pretrained", "TokenizerFast.from_pretrained")
    line = line or view.places.call(".Tokenizer", "Tokenizer", "TokenizerFast")
    return fault(line, share=read.clashing, number=number, here=here, there=there)


def unknown_tokens(seen: Data, view: View) -> Verdict | CannotJudge | None:
    read = seen.train.read if seen.train else None
    if read is None or not read.pieces:
        return NOT_FOR_THIS_TASK
    share = read.unknown / read.pieces
    if share < OFTEN_UNKNOWN:
        return None
    line = view.places.call(".train_from_iterator", ".train_new_from_iterator")
    line = line or view.places.call("Tokenizer.from_pretrained", "TokenizerFast.from_pretrained")
    verdict = fault if share >= MOSTLY_UNKNOWN else look
    return verdict(line, share=share, unknown=read.unknown, pieces=read.pieces)


def unknown_for_capitals(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A vocabulary in small letters, and texts that are not brought to them."""
    if seen.cased is None or seen.cased.lowered:
        return None
    told = view.places.assignment("normalizer") or view.places.argument("do_lower_case")
    made = view.places.call("WordLevel", "BPE", "WordPiece", "TokenizerFast", "Tokenizer")
    return _for_case(seen.cased, seen.cased.line or told or made)


def lowered_after_learning(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A vocabulary with capitals, and a tokenizer that makes them small before it looks them up."""
    if seen.cased is None or not seen.cased.lowered:
        return None
    return _for_case(seen.cased, view.places.assignment("normalizer"))


def _for_case(cased: Cased, line: int | None) -> Verdict | None:
    share = cased.unknown / cased.words
    if share < CAPITALS:
        return None
    told = {"unknown": cased.unknown, "words": cased.words, "example": cased.example}
    return (fault if share >= MANY_CAPITALS else look)(line, **told)


def unknown_in_evaluation(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Texts that were not prepared as those that the vocabulary was made of."""
    train, other = (None if s is None else s.read for s in (seen.train, seen.eval))
    if train is None or other is None or not train.pieces or not other.pieces:
        return NOT_FOR_THIS_TASK
    known, share = train.unknown / train.pieces, other.unknown / other.pieces
    if share < OFTEN_UNKNOWN or share < MORE_UNKNOWN * known:
        return None
    line = view.places.parting.line() or view.places.making.prepared_less()
    line = line or view.places.making.evaluated() or view.places.argument("eval_dataset")
    made = fault if share >= MOSTLY_UNKNOWN else look
    return made(line, share=share, train=known)


def unknown_targets(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A tokenizer that was made from the sources alone knows no word of the targets."""
    read = seen.train.read if seen.train else None
    if view.facts.task != "seq2seq" or read is None or not read.target_pieces:
        return NOT_FOR_THIS_TASK
    share = read.target_unknown / read.target_pieces
    if share < OFTEN_UNKNOWN or isinstance(unknown_tokens(seen, view), Verdict):
        return None
    places = view.places
    line = places.origins.first_handed("train_from_iterator", "train_new_from_iterator", "train")
    line = line or places.call("Tokenizer.from_pretrained", "TokenizerFast.from_pretrained")
    line = line or view.facts.targets_tokenized_at
    verdict = fault if share >= MOSTLY_UNKNOWN else look
    return verdict(line, share=share, unknown=read.target_unknown, pieces=read.target_pieces)


def special_tokens_left_out(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A checkpoint answers from the place where it has always met them."""
    read = seen.train.read if seen.train else None
    whole_rows = ("classification", "regression", "multilabel", "multiple_choice")
    if read is None or not read.pieces or view.facts.task not in whole_rows:
        return NOT_FOR_THIS_TASK
    if not view.facts.pretrained:
        return CannotJudge("not_pretrained")
    if not read.bare:
        return None
    line = view.places.argument("add_special_tokens") or _tokenizing(view)
    return look(line, tokens=", ".join(read.bare))


def wrong_column_read(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The tokens spell out a number or a label, row by row, and nothing else."""
    read = seen.train.read if seen.train else None
    if read is None or not read.pieces:
        return NOT_FOR_THIS_TASK
    if read.says is None:
        return None
    return fault(_tokenizing(view), name=read.says)


def identical_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    split = seen.train
    read = split.read if split else None
    if split is None or read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if _other_inputs(split):
        return CannotJudge("other_inputs")
    if read.inputs > 1:
        return None
    made = _tokenizing(view)
    line = view.places.slips.seeded_again() or view.places.handed.one_place()
    line = line or view.places.filled_again()
    line = line or view.places.flows.removing() or view.places.written.copied_onto(made) or made
    return fault(line, rows=read.rows)


def contradicting_labels(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The same input under several labels: no model can answer both.

    Where a text is never read at all, that is the cause, and has a rule of its own.
    """
    split = seen.train
    read = split.read if split else None
    if split is None or read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if _other_inputs(split):
        return CannotJudge("other_inputs")
    share = read.contradicting / read.rows
    if share < CONTRADICTING_SHARE or read.inputs == 1:
        return None
    told = (read.ceiling - read.majority) / max(1e-9, 1 - read.majority)
    verdict = fault if told < LITTLE_TOLD and 1.0 not in read.lost.values() else look
    numbers = {"ceiling": read.ceiling, "majority": read.majority}
    return verdict(_tokenizing(view), rows=read.contradicting, share=share, **numbers)


def eval_tokenized_otherwise(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A tokenizer that was made anew for the rows to be judged by gives words other numbers."""
    numbered = seen.numbered or _numbered_by_two(view)
    if numbered is None:
        return None
    line, moved, known = numbered
    made = view.places.making.tokenizer_again()
    return fault(made or line, moved=moved, known=known)


def _numbered_by_two(view: View) -> tuple[int | None, int, int] | None:
    """Of two tokenizers, of which one is called after the rows to be judged by."""
    held = {n: one for n, one in view.names.items() if not isinstance(one, type)}
    made = {n: one.get_vocab() for n, one in held.items() if _is_tokenizer(one)}
    for name in (one for one in made if OF_JUDGING.search(one)):
        for other in (one for one in made if not OF_JUDGING.search(one)):
            both = made[name].keys() & made[other].keys()
            moved = sum(made[name][word] != made[other][word] for word in both)
            if len(both) >= FEWEST_ROWS and moved > len(both) / 2:
                return None, moved, len(both)
    return None


def _is_tokenizer(value: object) -> bool:
    return hasattr(value, "get_vocab") and hasattr(value, "all_special_ids") and callable(value)


def text_mostly_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Long documents are always cut. A limit of a few tokens is another matter."""
    read = seen.train.read if seen.train else None
    if seen.short is not None and seen.short.kept < PARTLY_KEPT:
        verdict = fault if seen.short.kept < LITTLE_KEPT else look
        line = view.places.cut_off_at(seen.short.width) or _tokenizing(view)
        return verdict(line, kept=seen.short.kept, length=seen.short.width)
    if read is None or len(read.kept) < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    kept = median(read.kept)
    if kept >= PARTLY_KEPT:
        return None
    line = view.places.argument_of_value(read.limit, "max_length", "model_max_length")
    line = line or _tokenizing(view)
    verdict = fault if kept < LITTLE_KEPT and read.limit <= SHORT_LIMIT else look
    return verdict(line, kept=kept, length=read.limit)


def letters_for_words(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Python goes through a text letter by letter, where a list of words was meant."""
    if not seen.spelled_out:
        return None
    return look(view.places.meant.joined_letters() or _tokenizing(view), text=seen.spelled_out)


def words_not_split(seen: Data, view: View) -> Verdict | None:
    """Every text that is not just like another is one more word, and next to none are met again."""
    found = seen.unsplit
    if found is None or view.places.argument("is_split_into_words") is not None:
        return None
    line = view.places.call("Tokenizer", "PreTrainedTokenizerFast") or _tokenizing(view)
    return fault(line, texts=found.texts, words=found.words)


def words_numbered_twice(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The same word has one number in one set and another in the other."""
    if seen.renumbered is None:
        return None
    name, line = seen.renumbered
    return fault(line, name=name)


def second_sentence_cut(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Cut from the end, a pair loses its second sentence first. All of them: see dropped. Where
    rows say the texts of others, nothing was cut."""
    read = seen.train.read if seen.train else None
    if read is None or not read.lost:
        return NOT_FOR_THIS_TASK
    if any(share >= SECOND_LOST for share in read.strange.values()):
        return None
    cut = {name: share for name, share in read.lost.items() if SECOND_LOST <= share < 1}
    if not cut:
        return None
    gone, share = max(cut.items(), key=lambda item: item[1])
    line = view.places.argument_of_value(read.limit, "max_length") or _tokenizing(view)
    return fault(line, gone=gone, share=share, length=read.limit)


def label_in_text(seen: Data, view: View) -> Verdict | CannotJudge | None:
    read = seen.train.read if seen.train else None
    if read is None or read.rows < FEWEST_ROWS:
        return NOT_FOR_THIS_TASK
    if read.told < TOLD_SHARE or read.told_others > 1 - TOLD_SHARE:
        return None
    return look(_tokenizing(view), share=read.told)


def column_dropped(seen: Batch | Forward, view: View) -> Verdict | None:
    """The Trainer keeps what the model's forward names. A collator or a loss may want more."""
    if isinstance(seen, Forward) and "last_hidden_state" in seen.output_keys:
        return None  # see no_head
    named = seen.failure is not None and seen.failure.exception == "KeyError"
    said = seen.failure.message.strip("'\" ") if seen.failure and named else ""
    missed = [said] if said in seen.dropped else list(seen.asked_for)
    if not missed or not seen.dropped:
        return None
    line = seen.failure.line if seen.failure is not None and named else None
    line = view.places.argument("remove_unused_columns") or line
    line = line or view.places.naming(missed[0])
    return fault(line, name=missed[0], columns=", ".join(seen.dropped))


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
    return fault(_tokenizing(view), empty=padding.empty, rows=padding.of)


def _mask_line(view: View) -> int | None:
    places = view.places
    made = places.written.made_under("attention_mask") or places.naming("attention_mask")
    return made or places.argument("data_collator")


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


def identical_inputs(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    signal = seen.signal
    if signal is None and seen.same_tokens > 1:
        name, rows = "input_ids", view.facts.batch_size
        line = view.places.flows.removing() or _tokenizing(view)
        return fault(line, name=name, rows=rows, labels=seen.same_tokens)
    if signal is None or signal.rows < 2:
        return NOT_FOR_THIS_TASK
    if not signal.identical or signal.labels < 2:
        return None
    places = view.places
    cut = places.handed.rounding() if signal.low == signal.high else None
    line = cut or places.handed.repeating(signal.name) or places.written.under(signal.name)
    line = line or _preparing(view)
    return fault(line, name=signal.name, rows=signal.rows, labels=signal.labels)


def one_input_for_each_label(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Pictures of one kind are one and the same picture: drawn from the same seed each time."""
    signal = seen.signal
    if signal is None or signal.kind not in _PICTURES_AND_SOUNDS or signal.labels < 2:
        return NOT_FOR_THIS_TASK
    if not signal.distinct or signal.distinct > signal.labels or signal.identical:
        return None
    if signal.rows < max(FEWEST_ROWS, 2 * signal.labels):
        return NOT_FOR_THIS_TASK
    line = view.places.slips.seeded_again()
    return fault(line, rows=signal.rows, distinct=signal.distinct, labels=signal.labels)


def inputs_not_scaled(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A checkpoint has only ever seen small numbers. What a fresh model bears is its own affair."""
    signal = seen.signal
    most = {"pixel_values": LARGEST_PIXEL, "input_values": LARGEST_SAMPLE}
    kind = signal.kind or signal.name if signal is not None else ""
    if signal is None or kind not in most:
        return NOT_FOR_THIS_TASK
    if max(-signal.low, signal.high) <= most[kind]:
        return None
    verdict = fault if view.facts.pretrained else look
    places = view.places
    line = places.handed.dividing() or places.handed.prepared(signal.name) or _preparing(view)
    return verdict(line, name=signal.name, low=signal.low, high=signal.high)


def inputs_nearly_constant(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Divided by 255 twice, every picture is the same grey."""
    signal = seen.signal
    if signal is None or "pixel_values" not in (signal.kind, signal.name):
        return NOT_FOR_THIS_TASK
    if signal.identical or signal.high - signal.low >= FLAT:
        return None
    line = view.places.handed.dividing() or _preparing(view)
    return fault(line, name=signal.name, low=signal.low, high=signal.high)


def axes_jumbled(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """To reshape leaves every number where it is: that moves no axis to another place."""
    if seen.signal is None:
        return NOT_FOR_THIS_TASK
    found = seen.signal.jumbled
    if found is None:
        return None
    numbers = {"as_it_is": found.as_it_is, "anew": found.anew}
    shapes = {"shape": str(found.shape), "other": str(found.other)}
    line = view.places.handed.reshaped(found.shape)
    return fault(line, name=seen.signal.name, **shapes, **numbers)


def scaled_twice(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The model's own first layers scale what was scaled before it came."""
    found = seen.scaled
    if found is None:
        return NOT_FOR_THIS_TASK
    before, after = found.high - found.low, found.inner_high - found.inner_low
    if after >= FLAT or before <= 5 * after or max(-found.low, found.high) > LARGEST_PIXEL:
        return None
    line = view.places.layers.scaling() or view.places.handed.dividing()
    ends = {"inner_low": found.inner_low, "inner_high": found.inner_high}
    return fault(line, name=found.name, low=found.low, high=found.high, **ends)


def inputs_saturated(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    signal = seen.signal
    if signal is None or signal.kind == "features":
        return NOT_FOR_THIS_TASK
    if signal.identical or signal.at_ends < AT_THE_ENDS:
        return None
    if isinstance(sounds_coarse(seen, view), Verdict):
        return None  # which says more
    numbers = {"name": signal.name, "low": signal.low, "high": signal.high}
    return look(_preparing(view), share=signal.at_ends, **numbers)


def sounds_coarse(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A wave between -1 and 1 that was made whole numbers is silence with a few clicks."""
    signal = seen.signal
    if signal is None or "input_values" not in (signal.kind, signal.name):
        return NOT_FOR_THIS_TASK
    if signal.identical or not 0 < signal.levels <= FEW_LEVELS:
        return None
    line = view.places.flows.made_whole() or view.places.handed.prepared(signal.name)
    return fault(line or _preparing(view), name=signal.name, levels=signal.levels)


def inputs_not_normalised(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The processor that the script holds would do it, and the batch shows that nobody has."""
    signal = seen.signal
    if signal is None or not signal.normalises:
        return NOT_FOR_THIS_TASK
    if not view.facts.pretrained:
        return CannotJudge("not_pretrained")
    bare = signal.name == "pixel_values" and signal.low >= 0 and 0.5 < signal.high <= 1
    quiet = signal.name == "input_values" and 0 < signal.deviation < QUIET
    if not bare and not quiet:
        return None
    return look(_preparing(view), name=signal.name, low=signal.low, high=signal.high)


def processed_otherwise(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What is learned from and what is judged by went through two different preparations."""
    here, there = seen.signal, seen.eval_signal
    if here is None or there is None or here.name != there.name:
        return NOT_FOR_THIS_TASK
    if not here.deviation or not there.deviation:
        return CannotJudge("no_spread")
    if not math.isfinite(here.deviation) or not math.isfinite(there.deviation):
        return None  # what is no number is told of where the rows are
    times = there.deviation / here.deviation
    moved = abs(there.mean - here.mean) / max(here.deviation, there.deviation)
    if 1 / UNLIKE < times < UNLIKE and moved < UNLIKE:
        return None
    verdict = fault if not 1 / FAR_OFF < times < FAR_OFF else look
    line = view.places.handed.prepared_for_eval(here.name) or view.places.parting.line()
    line = line or view.places.argument("eval_dataset")
    train = {"low": here.low, "high": here.high}
    return verdict(line, name=here.name, eval_low=there.low, eval_high=there.high, **train)


def text_not_read(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Other words, and the same answers: a mask turned round, or inputs that go nowhere."""
    reads = seen.reads
    if reads is None:
        return NOT_FOR_THIS_TASK
    if reads.text > UNMOVED or reads.filling <= UNMOVED:
        return None
    return fault(view.places.handed.masking(), rows=reads.rows)


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
    line = view.places.handed.pooling() or view.places.handed.masking()
    return look(line, share=reads.filling / (reads.filling + reads.text), rows=reads.rows)


def rows_mingled(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """An axis taken for another: what stands in one row is answered in the next."""
    if seen.mingled is None:
        return NOT_FOR_THIS_TASK
    if seen.mingled <= FELT or seen.trains_always is not None:  # see layer_trains_always
        return None
    if view.places.oversights.time_first() and view.facts.compiled is None:
        return None  # see layer_takes_time_first
    if view.facts.compiled is not None:
        return fault(view.places.layers.mixing(), moved=seen.mingled)
    layers = ("LSTM", "GRU", "RNN", "TransformerEncoderLayer", "MultiheadAttention")
    first = view.places.argument("batch_first")
    line = first if view.places.value("batch_first") == "False" else None
    line = line or (None if first else view.places.call(*layers))
    line = line or view.places.handed.turning() or view.places.function("forward")
    return fault(line, moved=seen.mingled)


def input_not_read(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Nothing of it comes out at the other end."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if not seen.unread:
        return None
    return look(view.places.layers.inputs_taken(), name=seen.unread)


OF_A_MODEL: tuple[Rule, ...] = (
    text_not_read,
    padding_mask_turned,
    filling_read,
    rows_mingled,
    input_not_read,
)
OF_ROWS: tuple[Rule, ...] = (
    tokenizer_of_another_model,
    unknown_tokens,
    unknown_for_capitals,
    lowered_after_learning,
    unknown_in_evaluation,
    unknown_targets,
    special_tokens_left_out,
    wrong_column_read,
    eval_tokenized_otherwise,
    text_mostly_cut,
    letters_for_words,
    words_not_split,
    words_numbered_twice,
    second_sentence_cut,
    identical_rows,
    contradicting_labels,
    label_in_text,
)
OF_A_BATCH: tuple[Rule, ...] = (
    column_dropped,
    mask_missing,
    filling_read_last,
    rows_of_filling,
    mask_over_padding,
    mask_hides_text,
    filling_taken_for_text,
    padded_on_the_right,
    identical_inputs,
    one_input_for_each_label,
    inputs_not_scaled,
    inputs_nearly_constant,
    axes_jumbled,
    scaled_twice,
    inputs_saturated,
    sounds_coarse,
    inputs_not_normalised,
    processed_otherwise,
)


def _tokenizing(view: View) -> int | None:
    return view.tokenizing or view.places.fits.fitted()


def _preparing(view: View) -> int | None:
    made = ("processor", "image_processor", "feature_extractor", "set_transform", "with_transform")
    line = view.places.argument("do_rescale", "do_normalize") or view.places.call(*made)
    return line or view.places.fits.fitted()


def _other_inputs(split: Split) -> bool:
    return bool(set(split.kept) - _OF_TEXT)


def _mostly_hidden(seen: Batch) -> bool:
    padding = seen.padding
    return padding is not None and padding.hidden > HIDDEN_SHARE * max(1, padding.real)
