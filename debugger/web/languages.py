"""Which language a visit is in, and the way to another one."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request

from debugger.evidence.markup import escape
from debugger.words import Words, languages, spoken

MOST_ACCEPTED = 20


def language_of(query: str, accepted: str | None = None) -> str:
    """The `lang` of an address, else what the browser accepts, else English."""
    asked = parse_qs(query.lstrip("?")).get("lang", [])
    return spoken([*asked[-1:], *_preferred(accepted or "")])


def words_for(request: Request) -> Words:
    """In the language of who asks."""
    return Words(language_of(request.url.query, request.headers.get("accept-language")))


def _preferred(accepted: str) -> list[str]:
    """The tags of an Accept-Language header, what is wanted most first."""
    weighed: list[tuple[float, str]] = []
    for part in accepted.split(",")[:MOST_ACCEPTED]:
        tag, _, weight = part.partition(";q=")
        try:
            weighed.append((float(weight or 1), tag.strip()))
        except ValueError:
            continue
    return [tag for weight, tag in sorted(weighed, key=lambda one: -one[0]) if weight > 0]


def linked(address: str, words: Words) -> str:
    """An address within the clinic, for an attribute; it keeps the language of this visit."""
    if len(languages()) > 1:
        address += f"{'&' if '?' in address else '?'}lang={words.language}"
    return escape(address)


def choice(words: Words) -> str:
    """The languages there are, to choose from; nothing where there is no choice."""
    if len(languages()) == 1:
        return ""
    options = "".join(
        f'<option value="{tag}" lang="{tag}"{" selected" if tag == words.language else ""}>'
        f"{escape(name)}</option>"
        for tag, name in languages().items()
    )
    label = escape(words.say("page", "language"))
    return f'<select data-language aria-label="{label}" autocomplete="off">{options}</select>'
