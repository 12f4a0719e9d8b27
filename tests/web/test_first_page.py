"""The first page as HTML: two frameworks side by side, and what this machine cannot show."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from debugger import catalogue, frameworks, settings
from debugger.catalogue.scenario import number_of
from debugger.web import host
from debugger.web.catalogue_page import first_page
from debugger.web.host import Closed, why_closed
from debugger.web.visit import Record
from debugger.words import Words

WORDS = Words()
TORCH = catalogue.find("two_labels")
KERAS = replace(TORCH, id="keras_twin", framework="keras")
GPU = catalogue.find("gpu_assert")
OF_KERAS = WORDS.of("keras")
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
