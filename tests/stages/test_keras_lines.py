"""Where a script for Keras writes down what is to blame: rates, layers, data to be judged by."""

from __future__ import annotations

import ast

import pytest

from debugger.script.places import Places
from debugger.script.refits import refits
from debugger.script.unkept import thrown_away


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("rate = 0.3\nopt = Adam(rate)\nmodel.compile(optimizer=opt)", 1),
        ("import tf\n\nmodel.compile(optimizer=tf.keras.optimizers.SGD(0.5))", 3),
        ("model.compile(\n    optimizer=Adam(learning_rate=1e-2),\n)", 2),
        ("optimizer, rest = create_optimizer(\n    init_lr=1e-2, num_train_steps=9\n)", 2),
        ("s = PolynomialDecay(3e-7, 9)\nmodel.compile(optimizer=Adam(learning_rate=s))", 1),
        ("add_argument('--lr',\n    default=0.3)\nmodel.compile(Adam(options.lr))", 2),
        ("class Settings:\n    lr: float = 0.3\n\nmodel.compile(Adam(self.settings.lr))", 2),
        ("optimizer = torch.optim.AdamW(model.parameters())", None),
    ],
)
def test_a_learning_rate_is_found_where_it_is_written(script: str, line: int | None) -> None:
    assert Places(script).rate() == line


LAYERS = "layers = [\n    Dense(32),\n    Dense(4),\n    Dense(units=3),\n    Dense(CLASSES),\n]\n"


def test_the_layer_of_that_many_outputs_is_the_last_one() -> None:
    assert Places(LAYERS).fits.output_layer(4) == 3
    assert Places(LAYERS).fits.output_layer(3) == 4
    assert Places(LAYERS).fits.output_layer(7) == 5
    assert Places("CLASSES = 7\n" + LAYERS).fits.output_layer(7) == 6
    assert Places("model = Model()").fits.output_layer(3) is None


DATA = """\
x = load("train")
x_test = load("test")
x = x / 255
y, y_test = names(x), names(x_test)
model.compile("adam")
model.fit(x, y, validation_data=(x_test, y_test))
"""
SETS = """\
def main():
    train, test = made(1), made(2)
    test = test.batch(8)
    model.compile("adam")
    model.fit(train, epochs=2,
              validation_data=test)
"""


def test_what_fit_is_given_is_followed_to_where_it_was_made() -> None:
    places = Places(DATA)

    assert (places.fits.fitted(), places.fits.validated()) == (3, 2)
    assert (places.fits.fitted(labels=True), places.fits.validated(labels=True)) == (4, 4)
    assert (Places(SETS).fits.fitted(), Places(SETS).fits.validated(labels=True)) == (2, 3)
    assert Places("model.fit(x, y)").fits.validated() is None


def test_a_default_of_a_class_is_found_behind_its_name() -> None:
    script = "class Net(Model):\n    def __init__(self, size, rate=0.9):\n        Dropout(rate)\n"

    assert Places(f"{script}Net(4)").highest("dropout") == 2
    assert Places(f"{script}\nNet(4, 0.5)").highest("dropout") == 5
    assert Places(f"{script}\nNet(\n  4,\n  rate=0.5)").highest("dropout") == 7


def test_values_that_are_put_two_at_a_time_are_seen() -> None:
    script = 'row["start_positions"], row["end_positions"] = 1, 2\nrow["end_positions"] = 3\n'

    assert Places(script).written.under("start_positions") == 1
    assert Places(script).written.under("end_positions") == 2


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("enc = made()\nenc['end_positions'] = enc['start_positions']", 2),
        ("out = {\n 'start_positions': first,\n 'end_positions': first,\n}", 3),
        ("row['start_positions'] = a\nrow['end_positions'] = list(row['start_positions'])", None),
        ("row['start_positions'], row['end_positions'] = starts, ends", None),
    ],
)
def test_a_value_that_is_put_under_a_second_name_is_found(script: str, line: int | None) -> None:
    assert Places(script).put_again("start_positions", "end_positions") == line


def test_what_fit_is_given_by_name_is_followed_too() -> None:
    script = "pair = [\n one, one]\nmodel.compile()\nmodel.fit(x=pair,\n y=labels, epochs=2)\n"

    assert Places(script).fits.fitted() == 1
    assert Places(script).fits.fitted(labels=True) == 5
    assert Places("model.fit(\n [ids, ids],\n labels, epochs=1)").fits.fitted() == 2


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (
            "def made():\n  return a, b + 1\nx, y = made()\nmodel.compile()\nmodel.fit(x, y)",
            2,
        ),
        ("y = raw * 2\ny = np.array(y).astype(int)\nmodel.compile()\nmodel.fit(x, y)", 1),
        ("y = -raw\na, b, c, d = train_test_split(x, y)\nmodel.compile()\nmodel.fit(a, c)", 1),
        (
            "def read(n):\n  found = []\n  for one in range(n):\n    found.append(2 * one - 1)\n"
            "  return rows, np.array(found)\nx, y = read(9)\nmodel.fit(x, y[:5], epochs=2)",
            4,
        ),
        (
            "rows = Dataset.from_tensor_slices((x, y))\n"
            "rows = rows.map(lambda a, b: (a, b + 1)).batch(8)\nmodel.fit(rows, epochs=2)",
            2,
        ),
        ("rows = Dataset.from_tensor_slices((x,\n  y * 2)).batch(8)\nmodel.fit(rows, epochs=2)", 2),
        (
            "class Task:\n  def rows(self, texts, labels):\n"
            "    return Dataset.from_tensor_slices((texts, labels)).batch(8)\n"
            "  def run(self):\n    kinds = mood(texts)\n    data = self.rows(texts, kinds)\n"
            "    model.fit(data, epochs=2)",
            5,
        ),
        ("trainer.train()", None),
    ],
)
def test_labels_are_followed_back_to_where_they_got_their_values(
    script: str, line: int | None
) -> None:
    assert Places(script).fits.labelled() == line


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("def call(self, x):\n  return x\n", None),
        ("class A(Layer):\n def call(self, x):\n  return layers.Dense(3)(\n   x)", 3),
        (
            "class A(Model):\n def __init__(self):\n  self.a = Dense(3)\n def call(self):\n  pass",
            None,
        ),
        (
            "class A(Model):\n def head(self, x):\n  return Dense(3)(x)\n def call(self):\n  pass",
            3,
        ),
    ],
)
def test_a_layer_made_in_a_call_is_found(script: str, line: int | None) -> None:
    assert Places(script).layers.made_in_call() == line


MADE = """\
SIZE = 4
model = Sequential([
    Bidirectional(LSTM(24)),
    Dropout(0.9),
    Dense(SIZE, "relu"),
    Dense(
        SIZE,
        activation="softmax",
    ),
])
"""


@pytest.mark.parametrize(
    ("kind", "line", "argument", "wanted"),
    [
        ("Dense", 6, "", 6),
        ("Dense", 6, "activation", 8),
        ("Dense", 6, "kernel_initializer", 6),
        ("Dense", 5, "activation", 5),
        ("Dense", 5, "units", 1),
        ("Dropout", 4, "rate", 4),
        ("LSTM", 3, "activation", 3),
        ("Mine", 9, "units", 9),
    ],
)
def test_what_a_layer_is_told_is_found_at_the_line_that_makes_it(
    kind: str, line: int, argument: str, wanted: int
) -> None:
    assert Places(MADE).layers.given_at(kind, line, argument) == wanted


def test_the_layer_before_the_one_that_refuses_keeps_its_last_state() -> None:
    script = "m.add(GRU(8, return_sequences=True))\nm.add(LSTM(8))\nm.add(LSTM(4))\nm.add(GRU(2))"

    assert Places(script).layers.keeping_last("lstm_1", 3) == 2
    assert Places(script).layers.keeping_last("gru_1", 4) == 3
    assert Places(script).layers.keeping_last("lstm", 2) is None


def test_a_pattern_that_is_compiled_is_no_model() -> None:
    script = "junk = re.compile('[^a-z]')\nmodel.compile(\n    'adam', 'mse')"

    assert Places(script).fits.compiled("optimizer") == 3


def test_what_learns_anew_from_rows_to_be_judged_by_is_found_with_its_first() -> None:
    of = {"one": "Scaler", "two": "Scaler", "other": "Words"}
    begun = "x = one.fit_transform(rows[:9])\n"

    def found(text: str) -> list[tuple[str, int, str]]:
        script = begun + text
        line = script.splitlines().index("model.fit(x, y)") + 1
        seen = refits(ast.parse(script), line, lambda name: of.get(name, ""))
        return [(one.name, one.line, one.first) for one in seen]

    assert found("z = one.transform(rows[9:])\nmodel.fit(x, y)\nmodel.predict(z)") == []
    assert found("z = one.fit_transform(rows[9:])\nmodel.fit(x, y)\nmodel.predict(z)") == [
        ("one", 2, "one")
    ]
    assert found("z = two.fit_transform(rows[9:])\nmodel.fit(x, y)\nmodel.predict(z)") == [
        ("two", 2, "one")
    ]
    asked = "z = two.fit_transform(rows[9:])\n{}model.fit(x, y)\n"
    assert found(asked.format("model.predict(z)\n")) == []
    assert found(asked.format("def ask():\n    model.predict(z)\n")) == [("two", 2, "one")]
    assert found("z = other.fit_transform(more)\nmodel.fit(x, y)\nmodel.predict(z)") == []
    assert found("model.fit(x, y)\nz = one.fit_transform(more)\nmodel.predict(z)") == [
        ("one", 3, "one")
    ]


def test_a_result_that_nobody_keeps_stands_alone_on_its_line() -> None:
    script = "rows.map(f)\nrows = rows.batch(8)\ntable.dropna(inplace=True)\nlist(rows.take(1))"

    assert list(thrown_away(ast.parse(script))) == [("rows", "map", 1)]


FLOWS = "a = tf.data.Dataset.from_tensor_slices(x){}\nb = tf.data.Dataset.from_tensor_slices(y){}\n"


@pytest.mark.parametrize(
    ("first", "second", "behind", "line"),
    [
        (".shuffle(9)", ".shuffle(9)", "", 2),
        (".shuffle(9)", "", "", 3),
        ("", "", "rows = rows.shuffle(9)\n", 3),
        ("", "", "a = a.shuffle(9)\nb = b.shuffle(9)\n", 3),
    ],
)
def test_the_second_of_two_sets_that_are_shuffled_apart_is_where_labels_go_astray(
    first: str, second: str, behind: str, line: int
) -> None:
    zipped = "rows = tf.data.Dataset.zip((a, b))\n" + behind

    assert Places(FLOWS.format(first, second) + zipped).rows.paired() == line


def test_lists_that_are_zipped_are_no_data_sets() -> None:
    pairs = "for x, y in zip(a, b):\n    pass"

    assert Places(FLOWS.format(".shuffle(9)", ".shuffle(9)") + pairs).rows.paired() is None


@pytest.mark.parametrize(
    ("script", "scaled"),
    [
        ("model.compile(l)\nx /= 255\nmodel.fit(x, y)\nmodel.predict(z)", 2),
        ("model.compile(l)\nx = scaler.transform(x)\nmodel.fit(x, y)\nmodel.predict(z)", 2),
        ("model.compile(l)\nx /= 255\nz /= 255\nmodel.fit(x, y)\nmodel.predict(z)", None),
        (
            "model.compile(l)\nx = (x - a) / b\nz = (z - a) / b\nmodel.fit(x, y)\nmodel.predict(z)",
            None,
        ),
        ("model.compile(l)\nx = (x - a) / b\nmodel.fit(x, y)\nmodel.predict(x)", None),
        ("model.compile(l)\nx = x.reshape(-1, 4)\nmodel.fit(x, y)\nmodel.predict(z)", None),
        ("model.compile(l)\nmodel.fit(x / 255, y)\nmodel.predict(z)", None),
    ],
)
def test_what_is_scaled_in_place_and_what_never_is(script: str, scaled: int | None) -> None:
    assert Places(script).fits.scaled_alone("predict", "evaluate") == scaled


@pytest.mark.parametrize(
    ("metrics", "vectors"),
    [
        ("['categorical_accuracy']", True),
        ("[keras.metrics.CategoricalAccuracy()]", True),
        ("['sparse_categorical_accuracy']", False),
        ("[keras.metrics.SparseCategoricalAccuracy()]", False),
        ("['accuracy']", False),
    ],
)
def test_metrics_tell_whether_labels_are_vectors(metrics: str, vectors: bool) -> None:
    assert Places(f"m.compile(loss=l, metrics={metrics})").fits.counts_vectors() is vectors
