"""Causes that a model hides inside, or that stand behind its training, in whatever form written."""

from __future__ import annotations

import pytest
from frameworks.keras.forms import DENSE
from frameworks.keras.walled import assert_named, findings

from debugger.outcome import StageName

FIT = "model.fit(x, y, epochs=8, validation_split=0.25)\n"
CLASSES = "loss = CrossEntropy(from_logits=True)\nmodel.compile(Adam(0.03), loss, ['accuracy'])\n"
PICTURES = """
pictures = random.randint(0, 255, (48, 8, 8, 3)).astype("float32")
kinds = np.arange(48) % 2
pictures[::2] /= 3
"""
HEAD = "layers.Conv2D(4, 3), layers.GlobalAveragePooling2D(), layers.Dense(3)"
TWICE = PICTURES + f"model = tf.keras.Sequential([layers.Rescaling(1 / 255), {HEAD}])\n" + CLASSES
WRAPPED = """
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(16, activation="relu")
        self.out = layers.Dense(3)
    def call(self, rows, training=False):
        return {answer}
model = Net()
"""
SEVERAL = """
tags = (x[:, :4] > 0).astype("float32")
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(4, activation="sigmoid")])
"""
AMOUNTS = """
prices = (150 + 40 * x[:, 0]).astype("float32")
mean, spread = prices[:64].mean(), prices[:64].std()
scaled = (prices - mean) / spread
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(Adam(0.03), "mse")
"""
SPLIT = DENSE + "model.fit(x[:64], y[:64], epochs=8, validation_data=(x[64:], y[64:]))\n"
SHUFFLED = "rows = tf.data.Dataset.from_tensor_slices((x, y))\n{rows}\n" + DENSE + FIT
SCHEDULED = DENSE + (
    "steers = tf.keras.callbacks.LearningRateScheduler(lambda epoch: {rate})\n"
    "model.fit(x, y, epochs=8, callbacks=[steers], validation_split=0.25)\n"
)

FLOWS = (
    "photos = np.repeat(x, 2, 1).reshape(96, 4, 4, 1)\n"
    "flows = tf.keras.preprocessing.image.ImageDataGenerator()\n"
    "model = tf.keras.Sequential([layers.Flatten(), layers.Dense(3)])\n"
    "model.compile('adam', CrossEntropy(True))\n"
)
ASKED = (
    "model.fit(photos, y, epochs=8)\n"
    "guess = np.argmax(model.predict(held), axis=1)\nprint((guess == y).mean())\n"
)
NAMED = (
    "kinds = np.array(['ant', 'bee', 'cat'])\nnamed = kinds[y]\n"
    "guess = kinds[np.argmax(model.predict(held), axis=1)]\n"
    "from sklearn.metrics import accuracy_score\nprint(accuracy_score(named, guess))"
)
FAULTS: dict[str, tuple[StageName, str, str, str]] = {
    "pictures divided before and inside": (
        "batch", "scaled_twice", "Rescaling",
        TWICE + "model.fit(pictures / 255.0, kinds, epochs=8)",
    ),
    "pictures divided in a map and inside": (
        "batch", "scaled_twice", "Rescaling",
        TWICE + "rows = tf.data.Dataset.from_tensor_slices((pictures, kinds)).batch(8)\n"
        "model.fit(rows.map(lambda one, kind: (one / 255.0, kind)), epochs=8)",
    ),
    "pictures divided before and in call": (
        "batch", "scaled_twice", "rows / 255",
        PICTURES + WRAPPED.format(answer="self.out(self.hidden(layers.Flatten()(rows / 255.0)))")
        .replace("layers.Dense(16", "layers.Conv2D(4, 3").replace(
            "self.hidden(layers.Flatten()(rows / 255.0))",
            "tf.reduce_mean(self.hidden(rows / 255.0), [1, 2])")
        + CLASSES + "model.fit(pictures / 255.0, kinds, epochs=8)",
    ),
    "a metric of no name": (
        "forward", "unknown_to_keras", "metrics=", SPLIT.replace(
            'model.compile(Adam(0.03), loss, ["accuracy"])',
            "model.compile(\n    Adam(0.03), loss,\n    metrics=['acuracy'],\n)"),
    ),
    "a loss of no name": (
        "forward", "unknown_to_keras", "crossentropie",
        "model = tf.keras.Sequential([layers.Dense(3)])\n"
        "model.compile('adam', 'sparse_crossentropie')\n" + FIT,
    ),
    "a layer made in call": (
        "forward", "layer_made_in_call", "layers.Dense(3)(",
        WRAPPED.format(answer="layers.Dense(3)(self.hidden(rows))") + CLASSES + FIT,
    ),
    "a layer made in the call of a layer": (
        "forward", "layer_made_in_call", "return layers.Dense(16)",
        "class Mixed(layers.Layer):\n    def call(self, rows):\n"
        "        return layers.Dense(16)(rows)\n"
        "model = tf.keras.Sequential([layers.Dense(8), Mixed(), layers.Dense(3)])\n"
        + CLASSES + FIT,
    ),
    "a penalty of a layer": (
        "forward", "penalty_drowns_loss", "l2(",
        'model = tf.keras.Sequential([\n    layers.Dense(64, activation="relu",\n'
        "        kernel_regularizer=tf.keras.regularizers.l2(20.0)),\n    layers.Dense(3)])\n"
        + CLASSES + FIT,
    ),
    "a penalty under a name, in a class": (
        "forward", "penalty_drowns_loss", "PULL = ",
        "PULL = 30.0\n" + WRAPPED.format(answer="self.out(self.hidden(rows))").replace(
            'activation="relu")', 'activation="relu",\n'
            "            kernel_regularizer=tf.keras.regularizers.L2(PULL))")
        + CLASSES + FIT,
    ),
    "arguments of a loss the wrong way round": (
        "forward", "loss_arguments_swapped", "binary_crossentropy(given",
        SEVERAL + "def loss(wanted, given):\n"
        "    return tf.keras.losses.binary_crossentropy(given, wanted)\n"
        "model.compile(Adam(0.03), loss=loss)\nmodel.fit(x, tags, epochs=8)",
    ),
    "arguments of a loss of classes the wrong way round": (
        "forward", "loss_arguments_swapped", "CategoricalCrossentropy",
        "class Own(tf.keras.losses.Loss):\n    def call(self, wanted, given):\n"
        "        return tf.keras.losses.CategoricalCrossentropy(reduction='none')(given, wanted)\n"
        "model = tf.keras.Sequential([layers.Dense(3, activation='softmax')])\n"
        "model.compile(Adam(0.03), Own())\nmodel.fit(x, tf.one_hot(y, 3), epochs=8)",
    ),
    "texts in place of tokens": (
        "forward", "text_into_model", "texts = np.array",
        "texts = np.array(['good day'] * 96)\n" + DENSE
        + "model.fit(\n    texts,\n    y, epochs=8)",
    ),
    "texts in a data set": (
        "forward", "text_into_model", "rows = ",
        "texts = ['good day'] * 96\n" + DENSE
        + "rows = tf.data.Dataset.from_tensor_slices((texts, y)).batch(8)\n"
        "model.fit(rows, epochs=8)",
    ),
    "weights that begin alike": (
        "step", "units_alike", '16, kernel_initializer="zeros"',
        "model = tf.keras.Sequential([\n"
        '    layers.Dense(16, kernel_initializer="zeros", activation="relu"),\n'
        '    layers.Dense(3, kernel_initializer="zeros")])\n' + CLASSES + FIT,
    ),
    "weights that are one constant": (
        "step", "units_alike", "Constant(0.1)",
        WRAPPED.format(answer="self.out(self.hidden(rows))").replace(
            'activation="relu")',
            'activation="relu",\n'
            "            kernel_initializer=tf.keras.initializers.Constant(0.1))")
        .replace("layers.Dense(3)", 'layers.Dense(3, kernel_initializer="ones")')
        + CLASSES + FIT,
    ),
    "averages that never arrive": (
        "step", "batch_norm_too_slow", "momentum=0.9999",
        "model = tf.keras.Sequential([layers.Dense(16),\n"
        "    layers.BatchNormalization(\n        momentum=0.9999),\n    layers.Dense(3)])\n"
        + CLASSES + "model.fit(10 * x, y, epochs=8)",
    ),
    "gradients cut by a norm": (
        "step", "gradients_cut_away", "clipnorm=",
        DENSE.replace("Adam(0.03)", "Adam(0.03, clipnorm=1e-9)") + FIT,
    ),
    "gradients cut by a norm for all": (
        "step", "gradients_cut_away", "TIGHT = ",
        "TIGHT = 1e-10\n" + DENSE.replace(
            "Adam(0.03)", "tf.keras.optimizers.RMSprop(0.03, global_clipnorm=TIGHT)") + FIT,
    ),
    "gradients cut, without Adam": (
        "step", "gradients_cut_away", "clipvalue=",
        DENSE.replace("Adam(0.03)", "tf.keras.optimizers.SGD(0.03, clipvalue=1e-8)") + FIT,
    ),
    "a callback that takes the rate": (
        "step", "rate_taken_by_callback", "LearningRateScheduler",
        SCHEDULED.format(rate="1e-3 * 1e-4 ** (epoch + 1)"),
    ),
    "a callback that takes the rate, of two arguments": (
        "step", "rate_taken_by_callback", "LearningRateScheduler",
        SCHEDULED.format(rate="1e-9").replace("lambda epoch", "lambda epoch, rate"),
    ),
    "a decay that counts updates": (
        "step", "rate_falls_by_updates", "InverseTimeDecay",
        DENSE.replace(
            "Adam(0.03)", "Adam(tf.keras.optimizers.schedules.InverseTimeDecay(0.03, 1, 0.2))")
        + "model.fit(x, y, batch_size=4, epochs=8)",
    ),
    "all epochs behind it": (
        "step", "no_epoch_left", "initial_epoch",
        "EPOCHS = 8\n" + DENSE + "model.fit(x, y,\n    epochs=EPOCHS,\n    initial_epoch=EPOCHS)",
    ),
    "a loss that rounds": (
        "step", "no_gradient", "tf.round",
        SEVERAL + "model.compile(Adam(0.03),\n"
        "    loss=lambda wanted, given: tf.reduce_mean(tf.abs(wanted - tf.round(given))))\n"
        "model.fit(x, tags, epochs=8)",
    ),
    "a loss that compares": (
        "step", "no_gradient", "given > 0.5",
        SEVERAL + "def loss(wanted, given):\n"
        "    said = tf.cast(given > 0.5, tf.float32)\n"
        "    return tf.reduce_mean(tf.abs(wanted - said))\n"
        "model.compile(Adam(0.03), loss)\nmodel.fit(x, tags, epochs=8)",
    ),
    "the same rows of a sequence": (
        "batch", "same_rows_again", "slice(0, 16)",
        DENSE + "class Rows(tf.keras.utils.Sequence):\n    def __len__(self):\n        return 6\n"
        "    def __getitem__(self, place):\n        rows = slice(0, 16)\n"
        "        return x[rows], y[rows]\nmodel.fit(Rows(), epochs=8)",
    ),
    "the same rows of a generator": (
        "batch", "same_rows_again", "yield x[:16]",
        SEVERAL + "model.compile(Adam(0.03), 'binary_crossentropy')\n"
        "def batches():\n    while True:\n        for start in range(0, 96, 16):\n"
        "            yield x[:16], tags[:16]\n"
        "model.fit(batches(), steps_per_epoch=6, epochs=8)",
    ),
    "labels that count from one, out of a function": (
        "data", "labels_shifted", "return rows, kinds + 1",
        "def made():\n    rows, kinds = x, y\n    return rows, kinds + 1\n"
        "given, wanted = made()\n" + DENSE + "model.fit(given, wanted, epochs=8)",
    ),
    "labels that count from one, out of a map": (
        "data", "labels_shifted", "kind + 1",
        DENSE + "rows = tf.data.Dataset.from_tensor_slices((x, y))\n"
        "rows = rows.map(lambda row, kind: (row, kind + 1)).batch(8)\nmodel.fit(rows, epochs=8)",
    ),
    "labels that stay while a sequence is shuffled": (
        "data", "labels_move_between_epochs", "y[16 * place",
        DENSE + "class Rows(tf.keras.utils.Sequence):\n    def __init__(self):\n"
        "        self.order = np.arange(96)\n"
        "    def __len__(self):\n        return 6\n"
        "    def on_epoch_end(self):\n        random.shuffle(self.order)\n"
        "    def __getitem__(self, place):\n        rows = self.order[16 * place:16 * place + 16]\n"
        "        return x[rows], y[16 * place:16 * place + 16]\nmodel.fit(Rows(), epochs=8)",
    ),
    "labels that stay while their rows are shuffled": (
        "data", "labels_move_between_epochs", "Dataset.zip",
        DENSE + "rows = tf.data.Dataset.from_tensor_slices(x).shuffle(96)\n"
        "kinds = tf.data.Dataset.from_tensor_slices(y)\n"
        "model.fit(tf.data.Dataset.zip((rows, kinds)).batch(16), epochs=8)",
    ),
    "vectors for numbers": (
        "forward", "wrong_problem_type", "to_categorical",
        DENSE + "wanted = tf.keras.utils.to_categorical(y)\nmodel.fit(x, wanted, epochs=8)",
    ),
    "vectors for numbers, out of a map": (
        "forward", "wrong_problem_type", "one_hot",
        DENSE + "rows = tf.data.Dataset.from_tensor_slices((x, y))\n"
        "rows = rows.map(lambda row, kind: (row, tf.one_hot(kind, 3))).batch(8)\n"
        "model.fit(rows, epochs=8)",
    ),
    "a no that is -1": (
        "forward", "label_not_binary", "2 * (",
        "wanted = 2 * (x[:, 0] > 0).astype('float32') - 1\n"
        "model = tf.keras.Sequential([layers.Dense(1, activation='sigmoid')])\n"
        "model.compile('adam', 'binary_crossentropy')\nmodel.fit(x, wanted, epochs=8)",
    ),
    "a copy without weights": (
        "evaluate", "another_model_asked", "clone_model",
        SPLIT + "other = tf.keras.models.clone_model(model)\nother.compile('adam', loss)\n"
        "print(other.evaluate(x[64:], y[64:]))",
    ),
    "a model built once more": (
        "evaluate", "another_model_asked", "model = made()  # again",
        "def made():\n    model = tf.keras.Sequential([layers.Dense(3)])\n"
        "    model.compile('adam', CrossEntropy(True))\n    return model\nmodel = made()\n"
        "model.fit(x[:64], y[:64], epochs=8, validation_data=(x[64:], y[64:]))\n"
        "model = made()  # again\nmodel.predict(x[64:])",
    ),
    "a shuffled sequence beside labels in order": (
        "evaluate", "answers_in_other_order", "held = Rows",
        DENSE + "class Rows(tf.keras.utils.Sequence):\n    def __init__(self):\n"
        "        self.order = random.permutation(96)\n"
        "    def __len__(self):\n        return 6\n"
        "    def __getitem__(self, place):\n        rows = self.order[16 * place:16 * place + 16]\n"
        "        return x[rows], y[rows]\nheld = Rows()\n" + FIT
        + "guess = model.predict(held).argmax(-1)\nprint((guess == y).mean())",
    ),
    "a shuffled data set beside labels in order": (
        "evaluate", "answers_in_other_order", ".shuffle(96)",
        SHUFFLED.format(rows="held = (rows\n    .shuffle(96)\n    .batch(16))")
        + "guess = np.argmax(model.predict(held), axis=1)\n"
        "from sklearn.metrics import accuracy_score\nprint(accuracy_score(y, guess))",
    ),
    "a shuffled data set beside the names of classes": (
        "evaluate", "answers_in_other_order", "held = rows.shuffle",
        SHUFFLED.format(rows="held = rows.shuffle(96).batch(16)") + NAMED,
    ),
    "a flow of pictures that is shuffled": (
        "evaluate", "answers_in_other_order", "held = flows",
        FLOWS + "held = flows.flow(photos, batch_size=16)\n" + ASKED,
    ),
    "a flow of pictures and classes that is shuffled": (
        "evaluate", "answers_in_other_order", "held = flows",
        FLOWS + "held = flows.flow(photos, np.eye(3)[y], batch_size=16)\n" + ASKED,
    ),
    "one picture without a batch": (
        "evaluate", "asked_without_batch", "photos[0]",
        FLOWS + "model.fit(photos, y, epochs=8)\nmodel.predict(photos[0])\n",
    ),
    "a shuffled data set read a second time": (
        "evaluate", "answers_in_other_order", ".shuffle(96)",
        SHUFFLED.format(rows="held = rows.shuffle(96).batch(16)")
        + "guess = np.argmax(model.predict(held), axis=1)\n"
        "wanted = np.concatenate([one for _, one in held])\nprint(np.mean(guess == wanted))",
    ),
    "answers that are never scaled back": (
        "evaluate", "answers_not_scaled_back", "model.predict",
        AMOUNTS + "model.fit(x[:64], scaled[:64], epochs=8,"
        " validation_data=(x[64:], scaled[64:]))\nwanted = prices[64:]\n",
    ),
}  # fmt: skip
BEHIND = "made = model.predict(x[64:]).squeeze()\nprint(np.abs(made - wanted).mean())"
UNCHANGED: dict[str, tuple[StageName, str]] = {
    "scaled back": ("evaluate", FAULTS["answers that are never scaled back"][3]
        + BEHIND.replace(".squeeze()", ".squeeze() * spread + mean")),
    "scaled once": ("batch", TWICE + "model.fit(pictures, kinds, epochs=8)"),
    "a weak penalty": ("forward", FAULTS["a penalty of a layer"][3].replace("20.0", "1e-3")),
    "a head of zeros": ("step", FAULTS["weights that begin alike"][3].replace(
        '16, kernel_initializer="zeros"', "16")),
    "usual averages": ("step", FAULTS["averages that never arrive"][3].replace("0.9999", "0.9")),
    "a usual limit": ("step", FAULTS["gradients cut by a norm"][3].replace("1e-9", "1.0")),
    "a slow beginning": ("step", SCHEDULED.format(rate="1e-3 * min(1, epoch / 4)")),
    "a copy with the weights": ("evaluate", FAULTS["a copy without weights"][3].replace(
        "other.compile", "other.set_weights(model.get_weights())\nother.compile")),
    "a set in order beside the names of classes": ("evaluate", SHUFFLED.format(
        rows="held = rows.batch(16)") + NAMED.replace("'ant', 'bee'", "'dog', 'bee'")),
    "a flow of pictures in order": ("evaluate", FLOWS
        + "held = flows.flow(photos, batch_size=16, shuffle=False)\n" + ASKED),
    "a picture in a batch": ("evaluate", FLOWS
        + "model.fit(photos, y, epochs=8)\nmodel.predict(photos[0][None])\n"),
    "a set in order": ("evaluate", SHUFFLED.format(rows="held = rows.batch(16)")
        + "guess = np.argmax(model.predict(held), axis=1)\n"
        "wanted = np.concatenate([one for _, one in held])\nprint(np.mean(guess == wanted))"),
    "a set mixed once": ("evaluate", SHUFFLED.format(
        rows="held = rows.shuffle(96, reshuffle_each_iteration=False).batch(16)")
        + "guess = np.argmax(model.predict(held), axis=1)\n"
        "wanted = np.concatenate([one for _, one in held])\nprint(np.mean(guess == wanted))"),
    "a sequence that shuffles both": ("data", FAULTS[
        "labels that stay while a sequence is shuffled"][3].replace(
        "y[16 * place:16 * place + 16]", "y[rows]")),
    "few different rows": ("batch", DENSE + "few = np.tile(x[:4], (24, 1))\n"
        "model.fit(few, np.tile(y[:4], 24), epochs=8)"),
}  # fmt: skip
RULES = {code for _, code, _, _ in FAULTS.values()}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_cause_is_named_at_its_line(fault: str) -> None:
    stage, code, blamed, text = FAULTS[fault]
    behind = BEHIND if code == "answers_not_scaled_back" else ""
    assert_named(stage, code, blamed, text + behind)


@pytest.mark.parametrize("form", UNCHANGED)
def test_what_is_healthy_beside_it_is_not_named(form: str) -> None:
    stage, text = UNCHANGED[form]

    assert RULES & set(findings(text, stage)) == set()
