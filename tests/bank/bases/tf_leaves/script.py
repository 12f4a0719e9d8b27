"""Which tree dropped this leaf? A small network for the nature trail of a primary school.

The children lay a leaf on a sheet of paper and take a picture. Until there are enough pictures, the
leaves are drawn: an outline in polar coordinates, turned, coloured and not quite in the middle.
"""

import argparse

import numpy as np
import tensorflow as tf
from sklearn.metrics import accuracy_score, confusion_matrix

TREES = ["oak", "maple", "birch", "willow", "ginkgo"]
SIZE = 28


def outline(tree, angle, rng):
    """The radius of a leaf for every direction; its stalk points to angle 0."""
    wobble = 1 + 0.03 * np.sin(rng.integers(9, 15) * angle + rng.uniform(0, 6))
    if tree == "oak":
        radius = 0.55 + 0.13 * np.cos(rng.integers(7, 9) * angle)
        return wobble * radius * (1 - 0.25 * np.abs(np.sin(angle)))
    if tree == "maple":
        return wobble * (0.45 + 0.30 * np.abs(np.cos(2.5 * angle)) ** 1.5)
    if tree == "birch":
        teeth = 0.05 * np.abs(np.sin(12 * angle))
        return wobble * (0.50 + teeth) * (1 - 0.30 * np.abs(np.sin(angle)))
    if tree == "willow":
        return wobble * 0.16 / np.sqrt(np.sin(angle) ** 2 + 0.04 * np.cos(angle) ** 2)
    fan = np.clip(0.75 * np.cos(angle / 2) ** 0.6, 0, None)
    notch = 0.30 * np.exp(-((angle / 0.2) ** 2))
    return wobble * np.where(np.abs(angle) < rng.uniform(1.2, 1.5), fan - notch, 0.08)


def draw(tree, rng):
    """One picture, SIZE x SIZE in colour, with values from 0 to 255."""
    rows, columns = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
    rows, columns = rows - rng.uniform(-0.2, 0.2), columns - rng.uniform(-0.2, 0.2)
    turned = np.arctan2(rows, columns) + rng.uniform(-np.pi, np.pi)
    angle = (turned + np.pi) % (2 * np.pi) - np.pi
    distance = np.hypot(rows, columns) / rng.uniform(0.8, 1.15)
    inside = distance < outline(tree, angle, rng)

    autumn = rng.uniform(0, 1)  # from green to yellow and brown
    green, brown = np.array([70, 140, 50]), np.array([190, 130, 50])
    leaf = (1 - autumn) * green + autumn * brown + rng.normal(0, 15, 3)
    paper = rng.uniform(170, 240) + rng.normal(0, 6, 3)
    picture = np.where(inside[..., None], leaf, paper)
    picture = picture * rng.uniform(0.75, 1.1) + rng.normal(0, 14, picture.shape)
    return np.clip(picture, 0, 255).astype("uint8")


def take_pictures(per_tree, rng):
    """Tree by tree, as they walk along the trail; so mix them at home."""
    images = np.array([draw(tree, rng) for tree in TREES for _ in range(per_tree)])
    labels = np.repeat(np.arange(len(TREES)), per_tree)
    order = rng.permutation(len(images))
    return images[order], labels[order]


def scale(images):
    return images.astype("float32") / 127.5 - 1.0


def to_dataset(images, labels, batch_size, shuffle=False):
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    if shuffle:
        dataset = dataset.shuffle(len(images))
    return dataset.batch(batch_size)


def build_model():
    return tf.keras.Sequential(
        [
            tf.keras.Input(shape=(SIZE, SIZE, 3)),
            tf.keras.layers.RandomFlip("horizontal_and_vertical"),
            tf.keras.layers.Conv2D(12, 3, padding="same", activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(24, 3, padding="same", activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dropout(0.2),
            tf.keras.layers.Dense(len(TREES)),
        ]
    )


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-tree", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=11)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


def main():
    args = parse_args()
    tf.keras.utils.set_random_seed(args.seed)
    images, labels = take_pictures(args.per_tree, np.random.default_rng(args.seed))

    n_test, n_val = len(images) // 5, len(images) // 10
    x_test, y_test = scale(images[:n_test]), labels[:n_test]
    x_val, y_val = scale(images[n_test : n_test + n_val]), labels[n_test : n_test + n_val]
    x_train, y_train = scale(images[n_test + n_val :]), labels[n_test + n_val :]

    train_ds = to_dataset(x_train, y_train, args.batch_size, shuffle=True).repeat()
    val_ds = to_dataset(x_val, y_val, args.batch_size)
    test_ds = to_dataset(x_test, y_test, args.batch_size)
    steps = len(x_train) // args.batch_size

    model = build_model()
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(
        args.learning_rate, decay_steps=steps, decay_rate=0.9
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=schedule),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        train_ds,
        validation_data=val_ds,
        epochs=args.epochs,
        steps_per_epoch=steps,
        verbose=2,
    )

    logits = model.predict(test_ds, verbose=0)
    named = logits.argmax(axis=1)
    print(confusion_matrix(y_test, named))
    print({"accuracy": round(float(accuracy_score(y_test, named)), 4)})


if __name__ == "__main__":
    main()
