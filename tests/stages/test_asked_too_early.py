"""Answers from before the training that are used behind it, and what only looks like them."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

EARLY = [
    "said = m.predict(x)\nm.fit(x, y)\nprint(score(y, said))",
    "said = (m.predict(x) > 0.5).astype(int)\nm.fit(x, y)\nm.save('here')\nprint(score(y, said))",
    "said = trainer.predict(rows).predictions\ntrainer.train()\nprint(score(y, said))",
    "said, more = m.evaluate(x)\nunread = m.fit(x, y)\nprint(said)",
    "said = m.predict(x)\ndef main():\n    pass\nm.fit(x, y)\nprint(score(y, said))",
]
IN_TIME = [
    "m.fit(x, y)\nsaid = m.predict(x)\nprint(score(y, said))",
    "old = m.predict(x)\nm.fit(x, y)\nprint(score(y, old), score(y, m.predict(x)))",
    "old = m.predict(x)\nm.fit(x, y)\nprint(score(y, old), measure(m))",
    "old = m.predict(x)\nkept = m.fit(x, y)\nprint(score(y, old), kept.history)",
    "old = m.predict(x)\nprint(score(y, old))\nm.fit(x, y)\nprint(old.shape)",
    "said = m.predict(x)\nm.fit(x, y)\nsaid = 3\nprint(said)",
    "scaled = scaler.predict(x)\nm.fit(x, y)\nprint(scaled)",
    "for part in parts:\n    said = m.predict(part)\n    m.fit(part, y)\n    print(score(y, said))",
]


@pytest.mark.parametrize("text", EARLY)
def test_answers_from_before_the_training(text: str) -> None:
    found = Places(text).asked_too_early
    assert found is not None
    assert (found.line, found.name, found.measured) == (1, "said", "evaluate" in text)


@pytest.mark.parametrize("text", IN_TIME)
def test_answers_in_time_or_of_both_times(text: str) -> None:
    assert Places(text).asked_too_early is None


def test_weights_from_before_the_training_are_brought_back() -> None:
    back = "m.save_weights('w')\nm.fit(x, y)\nm.load_weights('w')\nm.predict(z)"
    found = Places(back).brought_back
    assert found is not None
    assert (found.at, found.line) == (1, 3)
    kept = "first = m.get_weights()\nm.fit(x, y)\nm.set_weights(first)"
    assert Places(kept).brought_back is not None


@pytest.mark.parametrize(
    "text",
    [
        "m.fit(x, y)\nm.save_weights('w')\nm.load_weights('w')",
        "m.save_weights('w')\nkeep = ModelCheckpoint('w')\nm.fit(x, y)\nm.load_weights('w')",
        "m.save_weights('w')\nm.fit(x, y)\nm.evaluate(z)\nm.load_weights('w')",
        "first = m.get_weights()\nm.fit(x, y)\nprint(first)",
        "first = m.get_weights()\nfor _ in r:\n    m.fit(x, y)\n    m.set_weights(first)",
    ],
)
def test_weights_that_are_the_trained_ones(text: str) -> None:
    assert Places(text).brought_back is None
