"""On which table does the novel go? A second-hand bookshop sorts donated novels by their blurbs.

Volunteers type the blurb from the back cover, one of six tables is wanted. A convolution over words
is enough for that, and trains in a few seconds.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import train_test_split
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer

SEED = 11
BLURBS = 3200
MAX_LEN = 60
BATCH_SIZE = 32
EPOCHS = 12

PLOTS = {
    "crime": [
        "a body is found {place} and {name} does not believe in an accident",
        "inspector {name} has three suspects and no motive",
        "somebody {place} is lying about the night of the murder",
        "the only witness disappears before the trial",
        "an old case comes back to haunt the retired detective {name}",
    ],
    "fantasy": [
        "the last dragon sleeps {place} and only {name} can hear it dream",
        "{name} inherits a sword that remembers its owners",
        "a witch {place} trades spells for memories",
        "the kingdom has lost its magic and the young apprentice {name} is blamed",
        "a prophecy names {name} as the heir of the elves",
    ],
    "romance": [
        "{name} swore never to fall in love again until the new baker opened {place}",
        "two strangers share an umbrella {place} and a kiss in june",
        "her heart says yes but the wedding is with another man",
        "{name} returns home and meets the boy who once broke her heart",
        "a love letter arrives {place} forty years late",
    ],
    "science fiction": [
        "the colony ship wakes {name} ninety years too early",
        "a signal from an empty planet answers in the voice of {name}",
        "robots {place} have begun to dream of their makers",
        "the space station has air for eleven days and a crew of twelve",
        "{name} repairs androids until one of them asks for a lawyer",
    ],
    "history": [
        "in the winter of 1812 the surgeon {name} follows the army east",
        "{name} hides a printing press from the soldiers of the king",
        "the plague reaches the harbour in the year 1348",
        "a maid {place} writes down what the empress will not say",
        "between two wars the family of {name} builds a weaving mill",
    ],
    "horror": [
        "nobody who slept {place} has ever spoken again",
        "{name} hears scratching behind the wallpaper every night at three",
        "the children {place} draw the same face without eyes",
        "something in the cellar has learned the name of {name}",
        "the dead of the village do not stay in their graves",
    ],
}
GENRES = sorted(PLOTS)
PLACES = ["by the lake", "in the old mill", "behind the church", "on the island", "at the inn"]
NAMES = ["anna", "viktor", "mabel", "tomas", "irene", "josef", "clara", "edwin", "lucia", "oskar"]
PRAISE = [
    "a novel that you will not put down",
    "with over a million copies sold",
    "now a major television series",
    "the long awaited second part of the trilogy",
    "a warm and clever book about friendship",
    "winner of the readers prize of the year",
    "the author lives with two dogs {place}",
    "{name} must decide whom to trust",
    "nothing will ever be the same {place}",
]
TEASERS = [
    "for everyone who loved the tale where {}",
    "from the author of the bestseller in which {}",
]


def fill(rng: np.random.Generator, sentence: str) -> str:
    return sentence.format(name=rng.choice(NAMES), place=rng.choice(PLACES))


def write_blurb(rng: np.random.Generator, genre: str) -> str:
    """A sentence or two of the plot, praise, and now and then a word about another book."""
    parts = list(rng.choice(PLOTS[genre], size=rng.integers(1, 3), replace=False))
    parts += list(rng.choice(PRAISE, size=rng.integers(1, 4), replace=False))
    rng.shuffle(parts)
    if rng.random() < 0.35:
        other = rng.choice([name for name in GENRES if name != genre])
        parts.append(rng.choice(TEASERS).format(rng.choice(PLOTS[other])))
    return ". ".join(fill(rng, part) for part in parts)


def collect(rng: np.random.Generator, count: int) -> pd.DataFrame:
    genres = rng.choice(GENRES, size=count, p=[0.26, 0.16, 0.12, 0.10, 0.24, 0.12])
    return pd.DataFrame({"blurb": [write_blurb(rng, genre) for genre in genres], "genre": genres})


def to_ids(tokenizer: Tokenizer, blurbs: pd.Series) -> np.ndarray:
    sequences = tokenizer.texts_to_sequences(blurbs)
    return pad_sequences(sequences, maxlen=MAX_LEN, padding="post", truncating="post")


def to_labels(genres: pd.Series) -> np.ndarray:
    return pd.Categorical(genres, categories=GENRES).codes.astype("int32")


keras.utils.set_random_seed(SEED)
novels = collect(np.random.default_rng(SEED), BLURBS)
print(novels["genre"].value_counts())

rest, test = train_test_split(novels, test_size=0.2, stratify=novels["genre"], random_state=SEED)
train, val = train_test_split(rest, test_size=0.15, stratify=rest["genre"], random_state=SEED)

tokenizer = Tokenizer(oov_token="<unk>")
tokenizer.fit_on_texts(train["blurb"])
vocabulary = len(tokenizer.word_index) + 1  # nothing has number 0, it fills up

x_train = to_ids(tokenizer, train["blurb"])
x_val = to_ids(tokenizer, val["blurb"])
x_test = to_ids(tokenizer, test["blurb"])
y_train, y_val = to_labels(train["genre"]), to_labels(val["genre"])

model = keras.Sequential(
    [
        keras.Input(shape=(MAX_LEN,)),
        layers.Embedding(vocabulary, 32),
        layers.Conv1D(48, 5, padding="same", activation="relu"),
        layers.GlobalMaxPooling1D(),
        layers.Dropout(0.3),
        layers.Dense(32, activation="relu"),
        layers.Dense(len(GENRES), activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
stopping = keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
model.fit(
    x_train,
    y_train,
    validation_data=(x_val, y_val),
    batch_size=BATCH_SIZE,
    epochs=EPOCHS,
    callbacks=[stopping],
    verbose=2,
)

probabilities = model.predict(x_test, verbose=0)
tables = np.array(GENRES)
sorted_to = tables[probabilities.argmax(axis=1)]
print(classification_report(test["genre"], sorted_to, zero_division=0))
print({"accuracy": round(float(accuracy_score(test["genre"], sorted_to)), 4)})
