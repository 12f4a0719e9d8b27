"""A second lot of attacks on the pages, by whoever had read what stands in front of them."""

from __future__ import annotations

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from debugger import catalogue
from debugger.outcome import STAGES, Event, Outcome, StageEnded, StageStarted
from debugger.report import gather
from debugger.web.guard import _names_a_file
from debugger.web.listing import diff
from debugger.web.progress_file import RecordError, import_record, merged
from debugger.web.scene import Scene
from debugger.web.typed import _alike, changed_lines
from debugger.web.visit import MOST_TYPED, Record
from debugger.workers.beside import Kept
from tests.browser.app import running_app

SIGNS = {"gone": "gone", "new": "new"}
MADE_UP = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}, "url": "/etc/passwd"}
ODD_ADDRESSES = (
    "/%67radio_api/file=/etc/passwd",
    "/gradio_api/%66ile=/etc/passwd",
    "/gradio_api//file=/etc/passwd",
    "/gradio_api/call/../file=/etc/passwd",
    "/gradio_api/call/..%2ffile=/etc/passwd",
    "/static/..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd",
    "/assets//etc/passwd",
    "/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/svelte/..%2f..%2fpackage.json",
    "/static/%00",
    "/GRADIO_API/file=/etc/passwd",
    "/take/..%2f..%2fetc.py",
    "/take/%C2%B2.py",
    f"/take/{'9' * 6000}.py",
    f"/take/1.py?changes={','.join(['1'] * 9000)}",
    "/take/1.py?changes=%00",
    "/take/1.ipynb?lang=%ff%00..%2f..%2fetc",
)


def quick(began: float, seconds: float = 5.0) -> bool:
    return time.process_time() - began < seconds


@pytest.mark.parametrize(
    "letters", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"]
)
def test_a_made_up_file_is_seen_in_whatever_letters_it_comes(letters: str) -> None:
    assert _names_a_file(json.dumps({"data": [MADE_UP]}).encode(letters))
    assert not _names_a_file(json.dumps({"data": ["x"]}).encode(letters))


def test_what_is_nested_too_deep_to_be_looked_through_is_refused() -> None:
    assert _names_a_file(b'["FileData",' + b"[" * 100_000 + b"]" * 100_001)


@pytest.mark.proof
def test_no_odd_address_opens_a_file_and_no_odd_session_breaks_the_others() -> None:
    with running_app() as (address, server), httpx.Client(base_url=address) as client:
        for path in ODD_ADDRESSES:
            answer = client.get(path)
            assert answer.status_code in (400, 403, 404), path
            assert "root:" not in answer.text
        for method in ("HEAD", "OPTIONS", "PUT", "TRACE", "PROPFIND"):
            assert client.request(method, "/gradio_api/file=/etc/passwd").status_code == 404
        for letters in ("utf-16", "utf-32"):
            raw = json.dumps({"data": [MADE_UP], "fn_index": 0, "session_hash": "x"})
            kind = {"content-type": "application/json"}
            door = "/gradio_api/queue/join"
            assert client.post(door, content=raw.encode(letters), headers=kind).status_code == 403
        for session in ('"\\ud800"', '"__proto__"', '"x\\u0000<script>"'):
            raw = '{"data": [""], "fn_index": 0, "session_hash": ' + session + "}"
            client.post("/gradio_api/queue/join", content=raw, headers=kind)
        time.sleep(2)
        server.send_signal(signal.SIGTERM)
        told = "".join(server.communicate(timeout=30))
    assert "UnicodeEncodeError" not in told


@pytest.mark.parametrize("text", ["e" * MOST_TYPED, "\n" * MOST_TYPED, "e \n" * (MOST_TYPED // 3)])
def test_no_typed_text_takes_long_to_compare(text: str) -> None:
    listed, began = catalogue.find("two_labels").twin, time.process_time()
    assert 0 <= _alike(text, listed) < 0.1
    changed_lines(listed, text)
    assert quick(began)


def test_of_two_listed_changes_the_nearer_one_is_still_the_nearer() -> None:
    text = "a = 1\nmodel = load(labels=4)\nb = 2\n"
    near, far = text.replace("4", "3"), text.replace("model = load(labels=4)", "x")
    assert _alike(text, text) == 1
    assert 1 > _alike(text, near) > _alike(text, far) > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n" * 9_000 + "x", "y" + "\n" * 9_000),
        (
            "\n".join(str(n % 100) for n in range(20_000)),
            "\n".join(str(n * 7 % 101) for n in range(20_000)),
        ),
    ],
)
def test_no_diff_takes_long(old: str, new: str) -> None:
    began = time.process_time()
    assert "<table>" in diff(old, new, "", SIGNS)
    assert quick(began)


def test_a_long_text_with_one_other_line_differs_in_that_one() -> None:
    lines = [f"line {n}" for n in range(3000)]
    shown = diff("\n".join(lines), "\n".join([*lines[:1500], "other", *lines[1501:]]), "", SIGNS)
    assert (shown.count('<tr class="del"'), shown.count('<tr class="add"')) == (1, 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"cases":' + "[" * 200_000,
        '{"cases":' + '{"a":' * 100_000 + "1" + "}" * 100_001,
        '{"cases": [], "version": 1e400}',
        '{"cases": null}',
        "NaN",
        "\0",
        "\ud800",
    ],
)
def test_no_progress_file_breaks_anything(text: str) -> None:
    with pytest.raises(RecordError):
        import_record(text)


def test_cases_with_names_of_prototypes_are_names_or_nothing() -> None:
    odd = ("__proto__", "constructor", "toString", "\0", "x" * 100_000, "<script>")
    held = {name: {"typed": 1, "checks": {"length": 1e9}} for name in odd}
    record, wrong = import_record(json.dumps({"cases": held}))
    assert record.cases == {}
    assert set(wrong) == set(odd)
    many = {f"c{n}": {} for n in range(100_000)}
    loaded, _ = import_record(json.dumps({"cases": many}))
    assert len(merged(Record(), loaded).cases) <= 1000


@pytest.mark.parametrize(
    "measured",
    [
        {"losses": [1.0], "steps": "many", "accuracy": [], "rows": {}, "answers": 7},
        {name: {"x": None} for name in ("losses", "steps", "accuracy", "rows", "sample", "labels")},
        {"losses": 1, "has_metric": 1, "eval_rows": "", "perfect": "x", "constant": 3},
        {},
    ],
)
def test_no_made_up_measure_is_a_cure_or_an_error(measured: dict[str, Any]) -> None:
    def told(of: dict[str, Any]) -> list[Event]:
        events: list[Event] = []
        for name in STAGES:
            events += [StageStarted(name), StageEnded(name, "pass", 0.1, measured=of)]
        return [*events, Outcome("pass", "cpu", 1.0)]

    full = {"losses": [1.0], "steps": 5, "accuracy": 0.9, "rows": 3, "sample": [], "answers": []}
    scene = SimpleNamespace(
        whole=gather(told(measured)),
        twin=gather(told({**full, "has_metric": True, "eval_rows": 3, "perfect": None})),
        scenario=catalogue.find("two_labels"),
        visit=SimpleNamespace(changes=("typed-0123456789ab",)),
        weighed=(None, None),
    )
    verdict = Scene.verdict.func(scene)  # type: ignore[arg-type]
    assert verdict is not None
    assert not verdict.cured


def test_who_gives_files_at_once_takes_none_away_under_the_others(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 2_000)

    def give(number: int) -> str:
        return kept.keep(str(number).encode() * 100)

    with ThreadPoolExecutor(16) as many:
        assert len(set(many.map(give, range(400)))) == 400
