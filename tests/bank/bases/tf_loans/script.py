"""Which loans will not be paid back? Tabular data, two inputs, few positives."""
import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from tensorflow import keras
from tensorflow.keras import layers

RANDOM_STATE = 55
keras.utils.set_random_seed(RANDOM_STATE)

NUMERIC = ["income", "amount", "age", "months_employed", "late_payments", "rate"]
PURPOSES = ["car", "holiday", "house", "school", "shop"]
TARGET = "defaulted"


def load_loans(n=4000):
    rng = np.random.default_rng(RANDOM_STATE)
    df = pd.DataFrame(
        {
            "income": rng.lognormal(10.4, 0.4, n),
            "amount": rng.lognormal(9.2, 0.6, n),
            "age": rng.integers(20, 70, n),
            "months_employed": rng.integers(0, 240, n),
            "late_payments": rng.poisson(1.2, n),
            "rate": rng.uniform(0.02, 0.14, n),
            "purpose": rng.choice(PURPOSES, n),
        }
    )
    burden = df["amount"] / df["income"]
    risk = (
        7.0 * burden
        + 1.6 * df["late_payments"]
        - 0.012 * df["months_employed"]
        + 28 * df["rate"]
        + df["purpose"].map({"car": 0.0, "holiday": 1.6, "house": -1.5, "school": -0.8, "shop": 1.2})
    )
    df[TARGET] = (risk + rng.normal(0, 1.2, n) > np.quantile(risk, 0.82)).astype(int)
    return df


df = load_loans()
train_df, test_df = train_test_split(df, test_size=0.25, stratify=df[TARGET], random_state=RANDOM_STATE)
train_df, val_df = train_test_split(train_df, test_size=0.2, stratify=train_df[TARGET], random_state=RANDOM_STATE)

y_train = train_df[TARGET].to_numpy()
y_val = val_df[TARGET].to_numpy()
y_test = test_df[TARGET].to_numpy()

scaler = StandardScaler()
X_train = scaler.fit_transform(train_df[NUMERIC])
X_val = scaler.transform(val_df[NUMERIC])
X_test = scaler.transform(test_df[NUMERIC])


def purpose_codes(frame):
    return frame["purpose"].map(PURPOSES.index).to_numpy()


negatives, positives = np.bincount(y_train)
weight_for_0 = len(y_train) / (2.0 * negatives)
weight_for_1 = len(y_train) / (2.0 * positives)
class_weight = {0: weight_for_0, 1: weight_for_1}
print(f"{positives} of {len(y_train)} loans were not paid back, class weights {class_weight}")


def make_model(n_features):
    numeric = keras.Input(shape=(n_features,), name="numeric")
    purpose = keras.Input(shape=(), dtype="int32", name="purpose")
    embedded = layers.Embedding(len(PURPOSES), 4)(purpose)
    x = layers.Concatenate()([numeric, embedded])
    x = layers.Dense(48, activation="relu", kernel_initializer="he_normal")(x)
    x = layers.Dropout(0.1)(x)
    x = layers.Dense(24, activation="relu", kernel_initializer="he_normal")(x)
    output = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs=[numeric, purpose], outputs=output)


model = make_model(X_train.shape[1])
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=2e-3),
    loss=keras.losses.BinaryCrossentropy(),
    metrics=[
        keras.metrics.Precision(name="precision"),
        keras.metrics.Recall(name="recall"),
        keras.metrics.AUC(name="prc", curve="PR"),
    ],
)

callbacks = [
    keras.callbacks.EarlyStopping(monitor="val_prc", mode="max", patience=4, restore_best_weights=True),
    keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=3, min_lr=1e-5),
]
history = model.fit(
    [X_train, purpose_codes(train_df)],
    y_train,
    validation_data=([X_val, purpose_codes(val_df)], y_val),
    epochs=25,
    batch_size=64,
    class_weight=class_weight,
    callbacks=callbacks,
    verbose=2,
)

probabilities = model.predict([X_test, purpose_codes(test_df)], verbose=0)
y_pred = (probabilities[:, 0] > 0.5).astype(int)
print({"f1": f1_score(y_test, y_pred, zero_division=0)})
