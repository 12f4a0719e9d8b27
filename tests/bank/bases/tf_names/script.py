# Token classification with TensorFlow
from scenarios.assets.keras import CHECKPOINT
import numpy as np
import tensorflow as tf
from datasets import Dataset
from transformers import AutoTokenizer, BertConfig, DataCollatorForTokenClassification, TFBertForTokenClassification
from transformers import set_seed

set_seed(14)
labels_list = ["O", "DRUG", "DOSE"]
drugs = ["aspirin", "ibuprofen", "insulin", "codeine", "heparin", "morphine", "statin", "zinc"]
doses = ["200 mg", "5 ml", "one tablet", "two drops", "50 mg", "10 ml", "three pills"]
when = ["today", "at noon", "as before", "since monday", "please", "again", "if needed", "for now"]
texts = ["give {dose} of {drug} at noon", "the patient takes {drug} daily", "{drug} was stopped",
         "after {dose} the pain was gone", "no change since monday", "prescribed {dose} of {drug} and rest"]
rng = np.random.default_rng(14)


def example():
    tokens, tags = [], []
    for part in str(rng.choice(texts)).split():
        if part == "{drug}":
            tokens.append(str(rng.choice(drugs)))
            tags.append(1)
        elif part == "{dose}":
            piece = str(rng.choice(doses)).split()
            tokens += piece
            tags += [2] * len(piece)
        else:
            tokens.append(part)
            tags.append(0)
    return {"tokens": tokens, "tags": tags}


rows = {}
while len(rows) < 460:
    row = example()
    end = str(rng.choice(when)).split()
    row = {"tokens": row["tokens"] + end, "tags": row["tags"] + [0] * len(end)}
    rows[" ".join(row["tokens"])] = row
rows = list(rows.values())
train_raw, val_raw = Dataset.from_list(rows[:360]), Dataset.from_list(rows[360:])
tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def tokenize_and_align(batch):
    enc = tokenizer(batch["tokens"], truncation=True, is_split_into_words=True)
    enc["labels"] = []
    for i, tags in enumerate(batch["tags"]):
        previous = None
        row = []
        for word in enc.word_ids(batch_index=i):
            row.append(-100 if word is None or word == previous else tags[word])
            previous = word
        enc["labels"].append(row)
    return enc


train_ds = train_raw.map(tokenize_and_align, batched=True, remove_columns=["tokens", "tags"])
val_ds = val_raw.map(tokenize_and_align, batched=True, remove_columns=["tokens", "tags"])
collator = DataCollatorForTokenClassification(tokenizer, return_tensors="np")
columns = ["input_ids", "attention_mask", "labels"]
train_set = train_ds.to_tf_dataset(columns=columns, collate_fn=collator, batch_size=16, shuffle=True)
val_set = val_ds.to_tf_dataset(columns=columns, collate_fn=collator, batch_size=20, shuffle=False)

config = BertConfig(
    vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
    intermediate_size=96, max_position_embeddings=48, num_labels=len(labels_list),
    id2label=dict(enumerate(labels_list)), label2id={n: i for i, n in enumerate(labels_list)},
)
model = TFBertForTokenClassification(config)
model.compile(optimizer=tf.keras.optimizers.Adam(1e-3))
model.fit(train_set, validation_data=val_set, epochs=6, verbose=2)

hits = total = 0
for batch in val_set:
    inputs = batch[0] if isinstance(batch, tuple) else batch
    truth = batch[1] if isinstance(batch, tuple) else inputs.pop("labels")
    guess = np.argmax(model(inputs, training=False).logits, axis=-1)
    truth = truth.numpy()
    keep = truth > 0
    hits += int((guess == truth)[keep].sum())
    total += int(keep.sum())
print({"recall": hits / total})
