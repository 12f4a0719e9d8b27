"""Checked certificates for a grade book: rows of CSV, and plain data for JSON."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any

from debugger.homework.certificate import Checked, counted

COLUMNS = ("file", "name", "genuine", "reason", "solved", "typed", "late", "last", "cases")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""A name that begins so would be computed by a spreadsheet."""


def as_csv(files: Sequence[Checked]) -> str:
    written = StringIO()
    rows = csv.writer(written, lineterminator="\r\n")
    rows.writerow(COLUMNS)
    for one in files:
        row: dict[str, Any] = {"file": one.file, "genuine": int(one.genuine), "reason": one.reason}
        if one.certificate is not None:
            work = one.certificate.work
            row |= {
                "name": one.certificate.name,
                **counted(one.certificate),
                "last": work[-1].at if work else "",
                "cases": " ".join(dict.fromkeys(str(done.case) for done in work)),
            }
        rows.writerow(_harmless(row.get(column, "")) for column in COLUMNS)
    return written.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell


def as_json(one: Checked, said: str) -> dict[str, Any]:
    """`said` is the sentence about it."""
    told: dict[str, Any] = {"file": one.file, "genuine": one.genuine, "reason": one.reason or None}
    told["said"] = said
    if one.certificate is not None:
        told |= {"counted": dict(counted(one.certificate)), "certificate": asdict(one.certificate)}
    return told
