"""What is asked for by address alone: /health for the host, and files to take away."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from debugger.catalogue import Scenario, translated
from debugger.export import notebook
from debugger.settings import Settings
from debugger.web.clinic import Clinic
from debugger.web.guard import known as known_here
from debugger.web.languages import language_of
from debugger.web.visit import changes_in, scenario_named
from debugger.words import Words
from debugger.workers import Engine


class Ahead:
    """Starts what a visitor of a scenario asks for first while the page is still on its way."""

    def __init__(self, app: ASGIApp, clinic: Clinic) -> None:
        self._app, self._clinic = app, clinic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith("/clinic"):
            asked = parse_qs(scope["query_string"].decode(errors="replace"))
            self._clinic.prepare((asked.get("case") or asked.get("scenario") or [""])[-1])
        await self._app(scope, receive, send)


def _language(request: Request) -> str:
    return language_of(request.url.query, request.headers.get("accept-language"))


def routes(found: Sequence[Scenario], settings: Settings, engine: Engine) -> list[Any]:
    known = {scenario.id: scenario for scenario in found}
    said = Words()  # the host's page, in English

    async def health(request: Request) -> Response:
        if settings.login and not known_here(request.scope):
            return JSONResponse({"status": "ok"})
        status = engine.status()
        for private in ("pids", "troubles"):
            status.pop(private, None)
        if "nodes" in status:
            status["nodes"] = len(status["nodes"])
        status["failures"] = {name: said.finding(it) for name, it in status["failures"].items()}
        if waiting := status.get("full"):
            status["full"] = said.say("waiting", "full", waiting=waiting)
        stopping = status.get("stopping", False)
        state = "stopping" if stopping else "ok"
        told = {"status": state, "scenarios": len(found), "assets": settings.assets}
        return JSONResponse(told | {"engine": status}, 503 if stopping else 200)

    def nothing(request: Request) -> Response:
        return PlainTextResponse(Words(_language(request)).say("clinic", "no_file"), 404)

    async def script(request: Request) -> Response:
        scenario = scenario_named(request.path_params["name"], known)
        changes = changes_in(request.query_params, scenario) if scenario else None
        if scenario is None or changes is None:
            return nothing(request)
        return PlainTextResponse(scenario.changed(changes), media_type="text/x-python")

    async def as_notebook(request: Request) -> Response:
        scenario = scenario_named(request.path_params["name"], known)
        if scenario is None:
            return nothing(request)
        language = _language(request)
        told = notebook(translated(scenario, language), language)
        return JSONResponse(told, media_type="application/x-ipynb+json")

    return [
        Route("/health", health),
        Route("/take/{name}.py", script),
        Route("/take/{name}.ipynb", as_notebook),
    ]
