"""
Is this vacancy real, or is somebody after your money?

The adverts are put together from a list of sentences; about three in ten are scams. A scammer
writes mostly what everybody writes, so one suspicious sentence alone does not say much.
"""
import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import random

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split
from tensorflow.keras.layers import LSTM, Dense, Dropout, Embedding, Input
from tensorflow.keras.models import Model
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer

SEED = 21
random.seed(SEED)
np.random.seed(SEED)
tf.random.set_seed(SEED)

N_ADVERTS = 1800
MAX_LEN = 64
EMB_DIM = 24
BATCH_SIZE = 32
EPOCHS = 7

# ------------------------------------------------------------------ data
jobs = ["warehouse clerk", "night nurse", "bookkeeper", "delivery driver", "web designer",
        "kindergarten teacher", "cook", "electrician", "call center agent", "gardener"]
places = ["in Leeds", "in Porto", "near the harbour", "in the old town", "from home", "in Ghent",
          "at two of our sites", "in a small team"]
openings = ["we are looking for a {job} {place}", "{job} wanted {place}",
            "our growing company needs a {job} {place}", "join us as a {job} {place}"]
everyday = ["you like working with other people", "a driving licence is a plus",
            "part time is possible", "we offer thirty days of holiday",
            "shifts are planned four weeks ahead", "you speak English and one other language",
            "two years of experience are welcome", "the position is open from next month",
            "lunch is paid by the company", "you are on time and careful",
            "training takes place in the first week", "we pay a bonus in december"]
honest = ["please send your application to our personnel office",
          "the interview takes place on site with the head of the team",
          "we pay according to the collective agreement", "your contract is permanent after the trial period",
          "a works council looks after your interests", "references from your last employer are required"]
shady = ["please send a copy of your passport and your bank card", "no interview and no experience needed",
         "you pay a small fee for the starter kit first", "earn four thousand a week from your sofa",
         "your salary comes by money transfer every day", "write to our manager on his private number"]


def write_advert(is_scam):
    head = random.choice(openings).format(job=random.choice(jobs), place=random.choice(places))
    body = random.sample(everyday, k=random.randint(1, 3))
    if is_scam:
        body += random.sample(shady, k=2)
        body += random.sample(honest, k=random.randint(0, 1))
    else:
        body += random.sample(honest, k=random.randint(1, 2))
        body += random.sample(shady, k=int(random.random() < 0.25))
    random.shuffle(body)
    return ". ".join([head] + body)


rows = []
for i in range(N_ADVERTS):
    scam = random.random() < 0.3
    rows.append({"advert": write_advert(scam), "fraudulent": "t" if scam else "f"})
df = pd.DataFrame(rows)
print(df["fraudulent"].value_counts())
print(df["advert"].iloc[0])

y = (df["fraudulent"] == "t").to_numpy(dtype="float32")
train_text, test_text, y_train, y_test = train_test_split(
    df["advert"], y, test_size=0.2, random_state=SEED, stratify=y
)

# --------------------------------------------------------- words to numbers
tokenizer = Tokenizer(oov_token="<oov>")
tokenizer.fit_on_texts(train_text)
vocab_size = len(tokenizer.word_index) + 1
print("vocabulary:", vocab_size)


def to_padded(texts):
    sequences = tokenizer.texts_to_sequences(texts)
    return pad_sequences(sequences, maxlen=MAX_LEN, padding="post", truncating="post")


X_train = to_padded(train_text)
X_test = to_padded(test_text)

# ------------------------------------------------------------------- model
words = Input(shape=(MAX_LEN,), dtype="int32")
x = Embedding(vocab_size, EMB_DIM, mask_zero=True)(words)
x = LSTM(24)(x)
x = Dropout(0.3)(x)
x = Dense(16, activation="relu")(x)
scam_probability = Dense(1, activation="sigmoid")(x)
model = Model(words, scam_probability)

steps_per_epoch = int(np.ceil(0.85 * len(X_train) / BATCH_SIZE))
schedule = tf.keras.optimizers.schedules.ExponentialDecay(
    initial_learning_rate=0.004, decay_steps=steps_per_epoch, decay_rate=0.9
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(schedule),
    loss="binary_crossentropy",
    metrics=["accuracy", tf.keras.metrics.Recall(name="recall")],
)
early_stop = tf.keras.callbacks.EarlyStopping(
    monitor="val_recall", mode="max", patience=3, restore_best_weights=True
)
history = model.fit(
    X_train,
    y_train,
    validation_split=0.15,
    epochs=EPOCHS,
    batch_size=BATCH_SIZE,
    callbacks=[early_stop],
    verbose=2,
)
print("best accuracy while training: %.3f" % max(history.history["val_accuracy"]))

# ----------------------------------------------------------------- results
probabilities = model.predict(X_test, verbose=0)
y_pred = (probabilities > 0.5).astype("int32").ravel()
print(classification_report(y_test, y_pred, target_names=["real", "scam"], zero_division=0))
print({"f1": f1_score(y_test, y_pred)})
