"""Rules about the arrays that a training is given: both sets alike, each input its own."""

from __future__ import annotations

from debugger.pipelines.columns import FEWEST, Column, Gap, is_standard, stands_for_none
from debugger.pipelines.data import Data
from debugger.script.vocabularies import NUMBERS_WORDS
from debugger.stages.judging import (
    NO_SCRIPT,
    NOT_FOR_THIS_TASK,
    CannotJudge,
    Rule,
    Verdict,
    View,
    fault,
    look,
)
from debugger.stages.targets import labels_not_finite

OTHER_SCALE = 8.0
ELSEWHERE = 4.0
MOSTLY_ONE = 0.8
MANY_MET, MOSTLY_MET = 0.3, 0.5
MANY_WORDS = 10
FOLLOWS = 0.15
OFTEN_UNKNOWN, HALF_UNKNOWN = 0.35, 0.5
MOVED = 0.2
SCALED_ROWS = 30
"""Of all rows: so many with another label than before are no mistake of somebody who labelled."""
_NUMBERING = (
    *NUMBERS_WORDS,
    *("PCA", "TruncatedSVD", "FastICA", "NMF"),
)
"""What gives places or numbers anew when it learns from other rows, and no scale alone."""
_NO_WORDS = ("mask", "type", "segment", "position")


def splits_on_other_scales(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is done to the training rows must be done to the others, with the same numbers."""
    if seen.columns is None or seen.eval_columns is None:
        return NOT_FOR_THIS_TASK
    return _apart(seen.columns.inputs, seen.eval_columns.inputs, view)


def input_given_twice(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Two ways through a model may well begin at one place; two texts to compare may not."""
    if seen.columns is None or len(seen.columns.inputs) < 2:
        return NOT_FOR_THIS_TASK
    if seen.columns.twice is None:
        return None
    one, other = seen.columns.twice
    made = fault if seen.columns.shared else look
    return made(
        view.places.fits.fitted() or view.places.call(".fit"),
        one=one,
        other=other,
        rows=seen.columns.inputs[0].rows,
    )


def hardly_a_word_known(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Words of all texts are one and the same number: that of words nobody knows."""
    found = seen.columns
    texts = [] if found is None else [one for one in found.inputs if _holds_words(one)]
    if found is None or not texts or found.embedded < MANY_WORDS:
        return NOT_FOR_THIS_TASK
    if any((one.common or 0.0) < MOSTLY_ONE or one.rows < FEWEST for one in texts):
        return None
    if isinstance(vocabulary_too_small(seen, view), Verdict):
        return None  # which says more
    if view.places.casts.words_of_one_text() is not None:
        return None  # see vocabulary_of_letters
    line = view.places.call(".adapt") or view.places.call("TextVectorization", ".fit_on_texts")
    first = texts[0]
    numbers = {"number": first.commonest, "share": first.common, "words": found.embedded}
    return fault(line, name=first.name, **numbers)


def vocabulary_of_letters(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A vocabulary is learned from a list of texts: one text is a list of letters."""
    found = seen.columns
    if found is None or found.embedded < MANY_WORDS:
        return NOT_FOR_THIS_TASK
    texts = [one for one in found.inputs if _holds_words(one)]
    line = view.places.casts.words_of_one_text()
    if line is None or not texts or any((one.common or 0.0) < MOSTLY_ONE for one in texts):
        return None
    return fault(line, share=texts[0].common, number=texts[0].commonest, words=found.embedded)


def vocabulary_too_small(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A vocabulary is full, and most words of the texts found no room in it."""
    found = seen.columns
    if found is None or found.full is None:
        return NOT_FOR_THIS_TASK
    number, size = found.full
    texts = [one for one in found.inputs if one.commonest == number and _holds_words(one)]
    share, name = max(((one.common or 0.0, one.name) for one in texts), default=(0.0, ""))
    if share < OFTEN_UNKNOWN or not texts or max(one.rows for one in texts) < FEWEST:
        return None
    line = view.places.argument_of_value(size, "max_tokens", "num_words")
    line = line or view.places.call("TextVectorization", "Tokenizer")
    made = fault if share >= HALF_UNKNOWN else look
    return made(line, name=name, share=share, number=number, size=size)


def learned_from_eval_rows(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What scales rows, or numbers words, is to do to all rows what it has learned from some."""
    if seen.refitted is None or seen.renumbered is not None:
        return None
    name, line, kind = seen.refitted
    return (fault if kind in _NUMBERING else look)(line, name=name, kind=kind)


def scaled_by_itself(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows to be judged by are scaled by the numbers of the training rows, whatever those are. Who
    scales the rows of each person, or of each place, by themselves may well mean it."""
    held, split = seen.eval_columns, seen.eval
    if held is None or split is None or seen.shared_rows > split.count / 2:
        return NOT_FOR_THIS_TASK
    labels, learned = (
        [y for y in one.labels if isinstance(y, float)] if one is not None else []
        for one in (split, seen.train)
    )
    both = is_standard(labels) and is_standard(learned) if labels and learned else False
    places, line = view.places, None
    if held.standard is not None:
        told = {"name": held.standard.name, "columns": held.standard.columns}
        line = places.parting.of_fit() or places.parting.line() or places.making.evaluated()
    elif both and len(labels) == split.count >= SCALED_ROWS:
        told = {"name": split.label_column or "labels", "columns": 1}
        line = places.written.labels()
    else:
        return None
    line = line or places.fits.validated() or places.argument("eval_dataset")
    return look(line, **told, rows=split.count)


def labels_move_between_epochs(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """The same rows, read a second time, and other labels beside them."""
    if seen.relabelled is None:
        return NOT_FOR_THIS_TASK
    changed, rows = seen.relabelled
    if rows < 2 * FEWEST or changed < MOVED * rows:
        return None
    places = view.places
    line = places.rows.paired() or places.labels_torn() or places.fits.labelled()
    return fault(line, changed=changed, rows=rows)


def rows_levelled_alone(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Divided by its own length, a row keeps what is large in it anyway, and a column no scale."""
    found = None if seen.columns is None else seen.columns.levelled
    if found is None:
        return NOT_FOR_THIS_TASK
    line = view.places.call("normalize", "Normalizer", "l2_normalize", "norm")
    told = {"name": found.name, "columns": found.columns, "place": found.place + 1}
    return fault(line or view.places.fits.fitted(), share=found.share, **told)


def gaps_in_inputs(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A nan goes through every sum, and takes the answer, the loss and the weights with it."""
    if seen.columns is None:
        return NOT_FOR_THIS_TASK
    found = gap_in(seen)
    if found is None or view.places.unkept.filling(view.heard.set_on_copies):
        return None  # see filled_a_copy
    made = fault if found.felt else look
    line = view.places.emptied() or view.places.fits.fitted()
    line = line or view.places.call(".to_numpy", ".from_numpy")
    return made(line, name=found.name, rows=found.rows, of=found.of)


def gap_in(seen: Data) -> Gap | None:
    both = (one for one in (seen.columns, seen.eval_columns) if one is not None)
    return next((gap for one in both for gap in one.gaps), None)


def answer_among_inputs(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Who can read the answer off learns to read it off. In a window that is a step gone wrong."""
    echo = seen.columns.echo if seen.columns is not None else None
    if echo is None:
        return NOT_FOR_THIS_TASK if seen.columns is None else None
    made = fault if echo.in_time else look
    place = ", ".join(map(str, echo.place))
    line = view.places.frames.target_from_behind() if echo.in_time else None
    line = line or view.places.rows.targets_given() or view.places.fits.labelled()
    named = seen.train.label_column if seen.train and echo.in_time else None
    line = line or (view.places.written.put_under(named) if named else None)
    line = line or view.places.putting_columns()
    return made(line, name=echo.name, place=place, step=echo.step, rows=echo.rows)


def answer_in_parts(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Who knows the parts of a sum needs nothing else. A law may be as simple: then it is right."""
    found = seen.columns.summed if seen.columns is not None else None
    if found is None:
        return NOT_FOR_THIS_TASK if seen.columns is None else None
    places = ", ".join(map(str, found.places))
    line = view.places.putting_columns() or view.places.argument("train_dataset")
    return look(line, name=found.name, places=places, rows=found.rows)


def columns_in_other_order(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """A model knows a column by its place and by nothing else."""
    if seen.columns is None or seen.eval_columns is None:
        return NOT_FOR_THIS_TASK
    if not seen.swapped:
        return None
    one, to = seen.swapped[0]
    line = view.places.fits.only_behind("validation_data") or view.places.fits.validated()
    line = line or view.places.parting.line()
    return fault(line, column=one, other=to, count=len(seen.swapped))


def course_of_time_lost(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Steps were dealt out by lot, and windows cut out of what came of it."""
    found = seen.windows
    if found is None:
        return NOT_FOR_THIS_TASK
    if found.follows >= FOLLOWS:
        return None
    line = view.places.making.dealt_out()
    told = {"name": found.name, "steps": found.steps, "columns": found.columns}
    return None if line is None else fault(line, share=found.follows, **told)


def inputs_stand_for_none(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What a station writes where it has measured nothing: 99, 9999, -1."""
    found = seen.columns.filled if seen.columns is not None else None
    if found is None:
        return NOT_FOR_THIS_TASK if seen.columns is None else None
    ends = {"low": found.low, "high": found.high}
    line = view.places.call(".fillna", "nan_to_num", "read_csv") or view.places.fits.fitted()
    line = line or view.places.argument("train_dataset")
    made = fault if stands_for_none(found.value) else look
    return made(
        line, name=found.name, place=found.place, value=found.value, times=found.times, **ends
    )


def one_column_tells_all(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What is known only afterwards, or the answer under another name, is no input."""
    found = seen.columns.told if seen.columns is not None else None
    if found is None:
        return NOT_FOR_THIS_TASK if seen.columns is None else None
    if seen.columns is not None and (seen.columns.echo or seen.columns.summed):
        return None  # which say more
    line = view.places.putting_columns() or view.places.fits.fitted()
    numbers = {"place": found.place, "share": found.share, "next": found.next}
    return (fault if found.exact else look)(line, name=found.name, **numbers)


def reshaped_not_turned(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Who wants other axes first, and reads the numbers in the order in which they lie."""
    if not view.has_script:
        return NO_SCRIPT
    if not view.heard.counted_off or seen.failure is not None:
        return None
    found = view.heard.counted_off[0]
    before, after = (" x ".join(map(str, shape)) for shape in (found.before, found.after))
    return fault(found.line, before=before, after=after)


def log_of_zero(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """numpy warns of it once, and goes on with what is without end."""
    if not view.has_script:
        return NO_SCRIPT
    lost = gaps_in_inputs(seen, view), labels_not_finite(seen, view)
    if not view.heard.logs_of_zero or not any(isinstance(one, Verdict) for one in lost):
        return None
    return fault(view.heard.logs_of_zero[0])


def rows_counted_off(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """What `reshape` does to the axes of pictures or series: it moves none of them."""
    found = seen.columns.counted if seen.columns is not None else None
    if found is None:
        return NOT_FOR_THIS_TASK if seen.columns is None else None
    line = view.places.call(".reshape", ".view", ".resize")
    if line is None or view.heard.counted_off:
        return None
    axes, fitting = (" x ".join(map(str, one)) for one in (found.axes, found.fitting))
    return fault(line, name=found.name, axes=axes, fitting=fitting)


def windows_of_both_sets(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Windows that overlap were dealt out to both sets: what is to be told is half known."""
    found = seen.met
    if found is None:
        return NOT_FOR_THIS_TASK
    share = found.met / found.rows
    if share < MANY_MET:
        return None
    places = view.places
    line = places.call("train_test_split", "random_split", ".permutation", "randperm")
    line = line or places.making.dealt_out() or places.call(".shuffle") or places.parting.line()
    made = fault if share >= MOSTLY_MET else look
    return made(line, name=found.name, met=found.met, rows=found.rows)


def labels_filled_elsewhere(seen: Data, view: View) -> Verdict | CannotJudge | None:
    """Rows are filled up behind and their labels in front, so that no label stands at its word."""
    if seen.misfilled is None:
        return NOT_FOR_THIS_TASK
    moved, rows = seen.misfilled
    if moved < MOSTLY_ONE * rows:
        return None
    return fault(view.places.call("pad_sequences"), moved=moved, rows=rows)


RULES: tuple[Rule, ...] = (
    inputs_stand_for_none,
    one_column_tells_all,
    reshaped_not_turned,
    log_of_zero,
    rows_counted_off,
    windows_of_both_sets,
    labels_filled_elsewhere,
    course_of_time_lost,
    splits_on_other_scales,
    input_given_twice,
    hardly_a_word_known,
    vocabulary_of_letters,
    vocabulary_too_small,
    labels_move_between_epochs,
    learned_from_eval_rows,
    scaled_by_itself,
    rows_levelled_alone,
    gaps_in_inputs,
    answer_among_inputs,
    answer_in_parts,
    columns_in_other_order,
)


def _holds_words(column: Column) -> bool:
    return column.common is not None and not any(word in column.name for word in _NO_WORDS)


def far_apart(here: Column, there: Column) -> tuple[float, float]:
    """How many times as wide one of them is, and by how many widths it lies elsewhere."""
    widths = here.width, there.width
    return max(widths) / min(widths), abs(here.middle - there.middle) / max(widths)


def _apart(train: tuple[Column, ...], other: tuple[Column, ...], view: View) -> Verdict | None:
    """The first column that is much wider in one set, or lies elsewhere altogether."""
    beside = {column.name: column for column in other}
    for here in train:
        there = beside.get(here.name)
        if there is None or not (here.fractions or there.fractions):
            continue
        if min(here.rows, there.rows) < 2 * FEWEST or not here.width or not there.width:
            continue
        wider, moved = far_apart(here, there)
        if wider < OTHER_SCALE and moved < ELSEWHERE:
            continue
        made = fault if wider >= OTHER_SCALE else look
        places = view.places
        put = places.fits.validated() if there.width > here.width else places.fits.fitted()
        line = put or places.argument("validation_data")
        line = line or places.parting.scaled_if() or places.parting.line()
        line = line or places.making.evaluated()
        line = line or places.argument("eval_dataset")
        return made(
            line,
            name=here.name,
            low=here.low,
            high=here.high,
            other_low=there.low,
            other_high=there.high,
        )
    return None
