"""What the clinic gives out when it has proved a cure: signed, and kept by the browser."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from debugger.homework.seal import Refused, Seal

How = Literal["listed", "typed", "left_alone"]
LEARNER = r"^[0-9a-f]{8}$"
MOST_RECEIPTS = 6
"""Of one scenario."""
MOST_LENGTH = 400


@dataclass(frozen=True)
class Receipt:
    """The clinic itself saw `case`, `how` and `at`, in seconds of UTC.

    The rest is as the browser had kept it up to then: who starts over has no `attempts` and no
    `hints` any more, and what was `shown` stays so.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    learner: Annotated[str, Field(pattern=LEARNER)]
    case: int
    how: How
    at: int
    attempts: int = 0
    hints: int = 0
    shown: bool = False
    id: str = field(default_factory=lambda: secrets.token_hex(8))


_RECEIPT: TypeAdapter[Receipt] = TypeAdapter(Receipt)


def signed(receipt: Receipt, seal: Seal) -> str:
    return seal.token("receipt", asdict(receipt))


def read(token: str, seal: Seal) -> Receipt:
    try:
        return _RECEIPT.validate_python(seal.opened("receipt", token))
    except ValidationError:
        raise Refused("other_version") from None
