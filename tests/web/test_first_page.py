"""The first page as HTML: two frameworks side by side, and what this machine cannot show."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from debugger import catalogue, frameworks, settings
from debugger.catalogue.scenario import number_of
from debugger.web import host
from debugger.web.catalogue_page import first_page
from debugger.web.host import Closed, why_closed
from debugger.web.visit import Case, Record
from debugger.words import Words

WORDS = Words()
TORCH = catalogue.find("two_labels")
KERAS = replace(TORCH, id="keras_twin", framework="keras")
GPU = catalogue.find("gpu_assert")
OF_KERAS = WORDS.of("keras")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
NOTE = OF_KERAS.say("page", "framework_missing")


def card(html: str, scenario_id: str) -> str:
    name = f'id="case-{number_of(scenario_id)}"'
    return next(one for one in html.split('<li class="card"')[1:] if name in one)


def chips(html: str) -> list[str]:
    return re.findall('data-filter="(.*?)"', html)


@pytest.fixture
def only_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: framework == "pytorch")


@pytest.mark.usefixtures("only_pytorch")
def test_a_machine_without_tensorflow_shows_no_keras_scenario() -> None:
    cpu = settings.read({"CLINIC_DEVICE": "cpu"})
    assert why_closed(KERAS, cpu) == "framework_missing"
    assert why_closed(replace(KERAS, needs="cuda"), cpu) == "framework_missing"
    assert why_closed(TORCH, cpu) is None


def test_a_machine_with_tensorflow_shows_all_but_what_needs_a_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frameworks, "installed", lambda framework: True)
    monkeypatch.setattr(host, "CUDA_DRIVERS", ("/dev/null",))
    on_gpu, on_cpu = settings.read({}), settings.read({"CLINIC_DEVICE": "cpu"})
    assert [why_closed(scenario, on_gpu) for scenario in (TORCH, KERAS, GPU)] == [None] * 3
    assert [why_closed(scenario, on_cpu) for scenario in (TORCH, KERAS)] == [None] * 2
    assert why_closed(GPU, on_cpu) == "needs_cuda"


def test_frameworks_can_be_filtered_where_there_are_two() -> None:
    both = first_page([TORCH, KERAS], WORDS, Record())
    assert chips(both) == ["", "1", "2", "3", "pytorch", "keras", "open"]
    assert 'data-framework="pytorch"' in card(both, "two_labels")
    assert 'data-framework="keras"' in card(both, "keras_twin")
    for one in ([TORCH], [KERAS], []):
        assert chips(first_page(one, WORDS, Record())) == ["", "1", "2", "3", "open"]


def test_a_closed_keras_shelf_says_why_once_and_on_each_card() -> None:
    more = replace(KERAS, id="keras_too")
    closed: dict[str, Closed] = {
        "keras_twin": "framework_missing",
        "keras_too": "framework_missing",
    }
    html = first_page([TORCH, KERAS, more], WORDS, Record(), closed)
    assert html.count(NOTE) == 1
    assert chips(html)[-1] == "here"
    for name in closed:
        assert 'data-closed="1"' in card(html, name)
        assert OF_KERAS.say("page", "needs_framework") in card(html, name)
        assert f'href="clinic?case={number_of(name)}"' in card(html, name)
    assert 'data-closed="0"' in card(html, "two_labels")
    assert OF_KERAS.say("page", "needs_framework") not in card(html, "two_labels")


def test_where_tensorflow_is_there_nothing_is_said_of_it() -> None:
    html = first_page([TORCH, KERAS, GPU], WORDS, Record(), {"gpu_assert": "needs_cuda"})
    assert NOTE not in html
    assert OF_KERAS.say("page", "needs_framework") not in html
    assert 'data-closed="0"' in card(html, "keras_twin")
    assert 'data-closed="1"' in card(html, "gpu_assert")


AGAIN = replace(TORCH, id="again", order=31)
FINE = catalogue.find("nothing_wrong")
EVERY = [TORCH, AGAIN, FINE, GPU]
SOLVED = Case(solved=True, solved_at="2026-11-10T10:00:00Z", cause=TORCH.code, sure="certain")


def page(record: Record, scenarios: list[catalogue.Scenario] = EVERY) -> str:
    return first_page(scenarios, WORDS, record, {"gpu_assert": "needs_cuda"}, now=NOW)


def part(html: str, kind: str) -> str:
    found = re.search(rf'<section class="{kind}".*?</section>', html, re.DOTALL)
    return found[0] if found else ""


def said(code: str, **numbers: object) -> str:
    return html.escape(WORDS.say("path", code, **numbers))


def test_a_newcomer_sees_the_path_in_one_line_and_no_empty_statistics() -> None:
    for record in (Record(), Record().changed("never_heard_of", solved=True)):
        shown = page(record)
        assert 'class="path"' in shown
        assert part(shown, "go-on") == ""
        assert '<h2 id="progress">Your progress</h2>' in part(shown, "progress")
        assert 'class="learnt"' not in shown
        assert "0 of" not in shown


def test_who_has_begun_goes_on_where_the_case_stood() -> None:
    stood = Case(at="2026-11-21T10:00:00Z", stage="batch", changes=("three_labels",))
    band = part(page(Record(cases={"two_labels": stood})), "go-on")
    changes = number_of("three_labels")
    assert f'href="clinic?case={TORCH.number}&amp;stage=batch&amp;changes={changes}"' in band
    assert "in the stage Batch, 1 change in the script" in band
    gone = replace(stood, stage=None, changes=("no_such_change",))
    band = part(page(Record(cases={"two_labels": gone})), "go-on")
    assert f'href="clinic?case={TORCH.number}"' in band
    assert said("at_symptom") in band


def test_a_solved_case_comes_back_after_a_week_and_its_cause_in_another_script() -> None:
    band = part(page(Record(cases={"two_labels": SOLVED})), "go-on")
    assert said("solved_ago", days=12) in band
    assert f'data-act="again" data-with="{TORCH.number}"' in band
    assert 'data-ask="' in band
    assert f'href="clinic?case={AGAIN.number}"' in band
    assert f'href="clinic?case={GPU.number}"' not in band
    fresh = replace(SOLVED, solved_at="2026-11-20T10:00:00Z")
    assert said("again") not in page(Record(cases={"two_labels": fresh}))


def test_skills_and_sureness_are_told_in_words_beside_their_bars() -> None:
    cases = {"two_labels": SOLVED, "nothing_wrong": Case(cause="one_label", sure="certain")}
    told = part(page(Record(cases=cases)), "progress")
    assert said("mastery_alone", solved=1, of=3, alone=1) in told
    assert told.count('<i class="alone">') == 1
    assert said("judged", sure="Certain", right=1, of=2) in told
    assert said("look_once_more", count=1) in told
    assert said("builds_on", skills="Batch") in told


def test_a_card_looks_the_same_whatever_is_suggested() -> None:
    cases = {"two_labels": SOLVED, "nothing_wrong": Case(cause="one_label", sure="certain")}
    alone, beside = page(Record()), page(Record(cases=cases))
    assert card(alone, "again") == card(beside, "again")
    assert card(alone, "gpu_assert") == card(beside, "gpu_assert")
