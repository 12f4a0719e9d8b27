"""Mistakes of every day: callbacks, data sets, steps of one's own, and what comes afterwards."""

from __future__ import annotations

import pytest
from frameworks.keras.forms import DENSE, SOFTMAX
from frameworks.keras.walled import assert_named, findings

from debugger.outcome import StageName

ROWS = "rows = tf.data.Dataset.from_tensor_slices((x, y))\n"
FIT = "model.fit(x[:64], y[:64], epochs=8, validation_data=(x[64:] + 1, y[64:]){more})\n"
PLAIN = DENSE + FIT.format(more="")
STOPS = DENSE + FIT.format(
    more=', callbacks=[\n    tf.keras.callbacks.EarlyStopping("{name}"{more})]'
)
SCHEDULE = (
    "def schedule(epoch, rate):\n    {body}\n"
    + DENSE
    + FIT.format(more=", callbacks=[tf.keras.callbacks.LearningRateScheduler(schedule)]")
)
SCALED = (
    """
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler()
train, test = x[:64], x[64:]
train = scaler.fit_transform(train)
test = scaler.{call}(test)
"""
    + DENSE
    + "model.fit(train, y[:64], validation_data=(test, y[64:]))\n"
)
OWN = (
    "class Own(tf.keras.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):\n"
    "        {does}\n"
    + DENSE
    + FIT.format(more=", callbacks=[\n    Own(), tf.keras.callbacks.EarlyStopping('{name}')]")
)
PLATEAU = ", callbacks=[tf.keras.callbacks.ReduceLROnPlateau(\n    min_lr={least})]"
CALLED = (
    "class Mine(tf.keras.callbacks.Callback):\n    def on_epoch_end(self, epoch{more}):\n"
    "        pass\n" + DENSE + "model.fit(x, y, callbacks=[\n    {one}])\n"
)
COUNTED = """
from tensorflow.keras.preprocessing.text import Tokenizer
texts = ["word%d word%d word%d" % (n % 7, n % 5, n % 3) for n in range(96)]
words, others = Tokenizer(), Tokenizer()
words.fit_on_texts(texts[:64])
others.fit_on_texts(["word6"] * 99 + texts[64:])
train = np.array(words.texts_to_sequences(texts[:64]))
test = np.array({made}.texts_to_sequences(texts[64:]))
embedded = layers.Embedding(20, 4, input_length=3)
model = tf.keras.Sequential([embedded, layers.Flatten(), layers.Dense(3)])
model.compile(Adam(0.03), CrossEntropy(from_logits=True), ["accuracy"])
model.fit(train, y[:64])
print(model.predict(test).argmax(axis=1))
"""
NET = """
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.norm, self.drop = layers.BatchNormalization(), layers.Dropout(0.5)
        self.out = layers.Dense(3)
    def call(self, rows, training=False):
        rows = self.norm(rows, training={norm})
        return self.out(self.drop(rows, training={drop}))
    def train_step(self, data):
        rows, wanted = data
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(wanted, self(rows, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        {step}
        return {{"loss": loss}}
model = Net()
model.compile(Adam(0.03), CrossEntropy(from_logits=True))
model.fit(x, y)
"""
STEP = "self.optimizer.apply_gradients(zip(grads, self.trainable_variables))"
USUAL = {"norm": "training", "drop": "training", "step": STEP}
AFTER = "made = model.predict(x[64:])\nguess = np.argmax(made, axis={axis})\n"
SCORE = "from sklearn.metrics import f1_score\nprint(f1_score(y[64:], guess, average='macro'))\n"
HELD = "held = tf.data.Dataset.from_tensor_slices((x[64:], y[64:])){mixed}.batch(8)\n"
GUESS = "wanted = np.array(y[64:])\nguess = np.argmax(model.predict(held), axis=1)\n"
RIGHT = "print({'accuracy': np.mean(guess == wanted)})\n"
VECTORS = (
    SOFTMAX
    + """
model.compile(Adam(0.03), "{loss}", metrics=["accuracy"])
wanted = tf.one_hot({labels}, 3)
model.fit(x, wanted)
"""
)

AMOUNTS = """
def distance(wanted, given):
    return {sign}tf.reduce_mean(tf.square(wanted - given), axis=-1)
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(Adam(0.03), loss=distance)
model.fit(x, x[:, :1] * 3)
"""

FAULTS: dict[str, tuple[StageName, str, str, str]] = {
    "a number that nobody logs": ("evaluate", "watched_in_vain", "EarlyStopping",
        STOPS.format(name="val_acc", more="")),
    "a number that a callback of one's own only reads": ("evaluate", "watched_in_vain",
        "'val_acc'", OWN.format(does="self.seen = logs['loss'] < 0", name="val_acc")),
    "a callback that takes no numbers": ("step", "callback_takes_less", "def on_epoch_end",
        CALLED.format(more="", one="Mine()")),
    "a callback without its brackets": ("step", "callback_unmade", "callbacks=[",
        CALLED.format(more=", logs", one="Mine")),
    "no callback after all": ("step", "no_callback", "callbacks=[",
        CALLED.format(more=", logs", one="None")),
    "no validation to watch": ("evaluate", "watched_in_vain", "ReduceLROnPlateau", DENSE
        + "model.fit(x, y, callbacks=[tf.keras.callbacks.ReduceLROnPlateau()])"),
    "a schedule that grows": ("step", "rate_driven_up", "return rate * 50",
        SCHEDULE.format(body="return rate * 50")),
    "a schedule that takes its part again": ("step", "rate_driven_down", "return rate * 0.5",
        SCHEDULE.format(body="return rate * 0.5 ** epoch")),
    "a schedule that forgets to answer": ("step", "schedule_gives_no_float", "rate / 2",
        SCHEDULE.format(body="if epoch < 3:\n        return rate\n    rate / 2")),
    "a vocabulary of the test texts": ("data", "learned_from_eval_rows", "others.fit_on_texts",
        COUNTED.format(made="others")),
    "a data set that is not kept": ("data", "result_thrown_away", "rows.map", ROWS + DENSE
        + "rows.map(lambda one, label: (one / 2, label))\nmodel.fit(rows.batch(8))"),
    "one row after the other": ("forward", "rows_not_batched", "one_hot", SOFTMAX
        + "model.compile(Adam(0.03), 'categorical_crossentropy')\nmodel.build((None, 8))\n"
        "rows = tf.data.Dataset.from_tensor_slices((x, tf.one_hot(y, 3)))\nmodel.fit(rows)"),
    "a norm that always trains": ("forward", "layer_trains_always", "self.norm(rows",
        NET.format(**USUAL | {"norm": "True"})),
    "gradients that nobody applies": ("step", "gradients_never_applied", "tape.gradient",
        NET.format(**USUAL | {"step": "pass"})),
    "answers along the wrong axis": ("evaluate", "fails_afterwards", "axis=0",
        PLAIN + AFTER.format(axis=0) + SCORE),
    "a set that is mixed each time": ("evaluate", "answers_in_other_order", ".shuffle(96)",
        PLAIN + HELD.format(mixed=".shuffle(96)") + GUESS + RIGHT),
    "numbers beyond the vector": ("forward", "vectors_without_class", "one_hot",
        VECTORS.format(loss="categorical_crossentropy", labels="y + 1")),
    "a yes or no for each class": ("forward", "each_for_one_class", "binary_crossentropy",
        VECTORS.format(loss="binary_crossentropy", labels="y")),
    "rows of another shape": ("forward", "rows_of_another_shape", "tf.keras.Input((9,))",
        "start = tf.keras.Input((9,))\nmodel = tf.keras.Model(start, layers.Dense(3)(start))\n"
        "model.compile(Adam(0.03), CrossEntropy(True))\nmodel.fit(x, y)"),
    "one state of a row": ("setup", "last_state_alone", "layers.LSTM(8),",
        "model = tf.keras.Sequential([\n    layers.Embedding(9, 4, input_length=5),\n"
        "    layers.LSTM(8),\n    layers.LSTM(4)])"),
    "rows of unequal length": ("setup", "array_of_objects", "dtype=object", DENSE
        + "rows = np.array([[1.0] * (n % 3) for n in range(96)], dtype=object)\n"
        "model.fit(rows, y)"),
    "a word where a table is wanted": ("setup", "argument_of_another_kind", "balanced", DENSE
        + "model.fit(\n    x, y,\n    class_weight='balanced')"),
    "a distance with its sign turned": ("forward", "loss_wrong_sign", "-tf.reduce_mean",
        AMOUNTS.format(sign="-")),
    "no end to the last layer": ("forward", "loss_expects_probabilities", "layers.Dense(1)",
        "model = tf.keras.Sequential([layers.Dense(8, 'relu'),\n    layers.Dense(1)])\n"
        "model.compile(Adam(0.03), 'binary_crossentropy')\nmodel.fit(x, y > 0)"),
}  # fmt: skip

LOOKED: dict[str, tuple[StageName, str, str, str]] = {
    "a plateau that can lower nothing": ("step", "plateau_has_no_room", "min_lr=",
        DENSE + FIT.format(more=PLATEAU.format(least=0.03))),
    "a scale of its own": ("data", "learned_from_eval_rows", "scaler.fit_transform(test)",
        SCALED.format(call="fit_transform")),
    "dropout that always draws": ("forward", "layer_trains_always", "self.drop(rows",
        NET.format(**USUAL | {"drop": "True"})),
}  # fmt: skip

UNCHANGED: dict[str, tuple[StageName, str]] = {
    "a number that is logged": ("evaluate", STOPS.format(name="val_accuracy", more="")),
    "a callback that adds a number": ("evaluate",
        OWN.format(does="logs['val_f1'] = 1.0", name="val_f1")),
    "a callback that updates the numbers": ("evaluate",
        OWN.format(does="logs.update(val_f1=1.0)", name="val_f1")),
    "a callback that takes all": ("step", CALLED.format(more=", logs", one="Mine()")),
    "a plateau": ("step", DENSE + FIT.format(more=PLATEAU.format(least=0.0003))),
    "a warm-up": ("step", SCHEDULE.format(body="return 0.03 * min(1.0, (epoch + 1) / 3)")),
    "a schedule that falls": ("step", SCHEDULE.format(body="return rate * 0.9")),
    "one scale for both": ("data", SCALED.format(call="transform")),
    "one vocabulary for both": ("data", COUNTED.format(made="words")),
    "a data set that is kept": ("data", ROWS + DENSE
        + "rows = rows.map(lambda one, label: (one / 2, label))\nmodel.fit(rows.batch(8))"),
    "a step as usual": ("step", NET.format(**USUAL)),
    "layers as usual": ("forward", NET.format(**USUAL)),
    "answers along their axis": ("evaluate", PLAIN + AFTER.format(axis=1) + SCORE),
    "a set in its order": ("evaluate", PLAIN + HELD.format(mixed="") + GUESS + RIGHT),
    "what was left out is missed": ("evaluate", PLAIN + AFTER.format(axis=1)
        + "table = dict(a=1)\ntable.update(made=made)\nopen('x', 'w').write(str(table))\n"
        "print(guess + np.ones(open('y').read()))\n"),
    "a distance": ("forward", AMOUNTS.format(sign="")),
    "a class in each vector": ("forward",
        VECTORS.format(loss="categorical_crossentropy", labels="y")),
}  # fmt: skip
RULES = {code for _, code, _, _ in (*FAULTS.values(), *LOOKED.values())}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_is_named_at_its_line(fault: str) -> None:
    assert_named(*FAULTS[fault])


@pytest.mark.parametrize("look", LOOKED)
def test_what_may_be_meant_is_something_to_look_at(look: str) -> None:
    assert_named(*LOOKED[look], looked=True)


@pytest.mark.parametrize("form", UNCHANGED)
def test_what_is_done_as_it_should_be_is_not_named(form: str) -> None:
    stage, text = UNCHANGED[form]

    assert RULES & set(findings(text, stage)) == set()
