"""The host's page as HTML. Its parts are drawn anew, each where it changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files

from debugger.evidence.markup import escape, sentence
from debugger.frameworks import NAMES
from debugger.outcome import STAGES, Finding
from debugger.web.languages import linked
from debugger.web.watch.machine import Gpu
from debugger.web.watch.nodes import nodes
from debugger.web.watch.seen import Seen
from debugger.words import Words
from debugger.workers.ledger import LATEST, Kind, reached_by

FRESH_SECONDS = 5
MOST_STAGES = 10
MEGABYTE = 2**20


def page(seen: Seen, words: Words) -> str:
    when = f"{seen.at:%H:%M:%S}"
    fresh = words.say("host", "fresh", when=when, seconds=FRESH_SECONDS)
    stale = words.say("host", "stale", when=when)
    wide = {
        "queue": _queue(seen, words),
        "nodes": nodes(seen.status, words),
        "faults": _faults(seen, words),
        "slowest": _slowest(seen, words),
    }
    narrow = {
        "memory": _memory(seen, words),
        "gpu": _gpus(seen.gpus, words),
        "store": _store(seen, words),
    }
    parts = "".join(f"<div>{_sections(side, words)}</div>" for side in (wide, narrow))
    leave = f'<button name="leave" value="1">{_said(words, "leave")}</button>'
    told = f'<p id="fresh" class="dim" data-stale="{escape(stale)}">{escape(fresh)}</p>'
    return _whole(
        f'{told}<div class="parts">{parts}</div>',
        words,
        f'<form method="post">{leave}</form>',
        fresh=True,
    )


def asking(words: Words, note: str = "") -> str:
    """The form that takes the token; `note` is the code of what was wrong."""
    told = f'<p class="warn" role="alert">{_said(words, note)}</p>' if note else ""
    return _whole(
        f'<form class="token" method="post"><p>{_said(words, "asks")}</p>{told}'
        f'<label for="token">{_said(words, "token")}</label>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required'
        " autofocus>"
        f"<button>{_said(words, 'enter')}</button></form>",
        words,
    )


def _sections(parts: Mapping[str, str], words: Words) -> str:
    return "".join(
        f'<section id="{name}"><h2>{_said(words, name)}</h2>{inside}</section>'
        for name, inside in parts.items()
        if inside
    )


def _whole(inside: str, words: Words, tools: str = "", fresh: bool = False) -> str:
    static = files("debugger.web").joinpath("static")
    style, script = (
        "".join(static.joinpath(name).read_text(encoding="utf-8") for name in names)
        for names in (("base.css", "host.css"), ("host.js",))
    )
    again = f'<noscript><meta http-equiv="refresh" content="{FRESH_SECONDS}"></noscript>'
    title, home, theme = (_said(words, code) for code in ("title", "home", "theme"))
    return (
        f'<!doctype html><html lang="{words.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{again if fresh else ''}<title>{title} · {home}</title><style>{style}</style></head>"
        f'<body data-seconds="{FRESH_SECONDS if fresh else 0}"><script>{script}</script>'
        f'<header class="bar"><a class="home" href="{linked("./", words)}">{home}</a>'
        f"<h1>{title}</h1>"
        f'<div class="tools"><button type="button" data-theme>{theme}</button>{tools}</div>'
        f"</header><main>{inside}</main></body></html>"
    )


def _queue(seen: Seen, words: Words) -> str:
    asked = sum(seen.boarded.values())
    numbers = {code: seen.status[code] for code in ("running", "queued", "workers", "residents")}
    numbers |= {"asked": asked, "without": asked - seen.boarded.get("made", 0)}
    listed = "".join(
        f"<div><dt>{_said(words, code)}</dt><dd>{number:,}</dd></div>"
        for code, number in numbers.items()
    )
    waits = [wait for times in seen.told.waited.values() for wait in times.latest]
    said = words.say("host", "nobody_waited")
    if waits:
        half, most = (reached_by(waits, share) for share in (0.5, 0.95))
        said = words.say("host", "waited", count=len(waits), half=half, most=most)
    return f'<dl class="numbers">{listed}</dl><p class="dim">{escape(said)}</p>'


def _memory(seen: Seen, words: Words) -> str:
    held = seen.memory
    rows = [(words.say("host", "app"), _mb(words, held.app))]
    for name in NAMES:
        if name not in seen.status["zygotes"] or "nodes" in seen.status:
            continue
        called = words.of(name).say("page", "framework")
        warm = words.say("host", "warm", framework=called)
        if name not in held.warm:
            rows.append((warm, words.say("host", "not_warm")))
            continue
        count, runs = held.runs[name]
        rows.append((warm, _mb(words, held.warm[name])))
        rows.append(
            (words.say("host", "warm_runs", framework=called, count=count), _mb(words, runs))
        )
    free = escape(words.say("host", "free", free=held.free, of=held.of))
    used = (
        f'<meter min="0" max="{held.of}" value="{held.of - held.free}" aria-hidden="true"></meter>'
    )
    listed = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(mb)}</td></tr>' for name, mb in rows
    )
    twice = "" if "nodes" in seen.status else f'<p class="dim">{_said(words, "twice")}</p>'
    return f"<p>{free}</p>{used}<table>{listed}</table>{twice}"


def _gpus(gpus: tuple[Gpu, ...], words: Words) -> str:
    return "".join(f"<p><b>{escape(gpu.name)}</b><br>{_gpu(gpu, words)}</p>" for gpu in gpus)


def _gpu(gpu: Gpu, words: Words) -> str:
    if gpu.used_mb is None or gpu.of_mb is None or gpu.busy is None:
        return _said(words, "gpu_untold")
    told = words.say("host", "gpu_line", used=gpu.used_mb, of=gpu.of_mb, busy=gpu.busy)
    return escape(told)


def _store(seen: Seen, words: Words) -> str:
    held = seen.store
    if held is None:
        return f"<p>{_said(words, 'no_store')}</p>"
    mb, most = held.size / MEGABYTE, held.most // MEGABYTE
    full = f'<meter min="0" max="{held.most}" value="{held.size}" aria-hidden="true"></meter>'
    holds = escape(words.say("host", "store_holds", entries=held.entries, mb=mb, most=most))
    read = escape(words.say("host", "store_read", hits=held.hits, misses=held.misses))
    at = escape(words.say("host", "store_at", path=held.path))
    trouble = escape(words.say("host", "store_trouble", trouble=held.trouble))
    warning = f'<p class="warn">{trouble}</p>'
    return (
        f"<p>{holds}</p>{full}"
        f"{warning if held.trouble else ''}"
        f'<p class="dim">{read}</p><p class="dim path">{at}</p>'
    )


def _slowest(seen: Seen, words: Words) -> str:
    if not seen.told.stages:
        return f"<p>{_said(words, 'no_stages')}</p>"
    by_time = sorted(
        seen.told.stages.items(), key=lambda one: one[1].reached_by(0.95), reverse=True
    )
    heads = "".join(
        f'<th scope="col">{_said(words, code)}</th>'
        for code in ("stage", "made", "half", "most", "longest")
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(_kind(kind, words))}</th><td>{times.count:,}</td>'
        + "".join(
            f"<td>{escape(words.say('host', 'seconds', seconds=took))}</td>"
            for took in (times.reached_by(0.5), times.reached_by(0.95), max(times.latest))
        )
        + "</tr>"
        for kind, times in by_time[:MOST_STAGES]
    )
    about = escape(words.say("host", "slowest_about", count=LATEST))
    return (
        f'<p class="dim">{about}</p><div class="wide" tabindex="0" role="region"'
        f' aria-label="{_said(words, "slowest")}"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _faults(seen: Seen, words: Words) -> str:
    listed = []
    for name, finding in seen.now:
        own = words.of(name)
        listed.append(_fault(finding, own.say("page", "framework"), own.say("host", "now"), own))
    for fault in reversed(seen.told.faults.values()):
        when = words.say("host", "at", when=_moment(fault.at, seen.at))
        if fault.times > 1:
            when += f", {words.say('host', 'times', count=fault.times)}"
        own = words.of(fault.kind.framework)
        listed.append(_fault(fault.finding, _kind(fault.kind, words), when, own))
    return f"<ul>{''.join(listed)}</ul>" if listed else f"<p>{_said(words, 'no_faults')}</p>"


def _fault(finding: Finding, where: str, when: str, words: Words) -> str:
    what, do = told_of(finding, words)
    return (
        f'<li><p><b>{sentence(what)}</b></p><p class="dim">{escape(where)}, {escape(when)}</p>'
        f"<p>{_said(words, 'what_to_do')} {sentence(do)}</p></li>"
    )


def told_of(finding: Finding, words: Words) -> tuple[str, str]:
    """What happened, and what whoever runs the clinic can do about it."""
    code, numbers = finding.code, finding.numbers
    own = words.has("host_fault", code)
    what = words.say("host_fault", code, **numbers) if own else words.finding(finding)
    if not words.has("host_do", code):
        code = "typing" if code.startswith("typing_") else "other"
    return what, words.say("host_do", code, **numbers)


def _kind(kind: Kind, words: Words) -> str:
    table, code = ("short", kind.stage) if kind.stage in STAGES else ("host", f"kind_{kind.stage}")
    return f"{words.of(kind.framework).say('page', 'framework')}, {words.say(table, code)}"


def _moment(at: datetime, now: datetime) -> str:
    return f"{at:%H:%M}" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M}"


def _mb(words: Words, mb: int) -> str:
    return words.say("host", "megabytes", mb=mb)


def _said(words: Words, code: str) -> str:
    return escape(words.say("host", code))
