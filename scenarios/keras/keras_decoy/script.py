# First: PyTorch's triton crashes if it is loaded after TensorFlow.
from scenarios.assets.keras import CHECKPOINT, DATASET

import tensorflow as tf
from datasets import load_dataset
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

raw_datasets = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_function(examples):
    return tokenizer(
        examples["premise"],
        examples["hypothesis"],
        truncation=True,
        max_length=512,
    )


tokenized_datasets = raw_datasets.map(preprocess_function, batched=True)
columns = ["labels", *tokenizer.model_input_names]
data_collator = DataCollatorWithPadding(
    tokenizer, pad_to_multiple_of=8, return_tensors="np"
)

train_dataset = tokenized_datasets["train"].to_tf_dataset(
    columns=columns,
    shuffle=True,
    batch_size=16,
    collate_fn=data_collator,
    drop_remainder=True,
)
validation_dataset = tokenized_datasets[
    "validation_matched"
].to_tf_dataset(
    columns=columns,
    shuffle=False,
    batch_size=64,
    collate_fn=data_collator,
)

model = TFAutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)
optimizer = tf.keras.optimizers.Adam(
    learning_rate=1e-4, epsilon=1e-8, clipnorm=1.0
)
model.compile(optimizer, metrics=["accuracy"])
model.fit(train_dataset, validation_data=validation_dataset, epochs=3)
