"""What a child writes to its parent: one byte of kind, four of length, then the payload."""

import struct
from collections.abc import Iterator

STARTED = b"S"
EVENT = b"E"
OUT_OF_MEMORY = b"M"
BROKEN = b"X"
_HEAD = struct.Struct("!cI")


class Forged(Exception):
    """The child sent something that this project does not send."""


def pack(kind: bytes, payload: bytes = b"") -> bytes:
    return _HEAD.pack(kind, len(payload)) + payload


class Frames:
    """Cuts a stream of untrusted bytes into frames, never holding more than one frame's limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()

    @property
    def held(self) -> bool:
        """Whether something came behind the last frame."""
        return bool(self._buffer)

    def feed(self, raw: bytes) -> Iterator[tuple[bytes, bytes]]:
        self._buffer += raw
        while len(self._buffer) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._buffer)
            if kind not in (STARTED, EVENT, OUT_OF_MEMORY, BROKEN) or length > self._limit:
                raise Forged(f"a frame of kind {kind!r} and {length} bytes")
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEAD.size : end])
            del self._buffer[:end]
            yield kind, payload
