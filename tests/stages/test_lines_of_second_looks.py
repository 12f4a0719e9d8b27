"""Where a finding points that used to point at the line beside it."""

from __future__ import annotations

from debugger.script.places import Places

METRIC = """def score(p):
    {}
    return {{"accuracy": (logits.argmax(-1) == p.label_ids).mean()}}
Trainer(compute_metrics=score)"""


def test_what_is_scaled_on_a_condition() -> None:
    text = "x = scaler.fit_transform(rows.x) if training else rows.x"
    right = text.replace("else rows.x", "else scaler.transform(rows.x)")

    assert Places(text).parting.scaled_if() == 1
    assert Places(right).parting.scaled_if() is None
    assert Places("x = flip(x) if training else x").parting.scaled_if() is None


def test_where_a_metric_takes_all_predictions_as_they_come() -> None:
    for taken in ("logits = p.predictions", "logits, labels = p"):
        assert Places(METRIC.format(taken)).handed.answers_taken("compute_metrics") == 2
    one = Places(METRIC.format("logits = p.predictions[0]"))
    assert one.handed.answers_taken("compute_metrics") is None


def test_the_factors_of_a_schedule_stand_in_its_call() -> None:
    text = "schedule = LambdaLR(\n    optimizer, {}\n)"

    assert Places(text.format("lambda epoch: 0.75**epoch")).factors() == 2
    assert Places(text.format("falling")).factors() is None
