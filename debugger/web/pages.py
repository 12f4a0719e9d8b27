"""All pages as one gradio app, and what stands in their head."""

from collections.abc import Sequence
from importlib.resources import files

import gradio as gr

from debugger.catalogue import Scenario
from debugger.evidence.html import style as evidence_style
from debugger.evidence.markup import escape
from debugger.settings import Settings
from debugger.web import api, catalogue_page, clinic_page
from debugger.web.clinic import Clinic
from debugger.web.mine import page
from debugger.web.mine.bench import Bench
from debugger.web.room.shell import said as class_words
from debugger.words import Words, languages
from debugger.workers.sharing import Shared

STYLES = ("base.css", "clinic.css", "mine.css", "class.css")
SCRIPTS = ("clinic.js", "mine.js", "class.js")


def build(
    scenarios: Sequence[Scenario],
    engine: Shared,
    settings: Settings,
    clinic: Clinic,
    bench: Bench,
) -> gr.Blocks:
    title = Words().say("page", "title")
    with gr.Blocks(title=title, analytics_enabled=False) as blocks:
        catalogue_page.build(blocks, clinic)
        for name, function in api.endpoints(scenarios, engine, settings):
            gr.api(function, api_name=name, concurrency_limit=settings.workers)  # pyright: ignore
    with blocks.route("Clinic", "/clinic", show_in_navbar=False):
        clinic_page.build(blocks, clinic)
    with blocks.route("Mine", "/mine", show_in_navbar=False):
        page.build(blocks, bench)
    return blocks


def head() -> str:
    """Style, script, and what the script itself says, in every language."""
    static = files("debugger.web").joinpath("static")
    styles = [static.joinpath(name).read_text(encoding="utf-8") for name in STYLES]
    style = "".join([*styles, evidence_style()])
    script = "".join(static.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)
    said = "".join(_texts(Words(language)) for language in languages())
    said += class_words()
    return f"{said}<style>{style}</style><script>{script}</script>"


def _texts(words: Words) -> str:
    texts = {
        "title": words.say("page", "title"),
        "died": words.say("clinic", "died"),
        "back": words.say("clinic", "came_back"),
        "reload": words.say("clinic", "reload"),
    }
    said = " ".join(f'data-{name}="{escape(text)}"' for name, text in texts.items())
    return f'<meta name="clinic-words" lang="{words.language}" {said}>'
