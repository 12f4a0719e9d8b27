"""How much one session may ask for."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from starlette.requests import Request

MINUTE = 60.0


def address_of(request: Request) -> str:
    """Who asks, where nobody has a name."""
    return request.client.host if request.client else ""


class Bounds:
    """Counts what sessions start; of those that were quiet for longest it forgets first."""

    def __init__(
        self, runs_a_minute: int, sessions: int, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._sessions, self._now = runs_a_minute, sessions, now
        self._starts: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def has_room(self, session: str) -> bool:
        """Whether `may_run` would say yes; nothing is counted."""
        with self._lock:
            starts = self._starts.get(session, ())
            return sum(start > self._now() - MINUTE for start in starts) < self._most

    def may_run(self, session: str) -> bool:
        """Whether this session may start one more now; if so, it is counted."""
        now = self._now()
        with self._lock:
            starts = self._starts.setdefault(session, deque())
            self._starts.move_to_end(session)
            while len(self._starts) > self._sessions:
                self._starts.popitem(last=False)
            while starts and starts[0] <= now - MINUTE:
                starts.popleft()
            if len(starts) >= self._most:
                return False
            starts.append(now)
            return True
