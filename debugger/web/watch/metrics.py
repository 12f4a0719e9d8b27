"""The same in Prometheus' format. Labels are few and known: nothing of a visitor, no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from debugger.web.watch.machine import MEGABYTE
from debugger.web.watch.seen import Seen
from debugger.workers.ledger import BOUNDS, Kind, Times

EDGES = (*(str(bound) for bound in BOUNDS), "+Inf")
KIND = ("framework", "stage")


def exposed(seen: Seen, accepted: str) -> tuple[bytes, str]:
    """The metrics, and the type of content that the scraper asked for."""
    registry = CollectorRegistry()
    registry.register(_Once(seen))
    encode, kind = choose_encoder(accepted)
    return encode(registry), kind


class _Once(Collector):
    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def collect(self) -> Iterator[Metric]:
        seen, told = self._seen, self._seen.told
        yield _counted("runs_started", "Runs that began.", KIND, told.started)
        ended = {(*kind, outcome): count for (kind, outcome), count in told.ended.items()}
        about = "Runs that ended, by how; stopped: from outside."
        yield _counted("runs_ended", about, (*KIND, "outcome"), ended)
        yield _timed("run_seconds", "From a run's beginning to its end.", told.took)
        yield _timed("run_waiting_seconds", "From the question to the beginning.", told.waited)
        yield _timed("stage_seconds", "What each stage took.", told.stages)
        boarded = {(how,): count for how, count in seen.boarded.items()}
        yield _counted("answers", "How who asked was answered; made: by a run.", ("how",), boarded)
        yield from self._engine()
        yield from self._memory()
        yield from self._store()

    def _engine(self) -> Iterator[Metric]:
        status = self._seen.status
        yield _now("queue_length", "Runs that wait.", status["queued"])
        yield _now("running", "Runs going on.", status["running"])
        yield _now("workers", "Runs that may train at once.", status["workers"])
        yield _now("residents", "Pipelines kept warm.", status["residents"])
        if "nodes" in status:
            yield _now("nodes", "Machines of the cluster that run scripts.", len(status["nodes"]))
        warm = {(name,): float(lives) for name, lives in status["zygotes"].items()}
        yield _by("warm", "Whether the warm process can start runs.", ("framework",), warm)

    def _memory(self) -> Iterator[Metric]:
        held = self._seen.memory
        by = {("app", ""): held.app}
        by |= {("warm", name): mb for name, mb in held.warm.items()}
        by |= {("runs", name): mb for name, (_, mb) in held.runs.items()}
        inner = {labels: float(mb * MEGABYTE) for labels, mb in by.items()}
        yield _by("memory_bytes", "Held by its processes.", ("of", "framework"), inner)
        yield _now("memory_free_bytes", "Free on the machine.", held.free * MEGABYTE)
        for number, gpu in enumerate(self._seen.gpus):
            if gpu.used_mb is not None and gpu.of_mb is not None:
                place = {(str(number), "used"): gpu.used_mb, (str(number), "all"): gpu.of_mb}
                sizes = {labels: float(mb * MEGABYTE) for labels, mb in place.items()}
                yield _by("gpu_memory_bytes", "Of the GPU.", ("gpu", "of"), sizes)

    def _store(self) -> Iterator[Metric]:
        held = self._seen.store
        if held is None:
            return
        yield _now("store_entries", "Answers kept on disk.", held.entries)
        yield _now("store_bytes", "What they take.", held.size)
        yield _now("store_limit_bytes", "What they may take.", held.most)
        read = {("hit",): held.hits, ("miss",): held.misses}
        yield _counted("store_reads", "Answers looked for on disk.", ("result",), read)


def _counted(name: str, about: str, labels: tuple[str, ...], counts: Mapping[Any, int]) -> Metric:
    family = CounterMetricFamily(f"clinic_{name}", about, labels=labels)
    for values, count in counts.items():
        family.add_metric(values, count)
    return family


def _timed(name: str, about: str, times: Mapping[Kind, Times]) -> Metric:
    family = HistogramMetricFamily(f"clinic_{name}", about, labels=KIND)
    for kind, one in times.items():
        family.add_metric(kind, list(zip(EDGES, one.within, strict=True)), one.total)
    return family


def _now(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"clinic_{name}", about, value=value)


def _by(
    name: str, about: str, labels: tuple[str, ...], values: Mapping[tuple[str, ...], float]
) -> Metric:
    family = GaugeMetricFamily(f"clinic_{name}", about, labels=labels)
    for labelled, value in values.items():
        family.add_metric(labelled, value)
    return family
