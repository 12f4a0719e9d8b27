"""Runs scripts away from whoever asked: one run, one process, forked warm and thrown away after."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from debugger.settings import SettingError, Settings
from debugger.workers.engine import DIAGNOSIS, Answering, Engine

if TYPE_CHECKING:
    from debugger.workers.cluster import ClusterEngine

__all__ = ["Answering", "Engine", "started"]

_CLOSED = {
    "no_ray": "it needs Ray: pip install -r requirements-cluster.txt.",
    "unreachable": "nothing answers at {address} ({said}). Is Ray's head started there, and its"
    " client port open? docs/HOSTING.md says how.",
    "refused": "{address} does not let the clinic in. Give it the cluster's token, in"
    " RAY_AUTH_TOKEN or in the file that RAY_AUTH_TOKEN_PATH names, and see that the port is that"
    " of Ray's clients.",
    "failed": "{address} answers, and could not begin: {said}",
    "other_version": "{address} does not go together with this clinic: {said}",
}


@contextmanager
def started(
    settings: Settings,
    online: bool | None = None,
    perform: str = DIAGNOSIS,
    hers: bool = False,
) -> Iterator[Engine]:
    """The engine that the settings ask for; closed afterwards.

    OSError: its folder cannot be made. SettingError: the cluster cannot be had.

    `online` lets runs reach the hub and use this machine's caches; without a word, as assets do.
    `hers`: the runs are of the one who asks, and see her environment.
    `perform` names the function that does a run's work.
    """
    fetches = hers or settings.assets == "hub"  # what a script is built from, as slow as that is
    look_seconds = math.inf if fetches else settings.stage_limit
    online = settings.assets == "hub" if online is None else online
    if settings.cluster and not hers:
        with _on_a_cluster(settings, online, perform, look_seconds) as engine:
            yield engine
        return
    from debugger.workers.local import LocalEngine

    with LocalEngine(
        settings.workers,
        settings.time_limit,
        settings.memory_mb,
        settings.data_dir,
        perform,
        online=online,
        hers=hers,
        typed=settings.typed,
        residents=settings.residents,
        gpu_share=1.0 if hers else settings.gpu_share,
        queue=settings.queue,
        look_seconds=look_seconds,
    ) as engine:
        yield engine


def _on_a_cluster(
    settings: Settings, online: bool, perform: str, look_seconds: float
) -> "ClusterEngine":
    from debugger.workers import hidden
    from debugger.workers.cluster import ClusterEngine
    from debugger.workers.node import ASKED, Orders
    from debugger.workers.rays import ClosedError, Rays

    hidden.show_to_nobody()
    orders = Orders(
        seconds=settings.time_limit,
        look_seconds=look_seconds,
        memory_mb=settings.memory_mb,
        online=online,
        typed=settings.typed,
        residents=settings.residents,
        gpu_share=settings.gpu_share,
        files_bytes=64 * settings.upload_mb * 2**20,
        environment={name: os.environ[name] for name in ASKED if name in os.environ},
        perform=perform,
    )
    try:
        return ClusterEngine(Rays(settings.cluster), orders, settings.data_dir, settings.queue)
    except ClosedError as error:
        told = _CLOSED[error.why].format(address=settings.cluster, said=error)
        raise SettingError(f"CLINIC_CLUSTER: {told}") from error
