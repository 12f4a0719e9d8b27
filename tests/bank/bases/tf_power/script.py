# How much power will the village need in an hour? An LSTM over the last day.
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(31)

FEATURES = ["load", "temperature", "wind", "hour_sin", "hour_cos", "weekend"]
WINDOW = 24
BATCH_SIZE = 32


def measure(hours):
    rng = np.random.default_rng(31)
    index = pd.date_range("2024-01-01", periods=hours, freq="h")
    hour = index.hour.to_numpy()
    weekend = (index.dayofweek >= 5).astype("float32")
    waves = 6 * np.sin(2 * np.pi * (hour - 9) / 24) + 4 * np.sin(2 * np.pi * np.arange(hours) / 210)
    temperature = 11 + waves + rng.normal(0, 0.5, hours)
    wind = np.abs(rng.normal(4, 2, hours))
    daily = 70 * np.sin(2 * np.pi * (hour - 8) / 24) + 35 * np.sin(4 * np.pi * (hour - 3) / 24)
    load = 420 + daily - 60 * weekend - 5 * (temperature - 11) + rng.normal(0, 4, hours)
    return pd.DataFrame(
        {
            "load": load,
            "temperature": temperature,
            "wind": wind,
            "hour_sin": np.sin(2 * np.pi * hour / 24),
            "hour_cos": np.cos(2 * np.pi * hour / 24),
            "weekend": weekend,
        },
        index=index,
    )


frame = measure(24 * 130)
first, second = int(len(frame) * 0.7), int(len(frame) * 0.85)
train_frame, valid_frame, test_frame = frame[:first], frame[first:second], frame[second:]
load_mean, load_std = train_frame["load"].mean(), train_frame["load"].std()


def windows(part, shuffle=False):
    values = part[FEATURES].to_numpy("float32")
    targets = ((part["load"] - load_mean) / load_std).to_numpy("float32")
    return keras.utils.timeseries_dataset_from_array(
        values[:-1],
        targets[WINDOW:],
        sequence_length=WINDOW,
        batch_size=BATCH_SIZE,
        shuffle=shuffle,
        seed=31,
    )


train, valid, test = windows(train_frame, shuffle=True), windows(valid_frame), windows(test_frame)

normalize = layers.Normalization()
normalize.adapt(train.map(lambda x, y: x))

model = keras.Sequential(
    [
        layers.Input(shape=(WINDOW, len(FEATURES))),
        normalize,
        layers.LSTM(32),
        layers.Dense(16, activation="relu"),
        layers.Dense(1),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(4e-3), loss="mse", metrics=["mae"])
callbacks = [
    keras.callbacks.EarlyStopping(monitor="val_loss", patience=6, restore_best_weights=True),
    keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=2),
]
model.fit(train, validation_data=valid, epochs=15, callbacks=callbacks, verbose=2)

predicted = model.predict(test, verbose=0)[:, 0] * load_std + load_mean
truth = test_frame["load"].to_numpy()[WINDOW:]
print({"mae_kw": float(np.abs(predicted - truth).mean())})
