"""A class over real HTTP, with the guard in front: who may what, and what nobody is told early."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from debugger import catalogue, settings
from debugger.catalogue.scenario import number_of
from debugger.evidence.markup import escape, sentence
from debugger.room.lead import Place
from debugger.web.bounds import Bounds
from debugger.web.clinic import Clinic
from debugger.web.guard import Guard
from debugger.web.room import hall as hall_module
from debugger.web.room.doors import AUDIENCES, HEADER, MOST_BODY, Doors
from debugger.web.room.hall import Hall
from debugger.words import Words
from debugger.workers.sharing import Shared
from tests.browser.app import free_port

WORDS = Words()
FOUND = catalogue.every()
CASE = catalogue.find("two_labels")
QUESTION = CASE.words.questions["data"]
AT = {"case": CASE.number, "stage": "data"}
HOSTILE = "<img src=x onerror=alert(1)>\u202e{{7*7}}\0"


class Person:
    """A browser: it keeps its key, and everything that it was ever told."""

    def __init__(self, address: str, told: list[str]) -> None:
        self.http, self.told = httpx.Client(base_url=address, timeout=20), told
        self.code, self.key = "", ""

    def ask(self, door: str, body: Any = None, **query: str) -> httpx.Response:
        headers = {HEADER: self.key} if self.key else {}
        path = f"/class/{door}"
        if body is None:
            answer = self.http.get(path, params=query, headers=headers)
        else:
            answer = self.http.post(path, json=body, headers=headers)
        self.told.append(answer.text)
        return answer

    def take(self, door: str, body: Any) -> httpx.Response:
        answer = self.ask(door, body)
        told = answer.json()
        self.code, self.key = told["code"], f"{told['code']}.{told['token']}"
        return answer

    def do(self, act: str, with_: Any = None, **more: Any) -> httpx.Response:
        return self.ask("do", {"act": act, "with": with_, **more})

    def see(self, audience: str, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """What the stream shows, once it is what is waited for."""
        headers, query = {HEADER: self.key}, {"as": audience}
        with self.http.stream("GET", "/class/live", params=query, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            for line in answer.iter_lines():
                self.told.append(line)
                if line.startswith("data: ") and until(shown := json.loads(line[6:])):
                    return shown
        raise AssertionError("the stream ended")


class Server:
    def __init__(self, data: Path, **environment: str) -> None:
        read = settings.read({"CLINIC_DATA_DIR": str(data), **environment})
        self.hall = Hall(Clinic(FOUND, Shared(None), read), read)  # type: ignore[arg-type]
        self.app: Any = Starlette(
            routes=Doors(self.hall).routes(), middleware=[Middleware(Guard, read)]
        )
        self.app.cookie_id, self.app.tokens = "x", {}  # as gradio keeps who has logged in
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, port=port, log_level="error"))
        self._server.config.timeout_graceful_shutdown = 1
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.told: list[str] = []

    def person(self) -> Person:
        return Person(self.address, self.told)

    def lead(self) -> Person:
        person = self.person()
        person.take("new", {})
        return person

    def joined(self, code: str, name: str = "") -> Person:
        person = self.person()
        person.take("join", {"code": code, "name": name})
        return person

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self.hall.rooms.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.close()


def phase(wanted: str) -> Callable[[dict[str, Any]], bool]:
    return lambda shown: shown["lead"]["phase"] == wanted


def test_nobodys_answer_is_in_any_response_before_the_reveal(server: Server) -> None:
    lead = server.lead()
    students = [server.joined(lead.code, f"s{n}") for n in range(6)]
    lead.do("go", **AT)
    for n, student in enumerate(students):
        assert student.ask("vote", {**AT, "choice": n % 3}).json() == {"choice": n % 3}
    for state in ("predict", "votes"):
        lead.do("phase", state)
        for audience in AUDIENCES:
            who = students[0] if audience == "class" else lead
            shown = who.see(audience, phase(state))
            assert shown["lead"]["order"] == []
            assert escape(QUESTION.choices[0]) in shown["html"]
            counts = WORDS.say("class", "counted", count=2, share=33)
            assert (counts in shown["html"]) == (state == "votes" and audience != "class")
    for who in (lead, students[0]):
        for door in ("me", "summary.json", "summary.txt", "qr", "carry"):
            who.ask(door)
    lead.ask("summary.json", names="1")
    before = "\n".join(server.told)
    for secret in (*QUESTION.because, *map(escape, QUESTION.because)):
        assert secret not in before
    for mark in ("is_right", "is_wrong"):
        assert f">{WORDS.say('class', mark)}<" not in before
    assert 'class=\\"right\\"' not in before
    assert CASE.id not in before
    assert str(CASE.code) not in before
    lead.do("phase", "reveal")
    shown = students[0].see("class", phase("reveal"))
    assert sentence(QUESTION.because[0]) in shown["html"]
    assert sorted(shown["lead"]["order"]) == [0, 1, 2]
    assert 'class="right"' in shown["html"]


def test_a_vote_changes_and_counts_once_and_is_closed_by_the_reveal(server: Server) -> None:
    lead = server.lead()
    student = server.joined(lead.code)
    lead.do("go", **AT)
    for n in range(100):
        assert student.ask("vote", {**AT, "choice": n % 3}).status_code == 200
    said = WORDS.say("class", "answered", count=1, of=1)
    lead.see("strip", lambda shown: said in shown["html"])
    assert student.ask("me").json()["votes"] == {f"{CASE.number}/data": 0}
    lead.do("phase", "reveal")
    late = student.ask("vote", {**AT, "choice": 1})
    assert late.status_code == 409
    assert late.json()["said"] == WORDS.say("class", "vote_closed")


def test_what_was_learned_is_told_at_the_end_and_to_nobody_before(server: Server) -> None:
    lead = server.lead()
    students = [server.joined(lead.code) for _ in range(4)]
    assert lead.do("measure", "training").json()["code"] == "nothing_to_measure"
    lead.do("measure", "batch")
    pairs = server.hall.pairs("batch")
    before, after = (catalogue.find(one) for one in pairs[0])
    right = server.hall.causes(before.id)[0]
    room = server.hall.rooms.find(lead.code)
    assert (len(pairs), before.code, after.code, room is not None) == (1, right, right, True)
    assert room is not None

    def answered(scenario: catalogue.Scenario, well: int) -> None:
        """So many are right, and the others choose what stands beside it."""
        shown = room.order(Place(scenario.id)).index(0)
        for n, student in enumerate(students):
            choice = shown if n < well else (shown + 1) % 5
            told = student.ask("answer", {"case": scenario.number, "choice": choice})
            assert told.json() == {"choice": choice}

    title = escape(before.words.title)
    assert title in students[0].see("class", lambda shown: title in shown["html"])["html"]
    answered(before, 1)
    early = students[0].ask("answer", {"case": after.number, "choice": 0})
    assert early.json()["code"] == "vote_closed"
    lead.do("measure", "on")
    late = students[0].ask("answer", {"case": before.number, "choice": 0})
    assert late.json()["code"] == "vote_closed"
    assert escape(after.words.title) not in "\n".join(server.told)
    lead.do("measure", "on")
    answered(after, 3)
    for audience in AUDIENCES:
        (students[0] if audience == "class" else lead).see(audience, lambda _: True)
    told = [lead.ask("summary.json", names="1").json()["measured"], lead.ask("summary.txt").text]
    assert [one["right"] for one in told[0]["questions"]] == [None, None]
    assert "skill" not in told[0]
    so_far = "\n".join(server.told)
    for secret in (right, before.id, after.id, '"batch"', WORDS.say("class", "measured")):
        assert secret not in so_far
    lead.do("measure", "on")
    end = WORDS.say("class", "share_after", share=75, right=3, count=4)
    shown = students[0].see("class", lambda shown: end in shown["html"])["html"]
    assert WORDS.say("class", "share_before", share=25, right=1, count=4) in shown
    assert escape(WORDS.of(after.framework).say("cause", right)) in shown
    measured = lead.ask("summary.json").json()["measured"]
    assert (measured["before"], measured["after"]) == (
        {"right": 1, "of": 4},
        {"right": 3, "of": 4},
    )
    assert end in lead.ask("summary.txt").text
    assert lead.do("measure", "head").json()["code"] == "measured_already"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"case": CASE.number, "choice": "0"},
        {"case": CASE.number, "choice": True},
        {"case": None, "choice": 0},
        {"case": "<b>", "choice": 0},
        {"case": CASE.number, "choice": 99},
        {"case": CASE.number, "choice": -1},
        {"case": [[]], "choice": 0},
    ],
)
def test_an_answer_that_no_page_sends_is_refused(server: Server, body: dict[str, Any]) -> None:
    lead = server.lead()
    student = server.joined(lead.code)
    lead.do("measure", "head")
    answer = student.ask("answer", body)
    assert (answer.status_code, answer.json()["said"] != "") == (409, True)
    for with_ in (None, "", "leave_alone", "<b>", 5, []):
        assert lead.do("measure", with_).status_code == 409
    assert student.do("measure", "on").status_code == 403


def test_two_who_answer_as_one_see_the_same_and_either_may_go(server: Server) -> None:
    lead = server.lead()
    ada, bob = server.joined(lead.code, "Ada"), server.joined(lead.code, HOSTILE)
    lead.do("go", **AT)
    offered = ada.ask("offer", {"at": f"{server.address}/"}).json()
    assert offered["qr"].startswith("<?xml")
    assert bob.ask("paired", {"pair": offered["pair"]}).status_code == 200
    bob.ask("vote", {**AT, "choice": 1})
    told = [one.ask("me").json() for one in (ada, bob)]
    assert told[0] == told[1]
    assert (told[0]["pair"], told[0]["votes"]) == (True, {f"{CASE.number}/data": 1})
    pair = WORDS.say("class", "pair")
    own = lead.see("lead", lambda shown: f"({pair})" in shown["html"])["html"]
    assert WORDS.say("class", "students", count=2) in own
    assert ("Ada &amp; &lt;img" in own, "<img" in own) == (True, False)
    assert "Ada" not in lead.see("board", phase("predict"))["html"]
    ada.ask("leave", {})
    assert ada.ask("me").status_code == 401
    assert bob.ask("me").json()["votes"] == {f"{CASE.number}/data": 1}


@pytest.mark.parametrize("at", [None, 5, "", "x", "javascript:1", "http://[", "http://x" * 99])
def test_a_code_for_a_neighbour_is_drawn_for_an_address_only(server: Server, at: Any) -> None:
    lead = server.lead()
    ada = server.joined(lead.code)
    assert ada.ask("offer", {"at": at}).json()["said"] == WORDS.say("class", "unreadable")
    for typed in (None, 5, [], "x" * 500):
        answer = ada.ask("paired", {"pair": typed})
        assert (answer.status_code, answer.json()["code"]) == (409, "no_such_pair")


def test_what_no_fingers_do_is_slowed_down(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    lead = server.lead()
    student, other = server.joined(lead.code), server.joined(lead.code)
    lead.do("go", **AT)
    monkeypatch.setattr(server.hall, "presses", Bounds(20, 10))
    told = [student.ask("vote", {**AT, "choice": n % 3}).status_code for n in range(25)]
    assert told == [200] * 20 + [429] * 5
    assert other.ask("vote", {**AT, "choice": 0}).status_code == 200
    assert student.ask("me").status_code == 200


def test_the_instructor_is_told_which_hint_those_need_who_are_stuck(server: Server) -> None:
    lead = server.lead()
    lead.do("go", **AT)
    for hints in (1, 1, 3, "<b>"):
        student = server.joined(lead.code)
        student.ask("stands", {**AT, "hints": hints})
        student.ask("flag", {"flag": "stuck"})
    stuck = WORDS.say("class", "count_stuck", count=4)
    own = lead.see("lead", lambda shown: stuck in shown["html"])["html"]
    assert sentence(CASE.words.hints[1]) in own
    assert WORDS.say("class", "next_hint", count=2, number=2) in own
    for audience in ("board", "strip"):
        assert sentence(CASE.words.hints[1]) not in lead.see(audience, phase("predict"))["html"]


def test_only_the_instructor_leads_and_only_students_vote(server: Server) -> None:
    lead, other = server.lead(), server.lead()
    student = server.joined(lead.code)
    stranger = server.person()
    forged = server.person()
    forged.key = f"{other.code}.{lead.key.partition('.')[2]}"
    for who in (student, stranger, forged):
        for act in ("phase", "go", "together", "lock", "call", "timer", "hand", "end"):
            assert who.do(act, "votes").status_code in (401, 403)
        for door in ("summary.json", "summary.txt", "qr"):
            assert who.ask(door).status_code in (401, 403)
        for audience in ("lead", "board", "strip"):
            assert who.ask("live", **{"as": audience}).status_code in (401, 403)
        assert who.ask("carry", {}).status_code in (401, 403)
    for who in (lead, stranger, forged):
        assert who.ask("vote", {**AT, "choice": 0}).status_code == 401
        assert who.ask("flag", {"flag": "stuck"}).status_code == 401
        assert who.ask("live").status_code == 401
    assert student.ask("nonsense").status_code == 404
    assert student.http.get("/class/join").status_code == 405


def test_names_are_text_and_only_the_instructors_own_screen_has_them(server: Server) -> None:
    lead = server.lead()
    lead.do("go", **AT)
    student = server.joined(lead.code, HOSTILE)
    other = server.joined(lead.code, "Berta")
    student.ask("flag", {"flag": "stuck"})
    stuck = WORDS.say("class", "count_stuck", count=1)
    own = lead.see("lead", lambda shown: stuck in shown["html"])["html"]
    assert "<img" not in own
    assert "{{" not in own
    assert escape("<img src=x onerror=alert") in own
    assert own.index("&lt;img") < own.index("Berta")  # who is stuck stands first
    for audience in ("board", "strip"):
        shown = lead.see(audience, lambda shown: stuck in shown["html"])["html"]
        assert "Berta" not in shown
        assert "onerror" not in shown
    shown = other.see("class", phase("predict"))["html"]
    assert "Berta" not in shown
    assert "onerror" not in shown
    assert "Berta" not in lead.ask("summary.json").text
    assert "Berta" in lead.ask("summary.json", names="1").text
    assert "Berta" in lead.ask("summary.txt", names="1").text


NOT_SENT = (
    b"",
    b"[]",
    b"null",
    b'"x"',
    b"{",
    b"\xff\xfe",
    b"[" * 5000,
    b'{"choice": true, "case": %d, "stage": "data"}' % CASE.number,
    b'{"choice": 1e9, "case": %d, "stage": "data"}' % CASE.number,
    b'{"choice": -1, "case": %d, "stage": "data"}' % CASE.number,
    b'{"choice": 0, "case": {"a": 1}, "stage": ["data"]}',
    b'{"choice": 0, "case": 1, "stage": "data"}',
    b'{"choice": 0, "case": %d, "stage": "nowhere"}' % CASE.number,
    b'{"act": "timer", "with": "99999999999999"}',
    b'{"act": "timer", "with": "\xc2\xb2"}',
    b'{"act": "hand", "with": "typed"}',
    b'{"act": "hand", "with": {"x": 1}}',
    b'{"act": "phase", "with": "over"}',
    b'{"flag": "<b>"}',
    b'{"code": "' + b"x" * MOST_BODY + b'"}',
)


def test_what_no_page_sends_is_refused_in_a_sentence_and_changes_nothing(server: Server) -> None:
    lead = server.lead()
    lead.do("go", **AT)
    student = server.joined(lead.code)
    before = lead.see("lead", phase("predict"))
    for (who, door), body in product(
        ((student, "vote"), (student, "flag"), (lead, "do"), (lead, "join")), NOT_SENT
    ):
        answer = who.http.post(f"/class/{door}", content=body, headers={HEADER: who.key})
        assert 400 <= answer.status_code < 500, (door, body[:80], answer.text)
        assert answer.json()["said"]
    room = server.hall.rooms.find(lead.code)
    assert room is not None
    assert room.seen().answered == 0
    assert lead.see("lead", phase("predict")) == before


@pytest.mark.proof
@pytest.mark.slow
def test_codes_are_not_to_be_guessed_and_a_right_one_is_not_counted(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead, stranger = server.lead(), server.person()
    for _ in range(70):
        assert server.joined(lead.code).code == lead.code
    for _ in range(hall_module.WRONG_CODES):
        assert stranger.ask("join", {"code": "4444 4444"}).status_code == 409
    for code in ("4444 4444", lead.code):
        assert stranger.ask("join", {"code": code}).status_code == 429
    made = [stranger.ask("new", {}).status_code for _ in range(hall_module.NEW_ROOMS)]
    assert made[-1] == 429


def test_the_instructors_side_is_carried_by_a_link_that_works_once(server: Server) -> None:
    lead, second = server.lead(), server.person()
    told = lead.ask("carry", {}).json()
    second.take("carried", told)
    assert second.do("go", **AT).status_code == 200
    assert lead.do("phase", "votes").status_code == 200
    again = server.person().ask("carried", told)
    assert again.json()["said"] == WORDS.say("class", "carried_already")


def test_the_way_in_is_drawn_for_phones_and_for_an_address_only(server: Server) -> None:
    lead = server.lead()
    drawn = lead.ask("qr", at="https://clinic.example/")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert "<path" in drawn.text
    for at in ("javascript:alert(1)", "", "//x", "https://" + "x" * 400, "file:///etc/"):
        assert lead.ask("qr", at=at).status_code == 409


def test_together_apart_a_lock_a_call_a_timer_and_a_change_reach_every_screen(
    server: Server,
) -> None:
    lead = server.lead()
    student = server.joined(lead.code)
    lead.do("go", **AT)
    change = CASE.fixes[0].id
    number = str(number_of(change))
    for act, with_ in (("together", "0"), ("lock", "1"), ("call", None), ("timer", "60")):
        assert lead.do(act, with_).status_code == 200
    assert lead.do("hand", number).status_code == 200
    shown = student.see("class", phase("predict"))["lead"]
    assert (shown["together"], shown["locked"], shown["called"]) == (False, True, 1)
    assert (shown["handed"], shown["changes"]) == (1, number)
    assert 55 < shown["until"] - shown["now"] <= 61
    assert lead.do("timer", "5").json()["said"].startswith("A timer runs")


def test_the_board_counts_who_is_where_and_what_tempted(server: Server) -> None:
    lead = server.lead()
    lead.do("go", **AT)
    wrong = next(fix for fix in CASE.fixes if not fix.right)
    for stage in ("data", "batch", "batch"):
        student = server.joined(lead.code)
        tried = [wrong.id, CASE.twin_fixes[0], "<b>", 7]
        told = {"case": CASE.number, "stage": stage, "tried": tried}
        assert student.ask("stands", told).status_code == 200
    label = escape(CASE.words.of(wrong.id).label)
    right = escape(CASE.words.of(CASE.twin_fixes[0]).label)
    own = lead.see("lead", lambda shown: label in shown["html"])["html"]
    assert right not in own
    board = lead.see("board", phase("predict"))["html"]
    assert f"<b>2</b> <span>{WORDS.say('short', 'batch')}" in board
    assert label not in board
    assert lead.ask("summary.json").json()["tempting"] == [
        {"repair": CASE.words.of(wrong.id).label, "students": 3}
    ]


def test_a_restart_in_the_middle_goes_on_with_the_same_keys(tmp_path: Path) -> None:
    first = Server(tmp_path)
    lead = first.lead()
    student = first.joined(lead.code, "Anna")
    lead.do("go", **AT)
    student.ask("vote", {**AT, "choice": 2})
    lead.do("phase", "votes")
    first.close()
    second = Server(tmp_path)
    try:
        for person in (lead, student):
            person.http = httpx.Client(base_url=second.address, timeout=20)
        assert student.ask("me").json()["votes"] == {f"{CASE.number}/data": 2}
        assert student.ask("vote", {**AT, "choice": 1}).status_code == 200
        said = WORDS.say("class", "answered", count=1, of=1)
        assert said in lead.see("strip", phase("votes"))["html"]
    finally:
        second.close()


def test_the_end_is_told_to_who_follows_and_nothing_answers_after_it(server: Server) -> None:
    lead = server.lead()
    student = server.joined(lead.code)
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(student.see, "class", lambda shown: "over" in shown)
        time.sleep(0.3)
        lead.do("end")
        assert end.result(20)["over"] == WORDS.say("class", "room_over")
    for who in (lead, student):
        assert who.ask("live").status_code == 410
    assert server.person().ask("join", {"code": lead.code}).status_code == 409


@pytest.mark.proof
@pytest.mark.slow
def test_one_drawing_serves_all_who_follow(server: Server) -> None:
    lead = server.lead()
    lead.do("go", **AT)
    students = [server.joined(lead.code) for _ in range(20)]
    room = server.hall.rooms.find(lead.code)
    assert room is not None
    heard: list[int] = []
    with ThreadPoolExecutor(20) as pool:
        seen = [pool.submit(s.see, "class", phase("reveal")) for s in students]
        while not room.listeners:
            time.sleep(0.01)
        for _ in students:
            server.joined(lead.code).ask("vote", {**AT, "choice": 0})
            heard.append(len(room.listeners))
        lead.do("phase", "reveal")
        told = {json.dumps(one.result(20)) for one in seen}
    assert set(heard) == {1}
    assert len(told) == 1
    until = time.monotonic() + 10
    while room.listeners and time.monotonic() < until:
        time.sleep(0.02)
    assert not room.listeners


def test_a_clinic_that_cannot_keep_a_class_says_so(tmp_path: Path) -> None:
    (tmp_path / hall_module.ROOMS).mkdir()
    closed = Server(tmp_path)
    try:
        answer = closed.person().ask("new", {})
        assert answer.status_code == 503
        assert answer.json()["said"] == WORDS.say("class", "no_rooms_here")
    finally:
        closed.close()


def test_a_login_covers_every_door_but_the_empty_frames(tmp_path: Path) -> None:
    closed = Server(tmp_path, CLINIC_LOGIN="class:secret")
    try:
        person = closed.person()
        for page in ("/class", "/class/lead", "/class/board"):
            assert person.http.get(page).status_code == 200
        for door in ("new", "join", "carried", "vote", "do"):
            assert person.ask(door, {}).text == WORDS.say("guard", "login_first")
        for door in ("live", "me", "summary.json", "qr"):
            assert person.ask(door).status_code == 401
        closed.app.tokens["known"] = "class"
        person.http.cookies.set("access-token-x", "known")
        assert person.ask("new", {}).status_code == 200
    finally:
        closed.close()


@pytest.mark.parametrize("page", ["/class", "/class/lead", "/class/board"])
def test_a_page_is_whole_by_itself_and_holds_nothing_of_any_class(
    server: Server, page: str
) -> None:
    lead = server.lead()
    html = lead.http.get(page, params={"room": lead.code}).text
    assert lead.code not in html
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "data-lost=" in html
