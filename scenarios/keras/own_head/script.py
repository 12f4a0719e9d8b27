# First: PyTorch's triton crashes if it is loaded after TensorFlow.
from scenarios.assets.keras import CHECKPOINT, DATASET

import tensorflow as tf
from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModel,
)

CLASSES = 3
RATE = 1e-4

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
pad = DataCollatorWithPadding(tokenizer, return_tensors="np")


def encode(rows):
    return tokenizer(
        rows["premise"], rows["hypothesis"], truncation=True
    )


def batches(rows, shuffle=False):
    return rows.map(encode, batched=True).to_tf_dataset(
        columns=tokenizer.model_input_names,
        label_cols="labels",
        shuffle=shuffle,
        batch_size=16,
        collate_fn=pad,
    )


def build_classifier():
    encoder = TFAutoModel.from_pretrained(CHECKPOINT)
    layers = tf.keras.layers
    inputs = {
        name: layers.Input((None,), dtype="int64", name=name)
        for name in tokenizer.model_input_names
    }
    sentence = encoder(inputs).last_hidden_state[:, 0]
    sentence = layers.Dropout(0.1)(sentence)
    outputs = layers.Dense(CLASSES, name="classifier")(sentence)
    return tf.keras.Model(inputs, outputs)


splits = load_dataset(DATASET, "mnli")
model = build_classifier()
model.compile(
    optimizer=tf.keras.optimizers.Adam(RATE),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(),
    metrics=["accuracy"],
)
model.fit(
    batches(splits["train"], shuffle=True),
    validation_data=batches(splits["validation_matched"]),
    epochs=3,
)
