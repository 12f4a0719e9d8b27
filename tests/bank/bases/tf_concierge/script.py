"""What does the guest want? Fine-tuning for the front desk of a hotel, after the course's chapter."""
from scenarios.assets.keras import CHECKPOINT

import numpy as np
import pandas as pd
import tensorflow as tf
from datasets import Dataset, DatasetDict
from sklearn.metrics import accuracy_score, f1_score
from transformers import (
    AutoConfig,
    AutoTokenizer,
    DataCollatorWithPadding,
    TFAutoModelForSequenceClassification,
    create_optimizer,
    set_seed,
)

SEED = 2024
BATCH_SIZE = 8
NUM_EPOCHS = 3
set_seed(SEED)

REQUESTS = {
    "breakfast": ["when do you serve breakfast", "can i order eggs to my room", "is there vegan food in the morning"],
    "cleaning": ["nobody has made the bed", "please bring fresh towels", "the bathroom floor is dirty"],
    "checkout": ["may i leave my room later on sunday", "i would like to pay my bill", "until when must we check out"],
    "transport": ["could you call a taxi", "how do i get to the airport", "which bus goes to the centre"],
    "noise": ["the neighbours play loud music", "we cannot sleep with this party", "there is hammering upstairs"],
}
GREETINGS = ["hello", "good evening", "excuse me", "hi there", "dear team", "sorry to bother you"]
GUESTS = ["this is room 12", "here is the family from 304", "i am in the single on the third floor", "we stay in the blue suite"]


def make_frame(greetings):
    rows = [
        (f"{greeting}, {guest}, {request}", intent)
        for intent, requests in REQUESTS.items()
        for request in requests
        for greeting in greetings
        for guest in GUESTS
    ]
    return pd.DataFrame(rows, columns=["message", "intent"])


train_frame = make_frame(GREETINGS[:4])
test_frame = make_frame(GREETINGS[4:]).sample(n=64, random_state=7)

names = sorted(REQUESTS)
label2id = {name: number for number, name in enumerate(names)}
id2label = dict(enumerate(names))


def to_dataset(frame):
    frame = frame.assign(label=frame["intent"].map(label2id))
    return Dataset.from_pandas(frame[["message", "label"]], preserve_index=False)


raw_datasets = DatasetDict(train=to_dataset(train_frame), test=to_dataset(test_frame))
raw_datasets["train"] = raw_datasets["train"].shuffle(seed=SEED).select(range(112))

tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def preprocess_function(examples):
    return tokenizer(examples["message"], truncation=True, max_length=40)


tokenized = raw_datasets.map(preprocess_function, batched=True)
collator = DataCollatorWithPadding(tokenizer, return_tensors="np")

config = AutoConfig.from_pretrained(CHECKPOINT, num_labels=len(names), id2label=id2label, label2id=label2id)
model = TFAutoModelForSequenceClassification.from_pretrained(CHECKPOINT, config=config)

tf_train = model.prepare_tf_dataset(tokenized["train"], batch_size=BATCH_SIZE, shuffle=True, collate_fn=collator)
tf_test = model.prepare_tf_dataset(tokenized["test"], batch_size=BATCH_SIZE, shuffle=False, collate_fn=collator)

optimizer, _ = create_optimizer(
    init_lr=2e-4,
    num_train_steps=len(tf_train) * NUM_EPOCHS,
    num_warmup_steps=5,
    weight_decay_rate=0.01,
)
model.compile(optimizer=optimizer, metrics=["accuracy"])
model.fit(tf_train, validation_data=tf_test, epochs=NUM_EPOCHS, verbose=2)

logits = model.predict(tf_test, verbose=0).logits
predicted = np.argmax(logits, axis=-1)
references = np.array(tokenized["test"]["label"])
print({"accuracy": accuracy_score(references, predicted), "macro_f1": f1_score(references, predicted, average="macro")})
