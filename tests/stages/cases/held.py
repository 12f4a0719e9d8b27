"""Cases of the rules in stages/held.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from debugger.pipelines.facts import Compiled
from debugger.pipelines.held import Held
from debugger.stages import held
from tests.stages.cases.seen import MEASURED, Case, failed
from tests.stages.test_step import FACTS

AFTER = """
trainer = Trainer(model=model, train_dataset=train_rows, eval_dataset=test_rows)
trainer.train()
"""

MIXED = "Classification metrics can't handle a mix of {} and {} targets"

CASES = [
    Case(
        held.another_model_asked,
        replace(MEASURED, anew=(7, False)),
        {"anew": None},
        script="model = clone_model(model)",
    ),
    Case(
        held.metric_arguments_swapped,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="from sklearn.metrics import r2_score\nsaid = m.predict(x)\nr2_score(said, y)",
        says={"name": "r2_score"},
    ),
    Case(
        held.model_made_each_round,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="for _ in range(3):\n    m = made()\n    m.fit(x, y)\nm.save('here')",
    ),
    Case(
        held.asked_before_training,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="said = m.predict(x)\nm.fit(x, y)\nprint((said > 0.5) == y)",
        says={"name": "said"},
    ),
    Case(
        held.weights_brought_back,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="m.save_weights('w')\nm.fit(x, y)\nm.load_weights('w')\nm.predict(z)",
        says={"at": 1},
    ),
    Case(
        held.opened_unsaved,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="TrainingArguments(out, save_strategy='no')\nTrainer(train_dataset=x)\n"
        "trainer.train()\nbest = AutoModelForCausalLM.from_pretrained(out)",
        says={"folder": "out"},
    ),
    Case(
        held.asked_as_in_training,
        replace(MEASURED, dropout=0.5),
        {"dropout": 0.0},
        facts=replace(FACTS, compiled=Compiled()),
        script="m.fit(x, y)\nsaid = m(z, training=True)",
        says={"dropout": 0.5},
    ),
    Case(
        held.asked_without_batch,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        facts=replace(FACTS, compiled=Compiled()),
        script="m.fit(x, y)\none = x[0] / 255\nm.predict(one)",
        names={"x": np.zeros((9, 32, 32, 3))},
        says={"name": "one", "size": ", 32 x 32 x 3"},
    ),
    Case(
        held.threshold_hardly_met,
        replace(MEASURED, reach=(0.0, 1.0)),
        {"reach": None},
        script="sure = m.predict(x) > 0.999",
        says={"cut": 0.999},
    ),
    Case(
        held.scores_measured_as_classes,
        replace(
            MEASURED,
            num_labels=22,
            fails_later=(MIXED.format("multiclass", "continuous-multioutput"), 7),
        ),
        {"fails_later": ("'Sequential' object has no attribute 'x'", 7)},
    ),
    Case(
        held.scores_measured_as_yes_no,
        replace(MEASURED, fails_later=(MIXED.format("continuous", "binary"), 7)),
        {"fails_later": (MIXED.format("multiclass", "continuous-multioutput"), 7)},
    ),
    Case(
        held.fails_afterwards,
        replace(MEASURED, fails_later=("'Sequential' object has no attribute 'x'", 7)),
        {"fails_later": None},
    ),
    Case(
        held.fails_afterwards,
        replace(MEASURED, fails_later=("samples: [200, 192]", 7), left_out="Rows"),
        {"fails_later": None},
        script="class Rows(Sequence):\n    def __len__(self):\n        return 6",
    ),
    Case(
        held.history_without_key,
        replace(MEASURED, unknown_key=("acc", "loss, accuracy", 7)),
        {"unknown_key": None},
        says={"name": "acc"},
    ),
    Case(
        held.watched_in_vain,
        replace(MEASURED, watched_in_vain=("EarlyStopping", "val_acc", "loss, val_loss")),
        {"watched_in_vain": None},
        script='x = EarlyStopping(\n    monitor="val_acc",\n)',
        says={"name": "val_acc"},
    ),
    Case(
        held.no_test_step,
        replace(MEASURED, untested=True, best_metric="loss"),
        {"untested": False},
        says={"name": "loss"},
    ),
    Case(
        held.answers_in_other_order,
        replace(MEASURED, held=(Held("rows", "labels", 3, 40, moved=36),)),
        {"held": (Held("rows", "labels", 3, 40),)},
        script="made = model.predict(rows)",
        says={"rows": "rows", "labels": "labels", "moved": 36, "of": 40},
    ),
    Case(
        held.answers_not_scaled_back,
        replace(MEASURED, held=(Held("rows", "prices", 3, 40, 0, (-2.0, 2.0), (90.0, 225.0)),)),
        {"held": (Held("rows", "prices", 3, 40),)},
        script="made = model.predict(rows)",
        says={"labels": "prices", "low": -2.0, "other_high": 225.0},
    ),
    Case(
        held.loaded_whole,
        MEASURED,
        {"failure": failed("ValueError", "no rows")},
        script="torch.save({'net': m.state_dict()}, 'f')\nm.load_state_dict(torch.load('f'))",
        says={"at": 1, "key": "net"},
    ),
    Case(
        held.measured_on_training_rows,
        replace(MEASURED, evaluations=0),
        {"failure": failed("ValueError", "no batch came")},
        script=AFTER + "trainer.evaluate(train_rows)",
    ),
    Case(
        held.answers_of_other_rows,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script=AFTER
        + "said = trainer.predict(test_rows)\nlabels = train_rows['label']\nscore(labels, said)",
        says={"rows": "test_rows"},
    ),
    Case(
        held.dropout_still_on,
        replace(MEASURED, evaluations=0, dropout=0.1),
        {"evaluations": 1},
        script=AFTER + "model(**batch)",
        says={"dropout": 0.1},
    ),
]
