"""Sort microscope crops of blood cells into four shapes with a small convolutional network."""
import numpy as np
import tensorflow as tf
from sklearn.metrics import balanced_accuracy_score
from tensorflow.keras import layers, models
from tensorflow.keras.utils import to_categorical

IMG = 20
CLASSES = ["clump", "ring", "round", "sickle"]
NUM_CLASSES = len(CLASSES)
EPOCHS = 9
BATCH = 32

tf.random.set_seed(7)
rng = np.random.default_rng(7)
ys, xs = np.mgrid[0:IMG, 0:IMG]


def disc(cx, cy, r):
    return (xs - cx) ** 2 + (ys - cy) ** 2 <= r * r


def draw_cell(kind):
    cx, cy = rng.uniform(8, 12, size=2)
    r = rng.uniform(4.5, 6.5)
    turn = rng.uniform(0, 2 * np.pi)
    dx, dy = np.cos(turn), np.sin(turn)
    if kind == "round":
        inside = disc(cx, cy, r)
    elif kind == "ring":
        inside = disc(cx, cy, r) & ~disc(cx, cy, 0.5 * r)
    elif kind == "sickle":
        inside = disc(cx, cy, r) & ~disc(cx + 0.6 * r * dx, cy + 0.6 * r * dy, 0.8 * r)
    else:
        s = 0.7 * r
        inside = disc(cx - s * dx, cy - s * dy, s) | disc(cx + s * dx, cy + s * dy, s)
    background = rng.uniform(150, 200)
    picture = background - rng.uniform(50, 90) * inside + rng.normal(0, 14, (IMG, IMG))
    return picture.clip(0, 255).astype("uint8")


def make_slides(n):
    kinds = rng.choice(CLASSES, size=n, p=[0.2, 0.25, 0.35, 0.2])
    return np.stack([draw_cell(kind) for kind in kinds]), kinds


def encode(kinds):
    codes = np.array([CLASSES.index(kind) for kind in kinds])
    return to_categorical(codes, NUM_CLASSES)


X_train, kinds_train = make_slides(1200)
X_test, kinds_test = make_slides(400)
print("train", X_train.shape, X_train.dtype, "test", X_test.shape)

mean, std = X_train.mean(), X_train.std()
X_train = (X_train.astype("float32") - mean) / std
X_test = (X_test.astype("float32") - mean) / std
X_train = X_train.reshape(-1, IMG, IMG, 1)
X_test = X_test.reshape(-1, IMG, IMG, 1)

y_train = encode(kinds_train)
y_test = encode(kinds_test)

order = rng.permutation(len(X_train))
X_train = X_train[order]
y_train = y_train[order]

model = models.Sequential()
model.add(layers.Conv2D(16, (3, 3), activation="relu", padding="same", input_shape=(IMG, IMG, 1)))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(32, (3, 3), activation="relu", padding="same"))
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Flatten())
model.add(layers.Dense(64, activation="relu"))
model.add(layers.Dropout(0.2))
model.add(layers.Dense(NUM_CLASSES, activation="softmax"))
model.summary()

model.compile(
    optimizer=tf.keras.optimizers.Adam(learning_rate=0.002),
    loss="categorical_crossentropy",
    metrics=["accuracy"],
)
history = model.fit(
    X_train,
    y_train,
    batch_size=BATCH,
    epochs=EPOCHS,
    validation_split=0.15,
    verbose=2,
)

pred = model.predict(X_test, verbose=0).argmax(axis=1)
true = y_test.argmax(axis=1)
print({"balanced_accuracy": balanced_accuracy_score(true, pred)})
