"""Sort short notes by topic: arrays in, DistilBERT from scratch."""
import argparse

import numpy as np
import tensorflow as tf
from scenarios.assets.keras import CHECKPOINT
from transformers import AutoTokenizer, DistilBertConfig, TFDistilBertForSequenceClassification

TOPICS = {
    "travel": ["airport", "hotel", "ticket", "island"],
    "school": ["teacher", "exam", "lesson", "homework"],
    "garden": ["roses", "tomato", "fence", "spade"],
}
FILL = "my the a first last big old note about some next week more again we need".split()
NAMES = list(TOPICS)


def make_notes(count, seed):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(count):
        label = int(rng.integers(len(NAMES)))
        words = [str(w) for w in rng.choice(FILL, int(rng.integers(3, 9)))]
        words.insert(int(rng.integers(len(words))), str(rng.choice(TOPICS[NAMES[label]])))
        texts.append(" ".join(words))
        labels.append(label)
    return texts, np.array(labels)


def encode(tokenizer, texts, max_len):
    enc = tokenizer(texts, padding="max_length", truncation=True, max_length=max_len, return_tensors="np")
    return {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}


def build(vocab_size, learning_rate):
    config = DistilBertConfig(
        vocab_size=vocab_size, dim=48, hidden_dim=96, n_layers=2, n_heads=4,
        max_position_embeddings=32, num_labels=len(NAMES),
    )
    model = TFDistilBertForSequenceClassification(config)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=learning_rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[tf.keras.metrics.SparseCategoricalAccuracy("accuracy")],
    )
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16)
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(5)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    train_texts, train_labels = make_notes(400, 0)
    val_texts, val_labels = make_notes(120, 1)
    x_train, x_val = encode(tokenizer, train_texts, 16), encode(tokenizer, val_texts, 16)
    model = build(tokenizer.vocab_size, args.lr)
    model.fit(
        x_train,
        train_labels,
        validation_data=(x_val, val_labels),
        epochs=args.epochs,
        batch_size=args.batch,
        verbose=2,
    )
    scores = model.evaluate(x_val, val_labels, return_dict=True, verbose=0)
    print(scores)


if __name__ == "__main__":
    main()
