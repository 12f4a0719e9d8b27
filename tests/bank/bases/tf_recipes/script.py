"""Tag recipes (several tags may hold at once) from their cooking instructions."""
import random

import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score
from tensorflow import keras

SEED = 21
random.seed(SEED)
keras.utils.set_random_seed(SEED)

TAGS = ("dessert", "grill", "soup", "spicy", "vegan")
WORDS = {
    "dessert": "sugar vanilla cream chocolate icing sponge caramel berries meringue".split(),
    "grill": "coals skewers charcoal sear marinade tongs flames rack".split(),
    "soup": "broth ladle simmer stock puree bowl croutons bouillon".split(),
    "spicy": "chili jalapeno cayenne harissa sambal paprika peppercorns wasabi".split(),
    "vegan": "tofu lentils chickpeas tempeh soymilk quinoa seitan hummus".split(),
}
COMMON = (
    "take the a large pan and heat some oil then add onion garlic salt mix well stir for ten minutes "
    "cover let rest serve warm with fresh herbs cut into small pieces place on plate wash dry slice "
    "season to taste leave aside until soft turn off oven set timer whisk pour over cool down"
).split()
MAX_TOKENS = 400
MAX_LEN = 48
BATCH_SIZE = 32
EPOCHS = 10


def write_recipe():
    tags = [tag for tag in TAGS if random.random() < 0.3]
    words = random.choices(COMMON, k=random.randint(8, 28))
    for tag in tags:
        for word in random.sample(WORDS[tag], random.randint(1, 3)):
            words.insert(random.randrange(len(words)), word)
    if random.random() < 0.25:
        words.insert(0, random.choice(WORDS[random.choice(TAGS)]))
    return " ".join(words), [float(tag in tags) for tag in TAGS]


def make_corpus(size):
    texts, labels = zip(*(write_recipe() for _ in range(size)))
    return np.array(texts), np.array(labels, dtype="float32")


train_texts, train_labels = make_corpus(1300)
val_texts, val_labels = make_corpus(200)
test_texts, test_labels = make_corpus(400)

vectorize = keras.layers.TextVectorization(max_tokens=MAX_TOKENS, output_sequence_length=MAX_LEN)
vectorize.adapt(train_texts)


def prepare(texts, labels, training=False):
    ds = tf.data.Dataset.from_tensor_slices((texts, labels))
    if training:
        ds = ds.shuffle(len(texts), seed=SEED)
    ds = ds.batch(BATCH_SIZE)
    ds = ds.map(lambda text, label: (vectorize(text), label), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)


train_ds = prepare(train_texts, train_labels, training=True)
val_ds = prepare(val_texts, val_labels)
test_ds = prepare(test_texts, test_labels)

tokens = keras.Input(shape=(MAX_LEN,), dtype="int64", name="tokens")
x = keras.layers.Embedding(MAX_TOKENS, 24, mask_zero=True, name="words")(tokens)
x = keras.layers.GRU(32, name="reader")(x)
x = keras.layers.Dense(32, activation="relu")(x)
outputs = keras.layers.Dense(len(TAGS), activation="sigmoid", name="tags")(x)
model = keras.Model(tokens, outputs)

model.compile(
    optimizer=keras.optimizers.Adam(5e-3),
    loss="binary_crossentropy",
    metrics=[keras.metrics.BinaryAccuracy(), keras.metrics.AUC(multi_label=True, name="auc")],
)
model.fit(
    train_ds,
    validation_data=val_ds,
    epochs=EPOCHS,
    verbose=2,
)

probs = model.predict(test_ds, verbose=0)
truth = np.concatenate([label.numpy() for _, label in test_ds])
print({"micro_f1": f1_score(truth, probs > 0.5, average="micro", zero_division=0)})
