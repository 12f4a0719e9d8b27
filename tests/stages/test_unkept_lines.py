"""What is made and kept nowhere, and what only looks like it."""

from __future__ import annotations

import pytest

from debugger.script.places import Places

LOST = [
    'rows = load()\nrows.rename_column("stars", "label")',
    'rows = load_dataset("csv")\nrows.shuffle(seed=1)',
    'rows = DatasetDict(parts)\nrows["train"].filter(lambda row: row["label"] >= 0)',
    "def clean(text):\n    text.lower()\n    return text",
]
KEPT = [
    'rows = load()\nrows = rows.rename_column("stars", "label")',
    "rows = [3, 1, 2]\nrows.sort()",
    "random.shuffle(rows)",
    'pool.map(save, rows)\nplt.title("loss")\nos.replace(here, there)',
    "def encode(row):\n    return tokenizer(row)\nrows = rows.map(encode)",
    "def save(row):\n    row.write()\nexecutor.map(save)\npool.map(save, rows)",
]


@pytest.mark.parametrize("text", LOST)
def test_a_result_that_nobody_keeps(text: str) -> None:
    found = Places(text).unkept.thrown_away()
    assert found is not None
    assert found[0] == 2


@pytest.mark.parametrize("text", KEPT)
def test_nothing_is_lost(text: str) -> None:
    assert Places(text).unkept.thrown_away() is None
    assert Places(text).unkept.mute_map() is None


LEFT = {
    "def f(df):\n    df.dropna().reset_index(drop=True)": ("df", "dropna().reset_index", True),
    "def f(df):\n    df['x'].fillna(0)\n    return df": ("df['x']", "fillna", True),
    "df = pd.read_csv('x')\ndf.drop(columns=['a'])": ("df", "drop", False),
    "df['a'].fillna(0)\ndf.fillna(0)": ("df['a']", "fillna", False),
    "x = torch.zeros(3)\nx.to('cuda')": ("x", "to", False),
    "x = np.array(y)\nx.astype('int')": ("x", "astype", False),
}
STAY = [
    "df.dropna(inplace=True)\ndf.dropna(**told)\ndf.sort_values('x').head()",
    "os.replace(a, b)\npath.rename(b)\nrows.drop(3)\nrng.sample(3)",
    "model.to('cuda')\nbatch.to('cuda')\nnames.sort()\nkinds.update(more)",
    "def set_index(self, at):\n    self.at = at\nrows.set_index(3)",
    "torch.nn.functional.interpolate(x, 3)",
    "try:\n    df['x'].astype(int)\nexcept ValueError:\n    print('words')",
    "with pytest.raises(KeyError):\n    df.set_index('none')",
]


@pytest.mark.parametrize(("text", "told"), LEFT.items())
def test_a_table_or_an_array_that_nobody_keeps(text: str, told: tuple[str, str, bool]) -> None:
    found = Places(text).unkept.table_left()
    assert found is not None
    assert found[1:] == told


@pytest.mark.parametrize("text", STAY)
def test_what_may_well_work_in_place(text: str) -> None:
    assert Places(text).unkept.table_left() is None


def test_a_function_for_map_that_gives_nothing_back() -> None:
    text = "def encode(row):\n    tokenizer(row['text'])\nrows = rows.map(encode, batched=True)"
    assert Places(text).unkept.mute_map() == (2, "encode")


def test_the_columns_of_a_table_are_listed_where_their_names_are_written_down() -> None:
    text = """names = ["age", "rooms", "price"]
shown = table[["age", "rooms"]]
x = table[names]"""
    assert Places(text).putting_columns() == 1


def test_what_only_one_of_two_is_brought_to_another_scale_by() -> None:
    text = """def measure(given):
    wanted = np.expm1(given.label_ids)
    said = given.predictions.clip(min=0)
    return {"mae": mean_absolute_error(wanted, said)}
Trainer(compute_metrics=measure)"""
    assert Places(text).scaling.left_as_it_was("compute_metrics") == 3
    sound = text.replace("given.predictions", "np.expm1(given.predictions)")
    assert Places(sound).scaling.left_as_it_was("compute_metrics") is None
