"""What this clinic has signed, and nobody else: HMAC-SHA256 with a key that never leaves its host.

Nothing that a browser sends is believed without a seal, and a seal is of one kind only.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import tempfile
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

Kind = Literal["task", "receipt", "certificate"]
SEAL_BYTES = 16
MOST_TOKEN = 2_000
KEY_BYTES = 32


class NoKey(Exception):
    """The key is not there and cannot be made, or cannot be read."""


class Refused(Exception):
    """The code of the sentence that tells why something is not taken."""

    def __init__(self, code: str, **numbers: object) -> None:
        super().__init__(code)
        self.code, self.numbers = code, numbers


class Seal:
    """The key of a clinic: as text where the host gave one, else in a file made at first use."""

    def __init__(self, key: str, file: Path, makes: bool = True) -> None:
        self._given, self._file, self._makes = key, file, makes

    @cached_property
    def _key(self) -> bytes:
        if self._given:
            return self._given.encode()
        try:
            if self._makes and not self._file.exists():
                _make(self._file)
            key = self._file.read_bytes()
        except OSError as error:
            raise NoKey(f"{self._file}: {error.strerror}") from error
        if len(key) < KEY_BYTES:
            raise NoKey(f"{self._file}: {len(key)} bytes")
        return key

    @cached_property
    def clinic(self) -> str:
        """Names the key without telling it: which clinic has signed."""
        return hmac.digest(self._key, b"clinic", "sha256")[:4].hex()

    def over(self, kind: Kind, told: Mapping[str, Any]) -> str:
        """The seal over plain data. How that is laid out as JSON does not matter."""
        text = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
        made = hmac.digest(self._key, f"{kind}\0".encode() + text, "sha256")
        return _text(made[:SEAL_BYTES])

    def fits(self, kind: Kind, told: Mapping[str, Any], seal: object) -> bool:
        right = self.over(kind, told).encode()
        return isinstance(seal, str) and hmac.compare_digest(right, seal.encode(errors="replace"))

    def token(self, kind: Kind, told: Mapping[str, Any]) -> str:
        """Data, the clinic's name and a seal over both, as one word for an address."""
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return f"{_text(text.encode())}.{self.clinic}.{self.over(kind, told)}"

    def opened(self, kind: Kind, token: str) -> dict[str, Any]:
        """What stands in a token that this clinic made, or a Refused."""
        parts = token.strip().split(".")
        if len(token) > MOST_TOKEN or len(parts) != 3:
            raise Refused("unreadable_token")
        text, clinic, seal = parts
        try:
            told = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except (ValueError, RecursionError):
            raise Refused("unreadable_token") from None
        if not isinstance(told, dict):
            raise Refused("unreadable_token")
        if clinic != self.clinic:
            raise Refused("other_clinic")
        if not self.fits(kind, told, seal):
            raise Refused("changed")
        return told


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _make(file: Path) -> None:
    """Whole or not at all, for its owner alone; of two copies that make one, the first one's."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=file.parent)  # nobody else may read it
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(secrets.token_hex(KEY_BYTES).encode())
        os.link(aside, file)
    except FileExistsError:
        return
    finally:
        os.unlink(aside)
