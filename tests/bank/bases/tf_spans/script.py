"""Find the answer in a sentence: start and end position, TensorFlow."""
from scenarios.assets.keras import CHECKPOINT

import numpy as np
import tensorflow as tf
from datasets import Dataset
from transformers import AutoTokenizer, BertConfig, TFBertForQuestionAnswering

tf.keras.utils.set_random_seed(4)
WHAT = ["a guitar", "the old map", "two apples", "a red scarf", "an umbrella", "the keys"]
WHERE = ["under the bed", "in the attic", "behind the door", "on the roof", "by the well", "near the stove"]
FRAMES = ["yesterday {who} found {what} {where}", "{where} {who} saw {what} for years", "{who} hid {what} {where}"]
WHO = ["mia", "tom", "eva", "sam", "lea", "max"]


def questions(count, seed):
    rng = np.random.default_rng(seed)
    out = {"question": [], "context": [], "answer": []}
    seen = set()
    while len(out["answer"]) < count:
        parts = {"what": str(rng.choice(WHAT)), "where": str(rng.choice(WHERE))}
        context = str(rng.choice(FRAMES)).format(who=rng.choice(WHO), **parts)
        if context in seen:
            continue
        seen.add(context)
        out["question"].append(str(rng.choice(["where is it", "in what place is it", "where to look"])))
        out["context"].append(context)
        out["answer"].append(parts["where"])
    return Dataset.from_dict(out)


tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)


def add_positions(batch):
    enc = tokenizer(
        batch["question"], batch["context"], truncation=True, padding="max_length", max_length=24,
        return_offsets_mapping=True,
    )
    starts, ends = [], []
    for i, answer in enumerate(batch["answer"]):
        first = batch["context"][i].index(answer)
        last = first + len(answer)
        inside = [
            k for k, (a, b) in enumerate(enc["offset_mapping"][i])
            if enc.sequence_ids(i)[k] == 1 and a >= first and b <= last
        ]
        starts.append(inside[0])
        ends.append(inside[-1])
    enc.pop("offset_mapping")
    enc["start_positions"], enc["end_positions"] = starts, ends
    return enc


def to_tf(ds, shuffle):
    ds = ds.map(add_positions, batched=True, remove_columns=ds.column_names)
    return ds.to_tf_dataset(
        columns=["input_ids", "attention_mask", "token_type_ids"],
        label_cols=["start_positions", "end_positions"],
        shuffle=shuffle,
        batch_size=16,
    )


examples = questions(500, 0)
train_set = to_tf(examples.select(range(400)), True)
test_set = to_tf(examples.select(range(400, 500)), False)
model = TFBertForQuestionAnswering(
    BertConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=32,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )
)
model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=2e-3))
model.fit(train_set, validation_data=test_set, epochs=5, verbose=2)

predictions = model.predict(test_set, verbose=0)
starts = np.argmax(predictions.start_logits, axis=-1)
ends = np.argmax(predictions.end_logits, axis=-1)
true_starts = np.concatenate([y["start_positions"] for _, y in test_set])
true_ends = np.concatenate([y["end_positions"] for _, y in test_set])
print({"exact_match": float(((starts == true_starts) & (ends == true_ends)).mean())})
