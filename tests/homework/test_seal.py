"""The key of a clinic, and what only its holder can have signed."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from debugger.homework.seal import KEY_BYTES, MOST_TOKEN, NoKey, Refused, Seal

GIVEN = "k" * KEY_BYTES
NOWHERE = Path("/nowhere/clinic.key")


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "data" / "clinic.key"
    first = Seal("", file).token("task", {"n": 1})
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == [file.name]
    assert Seal("", file).opened("task", first) == {"n": 1}


def test_copies_that_begin_together_have_one_key(tmp_path: Path) -> None:
    seals = [Seal("", tmp_path / "clinic.key") for _ in range(16)]
    with ThreadPoolExecutor(16) as pool:
        tokens = list(pool.map(lambda seal: seal.token("task", {}), seals))
    assert len(set(tokens)) == 1


def test_copies_that_are_given_the_same_key_need_no_file() -> None:
    token = Seal(GIVEN, NOWHERE).token("receipt", {"a": "ä"})
    assert Seal(GIVEN, NOWHERE).opened("receipt", token) == {"a": "ä"}


def test_a_key_that_cannot_be_had_is_told_by_its_file(tmp_path: Path) -> None:
    short = tmp_path / "short"
    short.write_bytes(b"x")
    for seal in (Seal("", tmp_path / "none", makes=False), Seal("", short), Seal("", tmp_path)):
        with pytest.raises(NoKey, match=str(tmp_path)):
            seal.token("task", {})
    assert not (tmp_path / "none").exists()


def test_another_clinics_token_is_told_from_a_changed_one() -> None:
    seal, told = Seal(GIVEN, NOWHERE), {"cases": [1, 2]}
    text, clinic, mark = seal.token("task", told).split(".")
    more = urlsafe_b64encode(json.dumps({"cases": [1]}).encode()).decode().rstrip("=")
    for token in (f"{more}.{clinic}.{mark}", f"{text}.{clinic}.{mark[:-1]}", f"{text}.{clinic}.é"):
        assert _code(seal, token) == "changed"
    assert _code(Seal("o" * KEY_BYTES, NOWHERE), f"{text}.{clinic}.{mark}") == "other_clinic"


def test_a_seal_of_one_kind_opens_no_other() -> None:
    seal = Seal(GIVEN, NOWHERE)
    assert _code(seal, seal.token("task", {"n": 1})) is None
    assert _code(seal, seal.token("receipt", {"n": 1})) == "changed"


@pytest.mark.parametrize(
    "token",
    [
        *("", ".", "..", "a.b", "a.b.c.d", "!!.x.y", "é.x.y", "W10.x.y", "x" * (MOST_TOKEN + 1)),
        urlsafe_b64encode(b"[" * 900).decode().rstrip("=") + ".x.y",
    ],
)
def test_what_is_no_token_is_refused_and_nothing_breaks(token: str) -> None:
    assert _code(Seal(GIVEN, NOWHERE), token) == "unreadable_token"


def _code(seal: Seal, token: str) -> str | None:
    try:
        seal.opened("task", token)
    except Refused as refused:
        return refused.code
    return None
