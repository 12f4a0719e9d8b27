"""What is asked for by address alone: /health for the host, and files to take away."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from debugger.export import notebook
from debugger.settings import Settings
from debugger.web.desk import Clinic
from debugger.workers.local import LocalEngine
from scenarios import Scenario, ScenarioError


class Ahead:
    """Starts what a visitor of a scenario asks for first while the page is still on its way."""

    def __init__(self, app: ASGIApp, clinic: Clinic) -> None:
        self._app, self._clinic = app, clinic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith("/clinic"):
            asked = parse_qs(scope["query_string"].decode(errors="replace"))
            self._clinic.prepare(asked.get("scenario", [""])[-1])
        await self._app(scope, receive, send)


def routes(found: Sequence[Scenario], settings: Settings, engine: LocalEngine) -> list[Any]:
    known = {scenario.id: scenario for scenario in found}

    async def health(_: Request) -> Response:
        status = engine.status()
        del status["zygote_pid"]
        told = {"status": "ok", "scenarios": len(found), "assets": settings.assets}
        return JSONResponse(told | {"engine": status})

    async def script(request: Request) -> Response:
        scenario = known.get(request.path_params["name"])
        changes = [name for name in request.query_params.get("fixes", "").split(",") if name]
        try:
            text = scenario.changed(changes) if scenario else None
        except ScenarioError:
            text = None
        if text is None:
            return PlainTextResponse("There is no such script.", 404)
        return PlainTextResponse(text, media_type="text/x-python")

    async def as_notebook(request: Request) -> Response:
        scenario = known.get(request.path_params["name"])
        if scenario is None:
            return PlainTextResponse("There is no such notebook.", 404)
        return JSONResponse(notebook(scenario), media_type="application/x-ipynb+json")

    return [
        Route("/health", health),
        Route("/take/{name}.py", script),
        Route("/take/{name}.ipynb", as_notebook),
    ]
