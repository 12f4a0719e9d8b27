"""A signed receipt for each cure that this clinic has proved, into what the browser keeps."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from debugger.catalogue.scenario import number_of
from debugger.homework.receipt import MOST_RECEIPTS, How, Receipt, read, signed
from debugger.homework.seal import NoKey, Refused, Seal
from debugger.web.desk import Desk
from debugger.web.visit import Case, Record

log = logging.getLogger(__name__)


def give(desk: Desk, how: How, seal: Seal | None) -> None:
    """To be called only where a cure was just proved. The first of its kind is the one that counts.

    A cure is a cure where nothing can be signed, too.
    """
    if seal is None or desk.visit.demo:
        return
    record, name = desk.record, desk.visit.scenario
    case = record.case(name)
    try:
        if any(one.how == how for one in _hers(record, name, seal)):
            return
        receipt = Receipt(
            learner=record.learner,
            case=number_of(name),
            how=how,
            at=int(desk.now().timestamp()),
            attempts=sum(1 for changes in case.ran if changes),
            hints=case.hints,
            shown=case.shown,
        )
        kept = case.receipts[-MOST_RECEIPTS + 1 :]
        desk.remember(receipts=(*kept, signed(receipt, seal)))
    except NoKey as error:
        log.warning("no receipt can be signed: %s", error)


def _hers(record: Record, name: str, seal: Seal) -> Iterator[Receipt]:
    """Those of this scenario that count for this learner already."""
    for token in record.case(name).receipts:
        try:
            receipt = read(token, seal)
        except Refused:
            continue
        if receipt.learner == record.learner and receipt.case == number_of(name):
            yield receipt


def tokens(record: Record) -> list[str]:
    return [token for case in record.cases.values() for token in case.receipts]


def unproved(case: Case) -> bool:
    """Solved, as the browser says, and nothing was signed."""
    return case.solved and not case.receipts
