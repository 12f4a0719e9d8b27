# Do question and answer belong together? A functional model with two inputs.
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(42)

QA = {
    "what do you drink": ["a cup of tea", "cold water", "some juice"],
    "where do you live": ["in a small village", "near the station", "by the sea"],
    "how old are you": ["twenty years", "almost forty", "just seven"],
    "who is this": ["my younger brother", "our new teacher", "a friend from work"],
}
PRE = ["so", "well", "hmm", "tell me", "please", "ok"]
POST = ["i think", "you know", "as always", "today", "of course"]
seen = set()
rng = np.random.default_rng(42)


def sample(n):
    questions, answers, labels = [], [], []
    keys = list(QA)
    while len(labels) < n:
        q = keys[rng.integers(4)]
        match = int(rng.random() < 0.5)
        source = q if match else str(rng.choice([k for k in keys if k != q]))
        pair = (f"{rng.choice(PRE)} {q}", f"{rng.choice(PRE)} {rng.choice(QA[source])} {rng.choice(POST)}")
        if pair in seen:
            continue
        seen.add(pair)
        questions.append(pair[0])
        answers.append(pair[1])
        labels.append(match)
    return np.array(questions), np.array(answers), np.array(labels, dtype="float32")


q_train, a_train, y_train = sample(600)
q_val, a_val, y_val = sample(150)

vectorizer = layers.TextVectorization(max_tokens=200, output_sequence_length=10)
vectorizer.adapt(np.concatenate([q_train, a_train]))


def to_ids(texts):
    return vectorizer(tf.constant(texts)).numpy()


embed = layers.Embedding(200, 32, mask_zero=True)
pool = layers.GlobalAveragePooling1D()

question = layers.Input(shape=(10,), dtype="int64", name="question")
answer = layers.Input(shape=(10,), dtype="int64", name="answer")
left, right = pool(embed(question)), pool(embed(answer))
merged = layers.Concatenate()([left, right, layers.Multiply()([left, right])])
hidden = layers.Dense(64, activation="relu")(merged)
hidden = layers.Dropout(0.1)(hidden)
output = layers.Dense(1, activation="sigmoid")(hidden)
model = tf.keras.Model(inputs=[question, answer], outputs=output)

model.compile(optimizer=tf.keras.optimizers.Adam(5e-3), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(
    [to_ids(q_train), to_ids(a_train)],
    y_train,
    validation_data=([to_ids(q_val), to_ids(a_val)], y_val),
    batch_size=32,
    epochs=15,
    verbose=2,
)
print(dict(zip(model.metrics_names, model.evaluate([to_ids(q_val), to_ids(a_val)], y_val, verbose=0))))
