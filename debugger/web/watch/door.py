"""Who may see the host's pages: those who have given the token, for a while."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable

from debugger.web.bounds import Bounds

COOKIE = "clinic-host"
KNOWN_SECONDS = 12 * 3600
TRIES, ADDRESSES = 5, 10_000
"""Wrong tokens that an address may give within a minute, and how many addresses are remembered."""


class Door:
    """A cookie holds when it ends, sealed by the token: it outlives a restart, no new token."""

    def __init__(self, token: str, now: Callable[[], float] = time.time) -> None:
        self._token = hashlib.sha256(token.encode()).digest()
        self._now = now
        self._wrong = Bounds(TRIES, ADDRESSES)

    def may_try(self, address: str) -> bool:
        return self._wrong.has_room(address)

    def opens(self, given: str, address: str) -> bool:
        """Whether this is the token. Only one that is not is counted, against that address."""
        found = hashlib.sha256(given.encode(errors="replace")).digest()
        if hmac.compare_digest(found, self._token):
            return True
        self._wrong.may_run(address)
        return False

    def cookie(self) -> str:
        until = str(int(self._now()) + KNOWN_SECONDS)
        return f"{until}.{self._seal(until)}"

    def knows(self, cookie: str) -> bool:
        until, _, seal = cookie.partition(".")
        if not hmac.compare_digest(seal.encode(), self._seal(until).encode()):
            return False
        return self._now() < int(until)

    def _seal(self, until: str) -> str:
        told = f"{COOKIE} {until}".encode(errors="replace")
        return hmac.new(self._token, told, hashlib.sha256).hexdigest()
