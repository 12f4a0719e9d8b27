"""Bowing techniques of the violin, told from short clips of players that the model never heard."""
from dataclasses import dataclass

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import GroupShuffleSplit
from tensorflow import keras
from tensorflow.keras import layers

SEED = 21
RATE = 4000
CLIP = 3000  # samples, three quarters of a second
CLIPS_PER_TAKE = 4
PLAYERS = 24
TAKES_PER_PLAYER = 14
FRAME, HOP = 128, 64
BANDS = 8
TECHNIQUES = ["detache", "legato", "pizzicato", "spiccato", "tremolo"]

keras.utils.set_random_seed(SEED)


@dataclass
class Player:
    name: str
    tempo: float
    brightness: float
    vibrato: float
    hum: float
    noise: float
    gain: float


class Studio:
    """Makes up recordings: every player has an own tempo, tone, room and microphone."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def invite(self, number):
        rng = self.rng
        return Player(
            name=f"player_{number:02d}",
            tempo=rng.uniform(0.65, 1.5),
            brightness=rng.uniform(0.5, 1.4),
            vibrato=rng.uniform(4.5, 7.0),
            hum=rng.uniform(60, 1800),
            noise=rng.uniform(0.1, 0.6),
            gain=rng.lognormal(0, 0.6),
        )

    def envelope(self, technique, t, tempo):
        rng = self.rng
        tempo = tempo * rng.uniform(0.9, 1.1)
        start = rng.uniform()
        if technique == "legato":
            return 0.85 + 0.15 * np.sin(2 * np.pi * (0.7 * tempo * t + start))
        if technique == "detache":
            return np.abs(np.sin(np.pi * (4.0 * tempo * t + start))) ** 0.6
        if technique == "spiccato":
            phase = (5.5 * tempo * t + start) % 1
            return np.exp(-(((phase - 0.3) / 0.16) ** 2))
        if technique == "pizzicato":
            phase = (3.5 * tempo * t + start) % 1
            return np.exp(-5 * phase)
        return 0.6 + 0.4 * np.sin(2 * np.pi * (9.0 * tempo * t + start))

    def record(self, player, technique):
        rng = self.rng
        t = np.arange(CLIP * CLIPS_PER_TAKE) / RATE
        pitch = 196 * 2 ** (rng.integers(0, 20) / 12)
        depth = 0.0 if technique == "pizzicato" else 0.004
        bend = depth * pitch / player.vibrato * np.sin(2 * np.pi * player.vibrato * t)
        tone = sum(
            k**-player.brightness * np.sin(2 * np.pi * k * (pitch * t + bend))
            for k in range(1, 7)
            if k * pitch < RATE / 2
        )
        wave = tone * self.envelope(technique, t, player.tempo)
        wave = wave + 0.3 * np.sin(2 * np.pi * player.hum * t)
        wave = wave + player.noise * rng.normal(size=len(t))
        return (player.gain * wave).astype("float32")


def make_takes(studio):
    rows, waves = [], []
    for number in range(PLAYERS):
        player = studio.invite(number)
        for _ in range(TAKES_PER_PLAYER):
            technique = studio.rng.choice(TECHNIQUES)
            rows.append({"player": player.name, "technique": technique})
            waves.append(studio.record(player, technique))
    return pd.DataFrame(rows), np.stack(waves)


def cut(takes, waves):
    """Cut each take into clips; a clip keeps the player and the technique of its take."""
    clips = waves.reshape(-1, CLIP)
    table = pd.DataFrame(
        {
            "player": np.repeat(takes["player"].to_numpy(), CLIPS_PER_TAKE),
            "technique": np.repeat(takes["technique"].to_numpy(), CLIPS_PER_TAKE),
        }
    )
    return table, clips


def log_spectrogram(clips):
    """Loudness over time in a few bands of frequency: clips x frames x bands."""
    spectrum = tf.abs(tf.signal.stft(clips, frame_length=FRAME, frame_step=HOP))[..., 1:].numpy()
    bands = spectrum.reshape(*spectrum.shape[:2], BANDS, -1).mean(axis=-1)
    return np.log(bands + 1e-3)


def hold_out(table, share, seed):
    splitter = GroupShuffleSplit(n_splits=1, test_size=share, random_state=seed)
    return next(splitter.split(table, groups=table["player"]))


def one_hot(techniques):
    codes = pd.Categorical(techniques, categories=TECHNIQUES).codes
    return keras.utils.to_categorical(codes, num_classes=len(TECHNIQUES))


def build_net(shape):
    return keras.Sequential(
        [
            keras.Input(shape=shape),
            layers.Conv1D(24, 9, activation="relu"),
            layers.MaxPooling1D(2),
            layers.Dropout(0.2),
            layers.Conv1D(32, 7, activation="relu"),
            layers.GlobalMaxPooling1D(),
            layers.Dropout(0.4),
            layers.Dense(len(TECHNIQUES), activation="softmax"),
        ]
    )


takes, waves = make_takes(Studio(SEED))
table, clips = cut(takes, waves)

learn, test = hold_out(table, 0.25, seed=SEED)
fit_rows, val_rows = hold_out(table.iloc[learn], 0.2, seed=SEED + 1)
train, val = learn[fit_rows], learn[val_rows]

x_train, x_val, x_test = (log_spectrogram(clips[rows]) for rows in (train, val, test))
mean, std = x_train.mean(axis=(0, 1)), x_train.std(axis=(0, 1))
x_train = (x_train - mean) / std
x_val = (x_val - mean) / std
x_test = (x_test - mean) / std

y_train = one_hot(table["technique"].iloc[train])
y_val = one_hot(table["technique"].iloc[val])
y_test = one_hot(table["technique"].iloc[test])

net = build_net(x_train.shape[1:])
net.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss="categorical_crossentropy",
    metrics=["categorical_accuracy"],
)
net.summary()
history = net.fit(
    x_train,
    y_train,
    validation_data=(x_val, y_val),
    epochs=25,
    batch_size=32,
    callbacks=[keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=4)],
    verbose=2,
)

loss, accuracy = net.evaluate(x_test, y_test, verbose=0)
print(f"{len(test)} clips of {table['player'].iloc[test].nunique()} players, loss {loss:.3f}")
print({"accuracy": float(accuracy)})
