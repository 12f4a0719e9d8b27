"""What is wrong with a scenario, as sentences: pure functions of what its files hold."""

from collections.abc import Iterator, Sequence

from debugger.catalogue.scenario import (
    FACTS,
    RECORDED,
    SCRIPT,
    Cheat,
    Fix,
    Repair,
    Scenario,
    ScenarioError,
)
from debugger.catalogue.skills import has_skill
from debugger.outcome import STAGES
from debugger.words import Words

WIDEST, LONGEST = 72, 100
ENOUGH_REPAIRS = 3
ENOUGH_CHANGES = 8
"""In decoys too: nobody is to know one by how little there is to choose from."""


def about_facts(scenario: Scenario) -> Iterator[str]:
    if scenario.id != scenario.folder.name:
        yield f'id should be "{scenario.folder.name}", as its folder; it is "{scenario.id}".'
    if scenario.framework != scenario.folder.parent.name:
        yield f'framework should be "{scenario.folder.parent.name}"; it is "{scenario.framework}".'
    for key in ("symptom_stage", "first_stage", "code"):
        if (getattr(scenario, key) is None) != scenario.decoy:
            yield f"{key} {'has no place in a decoy' if scenario.decoy else 'is missing'}."
    if scenario.symptom_stage and scenario.first_stage:
        order = STAGES.index
        if order(scenario.first_stage) > order(scenario.symptom_stage):
            yield "first_stage should not come after symptom_stage."
    for number, fix in enumerate(scenario.fixes, 1):
        if scenario.decoy and fix.right:
            yield f"fixes[{number}].right should be false: in a decoy there is nothing to repair."
        cures = fix.right and scenario.place(fix) >= len(scenario.twin_fixes) - 1
        harmless = scenario.decoy and fix.ends_at is None
        for key in () if harmless else ("ends_at", "code"):
            if (getattr(fix, key) is None) != cures:
                fault = "has no place in a right fix" if cures else "is missing"
                if cures and scenario.stacked:
                    fault += " of the last fault"
                yield f"fixes[{number}].{key} {fault}."
    if scenario.decoy and scenario.cheats:
        yield "cheats have no place in a decoy: there is no fault to hide."
    if scenario.recorded_on is None and (scenario.folder / RECORDED).exists():
        shows = f"{RECORDED} shows a run on a device that hosts may lack"
        yield f"needs is missing, or differs_on: {shows}."
    said = Words().of(scenario.framework)
    codes = [("code", scenario.code)]
    codes += [(f"fixes[{number}].code", fix.code) for number, fix in enumerate(scenario.fixes, 1)]
    for key, code in codes:
        if code is not None and not said.has("finding", code):
            yield f'{key} should be the code of a finding; it is "{code}".'
        elif key == "code" and code is not None and not said.has("cause", code):
            yield (
                f"code should have a sentence under [cause] in the words of the clinic, where "
                f'learners choose the cause; "{code}" has none.'
            )
        elif key == "code" and code is not None and not has_skill(code):
            yield f'code should have a skill in catalogue/skills.py; "{code}" has none.'


def about_patches(scenario: Scenario) -> Iterator[str]:
    patches: list[tuple[str, Fix | Cheat]] = [
        (f"fixes[{number}]", fix) for number, fix in enumerate(scenario.fixes, 1)
    ]
    patches += [(f"cheats[{number}]", cheat) for number, cheat in enumerate(scenario.cheats, 1)]
    misplaced = list(_about_replacements(scenario, patches))
    yield from misplaced
    right = [fix.id for fix in scenario.fixes if fix.right]
    if not scenario.decoy and not right:
        yield "fixes should hold at least one right fix; it holds none."
    if not scenario.decoy and not scenario.twin_fixes:
        yield "twin_fixes should name the right fixes of the twin; it names none."
    for fix_id in scenario.twin_fixes:
        if fix_id not in right:
            yield f'twin_fixes should name right fixes; "{fix_id}" is none.'
    if not misplaced:
        yield from _about_places(scenario, patches)


def _about_replacements(
    scenario: Scenario, patches: Sequence[tuple[str, Fix | Cheat | Repair]]
) -> Iterator[str]:
    seen: dict[str, str] = {}
    for key, patch in patches:
        if patch.id in seen:
            yield f'{key}.id is "{patch.id}", which {seen[patch.id]} has too.'
        seen[patch.id] = key
        for number, replacement in enumerate(patch.replacements, 1):
            count = scenario.script.count(replacement.old)
            if count != 1:
                yield (
                    f"{key}.replacements[{number}].old should stand in {SCRIPT} exactly once; "
                    f"it stands there {count} times."
                )


def _about_places(scenario: Scenario, patches: list[tuple[str, Fix | Cheat]]) -> Iterator[str]:
    """Where faults are stacked every patch knows which of them it is about, and fits there."""
    try:
        scenario.patched(scenario.twin_fixes)
    except ScenarioError:
        yield "twin_fixes cannot be applied one after the other."
    for key, patch in patches:
        if patch.instead_of is None:
            if scenario.stacked and isinstance(patch, Fix) and patch.id not in scenario.twin_fixes:
                yield f"{key}.instead_of is missing: which of the twin_fixes it stands for."
        elif not scenario.stacked:
            yield f"{key}.instead_of has a place only where there is more than one of twin_fixes."
        elif patch.id in scenario.twin_fixes:
            yield f"{key}.instead_of has no place in one of the twin_fixes."
        elif patch.instead_of not in scenario.twin_fixes:
            name = patch.instead_of
            yield f'{key}.instead_of should name one of the twin_fixes; "{name}" is none.'
        else:
            yield from _about_fit(scenario, key, patch)


def _about_fit(scenario: Scenario, key: str, patch: Fix | Cheat) -> Iterator[str]:
    try:
        if isinstance(patch, Cheat):
            scenario.cheated(patch.id)
        elif patch.right:
            scenario.mended(patch.id)
        else:
            scenario.tried(patch.id)
    except ScenarioError:
        yield f"{key} touches the same lines as the twin_fixes beside it."


def about_repairs(scenario: Scenario) -> Iterator[str]:
    """Each mends the broken script in a way that neither the fixes nor the others do."""
    if scenario.decoy:
        if scenario.repairs:
            yield "repairs have no place in a decoy: there is nothing to repair."
        return
    if len(scenario.repairs) < ENOUGH_REPAIRS:
        yield (
            f"repairs should hold {ENOUGH_REPAIRS} right ones that the fixes do not hold; "
            f"it holds {len(scenario.repairs)}."
        )
    named = [(f"repairs[{number}]", one) for number, one in enumerate(scenario.repairs, 1)]
    yield from _about_replacements(scenario, named)
    seen = {_made(scenario, fix): f"the fix {fix.id}" for fix in scenario.fixes}
    for key, repair in named:
        script = _made(scenario, repair)
        if script is not None and script in seen:
            yield f"{key} makes the same script as {seen[script]}."
        seen[script] = f"the repair {repair.id}"


def _made(scenario: Scenario, patch: Fix | Repair) -> str | None:
    """None where another complaint tells that it cannot be applied."""
    try:
        return scenario.repaired(patch)
    except ScenarioError:
        return None


def about_choice(scenario: Scenario) -> Iterator[str]:
    """Enough to choose from, and each choice a script that a page can show."""
    right = sum(fix.right for fix in scenario.fixes)
    harmless = sum(not fix.right and fix.ends_at is None for fix in scenario.fixes)
    wrong = len(scenario.fixes) - right - harmless
    wanted = (
        [("harmless fixes", harmless, 1), ("wrong fixes", wrong, 2)]
        if scenario.decoy
        else [
            ("right fixes", right, 2),
            ("wrong fixes", wrong, 3),
            ("cheats", len(scenario.cheats), 2),
        ]
    )
    wanted.append(("changes to choose from", len(scenario.patches), ENOUGH_CHANGES))
    for what, count, least in wanted:
        if count < least:
            yield f"should hold at least {least} {what}; it holds {count}."
    for patch in scenario.patches:
        script = scenario.changed([patch.id])
        for said in about_script(script):
            yield f"the script that {patch.id} makes{said}"
        try:
            compile(script, patch.id, "exec")
        except SyntaxError as error:
            yield f"{patch.id} makes a script that Python cannot read: {error}."


def about_script(script: str) -> Iterator[str]:
    lines = script.splitlines()
    if len(lines) > LONGEST:
        yield f" should have at most {LONGEST} lines; it has {len(lines)}."
    for number, line in enumerate(lines, 1):
        if len(line) > WIDEST:
            yield f":{number} should have at most {WIDEST} columns; it has {len(line)}."


def about_words(scenario: Scenario) -> Iterator[str]:
    words = scenario.words
    needed: dict[str, tuple[list[str], set[str]]] = {
        "questions": (list(STAGES), set(words.questions)),
        "fixes": ([fix.id for fix in scenario.fixes], set(words.fixes)),
        "cheats": ([cheat.id for cheat in scenario.cheats], set(words.cheats)),
    }
    for table, (wanted, said) in needed.items():
        for key in wanted:
            if key not in said:
                yield f"{table}.{key} is missing."
        for key in sorted(said - set(wanted)):
            yield f"{table}.{key} is not in {FACTS}."
    for stage, question in words.questions.items():
        wanted, held = len(question.choices), len(question.because)
        if held != wanted:
            yield (
                f"questions.{stage}.because should hold {wanted} sentences, one for each choice; "
                f"it holds {held}."
            )
    if scenario.course_message and not words.since_then:
        yield "since_then is missing: what changed since the course's message."
