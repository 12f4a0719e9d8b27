"""What stands on the pages of assignments and certificates, as HTML, all of it escaped. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from debugger.catalogue import Scenario
from debugger.evidence.markup import escape, folded
from debugger.homework.certificate import Certificate, Checked, Work, counted, stamp
from debugger.homework.receipt import Receipt
from debugger.homework.task import DAY, Task
from debugger.printing.certificate import why
from debugger.web.homework.frames import about
from debugger.web.languages import linked
from debugger.words import Words

Find = Callable[[int], Scenario | None]
"""A scenario by its number, in the language of the page."""
Reader = tuple[Words, int]
"""Who looks: in which words, and at which moment in seconds of UTC."""
_Row = tuple[str, Sequence[Any]]
"""What kind of row it is, and its cells as HTML, the first of which names it."""
HOUR, MINUTE = 3_600, 60
MARKS = {"in_time": "✓", "late": "✓", "unproved": "!", "not_yet": "·"}


def task(
    given: Task,
    states: Mapping[int, tuple[str, int | None]],
    token: str,
    find: Find,
    reader: Reader,
) -> str:
    """The assignment, with the state of each scenario and when it was solved."""
    words, now = reader
    solved = sum(state in ("in_time", "late") for state, _ in states.values())
    done = _say(words, "done_of", solved=solved, count=len(given.cases))
    listed = "".join(_case(case, *states[case], find(case), words) for case in given.cases)
    all_done = f"<p>{_say(words, 'all_done')}</p>" if solved == len(given.cases) else ""
    way = linked(f"certificate?of={token}", words)
    return (
        f'<h2>{escape(given.title)}</h2><p class="until">{_until(given, words, now)}</p>'
        f'<p class="answered">{done}</p><ol class="work">{listed}</ol>{all_done}'
        f'<p><a class="go" href="{way}">{_say(words, "to_certificate")}</a></p>'
    )


def states(
    given: Task, receipts: Sequence[Receipt], unproved: set[int]
) -> dict[int, tuple[str, int | None]]:
    """How far each scenario is: only a receipt says that one is solved, and when."""
    told: dict[int, tuple[str, int | None]] = {}
    for case in given.cases:
        times = [one.at for one in receipts if one.case == case]
        if times:
            told[case] = "late" if given.late(min(times)) else "in_time", min(times)
        else:
            told[case] = "unproved" if case in unproved else "not_yet", None
    return told


def certificate(
    made: Certificate, seal: str, refused: Counter[str], token: str, words: Words
) -> str:
    """The certificate to read and to print, and what is not in it. `token` is that of its task."""
    back = ""
    if token:
        address = linked(f"task?of={token}", words)
        back = f'<p class="back"><a href="{address}">{_say(words, "back")}</a></p>'
    left = "".join(
        f'<p class="found">{_say(words, "left_out", count=count, why=said)}</p>'
        for code, count in refused.items()
        if (said := words.say("homework", code))
    )
    if not made.work:
        return f"{left}<p>{_say(words, 'nothing_proved')}</p>{back}"
    head = f"<h2>{escape(made.name)}</h2>" if made.name else ""
    if made.task is not None:
        solved, of = counted(made)["solved"], len(made.task.cases)
        head += f"<p><b>{escape(made.task.title)}</b> · "
        head += f"{_say(words, 'done_of', solved=solved, count=of)}</p>"
    paper = words.say("homework", "paper", made=made.made, clinic=made.clinic, seal=seal)
    return (
        f"{left}<article>{head}{_table(made.work, words)}"
        f'<p class="dim">{_say(words, "as_kept")}</p><p class="dim">{escape(paper)}</p></article>'
        f"{back}"
    )


def checked(files: Sequence[Checked], of: int | None, words: Words) -> str:
    """All that were handed in, one line each, then what each holds. `of`: so many were asked."""
    genuine = sum(one.genuine for one in files)
    head = _say(words, "genuine_of", genuine=genuine, count=len(files))
    heads = ("file", "student", "result", "solved", "typed_count", "late_count", "last")
    table = _rows(heads, (_row(one, of, words) for one in files), words)
    return f"<h2>{head}</h2>{table}{''.join(_inside(one, words) for one in files)}"


def _say(words: Words, code: str, **numbers: object) -> str:
    return escape(words.say("homework", code, **numbers))


def _when(at: str) -> str:
    """The page says it in the reader's own time."""
    return f'<time datetime="{at}">{at[:10]} {at[11:16]} UTC</time>'


def _until(given: Task, words: Words, now: int) -> str:
    if given.until is None:
        return _say(words, "no_deadline")
    code, left = ("over", -1) if given.late(now) else ("until", given.until - now)
    parts = words.say("homework", code, time="\n").split("\n")
    said = _when(stamp(given.until)).join(map(escape, parts))
    if left < 0:
        return said
    unit, size = next(
        one
        for one in (("days", DAY), ("hours", HOUR), ("minutes", MINUTE))
        if left >= 2 * one[1] or one[1] == MINUTE
    )
    return f"{said} · {_say(words, f'left_{unit}', count=left // size)}"


def _case(case: int, state: str, at: int | None, scenario: Scenario | None, words: Words) -> str:
    if scenario is None:
        return f'<li class="not_yet">{_say(words, "gone", case=case)}</li>'
    when = "" if at is None else f" {_when(stamp(at))}"
    address = linked(f"clinic?case={case}", words)
    return (
        f'<li class="{state}"><span class="mark" aria-hidden="true">{MARKS[state]}</span>'
        f'<span><a href="{address}"><b>{escape(scenario.words.title)}</b></a> '
        f"<small>{escape(about(scenario, words))}</small></span>"
        f'<span class="state">{_say(words, state)}{when}</span></li>'
    )


def _table(work: Sequence[Work], words: Words) -> str:
    rows: list[_Row] = []
    for one in work:
        late = f' <b class="late">{_say(words, "is_late")}</b>' if one.late else ""
        name = f"{escape(one.title)} <small>{one.case}</small>"
        shown = _say(words, "yes" if one.finding_shown else "no")
        when = f"{_when(one.at)}{late}"
        rows.append(("", (name, _say(words, one.how), when, one.attempts, one.hints, shown)))
    return _rows(["scenario", "how", "when", "attempts", "hints", "shown"], rows, words)


def _rows(heads: Sequence[str], rows: Iterable[_Row], words: Words) -> str:
    """A table; where it is narrow each cell says its column's name itself."""
    names = [_say(words, head) for head in heads]
    named = "".join(f'<th scope="col">{name}</th>' for name in names)
    told = ""
    for kind, (first, *cells) in rows:
        told += f'<tr class="{kind}"><th scope="row">{first}</th>'
        for name, cell in zip(names[1:], cells, strict=True):
            told += f'<td data-head="{name}">{cell}</td>'
        told += "</tr>"
    return (
        f'<div class="rows" tabindex="0"><table><thead><tr>{named}</tr></thead>'
        f"<tbody>{told}</tbody></table></div>"
    )


def _row(one: Checked, of: int | None, words: Words) -> _Row:
    kind, said = ("genuine", _say(words, "genuine"))
    if not one.genuine:
        kind, said = "refused", f"{_say(words, 'refused')}: {escape(why(one, words))}"
    cells: list[Any] = ["–"] * 4
    name = "–"
    if one.certificate is not None:
        name = escape(one.certificate.name) or _say(words, "without_name")
        numbers, work = counted(one.certificate), one.certificate.work
        solved = f"{numbers['solved']} / {of}" if of is not None else numbers["solved"]
        last = _when(work[-1].at) if work else "–"
        cells = [solved, numbers["typed"], numbers["late"], last]
    return kind, (escape(one.file), name, said, *cells)


def _inside(one: Checked, words: Words) -> str:
    if one.certificate is None or not one.certificate.work:
        return ""
    name = one.certificate.name or words.say("homework", "without_name")
    return folded(escape(f"{one.file}: {name}"), _table(one.certificate.work, words))
