"""A model that is made once for all folds, in scripts as people write them."""

import pytest

from debugger.script.places import Places

OF_KERAS = """\
model = make()
x, y = load()
for fold, (train, test) in enumerate(StratifiedKFold(5).split(x, y)):
    {first}
    model.fit(x[train], y[train])
    {last}
"""
OF_A_TRAINER = """\
model = load()
kf = KFold(5)
for train, test in kf.split(rows):
    {first}
    trainer = Trainer(model{given}, args=args, train_dataset=rows.select(train), {more})
    trainer.train()
"""


def keras(first: str = "pass", last: str = "model.evaluate(x[test])") -> str:
    return OF_KERAS.format(first=first, last=last)


def trainer(first: str = "pass", given: str = "=model", more: str = "eval_dataset=1") -> str:
    return OF_A_TRAINER.format(first=first, given=given, more=more)


@pytest.mark.parametrize(
    ("script", "line", "found"),
    [
        (keras(), 5, ("model", 5, 3, True)),
        (keras(last="print(fold)"), 5, ("model", 5, 3, False)),
        (trainer(), 6, ("model", 6, 3, True)),
        (trainer(given=""), 6, ("model", 6, 3, True)),
        (trainer(more=""), 6, ("model", 6, 3, False)),
    ],
)
def test_it_is_found(script: str, line: int, found: tuple[str, int, int, bool]) -> None:
    kept = Places(script, line).kept_through_folds

    assert kept is not None
    assert (kept.model, kept.line, kept.at, kept.asked) == found


@pytest.mark.parametrize(
    ("script", "line"),
    [
        (keras(first="model = make()"), 5),
        (keras(first="model.set_weights(begun)"), 5),
        (keras(first="reset(model)"), 5),
        (keras(last="break"), 5),
        (keras(), 1),
        (keras().replace("StratifiedKFold", "TimeSeriesSplit"), 5),
        (keras().replace("StratifiedKFold(5).split(x, y)", "pairs"), 5),
        (keras().replace("StratifiedKFold(5).split(x, y)", "text.split(',')"), 5),
        (trainer(first="model = load()"), 6),
        (trainer(first="model.load_state_dict(begun)"), 6),
        (trainer(given="=load()"), 6),
        (trainer(given="_init=load"), 6),
    ],
)
def test_what_begins_anew_is_not_told(script: str, line: int) -> None:
    assert Places(script, line).kept_through_folds is None
