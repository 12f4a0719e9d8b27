"""A label for each token: which places of a row are counted, and as what."""

from __future__ import annotations

import re

from debugger.pipelines.evaluate import Evaluate
from debugger.pipelines.trials import same
from debugger.stages.judging import OUTSIDE, CannotJudge, Verdict, View, fault, look
from debugger.stages.scores import NEARLY_RIGHT, NOT_TRIED, first, in_metric, metric_line, share

COUNTED, MOSTLY = 0.2, 0.5


def outside_counted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Always to say that a word is no part of a name, and F1 gives something for it."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens" or tried.common is None:
        return NOT_TRIED
    names = view.facts.label_names or ()
    written = "O" if view.places.last_naming("O") else ""
    outside = names[tried.common] if tried.common < len(names) else written
    if outside.lower() not in OUTSIDE:
        return None
    for name, value in tried.constant.items():
        if "f1" in name.lower() and share(value) > COUNTED and share(tried.perfect[name]) > 0.9:
            made = fault if share(value) > MOSTLY else look
            return made(metric_line(view, name), name=name, value=value, outside=outside)
    return None


def strays_uncounted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """A name that is found where none is costs nothing: only places with a name are looked at."""
    tried = seen.trials
    if tried is None or tried.kind != "tokens" or tried.common is None or tried.strayed is None:
        return NOT_TRIED
    names = view.facts.label_names or ()
    written = "O" if view.places.last_naming("O") else f"label {tried.common}"
    common = names[tried.common] if tried.common < len(names) else written
    told = {n: v for n, v in tried.strayed.items() if re.search("f1|precision", n.lower())}
    untouched = [n for n, v in told.items() if v == tried.perfect[n] != tried.drawn[n]]
    for name in untouched if len(untouched) == len(told) else ():
        if share(told[name]) > 0.9:
            line = in_metric(view.places.measuring.picks_some) or metric_line(view, name)
            return fault(line, name=name, value=told[name], common=common)
    return None


def metric_takes_first_places(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """It counts as many answers as there are labels, and takes them from the front of the row."""
    tried = seen.trials
    if tried is None or tried.packed is None:
        return NOT_TRIED
    name = first(tried)
    if name is None or not _cured(tried.perfect, tried.packed, name):
        return None
    handed = view.places.handed
    line = in_metric(handed.gone_through_whole) or in_metric(handed.picked, name)
    line = line or metric_line(view, name)
    return fault(line, name=name, value=tried.perfect[name], packed=tried.packed[name])


def metric_counts_ignored(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """Positions of label -100 are padding or parts of words: nobody can be right about them."""
    tried = seen.trials
    if tried is None or not tried.ignored:
        return NOT_TRIED
    moved = tried.filled is not None and not same(tried.perfect, tried.filled)
    name = first(tried)
    counted = name is not None and abs(share(tried.perfect[name]) - (1 - tried.ignored)) < 1e-6
    cured = (
        name is not None and tried.whole is not None and _cured(tried.perfect, tried.whole, name)
    )
    if not moved and not counted and not cured:
        return None
    if isinstance(metric_takes_first_places(seen, view), Verdict):
        return None  # which says more
    name = name or next(iter(tried.perfect))
    handed = view.places.handed
    line = in_metric(view.places.measuring.ignored_replaced) or in_metric(handed.left_whole)
    line = line or in_metric(handed.picked, name) or metric_line(view, name)
    return fault(line, share=tried.ignored, name=name, value=tried.perfect[name])


def _cured(perfect: dict[str, float], whole: dict[str, float], name: str) -> bool:
    """All is right in both, and the metric says so only where no label is to be ignored."""
    return share(perfect[name]) < 0.9 and share(whole.get(name, 0.0)) > NEARLY_RIGHT


def metric_not_shifted(seen: Evaluate, view: View) -> Verdict | CannotJudge | None:
    """What a language model says at a position is about the next one."""
    tried = seen.trials
    if tried is None or tried.in_place is None:
        return NOT_TRIED
    name = first(tried)
    if name is None or tried.in_place[name] <= tried.perfect[name]:
        return None
    return fault(
        metric_line(view, name), name=name, value=tried.perfect[name], in_place=tried.in_place[name]
    )
