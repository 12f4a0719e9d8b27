"""What is wrong with a lift door? From what its controller logs while the door closes.

A log has three rows: motor current (mA), gap (mm) and vibration (g). Doors of the test set were
never seen in training.
"""
import numpy as np
import tensorflow as tf
from sklearn.metrics import classification_report, f1_score
from tensorflow import keras
from tensorflow.keras import layers

SEED = 29
CONDITIONS = ["normal", "worn_roller", "obstruction", "belt_slip"]
STEPS = 120
DOORS = 40
CLOSINGS = 9
BATCH_SIZE = 32
EPOCHS = 24

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


class Door:
    """A door with a motor, a width and a rattle of its own."""

    def __init__(self):
        self.load = rng.normal(430, 45)
        self.width = rng.choice([800.0, 900.0, 1100.0])
        self.pace = rng.uniform(1.0, 1.2)
        self.rattle = rng.uniform(0.04, 0.08)

    def close(self, condition):
        severity = rng.uniform(0.35, 1.0)
        start = rng.integers(25, 70)
        clock = np.arange(STEPS) / STEPS * self.pace * rng.normal(1.05, 0.02)
        if condition == "obstruction":
            hold = int(5 + 10 * severity)
            clock[start:] = np.concatenate([np.full(hold, clock[start]), clock[start:-hold]])
        done = np.clip(clock, 0, 1)
        done = 3 * done**2 - 2 * done**3
        speed = np.gradient(done) * STEPS

        gap = self.width * (1 - done) + rng.normal(0, 2, STEPS)
        current = self.load * (0.3 + 0.4 * speed) + rng.normal(0, 12, STEPS)
        vibration = rng.normal(0, self.rattle, STEPS)
        if condition == "obstruction":
            current[start : start + hold] += 0.5 * severity * self.load
        elif condition == "worn_roller":
            ripple = np.sin(2 * np.pi * 16 * done + rng.uniform(0, 6))
            vibration += 0.14 * severity * ripple * (speed > 0.1)
            current += 8 * severity * ripple
        elif condition == "belt_slip":
            slip = slice(start, start + int(8 + 8 * severity))
            current[slip] *= 1 - 0.45 * severity
            gap[slip] += 12 * severity
        return np.stack([current, gap, vibration])


def load_closings():
    """The logs lie in one folder for each condition, and are read folder by folder."""
    doors = [Door() for _ in range(DOORS)]
    logs, labels, owners = [], [], []
    for label, condition in enumerate(CONDITIONS):
        for owner, door in enumerate(doors):
            for _ in range(CLOSINGS):
                logs.append(door.close(condition))
                labels.append(label)
                owners.append(owner)
    return np.array(logs, dtype="float32"), np.array(labels), np.array(owners)


def make_dataset(x, y, shuffle=False):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if shuffle:
        ds = ds.shuffle(len(x))
    return ds.batch(BATCH_SIZE).prefetch(tf.data.AUTOTUNE)


def labels_of(ds):
    return np.concatenate([y.numpy() for _, y in ds])


def build_model(input_shape):
    inputs = keras.Input(shape=input_shape)
    x = inputs
    for filters in (24, 32, 48):
        x = layers.Conv1D(filters, 5, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        x = layers.ReLU()(x)
        x = layers.MaxPooling1D(2)(x)
    x = layers.concatenate(
        [layers.GlobalAveragePooling1D()(x), layers.GlobalMaxPooling1D()(x)]
    )
    x = layers.Dropout(0.3)(x)
    outputs = layers.Dense(len(CONDITIONS), activation="softmax")(x)
    return keras.Model(inputs, outputs)


class MacroF1(keras.callbacks.Callback):
    """Puts the macro F1 on held-out doors into the logs, for the callbacks after it."""

    def __init__(self, ds):
        super().__init__()
        self.ds = ds
        self.truth = labels_of(ds)

    def on_epoch_end(self, epoch, logs=None):
        guess = self.model.predict(self.ds, verbose=0).argmax(axis=1)
        logs["val_f1"] = f1_score(self.truth, guess, average="macro")
        print(f" - val_f1: {logs['val_f1']:.3f}")


logs, labels, owners = load_closings()
logs = logs.transpose(0, 2, 1)

order = rng.permutation(DOORS)
in_test = np.isin(owners, order[:8])
in_val = np.isin(owners, order[8:14])
in_train = ~(in_test | in_val)

mean = logs[in_train].mean(axis=(0, 1))
std = logs[in_train].std(axis=(0, 1))
logs = (logs - mean) / std

train_ds = make_dataset(logs[in_train], labels[in_train], shuffle=True)
val_ds = make_dataset(logs[in_val], labels[in_val])
test_ds = make_dataset(logs[in_test], labels[in_test])
steps_per_epoch = int(in_train.sum()) // BATCH_SIZE

model = build_model(logs.shape[1:])
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=1e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    train_ds.repeat(),
    steps_per_epoch=steps_per_epoch,
    epochs=EPOCHS,
    callbacks=[
        MacroF1(val_ds),
        keras.callbacks.EarlyStopping(
            monitor="val_f1", mode="max", patience=8, restore_best_weights=True
        ),
    ],
    verbose=2,
)

y_true = labels_of(test_ds)
y_pred = model.predict(test_ds, verbose=0).argmax(axis=1)
print(classification_report(y_true, y_pred, target_names=CONDITIONS, zero_division=0))
print({"macro_f1": float(f1_score(y_true, y_pred, average="macro"))})
