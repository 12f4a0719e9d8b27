"""A queue takes only so many; whoever is turned away reads so, and loses nothing."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from test_endings import ended_as, said

from debugger.outcome import Accepted, Outcome
from debugger.printing.sentences import conclusion
from debugger.printing.text import to_text
from debugger.report import gather
from debugger.run import Run
from debugger.settings import read
from debugger.web.routes import routes
from debugger.words import Words
from debugger.workers.engine import Asker
from debugger.workers.sharing import Shared

SLOW = "say(x=1); time.sleep(60)"


def asked(engine: Any, name: str, ahead: bool = False, **about: Any) -> Any:
    """A run of its own, once it stands in the queue or runs."""
    events = engine.events(Run(f"{SLOW}  # {name}", device="cpu", **about), Asker(name, ahead))
    assert isinstance(next(events), Accepted)
    return events


def told_by_health(engine: Any) -> Any:
    health: Any = routes([], read({}), engine)[0].endpoint
    with ThreadPoolExecutor() as elsewhere:
        answer = elsewhere.submit(asyncio.run, health(None)).result()
    return json.loads(answer.body)["engine"]


def test_who_comes_to_a_full_queue_is_told_and_whoever_waits_keeps_her_place(make_engine, ask):
    engine = make_engine(workers=1, queue=1)
    first, second = asked(engine, "a"), asked(engine, "b")
    ending, finding = ended_as(list(engine.events(Run("say(x=1)", device="cpu"))))
    assert (ending, finding.code, finding.numbers) == ("unknown", "queue_full", {"waiting": 1})
    assert engine.status()["queued"] == 1
    assert said(ask(engine, "say(looked=1)", stage="data")) == {"looked": 1}
    first.close()
    assert next(second) == Accepted(next(iter(engine._line._running)).ticket)
    second.close()


def test_what_was_turned_away_runs_when_it_is_asked_for_again(make_engine):
    engine = make_engine(workers=1, queue=1)
    shared, run = Shared(engine), Run("say(x=1)", device="cpu")
    first, second = asked(engine, "a"), asked(engine, "b")
    assert ended_as(list(shared.events(run)))[1].code == "queue_full"
    for one in (first, second):
        one.close()
    assert said(list(shared.events(run))) == {"x": 1}


def test_what_nobody_asked_for_gives_way(make_engine):
    engine = make_engine(workers=1, queue=1)
    running, ahead = asked(engine, "a"), asked(engine, "b", ahead=True)
    hers = asked(engine, "c")
    assert ended_as(list(ahead))[1].code == "queue_full"
    assert engine.status()["queued"] == 1
    for one in (running, hers):
        one.close()


def test_health_and_the_terminal_say_it_in_a_sentence(make_engine):
    engine = make_engine(workers=1, queue=1)
    assert told_by_health(engine)["full"] == 0
    first, second = asked(engine, "a"), asked(engine, "b")
    assert told_by_health(engine)["full"].startswith("The queue is full: 1 run waits,")
    events = list(engine.events(Run("say(x=1)", device="cpu")))
    assert isinstance(events[-1], Outcome)
    report = gather(events)
    text = " ".join(to_text(report, 10_000).split())
    assert "1 run waits here already, and the queue takes no more. Nothing is lost" in text
    assert conclusion(report, Words()) in text
    for one in (first, second):
        one.close()
