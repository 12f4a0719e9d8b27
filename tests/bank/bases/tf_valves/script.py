"""Which valves are wearing out? A variational autoencoder that knows only good strokes."""
import argparse

import numpy as np
import tensorflow as tf
from sklearn.metrics import roc_auc_score
from tensorflow import keras

from vae import VAE

POINTS = 32


def strokes(count, rng, worn=False):
    """Pressure over one stroke in bar, 0 to 10; a worn valve leaks somewhere on the way."""
    t = np.linspace(0, 1, POINTS)
    phase, width, height = (rng.uniform(*limits, (count, 1)) for limits in ((0.3, 0.7), (0.08, 0.22), (4.0, 9.0)))
    pressure = height * np.exp(-(((t - phase) / width) ** 2)) + rng.normal(0, 0.1, (count, POINTS))
    if worn:
        where = phase + rng.uniform(-0.1, 0.1, (count, 1))
        pressure -= rng.uniform(1.2, 2.4, (count, 1)) * np.exp(-(((t - where) / 0.04) ** 2))
    return np.clip(pressure, 0, 10).astype("float32")


def batches(pressures, batch_size, shuffle=False):
    scaled = pressures / 10.0
    ds = tf.data.Dataset.from_tensor_slices((scaled, scaled))
    if shuffle:
        ds = ds.shuffle(len(scaled), seed=6)
    return ds.batch(batch_size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--beta", type=float, default=0.002)
    args = parser.parse_args()

    keras.utils.set_random_seed(6)
    rng = np.random.default_rng(6)
    train = batches(strokes(2400, rng), args.batch_size, shuffle=True)
    valid = batches(strokes(400, rng), args.batch_size)
    test = np.concatenate([strokes(300, rng), strokes(100, rng, worn=True)])
    is_worn = np.repeat([0, 1], [300, 100])

    model = VAE(POINTS, latent=4, beta=args.beta)
    model.compile(optimizer=keras.optimizers.Adam(3e-3))
    stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=8, restore_best_weights=True)
    model.fit(train, validation_data=valid, epochs=args.epochs, callbacks=[stop], verbose=2)

    scaled = test / 10.0
    errors = np.square(model.predict(scaled, verbose=0) - scaled).mean(axis=1)
    print({"auc": roc_auc_score(is_worn, errors)})


if __name__ == "__main__":
    main()
