"""`make bake`: the answers that a class will ask for, computed before it comes.

Every stage of each script, the script as a whole, its healthy twin, and each change alone. What is
known already is left as it is, so a bake that was stopped goes on. The app finds them where
CLINIC_STORE says.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from debugger import catalogue
from debugger.catalogue import Scenario, ScenarioError
from debugger.catalogue.running import run_of
from debugger.outcome import STAGES
from debugger.run import WALK, Run
from debugger.settings import SettingError, Settings, read
from debugger.web.host import why_closed
from debugger.workers import started
from debugger.workers.sharing import Shared
from debugger.workers.store import store_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", help="scenarios; without one, all of them")
    asked = parser.parse_args()
    try:
        settings = read()
        found = [catalogue.find(name) for name in asked.ids] or catalogue.every()
    except (SettingError, ScenarioError) as error:
        print(error, file=sys.stderr)
        return 64
    store = store_of(settings)
    if store is None:
        print("Nothing is kept with these settings: see CLINIC_STORE_MB.", file=sys.stderr)
        return 64
    try:
        with started(settings) as engine:
            shared = Shared(engine, store=store)
            for scenario in found:
                if not why_closed(scenario, settings):
                    print(_baked(scenario, shared, settings), flush=True)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 64
    store.close()
    size = settings.store.stat().st_size / 2**20
    print(f"{settings.store} holds {size:.1f} MB.")
    return 0


def _baked(scenario: Scenario, shared: Shared, settings: Settings) -> str:
    began, made = time.perf_counter(), 0
    for run in common(scenario, settings):
        if shared.known(run) is None:
            made += 1
            for _ in shared.events(run):
                pass
    return f"{scenario.id:28} {made:3} runs {time.perf_counter() - began:6.1f} s"


def common(scenario: Scenario, settings: Settings) -> Iterator[Run]:
    """What nearly everybody asks for."""
    yield run_of(scenario, WALK, settings, scenario.script)
    yield run_of(scenario, WALK, settings, scenario.twin)
    for stage in STAGES:
        yield run_of(scenario, stage, settings, scenario.script)
    for change in (*scenario.fixes, *scenario.cheats):
        yield run_of(scenario, WALK, settings, scenario.changed((change.id,)))


if __name__ == "__main__":
    sys.exit(main())
