"""Whatever `fit` accepts can be looked at, stage by stage, and what is healthy has no fault."""

from __future__ import annotations

from typing import Literal

import pytest
import tensorflow as tf
from frameworks.keras.forms import DENSE, FORMS, SOFTMAX, START

from debugger.diagnosis import perform
from debugger.outcome import Event, StageName
from debugger.report import Report, gather
from debugger.run import Run

BODY = "model = tf.keras.Sequential([layers.Dense(8, 'relu'), layers.Dense({outputs})])\n"
NOT_JUDGED = {
    # Two losses play against each other: neither has to fall.
    "two networks that play": {"overfit", "train"},
}
FAULTS: dict[str, tuple[StageName, str, str, str]] = {
    "logits in arrays": (
        "forward", "loss_expects_probabilities", "layers.Dense(",
        BODY.format(outputs=3)
        + "model.compile('adam', loss='sparse_categorical_crossentropy')\n"
        "model.fit(x, y, validation_split=0.25)",
    ),
    "logits for one-hot": (
        "forward", "loss_expects_probabilities", "layers.Dense(",
        BODY.format(outputs=3)
        + "model.compile('adam', loss='categorical_crossentropy')\n"
        "model.fit(x, tf.one_hot(y, 3), validation_split=0.25)",
    ),
    "a logit for yes or no": (
        "forward", "loss_expects_probabilities", "layers.Dense(",
        BODY.format(outputs=1)
        + "model.compile('adam', loss='binary_crossentropy')\n"
        "model.fit(x, y > 0, validation_split=0.25)",
    ),
    "a class that one output cannot tell": (
        "forward", "label_not_binary", "loss=",
        BODY.format(outputs="1, activation='sigmoid'")
        + "model.compile('adam', loss='binary_crossentropy')\n"
        "model.fit(x, y, validation_split=0.25)",
    ),
    "a label outside, in a generator": (
        "forward", "label_outside_head", "",
        DENSE + "def rows():\n    while True:\n        yield x[:16], y[:16] + 1\n"
        "model.fit(rows(), steps_per_epoch=3)",
    ),
    "labels that count from one, in a column": (
        "data", "labels_shifted", "model.fit",
        DENSE + "\nmodel.fit(x, y[:, None] + 1, validation_split=0.25)",
    ),
    "no batches": (
        "forward", "rows_not_batched", "from_tensor_slices",
        DENSE + "\nmodel.fit(tf.data.Dataset.from_tensor_slices((x, y)))",
    ),
    "a sequence that fails on the way": (
        "data", "data_failed", "return x[:8]",
        DENSE + "class Rows(tf.keras.utils.Sequence):\n"
        "    def __len__(self):\n        return 4\n    def __getitem__(self, place):\n"
        "        return x[:8], y[[0, 1, 2, 500][place]]\nmodel.fit(Rows())",
    ),
    "everything frozen before its first batch": (
        "step", "everything_frozen", "",
        SOFTMAX + "model.trainable = False\n"
        "model.compile('adam', 'sparse_categorical_crossentropy')\nmodel.fit(x, y)",
    ),
    "an endless stream": (
        "setup", "endless_without_steps", "model.fit",
        DENSE + "\nmodel.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4).repeat())",
    ),
    "never compiled": (
        "setup", "script_failed", "model.fit", "model = tf.keras.Sequential()\nmodel.fit(x, y)",
    ),
    "weights for no class 0": (
        "setup", "script_failed", "model.fit",
        DENSE + "\nmodel.fit(x, y, class_weight={1: 1.0, 2: 3.0})",
    ),
}  # fmt: skip


def performed(text: str, stage: StageName | Literal["all"], steps: int = 2) -> Report:
    tf.keras.utils.set_random_seed(0)
    events: list[Event] = []
    perform(Run(START + text, stage=stage, device="cpu", steps=steps), events.append)
    return gather(events)


@pytest.mark.parametrize("form", FORMS)
def test_every_stage_looks_at_what_fit_accepts_and_finds_no_fault(form: str) -> None:
    report = performed(FORMS[form], "all")

    unknown = {stage.stage for stage in report.stages if stage.outcome == "unknown"}
    assert len(report.stages) == 8
    assert unknown == NOT_JUDGED.get(form, set())
    assert "stage_unreadable" not in {finding.code for finding in report.findings}
    assert [f for f in report.findings if f.severity == "fault"] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_in_whatever_form_the_data_comes(fault: str) -> None:
    stage, code, blamed, text = FAULTS[fault]
    report = performed(text, stage)

    found = {finding.code: finding for finding in report.stage(stage).findings}
    assert code in found
    line = found[code].line
    assert (blamed in (START + text).splitlines()[line - 1]) if line else not blamed


@pytest.mark.parametrize(("weights", "told"), [("None", True), ("{0: 1.0, 1: 5.0, 2: 5.0}", False)])
def test_a_class_whose_weight_makes_up_for_its_rows_is_not_rare(weights: str, told: bool) -> None:
    rare = "\ny = np.where(np.arange(96) % 8 > 1, 0, 1 + np.arange(96) % 8)\n"
    report = performed(DENSE + rare + f"model.fit(x, y, class_weight={weights})", "data")

    assert ("imbalanced" in [finding.code for finding in report.findings]) == told
