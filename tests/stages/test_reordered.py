"""Rows that are parted from what belongs to them, words numbered twice, and a row without batch."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

ALONE = {
    "X, y = load()\norder = rng.permutation(len(X))\nX = X[order]\nmodel.fit(X, y)": 3,
    "X, y = load()\nperm = torch.randperm(len(X))\ny = y[perm]\nrows = TensorDataset(X, y)": 3,
    "texts, labels = read()\nrandom.shuffle(texts)\nrows = Rows(texts, labels)": 2,
    "images, targets = read()\nrng.shuffle(images)\n"
    "ds = tf.data.Dataset.from_tensor_slices((images, targets))": 2,
    "def load(path):\n    x, y = read(path)\n    x = shuffle(x, random_state=3)\n"
    "    return x, y": 3,
    "def mix(texts, labels):\n    p = np.random.permutation(len(texts))\n"
    "    return [texts[i] for i in p], labels": 3,
    "x, y = load()\nidx = np.arange(len(x))\nnp.random.shuffle(idx)\nx = x[idx]\n"
    "x_train, y_train = x[:90], y[:90]": 4,
    "x, y = load()\nidx = list(range(len(x)))\nrandom.shuffle(idx)\nx = np.take(x, idx, axis=0)\n"
    "x_train = x[:90]\ny_train = y[:90]": 4,
    "windows, seconds = cut(log)\norder = np.argsort(starts)\nwindows = windows[order]\n"
    "a, b, c, d = train_test_split(windows, seconds)": 3,
    "df = read()\ny = df['price']\ndf = df.sample(frac=1)\nX = df.drop(columns='price')\n"
    "model.fit(X, y)": 3,
    "df = read().sample(frac=1)\nX = df.sort_values(by='age').drop(columns='kind')\n"
    "y = LabelEncoder().fit_transform(df['kind'])\nX = scaler.fit_transform(X)\n"
    "TensorDataset(X, y)": 2,
    "class Rows(Sequence):\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n"
    "    def on_epoch_end(self):\n        p = np.random.permutation(len(self.x))\n"
    "        self.x = self.x[p]\n"
    "    def __getitem__(self, i):\n"
    "        return self.x[i * 8 : i * 8 + 8], self.y[i * 8 : i * 8 + 8]": 6,
    "x, y = load()\norder = torch.randperm(len(x))\nfor i in range(0, 9, 3):\n"
    "    xb, yb = x[order[i : i + 3]], y[i : i + 3]\n    fit(xb, yb)": 4,
}
BY_TWO_LOTS = {
    "x, y = load()\nx = x[rng.permutation(len(x))]\ny = y[rng.permutation(len(y))]\nfit(x, y)": 3,
    "texts, labels = read()\nrandom.shuffle(labels)\nrandom.shuffle(texts)\nRows(texts, labels)": 2,
    "x, y = load()\nx_s, y_s = shuffle(x), shuffle(y)\nfit(x_s, y_s)": 2,
    "X, y = load()\nX = X.sample(frac=1, random_state=1)\ny = y.sample(frac=1, random_state=2)\n"
    "fit(X, y)": 3,
    "x, y = load()\np = rng.permutation(9)\nx = x[p]\n"
    "p = rng.permutation(9)\ny = y[p]\nfit(x, y)": 5,
}
TOGETHER = [
    "class Rows(Sequence):\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n"
    "        self.order = np.arange(len(x))\n"
    "    def __getitem__(self, i):\n"
    "        rows = self.order[8 * i : 8 * i + 8]\n        x = self.x[rows]\n"
    "        gain = rng.uniform(0.8, 1.2, (len(rows), 1, 1))\n"
    "        x = gain * np.stack([np.roll(one, k) for one, k in zip(x, shifts)])\n"
    "        return x, self.y[rows]\n"
    "    def on_epoch_end(self):\n        rng.shuffle(self.order)",
    "X, y = load()\norder = rng.permutation(len(X))\nX = X[order]\n"
    "X = np.stack([turn(a, b) for a, b in zip(X, turns)])\ny = y[order]\nfit(X, y)",
    "df = read().sort_values('day')\nX, y = df[['a']], df['b']\nfit(scaler.fit_transform(X), y)",
    "df = read()\nX = df.sort_values('day')[['a']]\ny = df.sort_values('day')['b']\nfit(X, y)",
    "df = read()\nX = df.sort_values('day').drop(columns='b')\ny = df['b'].loc[X.index]\nfit(X, y)",
    "X, y = load()\norder = rng.permutation(len(X))\nX, y = X[order], y[order]\nfit(X, y)",
    "X, y = load()\nX, y = shuffle(X, y)\nfit(X, y)",
    "X, y = load()\nX = shuffle(X, random_state=1)\ny = shuffle(y, random_state=1)\nfit(X, y)",
    "rng.seed(3)\nx, y = load()\nrng.shuffle(x)\nrng.seed(3)\nrng.shuffle(y)\nfit(x, y)",
    "x, y = load()\nnp.random.default_rng(1).shuffle(x)\nnp.random.default_rng(1).shuffle(y)\n"
    "fit(x, y)",
    "rows = list(zip(x, y))\nrandom.shuffle(rows)\nx, y = zip(*rows)\nfit(x, y)",
    "labels = [0, 1] * 9\nrandom.shuffle(labels)\ntexts = [write(one) for one in labels]\n"
    "Rows(texts, labels)",
    "texts = read()\nrandom.shuffle(texts)\nlabels = [judge(one) for one in texts]\n"
    "fit(texts, labels)",
    "def mixup(x, y):\n    p = torch.randperm(len(x))\n    mixed = 0.3 * x + 0.7 * x[p]\n"
    "    return mixed, y, y[p]",
    "x, y = load()\nx_shuffled = x[rng.permutation(len(x))]\nmodel.evaluate(x_shuffled, y)",
    "anchors, y = load()\nnegatives = list(anchors)\nrandom.shuffle(negatives)\n"
    "Pairs(anchors, negatives)",
    "X_train, y_test = load()\nrng.shuffle(X_train)\nscore_batch(X_train, y_test)",
    "X, y = load()\nX = X.sample(frac=1)\ny = y.loc[X.index]\nfit(X, y)",
    "names = read()\nrandom.shuffle(names)\nprint(names, labels)",
    "x, y = load()\norder = rng.permutation(len(x))\ntest = order[:9]\n"
    "x_test, y_test = x[test], y[test]\n"
    "fit(x_test, y_test)",
    "x, y = load()\np = rng.permutation(9)\nq = p\nx, y = x[p], y[q]\nfit(x, y)",
    "x, y = load()\nx = x[p]\nfit(x, y)",
]
INSIDE = {
    "def pad(texts):\n    t = Tokenizer()\n    t.fit_on_texts(texts)\n"
    "    return pad_sequences(t.texts_to_sequences(texts))": (3, True),
    "t = Tokenizer()\ndef pad(texts):\n    t.fit_on_texts(texts)\n"
    "    return t.texts_to_sequences(texts)": (3, True),
    "layer = TextVectorization()\ndef pad(frame):\n    texts = frame['text'].tolist()\n"
    "    layer.adapt(texts)\n    return layer(texts)": (4, True),
    "def pad(texts):\n    return CountVectorizer().fit_transform(texts)": (2, True),
    "def pad(rows):\n    names = LabelEncoder()\n    return names.fit_transform(rows)": (3, False),
    "def pad(texts):\n    words = {w: n for n, w in enumerate(set(' '.join(texts).split()))}\n"
    "    return [[words[w] for w in t.split()] for t in texts]": (2, True),
}
OUTSIDE = [
    "def pad(texts):\n    return t.texts_to_sequences(texts)",
    "def pad(texts, fit=False):\n    if fit:\n        t.fit_on_texts(texts)\n"
    "    return t.texts_to_sequences(texts)",
    "def pad(texts):\n    t = Tokenizer()\n    t.fit_on_texts(all_texts)\n"
    "    return t.texts_to_sequences(texts)",
    "def pad(rows):\n    return MultiLabelBinarizer(classes=NAMES).fit_transform(rows)",
    "def pad(texts):\n    t = Tokenizer()\n    t.fit_on_texts(texts)\n    return t",
    "def pad(rows):\n    return StandardScaler().fit_transform(rows)",
]
CALLED = "\na = pad(train_texts)\nb = pad(test_texts)\n"
FITTED = "model.fit(x, y)\nmodel.evaluate(x_test, y_test)\n"
SINGLE = [
    "model.predict(x_test[0])",
    "one = x_test[3] / 255\nmodel.predict(one)",
    "one = x_test[-1].astype('float32')\none = one / 255\nprint(np.argmax(model.predict(one)))",
    "i = np.random.randint(0, len(x_test))\nmodel.predict(x_test[i])",
    "def ask(picture):\n    return model.predict(picture)\nask(x_test[2])",
    "model.predict(img_to_array(load_img('cat.png')))",
    "picture = cv2.imread('cat.png')\npicture = cv2.resize(picture, (32, 32))\n"
    "model.predict(picture)",
    "model(x_test[0])",
]
BATCH = [
    "model.predict(x_test[:1])",
    "model.predict(x_test[0][None])",
    "model.predict(x_test[0:1])",
    "model.predict(np.array([x_test[0]]))",
    "model.predict(x_test[[0]])",
    "one = np.expand_dims(x_test[0], 0)\nmodel.predict(one)",
    "one = x_test[0]\none = one.reshape(1, -1)\nmodel.predict(one)",
    "one = img_to_array(load_img('cat.png'))\none = np.expand_dims(one, 0)\nmodel.predict(one)",
    "one = tf.expand_dims(tf.cast(x_test[0], tf.float32), 0)\nmodel.predict(one)",
    "model.predict(x_test[mask])",
    "model.predict(batches[0])",
    "forest.predict(x_test[0])",
]


@pytest.mark.parametrize(("text", "line"), [*ALONE.items(), *BY_TWO_LOTS.items()])
def test_rows_and_labels_take_two_orders(text: str, line: int) -> None:
    found = Places(text).reordered_apart
    assert found is not None, text
    assert (found.line, found.both) == (line, text in BY_TWO_LOTS)


@pytest.mark.parametrize("text", TOGETHER)
def test_rows_and_labels_stay_together(text: str) -> None:
    assert Places(text).reordered_apart is None


@pytest.mark.parametrize(("text", "told"), INSIDE.items())
def test_a_function_numbers_each_set_anew(text: str, told: tuple[int, bool]) -> None:
    found = Places(text + CALLED).vocabulary_inside()
    assert found is not None, text
    assert (found.line, found.surely) == told


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_function_numbers_all_sets_alike(text: str) -> None:
    assert Places(text + CALLED).vocabulary_inside() is None


@pytest.mark.parametrize("text", SINGLE)
def test_a_model_is_asked_about_one_row(text: str) -> None:
    assert len(list(Places(FITTED + text).asked_of_one())) == 1


@pytest.mark.parametrize("text", BATCH)
def test_a_model_is_asked_about_a_batch(text: str) -> None:
    assert not list(Places(FITTED + text).asked_of_one())
