"""Rows that a script cuts in two as they stand: in some order of theirs, and in none that tells."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from debugger.pipelines.data import Data
from debugger.script.places import Places
from debugger.stages.cutting import held_out_of_one_kind, sorted_then_cut
from debugger.stages.judging import NO_SCRIPT, CannotJudge, Rule, Verdict, View
from tests.stages.test_step import FACTS

SEEN = Data(None, None)
HALVES = "\ntrain, test = rows[:30], rows[30:]"
SORTED = {
    "by a library": "df = df.sort_values('kind')\n"
    "train, test = train_test_split(df, test_size=0.2, shuffle=False)",
    "in their place": "df.sort_values('kind', inplace=True)\n"
    "train = df.iloc[:30]\ntest = df.iloc[30:]",
    "by a key": "rows = sorted(rows, key=lambda row: row['kind'])" + HALVES,
    "a list's own": "rows.sort(key=len)" + HALVES,
    "row by row": "ordered = df.sort_values('kind')\nrows = []\n"
    "for row in ordered.to_dict('records'):\n    rows.append(row)" + HALVES,
    "in a function": "def parts(rows):\n    rows = sorted(rows)\n"
    "    return rows[:30], rows[30:]\ntrain, test = parts(rows)",
}
NOT_SORTED = {
    "a table in the order of time": "df = df.sort_values('date')\ntrain, test = df[:30], df[30:]",
    "a split in the order of time": "df = df.sort_values('Date')\n"
    "train, test = train_test_split(df, shuffle=False)",
    "an index of time": "df = df.set_index('date').sort_index()\ntrain, test = df[:30], df[30:]",
    "rows by their day": "rows.sort(key=lambda row: row.day)" + HALVES,
    "shuffled by Python": "rows = sorted(rows)\nrandom.Random(0).shuffle(rows)" + HALVES,
    "shuffled by NumPy": "rows = sorted(rows)\nnp.random.shuffle(rows)" + HALVES,
    "shuffled by scikit-learn": "rows = shuffle(sorted(rows), random_state=0)" + HALVES,
    "shuffled if so wanted": "rows = sorted(rows)\nif mix:\n    random.shuffle(rows)" + HALVES,
    "a sample of all": "df = df.sort_values('kind').sample(frac=1)\ntrain, test = df[:30], df[30:]",
    "dealt out anew": "df = df.sort_values('kind')\norder = rng.permutation(len(df))\n"
    "df = df.iloc[rng.permutation(len(df))]\ntrain, test = df[:30], df[30:]",
    "by drawn places": "rows = np.sort(rows)\norder = rng.permutation(len(rows))\n"
    "train, test = rows[order[:30]], rows[order[30:]]",
    "a split by lot": "df = df.sort_values('kind')\ntrain, test = train_test_split(df)",
    "files, to have them in one order": "rows = sorted(folder.glob('*.png'))" + HALVES,
    "names, each of them once": "rows = sorted(set(users))" + HALVES,
    "a text and its next words": "ids = sorted(ids)\nx, y = ids[:-1], ids[1:]",
    "two others": "kinds = sorted(kinds)" + HALVES,
    "behind the cut": HALVES.strip() + "\nrows = sorted(rows)",
}


def asked(rule: Rule, script: str, **names: Any) -> Verdict | CannotJudge | None:
    return rule(SEEN, View(FACTS, Places(script), has_script=bool(script), names=names))


def table(kinds: list[str], field: str = "kind") -> pd.DataFrame:
    return pd.DataFrame({"text": [f"row {n}" for n in range(len(kinds))], field: kinds})


def halves(kinds: list[str], field: str = "kind", at: int = 30) -> dict[str, Any]:
    whole = table(kinds, field)
    return {"train": whole[:at], "test": whole[at:]}


@pytest.mark.parametrize("form", SORTED)
def test_rows_are_put_in_order_and_cut(form: str) -> None:
    text = SORTED[form]

    found = asked(sorted_then_cut, text)

    assert isinstance(found, Verdict)
    assert (found.severity, found.numbers["other"]) == (
        "look",
        "rows[30:]" if "return" in text else "test",
    )
    assert "sort" in text.splitlines()[(found.line or 0) - 1]


@pytest.mark.parametrize("form", NOT_SORTED)
def test_rows_are_cut_in_no_order_or_in_that_of_time(form: str) -> None:
    assert asked(sorted_then_cut, NOT_SORTED[form]) is None


CUT = "df = read()\ntrain, test = df.iloc[:30], df.iloc[30:]"
CUTS = {
    "places in a table": CUT,
    "rows of a table": "df = read()\ntrain, test = df[:30], df[30:]",
    "as many as are wanted": "df = read()\ntrain = df.iloc[:n]\ntest = df.iloc[n:]",
    "a split without a lot": "df = read()\ntrain, test = train_test_split(df, shuffle=False)",
}
ONE_KIND = ["cat"] * 15 + ["cow"] * 15 + ["dog"] * 20


@pytest.mark.parametrize("form", CUTS)
def test_rows_behind_a_cut_are_of_a_kind_that_is_not_before_it(form: str) -> None:
    found = asked(held_out_of_one_kind, CUTS[form], **halves(ONE_KIND))

    told = {"one": "train", "other": "test", "field": "kind", "kind": "dog", "rows": 20}
    assert found == Verdict("look", 2, told)


def test_rows_that_are_dictionaries_have_fields_as_well() -> None:
    rows = [{"text": f"row {n}", "kind": kind} for n, kind in enumerate(ONE_KIND)]

    found = asked(held_out_of_one_kind, HALVES.strip(), train=rows[:30], test=rows[30:])

    assert isinstance(found, Verdict)
    assert found.line == 1


def test_what_says_more_is_said_alone() -> None:
    script = "df = df.sort_values('kind')\n" + CUTS["rows of a table"].splitlines()[1]

    assert isinstance(asked(held_out_of_one_kind, script, **halves(ONE_KIND)), Verdict)
    assert asked(sorted_then_cut, script, **halves(ONE_KIND)) is None
    assert isinstance(asked(sorted_then_cut, script, **halves(["cat", "dog"] * 25)), Verdict)


@pytest.mark.parametrize(
    ("script", "names"),
    [
        (CUT, halves(["cat", "dog"] * 25)),
        (CUT, halves(["cat"] * 25 + ["dog"] * 25)),
        (CUT, halves(["2024-01"] * 30 + ["2024-02"] * 20, "month")),
        (CUT, halves([f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(50)], "name")),
        (CUT, halves(["cat"] * 30 + ["dog"] * 19, at=31)),
        (CUT, {"train": table(["cat"] * 30)}),
        ("df = shuffle(df)\n" + CUT.splitlines()[1], halves(ONE_KIND)),
        ("train, test = train_test_split(df)", halves(ONE_KIND)),
        ("a = df[df.kind != 'dog']\nb = df[df.kind == 'dog']", halves(ONE_KIND)),
        ("train, test = rows[:30], rows[30:]", {"train": [1.0] * 30, "test": [2.0] * 20}),
    ],
)
def test_rows_of_all_kinds_of_times_or_picked_on_purpose(script: str, names: Any) -> None:
    assert asked(held_out_of_one_kind, script, **names) is None


def test_nothing_is_said_of_cuts_where_there_is_no_script() -> None:
    assert asked(held_out_of_one_kind, "", **halves(ONE_KIND)) == NO_SCRIPT
    assert asked(sorted_then_cut, "") == NO_SCRIPT
