"""Rules about tokens: what the vocabulary knows, and whether a number means the same word."""

from __future__ import annotations

from debugger.pipelines.data import Data
from debugger.pipelines.spelled import Cased
from debugger.script.tracing import OF_JUDGING
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look

FEWEST_ROWS = 8
MOSTLY_UNKNOWN = 0.5
OFTEN_UNKNOWN, MORE_UNKNOWN = 0.1, 4.0
CAPITALS, MANY_CAPITALS = 0.01, 0.05
"""Shares of the words: of a text's first words alone, and of whole texts in capitals."""
ANOTHER_VOCABULARY = 0.5


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
    left = view.places.unkept.thrown_away()
    thrown = left[0] if left is not None and OF_JUDGING.search(left[1]) else None
    line = thrown or view.places.parting.line() or view.places.making.prepared_less()
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
    line = view.places.argument("add_special_tokens") or tokenizing(view)
    return look(line, tokens=", ".join(read.bare))


def wrong_column_read(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The tokens spell out a number or a label, row by row, and nothing else."""
    read = seen.train.read if seen.train else None
    if read is None or not read.pieces:
        return NOT_FOR_THIS_TASK
    if read.says is None:
        return None
    return fault(tokenizing(view), name=read.says)


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


RULES: tuple[Rule, ...] = (
    tokenizer_of_another_model,
    unknown_tokens,
    unknown_for_capitals,
    lowered_after_learning,
    unknown_in_evaluation,
    unknown_targets,
    special_tokens_left_out,
    wrong_column_read,
    eval_tokenized_otherwise,
)


def tokenizing(view: View) -> int | None:
    return view.tokenizing or view.places.fits.fitted()
