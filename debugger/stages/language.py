"""Rules about what a model of language is asked for: hidden tokens, the next one, an end."""

from __future__ import annotations

from debugger.pipelines.batch import Batch
from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look
from debugger.stages.targets import MANY_ROWS, NEARLY_ALL, OWN, labelling

COLLATOR = "DataCollatorForLanguageModeling"
MANY_PLACES = 200
"""Of a batch; where a few are marked, so many hold one of them."""
MOSTLY_SEEN = 0.5
AHEAD = 1e-3
"""Of what answers differ by. What cannot see a token does not move by it at all."""
MASKED_MUCH, MASKED_MOST = 0.4, 0.6


def nothing_masked(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A model that reads both ways sees the very word that it is asked for."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if targets.masked or (targets.same or 0.0) < NEARLY_ALL:
        return None
    line = view.places.argument("mlm") or view.places.handed.put("data_collator", "input_ids")
    return fault(line or view.places.argument("data_collator"), counted=targets.counted)


def visible_tokens_asked(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Some tokens are hidden, and the loss asks for all the others, too."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or not (targets.same or 0.0) >= MOSTLY_SEEN:
        return None
    line = view.places.handed.put("data_collator", "labels") or view.places.written.labels()
    return fault(line, share=targets.same, counted=targets.counted, masked=targets.masked)


def visible_labelled_alike(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What is not to be asked for was given a number that the loss takes for a word."""
    targets = seen.targets
    if targets is None or view.facts.task != "masked_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or targets.alike is None or targets.only is not None:
        return None
    number, count = targets.alike
    if count < MOSTLY_SEEN * targets.counted:
        return None
    line = view.places.handed.put("data_collator", "labels") or view.places.written.labels()
    return fault(line, number=number, count=count, counted=targets.counted)


def masked_too_much(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Words are guessed from the words around them, and hardly any are left."""
    targets, padding = seen.targets, seen.padding
    if targets is None or padding is None or view.facts.task != "masked_lm" or not targets.masked:
        return NOT_FOR_THIS_TASK
    share = targets.masked / max(1, padding.real)
    if share < MASKED_MUCH:
        return None
    line = view.places.argument("mlm_probability")
    return (fault if share >= MASKED_MOST else look)(line, share=share)


def collator_of_language_model(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """It makes its labels of the words themselves, whatever the rows bring along."""
    asks_rows = view.facts.task in ("classification", "multilabel", "regression")
    if not asks_rows or view.facts.collator != COLLATOR:
        return NOT_FOR_THIS_TASK
    made = seen.fields.get("labels")
    if made is None or len(made.shape) < 2:
        return None
    line = view.places.call(COLLATOR)
    return fault(line or view.places.argument("data_collator"), model=view.facts.model_class)


def masked_for_causal(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None or view.facts.task != "causal_lm":
        return NOT_FOR_THIS_TASK
    if not targets.masked or targets.ignored <= targets.counted:
        return None
    line = view.places.argument("mlm") or view.places.call(COLLATOR)
    return fault(line, masked=targets.masked, counted=targets.counted)


def labels_of_one_token(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """A text to be written, of one word again and again: the padding, or what was never filled."""
    targets = seen.targets
    if targets is None or view.facts.task not in ("causal_lm", "masked_lm", "seq2seq"):
        return NOT_FOR_THIS_TASK
    if targets.only is None or targets.counted < MANY_ROWS or targets.same == 1:
        return None
    return fault(labelling(view), counted=targets.counted, number=targets.only)


def labels_all_alike(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """Of a model of one's own, with a label for each place: a whole batch says the same."""
    targets = seen.targets
    if targets is None or view.facts.task != "unknown":
        return NOT_FOR_THIS_TASK
    if targets.only is None or targets.counted < MANY_PLACES:
        return None
    line = view.places.handed.put("data_collator", "labels") or labelling(view)
    return look(line, counted=targets.counted, number=targets.only)


def labels_of_other_text(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """What a causal model is asked for are the tokens that it reads, each a place further on."""
    targets = seen.targets
    if targets is None or view.facts.task != "causal_lm":
        return NOT_FOR_THIS_TASK
    if targets.same is None or targets.beside is None or targets.masked:
        return None
    if isinstance(labels_of_one_token(seen, view), Verdict):
        return None  # which says more
    if max(targets.same, targets.beside) >= OWN:
        return None
    return fault(labelling(view), same=targets.same, counted=targets.counted)


def decoder_sees_answer(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The decoder's input is the answer moved by one. Unmoved, it has only to copy."""
    targets = seen.targets
    if targets is None or targets.decoder_same is None:
        return NOT_FOR_THIS_TASK
    if targets.decoder_same < NEARLY_ALL:
        return None
    line = view.places.naming("decoder_input_ids") or labelling(view)
    return fault(line, counted=targets.counted)


def input_is_the_answer(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The same with arrays that somebody filled: the place was to be another one by one."""
    if not seen.answer:
        return None
    line = labelling(view) or view.places.fits.validated() or view.places.call(".fit")
    return fault(line, name=seen.answer)


def targets_without_end(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The tokenizer ends every text with a token, and no answer ends so: nobody ever stops."""
    targets = seen.targets
    if targets is None or not targets.texts:
        return NOT_FOR_THIS_TASK
    if targets.ended or targets.texts < 2:
        return None
    if targets.ends_ignored:
        return None  # see ends_never_learned
    line = view.places.argument("add_special_tokens") or labelling(view)
    return (fault if targets.generates else look)(line, rows=targets.texts)


def labels_copy_inputs(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    targets = seen.targets
    if targets is None or view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    if targets.same is None or targets.same < 1:
        return None
    return look(view.places.column_given("text_target") or labelling(view), counted=targets.counted)


def ends_never_learned(seen: Batch, view: View) -> Verdict | CannotJudge | None:
    """The padding token is also the one that ends a text, and what is padding is not learned."""
    targets, places = seen.targets, view.places
    if targets is None or view.facts.task not in ("causal_lm", "seq2seq"):
        return NOT_FOR_THIS_TASK
    line = places.assignment("pad_token") or places.argument("pad_token")
    if targets.ends_ignored and targets.texts > 1 and not targets.ended:
        return (fault if targets.generates else look)(line, ends=targets.texts)
    if view.facts.task == "seq2seq" or not targets.ends or targets.ends_counted:
        return None
    return look(line, ends=targets.ends)


def looks_too_far_ahead(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Labels moved by the script and once more by the model: every second word is left out."""
    if view.facts.task not in ("causal_lm", "unknown"):
        return NOT_FOR_THIS_TASK
    if seen.asks is None or seen.asks < 2:
        return None
    return fault(labelling(view), ahead=seen.asks, loss=seen.loss)


def sees_what_is_asked(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The next token is asked for, and stands open before the model: nothing hides what is behind
    a place. To copy it is all that can be learned, and when it writes there is nothing to copy."""
    if seen.sees_ahead is None:
        return NOT_FOR_THIS_TASK
    if seen.sees_ahead <= AHEAD:
        return None
    places = view.places
    line = places.call("TransformerEncoder", "MultiHeadAttention", "MultiheadAttention")
    line = line or places.call("TransformerEncoderLayer", "Bidirectional")
    line = (
        line
        or places.argument("bidirectional")
        or places.returned_in(view.facts.model_class, "forward")
    )
    return fault(line, moved=seen.sees_ahead)


def asks_for_its_input(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss that moves nothing: the model is to say the token that it has just read."""
    if view.facts.task not in ("causal_lm", "unknown"):
        return NOT_FOR_THIS_TASK
    if seen.asks != 0:
        return None
    verdict = fault if view.facts.task == "causal_lm" else look
    return verdict(view.places.function("compute_loss") or labelling(view), loss=seen.loss)


OF_A_BATCH: tuple[Rule, ...] = (
    collator_of_language_model,
    nothing_masked,
    visible_tokens_asked,
    visible_labelled_alike,
    masked_too_much,
    masked_for_causal,
    labels_of_one_token,
    labels_all_alike,
    labels_of_other_text,
    decoder_sees_answer,
    input_is_the_answer,
    targets_without_end,
    labels_copy_inputs,
    ends_never_learned,
)
OF_A_LOSS: tuple[Rule, ...] = (looks_too_far_ahead, asks_for_its_input, sees_what_is_asked)
