"""Oxygen in a fish pond, six hours ahead, so that the pump can be started before the fish gasp.

A buoy reports oxygen, water temperature, light and wind every hour. Algae make oxygen while it is
light, everything in the pond uses it up at night, the more the warmer it is, and wind stirs new
oxygen in. Now and then the buoy does not report for some hours.
"""

import numpy as np
import pandas as pd
import tensorflow as tf
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.preprocessing import StandardScaler
from tensorflow.keras.callbacks import EarlyStopping
from tensorflow.keras.layers import LSTM, Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.optimizers.schedules import ExponentialDecay

SEED = 9
DAYS = 140
WINDOW = 24  # hours that are looked at
HORIZON = 6  # hours to look ahead
EPOCHS = 8
BATCH_SIZE = 48
LEARNING_RATE = 5e-3
DECAY = 0.8
COLUMNS = ["oxygen", "temperature", "light", "wind"]


def wander(rng, hours, memory):
    """A slowly changing noise with a spread of one."""
    steps = rng.normal(0, np.sqrt(1 - memory**2), hours)
    values = np.zeros(hours)
    for hour in range(1, hours):
        values[hour] = memory * values[hour - 1] + steps[hour]
    return values


def measure(rng, days):
    hours = days * 24
    time = np.arange(hours)
    clouds = 1 / (1 + np.exp(-1.5 * wander(rng, hours, 0.97)))
    sun = np.clip(np.sin(2 * np.pi * (time % 24 - 6) / 24), 0, None)
    light = 800 * sun * (1 - 0.75 * clouds)
    season = 17 + 4 * np.sin(2 * np.pi * time / (24 * 90)) + 1.5 * wander(rng, hours, 0.99)
    temperature = season + 1.5 * np.sin(2 * np.pi * (time % 24 - 9) / 24)
    wind = np.exp(0.8 + 0.6 * wander(rng, hours, 0.95))

    oxygen = np.zeros(hours)
    oxygen[0] = 8.0
    for hour in range(1, hours):
        now = oxygen[hour - 1]
        saturated = 14.6 - 0.3 * temperature[hour]
        made = 0.0020 * light[hour]
        used = 0.30 * 1.07 ** (temperature[hour] - 17)
        stirred = (0.02 + 0.015 * wind[hour]) * (saturated - now)
        oxygen[hour] = max(now + made - used + stirred + rng.normal(0, 0.05), 0.2)
    oxygen = oxygen + rng.normal(0, 0.1, hours)

    table = pd.DataFrame(np.stack([oxygen, temperature, light, wind], axis=1), columns=COLUMNS)
    table.index = pd.date_range("2023-05-01", periods=hours, freq="h")
    for start in rng.choice(hours - 10, size=25, replace=False):
        silent = slice(start, start + rng.integers(1, 4))
        table.iloc[silent] = np.nan
    return table


def clean(table):
    """In the order of time, without gaps."""
    return table.sort_index().interpolate(method="time", limit_direction="both")


def windows(values):
    """The past day of all sensors, and the oxygen that there will be."""
    past = sliding_window_view(values[:-HORIZON], WINDOW, axis=0)  # windows x sensors x hours
    x = past.transpose(0, 2, 1)
    y = values[WINDOW + HORIZON - 1 :, 0]
    return x.astype("float32"), y.astype("float32")


def build_model():
    model = Sequential()
    model.add(LSTM(32, return_sequences=True, input_shape=(WINDOW, len(COLUMNS))))
    model.add(LSTM(16))
    model.add(Dense(1))
    return model


def main():
    tf.keras.utils.set_random_seed(SEED)
    table = clean(measure(np.random.default_rng(SEED), DAYS))
    first, second = int(0.7 * len(table)), int(0.85 * len(table))
    train, val, test = table.iloc[:first], table.iloc[first:second], table.iloc[second:]

    scaler = StandardScaler().fit(train.to_numpy())
    x_train, y_train = windows(scaler.transform(train.to_numpy()))
    x_val, y_val = windows(scaler.transform(val.to_numpy()))
    x_test, y_test = windows(scaler.transform(test.to_numpy()))
    print("windows:", x_train.shape, x_val.shape, x_test.shape)

    model = build_model()
    updates = len(x_train) // BATCH_SIZE  # in one epoch
    rate = ExponentialDecay(LEARNING_RATE, decay_steps=updates, decay_rate=DECAY)
    model.compile(optimizer=Adam(learning_rate=rate), loss="mse", metrics=["mae"])
    model.summary()
    model.fit(
        x_train,
        y_train,
        validation_data=(x_val, y_val),
        epochs=EPOCHS,
        batch_size=BATCH_SIZE,
        callbacks=[
            EarlyStopping(monitor="val_loss", patience=5, restore_best_weights=True),
        ],
        verbose=2,
    )

    spread, middle = scaler.scale_[0], scaler.mean_[0]
    forecast = model.predict(x_test, verbose=0)[:, 0] * spread + middle
    measured = y_test * spread + middle
    as_now = x_test[:, -1, 0] * spread + middle
    print(f"if nothing changed: {np.abs(as_now - measured).mean():.3f} mg/l off")
    print({"mae": round(float(np.abs(forecast - measured).mean()), 4)})


if __name__ == "__main__":
    main()
