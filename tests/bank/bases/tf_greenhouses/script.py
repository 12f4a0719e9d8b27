"""Forecast the air temperature in our greenhouses three hours ahead.

Input: the last 24 hourly records of a house (inside, outside, actuators).
Output: the temperature inside, HORIZON hours after the last record.
"""

import argparse

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras import layers

FEATURES = [
    "temp_in",
    "humidity",
    "temp_out",
    "radiation",
    "vent",
    "pipe",
    "hour_sin",
    "hour_cos",
]


def make_weather(days, rng):
    """Hourly weather from the beginning of March on: it gets warmer and brighter."""
    hours = np.arange(days * 24)
    day, hour = hours / 24, hours % 24
    front, clouds = np.zeros(len(hours)), np.zeros(len(hours))
    for t in range(1, len(hours)):
        front[t] = 0.98 * front[t - 1] + rng.normal(0, 0.5)
        clouds[t] = 0.93 * clouds[t - 1] + rng.normal(0, 0.35)
    sun = np.clip(np.sin((hour - 6) / 12 * np.pi), 0, None)
    radiation = sun * (450 + 3.5 * day) * (1 - 0.8 / (1 + np.exp(-1.5 * clouds)))
    temp_out = 4 + 0.13 * day + 5 * np.sin((hour - 9) / 12 * np.pi) + front
    return temp_out, radiation


def run_house(name, weather, rng):
    """A simple climate computer: heat below the set point, open the vents above it."""
    temp_out, radiation = weather
    glass, leak = rng.uniform(0.009, 0.014), rng.uniform(0.10, 0.16)
    night, day = rng.uniform(14, 17), rng.uniform(19, 22)
    temp, humidity, pipe, rows = 17.0, 75.0, 40.0, []
    for t in range(len(temp_out)):
        hour = t % 24
        wanted = day if 6 <= hour < 19 else night
        vent = np.clip((temp - wanted - 2) * 12, 0, 100)
        pipe += 0.5 * (np.clip(25 + 9 * (wanted - temp), 25, 80) - pipe)
        rows.append((name, t, temp, humidity, temp_out[t], radiation[t], vent, pipe))
        temp += glass * radiation[t] + 0.07 * (pipe - 25) + rng.normal(0, 0.25)
        temp -= (leak + 0.0022 * vent) * (temp - temp_out[t])
        humidity += 0.3 * (82 - 0.9 * (temp - 17) - 0.15 * vent - humidity) + rng.normal(0, 1.2)
        humidity = np.clip(humidity, 35, 99)
    columns = ["house", "t", "temp_in", "humidity", "temp_out", "radiation", "vent", "pipe"]
    return pd.DataFrame(rows, columns=columns)


def load_records(houses, days, horizon, rng):
    weather = make_weather(days, rng)
    df = pd.concat([run_house(f"house_{h}", weather, rng) for h in range(houses)])
    df["hour_sin"] = np.sin(2 * np.pi * df["t"] / 24)
    df["hour_cos"] = np.cos(2 * np.pi * df["t"] / 24)
    df["target"] = df.groupby("house")["temp_in"].shift(-horizon)
    return df.dropna().reset_index(drop=True)


def split_by_time(df, days):
    """The last part of the season is for testing, the part before it for early stopping."""
    train_end, val_end = int(days * 0.7) * 24, int(days * 0.82) * 24
    train = df[df["t"] < train_end].copy()
    val = df[(df["t"] >= train_end) & (df["t"] < val_end)].copy()
    test = df[df["t"] >= val_end].copy()
    return train, val, test


def make_windows(part, lookback):
    """Windows that never cross from one house into the next."""
    x, y = [], []
    for _, house in part.groupby("house"):
        values = house[FEATURES].to_numpy("float32")
        target = house["target"].to_numpy("float32")
        for end in range(lookback, len(house) + 1):
            x.append(values[end - lookback : end])
            y.append(target[end - 1])
    return np.array(x), np.array(y).reshape(-1, 1)


def build_model(lookback, units):
    return keras.Sequential(
        [
            keras.Input(shape=(lookback, len(FEATURES))),
            layers.GRU(units, return_sequences=True),
            layers.GRU(units // 2),
            layers.Dense(16, activation="relu"),
            layers.Dense(1),
        ]
    )


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--houses", type=int, default=4)
    p.add_argument("--days", type=int, default=90)
    p.add_argument("--lookback", type=int, default=24)
    p.add_argument("--horizon", type=int, default=3)
    p.add_argument("--units", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--seed", type=int, default=7)
    return p.parse_args()


def main():
    args = parse_args()
    keras.utils.set_random_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    df = load_records(args.houses, args.days, args.horizon, rng)
    train, val, test = split_by_time(df, args.days)

    # scale the inputs
    scaler = StandardScaler()
    train[FEATURES] = scaler.fit_transform(train[FEATURES])
    val[FEATURES] = scaler.transform(val[FEATURES])
    test[FEATURES] = scaler.transform(test[FEATURES])

    x_train, y_train = make_windows(train, args.lookback)
    x_val, y_val = make_windows(val, args.lookback)
    x_test, y_test = make_windows(test, args.lookback)
    print("windows:", len(x_train), "train,", len(x_val), "val,", len(x_test), "test")

    # and the target, too
    target_scaler = StandardScaler()
    y_train = target_scaler.fit_transform(y_train)
    y_val = target_scaler.transform(y_val)
    y_test = target_scaler.transform(y_test)

    train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    train_ds = train_ds.shuffle(len(x_train)).batch(args.batch_size).prefetch(2)
    val_ds = tf.data.Dataset.from_tensor_slices((x_val, y_val)).batch(256)

    # halve the learning rate every three epochs
    schedule = keras.optimizers.schedules.ExponentialDecay(
        args.lr,
        decay_steps=3 * len(train_ds),
        decay_rate=0.5,
        staircase=True,
    )
    model = build_model(args.lookback, args.units)
    model.compile(optimizer=keras.optimizers.Adam(schedule), loss="mse", metrics=["mae"])
    model.fit(
        train_ds,
        validation_data=val_ds,
        epochs=args.epochs,
        callbacks=[keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True)],
        verbose=2,
    )

    predicted = target_scaler.inverse_transform(model.predict(x_test, verbose=0))[:, 0]
    actual = target_scaler.inverse_transform(y_test)[:, 0]
    error = actual - predicted
    print(f"bias {error.mean():+.2f} C, RMSE {np.sqrt(np.mean(error**2)):.2f} C")
    print({"mae": float(np.mean(np.abs(error)))})


if __name__ == "__main__":
    main()
