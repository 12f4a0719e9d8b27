"""What `fit` accepts, each as a small healthy script that somebody could have written."""

from __future__ import annotations

START = """\
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.losses import BinaryCrossentropy
from tensorflow.keras.losses import SparseCategoricalCrossentropy as CrossEntropy
from tensorflow.keras.optimizers import Adam
random = np.random.RandomState(0)
x = random.randn(96, 8).astype("float32")
y = (x[:, 0] > 0).astype("int64") + (x[:, 1] > 0)
"""
DENSE = """\
model = tf.keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(3)])
loss = CrossEntropy(from_logits=True)
model.compile(Adam(0.03), loss, ["accuracy"])
"""
SOFTMAX = """\
model = tf.keras.Sequential([layers.Dense(16, "relu"), layers.Dense(3, activation="softmax")])
"""
TEXTS = """\
texts = np.array([("good " if n % 2 else "bad ") * (n % 3 + 1) + str(n) for n in range(96)])
labels = np.arange(96) % 2
"""
BERT = """\
from transformers import BertConfig, TFBertForSequenceClassification
from transformers import TFBertForTokenClassification, TFBertForMultipleChoice
from transformers import TFBertForQuestionAnswering
sizes = dict(vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
             intermediate_size=16)
ids = random.randint(5, 60, (48, 7))
mask = np.ones((48, 7), int)
"""
FORMS: dict[str, str] = {
    "arrays": DENSE + "model.fit(x, y, epochs=3, validation_split=0.25)",
    "columns of labels": DENSE
    + "model.fit(x[:64], y[:64, None], validation_data=(x[64:], y[64:, None]))",
    "lists": """
model = tf.keras.Sequential([layers.Dense(4, input_shape=(1,)), layers.Dense(1)])
model.compile(Adam(0.03), "mse")
model.fit([float(n) for n in range(20)], [n / 10 for n in range(20)], epochs=2)
""",
    "weights of rows": DENSE
    + "model.fit(x, y, sample_weight=np.ones(96), validation_data=(x[:9] + 1, y[:9], np.ones(9)))",
    "weights of classes": DENSE
    + "model.fit(x, y, class_weight={0: 2.0, 1: 1.0, 2: 2.0}, validation_split=0.2)",
    "one-hot": SOFTMAX
    + """
model.compile(Adam(0.03), "categorical_crossentropy", metrics=["accuracy"])
model.fit(x, tf.keras.utils.to_categorical(y, 3), validation_split=0.25)
""",
    "label smoothing": """
model = tf.keras.Sequential([layers.Dense(3)])
loss = tf.keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
model.compile(Adam(0.03), loss, metrics=["accuracy"])
model.fit(x, tf.one_hot(y, 3), validation_split=0.25)
""",
    "yes or no": """
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1, activation="sigmoid")])
model.compile(Adam(0.03), "binary_crossentropy", metrics=["accuracy", tf.keras.metrics.AUC()])
model.fit(x, (x[:, 0] > 0).astype("float32"), validation_split=0.25)
""",
    "yes or no as logits": """
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
loss = BinaryCrossentropy(from_logits=True)
model.compile(Adam(0.03), loss, metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0)])
model.fit(x, (x[:, 0] > 0).astype(int), validation_split=0.25)
""",
    "several labels": """
model = tf.keras.Sequential([layers.Dense(4, activation="sigmoid")])
model.compile(Adam(0.03), "binary_crossentropy", metrics=["binary_accuracy"])
model.fit(x, (x[:, :4] > 0).astype("float32"), validation_split=0.25)
""",
    "amounts": """
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(1)])
model.compile(tf.keras.optimizers.RMSprop(0.03), "mse", metrics=["mae"])
model.fit(x, x.sum(axis=1), validation_split=0.25, verbose=0)
""",
    "several amounts": """
model = tf.keras.Sequential([layers.Dense(2)])
model.compile(Adam(0.03), tf.keras.losses.Huber())
model.fit(x, x[:, :2] * 3, validation_split=0.25)
""",
    "two inputs": """
one, other = tf.keras.Input((8,)), tf.keras.Input((4,))
out = layers.Dense(3)(layers.concatenate([layers.Dense(8)(one), layers.Dense(8)(other)]))
model = tf.keras.Model([one, other], out)
model.compile(Adam(0.03), CrossEntropy(from_logits=True))
model.fit([x, x[:, :4]], y, validation_split=0.25)
""",
    "named inputs": """
inputs = {"a": tf.keras.Input((8,), name="a"), "b": tf.keras.Input((4,), name="b")}
out = layers.Dense(3)(layers.concatenate(list(inputs.values())))
model = tf.keras.Model(inputs, out)
model.compile(Adam(0.03), CrossEntropy(True), metrics=["accuracy"])
rows = tf.data.Dataset.from_tensor_slices(({"a": x, "b": x[:, :4]}, y))
model.fit(rows.take(64).shuffle(64).batch(16), validation_data=rows.skip(64).batch(16), epochs=2)
""",
    "two outputs": """
start = tf.keras.Input((8,))
body = layers.Dense(8, activation="relu")(start)
outputs = {"kind": layers.Dense(3, name="kind")(body), "size": layers.Dense(1, name="size")(body)}
model = tf.keras.Model(start, outputs)
losses = {"kind": CrossEntropy(True), "size": "mse"}
model.compile(Adam(0.03), losses, loss_weights={"kind": 1.0, "size": 0.2})
model.fit(x, {"kind": y, "size": x[:, 2]}, validation_split=0.25)
""",
    "a decoder with a bias that the library keeps from training": """
from transformers import MarianConfig, TFMarianMTModel
sizes = dict(vocab_size=40, d_model=16, encoder_layers=1, decoder_layers=1, pad_token_id=39,
             encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16,
             decoder_ffn_dim=16, decoder_start_token_id=39, max_position_embeddings=16)
model = TFMarianMTModel(MarianConfig(**sizes))
words = random.randint(2, 38, (48, 5))
rows = {"input_ids": words, "attention_mask": np.ones((48, 5), int), "labels": words + 1}
model.compile(Adam(3e-3))
model.fit(tf.data.Dataset.from_tensor_slices(rows).shuffle(48).batch(8), epochs=3)
""",
    "autoencoder": """
model = tf.keras.Sequential([layers.Dense(4, "relu"), layers.Dense(8)])
model.compile(Adam(0.03), "mse")
model.fit(x, x, validation_data=(x[:20] + 1, x[:20] + 1))
""",
    "subclassed, loss and step of its own": """
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = layers.Dense(8, activation="relu"), layers.Dense(3)
        self.seen = tf.keras.metrics.Mean(name="loss")
    def call(self, rows, training=False):
        return self.out(self.hidden(rows))
    def train_step(self, data):
        rows, wanted = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(
                wanted, self(rows, training=True), from_logits=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.seen.update_state(loss)
        return {"loss": self.seen.result()}
    @property
    def metrics(self):
        return [self.seen]
model = Net()
model.compile(optimizer=Adam(0.03))
model.fit(x, y, validation_data=(x[:30] + 1, y[:30]), epochs=2)
""",
    "two networks that play": """
class Pair(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.maker = tf.keras.Sequential([layers.Dense(8, input_shape=(4,)), layers.Dense(8)])
        self.judge = tf.keras.Sequential([layers.Dense(8, input_shape=(8,)), layers.Dense(1)])
    def compile(self, maker_optimizer, judge_optimizer, loss_fn):
        super().compile()
        self.maker_optimizer, self.judge_optimizer = maker_optimizer, judge_optimizer
        self.loss_fn = loss_fn
    def train_step(self, real):
        noise = tf.random.normal((tf.shape(real)[0], 4))
        both = tf.concat([real, self.maker(noise)], 0)
        wanted = tf.concat([tf.ones_like(real[:, :1]), tf.zeros_like(real[:, :1])], 0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(wanted, self.judge(both))
        grads = tape.gradient(d_loss, self.judge.trainable_weights)
        self.judge_optimizer.apply_gradients(zip(grads, self.judge.trainable_weights))
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(tf.ones_like(real[:, :1]), self.judge(self.maker(noise)))
        grads = tape.gradient(g_loss, self.maker.trainable_weights)
        self.maker_optimizer.apply_gradients(zip(grads, self.maker.trainable_weights))
        return {"d_loss": d_loss, "g_loss": g_loss}
model = Pair()
model.compile(Adam(0.03), Adam(0.03),
              BinaryCrossentropy(from_logits=True))
model.fit(tf.data.Dataset.from_tensor_slices(x).shuffle(96).batch(16), epochs=2)
""",
    "a loss that the model adds": """
class Variational(layers.Layer):
    def call(self, rows):
        mean, spread = tf.split(rows, 2, axis=1)
        self.add_loss(0.01 * tf.reduce_mean(tf.square(mean) + tf.exp(spread) - spread - 1))
        return mean + tf.random.normal(tf.shape(mean)) * tf.exp(spread / 2)
start = tf.keras.Input((8,))
model = tf.keras.Model(start, layers.Dense(8)(Variational()(layers.Dense(4)(start))))
model.compile(Adam(0.03), "mse")
model.fit(x, x, epochs=2, validation_split=0.25)
""",
    "a function for a loss": """
def loss(wanted, given):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.cast(tf.reshape(wanted, [-1]), tf.int32), given))
model = tf.keras.Sequential([layers.Dense(16, "relu"), layers.Dense(3)])
model.compile(Adam(0.03), loss, metrics=["accuracy"])
model.fit(x, y, validation_split=0.25)
""",
    "a generator": DENSE
    + """
def rows():
    while True:
        for start in range(0, 96, 16):
            yield x[start:start + 16], y[start:start + 16]
model.fit(rows(), steps_per_epoch=6, epochs=2, validation_data=(x[:16] + 1, y[:16]))
""",
    "a sequence": DENSE
    + """
class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 6
    def __getitem__(self, place):
        rows = slice(16 * place, 16 * place + 16)
        return x[rows] + random.randn(16, 8) / 100, y[rows]
model.fit(Rows(), validation_data=Rows(), epochs=2)
""",
    "repeated": DENSE
    + """
rows = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(96).repeat().batch(16)
more = tf.data.Dataset.from_tensor_slices((x + 1, y)).batch(16).repeat()
model.fit(rows, steps_per_epoch=6, epochs=2, validation_data=more, validation_steps=3)
""",
    "callbacks": DENSE
    + """
class WarmUp(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = 1e-3 / (3 - min(epoch, 2))
    def on_epoch_end(self, epoch, logs=None):
        print(logs["val_loss"])
class Saves(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        raise RuntimeError("must not run")
callbacks = [
    WarmUp(), Saves(),
    tf.keras.callbacks.EarlyStopping(patience=0),
    tf.keras.callbacks.ReduceLROnPlateau(),
    tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
    tf.keras.callbacks.ModelCheckpoint("kept.keras"), tf.keras.callbacks.TensorBoard("logs"),
]
model.fit(x, y, epochs=9, validation_split=0.25, callbacks=callbacks)
""",
    "mixed precision and a schedule": """
tf.keras.mixed_precision.set_global_policy("mixed_float16")
rates = tf.keras.optimizers.schedules.CosineDecay(0.03, decay_steps=12)
model = tf.keras.Sequential([layers.Dense(8, "relu"), layers.Dense(3, dtype="float32")])
model.compile(Adam(rates), CrossEntropy(True))
tf.keras.mixed_precision.set_global_policy("float32")
model.fit(x, y, batch_size=32, epochs=4, validation_split=0.25)
""",
    "an optimizer of before": DENSE.replace(
        "Adam(0.03)",
        "tf.keras.optimizers.legacy.Adam(tf.keras.optimizers.schedules.PolynomialDecay(0.03, 18))",
    )
    + "model.fit(x, y, epochs=6)",
    "images": """
pictures = random.randint(0, 255, (48, 8, 8, 3)).astype("uint8")
pictures[::2] //= 3
rows = tf.data.Dataset.from_tensor_slices((pictures, np.arange(48) % 2)).shuffle(48).batch(8)
model = tf.keras.Sequential([
    layers.Rescaling(1 / 255), layers.RandomFlip("horizontal"), layers.Conv2D(4, 3),
    layers.BatchNormalization(), layers.GlobalAveragePooling2D(), layers.Dropout(0.1),
    layers.Dense(2, activation="softmax"),
])
model.compile(Adam(0.03), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(rows, epochs=2)
""",
    "sounds": """
sounds = random.randn(24, 2000).astype("float32")
model = tf.keras.Sequential([
    layers.Reshape((2000, 1)), layers.Conv1D(4, 64, strides=32), layers.GlobalMaxPooling1D(),
    layers.Dense(2),
])
model.compile(Adam(0.03), CrossEntropy(from_logits=True))
model.fit(sounds, np.arange(24) % 2, batch_size=8, validation_split=0.25)
""",
    "texts through a layer": TEXTS
    + """
vectorize = layers.TextVectorization(max_tokens=50, output_sequence_length=5)
vectorize.adapt(texts)
model = tf.keras.Sequential([
    vectorize, layers.Embedding(50, 8), layers.GlobalAveragePooling1D(), layers.Dense(1)])
loss = BinaryCrossentropy(from_logits=True)
model.compile(Adam(0.03), loss, metrics=["accuracy"])
model.fit(texts, labels, validation_split=0.25, epochs=2)
print(model.evaluate(texts, labels), model.predict(np.array(list(texts), dtype=object)))
""",
    "texts mapped": TEXTS
    + """
vectorize = layers.TextVectorization(max_tokens=50, output_sequence_length=5)
vectorize.adapt(texts)
rows = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(8)
rows = rows.map(lambda text, label: (vectorize(text), label)).cache().prefetch(2)
model = tf.keras.Sequential([
    layers.Embedding(50, 8, mask_zero=True), layers.LSTM(4), layers.Dense(1, "sigmoid")])
model.compile(Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
model.fit(rows.take(9), validation_data=rows.skip(9))
""",
    "amounts with gaps that the loss leaves out": """
x = random.rand(96, 6).astype("float32")
y = x @ random.rand(6, 3).astype("float32")
y[random.rand(96, 3) < 0.3] = np.nan
def known_only(wanted, made):
    known = tf.math.is_finite(wanted)
    return tf.reduce_mean(tf.square(tf.where(known, wanted, 0.0) - tf.where(known, made, 0.0)))
model = tf.keras.Sequential([layers.Dense(16, "relu"), layers.Dense(3)])
model.compile(Adam(0.03), known_only)
model.fit(x, y, validation_split=0.25, epochs=2)
""",
    "amounts in bins": """
ages = random.rand(64, 1).astype("float32")
bins = layers.Discretization(num_bins=4)
bins.adapt(ages)
age = tf.keras.Input((1,))
made = layers.Dense(1)(layers.CategoryEncoding(4, output_mode="one_hot")(bins(age)))
model = tf.keras.Model(age, made)
model.compile(Adam(0.03), BinaryCrossentropy(from_logits=True))
model.fit(ages, (ages > 0.5).astype("int32"), validation_split=0.25, epochs=2)
""",
    "tokens of each row": """
words = random.randint(1, 30, (48, 6))
model = tf.keras.Sequential([layers.Embedding(30, 8), layers.GRU(8, return_sequences=True),
                             layers.Dense(4)])
model.compile(Adam(0.03), CrossEntropy(True), metrics=["accuracy"])
model.fit(words, words % 4, validation_split=0.25)
""",
    "a model from a config": BERT
    + """
model = TFBertForSequenceClassification(BertConfig(num_labels=3, **sizes))
model.compile(Adam(0.03))
rows = {"input_ids": ids, "attention_mask": mask, "labels": ids[:, 0] % 3}
rows = tf.data.Dataset.from_tensor_slices(rows)
model.fit(rows.take(32).batch(8), validation_data=rows.skip(32).batch(8), epochs=2)
""",
    "a model from a config and arrays": BERT
    + """
model = TFBertForSequenceClassification(BertConfig(num_labels=1, **sizes))
loss = BinaryCrossentropy(from_logits=True)
model.compile(Adam(0.03), loss, metrics=["accuracy"])
model.fit({"input_ids": ids, "attention_mask": mask}, ids[:, 0] % 2, validation_split=0.25)
""",
    "a label for each token": BERT
    + """
model = TFBertForTokenClassification(BertConfig(num_labels=4, **sizes))
model.compile(Adam(0.03))
labels = np.where(ids % 5, ids % 4, -100)
rows = tf.data.Dataset.from_tensor_slices(({"input_ids": ids, "attention_mask": mask}, labels))
model.fit(rows.take(40).batch(8), validation_data=rows.skip(40).batch(8))
""",
    "several choices": BERT
    + """
model = TFBertForMultipleChoice(BertConfig(**sizes))
model.compile(Adam(0.03))
choices = ids.reshape(12, 4, 7)
rows = {"input_ids": choices, "attention_mask": np.ones_like(choices),
        "labels": choices[:, 0, 0] % 4}
model.fit(tf.data.Dataset.from_tensor_slices(rows).batch(4), epochs=2)
""",
    "spans": BERT
    + """
model = TFBertForQuestionAnswering(BertConfig(**sizes))
model.compile(Adam(0.03))
rows = {"input_ids": ids, "attention_mask": mask,
        "start_positions": ids[:, 0] % 4, "end_positions": ids[:, 0] % 4 + ids[:, 1] % 3}
model.fit(tf.data.Dataset.from_tensor_slices(rows).batch(8), epochs=2)
""",
    "a table with words": """
kinds = np.array(["red", "green", "blue"])[np.arange(96) % 3]
inputs = {"kind": tf.keras.Input((1,), name="kind", dtype=tf.string),
          "size": tf.keras.Input((1,), name="size")}
encoded = layers.StringLookup(vocabulary=["red", "green", "blue"], output_mode="one_hot")
both = layers.concatenate([encoded(inputs["kind"]), inputs["size"]])
model = tf.keras.Model(inputs, layers.Dense(1, activation="sigmoid")(both))
model.compile(Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
rows = tf.data.Dataset.from_tensor_slices(({"kind": kinds, "size": x[:, 0]}, (x[:, 0] > 0) * 1))
model.fit(rows.take(72).batch(8), validation_data=rows.skip(72).batch(8))
""",
}
