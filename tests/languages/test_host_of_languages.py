"""The host's page in a made-up language: what a person reads there is all of it."""

from __future__ import annotations

from datetime import UTC, datetime

from debugger.outcome import Finding
from debugger.web.watch.machine import Gpu, Memory
from debugger.web.watch.page import asking, page
from debugger.web.watch.seen import Seen
from debugger.words import Words
from debugger.workers.ledger import CHECK, Fault, Kind, Times, Told
from tests.languages.loud import read, small

NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)


def seen() -> Seen:
    told, kind = Told(), Kind("pytorch", CHECK)
    for times in (told.waited, told.stages):
        times[Kind("keras", "train")] = Times()
        times[Kind("keras", "train")].add(2.0)
    killed = Finding("killed", "note", "setup")
    told.faults = {(kind, "killed"): Fault(kind, killed, NOW, 3)}
    zygotes = {"pytorch": True, "keras": False}
    status = {"running": 1, "queued": 2, "workers": 3, "residents": 1, "zygotes": zygotes}
    slow = Finding("warm_too_slow", "note", "setup", None, {"framework": "keras", "seconds": 9})
    status |= {"failures": {"keras": slow}, "typed": {}}
    memory = Memory(1, 2, 3, {"pytorch": 4}, {"pytorch": (1, 5)})
    gpus = (Gpu("1", 1, 2, 3), Gpu("2", None, None, None))
    return Seen(NOW, status, told, {"made": 1}, None, memory, gpus)


def test_nothing_on_the_hosts_page_is_left_in_english(loud_words: Words) -> None:
    names = small("PyTorch Keras English Loud")
    for html in (page(seen(), loud_words), asking(loud_words, "wrong")):
        body = html.partition("<body")[2]
        assert small(read(f"<body{body}"), [*names, "mesg", "pytorch", "keras"]) == []
    assert 'lang="qaa"' in page(seen(), loud_words)
