"""Two experiments in one script: a few steps of the first are run, the second is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import Trainer

from debugger import diagnose
from debugger.frameworks.pytorch.pipeline import pipeline
from debugger.outcome import Event, Finding, StageName
from debugger.report import gather
from debugger.run import Run
from debugger.script import building as building_module
from debugger.script.building import EARLIER_STEPS, Building, Unseen, build
from debugger.script.enclosure import Enclosure
from debugger.script.places import Places
from debugger.stages import setup
from tests import tiny

HEAD = """\
import copy
from transformers import Trainer
from tests import tiny
model = tiny.bert()
untrained = copy.deepcopy(model.state_dict())
def model_init():
    return tiny.bert()
args = tiny.arguments(output_dir="out", eval_strategy="epoch", save_strategy="epoch")
rows, collator = tiny.pairs(48), tiny.classifier().data_collator
data = {"train_dataset": rows, "eval_dataset": rows, "data_collator": collator}
"""
FIRST = "trainer = Trainer(model, args, **data)\ntrainer.train()\n"
NEW_HEAD = "model.classifier = type(model.classifier)(16, 3)\n"
TWICE = HEAD + FIRST + FIRST


WALLED = Enclosure(walled=True)
"""As a script is told that the kernel holds it. Here nothing does: these scripts are harmless."""


def built(text: str, enclosure: Enclosure = WALLED) -> Building:
    return build(text, "script.py", (), enclosure)


def all_of(text: str, stage: StageName) -> tuple[Finding, ...]:
    from debugger.diagnosis import perform

    events: list[Event] = []
    perform(Run(text, stage=stage), events.append, WALLED)
    return tuple(gather(events).findings)


def faults_of(text: str) -> list[Finding]:
    return [f for f in all_of(text, "forward") if f.code in ("trained_already", "trains_before")]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.proof
def test_the_last_training_is_looked_at_and_the_one_before_it_was_really_run() -> None:
    building = built(TWICE)

    assert building.training_line == 14
    assert building.trained.state.global_step == 0
    assert building.rehearsed == ((12, EARLIER_STEPS, 36),)
    assert not Path("out").exists() or not any(Path("out").iterdir())


@pytest.mark.proof
def test_a_model_whose_first_training_was_cut_short_is_known_as_such() -> None:
    again, anew = (
        built(TWICE),
        built(TWICE.replace(FIRST + FIRST, FIRST + "model = model_init()\n" + FIRST)),
    )

    assert pipeline(again.trained, again.earlier).facts.cut_short
    assert not pipeline(anew.trained, anew.earlier).facts.cut_short


@pytest.mark.proof
def test_the_second_experiment_with_the_first_ones_model_is_a_fault() -> None:
    note, fault = faults_of(TWICE)

    assert (note.code, note.severity, note.line) == ("trains_before", "note", 12)
    assert note.numbers == {"steps": EARLIER_STEPS, "planned": 36, "looked_at": 14}
    assert (fault.code, fault.severity, fault.line) == ("trained_already", "fault", 13)
    assert fault.numbers["moved"] == fault.numbers["tensors"]


@pytest.mark.proof
@pytest.mark.parametrize(
    "again",
    [
        "model.load_state_dict(untrained)\n" + FIRST,
        FIRST.replace("(model", "(copy.deepcopy(fresh)"),
        FIRST.replace("Trainer(model, args,", "Trainer(args=args, model_init=model_init,"),
        NEW_HEAD + 'data["train_dataset"] = rows.select(range(24))\n' + FIRST,
    ],
    ids=["the first weights again", "a copy", "model_init", "a new head for other rows"],
)
def test_a_model_that_starts_anew_is_no_fault(again: str) -> None:
    text = HEAD + "fresh = copy.deepcopy(model)\n" + FIRST + again

    assert [f.code for f in faults_of(text)] == ["trains_before"]


@pytest.mark.proof
def test_a_new_head_for_the_same_rows_leaves_the_body_trained() -> None:
    _, fault = faults_of(HEAD + FIRST + NEW_HEAD + FIRST)

    assert (fault.code, fault.severity) == ("trained_already", "fault")
    assert 0 < fault.numbers["moved"] < fault.numbers["tensors"]


@pytest.mark.proof
@pytest.mark.parametrize(
    "more",
    [
        'data["train_dataset"] = tiny_rows\n',
        "for weight in body:\n    weight.requires_grad = True\n",
    ],
    ids=["other rows", "more weights"],
)
def test_stages_of_a_recipe_are_worth_a_look(more: str) -> None:
    before = (
        "tiny_rows = rows.select(range(24))\nbody = list(model.bert.embeddings.parameters())\n"
        "for weight in body:\n    weight.requires_grad = False\n"
    )
    found = faults_of(HEAD + before + FIRST + more + FIRST)

    assert [(f.code, f.severity) for f in found[1:]] == [("trained_already", "look")]


@pytest.mark.proof
def test_what_saves_between_two_trainings_is_run_like_all_else() -> None:
    building = built(HEAD + FIRST + "trainer.save_model('mine')\ntrainer.evaluate()\n" + FIRST)

    assert building.unseen is None
    assert (building.training_line, len(building.rehearsed)) == (16, 1)


def test_without_a_wall_nothing_is_run_past_the_first_training() -> None:
    building = built(HEAD + FIRST + "open('mine', 'w')\n" + FIRST, Enclosure())

    assert building.unseen == Unseen("trains_again_open")
    assert (building.training_line, building.rehearsed) == (12, ())
    assert not Path("mine").exists()


def test_a_script_that_fails_after_its_first_training_is_stopped_there_and_told_why() -> None:
    building = built(HEAD + FIRST + "print(trainer.state.log_history[-1]['eval_f1'])\n" + FIRST)

    assert building.failure is None
    assert (building.training_line, building.rehearsed) == (12, ())
    assert building.unseen == Unseen("trains_again_fails", {"at": 13, "said": "'eval_f1'"})


@pytest.mark.proof
def test_the_last_training_before_a_failure_is_the_one_to_look_at() -> None:
    script = HEAD + FIRST + "trainer.save_model('mine')\n" + FIRST + "print({}['eval_f1'])\n"
    building = built(script)

    assert building.failure is None
    assert (building.training_line, len(building.rehearsed)) == (15, 1)
    assert building.unseen == Unseen("trains_again_stops", {"at": 16, "said": "'eval_f1'"})


@pytest.mark.proof
def test_a_file_that_a_whole_training_would_have_left_is_not_missed() -> None:
    building = built(HEAD + FIRST + FIRST + "open('best.pt')\n")

    assert (len(building.rehearsed), building.unseen) == (1, None)


@pytest.mark.proof
def test_an_argument_that_is_gone_is_named_where_the_second_training_gives_it() -> None:
    again = (
        "from transformers import TrainingArguments\n"
        "args = TrainingArguments(\n    'out',\n    evaluation_strategy='epoch',\n)\n"
    )
    script = HEAD + FIRST + again + FIRST
    building = built(script)

    renamed = [f for f in setup.findings(building, script) if f.code == "renamed_argument"]
    assert [(f.severity, f.line, f.numbers["today"]) for f in renamed] == [
        ("look", 16, "eval_strategy")
    ]


@pytest.mark.proof
def test_a_script_that_takes_long_after_its_first_training_is_stopped_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(building_module, "COUNTING_SECONDS", 3)
    building = built(HEAD + FIRST + "import time\ntime.sleep(60)\n" + FIRST)

    assert (building.training_line, building.rehearsed) == (12, ())
    assert building.unseen == Unseen("trains_again_long", {"seconds": 3})


def test_a_process_that_dies_after_the_first_training_is_no_answer() -> None:
    building = built(TWICE, Enclosure(walled=True, apart=lambda _: None))

    assert (building.training_line, building.rehearsed) == (12, ())
    assert building.unseen == Unseen("trains_again_dies")


@pytest.mark.parametrize("answer", ["2", [2], ["two", None, {}], [0, "made_up", 3]])
def test_a_count_that_is_none_is_no_answer(answer: object) -> None:
    building = built(TWICE, Enclosure(walled=True, apart=lambda _: answer))

    assert building.unseen == Unseen("trains_again_dies")


LOOP = (
    "for rate in (1e-4, 1e-3):\n    trainer = Trainer(model, args, **data)\n    trainer.train()\n"
)
FUNCTION = (
    "def experiment(model):\n    Trainer(model, args, **data).train()\n"
    "experiment(model)\nexperiment({0})\n"
)


EXAMPLE = (
    "def main():\n    Trainer(model).train()\n"
    "def _mp_fn(index):\n    main()\n"
    "if __name__ == '__main__':\n    main()\n"
)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("text", "severities"),
    [
        pytest.param(LOOP, ["fault"], marks=pytest.mark.proof),
        (FUNCTION.format("model"), ["fault"]),
        pytest.param(FUNCTION.format("copy.deepcopy(fresh)"), [], marks=pytest.mark.proof),
    ],
    ids=["loop", "function", "function with a fresh model"],
)
def test_the_same_line_may_train_twice(text: str, severities: list[str]) -> None:
    found = faults_of(HEAD + "fresh = copy.deepcopy(model)\n" + text)

    assert [f.code for f in found][:1] == ["trains_before"]
    assert [f.severity for f in found[1:]] == severities


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (FIRST, False),
        (FIRST + FIRST, True),
        (FIRST + "trainer.push_to_hub()\n" + FIRST, True),
        ("def main():\n    Trainer(model).train()\nmain()\n", False),
        ("for _ in rows:\n    Trainer(model).train()\n", True),
        ("for _ in rows:\n    model.train()\n", False),
        (EXAMPLE, False),
        (EXAMPLE + "main()\n", True),
        (EXAMPLE + "spawn(_mp_fn)\n", True),
        ("t = Trainer(m)\nif old:\n    t.train(old)\nelse:\n    t.train()\n", False),
        ("t = Trainer(m)\nif old:\n    t.train(old)\nt.train()\n", True),
    ],
)
def test_a_script_that_trains_again_is_known_by_its_text(text: str, again: bool) -> None:
    assert Places(text).trains_again() == again


def test_a_first_training_that_fails_is_the_one_to_look_at() -> None:
    building = built(HEAD.replace("tiny.bert()", "tiny.bert(num_labels=2)") + FIRST + FIRST)

    assert building.failure is None
    assert (building.training_line, building.rehearsed) == (12, ())


def test_a_trainer_after_its_own_training_is_no_second_experiment() -> None:
    trainer = tiny.classifier(args=tiny.arguments(max_steps=3))
    trainer.train()

    report = diagnose(trainer, stage="forward")

    assert [f.severity for f in report.findings if f.severity == "fault"] == []


def test_a_trainer_with_model_init_trains_the_model_that_is_looked_at() -> None:
    torch.manual_seed(0)
    trainer = Trainer(
        args=tiny.arguments(),
        model_init=lambda: tiny.bert(),
        train_dataset=tiny.pairs(48),
        data_collator=tiny.classifier().data_collator,
    )
    made, model = trainer.model_init, trainer.model

    report = diagnose(trainer, stage="step")

    assert [f.code for f in report.findings if f.severity == "fault"] == []
    blocks = next(one for one in report.stage("step").evidence if one.code == "blocks")
    assert all(row[4] for row in blocks.data["rows"])
    assert trainer.model_init is made
    assert trainer.model is model


@pytest.mark.proof
@pytest.mark.parametrize(("length", "used_up"), [(36, True), (72, False)])
def test_a_schedule_goes_on_where_the_training_before_has_left_it(
    length: int, used_up: bool
) -> None:
    schedule = (
        "import torch\nfrom transformers import get_linear_schedule_with_warmup\n"
        "sgd = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
        f"falls = get_linear_schedule_with_warmup(sgd, 0, {length})\n"
        "data['optimizers'] = (sgd, falls)\n"
    )
    schedule = HEAD + schedule + FIRST + FIRST
    building = built(schedule)

    assert building.trained.lr_scheduler.last_epoch == 36
    found = [f for f in all_of(schedule, "step") if f.code == "schedule_used_up"]
    assert [(f.line, f.numbers["used"]) for f in found] == ([(14, 36)] if used_up else [])
