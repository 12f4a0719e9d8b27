"""`python -m tools.class_load`: two hundred students in one class, over real HTTP. It measures.

Every student is a connection that stays open, as a phone's is; ten real browsers come beside them
where there is Chromium. The same two cores serve them and play them. What is counted wrong ends it
with an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from debugger import catalogue
from debugger.web.room.doors import HEADER
from debugger.words import Words
from tests.browser.app import CHROMIUM, QUIET, free_port, start_app
from tools.waits import late

CASE = catalogue.find("two_labels")
VOTED = re.compile(
    rf'<th scope="row">s(\d+)</th><td>[^<]*</td><td>{Words().say("class", "yes")}</td>'
)
STORMS = 3


@dataclass
class Client:
    http: httpx.AsyncClient
    key: str = ""
    lead: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)
    votes: dict[int, float] = field(default_factory=dict)
    first: float = 0.0
    connects: int = 0

    async def ask(self, door: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.http.post(f"/class/{door}", json=body, headers={HEADER: self.key})
        answer.raise_for_status()
        return answer.json()

    async def take(self, door: str, body: dict[str, Any]) -> str:
        told = await self.ask(door, body)
        self.key = f"{told['code']}.{told['token']}"
        return told["code"]

    async def follow(self, audience: str) -> None:
        """As the page does: again and again, until it is cancelled."""
        while True:
            with suppress(httpx.HTTPError):
                async for told in self._drawings(audience):
                    now = time.monotonic()
                    self.first = self.first or now
                    self.lead = told["lead"]
                    self.seen.setdefault(told["lead"]["phase"], now)
                    for number in VOTED.findall(told["html"]):
                        self.votes.setdefault(int(number), now)
            await asyncio.sleep(0.5 * random.random() + 0.25)

    async def _drawings(self, audience: str) -> AsyncIterator[dict[str, Any]]:
        query, headers = {"as": audience}, {HEADER: self.key}
        async with self.http.stream("GET", "/class/live", params=query, headers=headers) as answer:
            answer.raise_for_status()
            self.connects += 1
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])


def vote(n: int) -> dict[str, Any]:
    return {"case": CASE.number, "stage": "data", "choice": n % 3}


async def until(true: Callable[[], bool], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


async def persistently(ask: Callable[[], Awaitable[Any]]) -> None:
    """Again, as somebody who sees that nothing answers."""
    while True:
        try:
            await ask()
            return
        except httpx.HTTPError:
            await asyncio.sleep(0.3)


def spread(seconds: list[float]) -> str:
    middle, longest = statistics.median(seconds), max(seconds)
    return f"median {middle:.2f}, 95th {late(seconds):.2f}, longest {longest:.2f}"


def cpu(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        told = file.read().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


class Class:
    def __init__(self, students: int, browsers: int) -> None:
        self._count, self._browsers = students, browsers
        self._port = free_port()
        self._data = tempfile.mkdtemp()
        self._address = f"http://127.0.0.1:{self._port}"
        self._tasks: list[asyncio.Task[None]] = []

    def _start(self) -> subprocess.Popen[str]:
        server = start_app(CLINIC_PORT=str(self._port), CLINIC_DATA_DIR=self._data)
        assert server.stdout is not None
        server.stdout.readline()
        return server

    def _client(self) -> Client:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        return Client(httpx.AsyncClient(base_url=self._address, timeout=60, limits=limits))

    def _follow(self, client: Client, audience: str) -> asyncio.Task[None]:
        self._tasks.append(asyncio.create_task(client.follow(audience)))
        return self._tasks[-1]

    async def measure(self) -> None:
        server = self._start()
        try:
            await self._measure(server)
        finally:
            for task in self._tasks:
                task.cancel()
            with suppress(ProcessLookupError):
                server.kill()
            server.wait()
            shutil.rmtree(self._data, ignore_errors=True)

    async def _measure(self, server: subprocess.Popen[str]) -> None:
        lead, board, other = self._client(), self._client(), self._client()
        code, _ = await lead.take("new", {}), await other.take("new", {})
        board.key = lead.key
        await lead.ask("do", {"act": "go", "case": CASE.number, "stage": "data"})
        screen = self._follow(lead, "lead")
        self._follow(board, "strip")
        students = [self._client() for _ in range(self._count)]
        began = time.monotonic()
        for n, student in enumerate(students):
            await student.take("join", {"code": code, "name": f"s{n}"})
            self._follow(student, "class")
        await until(lambda: all(student.first for student in students))
        print(f"{self._count} joined and follow: {time.monotonic() - began:.1f} s")

        used, sent = cpu(server.pid), dict[int, float]()

        async def votes(n: int) -> None:
            sent[n] = time.monotonic()
            await students[n].ask("vote", vote(n))

        await asyncio.gather(*map(votes, range(self._count)))
        await until(lambda: len(lead.votes) == self._count)
        late = [lead.votes[n] - sent[n] for n in sent]
        print(f"all vote in the same moment, s until a vote is shown: {spread(late)}")

        async def within_ten_seconds(n: int) -> None:
            await asyncio.sleep(10 * random.random())
            await votes(n)

        await self._again(lead, code, students, sent, within_ten_seconds)
        print(f"the server's own work for it: {cpu(server.pid) - used:.1f} s of one core")
        if CHROMIUM and self._browsers:
            await self._with_browsers(lead, code)

        await asyncio.gather(*(students[0].ask("vote", vote(n)) for n in range(100)))
        counted = await self._summary(lead)
        assert counted["votes"] == self._count, counted
        print(f"one of them votes 100 times more: {counted['votes']} votes of {self._count}")

        storm = asyncio.gather(
            *(persistently(lambda n=n: votes(n)) for n in list(range(self._count)) * STORMS)
        )
        await asyncio.sleep(0.05)
        screen.cancel()
        lead.first, reloaded = 0.0, time.monotonic()
        screen = self._follow(lead, "lead")
        await until(lambda: lead.first > 0)
        print(f"her tab is reloaded in mid-vote, back after {lead.first - reloaded:.2f} s")
        server.send_signal(signal.SIGKILL)
        server.wait()
        down, connected = time.monotonic(), [student.connects for student in students]
        started = await asyncio.to_thread(self._start)
        up = time.monotonic()
        try:
            await until(
                lambda: all(s.connects > c for s, c in zip(students, connected, strict=True))
            )
            back = time.monotonic()
            await storm
            counted = await self._summary(lead)
            assert counted["votes"] == self._count, counted
            print(
                f"kill -9 in mid-vote: the app is back after {up - down:.1f} s, every screen "
                f"{back - up:.1f} s later, {counted['votes']} votes"
            )
            pressed = time.monotonic()
            await lead.ask("do", {"act": "phase", "with": "reveal"})
            await until(lambda: all("reveal" in student.seen for student in students))
            shown = [student.seen["reveal"] - pressed for student in students]
            print(f"the reveal, s until it is on a screen: {spread(shown)}")
            beside = await self._summary(other)
            assert beside == {}, beside
            print("a second class meanwhile: no student, no vote")
        finally:
            started.kill()
            started.wait()

    async def _again(
        self,
        lead: Client,
        code: str,
        students: list[Client],
        sent: dict[int, float],
        votes: Callable[[int], Awaitable[None]],
    ) -> None:
        """The next question, answered within ten seconds, as people do."""
        await lead.ask("do", {"act": "go", "case": CASE.number, "stage": "batch"})
        await lead.ask("do", {"act": "go", "case": CASE.number, "stage": "data"})
        for student in students:
            await student.ask("leave", {})
        lead.votes.clear()
        sent.clear()
        for n, student in enumerate(students):
            await student.take("join", {"code": code, "name": f"s{n}"})
        await asyncio.gather(*map(votes, range(self._count)))
        await until(lambda: len(lead.votes) == self._count)
        late = [lead.votes[n] - sent[n] for n in sent]
        print(f"all vote within 10 s, s until a vote is shown: {spread(late)}")

    async def _with_browsers(self, lead: Client, code: str) -> None:
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
            pages = []
            for n in range(self._browsers):
                context = await browser.new_context(viewport={"width": 390, "height": 844})
                page = await context.new_page()
                await page.goto(f"{self._address}/class?room={code}")
                await page.fill("[name=name]", f"s{1000 + n}")
                await page.click("[data-join] button")
                await page.wait_for_selector("[data-vote]", timeout=60_000)
                pages.append(page)
            sent: dict[int, float] = {}
            for n, page in enumerate(pages):
                sent[1000 + n] = time.monotonic()
                await page.click("[data-vote='1']")
            await until(lambda: set(sent) <= set(lead.votes))
            late = [lead.votes[n] - sent[n] for n in sent]
            print(f"{len(pages)} browsers among them, s from click to wall: {spread(late)}")
            for page in pages:
                await page.click("[data-leave]")
                await page.click("[data-leave]")
                await page.wait_for_selector("[data-join]:visible")
            await browser.close()

    async def _summary(self, lead: Client) -> dict[str, Any]:
        answer = await lead.http.get("/class/summary.json", headers={HEADER: lead.key})
        told = answer.json()
        data = [one for one in told["questions"] if one["stage"] == "data"]
        return {"votes": sum(data[0]["votes"]), "students": told["students"]} if data else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--browsers", type=int, default=10)
    told = parser.parse_args()
    asyncio.run(Class(told.students, told.browsers).measure())


if __name__ == "__main__":
    sys.exit(main())
