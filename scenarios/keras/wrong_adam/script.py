# First: PyTorch's triton crashes if it is loaded after TensorFlow.
from scenarios.assets.keras import CHECKPOINT, DATASET

import tensorflow as tf
from datasets import load_dataset
from keras.optimizers import Adam
from transformers import (
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
)

raw_datasets = load_dataset(DATASET, "mnli")
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_function(examples):
    return tokenizer(
        examples["premise"], examples["hypothesis"], truncation=True
    )


tokenized_datasets = raw_datasets.map(preprocess_function, batched=True)
data_collator = DataCollatorWithPadding(tokenizer, return_tensors="np")

train_rows = tokenized_datasets["train"]
validation_rows = tokenized_datasets["validation_matched"]

train_dataset = train_rows.to_tf_dataset(
    columns=tokenizer.model_input_names,
    label_cols="labels",
    shuffle=True,
    batch_size=16,
    collate_fn=data_collator,
)
validation_dataset = validation_rows.to_tf_dataset(
    columns=tokenizer.model_input_names,
    label_cols="labels",
    shuffle=False,
    batch_size=16,
    collate_fn=data_collator,
)

model = TFAutoModelForSequenceClassification.from_pretrained(
    CHECKPOINT, num_labels=3
)
model.compile(
    optimizer=Adam(learning_rate=1e-4),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True
    ),
    metrics=["accuracy"],
)
model.fit(train_dataset, validation_data=validation_dataset, epochs=3)
