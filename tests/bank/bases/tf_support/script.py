# Sort support mails: which department, and how urgent? First the heads alone, then all of it.
from scenarios.assets.keras import CHECKPOINT

import random

import numpy as np
import tensorflow as tf
from transformers import AutoTokenizer, TFAutoModel

random.seed(27)
tf.keras.utils.set_random_seed(27)
MAX_LENGTH = 20

departments = ["billing", "shipping", "technical"]
topics = {
    "billing": ["the invoice", "my refund", "a double charge", "the monthly fee"],
    "shipping": ["the parcel", "my delivery", "the courier", "a lost package"],
    "technical": ["the login page", "my password", "the crashing app", "the update"],
}
urgent = ["needs an answer right now", "cannot wait any longer", "has to be solved within the hour", "is an emergency"]
calm = ["can wait until next week", "is no hurry at all", "may be looked at some day", "is just a small remark"]
who = ["a customer from lisbon", "my neighbour", "our old client", "a new user", "the school", "somebody on the phone"]

mails = []
for department in departments:
    for topic in topics[department]:
        for person in who:
            for wording in random.sample(urgent, 1) + random.sample(calm, 1):
                text = f"{person} writes about {topic} and says it {wording}"
                mails.append((text, departments.index(department), float(wording in urgent)))
random.shuffle(mails)
train_mails, test_mails = mails[:100], mails[100:]

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def to_dataset(rows, shuffle=False):
    texts, department, hurry = zip(*rows)
    enc = tokenizer(list(texts), padding="max_length", truncation=True, max_length=MAX_LENGTH, return_tensors="np")
    features = {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}
    targets = {"department": np.array(department), "hurry": np.array(hurry, dtype="float32")}
    ds = tf.data.Dataset.from_tensor_slices((features, targets))
    return (ds.shuffle(len(rows), seed=27) if shuffle else ds).batch(8)


train, test = to_dataset(train_mails, shuffle=True), to_dataset(test_mails)

encoder = TFAutoModel.from_pretrained(CHECKPOINT)
encoder.trainable = False

input_ids = tf.keras.Input(shape=(MAX_LENGTH,), dtype="int32", name="input_ids")
attention_mask = tf.keras.Input(shape=(MAX_LENGTH,), dtype="int32", name="attention_mask")
states = encoder(input_ids, attention_mask=attention_mask)[0]
pooled = tf.keras.layers.GlobalAveragePooling1D()(states, mask=tf.cast(attention_mask, tf.bool))
shared = tf.keras.layers.Dense(32, activation="relu")(pooled)
department = tf.keras.layers.Dense(len(departments), activation="softmax", name="department")(shared)
hurry = tf.keras.layers.Dense(1, activation="sigmoid", name="hurry")(shared)
model = tf.keras.Model([input_ids, attention_mask], [department, hurry])

losses = {"department": "sparse_categorical_crossentropy", "hurry": "binary_crossentropy"}
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=2e-3), loss=losses)
model.fit(train, epochs=2, verbose=2)

encoder.trainable = True
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=2e-4), loss=losses)
model.fit(train, epochs=3, verbose=2)

guessed_department, guessed_hurry = model.predict(test, verbose=0)
right_department = guessed_department.argmax(axis=-1) == np.array([mail[1] for mail in test_mails])
right_hurry = (guessed_hurry[:, 0] > 0.5) == np.array([mail[2] for mail in test_mails], dtype=bool)
print({"both_right": float((right_department & right_hurry).mean())})
