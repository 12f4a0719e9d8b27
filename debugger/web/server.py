"""Serves the pages on one address, with /health beside them."""

import gc
import os
import socket
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING

from debugger.settings import SettingError, Settings
from debugger.settings import read as read_settings
from debugger.words import Words

if TYPE_CHECKING:
    from gradio import Blocks
    from gradio.themes import Base

    from debugger.catalogue import Scenario
    from debugger.catalogue.recordings import Recording
    from debugger.workers.lease import Lend

FAILED, USAGE = 1, 64
QUEUE_SECONDS = 0.02
"""How often gradio looks for presses. Its own 0.001 costs an idle machine a tenth of a core."""
PRIVATE: Mapping[str, str] = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def serve() -> int:
    """Start the app and stay until it is stopped. The exit status says why it could not start."""
    from debugger import catalogue

    words = Words()
    if sys.platform != "linux":
        print(words.say("cli", "needs_linux"), file=sys.stderr)
        return USAGE
    if find_spec("gradio") is None:
        print(words.say("page", "no_gradio"), file=sys.stderr)
        return USAGE
    try:
        settings = read_settings()
        found = catalogue.every()
        recorded = _recorded(found, settings)
    except (SettingError, catalogue.ScenarioError) as error:
        print(words.say("page", "setting", reason=error), file=sys.stderr)
        return USAGE
    if settings.zero_gpu and find_spec("spaces") is None:
        print(words.say("page", "no_spaces"), file=sys.stderr)
        return USAGE
    if settings.mcp and find_spec("mcp") is None:
        print(words.say("page", "no_mcp"), file=sys.stderr)
        return USAGE
    try:
        _try_port(settings)
    except OSError as error:
        reason = error.strerror or error
        print(
            words.say("page", "port_in_use", host=settings.host, port=settings.port, reason=reason),
            file=sys.stderr,
        )
        return FAILED
    _keep_to_ourselves(settings)
    with suppress(KeyboardInterrupt):  # Ctrl-C may come before gradio waits for it
        try:
            _launch(settings, found, recorded, words)
        except SettingError as error:
            print(words.say("page", "setting", reason=error), file=sys.stderr)
            return USAGE
    return 0


def _recorded(
    found: "Sequence[Scenario]", settings: Settings
) -> "list[tuple[Scenario, Recording]]":
    """The recordings of what this machine cannot show, or not to everybody."""
    from debugger.catalogue import recordings
    from debugger.web.host import lent, why_closed

    hidden = [one for one in found if why_closed(one, settings) or lent(one, settings)]
    read = ((scenario, recordings.read(scenario)) for scenario in hidden)
    return [(scenario, recording) for scenario, recording in read if recording is not None]


def _try_port(settings: Settings) -> None:
    """Raise OSError where gradio would search on, or fail with a trace."""
    family, kind, number, _, address = socket.getaddrinfo(
        settings.host, settings.port, type=socket.SOCK_STREAM
    )[0]
    with socket.socket(family, kind, number) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def _keep_to_ourselves(settings: Settings) -> None:
    """Must come before gradio is imported, which reads these once."""
    os.environ.update(PRIVATE)
    if settings.assets == "bundled":
        os.environ["HF_HUB_OFFLINE"] = "1"


def _lender(settings: Settings) -> "Lend | None":
    """On ZeroGPU. It must come before gradio is imported, and before anything that has CUDA."""
    if not settings.zero_gpu:
        return None
    from debugger.web.zero import lender

    return lender(settings)


def _launch(
    settings: Settings,
    found: "Sequence[Scenario]",
    recorded: "Sequence[tuple[Scenario, Recording]]",
    words: Words,
) -> None:
    lend = _lender(settings)
    gc.disable()  # what is made up to here stays for good: looking for garbage costs half a second
    from starlette.middleware import Middleware

    from debugger import workers
    from debugger.homework.seal import Seal
    from debugger.web.clinic import Clinic
    from debugger.web.guard import Guard
    from debugger.web.homework.doors import Doors as Homework
    from debugger.web.mine.bench import Bench
    from debugger.web.pages import build, head
    from debugger.web.room.doors import Doors
    from debugger.web.room.hall import Hall
    from debugger.web.routes import Ahead, routes
    from debugger.web.stopping import Told, stop
    from debugger.workers.lease import Leased
    from debugger.workers.ledger import Ledger
    from debugger.workers.sharing import Shared
    from debugger.workers.store import store_of

    with workers.started(settings) as engine:
        asked = Leased(engine, lend, [s.script for s in found if s.needs]) if lend else engine
        ledger, store = Ledger(asked), store_of(settings)
        shared = Shared(ledger, store=store)
        seal = Seal(settings.key, settings.key_file)
        clinic = Clinic(found, shared, settings, recorded, engine.status, seal)
        bench = Bench(shared, settings, engine.status, clinic.bounds)
        blocks = build(found, shared, settings, clinic, bench)
        ahead = [Middleware(Guard, settings)]
        ahead += [] if settings.login else [Middleware(Ahead, clinic)]
        rooms = Doors(Hall(clinic, settings))
        answered = [*routes(found, settings, engine), *rooms.routes()]
        answered += Homework(clinic, seal).routes()
        if settings.host_token:
            from debugger.web.watch.routes import routes as watching
            from debugger.web.watch.seen import Watched

            answered += watching(Watched(engine, ledger, shared, store), settings.host_token)
        _queue(blocks, settings)
        warnings.filterwarnings("ignore", "'HTTP_422", module="gradio")  # told at every press
        with redirect_stdout(StringIO()):  # gradio tells of its MCP server in words of its own
            blocks.launch(
                server_name=settings.host,
                server_port=settings.port,
                theme=_theme(),
                head=head(),
                app_kwargs={"routes": answered, "middleware": ahead},
                footer_links=[],
                auth=settings.login,
                ssr_mode=False,
                mcp_server=settings.mcp,
                share=False,
                state_session_capacity=settings.sessions,
                quiet=True,
                prevent_thread_lock=True,
            )
        told = Told()
        gc.freeze()
        gc.enable()
        # After the first page can be had: importing torch takes the other core.
        engine.warm({scenario.framework for scenario in found})
        print(words.say("page", "ready", host=settings.host, port=settings.port), flush=True)
        if settings.mcp:
            print(words.say("page", "mcp", host=settings.host, port=settings.port), flush=True)
        told.wait()
        stop(blocks, engine, rooms.close)
        if store is not None:
            store.close()


def _queue(blocks: "Blocks", settings: Settings) -> None:
    from debugger.web.forgetting import forget

    blocks.queue(default_concurrency_limit=64, max_size=settings.sessions)  # on ZeroGPU: 1
    blocks._queue.sleep_when_free = QUEUE_SECONDS
    # A table of every press since the start, made anew at each: half a letter in the name of
    # one session is enough for it to fail at all that follow. Nobody reads it.
    blocks._queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize
    forget(blocks)


def _theme() -> "Base":
    from gradio.themes import Base, LocalFont

    fonts = [LocalFont("IBM Plex Sans", weights=(400, 700)), "system-ui", "sans-serif"]
    mono = [LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace"]
    return Base(font=fonts, font_mono=mono)
