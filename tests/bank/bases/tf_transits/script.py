"""Finds stars with a planet in their light curves: a planet in transit takes a little light away.

The tables look like the well-known ones on Kaggle: LABEL is 2 for a star with a planet and 1 for
one without, FLUX.1 ... FLUX.n are the brightness over time, and the planets stand first.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import f1_score
from tensorflow.keras import callbacks, layers, models, optimizers


@dataclass
class Config:
    seed: int = 21
    length: int = 200
    stars: int = 1450
    planets: int = 290
    batch_size: int = 32
    epochs: int = 24
    learning_rate: float = 5e-4
    patience: int = 8


def light_curve(rng: np.random.Generator, length: int, planet: bool) -> np.ndarray:
    time = np.arange(length)
    noise = rng.normal(0, 0.002, length)
    spots = rng.uniform(0, 0.006) * np.sin(
        2 * np.pi * time / rng.uniform(40, 160) + rng.uniform(0, 2 * np.pi)
    )
    flux = 1 + noise + spots
    if planet:
        period, duration = rng.uniform(24, 60), rng.uniform(4, 9)
        in_transit = (time + rng.uniform(0, period)) % period < duration
        flux = flux - rng.uniform(0.003, 0.010) * in_transit
    elif rng.random() < 0.4:  # a flare goes up and fades
        start = rng.integers(0, length - 30)
        flux[start:] += rng.uniform(0.01, 0.03) * np.exp(-np.arange(length - start) / 6)
    return flux * 10 ** rng.uniform(3, 5)


def load_table(rng: np.random.Generator, stars: int, planets: int, length: int) -> pd.DataFrame:
    label = np.array([2] * planets + [1] * (stars - planets))
    curves = np.stack([light_curve(rng, length, kind == 2) for kind in label])
    table = pd.DataFrame(curves, columns=[f"FLUX.{i + 1}" for i in range(length)])
    table.insert(0, "LABEL", label)
    return table


def arrays(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    flux = table.drop(columns="LABEL").to_numpy(dtype="float32")
    label = table["LABEL"].to_numpy() - 1
    return flux, label.astype("float32")


def normalise(flux, label):
    mean, variance = tf.nn.moments(flux, axes=[0])
    return (flux - mean) / tf.sqrt(variance + 1e-6), label


def augment(flux, label):
    shift = tf.random.uniform([], 0, tf.shape(flux)[0], dtype=tf.int32)
    return tf.roll(flux, shift, axis=0), label


def make_dataset(table: pd.DataFrame, cfg: Config, training: bool = False) -> tf.data.Dataset:
    ds = tf.data.Dataset.from_tensor_slices(arrays(table))
    ds = ds.map(normalise, num_parallel_calls=tf.data.AUTOTUNE)
    if training:
        ds = ds.cache()
        ds = ds.shuffle(len(table), seed=cfg.seed)
        ds = ds.repeat()
        ds = ds.map(augment, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.map(lambda flux, label: (flux[:, tf.newaxis], label))
    return ds.batch(cfg.batch_size).prefetch(tf.data.AUTOTUNE)


def build_model(cfg: Config) -> tf.keras.Model:
    inputs = layers.Input(shape=(cfg.length, 1))
    x = inputs
    for filters in (16, 32, 64):
        x = layers.Conv1D(filters, 7, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        x = layers.ReLU()(x)
        x = layers.MaxPooling1D(2)(x)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dropout(0.2)(x)
    x = layers.Dense(32, activation="relu")(x)
    outputs = layers.Dense(1, activation="sigmoid")(x)
    return models.Model(inputs, outputs)


def main(cfg: Config) -> None:
    tf.keras.utils.set_random_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    train = load_table(rng, cfg.stars, cfg.planets, cfg.length)
    test = load_table(rng, 600, 120, cfg.length)

    val = train.sample(frac=0.15, random_state=cfg.seed)
    train = train.drop(val.index)
    train_ds = make_dataset(train, cfg, training=True)
    val_ds = make_dataset(val, cfg)
    test_ds = make_dataset(test, cfg)

    model = build_model(cfg)
    model.compile(
        optimizer=optimizers.Adam(learning_rate=cfg.learning_rate),
        loss="binary_crossentropy",
        metrics=["accuracy", tf.keras.metrics.AUC(curve="PR", name="precision_recall")],
    )
    model.fit(
        train_ds,
        validation_data=val_ds,
        epochs=cfg.epochs,
        steps_per_epoch=math.ceil(len(train) / cfg.batch_size),
        callbacks=[
            callbacks.EarlyStopping(
                monitor="val_precision_recall",
                mode="max",
                patience=cfg.patience,
                restore_best_weights=True,
            )
        ],
        verbose=2,
    )

    probability = model.predict(test_ds, verbose=0)
    found = (probability[:, 0] > 0.5).astype(int)
    y_test = (test["LABEL"] == 2).astype(int)
    print(f"{found.sum()} stars with a planet found, {y_test.sum()} there are")
    print({"f1": round(float(f1_score(y_test, found)), 4)})


if __name__ == "__main__":
    main(Config())
