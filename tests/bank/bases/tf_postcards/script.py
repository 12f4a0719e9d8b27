"""Sorts holiday postcards by the kind of holiday they were written on.

The cards are made up from sentences. People also write about the weather, the food and what they
did last year, so a single word rarely settles it.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Dense, Dropout, Embedding
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer

SEED = 4
CARDS = 1500
MAX_LEN = 64
BATCH_SIZE = 32
EPOCHS = 6

SIGHTS = {
    "mountains": [
        "the cable car took us above the clouds",
        "we slept in a hut below the glacier",
        "my boots are worn from all the climbing",
        "the path to the summit was steep and full of snow",
        "goats followed us up the ridge",
    ],
    "beach": [
        "the sand gets into everything we own",
        "we build castles until the tide comes in",
        "the waves are high enough for my surfboard",
        "we lie under a parasol and look at the sea",
        "the children collect shells in a bucket",
    ],
    "city": [
        "we saw three museums in one afternoon",
        "the underground is crowded but quick",
        "the view from the cathedral tower is worth the stairs",
        "we had tickets for the opera on the main square",
        "the shops are open until midnight",
    ],
    "cruise": [
        "our cabin has a round window",
        "the captain invited us to his table",
        "every morning we wake up in another harbour",
        "there is a pool on the upper deck",
        "grandpa was seasick on the first night",
    ],
    "camping": [
        "the tent leaks a little at one corner",
        "we cook on a small gas stove",
        "an owl kept us awake in our sleeping bags",
        "we sit around the fire and sing",
        "the caravan next to us has a television",
    ],
}
GREETINGS = ["dear all", "dear grandma", "hello from far away", "hi you two", "dear neighbours"]
SMALL_TALK = [
    "the weather is better than at home",
    "it rained on tuesday but now it is warm",
    "the food is wonderful and far too much",
    "please do not forget to water the plants",
    "we hope that the cat is well",
    "the journey took nine hours with two breaks",
    "the children have found friends already",
    "we are all a little sunburnt",
    "dad forgot his glasses on the train",
    "nobody here has ever heard of our village",
]
MEMORIES = ["last year {}", "not like the last time when {}", "anna writes that {}"]
GOODBYES = ["see you on sunday", "love from us all", "many greetings", "yours with a hug"]


def write_card(rng: np.random.Generator, kind: str) -> str:
    middle = list(rng.choice(SIGHTS[kind], size=rng.integers(1, 3), replace=False))
    middle += list(rng.choice(SMALL_TALK, size=rng.integers(1, 4), replace=False))
    if rng.random() < 0.4:
        other = rng.choice([name for name in SIGHTS if name != kind])
        middle.append(rng.choice(MEMORIES).format(rng.choice(SIGHTS[other])))
    rng.shuffle(middle)
    return ", ".join([rng.choice(GREETINGS), *middle, rng.choice(GOODBYES)])


def make_cards(rng: np.random.Generator, count: int) -> pd.DataFrame:
    kinds = rng.choice(list(SIGHTS), size=count, p=[0.2, 0.3, 0.2, 0.1, 0.2])
    return pd.DataFrame({"text": [write_card(rng, kind) for kind in kinds], "kind": kinds})


def to_ids(tokenizer: Tokenizer, texts: pd.Series) -> np.ndarray:
    sequences = tokenizer.texts_to_sequences(texts)
    return pad_sequences(sequences, maxlen=MAX_LEN, padding="post", truncating="post")


def to_dataset(ids: np.ndarray, labels: np.ndarray, training: bool = False) -> tf.data.Dataset:
    ds = tf.data.Dataset.from_tensor_slices((ids, labels))
    if training:
        ds = ds.shuffle(len(ids), seed=SEED).repeat()
    return ds.batch(BATCH_SIZE).prefetch(tf.data.AUTOTUNE)


keras.utils.set_random_seed(SEED)
cards = make_cards(np.random.default_rng(SEED), CARDS)
print(cards["kind"].value_counts())
print(cards["text"].iloc[0])

encoder = LabelEncoder()
cards["label"] = encoder.fit_transform(cards["kind"])
rest, test = train_test_split(cards, test_size=0.2, stratify=cards["kind"], random_state=SEED)
train, val = train_test_split(rest, test_size=0.15, stratify=rest["kind"], random_state=SEED)

tokenizer = Tokenizer(oov_token="<unk>")
tokenizer.fit_on_texts(train["text"])
vocabulary = len(tokenizer.word_index) + 1

train_ds = to_dataset(to_ids(tokenizer, train["text"]), train["label"].to_numpy(), training=True)
val_ds = to_dataset(to_ids(tokenizer, val["text"]), val["label"].to_numpy())
test_ds = to_dataset(to_ids(tokenizer, test["text"]), test["label"].to_numpy())

model = keras.Sequential(
    [
        keras.Input(shape=(MAX_LEN,)),
        Embedding(vocabulary, 32, mask_zero=True),
        LSTM(32),
        Dropout(0.2),
        Dense(len(SIGHTS), activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=3e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    train_ds,
    validation_data=val_ds,
    epochs=EPOCHS,
    steps_per_epoch=len(train) // BATCH_SIZE,
    callbacks=[keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True)],
    verbose=2,
)

probabilities = model.predict(test_ds, verbose=0)
names = encoder.classes_
sorted_as = names[probabilities.argmax(axis=1)]
print(classification_report(test["kind"], sorted_as, zero_division=0))
print({"accuracy": round(float(accuracy_score(test["kind"], sorted_as)), 4)})
