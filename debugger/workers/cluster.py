"""Runs on other machines: on each node of a Ray cluster stands an engine as on one machine.

Whose turn it is is decided here, in one line for all of them; a node is given what it has places
for. A node that goes takes its runs along: they begin anew on another one, once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from debugger.frameworks import NAMES
from debugger.outcome import Event, Outcome, from_json
from debugger.run import WALK, Run
from debugger.workers.endings import Cancel, Ended, our_fault, outcome_of
from debugger.workers.engine import Asker, Closing
from debugger.workers.identity import identity
from debugger.workers.lanes import trains
from debugger.workers.line import Job, Line
from debugger.workers.node import Orders, files_of
from debugger.workers.promises import Typed
from debugger.workers.rays import ClosedError, GoneError, Member, Rays, Spot
from debugger.workers.residents import may_stay

log = logging.getLogger(__name__)
LOOK_SECONDS = 3.0
"""How often is looked for nodes that came, and for a cluster that was lost."""
START_SECONDS = 90.0
"""Until a node that has to import everything for the first time says who it is."""
SILENT_SECONDS = 20.0
"""A node that has said nothing for so long is gone."""
AWAY_SECONDS = 45.0
"""So long those who wait are not told that there is no machine: one may be on its way."""
AFTER_A_FAULT_SECONDS = 30.0
LEAVING_SECONDS = 10.0
CLOSING_SECONDS = 5.0
TRIES = 2
MOST_KNOWN, MOST_TROUBLES = 500, 20


@dataclass(frozen=True)
class Trouble:
    """Why a node, or the cluster, does not work: `words` entry `host.<code>`."""

    code: str
    name: str
    how: str = ""


@dataclass(eq=False)
class _Sent:
    """A run that a node has. `over` is turned on when it has ended there, or the node is gone."""

    job: Job
    outcome: Outcome | None = None
    over: Cancel = field(default_factory=Cancel)


@dataclass(eq=False)
class _Node:
    spot: Spot
    member: Member
    status: Mapping[str, Any] = field(default_factory=dict)
    jobs: set[Job] = field(default_factory=set)
    sent: dict[str, _Sent] = field(default_factory=dict)
    gone: bool = False

    def free(self, long: bool) -> int:
        return self.spot.cpus - sum(trains(job.run) is long for job in tuple(self.jobs))

    def hear(self, ticket: str, event: Event) -> None:
        sent = self.sent.get(ticket)
        if sent is None:
            return
        if isinstance(event, Outcome):
            sent.outcome = event
            sent.over.turn_on()
        else:
            sent.job.news.put(event)


class ClusterEngine(Closing):
    """An engine on each node. ClosedError: the cluster cannot be had.

    What is lost while it goes on is looked for again, every few seconds; who waits reads so.
    """

    def __init__(self, rays: Rays, orders: Orders, data_dir: Path, queue: int = 1000) -> None:
        self._rays, self._orders, self._data_dir = rays, asdict(orders), data_dir
        self._line = Line(0, queue, self._start)
        self._nodes: dict[str, _Node] = {}
        self._starting: set[str] = set()
        self._troubles: dict[str, Trouble] = {}
        self._not_before: dict[str, float] = {}
        self._built: OrderedDict[Run, str] = OrderedDict()
        self._wanted: Collection[str] = ()
        self._identity = identity()
        self._empty_since = time.monotonic()
        self._closing = threading.Event()
        rays.connect()
        self._connected = True
        self._keeper = threading.Thread(target=self._keep, name="cluster", daemon=True)
        self._keeper.start()

    def events(self, run: Run, asker: Asker | None = None) -> Generator[Event]:
        """As on one machine; after `Restarted` all that was told comes anew."""
        return self._line.events(run, asker)

    def cancel(self, ticket: str) -> None:
        self._line.cancel_of(ticket)

    def status(self) -> dict[str, Any]:
        """The sum of what the nodes told last; `nodes` and `troubles` are for the host alone."""
        nodes = list(self._nodes.values())
        told = [node.status for node in nodes if node.status]
        warm = [one["zygotes"] for one in told]
        return {
            "workers": sum(node.spot.cpus for node in nodes),
            **self._line.status(),
            "residents": sum(one["residents"] for one in told),
            "walled": bool(told) and all(one["walled"] for one in told),
            "zygotes": {name: any(one[name] for one in warm) for name in NAMES},
            "failures": {name: it for one in told for name, it in one["failures"].items()},
            "typed": {name: asdict(found) for name in NAMES if (found := self._typed(name))},
            "pids": {},
            "nodes": [_shown(node) for node in nodes],
            "troubles": list(self._troubles.values()),
        }

    def _typed(self, framework: str) -> Typed | None:
        """What typed code may: where one node does not keep a promise, it runs on none."""
        told = [node.status.get("typed", {}).get(framework) for node in list(self._nodes.values())]
        found = [Typed(one["why"], tuple(one["broken"])) for one in told if one]
        return next((one for one in found if one.why), found[0] if found else None)

    def warm(self, wanted: Collection[str] = NAMES) -> None:
        self._wanted = tuple(wanted)
        for node in list(self._nodes.values()):
            node.member.tell("warm", self._wanted)

    def drain(self, seconds: float) -> None:
        self._line.drain(seconds)

    def close(self) -> None:
        """Cancel everything, and leave nothing on any node."""
        self._closing.set()
        jobs = self._line.close()
        for job in jobs:
            job.cancel.turn_on()
        nodes = list(self._nodes.values())
        if nodes:
            with ThreadPoolExecutor(len(nodes)) as side_by_side:
                list(side_by_side.map(_leave, nodes))
        self._rays.leave()
        for job in jobs:
            if job.driver is not None:
                job.driver.join(CLOSING_SECONDS)

    def _keep(self) -> None:
        while not self._closing.is_set():
            self._look()
            coming = self._connected and self._starting
            late = time.monotonic() - self._empty_since > AWAY_SECONDS
            if not self._nodes and not coming and late:
                self._line.send_away("cluster_gone")
            self._closing.wait(LOOK_SECONDS)

    def _look(self) -> None:
        try:
            if not self._connected:
                self._rays.connect()
                self._connected = True
                log.warning("the cluster is there again")
            spots = self._rays.spots()
        except (ClosedError, GoneError) as error:
            if self._connected:
                log.warning("the cluster is lost, and looked for again: %s", error)
            self._connected = False
            self._trouble(Trouble("cluster_lost", "", str(error)))
            self._rays.leave()
            return
        self._troubles.pop("", None)
        for spot in spots:
            late = time.monotonic() < self._not_before.get(spot.id, 0.0)
            if spot.id not in self._starting and not late and not self._closing.is_set():
                self._starting.add(spot.id)
                listen = threading.Thread(target=self._listen, args=(spot,), daemon=True)
                listen.start()

    def _listen(self, spot: Spot) -> None:
        """From the start of an engine on this node until it is gone."""
        node = None
        try:
            node = self._welcome(spot)
            while node is not None:
                node.status, told = node.member.ask("told", seconds=SILENT_SECONDS)
                for ticket, raw in told:
                    node.hear(ticket, from_json(raw))
        except (GoneError, ValidationError) as error:
            if not self._closing.is_set():
                log.warning("the node %s is gone: %s", spot.name, error)
                self._trouble(Trouble("node_lost", spot.name, str(error)))
        finally:
            if node is not None:
                self._lose(node)
            self._starting.discard(spot.id)

    def _trouble(self, trouble: Trouble) -> None:
        """To be told until a node of that name is there again; the latest of each."""
        self._troubles[trouble.name] = trouble
        while len(self._troubles) > MOST_TROUBLES:
            self._troubles.pop(next(iter(self._troubles)), None)

    def _welcome(self, spot: Spot) -> _Node | None:
        """Nobody, where it does not answer as this app would."""
        self._not_before[spot.id] = time.monotonic() + AFTER_A_FAULT_SECONDS
        member = self._rays.stand(spot, self._orders)
        try:
            is_like_us = member.ask("about", seconds=START_SECONDS) == self._identity
        except GoneError:
            member.end()
            raise
        if not is_like_us:
            log.warning("the node %s has another clinic, or other libraries", spot.name)
            self._trouble(Trouble("node_differs", spot.name))
            member.end()
            return None
        node = _Node(spot, member)
        if self._wanted:
            member.tell("warm", self._wanted)
        self._not_before.pop(spot.id)
        self._troubles.pop(spot.name, None)
        self._line.resize(lambda: self._with(node))
        return node

    def _with(self, node: _Node) -> int:
        self._nodes[node.spot.id] = node
        return self._places()

    def _without(self, node: _Node) -> int:
        if self._nodes.pop(node.spot.id, None) is not None and not self._nodes:
            self._empty_since = time.monotonic()
        return self._places()

    def _places(self) -> int:
        return sum(node.spot.cpus for node in self._nodes.values())

    def _lose(self, node: _Node) -> None:
        node.gone = True
        self._line.resize(lambda: self._without(node))
        node.member.end()
        for sent in list(node.sent.values()):
            sent.over.turn_on()

    def _start(self, job: Job) -> None:
        """With the line held: as many may begin as there are places on the nodes."""
        node = self._chosen(job.run)
        node.jobs.add(job)
        job.driver = threading.Thread(target=self._drive, args=(job, node), daemon=True)
        job.driver.start()

    def _chosen(self, run: Run) -> _Node:
        """Where its pipeline may stand already; else where most is free."""
        long, what = trains(run), replace(run, stage=WALK, steps=0)
        free = [node for node in self._nodes.values() if node.free(long) > 0]
        node = min(free, key=lambda one: (len(one.jobs) / one.spot.cpus, -one.spot.cpus))
        if may_stay(run):
            node = next((one for one in free if one.spot.id == self._built.get(what)), node)
            self._built[what] = node.spot.id
            self._built.move_to_end(what)
            while len(self._built) > MOST_KNOWN:
                self._built.popitem(last=False)
        return node

    def _drive(self, job: Job, node: _Node) -> None:
        outcome, lost = None, False
        try:
            outcome = self._answered(job, node)
            lost = outcome is None
        except Ended as ended:
            outcome = outcome_of(ended, job.run)
        finally:
            node.jobs.discard(job)
            if lost:
                self._line.again(job)
            else:
                outcome = outcome or outcome_of(our_fault("the driver failed"), job.run)
                self._line.done(job, outcome)
                job.news.put(outcome)

    def _answered(self, job: Job, node: _Node) -> Outcome | None:
        """None where the node went, and another may try."""
        typed = self._typed(job.run.framework) if job.run.typed else None
        if typed is not None and typed.why:
            raise Ended(f"typing_{typed.why}", broken=", ".join(typed.broken))
        sent = node.sent[job.ticket] = _Sent(job)
        try:
            files = files_of(job.run, self._data_dir)
            if not node.gone:
                node.member.ask("begin", job.ticket, job.run, files, seconds=SILENT_SECONDS)
                self._until_the_end(sent, node)
        except GoneError as error:
            log.warning("a run did not get to the node %s: %s", node.spot.name, error)
            self._lose(node)  # else the next try may find it as good as any
        finally:
            del node.sent[job.ticket]
            sent.over.close()
        if job.cancel.on and (sent.outcome is None or job.cancel.why != "cancelled"):
            raise Ended(job.cancel.why)
        if sent.outcome is None and job.lost + 1 >= TRIES:
            raise Ended("node_died" if self._connected and self._nodes else "cluster_gone")
        return sent.outcome

    def _until_the_end(self, sent: _Sent, node: _Node) -> None:
        """Or until the node is gone: then without an outcome."""
        job, over = sent.job, sent.over.fileobj
        if over in wait([job.cancel.fileobj, over]) or node.gone:
            return
        node.member.tell("cancel", job.ticket)
        wait([over], LEAVING_SECONDS)


def _leave(node: _Node) -> None:
    try:
        node.member.ask("close", seconds=CLOSING_SECONDS)
    except GoneError as error:
        log.warning("the node %s did not say goodbye: %s", node.spot.name, error)
    node.member.end()


def _shown(node: _Node) -> dict[str, Any]:
    told = node.status
    return {
        "name": node.spot.name,
        "workers": node.spot.cpus,
        "running": len(node.jobs),
        "residents": told.get("residents", 0),
        "free_mb": told.get("free_mb"),
        "of_mb": told.get("of_mb"),
    }
