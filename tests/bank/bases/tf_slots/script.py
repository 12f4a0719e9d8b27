# -*- coding: utf-8 -*-
# Slot filling for a voice assistant: one tag a word, BiLSTM in Keras.
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from sklearn.metrics import f1_score
from tensorflow.keras import Sequential
from tensorflow.keras.layers import LSTM, Bidirectional, Dense, Dropout, Embedding, TextVectorization
from tensorflow.keras.losses import SparseCategoricalCrossentropy
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.optimizers.schedules import ExponentialDecay
from tensorflow.keras.preprocessing.sequence import pad_sequences

tf.keras.utils.set_random_seed(123)
rng = np.random.default_rng(123)

TAGS = ["PAD", "O", "B-PERSON", "B-DAY", "B-TIME", "B-PLACE", "I-PLACE"]
TAG2IDX = {tag: i for i, tag in enumerate(TAGS)}
MAX_LEN = 24
BATCH = 32
EPOCHS = 15
STEPS = 12

PERSONS = "amira bela carlos daria enzo fatou grete hugo ines jonas".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday tomorrow".split()
TIMES = ["at-nine", "at-noon", "at-four", "after-lunch", "before-six", "at-midnight"]
PLACES = ["town hall", "blue room", "north gate", "river cafe", "music school", "old harbour", "main library"]
OPENINGS = ["hey , ", "ok assistant : ", "please , ", "", "could you , if possible , ", "well ... "]
PATTERNS = [
    "set up a meeting with {person} on {day} , {time}",
    "remind me : {day} {time} , dinner with {person} and {person}",
    "{person} ( from work ) comes to the {place} on {day}",
    "book the {place} for {day} ; tell {person}",
    "on {day} - no , on {day} - i see {person} near the {place}",
    "who is at the {place} {time} ?",
    "cancel everything {time} , {person} is ill !",
]


def sentence():
    words, tags = [], []
    for word in (rng.choice(OPENINGS) + rng.choice(PATTERNS)).split():
        if word == "{person}":
            words.append(rng.choice(PERSONS))
            tags.append("B-PERSON")
        elif word == "{day}":
            words.append(rng.choice(DAYS))
            tags.append("B-DAY")
        elif word == "{time}":
            words.append(rng.choice(TIMES))
            tags.append("B-TIME")
        elif word == "{place}":
            words += rng.choice(PLACES).split()
            tags += ["B-PLACE", "I-PLACE"]
        else:
            words.append(word)
            tags.append("O")
    return " ".join(words), tags


corpus = dict(sentence() for _ in range(1000))
sentences, tag_rows = list(corpus), list(corpus.values())
cut = int(0.8 * len(sentences))
train_sentences, test_sentences = sentences[:cut], sentences[cut:]

vectorizer = TextVectorization(standardize=None, split="whitespace", output_sequence_length=MAX_LEN)
vectorizer.adapt(train_sentences)
X_train = vectorizer(train_sentences).numpy()
X_test = vectorizer(test_sentences).numpy()

y = [[TAG2IDX[tag] for tag in row] for row in tag_rows]
y = pad_sequences(y, maxlen=MAX_LEN, padding="post")
y_train, y_test = y[:cut], y[cut:]

model = Sequential()
model.add(Embedding(input_dim=vectorizer.vocabulary_size(), output_dim=32, mask_zero=True))
model.add(Bidirectional(LSTM(32, return_sequences=True)))
model.add(Dropout(0.2))
model.add(Dense(len(TAGS)))

schedule = ExponentialDecay(initial_learning_rate=0.004, decay_steps=STEPS, decay_rate=0.9)
model.compile(optimizer=Adam(schedule), loss=SparseCategoricalCrossentropy(from_logits=True))

train_ds = tf.data.Dataset.from_tensor_slices((X_train, y_train)).shuffle(2000).repeat().batch(BATCH)
test_ds = tf.data.Dataset.from_tensor_slices((X_test, y_test)).batch(BATCH)
model.fit(train_ds, validation_data=test_ds, epochs=EPOCHS, steps_per_epoch=STEPS, verbose=2)

pred = model.predict(test_ds, verbose=0).argmax(axis=-1)
real_words = X_test != 0
score = f1_score(y_test[real_words], pred[real_words], average="macro", zero_division=0)
print({"slot_f1": score})
