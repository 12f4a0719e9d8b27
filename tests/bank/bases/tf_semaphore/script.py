# Flag semaphore for our scout troop: which letter does the signaller show?
# Everybody draws stick figures at first, so the pictures are drawn here, too.
import argparse
import math
import string

import numpy as np
import tensorflow as tf
from sklearn.metrics import accuracy_score, classification_report
from tensorflow.keras import Input, Model, layers

SIZE = 32
LETTERS = [c for c in string.ascii_uppercase if c not in "JVXZ"]
SKY = 0.9

# where the two flags point: 0 is down, then clockwise as the reader sees it, in eighths of a turn
FLAGS = {
    "A": (0, 1), "B": (0, 2), "C": (0, 3), "D": (0, 4), "E": (0, 5), "F": (0, 6), "G": (0, 7),
    "H": (1, 2), "I": (1, 3), "K": (1, 4), "L": (1, 5), "M": (1, 6), "N": (1, 7),
    "O": (2, 3), "P": (2, 4), "Q": (2, 5), "R": (2, 6), "S": (2, 7),
    "T": (3, 4), "U": (3, 5), "Y": (3, 6), "W": (5, 6),
}  # fmt: skip


def stroke(canvas, x0, y0, x1, y1, width, shade):
    rows, cols = np.mgrid[0:SIZE, 0:SIZE]
    dx, dy = x1 - x0, y1 - y0
    t = np.clip(((cols - x0) * dx + (rows - y0) * dy) / (dx * dx + dy * dy + 1e-6), 0, 1)
    away = np.hypot(cols - x0 - t * dx, rows - y0 - t * dy)
    ink = np.clip(width - away, 0, 1)
    canvas *= 1 - ink
    canvas += shade * ink


def draw(letter, rng):
    """A signaller in front of a hazy sky, 8 bits a pixel."""
    rows = np.mgrid[0:SIZE, 0:SIZE][0]
    canvas = SKY - rng.uniform(0, 0.3) * rows / SIZE + rng.normal(0, 0.02)
    cx, cy = SIZE / 2 + rng.uniform(-2.5, 2.5), SIZE / 2 + rng.uniform(-2.5, 2.5)
    tall = rng.uniform(0.8, 1.15)
    dark = rng.uniform(0.05, 0.35)
    stroke(canvas, cx, cy, cx, cy + 6 * tall, 2.0, dark)  # body
    stroke(canvas, cx, cy - 3 * tall, cx, cy - 2.9 * tall, 2.2, dark)  # head
    for eighth in FLAGS[letter]:
        angle = eighth * math.pi / 4 + rng.normal(0, 0.11)
        ux, uy = -math.sin(angle), math.cos(angle)
        reach = 8 * tall
        hx, hy = cx + reach * ux, cy + reach * uy
        stroke(canvas, cx, cy, hx, hy, 1.2, dark)
        stroke(canvas, hx, hy, hx + 3 * ux, hy + 3 * uy, 2.3, rng.uniform(0.3, 0.6))
    canvas += rng.normal(0, rng.uniform(0.02, 0.09), canvas.shape)
    return (255 * np.clip(canvas, 0, 1)).astype("uint8")[..., None]


def make_pictures(n, rng):
    labels = rng.integers(len(LETTERS), size=n)
    return np.stack([draw(LETTERS[i], rng) for i in labels]), labels.astype("int32")


def scale(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def jitter(image, label):
    """Another camera, another weather."""
    image = tf.image.random_brightness(image, 0.15)
    image = tf.image.random_contrast(image, 0.7, 1.3)
    padded = tf.pad(image, [[2, 2], [2, 2], [0, 0]], "SYMMETRIC")
    return tf.image.random_crop(padded, [SIZE, SIZE, 1]), label


def build(width):
    inputs = Input((SIZE, SIZE, 1))
    x = inputs
    for depth in (1, 2, 3):
        x = layers.Conv2D(depth * width, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        x = layers.ReLU()(x)
        x = layers.MaxPooling2D()(x)
    x = layers.Flatten()(x)
    x = layers.Dropout(0.3)(x)
    logits = layers.Dense(len(LETTERS))(x)
    return Model(inputs, logits, name="semaphore")


def main(a):
    tf.keras.utils.set_random_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    x_train, y_train = make_pictures(a.train, rng)
    x_valid, y_valid = make_pictures(a.valid, rng)
    x_test, y_test = make_pictures(a.test, rng)
    print("pictures", x_train.shape, x_train.dtype, "letters", len(LETTERS))

    pictures = tf.data.Dataset.from_tensor_slices(x_train)
    letters = tf.data.Dataset.from_tensor_slices(y_train)
    train = tf.data.Dataset.zip((pictures, letters)).shuffle(a.train)
    train = train.map(scale).map(jitter).batch(a.batch).prefetch(tf.data.AUTOTUNE)
    valid = tf.data.Dataset.from_tensor_slices((x_valid, y_valid)).map(scale).batch(128)
    test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).map(scale).batch(128)

    def rate(epoch, lr):
        """A little slower every epoch."""
        return a.lr * a.decay**epoch

    model = build(a.width)
    model.compile(
        optimizer=tf.keras.optimizers.SGD(a.lr, momentum=0.9, nesterov=True),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        train,
        validation_data=valid,
        epochs=a.epochs,
        callbacks=[tf.keras.callbacks.LearningRateScheduler(rate)],
        verbose=2,
    )

    logits = model.predict(test, verbose=0)
    y_true = np.concatenate([labels.numpy() for _, labels in test])
    y_pred = logits.argmax(axis=1)
    print(classification_report(y_true, y_pred, target_names=LETTERS, zero_division=0))
    print({"accuracy": float(accuracy_score(y_true, y_pred))})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", type=int, default=2400)
    parser.add_argument("--valid", type=int, default=300)
    parser.add_argument("--test", type=int, default=600)
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--decay", type=float, default=0.8)
    parser.add_argument("--seed", type=int, default=907)
    main(parser.parse_args())
