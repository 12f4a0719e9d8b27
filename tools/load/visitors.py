"""A clinic page as its server sees it: a tab that presses over HTTP, and reads what is drawn."""

from __future__ import annotations

import html
import json
import re
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from debugger.words import Words

PATIENCE = 300.0
"""Seconds for an answer on a busy machine; a page would go on waiting."""
NOT_YET = {Words().say("outcome", "not run"), Words().say("clinic", "stale")}
_STATE = re.compile(r'data-with="(\w+)"[^>]*>.*?<span class="state">([^<]*)</span>')
_STATUS = re.compile(r'<p class="status"[^>]*>(.*?)</p>', re.DOTALL)
_KEPT = re.compile(r'data-keep="([^"]*)"')


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
    """One open page of a scenario. After the server was lost it begins anew, as a page does."""

    address: str
    scenario: str
    kept: str = ""
    session: str = field(default_factory=lambda: secrets.token_hex(6))
    number: int = 0

    def __post_init__(self) -> None:
        self._client = httpx.Client(base_url=self.address, timeout=PATIENCE)
        self._ids: dict[str, int] = {}

    def close(self) -> None:
        self._client.close()

    def press(self, stage: str, act: str, with_: str) -> Pressed:
        """A press that starts a run on the page of that stage, and what it has led to."""
        try:
            self._follow(self._told("submit", stage, act, with_))
            body = self._told("click", stage, "again", "")
            drawn = self._client.post("/gradio_api/run/predict", json=body)
            drawn.raise_for_status()
            return self._seen(drawn.json()["data"], stage)
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise Lost(repr(error)) from error

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
        told = {"act": act, "with": with_, "at": at, "number": self.number, "kept": self.kept}
        return {
            "data": [None, None],
            "event_data": told,
            "fn_index": self._listener(trigger),
            "session_hash": self.session,
            "trigger_id": self._ids["foot"],
        }

    def _listener(self, trigger: str) -> int:
        """The number under which the page's buttons are heard."""
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
        return self._ids[trigger]

    def _follow(self, body: dict[str, Any]) -> None:
        """To the end of what the press has started."""
        self._client.post("/gradio_api/queue/join", json=body).raise_for_status()
        asked = {"session_hash": self.session}
        with self._client.stream("GET", "/gradio_api/queue/data", params=asked) as lines:
            for line in lines.iter_lines():
                if not line.startswith("data:"):
                    continue
                told = json.loads(line[5:])
                if told["msg"] == "process_completed":
                    if not told["success"]:
                        raise Lost(str(told["output"])[:300])
                    return
                if told["msg"] in ("server_stopped", "unexpected_error", "close_stream"):
                    raise Lost(str(told)[:300])
        raise Lost("the line ended")

    def _seen(self, data: list[Any], stage: str) -> Pressed:
        drawn = "".join(part for part in data if isinstance(part, str))
        if kept := _KEPT.search(drawn):
            self._keep(html.unescape(kept[1]))
        status = _STATUS.search(drawn)
        states = dict(_STATE.findall(drawn))
        return Pressed(html.unescape(states[stage]), html.unescape(status[1]) if status else "")

    def _keep(self, told: str) -> None:
        """As the page's own script keeps it."""
        if told:
            one = json.loads(told)
            cases = {one["scenario"]: one["case"]} if one["case"] else {}
            self.kept = json.dumps({"version": 1, "learner": one["learner"], "cases": cases})


def _lives(client: httpx.Client) -> bool:
    try:
        return client.get("/health", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False
