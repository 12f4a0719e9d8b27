"""What a class sees, as HTML. Pure functions; the answer is in none of it before the reveal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from string import ascii_uppercase

from debugger.catalogue import Scenario
from debugger.catalogue.scenario import Question, number_of
from debugger.evidence.markup import escape, folded, sentence
from debugger.outcome import STAGES
from debugger.room.lead import AFTER, PHASES, Lead
from debugger.room.naming import as_shown
from debugger.room.room import FLAGS, Seen, Student
from debugger.room.summary import tempting
from debugger.web.languages import linked
from debugger.web.room import measuring
from debugger.web.room.hall import Hall
from debugger.words import Words

KEYS = {"predict": "q", "votes": "v", "reveal": "u", "discuss": "w"}
TIMES = (60, 180, 300)
Screen = Callable[[Seen, Hall, Words], str]


def student(seen: Seen, hall: Hall, words: Words) -> str:
    """On the screen of who follows: the same for all, so that it is drawn once."""
    lead, scenario = seen.lead, hall.scenario(seen.lead.place, words.language)
    if lead.questions:
        return measuring.questions(seen, hall, words) + _flags(words)
    if scenario is None:
        return f"{measuring.told(seen, hall, words)}<p>{_say(words, 'wait')}</p>{_flags(words)}"
    parts = [measuring.told(seen, hall, words), _where(lead, scenario, words), _timer(lead)]
    question = _question(lead, scenario)
    if question is None:
        parts.append(f"<blockquote>{escape(scenario.words.complaint)}</blockquote>")
    elif lead.told:
        parts.append(_told(seen, question, words))
    else:
        parts.append(_ask(seen, question, words))
    parts.append(f"<p>{_open(lead, words)}</p>")
    return "".join([*parts, _flags(words)])


def board(seen: Seen, hall: Hall, words: Words) -> str:
    """For the wall: no name of anybody."""
    counted = _stages(seen, words) + _moods(seen, words)
    counted += measuring.wall(seen, hall, words)
    return _on_the_wall(seen, hall, words) + counted + _phases(seen.lead, words)


def strip(seen: Seen, hall: Hall, words: Words) -> str:
    """Above the instructor's clinic page, which may be on the wall too."""
    code = f'<p class="code">{_say(words, "code")} <b>{as_shown(seen.code)}</b></p>'
    here = f'<p class="here">{_say(words, "students", count=seen.people)}</p>'
    moods = _moods(seen, words)
    controls = f"{_phases(seen.lead, words)}{_together(seen.lead, words)}"
    desk = f'<a class="plain" href="{linked("class/lead", words)}">{_say(words, "desk")}</a>'
    question = ""
    if seen.lead.place.stage is not None:
        question = _wall_question(seen, hall, words)
    return (
        f'<div class="line">{code}{here}{moods}{_timer(seen.lead)}{controls}{desk}</div>{question}'
    )


def desk(seen: Seen, hall: Hall, words: Words) -> str:
    """The instructor's own: what she presses, and who is stuck, by name."""
    lead = seen.lead
    place = _on_the_wall(seen, hall, words)
    controls = (
        f'<div class="controls">{_phases(lead, words)}{_together(lead, words)}'
        f"{_times(lead, words)}</div>"
    )
    return (
        f"{controls}{place}{_stages(seen, words)}{_moods(seen, words)}"
        f"{_next(seen, hall, words)}{_tempting(seen, hall, words)}"
        f"{measuring.controls(seen, hall, words)}{_names(seen, words)}"
    )


def _say(words: Words, code: str, **numbers: object) -> str:
    return escape(words.say("class", code, **numbers))


def _question(lead: Lead, scenario: Scenario) -> Question | None:
    stage = lead.place.stage
    return None if stage is None else scenario.words.questions[stage]


def _where(lead: Lead, scenario: Scenario, words: Words) -> str:
    stage = lead.place.stage
    words = words.of(scenario.framework)
    named = words.say("stage", stage) if stage else words.say("clinic", "symptom")
    return f'<p class="where"><b>{escape(scenario.words.title)}</b> {escape(named)}</p>'


def _timer(lead: Lead) -> str:
    """Counted down by the page: nobody need be told each second."""
    return "" if lead.until is None else '<p class="timer" role="timer" data-until></p>'


def _ask(seen: Seen, question: Question, words: Words) -> str:
    asked = f"<h2>{escape(question.ask)}</h2>"
    choices = "".join(
        f'<li><button type="button" class="choice" data-vote="{shown}" aria-pressed="false">'
        f'<b class="letter">{ascii_uppercase[shown]}</b> <span>{escape(question.choices[n])}</span>'
        f"</button></li>"
        for shown, n in enumerate(seen.order)
    )
    note = _say(words, "on_the_wall" if seen.lead.phase == "votes" else "guess_first")
    told = f'<p class="dim">{note}</p><p class="mine" role="status" data-voted></p>'
    return f'{asked}<ol class="vote">{choices}</ol>{told}'


def _told(seen: Seen, question: Question, words: Words) -> str:
    """Right and wrong, each with its reason, and how many thought so."""
    return f"<h2>{escape(question.ask)}</h2>{_bars(seen, question, words, why=True)}"


def _on_the_wall(seen: Seen, hall: Hall, words: Words) -> str:
    scenario = hall.scenario(seen.lead.place, words.language)
    if scenario is None:
        return f'<p class="where">{_say(words, "pick")}</p>'
    head = _where(seen.lead, scenario, words) + _timer(seen.lead)
    if seen.lead.place.stage is None:
        return f"{head}<blockquote>{escape(scenario.words.complaint)}</blockquote>"
    return head + _wall_question(seen, hall, words)


def _wall_question(seen: Seen, hall: Hall, words: Words) -> str:
    """Before the votes are shown, only how many there are: nobody follows the others."""
    scenario = hall.scenario(seen.lead.place, words.language)
    question = _question(seen.lead, scenario) if scenario else None
    if question is None:
        return ""
    phase = seen.lead.phase
    answered = _say(words, "answered", count=seen.answered, of=len(seen.students))
    asked = f'<h2>{escape(question.ask)}</h2><p class="answered">{answered}</p>'
    bars = _bars(seen, question, words, why=phase == "discuss")
    return f'<section class="question {phase}">{asked}{bars}</section>'


def _bars(seen: Seen, question: Question, words: Words, why: bool) -> str:
    counts, told = seen.lead.phase != "predict", seen.lead.told
    listed = ""
    for shown, n in enumerate(seen.order):
        kind, mark, reason, bar = "", "", "", ""
        if told:
            kind = "right" if n == 0 else "wrong"
            sign, said = ("✓", "is_right") if n == 0 else ("✗", "is_wrong")
            mark = f'<span class="mark" aria-hidden="true">{sign}</span>'
            mark += f'<span class="sr">{_say(words, said)}</span>'
            reason = f'<p class="because">{sentence(question.because[n])}</p>' if why else ""
        if counts:
            share = round(100 * seen.counts[shown] / seen.answered) if seen.answered else 0
            votes = _say(words, "counted", count=seen.counts[shown], share=share)
            bar = f'<span class="bar" style="--share:{share}%"></span><b class="count">{votes}</b>'
        listed += (
            f'<li class="{kind}" data-shown="{shown}"><b class="letter">{ascii_uppercase[shown]}'
            f'</b><span class="text">{escape(question.choices[n])} {mark}</span>{bar}{reason}</li>'
        )
    return f'<ol class="bars">{listed}</ol>'


def _open(lead: Lead, words: Words) -> str:
    """To the same stage in the clinic: there the evidence is, once the answer is out."""
    address = f"clinic?case={number_of(lead.place.case)}"
    if lead.place.stage is not None:
        address += f"&stage={lead.place.stage}"
    label = _say(words, "see_evidence" if lead.told else "open_clinic")
    return f'<a class="go" data-clinic href="{linked(address, words)}">{label}</a>'


def _flags(words: Words) -> str:
    buttons = "".join(
        f'<button type="button" data-flag="{flag}" aria-pressed="false">{_say(words, flag)}'
        f"</button>"
        for flag in FLAGS
        if flag
    )
    return f'<div class="flags" role="group" aria-label="{_say(words, "flags")}">{buttons}</div>'


def _phases(lead: Lead, words: Words) -> str:
    off = lead.place.stage is None
    buttons = "".join(
        f'<button type="button" data-do="phase" data-with="{phase}" '
        f'data-key="{KEYS[phase]}" aria-pressed="{str(not off and phase == lead.phase).lower()}"'
        f"{' disabled' if off or phase not in (lead.phase, *AFTER[lead.phase]) else ''}>"
        f"{_say(words, phase)} <kbd>{KEYS[phase].upper()}</kbd></button>"
        for phase in PHASES
    )
    return f'<div class="phases" role="group" aria-label="{_say(words, "phases")}">{buttons}</div>'


def _together(lead: Lead, words: Words) -> str:
    def switch(act: str, on: bool, label: str) -> str:
        return (
            f'<button type="button" data-do="{act}" data-with="{int(not on)}" '
            f'aria-pressed="{str(on).lower()}">{_say(words, label)}</button>'
        )

    call = f'<button type="button" data-do="call">{_say(words, "call")}</button>'
    hand = f'<button type="button" data-do="hand" hidden>{_say(words, "hand")}</button>'
    return (
        f'<div class="together" role="group" aria-label="{_say(words, "together")}">'
        f"{switch('together', lead.together, 'follow_me')}"
        f"{switch('lock', lead.locked, 'lock')}{call}{hand}</div>"
    )


def _times(lead: Lead, words: Words) -> str:
    buttons = "".join(
        f'<button type="button" data-do="timer" data-with="{seconds}">'
        f"{_say(words, 'minutes', count=seconds // 60)}</button>"
        for seconds in TIMES
    )
    off = ""
    if lead.until is not None:
        off = (
            f'<button type="button" data-do="timer" data-with="0">{_say(words, "no_timer")}'
            f"</button>"
        )
    return (
        f'<div class="times" role="group" aria-label="{_say(words, "timer")}">'
        f"<span>{_say(words, 'timer')}</span>{buttons}{off}</div>"
    )


def _stages(seen: Seen, words: Words) -> str:
    """How many have which stage of this scenario open."""
    case = seen.lead.place.case
    at = Counter(one.at.stage for one in seen.students.values() if case and one.at.case == case)
    if not at:
        return ""
    listed = "".join(
        f'<li class="{"here" if stage == seen.lead.place.stage else ""}">'
        f"<b>{at[stage]}</b> <span>{escape(words.say('short', stage))}</span></li>"
        for stage in STAGES
    )
    head = f"<h3>{_say(words, 'who_where')}</h3>"
    return f'<section class="where-they-are">{head}<ol>{listed}</ol></section>'


def _moods(seen: Seen, words: Words) -> str:
    flags = Counter(one.flag for one in seen.students.values())
    return "".join(
        f'<p class="mood {flag}">{_say(words, f"count_{flag}", count=flags[flag])}</p>'
        for flag in FLAGS
        if flag
    )


def _next(seen: Seen, hall: Hall, words: Words) -> str:
    """The hint that most of those need who are stuck. Folded: her screen may be on the wall."""
    place = seen.lead.place
    scenario = hall.scenario(place, words.language)
    stuck = [one for one in seen.students.values() if one.flag == "stuck" and one.at == place]
    hints = scenario.words.hints if scenario else ()
    needed = Counter(one.hints for one in stuck if one.hints < len(hints))
    if not needed:
        return ""
    (had, count), *_ = needed.most_common(1)
    said = _say(words, "next_hint", count=count, number=had + 1)
    return folded(_say(words, "next"), f"<p>{said} {sentence(hints[had])}</p>")


def _tempting(seen: Seen, hall: Hall, words: Words) -> str:
    case = seen.lead.place.case
    here = {n: one for n, one in seen.students.items() if one.at.case == case}
    told = tempting(here, lambda case, repair: hall.wrong(case, repair, words))
    if not told:
        return ""
    listed = "".join(
        f"<li>{escape(one['repair'])} <b>{_say(words, 'students', count=one['students'])}</b></li>"
        for one in told
    )
    return f"<section><h3>{_say(words, 'tempting')}</h3><ul>{listed}</ul></section>"


def _names(seen: Seen, words: Words) -> str:
    """Who is stuck stands first."""
    if not seen.students:
        return f"<section><p>{_say(words, 'nobody_yet')}</p></section>"
    order = {"stuck": 0, "": 1, "ready": 2}
    listed = sorted(seen.students.items(), key=lambda one: (order[one[1].flag], one[0]))
    rows = "".join(_row(seen, number, one, words) for number, one in listed)
    heads = "".join(
        f'<th scope="col">{_say(words, head)}</th>' for head in ("name", "stage", "voted", "flag")
    )
    count = _say(words, "students", count=seen.people)
    return (
        f'<section><h3>{count}</h3><div class="rows" tabindex="0"><table><thead><tr>{heads}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div></section>"
    )


def _row(seen: Seen, number: int, one: Student, words: Words) -> str:
    name = escape(one.called) if one.called else _say(words, "no_name", number=number)
    name += f" ({_say(words, 'pair')})" if one.partner is not None else ""
    stage = escape(words.say("short", one.at.stage)) if one.at.stage else "–"
    voted = _say(words, "yes") if number in seen.voted else "–"
    flag = _say(words, one.flag) if one.flag else "–"
    return (
        f'<tr class="{one.flag}"><th scope="row">{name}</th><td>{stage}</td><td>{voted}</td>'
        f"<td>{flag}</td></tr>"
    )
