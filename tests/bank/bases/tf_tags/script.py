"""Several tags a recipe: sigmoid outputs and binary cross-entropy."""
import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score

tf.keras.utils.set_random_seed(19)
TAGS = ["vegan", "quick", "spicy", "sweet"]
CUES = {
    "vegan": ["tofu", "lentils", "chickpeas"],
    "quick": ["minutes", "instant", "microwave"],
    "spicy": ["chili", "pepper", "wasabi"],
    "sweet": ["sugar", "honey", "chocolate"],
}
OTHER = "mix the bowl with rice and oil serve warm on a plate add some water stir well".split()


def recipes(count, seed):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(count):
        chosen = (rng.random(4) < 0.4).astype("float32")
        words = [str(w) for w in rng.choice(OTHER, 8)]
        for tag, on in zip(TAGS, chosen):
            if on:
                words.insert(int(rng.integers(len(words))), str(rng.choice(CUES[tag])))
        texts.append(" ".join(words))
        labels.append(chosen)
    return texts, np.stack(labels)


train_texts, train_y = recipes(600, 0)
test_texts, test_y = recipes(200, 1)

vocabulary = {"": 0, "[unk]": 1}
for text in train_texts:
    for word in text.split():
        vocabulary.setdefault(word, len(vocabulary))
MAX_LEN = 14


def vectorize(texts):
    ids = np.zeros((len(texts), MAX_LEN), dtype="int32")
    for row, text in enumerate(texts):
        for col, word in enumerate(text.split()[:MAX_LEN]):
            ids[row, col] = vocabulary.get(word, 1)
    return ids


class Batches(tf.keras.utils.Sequence):
    def __init__(self, x, y, batch_size=32, shuffle=True):
        self.x, self.y, self.batch_size, self.shuffle = x, y, batch_size, shuffle
        self.order = np.arange(len(x))
        self.on_epoch_end()

    def __len__(self):
        return int(np.ceil(len(self.x) / self.batch_size))

    def __getitem__(self, index):
        rows = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        return self.x[rows], self.y[rows]

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.order)


train_batches = Batches(vectorize(train_texts), train_y)
test_batches = Batches(vectorize(test_texts), test_y, shuffle=False)

model = tf.keras.Sequential([
    tf.keras.layers.Embedding(len(vocabulary), 32),
    tf.keras.layers.Conv1D(32, 3, padding="same", activation="relu"),
    tf.keras.layers.GlobalMaxPooling1D(),
    tf.keras.layers.Dense(32, activation="relu"),
    tf.keras.layers.Dense(len(TAGS), activation="sigmoid"),
])
model.compile(
    optimizer=tf.keras.optimizers.Adam(learning_rate=5e-3),
    loss=tf.keras.losses.BinaryCrossentropy(),
    metrics=[tf.keras.metrics.BinaryAccuracy(name="binary_accuracy")],
)
model.fit(train_batches, validation_data=test_batches, epochs=8, verbose=2)
guess = (model.predict(test_batches, verbose=0) > 0.5).astype(int)
print({"f1": f1_score(test_y.astype(int), guess, average="micro", zero_division=0)})
