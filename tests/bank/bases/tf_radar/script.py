# Nowcasting: how hard will it rain on our gauge in ten minutes?
# Input are the last four radar pictures around the gauge (it stands in the middle).
import numpy as np
import tensorflow as tf
from tensorflow.keras import Model, callbacks, layers, optimizers, utils

SIZE = 24  # pixels, one is 1 km
HISTORY = 4  # pictures the model sees, five minutes apart
LEAD = 2  # pictures ahead
LENGTH = 16  # pictures of a storm
N_STORMS = 240

utils.set_random_seed(77)


class Storm:
    """A few cells of rain that drift over the area together, growing or dying."""

    def __init__(self, rng):
        n_cells = rng.integers(2, 5)
        angle = rng.uniform(0, 2 * np.pi)
        self.speed = rng.uniform(0.8, 1.6) * np.array([np.cos(angle), np.sin(angle)])
        middle = np.array([SIZE / 2, SIZE / 2])
        passing = rng.uniform(4, LENGTH - 1, size=(n_cells, 1))
        self.start = middle - passing * self.speed + rng.normal(0, 2.0, size=(n_cells, 2))
        self.peak = rng.gamma(3.0, 5.0, size=n_cells)
        self.width = rng.uniform(1.6, 3.0, size=n_cells)
        self.growth = rng.normal(0, 0.04, size=n_cells)

    def rate(self, t):
        """mm per hour at each pixel"""
        yy, xx = np.mgrid[0:SIZE, 0:SIZE]
        field = np.zeros((SIZE, SIZE))
        for start, peak, width, growth in zip(self.start, self.peak, self.width, self.growth):
            y, x = start + t * self.speed
            distance = (yy - y) ** 2 + (xx - x) ** 2
            field += peak * np.exp(growth * t) * np.exp(-distance / (2 * width**2))
        return field


def to_picture(rate, rng):
    """What the radar stores: dBZ in bytes (Marshall-Palmer), with some noise"""
    dbz = 10 * np.log10(200 * np.maximum(rate, 1e-2) ** 1.6)
    dbz = dbz + rng.normal(0, 1.0, size=rate.shape)
    return np.clip(dbz * 4, 0, 255).astype("uint8")


def record(n_storms, seed):
    rng = np.random.default_rng(seed)
    pictures, gauge, storm_ids = [], [], []
    for storm_id in range(n_storms):
        storm = Storm(rng)
        rates = np.stack([storm.rate(t) for t in range(LENGTH)])
        seen = np.stack([to_picture(rate, rng) for rate in rates])
        for first in range(LENGTH - HISTORY - LEAD + 1):
            last = first + HISTORY
            pictures.append(seen[first:last])
            gauge.append(rates[last - 1 + LEAD, SIZE // 2, SIZE // 2])
            storm_ids.append(storm_id)
    pictures = np.stack(pictures)  # (windows, time, y, x)
    return pictures, np.array(gauge, dtype="float32"), np.array(storm_ids)


def prepare(pictures):
    """bytes -> floats in [0, 1], time as the channels"""
    x = np.transpose(pictures, (0, 2, 3, 1))
    return x.astype("float32") / 255.0


class RadarSequence(utils.Sequence):
    def __init__(self, x, rain, batch_size=64, shuffle=False, seed=0):
        self.x = x
        self.target = np.log1p(rain)  # a few downpours would rule the loss otherwise
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.rng = np.random.default_rng(seed)
        self.order = np.arange(len(x))
        self.on_epoch_end()

    def __len__(self):
        return int(np.ceil(len(self.x) / self.batch_size))

    def __getitem__(self, index):
        rows = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        return self.x[rows], self.target[rows]

    def on_epoch_end(self):
        if self.shuffle:
            self.rng.shuffle(self.order)


class MillimetresCallback(callbacks.Callback):
    """The loss is in logarithms, forecasters want mm/h."""

    def __init__(self, x, rain):
        super().__init__()
        self.x, self.rain = x, rain

    def on_epoch_end(self, epoch, logs=None):
        print(f"  epoch {epoch}: {error_mm(self.model, self.x, self.rain):.2f} mm/h off")


def error_mm(model, x, rain):
    forecast = np.expm1(model.predict(x, batch_size=256, verbose=0))
    return float(np.mean(np.abs(forecast.squeeze(-1) - rain)))


def build_model():
    inputs = layers.Input(shape=(SIZE, SIZE, HISTORY))
    h = layers.Conv2D(16, 3, padding="same", activation="relu")(inputs)
    h = layers.MaxPooling2D()(h)
    h = layers.Conv2D(32, 3, padding="same", activation="relu")(h)
    h = layers.MaxPooling2D()(h)
    h = layers.Flatten()(h)
    h = layers.Dense(64, activation="relu")(h)
    outputs = layers.Dense(1)(h)
    return Model(inputs, outputs, name="nowcast")


pictures, rain, storm_ids = record(N_STORMS, seed=5)
shuffled = np.random.default_rng(1).permutation(N_STORMS)
in_val = np.isin(storm_ids, shuffled[:24])
in_test = np.isin(storm_ids, shuffled[24:72])
in_train = ~(in_val | in_test)

x_train, y_train = prepare(pictures[in_train]), rain[in_train]
x_val, y_val = prepare(pictures[in_val]), rain[in_val]
x_test, y_test = prepare(pictures[in_test]), rain[in_test]
print(len(x_train), "windows to train on,", len(x_val), "to validate,", len(x_test), "to test")

model = build_model()
model.compile(optimizer=optimizers.Adam(learning_rate=1e-3), loss="mse", metrics=["mae"])
model.fit(
    RadarSequence(x_train, y_train, shuffle=True),
    validation_data=RadarSequence(x_val, y_val),
    epochs=24,
    callbacks=[
        MillimetresCallback(x_val, y_val),
        callbacks.EarlyStopping(
            monitor="val_mae", mode="min", patience=5, restore_best_weights=True
        ),
    ],
    verbose=2,
)

always_mean = float(np.mean(np.abs(y_test - np.median(y_train))))
print(f"always the median would be {always_mean:.2f} mm/h off")
print({"mae_mm": error_mm(model, x_test, y_test)})
