"""What happens inside a model of Keras: texts that nothing reads, layers without a place."""

from __future__ import annotations

from debugger.pipelines.forward import Forward
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Rule, Verdict, View, fault, look

DEARER, HARDER = 10.0, 100.0
"""What a penalty costs beside the labels, and how much harder it draws."""


def text_into_model(seen: Forward, view: View) -> Verdict | None:
    """Words where numbers were meant, and no layer that makes numbers of words."""
    if seen.failure is None or not seen.text:
        return None
    return fault(view.places.fits.fitted() or seen.failure.line, text=seen.text)


def unknown_to_keras(seen: Forward, view: View) -> Verdict | None:
    """A string names a metric or a loss of the library, or nothing."""
    if seen.failure is None or seen.unknown is None:
        return None
    kind, name = seen.unknown
    metric = kind == "metric"
    home = "tf.keras.metrics" if metric else "tf.keras.losses"
    line = view.places.fits.compiled("metrics" if metric else "loss")
    return fault(line, kind=kind, name=name, home=home)


def layer_made_in_call(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """New weights each time the model is asked: none of them is ever trained."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if not seen.anew:
        return None
    return fault(view.places.layers.made_in_call(), weights=seen.anew)


def weights_out_of_sight(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The answer goes through them, and `fit` trains what the model knows of."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    return look(None, weights=seen.beside) if seen.beside else None


def layer_trains_always(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """By the batch's own mean, or with numbers put out: answers are then not those of the model.
    To ask with dropout is also a way to learn how sure a model is."""
    if view.facts.compiled is None:
        return NOT_FOR_THIS_TASK
    if seen.trains_always is None:
        return None
    name, kind = seen.trains_always
    made = fault if kind == "BatchNormalization" else look
    return made(view.places.layers.always_training(), layer=name, kind=kind)


def drops_always(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A function is not told by eval(), as a module is: who calls it says whether it is training.
    Where that is said with a plain yes, somebody may want to learn how sure a model is."""
    if view.facts.compiled is not None:
        return NOT_FOR_THIS_TASK
    if seen.thinned is None:
        return None
    name, share, line = seen.thinned
    call = None if line is None else view.places.layers.made_at(name, line)
    meant = call is not None and any(one.arg == "training" for one in call.keywords)
    return (look if meant else fault)(line, name=name, share=share)


def parts_in_a_list(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """PyTorch finds the weights of what is an attribute, or stands in a ModuleList."""
    if view.facts.compiled is not None:
        return NOT_FOR_THIS_TASK
    held = seen.listed
    if held is None:
        return None
    numbers = {"count": held.count, "weights": held.weights}
    return fault(view.places.assignment(held.name), name=held.name, kind=held.kind, **numbers)


def decoder_is_none(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Two models put together, and nobody said that the second one writes."""
    if view.facts.task != "seq2seq":
        return NOT_FOR_THIS_TASK
    if not seen.decoder_lacks:
        return None
    line = view.places.call("EncoderDecoderConfig", "EncoderDecoderModel")
    return fault(line, missing=", ".join(seen.decoder_lacks))


def penalty_drowns_loss(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """What the labels ask is nothing beside what the weights cost by being there."""
    found = seen.penalty
    if found is None:
        return NOT_FOR_THIS_TASK
    if found.times < HARDER or found.cost < DEARER * abs(found.loss):
        return None
    numbers = {"cost": found.cost, "loss": found.loss, "times": found.times}
    return fault(view.places.layers.penalised(), layer=found.layer, **numbers)


RULES: tuple[Rule, ...] = (
    text_into_model,
    unknown_to_keras,
    layer_made_in_call,
    weights_out_of_sight,
    layer_trains_always,
    drops_always,
    parts_in_a_list,
    decoder_is_none,
    penalty_drowns_loss,
)
