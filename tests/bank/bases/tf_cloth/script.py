# Camera patches from the looms: what is wrong with the cloth, if anything?
import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix, recall_score
from sklearn.model_selection import train_test_split
from tensorflow import keras
from tensorflow.keras import layers

SEED = 21
SIZE = 28
DEFECTS = ["none", "broken_end", "broken_pick", "hole", "oil"]
SHARES = [0.76, 0.06, 0.06, 0.06, 0.06]
EPOCHS = 12
BATCH_SIZE = 64

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


def photograph(defect):
    """One grey patch of a plain weave, 0 to 255."""
    rows, cols = np.mgrid[0:SIZE, 0:SIZE]
    period = rng.uniform(3.0, 4.5)
    weave = np.sin(2 * np.pi * rows / period + rng.uniform(0, 6))
    weave = weave * np.sin(2 * np.pi * cols / period + rng.uniform(0, 6))
    light = rng.uniform(110, 170) + rng.uniform(-1, 1) * (rows - 14) + rng.uniform(-1, 1) * (cols - 14)
    patch = light + 18 * weave + rng.normal(0, 14, (SIZE, SIZE))
    depth = rng.uniform(14, 48)
    start, length = rng.integers(0, 10), rng.integers(9, 18)
    at = rng.integers(3, SIZE - 3)
    if defect == "broken_end":
        patch[start : start + length, at] -= depth
    elif defect == "broken_pick":
        patch[at, start : start + length] -= depth
    elif defect in ("hole", "oil"):
        y, x = rng.uniform(5, SIZE - 5, 2)
        radius = rng.uniform(1.5, 2.8) if defect == "hole" else rng.uniform(3.5, 6.5)
        spot = np.exp(-(((rows - y) ** 2 + (cols - x) ** 2) / radius**2) ** 2)
        patch -= spot * (depth * 1.2 if defect == "hole" else depth * 0.6)
    return np.clip(patch, 0, 255).astype("uint8")


def collect(n):
    """What the camera left in its folder, and the inspector's list."""
    names = [f"loom{i % 4}_{i}.png" for i in range(n)]
    defects = rng.choice(DEFECTS, size=n, p=SHARES)
    folder = {name: photograph(defect) for name, defect in zip(names, defects)}
    return folder, pd.DataFrame({"file": names, "defect": defects})


def oversample(x, y):
    """Repeat the rare classes until each is as frequent as the most frequent."""
    most = np.bincount(y).max()
    drawn = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        extra = rng.choice(members, most - len(members))
        drawn.append(np.concatenate([members, extra]))
    drawn = rng.permutation(np.concatenate(drawn))
    return x[drawn], y[drawn]


class ValRecall(keras.callbacks.Callback):
    """Puts the mean recall of the classes on the validation patches into the logs."""

    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        guessed = self.model.predict(self.x, verbose=0).argmax(axis=-1)
        logs["val_recall"] = recall_score(self.y, guessed, average="macro")
        print(f"   val_recall: {logs['val_recall']:.4f}")


folder, inspected = collect(2000)
files = sorted(folder)
images = np.stack([folder[name] for name in files])[..., np.newaxis]
labels = inspected.set_index("file").loc[files, "defect"]
y = labels.map(DEFECTS.index).to_numpy()

x_rest, x_test, y_rest, y_test = train_test_split(
    images, y, test_size=0.25, stratify=y, random_state=SEED
)
x_train, x_val, y_train, y_val = train_test_split(
    x_rest, y_rest, test_size=0.2, stratify=y_rest, random_state=SEED
)
x_train, y_train = oversample(x_train, y_train)

mean, std = x_train.mean(), x_train.std()
x_train = (x_train - mean) / std
x_val = (x_val - mean) / std
x_test = (x_test - mean) / std

model = keras.Sequential(
    [
        keras.Input((SIZE, SIZE, 1)),
        layers.RandomFlip("horizontal_and_vertical"),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.GlobalMaxPooling2D(),
        layers.Dropout(0.2),
        layers.Dense(len(DEFECTS)),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
callbacks = [
    ValRecall(x_val, y_val),
    keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=3),
    keras.callbacks.EarlyStopping(
        monitor="val_recall", mode="max", patience=5, restore_best_weights=True
    ),
]
model.fit(
    x_train,
    y_train,
    validation_data=(x_val, y_val),
    epochs=EPOCHS,
    batch_size=BATCH_SIZE,
    callbacks=callbacks,
    verbose=2,
)

y_pred = model.predict(x_test, verbose=0).argmax(axis=-1)
print(pd.DataFrame(confusion_matrix(y_test, y_pred), index=DEFECTS, columns=DEFECTS))
recall = recall_score(y_test, y_pred, average="macro")
print({"recall": float(recall)})
