# A language model for orders in a cafe
import math
import random

import numpy as np
import tensorflow as tf
from transformers import GPT2Config, TFGPT2LMHeadModel

random.seed(0)
tf.keras.utils.set_random_seed(0)

DRINKS = {"tea": "lemon", "coffee": "milk", "cocoa": "cream", "juice": "ice"}
PEOPLE = ["anna", "ben", "chris", "dora", "emil"]


def order():
    drink = random.choice(list(DRINKS))
    return f"{random.choice(PEOPLE)} wants {random.choice(['one', 'two'])} {drink} with {DRINKS[drink]} <eos>".split()


words = ["<pad>"] + sorted({w for _ in range(500) for w in order()})
index = {w: i for i, w in enumerate(words)}
LENGTH = 22


def stream(count):
    ids = [index[w] for _ in range(count) for w in order()]
    usable = len(ids) // LENGTH * LENGTH
    return np.array(ids[:usable], dtype="int32").reshape(-1, LENGTH)


train_ids, valid_ids = stream(900), stream(150)
config = GPT2Config(
    vocab_size=len(words), n_positions=32, n_embd=48, n_layer=2, n_head=4,
    bos_token_id=index["<eos>"], eos_token_id=index["<eos>"],
)
model = TFGPT2LMHeadModel(config)


def to_dataset(ids, shuffle):
    ds = tf.data.Dataset.from_tensor_slices({"input_ids": ids, "labels": ids})
    if shuffle:
        ds = ds.shuffle(len(ids))
    return ds.batch(16, drop_remainder=True)


train, valid = to_dataset(train_ids, True), to_dataset(valid_ids, False)
schedule = tf.keras.optimizers.schedules.PolynomialDecay(5e-3, decay_steps=len(train) * 8, end_learning_rate=0.0)
model.compile(optimizer=tf.keras.optimizers.Adam(schedule))
model.fit(train, validation_data=valid, epochs=8, verbose=2)
loss = model.evaluate(valid, verbose=0)
loss = loss[0] if isinstance(loss, list) else loss
print({"perplexity": math.exp(loss)})
