"""Both pages as one gradio app, and what stands in their head."""

from collections.abc import Sequence
from importlib.resources import files

import gradio as gr

from debugger.settings import Settings
from debugger.web import api, catalogue
from debugger.web import clinic as clinic_page
from debugger.web.desk import Clinic
from debugger.web.markup import escape
from debugger.words import Words
from debugger.workers.sharing import Shared
from scenarios import Scenario

STYLES = ("base.css", "clinic.css")


def build(
    scenarios: Sequence[Scenario],
    engine: Shared,
    settings: Settings,
    words: Words,
    clinic: Clinic,
) -> gr.Blocks:
    title = words.say("page", "title")
    with gr.Blocks(title=title, analytics_enabled=False) as blocks:
        catalogue.build(blocks, scenarios, settings, words)
        for name, function in api.endpoints(scenarios, engine, settings, words):
            gr.api(function, api_name=name, concurrency_limit=settings.workers)  # pyright: ignore
    with blocks.route("Clinic", "/clinic", show_in_navbar=False):
        clinic_page.build(blocks, clinic)
    return blocks


def head(words: Words) -> str:
    static = files("debugger.web").joinpath("static")
    style = "".join(static.joinpath(name).read_text(encoding="utf-8") for name in STYLES)
    script = static.joinpath("clinic.js").read_text(encoding="utf-8")
    texts = {
        "title": words.say("page", "title"),
        "died": words.say("clinic", "died"),
        "back": words.say("clinic", "came_back"),
        "reload": words.say("clinic", "reload"),
    }
    said = " ".join(f'data-{name}="{escape(text)}"' for name, text in texts.items())
    return f'<meta name="clinic-words" {said}><style>{style}</style><script>{script}</script>'
