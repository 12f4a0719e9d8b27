"""Cases of the rules in stages/company.py."""

from __future__ import annotations

from dataclasses import replace

from debugger.pipelines.company import Company, Teacher
from debugger.stages import company
from tests.stages.cases.seen import FINE, SOUND, Case, of_loss
from tests.stages.test_step import FACTS

OTHERWISE = Teacher(rows=60, as_it_is=0.02, anew=0.98, majority=0.4, moved=(0, 2))

CASES = [
    Case(
        company.loss_needs_more_rows,
        replace(FINE, company=Company(alone=0.0, together=2.2)),
        {"company": Company(alone=0.1, together=2.2)},
        says={"together": 2.2},
    ),
    of_loss(
        company.loss_goes_by_place,
        {"in_turn": (2.0, 2.0)},
        replace(SOUND, in_turn=(2.0, 2.4)),
        straight=2.0,
        turned=2.4,
    ),
    Case(
        company.teacher_numbers_otherwise,
        replace(FINE, company=Company(teacher=OTHERWISE)),
        {"company": Company(teacher=replace(OTHERWISE, as_it_is=0.98))},
        facts=replace(FACTS, label_names=("no", "maybe", "yes")),
        says={"said": "no", "meant": "yes", "anew": 0.98},
    ),
    Case(
        company.teacher_knows_nothing,
        replace(FINE, company=Company(teacher=replace(OTHERWISE, as_it_is=0.3, anew=0.4))),
        {"company": Company(teacher=replace(OTHERWISE, as_it_is=0.6, anew=0.6))},
        says={"share": 0.3, "majority": 0.4},
    ),
]
