# Which birds can be heard? Two seconds from a recorder in the woods, none, one or several species.
# Recorders of the test set stand at places that the network has not heard.
import numpy as np
import pandas as pd
from sklearn.metrics import classification_report, f1_score
from sklearn.preprocessing import MultiLabelBinarizer
from tensorflow import keras
from tensorflow.keras import layers

SEED = 11
RATE = 8000  # Hz
SAMPLES = 2 * RATE
WINDOW, HOP = 512, 400
FRAMES = (SAMPLES - WINDOW) // HOP + 1
BANDS = 32
SITES = 16
CLIPS_PER_SITE = 110
BATCH = 32
EPOCHS = 16
SPECIES = ["chiffchaff", "cuckoo", "nightjar", "wren", "yellowhammer"]

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)


# ---------------------------------------------------------------- recordings
def tone(seconds, start, stop, wobble=0.0):
    """A whistle that glides from one pitch to another."""
    n = int(seconds * RATE)
    pitch = np.linspace(start, stop, n) + wobble * np.sin(np.arange(n) / RATE * 2 * np.pi * 25)
    return np.sin(2 * np.pi * np.cumsum(pitch) / RATE) * np.hanning(n)


def pause(seconds):
    return np.zeros(int(seconds * RATE))


def sing(species):
    k = rng.normal(1, 0.05)
    if species == "chiffchaff":  # two notes that take turns
        notes = [tone(0.1, k * p, 0.9 * k * p) for p in rng.choice([3300, 2700], 4)]
        return np.concatenate([part for note in notes for part in (note, pause(0.12))])
    if species == "cuckoo":  # a high note and a low one
        return np.concatenate(
            [tone(0.2, 750 * k, 700 * k), pause(0.1), tone(0.25, 580 * k, 560 * k)]
        )
    if species == "nightjar":  # a long low churr
        return tone(rng.uniform(0.7, 1.1), 1400 * k, 1400 * k, wobble=500)
    if species == "wren":  # fast and falling
        return np.concatenate([tone(0.05, 3700 * k, 2500 * k) for _ in range(rng.integers(8, 13))])
    short = [tone(0.06, 2200 * k, 2350 * k) for _ in range(rng.integers(5, 8))]
    return np.concatenate([*short, tone(0.35, 1950 * k, 1900 * k)])  # yellowhammer


def record(site_noise, site_gain):
    heard = [s for s in SPECIES if rng.random() < 0.3]
    wave = rng.normal(0, site_noise, SAMPLES)
    wave += (
        0.5 * site_noise * np.sin(2 * np.pi * rng.uniform(100, 3500) / RATE * np.arange(SAMPLES))
    )
    for species in heard:
        song = sing(species) * rng.uniform(0.2, 0.6)
        start = rng.integers(0, SAMPLES - len(song))
        wave[start : start + len(song)] += song
    if rng.random() < 0.2:  # the recorder woke up late
        wave[: rng.integers(500, 3000)] = 0
    return site_gain * wave, ";".join(heard)


def spectrogram(wave):
    """Log power, bands x frames."""
    frames = np.lib.stride_tricks.sliding_window_view(wave, WINDOW)[::HOP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames))[:, 1:] ** 2
    power = power.reshape(FRAMES, BANDS, -1).mean(axis=2)
    return np.log(power + 1e-4).T


specs, rows = [], []
for site in range(SITES):
    noise, gain = rng.uniform(0.08, 0.16), rng.uniform(0.7, 1.4)
    for _ in range(CLIPS_PER_SITE):
        wave, heard = record(noise, gain)
        specs.append(spectrogram(wave))
        rows.append({"site": site, "birds": heard})
specs = np.array(specs, dtype="float32")
clips = pd.DataFrame(rows)
print(clips.birds.value_counts().head(8))

# ---------------------------------------------------------------- features and labels
X = specs.transpose(0, 2, 1)[..., np.newaxis]  # time, pitch, channel

mlb = MultiLabelBinarizer(classes=SPECIES)
y = mlb.fit_transform([[b for b in row.split(";") if b] for row in clips.birds]).astype("float32")

sites = rng.permutation(SITES)
is_test = clips.site.isin(sites[:4]).to_numpy()
is_val = clips.site.isin(sites[4:6]).to_numpy()
is_train = ~(is_test | is_val)

mean, std = X[is_train].mean(), X[is_train].std()
X = (X - mean) / std


class ClipSequence(keras.utils.Sequence):
    def __init__(self, x, y, batch_size=BATCH, shuffle=True):
        self.x, self.y = x, y
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.order = np.arange(len(x))
        self.on_epoch_end()

    def __len__(self):
        return int(np.ceil(len(self.x) / self.batch_size))

    def __getitem__(self, i):
        chosen = self.order[i * self.batch_size : (i + 1) * self.batch_size]
        return self.x[chosen], self.y[chosen]

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.order)


train_gen = ClipSequence(X[is_train], y[is_train])
val_gen = ClipSequence(X[is_val], y[is_val], shuffle=False)
test_gen = ClipSequence(X[is_test], y[is_test], shuffle=False)

# ---------------------------------------------------------------- network
model = keras.Sequential(
    [
        layers.Conv2D(16, 5, strides=2, activation="relu", input_shape=X.shape[1:]),
        layers.Conv2D(32, 3, strides=(2, 1), activation="relu"),
        layers.Conv2D(32, 3, strides=2, activation="relu"),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(48, activation="relu"),
        layers.Dense(len(SPECIES), activation="sigmoid"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss="binary_crossentropy",
    metrics=[keras.metrics.AUC(multi_label=True, name="auc")],
)
model.fit(train_gen, validation_data=val_gen, epochs=EPOCHS, verbose=2)

# ---------------------------------------------------------------- how good is it?
y_true = y[is_test].astype(int)
y_pred = (model.predict(test_gen, verbose=0) > 0.5).astype(int)
print(classification_report(y_true, y_pred, target_names=SPECIES, zero_division=0))
print({"macro_f1": f1_score(y_true, y_pred, average="macro", zero_division=0)})
