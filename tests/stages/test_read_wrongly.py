"""Bytes that wrap around, an order read as ranks, sets zipped in two orders; and what is right."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

DRAWN = [
    "photo = photo + rng.integers(-30, 31).astype(np.uint8)",
    "shift = rng.normal(0, 9, photo.shape)\nphoto = shift.astype('uint8') + photo",
    "photo = photo - torch.randint(-9, 9, (1,)).to(torch.uint8)",
    "photo = tf.cast(tf.random.uniform([], -30, 30, tf.int32), tf.uint8) + photo",
    "photo = photo * np.uint8(np.random.randn(3))",
]
MAYBE = ["both = one.astype(np.uint8) + other", "moved = frame.astype('uint8') - before"]
WIDE = [
    "photo = photo.astype(np.float32) + rng.integers(-30, 31)",
    "photo = (photo + rng.integers(-30, 31)).clip(0, 255).astype(np.uint8)",
    "photo = photo + rng.integers(0, 31).astype(np.float32)",
    "mask = (photo > 9).astype(np.uint8) * 255\nseen = photo * mask.astype(np.uint8)",
    "mask = (one > 9).astype(np.uint8) + (other > 9).astype(np.uint8)",
    "kind = kinds.astype(np.uint8) + 1",
]
ASKED = {
    "rank = order[np.arange(len(y)), y] + 1": True,
    "rank = order[range(len(asked)), asked]": True,
    "found = order[np.arange(n), targets]": True,
    "found = order[label]": False,
    "rank = np.take_along_axis(order, y[:, None], axis=1)": True,
    "places = order.gather(1, wanted.unsqueeze(1))": True,
    "place = order[label]": True,
}
NEVER_ASKED = [
    "top = order[np.arange(n)[:, None], :5]",
    "best = order[np.arange(n), 0]",
    "medians = order[np.arange(n), middle]\nplace = order[step]",
    "gains = np.take_along_axis(gains, order, axis=1)",
    "rows = labels[order]\nfirst = order[i]",
    "rank = np.argmax(order == y[:, None], axis=1)",
    "order = np.argsort(order)\nrank = order[np.arange(n), y]",
]
COMMON = """def vocab(texts):
    counts = Counter(word for text in texts for word in text.split())
    words = ["<pad>"] + [word for word, n in counts.most_common() if n > 2]
    return {word: n for n, word in enumerate(words)}
"""
FILLED = """def ids(rows):
    known = {}
    for row in rows:
        known[row] = len(known)
    return known
"""
SORTED = """def names(rows):
    return {name: n for n, name in enumerate(sorted(set(rows)))}
"""
TWICE = {
    COMMON + "known = vocab(train)\nx = encode(train, known)\nz = encode(test, vocab(test))": True,
    COMMON + "known = vocab(train)\nx = encode(train, known)\nother = vocab(df_test['text'])\n"
    "z = encode(test, other)": True,
    FILLED + "known = ids(train)\nsize = len(known)\nx = encode(train, known)\n"
    "z = encode(valid, ids(valid))": True,
    SORTED + "x = encode(train, names(train))\nz = encode(test, names(test))": False,
}
ONCE = [
    COMMON + "known = vocab(train)\nx = encode(train, known)\nz = encode(test, known)",
    COMMON + "known = vocab(train + test)\nx = encode(train, known)\nz = encode(test, known)",
    COMMON + "known = vocab(train)\nprint(len(vocab(test)))\nx = encode(train, known)",
    COMMON.replace("(texts)", "(texts, known=None)", 1)
    + "known = vocab(train)\nx = encode(train, known)\nz = encode(test, vocab(test, known))",
    "def rows(table):\n    return {'text': table.text, 'label': table.label}\n"
    "x = encode(rows(train))\nz = encode(rows(test))",
]
SETS = """x = tf.data.Dataset.from_tensor_slices(photos)
y = tf.data.Dataset.from_tensor_slices(labels)
"""
APART = [
    "rows = tf.data.Dataset.zip((x.shuffle(9), y.shuffle(9)))",
    "rows = tf.data.Dataset.zip((x.shuffle(9).map(scale), y))",
    "x = x.shuffle(9)\ny = y.shuffle(9, seed=None)\nrows = tf.data.Dataset.zip((x, y))",
    "rows = tf.data.Dataset.zip((x.shuffle(9, seed=1), y.shuffle(9, seed=2)))",
]
TOGETHER = [
    "rows = tf.data.Dataset.zip((x, y)).shuffle(9)",
    "rows = tf.data.Dataset.zip((x.shuffle(9, seed=1), y.shuffle(9, seed=1)))",
    "whole = tf.data.Dataset.from_tensor_slices((photos, labels))\n"
    "rows = tf.data.Dataset.zip((whole.shuffle(9), whole.shuffle(9)))",
    "rows = zip(x.shuffle(9), y.shuffle(9))",
]


@pytest.mark.parametrize("text", DRAWN)
def test_a_draw_below_nothing_becomes_bytes(text: str) -> None:
    found = Places(text).wrapped()
    assert found is not None
    assert found.below
    assert found.line == text.count("\n") + 1


@pytest.mark.parametrize("text", MAYBE)
def test_bytes_may_wrap_around(text: str) -> None:
    found = Places(text).wrapped()
    assert found is not None
    assert not found.below


@pytest.mark.parametrize("text", WIDE)
def test_bytes_have_room(text: str) -> None:
    assert Places(text).wrapped() is None


@pytest.mark.parametrize(("text", "surely"), ASKED.items())
def test_an_order_is_asked_for_ranks(text: str, surely: bool) -> None:
    for made in ("np.argsort(-scores, axis=1)", "scores.argsort(1)[:, ::-1]"):
        found = Places(f"order = {made}\n{text}").order_for_rank()
        assert found is not None
        assert (found.line, found.order, found.surely) == (2, "order", surely)


@pytest.mark.parametrize("text", NEVER_ASKED)
def test_an_order_is_read_as_an_order(text: str) -> None:
    assert Places(f"order = np.argsort(-scores)\n{text}").order_for_rank() is None


def test_the_order_of_an_order_tells_ranks() -> None:
    for made in ("scores.argsort().argsort()", "np.argsort(perm)"):
        assert Places(f"where = {made}\nrank = where[label]").order_for_rank() is None


@pytest.mark.parametrize("text", APART)
def test_two_sets_are_shuffled_before_they_are_zipped(text: str) -> None:
    found = Places(SETS + text).shuffled_before_zip()
    assert found is not None
    assert found.labels
    assert found.line == (4 if "\n" in text else 3)
    assert found.at == (SETS + text).count("\n") + 1


@pytest.mark.parametrize("text", TOGETHER)
def test_sets_are_zipped_in_one_order(text: str) -> None:
    assert Places(SETS + text).shuffled_before_zip() is None


@pytest.mark.parametrize(("text", "surely"), TWICE.items())
def test_what_numbers_words_is_made_a_second_time(text: str, surely: bool) -> None:
    found = Places(text).vocabularies_apart()
    assert found is not None
    assert found.surely == surely
    assert "test" in found.made or "valid" in found.made


@pytest.mark.parametrize("text", ONCE)
def test_what_numbers_words_is_made_once(text: str) -> None:
    assert Places(text).vocabularies_apart() is None
