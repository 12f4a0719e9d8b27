"""The first page: what the clinic is, where to start, and every scenario under its symptom."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

import gradio as gr

from debugger.catalogue import Scenario
from debugger.catalogue.scenario import Symptom
from debugger.evidence.markup import escape
from debugger.frameworks import NAMES
from debugger.web.buttons import button
from debugger.web.clinic import Clinic
from debugger.web.host import Closed
from debugger.web.languages import choice, language_of, linked
from debugger.web.progress import band, learnt, path
from debugger.web.progress_file import RecordError, export_record, import_record, merged
from debugger.web.times import stamp, this_moment
from debugger.web.visit import KEPT, Record, read_record, scenario_named
from debugger.words import Words, spoken

SYMPTOMS = get_args(Symptom)
MOST_DIFFICULT = 3
START_WITH = "two_labels"
PRESSED = """
element.dataset.listens = '';
element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-act]');
  if (!button || !window.clinic.sure(button)) return;
  window.clinic.expect();
  const about = {act: button.dataset.act, in: document.documentElement.lang};
  const tell = (text) => trigger('click', {...about, with: text, kept: window.clinic.kept()});
  if (button.dataset.act === 'import') window.clinic.choose(tell);
  else tell(button.dataset.with);
});
"""


def build(blocks: gr.Blocks, clinic: Clinic) -> None:
    """Fill the page at /."""
    kept = gr.Textbox(visible=False)  # filled by the browser when it arrives
    page = gr.HTML(elem_id="catalogue", apply_default_css=False, js_on_load=PRESSED)

    def page_in(language: str, record: Record, said: str = "") -> str:
        scenarios = list(clinic.shelf(language).values())
        return first_page(scenarios, Words(language), record, clinic.closed, said)

    def arrive(kept: str, request: gr.Request) -> str:
        accepted = request.headers.get("accept-language")
        return page_in(language_of(str(request.query_params), accepted), read_record(kept))

    def press(told: gr.EventData) -> str:
        words = Words(spoken([str(told._data.get("in", ""))]))
        record, said, told_back = read_record(str(told._data.get("kept", ""))), "", ""
        with_ = str(told._data.get("with", ""))
        match told._data.get("act"):
            case "import":
                try:
                    loaded, wrong = import_record(with_[:1_000_000])
                    new = len(loaded.solved - record.solved)
                    record = merged(record, loaded)
                    said = words.say("page", "imported", solved=len(record.solved), new=new)
                    said += left_out(wrong, clinic.shelf(words.language), words)
                    told_back = _hidden("store", export_record(record))
                except RecordError as error:
                    reason = words.say("page", error.code)
                    said = words.say("page", "not_imported", reason=reason)
            case "export":
                told_back = _hidden("save", export_record(record))
            case "forget":
                record = read_record("")
                said = words.say("page", "forgotten")
                told_back = _hidden("store", export_record(record))
            case "again":
                scenario = scenario_named(with_, clinic.known)
                if scenario is not None and scenario.id in record.solved:
                    record = record.restarted(scenario.id, stamp(this_moment()))
                    address = linked(f"clinic?case={scenario.number}", words)
                    told_back = _hidden("store", export_record(record)) + _hidden("open", address)
        return page_in(words.language, record, said) + told_back

    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    blocks.load(arrive, kept, page, js=KEPT, queue=False, **private)
    page.click(press, None, page, queue=False, **private)


def _hidden(name: str, text: str) -> str:
    """For the page's own script: `save` as a file, `store` in this browser, `open` an address."""
    return f'<span hidden data-{name}="{escape(text)}"></span>'


def left_out(wrong: Sequence[str], known: Mapping[str, Scenario], words: Words) -> str:
    """Which cases of a file nobody understood, by their titles."""
    if not wrong:
        return ""
    of_none = words.say("page", "of_no_scenario")
    titles = [known[name].words.title if name in known else of_none for name in wrong]
    listed = "; ".join(dict.fromkeys(titles))
    return " " + words.say("page", "left_out", count=len(wrong), titles=listed)


def first_page(
    scenarios: Sequence[Scenario],
    words: Words,
    record: Record,
    closed: Mapping[str, Closed] | None = None,
    said: str = "",
    now: datetime | None = None,
) -> str:
    """A column for each symptom: it is all that a learner knows at the start. All is escaped.

    `closed` holds the scenarios whose symptom this machine cannot show, and why. `now` is this
    moment, unless another is given.
    """
    closed = closed or {}

    def say(code: str, **numbers: object) -> str:
        return escape(words.say("page", code, **numbers))

    columns = "".join(
        f'<section aria-labelledby="{symptom}" class="{symptom}">'
        f'<h2 id="{symptom}">{say(symptom)}</h2><ul class="cards">{cards}</ul></section>'
        for symptom in SYMPTOMS
        if (
            cards := "".join(
                _card(scenario, words, record, closed.get(scenario.id))
                for scenario in scenarios
                if scenario.symptom == symptom
            )
        )
    )
    listed = f'<div class="columns">{columns}</div>' if columns else f"<p>{say('none_at_all')}</p>"
    start = next((s.number for s in scenarios if s.id == START_WITH), 0)
    link, demo = (linked(f"clinic?case={start}{more}", words) for more in ("", "&demo=1"))
    doors = (
        f'<a class="go" href="{demo}">{say("demo")}</a>'
        f'<a class="plain" href="{link}">{say("start")}</a>'
        if start
        else ""
    )
    own = escape(words.say("mine", "door"))
    class_, join = (escape(words.say("class", code)) for code in ("start", "join_door"))
    doors += f'<a class="plain" href="{linked("mine", words)}">{own}</a>'
    doors += f'<a class="plain" href="{linked("class/lead", words)}">{class_}</a>'
    doors += f'<a class="plain" href="{linked("class", words)}">{join}</a>'
    doors = f'<p class="doors">{doors}</p>'
    theme = f'<button type="button" data-theme>{escape(words.say("clinic", "theme"))}</button>'
    missing = {s.framework for s in scenarios if closed.get(s.id) == "framework_missing"}
    note = "".join(
        f'<p class="note">{escape(words.of(name).say("page", "framework_missing"))}</p>'
        for name in NAMES
        if name in missing
    )
    here = [scenario for scenario in scenarios if scenario.id not in closed]
    begun = any(scenario.id in record.cases for scenario in scenarios)
    way = band(here, words, record, now or this_moment()) if begun else ""
    skills = "" if begun else path(words)
    filters = _filters(scenarios, words, bool(closed)) + note
    return (
        f'<header class="bar" data-said-in="{words.language}"><h1>{say("title")}</h1>{skills}'
        f'<div class="tools">{choice(words)}{theme}</div></header>'
        f'<div class="lead"><p>{say("lead")}</p>{doors}</div>'
        f"{way}{filters}{listed}{_progress(scenarios, words, record, said)}"
    )


def _filters(scenarios: Sequence[Scenario], words: Words, closed: bool) -> str:
    levels = [("", words.say("page", "every_level"))]
    levels += [(str(n), words.say("page", "level", difficulty=n)) for n in (1, 2, 3)]
    if len({scenario.framework for scenario in scenarios}) > 1:
        levels += [(name, words.of(name).say("page", "framework")) for name in NAMES]
    levels += [("open", words.say("page", "unsolved"))]
    levels += [("here", words.say("page", "shown_here"))] if closed else []
    chips = "".join(
        f'<button type="button" data-filter="{value}" aria-pressed="{str(not value).lower()}">'
        f"{escape(label)}</button>"
        for value, label in levels
    )
    label = escape(words.say("page", "filter"))
    return f'<div class="chips" role="group" aria-label="{label}">{chips}</div>'


def _card(scenario: Scenario, words: Words, record: Record, closed: Closed | None) -> str:
    words = words.of(scenario.framework)
    level = words.say("page", "level", difficulty=scenario.difficulty)
    dots = "".join(
        f'<i class="{"on" if number < scenario.difficulty else ""}"></i>'
        for number in range(MOST_DIFFICULT)
    )
    solved = scenario.id in record.solved
    mark = f'<span class="solved">✓ {escape(words.say("page", "solved"))}</span>' if solved else ""
    here = (
        f'<span class="tag start">{escape(words.say("page", "start_here"))}</span>'
        if scenario.id == START_WITH and not solved
        else ""
    )
    wants = ["needs_cuda"] if scenario.needs else []
    wants += ["needs_framework"] if closed == "framework_missing" else []
    needs = "".join(f'<span class="tag">{escape(words.say("page", want))}</span>' for want in wants)
    complaint = scenario.words.complaint
    return (
        f'<li class="card" data-level="{scenario.difficulty}" data-solved="{int(solved)}" '
        f'data-framework="{scenario.framework}" data-closed="{int(closed is not None)}">'
        f'<a href="{linked(f"clinic?case={scenario.number}", words)}" id="case-{scenario.number}">'
        f"<h3>{escape(scenario.words.title)} {here}</h3><p>{escape(complaint)}</p>"
        f'<span class="facts"><span class="level" role="img" aria-label="{escape(level)}">{dots}'
        f"</span><span>{escape(words.say('page', 'minutes', minutes=scenario.minutes))}</span>"
        f"<span>{escape(words.say('page', 'framework'))}</span>"
        f"<span>{escape(_section(scenario, words))}</span>"
        f"{needs}{mark}</span></a></li>"
    )


def _section(scenario: Scenario, words: Words) -> str:
    """The course section in two numbers; its title in full where it names none."""
    numbers = re.search(r"chapter (\d+), section (\d+)", scenario.course.title)
    if numbers is None:
        return scenario.course.title
    return words.say("page", "section", chapter=numbers[1], section=numbers[2])


def _progress(scenarios: Sequence[Scenario], words: Words, record: Record, said: str) -> str:
    def say(code: str, **numbers: object) -> str:
        return escape(words.say("page", code, **numbers))

    solved = sum(scenario.id in record.solved for scenario in scenarios)
    buttons = (
        button(say("export"), "export", kind="plain")
        + button(say("import"), "import", kind="plain")
        + button(say("forget"), "forget", kind="plain", data_ask=words.say("page", "forget_sure"))
    )
    way = linked("certificate", words)
    buttons += (
        f'<a href="{way}">{escape(words.say("homework", "certificate"))}</a>' if solved else ""
    )
    head = say("progress", solved=solved, of=len(scenarios)) if solved else say("no_progress")
    done = learnt(scenarios, words, record)
    done = f'<div class="learnt">{done}</div>' if done else ""
    return (
        f'<section class="progress" aria-labelledby="progress"><h2 id="progress">{head}</h2>'
        f"{done}<p>{say('kept_here')}</p>"
        f'<p>{buttons}</p><p role="status">{escape(said)}</p></section>'
    )
