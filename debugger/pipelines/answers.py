"""Answers that stand in a text: do the tokens that are marked say what the answer says?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from debugger.pipelines.lineage import origins

MOST_ROWS = 300
STANDS, GONE = 0.95, 0.5
_STARTS = ("answer_start", "start_char", "answer_start_char", "start")


@dataclass(frozen=True)
class Answers:
    """Of `rows` whose answer is known, `other` have other words marked: the first `read` for
    `wanted`. `counted_at` is the line that made the text another than the places were counted in;
    `in_text`: in the text that the script began with, the answer stands at its place. `in_first` of
    the other rows have the answer in the first of two texts, and the marks in the second."""

    rows: int
    other: int
    read: str = ""
    wanted: str = ""
    counted_at: int | None = None
    in_text: bool = True
    in_first: int = 0

    @property
    def in_other_text(self) -> bool:
        """The places were counted in another text than the tokens were made of."""
        return self.counted_at is not None or not self.in_text


def answers_of(
    values: Mapping[str, Sequence[Any]], ids: Sequence[Any] | None, tokenizer: Any, dataset: Any
) -> Answers | None:
    """None where no column tells the answers, or no other row could be read."""
    starts, ends = values.get("start_positions"), values.get("end_positions")
    wanted = list(_wanted(values))
    if not ids or starts is None or ends is None or tokenizer is None:
        return None
    if not wanted or not len(wanted) == len(ids) == len(starts) == len(ends):
        return None
    unknown = getattr(tokenizer, "unk_token_id", None)
    rows, wrong, in_first = 0, [], 0
    places = zip(ids, starts, ends, [[said for said, _ in one] for one in wanted], strict=True)
    for row, start, end, said in list(places)[:MOST_ROWS]:
        piece = list(row[start : end + 1]) if isinstance(start, int) and 0 < start <= end else []
        if not piece or not any(map(_letters, said)) or unknown in piece:
            continue
        read = tokenizer.decode(piece)
        rows += 1
        if not any(_alike(_letters(one), _letters(read)) for one in said):
            wrong.append((read, said[0]))
            in_first += _stands_before(row, start, said[0], tokenizer)
    if not rows:
        return None
    counted_at, in_text = _counted(dataset)
    read, first = wrong[0] if wrong else ("", "")
    return Answers(rows, len(wrong), read, first, counted_at, in_text, in_first)


def _stands_before(row: Sequence[Any], start: int, wanted: str, tokenizer: Any) -> bool:
    """Whether an answer stands in the text before the one that is marked, and not in that."""
    between = getattr(tokenizer, "sep_token_id", None)
    if between is None or between not in row[:start]:
        return False
    end = list(row).index(between)
    before, behind = (_letters(tokenizer.decode(list(one))) for one in (row[:end], row[end:]))
    return _letters(wanted) in before and _letters(wanted) not in behind


def _alike(wanted: str, read: str) -> bool:
    """A tokenizer may join an answer to what stands beside it, or hold less of it."""
    return bool(wanted and read) and (wanted in read or read in wanted)


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.lower())
    return re.sub(r"[\W_]+", "", "".join(c for c in plain if not unicodedata.combining(c)))


def _wanted(values: Mapping[str, Sequence[Any]]) -> Iterator[list[tuple[str, int]]]:
    """Of each row the answers, each with the letter that it begins at: as SQuAD has them, or as
    two columns."""
    for column in values.values():
        first = column[0] if len(column) else None
        if isinstance(first, dict) and {"text", "answer_start"} <= set(first):
            for row in column:
                texts, places = row["text"], row["answer_start"]
                several = isinstance(texts, (list, tuple))
                yield list(zip(texts, places, strict=False)) if several else [(texts, places)]
            return
    start = next((values[name] for name in _STARTS if name in values), None)
    said = next((c for n, c in values.items() if "answer" in n and _all(c, str)), None)
    if start is not None and said is not None and _all(start, int):
        yield from ([(text, place)] for text, place in zip(said, start, strict=True))


def _all(column: Sequence[Any], kind: type) -> bool:
    return bool(len(column)) and all(isinstance(one, kind) for one in column)


def _counted(dataset: Any) -> tuple[int | None, bool]:
    """The call that moved the answers away in the text, and whether they stood there before it."""
    stood = None
    for origin in origins(dataset):
        with suppress(Exception):  # a set that was closed since: then it tells nothing
            here, before = _standing(origin.after), _standing(origin.before)
            if before is not None:
                stood = before
            if here is not None and before is not None and here < GONE and before >= STANDS:
                return origin.line, True
    return None, stood is None or stood >= STANDS


def _standing(dataset: Any) -> float | None:
    """The share of rows where the answer stands in a text at its own place."""
    rows = dataset.with_format(None)[:MOST_ROWS]
    wanted = list(_wanted(rows))
    texts = [c for n, c in rows.items() if _all(c, str) and "answer" not in n]
    if not wanted or not texts:
        return None
    shares = []
    for column in texts:
        pairs = [(text, one) for text, row in zip(column, wanted, strict=True) for one in row]
        hits = sum(text[place : place + len(said)] == said for text, (said, place) in pairs)
        shares.append(hits / max(1, len(pairs)))
    return max(shares)
