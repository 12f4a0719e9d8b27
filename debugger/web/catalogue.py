"""The first page: what is wrong with these scripts? Found out at the command line, for now."""

from collections.abc import Sequence
from html import escape

import gradio as gr

from debugger.outcome import STAGES
from debugger.words import Words
from scenarios import Scenario

MOST_DIFFICULT = 3


def page(scenarios: Sequence[Scenario], words: Words) -> gr.Blocks:
    with gr.Blocks(title=words.say("page", "title"), analytics_enabled=False) as blocks:
        gr.HTML(catalogue(scenarios, words), elem_id="catalogue", apply_default_css=False)
    return blocks


def catalogue(scenarios: Sequence[Scenario], words: Words) -> str:
    """Every scenario as a card, in the catalogue's order. All that a file holds is escaped."""

    def say(code: str) -> str:
        return escape(words.say("page", code))

    cards = "".join(_card(scenario, words) for scenario in scenarios)
    stages = "".join(
        f"<li><b>{stage}</b> <span>{escape(words.say('stage', stage))}</span></li>"
        for stage in STAGES
    )
    listed = f'<ul class="cards">{cards}</ul>' if cards else f"<p>{say('none')}</p>"
    return (
        f"<header><h1>{say('title')}</h1></header>"
        f'<p class="lead">{say("lead")}</p>'
        f'<section aria-labelledby="scenarios"><h2 id="scenarios">{say("scenarios")}</h2>'
        f'<p class="hint">{say("in_browser")}</p>{listed}</section>'
        f'<section aria-labelledby="stages"><h2 id="stages">{say("stages")}</h2>'
        f'<ol class="stages">{stages}</ol></section>'
    )


def _card(scenario: Scenario, words: Words) -> str:
    level = words.say("page", "level", difficulty=scenario.difficulty)
    dots = "".join(
        f'<i class="{"on" if number < scenario.difficulty else ""}"></i>'
        for number in range(MOST_DIFFICULT)
    )
    command = f"python -m debugger run {scenario.id}"
    return (
        f'<li class="card"><h3>{escape(scenario.words.title)}</h3>'
        f"<p>{escape(scenario.words.complaint)}</p>"
        f'<p class="facts">'
        f'<span class="level" role="img" aria-label="{escape(level)}">{dots}</span>'
        f"<span>{escape(words.say('page', 'minutes', minutes=scenario.minutes))}</span>"
        f'<span class="tag">{escape(words.say("page", scenario.framework))}</span></p>'
        f'<p class="course"><a href="{escape(scenario.course.url)}" rel="noreferrer">'
        f"{escape(scenario.course.title)}</a></p>"
        f"<code>{escape(command)}</code></li>"
    )
