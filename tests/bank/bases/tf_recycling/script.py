# What belongs in which bin? Photos from the sorting belt (drawn here, 32 x 32, in colour).
import os
os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from sklearn.metrics import confusion_matrix, f1_score
from tensorflow.keras.layers import BatchNormalization, Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.preprocessing.image import ImageDataGenerator
from tensorflow.keras.utils import to_categorical

np.random.seed(4)
tf.keras.utils.set_random_seed(4)

LABELS = ["bag", "bottle", "can", "carton", "lid"]
SIZE = 32
PER_CLASS = 240
TEST_PER_CLASS = 60
INIT_LR = 1e-3
EPOCHS = 6
BS = 32

rows, cols = np.mgrid[0:SIZE, 0:SIZE].astype("float32")


def shape_of(label):
    """True where the thing is."""
    cy, cx = np.random.uniform(14, 18, 2)
    dy, dx = rows - cy, cols - cx
    s = np.random.uniform(0.85, 1.15)
    if label == "bottle":
        body = (np.abs(dx) < 4 * s) & (dy > -3 * s) & (dy < 11 * s)
        neck = (np.abs(dx) < 1.6 * s) & (dy > -11 * s) & (dy <= -3 * s)
        return body | neck
    if label == "can":
        return (np.abs(dx) < 5.5 * s) & (np.abs(dy) < 8 * s)
    if label == "carton":
        box = (np.abs(dx) < 6 * s) & (dy > -3 * s) & (dy < 9 * s)
        gable = (dy <= -3 * s) & (dy > -10 * s) & (np.abs(dx) < 6 * s + (dy + 3 * s) * 0.8)
        return box | gable
    if label == "lid":
        return (dx ** 2 + dy ** 2 < (8 * s) ** 2) & (dx ** 2 + dy ** 2 > (4.5 * s) ** 2)
    # a bag: a crumpled round thing
    angle = np.arctan2(dy, dx)
    a, b = np.random.uniform(0, 6.28, 2)
    edge = 8 * s + 1.8 * np.sin(5 * angle + a) + 1.2 * np.sin(8 * angle + b)
    return np.sqrt(dx ** 2 + dy ** 2) < edge


def photo(label):
    belt = np.random.uniform(40, 110)
    picture = np.full((SIZE, SIZE, 3), belt, dtype="float32")
    picture += 12 * np.sin(cols * np.random.uniform(0.3, 0.8))[..., None]
    colour = belt + np.random.uniform(45, 130, 3)
    light = 1 + 0.25 * np.random.choice([-1, 1]) * (cols - SIZE / 2) / (SIZE / 2)
    inside = shape_of(label)
    picture[inside] = (colour * light[..., None])[inside]
    picture += np.random.normal(0, 10, picture.shape)
    return np.clip(picture, 0, 255).astype("uint8")


def collect(per_class):
    data, labels = [], []
    for number, label in enumerate(LABELS):
        for _ in range(per_class):
            data.append(photo(label))
            labels.append(number)
    return np.array(data), np.array(labels)


print("[INFO] taking photos...")
data, labels = collect(PER_CLASS)
testX, test_labels = collect(TEST_PER_CLASS)

# the photos come class by class, so mix them before some are put aside for validation
order = np.random.permutation(len(data))
data = data[order]
labels = labels[order]

labels = to_categorical(labels, num_classes=len(LABELS))
cut = int(0.85 * len(data))
trainX, valX = data[:cut], data[cut:]
trainY, valY = labels[:cut], labels[cut:]

# augmentation for the training photos only
aug = ImageDataGenerator(
    rescale=1.0 / 255,
    width_shift_range=0.08,
    height_shift_range=0.08,
    horizontal_flip=True,
)
plain = ImageDataGenerator(rescale=1.0 / 255)

train_flow = aug.flow(trainX, trainY, batch_size=BS, seed=4)
val_flow = plain.flow(valX, valY, batch_size=BS, shuffle=False)
test_flow = plain.flow(testX, batch_size=BS, shuffle=False)

model = Sequential()
model.add(Conv2D(16, (3, 3), padding="same", activation="relu", input_shape=(SIZE, SIZE, 3)))
model.add(MaxPooling2D())
model.add(BatchNormalization(momentum=0.9))
model.add(Conv2D(32, (3, 3), padding="same", activation="relu"))
model.add(MaxPooling2D())
model.add(BatchNormalization(momentum=0.9))
model.add(Flatten())
model.add(Dense(64, activation="relu"))
model.add(Dropout(0.2))
model.add(Dense(len(LABELS)))

opt = Adam(learning_rate=INIT_LR)
model.compile(
    loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True),
    optimizer=opt,
    metrics=["accuracy"],
)

print("[INFO] training...")
H = model.fit(train_flow, validation_data=val_flow, epochs=EPOCHS, verbose=2)
print("[INFO] validation accuracy:", round(H.history["val_accuracy"][-1], 3))

# one photo by itself, as it will come from the camera
snapshot = testX[0].astype("float32") / 255
scores = model.predict(np.expand_dims(snapshot, axis=0), verbose=0)[0]
print("[INFO] the first photo shows a", LABELS[int(np.argmax(scores))])

print("[INFO] evaluating...")
pred = np.argmax(model.predict(test_flow, verbose=0), axis=1)
print(confusion_matrix(test_labels, pred))
print({"macro_f1": f1_score(test_labels, pred, average="macro")})
