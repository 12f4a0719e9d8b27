"""How many bikes will be rented in an hour? From weather and calendar, in bikes off on average."""
import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.preprocessing import StandardScaler
from tensorflow import keras

np.random.seed(13)
tf.random.set_seed(13)

DAYS = 75
TEST_HOURS = 14 * 24


def load_hours():
    time = pd.date_range("2023-04-01", periods=24 * DAYS, freq="h")
    hour = time.hour.to_numpy()
    weekend = (time.dayofweek >= 5).astype(int)
    n = len(time)
    temp = 12 + 5 * np.sin((hour - 9) * np.pi / 12) + np.repeat(np.random.normal(0, 4, DAYS), 24)
    temp = temp + np.random.normal(0, 1, n)
    humidity = np.clip(95 - 2.0 * temp + np.random.normal(0, 8, n), 20, 100)
    wind = np.random.gamma(2.0, 5.0, n)
    commute = np.exp(-((hour - 8) ** 2) / 4) + np.exp(-((hour - 18) ** 2) / 6)
    leisure = np.exp(-((hour - 15) ** 2) / 18)
    fair = np.clip(temp / 15, 0, 2) * (1 - 0.4 * (humidity > 80)) * (1 - np.clip(wind / 60, 0, 0.7))
    registered = (30 + 320 * commute * (1 - 0.7 * weekend)) * (0.6 + 0.4 * fair)
    casual = (10 + 150 * leisure * (1 + weekend)) * fair
    df = pd.DataFrame(
        {
            "time": time,
            "hour_sin": np.sin(hour * np.pi / 12),
            "hour_cos": np.cos(hour * np.pi / 12),
            "hour": hour,
            "weekend": weekend,
            "temp": temp,
            "humidity": humidity,
            "wind": wind,
            "casual": np.round(casual * np.random.normal(1, 0.08, n)),
            "registered": np.round(registered * np.random.normal(1, 0.08, n)),
        }
    )
    df["count"] = df["casual"] + df["registered"]
    df.loc[np.random.rand(n) < 0.02, "humidity"] = np.nan
    return df


df = load_hours()
df["humidity"] = df["humidity"].interpolate(limit_direction="both")
features = df.drop(columns=["time", "count", "casual", "registered"])
target = df["count"].to_numpy(dtype="float32")

x_train, x_test = features[:-TEST_HOURS], features[-TEST_HOURS:]
y_train, y_test = target[:-TEST_HOURS], target[-TEST_HOURS:]

x_scaler = StandardScaler()
x_train = x_scaler.fit_transform(x_train)
x_test = x_scaler.transform(x_test)

y_mean, y_std = y_train.mean(), y_train.std()
y_train_scaled = (y_train - y_mean) / y_std

held = np.random.permutation(len(x_train))[:200]
keep = np.setdiff1d(np.arange(len(x_train)), held)


class Demand(keras.Model):
    def __init__(self, width=64):
        super().__init__()
        self.first = keras.layers.Dense(width, activation="relu")
        self.second = keras.layers.Dense(width, activation="relu")
        self.third = keras.layers.Dense(width // 2, activation="relu")
        self.out = keras.layers.Dense(1)

    def call(self, inputs):
        x = self.first(inputs)
        x = self.second(x)
        x = self.third(x)
        return self.out(x)


model = Demand()
model.compile(
    loss=keras.losses.Huber(),
    optimizer=keras.optimizers.Adam(learning_rate=3e-3),
    metrics=["mae"],
)
stopper = keras.callbacks.EarlyStopping(
    monitor="val_mae", mode="min", patience=10, restore_best_weights=True
)
model.fit(
    x_train[keep],
    y_train_scaled[keep],
    validation_data=(x_train[held], y_train_scaled[held]),
    epochs=60,
    batch_size=32,
    callbacks=[stopper],
    verbose=2,
)

forecast = model.predict(x_test, verbose=0)[:, 0] * y_std + y_mean
mae = np.mean(np.abs(forecast - y_test))
print(f"bikes in an hour: {y_test.mean():.0f} on average, {y_test.std():.0f} deviation")
print({"mae": float(mae)})
