"""What a script makes, measures and asks for around its training, read from its text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from debugger.run import Run
from debugger.script.afterwards import cuts, measured_backwards, rebuilt
from debugger.script.later import asked_behind, history_keys
from debugger.script.places import Places
from debugger.script.vocabularies import numbered_twice

MEASURES = (
    "from sklearn.metrics import roc_auc_score, accuracy_score\nfrom sklearn import metrics\n"
)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("roc_auc_score(m.predict(x), y)", ("roc_auc_score", 3)),
        ("e = np.abs(m.predict(x) - x).mean(1)\nroc_auc_score(e, y)", ("roc_auc_score", 4)),
        ("metrics.r2_score(m.predict(x).ravel(), y)", ("r2_score", 3)),
        ("roc_auc_score(y_true=m.predict(x), y_score=y)", ("roc_auc_score", 3)),
        (
            "def compute_metrics(given):\n  p, y = given\n  p = p.argmax(-1)\n"
            "  return {'r': metrics.recall_score(p, y)}",
            ("recall_score", 6),
        ),
        ("def compute_metrics(g):\n  p, y = g\n  return metrics.recall_score(y, p)", None),
        ("roc_auc_score(y, m.predict(x))", None),
        ("roc_auc_score(y_score=m.predict(x), y_true=y)", None),
        ("accuracy_score(m.predict(x), y)", None),
        ("r2_score(m.predict(x), y)", None),
    ],
)
def test_answers_in_the_place_of_the_truth_are_seen(
    script: str, wanted: tuple[str, int] | None
) -> None:
    found = measured_backwards(ast.parse(MEASURES + script))

    assert (found and (found.name, found.line)) == wanted


def test_answers_are_seen_beside_the_number_that_they_are_held_against() -> None:
    tree = ast.parse("CUT = 0.9\np = m.predict(x)\na = p[:, 0] > CUT\nb = 2 * p > 5\nc = y > 7")

    assert [(cut.at, cut.line) for cut in cuts(tree)] == [(0.9, 3)]


LOOP = "for one in range(3):\n    m = build()\n    {0}\n    m.fit(x, y{1})\n{2}\n"


@pytest.mark.parametrize(
    ("what", "wanted"),
    [
        (("print(one)", "", "m.save('it')"), (2, False, False)),
        (("pass", ", epochs=5", "m.save('it')"), (2, False, True)),
        (("m.evaluate(x)", "", "m.save('it')"), (2, True, False)),
        (("pass", "", "print('done')"), None),
        (("seed(one)", "", "m.save('it')"), None),
        (("kept.append(m)", "", "m.save('it')"), None),
        (("x = folds[one]", "", "m.save('it')"), None),
    ],
)
def test_a_model_made_in_every_round_is_seen_where_only_the_last_is_kept(
    what: tuple[str, str, str], wanted: tuple[int, bool, bool] | None
) -> None:
    found = rebuilt(ast.parse(LOOP.format(*what)))

    assert (found and (found.line, found.measured, found.epochs)) == wanted


def test_a_trainer_made_in_every_round_is_one_only_where_its_model_is_too() -> None:
    loop = "for _ in range(3):\n    {}t = Trainer(model=m)\n    t.train()\nt.save_model()\n"

    found = rebuilt(ast.parse(loop.format("m = Model.from_pretrained('it')\n    ")))
    assert found is not None
    assert (found.line, found.epochs) == (2, True)
    assert rebuilt(ast.parse(loop.format(""))) is None
    assert rebuilt(ast.parse("for _ in range(3):\n    m = Net()\n    m.train()\nm(x)")) is None


ENCODE = "def encode(texts): return [[words[w] for w in t.split()] for t in texts]\n"


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (ENCODE + "words = made(a)\nx = encode(a)\nwords = made(b)\nv = encode(b)", ("words", 4)),
        ("v.adapt(a)\nx = v(a)\nv.adapt(b)\ny = v(b)", ("v", 3)),
        ("x = v.fit_transform(a)\ny = v.fit_transform(b)", ("v", 2)),
        (
            "def encode(t, words): ...\none = made(a)\ntwo = made(b)\n"
            "x, y = encode(a, one), encode(b, two)",
            ("two", 3),
        ),
        (ENCODE + "words = made(a)\nx = encode(a)\nv = encode(b)", None),
        ("v.adapt(a)\nv.adapt(b)\nx = v(a)", None),
        ("x = v.fit_transform(a)\ny = v.transform(b)", None),
        (ENCODE + "words = made(a)\nx = encode(a)\nwords = grown(words)\nv = encode(b)", None),
    ],
)
def test_words_that_are_numbered_by_two_vocabularies_are_seen(
    script: str, wanted: tuple[str, int] | None
) -> None:
    tree, known = ast.parse(script), ("words", "v", "one", "two")

    assert numbered_twice(tree, 99, lambda name: name in known) == wanted
    assert numbered_twice(tree, 99, lambda name: False) is None


def test_what_is_surely_asked_for_behind_a_line_is_told_and_nothing_else() -> None:
    script = "m.fit(x)\nm.first()\nif y:\n  m.second()\nm = 3\nn.third(h.history['acc'])\n"
    tree = ast.parse(script)
    found = [ast.unparse(one.func) for one in asked_behind(tree, "", 1) if type(one) is ast.Call]

    assert found == ["n.third"]
    assert history_keys(tree) == [("acc", 6)]


def test_the_labels_of_the_outputs_are_found_where_they_are_crossed() -> None:
    script = (
        "losses = {'kind': 'mse', 'sure': 'mse'}\nm.compile('sgd', loss=losses)\n"
        "first = {'kind': f(kind), 'sure': g(sure)}\nthen = {'kind': f(sure), 'sure': g(kind)}\n"
    )

    assert Places(script).fits.labels_by_output(("kind", "sure")) == 4
    assert Places(script.partition("then")[0]).fits.labels_by_output(("kind", "sure")) == 3
    assert Places(script.partition("first")[0]).fits.labels_by_output(("kind", "sure")) is None


def test_a_file_beside_a_script_may_tell_its_framework(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import tensorflow as tf\n")
    script = tmp_path / "main.py"
    script.write_text("from net import model\nmodel.fit()\n")

    assert Run(script.read_text(), filename=str(script)).framework == "keras"
    assert Run(script.read_text()).framework == "pytorch"
    (tmp_path / "other.py").write_text("from transformers import Trainer\n")
    assert Run("import net, other\n", filename=str(script)).framework == "pytorch"
