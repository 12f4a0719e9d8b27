"""Scripts as people write them: each is run up to its training, or ends in its own finding."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.diagnosis import perform
from debugger.outcome import Event, Outcome
from debugger.report import Report, StageReport, gather
from debugger.run import Run
from debugger.script.building import Building, build
from debugger.stages import LIGHT, setup

TRAIN = "from tests import tiny\ntrainer = tiny.classifier()\n"


def built(text: str, arguments: tuple[str, ...] = ()) -> Building:
    return build(text, "script.py", arguments)


def performed(text: str, stage: str = "setup") -> Report:
    events: list[Event] = []
    perform(Run(text, stage=stage), events.append)  # type: ignore[arg-type]
    assert sum(isinstance(event, Outcome) for event in events) == 1
    return gather(events)


@pytest.mark.parametrize(
    "text",
    [
        TRAIN + "trainer.train()\n",
        TRAIN + "if __name__ == '__main__':\n    trainer.train()\n",
        "from tests import tiny\ndef main():\n    tiny.classifier().train()\nmain()\n",
        TRAIN + "try:\n    trainer.train()\nexcept Exception:\n    trainer = None\n",
        "from transformers import Trainer\nfrom tests import tiny\n"
        "class Mine(Trainer):\n"
        "    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):\n"
        "        outputs = model(**inputs)\n"
        "        return (outputs.loss * 2, outputs) if return_outputs else outputs.loss * 2\n"
        "tiny.classifier(trainer_class=Mine).train()\n",
    ],
    ids=["plain", "main guard", "inside main", "inside try", "subclass"],
)
def test_an_ordinary_script_is_built_up_to_its_training(text: str) -> None:
    building = built(text)

    assert building.failure is None
    assert building.trained is not None
    assert building.training_line is not None
    assert building.trained.state.global_step == 0


def test_arguments_and_the_folder_of_the_script_are_as_python_would_give_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside_the_script.py").write_text("RATE = 0.25\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    text = (
        "import sys\nfrom beside_the_script import RATE\nfrom tests import tiny\n"
        "assert sys.argv == ['%s', '--steps', '3'], sys.argv\n"
        "tiny.classifier(args=tiny.arguments(learning_rate=RATE)).train()\n"
    )
    path = str(tmp_path / "mine.py")

    building = build(text % path, path, ("--steps", "3"))

    assert building.failure is None
    assert building.trained.args.learning_rate == 0.25
    assert sys.path == before


BY_HAND = """\
import torch
from transformers import Trainer
from tests import tiny
teacher = torch.nn.Parameter(torch.ones(1))
sgd = torch.optim.SGD([teacher])
(teacher * 2).backward()
sgd.step()
trainer = Trainer(tiny.bert(), tiny.arguments(), train_dataset=tiny.pairs(8))
trainer.train()
"""


def test_a_loop_by_hand_may_make_what_a_trainer_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build(BY_HAND, "mine.py").refused is None
    monkeypatch.setattr("debugger.script.building.BY_HAND_SECONDS", 0.0)
    refused = build(BY_HAND, "mine.py").refused
    assert refused is not None
    assert (refused.code, refused.line) == ("loop_over_nothing", 7)


@pytest.mark.parametrize(
    ("text", "code", "line", "outcome"),
    [
        ("x = (1,\n", "does_not_parse", 1, "fail"),
        ("import os\nprint('nothing')\n", "no_trainer", None, "unknown"),
        (
            "import torch\nw = torch.nn.Parameter(torch.ones(1))\n"
            "sgd = torch.optim.SGD([w])\n(w * 2).backward()\nsgd.step()\n",
            "loop_over_nothing",
            5,
            "unknown",
        ),
        ("name = open('no_such_file.csv').read()\n", "missing_file", 1, "fail"),
        ("import no_such_package\n", "missing_module", 1, "fail"),
        ("import sys\nsys.exit(3)\n", "exits_early", 2, "fail"),
        (
            "import argparse\nknown = argparse.ArgumentParser()\n"
            "known.add_argument('--rate', required=True)\nknown.parse_args()\n",
            "arguments_refused",
            4,
            "fail",
        ),
        (
            "from transformers import TrainingArguments\n\n"
            "TrainingArguments('out', evaluation_strategy='epoch')\n",
            "renamed_argument",
            3,
            "fail",
        ),
        (
            "from transformers import TrainingArguments\n\n"
            "TrainingArguments(\n    'out',\n    evaluation_strategy='epoch',\n)\n",
            "renamed_argument",
            5,
            "fail",
        ),
        (
            "from transformers import TrainingArguments\n"
            "given = {'evaluation_strategy': 'epoch'}\nTrainingArguments('out', **given)\n",
            "renamed_argument",
            3,
            "fail",
        ),
        (
            "from transformers import TrainingArguments\nTrainingArguments('out', lr=1)\n",
            "unexpected_argument",
            2,
            "fail",
        ),
        ("from datasets import load_metric\n", "renamed_name", 1, "fail"),
        ("from evaluate import load_metric\n", "renamed_name", 1, "fail"),
        ("from datasets import load_nothing\n", "unexpected_name", 1, "fail"),
        ("1 / 0\n", "script_failed", 1, "fail"),
    ],
)
def test_a_script_that_cannot_be_built_ends_in_its_own_finding(
    text: str, code: str, line: int | None, outcome: str
) -> None:
    report = performed(text, stage="walk")

    assert [(f.code, f.line) for f in report.findings] == [(code, line)]
    assert report.outcome == outcome
    assert report.stage("setup").outcome == outcome
    assert report.stage("data").outcome == "not run"


def test_a_script_that_asks_for_input_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody_types(*_: object) -> str:
        raise EOFError("EOF when reading a line")

    monkeypatch.setattr("builtins.input", nobody_types)
    report = performed("rate = 1\nname = input('Which model? ')\n")

    assert [(f.code, f.line) for f in report.findings] == [("asks_for_input", 2)]


def test_of_two_trainers_the_one_that_trains_first_is_looked_at() -> None:
    text = TRAIN + "other = tiny.classifier()\nother.train()\ntrainer.train()\n"
    building = built(text)

    assert building.training_line == 4
    assert building.trained is not None
    found = setup.findings(building, text)
    assert [(f.code, f.severity, f.line) for f in found] == [("two_trainers", "look", 4)]
    assert found[0].numbers["lines"] == "2, 3"


@pytest.mark.parametrize(
    ("trainer", "line"),
    [
        ("Trainer(\n    model,\n    tokenizer=t,\n)", 4),
        ("transformers.Trainer(model, tokenizer=t)", 2),
        ("class Mine(Trainer):\n    pass\nMine(model, tokenizer=t)", 4),
        ("Trainer(model, **given)", None),
    ],
)
def test_a_deprecated_argument_is_that_of_the_class_that_warns(
    trainer: str, line: int | None
) -> None:
    warning = (
        "`tokenizer` is deprecated and will be removed in version 5.0.0 for `Trainer.__init__`. "
        "Use `processing_class` instead."
    )
    text = f"collator = DataCollatorWithPadding(tokenizer=t)\n{trainer}\n"

    found = setup.findings(Building(object(), training_line=9, warnings=(warning,)), text)

    assert [(f.code, f.line) for f in found] == [("deprecated_argument", line)]


def test_a_trainer_that_never_trains_is_still_looked_at() -> None:
    report = performed(TRAIN, stage="data")

    assert [f.code for f in report.findings] == ["never_trains"]
    assert report.stage("data").outcome == "pass"


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        ("# trainer.train()\nprint(trainer.evaluate())\n", ("look", 2)),
        ("# found = trainer.train(resume_from_checkpoint=True)\ntrainer.evaluate()\n", ("look", 2)),
        ("# trainer.train()\n", ("note", 1)),
        ("# then trainer.train() follows\ntrainer.evaluate()\n", ("note", 1)),
    ],
)
def test_a_training_that_a_comment_switches_off_is_looked_at_where_something_is_measured(
    behind: str, said: tuple[str, int]
) -> None:
    found = setup.findings(Building(object(), trainer_lines=(1,)), f"trainer = Trainer()\n{behind}")

    assert [(f.code, (f.severity, f.line)) for f in found] == [("never_trains", said)]


def test_the_traceback_names_the_learners_lines_and_folds_the_libraries() -> None:
    text = "from transformers import TrainingArguments\nTrainingArguments(output_dir=[])\n"
    failure = built(text).failure

    assert failure is not None
    assert failure.line == 2
    assert [frame.file for frame in failure.frames if frame.own] == ["script.py"]
    assert not any("debugger" in frame.file for frame in failure.frames)


def test_a_trainer_that_will_push_to_the_hub_makes_nothing_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []

    def create_repo(*named: object, **_: object) -> None:
        asked.append(str(named[-1]))

    # The first is what transformers 4 asks, the second what 5 does.
    monkeypatch.setattr("transformers.trainer.create_repo", create_repo, raising=False)
    monkeypatch.setattr("huggingface_hub.HfApi.create_repo", create_repo)
    text = (
        "from transformers import Trainer, TrainingArguments\nfrom tests import tiny\n"
        "args = TrainingArguments('mine', push_to_hub=True, hub_token='x', report_to='none')\n"
        "Trainer(tiny.bert(), args, train_dataset=tiny.pairs(8)).train()\n"
    )

    building = built(text)

    assert building.failure is None
    assert building.trained.hub_model_id == "mine"
    assert asked == []


@pytest.mark.parametrize(
    "line",
    [
        "from datasets import load_dataset\nload_dataset('glue', 'mrpc')",
        "from transformers import AutoModel\nAutoModel.from_pretrained('nobody/has-this')",
        "import socket\nsocket.getaddrinfo('no.such.machine.invalid', 443)",
    ],
)
def test_what_only_another_machine_has_is_no_fault_of_the_script(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)

    report = performed(line + "\n" + TRAIN + "trainer.train()\n")

    (found,) = report.findings
    assert (found.code, found.severity, found.line) == ("not_reached", "note", 2)
    assert report.outcome == "unknown"


@pytest.mark.parametrize(
    "line",
    [
        "from transformers import AutoModel\nAutoModel.from_pretrained('./not/made/yet')",
        "import os\nraise ConnectionResetError('the other side ended it')",
    ],
)
def test_a_failure_that_a_network_would_not_cure_stays_a_fault(line: str) -> None:
    (found,) = performed(line + "\n" + TRAIN + "trainer.train()\n").findings

    assert (found.severity, found.line) == ("fault", 2)


EMPTY_CELLS = """
import pandas as pd
from datasets import Dataset
rows = pd.DataFrame({"text": ["a", "b", "c"], "score": [1.0, EMPTY, 3.0]})
data = Dataset.from_pandas(rows)
data = data.map(lambda batch: {"label": [one / 10 for one in batch["score"]]}, batched=True)
"""


def test_an_empty_cell_that_nothing_can_be_done_with_is_named_where_it_is_written() -> None:
    (found,) = performed(EMPTY_CELLS.replace("EMPTY", "float('nan')")).findings
    assert (found.code, found.line, found.severity) == ("value_missing", 4, "fault")
    assert found.numbers == {"name": "score", "rows": 1, "of": 3, "at": 6}


def test_a_none_that_no_column_holds_is_no_empty_cell() -> None:
    (found,) = performed("rows = {'score': [1.0]}\nnone = None\nnone / 10\n" + TRAIN).findings
    assert found.code == "script_failed"


@pytest.mark.proof
def test_what_is_built_answers_other_stages_as_if_it_were_built_anew() -> None:
    text = f"from transformers import set_seed\nset_seed(0)\n{TRAIN}trainer.train()\n"
    again = perform(Run(text, "forward"), lambda event: None)
    assert again is not None
    for stage in reversed(LIGHT):
        events: list[Event] = []
        again(Run(text, stage), events.append)
        assert untimed(gather(events)) == untimed(performed(text, stage)), stage


def test_what_was_not_built_answers_nothing_more() -> None:
    for text in ("import nothing_of_this_name\n", "rate = 1\n"):
        assert perform(Run(text, "forward"), lambda event: None) is None


def untimed(report: Report) -> list[StageReport]:
    return [replace(stage, seconds=0.0) for stage in report.stages]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (
            "from transformers import TrainingArguments\nargs = TrainingArguments(\n"
            "    'here',\n    load_best_model_at_end=True,\n    eval_strategy='epoch',\n)\n",
            "saves_unlike_evaluations",
            4,
        ),
        (
            "from transformers import TrainingArguments\nbest = dict(load_best_model_at_end=True)\n"
            "args = TrainingArguments('here', **best)\n",
            "saves_unlike_evaluations",
            2,
        ),
        (
            "from transformers import TrainingArguments\nargs = TrainingArguments(\n"
            "    'here',\n    eval_strategy='epochs',\n    save_strategy='epoch',\n)\n",
            "script_failed",
            4,
        ),
        (
            "from transformers import BertConfig, BertModel\nWIDTH = 50\nconfig = BertConfig(\n"
            "    num_hidden_layers=1,\n    hidden_size=WIDTH,\n    num_attention_heads=4,\n)\n"
            "model = BertModel(config)\n",
            "script_failed",
            2,
        ),
        ("import numpy as np\nempty = np.NaN\n", "renamed_name", 2),
        ("import transformers\nmake = transformers.AdamW\n", "renamed_name", 2),
        ("import numpy as np\nkind = np.never_was_here\n", "unexpected_name", 2),
        ("import json\njson.never_was_here\n", "script_failed", 2),
    ],
)
def test_what_the_librarys_message_names_is_pointed_at(text: str, code: str, line: int) -> None:
    found = {one.code: one for one in setup.findings(built(text), text)}

    assert found[code].line == line
