"""A script as a page shows it: numbered, coloured, findings under their lines; and diffs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from debugger.evidence.coloured import coloured
from debugger.evidence.markup import escape
from debugger.words import Words

_AROUND = 2
MOST_PAIRS = 500**2
"""Of lines between the first and the last that differ. To pair more could take minutes."""


def script(text: str, label: str, blamed: Mapping[int, Iterable[tuple[str, str]]]) -> str:
    """`blamed` holds for a line what to say under it: (severity, sentence as HTML)."""
    rows = []
    for number, line in enumerate(coloured(text.rstrip("\n")), 1):
        said = list(blamed.get(number, ()))
        kind = f" {said[0][0]}" if said else ""
        rows.append(
            f'<div class="row{kind}" id="line-{number}" tabindex="-1">'
            f'<span class="no" aria-hidden="true">{number}</span><code>{line or " "}</code></div>'
        )
        rows += [f'<div class="said {severity}">{sentence}</div>' for severity, sentence in said]
    return (
        f'<div class="code" role="region" aria-label="{escape(label)}" tabindex="0">'
        f"{''.join(rows)}</div>"
    )


def diff(before: str, after: str, label: str, words: Mapping[str, str]) -> str:
    """Both line numbers, a sign and a colour. `words` names `gone` and `new` for screen readers."""
    old, new = before.rstrip("\n").split("\n"), after.rstrip("\n").split("\n")
    was, now = coloured(before.rstrip("\n")), coloured(after.rstrip("\n"))
    rows: list[str] = []
    groups = _Compared(old, new).get_grouped_opcodes(_AROUND)
    for number, group in enumerate(groups):
        if number:
            rows.append('<tr class="gap"><td colspan="4">⋯</td></tr>')
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                pairs = zip(range(i1, i2), range(j1, j2), strict=True)
                rows += [_row("", str(i + 1), str(j + 1), "", was[i]) for i, j in pairs]
                continue
            gone, come = words["gone"], words["new"]
            rows += [_row("del", str(i + 1), "", _sign("−", gone), was[i]) for i in range(i1, i2)]
            rows += [_row("add", "", str(j + 1), _sign("+", come), now[j]) for j in range(j1, j2)]
    return (
        f'<div class="diff" role="region" aria-label="{escape(label)}" tabindex="0">'
        f"<table><tbody>{''.join(rows)}</tbody></table></div>"
    )


class _Compared(difflib.SequenceMatcher[str]):
    """Where very much differs, all that stands between the first and the last of it does."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._old, self._new = old, new

    def get_opcodes(self) -> list[Any]:
        old, new = self._old, self._new
        first = _same_at_first(old, new)
        last = _same_at_first(old[first:][::-1], new[first:][::-1])
        gone, come = len(old) - last, len(new) - last
        if (gone - first) * (come - first) <= MOST_PAIRS:
            return super().get_opcodes()
        return [
            ("equal", 0, first, 0, first),
            ("replace", first, gone, first, come),
            ("equal", gone, len(old), come, len(new)),
        ]


def _same_at_first(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (was, now) in pairs if was != now), min(len(old), len(new)))


def diff_words(words: Words) -> tuple[str, dict[str, str]]:
    """The label of a diff, and the words for its signs."""
    signs = {name: words.say("clinic", name) for name in ("gone", "new")}
    return words.say("clinic", "diff_label"), signs


def _row(kind: str, old: str, new: str, sign: str, line: str) -> str:
    return (
        f'<tr class="{kind}"><td class="no">{old}</td><td class="no">{new}</td>'
        f"<td>{sign}</td><td><code>{line or ' '}</code></td></tr>"
    )


def _sign(sign: str, word: str) -> str:
    return f'<span aria-hidden="true">{sign}</span><span class="sr">{escape(word)}</span>'
