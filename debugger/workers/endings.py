"""Why a run ended for a reason from outside, and what its visitor is told then."""

import logging
import socket
from contextlib import suppress
from typing import Any

from debugger.frameworks import called
from debugger.outcome import Ending, Finding, Outcome, StageName
from debugger.run import Run
from debugger.script.places import Places
from debugger.workers import telling
from debugger.workers.dying import Death, other_version, why

log = logging.getLogger(__name__)

ENDINGS: dict[str, Ending] = {
    "out_of_time": "stopped",
    "stage_out_of_time": "stopped",
    "check_out_of_time": "stopped",
    "out_of_memory": "stopped",
    "too_much_output": "stopped",
    "too_many_events": "stopped",
    "too_many_threads": "stopped",
    "too_much_on_disk": "stopped",
    "cancelled": "stopped",
    "killed": "stopped",
    "process_died": "fail",
    "forged_events": "unknown",
    "clinic_error": "unknown",
    "queue_full": "unknown",
    "server_stops": "unknown",
    "disk_full": "unknown",
    "cluster_gone": "unknown",
    "node_died": "unknown",
    "typing_switched_off": "unknown",
    "typing_no_landlock": "unknown",
    "typing_no_seccomp": "unknown",
    "typing_promise_broken": "unknown",
    "typing_not_tried": "unknown",
    "warm_crashed": "unknown",
    "warm_died": "unknown",
    "warm_killed": "unknown",
    "warm_no_memory": "unknown",
    "warm_no_package": "unknown",
    "warm_other_version": "unknown",
    "warm_too_slow": "unknown",
}


class Ended(Exception):
    """The run ends here, for a reason from outside: one of `ENDINGS`."""

    def __init__(self, code: str, **numbers: Any) -> None:
        super().__init__(code)
        self.code = code
        self.numbers = numbers


class Cancel:
    """A switch that can also be waited on; turning it twice is harmless. The first `why` counts."""

    def __init__(self) -> None:
        self._bell, self.fileobj = socket.socketpair()
        self.on = False
        self.why = "cancelled"

    def turn_on(self, why: str = "cancelled") -> None:
        if not self.on:
            self.why = why
        self.on = True
        with suppress(OSError):
            self._bell.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._bell.close()
        self.fileobj.close()


def outcome_of(
    ended: Ended, run: Run, stage: StageName = "setup", seconds: float = 0, line: int | None = None
) -> Outcome:
    """What ends a run before it could be judged is no fault of its script: much data take their
    time, and several trainings."""
    code, numbers, ending = ended.code, ended.numbers, ENDINGS[ended.code]
    if code == "clinic_error" and (other := other_version(called(run.framework))):
        code, numbers = "clinic_error_version", other
    no_fault = ending == "unknown" or code in ("out_of_memory", "out_of_time")
    severity = "note" if no_fault else "fault"
    finding = Finding(code, severity, stage, line, numbers)
    return Outcome(ending, run.device, seconds, finding=finding, framework=run.framework)


def our_fault(message: str) -> Ended:
    """Details go to the host's log; the learner reads that it was not her script."""
    log.error("a run failed on our side:\n%s", telling.logged(message))
    return Ended("clinic_error")


def never_started(death: Death, run: Run) -> Ended:
    """The script had no process to run in; whoever holds the zygote has told the host's log."""
    code, numbers = why(death, called(run.framework))
    return Ended(code, **numbers)


def line_to_blame(ended: Ended, script: str) -> int | None:
    """Once the script has built its pipeline no line of it runs: the batch size fills memory."""
    if ended.code != "out_of_memory":
        return None
    try:
        return Places(script).argument("per_device_train_batch_size")
    except (MemoryError, RecursionError):  # nothing of it ran: it is nested too deep to be read
        return None
