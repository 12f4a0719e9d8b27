"""The bank holds together, and the score is what the diagnosis says."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.outcome import Event, Finding, Found, Outcome, StageEnded, StageStarted
from debugger.run import Run
from debugger.settings import read
from debugger.workers import Engine, started
from debugger.workers.engine import Asker
from tools import score
from tools.bank import __main__ as bank
from tools.bank.cases import (
    FAMILIES,
    FRESH,
    HOME,
    LATER_SEEN,
    SEEN,
    BankError,
    Case,
    base_of,
    bases,
    broken,
    healthy,
)
from tools.bank.rewriting import REWRITINGS, rewritten
from tools.bank.scoring import Scored
from tools.bank.scoring import score as scored

SAMPLE = ("pt_stars", "topics_labels_from_one", "causal_positions", "stars_classes")


def every() -> list[Case]:
    return [
        broken(base, fault) if fault else healthy(base)
        for base in bases()
        for fault in (None, *base.faults)
    ]


def called(name: str) -> Case:
    return next(case for case in every() if case.id == name)


def test_every_script_is_python_and_every_line_to_blame_stands_there() -> None:
    for case in every():
        assert list(bank.unparsable(case)) == []
        if case.to_blame is not None:
            name, line = case.to_blame
            assert 1 <= line <= len(case.files[name].splitlines()), case.id


def test_there_are_enough_of_all_kinds() -> None:
    frameworks = Counter(base.framework for base in bases())
    assert frameworks["keras"] >= 8
    assert frameworks.total() >= 24
    assert len({base.task for base in bases()}) >= 9
    assert len(every()) - frameworks.total() >= 150


@pytest.mark.parametrize("family", FAMILIES)
def test_half_of_a_family_is_held_out(family: str) -> None:
    kinds = Counter(
        case.fault.written for case in every() if case.fault and case.fault.family == family
    )
    assert kinds[SEEN] <= kinds[LATER_SEEN] + kinds[FRESH]
    assert kinds[FRESH] >= 2


def test_fresh_faults_are_of_both_frameworks_and_proved_to_do_harm() -> None:
    known = bank.read()
    fresh = [case for case in every() if case.fault and case.fault.written == FRESH]
    kinds = Counter(case.base.framework for case in fresh)
    assert kinds["pytorch"] >= 20
    assert kinds["keras"] >= 12
    assert [case.id for case in fresh if bank.verdict(case, known) not in score.HARMFUL] == []


def test_every_proof_is_of_a_script_of_the_bank() -> None:
    assert set(bank.read()) <= {case.id for case in every()}


def test_every_fault_has_an_address_of_its_own_kind() -> None:
    for case in every():
        if case.fault:
            assert case.fault.source.startswith("https://"), case.id
            assert case.fault.cause.endswith("."), case.id


def test_a_key_holds_sentences_that_exist_and_no_symptoms(tmp_path: Path) -> None:
    text = (HOME / "faults" / "pt_reviews.toml").read_text(encoding="utf-8")
    assert "learning_rate_too_high" in text
    for code in ("learning_rate_too_loud", "stuck_at_chance"):
        wrong = tmp_path / "pt_reviews.toml"
        wrong.write_text(text.replace("learning_rate_too_high", code), encoding="utf-8")
        with pytest.raises(BankError, match=rf"reviews_lr_high: {code}"):
            base_of(wrong)


@pytest.mark.parametrize("how", [how for how in REWRITINGS if how != "as written"])
def test_a_rewriting_is_python_and_keeps_the_line_to_blame(how: str) -> None:
    for case in (
        called("reviews_lr_high"),
        called("intents_head_small"),
        called("claims_detached"),
    ):
        changed = rewritten(case, how)
        assert changed.files != case.files
        assert list(bank.unparsable(changed)) == []
        assert case.to_blame is not None
        assert changed.to_blame is not None
        (name, line), (here, now) = case.to_blame, changed.to_blame
        was = case.files[name].splitlines()[line - 1].strip()
        said = changed.files[here].splitlines()[now - 1].strip()
        assert said == was or how == "names"


def test_harm_is_an_error_silence_or_a_number_far_from_the_healthy_one() -> None:
    base = replace(bases()[0], better="high")
    for proof, said in [
        ({"error": "ValueError"}, "crash"),
        ({"number": None}, "silent"),
        ({"number": float("nan")}, "silent"),
        ({"number": 0.9}, "harmless"),
        ({"number": 0.5}, "worse"),
        ({"number": 0.99}, "better"),
    ]:
        assert bank.harm(base, 0.92, proof) == said


def test_a_fault_is_unproved_while_its_base_is() -> None:
    case = called("reviews_lr_high")
    text = bank.digest(healthy(case.base))
    known: bank.Proofs = {
        case.base.id: {"text": text, "number": 0.92},
        case.id: {"text": bank.digest(case), "number": 0.5},
    }
    assert bank.verdict(case, known) == "worse"
    assert bank.is_proved(healthy(case.base), known)
    known[case.base.id] = {"text": text, "error": "still running after 90 s"}
    assert bank.verdict(case, known) == "unproved"
    assert not bank.is_proved(healthy(case.base), known)


def test_what_the_healthy_script_is_said_to_have_too_detects_nothing() -> None:
    about = ("pytorch", "input", SEEN, "as written", "fail")
    seen = Scored("b", "b", *about, ("leak",), (), (), False, None, True, 1.0, 0.5)
    assert seen.detected
    assert not seen.beyond(seen).detected
    assert replace(seen, named=True).beyond(seen).detected


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    limits = replace(read({}), workers=1, time_limit=180, memory_mb=4000)
    with (
        tempfile.TemporaryDirectory() as folder,
        started(replace(limits, data_dir=Path(folder)), online=True) as engine,
    ):
        yield engine


@pytest.mark.proof
def test_a_sample_is_scored_as_the_tables_say(engine: Engine) -> None:
    """One healthy script without a false alarm, three faults named."""
    found = [scored(called(name), engine) for name in SAMPLE]
    assert [bool(one.codes) for one in found] == [False, True, True, True]
    assert all(one.named for one in found[1:])
    said = "\n".join(score.tables(found))
    assert "| all | 3 | 3 of 3 (100%) | 3 of 3 (100%) |" in said
    assert "0 of 1 get a fault." in said


class Refused:
    """An engine whose runs end in the set-up, for a reason that is the clinic's own."""

    def events(self, run: Run, asker: Asker | None = None) -> Iterator[Event]:
        yield StageStarted("setup")
        yield Found(Finding("writes_outside", "note", "setup", 1))
        yield StageEnded("setup", "unknown", 0.1)
        yield Outcome("unknown", "cpu", 0.1)

    def cancel(self, ticket: str) -> None:
        raise NotImplementedError


def test_what_was_never_looked_at_is_not_counted_among_the_healthy() -> None:
    blind = scored(called("pt_stars"), Refused())
    assert blind.unreadable == ("setup: writes_outside",)
    assert "1 of 1 scripts" in "\n".join(score.tables([blind]))
