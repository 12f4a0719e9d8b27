"""Asks a compiled loss what it thinks of outputs that are made up: sure, right, wrong, even.

The outputs are put in before the last activation, so that what that makes of them is seen too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras.src.engine import compile_utils

from debugger.frameworks.keras.answering import Answer, Loss
from debugger.frameworks.keras.building import Fit
from debugger.frameworks.keras.reading import Parts, dense
from debugger.pipelines.losses import SCALES, Asked, Form, counts_of, fills, number_among

MOST = 2_000_000
"""Numbers in the logits: above it, asking so often would take long."""
FAR, BEYOND = 1e3, 10.0
"""What is put before the last activation, and how far beyond the labels that is at least."""
SMALL, TIMES = 0.05, (0.25, 0.5, 2.0, 8.0)
_SCALES = SCALES[2:4] + SCALES[-2:]
_UNEVEN = (
    *("binary_crossentropy", "categorical_crossentropy", "kl_divergence", "poisson"),
    "mean_absolute_percentage_error",
)
"""Losses of Keras that answer otherwise when labels and answers change places."""
_SQUASHING: tuple[Callable[..., Any], ...] = (tf.nn.softmax, tf.nn.sigmoid, tf.nn.relu, tf.nn.tanh)


def asked(
    fit: Fit, parts: Parts, answer: Answer, loss: Loss, all_labels: tuple[Any, ...]
) -> Asked | None:
    """`all_labels` are of the training set. None where there is nothing that can be asked."""
    held = [one for one in tf.nest.flatten(fit.model.compiled_loss._losses or []) if one]
    scores = answer.scores
    ending, _ = ending_of(answer)
    if ending is None or len(held) != 1 or parts.labels is None or loss.counts == "own":
        return None
    labels = dense(parts.labels)
    found = _form(tuple(scores.shape), labels, loss)
    if found is None or not labels.size or scores.shape.num_elements() > MOST:
        return None
    form, targets = found
    question = _Question(
        held[0], ending, tuple(scores.shape), labels, _weights(fit, parts, targets)
    )
    own = loss.counts == "other"
    if form == "classes" and labels.shape != scores.shape and loss.counts == "amounts":
        shapes = tuple(scores.shape), labels.shape
        return Asked(form, 0, shapes[0][-1], *shapes, even=0.0, spread=True)
    told = {"classes": _of_classes, "many": _of_many, "amounts": _of_amounts}[form](
        question, targets
    )
    if told is None or (own and form == "amounts" and not told["labels_move"]):
        return None  # a loss that is computed in the model gets labels that mean nothing
    outputs = int(scores.shape[-1]) if len(scores.shape) > 1 else 1
    some = question.some_outputs()
    far = max(FAR, BEYOND * float(np.abs(labels.astype(float)).max(initial=0)))
    low, high = let_out(ending, some, far)
    sums = np.sum(dense(ending(some)), axis=-1)
    return Asked(
        form=form,
        outputs=outputs,
        logits_shape=tuple(scores.shape),
        labels_shape=labels.shape,
        reach=(low, high),
        shares=outputs > 1 and bool(np.allclose(sums, 1, atol=1e-3)),
        dead=float((dense(scores) == 0).mean()) if low == 0 and high > 1 else None,
        counts=counts_of(form, all_labels),
        counted=len(all_labels),
        swapped=_swapped(question, loss),
        **told | ({"plain": False} if own else {}),
    )


def _swapped(question: _Question, loss: Loss) -> str:
    """A loss of the script's own that is one of Keras with the two handed over the wrong way."""
    labels = question.raw.astype(np.float32)
    if loss.counts != "other" or question.weights is not None:
        return ""
    if labels.size != np.prod(question.shape):
        return ""
    given = question.ending(tf.reshape(question.some_outputs(), question.shape))
    wanted, here = labels.reshape(question.shape), question.loss(question.some_outputs())
    for name in _UNEVEN:
        known: Any = getattr(tf_keras.losses, name)
        right, turned = (
            float(tf.reduce_mean(known(*pair))) for pair in ((wanted, given), (given, wanted))
        )
        if np.isclose(here, turned, rtol=1e-4) and not np.isclose(here, right, rtol=1e-2):
            return name
    return ""


def let_out(ending: Callable[[Any], Any], some: Any, far: float) -> tuple[float, float]:
    """The least and the most that comes out, with `some` numbers put in so far from 0."""
    ends = [dense(ending(one)) for one in (far * some, -far * some, 0 * some)]
    return float(np.min(ends)), float(np.max(ends))


def ending_of(answer: Answer) -> tuple[Callable[[Any], Any] | None, str]:
    """What the model makes of the numbers before its last activation, and the name of that; None
    where nobody can tell.

    A model of transformers answers with those numbers.
    """
    wanted = dense(answer.scores)
    for layer, output in reversed(answer.made):
        after = _after(wanted, output)
        if after is not None:
            name = getattr(layer.activation, "__name__", "")
            return (lambda given, act=layer.activation, end=after: end(act(given))), name
    return None, ""


def _after(wanted: Any, output: Any) -> Callable[[Any], Any] | None:
    """What stands behind the layer: nothing, another shape, or one more activation."""
    if dense(output).shape == wanted.shape and np.array_equal(dense(output), wanted):
        return lambda given: given
    if np.array_equal(dense(output).ravel(), wanted.ravel()):
        return lambda given: tf.identity(given)
    for squash in _SQUASHING:
        if np.allclose(dense(squash(tf.cast(output, tf.float32))).ravel(), wanted.ravel()):
            return squash
    return None


def _form(shape: tuple[int, ...], labels: Any, loss: Loss) -> tuple[Form, Any] | None:
    """How labels and outputs belong together, and the labels as numbers of classes if they are."""
    if labels.dtype.kind not in "iufb" or not np.isfinite(labels).all():
        return None
    one_each = labels.ndim == len(shape) and labels.shape[-1] == 1 and labels.shape != shape
    flat = labels[..., 0] if one_each else labels
    whole = not (flat % 1).any() if flat.dtype.kind == "f" else True
    if shape[-1] > 1 and flat.shape == shape[:-1] and len(shape) > 1:
        return ("classes", flat.astype(np.int64)) if whole and loss.counts != "each" else None
    yes_or_no = bool(np.isin(labels, (0, 1)).all())
    if labels.shape == shape and len(shape) == 2 and shape[-1] > 1 and yes_or_no:
        one_hot = bool((labels.sum(-1) == 1).all()) and loss.counts != "each"
        if one_hot:
            return "classes", labels.argmax(-1)
        return "many", labels
    if np.prod(shape) == len(labels) == labels.size:
        if loss.counts == "each" and yes_or_no:
            return "many", labels.reshape(-1, 1)
        return ("amounts", labels) if loss.counts in ("amounts", "other") else None
    return None


def _weights(fit: Fit, parts: Parts, targets: Any) -> Any:
    """As `fit` hands them to the loss: those of the rows times those of their classes."""
    weights = None if parts.weights is None else dense(parts.weights)
    if not fit.class_weight:
        return weights
    classes = np.rint(targets).astype(int).reshape(len(targets), -1)
    if classes.shape[1] > 1:
        return weights
    of_class = np.array([fit.class_weight.get(int(one), 1.0) for one in classes[:, 0]])
    return of_class.astype(np.float32) if weights is None else weights * of_class


class _Question:
    """One loss, asked again and again with other outputs or other labels."""

    def __init__(
        self,
        loss: Any,
        ending: Callable[[Any], Any],
        shape: tuple[int, ...],
        raw: Any,
        weights: Any,
    ) -> None:
        self._loss, self.ending, self.shape = loss, ending, shape
        self.raw, self.weights = raw, weights

    def loss(self, outputs: Any, labels: Any = None) -> float:
        return float(self._asked(tf.constant(outputs, tf.float32), labels))

    def pull(self, outputs: Any) -> Any:
        """Where the loss wants each output to go: up is positive."""
        given = tf.constant(outputs, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(given)
            loss = self._asked(given, None)
        found = tape.gradient(loss, given)
        return None if found is None else -dense(found)

    def _asked(self, outputs: Any, labels: Any) -> Any:
        given = self.ending(tf.reshape(outputs, self.shape))
        wanted = tf.constant(self.raw if labels is None else labels)
        weights = None if self.weights is None else tf.constant(self.weights)
        wanted, given, weights = compile_utils.match_dtype_and_rank(wanted, given, weights)
        return tf.reduce_mean(self._loss(wanted, given, sample_weight=weights))

    def some_outputs(self) -> Any:
        """Outputs that differ from row to row, drawn without touching anybody's generator."""
        drawn = np.random.default_rng(0).standard_normal(self.shape)
        return tf.constant(drawn.astype(np.float32))

    def labels_count(self) -> bool:
        """True as well where all labels are alike, and nothing can be told."""
        turned = [np.roll(self.raw, by, 0) for by in range(1, len(self.raw))]
        best = max(turned, key=lambda other: int((other != self.raw).sum()), default=self.raw)
        if np.array_equal(best, self.raw):
            return True
        return self.moves(best)

    def moves(self, labels: Any) -> bool:
        outputs = self.some_outputs()
        return self.loss(outputs) != self.loss(outputs, labels)


def _of_classes(question: _Question, targets: Any) -> dict[str, Any] | None:
    classes = question.shape[-1]
    counted = (targets >= 0) & (targets < classes)
    if not counted.all() and (targets[~counted] >= 0).any():
        return None  # see label_outside_head
    wanted = targets[counted]
    if not wanted.size:
        return None

    def sure(scale: float, turned: int = 0) -> Any:
        made = np.eye(classes)[(np.maximum(targets, 0) + turned) % classes] * scale
        return made * counted[..., None]

    even = np.ones(question.shape)
    pull = question.pull(even)
    own = None if pull is None else np.take_along_axis(pull, np.maximum(targets, 0)[..., None], -1)
    drawn = None if own is None else own[..., 0][counted]
    present = np.unique(wanted).tolist() if drawn is not None else []
    return {
        "rows": int(counted.sum()),
        "even": question.loss(even),
        "right": tuple(question.loss(sure(scale)) for scale in _SCALES),
        "wrong": tuple(question.loss(sure(scale, 1)) for scale in _SCALES),
        "labels_move": question.labels_count(),
        "fills": fills(targets),
        "pulls": {y: float(drawn[wanted == y].mean()) for y in present if drawn is not None},
    }


def _of_many(question: _Question, targets: Any) -> dict[str, Any]:
    signs = np.where(targets > 0, 1.0, -1.0)
    return {
        "rows": len(targets),
        "even": question.loss(np.zeros(question.shape)),
        "right": tuple(question.loss(signs * scale) for scale in _SCALES),
        "wrong": tuple(question.loss(-signs * scale) for scale in _SCALES),
        "cardinality": tuple(int(row) for row in targets.sum(-1).tolist()),
        "labels_move": question.labels_count(),
        "positive_weights": _positive_weights(question, targets),
    }


def _positive_weights(question: _Question, targets: Any) -> dict[int, float]:
    """How much harder a yes is drawn than a no, where an output is drawn to both."""
    pull = question.pull(np.zeros(question.shape))
    if pull is None or pull.size != targets.size:
        return {}
    pull, found = np.reshape(pull, targets.shape), {}
    for place in range(targets.shape[-1]):
        yes = targets[:, place] > 0
        ups, downs = pull[yes, place], -pull[~yes, place]
        if len(ups) and len(downs) and (ups > 0).all() and (downs > 0).all():
            found[place] = float(ups.mean() / downs.mean())
    return found


def _of_amounts(question: _Question, targets: Any) -> dict[str, Any]:
    middle = np.full(question.shape, float(targets.mean()))
    differ = float(np.ptp(targets)) > 0 and len(targets) > 2
    return {
        "rows": targets.size,
        "even": question.loss(middle),
        "labels_move": question.labels_count() or question.moves(question.raw + 1),
        "alike": differ and _drawn_alike(question, targets, middle),
        "wanted": (float(targets.min()), float(targets.max())),
        "plain": True,
        "ends": _ends(question, targets),
        "undrawn": _undrawn(question, targets),
    }


def _drawn_alike(question: _Question, targets: Any, middle: Any) -> bool:
    """Wherever the answers stand. Beside all labels a mean of distances draws each of them the same
    way, and rightly so: they are asked between the labels, too."""

    def draws(made: Any) -> bool:
        pull = question.pull(made)
        return pull is not None and _all_alike(pull.ravel())

    def answer(number: float) -> float:
        return float(np.mean(dense(question.ending(tf.constant(whole(number))))))

    def whole(number: float) -> Any:
        return np.full(question.shape, number, np.float32)

    if not draws(np.zeros(question.shape)) or not draws(middle):
        return False
    among = number_among(targets, answer)
    return among is not None and draws(whole(among))


def _undrawn(question: _Question, targets: Any) -> int:
    """Labels that no answer of their own sign is drawn to, as below 0 where logarithms are taken;
    only where the model can say the labels themselves."""
    exact = np.asarray(targets, np.float32).reshape(question.shape)
    if not np.allclose(dense(question.ending(tf.constant(exact))), exact, atol=1e-4):
        return 0
    still = np.abs(exact) > SMALL * float(exact.std())
    for times in TIMES:
        pull = question.pull(times * exact)
        if pull is None or pull.shape != exact.shape:
            return 0
        still &= pull == 0
    return int(still.sum())


def _ends(question: _Question, targets: Any) -> tuple[float, float] | None:
    """Only where the model can say the labels themselves."""
    exact = np.asarray(targets, np.float32).reshape(question.shape)
    far = 2 * float(np.ptp(exact))
    if not far or not np.allclose(dense(question.ending(tf.constant(exact))), exact, atol=1e-4):
        return None
    off = max(question.loss(exact + far), question.loss(exact - far))
    found = question.loss(exact), off
    return found if np.isfinite(found).all() else None


def _all_alike(pull: Any) -> bool:
    return bool(pull.any() and np.allclose(pull, pull[:1], 1e-4, 1e-9))
