"""What reaches a model, its loss and the numbers behind the training, in whatever form written."""

from __future__ import annotations

import pytest
import tensorflow as tf
from frameworks.keras.forms import BERT, DENSE, FORMS, START
from frameworks.keras.test_keras_causes import assert_named, findings

from debugger.diagnosis import perform
from debugger.outcome import StageName
from debugger.run import Run
from debugger.script.enclosure import OPEN, Enclosure

AMOUNTS = """
prices = (3 * x[:, 0] + random.randn(96)).astype("float32")
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(Adam(0.03), {loss})
"""
FITTED = AMOUNTS.format(loss='"mse", metrics=["mae"]') + (
    "model.fit(x[:64], prices[:64], epochs=4, validation_data=(x[64:], prices[64:]))\n"
)
YES = """
right = (x[:, 0] > 0).astype("float32")
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1, activation="sigmoid")])
model.compile(Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
model.fit(x[:64], right[:64], epochs=4, validation_data=(x[64:], right[64:]))
"""
CLASSES = DENSE + "model.fit(x[:64], y[:64], epochs=4, validation_data=(x[64:], y[64:]))\n"
SCALES = "x = x * [1, 5, 9, 40, 100, 300, 900, 3000] + [0, 9, 0, 99, 0, 0, 2000, 0]\n"
OWN_STEP = (
    "class Net(tf.keras.Model):\n    def __init__(self):\n        super().__init__()\n"
    "        self.body = tf.keras.Sequential([layers.Dense(32), layers.Dense(8)])\n"
    "        self.out = layers.Dense(3)\n    def call(self, rows):\n"
    "        return self.out(self.body(rows))\n    def train_step(self, batch):\n"
    "        rows, labels = batch\n"
)
OWN_STEP_ENDS = (
    "        return {'loss': cost}\n"
    "model = Net()\nmodel.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=2)"
)
TEXTS = """
texts = np.array([" ".join(random.choice(list("abcdefghijklmnop"), 6)) for _ in range(96)])
labels = np.array(["a" in text for text in texts]).astype("float32")
"""
READS = """
model = tf.keras.Sequential([
    layers.Embedding(20, 8), layers.GlobalAveragePooling1D(), layers.Dense(1, "sigmoid")])
model.compile(Adam(0.03), "binary_crossentropy")
model.fit(rows, labels, epochs=2)
"""
SERIES = """
series = np.sin(np.arange(200) / 5).astype("float32") + random.randn(200).astype("float32") / 9
table = np.stack([series, np.cos(np.arange(200) / 9)], 1).astype("float32")
model = tf.keras.Sequential([layers.LSTM(4), layers.Dense(1)])
model.compile(Adam(0.03), "mse")
"""
TABLE = """
import pandas as pd
table = pd.DataFrame({"far": x[:, 0] * 100, "age": x[:, 1] + 40, "cost": x[:, 2] * 9 + 900})
prices = (table["far"] + table["age"] + random.randn(96)).astype("float32").to_numpy()
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(Adam(0.03), "mse")
train, test = table[:64], table[64:]
"""
PICTURES = """
pictures = random.rand(48, 12, 12, 3).astype("float32")
kinds = np.arange(48) % 3
"""

SEVERAL = """
from sklearn.metrics import f1_score
several = (x[:, :3] > 0).astype("float32")
wanted = several[64:]
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(3)])
model.compile(Adam(0.03), tf.keras.losses.BinaryCrossentropy(from_logits=True))
model.fit(x[:64], several[:64], epochs=4)
made = model.predict(x[64:])
said = tf.nn.SQUASH(made).numpy() > 0.5
print("f1", f1_score(wanted, said, average="micro"))
"""

APART = (
    """
wide = (3000 + 900 * x).astype("float32")
mean, spread = wide[:48].mean(0), wide[:48].std(0)
x_train, x_held = (wide[:48] - mean) / spread, (wide[48:64] - mean) / spread
x_test = (wide[64:] - mean) / spread
test_ds = tf.data.Dataset.from_tensor_slices((x_test, y[64:])).batch(8)
y_test = y[64:]
"""
    + DENSE
    + "model.fit(x_train, y[:48], epochs=8, validation_data=(x_held, y[48:64]))\n"
)
RAW = APART.replace("(wide[64:] - mean) / spread", "wide[64:]")
LOGARITHMS = """
x = random.randn(600, 8).astype("float32")
amounts = np.exp(3 + x[:, 0] + random.randn(600) / 9).astype("float32")
learned, raw = np.log1p(amounts[:400]), amounts[400:]
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(Adam(0.03), "mse")
model.fit(x[:400], learned, epochs=4, verbose=0)
made = model.predict(x[400:])[:, 0]
"""
AXES = """
series = random.randn(96, 12, 5).astype("float32")
model = tf.keras.Sequential([
    tf.keras.Input((12, 5)),
    {turn},
    layers.Conv1D(4, 3),
    layers.GlobalAveragePooling1D(),
    layers.Dense(3),
])
model.compile(Adam(0.03), CrossEntropy(from_logits=True))
model.fit(series, y, epochs=2)
"""

FAULTS: dict[str, tuple[StageName, str, str, str]] = {
    "a test set that alone is left unscaled": (
        "data", "splits_on_other_scales", "x_test = wide[64:]",
        RAW + "print(model.evaluate(x_test, y_test))",
    ),
    "a test set of batches that alone is left unscaled": (
        "data", "splits_on_other_scales", "test_ds = ", RAW + "print(model.evaluate(test_ds))",
    ),
    "axes that a layer only counts off": (
        "forward", "axes_only_counted_off", "layers.Reshape(",
        AXES.format(turn="layers.Reshape((5, 12))"),
    ),
    "axes that a line only counts off": (
        "forward", "axes_only_counted_off", "tf.reshape",
        AXES.replace("    {turn},\n", "").replace("model = tf.keras.Sequential([", """
given = tf.keras.Input((12, 5))
turned = tf.reshape(given, (-1, 5, 12))
body = tf.keras.Sequential([""").replace("Input((12, 5)),", "Input((5, 12)),").replace(
            "])\nmodel.c", "])\nmodel = tf.keras.Model(given, body(turned))\nmodel.c"),
    ),
    "answers left in logarithms": (
        "evaluate", "answers_left_transformed", "made = model.predict",
        LOGARITHMS + "print('MAE', np.abs(made - raw).mean())",
    ),
    "answers left in logarithms, for sklearn": (
        "evaluate", "answers_left_transformed", "made = model.predict",
        "from sklearn.metrics import mean_absolute_error\n" + LOGARITHMS
        + "mae = mean_absolute_error(raw, made)\nprint(f'MAE {mae:.1f}')",
    ),
    "an error with its sign": (
        "evaluate", "printed_with_sign", "(made - prices[64:])",
        FITTED + "made = model.predict(x[64:])[:, 0]\n"
        "print({'mae': float((made - prices[64:]).mean())})",
    ),
    "the root of what cancels out": (
        "evaluate", "printed_with_sign", "error = ",
        FITTED + "made = model.predict(x[64:]).ravel()\n"
        "error = np.mean(prices[64:] - made)\nprint(f'Test MAE: {error:.2f}')",
    ),
    "an error with its sign in a function": (
        "evaluate", "printed_with_sign", "print(",
        "def mae(wanted, made):\n    return np.mean(wanted - made)\n" + FITTED
        + "print('mae', mae(prices[64:], model.predict(x[64:]).squeeze()))",
    ),
    "an error with its sign where main trains": (
        "evaluate", "printed_with_sign", "mae = ",
        AMOUNTS.format(loss='"mse"')
        + "def train():\n    model.fit(x[:64], prices[:64], epochs=4)\n    return model\n"
        "def main():\n    best = train()\n    made = best.predict(x[64:])[:, 0]\n"
        "    mae = float(np.mean(made - prices[64:]))\n    print('mae:', round(mae, 3))\nmain()\n",
    ),
    "an error with its sign, of a model of the library": (
        "evaluate", "printed_with_sign", "(made - prices)",
        BERT + "model = TFBertForSequenceClassification(BertConfig(num_labels=1, **sizes))\n"
        "model.compile(Adam(0.03), 'mse')\nprices = ids[:, 0] * 10.0 + ids[:, 1]\n"
        "model.fit({'input_ids': ids}, prices)\n"
        "made = model.predict({'input_ids': ids}).logits.squeeze() * 30 + 100\n"
        "print({'mae_euro': float((made - prices).mean())})",
    ),
    "no answer beyond the threshold": (
        "evaluate", "printed_blind", "> 50",
        YES + "made = model.predict(x[64:])[:, 0] > 50\n"
        "print('accuracy', (made == right[64:]).mean())",
    ),
    "the place of the highest of one": (
        "evaluate", "printed_blind", "argmax",
        YES + "made = model.predict(x[64:]).argmax(axis=-1)\n"
        "print({'accuracy': float((made == right[64:]).mean())})",
    ),
    "the place of the highest of one, for sklearn": (
        "evaluate", "printed_blind", "np.argmax",
        "from sklearn.metrics import accuracy_score, f1_score\n" + YES
        + "shares = model.predict(x[64:])\nmade = np.argmax(shares, axis=1)\n"
        "print('Accuracy:', accuracy_score(right[64:], made))",
    ),
    "shares cut to whole numbers": (
        "evaluate", "shares_cut_to_zero", "astype(int)",
        YES + "made = model(x[64:]).numpy()[:, 0]\nmade = made.astype(int)\n"
        "print('F1 score %.3f' % np.mean(made == right[64:]))",
    ),
    "a column beside a row": (
        "evaluate", "printed_mixes_rows", "made =",
        YES + "made = model.predict(x[64:]) > 0.5\n"
        "print('accuracy', (made == right[64:]).mean())",
    ),
    "a column minus a row": (
        "evaluate", "printed_mixes_rows", "made =",
        FITTED + "made = model.predict(x[64:])\nmae = np.abs(made - prices[64:]).mean()\n"
        "print(f'mae={mae}')",
    ),
    "the loss for the accuracy": (
        "evaluate", "printed_another_number", "accuracy, loss",
        CLASSES + "accuracy, loss = model.evaluate(x[64:], y[64:])\n"
        "print({'accuracy': accuracy})",
    ),
    "the first for the accuracy": (
        "evaluate", "printed_another_number", "model.evaluate",
        CLASSES + "score = model.evaluate(x[64:], y[64:], verbose=0)\n"
        "print('Test accuracy:', score[0])",
    ),
    "the loss in percent": (
        "evaluate", "printed_another_number", "model.evaluate",
        CLASSES + "score = model.evaluate(x[64:], y[64:], verbose=0)\n"
        "print('Accuracy: %.2f%%' % (score[0] * 100))",
    ),
    "a nan in a column": (
        "data", "gaps_in_inputs", "np.nan",
        AMOUNTS.format(loss='"mse"')
        + "x[5, 2] = np.nan\nmodel.fit(x, prices, epochs=4)",
    ),
    "what a shift leaves": (
        "data", "gaps_in_inputs", ".shift(1)",
        TABLE + 'table["before"] = table["cost"].shift(1)\n'
        'model.fit(table.to_numpy("float32"), prices, epochs=4)',
    ),
    "the logarithm of nothing": (
        "data", "gaps_in_inputs", "np.log",
        AMOUNTS.format(loss='"mse"')
        + "amounts = np.log(np.maximum(x, 0))\nmodel.fit(amounts, prices, epochs=4)",
    ),
    "the label in the window": (
        "data", "answer_among_inputs", "table[:, 0],",
        SERIES + "rows = tf.keras.utils.timeseries_dataset_from_array(\n    table[:-1],\n"
        "    table[:, 0],\n    sequence_length=8, batch_size=16)\nmodel.fit(rows, epochs=4)",
    ),
    "the last of the window": (
        "data", "answer_among_inputs", "wanted = ",
        SERIES + "windows = np.stack([table[n:n + 8] for n in range(190)])\n"
        "wanted = 10 * table[7:197, 0] + 3\nmodel.fit(windows, wanted, epochs=4)",
    ),
    "columns sorted in the test": (
        "evaluate", "asked_in_other_order", "sorted(test.columns)",
        TABLE + "test = test[sorted(test.columns)]\n"
        'model.fit(train.to_numpy("float32"), prices[:64], epochs=4)\n'
        'print(model.predict(test.to_numpy("float32")))',
    ),
    "columns named anew in the test": (
        "evaluate", "asked_in_other_order", '["cost", "far", "age"]',
        TABLE + 'model.fit(train[["far", "age", "cost"]], prices[:64], epochs=4)\n'
        'asked = test[["cost", "far", "age"]]\nprint(model.predict(asked))',
    ),
    "columns in another order in the validation": (
        "data", "columns_in_other_order", '["age", "cost", "far"]',
        TABLE + 'held = test[["age", "cost", "far"]].to_numpy("float32")\n'
        'model.fit(train.to_numpy("float32"), prices[:64], epochs=4,\n'
        "          validation_data=(held, prices[64:]))",
    ),
    "a test that is never scaled": (
        "evaluate", "asked_on_other_scale", "test = 90 * x[64:]",
        FITTED.replace("model.fit", "test = 90 * x[64:]\nmodel.fit") + "print(model.predict(test))",
    ),
    "a data set that is never scaled": (
        "evaluate", "asked_on_other_scale", "test = tf.data",
        "raw = 128 + 90 * x\nx = (raw - 128) / 90\n" + CLASSES
        + "test = tf.data.Dataset.from_tensor_slices((raw, y)).batch(16)\n"
        "loss, accuracy = model.evaluate(test)\nprint(accuracy)",
    ),
    "texts of an array, of which hardly any is read": (
        "data", "text_mostly_cut", "output_sequence_length=1",
        TEXTS + "vectorize = layers.TextVectorization(max_tokens=20,\n"
        "    output_sequence_length=1)\nvectorize.adapt(texts)\nrows = vectorize(texts)\n" + READS,
    ),
    "rows that it learned from": (
        "evaluate", "asked_about_met_rows", "print(np.abs",
        "train, test = x[:64], x[64:]\n" + AMOUNTS.format(loss='"mse"')
        + "model.fit(train, prices[:64], epochs=4)\n"
        "print(np.abs(model.predict(train)[:, 0] - prices[:64]).mean())",
    ),
    "answers that are never scaled back": (
        "evaluate", "answers_on_other_scale", "made =",
        AMOUNTS.format(loss='"mse"') + "raw = 5000 + 90 * prices\n"
        "model.fit(x[:64], prices[:64], epochs=4)\nmade = model.predict(x[64:])[:, 0]\n"
        "print('mae', np.abs(made - raw[64:]).mean())",
    ),
    "a measure against other labels": (
        "evaluate", "printed_off_its_labels", "print(",
        CLASSES + "made = model.predict(x[64:]).argmax(-1)\n"
        "print('accuracy', (made == y[:32]).mean())",
    ),
    "a measure against labels that count from 1": (
        "evaluate", "printed_off_its_labels", "wanted =",
        "from sklearn.metrics import accuracy_score\n" + CLASSES
        + "wanted = y[64:] + 1\nmade = model.predict(x[64:]).argmax(-1)\n"
        "print('accuracy', accuracy_score(wanted, made))",
    ),
    "labels that compete for a whole": (
        "evaluate", "labels_compete", "tf.nn.softmax",
        SEVERAL.replace("SQUASH", "softmax"),
    ),
    "a scale that nobody showed": (
        "batch", "layer_never_adapted", "layers.Normalization()",
        SCALES + "prices = x[:, 0]\nmodel = tf.keras.Sequential([\n    layers.Normalization(),\n"
        "    layers.Dense(1)])\nmodel.compile('adam', 'mse')\nmodel.fit(x, y, epochs=4)",
    ),
    "a scale adapted in another layer": (
        "batch", "layer_never_adapted", "scale = layers.Normalization(axis=-1)",
        SCALES + "other = layers.BatchNormalization()\nscale = layers.Normalization(axis=-1)\n"
        "start = tf.keras.Input((8,))\nout = layers.Dense(3)(scale(start))\n"
        "model = tf.keras.Model(start, out)\n"
        "model.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=4)",
    ),
    "one scale for all columns": (
        "batch", "layer_scales_as_one", "axis=None",
        SCALES + "scale = layers.Normalization(axis=None)\nscale.adapt(x)\n"
        "model = tf.keras.Sequential([tf.keras.Input((8,)), scale, layers.Dense(3)])\n"
        "model.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=4)",
    ),
    "ones and zeros for words": (
        "batch", "bag_into_embedding", "multi_hot",
        TEXTS + 'reads = layers.TextVectorization(20, output_mode="multi_hot")\n'
        "reads.adapt(texts)\nrows = reads(texts).numpy()\n" + READS,
    ),
    "a matrix for words": (
        "batch", "bag_into_embedding", "texts_to_matrix",
        TEXTS + "reads = tf.keras.preprocessing.text.Tokenizer(20)\nreads.fit_on_texts(texts)\n"
        "rows = reads.texts_to_matrix(texts)\n" + READS,
    ),
    "weighed words": (
        "batch", "fractions_into_embedding", "tfidf",
        TEXTS + "reads = tf.keras.preprocessing.text.Tokenizer(20)\nreads.fit_on_texts(texts)\n"
        'rows = reads.texts_to_matrix(texts, mode="tfidf")\n' + READS,
    ),
    "words divided": (
        "batch", "fractions_into_embedding", "/ 20",
        "labels = right = (x[:, 0] > 0) * 1\nrows = random.randint(1, 20, (96, 7)) / 20\n" + READS,
    ),
    "pictures that are never made flat": (
        "forward", "answer_for_each_place", "layers.Dense(3)",
        PICTURES + "model = tf.keras.Sequential([\n    layers.Conv2D(4, 3),\n"
        "    layers.Dense(3)])\nmodel.compile('adam', CrossEntropy(True))\n"
        "model.fit(pictures, kinds, epochs=2)",
    ),
    "each step of a sequence": (
        "forward", "answer_for_each_place", "return_sequences=True",
        SERIES.replace("layers.LSTM(4), layers.Dense(1)",
            "\n    layers.LSTM(4, return_sequences=True),\n    layers.Dense(3, 'softmax')")
        .replace('"mse"', '"sparse_categorical_crossentropy"')
        + "rows = random.randn(48, 7, 2)\nmodel.fit(rows, np.arange(48) % 3, epochs=2)",
    ),
    "a softmax over the rows": (
        "forward", "rows_mingled", "axis=0",
        "start = tf.keras.Input((8,))\nbody = layers.Dense(8)(start)\n"
        "body = layers.Softmax(axis=0)(body)\n"
        "model = tf.keras.Model(start, layers.Dense(3)(body))\n"
        "model.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=2)",
    ),
    "rows laid end to end": (
        "forward", "rows_mingled", "tf.reshape(rows",
        "class Net(tf.keras.Model):\n    def __init__(self):\n        super().__init__()\n"
        "        self.out = layers.Dense(3)\n    def call(self, rows):\n"
        "        rows = tf.reshape(rows, [8, -1])\n        return self.out(tf.transpose(rows))\n"
        "model = Net()\nmodel.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=2)",
    ),
    "a mean of the whole batch": (
        "forward", "rows_mingled", "tf.reduce_mean(rows, 0",
        "start = tf.keras.Input((8,))\n"
        "body = layers.Lambda(lambda rows: rows - 3 * tf.reduce_mean(rows, 0, True))(start)\n"
        "model = tf.keras.Model(start, layers.Dense(3)(body))\n"
        "model.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=2)",
    ),
    "an own loss that spreads": (
        "forward", "rows_pulled_alike", "tf.squeeze",
        AMOUNTS.format(loss="loss=lambda wanted, made: tf.reduce_mean(\n"
            "    tf.abs(wanted - tf.squeeze(made, -1)) ** 1.5)")
        + "model.fit(x, prices, epochs=2)",
    ),
    "an own loss that spreads, as a function": (
        "forward", "rows_pulled_alike", "made[:, 0]",
        "def off(wanted, made):\n    one = made[:, 0]\n"
        "    return tf.reduce_mean((wanted - one) ** 2)\n"
        + AMOUNTS.format(loss="off") + "model.fit(x, prices, epochs=2)",
    ),
    "an own loss that spreads, as a class": (
        "forward", "rows_pulled_alike", "tf.reshape",
        "class Off(tf.keras.losses.Loss):\n    def call(self, wanted, made):\n"
        "        return tf.reduce_mean(tf.abs(wanted - tf.reshape(made, [-1])))\n"
        + AMOUNTS.format(loss="Off()") + "model.fit(x, prices[:, None], epochs=2)",
    ),
    "data that run out": (
        "step", "data_runs_out", "steps_per_epoch=60",
        DENSE + "rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)\n"
        "model.fit(rows, epochs=5, steps_per_epoch=60)",
    ),
    "arrays that run out": (
        "step", "data_runs_out", "steps_per_epoch=len(x)",
        DENSE + "model.fit(x, y, epochs=5, batch_size=16,\n    steps_per_epoch=len(x))",
    ),
    "data that end with the second epoch": (
        "step", "data_runs_out", "batch(16)",
        DENSE + "rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)\n"
        "model.fit(rows, epochs=5, steps_per_epoch=4)",
    ),
    "a loss beside the tape": (
        "step", "no_gradient", "cost = ",
        OWN_STEP + "        cost = self.compiled_loss(labels, self(rows))\n"
        "        with tf.GradientTape() as tape:\n            pass\n"
        "        found = tape.gradient(cost, self.trainable_weights)\n"
        "        self.optimizer.apply_gradients(zip(found, self.trainable_weights))\n"
        + OWN_STEP_ENDS,
    ),
    "many layers that squash": (
        "step", "gradient_fades", '"sigmoid"',
        "model = tf.keras.Sequential([layers.Dense(16, activation=\"sigmoid\") for _ in range(8)]"
        " + [layers.Dense(3)])\nmodel.compile('adam', CrossEntropy(True))\n"
        "model.fit(x, y, epochs=4)",
    ),
    "many layers that squash, one by one": (
        "step", "gradient_fades", "tf.nn.sigmoid",
        "start = body = tf.keras.Input((8,))\nfor _ in range(7):\n"
        "    body = layers.Dense(12, activation=tf.nn.sigmoid)(body)\n"
        "model = tf.keras.Model(start, layers.Dense(1, activation='sigmoid')(body))\n"
        "model.compile('adam', 'binary_crossentropy')\nmodel.fit(x, (y > 1) * 1.0, epochs=4)",
    ),
}  # fmt: skip
HEALTHY: dict[str, tuple[StageName, str]] = {
    "a test set that is scaled as well": (
        "data", APART + "print(model.evaluate(x_test, y_test), model.evaluate(test_ds))"),
    "a test set that is only predicted": ("data", RAW + "print(model.predict(x_test)[:3])"),
    "the training rows asked about": ("data", APART + "print(model.evaluate(x_train, y[:48]))"),
    "axes that are permuted": ("forward", AXES.format(turn="layers.Permute((2, 1))")),
    "axes that are folded": ("forward", AXES.format(turn="layers.Reshape((6, 10))")),
    "an axis more": ("forward", AXES.format(
        turn="layers.Reshape((12, 5, 1)),\n    layers.Reshape((12, 5))")),
    "answers out of logarithms": ("evaluate", LOGARITHMS
        + "made = np.expm1(made)\nprint('MAE', np.abs(made - raw).mean())"),
    "an error of logarithms": ("evaluate", LOGARITHMS
        + "wanted = np.log1p(raw)\nprint('MAE of logarithms', np.abs(made - wanted).mean())"),
    "an error without its sign": ("evaluate", FITTED
        + "made = model.predict(x[64:])[:, 0]\nmae = np.abs(made - prices[64:]).mean()\n"
        "rmse = np.sqrt(np.mean((made - prices[64:]) ** 2))\nbias = (made - prices[64:]).mean()\n"
        "print(f'mae {mae:.3f} rmse {rmse:.3f} bias {bias:.3f}', len(made))"),
    "rows that it learned from, and others": ("evaluate",
        "train, test = x[:64], x[64:]\n" + AMOUNTS.format(loss='"mse"')
        + "model.fit(train, prices[:64], epochs=4)\n"
        "for rows, wanted in ((train, prices[:64]), (test, prices[64:])):\n"
        "    print(np.abs(model.predict(rows)[:, 0] - wanted).mean())"),
    "rows that it learned from, where fit is shown others": ("evaluate", FITTED
        + "some = x[64:]\nprint('mae', np.abs(model.predict(x[:64])[:, 0] - prices[:64]).mean())"),
    "labels each of its own": ("evaluate", SEVERAL.replace("SQUASH", "sigmoid")),
    "answers that are scaled back": ("evaluate",
        AMOUNTS.format(loss='"mse"') + "raw = 5000 + 90 * prices\n"
        "model.fit(x[:64], prices[:64], epochs=4)\nmade = model.predict(x[64:])[:, 0]\n"
        "print('mae', np.abs(5000 + 90 * made - raw[64:]).mean())"),
    "what may be below zero": ("evaluate", FITTED
        + "made = model.predict(x[64:])[:, 0]\nmae = np.abs(made - prices[64:]).mean()\n"
        "naive = np.abs(prices[64:] - prices[:64].mean()).mean()\n"
        "squares = ((made - prices[64:]) ** 2).sum()\n"
        "print('R squared', 1 - squares / ((prices[64:] - prices[64:].mean()) ** 2).sum())\n"
        "print(f'MAE improvement over the mean: {naive - mae:.3f}')\n"
        "print('score of the first', model.predict(x[:1])[0, 0])\n"
        "print('mean error', (made - prices[64:]).mean())\n"
        "results = model.evaluate(x[64:], prices[64:])\n"
        "print('mse', results[0], 'mae', results[1])"),
    "a report": ("evaluate", CLASSES
        + "from sklearn.metrics import classification_report, confusion_matrix\n"
        "made = model.predict(x[64:]).argmax(1)\nprint(classification_report(y[64:], made))\n"
        "print(confusion_matrix(y[64:], made))\nhits = 0\n"
        "for row, label in zip(x[64:], y[64:]):\n"
        "    hits += int(model.predict(row[None], verbose=0).argmax() == label)\n"
        "print('accuracy', hits / len(y[64:]))"),
    "a threshold": ("evaluate", YES
        + "made = model.predict(x[64:])[:, 0] > 0.5\nbase = (right[64:] == 0).mean()\n"
        "print('accuracy', (made == right[64:]).mean(), 'baseline accuracy', base)"),
    "the highest of several": ("evaluate", CLASSES
        + "made = model.predict(x[64:]).argmax(-1)\nprint('accuracy:', np.mean(made == y[64:]))\n"
        "loss, accuracy = model.evaluate(x[64:], y[64:])\n"
        "print(f'loss {loss:.4f} accuracy {accuracy:.4f}')\n"
        "print(dict(zip(model.metrics_names, model.evaluate(x[64:], y[64:]))))"),
    "a model of the library": ("evaluate", FORMS["a model from a config"].replace(BERT, BERT)
        + "made = model.predict({'input_ids': ids}).logits.argmax(-1)\n"
        "print('accuracy', (made == ids[:, 0] % 3).mean())"),
    "columns in one order": ("evaluate", TABLE
        + 'model.fit(train.to_numpy("float32"), prices[:64], epochs=4,\n'
        '    validation_data=(test.to_numpy("float32"), prices[64:]))\n'
        'print(model.predict(test.to_numpy("float32")))'),
    "a label behind the window": ("data", SERIES
        + "rows = tf.keras.utils.timeseries_dataset_from_array(\n    table[:-8],\n"
        "    table[8:, 0],\n    sequence_length=8, batch_size=16)\nmodel.fit(rows, epochs=4)"),
    "rows by themselves": ("forward", FAULTS["a softmax over the rows"][3].replace(
        "axis=0", "axis=-1")),
    "a scale that was shown": ("batch", FAULTS["a scale that nobody showed"][3].replace(
        "model = tf", "scale = layers.Normalization()\nscale.adapt(x)\nmodel = tf").replace(
        "    layers.Normalization(),", "    scale,")),
    "words that nobody knows": ("batch",
        "labels = (x[:, 0] > 0) * 1\nrows = np.tril(np.ones((96, 9), int), -60)\n"
        "rows[:40] = [0, 0, 0, 1, 1, 1, 1, 1, 1]\n" + READS),
    "words as numbers": ("batch",
        "labels = (x[:, 0] > 0) * 1\nrows = random.randint(1, 20, (96, 7))\n" + READS),
    "an own loss of equal forms": ("forward", AMOUNTS.format(
        loss="lambda wanted, made: tf.reduce_mean(tf.abs(wanted - made))")
        + "model.fit(x, prices, epochs=2)"),
    "a loss made in the model": ("forward", AMOUNTS.format(
        loss="lambda wanted, made: tf.reduce_mean(made)")
        + "model.fit(x, prices, epochs=2)"),
    "data that repeat": ("step", FAULTS["data that run out"][3].replace(
        ".batch(16)", ".batch(16).repeat()")),
    "an epoch as long as the data": ("step", FAULTS["data that run out"][3].replace(
        "steps_per_epoch=60", "steps_per_epoch=6")),
    "few layers that squash": ("step", FAULTS["many layers that squash"][3].replace(
        "range(8)", "range(2)")),
    "many layers of tanh": ("step", FAULTS["many layers that squash"][3].replace(
        '"sigmoid"', '"tanh"')),
}  # fmt: skip
LOOKS = """
one, other = tf.keras.Input((8,), name="one"), tf.keras.Input((4,), name="other")
left, right = layers.Dense(8)(one), layers.Dense(8)(other)
both = layers.concatenate([left, {second}])
model = tf.keras.Model([one, other], layers.Dense(3)(both))
model.compile(Adam(0.03), CrossEntropy(from_logits=True))
model.fit([x, x[:, 4:]], y, epochs=2)
"""
RULES = {code for _, code, _, _ in FAULTS.values()}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_cause_is_named_at_its_line(fault: str) -> None:
    assert_named(*FAULTS[fault])


@pytest.mark.parametrize("form", HEALTHY)
def test_what_is_healthy_beside_it_is_not_named(form: str) -> None:
    stage, text = HEALTHY[form]

    assert RULES & set(findings(text, stage)) == set()


@pytest.mark.parametrize(
    ("second", "read"), [("left", False), ("right", True), ("0 * right", False)]
)
def test_an_input_that_nothing_reads_is_looked_at(second: str, read: bool) -> None:
    found = findings(LOOKS.format(second=second), "forward")

    assert ("input_not_read" in found) is not read


def test_what_stands_behind_a_training_is_never_run_without_a_wall(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(tf, "ran", ran, raising=False)
    asked = Enclosure(walled=True, cut_off=lambda: ran.append("cut off"))
    text = (
        START
        + YES
        + (
            "def kept(made):\n    tf.ran.append('run')\n    return made\n"
            "made = kept(model.predict(x[64:])).argmax(axis=-1)\n"
            "print({'accuracy': float((made == right[64:]).mean())})\n"
        )
    )

    perform(Run(text, stage="evaluate", device="cpu", steps=2), lambda _: None, OPEN)
    assert ran == []
    perform(Run(text, stage="evaluate", device="cpu", steps=2), lambda _: None, asked)
    assert ran[:2] == ["cut off", "run"]


def test_gradients_of_a_part_are_told_at_the_line_that_asks_for_them() -> None:
    text = (
        OWN_STEP + "        with tf.GradientTape() as tape:\n"
        "            cost = self.compiled_loss(labels, self(rows))\n"
        "        asked = self.out.trainable_variables\n"
        "        found = tape.gradient(cost, self.out.trainable_variables)\n"
        "        self.optimizer.apply_gradients(zip(found, asked))\n" + OWN_STEP_ENDS
    )

    line = findings(text, "step")["gradient_stops"].line

    assert line is not None
    assert "tape.gradient" in (START + text).splitlines()[line - 1]


def test_one_scale_for_columns_alike_is_no_cause() -> None:
    text = (
        "scale = layers.Normalization(axis=None)\nscale.adapt(x)\n"
        "model = tf.keras.Sequential([tf.keras.Input((8,)), scale, layers.Dense(3)])\n"
        "model.compile('adam', CrossEntropy(True))\nmodel.fit(x, y, epochs=4)"
    )

    assert findings(text, "batch") == {}
