"""From what guests say to what the kitchen reads: encoder, decoder, attention, and a loop of my own."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(8)

NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4"}
SIZES = {"small": "s", "medium": "m", "large": "l"}
DISHES = {"coffee": "cof", "tea": "tea", "soup": "sou", "salad": "sal", "cake": "cak", "toast": "toa"}
POLITE = ["please", "i would like", "could we have", "for me", "hello can i get"]
SAID_LENGTH, SLIP_LENGTH = 18, 11
EPOCHS = 6


def orders(count, seed):
    rng = np.random.default_rng(seed)
    found = {}
    while len(found) < count:
        parts = [
            (rng.choice(list(NUMBERS)), rng.choice(list(SIZES)), rng.choice(list(DISHES)))
            for _ in range(rng.integers(1, 4))
        ]
        said = f"{rng.choice(POLITE)} " + " and ".join(" ".join(part) for part in parts)
        found[said] = " ".join(f"{NUMBERS[n]} {SIZES[s]} {DISHES[d]}" for n, s, d in parts)
    return list(found), list(found.values())


said, slips = orders(1700, 8)
marked = [f"[start] {slip} [end]" for slip in slips]

read_said = layers.TextVectorization(output_sequence_length=SAID_LENGTH)
read_slip = layers.TextVectorization(output_sequence_length=SLIP_LENGTH + 1, standardize="lower")
read_said.adapt(said)
read_slip.adapt(marked)
slip_words = read_slip.get_vocabulary()
start = int(read_slip(["[start]"])[0, 0])


class Kitchen(keras.Model):
    def __init__(self, said_words, slip_words, units=64):
        super().__init__()
        self.said_embedding = layers.Embedding(said_words, units)
        self.slip_embedding = layers.Embedding(slip_words, units)
        self.encoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.decoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.attention = layers.Attention()
        self.head = layers.Dense(slip_words)

    def encode(self, said):
        heard = tf.not_equal(said, 0)
        states, last = self.encoder(self.said_embedding(said), mask=heard)
        return states, last, heard

    def decode(self, slip, states, last, heard):
        steps, last = self.decoder(self.slip_embedding(slip), initial_state=last)
        context = self.attention([steps, states], mask=[None, heard])
        return self.head(tf.concat([steps, context], axis=-1)), last

    def call(self, inputs):
        said, slip = inputs
        return self.decode(slip, *self.encode(said))[0]


model = Kitchen(len(read_said.get_vocabulary()), len(slip_words))
optimizer = keras.optimizers.Adam(5e-3, clipnorm=1.0)
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def loss_of(real, logits):
    losses = cross_entropy(real, logits)
    counts = tf.cast(tf.not_equal(real, 0), losses.dtype)
    return tf.reduce_sum(losses * counts) / tf.reduce_sum(counts)


@tf.function
def train_step(said, slip):
    with tf.GradientTape() as tape:
        logits = model((said, slip[:, :-1]), training=True)
        loss = loss_of(slip[:, 1:], logits)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def write(said):
    """The slip, word by word: each step reads the word that the last one wrote."""
    states, last, heard = model.encode(said)
    word = tf.fill([len(said), 1], start)
    words = []
    for _ in range(SLIP_LENGTH):
        logits, last = model.decode(word, states, last, heard)
        word = tf.argmax(logits[:, -1:], axis=-1)
        words.append(word)
    return [as_text(row) for row in tf.concat(words, axis=1).numpy()]


def as_text(ids):
    words = [slip_words[i] for i in ids]
    return " ".join(words[: words.index("[end]")] if "[end]" in words else words)


train = tf.data.Dataset.from_tensor_slices((read_said(said[:1500]), read_slip(marked[:1500])))
train = train.shuffle(1500, seed=8).batch(32)
valid = tf.data.Dataset.from_tensor_slices((read_said(said[1500:]), slips[1500:])).batch(100)
train_loss, exact = keras.metrics.Mean(), keras.metrics.Mean()

for epoch in range(EPOCHS):
    train_loss.reset_state()
    exact.reset_state()
    for heard, slip in train:
        train_loss.update_state(train_step(heard, slip))
    for heard, slip in valid:
        wanted = [text.decode() for text in slip.numpy()]
        exact.update_state([float(a == b) for a, b in zip(write(heard), wanted)])
    print(f"epoch {epoch + 1}: loss {float(train_loss.result()):.3f}, exact {float(exact.result()):.3f}")

print({"exact": float(exact.result())})
