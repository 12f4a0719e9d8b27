"""What is a fair price? Guess it from the words of a second-hand ad.

Word vectors come from counting which words stand together in the ads; they stay frozen while the
rest of the network learns, and are tuned along with it afterwards.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import re
from collections import Counter

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import train_test_split
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Conv1D, Dense, Dropout, Embedding, GlobalMaxPooling1D

SEED = 2024
N_ADS = 6000
MAX_LEN = 32
MIN_COUNT = 3
DIM = 24
WARM_EPOCHS = 7
FINE_EPOCHS = 7
BATCH_SIZE = 64

tf.keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)

# --- ads -------------------------------------------------------------------------------------
# thing: (price when new, makes from cheap to dear, things that may come with it)
THINGS = {
    "road bike": (900, ["Kestner", "Vellard", "Orsino"], ["pedals", "lights", "a pump"]),
    "children's bike": (220, ["Puckle", "Tamsin", "Woomer"], ["stabilisers", "a bell", "a flag"]),
    "sofa": (700, ["Hemsund", "Lyngby", "Castellan"], ["cushions", "a footstool", "throws"]),
    "bookcase": (140, ["Hemsund", "Billund", "Castellan"], ["glass doors", "wall fixings"]),
    "pram": (600, ["Bobbin", "Stroll", "Cygnet"], ["a rain cover", "a carrycot", "a footmuff"]),
    "coffee machine": (450, ["Krumbs", "Dalla", "Espressa"], ["a grinder", "cups", "filters"]),
    "drill": (120, ["Borax", "Makuda", "Hultsen"], ["a case", "two batteries", "bits"]),
    "tent": (300, ["Campo", "Fjordal", "Nordkap"], ["pegs", "a groundsheet", "a repair kit"]),
    "digital piano": (1100, ["Casita", "Rolund", "Kawada"], ["a stool", "headphones", "a stand"]),
    "winter coat": (180, ["Loden", "Fjordal", "Nordkap"], ["a hood", "spare buttons"]),
    "phone": (650, ["Nokla", "Pixon", "Orchard"], ["a charger", "a case", "the box"]),
    "board game": (45, ["Ravenna", "Kosmo", "Zenith"], ["an expansion", "sleeves"]),
}
MAKE_FACTOR = [0.55, 1.0, 1.7]
STATES = {
    1.00: ["brand new", "never used", "still sealed", "unwanted gift"],
    0.75: ["like new", "hardly used", "used twice"],
    0.50: ["good condition", "well kept", "some signs of wear"],
    0.28: ["well loved", "scratched", "a bit tatty", "faded"],
    0.10: ["for parts", "does not work", "needs repair", "broken"],
}
CHATTER = [
    "pick up only",
    "smoke free home",
    "cash please",
    "no time wasters",
    "can post at cost",
    "from the third floor so bring a friend",
    "price negotiable",
    "we are moving house",
    "selling because the kids have grown",
    "ask for more photos",
    "no returns",
    "dog in the house",
]
GIVEN_AWAY = ["free to collect", "to give away", "take it for nothing"]


def write_ad():
    thing = rng.choice(list(THINGS))
    new, makes, extras = THINGS[thing]
    make = rng.integers(len(makes))
    left = rng.choice(list(STATES), p=[0.12, 0.24, 0.34, 0.2, 0.1])
    years = rng.integers(1, 12)
    price = new * MAKE_FACTOR[make] * left * 0.94**years
    parts = [str(rng.choice(STATES[left]))]
    if rng.random() < 0.8:
        parts.append(f"{years} years old")
    for extra in rng.permutation(extras)[: rng.integers(0, 3)]:
        missing = rng.random() < 0.25
        parts.append(f"{extra} missing" if missing else f"comes with {extra}")
        price *= 0.85 if missing else 1.12
    parts += [str(c) for c in rng.choice(CHATTER, rng.integers(1, 4), replace=False)]
    price *= np.exp(rng.normal(0, 0.12))
    if rng.random() < 0.03:
        parts.append(str(rng.choice(GIVEN_AWAY)))
        price = 0
    rng.shuffle(parts)
    return f"{makes[make]} {thing}", ". ".join(parts), float(np.round(price))


ads = pd.DataFrame([write_ad() for _ in range(N_ADS)], columns=["title", "body", "price"])
ads["text"] = ads["title"] + " . " + ads["body"]
print(ads.sample(5, random_state=1)[["text", "price"]].to_string())

train, test = train_test_split(ads, test_size=0.2, random_state=SEED)
train, valid = train_test_split(train, test_size=0.15, random_state=SEED)


# --- words to numbers ------------------------------------------------------------------------
def tokenize(text):
    return re.findall(r"[a-z']+|\d+", text.lower())


def build_vocab(texts):
    counts = Counter(word for text in texts for word in tokenize(text))
    words = ["<pad>", "<unk>"] + [w for w, n in counts.most_common() if n >= MIN_COUNT]
    return {word: i for i, word in enumerate(words)}


def encode(texts, vocab):
    ids = [[vocab.get(word, 1) for word in tokenize(text)] for text in texts]
    return tf.keras.preprocessing.sequence.pad_sequences(
        ids, maxlen=MAX_LEN, padding="post", truncating="post"
    )


def word_vectors(X, size):
    """Positive pointwise mutual information within an ad, made small by an SVD."""
    bags = np.zeros((len(X), size))
    for row, ids in enumerate(X):
        bags[row, ids[ids > 0]] = 1
    together = bags.T @ bags + 1e-6
    alone = together.sum(axis=1)
    pmi = np.log(together * together.sum() / np.outer(alone, alone))
    u, s, _ = np.linalg.svd(np.clip(pmi, 0, None))
    vectors = u[:, :DIM] * np.sqrt(s[:DIM])
    vectors[0] = 0
    return vectors / vectors.std()


vocab = build_vocab(train["text"])
X_train = encode(train["text"], vocab)
X_valid = encode(valid["text"], vocab)
X_test = encode(test["text"], vocab)
print(len(vocab), "words,", (X_test == 1).mean().round(4), "unknown in the test ads")

# --- prices: on a log scale, and standardised -----------------------------------------------
log_train = np.log1p(train["price"].to_numpy())
log_valid = np.log1p(valid["price"].to_numpy())
mean, std = log_train.mean(), log_train.std()
y_train = (log_train - mean) / std
y_valid = (log_valid - mean) / std

# --- model -----------------------------------------------------------------------------------
embedding = Embedding(len(vocab), DIM, weights=[word_vectors(X_train, len(vocab))], trainable=False)
model = Sequential(
    [
        embedding,
        Conv1D(48, 3, padding="same", activation="relu"),
        GlobalMaxPooling1D(),
        Dropout(0.1),
        Dense(48, activation="relu"),
        Dense(1),
    ]
)

optimizer = tf.keras.optimizers.Adam(2e-3)
model.compile(loss="mse", optimizer=optimizer)
history = model.fit(
    X_train,
    y_train,
    validation_data=(X_valid, y_valid),
    batch_size=BATCH_SIZE,
    epochs=WARM_EPOCHS,
    verbose=2,
)

# now the word vectors, too, and more carefully
embedding.trainable = True
model.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss="mse")
model.summary()
model.fit(
    X_train,
    y_train,
    validation_data=(X_valid, y_valid),
    batch_size=BATCH_SIZE,
    epochs=WARM_EPOCHS + FINE_EPOCHS,
    initial_epoch=history.epoch[-1] + 1,
    verbose=2,
)

# --- how far off are we? ---------------------------------------------------------------------
guess = model.predict(X_test, verbose=0).ravel()
price = np.expm1(np.clip(guess * std + mean, 0, None))
asked = test["price"].to_numpy()
print(test.assign(guess=price.round()).head(8)[["text", "price", "guess"]].to_string())
rmsle = np.sqrt(np.mean((np.log1p(price) - np.log1p(asked)) ** 2))
print({"rmsle": float(rmsle)})
