"""A clinic page as its server sees it: a tab that presses over HTTP, and reads what is drawn."""

from __future__ import annotations

import html
import json
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from gradio_client.utils import apply_diff

from debugger.words import Words

PATIENCE = 300.0
"""Seconds for an answer on a busy machine; a page would go on waiting."""
NOT_YET = {Words().say("outcome", "not run"), Words().say("clinic", "stale")}
PARTS = ("bar", "rail", "left", "right", "foot")
_STATE = re.compile(r'data-with="(\w+)"[^>]*>.*?<span class="state">([^<]*)</span>')
_STATUS = re.compile(r'<p class="status"[^>]*>(.*?)</p>', re.DOTALL)
_KEPT = re.compile(r'data-keep="([^"]*)"')
Drawn = dict[str, str]
"""The pieces of a page, by their names."""


class Lost(Exception):
    """The server does not answer. A page says so, and waits for it to come back."""


@dataclass(frozen=True)
class Pressed:
    """What stood on the page after a press: the state of its stage, and the line below."""

    state: str
    status: str

    @property
    def answered(self) -> bool:
        return self.state not in NOT_YET

    @property
    def told(self) -> bool:
        """An answer, or a sentence why there is none."""
        return self.answered or bool(self.status)


@dataclass
class Tab:
    """One open page of a scenario. After the server was lost it begins anew, as a page does.

    `drawn` is what stands on it, `number` that of its last press.
    """

    address: str
    scenario: str
    kept: str = ""
    language: str = ""
    session: str = field(default_factory=lambda: secrets.token_hex(6))
    number: int = 0
    drawn: Drawn = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._client = httpx.Client(base_url=self.address, timeout=PATIENCE, verify=False)
        self._ids: dict[str, int] = {}
        self._alive: httpx.Response | None = None

    def close(self) -> None:
        """Its beat ends, and with it the session."""
        if self._alive is not None:
            self._alive.close()
        self._client.close()

    def open(self, stage: str = "") -> None:
        """Ask for the page as a browser does, and keep its beat while it is open."""
        asked = {"scenario": self.scenario, "stage": stage, "lang": self.language}
        query = {name: value for name, value in asked.items() if value}
        try:
            self._client.get("/clinic", params=query).raise_for_status()
            beat = self._client.build_request("GET", f"/gradio_api/heartbeat/{self.session}")
            self._alive = self._client.send(beat, stream=True)
            body = self._asks("load", {}) | {"data": [self.kept]}
            told = self._client.post("/gradio_api/run/predict", json=body, params=query)
            self._draw(told.raise_for_status().json()["data"])
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise Lost(repr(error)) from error

    def press(self, stage: str, act: str, with_: str) -> Pressed:
        """A press that starts a run on the page of that stage, and what it has led to."""
        self.submit(stage, act, with_)
        return self.redrawn(stage)

    def submit(self, stage: str, act: str, with_: str, news: Callable[[Drawn], Any] = len) -> None:
        """A press that starts a run, to its end; `news` is called whenever something is drawn."""
        try:
            self._follow(self._told("submit", stage, act, with_), news)
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise Lost(repr(error)) from error

    def click(self, stage: str, act: str, with_: str) -> None:
        """A press that is answered at once."""
        try:
            body = self._told("click", stage, act, with_)
            drawn = self._client.post("/gradio_api/run/predict", json=body)
            self._draw(drawn.raise_for_status().json()["data"])
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise Lost(repr(error)) from error

    def redrawn(self, stage: str) -> Pressed:
        """All of the page once more, as it asks for it where an answer was lost."""
        self.click(stage, "again", "")
        try:
            return Pressed(self.states[stage], self.status)
        except KeyError as error:
            raise Lost(repr(error)) from error

    @property
    def states(self) -> dict[str, str]:
        """By stage, in words."""
        found = _STATE.findall(self.drawn.get("rail", ""))
        return {stage: html.unescape(state) for stage, state in found}

    @property
    def status(self) -> str:
        """The line at the foot of the page."""
        told = _STATUS.search(self.drawn.get("foot", ""))
        return html.unescape(told[1]) if told else ""

    def come_back(self) -> None:
        """Wait for the server, and open the page again with what the browser kept."""
        until = time.monotonic() + PATIENCE
        while not _lives(self._client):
            if time.monotonic() > until:
                raise TimeoutError("the server never came back")
            time.sleep(0.5)
        self.session, self._ids = secrets.token_hex(6), {}

    def _told(self, trigger: str, stage: str, act: str, with_: str) -> dict[str, Any]:
        self.number += 1
        at = f"?scenario={self.scenario}&stage={stage}"
        at += f"&lang={self.language}" if self.language else ""
        told = {"act": act, "with": with_, "at": at, "number": self.number, "kept": self.kept}
        return self._asks(trigger, told) | {"data": [None, None]}

    def _asks(self, trigger: str, told: dict[str, Any]) -> dict[str, Any]:
        """What gradio wants to hear: which listener, of which session."""
        return {
            "event_data": told,
            "fn_index": self._listener(trigger),
            "session_hash": self.session,
            "trigger_id": self._ids["foot"],
        }

    def _listener(self, trigger: str) -> int:
        """The number under which the page's buttons are heard, or its `load`."""
        if not self._ids:
            config = self._client.get("/config").raise_for_status().json()
            page = config["pages"] and config["page"]["clinic"]
            foot = next(
                one["id"]
                for one in config["components"]
                if one["id"] in page["components"] and one["props"].get("elem_id") == "foot"
            )
            self._ids["foot"] = foot
            for one in config["dependencies"]:
                for target in one["targets"]:
                    if target[0] == foot:
                        self._ids[target[1]] = one["id"]
                    elif target[1] == "load" and foot in one["outputs"] and len(one["inputs"]) == 1:
                        self._ids.setdefault("load", one["id"])
        return self._ids[trigger]

    def _follow(self, body: dict[str, Any], news: Callable[[Drawn], Any]) -> None:
        """To the end of what the press has started."""
        self._client.post("/gradio_api/queue/join", json=body).raise_for_status()
        asked, data = {"session_hash": self.session}, list[Any]()
        with self._client.stream("GET", "/gradio_api/queue/data", params=asked) as lines:
            for line in lines.iter_lines():
                if not line.startswith("data:"):
                    continue
                told = json.loads(line[5:])
                if told["msg"] == "process_generating":
                    data = _applied(data, told["output"]["data"])
                    self._draw(data)
                    news(self.drawn)
                if told["msg"] == "process_completed":
                    if not told["success"]:
                        raise Lost(str(told["output"])[:300])
                    return
                if told["msg"] in ("server_stopped", "unexpected_error", "close_stream"):
                    raise Lost(str(told)[:300])
        raise Lost("the line ended")

    def _draw(self, data: list[Any]) -> None:
        """The pieces stand at the end; where one is as it was, it is not sent."""
        for name, html_ in zip(PARTS, data[-len(PARTS) :], strict=True):
            if isinstance(html_, str):
                self.drawn[name] = html_
        if kept := _KEPT.search(self.drawn.get("bar", "")):
            self._keep(html.unescape(kept[1]))

    def _keep(self, told: str) -> None:
        """As the page's own script keeps it."""
        if told:
            one = json.loads(told)
            cases = {one["scenario"]: one["case"]} if one["case"] else {}
            self.kept = json.dumps({"version": 1, "learner": one["learner"], "cases": cases})


def _applied(before: list[Any], told: list[Any]) -> list[Any]:
    """gradio sends an answer whole, and then what has changed in it."""
    if not before:
        return told
    return [apply_diff(old, new) for old, new in zip(before, told, strict=True)]


def _lives(client: httpx.Client) -> bool:
    try:
        return client.get("/health", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False
