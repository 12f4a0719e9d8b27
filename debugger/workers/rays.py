"""The way to a Ray cluster, from outside of it. Nothing else here knows Ray, which is optional.

Ray trusts its network. What its nodes send was made by `Node`, and by no learner's process.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from debugger.workers.node import Node

log = logging.getLogger(__name__)
TRY_SECONDS = "3"
"""Of three tries. Ray's own 5, 10 and 15 leave whoever starts the clinic in the dark."""
REACH_SECONDS = 5.0
TOKENS = {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}
CALLS = 16
"""At once on a node; what takes long has threads of its own there."""
Why = Literal["no_ray", "unreachable", "refused", "failed", "other_version"]
_LONGEST = 300


class GoneError(Exception):
    """A node, or the way to it, does not answer."""


class ClosedError(Exception):
    """The cluster cannot be had: `why`, and what was said."""

    def __init__(self, why: Why, said: str = "") -> None:
        super().__init__(said)
        self.why: Why = why


@dataclass(frozen=True)
class Spot:
    """A node. `cpus` is how much of it Ray may give away."""

    id: str
    name: str
    cpus: int
    gpus: int


class Member:
    """What stands on a node."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray, self._actor = ray, actor

    def ask(self, method: str, *given: Any, seconds: float) -> Any:
        """GoneError where no answer comes within so many seconds."""
        try:
            return self._ray.get(getattr(self._actor, method).remote(*given), timeout=seconds)
        except Exception as error:
            raise GoneError(_first_line(error)) from error

    def tell(self, method: str, *given: Any) -> None:
        """Without waiting for what comes of it."""
        with suppress(Exception):
            getattr(self._actor, method).remote(*given)

    def end(self) -> None:
        with suppress(Exception):
            self._ray.kill(self._actor)


class Rays:
    """One cluster, at `ray://host:port`. The token is Ray's own affair: RAY_AUTH_TOKEN, or a file.

    A process has one cluster at a time.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._ray: Any = None

    def connect(self) -> None:
        """ClosedError where that does not go."""
        if find_spec("ray") is None or find_spec("grpc") is None:
            raise ClosedError("no_ray")
        self._try_port()
        _say_to_ray()
        ray = import_module("ray")
        try:
            try:
                self._begin(ray)
            except ConnectionAbortedError:  # a busy head may not begin in time what serves us
                self._begin(ray)
        except ConnectionAbortedError as error:
            raise ClosedError("failed", _last_line(error)) from error
        except ConnectionError as error:
            raise ClosedError("refused", _first_line(error)) from error
        except Exception as error:
            raise ClosedError("other_version", _first_line(error)) from error
        self._ray = ray

    def _begin(self, ray: Any) -> None:
        with warnings.catch_warnings(action="ignore"):
            ray.init(self._address, log_to_driver=False, logging_level=logging.ERROR)

    def _try_port(self) -> None:
        asked = urlsplit(self._address)
        try:
            socket.create_connection((asked.hostname, asked.port), REACH_SECONDS).close()
        except OSError as error:
            raise ClosedError("unreachable", error.strerror or str(error)) from error

    def spots(self) -> list[Spot]:
        """The nodes that live and have something to give. GoneError: the cluster is not there."""
        try:
            return [_spot(node) for node in self._ray.nodes() if _gives(node)]
        except Exception as error:
            raise GoneError(_first_line(error)) from error

    def stand(self, spot: Spot, orders: Mapping[str, Any]) -> Member:
        """An engine on that node, with all its cores, and a GPU of it where it has one."""
        try:
            there = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
            made = self._ray.remote(Node).options(
                num_cpus=spot.cpus,
                num_gpus=min(1, spot.gpus),
                max_concurrency=CALLS,
                max_restarts=0,
                scheduling_strategy=there(spot.id, soft=False),
            )
            return Member(self._ray, made.remote(spot.cpus, orders))
        except Exception as error:
            raise GoneError(_first_line(error)) from error

    def leave(self) -> None:
        """What stood on its nodes for this app goes with it."""
        if self._ray is not None:
            with suppress(Exception):
                self._ray.shutdown()


def _say_to_ray() -> None:
    """What it reads once, when it is imported.

    A question to a cluster that was just left would start one on this machine. And where there is
    a token it is used, as `ray start` does, unless somebody has said otherwise.
    """
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"
    for bound in ("INITIAL", "MAX"):
        os.environ.setdefault(f"RAY_CLIENT_{bound}_CONNECTION_TIMEOUT_S", TRY_SECONDS)
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
    if TOKENS & os.environ.keys() or (Path.home() / ".ray" / "auth_token").exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _gives(node: Mapping[str, Any]) -> bool:
    return node["Alive"] and node["Resources"].get("CPU", 0) >= 1


def _spot(node: Mapping[str, Any]) -> Spot:
    has, name = node["Resources"], node["NodeName"] or node["NodeManagerAddress"]
    return Spot(node["NodeID"], name, int(has["CPU"]), int(has.get("GPU", 0)))


def _first_line(error: Exception) -> str:
    """A token stands in none of Ray's messages."""
    return _lines(error)[0][:_LONGEST]


def _last_line(error: Exception) -> str:
    """Of a trace: there it says what went wrong."""
    return _lines(error)[-1][:_LONGEST]


def _lines(error: Exception) -> list[str]:
    return str(error).strip().splitlines() or [type(error).__name__]
