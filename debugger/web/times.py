"""When something was done, as a browser keeps it: UTC as text, so that the later is the greater."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field


def _real(text: str) -> str:
    datetime.fromisoformat(text)
    return text


PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
When = Annotated[str, Field(pattern=PATTERN), AfterValidator(_real)]


def stamp(now: datetime) -> When:
    return f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def this_moment() -> datetime:
    return datetime.now(UTC)


def days_since(when: When, now: datetime) -> int:
    """Whole days; fewer than none where a clock was wrong."""
    return (now - datetime.fromisoformat(when)).days
