"""A metric tried on answers that are made up: all right, one for all, drawn, nearly right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Kind = Literal["classes", "tokens", "many", "amounts", "next_tokens", "texts", "halves"]
Ask = Callable[..., dict[str, float]]
HIGHER_IS_BETTER = (
    *("accuracy", "f1", "precision", "recall", "matthews", "bleu", "rouge", "pearson"),
    *("kappa", "spearman", "auc", "jaccard", "ndcg"),
)
SURE, NUDGE, MOSTLY = 10.0, 1e-4, 0.5
FEWEST, TWO, FEW_CLASSES = 8, 2, 8
"""Rows that are enough to have a quarter of them right."""
MOST = 5_000_000
"""Numbers in the predictions: above it, making them up would take long."""


@dataclass(frozen=True)
class Trials:
    """What the metric answered. None: that was not tried.

    `ignored` is the share of positions whose label is -100, and `filled` the answer when all is
    right but there, something else is said; `whole`: those labels are no longer ignored, and all is
    right. `nudged`: all right but for a ten-thousandth.
    `in_place`: each position of a language model says the token it was given.
    `single`: of several labels of a row, as `several` rows have them, only the first is said.
    `shapes` are those of answers and labels.
    `cut` is the output above which the metric takes a yes. `averages`: precision, recall and F1
    of the drawn answers, by how they are averaged. `partly`: a quarter, a half and three
    quarters of the rows are right. `always`: whatever the scores, every label is taken for
    this. `again` is the answer to the very first of these once more, where it is another than
    it was then. `spread` is the distance from the least amount among the labels to the most.
    `common` is the class that `constant` answers. `packed`: all labels that count are said at
    the first places of a row. `errors` are those of the drawn answers, by what they are called.
    `sure` and `unsure`: of two classes half are right, and those that are wrong are so with no
    doubt, or with much. `backwards`: the words of each answer stand in the opposite order.
    `left_out` are classes about which all may be wrong without any number being another.
    `lifted`: all is right, and every score is higher by one and the same number.
    `strayed`: all is right, but half of the tokens of the commonest class are said to be others.
    """

    kind: Kind
    perfect: dict[str, float]
    constant: dict[str, float]
    drawn: dict[str, float]
    ignored: float = 0.0
    filled: dict[str, float] | None = None
    whole: dict[str, float] | None = None
    nudged: dict[str, float] | None = None
    in_place: dict[str, float] | None = None
    single: dict[str, float] | None = None
    several: int = 0
    shapes: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    cut: float | None = None
    averages: dict[str, dict[str, float]] = field(default_factory=dict)
    partly: tuple[dict[str, float], ...] = ()
    always: Literal["yes", "no"] | None = None
    again: dict[str, float] | None = None
    spread: float = 0.0
    common: int | None = None
    packed: dict[str, float] | None = None
    errors: dict[str, float] = field(default_factory=dict)
    sure: dict[str, float] | None = None
    backwards: dict[str, float] | None = None
    left_out: tuple[int, ...] = ()
    unsure: dict[str, float] | None = None
    strayed: dict[str, float] | None = None
    lifted: dict[str, float] | None = None


@dataclass(frozen=True)
class Form:
    """What a model answers with. `shares`: with numbers from 0 to 1. `logits`: surely not."""

    causal: bool = False
    generated: bool = False
    pad: int = 0
    shares: bool = False
    logits: bool = False


def trials(
    predictions: Any, labels: Any, form: Form, ask: Ask, kind: Kind | None = None
) -> Trials | None:
    """`ask` is handed predictions in the form that the metric gets them from this model, and may be
    handed other labels beside them."""
    kind = kind or kind_of(predictions, labels, form.causal, form.generated)
    if kind is None or not labels.size or predictions.size > MOST:
        return None

    def answer(made: Any, *others: Any) -> dict[str, float]:
        made = made.reshape(predictions.shape) if kind == "many" else made  # of one output a row
        return ask(made.astype(predictions.dtype, copy=False), *others)

    try:
        tried = {
            "classes": _classes,
            "tokens": _classes,
            "many": _many,
            "amounts": _amounts,
            "next_tokens": _next_tokens,
            "texts": _texts,
        }[kind](predictions, labels, form, answer)
    except Exception:  # a metric that needs more than this is not judged here
        return None
    if not tried or not tried["perfect"]:
        return None
    return Trials(kind, **tried, shapes=(predictions.shape, labels.shape))


def halves(shape: tuple[int, ...], labels: Any, ask: Callable[[Any, Any], Any]) -> Trials | None:
    """Two vectors a row, which lie the nearer the more a row's question is of the same kind as
    another's answer. Labels must be of many kinds, or they may say what else belongs together."""
    if len(np.unique(labels)) < FEWEST:
        return None
    right = nearest(shape, labels)
    one = np.tile(right[:1], (len(right), 1))
    try:
        answers = {
            "perfect": ask(right, right),
            "constant": ask(one, one),
            "drawn": ask(right, np.random.default_rng(1).permutation(right)),
        }
    except Exception:  # a metric that needs more than this is not judged here
        return None
    return Trials("halves", **answers, shapes=(shape, labels.shape)) if answers["perfect"] else None


def nearest(shape: tuple[int, ...], labels: Any) -> Any:
    """Vectors that are the same where labels are, and else point anywhere."""
    kinds, place = np.unique(labels, return_inverse=True)
    made = np.random.default_rng(0).normal(size=(len(kinds), shape[1]))
    return (made / np.linalg.norm(made, axis=1, keepdims=True))[place]


def kind_of(predictions: Any, labels: Any, causal: bool, generated: bool) -> Kind | None:
    if predictions.dtype.kind not in "fiu" or labels.dtype.kind not in "fiub":
        return None
    whole = labels.dtype.kind in "iu"
    if generated and whole and labels.ndim == predictions.ndim == 2:
        return "texts"
    if causal and whole and labels.ndim == 2 and predictions.shape[:2] == labels.shape:
        return "next_tokens"
    if whole and predictions.shape[:-1] == labels.shape and predictions.shape[-1] > 1:
        return "classes" if labels.ndim == 1 else "tokens"
    chosen = predictions.dtype.kind in "iu" and predictions.shape == labels.shape
    if whole and chosen and labels.ndim == 2 and (labels < 0).any():
        return "tokens"
    if labels.ndim == 2 and predictions.shape == labels.shape and labels.shape[1] > 1:
        yes_or_no = bool(np.isin(labels, (0, 1)).all())
        return "many" if yes_or_no and predictions.dtype.kind == "f" else None
    if whole and labels.ndim == 2 and predictions.shape == labels.shape:
        return None
    one_each = predictions.size == len(predictions) == labels.size
    if one_each and labels.dtype.kind == "f" and bool(np.isin(labels, (0, 1)).all()):
        return "many" if predictions.dtype.kind == "f" else None
    return "amounts" if one_each and labels.dtype.kind == predictions.dtype.kind == "f" else None


def _classes(predictions: Any, labels: Any, form: Form, ask: Ask) -> dict[str, Any] | None:
    counted, said = labels >= 0, predictions.shape == labels.shape
    present = labels[counted]
    if not present.size or present.min() == present.max():
        return None
    classes = int(present.max()) + 1 if said else predictions.shape[-1]
    if present.max() >= classes:
        return None

    def scores(guesses: Any) -> Any:
        if said:
            return guesses
        made = _leaning(guesses, classes)
        return made / made.sum(-1, keepdims=True) if form.shares else made * SURE

    right = np.where(counted, labels, 0)
    drawn = np.where(counted, _drawn(present, labels.shape), 0)
    common = np.full(labels.shape, np.bincount(present.astype(int)).argmax())
    perfect = ask(scores(right))
    return {
        "perfect": perfect,
        "constant": ask(scores(common)),
        "drawn": ask(scores(drawn)),
        "common": int(common.flat[0]),
        "packed": None if counted.all() or labels.ndim == 1 else ask(scores(_packed(labels))),
        "ignored": float(1 - counted.mean()),
        "filled": None if counted.all() else ask(scores(np.where(counted, labels, classes - 1))),
        "whole": None if counted.all() or labels.ndim == 1 else ask(scores(right), right),
        "averages": averages(present, drawn[counted]),
        **_half_right(labels, classes, said, form, ask),
        "strayed": _strayed(right, counted, common, lambda made: ask(scores(made))),
        "left_out": _left_out(right, perfect, classes, lambda one: ask(scores(one))),
        "partly": _partly(
            _rank(labels), right, (right + 1) % classes, lambda one: ask(scores(one))
        ),
    }


def _strayed(right: Any, counted: Any, common: Any, ask: Ask) -> dict[str, float] | None:
    """Every other place of the commonest class says one of the others, by turns: each often."""
    others = np.array([one for one in np.unique(right[counted]) if one != common.flat[0]])
    places = np.flatnonzero(counted & (right == common))[::2]
    if right.ndim == 1 or len(places) < TWO * len(others):
        return None
    made = right.copy()
    made.flat[places] = others[np.arange(len(places)) % len(others)]
    return ask(made)


def _left_out(
    right: Any, perfect: dict[str, float], classes: int, ask: Callable[[Any], dict[str, float]]
) -> tuple[int, ...]:
    """The classes about which all may be wrong, and every number stays as it is."""
    if right.ndim > 1 or classes > FEW_CLASSES:
        return ()
    present = np.unique(right).tolist()
    wrong = {c: np.where(right == c, (right + 1) % classes, right) for c in present}
    return tuple(c for c, guesses in wrong.items() if same(ask(guesses), perfect))


def _half_right(
    labels: Any, classes: int, said: bool, form: Form, ask: Ask
) -> dict[str, dict[str, float]]:
    if said or classes != TWO or labels.ndim > 1 or len(labels) < FEWEST or form.shares:
        return {}
    wrong = _rank(labels) % 2 == 0
    guesses = np.where(wrong, 1 - labels, labels)
    made = {}
    for name, doubt in (("sure", 2.0), ("unsure", 0.1)):
        scale = np.where(wrong, doubt, 1.0)[:, None]
        made[name] = ask(_leaning(guesses, classes) * scale)
    return made


def _packed(labels: Any) -> Any:
    """Of each row what counts, laid together in front."""
    made = np.zeros_like(labels)
    for row, wanted in zip(made, labels, strict=True):
        real = wanted[wanted >= 0]
        row[: len(real)] = real
    return made


def _rank(labels: Any) -> Any:
    """The how-manyth of its label each row is: every label then keeps rows that are right."""
    if labels.ndim > 1:
        return np.arange(len(labels))
    seen: Counter[int] = Counter()
    ranks = []
    for label in labels.tolist():
        ranks.append(seen[label])
        seen[label] += 1
    return np.array(ranks)


def _partly(rank: Any, right: Any, wrong: Any, ask: Ask) -> tuple[dict[str, float], ...]:
    if len(rank) < FEWEST:
        return ()
    kept = (rank.reshape(-1, *[1] * (right.ndim - 1)) % 4 < quarters for quarters in (1, 2, 3))
    return tuple(ask(np.where(one, right, wrong)) for one in kept)


def all_right(predictions: Any, labels: Any) -> Any | None:
    """Scores that are right for every label, where labels are classes or many of yes and no."""
    kind = kind_of(predictions, labels, causal=False, generated=False)
    if kind == "many":
        right = np.where(labels > 0, SURE, -SURE).astype(predictions.dtype)
        return right.reshape(predictions.shape)
    if kind not in ("classes", "tokens") or predictions.shape == labels.shape:
        return None
    classes = predictions.shape[-1]
    if labels.max() >= classes:
        return None
    return (_leaning(np.maximum(labels, 0), classes) * SURE).astype(predictions.dtype)


def _leaning(guesses: Any, classes: int) -> Any:
    """A score for each class, by far the highest for the one that is guessed."""
    return np.eye(classes)[guesses] + uneven((*guesses.shape, classes))


def uneven(shape: tuple[int, ...]) -> Any:
    """Next to nothing, and nowhere the same: who asks for the best two must not meet a tie."""
    return np.random.default_rng(1).random(shape) * 1e-3


def _drawn(present: Any, shape: tuple[int, ...]) -> Any:
    """Each class as often as it is there, and in no order that means anything."""
    return np.random.default_rng(0).choice(present, size=shape)


def _many(predictions: Any, labels: Any, form: Form, ask: Ask) -> dict[str, Any] | None:
    labels = labels.reshape(len(labels), -1)
    signs = np.where(labels > 0, 1.0, -1.0)
    if signs.min() == signs.max():
        return None
    no, yes = (0.0, 1.0) if form.shares else (-SURE, SURE)
    outside = (predictions < 0) | (predictions > 1)  # of a nan neither is known
    inside = not form.logits and not outside.any()
    perfect = ask(np.where(signs > 0, yes, no))
    constant = ask(np.full(labels.shape, yes))
    drawn = ask(np.random.default_rng(0).choice([no, yes], size=labels.shape))
    blind = same(perfect, constant) and same(perfect, drawn)
    return {
        "perfect": perfect,
        "constant": constant,
        "drawn": drawn,
        "always": _always(signs > 0, perfect) if blind else None,
        "cut": None if form.shares or inside or (predictions >= 0).all() else _cut(signs, ask),
        "lifted": None if form.shares or inside else ask(signs * SURE + 2 * SURE),
        **_one_of_several(signs, no, yes, ask),
    }


def _always(wanted: Any, answer: dict[str, float]) -> Literal["yes", "no"] | None:
    """Whether the numbers of a metric that always answers alike are those of all yes, of all no."""
    guesses: dict[Literal["yes", "no"], Any] = {
        "yes": np.ones_like(wanted),
        "no": np.zeros_like(wanted),
    }
    for said, guess in guesses.items():
        known = [*_of_yes_and_no(wanted, guess)]
        told = [any(abs(value - one) < 1e-4 for one in known) for value in answer.values()]
        if told and all(told) and any(answer.values()):
            return said
    return None


def _of_yes_and_no(wanted: Any, guess: Any) -> Iterator[float]:
    """Accuracy, precision, recall and F1, in every way that they are averaged."""
    yield float((wanted == guess).mean())
    yield float((wanted == guess).all(axis=1).mean())
    for axis in (None, 0, 1):
        hits, said, there = (np.sum(one, axis=axis) for one in (wanted & guess, guess, wanted))
        shares = there / max(1, np.sum(there))
        for part, of in ((hits, said), (hits, there), (2 * hits, said + there)):
            each = part / np.maximum(of, 1)
            yield from (float(np.mean(each)), float(np.sum(each * shares)))


def _one_of_several(signs: Any, no: float, yes: float, ask: Ask) -> dict[str, Any]:
    several = int(((signs > 0).sum(axis=1) > 1).sum())
    if not several:
        return {}
    first = np.where((signs > 0) & ((signs > 0).cumsum(axis=1) == 1), yes, no)
    return {"single": ask(first), "several": several}


def _cut(signs: Any, ask: Ask) -> float | None:
    """Where a yes begins to be counted: 0 and 0.5 are the two that people mean."""
    answers = [ask(np.where(signs > 0, yes, -SURE)) for yes in (0.01, 0.49, 0.51)]
    if same(answers[0], answers[1]) and not same(answers[1], answers[2]):
        return 0.5
    return 0.0 if same(answers[0], answers[2]) else None


def _amounts(predictions: Any, labels: Any, form: Form, ask: Ask) -> dict[str, Any] | None:
    spread = float(labels.max() - labels.min())
    if not spread:
        return None
    right = labels.reshape(predictions.shape).astype(float)
    dealt = np.random.default_rng(0).permutation(right)
    return {
        "perfect": ask(right),
        "constant": ask(np.full(predictions.shape, float(labels.mean()))),
        "drawn": ask(dealt),
        "nudged": ask(right + NUDGE * spread),
        "spread": spread,
        "errors": errors(right - dealt),
    }


def _next_tokens(predictions: Any, labels: Any, form: Form, ask: Ask) -> dict[str, Any] | None:
    here = np.where(labels >= 0, labels, form.pad)
    after = np.concatenate([here[:, 1:], here[:, -1:]], axis=1)
    made = [after, np.full_like(here, np.bincount(here.ravel()).argmax()), here]
    drawn = np.random.default_rng(0).choice(here.ravel(), size=here.shape)
    if predictions.ndim == 3:
        size = predictions.shape[-1]
        if here.max() >= size:
            return None
        made, drawn = [np.eye(size)[one] * SURE for one in made], np.eye(size)[drawn] * SURE
    perfect, constant, in_place = map(ask, made)
    return {"perfect": perfect, "constant": constant, "drawn": ask(drawn), "in_place": in_place}


def _texts(predictions: Any, labels: Any, form: Form, ask: Ask) -> dict[str, Any] | None:
    right = np.where(labels >= 0, labels, form.pad)
    constant = np.repeat(right[:1], len(right), axis=0)
    drawn = np.random.default_rng(0).choice(right[right != form.pad], size=right.shape)
    told = {"perfect": ask(right), "constant": ask(constant), "drawn": ask(drawn)}
    turned = np.stack([_turned(row, form.pad) for row in right])
    if (turned != right).any(axis=1).mean() > MOSTLY:
        told["backwards"] = ask(turned)
    return told | {"partly": _partly(np.arange(len(right)), right, np.roll(right, 1, axis=0), ask)}


def _turned(row: Any, pad: int) -> Any:
    """All tokens but the first and the last two of them, which may frame them, the other way."""
    made, end = row.copy(), int((row != pad).sum())
    made[1 : end - 2] = row[1 : end - 2][::-1]
    return made


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    return one.keys() == other.keys() and all(
        abs(value - other[name]) <= 1e-9 or (value != value and other[name] != other[name])
        for name, value in one.items()
    )


def errors(off: Any) -> dict[str, float]:
    """What errors of so much come to, by the name of what they are put together by."""
    square = float((off**2).mean())
    return {"mae": float(np.abs(off).mean()), "mse": square, "rmse": square**0.5}


def averages(wanted: Any, guessed: Any) -> dict[str, dict[str, float]]:
    """As scikit-learn counts them, for the classes that occur."""
    classes = np.union1d(wanted, guessed)
    hits = np.array([np.sum((wanted == c) & (guessed == c)) for c in classes], dtype=float)
    said = np.array([np.sum(guessed == c) for c in classes], dtype=float)
    there = np.array([np.sum(wanted == c) for c in classes], dtype=float)
    precision, recall = hits / np.maximum(said, 1), hits / np.maximum(there, 1)
    f1 = 2 * hits / np.maximum(said + there, 1)
    share = there / there.sum()
    micro = float(hits.sum() / there.sum())
    each = {"precision": precision, "recall": recall, "f1": f1}
    of_yes = {"binary": {name: float(values[-1]) for name, values in each.items()}}
    return (of_yes if set(classes.tolist()) == {0, 1} else {}) | {
        "macro": {name: float(values.mean()) for name, values in each.items()},
        "weighted": {name: float((values * share).sum()) for name, values in each.items()},
        "micro": dict.fromkeys(each, micro),
    }
