"""Moods of diary lines with a subclassed model and callbacks."""
import random
from dataclasses import dataclass

import tensorflow as tf
from scenarios.assets.keras import CHECKPOINT
from transformers import AutoTokenizer

from network import MoodModel

MOODS = {
    "happy": ["danced", "laughed", "won", "celebrated"],
    "sad": ["cried", "lost", "missed", "mourned"],
    "angry": ["shouted", "argued", "slammed", "cursed"],
}


@dataclass
class Settings:
    lr: float = 1e-3
    epochs: int = 8
    batch_size: int = 16
    max_length: int = 16
    seed: int = 77


class DiaryExperiment:
    def __init__(self, settings):
        self.settings = settings
        tf.keras.utils.set_random_seed(settings.seed)
        self.tokenizer = AutoTokenizer.from_pretrained(CHECKPOINT)
        self.names = sorted(MOODS)

    def lines(self, n, seed):
        rng = random.Random(seed)
        found = {}
        while len(found) < n:
            mood = rng.choice(self.names)
            who = rng.choice(["i", "we", "grandma", "the team"])
            when = rng.choice(["today", "last night", "on the bus", "in the kitchen", "for an hour"])
            end = rng.choice(["again", "a lot", "at last", "all the same", "for nothing"])
            found[f"{when} {who} {rng.choice(MOODS[mood])} {end}"] = self.names.index(mood)
        return list(found), list(found.values())

    def dataset(self, texts, labels, shuffle=False):
        enc = self.tokenizer(
            texts, padding="max_length", truncation=True, max_length=self.settings.max_length, return_tensors="tf"
        )
        features = {"input_ids": enc["input_ids"], "attention_mask": enc["attention_mask"]}
        ds = tf.data.Dataset.from_tensor_slices((features, tf.constant(labels)))
        if shuffle:
            ds = ds.shuffle(1000, seed=self.settings.seed)
        return ds.batch(self.settings.batch_size).prefetch(1)

    def run(self):
        texts, labels = self.lines(480, 0)
        train = self.dataset(texts[:360], labels[:360], shuffle=True)
        valid = self.dataset(texts[360:], labels[360:])
        model = MoodModel(self.tokenizer.vocab_size, len(self.names))
        model.compile(
            optimizer=tf.keras.optimizers.Adam(self.settings.lr, clipnorm=1.0),
            loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
        stop = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
        model.fit(train, validation_data=valid, epochs=self.settings.epochs, callbacks=[stop], verbose=2)
        return dict(zip(model.metrics_names, model.evaluate(valid, verbose=0)))


if __name__ == "__main__":
    print(DiaryExperiment(Settings()).run())
