"""What the text of a script shows to be meant otherwise, and what looks like it and is right."""

from __future__ import annotations

import pytest

from debugger.script.frames import Frames
from debugger.script.places import Places
from debugger.script.slips import Slips

SPLIT = "a, b, y, z = train_test_split(texts, labels)\n"
AFRESH = (
    "def rows(count, seed):\n    rng = np.random.default_rng(seed)\n    for n in range(count):\n"
)


def slips(text: str) -> Slips:
    return Places(text).slips


def tables(text: str) -> Frames:
    return Places(text).frames


@pytest.mark.parametrize(
    "text",
    [
        "held = Rows(b, y)",
        "held = tf.data.Dataset.from_tensor_slices((b, y))",
        "held = Dataset.from_dict({'text': b, 'label': y})",
        "model.fit(x=a, y=z)",
    ],
)
def test_the_halves_of_a_split_are_crossed(text: str) -> None:
    found = slips(SPLIT + text).crossed()

    assert found is not None
    assert found.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "held = Rows(b, z)",
        "model.fit(a, y, validation_data=(b, z))",
        "run(a, b, y, z)",
        "both = np.concatenate([a, b])",
        "print(b, y)",
        "whole = pd.concat(objs=(a, b))",
    ],
)
def test_the_halves_of_a_split_stand_together(text: str) -> None:
    assert slips(SPLIT + text).crossed() is None


def test_words_are_numbered_anew_for_each_set() -> None:
    inside = "def kinds(frame):\n    return pd.factorize(frame['kind'])[0]\n"
    kept = "codes, names = pd.factorize(train['kind'])\nagain = names.get_indexer(test['kind'])"
    by_place = "one, _ = train['kind'].factorize()\nother, _ = test['kind'].factorize()"

    assert slips(inside + "here, there = kinds(train), kinds(test)").numbered_apart() == 2
    assert slips(by_place).numbered_apart() == 2
    assert slips(inside + "here = kinds(everything)").numbered_apart() is None
    picked = "here, there = kinds(all['a'].iloc[train]), kinds(all['a'].iloc[test])"
    assert slips(inside + picked).numbered_apart() == 2
    assert slips(inside + "here, there = kinds(all['a']), kinds(all['b'])").numbered_apart() is None
    assert slips(kept).numbered_apart() is None
    later = "test['y'] = pd.factorize(test['kind'])[0]\ny, known = pd.factorize(train['kind'])\n"
    assert slips(later + "print(len(known))").numbered_apart() == 1


def test_a_shuffled_table_keeps_its_row_numbers() -> None:
    beside = "\ndf['text'] = pd.Series([clean(t) for t in df['said'].tolist()])"

    found = tables("df = df.sample(frac=1, random_state=1)" + beside).by_old_index()
    assert found is not None
    assert (found.moved, found.laid, found.table) == (1, 2, "df")
    for right in (
        "df = df.sample(frac=1).reset_index(drop=True)" + beside,
        "df = df.sample(frac=1, ignore_index=True)" + beside,
        "df = df.sample(frac=1)\ndf = df.reset_index()" + beside,
        "df = load()" + beside,
        "df = df.sample(frac=1)\ndf['text'] = pd.Series(made, index=df.index)",
        "df = df.sample(frac=1)\ndf['text'] = pd.Series(df['said'].map(clean))",
        "df = df.sample(frac=1)\ndf['text'] = [clean(t) for t in df['said']]",
        "some = df.sample(frac=1)" + beside,
        "key = lambda row: (row.a, row.b)",
    ):
        assert tables(right).by_old_index() is None


def test_a_column_is_numbered_anew_for_a_table_that_is_not() -> None:
    beside = "\ndf['b'] = other.loc[df['n'], 'b'].reset_index(drop=True)"
    for moves, surely in (
        ("df = df.sample(frac=1)", True),
        ("df, held = train_test_split(df)", True),
        ("df = shuffle(df)", True),
        ("df = df[df['n'] > 3]", False),
        ("df = df.dropna()", False),
    ):
        found = tables(moves + beside).numbered_anew()
        assert found is not None
        assert (found.moved, found.laid, found.surely) == (1, 2, surely)
    other = tables("df = df.sample(frac=1)\ndf['b'] = raw['b'].reset_index(drop=True)")
    found = other.numbered_anew()
    assert found is not None
    assert not found.surely
    for right in (
        "df = load()" + beside,
        "df = df.sample(frac=1)" + beside + ".to_numpy()",
        "df = df.sample(frac=1)" + beside.replace("drop=True", ""),
        "df = df.sample(frac=1)\ndf.index = range(len(df))" + beside,
        "df = df.sample(frac=1)\ndf.reset_index(drop=True, inplace=True)" + beside,
        "df = df.sample(frac=1)\nif plain:\n    df = load()" + beside,
        "df, held = train_test_split(df)\nfor one in (df, held):\n"
        "    one.reset_index(drop=True, inplace=True)" + beside,
        "df = df.sample(frac=1).set_index('n')" + beside,
    ):
        assert tables(right).numbered_anew() is None


def test_what_prepares_rows_learns_from_those_to_be_judged_by() -> None:
    first = "scaler = StandardScaler()\ntrain = scaler.fit_transform(train)\n"

    for wrong in (
        "test = scaler.fit_transform(test)",
        "test = StandardScaler().fit_transform(test)",
        "other = StandardScaler().fit(np.concatenate(test_logs))",
        "x_val = scaler.fit_transform(x_val)",
    ):
        assert slips(first + wrong).learned_from_judged() == (3, "StandardScaler")
    for right in (
        "test = scaler.transform(test)",
        "model.fit(test)",
        "latest = scaler.fit_transform(latest)",
        "y_test = MinMaxScaler().fit_transform(y_test)",
        "both = scaler.fit(np.concatenate([train, test]))",
    ):
        assert slips(first + right).learned_from_judged() is None


def test_rows_and_labels_are_split_by_two_lots() -> None:
    rows = "a, b = train_test_split(df['note'].tolist(), test_size=0.2{})\n"
    labels = "y, z = train_test_split(labels, test_size=0.2{})"

    assert slips(rows.format("") + labels.format("")).split_apart() == (2, "note", "labels")
    seeds = (", random_state=1", ", random_state=2")
    assert slips(rows.format(seeds[0]) + labels.format(seeds[1])).split_apart() is not None
    pictures = "seen, held = train_test_split(pictures)\nhours, late = train_test_split(hours)\n"
    assert slips(pictures).split_apart() is None
    assert slips(pictures + "Rows(seen, hours)").split_apart() == (2, "pictures", "hours")
    for right in (
        rows.format(seeds[0]) + labels.format(seeds[0]),
        rows.format(", shuffle=False") + labels.format(", shuffle=False"),
        "train, test = train_test_split(df)\ntrain, val = train_test_split(train)",
        "a, b, y, z = train_test_split(texts, labels)",
    ):
        assert slips(right).split_apart() is None


def test_names_that_are_only_counted_are_kept_by_nobody() -> None:
    counted = "def kinds(told):\n    codes, names = pd.factorize(told)\n    return codes, {}\n"
    twice = "here, there = kinds(kinds_train), kinds(kinds_test)"

    assert slips(counted.format("len(names)") + twice).numbered_apart() == 2
    assert slips(counted.format("names") + twice).numbered_apart() is None


def test_a_table_of_numbers_is_made_anew_for_each_set() -> None:
    made = "def numbered(told{}):\n    table = {{w: n for n, w in enumerate({})}}\n"
    twice = "here, there = numbered(train), numbered(test)"

    assert slips(made.format("", "told.unique()") + twice).numbered_apart() == 2
    assert slips(made.format("", "dict.fromkeys(told)") + twice).numbered_apart() == 2
    assert slips(made.format("", "sorted(set(told))") + twice).numbered_apart() is None
    assert slips(made.format(", table=None", "told.unique()") + twice).numbered_apart() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("right = one.strip() is other.strip()", True),
        ("right = word is 'yes'", True),
        ("right = one.strip() == other.strip()", False),
        ("right = word is None or type(word) is str", False),
        ("right = row is rows[0] or self.model is model", False),
    ],
)
def test_is_asks_for_the_same_object(text: str, said: bool) -> None:
    assert (slips(text).identical() is not None) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("math.exp(trainer.evaluate()['eval_loss'] / 8)", True),
        ("np.exp(history.history['loss'][-1] * 2)", True),
        ("math.exp(trainer.evaluate()['eval_loss'])", False),
        ("math.exp(total / len(loader))", False),
        ("math.exp(found['eval_loss'] * math.log(2))", False),
        ("math.exp(found['distance'] / 2)", False),
    ],
)
def test_a_mean_loss_is_divided_again(text: str, said: bool) -> None:
    assert (slips(text).loss_divided() is not None) == said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (AFRESH + "        rng = np.random.default_rng(seed)", 4),
        ("made = [draw(np.random.default_rng(7)) for n in range(9)]", 1),
        (AFRESH + "        rng = np.random.default_rng(seed + n)", None),
        (AFRESH + "        made = draw(rng)", None),
        ("made = [np.random.default_rng(seed) for seed in range(9)]", None),
    ],
)
def test_a_seed_is_set_again_for_each_row(text: str, line: int | None) -> None:
    assert slips(text).seeded_again() == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("own = model.parameters()\ncount(own)\nAdamW(own)", 1),
        ("own = (p for p in model.parameters() if p.requires_grad)\ncount(own)\nAdamW(own)", 1),
        ("own = list(model.parameters())\ncount(own)\nAdamW(own)", None),
        ("own = model.parameters()\nAdamW(own)", None),
    ],
)
def test_weights_are_gone_through_once(text: str, line: int | None) -> None:
    found = slips(text).gone_through()
    assert (found and found[0]) == line


def test_a_loss_is_made_of_what_it_should_be_asked_about() -> None:
    assert slips("nn.CrossEntropyLoss(scores, labels)").loss_made_of(1) == "CrossEntropyLoss"
    assert slips("nn.CrossEntropyLoss(weights)(scores, labels)").loss_made_of(1) is None
    assert slips("cross_entropy(scores, labels)").loss_made_of(1) is None


@pytest.mark.parametrize(
    "dropping",
    [
        "df = df.dropna()",
        "df = df.dropna(subset=['text']).reset_index(drop=True)",
        "df = df.drop_duplicates('text')",
        "df = df.query('n > 3')",
        "df = df[df['n'] > 3]",
        "df = df.loc[df['text'].str.len() > 3]",
    ],
)
def test_rows_are_left_out_once_the_labels_are_made_of_them(dropping: str) -> None:
    made = "labels = df['label'].tolist()\n"
    behind = "\nfit(df['text'], labels)"

    assert slips(made + dropping + behind).labels_before_dropping() == (2, 1, "df")
    assert slips(dropping + "\n" + made + behind).labels_before_dropping() is None


@pytest.mark.parametrize(
    "dropping",
    [
        "other = df.dropna()",
        "df = df.fillna(0)",
        "df = df.sample(frac=1)",
        "df = df.reset_index(drop=True)",
        "df = df[['text', 'n']]",
        "df = df.dropna()\ny = y[df.index]",
        "df = df.dropna()\ny = y.loc[df.index]",
        "df = df.dropna()\ny = df['label']",
        "keep = df['n'] > 3\ny = y[keep]\ndf = df[keep]",
    ],
)
def test_labels_go_with_their_rows_where_those_are_left_out(dropping: str) -> None:
    text = f"y = df['label']\n{dropping}\nfit(df['text'], y)"

    assert slips(text).labels_before_dropping() is None


def test_labels_that_nobody_reads_behind_it_are_no_matter() -> None:
    text = "y = df['label']\nprint(y.describe())\ndf = df.dropna()\nfit(df['text'], df['label'])"

    assert slips(text).labels_before_dropping() is None
    assert slips(text + "\nprint(y)").labels_before_dropping() == (3, 1, "df")


@pytest.mark.parametrize(
    ("taken", "first", "second", "line"),
    [
        ("frame, size", "train, 8", "test, 8", 3),
        ("size, frame", "8, train", "8, test", 3),
        ("frame, size", "train, 8", "train, 9", None),
        ("frame, size=8", "train, 8", "test, 8", None),
    ],
)
def test_words_are_numbered_anew_for_each_set_that_an_object_is_made_of(
    taken: str, first: str, second: str, line: int | None
) -> None:
    text = (
        f"class Rows:\n    def __init__(self, {taken}):\n"
        "        self.kinds = pd.factorize(frame['kind'])[0]\n"
        f"here, there = Rows({first}), Rows({second})"
    )

    assert slips(text).numbered_apart() == line


def test_words_that_are_handed_to_each_set_are_numbered_alike() -> None:
    text = (
        "class Rows:\n    def __init__(self, frame, words):\n"
        "        self.kinds = {word: n for n, word in enumerate(words.unique())}\n"
        "here, there = Rows(train, words), Rows(test, words)"
    )

    assert slips(text).numbered_apart() is None
    assert slips(text.replace("words.unique", "frame.unique")).numbered_apart() == 3


WRITTEN = "table = [[0] * 5] * rows\n"
ONE_ROW = [
    WRITTEN + "table[0][2] = 1",
    WRITTEN + "table[0][2] += 1",
    WRITTEN + "table[0][:3] = [1, 1, 1]",
    WRITTEN + "for n in range(rows):\n    table[n][2] = 1",
    WRITTEN + "for row, word in zip(table, words):\n    row[places[word]] = 1",
    "table = rows * [[0] * 5]\nfor n, row in enumerate(table):\n    row[n] = 1",
    "table = [np.zeros(5)] * rows\ntable[0][2] = 1",
    "found = [[]] * rows\nfound[2].append(word)",
    "found = [{}] * rows\nfound[0]['a'] = 1",
    "found = [dict()] * rows\nfound[0].update(a=1)",
    "found = [Counter()] * rows\nfor row in found:\n    row.update(words)",
]
OWN_ROWS = [
    "table = [[0] * 5 for _ in range(rows)]\ntable[0][2] = 1",
    "table = [0] * rows\ntable[2] = 1",
    "table = [None] * rows\ntable[0] = [0] * 5\ntable[0][2] = 1",
    "table = [(0, 0)] * rows\ntable[0] = (1, 1)",
    "table = np.array([[0] * 5] * rows)\ntable[0][2] = 1",
    "table = torch.tensor([[0] * 5] * rows)\ntable[0, 2] = 1",
    WRITTEN + "for n, text in enumerate(texts):\n    table[n] = encode(text)",
    WRITTEN + "texts = texts + table",
    WRITTEN + "table.append([1] * 5)",
    WRITTEN + "for row in table:\n    out.append(row)",
    WRITTEN + "for row in table:\n    seen[row[0]] = 1",
    WRITTEN + "for n, row in enumerate(table):\n    seen[n] = row",
    WRITTEN + "for row in table:\n    row = row + [1]\n    out.append(row)",
    "layers = [Linear(3, 3)] * 2\nlayers[0].weight = weight",
    "df['row'] = [[0] * 5] * len(df)",
]


@pytest.mark.parametrize("text", ONE_ROW)
def test_one_row_many_times_is_written_into_as_if_it_were_many(text: str) -> None:
    found = Places(text).rows_are_one()

    assert found is not None
    assert (found[0], found[1]) == (1, text.splitlines()[0].split(" = ")[1])


@pytest.mark.parametrize("text", OWN_ROWS)
def test_rows_of_their_own_or_that_nobody_writes_into(text: str) -> None:
    assert Places(text).rows_are_one() is None
