"""What a loss of one's own rewards: judged by its answers to outputs that were made up."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from debugger.pipelines.forward import Forward
from debugger.pipelines.losses import Asked
from debugger.stages import company
from debugger.stages.judging import OUTSIDE, CannotJudge, Rule, Verdict, View, fault, look

FEW_UNDRAWN = 0.05
NEARLY = 0.02
"""How near a cost must lie to the one that a known mistake makes."""
FLOOR = 0.25
"""As a share of what guessing costs: what being sure and right may cost without a word."""
UNEVEN = 1.5
"""Weights, or classes, that differ by less are taken for even."""
MEANT = 3.0
"""Less is what one mistake may be worse than another; no rare class is meant by it."""
SMOOTHED, ALL_SMOOTHED = 0.5, 0.9
NOT_ASKED = CannotJudge("loss_not_asked")


def loss_not_one_number(seen: Forward, view: View) -> Verdict | None:
    """Nothing can be trained on a loss for each row: backward() refuses it."""
    if math.prod(seen.loss_shape) == 1:
        return None
    line = view.places.argument("reduction") or _loss_line(view)
    return fault(line, shape=str(list(seen.loss_shape)))


def compute_loss_refuses_items(seen: Forward, view: View) -> Verdict | None:
    """Every training step of the library hands it over, whether it is used or not."""
    return fault(view.places.function("compute_loss")) if seen.refuses_items else None


def compute_loss_returns_nothing(seen: Forward, view: View) -> Verdict | None:
    """A training step asks for the loss alone, and one way through the function ends without."""
    if not seen.returns_nothing:
        return None
    return fault(view.places.handed.without_answer("compute_loss") or _loss_line(view))


def loss_wrong_sign(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    asked = seen.asked
    if asked is not None and asked.ends is not None:
        right, wrong = asked.ends
        line = view.places.losses.negating() or view.places.fits.compiled("loss")
        told = {"right": right, "wrong": wrong, "even": asked.even}
        return fault(line, **told) if wrong < asked.even < right else None
    if asked is None or not asked.right:
        return NOT_ASKED
    if not _upside_down(asked):
        return None
    verdict = _costs(fault, asked, view)
    making = view.places.making
    return replace(verdict, line=making.negated() or making.one_score() or verdict.line)


def squashed_before_loss(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A softmax or sigmoid before a loss that makes its own: however sure, it cannot reach 0."""
    asked, given = seen.asked, seen.squashed
    if given is not None and (asked is None or not asked.right):
        return fault(_squashed_at(view) or given.line, name=given.name, **given.costs)
    if asked is None or not asked.right or asked.even <= 0:
        return NOT_ASKED
    if _upside_down(asked) or not (_ends(asked.right) and asked.right[-1] > FLOOR * asked.even):
        return None
    if seen.expects == "logits" and seen.gives == "probabilities":
        return None  # see softmax_twice
    name = _squashing(asked)
    if name is None:
        return _costs(look, asked, view, name="something") if _ends(asked.wrong) else None
    verdict = _costs(fault, asked, view, name=name)
    return replace(verdict, line=_squashed_at(view) or verdict.line)


def _squashed_at(view: View) -> int | None:
    stepping = view.places.stepping
    return stepping.squashing() or stepping.softmax_layer()


def divergence_turned_round(seen: Forward, view: View) -> Verdict | None:
    """kl_div takes the logarithm of its second argument, and none of its first."""
    if seen.turned_round is None:
        return None
    return fault(view.places.chosen.first_given("kl_div", seen.turned_round[0]))


def smoothed_away(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """So much of each label is given to all classes alike that little is left of it."""
    if seen.label_smoothing < SMOOTHED:
        return None
    made = fault if seen.label_smoothing >= ALL_SMOOTHED else look
    return made(view.places.argument("label_smoothing_factor"), share=seen.label_smoothing)


def right_not_rewarded(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """However sure the right answers are, they cost what guessing costs, or more."""
    asked = seen.asked
    if asked is None or not asked.right:
        return NOT_ASKED
    if not asked.labels_move or asked.elsewhere or _upside_down(asked) or _one_token_off(asked):
        return None
    if min(asked.right) < asked.even - 1e-4 * max(1.0, abs(asked.even)):
        return None
    more = (
        *(company.loss_goes_by_place, company.teacher_numbers_otherwise),
        company.teacher_knows_nothing,
    )
    if any(isinstance(rule(seen, view), Verdict) for rule in more):
        return None  # which say why
    return fault(_turning_line(view), right=min(asked.right), even=asked.even)


def draws_other_rows(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The classes stand along another axis than the loss reads them from."""
    asked = seen.asked
    if asked is None or asked.form != "classes":
        return NOT_ASKED
    if seen.swapped is not None:
        return None  # see axes_only_counted_off
    logits, labels = str(list(asked.logits_shape)), str(list(asked.labels_shape))
    if not asked.elsewhere or seen.asks not in (None, 1):  # moved labels stand elsewhere too
        return None
    return fault(_turning_line(view), logits=logits, labels=labels)


def loss_ignores_labels(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The same outputs cost the same whatever the labels; nor does anything else tell it."""
    asked = seen.asked
    if asked is None:
        return NOT_ASKED
    if asked.labels_move:
        return None
    return (look if asked.inputs_move else fault)(_loss_line(view), rows=asked.rows)


def loss_arguments_swapped(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Keras hands a loss the labels first; this one hands them on in the place of the answers."""
    asked = seen.asked
    if asked is None:
        return NOT_ASKED
    if not asked.swapped:
        return None
    line = view.places.losses.in_loss(asked.swapped, asked.swapped.replace("_", ""))
    return fault(line or _loss_line(view), name=asked.swapped)


def rows_pulled_alike(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Each output is held against every label, because their shapes were spread to fit."""
    asked = seen.asked
    if asked is None or asked.form != "amounts":
        return NOT_ASKED
    if not asked.alike or not asked.labels_move:
        return None
    logits, labels = str(list(asked.logits_shape)), str(list(asked.labels_shape))
    places = view.places
    column = asked.logits_shape[-1] == 1
    line = places.making.turned(or_asked=False, at_the_end=column)
    if line is None and not (column and places.making.answered()):
        line = places.losses.turned()
    if line is None and column:  # a model of one's own may give them flat
        flat = places.handed.flattening("compute_metrics")
        line = places.making.turned() if flat else places.making.answered()
        line = line or places.making.subtracted()
        line = line or places.returned_in(view.facts.model_class, "forward")
    return fault(line or _turning_line(view), logits=logits, labels=labels, rows=asked.rows)


def loss_below_zero(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A negative log-likelihood of what is no logarithm."""
    asked = seen.asked
    if asked is None or not asked.right:
        return NOT_ASKED
    last, before = asked.right[-1], asked.right[-2]
    if _upside_down(asked) or asked.elsewhere or last >= -NEARLY * abs(asked.even):
        return None
    endless = last < 1.5 * before < 0
    verdict = _costs(fault if endless else look, asked, view)
    making = view.places.making
    return replace(verdict, line=making.unlogged() or making.loss() or verdict.line)


def next_token_not_asked(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss of a language model that forgot to shift the labels, or that does it twice."""
    asked = seen.asked
    if asked is None or not asked.ahead:
        return NOT_ASKED
    if not _one_token_off(asked) or seen.asks not in (None, 1):  # the second has told already
        return None
    best = min(asked.ahead, key=asked.ahead.__getitem__)
    here, there = asked.ahead[best], asked.ahead[1]
    return fault(_loss_line(view), ahead=best, right=here, wanted=there)


def labels_left_out(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A class whose rows the loss never sees: by ignore_index, or by a weight of 0."""
    asked = seen.asked
    if asked is None or asked.form != "classes":
        return NOT_ASKED
    pulled = {label: pull for label, pull in asked.pulls.items() if label not in asked.fills}
    left = sorted(label for label, pull in pulled.items() if pull == 0)
    if not left or len(left) == len(asked.pulls) or asked.ahead or asked.elsewhere:
        return None
    places = view.places
    line = places.argument("ignore_index") or places.measuring.loss_picks_some()
    line = line or places.filled("weight") or places.argument("weight") or _loss_line(view)
    of_rows = len(asked.labels_shape) == 1
    names = view.facts.label_names or ()
    outside = [one for one in left if one < len(names) and names[one].lower() in OUTSIDE]
    return (fault if of_rows or outside else look)(line, label=left[0], count=len(left))


def weights_favour_frequent(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Weights that are meant to help rare classes, and help the common one."""
    pairs = _weights_and_shares(seen.asked)
    if isinstance(pairs, CannotJudge):
        return pairs
    weights, shares = pairs
    common, rare = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    times = weights[common] / weights[rare]
    if shares[common] < UNEVEN * shares[rare] or times < UNEVEN:
        return None
    by_share = _alike(weights, shares)
    names = view.facts.label_names or ()
    return (fault if by_share else look)(
        _weights_line(view),
        common=_named(common, names),
        rare=_named(rare, names),
        times=times,
        share=shares[common],
        rare_share=shares[rare],
    )


def weights_on_even_classes(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """Weights that were made for rare classes, of rows in which none is rare any more."""
    pairs = _weights_and_shares(seen.asked)
    if isinstance(pairs, CannotJudge):
        return pairs
    weights, shares = pairs
    heavy, light = max(weights, key=weights.__getitem__), min(weights, key=weights.__getitem__)
    times, names = weights[heavy] / weights[light], view.facts.label_names or ()
    uneven = max(shares.values()) / min(shares.values())
    if uneven >= UNEVEN or times < MEANT * uneven:
        return None
    told = {"least": min(shares.values()), "most": max(shares.values()), "times": times}
    said = {"heavy": _named(heavy, names), "light": _named(light, names)}
    return look(_weights_line(view), **told, **said)


def weights_in_other_order(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The weights are those that balance the classes, and stand at other classes."""
    pairs = _weights_and_shares(seen.asked)
    if isinstance(pairs, CannotJudge):
        return pairs
    weights, shares = pairs
    fair = {label: 1 / share for label, share in shares.items()}
    in_order = dict(zip(fair, sorted(fair.values()), strict=True))
    as_given = dict(zip(fair, sorted(weights[label] for label in fair), strict=True))
    spread = max(fair.values()) / min(fair.values())
    if len(fair) < 3 or spread < UNEVEN or _alike(weights, fair) or _alike(weights, shares):
        return None
    if not _alike(as_given, in_order):
        return None
    label = max(fair, key=lambda one: abs(math.log(weights[one] / fair[one])))
    name = _named(label, view.facts.label_names or ())
    return fault(_weights_line(view), name=name, share=shares[label], classes=len(fair))


def positive_weight_upside_down(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """pos_weight is rows without over rows with; the other way round it drowns rare answers."""
    asked = seen.asked
    if asked is None or asked.form != "many" or not asked.counted:
        return NOT_ASKED
    shares = {n: asked.counts.get(n, 0) / asked.counted for n in asked.positive_weights}
    uneven = {
        n: share / (1 - share)
        for n, share in shares.items()
        if 0 < share < 1 and not 1 / UNEVEN < share / (1 - share) < UNEVEN
    }
    if not uneven:
        return None
    given = {n: asked.positive_weights[n] for n in uneven}
    off = {n: math.log(max(given[n], 1e-9)) - math.log(odds) for n, odds in uneven.items()}
    # People take the root of such weights, too.
    rooted = [math.log(max(given[n], 1e-9)) / math.log(odds) - 0.5 for n, odds in uneven.items()]
    if any(abs(one) > 0.15 for one in off.values()) and any(abs(one) > 0.05 for one in rooted):
        return None
    first = min(uneven)
    line = view.places.origin("pos_weight", "class_weight") or _loss_line(view)
    return fault(line, output=first, weight=given[first], share=shares[first])


def loss_is_a_sum(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    asked = seen.asked
    if asked is None or asked.form != "classes":
        return NOT_ASKED
    chance = math.log(asked.outputs)
    if asked.rows < 2 or abs(asked.even / (chance * asked.rows) - 1) > NEARLY:
        return None
    line = view.places.argument("reduction") or _loss_line(view)
    return look(line, rows=asked.rows, even=asked.even, chance=chance)


def amounts_draw_nowhere(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """What takes logarithms takes all that lies below 0 for one and the same."""
    asked = seen.asked
    if asked is None or asked.form != "amounts" or asked.wanted is None:
        return NOT_ASKED
    if asked.undrawn < FEW_UNDRAWN * asked.rows or not asked.undrawn:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    numbers = {"rows": asked.undrawn, "of": asked.rows, "low": asked.wanted[0]}
    return fault(_loss_line(view), name=name, **numbers)


def amounts_for_classes(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The number of a class has no size: it is spread over the outputs, and pulls all of them."""
    asked = seen.asked
    if asked is None or asked.form != "classes":
        return NOT_ASKED
    if not asked.spread:
        return None
    name = view.facts.compiled.loss if view.facts.compiled else ""
    return fault(_loss_line(view), name=name, outputs=asked.outputs)


def percentage_across_nothing(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """The error is divided by the label: next to 0 that is next to no end."""
    asked = seen.asked
    if asked is None or asked.form != "amounts" or asked.wanted is None:
        return NOT_ASKED
    name = view.facts.compiled.loss if view.facts.compiled else ""
    least, most = asked.wanted
    divides = name.lower() == "mape" or "percentage" in name.lower()
    if not divides or not least < 0 < most:
        return None
    return fault(_loss_line(view), name=name, least=least, most=most)


def logarithm_of_answers(seen: Forward, view: View) -> Verdict | CannotJudge | None:
    """A loss of counts takes the logarithm of the answers, and there is none below 0."""
    compiled = view.facts.compiled
    if compiled is None or "poisson" not in compiled.loss.lower():
        return NOT_ASKED
    if seen.logits_low is None or seen.logits_low >= 0:
        return None
    return fault(_loss_line(view), name=compiled.loss, least=seen.logits_low)


RULES: tuple[Rule, ...] = (
    amounts_for_classes,
    loss_not_one_number,
    compute_loss_refuses_items,
    compute_loss_returns_nothing,
    loss_ignores_labels,
    draws_other_rows,
    loss_arguments_swapped,
    rows_pulled_alike,
    loss_wrong_sign,
    squashed_before_loss,
    divergence_turned_round,
    smoothed_away,
    next_token_not_asked,
    right_not_rewarded,
    loss_below_zero,
    labels_left_out,
    amounts_draw_nowhere,
    weights_favour_frequent,
    weights_on_even_classes,
    weights_in_other_order,
    positive_weight_upside_down,
    loss_is_a_sum,
    percentage_across_nothing,
    logarithm_of_answers,
)


def _loss_line(view: View) -> int | None:
    places = view.places
    given = places.value("compute_loss_func")
    own = places.function("compute_loss") or (given and places.function(given))
    line = places.returned_by("compute_loss") if own and not given else None
    called = places.call("cross_entropy", "CrossEntropyLoss", "binary_cross_entropy_with_logits")
    called = called or places.call("BCEWithLogitsLoss", "mse_loss", "MSELoss", "nll_loss")
    called = places.stepping.using_loss() or called
    return called or line or own or places.fits.compiled("loss") or places.call("Trainer")


def _turning_line(view: View) -> int | None:
    """What the loss is asked about stands there, and how it was turned."""
    return view.places.making.turned() or view.places.losses.turned() or _loss_line(view)


def _weights_line(view: View) -> int | None:
    line = view.places.filled("weight") or view.places.origin("weight", "class_weight")
    return line or _loss_line(view)


def _costs(verdict: Callable[..., Verdict], asked: Asked, view: View, **more: str) -> Verdict:
    right, wrong = asked.right[-1], asked.wrong[-1]
    return verdict(_loss_line(view), right=right, wrong=wrong, even=asked.even, **more)


def _upside_down(asked: Asked) -> bool:
    """Being right costs more than guessing, the surer the more; being wrong costs less."""
    rising = all(a <= b for a, b in zip(asked.right, asked.right[1:], strict=False))
    falling = all(a >= b for a, b in zip(asked.wrong, asked.wrong[1:], strict=False))
    return rising and falling and asked.wrong[-1] < asked.even < asked.right[-1]


def _one_token_off(asked: Asked) -> bool:
    """Only where the best is far better than what a language model is asked for."""
    if not asked.ahead:
        return False
    best = min(asked.ahead, key=asked.ahead.__getitem__)
    return best != 1 and asked.ahead[best] < 0.1 * asked.ahead[1]


def _ends(costs: tuple[float, ...]) -> bool:
    """Being twice as sure changes nothing any more."""
    return abs(costs[-1] - costs[-2]) <= 1e-3 * max(1e-9, abs(costs[-1]))


def _squashing(asked: Asked) -> str | None:
    """What costs just this: worked out for answers that are as sure as can be."""
    if asked.form == "classes":
        others = asked.outputs - 1
        scale = asked.even / math.log(asked.outputs)
        sigmoid = math.log(math.e + others * math.exp(0.5)) - 1
        known = {"softmax": math.log(1 + others / math.e), "sigmoid": sigmoid}
    else:
        scale, held, outputs = 1.0, asked.cardinality, asked.outputs
        known = {
            "sigmoid": _mean([_cost(1, h / outputs, 0) for h in held]),
            "softmax": _mean(
                [_cost(1 / h, h / outputs, 0) if h else _cost(0, 0, 1 / outputs) for h in held]
            ),
            "log_softmax": _mean(
                [h * math.log(1 + h) / outputs if h else math.log(1 + 1 / outputs) for h in held]
            ),
        }
    right = asked.right[-1]
    return next((n for n, cost in known.items() if abs(right / (scale * cost) - 1) < NEARLY), None)


def _cost(yes: float, share: float, no: float) -> float:
    """The mean cost of outputs `yes` for a share that is yes, and `no` for those that are not."""
    return share * math.log(1 + math.exp(-yes)) + (1 - share) * math.log(1 + math.exp(no))


def _weights_and_shares(
    asked: Asked | None,
) -> tuple[dict[int, float], dict[int, float]] | CannotJudge:
    """How hard a row of each class is drawn, and the class's share of the training rows."""
    if asked is None or asked.form != "classes" or asked.ahead:
        return NOT_ASKED
    if not asked.labels_move or asked.elsewhere:  # it does not draw one class for each row
        return NOT_ASKED
    weights = {label: pull for label, pull in asked.pulls.items() if pull > 0}
    total = sum(asked.counts.values())
    shares = {n: asked.counts.get(n, 0) / total for n in weights} if total else {}
    if len(shares) < 2 or not all(shares.values()):
        return NOT_ASKED
    return weights, shares


def _alike(some: dict[int, float], others: dict[int, float]) -> bool:
    """The same but for a factor, within a tenth."""
    factors = [math.log(some[key] / others[key]) for key in others]
    return max(factors) - min(factors) < 0.2


def _named(label: int, names: tuple[str, ...]) -> str:
    return names[label] if label < len(names) else str(label)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan
