"""The catalogue on toy scenarios: what is good loads, what is wrong gets its sentence."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from debugger import catalogue
from debugger.catalogue import ScenarioError

TOYS = Path(__file__).parents[1] / "toy_scenarios"
Break = Callable[[str, str, str], str]


@pytest.fixture
def broken(tmp_path: Path) -> Break:
    """Change one text in one file of a copy of the good toy, load it, return the complaint."""
    folder = tmp_path / "pytorch" / "good"
    shutil.copytree(TOYS / "pytorch" / "good", folder)

    def complaint(file: str, old: str, new: str) -> str:
        text = (folder / file).read_text()
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new))
        with pytest.raises(ScenarioError) as raised:
            catalogue.load(folder)
        return str(raised.value)

    return complaint


def test_scenarios_come_in_their_order():
    assert [scenario.id for scenario in catalogue.every(TOYS)] == ["good", "nothing_wrong"]


def test_a_scenario_is_found_by_its_id():
    assert catalogue.find("good", TOYS).first_stage == "step"


def test_an_unknown_id_names_the_known_ones():
    with pytest.raises(ScenarioError, match="no scenario 'bad'; there are good, nothing_wrong"):
        catalogue.find("bad", TOYS)


def test_a_fix_replaces_its_text_and_leaves_the_rest():
    toy = catalogue.find("good", TOYS)
    assert toy.patched(["more_steps"]) == toy.script.replace("steps=3", "steps=30")


def test_the_twin_is_the_script_with_its_named_fixes():
    toy = catalogue.find("good", TOYS)
    assert toy.twin == toy.script.replace("rate=100", "rate=1")


def test_a_decoy_is_its_own_twin():
    toy = catalogue.find("nothing_wrong", TOYS)
    assert toy.twin == toy.script


def test_an_unknown_fix_names_the_known_ones():
    with pytest.raises(ScenarioError, match=r"no fix 'pray'; it has smaller_rate, smallest_rate"):
        catalogue.find("good", TOYS).patched(["pray"])


def test_two_fixes_of_the_same_line_cannot_be_applied_together():
    with pytest.raises(ScenarioError, match="'smallest_rate' cannot be applied after"):
        catalogue.find("good", TOYS).patched(["smaller_rate", "smallest_rate"])


def test_an_unknown_cheat_names_the_known_ones():
    with pytest.raises(ScenarioError, match=r"no cheat 'bribe'; it has no_training\."):
        catalogue.find("good", TOYS).cheated("bribe")


FACTS, REPAIRS = "pytorch/good/scenario.toml: ", "pytorch/good/repairs.toml: "
WRONG = {
    "a key is missing": (
        "scenario.toml",
        "minutes = 5\n",
        "",
        FACTS + "minutes is missing.",
    ),
    "a key of a fix is missing": (
        "scenario.toml",
        'id = "more_steps"\nright = false\n',
        'id = "more_steps"\n',
        FACTS + "fixes[3].right is missing.",
    ),
    "a key is unknown": (
        "scenario.toml",
        "minutes = 5",
        "minutes = 5\nhours = 1",
        FACTS + "hours is not a known key.",
    ),
    "a key is only the loader's": (
        "scenario.toml",
        "minutes = 5",
        'minutes = 5\nscript = "x"',
        FACTS + "script is not a known key.",
    ),
    "a number is text": (
        "scenario.toml",
        "minutes = 5",
        'minutes = "5"',
        FACTS + 'minutes should be a valid integer; it is "5".',
    ),
    "a yes is text": (
        "scenario.toml",
        "right = false",
        'right = "no"',
        FACTS + 'fixes[3].right should be a valid boolean; it is "no".',
    ),
    "there are too many steps": (
        "scenario.toml",
        "steps = 3\n\n",
        "steps = 500\n\n",
        FACTS + "checks.steps should be less than or equal to 120; it is 500.",
    ),
    "a stage is unknown": (
        "scenario.toml",
        'first_stage = "step"',
        'first_stage = "stop"',
        FACTS + "first_stage should be 'setup', 'data', 'batch', 'forward', 'step', 'evaluate', "
        "'overfit' or 'train'; it is \"stop\".",
    ),
    "a finding is unknown": (
        "scenario.toml",
        'first_stage = "step"\ncode = "learning_rate_too_high"',
        'first_stage = "step"\ncode = "bad_luck"',
        FACTS + 'code should be the code of a finding; it is "bad_luck".',
    ),
    "a wrong fix ends with an unknown finding": (
        "scenario.toml",
        'ends_at = "step"\ncode = "learning_rate_too_high"',
        'ends_at = "step"\ncode = "bad_luck"',
        FACTS + 'fixes[3].code should be the code of a finding; it is "bad_luck".',
    ),
    "a wrong fix does not say where it ends": (
        "scenario.toml",
        'ends_at = "step"\n',
        "",
        FACTS + "fixes[3].ends_at is missing.",
    ),
    "a right fix says where it ends": (
        "scenario.toml",
        'id = "smaller_rate"\nright = true',
        'id = "smaller_rate"\nright = true\nends_at = "step"',
        FACTS + "fixes[1].ends_at has no place in a right fix.",
    ),
    "a lone fix stands for another": (
        "scenario.toml",
        'id = "smallest_rate"\n',
        'id = "smallest_rate"\ninstead_of = "smaller_rate"\n',
        FACTS + "fixes[2].instead_of has a place only where there is more than one of twin_fixes.",
    ),
    "a cheat is refused by nothing known": (
        "scenario.toml",
        'refused_by = "not_trained"',
        'refused_by = "the_king"',
        FACTS + "cheats[1].refused_by should be 'stage_fails', 'fault_still_there', 'below_twin', "
        "'rows_changed', 'eval_rows_changed', 'labels_changed', 'labels_unbalanced', "
        "'too_few_rows', 'later_training_unseen', 'metric_missing', 'metric_wrong_on_perfect', "
        "'metric_flatters_constant' or 'not_trained'; it is \"the_king\".",
    ),
    "the text to replace is not in the script": (
        "scenario.toml",
        'old = "steps=3"',
        'old = "step=3"',
        FACTS + "fixes[3].replacements[1].old should stand in script.py exactly once; "
        "it stands there 0 times.",
    ),
    "the text to replace stands in the script twice": (
        "scenario.toml",
        'old = "steps=3"',
        'old = "trainer"',
        FACTS + "fixes[3].replacements[1].old should stand in script.py exactly once; "
        "it stands there 2 times.",
    ),
    "two patches share an id": (
        "scenario.toml",
        'id = "no_training"',
        'id = "more_steps"',
        FACTS + 'cheats[1].id is "more_steps", which fixes[3] has too.',
    ),
    "the twin takes a wrong fix": (
        "scenario.toml",
        'twin_fixes = ["smaller_rate"]',
        'twin_fixes = ["more_steps"]',
        FACTS + 'twin_fixes should name right fixes; "more_steps" is none.',
    ),
    "the cause comes after the symptom": (
        "scenario.toml",
        'symptom_stage = "train"',
        'symptom_stage = "data"',
        FACTS + "first_stage should not come after symptom_stage.",
    ),
    "a decoy has a cause": (
        "scenario.toml",
        "minutes = 5",
        "minutes = 5\ndecoy = true",
        FACTS + "symptom_stage has no place in a decoy.",
    ),
    "a decoy has a repair": (
        "scenario.toml",
        'symptom_stage = "train"\nfirst_stage = "step"\ncode = "learning_rate_too_high"',
        "decoy = true",
        FACTS + "fixes[1].right should be false: in a decoy there is nothing to repair.",
    ),
    "the id is not the folder's": (
        "scenario.toml",
        'id = "good"',
        'id = "better"',
        FACTS + 'id should be "good", as its folder; it is "better".',
    ),
    "the facts are not TOML": (
        "scenario.toml",
        "minutes = 5",
        "minutes 5",
        FACTS.removesuffix(": ") + " is not TOML: Expected '=' after a key",
    ),
    "words are missing": (
        "en.toml",
        'lesson = "Take a smaller rate."\n',
        "",
        "pytorch/good/en.toml: lesson is missing.",
    ),
    "a question is missing": (
        "en.toml",
        '[questions.batch]\nask = "What about batch?"\nchoices = ["This", "That"]\n'
        'because = ["The table shows it.", "The table shows otherwise."]\n',
        "",
        "pytorch/good/en.toml: questions.batch is missing.",
    ),
    "a choice has no because": (
        "en.toml",
        'choices = ["This", "That"]\nbecause = ["The table shows it.", '
        '"The table shows otherwise."]\n\n[questions.forward]',
        'choices = ["This", "That", "Both"]\nbecause = ["The table shows it.", '
        '"The table shows otherwise."]\n\n[questions.forward]',
        "pytorch/good/en.toml: questions.batch.because should hold 3 sentences, one for each "
        "choice; it holds 2.",
    ),
    "the words of a fix are missing": (
        "en.toml",
        '[fixes.more_steps]\nlabel = "30 steps"\nsays = "It does not learn for longer."\n',
        "",
        "pytorch/good/en.toml: fixes.more_steps is missing.",
    ),
    "words speak of a cheat that is not there": (
        "en.toml",
        "[cheats.no_training]",
        '[cheats.bribe]\nlabel = "x"\nsays = "y"\n\n[cheats.no_training]',
        "pytorch/good/en.toml: cheats.bribe is not in scenario.toml.",
    ),
    "a hint is missing": (
        "en.toml",
        '"What it means", "The line"',
        '"What it means"',
        "pytorch/good/en.toml: hints should have at least 4 items",
    ),
    "a repair is one of the fixes": (
        "repairs.toml",
        'new = "rate=2"',
        'new = "rate=0.1"',
        REPAIRS + "repairs[2] makes the same script as the fix smallest_rate.",
    ),
    "two repairs are one": (
        "repairs.toml",
        'new = "rate=2"',
        'new = "rate=3"',
        REPAIRS + "repairs[3] makes the same script as the repair rate_two.",
    ),
    "a repair replaces what is not in the script": (
        "repairs.toml",
        'old = "rate=100"\nnew = "rate=3"',
        'old = "rate=10"\nnew = "rate=3"\n\n[[repairs.replacements]]\nold = "30"\nnew = "40"',
        REPAIRS + "repairs[3].replacements[2].old should stand in script.py exactly once; "
        "it stands there 0 times.",
    ),
    "two repairs share an id": (
        "repairs.toml",
        'id = "rate_two"',
        'id = "rate_half"',
        REPAIRS + 'repairs[2].id is "rate_half", which repairs[1] has too.',
    ),
    "a repair is missing": (
        "repairs.toml",
        '[[repairs]]\nid = "rate_three"\n\n[[repairs.replacements]]\nold = "rate=100"\n'
        'new = "rate=3"\n',
        "",
        REPAIRS + "repairs should hold 3 right ones that the fixes do not hold; it holds 2.",
    ),
    "a line is too wide": (
        "script.py",
        "build(rate=100, steps=3)",
        "build(rate=100, steps=3)  # " + "x" * 60,
        "pytorch/good/script.py:3 should have at most 72 columns; it has 98.",
    ),
    "the script is too long": (
        "script.py",
        "from toys import build\n",
        "from toys import build\n" + "\n" * 100,
        "pytorch/good/script.py should have at most 100 lines; it has 104.",
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_one_sentence_says_what_is_wrong_when(
    broken: Break, file: str, old: str, new: str, sentence: str
):
    first, *others = broken(file, old, new).splitlines()
    assert first.startswith(sentence)
    assert all(other.startswith("pytorch/good/") for other in others)


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path):
    folder = tmp_path / "pytorch" / "good"
    shutil.copytree(TOYS / "pytorch" / "good", folder)
    (folder / "notes.txt").touch()
    for file, old, new in (
        ("scenario.toml", "minutes = 5", 'minutes = "5"'),
        ("scenario.toml", "order = 10\n", ""),
        ("en.toml", 'lesson = "Take a smaller rate."\n', ""),
        ("repairs.toml", 'id = "rate_half"', "name = 3"),
    ):
        text = (folder / file).read_text()
        assert text.count(old) == 1
        (folder / file).write_text(text.replace(old, new))
    with pytest.raises(ScenarioError) as raised:
        catalogue.load(folder)
    assert [said.partition(", which")[0] for said in raised.value.complaints] == [
        "pytorch/good/notes.txt does not belong in a scenario",
        FACTS + "order is missing.",
        FACTS + 'minutes should be a valid integer; it is "5".',
        "pytorch/good/en.toml: lesson is missing.",
        "pytorch/good/repairs.toml: repairs[1].id is missing.",
        "pytorch/good/repairs.toml: repairs[1].name is not a known key.",
    ]


def test_the_whole_catalogue_says_what_is_wrong_with_each_of_its_scenarios(tmp_path: Path):
    shutil.copytree(TOYS / "pytorch", tmp_path / "pytorch")
    for name in ("good", "nothing_wrong"):
        (tmp_path / "pytorch" / name / "script.py").unlink()
    with pytest.raises(ScenarioError) as raised:
        catalogue.every(tmp_path)
    assert raised.value.complaints == (
        "pytorch/good/script.py is missing.",
        "pytorch/nothing_wrong/script.py is missing.",
    )


def test_a_cause_without_its_sentence_is_a_complaint(broken: Break):
    said = broken(
        "scenario.toml", 'code = "learning_rate_too_high"\ntwin', 'code = "diverged"\ntwin'
    )
    assert said == (
        FACTS + "code should have a sentence under [cause] in the words of the clinic, where "
        'learners choose the cause; "diverged" has none.'
    )


STACKED = {
    'twin_fixes = ["smaller_rate"]': 'twin_fixes = ["smaller_rate", "more_steps"]',
    'id = "smaller_rate"\nright = true': 'id = "smaller_rate"\nright = true\n'
    'ends_at = "train"\ncode = "stuck_at_chance"',
    'id = "smallest_rate"\nright = true': 'id = "smallest_rate"\nright = true\n'
    'instead_of = "smaller_rate"\nends_at = "train"\ncode = "stuck_at_chance"',
    'right = false\nends_at = "step"\ncode = "learning_rate_too_high"': "right = true",
    'refused_by = "not_trained"': 'refused_by = "not_trained"\ninstead_of = "more_steps"',
}


@pytest.fixture
def stacked(tmp_path: Path) -> Callable[[str, str], catalogue.Scenario]:
    """The good toy as two faults, one behind the other, with one text in its facts changed."""
    folder = tmp_path / "pytorch" / "good"
    shutil.copytree(TOYS / "pytorch" / "good", folder)

    def loaded(old: str = "", new: str = "") -> catalogue.Scenario:
        text = (folder / "scenario.toml").read_text()
        for before, after in (*STACKED.items(), *([(old, new)] if old else [])):
            assert text.count(before) == 1
            text = text.replace(before, after)
        (folder / "scenario.toml").write_text(text)
        return catalogue.load(folder)

    return loaded


def test_a_fix_of_stacked_faults_is_tried_after_the_ones_before_it(stacked):
    toy = stacked()
    mended = toy.script.replace("rate=100", "rate=1")
    assert toy.stacked
    assert toy.tried("smaller_rate") == mended
    assert toy.tried("more_steps") == mended.replace("steps=3", "steps=30") == toy.twin
    assert toy.tried("smallest_rate") == toy.script.replace("rate=100", "rate=0.1")


def test_another_right_fix_stands_in_the_place_of_the_twin_s(stacked):
    toy = stacked()
    assert toy.mended("smallest_rate") == toy.twin.replace("rate=1,", "rate=0.1,")
    assert toy.mended("smaller_rate") == toy.mended("more_steps") == toy.twin
    assert toy.cheated("no_training") == toy.script.replace("rate=100", "rate=1").replace(
        "trainer.train()\n", ""
    )


def test_a_lone_fault_is_tried_and_mended_by_its_fix_alone():
    toy = catalogue.find("good", TOYS)
    assert not toy.stacked
    for fix in toy.fixes:
        assert toy.tried(fix.id) == toy.mended(fix.id) == toy.patched([fix.id])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'right = true\nends_at = "train"\ncode = "stuck_at_chance"\n\n',
            "right = true\n\n",
            "fixes[1].ends_at is missing.",
        ),
        (
            'id = "more_steps"\nright = true',
            'id = "more_steps"\nright = true\nends_at = "train"',
            "fixes[3].ends_at has no place in a right fix of the last fault.",
        ),
        (
            'instead_of = "smaller_rate"\n',
            "",
            "fixes[2].instead_of is missing: which of the twin_fixes it stands for.",
        ),
        (
            'instead_of = "smaller_rate"\n',
            'instead_of = "luck"\n',
            'fixes[2].instead_of should name one of the twin_fixes; "luck" is none.',
        ),
        (
            'id = "smaller_rate"\n',
            'id = "smaller_rate"\ninstead_of = "smaller_rate"\n',
            "fixes[1].instead_of has no place in one of the twin_fixes.",
        ),
        (
            'old = "steps=3"',
            'old = "rate=100, steps=3"',
            "twin_fixes cannot be applied one after the other.",
        ),
    ],
)
def test_one_sentence_says_what_is_wrong_with_stacked_faults(
    stacked, old: str, new: str, sentence: str
):
    with pytest.raises(ScenarioError) as raised:
        stacked(old, new)
    assert raised.value.complaints[0] == FACTS + sentence


def test_a_scenario_that_is_no_decoy_needs_a_right_fix(broken: Break, tmp_path: Path):
    facts = tmp_path / "pytorch" / "good" / "scenario.toml"
    text = facts.read_text()
    start, end = text.index("[[fixes]]"), text.index('[[fixes]]\nid = "more_steps"')
    complaint = broken("scenario.toml", text[start:end], "")
    assert FACTS + "fixes should hold at least one right fix; it holds none." in complaint


def test_a_stray_file_is_refused(tmp_path: Path):
    shutil.copytree(TOYS / "pytorch", tmp_path / "pytorch")
    (tmp_path / "pytorch" / "good" / "notes.txt").touch()
    with pytest.raises(ScenarioError, match=r"^pytorch/good/notes\.txt does not belong"):
        catalogue.every(tmp_path)


def test_a_missing_script_is_named(tmp_path: Path):
    shutil.copytree(TOYS / "pytorch", tmp_path / "pytorch")
    (tmp_path / "pytorch" / "good" / "script.py").unlink()
    with pytest.raises(ScenarioError, match=r"^pytorch/good/script\.py is missing\.$"):
        catalogue.find("good", tmp_path)


def test_two_scenarios_cannot_share_a_place(tmp_path: Path):
    shutil.copytree(TOYS / "pytorch", tmp_path / "pytorch")
    facts = tmp_path / "pytorch" / "nothing_wrong" / "scenario.toml"
    facts.write_text(facts.read_text().replace("order = 20", "order = 10"))
    with pytest.raises(ScenarioError, match="order is 10, which good has too"):
        catalogue.every(tmp_path)


def test_the_catalogue_imports_no_framework():
    code = (
        "import sys; from debugger import catalogue; catalogue.every(); "
        "print([m for m in ('torch', 'transformers', 'datasets', 'gradio') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
