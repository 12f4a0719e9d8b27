"""What is the wearer of the wristband doing? Windows of an accelerometer, Conv1D and GRU."""
import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.utils import to_categorical

from pooling import AttentionPool

keras.utils.set_random_seed(88)

# as in the band's export: activities are numbered from 1, axes come before time
ACTIVITIES = {1: "sitting", 2: "walking", 3: "running", 4: "stairs", 5: "cycling"}
RATE, STEPS = 16, 40
RHYTHM = {1: 0.0, 2: 1.8, 3: 2.8, 4: 1.5, 5: 1.1}
FORCE = {1: (0.0, 0.0, 0.0), 2: (0.4, 1.1, 0.3), 3: (1.1, 2.4, 0.6), 4: (0.3, 1.2, 1.0), 5: (1.2, 0.3, 0.9)}


def record(persons, windows, seed):
    """Raw windows in m/s2, shaped (windows, axes, steps), and what was done in each."""
    rng = np.random.default_rng(seed)
    time = np.arange(STEPS) / RATE
    signals, codes = [], []
    for _ in range(persons):
        pace, strength = rng.normal(1, 0.08), rng.uniform(0.7, 1.3)
        for _ in range(windows):
            code = int(rng.integers(1, len(ACTIVITIES) + 1))
            turn = 2 * np.pi * (pace * RHYTHM[code] * time + rng.random())
            moved = [f * strength * np.sin(turn * (1 + (axis == 1))) for axis, f in enumerate(FORCE[code])]
            gravity = np.array([[0.0], [9.8], [2.0]])
            signals.append(np.stack(moved) + gravity + rng.normal(0, 0.35, (3, STEPS)))
            codes.append(code)
    return np.array(signals, dtype="float32"), np.array(codes)


def by_time(signals):
    return signals.transpose(0, 2, 1)


train_signals, train_codes = record(persons=16, windows=50, seed=1)
valid_signals, valid_codes = record(persons=4, windows=50, seed=2)
test_signals, test_codes = record(persons=5, windows=60, seed=3)

x_train, x_valid, x_test = by_time(train_signals), by_time(valid_signals), by_time(test_signals)
axes = x_train.shape[-1]
scaler = StandardScaler().fit(x_train.reshape(-1, axes))
x_train, x_valid, x_test = (scaler.transform(x.reshape(-1, axes)).reshape(x.shape) for x in (x_train, x_valid, x_test))

y_train, y_valid, y_test = (to_categorical(codes - 1) for codes in (train_codes, valid_codes, test_codes))

inputs = keras.Input(shape=(STEPS, axes))
x = layers.Conv1D(24, 5, padding="same", activation="relu")(inputs)
x = layers.MaxPooling1D(2)(x)
x = layers.GRU(32, return_sequences=True)(x)
x = layers.GRU(24, return_sequences=True)(x)
x = AttentionPool(16)(x)
x = layers.Dropout(0.2)(x)
outputs = layers.Dense(len(ACTIVITIES), activation="softmax")(x)
model = keras.Model(inputs, outputs, name="motion")

model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=3e-3),
    loss="categorical_crossentropy",
    metrics=["accuracy"],
)
keep_best = keras.callbacks.ModelCheckpoint("best.h5", monitor="val_accuracy", mode="max", save_best_only=True)
model.fit(
    x_train,
    y_train,
    validation_data=(x_valid, y_valid),
    epochs=10,
    batch_size=32,
    callbacks=[keep_best],
    verbose=2,
)

best = keras.models.load_model("best.h5", custom_objects={"AttentionPool": AttentionPool})
guessed = best.predict(x_test, verbose=0).argmax(axis=1)
done = y_test.argmax(axis=1)
print({"accuracy": float(accuracy_score(done, guessed))})
