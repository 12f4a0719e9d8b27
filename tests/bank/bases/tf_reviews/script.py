# First: the checkpoint's weights for TensorFlow
from scenarios.assets.keras import CHECKPOINT

import random

import tensorflow as tf
from datasets import Dataset
from transformers import AutoTokenizer, DataCollatorWithPadding, TFAutoModelForSequenceClassification, create_optimizer

random.seed(1)
tf.random.set_seed(1)

films = ["the western", "that comedy", "this thriller"]
praise = ["kept me awake all night", "is a quiet masterpiece", "made everybody laugh", "deserves an award"]
blame = ["bored the whole room", "has no plot at all", "was painfully long", "should never have been made"]
where = ["at the festival", "on the plane", "at my aunt's", "in the old cinema", "on television"]

samples = []
for film in films:
    for place in where:
        samples += [{"text": f"{film} {words} {place}", "label": 1} for words in praise]
        samples += [{"text": f"{film} {words} {place}", "label": 0} for words in blame]
random.shuffle(samples)
splits = Dataset.from_list(samples).train_test_split(test_size=0.2, seed=1)

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def tokenize_function(batch):
    return tokenizer(batch["text"], truncation=True)


encoded = splits.map(tokenize_function, batched=True)
data_collator = DataCollatorWithPadding(tokenizer=tokenizer, return_tensors="np")

tf_train_dataset = encoded["train"].to_tf_dataset(
    columns=["attention_mask", "input_ids", "token_type_ids"],
    label_cols=["label"],
    shuffle=True,
    collate_fn=data_collator,
    batch_size=8,
)
tf_validation_dataset = encoded["test"].to_tf_dataset(
    columns=["attention_mask", "input_ids", "token_type_ids"],
    label_cols=["label"],
    shuffle=False,
    collate_fn=data_collator,
    batch_size=8,
)

model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, num_labels=2)

num_epochs = 2
optimizer, schedule = create_optimizer(
    init_lr=1e-4, num_train_steps=len(tf_train_dataset) * num_epochs, num_warmup_steps=2
)
model.compile(
    optimizer=optimizer,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(tf_train_dataset, validation_data=tf_validation_dataset, epochs=num_epochs, verbose=2)
loss, accuracy = model.evaluate(tf_validation_dataset, verbose=0)
print({"loss": loss, "accuracy": accuracy})
