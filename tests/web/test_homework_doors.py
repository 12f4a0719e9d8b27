"""Assignments and certificates over HTTP, with the guard in front: what is believed, what not."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from debugger import catalogue, settings
from debugger.homework.receipt import Receipt, signed
from debugger.homework.seal import KEY_BYTES, Seal
from debugger.web.clinic import Clinic
from debugger.web.guard import Guard
from debugger.web.homework.doors import MOST_BODY, MOST_FILES, Doors
from debugger.web.progress_file import export_record
from debugger.web.visit import Case, Record
from debugger.words import Words
from debugger.workers.sharing import Shared

WORDS = Words()
SEAL = Seal("k" * KEY_BYTES, Path("/nowhere"))
CASES = [catalogue.find(name) for name in ("two_labels", "wrong_collator", "one_label")]
CLINIC = Clinic(catalogue.every(), Shared(None), settings.read({}))  # type: ignore[arg-type]
NUMBERS = [case.number for case in CASES]
NOW, DAY = int(datetime.fromisoformat("2026-11-23T12:00:00Z").timestamp()), 86_400
HOSTILE = '<img src=x onerror=alert(1)>"\u202e{0}{7*7}\0'
ADA = "0123abcd"


class Browser:
    """One that knows the way, with a clock beside it."""

    def __init__(self, seal: Seal = SEAL, **environment: str) -> None:
        read = settings.read(environment)
        self.now = NOW
        doors = Doors(CLINIC, seal, lambda: self.now)
        app: Any = Starlette(routes=doors.routes(), middleware=[Middleware(Guard, read)])
        app.cookie_id, app.tokens = "x", {}
        self.http = TestClient(app)

    def post(self, door: str, **told: Any) -> Any:
        return self.http.post(f"/{door}", json=told)

    def task(self, until: int | None = NOW + DAY, title: str = "Week 3") -> str:
        told = self.post("task/made", title=title, cases=NUMBERS, until=until).json()
        return f"http://x/task?of={told['token']}"

    def certificate(self, kept: str, **told: Any) -> dict[str, Any]:
        return json.loads(self.post("certificate/made", kept=kept, **told).json()["file"])


def record(*times: int, learner: str = ADA, seal: Seal = SEAL, **more: Any) -> str:
    """What a browser keeps that has solved so many of the scenarios."""
    cases = {
        case.id: Case(
            solved=True, receipts=(signed(Receipt(learner, case.number, "listed", at), seal),)
        )
        for case, at in zip(CASES, times, strict=False)
    }
    return export_record(Record(learner=learner, cases=cases | more))


def say(code: str, **numbers: Any) -> str:
    return WORDS.say("homework", code, **numbers)


@pytest.fixture
def ada() -> Browser:
    return Browser()


@pytest.mark.parametrize("path", ["/task", "/task/new", "/certificate", "/certificate/check"])
def test_each_page_answers_and_holds_no_id_of_a_scenario(ada: Browser, path: str) -> None:
    page = ada.http.get(path)
    assert page.status_code == 200
    assert "content-security-policy" in page.headers
    assert not [one.id for one in catalogue.every() if f'"{one.id}"' in page.text]


def test_a_link_lists_its_scenarios_with_what_is_solved_and_when(ada: Browser) -> None:
    link = ada.task()
    html = ada.post("task/list", of=link, kept=record(NOW)).json()["html"]
    assert [f'href="clinic?case={number}"' in html for number in NUMBERS] == [True] * 3
    assert say("done_of", solved=1, count=3) in html
    assert say("left_hours", count=24) in html
    assert html.count(say("not_yet")) == 2
    assert 'datetime="2026-11-24T12:00:00Z"' in html
    assert not [case.id for case in CASES if case.id in html]


def test_after_the_deadline_work_counts_and_is_said_to_be_late(ada: Browser) -> None:
    link, kept = ada.task(), record(NOW, NOW + 2 * DAY)
    ada.now += 3 * DAY
    html = ada.post("task/list", of=link, kept=kept).json()["html"]
    assert say("over", time="").partition(".")[2] in html
    assert (html.count('class="in_time"'), html.count('class="late"')) == (1, 1)
    assert say("done_of", solved=2, count=3) in html
    held = ada.certificate(kept, of=link)
    assert [one["late"] for one in held["work"]] == [False, True]


def test_what_a_browser_only_says_counts_for_nothing_and_it_reads_why(ada: Browser) -> None:
    said = export_record(Record(learner=ADA, cases={CASES[0].id: Case(solved=True)}))
    html = ada.post("task/list", of=ada.task(), kept=said).json()["html"]
    assert (say("unproved") in html, say("done_of", solved=0, count=3) in html) == (True, True)
    told = ada.post("certificate/made", kept=said).json()
    assert (told["file"], say("nothing_proved") in told["html"]) == ("", True)


@pytest.mark.parametrize(
    ("kept", "code"),
    [
        (record(NOW, seal=Seal("o" * KEY_BYTES, Path("/"))), "other_clinic"),
        (record(NOW).replace('"learner": "0123abcd"', '"learner": "eeeeeeee"'), "other_browser"),
        (record(NOW, x=Case(receipts=("x.y.z",))), "unreadable_token"),
    ],
)
def test_a_foreign_receipt_is_left_out_with_its_reason(ada: Browser, kept: str, code: str) -> None:
    html = ada.post("certificate/made", kept=kept).json()["html"]
    assert say("left_out", count=1, why=say(code)) in html


def test_a_certificate_goes_from_the_student_to_the_instructors_table(ada: Browser) -> None:
    link = ada.task()
    held = ada.certificate(record(NOW, NOW), of=link, name="Ada")
    told = ada.post(
        "certificate/checked",
        of=link,
        files=[
            {"name": "ada.json", "text": json.dumps(held, indent=4)},
            {"name": "eve.json", "text": json.dumps(held | {"name": "Eve"})},
            {"name": "pasted", "text": "no"},
        ],
    ).json()
    assert say("genuine_of", genuine=1, count=3) in told["html"]
    assert "2 / 3" in told["html"]
    assert say("changed") in told["html"]
    rows = told["csv"].splitlines()
    assert rows[1].startswith("ada.json,Ada,1,,2,0,0,2026-11-23T12:00:00Z,")
    assert rows[2:] == ["eve.json,,0,changed,,,,,", "pasted,,0,no_certificate,,,,,"]


def test_two_students_with_the_same_work_are_told_to_the_instructor(ada: Browser) -> None:
    kept = record(NOW)
    files = [
        {"name": f"{name}.json", "text": json.dumps(ada.certificate(kept, name=name))}
        for name in ("Ada", "Eve")
    ]
    told = ada.post("certificate/checked", files=files).json()
    assert say("genuine_of", genuine=0, count=2) in told["html"]
    assert say("passed_on", others="Eve.json") in told["html"]


def test_a_name_and_a_title_stay_text_wherever_they_are_shown(ada: Browser) -> None:
    link = ada.task(title=HOSTILE)
    kept = record(NOW)
    held = ada.certificate(kept, of=link, name=HOSTILE)
    shown = [
        ada.post("task/list", of=link, kept=kept),
        ada.post("certificate/made", of=link, kept=kept, name=HOSTILE),
        ada.post(
            "certificate/checked", files=[{"name": HOSTILE, "text": json.dumps(held)}], of=link
        ),
    ]
    for answer in shown:
        html = answer.json()["html"]
        assert "&lt;img" in html
        assert not any(bad in html for bad in ("<img", "\u202e", "\0"))


def changed(link: str) -> str:
    return link[:-2] + ("AA" if link[-2:] != "AA" else "BB")


@pytest.mark.parametrize("door", ["task/list", "certificate/made", "certificate/checked"])
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (changed, "changed"),
        (lambda link: link[:60], "unreadable_token"),
        (lambda link: "x" * 100_000, "unreadable_token"),
        (lambda _: Browser(Seal("o" * KEY_BYTES, Path("/"))).task(), "other_clinic"),
    ],
)
def test_a_link_that_is_not_this_clinics_is_refused_in_a_sentence(
    ada: Browser, door: str, spoil: Callable[[str], str], code: str
) -> None:
    answer = ada.post(door, of=spoil(ada.task()), kept="", files=[{"text": "{}"}])
    assert (answer.status_code, answer.json()) == (409, {"said": say(code), "code": code})


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"[" * 100_000, b"\xff\xfe", b'"x"', b"null", b'{"a":' * 50_000],
)
@pytest.mark.parametrize("door", ["task/made", "task/list", "certificate/made"])
def test_a_body_of_anything_is_answered_with_a_sentence(
    ada: Browser, door: str, body: bytes
) -> None:
    answer = ada.http.post(f"/{door}", content=body)
    assert (answer.status_code, answer.json()["said"]) == (409, say("unreadable"))


@pytest.mark.parametrize(
    "told",
    [
        {"kept": 5, "of": 7, "name": [1], "files": {"a": 1}},
        {"kept": {"cases": {}}, "of": [], "name": {}, "files": [None, 1, "x", []]},
        {"kept": "[" * 9999, "of": None, "files": [{"name": 1, "text": {"x": 1}}]},
        {"title": [], "cases": {}, "until": {}},
    ],
)
def test_values_of_other_kinds_break_nothing(ada: Browser, told: dict[str, Any]) -> None:
    for door in ("task/made", "task/list", "certificate/made", "certificate/checked"):
        answer = ada.post(door, **told)
        assert answer.status_code in (200, 409)
        assert "Traceback" not in answer.text


def test_more_than_a_class_hands_in_is_refused(ada: Browser) -> None:
    many = ada.post("certificate/checked", files=[{"text": "0 " * (MOST_FILES + 1)}])
    assert many.json()["said"] == say("too_many_files", most=MOST_FILES)
    large = ada.http.post("/certificate/checked", content=b"x" * (MOST_BODY + 1))
    assert large.status_code == 413
    assert ada.post("certificate/checked", files=[]).json()["said"] == say("no_files")


def test_a_clinic_without_a_key_says_so_and_tells_no_path(tmp_path: Path) -> None:
    browser = Browser(Seal("", tmp_path / "none", makes=False))
    answer = browser.post("task/made", title="x", cases=NUMBERS)
    assert (answer.status_code, answer.json()["said"]) == (503, say("no_key"))
    assert str(tmp_path) not in answer.text


def test_two_copies_with_one_key_know_each_others_work(tmp_path: Path) -> None:
    copies = [Browser(Seal("", tmp_path / "clinic.key")) for _ in range(2)]
    link = copies[0].task()
    html = copies[1].post("task/list", of=link, kept="").json()["html"]
    assert say("done_of", solved=0, count=3) in html


def test_where_there_is_a_login_only_who_has_it_is_answered() -> None:
    browser = Browser(CLINIC_LOGIN="class:secret")
    assert browser.http.get("/task").status_code == 200
    for door in ("task/made", "task/list", "certificate/made", "certificate/checked"):
        assert browser.post(door).status_code == 401
