import argparse

import numpy as np
import tensorflow as tf
from scenarios.assets.keras import CHECKPOINT
from transformers import AutoTokenizer, BertConfig, TFBertForSequenceClassification

EFFECT = {"spacious": 40, "renovated": 30, "sunny": 20, "central": 35, "noisy": -25, "damp": -35, "tiny": -40, "dark": -20}
STREETS = ["park street", "mill lane", "the harbour", "main square", "station road", "oak hill"]
KINDS = ["flat", "house", "studio", "loft"]


def listings(count, seed):
    rng = np.random.default_rng(seed)
    found = {}
    while len(found) < count:
        words = rng.choice(list(EFFECT), size=2, replace=False)
        text = f"a {words[0]} and {words[1]} {rng.choice(KINDS)} near {rng.choice(STREETS)}"
        found[text] = 150.0 + sum(EFFECT[w] for w in words)
    return list(found), np.array(list(found.values()), dtype="float32")


def make_dataset(tokenizer, texts, targets, batch_size, shuffle):
    enc = tokenizer(texts, padding=True, truncation=True, max_length=16, return_tensors="tf")
    ds = tf.data.Dataset.from_tensor_slices((dict(enc), targets))
    if shuffle:
        ds = ds.shuffle(len(texts), seed=0)
    return ds.batch(batch_size)


def main(options):
    tf.keras.utils.set_random_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
    texts, prices = listings(500, 0)
    train_texts, train_prices = texts[:400], prices[:400]
    test_texts, test_prices = texts[400:], prices[400:]
    mean, spread = train_prices.mean(), train_prices.std()
    train = make_dataset(tokenizer, train_texts, (train_prices - mean) / spread, options.batch_size, True)
    test = make_dataset(tokenizer, test_texts, (test_prices - mean) / spread, options.batch_size, False)

    model = TFBertForSequenceClassification(
        BertConfig(
            vocab_size=tokenizer.vocab_size, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
            intermediate_size=96, max_position_embeddings=32, num_labels=1,
        )
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(options.lr),
        loss=tf.keras.losses.MeanSquaredError(),
        metrics=[tf.keras.metrics.MeanAbsoluteError(name="mae")],
    )
    model.fit(train, validation_data=test, epochs=options.epochs, verbose=2)
    predicted = model.predict(test, verbose=0).logits.squeeze() * spread + mean
    print({"mae_euro": float(np.abs(predicted - test_prices).mean())})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--batch-size", dest="batch_size", type=int, default=16)
    parser.add_argument("--seed", type=int, default=3)
    main(parser.parse_args())
