"""Labels that were put into another order than their rows, or drawn by lot: read and measured."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from debugger.pipelines.data import Data
from debugger.pipelines.training import Training
from debugger.pipelines.trying import Worded
from debugger.script.places import Places
from debugger.stages import data, train
from debugger.stages.judging import NOT_FOR_THIS_TASK, CannotJudge, Verdict, View
from tests.stages.test_step import FACTS

TORN = [
    "rng.shuffle(labels)",
    "random.shuffle(train_y)",
    "return images, rng.permutation(labels)",
    "made = np.array(rng.permutation(list(targets)), dtype='float32')",
    "y = y[np.random.permutation(len(y))]",
    "labels = random.sample(labels, len(labels))",
    "frame['text'], frame['label'].sample(frac=1)",
    "rows = {'input_ids': ids, 'labels': np.random.permutation(ids)}",
    "rows = [{'text': t, 'label': random.randint(0, 1)} for t in texts]",
    "rows = {'text': texts, 'label': [int(rng.integers(0, 2)) for _ in texts]}",
    "batch['labels'] = tf.random.shuffle(batch['labels'])",
    "return texts, np.array(sorted(labels))",
    "rows = Dataset.from_dict({'text': texts, 'label': np.sort(labels)})",
    "made = tf.data.Dataset.from_tensor_slices((ids, tf.constant(sorted(train_y))))",
    "model.fit(x, y=np.sort(y))",
    "y, z = train_test_split(labels); a, b = train_test_split(texts)",
    "y = df['target']; df = df.sample(frac=1, random_state=3)",
    "def load(): y = df['target']; df = df.sample(frac=1); return df, y",
    "y_train = train[TARGET].values; train = train.sample(frac=1).reset_index(drop=True)",
    "y, z = train_test_split(df['target'], random_state=1); a, b = train_test_split(texts)",
    "y_train = encode(kinds); order = rng.permutation(9); X_train = X_train[order]",
    "labels = load(); order = np.random.permutation(len(labels)); texts = texts[order]",
]
WHOLE = [
    "labels = load(); order = rng.permutation(9); some = table[order[:3]]",
    "y_train = load(); order = rng.permutation(9); X_train = X_train[order]\n"
    "y_train = y_train[order]",
    "y_train = encode(kinds); order = rng.permutation(9); X_test = X_test[order]",
    "order = rng.permutation(9); X_train = X_train[order]; y_train = encode(X_train)",
    "y = load(); order = rng.permutation(9); x = x[order]; fit(x, y[order])",
    "random.shuffle(samples)",
    "order = rng.permutation(len(labels))",
    "labels = labels[order]",
    "names = sorted(set(labels))",
    "label_list.sort()",
    "names = sorted(labels)",
    "label2id = {n: i for i, n in enumerate(sorted(labels))}",
    "return sorted(labels)",
    "return texts, sorted(set(labels))",
    "labels = rng.integers(0, 4, count)",
    "some = random.sample(tags, 2)",
    "rows = {'label': mood(rng.integers(3)), 'text': text}",
    "frame = frame.sample(frac=1)",
    "rows = train['label']",
    "a, b, y, z = train_test_split(texts, labels)",
    "a, b = train_test_split(texts, random_state=1); y, z = train_test_split(y, random_state=1)",
    "train, test = train_test_split(frame)\ntrain, val = train_test_split(train)",
    "y = df['target'].to_numpy()\ndf = df.drop(columns='target')",
    "df = df.sample(frac=1)\ny = df['target']\nx = df[names]",
    "y = old['target']\ndf = df.sample(frac=1)",
]
STUCK = Training(
    losses=(1.1,) * 60, accuracies=((60, 0.34),), majority=0.33, classes=3, eval_rows=99
)
LEARNED = replace(STUCK, losses=(0.1,) * 60, accuracies=((60, 0.9),))


@pytest.mark.parametrize("line", TORN)
def test_a_line_that_parts_labels_from_their_rows_is_found(line: str) -> None:
    assert Places(f"import random\n{line}\n").labels_torn() == 2


@pytest.mark.parametrize("line", WHOLE)
def test_what_moves_rows_with_their_labels_parts_nothing(line: str) -> None:
    assert Places(line).labels_torn() is None


def view(line: str) -> View:
    return View(FACTS, Places(line), True)


def test_it_is_told_where_unseen_rows_are_answered_by_luck() -> None:
    told = train.labels_shuffled_apart(STUCK, view("\nrng.shuffle(labels)"))

    assert isinstance(told, Verdict)
    assert (told.severity, told.line) == ("fault", 2)
    assert told.numbers == {"rows": 99, "accuracy": 0.34, "majority": 0.33}
    assert train.labels_shuffled_apart(LEARNED, view("rng.shuffle(labels)")) is None
    assert train.labels_shuffled_apart(STUCK, view("rng.shuffle(rows)")) is None
    assert train.labels_shuffled_apart(STUCK, View(FACTS)) == CannotJudge("no_script")


def worded(own: bool) -> Worded:
    """A word that tells the label, or only seems to."""
    drawn = random.Random(3)
    labels = tuple(drawn.randrange(2) for _ in range(120))
    told = labels if own else tuple(drawn.randrange(2) for _ in labels)
    return Worded(tuple((10 + y, drawn.randrange(5)) for y in told), labels)


def told_of(words: Worded, line: str) -> Verdict | CannotJudge | None:
    return data.labels_shuffled_apart(Data(None, None, worded=words), view(line))


def test_one_of_two_sentences_about_labels_is_enough() -> None:
    stuck = replace(STUCK, peak_learning_rate=1e-4)
    script = "random.shuffle(labels)\nrows = {'labels': labels}"

    assert train.labels_put_by_hand(stuck, view(script)) is None
    assert isinstance(train.labels_shuffled_apart(stuck, view(script)), Verdict)
    assert isinstance(train.labels_put_by_hand(stuck, view(script[23:])), Verdict)


def test_words_decide_before_a_training_does() -> None:
    told = told_of(worded(False), "rng.shuffle(labels)")

    assert isinstance(told, Verdict)
    assert (told.severity, told.line, told.numbers["rows"]) == ("fault", 1, 120)
    assert told_of(worded(True), "rng.shuffle(labels)") is None
    assert told_of(worded(False), "rng.shuffle(rows)") is None
    assert told_of(Worded(), "rng.shuffle(labels)") == NOT_FOR_THIS_TASK
    judged = replace(STUCK, has_words=True)
    assert train.labels_shuffled_apart(judged, view("rng.shuffle(labels)")) is None


@pytest.mark.parametrize(
    "made",
    ["texts = [write(y) for y in labels]", "for n, y in enumerate(labels):\n    write(n, y)"],
)
def test_rows_that_are_made_of_shuffled_labels_leave_it_open(made: str) -> None:
    script = f"rng.shuffle(labels)\n{made}"
    for told in (
        told_of(worded(False), script),
        train.labels_shuffled_apart(STUCK, view(script)),
    ):
        assert isinstance(told, Verdict)
        assert told.severity == "look"


def test_labels_that_are_gone_through_beside_rows_belong_to_them() -> None:
    for behind in (
        "rows = [{'t': t, 'y': y} for t, y in zip(texts, labels)]",
        "seen = set(labels)",
    ):
        told = told_of(worded(False), f"rng.shuffle(labels)\n{behind}")
        assert isinstance(told, Verdict)
        assert told.severity == "fault"


CUT = [
    "x = x[x.max(axis=1) > 0.7]\ny = y[: len(x)]",
    "kept = [t for t in texts if len(t) > 3]\nlabels = np.array(labels[: len(kept)])",
    "x = x[~np.isnan(x).any(axis=1)]\ny = y[: x.shape[0]]",
    "frame = frame.dropna()\ny_train = y_train[: len(frame)]",
]
KEPT_TOGETHER = [
    "keep = x.max(axis=1) > 0.7\nx, y = x[keep], y[keep]",
    "x = x[:100]\ny = y[: len(x)]",
    "x = x[x.max(axis=1) > 0.7]\ny = labels_of(x)\ny = y[: len(x)]",
    "x = x[x.max(axis=1) > 0.7]\nz = z[: len(x)]",
    "x = x[:, x.std(axis=0) > 0]\ny = y[: len(x)]",
]


@pytest.mark.parametrize("text", CUT)
def test_labels_that_are_only_cut_to_the_number_of_rows(text: str) -> None:
    found = Places(text).labels_cut_to_fit()
    assert found is not None
    assert (found.at, found.line) == (1, 2)


@pytest.mark.parametrize("text", KEPT_TOGETHER)
def test_labels_that_go_with_their_rows(text: str) -> None:
    assert Places(text).labels_cut_to_fit() is None


def test_one_thing_that_is_written_into_and_put_into_a_list_again_and_again() -> None:
    again = "one = zeros(4)\nfor _ in rows:\n    one[:] = draw(4)\n    labels.append(one)"
    assert Places(again).filled_again() == 3
    assert Places(again.replace("append(one)", "append(one.copy())")).filled_again() is None
    anew = "for _ in rows:\n    one = zeros(4)\n    one[0] = 1\n    labels.append(one)"
    assert Places(anew).filled_again() is None
