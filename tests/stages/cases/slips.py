"""Cases of the rules in stages/slips.py."""

from __future__ import annotations

from debugger.pipelines.data import Data
from debugger.stages import slips
from tests.stages.cases.seen import MEASURED, SPLIT, Case, failed, of_script

CASES = [
    Case(
        slips.split_apart,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="a, b = train_test_split(texts)\ny, z = train_test_split(labels)",
        says={"inputs": "texts", "labels": "labels"},
    ),
    Case(
        slips.labels_before_dropping,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="y = df['y']\ndf = df.dropna()\nx = df['x']\nfit(x, y)",
        says={"at": 1, "frame": "df"},
    ),
    Case(
        slips.halves_crossed,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="a, b, c, d = train_test_split(x, y)\nheld = Rows(b, c)",
        says={"inputs": "b", "labels": "c"},
    ),
    Case(
        slips.numbered_apart,
        Data(SPLIT, None),
        {"failure": failed("ValueError", "no rows")},
        script="here = pd.factorize(train['kind'])[0]\nthere = pd.factorize(test['kind'])[0]",
    ),
    Case(
        slips.learned_from_judged,
        Data(SPLIT, None),
        {"refitted": ("scaler", 3, "StandardScaler")},
        script="a = scaler.fit_transform(x_train)\nb = StandardScaler().fit_transform(x_test)\n"
        "scaler = StandardScaler()",
        says={"kind": "StandardScaler"},
    ),
    of_script(
        slips.bytes_wrap_around,
        "photo = photo + rng.integers(-30, 31).astype(np.uint8)",
        made="rng.integers(-30, 31)",
    ),
    of_script(
        slips.shuffled_before_zip,
        "x = tf.data.Dataset.from_tensor_slices(photos)\n"
        "y = tf.data.Dataset.from_tensor_slices(labels)\n"
        "rows = tf.data.Dataset.zip((x.shuffle(9), y.shuffle(9)))",
        shuffled="x.shuffle(9), y.shuffle(9)",
    ),
    Case(
        slips.order_for_rank,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="order = np.argsort(-scores)\nrank = order[np.arange(len(y)), y] + 1",
        says={"order": "order", "asked": "y"},
    ),
    of_script(
        slips.reordered_alone,
        "x, y = load()\norder = rng.permutation(len(x))\nx = x[order]\nrows = Rows(x, y)",
        moved="x",
        kept="y",
        at=4,
    ),
    of_script(
        slips.reordered_by_two_lots,
        "x, y = load()\nrng.shuffle(x)\nrng.shuffle(y)\nrows = Rows(x, y)",
        moved="y",
        kept="x",
        at=4,
    ),
    of_script(
        slips.vocabulary_made_inside,
        "def pad(texts):\n    words = Tokenizer()\n    words.fit_on_texts(texts)\n"
        "    return words.texts_to_sequences(texts)\nx = pad(train)\nz = pad(test)",
        made="words.fit_on_texts(texts)",
        function="pad",
        at=5,
        again=6,
    ),
    of_script(
        slips.vocabulary_made_apart,
        "def vocab(texts):\n    return {word: n for n, word in enumerate(common(texts))}\n"
        "known = vocab(train)\nx = encode(train, known)\nz = encode(test, vocab(test))",
        made="vocab(test)",
        at=3,
    ),
    Case(
        slips.compared_by_identity,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="right = [said.strip() is wanted.strip() for said, wanted in rows]",
        says={"comparison": "said.strip() is wanted.strip()"},
    ),
    Case(
        slips.loss_divided_again,
        MEASURED,
        {"failure": failed("ValueError", "no batch came")},
        script="perplexity = math.exp(trainer.evaluate()['eval_loss'] / 16)",
        says={"made": "trainer.evaluate()['eval_loss'] / 16"},
    ),
]
